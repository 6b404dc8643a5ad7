"""N-best lists as text: which sentences are written how often, in which order, and the lines before each copy."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from tagloom.corpus.corpus import Column, Corpus, IntArray, ranges
from tagloom.corpus.formats.format import CONTINUES_DOCUMENT, FORMAT, Comments
from tagloom.corpus.layers import Labelling

Rows: TypeAlias = tuple[tuple[int, int, str], ...]  # (sentence, its words before the line, line)

NEWDOC = re.compile(r"#\s*newdoc\b")


def find_units(corpus: Corpus, *, by_document: bool) -> list[tuple[int, int]]:
    """Get the sentence ranges that are labelled as one: documents, or single sentences."""
    return list(corpus.document_spans()) if by_document else [(number, number + 1) for number in range(len(corpus))]


@dataclass(frozen=True)
class Copies:
    """The sentences of a corpus as they are written, once for every labelling."""

    order: IntArray  # numbers of sentences
    is_first: list[bool]  # whether it is the first copy of its sentence
    heads: dict[int, str]  # place in the order -> rank, score and probability
    labels: Column  # of all copies
    by_document: bool

    @classmethod
    def build(cls, corpus: Corpus, lists: Sequence[Sequence[Labelling]], *, by_document: bool) -> Copies:
        """Repeat every sentence, or document, as often as it has labellings."""
        order: list[int] = []
        is_first: list[bool] = []
        heads: dict[int, str] = {}
        for (start, stop), labellings in zip(find_units(corpus, by_document=by_document), lists, strict=True):
            for rank, labelling in enumerate(labellings):
                heads[len(order)] = _write_head(rank, labelling)
                order += range(start, stop)
                is_first += [rank == 0] * (stop - start)
        labels = itertools.chain.from_iterable(labelling.labels for one in lists for labelling in one)
        return cls(np.array(order, np.int64), is_first, heads, Column.from_strings(labels), by_document)

    def copy_corpus(self, corpus: Corpus, extras: Mapping[str, object]) -> Corpus:
        """Repeat the tokens; ``extras`` are the lines that the format keeps beside them."""
        lengths = np.diff(corpus.sentences)[self.order]
        tokens = ranges(corpus.sentences[self.order], lengths)
        columns = {name: Column(c.codes[tokens], c.strings) for name, c in corpus.columns.items() if not c.is_bag}
        sentences = np.concatenate([[0], np.cumsum(lengths)])
        copied = replace(corpus, columns=columns, sentences=sentences, documents=self._documents(corpus))
        shared = {key: corpus.extras[key] for key in (FORMAT, CONTINUES_DOCUMENT) if key in corpus.extras}
        return replace(copied, extras={**shared, **extras})

    def _documents(self, corpus: Corpus) -> IntArray:
        """Get the offsets; a document that is labelled as one is written several times, others are only longer."""
        begins = np.isin(self.order, corpus.documents[:-1])
        starts = np.flatnonzero(begins if self.by_document else begins & np.array(self.is_first, bool))
        return np.append(starts, len(self.order)).astype(np.int64)

    def copy_comments(self, comments: Comments, prefix: str) -> Comments:
        """Repeat the comments of every copied sentence, each time followed by the line of the labelling."""
        by_sentence, copied = group_by_sentence(comments), list[tuple[int, str]]()
        for place, sentence in enumerate(self.order.tolist()):
            again = not (self.by_document or self.is_first[place])
            copied += ((place, line) for (line,) in by_sentence[sentence] if not (again and NEWDOC.match(line)))
            if place in self.heads:
                copied.append((place, prefix + self.heads[place]))
        return tuple(copied)

    def copy_rows(self, rows: Rows) -> Rows:
        """Repeat lines that hold no word (multiword tokens, empty nodes) in every copy."""
        by_sentence, places = group_by_sentence(rows), enumerate(self.order.tolist())
        return tuple((place, before, line) for place, sentence in places for before, line in by_sentence[sentence])


def group_by_sentence(rows: Sequence[tuple[Any, ...]]) -> Mapping[int, list[tuple[Any, ...]]]:
    """Group what belongs to sentences by their numbers, which come first; a sentence without rows has an empty list."""
    groups: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for sentence, *rest in rows:
        groups[sentence].append(tuple(rest))
    return groups


def _write_head(rank: int, labelling: Labelling) -> str:
    probability = "" if labelling.probability is None else f" {labelling.probability:.6g}"
    return f"{rank} {labelling.score:.4f}{probability}"
