"""Reading and writing corpora, whole or as a stream of batches, in a named format or the one the content shows."""

from __future__ import annotations

import io
import itertools
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from tagloom.arguments import check_arguments
from tagloom.corpus.corpus import FIRST_SENTENCE, Corpus
from tagloom.corpus.formats import FORMATS, MARKS, find_format, get_format
from tagloom.corpus.formats.format import CONTINUES_DOCUMENT, find_block_end
from tagloom.corpus.guess import guess_format
from tagloom.corpus.layout import SAMPLE_BYTES, ColumnNames, split_names
from tagloom.corpus.request import Adapt, Choice, Request
from tagloom.corpus.streams import BOM, COMPRESSIONS, Content, Input, Piece, Source, Target, load, open_input, store
from tagloom.corpus.streams import open_writer as open_writer
from tagloom.errors import ConfigError, DataError
from tagloom.text import Tokenizer

BATCH_BYTES = 1 << 20
_CHUNK_BYTES = 1 << 17  # read at a time: more than a sample of the text, and enough for a first batch


def read_in_batches(source: Source, request: Request, batch_bytes: int, *, whole_documents: bool) -> Iterator[Corpus]:
    """Read a source batch by batch; see ``read_batches``."""
    with open_input(source) as opened:
        stream = _Stream(opened.name, request, whole_documents)
        for chunk in opened.chunks(_CHUNK_BYTES, request.marks):
            stream.buffer += chunk
            idle = opened.is_idle()
            if stream.settled is None and not stream.settle(idle=idle):
                continue
            is_enough = stream.is_first or idle or len(stream.buffer) >= batch_bytes
            if is_enough and (cut := stream.find_cut()):
                yield stream.take(cut)
        yield from stream.finish()


def settle_source(source: Source, request: Request) -> Choice:
    """Decide on format and layout of a source by its beginning, as reading it in batches does."""
    with open_input(source) as opened:
        stream = _Stream(opened.name, request, whole_documents=False)
        for chunk in opened.chunks(_CHUNK_BYTES, request.marks):
            stream.buffer += chunk
            if stream.settle(idle=opened.is_idle()):
                break
    return stream.settle_all()


@dataclass(frozen=True)
class Part:
    """A stretch of a file, in bytes; it begins and ends between sentences."""

    begin: int
    end: int


def cut_into_parts(path: Path, choice: Choice, size: int) -> list[Part]:
    """Cut a file that is not compressed into parts of about so many bytes, where sentences or paragraphs end."""
    length, bounds = path.stat().st_size, [0]
    with path.open("rb") as file:
        while (end := _find_bound(file, choice, bounds[-1], bounds[-1] + size)) < length:
            bounds.append(end)
    return [Part(begin, end) for begin, end in itertools.pairwise([*bounds, length])]


def _find_bound(file: BinaryIO, choice: Choice, begin: int, end: int) -> int:
    """Find the last place before ``end`` where a sentence ends; after it, if a sentence is longer than a part."""
    window = _CHUNK_BYTES
    while True:
        first = max(begin, end - window)
        file.seek(first)
        data = file.read(end - first)
        if len(data) < end - first:
            return first + len(data)  # the end of the file
        if found := choice.find_end(data, 0):
            return first + found
        window, end = (window * 2, end) if first > begin else (window, end + window)


def read_part(path: str, part: Part, request: Request) -> Iterator[Corpus]:
    """Read a part of a file in batches, with format and layout of the whole file.

    Errors name the lines of the file: the lines before the part are counted when there is one.
    """
    try:
        yield from _read_part(path, part, request)
    except DataError:
        for _ in _read_part(path, Part(0, part.end), request):
            pass
        raise


def _read_part(path: str, part: Part, request: Request) -> Iterator[Corpus]:
    settled = settle_source(path, replace(request, on_guess=None))
    with Path(path).open("rb") as file:
        file.seek(part.begin)
        data = file.read(part.end - part.begin)
    opened = Input(path, io.BytesIO(BOM + data if part.begin else data))  # one BOM is dropped: that of the file
    stream = _Stream(path, request, whole_documents=False, settled=settled)
    for chunk in opened.chunks(BATCH_BYTES):
        stream.buffer += chunk
        if cut := stream.find_cut():
            yield stream.take(cut)
    if stream.buffer.strip():
        yield stream.take(len(stream.buffer))


def no_tokens(name: str, *, has_bytes: bool) -> DataError:
    """Build the error for a text without content."""
    return DataError(f"{name}: no tokens found, the file {'has only blank lines' if has_bytes else 'is empty'}")


@dataclass
class _Stream:
    """The bytes that no batch has taken yet, and what is known about the batches before."""

    name: str
    request: Request
    whole_documents: bool
    buffer: bytearray = field(default_factory=bytearray)
    scanned: int = 0  # bytes at the beginning of the buffer in which no sentence ends
    choice: Choice | None = None
    settled: Choice | None = None  # with its layout complete
    is_first: bool = True
    first_line: int = 1
    sentences: int = 0
    tokens: int = 0
    has_documents: bool = False
    last_line: bytes = b""  # of the batch before
    told: set[str] = field(default_factory=set)  # notes that were passed on

    def settle(self, *, idle: bool) -> bool:
        """Decide on format and layout if the text shows enough; ``idle`` says that whoever writes it waits for us."""
        if self.choice is not None and self.choice.format.is_binary:
            return False  # such a file is one piece
        named = self.request.format
        needs_sample = named is None or named.is_measured or self.request.adapt is not None
        if not needs_sample or len(self.buffer) > SAMPLE_BYTES:
            return self._settle(bytes(self.buffer))
        end = self._find_sample_end() if idle else 0
        return bool(end) and self._settle(bytes(self.buffer[:end]))

    def _find_sample_end(self) -> int:
        """Get the offset up to which a short text shows its format: a complete sentence; 0 if it does not yet."""
        if self.request.format is not None:
            return self.request.format.find_end(self.buffer, 0)
        begin = len(self.buffer) - len(self.buffer.lstrip())
        first_line = bytes(self.buffer[: self.buffer.find(b"\n", begin) + 1])
        guessed = FORMATS[guess_format(first_line, self.request.layout).format] if first_line else None
        return guessed.find_end(self.buffer, 0) if guessed and guessed.shows_at_once else find_block_end(self.buffer)

    def _settle(self, data: bytes, *, is_all: bool = False) -> bool:
        self.choice = self.choice or self.request.choose(data)
        if not is_all and not self.choice.format.find_end(data, 0):  # the first record must be whole
            return False
        self.settled = self.request.settle(Piece(data, self.name), self.choice)
        return True

    def settle_all(self) -> Choice:
        """Decide, if that is not done, from all of a text."""
        if self.settled is None:
            if not self.buffer.strip():
                raise no_tokens(self.name, has_bytes=bool(self.buffer))
            self._settle(bytes(self.buffer), is_all=True)
        assert self.settled is not None
        return self.settled

    def find_cut(self) -> int:
        """Get the offset after the last sentence, or document, that is complete; 0 if there is none."""
        assert self.settled is not None
        chosen = self.settled.format
        end = self.settled.find_end(self.buffer, self.scanned)
        if not end:
            self.scanned = self.buffer.rfind(b"\n") + 1
            return 0
        if self.whole_documents and chosen.documents is not None:
            start = chosen.documents.find_last(bytes(self.buffer[:end]))
            return end if start < 0 else start
        return end

    def take(self, end: int) -> Corpus:
        """Read the bytes before an offset as a batch."""
        assert self.settled is not None
        data = bytes(self.buffer[:end])
        del self.buffer[:end]
        batch = self._with_place(self.settled.read(Piece(data, self.name, self.first_line)), data)
        self.request.tell_notes(batch, self.told)
        self.is_first, self.scanned = False, 0
        self.first_line += data.count(b"\n")
        self.last_line = data.rstrip().rpartition(b"\n")[2]
        self.sentences += len(batch)
        self.tokens += batch.token_count
        self.has_documents = batch.has_documents
        return batch

    def _with_place(self, corpus: Corpus, data: bytes) -> Corpus:
        """Add what a batch must know about those before: they may have begun its first document."""
        assert self.settled is not None
        extras = {**corpus.extras, FIRST_SENTENCE: self.sentences}
        documents = self.settled.format.documents
        has_documents = self.has_documents or corpus.has_documents
        if has_documents and self.sentences and documents and not documents.start_between(self.last_line, data):
            extras[CONTINUES_DOCUMENT] = True
        return replace(corpus, extras=extras, has_documents=has_documents)

    def finish(self) -> Iterator[Corpus]:
        """Read what is left at the end of the text."""
        if self.buffer.strip():
            if self.settled is None:
                self._settle(bytes(self.buffer), is_all=True)
            yield self.take(len(self.buffer))
        elif self.is_first:
            raise no_tokens(self.name, has_bytes=bool(self.buffer))
        if self.tokens == 0:
            raise DataError(f"{self.name}: no tokens found")


@check_arguments
def read(
    source: Source,
    format: str | None = None,  # noqa: A002
    columns: ColumnNames = None,
    *,
    separator: str | None = None,
    comment: str | None = None,
    normalise: str | None = None,
    on_guess: Callable[[str], None] | None = None,
    adapt: Adapt | None = None,
    tokenizer: str | Tokenizer | None = None,
) -> Corpus:
    r"""Read a corpus.

    Args:
        source: A path (``-``: stdin) or stream; plain, gzip or xz.
        format: A name of ``FORMATS``. Without it the content decides.
        columns: Names of the columns, such as ``"form pos chunk"``.
        separator: Separator of column files, a blank or a tab. Found in the content by default.
        comment: Prefix of comment lines of column files, empty for none. Found in the content by default.
        normalise: Unicode normal form of the words, NFC or NFKC; NFKC makes full-width digits and letters plain ones.
        on_guess: Gets one line that says which format was guessed, and one that says what was left out.
        adapt: Gets the format and the beginning of the text, and returns the format and the columns to read.
        tokenizer: What cuts running text, and JSONL records that have a text and no tokens: a tokenizer, or its name.
            Without it running text is cut at blanks, with one sentence per line, and records by ``unicode``.

    Raises:
        DataError: The text cannot be read; the message has the file and the line.
        ConfigError: An argument is not legal.

    >>> import io
    >>> corpus = read(io.StringIO("He PRP\nleft VBD\n\nYes UH\n"), columns="form pos", on_guess=print)
    <stream>: guessed CoNLL columns (space-separated, 2 columns: form pos)
    >>> corpus.sentence(0, "pos")
    ['PRP', 'VBD']
    """
    request = Request.check(format, columns, separator, comment, normalise, on_guess, adapt, tokenizer)
    name, data = load(source, request.marks)
    if not data.strip():
        raise no_tokens(name, has_bytes=bool(data))
    piece = Piece(data, name)
    corpus = request.settle(piece, request.choose(data)).read(piece)
    request.tell_notes(corpus, set())
    if corpus.token_count == 0:
        raise DataError(f"{name}: no tokens found")
    return corpus


@check_arguments
def read_batches(
    source: Source,
    format: str | None = None,  # noqa: A002
    columns: ColumnNames = None,
    *,
    separator: str | None = None,
    comment: str | None = None,
    normalise: str | None = None,
    on_guess: Callable[[str], None] | None = None,
    adapt: Adapt | None = None,
    tokenizer: str | Tokenizer | None = None,
    batch_bytes: int = BATCH_BYTES,
    whole_documents: bool = False,
) -> Iterator[Corpus]:
    """Read a corpus as a stream of batches of sentences, in memory that does not depend on the size of the input.

    Format, columns, separator and comments are decided once: from the first 64 KB, or from all of a shorter input. If a
    pipe holds no more, they are decided from its first sentences: up to a blank line, or up to a line end if the format
    is named or JSONL and has one sentence per line. From a pipe complete sentences are given out as soon as they have
    arrived. All batches after one another are what ``read`` returns; the last one may have comments
    only and no sentence.

    The arguments up to ``tokenizer`` are those of ``read``. ``batch_bytes`` is the size of a batch in bytes of text;
    the first one is smaller, and 1 MB holds some 50,000 tokens. With ``whole_documents`` a document is never parted,
    where the text marks documents; sentences before the first mark belong to no marked document. All batches have the
    same columns, and messages about them have the line of the file.
    """
    request = Request.check(format, columns, separator, comment, normalise, on_guess, adapt, tokenizer)
    return read_in_batches(source, request, batch_bytes, whole_documents=whole_documents)


@check_arguments
def write(
    corpus: Corpus,
    target: Target,
    format: str | None = None,  # noqa: A002
    columns: ColumnNames = None,
) -> None:
    """Write a corpus. A file that exists is replaced only by a complete one.

    Args:
        corpus: What to write.
        target: A path (``-``: stdout; compressed if it ends in ``.gz`` or ``.xz``) or stream.
        format: A name of ``FORMATS``. By default the name of the file decides (``x.jsonl``, ``x.conllu.gz``), or the
            format that the corpus was read from.
        columns: The columns to write, in this order. All by default.
    """
    store(target, to_content(corpus, format or format_for(corpus, target), columns))


@check_arguments
def to_string(corpus: Corpus, format: str, columns: ColumnNames = None) -> str:  # noqa: A002
    r"""Get the corpus as text.

    >>> to_string(Corpus.from_columns({"form": ["He", "left"], "label": ["PRP", "VBD"]}, [2]), "slashed")
    'He/PRP left/VBD\n'
    """
    content = to_content(corpus, format, columns)
    if isinstance(content, bytes):
        raise ConfigError(f"{corpus.source}: {format} is a binary format, not text; write it to a file")
    return content


def to_content(corpus: Corpus, format: str, columns: ColumnNames = None) -> Content:  # noqa: A002
    """Get the corpus as text, or as the bytes of a binary format."""
    return find_format(format).write(corpus, split_names(columns))


def load_content(source: Source) -> tuple[str, bytes]:
    """Read all of a source that may be in any format: its name, for messages, and its content, decompressed."""
    return load(source, MARKS)


def format_for(corpus: Corpus, target: Target) -> str:
    """Get the format in which a corpus is written to a target if the user names none."""
    if isinstance(target, (str, os.PathLike)):
        path = Path(target)
        name = (path.with_suffix("") if path.suffix in COMPRESSIONS else path).suffix[1:]
        if name in FORMATS:
            return name
    return get_format(corpus).name
