"""Training: read, plan, encode, learn, freeze."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tagloom._version import __version__
from tagloom.corpus import Corpus, from_sentences, read
from tagloom.errors import ConfigError, DataError, unknown_name
from tagloom.files.checkpoint import Checkpoint
from tagloom.learners import Learner, cost_matrix, costs_by_name
from tagloom.structures.consistency import checked_families
from tagloom.structures.sequences import SENTENCES
from tagloom.systems.learning import Learned, Progress, Report
from tagloom.systems.resources import made_parts
from tagloom.systems.tagger.encode import Encoded
from tagloom.systems.tagger.freeze import freeze
from tagloom.systems.tagger.identity import training_identity
from tagloom.systems.tagger.learn import ChainLearning, WeightScorer
from tagloom.systems.tagger.model import Model
from tagloom.systems.tagger.options import Options
from tagloom.systems.tagger.spec import ModelSpec
from tagloom.systems.tagger.task import Task
from tagloom.systems.tagger.warm_start import continued, inherited, named_like, opened, require_start

Data = str | os.PathLike[str] | Corpus | Sequence[tuple[Sequence[str], Sequence[str]]]


def train(
    data: Data,
    *,
    dev: Data | None = None,
    columns: str | Sequence[str] | None = None,
    format: str | None = None,  # noqa: A002
    normalise: str | None = None,
    on_progress: Report | None = None,
    start: Model | str | os.PathLike[str] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    keep_checkpoint: bool = False,
    **options: object,
) -> Model:
    """Train a model on a corpus, a file, or Python sentences.

    data, dev: a path (format guessed unless named), a :class:`Corpus`, or a list of (words, labels) pairs.
    normalise: Unicode normal form, NFC or NFKC, to put the words of files into.
    templates: a shipped set, a template file (CRF++ files too), or template text; chosen from the columns if None.
    learner: "averaged-perceptron", "perceptron", "pa", "pa2", "dca", "sgd", "adf", "madf", "sgd-l1", "lbfgs", "owlqn",
        "margin-perceptron", "lookahead-perceptron", "beam-perceptron", "maxent", "maxent-gis", "maxent-sgd"; with
        features of whole documents "nonlocal-perceptron", "candidate-perceptron", "reranking-1", "reranking-2".
    C, c1, c2, rate, cost, averaging, node_labels, n ...: of the learner, see :class:`tagloom.learners.Settings`.
    direction, history, depth, beam: of learners that decide label by label: "left-to-right" or "right-to-left";
        labels decided before that a decision sees, 1 or 2; labels to look ahead; hypotheses of the beam.
    sequences: what is labelled as one: "sentences", "documents" (nothing local reaches over a border of sentences)
        or "joined" (a document is one long sentence); "documents" for learners that see them, else "sentences".
    document_features, document_functions: non-local features, by name (all if None), and functions of a document and
        its labels. candidates: labellings of a document that they choose from when the model tags.
    label: the column to learn; if None the one called "label", of CoNLL-U "upos", else the last.
    scheme: label scheme to decide on, such as "BIOES"; the model still writes the scheme of the data.
    epochs, patience: at most so many passes; with ``dev``, stop after ``patience`` passes without a better score.
    seed: fixes the order of the examples. Same seed, same data: same model, for any number of ``threads``.
    tag_dictionary: words seen so often in training take only labels they were seen with, when the model tags; 0: any.
    cutoff: drop features seen less often. buckets: hash features into so many rows instead of a table.
    edge_pairs: label pairs that edge templates get weights for, "seen" in the data or "all".
    attributes, sentence_attributes: your own functions of a word or of a sentence's words, by name.
    resources: files by name (brown, gazetteer, entities, lexicon, lowercased, functional, category, statistics); a
        gazetteer also as files by class, ``{"ORG": [file, ...]}``; ``"train"`` makes a gazetteer of the training
        entities, the list ``functional`` of the words within them, the list ``lowercased`` of the training text, or a
        lexicon or statistics of segmented training data.
    start: a model, or its file, to begin from: its features, labels and weights are taken over, and what is new in
        the data is added. Learner, its settings, seed, cutoff and tag_dictionary are the start model's unless given.
        A re-ranker is not taken over.
    checkpoint: a file that holds the training after every pass. Called again after it was killed, the same training
        goes on from there and ends with the same model; the file is removed at the end, unless ``keep_checkpoint``.

    Ctrl-C ends training after the current stretch and returns the best model so far.

    >>> sentences = [(["the", "dog"], ["DT", "NN"]), (["a", "cat"], ["DT", "NN"])]
    >>> model = train(sentences, epochs=5)
    >>> model.tag(["the", "cat"])
    ['DT', 'NN']
    """
    report = on_progress or (lambda _: None)
    first = None if start is None else opened(start)
    if first is not None and first.reranker is not None:
        report(Progress("note", "start: the re-ranker of the start model is not taken over; see tagloom rerank"))
        first = first.without_reranker()  # it knows the candidates of the old weights
    chosen = checked_options(options if first is None else inherited(options, first))
    if first is not None:
        require_start(chosen, first)
    corpora = [None if source is None else read_data(source, columns, format, normalise) for source in (data, dev)]
    if first is not None:
        chosen = continued(chosen, options, first)
        corpora = [None if corpus is None else named_like(first, corpus) for corpus in corpora]
    corpus, dev_corpus = corpora
    assert corpus is not None
    return _train(corpus, dev_corpus, chosen, first, checkpoint, report, keep_checkpoint=keep_checkpoint)


def checked_options(options: Mapping[str, object]) -> Options:
    unknown = set(options) - set(Options.__dataclass_fields__)
    if unknown:
        raise unknown_name("option", min(unknown), Options.__dataclass_fields__)
    return Options(**options)  # type: ignore[arg-type]


def read_data(
    data: Data, columns: str | Sequence[str] | None, format_name: str | None, normalise: str | None = None
) -> Corpus:
    if isinstance(data, Corpus):
        corpus = data
    elif isinstance(data, (str, os.PathLike)):
        corpus = read(data, format_name, columns, normalise=normalise)
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


def _train(
    corpus: Corpus,
    dev: Corpus | None,
    options: Options,
    start: Model | None,
    checkpoint: str | os.PathLike[str] | None,
    report: Report,
    *,
    keep_checkpoint: bool,
) -> Model:
    started = time.perf_counter()
    learner = options.chosen_learner
    task = Task.plan(corpus, options) if start is None else Task.resume(corpus, options, start)
    cost_matrix(options.cost, task.structure.labels)  # refused before the long work
    for note in undivided([task.kind], filter(None, (corpus, dev))):
        report(note)
    encoded = Encoded.encode(task, options)
    announcement = _announcement(encoded, learner, options, time.perf_counter() - started)
    kept = _checkpoint(checkpoint, encoded, learner, options, dev)
    dev_score = None if dev is None else WeightScorer(encoded, dev, options.threads)
    learning = ChainLearning(encoded, learner, options, dev_score, report, started, checkpoint=kept)
    report(announcement)
    learned = learning.run()
    model = build_model(encoded, learner, options, learned)
    if kept is not None and not learned.interrupted and not keep_checkpoint:
        kept.remove()
    return model


def undivided(kinds: Iterable[str], corpora: Iterable[Corpus]) -> list[Progress]:
    """A note on every corpus that has no documents, where some sequences are to be documents."""
    if all(kind == SENTENCES for kind in kinds):
        return []
    missing = "no document boundaries; every sentence is a document of its own"
    return [Progress("note", f"{each.source}: {missing}") for each in corpora if not each.has_documents]


def build_model(encoded: Encoded, learner: Learner, options: Options, learned: Learned) -> Model:
    task = encoded.task
    parameters = freeze(encoded, learned.weights, learned.total, names=options.names and options.buckets == 0)
    vocabulary = task.encoder.vocabulary
    functions = {**vocabulary.word_functions, **vocabulary.sentence_functions, **options.document_functions}
    return Model(model_spec(task, learner, options, learned), parameters, task.resources, functions)  # type: ignore[arg-type]


def _checkpoint(
    path: str | os.PathLike[str] | None, encoded: Encoded, learner: Learner, options: Options, dev: Corpus | None
) -> Checkpoint | None:
    if path is None:
        return None
    if not isinstance(path, (str, os.PathLike)):
        raise ConfigError(f"checkpoint: expected the path of a file, got {path!r}")
    return Checkpoint(Path(path), training_identity(encoded, learner, options, dev))


def _announcement(encoded: Encoded, learner: Learner, options: Options, seconds: float) -> Progress:
    """Sizes, before the weights are allocated."""
    vectors = 2 if learner.averaging == "lazy" else 1
    megabytes = encoded.chain.size * 4 * vectors / 1e6
    size = f"{encoded.feature_count:,} features x {encoded.chain.labels} labels, weights take {megabytes:,.0f} MB"
    if encoded.chain.has_triples:
        triples = (encoded.chain.size - encoded.chain.triple_begin) * 4 * vectors / 1e6
        size += f", of these label triples {triples:,.1f} MB"
    return Progress("encoded", size, epochs=options.most_epochs, seconds=seconds)


def model_spec(task: Task, learner: Learner, options: Options, learned: Learned) -> ModelSpec:
    vocabulary = task.encoder.vocabulary
    return ModelSpec(
        templates=task.encoder.templates,
        columns=vocabulary.columns,
        label=task.label,
        scheme=task.gold.decided.name if task.gold.decided else None,
        written_scheme=task.gold.written.name if task.gold.written else None,
        learner=learner.name,
        settings=options.settings.stated(),
        costs=costs_by_name(options.cost, task.structure.labels),
        seed=options.seed,
        data=task.corpus.checksum(),
        version=__version__,
        cutoff=options.cutoff,
        buckets=options.buckets,
        bags=tuple(sorted(vocabulary.bags)),
        word_functions=tuple(vocabulary.word_functions),
        sentence_functions=tuple(vocabulary.sentence_functions),
        resources={name: list(resource.names) for name, resource in task.resources.items()},
        made_resources=made_parts(options.resources, None if task.start is None else task.start.spec),
        edge_pairs=options.edge_pairs,
        epochs=len(learned.history) if learned.interrupted else options.most_epochs,
        sequences=task.kind,
        document_features=checked_families(options.families),
        document_functions=tuple(options.document_functions),
        candidates=options.candidates,
        search=options.search,
        tag_dictionary=options.tag_dictionary,
        history=learned.history,
        best_epoch=learned.best_epoch,
        start=None if task.start is None else str(task.start.spec.signature),
    )
