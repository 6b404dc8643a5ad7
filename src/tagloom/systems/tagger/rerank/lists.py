"""Candidate lists of a training corpus, as a tagger finds them in unseen text (collins-2002, section 2.3).

A re-ranker learns from such lists, because the lists of a model that has seen the text contain too few errors.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tagloom._core import StringTable
from tagloom.corpus import Column, Corpus
from tagloom.corpus.corpus import CodeArray, IntArray
from tagloom.corpus.schemes import Scheme, cuts_text
from tagloom.errors import ConfigError, DataError
from tagloom.evaluate import Score, score
from tagloom.features import Source
from tagloom.features.tensors import Tensors
from tagloom.files.cache import FoldFiles, open_folder
from tagloom.schema import Array, Layout, Misfit, Text
from tagloom.schema.arrays import COUNTS
from tagloom.structures.candidates import CandidateLists, concatenate_lists, find_best_candidates
from tagloom.structures.sequences import JOINED
from tagloom.systems.jackknife import DOCUMENTS, SENTENCES, FoldReport, HeldOut, Procedure, cut_into_folds, run_folds
from tagloom.systems.labels import continue_labels, convert_scheme, find_gold_scheme, prepare_labels
from tagloom.systems.learning import Progress, Report
from tagloom.systems.options import check_threads
from tagloom.systems.parallel import Pool
from tagloom.systems.resources import list_built_parts
from tagloom.systems.tagger.candidates import (
    Candidate,
    choose_labels,
    find_candidate_lists,
    require_room,
    write_candidates,
)
from tagloom.systems.tagger.encode import encode_corpus, identify_training
from tagloom.systems.tagger.model import Tagger
from tagloom.systems.tagger.names import narrow_numbers
from tagloom.systems.tagger.options import TaggerOptions
from tagloom.systems.tagger.spec import TaggerSpec
from tagloom.systems.tagger.task import Task
from tagloom.systems.tagger.train import TaggerTraining, build_spec, list_undivided
from tagloom.systems.tagger.warm_start import read_training_options
from tagloom.systems.tagger.writer import LabelWriter
from tagloom.systems.train import train

_NO_TAG = ""  # for tokens without candidates, if labels are plain tags


@dataclass(frozen=True)
class OracleReport:
    """How good lists of candidates are: two scores, and numbers of lists."""

    oracle: Score  # of the best candidate of every list: the most that re-ranking can reach
    first: Score  # of the first candidate of every list
    lists: int
    with_gold: int  # lists that contain the gold labelling
    empty: int
    single: int  # lists with one candidate, which leave no choice

    def __str__(self) -> str:
        return (
            f"{self.first.metric} of the first {self.first.value:.2f}, of the best {self.oracle.value:.2f}; "
            f"{self.lists:,} lists, "
            f"{self.lists - self.with_gold:,} without gold, {self.single:,} of one candidate, {self.empty:,} empty"
        )


def report_oracle(corpus: Corpus, model: Tagger, lists: CandidateLists) -> OracleReport:
    """Score the candidate lists of a corpus.

    The best candidate of a list is the one with the most correct tags; among several, the one with the highest score.

    Args:
        corpus: The corpus, with gold labels.
        model: The model that found the lists.
        lists: The lists, in the numbers of ``model.labels``.
    """
    return _report_lists(corpus, model.spec, model.labels, lists)


def _report_lists(
    corpus: Corpus, spec: TaggerSpec, labels: Sequence[str], lists: CandidateLists, folds: str | None = None
) -> OracleReport:
    """Score lists in the numbers of ``labels``; ``folds`` is for the signature."""
    gold, offsets = find_gold_codes(corpus, spec, labels), get_sequence_offsets(corpus, spec.sequences)
    best, counts = find_best_candidates(lists, gold, offsets), np.diff(lists.first)
    wrong = np.concatenate([[0], np.cumsum(choose_labels(lists, best, offsets, -2) != gold)])
    with_gold = int(((counts > 0) & (np.diff(wrong[offsets]) == 0)).sum())
    strings = StringTable()
    *_, nothing = strings.intern_all([*labels, _label_nothing(labels, spec.decided)]).tolist()
    sentences, true = offsets if spec.sequences == JOINED else corpus.sentences, corpus.column(spec.label)
    scheme = find_gold_scheme(true, corpus.sentences, spec.written)
    data = spec.data if folds is None else corpus.checksum()

    def score_chosen(candidates: IntArray, which: str) -> Score:
        codes = choose_labels(lists, candidates, offsets, nothing)
        predicted = convert_scheme(Column(codes, strings), sentences, spec.decided, spec.written)
        found = score(true, predicted, corpus.sentences, scheme=scheme)
        which = f"{which} of {counts.max(initial=0)}"
        return found.with_signature(replace(spec.signature, data=data, folds=folds, candidate=which))

    scores = score_chosen(best, "oracle"), score_chosen(np.where(counts > 0, lists.first[:-1], -1), "first")
    return OracleReport(*scores, len(lists), with_gold, int((counts == 0).sum()), int((counts == 1).sum()))


def find_gold_codes(corpus: Corpus, spec: TaggerSpec, labels: Sequence[str], *, strict: bool = False) -> CodeArray:
    """Return [N] gold labels as numbers of ``labels``; unknown ones are -1, or an error with ``strict``."""
    column = continue_labels(corpus, spec.label, labels, spec.decided, spec.written).column
    unknown = column.codes >= len(labels)
    if strict and unknown.any():
        name = column.strings[int(column.codes[unknown][0])]
        raise DataError(
            f"{corpus.source}: label {name!r} of column {spec.label!r} is none of the model's {len(labels)} labels; "
            "train the model on this corpus"
        )
    return np.where(unknown, -1, column.codes).astype(np.int32)


def get_sequence_offsets(corpus: Corpus, kind: str) -> IntArray:
    """Return [S + 1] offsets of the tokens of sequences: documents, or sentences if there are no documents."""
    return corpus.sentences[get_sequence_bounds(corpus, kind)]


def get_sequence_bounds(corpus: Corpus, kind: str) -> IntArray:
    """Return [S + 1] offsets of the sentences of sequences."""
    is_whole = kind != SENTENCES and corpus.has_documents
    return corpus.documents if is_whole else np.arange(len(corpus) + 1)


def _label_nothing(labels: Sequence[str], scheme: Scheme | None) -> str:
    """Return the label that stands for tokens without candidates."""
    if scheme is None:
        return _NO_TAG
    return scheme.single if cuts_text(labels, scheme) else scheme.outside


@dataclass(frozen=True)
class JackknifedCandidates:
    """Lists of candidates, one per sequence of the corpus, each found by a model that has not seen the sequence."""

    corpus: Corpus
    spec: TaggerSpec  # of the models
    labels: tuple[str, ...]  # that the models decide on; the lists hold their numbers
    lists: CandidateLists
    report: OracleReport  # scores of the lists
    n: int  # most candidates of a list
    folds: int  # number of folds
    by: str  # what the folds consist of: "documents" or "sentences"

    @property
    def oracle(self) -> Score:
        """The score of the best candidate of every list."""
        return self.report.oracle

    @property
    def first(self) -> Score:
        """The score of the first candidate of every list."""
        return self.report.first

    def candidates(self) -> list[list[Candidate]]:
        """Convert the lists to labels as a model writes them, without probabilities."""
        corpus, spec = self.corpus, self.spec
        offsets = get_sequence_offsets(corpus, spec.sequences)
        sentences = offsets if spec.sequences == JOINED else corpus.sentences
        return write_candidates(LabelWriter(self.labels, spec.decided, spec.written), self.lists, sentences, offsets)


def jackknife_candidates(
    model: Tagger,
    corpus: Corpus,
    *,
    n: int = 20,
    folds: int = 5,
    by: str | None = None,
    jobs: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    threads: int = 1,
    resources: Mapping[str, Source] | None = None,
    on_progress: FoldReport | None = None,
) -> JackknifedCandidates:
    """Find the n best labellings of every sequence of a corpus, by models like ``model`` that learn from other folds.

    The lists depend neither on ``jobs`` nor on ``threads``.

    Args:
        model: Decides how the models are trained (see ``read_training_options``), and the numbers of the labels.
        corpus: What the model was trained on, or other text with the same labels.
        n: Most candidates of a list.
        folds: See :func:`tagloom.jackknife`.
        by: See :func:`tagloom.jackknife`. Models that label documents need folds of documents.
        jobs: See :func:`tagloom.jackknife`.
        cache: See :func:`tagloom.jackknife`.
        threads: Number of threads of every training.
        resources: Sources of resources that were built from files and from training data, which the model does not
            distinguish.
        on_progress: See :func:`tagloom.jackknife`.
    """
    check_threads(threads)
    options = read_training_options(model, resources=resources)
    corpus = model.reads.adopt(corpus, gold=True)
    find_gold_codes(corpus, model.spec, model.labels, strict=True)  # refuse unknown labels before the long work
    listing = Listing(model.spec, model.labels, {**options, "threads": threads}, n)
    by, parts = listing.folds(corpus, folds, by)
    jobs = Pool().count_jobs(jobs, threads, len(parts))
    files = None if cache is None else FoldFiles.open(open_folder(cache, "cache"))
    chosen = TaggerOptions.parse(listing.narrow_options(corpus))
    task = Task.plan(corpus, chosen)
    if on_progress is not None:
        sizes = f"{len(corpus):,} sentences, {len(task.structure.labels)} labels"
        progress = Progress("encoded", f"{sizes}, {folds} folds of {by}, {n} candidates")
        for note in (*list_undivided([task.kind], [corpus]), progress):
            on_progress(None, note)
    identity = {} if files is None else listing.identify(task, chosen)
    procedure = Procedure(listing.fit, listing.apply, {**identity, "applied": f"{n} best"}, listing.check)
    found = run_folds(corpus, parts, procedure, jobs=jobs, files=files, on_progress=on_progress)
    return listing.joined(corpus, found, by)


@dataclass(frozen=True)
class Listing:
    """How lists are found."""

    spec: TaggerSpec  # of the models
    labels: tuple[str, ...]  # whose numbers the lists hold
    options: Mapping[str, Any]  # of training
    n: int  # most candidates of a list

    @classmethod
    def of_training(cls, training: TaggerTraining, options: Mapping[str, Any], n: int) -> Listing:
        """Find lists by taggers like the one that a training would give."""
        task = training.encoded.task
        spec = build_spec(task, training.options)
        fixed = {**options, "label": spec.label, "scheme": spec.scheme, "templates": spec.templates}
        return cls(spec, tuple(task.structure.labels), fixed, n)

    def folds(self, corpus: Corpus, folds: int, by: str | None) -> tuple[str, list[IntArray]]:
        """Return the unit of the folds, and the sentences of each; documents that are labelled as one stay together."""
        require_room(self.n, corpus.token_count)
        by = by or (DOCUMENTS if corpus.has_documents else SENTENCES)
        if by == SENTENCES and corpus.has_documents and self.spec.sequences != SENTENCES:
            raise ConfigError("by: the models label documents as one, so that folds of 'sentences' would part them")
        return by, cut_into_folds(corpus, folds, by, self.spec.seed)

    def identify(self, task: Task, options: TaggerOptions) -> dict[str, str]:
        """List everything that decides the lists, except the fold, by a training on the whole corpus.

        A resource built from the corpus differs from the same resource from a file only in the folds, so that the
        identity says which resources are built.
        """
        identity = identify_training(encode_corpus(task, options), options, None)
        built = repr(sorted(list_built_parts(options.resources, None).items()))
        return {**identity, "made resources": built, "labels": repr(self.labels)}

    def narrow_options(self, corpus: Corpus) -> dict[str, Any]:
        """Return the options for a part of the data, without the costs of labels that do not occur in it."""
        cost = self.options.get("cost")
        if not isinstance(cost, Mapping):
            return dict(self.options)
        gold = prepare_labels(corpus, self.spec.label, self.spec.scheme)
        known = set(gold.column.strings.strings())
        kept = {gold: {other: value for other, value in others.items() if other in known}
                for gold, others in cost.items() if gold in known}  # fmt: skip
        return {**self.options, "cost": kept}

    def fit(self, corpus: Corpus, report: Report) -> Tagger:
        """Train a model on the other folds."""
        model: Tagger = train(corpus, on_progress=report, **{**self.narrow_options(corpus), "names": False})
        return model

    def apply(self, model: Tagger, corpus: Corpus) -> Tensors:
        """Find the lists of a fold, as small arrays; the corpus determines the lengths of the candidates."""
        found = find_candidate_lists(model, corpus, self.n, self.options.get("threads", 1))
        numbers = _map_labels(model.labels, self.labels)
        labels = narrow_numbers(numbers[found.labels])
        return {"counts": narrow_numbers(np.diff(found.first)), "labels": labels, "scores": found.scores}

    def check(self, arrays: Tensors, corpus: Corpus) -> None:
        """Raise :class:`Misfit` for arrays of a file that :meth:`apply` does not give for this fold."""
        lengths = np.diff(get_sequence_offsets(corpus, self.spec.sequences))
        Layout((
            Array("counts", COUNTS, str(len(lengths)), "Number of candidates of every sequence.", high=self.n),
            Array("labels", COUNTS, "t", "Labels of all candidates.", below=str(len(self.labels))),
            Array("scores", "F64", "c", "The score of every candidate."),
        )).check_all(arrays)  # fmt: skip
        counts = arrays["counts"].astype(np.int64)
        if int(counts.sum()) != len(arrays["scores"]) or int((counts * lengths).sum()) != len(arrays["labels"]):
            raise Misfit("tensor counts", "the numbers of the candidates in labels and scores", Text("others"))

    def joined(self, corpus: Corpus, found: Sequence[HeldOut], by: str) -> JackknifedCandidates:
        """Join the lists of all folds in the order of the corpus, and score them."""
        offsets = get_sequence_offsets(corpus, self.spec.sequences)
        numbers = [self._sequences(corpus, fold.sentences) for fold in found]
        parts = [_unpack(fold.arrays, np.diff(offsets)[mine]) for fold, mine in zip(found, numbers, strict=True)]
        missing = np.setdiff1d(np.arange(len(offsets) - 1), np.concatenate(numbers))  # documents without sentences
        order = np.argsort(np.concatenate([*numbers, missing]))
        lists = concatenate_lists([*parts, _of_nothing(len(missing))]).take(order)
        report = _report_lists(corpus, self.spec, self.labels, lists, f"{len(found)} of {by}")
        return JackknifedCandidates(corpus, self.spec, self.labels, lists, report, self.n, len(found), by)

    def _sequences(self, corpus: Corpus, sentences: IntArray) -> IntArray:
        """Return the numbers of the sequences that some sentences belong to, ascending."""
        bounds = get_sequence_bounds(corpus, self.spec.sequences)
        return np.unique(np.searchsorted(bounds, sentences, side="right") - 1).astype(np.int64)


def _map_labels(names: Sequence[str], labels: Sequence[str]) -> CodeArray:
    """Map the labels of a fold to numbers of all labels: a fold may lack some, or have them in another order."""
    numbers = {label: number for number, label in enumerate(labels)}
    for name in names:
        if name not in numbers:
            raise DataError(f"a fold's label {name!r} is none of the model's {len(labels)} labels")
    return np.array([numbers[name] for name in names], np.int32)


def _unpack(arrays: Tensors, lengths: IntArray) -> CandidateLists:
    counts = arrays["counts"].astype(np.int64)
    first, begins = (np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
                     for sizes in (counts, np.repeat(lengths, counts)))  # fmt: skip
    return CandidateLists(first, begins, arrays["labels"].astype(np.int32), arrays["scores"])


def _of_nothing(sequences: int) -> CandidateLists:
    """Build the lists of sequences without tokens, which have one empty labelling each."""
    first = np.arange(sequences + 1, dtype=np.int64)
    return CandidateLists(first, np.zeros_like(first), np.zeros(0, np.int32), np.zeros(sequences))
