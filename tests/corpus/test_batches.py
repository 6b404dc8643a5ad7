"""Batches one after another are the corpus that is read at once, whatever the format and the size of the chunks."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import threading
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagloom.corpus import FORMATS, Column, Corpus, read, read_batches, read_trees, to_string
from tagloom.corpus.corpus import FIRST_LINES, place
from tagloom.corpus.formats.format import CONTINUES_DOCUMENT
from tagloom.corpus.layers import Layer
from tagloom.errors import DataError

WORD = st.text(st.sampled_from("aé中#-/1\u0301") | st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4)
PLAIN = WORD.filter(lambda text: not any(c.isspace() or c == "\0" for c in text))
LABEL = st.sampled_from(["O", "B-X", "I-X", "N"])
TEXT_FORMATS = [name for name, row in FORMATS.items() if not row.is_binary]  # others are one batch


class Trickle(io.RawIOBase):
    """A stream that gives a few bytes at a time."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        self.data, self.sizes, self.turn = data, sizes, 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if size < 0:
            size = len(self.data)
        else:
            size = min(size, self.sizes[self.turn % len(self.sizes)])
            self.turn += 1
        found, self.data = self.data[:size], self.data[size:]
        return found


@st.composite
def texts(draw: st.DrawFn, format_name: str) -> bytes:
    """A text of that format, with line ends and document bounds of any kind."""
    lengths = draw(st.lists(st.integers(1, 3), min_size=1, max_size=6))
    count = sum(lengths)
    words = draw(st.lists(PLAIN.filter(lambda w: not w.startswith("-DOC")), min_size=count, max_size=count))
    labels = draw(st.lists(LABEL, min_size=count, max_size=count))
    cuts = sorted(draw(st.sets(st.integers(1, 5)))) if draw(st.booleans()) else None
    documents = None
    if cuts is not None:
        documents = np.diff([0, *[cut for cut in cuts if cut < len(lengths)], len(lengths)]).tolist()
    corpus = Corpus.from_columns({"form": words, "label": labels}, lengths, documents)
    if format_name == "conllu":
        corpus = corpus.rename(["form", "xpos"])
    elif format_name in ("text", "characters", "segmented"):
        corpus = Corpus.from_columns({"form": words}, lengths)
    elif format_name == "crfsuite":
        column = Column.from_strings(words)
        bag = Column(column.codes, column.strings, np.arange(count + 1), np.ones(count, np.float32))
        corpus = Corpus.from_columns({"label": labels, "attributes": bag}, lengths)
    elif format_name == "slashed":
        corpus = replace(corpus, has_documents=False)
    text = to_string(corpus, format_name)
    if format_name in ("conll", "conllu"):
        blocks = [f"# comment\n{b}" if draw(st.booleans()) else b for b in text.split("\n\n")]
        text = draw(st.sampled_from(["\n\n", "\n \t\n", "\n\n\n"])).join(blocks)
    end = draw(st.sampled_from(["\n", "\r\n"]))
    data = text.replace("\n", end).encode()
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + data


def concatenate_lists(parts: list[Corpus]) -> dict[str, Any]:
    """What the batches hold, put together the slow way."""
    found: dict[str, Any] = {"names": parts[0].names, "sentences": [], "starts": [], "lines": []}
    for part in parts:
        first = len(found["sentences"])
        bounds = part.documents[:-1].tolist() if len(part) else []
        if part.has_documents:
            found["starts"] += [first + b for b in bounds if not (b == 0 and CONTINUES_DOCUMENT in part.extras)]
        for number in range(len(part)):
            start, stop = part.span(number)
            found["sentences"].append([described(part.column(name), start, stop) for name in part.names])
        found["lines"] += list(part.extras.get(FIRST_LINES, []))  # type: ignore[call-overload]
    found["has_documents"] = parts[-1].has_documents
    return found


def described(column: Column, start: int, stop: int) -> Any:
    if column.offsets is None:
        return column.texts(start, stop)
    begin, end = column.offsets[start], column.offsets[stop]
    return [column.strings[code] for code in column.codes[begin:end]], column.values[begin:end].tolist()  # type: ignore[index]


def refused(function: Any) -> str | None:
    try:
        function()
    except DataError as error:
        return str(error)
    return None


@pytest.mark.parametrize("format_name", TEXT_FORMATS)
@settings(max_examples=60, deadline=None)
@given(data=st.data(), size=st.integers(1, 60), whole=st.booleans())
def test_batches_are_the_corpus(format_name: str, data: st.DataObject, size: int, whole: bool) -> None:
    text = data.draw(texts(format_name))
    compress: Any = data.draw(st.sampled_from([bytes, gzip.compress, lzma.compress]))
    sizes = data.draw(st.lists(st.integers(1, 20), min_size=1, max_size=3))
    columns = "form label" if format_name == "conll" else None
    options: dict[str, Any] = {"columns": columns, "comment": "# "} if format_name == "conll" else {}
    stream = Trickle(compress(text), sizes)
    message = refused(lambda: read(io.BytesIO(text), format_name, **options))
    if message is not None:
        assert refused(lambda: list(read_batches(stream, format_name, batch_bytes=size, **options))) == message
        return
    expected = read(io.BytesIO(text), format_name, **options)
    found = list(read_batches(stream, format_name, batch_bytes=size, whole_documents=whole, **options))
    assert concatenate_lists(found) == concatenate_lists([expected])
    assert {part.source for part in found} == {expected.source}
    if whole:
        assert not any(CONTINUES_DOCUMENT in part.extras for part in found if found[0].has_documents)


@pytest.mark.parametrize("format_name", TEXT_FORMATS)
@settings(max_examples=40, deadline=None)
@given(data=st.data(), size=st.integers(1, 60))
def test_annotated_batches_are_the_annotated_corpus(format_name: str, data: st.DataObject, size: int) -> None:
    text = data.draw(texts(format_name)).removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    options: dict[str, Any] = {"columns": "form label", "comment": "# "} if format_name == "conll" else {}

    def annotated(corpus: Corpus) -> str:
        main = "form" if "form" in corpus.names else "label"
        labels = Column.from_strings("X" if len(word) % 2 else "Y" for word in corpus.column(main).texts())
        return FORMATS[format_name].annotate(corpus, {"ner": labels}, [Layer("ner")], main)

    try:
        expected = annotated(read(io.BytesIO(text), format_name, **options))
    except DataError:
        return
    parts = read_batches(Trickle(text, [7]), format_name, batch_bytes=size, **options)
    assert "".join(map(annotated, parts)) == expected


LONG = "".join(f"word{n} N{n % 7} O\nleft V O\n. . O\n\n" for n in range(9000))


@pytest.mark.parametrize("text", [LONG, LONG.replace("\n", "\r\n"), f"-DOCSTART- -X- O\n\n{LONG}"])
def test_the_format_is_guessed_once(tmp_path: Path, text: str) -> None:
    path = tmp_path / "long.txt"
    path.write_bytes(text.encode())
    said: list[str] = []
    found = list(read_batches(path, on_guess=said.append, batch_bytes=100_000))
    assert said == [f"{path}: guessed CoNLL columns (space-separated, 3 columns: form pos label)"]
    assert len(found) > 2
    assert concatenate_lists(found) == concatenate_lists([read(path)])


@pytest.mark.parametrize(
    ("format_name", "bad", "message"),
    [
        ("conll", b"a b\n\n", "expected 3 columns (form pos label), found 2"),
        ("conll", b"a\xff b c\n", "byte 2 of the line is not valid UTF-8"),
        ("conll", b"a\0 b c\n", "NUL byte, expected UTF-8 text; convert the file if it is UTF-16"),
        ("text", b"a\xff b c\n", "not valid UTF-8"),
        ("slashed", b"a/b c/d e\n", "expected word/TAG, found 'e'"),
        ("jsonl", b'{"tokens": 1}\n', "expected a list of strings as 'tokens', found 1"),
        ("crfsuite", b"O\ta:x\n", "expected attribute[:scale], found 'a:x'; write a colon in a name as \\:"),
        ("conllu", b"7" + b"\t_" * 9 + b"\n", "expected word id 1, found '7'"),
    ],
)
def test_messages_have_the_line_of_the_file(tmp_path: Path, format_name: str, bad: bytes, message: str) -> None:
    good = {
        "conll": b"a b c\n\n",
        "text": b"a b\n\n",
        "slashed": b"a/b\n\n",
        "jsonl": b'{"tokens": ["a"]}\n\n',
        "crfsuite": b"O\ta\n\n",
        "conllu": b"1" + b"\t_" * 9 + b"\n\n",
    }[format_name]
    path = tmp_path / "bad.txt"
    path.write_bytes(good * 50_000 + bad)
    for reading in (lambda: read(path, format_name), lambda: list(read_batches(path, format_name, batch_bytes=9999))):
        assert refused(reading) == f"{path}:100001: {message}"


def test_places_in_batches() -> None:
    rows = "1\ta\t_\t_\t_\t_\t2\t_\t_\t_\n2-3\tbc\t_\t_\t_\t_\t_\t_\t_\t_\n2\tb\t_\t_\t_\t_\t0\t_\t_\t_\n"
    bad = rows.replace("\t2\t_\t_\t_\n", "\t0\t_\t_\t_\n", 1)
    stream = Trickle((f"{rows}\n" * 3 + bad).encode(), [len(rows) + 1])
    *good, last = read_batches(stream, "conllu", batch_bytes=1)
    assert [place(part, 1) for part in good] == ["<stream>:3", "<stream>:7", "<stream>:11"]
    with pytest.raises(DataError, match=r"^<stream>:15: second root 'b', 'a' on line 13 is one already"):
        read_trees(last)
    parts = list(read_batches(Trickle(b"aaa bbb\nccc ddd\n", [8]), "text", batch_bytes=1))
    assert [place(part, 1) for part in parts] == ["<stream>: sentence 1, word 2", "<stream>: sentence 2, word 2"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no tokens found, the file is empty"),
        (b"\n \n", "no tokens found, the file has only blank lines"),
        (b"# only\n", "no tokens found"),
        (b"\xff\xfea\0", "UTF-16 text, expected UTF-8; convert it (iconv -f UTF-16 -t UTF-8)"),
        (
            gzip.compress((b"1" + b"\t_" * 9 + b"\n\n") * 9999)[:-9],
            "the gzip data is damaged or cut off; fetch the file again",
        ),
    ],
)
@pytest.mark.parametrize("sizes", [[1], [1000]])
def test_refused_like_at_once(data: bytes, message: str, sizes: list[int]) -> None:
    assert refused(lambda: list(read_batches(Trickle(data, sizes), "conllu"))) == f"<stream>: {message}"
    assert refused(lambda: read(io.BytesIO(data), "conllu")) == f"<stream>: {message}"


def test_documents_are_not_parted() -> None:
    documents = ["".join(f"w{d} {s}\n\n" for s in range(d % 5 + 1)) for d in range(4000)]
    text = "".join(f"-DOCSTART- O\n\n{document}" for document in documents).encode()
    parts = list(read_batches(Trickle(text, [1001]), "conll", batch_bytes=1, whole_documents=True))
    assert len(parts) > 50
    assert [n for part in parts for n in np.diff(part.documents).tolist()] == [d % 5 + 1 for d in range(4000)]
    records = "".join(f'{{"tokens": ["a"], "doc": {n // 3}}}\n' for n in range(30)).encode()
    parts = list(read_batches(Trickle(records, [50]), "jsonl", batch_bytes=1, whole_documents=True))
    assert [len(part) % 3 for part in parts] == [0] * len(parts)
    assert len(parts) > 5


def pipe() -> tuple[Any, int]:
    reading, writing = os.pipe()
    return os.fdopen(reading, "rb"), writing


@pytest.mark.parametrize(
    ("format_name", "pieces", "sentences"),
    [
        ("text", [b"He left .\nYes ", b"sir\n"], [["He", "left", "."], ["Yes", "sir"]]),
        ("text", [b"a\n", b"b\n"], [["a"], ["b"]]),
        ("conll", [b"He P\nleft V\n\nYes", b" U\n\n"], [["He", "left"], ["Yes"]]),
        (None, [b"He P\nleft V\n\nY", b"es U\n\n"], [["He", "left"], ["Yes"]]),
        (None, [b'{"tokens": ["He"]}\n{"tok', b'ens": ["Yes"]}\n'], [["He"], ["Yes"]]),
        ("slashed", [b"He/P left/V\n", b"Yes/U\n"], [["He", "left"], ["Yes"]]),
        ("jsonl", [b'{"tokens": ["He"]}\n{"tok', b'ens": ["Yes"]}\n'], [["He"], ["Yes"]]),
    ],
)
def test_a_pipe_gives_what_has_arrived(format_name: str | None, pieces: list[bytes], sentences: Any) -> None:
    stream, writing = pipe()
    with stream:
        found = read_batches(stream, format_name)
        for piece, expected in zip(pieces, sentences):
            os.write(writing, piece)
            assert list(next_batch(found).iter_sentences("form")) == [expected]
        os.close(writing)
        assert list(found) == []


def test_a_pipe_with_a_named_format_does_not_wait_for_an_adapter() -> None:
    stream, writing = pipe()
    with stream:
        found = read_batches(stream, "text", adapt=lambda row, _: (row, None))
        for word in ("He", "left"):
            os.write(writing, f"{word} .\n".encode())
            assert list(next_batch(found).iter_sentences("form")) == [[word, "."]]
        os.close(writing)
        assert list(found) == []


def test_an_adapter_sees_a_sample_of_a_file() -> None:
    """More than a sentence, also of formats that one line shows."""
    seen: list[int] = []
    lines = b'{"tokens": ["He"]}\n' * 1000
    for format_name in (None, "jsonl"):
        list(
            read_batches(
                Trickle(lines, [30]), format_name, adapt=lambda row, data: (seen.append(len(data)), (row, None))[1]
            )
        )
    assert seen == [len(lines), len(lines)]


def next_batch(found: Iterator[Corpus]) -> Corpus:
    """The next batch, or a failure if none comes although the pipe stays open."""
    result: list[Corpus] = []
    thread = threading.Thread(target=lambda: result.append(next(found)), daemon=True)
    thread.start()
    thread.join(20)
    assert result, "no batch came"
    return result[0]


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_memory_is_flat(tmp_path: Path, compress: Any) -> None:
    def peak(copies: int) -> int:
        path = tmp_path / f"x{copies}"
        path.write_bytes(compress(LONG.encode() * copies))
        tracemalloc.start()
        assert sum(part.token_count for part in read_batches(path)) == copies * 27_000
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert peak(40) < 1.5 * peak(8)


def test_adapting_the_format() -> None:
    seen: list[tuple[str, bytes]] = []

    def adapt(row: Any, sample: bytes) -> tuple[Any, Any]:
        seen.append((row.name, sample))
        return FORMATS["characters"], "character"

    (part,) = read_batches(io.BytesIO("中国 人\n".encode()), adapt=adapt)
    assert (part.names, part.token_count) == (["character"], 3)
    assert seen == [("segmented", "中国 人\n".encode())]
    assert read(io.BytesIO("中国 人\n".encode()), adapt=adapt).names == ["character"]
