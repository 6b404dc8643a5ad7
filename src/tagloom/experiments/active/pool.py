"""The pool: sentences without labels, or whose labels are ignored, part by part."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tagloom.arguments import is_iterable
from tagloom.corpus import Corpus
from tagloom.corpus.formats.format import CONTINUES_DOCUMENT
from tagloom.corpus.running_text import cut_text, get_running_text
from tagloom.corpus.sentence_records import SentenceRecords
from tagloom.errors import DataError, show_value
from tagloom.systems.base import CHARACTERS, Model
from tagloom.systems.inputs import Input
from tagloom.text import Tokenizer

_PART_TOKENS = 50_000  # of data in memory that is measured at once
_BATCH_CHARACTERS = 1 << 18  # of texts that are cut together
_BLANK_LINE = "\n\n"


@dataclass(frozen=True)
class Part:
    """A stretch of the pool: what models read, and how its sentences are written.

    Attributes:
        corpus: The sentences.
        records: Builds their records.
        offset: Number of the first one in the corpus of ``records``.
        first: Number of the first one in the pool.
    """

    corpus: Corpus
    records: SentenceRecords
    offset: int
    first: int


@dataclass(frozen=True)
class Pool:
    """Data to suggest from, and what the user said about it.

    Attributes:
        data: A path, texts, or any data that models read.
        model: The model that decides which columns are read and how text is cut.
        format: Format of a file; None to guess it.
        columns: Names of the columns of a file.
        tokenizer: What cuts text; None for that of the model.
        notes: Takes what a reader of the output must know.
    """

    data: Any
    model: Model
    format: str | None = None
    columns: str | None = None
    tokenizer: Tokenizer | None = None
    notes: list[str] = field(default_factory=list)

    def iterate(self) -> Iterator[Part]:
        """Iterate over parts; no more than one is held, unless the data is in memory."""
        sentences = documents = 0
        for corpus in self._read():
            records = SentenceRecords(
                corpus, self.model.main, self.model.columns, joint=self._joint, first_document=documents
            )
            for start, stop in _cut(corpus, whole_documents=self.model.reads.whole_documents):
                part = corpus if stop - start == len(corpus) else corpus.slice(start, stop)
                yield Part(part, records, start, sentences + start)
            sentences += len(corpus)
            documents += len(corpus.documents) - 1 - bool(corpus.extras.get(CONTINUES_DOCUMENT))

    @property
    def _joint(self) -> str:
        is_written_together = self.model.reads.unit == CHARACTERS or self.model.tokenizer.name == "character"
        return "" if is_written_together else " "

    def _read(self) -> Iterator[Corpus]:
        data = self.data
        if isinstance(data, (str, os.PathLike)):
            source = Input(os.fspath(data), self.format, self.columns, self.notes, tokenizer=self.tokenizer)
            return source.stream_for(self.model)
        if is_iterable(data) and not isinstance(data, (Corpus, Mapping)) and not hasattr(data, "iloc"):
            items = iter(data)
            first = list(itertools.islice(items, 1))
            if first and isinstance(first[0], str):
                return self._cut_texts(itertools.chain(first, items))
            data = itertools.chain(first, items) if items is data else data
        return iter([self.model.open_corpus(data)])

    def _cut_texts(self, texts: Iterable[str]) -> Iterator[Corpus]:
        """Cut texts, each of which is a document."""
        batch: list[str] = []
        size = 0
        for text in texts:
            if not isinstance(text, str):
                raise DataError(f"<texts>: expected texts like the first item, got {show_value(text)}")
            batch.append(text)
            size += len(text) + len(_BLANK_LINE)
            if size >= _BATCH_CHARACTERS:
                yield self._cut_batch(batch)
                batch, size = [], 0
        if batch:
            yield self._cut_batch(batch)

    def _cut_batch(self, texts: list[str]) -> Corpus:
        ends = np.cumsum([len(text) + len(_BLANK_LINE) for text in texts]).tolist()
        places = [(end - len(_BLANK_LINE) - len(text), end - len(_BLANK_LINE)) for text, end in zip(texts, ends)]
        cutter = self.tokenizer or self.model.tokenizer
        corpus = cut_text(_BLANK_LINE.join(texts), places, cutter, self.model.main, "<texts>")
        running = get_running_text(corpus)
        assert running is not None
        return replace(self.model.reads.adopt(corpus), documents=running.sentences, has_documents=True)


def _cut(corpus: Corpus, *, whole_documents: bool) -> Iterator[tuple[int, int]]:
    """Cut a corpus into stretches of sentences with some tokens each; documents may have to stay whole."""
    if corpus.token_count <= _PART_TOKENS:
        yield 0, len(corpus)
        return
    bounds = corpus.documents if whole_documents and corpus.has_documents else np.arange(len(corpus) + 1)
    numbers = corpus.sentences[bounds] // _PART_TOKENS  # in which stretch a sentence or document begins
    cuts = bounds[np.concatenate([[0], np.flatnonzero(np.diff(numbers)) + 1, [len(bounds) - 1]])]
    yield from itertools.pairwise(np.unique(cuts).tolist())
