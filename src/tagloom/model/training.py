"""Training: read, encode, learn, keep the best, freeze."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom._version import __version__
from tagloom.corpus import Column, Corpus, from_sentences, read
from tagloom.corpus.schemes import cuts_text
from tagloom.errors import ConfigError, DataError, unknown_name
from tagloom.evaluate import score
from tagloom.features import FeatureEncoder, Vocabulary, load_resource, load_templates
from tagloom.learners import Pass, learner_named, train_online
from tagloom.model.freeze import freeze
from tagloom.model.labels import (
    TrainingLabels,
    gold_scheme,
    training_labels,
    words_cut,
    written_labels,
)
from tagloom.model.model import Model
from tagloom.model.options import Options
from tagloom.model.spec import EpochRecord, ModelSpec
from tagloom.structures import Chain

__all__ = ["Options", "Progress", "train"]

Data = str | os.PathLike[str] | Corpus | Sequence[tuple[Sequence[str], Sequence[str]]]


@dataclass(frozen=True)
class Progress:
    """What a caller is told while training runs."""

    phase: str  # "encoded", "epoch", "interrupted"
    message: str
    record: EpochRecord | None = None
    epochs: int = 0
    seconds: float = 0.0


def train(
    data: Data,
    *,
    dev: Data | None = None,
    columns: str | Sequence[str] | None = None,
    format: str | None = None,  # noqa: A002
    on_progress: Callable[[Progress], None] | None = None,
    **options: object,
) -> Model:
    """Train a model on a corpus, a file, or Python sentences.

    data, dev: a path (format guessed unless named), a :class:`Corpus`, or a list of (words, labels) pairs.
    templates: a shipped set, a template file (CRF++ files too), or template text; chosen from the columns if None.
    learner: "perceptron" or "averaged-perceptron".
    label: the column to learn; the last one (that holds no attributes) if None.
    scheme: label scheme to decide on, such as "BIOES"; the model still writes the scheme of the data.
    epochs, patience: at most so many passes; with ``dev``, stop after ``patience`` passes without a better score.
    seed: fixes the order of the examples. Same seed, same data: same model, for any number of ``threads``.
    cutoff: drop features seen less often. buckets: hash features into so many rows instead of a table.
    edge_pairs: label pairs that edge templates get weights for, "seen" in the data or "all".
    attributes, sentence_attributes: your own functions of a word or of a sentence's words, by name.
    resources: files for the attributes ``brown``, ``gazetteer``, ``lexicon``.

    Ctrl-C ends training after the current stretch and returns the best model so far.

    >>> sentences = [(["the", "dog"], ["DT", "NN"]), (["a", "cat"], ["DT", "NN"])]
    >>> model = train(sentences, epochs=5)
    >>> model.tag(["the", "cat"])
    ['DT', 'NN']
    """
    unknown = set(options) - set(Options.__dataclass_fields__)
    if unknown:
        raise unknown_name("option", min(unknown), Options.__dataclass_fields__)
    chosen = Options(**options)  # type: ignore[arg-type]
    corpus = _corpus(data, columns, format)
    dev_corpus = None if dev is None else _corpus(dev, columns, format)
    return _Training(corpus, dev_corpus, chosen, on_progress or (lambda _: None)).run()


def _corpus(data: Data, columns: str | Sequence[str] | None, format_name: str | None) -> Corpus:
    if isinstance(data, Corpus):
        corpus = data
    elif isinstance(data, (str, os.PathLike)):
        corpus = read(data, format_name, columns)
    else:
        corpus = _from_pairs(data)
    if corpus.token_count == 0:
        raise DataError(f"{corpus.source}: no tokens to learn from")
    return corpus


def _from_pairs(data: Sequence[tuple[Sequence[str], Sequence[str]]]) -> Corpus:
    try:
        pairs = [(words, labels) for words, labels in data]
    except (TypeError, ValueError):
        raise DataError("training data: expected (words, labels) pairs, a Corpus, or the path of a file") from None
    return from_sentences([words for words, _ in pairs], tags=[labels for _, labels in pairs])


class _Training:
    """One run: the encoded corpus, the passes over it, the best weights."""

    def __init__(
        self, corpus: Corpus, dev: Corpus | None, options: Options, report: Callable[[Progress], None]
    ) -> None:
        self.corpus, self.dev, self.options, self.report = corpus, dev, options, report
        self.started = time.perf_counter()
        self.learner = learner_named(options.learner)
        self.label = options.label or corpus.label
        self.gold: TrainingLabels = training_labels(corpus, self.label, options.scheme)
        self.templates = load_templates(options.templates or default_templates(corpus, self.label, self.gold))
        self.resources = {name: load_resource(name, source) for name, source in options.resources.items()}
        self.encoder = FeatureEncoder(self.templates, self._vocabulary())
        self.structure = Chain(tuple(self.gold.column.strings.strings()), self.gold.decided)

    def _vocabulary(self) -> Vocabulary:
        names = [name for name in self.corpus.names if name != self.label]
        if not names:
            raise ConfigError(f"{self.corpus.source}: only the label column {self.label!r}; words are needed too")
        return Vocabulary(
            tuple(names),
            frozenset(name for name in names if self.corpus.columns[name].is_bag),
            self.options.attributes,
            self.options.sentence_attributes,
            self.resources,
        )

    def run(self) -> Model:
        batch = self.encoder.batch(self.corpus)
        store = self.encoder.new_store()
        self.encoder.prepare(store, batch)
        collected = _core.collect_features(
            store, batch.codes, batch.sentences, self.options.cutoff, self.options.buckets
        )
        nodes, edges = collected.take_rows(False), collected.take_rows(True)
        tables = collected.table(False), collected.table(True)
        offsets, pairs = _core.edge_support(
            edges[0], edges[1], batch.sentences, self.gold.column.codes, len(self.structure.labels),
            len(tables[1]) if self.templates.edges else 0, self.options.edge_pairs == "all",
        )  # fmt: skip
        chain = self.structure.compile(len(tables[0]), self.templates.transitions, offsets, pairs)
        data = _core.ChainData(chain, *nodes, *edges, batch.sentences, self.gold.column.codes)
        self._announce(chain, tables)
        weights, history, best = self._learn(chain, data, tables)
        parameters = freeze(
            self.encoder, self.structure, chain, collected, store, batch, weights, (offsets, pairs),
            names=self.options.names and self.options.buckets == 0, words=self._known_words(),
        )  # fmt: skip
        return Model(
            self._spec(history, best),
            parameters,
            self.resources,
            {**self.options.attributes, **self.options.sentence_attributes},
        )

    def _announce(self, chain: _core.Chain, tables: tuple[_core.FeatureTable, _core.FeatureTable]) -> None:
        count = len(tables[0]) + (len(tables[1]) if self.templates.edges else 0)
        vectors = 2 if self.learner.averaging == "lazy" else 1
        megabytes = chain.size * 4 * vectors / 1e6
        seconds = time.perf_counter() - self.started
        text = f"{count:,} features x {chain.labels} labels, weights take {megabytes:,.0f} MB"
        self.report(Progress("encoded", text, epochs=self.options.epochs, seconds=seconds))

    # -- learning ----------------------------------------------------------------------------------------------------

    def _learn(
        self, chain: _core.Chain, data: _core.ChainData, tables: tuple[_core.FeatureTable, _core.FeatureTable]
    ) -> tuple[NDArray[np.float32], list[EpochRecord], int]:
        """The weights to keep, what every pass did, and the number of the pass they come from."""
        dev_data = None if self.dev is None else self._encode_dev(self.dev, chain, tables)
        history: list[EpochRecord] = []
        best: NDArray[np.float32] | None = None
        best_score, best_epoch = -1.0, 0
        last: Pass | None = None
        try:
            for done in self._passes(chain, data):
                last = done
                dev_score = None
                if dev_data is not None:
                    weights = done.weights()
                    dev_score = self._dev_score(dev_data, weights)
                    if dev_score > best_score:
                        best, best_score, best_epoch = weights, dev_score, done.epoch
                history.append(EpochRecord(done.epoch, done.updates, done.token_errors, dev_score))
                self._tell(history[-1])
                if done.updates == 0 or (dev_data is not None and done.epoch - best_epoch >= self.options.patience):
                    break
        except KeyboardInterrupt:
            if last is None:
                raise
            self.report(Progress("interrupted", f"interrupted after pass {last.epoch}; the best model so far is kept"))
        assert last is not None
        return (last.take_weights(), history, last.epoch) if best is None else (best, history, best_epoch)

    def _passes(self, chain: _core.Chain, data: _core.ChainData) -> Iterator[Pass]:
        return islice(train_online(self.learner, chain, data, len(self.corpus), self.options.seed), self.options.epochs)

    def _tell(self, record: EpochRecord) -> None:
        dev = "" if record.dev_score is None else f", dev {record.dev_score:.2f}"
        text = f"pass {record.epoch}: {record.token_errors:,} tokens in error{dev}"
        seconds = time.perf_counter() - self.started
        self.report(Progress("epoch", text, record, self.options.epochs, seconds))

    def _encode_dev(
        self, dev: Corpus, chain: _core.Chain, tables: tuple[_core.FeatureTable, _core.FeatureTable]
    ) -> _core.ChainData:
        dev.column(self.label)
        batch = self.encoder.batch(dev)
        store = self.encoder.new_store()
        self.encoder.prepare(store, batch)
        nodes, edges = _core.encode(store, batch.codes, batch.sentences, *tables)
        return _core.ChainData(chain, *nodes, *edges, batch.sentences, np.zeros(0, np.int32))

    def _dev_score(self, data: _core.ChainData, weights: NDArray[np.float32]) -> float:
        assert self.dev is not None
        labels, _ = data.decode(weights, self.options.threads)
        column = Column(labels, self.gold.column.strings)
        predicted = written_labels(column, self.dev.sentences, self.gold.decided, self.gold.written)
        gold = self.dev.column(self.label)
        scheme = gold_scheme(gold, self.dev.sentences, self.gold.written)
        result = score(gold, predicted, self.dev.sentences, scheme=scheme)
        return float(getattr(result.overall, "recall" if result.metric == "accuracy" else result.metric))

    # -- freezing ----------------------------------------------------------------------------------------------------

    def _known_words(self) -> NDArray[np.uint64]:
        """Hashes of the words of the training data: of the first column, or of the words that gold cuts text into."""
        forms = self.corpus.column(self.encoder.main)
        if forms.is_bag:
            return np.zeros(0, np.uint64)
        if cuts_text(self.structure.labels, self.gold.decided):
            forms = Column.from_strings(words_cut(forms, self.gold, self.corpus.sentences))
        used = np.bincount(forms.codes, minlength=len(forms.strings)) > 0
        return np.sort(forms.strings.hashes()[used])

    def _spec(self, history: list[EpochRecord], best: int) -> ModelSpec:
        gold = self.gold
        vocabulary = self.encoder.vocabulary
        return ModelSpec(
            templates=self.templates,
            columns=vocabulary.columns,
            label=self.label,
            scheme=gold.decided.name if gold.decided else None,
            written_scheme=gold.written.name if gold.written else None,
            learner=self.learner.name,
            seed=self.options.seed,
            data=self.corpus.checksum(),
            version=__version__,
            cutoff=self.options.cutoff,
            buckets=self.options.buckets,
            bags=tuple(sorted(vocabulary.bags)),
            word_functions=tuple(self.options.attributes),
            sentence_functions=tuple(self.options.sentence_attributes),
            resources={name: list(resource.names) for name, resource in self.resources.items()},
            history=tuple(history),
            best_epoch=best,
        )


def default_templates(corpus: Corpus, label: str, gold: TrainingLabels) -> str:
    """The shipped set that fits the columns of a corpus."""
    if any(column.is_bag for column in corpus.columns.values()):
        return "attributes"
    if cuts_text(gold.column.strings.strings(), gold.decided):
        return "segmentation"
    return "ner-basic" if gold.written is not None and "pos" in corpus.columns and label != "pos" else "words"
