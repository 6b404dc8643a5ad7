"""Lists of candidates compared with gold: scores of the best and of the first candidates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tagloom._core import StringTable
from tagloom.corpus import Column, Corpus
from tagloom.corpus.corpus import CodeArray, IntArray
from tagloom.corpus.schemes import Scheme, cuts_text
from tagloom.errors import DataError
from tagloom.evaluate import Score, score
from tagloom.structures.candidates import CandidateLists, find_best_candidates, labels_of
from tagloom.structures.sequences import JOINED, SENTENCES
from tagloom.systems.labels import continue_labels, convert_to_written, find_gold_scheme
from tagloom.systems.tagger.model import Tagger
from tagloom.systems.tagger.spec import TaggerSpec

_NO_TAG = ""  # for tokens without candidates, if labels are plain tags


@dataclass(frozen=True)
class OracleReport:
    """How good lists of candidates are.

    Attributes:
        oracle: Score of the best candidate of every list: the most that re-ranking can reach.
        first: Score of the first candidate of every list.
        lists: Number of lists.
        with_gold: Number of lists that contain the gold labelling.
        empty: Number of empty lists.
        single: Number of lists with one candidate, which leave no choice.
    """

    oracle: Score
    first: Score
    lists: int
    with_gold: int
    empty: int
    single: int

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
    return reported(corpus, model.spec, model.labels, lists)


def reported(
    corpus: Corpus, spec: TaggerSpec, labels: Sequence[str], lists: CandidateLists, folds: str | None = None
) -> OracleReport:
    """Score lists in the numbers of ``labels``; ``folds`` is for the signature."""
    gold, offsets, counts = (
        find_gold_codes(corpus, spec, labels),
        get_sequence_offsets(corpus, spec.sequences),
        lists.first,
    )
    best = find_best_candidates(lists, gold, offsets)
    some = np.diff(counts) > 0
    first = np.where(some, counts[:-1], -1)
    wrong = np.concatenate([[0], np.cumsum(_chosen(lists, best, offsets, -2) != gold)])
    chosen = _Scored(corpus, spec, tuple(labels), lists, offsets, folds)
    return OracleReport(
        chosen.score(best, "oracle"),
        chosen.score(first, "first"),
        len(lists),
        int((some & (np.diff(wrong[offsets]) == 0)).sum()),
        int((~some).sum()),
        int((np.diff(counts) == 1).sum()),
    )


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


def _chosen(lists: CandidateLists, candidates: IntArray, offsets: IntArray, none: int) -> CodeArray:
    """Return [N] labels of one candidate per sequence; ``none`` for sequences without a candidate."""
    has = candidates >= 0
    codes = np.full(int(offsets[-1]), none, np.int32)
    codes[np.repeat(has, np.diff(offsets))] = labels_of(lists, candidates[has])
    return codes


@dataclass(frozen=True)
class _Scored:
    """Candidates of a corpus, which are scored as a model writes them."""

    corpus: Corpus
    spec: TaggerSpec
    labels: tuple[str, ...]
    lists: CandidateLists
    offsets: IntArray
    folds: str | None

    def score(self, candidates: IntArray, which: str) -> Score:
        corpus, spec = self.corpus, self.spec
        strings = StringTable()
        *_, none = strings.intern_all([*self.labels, _nothing(self.labels, spec.decided)])
        codes = _chosen(self.lists, candidates, self.offsets, int(none))
        sentences = self.offsets if spec.sequences == JOINED else corpus.sentences
        predicted = convert_to_written(Column(codes, strings), sentences, spec.decided, spec.written)
        gold = corpus.column(spec.label)
        found = score(gold, predicted, corpus.sentences, scheme=find_gold_scheme(gold, corpus.sentences, spec.written))
        most = int(np.diff(self.lists.first).max(initial=0))
        data = spec.data if self.folds is None else corpus.checksum()
        return found.signed(replace(spec.signature, data=data, folds=self.folds, candidate=f"{which} of {most}"))


def _nothing(labels: Sequence[str], scheme: Scheme | None) -> str:
    """Return the label that stands for tokens without candidates."""
    if scheme is None:
        return _NO_TAG
    return scheme.single if cuts_text(labels, scheme) else scheme.outside
