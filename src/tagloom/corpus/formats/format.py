"""What a corpus format is: how it is read, cut into pieces, written and annotated, and what it can hold."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np

from tagloom.arguments import check_methods
from tagloom.corpus.corpus import Column, Corpus
from tagloom.corpus.layers import Labelling, Layer
from tagloom.corpus.layout import Layout, Names
from tagloom.corpus.streams import Content, Piece
from tagloom.errors import ConfigError, DataError

Comments: TypeAlias = tuple[tuple[int, str], ...]  # (sentence that follows, line)

# Keys of Corpus.extras that every format understands.
FORMAT = "format"  # name of the format that the corpus was read from
NOTES = "notes"  # what the reader has to say about the text, lines that are the same for every batch
CONTINUES_DOCUMENT = "continues_document"  # True: the first sentence belongs to the document of the batch before


class Annotate(Protocol):
    """Writes a corpus with what a model has predicted."""

    def __call__(self, corpus: Corpus, predicted: Mapping[str, Column], layers: Sequence[Layer], main: str) -> Content:
        """Get the text with the layers in their places; predicted columns may have names of columns of the corpus.

        ``layers`` says which predicted columns to write, and what they hold; ``main`` is the column of the words.
        """


class AnnotateNbest(Protocol):
    """Writes a corpus with several labellings of every sentence or document."""

    def __call__(
        self,
        corpus: Corpus,
        lists: Sequence[Sequence[Labelling]],
        layer: Layer,
        main: str,
        *,
        by_document: bool = False,
    ) -> Content:
        """Get the text of the corpus, once for every labelling; ``lists`` has those of a sentence, the best first.

        ``layer`` is the column of the labels, ``main`` that of the words; ``by_document``: the lists are of documents.
        """


@dataclass(frozen=True)
class DocumentMarks:
    """How a format marks documents in its text."""

    find_last: Callable[[bytes], int]  # offset of the last document start in a text of whole sentences, -1 for none
    start_between: Callable[[bytes, bytes], bool]  # whether a document starts between a line and the text after it


def find_line_end(data: bytes | bytearray, start: int = 0) -> int:
    """Get the offset after the last whole line at or after ``start``; 0 if there is none."""
    return data.rfind(b"\n", start) + 1


def find_paragraph_end(data: bytes | bytearray, start: int = 0) -> int:
    """Get the offset after the last blank line at or after ``start``; 0 if there is none."""
    end = data.rfind(b"\n") + 1
    while end > start:
        begin = data.rfind(b"\n", 0, end - 1) + 1
        if _is_blank(data[begin:end]):
            return end
        end = begin
    return 0


def find_block_end(data: bytes | bytearray, start: int = 0) -> int:
    """Get the offset after the last blank line that follows a token at or after ``start``; 0 if there is none.

    Blank lines after comments and document lines do not count: these belong to the sentence that follows.
    """
    end = data.rfind(b"\n") + 1
    while end > start:
        begin = data.rfind(b"\n", 0, end - 1) + 1
        if _is_blank(data[begin:end]):
            before = data[data.rfind(b"\n", 0, max(begin - 1, 0)) + 1 : begin]
            if not _is_blank(before) and not before.startswith(_HEADINGS):
                return end
        end = begin
    return 0


_HEADINGS = (b"#", b"-DOCSTART-")


def _is_blank(line: bytes | bytearray) -> bool:
    return not line.removesuffix(b"\n").removesuffix(b"\r").strip(b" \t")


def _keep_layout(piece: Piece, layout: Layout) -> Layout:
    return layout


@check_methods()
@dataclass(frozen=True)
class Format:
    """One way to lay out a corpus as text or bytes. A file whose name ends in ``.<name>`` is written in that format.

    Attributes:
        name: The name that users pass as ``format``.
        description: What messages call it.
        read: Reads a piece of text; the layout is one that ``settle`` has returned.
        write: Writes a corpus; the names are those of the columns to write, None for all.
        annotate: Writes a corpus with what a model has predicted.
        annotate_nbest: Writes a corpus with several labellings.
        settle: Completes what the user said about the layout with what the beginning of the text shows.
        find_end: Gets the offset after the last complete sentence of a text: it ends with its line, or a blank line.
        is_measured: Whether separator, number of columns and comments are measured on a sample of the text.
        shows_at_once: Whether the first line tells the format from all others.
        names_columns: Whether the format names its columns itself; otherwise they are known by position.
        is_record: Whether columns are fields of a record, of which only those are read that the user names.
        documents: How documents are marked; None if the format has no place for them.
        has_trees: Whether the format has a place for trees under names of its own.
        is_running_text: Whether lines are text with blanks between words that a segmenter could cut itself.
        has_character_tokens: Whether tokens are characters.
        default_label: The column to learn if the user names none; None: ``label``, or the last one.
        width: The number of columns that the format holds; None for any number.
        mark: The bytes that every file of a binary format begins with, and no text does; None for text. A binary file
            is read as one piece: ``find_end`` returns 0.
        join: Joins what ``annotate`` returns for the batches of a corpus; None: one after the other.
    """

    name: str
    description: str
    read: Callable[[Piece, Layout], Corpus]
    write: Callable[[Corpus, Names | None], Content]
    annotate: Annotate
    annotate_nbest: AnnotateNbest
    settle: Callable[[Piece, Layout], Layout] = _keep_layout
    find_end: Callable[[bytes | bytearray, int], int] = find_line_end
    is_measured: bool = False
    shows_at_once: bool = False
    names_columns: bool = False
    is_record: bool = False
    documents: DocumentMarks | None = None
    has_trees: bool = False
    is_running_text: bool = False
    has_character_tokens: bool = False
    default_label: str | None = None
    width: int | None = None
    mark: bytes | None = None
    join: Callable[[Iterable[bytes]], bytes] | None = None

    @property
    def has_documents(self) -> bool:
        """Whether the format has a place for document bounds."""
        return self.documents is not None

    @property
    def is_binary(self) -> bool:
        """Whether files of the format are not text."""
        return self.mark is not None


def choose_columns(corpus: Corpus, columns: Names | None, format_name: str, limit: int | None = None) -> Names:
    """Get the names of the columns to write: those that were asked for, or all; the format holds ``limit`` of them."""
    names = tuple(corpus.names) if columns is None else columns
    if limit is not None and len(names) != limit:
        raise ConfigError(
            f"{corpus.source}: {format_name} holds {limit} column{'s' * (limit > 1)}, got {len(names)} "
            f"({' '.join(names)}); choose with columns="
        )
    return names


def get_texts(corpus: Corpus, name: str, forbidden: re.Pattern[str], format_name: str, hint: str = "") -> list[str]:
    """Get one string per token of a column; raise DataError if one of them matches ``forbidden``."""
    column = corpus.column(name)
    if column.is_bag:
        raise DataError(
            f"{corpus.source}: column {name!r} holds several strings per token; write it in the format it was read from"
        )
    refuse_strings(corpus, name, forbidden, format_name, hint)
    return column.texts()


def refuse_strings(corpus: Corpus, name: str, forbidden: re.Pattern[str], format_name: str, hint: str = "") -> None:
    """Raise DataError on a string in use that matches (the table may hold more than the codes use)."""
    column = corpus.column(name)
    for code in np.unique(column.codes).tolist():
        text = column.strings[code]
        if forbidden.search(text):
            raise DataError(f"{corpus.source}: {format_name} cannot hold {text!r} of column {name!r}{hint}")


def join_comments(comments: Comments, heads: Mapping[int, str] | None = None) -> dict[int, str]:
    """Join the comment lines before each sentence, after what ``heads`` has for it."""
    joined = defaultdict(str, heads or {})
    for sentence, comment in comments:
        joined[sentence] += comment + "\n"
    return joined


def split_sentences(corpus: Corpus, items: list[str]) -> Iterator[list[str]]:
    """Cut one item per token into sentences."""
    for start, stop in itertools.pairwise(corpus.sentences.tolist()):
        yield items[start:stop]


def join_lines(lines: Iterable[str]) -> str:
    """Join sentences, one per line."""
    return "".join(f"{line}\n" for line in lines)


def join_blocks(sentences: Iterable[list[str]], heads: Mapping[int, str] | None = None) -> str:
    """Join tokens, one per line, with a blank line after each sentence and ``heads`` before those of their numbers.

    A sentence without tokens leaves no trace: blank lines cannot show it.
    """
    blocks = ["\n".join(lines) + "\n\n" if lines else "" for lines in sentences]
    for number, head in (heads or {}).items():
        if number < len(blocks):
            blocks[number] = head + blocks[number]
        else:
            blocks.append(head)
    return "".join(blocks)
