"""Training a phrase chunker: phrases checked, features counted, passes, the best votes kept."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from pathlib import Path

import numpy as np

from tagloom._version import __version__
from tagloom.corpus import Corpus
from tagloom.corpus.sentences import from_spans
from tagloom.errors import ConfigError
from tagloom.files.checkpoint import Checkpoint, checksum_of
from tagloom.systems.learning import Learned, Progress, Report
from tagloom.systems.phrases.learn import PhraseLearning, PhraseScorer, learned_parameters
from tagloom.systems.phrases.model import PhraseChunker, PhraseParameters
from tagloom.systems.phrases.options import DUAL, PRIMAL, PhraseOptions, checked_phrase_options
from tagloom.systems.phrases.spec import SYSTEM, PhraseSpec
from tagloom.systems.phrases.task import EncodedPhrases
from tagloom.systems.tagger.train import Data, read_data

#: A path, a corpus, pairs of words and labels, or pairs of words and spans (start, stop, category).
PhraseDataSource = Data | Sequence[tuple[Sequence[str], Sequence[tuple[int, int, str]]]]


def train_phrases(
    data: PhraseDataSource,
    *,
    dev: PhraseDataSource | None = None,
    columns: str | Sequence[str] | None = None,
    format: str | None = None,  # noqa: A002
    normalise: str | None = None,
    on_progress: Report | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    keep_checkpoint: bool = False,
    **options: object,
) -> PhraseChunker:
    """Train a phrase chunker on chunks, entities or any other phrases that do not overlap.

    data, dev: a path, a :class:`Corpus`, a list of (words, labels) pairs, or of (words, spans) pairs with spans
        (start, stop, category). Labels may be written in any scheme; the chunker writes the same one.
    columns, format, normalise, on_progress, checkpoint, keep_checkpoint: as for :func:`tagloom.train`.
    options: the fields of :class:`~tagloom.systems.phrases.options.PhraseOptions`.

    Ctrl-C ends training after the current stretch and returns the best chunker so far.

    >>> chunker = train_phrases([(["in", "Bonn", "today"], [(1, 2, "LOC")])], cutoff=1)
    >>> chunker.spans(["in", "Bonn", "today"])
    [(1, 2, 'LOC')]
    """
    chosen = checked_phrase_options(options)
    corpus = _read(data, columns, format, normalise)
    dev_corpus = None if dev is None else _read(dev, columns, format, normalise)
    return _train(corpus, dev_corpus, chosen, checkpoint, on_progress or (lambda _: None), keep_checkpoint)


def _read(data: object, columns: str | Sequence[str] | None, format_name: str | None, normalise: str | None) -> Corpus:
    if not isinstance(data, (str, os.PathLike, Corpus)) and isinstance(data, Iterable):
        data = list(data)
        if any(_has_spans(pair) for pair in data):
            data = from_spans(data)
    return read_data(data, columns, format_name, normalise)  # type: ignore[arg-type]


def _has_spans(pair: object) -> bool:
    """Whether the second of a pair is a list of tuples, not of labels."""
    if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
        return False
    return isinstance(pair[1], Sequence) and any(not isinstance(each, str) for each in pair[1])


def _train(
    corpus: Corpus,
    dev: Corpus | None,
    options: PhraseOptions,
    checkpoint: str | os.PathLike[str] | None,
    report: Report,
    keep_checkpoint: bool,
) -> PhraseChunker:
    if checkpoint is not None and not isinstance(checkpoint, (str, os.PathLike)):
        raise ConfigError(f"checkpoint: expected the path of a file, got {checkpoint!r}")
    started = time.perf_counter()
    encoded = EncodedPhrases.encode(corpus, options)
    scorer = None if dev is None else PhraseScorer(encoded, dev, options)
    report(_announcement(encoded, options, time.perf_counter() - started))
    kept = None if checkpoint is None else Checkpoint(Path(checkpoint), _identity(encoded, options, dev))
    learned = PhraseLearning(encoded, options, scorer, report, started, kept).run()
    chunker = _chunker(encoded, options, learned)
    if kept is not None and not learned.interrupted and not keep_checkpoint:
        kept.remove()
    return chunker


def _announcement(encoded: EncodedPhrases, options: PhraseOptions, seconds: float) -> Progress:
    gold, words, phrases = encoded.gold, len(encoded.words), len(encoded.phrases)
    size = f"{len(gold.spans):,} phrases of {len(gold.categories)} categories, {encoded.longest} words at most; "
    size += f"{words:,} features of words, {phrases:,} of phrases"
    return Progress("encoded", size, epochs=options.most_epochs, seconds=seconds)


#: Options that do not decide what is learned, and options that are told by what became of them.
_NOT_TOLD = {"threads", "templates", "around", "inside", "attributes", "sentence_attributes", "resources", "label",
             "scheme", "longest"}  # fmt: skip


def _identity(encoded: EncodedPhrases, options: PhraseOptions, dev: Corpus | None) -> dict[str, str]:
    """Everything that decides what is learned."""
    encoder, resources = encoded.encoder, encoded.resources
    return {
        "tagloom": __version__,
        "system": SYSTEM,
        "data": encoded.corpus.checksum(),
        "dev": "none" if dev is None else dev.checksum(),
        "label": encoded.gold.label,
        "scheme": encoded.gold.scheme.name,
        "longest": str(encoded.longest),
        "templates": f"{encoder.templates}{encoder.around}{encoder.inside}",
        "resources": checksum_of(a for name in sorted(resources) for a in resources[name].to_tensors().values()),
        "functions": " ".join([*options.attributes, *options.sentence_attributes]),
        "features": checksum_of([encoded.words.keys(), encoded.phrases.keys()]),
        **{f.name: repr(getattr(options, f.name)) for f in fields(options) if f.name not in _NOT_TOLD},
    }


def _chunker(encoded: EncodedPhrases, options: PhraseOptions, learned: Learned) -> PhraseChunker:
    encoder = encoded.encoder
    spec = PhraseSpec(
        templates=encoder.templates,
        around=encoder.around,
        inside=encoder.inside,
        columns=encoder.vocabulary.columns,
        label=encoded.gold.label,
        written_scheme=encoded.gold.scheme.name,
        degree=options.degree,
        form=DUAL if options.is_dual else PRIMAL,
        window=options.window,
        longest=encoded.longest,
        cutoff=options.cutoff,
        phrase_cutoff=options.least_of_phrases,
        seed=options.seed,
        data=encoded.corpus.checksum(),
        version=__version__,
        word_functions=tuple(options.attributes),
        sentence_functions=tuple(options.sentence_attributes),
        resources={name: list(resource.names) for name, resource in encoded.resources.items()},
        made_resources=dict(encoded.made),
        epochs=len(learned.history) if learned.interrupted else options.most_epochs,
        history=learned.history,
        best_epoch=learned.best_epoch,
    )
    functions = {**options.attributes, **options.sentence_attributes}
    parameters = _frozen(learned_parameters(encoded, learned.weights), options.degree)
    return PhraseChunker(spec, parameters, encoded.resources, functions)


def _frozen(learned: PhraseParameters, degree: int) -> PhraseParameters:
    """Without features that no instance has; at degree 1 with weights in the place of instances."""
    filters, scorers = learned.filters, learned.scorers
    if degree == 1:
        filters, scorers = filters.linear(), scorers.linear()
    (filters, words), (scorers, phrases) = filters.pruned(), scorers.pruned()
    return replace(
        learned,
        word_keys=np.ascontiguousarray(learned.word_keys[words]),
        phrase_keys=np.ascontiguousarray(learned.phrase_keys[phrases]),
        filters=filters,
        scorers=scorers,
    )
