"""tagloom convert: formats, columns and label schemes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import tagloom as library
from tests.cli.outcome import Files, Tagloom

TEXT = "Ann NNP B-PER\nLee NNP I-PER\nleft VBD O\n\nYes UH O\n\n"


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("slashed", "Ann/B-PER Lee/I-PER left/O\nYes/O\n"),
        ("text", "Ann Lee left\nYes\n"),
        ("conll", TEXT),
        ("jsonl", '{"tokens": ["Ann", "Lee", "left"], "pos": ["NNP", "NNP", "VBD"], "tags": ["B-PER", "I-PER", "O"]}\n'
                  '{"tokens": ["Yes"], "pos": ["UH"], "tags": ["O"]}\n'),
    ],
)  # fmt: skip
def test_formats(tagloom: Tagloom, target: str, expected: str) -> None:
    assert tagloom("convert", "-", "-", "--to", target, stdin=TEXT).out == expected


def test_schemes_and_columns(tagloom: Tagloom) -> None:
    result = tagloom("convert", "-", "-", "--scheme", "bioes", "--keep", "label form", stdin=TEXT)
    assert result.out == "B-PER Ann\nE-PER Lee\nO left\n\nO Yes\n\n"
    named = ("--columns", "form pos ner", "--label", "ner", "--to", "slashed")
    assert tagloom("convert", "-", "-", *named, stdin=TEXT).out.startswith("Ann/B-PER ")
    assert "holds no spans" in tagloom("convert", "-", "-", "--scheme", "IOB1", "--label", "pos", stdin=TEXT).error
    assert "did you mean 'BIOES'" in tagloom("convert", "-", "-", "--scheme", "BIOE", stdin=TEXT).error


def test_the_ending_names_the_format(tagloom: Tagloom, tmp_path: Path, files: Files) -> None:
    for name in ("x.jsonl", "x.slashed.gz", "x.conll.xz"):
        result = tagloom("convert", files.test, tmp_path / name)
        assert (result.code, result.out) == (0, "")
        back = library.read(tmp_path / name)
        assert list(back.iter_sentences("label")) == list(library.read(files.test).iter_sentences("label"))


def test_unknown_formats(tagloom: Tagloom, tmp_path: Path, corpus_file: Callable[..., Path]) -> None:
    assert "did you mean 'jsonl'" in tagloom("convert", corpus_file(TEXT), tmp_path / "x", "--to", "json").error
    assert "unknown format 'xml'" in tagloom("convert", corpus_file(TEXT), tmp_path / "x", "--from", "xml").error
    assert not (tmp_path / "x").exists()
