"""Decoders by name: which of them a model uses, and which of them fit it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from tagloom.corpus import Column
from tagloom.corpus.corpus import CodeArray
from tagloom.errors import ConfigError, show_value, unknown_name
from tagloom.features import Batch
from tagloom.learners import LEARNERS
from tagloom.structures.history import BEAM, DEPTH, LEFT_TO_RIGHT, HistorySearch
from tagloom.systems.labels import convert_scheme
from tagloom.systems.options import MOST_CANDIDATES, SEARCH, Row, SearchOptions
from tagloom.systems.tagger.spec import TaggerSpec

if TYPE_CHECKING:
    from tagloom.systems.tagger.model import Tagger
    from tagloom.systems.tagger.parameters import WeightArray


DECODERS = ("viterbi", "posterior", "spans", "rescored", "lookahead", "beam", "reranked")
#: The least probability of the spans that the decoder ``spans`` takes, unless something else is stated.
THRESHOLD = 0.4


@dataclass(frozen=True, kw_only=True, repr=False)
class TaggerSearch(SearchOptions):
    """Options of tagging: how a tagger decides."""

    noun: ClassVar[str] = "tagger"

    decoder: Annotated[str | None, Row(
        "viterbi: the best sequence; posterior: the most labels expected to be right; spans: the spans that are "
        "probable enough; rescored: the best candidate by features of documents; lookahead, beam: label by label; "
        "reranked: the choice of a re-ranker. Default: what the model was trained for.", choices=DECODERS,
        metavar="NAME", panel=SEARCH,
    )] = None  # fmt: skip
    candidates: Annotated[int | None, Row(
        "Number of labellings that features of documents, or a re-ranker, choose from. Default: the model's.", low=1,
        high=MOST_CANDIDATES, metavar="N", panel=SEARCH,
    )] = None  # fmt: skip
    depth: Annotated[int | None, Row(
        "Number of labels to look ahead. Default: the model's.", low=0, metavar="N", panel=SEARCH,
    )] = None  # fmt: skip
    beam: Annotated[int | None, Row(
        "Number of hypotheses of a beam. Default: the model's.", low=1, metavar="N", panel=SEARCH,
    )] = None  # fmt: skip
    threshold: Annotated[float | None, Row(
        "Spans that are less probable are left out; half of the F1 that you expect is a good value. Default: the "
        f"model's, or {THRESHOLD}.", low=0, high=1, metavar="P", panel=SEARCH,
    )] = None  # fmt: skip


_BY_HISTORY = ("lookahead", "beam")


def choose_decoder(
    spec: TaggerSpec, decoder: str | None, depth: int | None, beam: int | None, threshold: float | None = None
) -> str:
    """The decoder that was asked for, by its name or by its number; else the model's own."""
    numbers = (("depth", depth, "lookahead"), ("beam", beam, "beam"), ("threshold", threshold, "spans"))
    if decoder is None and any(value is not None for _, value, _ in numbers):
        decoder = next(owner for _, value, owner in reversed(numbers) if value is not None)
    elif decoder is None and spec.reranker is not None:
        decoder = "reranked"
    elif decoder is None and spec.search is not None:
        decoder = "lookahead" if spec.search.beam is None else "beam"
    elif decoder is None and spec.threshold is not None:
        decoder = "spans"
    elif decoder is None:
        decoder = "rescored" if spec.document_features or spec.document_functions else "viterbi"
    if threshold is not None and not 0 <= threshold <= 1:
        raise ConfigError(f"threshold: expected a number from 0 to 1, got {show_value(threshold)}")
    if decoder not in DECODERS:
        raise unknown_name("decoder", decoder, DECODERS)
    for name, value, owner in numbers:
        if value is not None and decoder != owner:
            raise ConfigError(f"{name}: goes with decoder {owner!r}, got decoder {decoder!r}; leave one of them out")
    if decoder == "reranked":
        if spec.reranker is None:
            raise ConfigError("decoder 'reranked': this model has no re-ranker (see tagloom.rerank)")
        return decoder
    if is_normalised(spec) and decoder != "beam":
        raise ConfigError(f"decoder {decoder!r}: this model has probabilities of decisions; only beam fits it")
    if decoder not in _BY_HISTORY and spec.order != (LEFT_TO_RIGHT, 1):
        raise ConfigError(
            f"decoder {decoder!r}: this model {_describe_order(spec)}; only the decoders lookahead and beam fit it"
        )
    if decoder == "spans":
        if spec.scheme is None:
            raise ConfigError("decoder 'spans': the labels of this model are no spans; leave the decoder out")
        require_probabilities(spec, "decoder 'spans'")
    return decoder


def choose_threshold(spec: TaggerSpec, threshold: float | None) -> float:
    """The threshold that was asked for; else the model's own."""
    return next(each for each in (threshold, spec.threshold, THRESHOLD) if each is not None)


def _describe_order(spec: TaggerSpec) -> str:
    direction, history = spec.order
    return f"tags {direction} with {'one label' if history == 1 else 'two labels'} of history"


def build_history_search(spec: TaggerSpec, decoder: str, depth: int | None, beam: int | None) -> HistorySearch | None:
    """How the decoder goes from label to label; None: it does not."""
    if decoder not in _BY_HISTORY:
        return None
    own = spec.search or HistorySearch()
    if decoder == "lookahead":
        return replace(own, depth=next(n for n in (depth, own.depth, DEPTH) if n is not None), beam=None)
    return replace(own, depth=None, beam=next(n for n in (beam, own.beam, BEAM) if n is not None))


def is_normalised(spec: TaggerSpec) -> bool:
    """Whether every decision has a probability of its own, given those before it."""
    return spec.search is not None and spec.search.normalised


def is_first_order(spec: TaggerSpec) -> bool:
    """Whether the score of a labelling is a sum over pairs of a label and the one before it."""
    return spec.order == (LEFT_TO_RIGHT, 1) and not is_normalised(spec)


def has_likelihood(spec: TaggerSpec) -> bool:
    """Whether the scores are log probabilities, up to a constant of the sentence."""
    return spec.learner in LEARNERS and LEARNERS[spec.learner].has_likelihood


def is_calibrated(spec: TaggerSpec) -> bool:
    """Whether the probabilities mean something: by a likelihood that was maximised, or by a temperature."""
    return spec.temperature is not None or is_normalised(spec) or has_likelihood(spec)


def require_probabilities(spec: TaggerSpec, what: str, *, calibrated: bool = True) -> None:
    """Refuse ``what`` the user asked for if the model has no probabilities, or none that are calibrated."""
    if is_normalised(spec):
        return
    if not is_first_order(spec):
        raise ConfigError(
            f"{what}: this model {_describe_order(spec)} and has no probabilities; for calibrated ones, train with the "
            "learner maxent, or from left to right with history=1 and development data"
        )
    if calibrated and not is_calibrated(spec):
        raise ConfigError(
            f"{what}: the scores of {spec.learner} are not probabilities; for calibrated ones, train with development "
            "data or call model.calibrate(data); calibrated=False reads the scores as log probabilities"
        )


def divide_weights(weights: WeightArray, temperature: float) -> WeightArray:
    """Divide all weights by a temperature; they cannot be written to."""
    scaled: WeightArray = weights / weights.dtype.type(temperature)
    scaled.flags.writeable = False
    return scaled


def require_sequences(scores: NDArray[np.floating], scheme: str | None) -> None:
    """Refuse constraints that leave a sentence (score minus infinity) without any label sequence."""
    if np.isneginf(scores).any():
        sentence = int(np.argmax(np.isneginf(scores))) + 1
        raise ConfigError(f"sentence {sentence}: no label sequence of {scheme} meets the constraints")


def encode_labels(model: Tagger, labels: Sequence[str], batch: Batch) -> CodeArray:
    """Labels as the model writes them, as numbers of those it decides on."""
    count = int(batch.sentences[-1])
    if isinstance(labels, str) or not isinstance(labels, (Sequence, np.ndarray)):
        raise ConfigError(f"labels: expected a list of {count}, one per token, got {labels!r}")
    if len(labels) != count:
        raise ConfigError(f"labels: expected {count}, one per token, got {len(labels)}")
    column = Column.from_strings([str(label) for label in labels])
    column = convert_scheme(column, batch.sentences, model.spec.written, model.spec.decided)
    numbers = {label: number for number, label in enumerate(model.labels)}
    for name in column.strings.strings():
        if name not in numbers:
            raise unknown_name("label", name, model.labels)
    return np.array([numbers[text] for text in column.texts()], np.int32)
