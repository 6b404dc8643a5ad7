"""The text of a treebank, and the place of its tokens in it."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from tagloom.corpus import Corpus, read, restore_text
from tagloom.corpus.formats.conllu import get_lines
from tagloom.errors import DataError


def row(number: str, form: str, misc: str = "_") -> str:
    return "\t".join([number, form, *"_______", misc]) + "\n"


def read_text(text: str) -> Corpus:
    return read(io.StringIO(text), "conllu")


def sentence(*rows: tuple[str, ...], comments: str = "") -> str:
    return comments + "".join(row(*each) for each in rows) + "\n"


FIRST = sentence(
    ("1-2", "Don't"), ("1", "Do"), ("2", "n't"), ("3", "go", "SpaceAfter=No"), ("4", "!"),
    comments="# newdoc\n# newpar\n",
)  # fmt: skip
SECOND = sentence(("1", "«Hm»", "Gloss=x|SpaceAfter=No"), ("1.1", "empty"), ("2", "."))
THIRD = sentence(
    ("1", "1\u00a0000"), ("2-3", "km", "SpaceAfter=No"), ("2", "kilo"), ("3", "m"), ("4", "/h"),
    comments="# newpar id = 2\n",
)  # fmt: skip


def test_text_and_offsets() -> None:
    corpus = read_text(FIRST + SECOND + THIRD)
    restored = restore_text(corpus)
    assert restored.text == "Don't go! «Hm».\n\n1\u00a0000 km/h\n"
    assert restored.tokens() == ["Don't", "go", "!", "«Hm»", ".", "1\u00a0000", "km", "/h"]
    assert restored.words.tolist() == [0, 2, 3, 4, 5, 6, 7, 9, 10]
    assert restored.sentences.tolist() == [0, 3, 5, 8]
    assert [restored.sentence(number) for number in range(3)] == ["Don't go!", "«Hm».", "1\u00a0000 km/h"]
    assert repr(restored) == "<RestoredText: 28 characters, 8 tokens, 10 words, 3 sentences>"


@pytest.mark.parametrize(
    ("misc", "text"),
    [
        ("SpacesAfter=\\s\\s", "a  b\n"),
        ("SpacesAfter=\\u00A0", "a\u00a0b\n"),
        ("SpacesAfter=\\t\\n|X=1", "a\t\nb\n"),
        ("SpacesAfter=x", "a b\n"),  # not white space
        ("SpaceAfter=Yes", "a b\n"),
        ("CorrectSpaceAfter=No", "a b\n"),
        ("SpaceAfter=No|SpacesAfter=\\n", "ab\n"),
    ],
)
def test_white_space(misc: str, text: str) -> None:
    assert restore_text(read_text(row("1", "a", misc) + row("2", "b") + "\n")).text == text


def test_paragraphs_that_a_tool_has_kept() -> None:
    text = row("1", "a", "SpacesAfter=\\n\\n\\n") + "\n# newpar\n" + row("1", "b", "SpacesAfter=\\n") + "\n"
    assert restore_text(read_text(text)).text == "a\n\n\nb\n"


def test_corpora_without_white_space() -> None:
    corpus = Corpus.from_columns({"form": ["a", "b", "c"]}, [2, 0, 1], documents=[2, 1])
    restored = restore_text(corpus)
    assert (restored.text, restored.sentence(1)) == ("a b\n\nc\n", "")
    assert restore_text(Corpus.from_columns({"form": []}, [])).text == ""


@pytest.mark.parametrize("ranges", [("2-1",), ("2-3",), ("1-9",), ("1-2", "1-2"), ("0-1",)])
def test_ranges_that_do_not_fit(ranges: tuple[str, ...]) -> None:
    text = "".join(row(each, "ab") for each in ranges) + row("1", "a") + row("2", "b") + "\n"
    with pytest.raises(DataError, match=r"multiword token .* does not fit the 2 words of its sentence"):
        restore_text(read_text(text))


@pytest.mark.parametrize("part", ["train", "dev", "test"])
def test_the_text_of_a_treebank(data_dir: Path, part: str) -> None:
    """Equal to the comments ``# text`` of every sentence."""
    corpus = read(data_dir / f"ud-en-ewt/en_ewt-ud-{part}.conllu.xz")
    restored = restore_text(corpus)
    expected = {number: line[9:] for number, line in get_lines(corpus).comments if line.startswith("# text = ")}
    assert len(expected) == len(corpus)
    assert [restored.sentence(number) for number in range(len(corpus))] == list(expected.values())
