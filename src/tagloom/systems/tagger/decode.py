"""Decoders by name: which of them a model uses, and which of them fit it."""

from __future__ import annotations

from dataclasses import replace

from tagloom.errors import ConfigError, unknown_name
from tagloom.learners import LEARNERS
from tagloom.structures.history import BEAM, DEPTH, LEFT_TO_RIGHT, HistorySearch
from tagloom.systems.tagger.search import DECODERS
from tagloom.systems.tagger.spec import TaggerSpec

_BY_HISTORY = ("lookahead", "beam")


def choose_decoder(spec: TaggerSpec, decoder: str | None, depth: int | None, beam: int | None) -> str:
    """The decoder that was asked for, by its name or by its number; else the model's own."""
    if decoder is None and (depth is not None or beam is not None):
        decoder = "lookahead" if beam is None else "beam"
    elif decoder is None and spec.reranker is not None:
        decoder = "reranked"
    elif decoder is None and spec.search is not None:
        decoder = "lookahead" if spec.search.beam is None else "beam"
    elif decoder is None:
        decoder = "rescored" if spec.document_features or spec.document_functions else "viterbi"
    if decoder not in DECODERS:
        raise unknown_name("decoder", decoder, DECODERS)
    for name, value, owner in (("depth", depth, "lookahead"), ("beam", beam, "beam")):
        if value is not None and decoder != owner:
            raise ConfigError(f"{name}: goes with decoder {owner!r}, got decoder {decoder!r}; leave one of them out")
    if decoder == "reranked":
        if spec.reranker is None:
            raise ConfigError("decoder 'reranked': this model has no re-ranker (see tagloom.rerank)")
        return decoder
    if is_normalised(spec) and decoder != "beam":
        raise ConfigError(f"decoder {decoder!r}: this model has probabilities of decisions; only beam fits it")
    if decoder not in _BY_HISTORY:
        require_first_order(spec, f"decoder {decoder!r}")
    return decoder


def build_history_search(spec: TaggerSpec, decoder: str, depth: int | None, beam: int | None) -> HistorySearch | None:
    """How the decoder goes from label to label; None: it does not."""
    if decoder not in _BY_HISTORY:
        return None
    own = spec.search or HistorySearch()
    if decoder == "lookahead":
        return replace(own, depth=_first(depth, own.depth, DEPTH), beam=None)
    return replace(own, depth=None, beam=_first(beam, own.beam, BEAM))


def _first(given: int | None, own: int | None, default: int) -> int:
    return given if given is not None else own if own is not None else default


def is_normalised(spec: TaggerSpec) -> bool:
    """Whether every decision has a probability of its own, given those before it."""
    return spec.search is not None and spec.search.normalised


def is_first_order(spec: TaggerSpec) -> bool:
    """Whether the score of a labelling is a sum over pairs of a label and the one before it."""
    return spec.order == (LEFT_TO_RIGHT, 1) and not is_normalised(spec)


def require_first_order(spec: TaggerSpec, what: str) -> None:
    """Refuse what is defined by pairs of a label and the one before it, where the model scores others."""
    direction, history = spec.order
    if (direction, history) != (LEFT_TO_RIGHT, 1):
        labels = "one label" if history == 1 else "two labels"
        raise ConfigError(
            f"{what}: this model tags {direction} with {labels} of history; only the decoders lookahead and beam fit it"
        )


def has_likelihood(spec: TaggerSpec) -> bool:
    """Whether the scores are log probabilities, up to a constant of the sentence."""
    return spec.learner in LEARNERS and LEARNERS[spec.learner].has_likelihood


def is_calibrated(spec: TaggerSpec) -> bool:
    """Whether the probabilities mean something: by a likelihood that was maximised, or by a temperature."""
    return spec.temperature is not None or is_normalised(spec) or has_likelihood(spec)


def require_probabilities(spec: TaggerSpec, what: str, *, calibrated: bool = True) -> None:
    """Refuse probabilities of models that have none, neither of decisions nor of whole labellings.

    Args:
        spec: The spec of the model.
        what: What the user asked for.
        calibrated: Whether the probabilities must be calibrated.
    """
    if is_normalised(spec):
        return
    if not is_first_order(spec):
        direction, history = spec.order
        raise ConfigError(
            f"{what}: this model tags {direction} with {'one label' if history == 1 else 'two labels'} of history and "
            "has no probabilities; for calibrated ones, train with the learner maxent, or from left to right with "
            "history=1 and development data"
        )
    if calibrated and not is_calibrated(spec):
        raise ConfigError(
            f"{what}: the scores of {spec.learner} are not probabilities; for calibrated ones, train with development "
            "data or call model.calibrate(data); calibrated=False reads the scores as log probabilities"
        )
