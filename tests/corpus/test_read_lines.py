"""Formats with a sentence a line: segmented, characters, slashed, text."""

from __future__ import annotations

import io

import pytest

from tagloom.corpus import Corpus, read, to_string
from tagloom.errors import ConfigError, DataError


def read_text(text: str, format_name: str) -> Corpus:
    return read(io.StringIO(text), format_name)


@pytest.mark.parametrize("blank", [" ", "  ", "\t", "\u3000"])
def test_segmented(blank: str) -> None:
    corpus = read_text(f"\ufeff我{blank}爱{blank}天安门\r\n\r\n中国{blank}\r\n", "segmented")
    assert corpus.names == ["form", "label"]
    assert list(corpus.iter_sentences("form")) == [list("我爱天安门"), list("中国")]
    assert list(corpus.iter_sentences("label")) == [list("SSBME"), list("BE")]
    assert to_string(corpus, "segmented") == "我  爱  天安门\n中国\n"


def test_segmented_from_any_labels() -> None:
    corpus = Corpus.from_columns({"form": list("abcdef"), "label": list("EMMBES")}, [6])
    assert to_string(corpus, "segmented") == "a  bc  de  f\n"


def test_segmented_from_words() -> None:
    corpus = Corpus.from_columns({"form": ["天安门", "大"], "label": ["n", "a"]}, [2])
    assert to_string(corpus, "segmented", "form") == "天安门  大\n"
    with pytest.raises(DataError, match=r"cannot hold 'n' of column 'label', expected B, M, E or S"):
        to_string(corpus, "segmented")


def test_characters() -> None:
    corpus = read_text("我爱\u3000天安门\n\n中 国\n", "characters")
    assert list(corpus.iter_sentences("form")) == [list("我爱天安门"), list("中国")]
    assert corpus.names == ["form"]


def test_slashed() -> None:
    corpus = read_text("1/2/CD of/IN //SYM \t　/w\n\nYes/UH", "slashed")
    assert list(corpus.iter_sentences("form")) == [["1/2", "of", "/", "　"], ["Yes"]]
    assert list(corpus.iter_sentences("label")) == [["CD", "IN", "SYM", "w"], ["UH"]]
    assert read(io.StringIO("a/b c/d"), "slashed", "form pos").names == ["form", "pos"]


@pytest.mark.parametrize("token", ["word", "/n", "word/", "/"])
def test_slashed_refuses(token: str) -> None:
    with pytest.raises(DataError, match=rf"^<stream>:3: expected word/TAG, found '{token}'$"):
        read_text(f"a/b\n\nc/d {token}\n", "slashed")


def test_text() -> None:
    corpus = read_text("He  left .\n \nYes\u00a0no\n", "text")
    assert list(corpus.iter_sentences("form")) == [["He", "left", "."], ["Yes", "no"]]
    assert to_string(corpus, "text") == "He left .\nYes no\n"


@pytest.mark.parametrize("format_name", ["text", "characters"])
def test_columns_are_not_dropped_silently(format_name: str) -> None:
    corpus = Corpus.from_columns({"form": ["a"], "label": ["b"]}, [1])
    with pytest.raises(ConfigError, match=f"{format_name} holds 1 column, got 2 .form label.; choose with columns="):
        to_string(corpus, format_name)
    assert to_string(corpus, format_name, "form") == "a\n"


def test_named_columns_must_fit() -> None:
    with pytest.raises(DataError, match=r"^<stream>: 2 columns named \(a b\), found 1$"):
        read(io.StringIO("He left\n"), "text", "a b")
