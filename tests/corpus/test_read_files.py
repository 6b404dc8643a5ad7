"""Paths, streams, compression, encodings, and what is refused before any format is tried."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import sys
from pathlib import Path

import pytest

from tagloom.corpus import FORMATS, read
from tagloom.errors import DataError

TEXT = "He PRP\nleft VBD\n\nYés UH\n".encode()


@pytest.mark.parametrize("compress", [bytes, gzip.compress, lzma.compress])
def test_compression_is_seen_in_the_bytes(tmp_path: Path, compress: object) -> None:
    path = tmp_path / "train.txt"
    path.write_bytes(compress(TEXT))  # type: ignore[operator]
    for source in (path, str(path), io.BytesIO(path.read_bytes())):
        assert read(source).sentence(1, "form") == ["Yés"]
    with path.open("rb") as stream:
        assert read(stream).source == str(path)


def test_text_stream_and_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(io.StringIO(TEXT.decode())).token_count == 3
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT)))
    assert read("-").source == "<stdin>"


@pytest.mark.parametrize("format_name", [None, *FORMATS])
@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", ": no tokens found, the file is empty"),
        (b"\xef\xbb\xbf", ": no tokens found, the file is empty"),
        (b"\n \r\n\t\n", ": no tokens found, the file has only blank lines"),
        (b"\xff\xfea\0", ": UTF-16 text, expected UTF-8; convert it (iconv -f UTF-16 -t UTF-8)"),
        (b"a b\n\nc\0 d\n", ":3: NUL byte, expected UTF-8 text; convert the file if it is UTF-16"),
        (gzip.compress(TEXT, mtime=0)[:-9], ": the gzip data is damaged or cut off; fetch the file again"),
        (lzma.compress(TEXT)[:-9], ": the xz data is damaged or cut off; fetch the file again"),
        (gzip.compress(TEXT, mtime=0)[:5], ": the gzip data is damaged or cut off; fetch the file again"),
    ],
)
def test_refused_in_every_format(tmp_path: Path, data: bytes, message: str, format_name: str | None) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(data)
    with pytest.raises(DataError) as caught:
        read(path, format_name)
    assert str(caught.value) == str(path) + message


@pytest.mark.parametrize(
    "format_name", [name for name, row in FORMATS.items() if name != "conll" and not row.is_binary]
)
def test_malformed_utf8(format_name: str) -> None:
    with pytest.raises(DataError, match=r"^<stream>:2: "):
        read(io.BytesIO(b'{"tokens": []}\na\xe9b\n' if format_name == "jsonl" else b"# x\na\xe9b\n"), format_name)


def test_malformed_utf8_in_columns() -> None:
    with pytest.raises(DataError, match=r"^<stream>:2: byte 3 of the line is not valid UTF-8$"):
        read(io.BytesIO(b"a b\nc \xe9\n"), "conll")


def test_paths_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"x\.txt: no such file$"):
        read(tmp_path / "x.txt")
    with pytest.raises(DataError, match=r"is a directory, expected a file$"):
        read(tmp_path)
    with pytest.raises(DataError, match="null"):
        read("a\0b")
    path = tmp_path / "locked"
    path.write_bytes(TEXT)
    path.chmod(0)
    if not os.access(path, os.R_OK):
        with pytest.raises(DataError, match=r"locked: permission denied$"):
            read(path)


def test_text_streams_with_broken_text() -> None:
    with pytest.raises(DataError, match=r"not valid UTF-8$"):
        read(io.TextIOWrapper(io.BytesIO(b"\xff\xff"), encoding="utf-8"))
    with pytest.raises(DataError, match=r"not valid UTF-8$"):
        read(io.StringIO("a \ud800"))
