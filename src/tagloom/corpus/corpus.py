"""The corpus in memory: columns of integers with tables of strings; sentences and documents are ranges of tokens."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from tagloom._core import StringTable
from tagloom.arguments import check_methods
from tagloom.corpus.mapped import iterate_slices
from tagloom.errors import ConfigError, DataError, show_value, unknown_name


def _show_strings(table: StringTable) -> str:
    shown = ", ".join(repr(table[code]) for code in range(min(len(table), _SHOWN_STRINGS)))
    return f"<StringTable: {len(table):,} strings{': ' * bool(shown)}{shown}{', ...' * (len(table) > _SHOWN_STRINGS)}>"


def _restore_strings(text: NDArray[np.uint8], ends: NDArray[np.int64]) -> StringTable:
    return StringTable.from_blob(text, ends)


def _reduce_strings(table: StringTable) -> tuple[object, ...]:
    return _restore_strings, table.to_blob()


StringTable.__repr__ = _show_strings  # type: ignore[assignment, method-assign]
StringTable.__reduce__ = _reduce_strings  # type: ignore[assignment, method-assign]

IntArray = NDArray[np.int64]
CodeArray = NDArray[np.int32]

_SHOWN_SENTENCES, _SHOWN_TOKENS = 5, 20  # of the table that notebooks show
_SHOWN_STRINGS = 5  # of a table of strings


@check_methods("texts")
@dataclass(frozen=True, eq=False)
class Column:
    """One annotation layer: one code per token, which points into a table of distinct strings.

    A *bag* column (CRFsuite attribute files) holds any number of weighted strings per token: token t owns the codes
    ``offsets[t]:offsets[t + 1]``, with ``values`` beside them.
    """

    codes: CodeArray  # [N], or [offsets[-1]] for a bag
    strings: StringTable
    offsets: IntArray | None = None  # [N + 1]
    values: NDArray[np.float32] | None = None  # like codes

    @classmethod
    def from_strings(cls, words: Iterable[str]) -> Column:
        """Build a column from one string per token."""
        strings = StringTable()
        try:
            return cls(strings.intern_all(list(words)), strings)
        except (RuntimeError, TypeError):
            raise DataError("a column holds text only: got a value that is not a string of valid Unicode") from None

    @property
    def is_bag(self) -> bool:
        """Whether a token may have any number of strings."""
        return self.offsets is not None

    def __len__(self) -> int:
        return len(self.codes) if self.offsets is None else len(self.offsets) - 1

    def __repr__(self) -> str:
        noun = "bags of attributes" if self.is_bag else "tokens"
        return f"<Column: {len(self):,} {noun}, {len(self.strings):,} distinct strings>"

    def texts(self, start: int = 0, stop: int | None = None) -> list[str]:
        """List the strings of tokens ``start:stop``; raise DataError if a token may have several."""
        if self.is_bag:
            raise DataError("a column of attributes has any number of strings per token, not one")
        codes = self.codes[start:stop].tolist()
        if len(codes) < len(self.strings):
            return list(map(self.strings.__getitem__, codes))
        return list(map(self.strings.strings().__getitem__, codes))  # every distinct string becomes an object once


@check_methods("span", "column")
@dataclass(frozen=True, eq=False)
class Corpus:
    """Sentences of tokens with named columns of equal length.

    >>> corpus = Corpus.from_columns({"form": ["He", "sleeps", "Yes"]}, lengths=[2, 1])
    >>> len(corpus), corpus.token_count, corpus.sentence(0, "form")
    (2, 3, ['He', 'sleeps'])
    """

    columns: Mapping[str, Column]
    sentences: IntArray  # [S + 1] token offsets
    documents: IntArray  # [D + 1] sentence offsets
    has_documents: bool = False  # False: the source marked no documents, all sentences form one
    source: str = "<memory>"
    # What a format keeps beside the tokens, by name (comments, multiword tokens ...), for its own writer.
    extras: Mapping[str, object] = field(default_factory=dict)
    default_label: str | None = None  # the column to learn or score where a format says so
    # Columns that tagloom has named: what the data calls them, None if it does not say which one they are.
    other_names: Mapping[str, str | None] = field(default_factory=dict)

    @classmethod
    def from_columns(
        cls,
        columns: Mapping[str, Iterable[str] | Column],
        lengths: Sequence[int],
        documents: Sequence[int] | None = None,
        source: str = "<memory>",
    ) -> Corpus:
        """Build a corpus from flat columns.

        Args:
            columns: One string per token of the whole corpus, by column name.
            lengths: Number of tokens of each sentence.
            documents: Number of sentences of each document; None if there are no document bounds.
            source: Where the corpus comes from, for messages.
        """
        built = {name: c if isinstance(c, Column) else Column.from_strings(c) for name, c in columns.items()}
        bounds = _offsets([len(lengths)] if documents is None else documents)
        return cls(built, _offsets(lengths), bounds, documents is not None, source).check()

    def check(self) -> Corpus:
        """Return the corpus itself; raise DataError if a column does not have the length of the sentences."""
        for name, column in self.columns.items():
            if len(column) != self.token_count:
                raise DataError(f"{self.source}: column {name!r} has {len(column)} tokens, expected {self.token_count}")
        if self.documents[-1] != len(self):
            raise DataError(f"{self.source}: documents span {self.documents[-1]} sentences, expected {len(self)}")
        return self

    def __len__(self) -> int:
        return len(self.sentences) - 1

    @property
    def token_count(self) -> int:
        """Number of tokens."""
        return int(self.sentences[-1])

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return list(self.columns)

    @property
    def is_unnamed(self) -> bool:
        """Whether the data names no column, so that columns are known by their position only."""
        return all(name in self.other_names and self.other_names[name] is None for name in self.columns)

    @property
    def label(self) -> str:
        """The column to learn or score if the user names none: ``label``, the one of the format, or the last."""
        if "label" in self.columns:
            return "label"
        if self.default_label in self.columns:
            return str(self.default_label)
        return next((name for name in reversed(self.names) if not self.columns[name].is_bag), self.names[-1])

    def column(self, name: str) -> Column:
        """Get a column by name; raise ConfigError, with the nearest name, if there is none."""
        try:
            return self.columns[name]
        except (KeyError, TypeError):
            raise unknown_name(f"column of {self.source}", name, self.columns) from None

    def span(self, index: int) -> tuple[int, int]:
        """Get the token range of one sentence."""
        if not 0 <= index < len(self):
            raise ConfigError(
                f"{self.source}: expected one of the {len(self)} sentences, got number {show_value(index)}"
            )
        return int(self.sentences[index]), int(self.sentences[index + 1])

    def sentence(self, index: int, column: str) -> list[str]:
        """Get the strings of one sentence in a column."""
        return self.column(column).texts(*self.span(index))

    def iter_sentences(self, column: str) -> Iterator[list[str]]:
        """Iterate over the sentences as lists of the strings of a column."""
        texts = self.column(column).texts()
        for start, stop in itertools.pairwise(self.sentences.tolist()):
            yield texts[start:stop]

    def document_spans(self) -> Iterator[tuple[int, int]]:
        """Iterate over the sentence ranges of the documents."""
        return itertools.pairwise(self.documents.tolist())

    def with_column(self, name: str, column: Column | Iterable[str]) -> Corpus:
        """Return a copy with one column replaced, or added as the last one."""
        built = column if isinstance(column, Column) else Column.from_strings(column)
        return replace(self, columns={**self.columns, name: built}).check()

    def rename(self, names: Sequence[str]) -> Corpus:
        """Return a copy whose columns have these names, in their order."""
        wrong = [name for name in names if not isinstance(name, str)]
        if wrong:
            raise ConfigError(f"rename: names: expected strings, got {show_value(wrong[0])}")
        if len(names) != len(self.columns):
            raise ConfigError(f"{self.source}: {len(self.columns)} columns, but {len(names)} names: {' '.join(names)}")
        if len(set(names)) != len(names):
            raise ConfigError(f"column names must differ, got: {' '.join(names)}")
        return replace(self, columns=dict(zip(names, self.columns.values())), other_names={})

    def slice(self, start: int, stop: int) -> Corpus:
        """Return the sentences ``start:stop`` as a corpus that shares the string tables and has no extras."""
        start, stop, _ = slice(start, stop).indices(len(self))
        stop = max(start, stop)
        first, last = int(self.sentences[start]), int(self.sentences[stop])
        inside = self.documents[(self.documents > start) & (self.documents < stop)]
        columns = {name: _slice_column(column, first, last) for name, column in self.columns.items()}
        sentences = self.sentences[start : stop + 1] - first
        documents = np.unique(np.concatenate([[start], inside, [stop]])).astype(np.int64) - start
        source = f"{self.source}[{start}:{stop}]"
        return replace(self, columns=columns, sentences=sentences, documents=documents, source=source, extras={})

    def select(self, numbers: IntArray) -> Corpus:
        """Return the sentences with these numbers, in ascending order, as ``slice`` does.

        >>> corpus = Corpus.from_columns({"form": ["He", "sleeps", "Yes", "No"]}, lengths=[2, 1, 1])
        >>> list(corpus.select(np.array([0, 2])).iter_sentences("form"))
        [['He', 'sleeps'], ['No']]
        """
        tokens, document = self.tokens_of(numbers), np.searchsorted(self.documents, numbers, side="right")
        borders = np.flatnonzero(np.diff(document)) + 1
        columns = {name: _take_column(column, tokens) for name, column in self.columns.items()}
        sentences = _offsets(np.diff(self.sentences)[numbers])
        documents = np.unique(np.concatenate([[0], borders, [len(numbers)]])).astype(np.int64)
        return replace(self, columns=columns, sentences=sentences, documents=documents, extras={})

    def tokens_of(self, numbers: IntArray) -> IntArray:
        """Get the positions of the tokens of some sentences."""
        return ranges(self.sentences[numbers], np.diff(self.sentences)[numbers])

    def checksum(self) -> str:
        """Compute twelve hexadecimal digits that identify the content and order of all columns and boundaries."""
        from hashlib import blake2b  # here, because loading a model needs none of it

        digest = blake2b(digest_size=6)
        for name, column in self.columns.items():
            hashes = column.strings.hashes()
            digest.update(name.encode())
            for codes in iterate_slices(column.codes):
                digest.update(hashes[codes].view(np.uint8).data)
            for numbers in (column.offsets, column.values):
                for part in () if numbers is None else iterate_slices(numbers):
                    digest.update(np.ascontiguousarray(part).view(np.uint8).data)
        digest.update(self.sentences.tobytes())
        digest.update(self.documents.tobytes())
        return digest.hexdigest()

    def __repr__(self) -> str:
        documents = f", {len(self.documents) - 1:,} documents" if self.has_documents else ""
        size = f"{len(self):,} sentences{documents}, {self.token_count:,} tokens"
        return f"<Corpus {self.source.rpartition('/')[2]}: {size}, columns {' '.join(self.names)}>"

    def _repr_html_(self) -> str:
        """The first sentences as a table, for notebooks."""
        from html import escape

        names = [name for name, column in self.columns.items() if not column.is_bag]
        rows = []
        for number in range(min(len(self), _SHOWN_SENTENCES)):
            texts = [self.sentence(number, name) for name in names]
            for cells in list(zip(*texts))[:_SHOWN_TOKENS]:
                rows.append("".join(f"<td>{escape(cell)}</td>" for cell in (str(number + 1), *cells)))
            if texts and len(texts[0]) > _SHOWN_TOKENS:
                rows.append(f"<td>{number + 1}</td>" + "<td>…</td>" * len(names))
        head = "".join(f"<th>{escape(name)}</th>" for name in ("sentence", *names))
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        return f"<p>{escape(repr(self))}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _offsets(lengths: Sequence[int] | IntArray) -> IntArray:
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(np.asarray(lengths, dtype=np.int64), out=offsets[1:])
    return offsets


def _slice_column(column: Column, first: int, last: int) -> Column:
    if column.offsets is None:
        return Column(column.codes[first:last], column.strings)
    begin, end = int(column.offsets[first]), int(column.offsets[last])
    values = None if column.values is None else column.values[begin:end]
    return Column(column.codes[begin:end], column.strings, column.offsets[first : last + 1] - begin, values)


def ranges(starts: IntArray, lengths: IntArray) -> IntArray:
    """Count up from every start as far as its length, one range after another."""
    ends = np.cumsum(lengths)
    return np.repeat(starts - ends + lengths, lengths) + np.arange(ends[-1] if len(ends) else 0)


def _take_column(column: Column, tokens: IntArray) -> Column:
    if column.offsets is None:
        return Column(column.codes[tokens], column.strings)
    lengths = np.diff(column.offsets)[tokens]
    mine = ranges(column.offsets[tokens], lengths)
    values = None if column.values is None else column.values[mine]
    return Column(column.codes[mine], column.strings, _offsets(lengths), values)


def distinct_strings(strings: Iterable[str]) -> tuple[list[str], CodeArray]:
    """Number strings: the distinct ones in order of first appearance, and the number of each string."""
    table = StringTable()
    codes = table.intern_all(list(strings))
    return table.strings(), codes


def spread(strings: Sequence[str], codes: CodeArray) -> Column:
    """Build the column whose token t holds ``strings[codes[t]]``.

    >>> spread(["N", "V", "N"], distinct_strings(["dog", "barks", "dog", "cat"])[1]).texts()
    ['N', 'V', 'N', 'N']
    """
    column = Column.from_strings(strings)
    return Column(column.codes[codes], column.strings)


# Keys of Corpus.extras.
FIRST_LINES = "first_lines"  # [S] the line of the file on which each sentence begins
OTHER_LINES = "other_lines"  # (sentence, its tokens before) of lines inside sentences that hold no token
FIRST_SENTENCE = "first_sentence"  # number of sentences of the file before the first one of a batch


def place(corpus: Corpus, token: int) -> str:
    """Get ``file:LINE`` of a token, or ``source: sentence S, word W``.

    >>> place(Corpus.from_columns({"form": ["He", "left", "Yes"]}, [2, 1]), 1)
    '<memory>: sentence 1, word 2'
    """
    line = line_of(corpus, token)
    if line is not None:
        return f"{corpus.source}:{line}"
    sentence, before = sentence_of(corpus, token), corpus.extras.get(FIRST_SENTENCE, 0)
    assert isinstance(before, int)
    return f"{corpus.source}: sentence {before + sentence + 1}, word {token - corpus.span(sentence)[0] + 1}"


def sentence_of(corpus: Corpus, token: int) -> int:
    """Get the number of the sentence that a token stands in, from 0."""
    return int(np.searchsorted(corpus.sentences, token, side="right")) - 1


def line_of(corpus: Corpus, token: int) -> int | None:
    """Get the line of a token in its file, counted from 1; None if it is not known."""
    first_lines = corpus.extras.get(FIRST_LINES)
    if not isinstance(first_lines, np.ndarray) or len(first_lines) != len(corpus):
        return None
    sentence = sentence_of(corpus, token)
    word = token - corpus.span(sentence)[0]
    others = corpus.extras.get(OTHER_LINES, ())
    assert isinstance(others, Sequence)
    return int(first_lines[sentence]) + word + len([row for row in others if row[0] == sentence and row[1] <= word])
