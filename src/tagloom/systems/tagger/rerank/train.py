"""Training of a re-ranker: jackknifed candidates, features of whole labellings and a ranker become one model."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

import tagloom._core as _core
from tagloom.arguments import check_arguments
from tagloom.corpus import Corpus
from tagloom.corpus.corpus import CodeArray, IntArray
from tagloom.corpus.schemes import Scheme
from tagloom.corpus.spans import Spans, decode_spans
from tagloom.errors import ConfigError, DataError, show_value
from tagloom.features import DocumentFunction, Source
from tagloom.features.global_templates import GlobalTemplateSet, load_global_templates
from tagloom.learners.ranking import LearnedRanking, RankingData, RankingSettings, learn_ranking
from tagloom.structures.candidates import CandidateLists, count_correct_tags, find_best_candidates
from tagloom.structures.global_features import GlobalFeatures, PreparedFeatures, select_keys
from tagloom.systems.data import Data, read_training_data
from tagloom.systems.jackknife import FoldReport
from tagloom.systems.labels import prepare_labels
from tagloom.systems.learning import Progress
from tagloom.systems.provide import provide_unseen
from tagloom.systems.resources import TRAIN, build_resources, list_built_parts
from tagloom.systems.tagger.candidates import find_candidate_lists, repeat_sentences
from tagloom.systems.tagger.model import Tagger
from tagloom.systems.tagger.names import FeatureNames
from tagloom.systems.tagger.rerank.lists import (
    JackknifedCandidates,
    OracleReport,
    find_gold_codes,
    get_sequence_bounds,
    get_sequence_offsets,
    jackknife_candidates,
    report_oracle,
)
from tagloom.systems.tagger.rerank.options import RerankOptions
from tagloom.systems.tagger.rerank.reranker import (
    RankerParameters,
    encode_ranking_lists,
    global_features,
    select_batch_columns,
)
from tagloom.systems.tagger.rerank.spec import RerankerSpec
from tagloom.systems.train import open_model

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from tagloom.systems.keywords import RerankKeywords

_LONGEST = 2**20 - 1  # tokens; longer spans are not distinguished by their length
_LOWERCASED = "lowercased"


@dataclass(frozen=True)
class CandidateCounts:
    """Counts of spans, or of tokens if labels are plain tags."""

    correct: IntArray  # [C] spans of every candidate that gold has, too
    proposed: IntArray  # [C] spans of every candidate
    gold: int


def count_candidates(
    lists: CandidateLists,
    gold: CodeArray,
    sentences: IntArray,
    sequences: IntArray,
    labels: Sequence[str],
    scheme: Scheme | None,
) -> CandidateCounts:
    """Count the spans of candidates against [N] gold labels, -1 for labels that the lists do not have.

    ``sentences`` are offsets of tokens, which no span crosses, and ``sequences`` [S + 1] are offsets of sentences.
    """
    offsets = sentences[sequences]
    if scheme is None:
        return CandidateCounts(count_correct_tags(lists, gold, offsets), np.diff(lists.begins), len(gold))
    names = [*labels, scheme.outside]
    known = np.where(gold < 0, len(labels), gold).astype(np.int32)
    right = decode_spans(names, known, sentences, scheme)
    owner = np.repeat(np.arange(len(lists)), np.diff(lists.first))  # sequence of every candidate
    found = decode_spans(names, lists.labels, repeat_sentences(lists, sentences, sequences), scheme)
    candidate = np.searchsorted(lists.begins, found.start, side="right") - 1
    shift = offsets[owner[candidate]] - lists.begins[candidate]  # from the labels of a candidate to the text
    is_right = np.isin(_keys(found, shift, names), _keys(right, np.zeros(len(right), np.int64), names))
    count = len(lists.scores)
    correct = np.bincount(candidate[is_right], minlength=count).astype(np.int64)
    return CandidateCounts(correct, np.bincount(candidate, minlength=count).astype(np.int64), len(right))


def _keys(spans: Spans, shift: IntArray, names: Sequence[str]) -> IntArray:
    """Encode start, length and type of every span as one number; ``shift`` is added to its start."""
    types = sorted({name.partition("-")[2] for name in names})
    numbers = np.array([types.index(name) for name in spans.types] or [0], np.int64)
    length = np.minimum(spans.stop - spans.start, _LONGEST)
    keys: IntArray = ((spans.start + shift) * (_LONGEST + 1) + length) * len(types) + numbers[spans.type]
    return keys


@dataclass(frozen=True)
class ListsFound(Progress):
    """Progress: the lists of the training data ("train") or of the development data ("dev") were found."""

    part: str = "train"
    report: OracleReport | None = None

    @classmethod
    def of(cls, part: str, report: OracleReport) -> ListsFound:
        """Build the progress of one part."""
        what = {"train": "training", "dev": "development"}[part]
        return cls("note", f"{what} lists: {report}", part=part, report=report)


@check_arguments
def rerank(
    model: Tagger | str | os.PathLike[str],
    data: Data,
    *,
    dev: Data | None = None,
    columns: str | Sequence[str] | None = None,
    format: str | None = None,  # noqa: A002
    on_progress: FoldReport | None = None,
    **options: Unpack[RerankKeywords],
) -> Tagger:
    """Train a re-ranker of the candidates of a tagger (collins-2002).

    Args:
        model: A trained tagger, or its file.
        data: What the tagger was trained on. For every fold, a tagger of the same kind learns from the other folds and
            finds the candidates of this one.
        dev: Other data. It chooses the number of rounds or passes, and the best of several ``beta``, ``smoothing`` or
            ``C``.
        columns: See :func:`tagloom.train`.
        format: See :func:`tagloom.train`.
        on_progress: Function that is called with the name of a fold, or None, and a :class:`Progress`.
        **options: Options of re-ranking, listed in docs/options.md and by ``tagloom rerank --help``.

    Returns:
        The tagger with its re-ranker, as one model.

    Examples:
        >>> from tagloom.systems.train import train
        >>> sentences = [(["Ada", "Byron", "wrote"], ["B-PER", "I-PER", "O"]), (["so", "Ada"], ["O", "B-PER"])]
        >>> tagger = train(sentences, learner="averaged-perceptron", templates="words", scheme="data")
        >>> model = rerank(tagger, sentences, folds=2, cutoff=1)
        >>> model.tag(["so", "wrote", "Ada"])
        ['O', 'O', 'B-PER']
    """
    base: Tagger = open_model(model, "model", "tagger")
    chosen = RerankOptions.parse(options)
    if on_progress is not None and not callable(on_progress):
        raise ConfigError(f"on_progress: expected a function, got {show_value(on_progress)}")
    functions, threads = chosen.functions or {}, chosen.threads
    _check_functions(functions, base)
    settings = chosen.choose_settings(has_dev=dev is not None)
    templates = None if chosen.templates is None else load_global_templates(chosen.templates)
    corpus, dev_corpus = (
        None
        if each is None
        else base.reads.adopt(read_training_data(each, columns, format, base.spec.normal_form), gold=True)
        for each in (data, dev)
    )
    assert corpus is not None
    tell = on_progress or (lambda _, __: None)
    tagger = base.without_reranker().without_providers()  # taggers of folds read the columns that the line provides
    corpus = provide_unseen(corpus, base.line, threads, lambda progress: tell(None, progress))
    dev_corpus = None if dev_corpus is None else base.line.provide(dev_corpus, threads)
    features = CandidateFeatures.plan(
        tagger, corpus, templates, functions, chosen.resources or {}, chosen.cutoff, threads, chosen.seed
    )
    found = jackknife_candidates(
        tagger, corpus, n=chosen.candidates, folds=chosen.folds, by=chosen.by, jobs=chosen.jobs, cache=chosen.cache,
        threads=threads, on_progress=on_progress,
    )  # fmt: skip
    tell(None, ListsFound.of("train", found.report))
    lists = EncodedLists.encode(features, found, dev_corpus, names=chosen.names, tell=tell)
    learned = lists.learn(settings, chosen.seed, tell)
    spec, parameters = lists.reranker(learned)
    if learned.interrupted:
        tell(None, Progress("interrupted", "interrupted: the best until now is kept"))
    score = "" if spec.dev_score is None else f", dev F1 {spec.dev_score:.2f}"
    tell(None, Progress("learned", f"{spec.described()}{score}"))
    return features.model.with_reranker(spec, parameters, features.functions).with_line(base.line)


def _check_functions(functions: Mapping[str, object], tagger: Tagger) -> None:
    """Check that functions can be told apart by their names, in the tagger and in the re-ranker."""
    spec = tagger.spec
    for name, function in functions.items():
        if not isinstance(name, str) or not name:
            raise ConfigError(f"functions: expected functions by name, got the name {show_value(name)}")
        if not callable(function):
            raise ConfigError(f"global function {name!r}: expected a function, got {show_value(function)}")
        if name in (
            *spec.word_functions,
            *spec.sentence_functions,
            *spec.document_attributes,
            *spec.document_functions,
        ):
            raise ConfigError(f"global function {name!r}: the tagger has a function called so; choose another name")


@dataclass(frozen=True)
class CandidateFeatures:
    """A tagger with the resources of the global features, and these features."""

    model: Tagger
    features: GlobalFeatures
    templates: GlobalTemplateSet | None
    functions: Mapping[str, DocumentFunction]
    cutoff: int
    threads: int

    @classmethod
    def plan(
        cls,
        tagger: Tagger,
        corpus: Corpus,
        templates: GlobalTemplateSet | None,
        functions: Mapping[str, DocumentFunction],
        sources: Mapping[str, Source],
        cutoff: int,
        threads: int,
        seed: int,
    ) -> CandidateFeatures:
        """Build the resources and the features."""
        model = _with_resources(tagger, corpus, templates, sources, seed)
        if model.spec.decided is None and templates is not None and not templates.has_quotations and not functions:
            raise ConfigError(
                f"global templates {templates.name!r} are of entities, but the labels of the model are plain tags; "
                "use functions of your own, or templates of quotations"
            )
        features = global_features(templates, functions, model.encoder.vocabulary, model.labels, model.spec.decided)
        batch = model.encoder.batch(corpus)
        select_batch_columns(batch, model.columns, features.columns)  # refuse missing ones before the long work
        return cls(model, features, templates, functions, cutoff, threads)

    def prepare(self, corpus: Corpus) -> PreparedFeatures:
        """Prepare the tokens of a corpus for global features."""
        batch, sequences = self.model.batch_sequences(corpus)
        return self.features.prepare(select_batch_columns(batch, self.model.columns, self.features.columns), sequences)

    def collect(
        self, corpus: Corpus, lists: CandidateLists, *, names: bool
    ) -> tuple[_core.FeatureTable, list[str] | None, RankingData]:
        """Collect the frequent features of training lists; return their table, their texts and the encoded lists."""
        prepared = self.prepare(corpus)
        table = _core.FeatureTable(select_keys(*prepared.count(lists, self.threads), self.cutoff))
        if len(table) == 0:
            raise DataError(f"{corpus.source}: no global feature occurs in {self.cutoff} sequences; lower the cutoff")
        texts = prepared.texts_of(lists, table) if names else None
        return table, texts, self.data(corpus, lists, prepared, table)

    def data(
        self, corpus: Corpus, lists: CandidateLists, prepared: PreparedFeatures, table: _core.FeatureTable
    ) -> RankingData:
        """Encode lists by the features of a table, with the counts of every candidate."""
        spec, labels = self.model.spec, self.model.labels
        gold, offsets = find_gold_codes(corpus, spec, labels), get_sequence_offsets(corpus, spec.sequences)
        best = find_best_candidates(lists, gold, offsets)
        best = np.where(best < 0, -1, best - lists.first[:-1])
        bounds = get_sequence_bounds(corpus, spec.sequences)
        counts = count_candidates(lists, gold, corpus.sentences, bounds, labels, spec.decided)
        ranking = encode_ranking_lists(prepared, lists, table, self.threads)
        return RankingData(ranking, best, counts.correct, counts.proposed, counts.gold, lists.first)


@dataclass(frozen=True)
class EncodedLists:
    """Candidate lists, encoded by their features, from which a ranker of any method learns."""

    features: CandidateFeatures
    found: JackknifedCandidates
    table: _core.FeatureTable
    texts: Sequence[str] | None  # texts of the features of the table
    train: RankingData
    dev: RankingData | None

    @classmethod
    def encode(
        cls,
        features: CandidateFeatures,
        found: JackknifedCandidates,
        dev: Corpus | None,
        *,
        names: bool,
        tell: FoldReport = lambda _, __: None,
    ) -> EncodedLists:
        """Encode jackknifed lists, and the lists that the tagger finds in ``dev``."""
        table, texts, train = features.collect(found.corpus, found.lists, names=names)
        tell(None, Progress("encoded", f"{len(table):,} features of {len(found.lists.scores):,} candidates"))
        if dev is None:
            return cls(features, found, table, texts, train, None)
        lists = find_candidate_lists(features.model, dev, found.n, features.threads)
        tell(None, ListsFound.of("dev", report_oracle(dev, features.model, lists)))
        return cls(features, found, table, texts, train, features.data(dev, lists, features.prepare(dev), table))

    def learn(self, settings: RankingSettings, seed: int, tell: FoldReport = lambda _, __: None) -> LearnedRanking:
        """Learn a ranker."""
        return learn_ranking(
            self.train, self.dev, settings, seed=seed, threads=self.features.threads,
            report=lambda text: tell(None, Progress("round", text)),
        )  # fmt: skip

    def reranker(self, learned: LearnedRanking) -> tuple[RerankerSpec, RankerParameters]:
        """Build the spec and the arrays of the re-ranker, for the tagger that found the lists or a similar one."""
        features, found = self.features, self.found
        numbers = {name: float(value) for name, value in learned.settings.list_stated().items() if name != "method"}
        spec = RerankerSpec(
            learned.settings.method, features.templates, found.n, tuple(features.functions), features.cutoff,
            found.folds, numbers, learned.round, learned.dev_score, found.corpus.checksum(), learned.curve,
        )  # fmt: skip
        rows = np.flatnonzero(learned.ranker.used())  # other features are dropped
        names = None
        if self.texts is not None:
            blobs = [self.texts[row].encode() for row in rows.tolist()]
            ends = np.concatenate([[0], np.cumsum(list(map(len, blobs)))]).astype(np.int64)
            names = FeatureNames.from_texts(np.frombuffer(b"".join(blobs), np.uint8), ends)
        return spec, RankerParameters(np.ascontiguousarray(self.table.keys()[rows]), learned.ranker.only(rows), names)


def _with_resources(
    tagger: Tagger, corpus: Corpus, templates: GlobalTemplateSet | None, sources: Mapping[str, Source], seed: int
) -> Tagger:
    """Return the tagger with the additional resources of the global features."""
    wanted = dict(sources)
    for name in wanted:
        if name in tagger.resources:
            raise ConfigError(f"resource {name!r}: the tagger has one already; leave it out")
    attributes = () if templates is None else templates.attributes().templates
    parts = {part.name for each in attributes for part in each.parts if part.resource is None}
    if _LOWERCASED in parts and _LOWERCASED not in {*wanted, *tagger.resources}:
        wanted[_LOWERCASED] = TRAIN
    if not wanted:
        return tagger
    spec = tagger.spec
    made = build_resources(wanted, corpus, prepare_labels(corpus, spec.label, spec.scheme), seed).whole
    resources = {name: list(resource.names) for name, resource in made.items()}
    spec = replace(
        spec,
        resources={**spec.resources, **resources},
        built_resources={**spec.built_resources, **list_built_parts(wanted, None)},
    )
    return Tagger(spec, tagger.parameters, {**tagger.resources, **made}, tagger.functions)
