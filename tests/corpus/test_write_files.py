"""Writing to paths and streams: complete or not at all."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import sys
from pathlib import Path

import pytest

from tagloom.corpus import Corpus, read, streams, to_string, write
from tagloom.errors import ConfigError, DataError

CORPUS = Corpus.from_columns({"form": ["Hé", "left", "Yes"], "label": ["P", "V", "U"]}, [2, 1])
COLUMNS = "Hé P\nleft V\n\nYes U\n\n"


@pytest.mark.parametrize(("suffix", "decompress"), [("", bytes), (".gz", gzip.decompress), (".xz", lzma.decompress)])
def test_compression_by_suffix(tmp_path: Path, suffix: str, decompress: object) -> None:
    path = tmp_path / f"out.txt{suffix}"
    write(CORPUS, path)
    assert decompress(path.read_bytes()).decode() == COLUMNS  # type: ignore[operator]
    first = path.read_bytes()
    write(CORPUS, str(path))
    assert path.read_bytes() == first
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("name", "start"), [("x.jsonl", '{"tokens"'), ("x.slashed", "Hé/P"), ("x.tsv", "Hé P\n")])
def test_format_by_name(tmp_path: Path, name: str, start: str) -> None:
    for path in (tmp_path / name, tmp_path / f"{name}.gz"):
        write(CORPUS, path)
        data = path.read_bytes()
        assert (gzip.decompress(data) if path.suffix == ".gz" else data).decode().startswith(start)


def test_format_as_read() -> None:
    for text in ("He/PRP left/VBD\n", "He\tPRP\nleft\tVBD\n\n", '{"tokens": ["a"], "tags": ["b"]}\n'):
        out = io.StringIO()
        write(read(io.StringIO(text)), out)
        assert out.getvalue() == text


def test_streams(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    binary, text = io.BytesIO(), io.StringIO()
    write(CORPUS, binary)
    write(CORPUS, text)
    assert binary.getvalue().decode() == text.getvalue() == COLUMNS
    stdout = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stdout)
    write(CORPUS, "-")
    assert stdout.buffer.getvalue().decode() == COLUMNS  # type: ignore[attr-defined]


def test_columns_chosen_and_ordered() -> None:
    assert to_string(CORPUS, "conll", "label form").startswith("P Hé\n")
    assert to_string(CORPUS, "conll", ["form"]).startswith("Hé\nleft\n")
    with pytest.raises(ConfigError, match="unknown column of <memory> 'lable'; did you mean 'label'"):
        to_string(CORPUS, "conll", "form lable")
    with pytest.raises(ConfigError, match="unknown format 'xml'"):
        to_string(CORPUS, "xml")


def test_documents_and_comments_in_columns() -> None:
    text = "-DOCSTART- -X- O\n\n# one\na b c\n\n-DOCSTART- -X- O\n\n# two x y z\n# three\nd e f\n\n# end\n"
    assert to_string(read(io.StringIO(text), "conll"), "conll") == text


def test_blanks_need_tabs() -> None:
    corpus = Corpus.from_columns({"form": ["New York"], "label": ["L"]}, [1])
    assert to_string(corpus, "conll") == "New York\tL\n\n"


@pytest.mark.parametrize(
    ("format_name", "form"),
    [
        ("conll", ""),
        ("conll", "-DOCSTART-"),
        ("conll", "a\nb"),
        ("slashed", "a b"),
        ("segmented", "\u3000"),
        ("text", ""),
    ],
)
def test_strings_that_would_not_be_read_back(format_name: str, form: str) -> None:
    corpus = Corpus.from_columns({"form": [form]}, [1])
    corpus = corpus.with_column("label", ["S"]) if format_name == "slashed" else corpus
    with pytest.raises(DataError) as caught:
        to_string(corpus, format_name)
    assert str(caught.value) == f"<memory>: {format_name} cannot hold {form!r} of column 'form'"


def test_failures_leave_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "old.txt"
    path.write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(streams.os, "fsync", full)
    with pytest.raises(DataError, match=r"old\.txt: cannot write: no space left on device$"):
        write(CORPUS, path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_targets_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"x\.txt: cannot write: no such directory$"):
        write(CORPUS, tmp_path / "missing" / "x.txt")
    with pytest.raises(DataError, match=r"cannot write: is a directory, expected a file$"):
        write(CORPUS, tmp_path)


def test_links_and_modes_survive(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    write(CORPUS, link)
    assert link.is_symlink()
    assert real.read_text() == COLUMNS
    assert real.stat().st_mode & 0o777 == 0o640


def test_devices_are_written_not_replaced() -> None:
    write(CORPUS, os.devnull)
    assert not Path(os.devnull).is_file()
