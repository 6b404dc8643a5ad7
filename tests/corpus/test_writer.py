"""Writing text piece by piece: complete or not at all."""

from __future__ import annotations

import gzip
import io
import lzma
import os
from pathlib import Path

import pytest

from tagloom.corpus import open_writer, read
from tagloom.errors import DataError


@pytest.mark.parametrize(("suffix", "decompress"), [("", bytes), (".gz", gzip.decompress), (".xz", lzma.decompress)])
def test_pieces_are_one_text(tmp_path: Path, suffix: str, decompress: object) -> None:
    path = tmp_path / f"out{suffix}"
    with open_writer(path) as writer:
        for piece in ("", "é\n", "", "b\n"):
            writer.write(piece)
        assert not path.exists()
    assert decompress(path.read_bytes()).decode() == "é\nb\n"  # type: ignore[operator]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError("their own"), ValueError("their own"), DataError("x")])
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_an_error_leaves_the_old_file(tmp_path: Path, error: BaseException, suffix: str) -> None:
    path = tmp_path / f"old{suffix}"
    path.write_text("old")

    def fail() -> None:
        with open_writer(path) as writer:
            writer.write("new")
            raise error

    with pytest.raises(error if isinstance(error, type) else type(error)) as caught:
        fail()
    assert "cannot write" not in str(caught.value)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_streams_are_flushed_after_each_piece() -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as stream, open_writer(stream) as writer:
        writer.write("a\n")
        assert os.read(reading, 10) == b"a\n"
    os.close(reading)
    text = io.StringIO()
    with open_writer(text) as writer:
        writer.write("é")
    assert text.getvalue() == "é"


def test_devices_are_written_to(tmp_path: Path) -> None:
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    reading = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    with open_writer(fifo) as writer:
        writer.write("a\n")
        assert os.read(reading, 10) == b"a\n"
    os.close(reading)


def test_a_byte_order_mark_of_the_text_survives(tmp_path: Path) -> None:
    path = tmp_path / "x"
    with open_writer(path) as writer:
        writer.write("\ufeffa\n")
        writer.write("\ufeffb\n")
    assert list(read(path, "text").iter_sentences("form")) == [["\ufeffa"], ["\ufeffb"]]


def test_targets_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot write: no such directory$"), open_writer(tmp_path / "no" / "x"):
        pass
