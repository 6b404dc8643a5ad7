"""``--nbest`` of tag and jackknife: the best labellings of every sentence, or document, one after the other.

Columns: before each labelling a line ``# RANK SCORE [PROBABILITY]`` as CRF++ writes it, the best being 0. CoNLL-U: the
same as a comment ``# nbest = RANK SCORE [PROBABILITY]``. JSONL: a list "nbest" in every object.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tagloom.cli.inputs import is_segmenter
from tagloom.cli.tagged import Labeller, writer_for
from tagloom.corpus import Column, Corpus
from tagloom.corpus.corpus import IntArray
from tagloom.corpus.formats.conll import get_lines
from tagloom.corpus.formats.conllu import TreebankLines
from tagloom.corpus.streams import decode_lines
from tagloom.errors import ConfigError
from tagloom.systems import Candidate

_NEWDOC = re.compile(r"#\s*newdoc\b")


def require_place(model: Labeller, corpus: Corpus) -> None:
    """Refuse text without a place for several labellings."""
    if corpus.extras["format"] == "characters" and is_segmenter(model):
        raise ConfigError("--nbest: text cut into words has no place for it; tag columns or JSONL")


def nbest_text(model: Labeller, corpus: Corpus, lists: Sequence[Sequence[Candidate]], data: bytes) -> str:
    """The input once for every candidate; ``lists`` has those of every sequence."""
    whole = model.spec.sequences != "sentences" and corpus.has_documents
    if corpus.extras["format"] == "jsonl":
        return _records(model, corpus, lists, data, whole)
    copies = _Copies.of(corpus, lists, whole)
    labels = itertools.chain.from_iterable(candidate.labels for one in lists for candidate in one)
    return writer_for(model, corpus)(model, copies.corpus(corpus), Column.from_strings(labels), data)


def _units(corpus: Corpus, whole: bool) -> list[tuple[int, int]]:
    """What is labelled as one, as ranges of sentences."""
    return list(corpus.document_spans()) if whole else [(number, number + 1) for number in range(len(corpus))]


@dataclass(frozen=True)
class _Copies:
    """Which sentences of a corpus are written, in order, and the lines that stand before some of them."""

    order: IntArray  # numbers of sentences
    is_first: list[bool]  # of the copies of its sentence
    heads: dict[int, str]  # place in the order -> rank, score and probability
    whole: bool  # whether candidates are labellings of documents

    @classmethod
    def of(cls, corpus: Corpus, lists: Sequence[Sequence[Candidate]], whole: bool) -> _Copies:
        order: list[int] = []
        is_first: list[bool] = []
        heads: dict[int, str] = {}
        for (start, stop), candidates in zip(_units(corpus, whole), lists, strict=True):
            for rank, candidate in enumerate(candidates):
                heads[len(order)] = _head(rank, candidate)
                order += range(start, stop)
                is_first += [rank == 0] * (stop - start)
        return cls(np.array(order, np.int64), is_first, heads, whole)

    def corpus(self, corpus: Corpus) -> Corpus:
        """The sentences with their lines, as a corpus in the format of the other one."""
        lengths = np.diff(corpus.sentences)[self.order]
        sentences = np.concatenate([[0], np.cumsum(lengths)])
        tokens = np.arange(sentences[-1]) + np.repeat(corpus.sentences[self.order] - sentences[:-1], lengths)
        columns = {name: Column(c.codes[tokens], c.strings) for name, c in corpus.columns.items() if not c.is_bag}
        copied = replace(corpus, columns=columns, sentences=sentences, documents=self._documents(corpus))
        return replace(copied, extras={"format": corpus.extras["format"], **self._lines(corpus)})

    def _documents(self, corpus: Corpus) -> IntArray:
        """Offsets; a document that is labelled as one is written several times, others are only longer."""
        begins = np.isin(self.order, corpus.documents[:-1])
        starts = np.flatnonzero(begins if self.whole else begins & np.array(self.is_first, bool))
        return np.append(starts, len(self.order)).astype(np.int64)

    def _lines(self, corpus: Corpus) -> dict[str, object]:
        if corpus.extras["format"] == "conllu":
            kept = corpus.extras["conllu"]
            assert isinstance(kept, TreebankLines)
            return {"conllu": TreebankLines(tuple(self._comments(kept.comments, "# nbest = ")), self._rows(kept))}
        lines = get_lines(corpus, tuple(n for n, c in corpus.columns.items() if not c.is_bag))
        return {"conll": replace(lines, comments=tuple(self._comments(lines.comments, "# ")))}

    def _comments(self, comments: Sequence[tuple[int, str]], prefix: str) -> Iterator[tuple[int, str]]:
        """Those of the input before every copy of their sentence, then the line of the candidate."""
        by_sentence: dict[int, list[str]] = defaultdict(list)
        for sentence, line in comments:
            by_sentence[sentence].append(line)
        for place, sentence in enumerate(self.order.tolist()):
            again = not (self.whole or self.is_first[place])
            lines = by_sentence.get(sentence, [])
            yield from ((place, line) for line in lines if not (again and _NEWDOC.match(line)))
            if place in self.heads:
                yield place, prefix + self.heads[place]

    def _rows(self, lines: TreebankLines) -> tuple[tuple[int, int, str], ...]:
        """Multiword tokens and empty nodes, in every copy."""
        by_sentence: dict[int, list[tuple[int, str]]] = defaultdict(list)
        for sentence, before, line in lines.rows:
            by_sentence[sentence].append((before, line))
        places = enumerate(self.order.tolist())
        return tuple((place, *row) for place, sentence in places for row in by_sentence.get(sentence, []))


def _head(rank: int, candidate: Candidate) -> str:
    probability = "" if candidate.probability is None else f" {candidate.probability:.6g}"
    return f"{rank} {candidate.score:.4f}{probability}"


def _records(model: Labeller, corpus: Corpus, lists: Sequence[Sequence[Candidate]], data: bytes, whole: bool) -> str:
    """The objects of the input with tokens, the best tags, and all candidates; a document's score in each of them."""
    records = (json.loads(line) for line in decode_lines(data, corpus.source) if line.strip(" \t\r"))
    tokens = corpus.iter_sentences(model.main)
    lines: list[str] = []
    for (start, stop), candidates in zip(_units(corpus, whole), lists, strict=True):
        offset = corpus.sentences[start]
        for begin, end in itertools.pairwise((corpus.sentences[start : stop + 1] - offset).tolist()):
            found = [_to_dict(candidate, begin, end) for candidate in candidates]
            record = {
                **next(records),
                "tokens": next(tokens),
                "tags": found[0]["tags"] if found else [],
                "nbest": found,
            }
            lines.append(json.dumps(record, ensure_ascii=False) + "\n")
    return "".join(lines)


def _to_dict(candidate: Candidate, start: int, stop: int) -> dict[str, object]:
    found: dict[str, object] = {"tags": candidate.labels[start:stop], "score": candidate.score}
    return found if candidate.probability is None else {**found, "probability": candidate.probability}
