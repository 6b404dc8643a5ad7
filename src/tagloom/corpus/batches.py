"""A stream of bytes as batches of whole sentences: where to cut, and what a batch must know about those before it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from tagloom.corpus.corpus import Corpus
from tagloom.corpus.formats.format import CONTINUES_DOCUMENT, find_block_end
from tagloom.corpus.layout import SAMPLE_BYTES
from tagloom.corpus.places import FIRST_SENTENCE
from tagloom.corpus.request import Choice, Request, SettledFormat
from tagloom.corpus.streams import Piece, Source, open_input
from tagloom.errors import DataError

BATCH_BYTES = 1 << 20
_CHUNK_BYTES = 1 << 17  # read at a time: more than a sample of the text, and enough for a first batch


def read_in_batches(source: Source, request: Request, batch_bytes: int, *, whole_documents: bool) -> Iterator[Corpus]:
    """Read a source batch by batch; see ``io.read_batches``."""
    with open_input(source) as opened:
        stream = _Stream(opened.name, request, whole_documents)
        for chunk in opened.chunks(_CHUNK_BYTES):
            stream.buffer += chunk
            idle = opened.is_idle()
            if stream.settled is None and not stream.settle(idle=idle):
                continue
            if stream.is_first or idle or len(stream.buffer) >= batch_bytes:
                cut = stream.find_cut()
                if cut:
                    yield stream.take(cut)
        yield from stream.finish()


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
    settled: SettledFormat | None = None
    is_first: bool = True
    first_line: int = 1
    sentences: int = 0
    tokens: int = 0
    has_documents: bool = False
    last_line: bytes = b""  # of the batch before

    def settle(self, *, idle: bool) -> bool:
        """Decide on format and layout if the text shows enough; ``idle`` says that whoever writes it waits for us."""
        named = self.request.format
        if (named is not None and not named.is_measured and self.request.adapt is None) or (
            len(self.buffer) > SAMPLE_BYTES
        ):
            return self._settle(bytes(self.buffer))
        end = find_block_end(self.buffer) if idle else 0
        return bool(end) and self._settle(bytes(self.buffer[:end]))

    def _settle(self, data: bytes, *, is_all: bool = False) -> bool:
        self.choice = self.choice or self.request.choose(data)
        if not is_all and not self.choice.format.find_end(data, 0):  # the first record must be whole
            return False
        self.settled = self.request.settle(Piece(data, self.name), self.choice)
        return True

    def find_cut(self) -> int:
        """Get the offset after the last sentence, or document, that is complete; 0 if there is none."""
        assert self.settled is not None
        chosen = self.settled.format
        end = chosen.find_end(self.buffer, self.scanned)
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
        corpus = self.settled.read(Piece(data, self.name, self.first_line))
        batch = self._with_place(corpus, data)
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
