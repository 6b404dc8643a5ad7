"""CoNLL columns: layouts, documents, comments, messages; the native path against the plain parser."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom.corpus import Corpus, read
from tagloom.errors import ConfigError, DataError
from tests.oracle.columns import read_columns

THREE = "He PRP O\nleft VBD O\n\nBonn NNP B-LOC\n"


def read_text(text: str, **options: object) -> Corpus:
    return read(io.BytesIO(text.encode()), "conll", **options)  # type: ignore[arg-type]


def as_documents(corpus: Corpus) -> list[list[list[list[str]]]]:
    columns = [list(corpus.iter_sentences(name)) for name in corpus.names]
    sentences = [[list(token) for token in zip(*rows)] for rows in zip(*columns)]
    return [sentences[start:stop] for start, stop in corpus.document_spans()]


@pytest.mark.parametrize("separator", [" ", "\t", "  ", " \t"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_separators_and_line_ends(separator: str, line_end: str) -> None:
    text = THREE.replace(" ", separator).replace("\n", line_end)
    corpus = read_text(text, separator="\t" if separator == "\t" else " ")
    assert corpus.names == ["form", "pos", "label"]
    assert as_documents(corpus) == [[[["He", "PRP", "O"], ["left", "VBD", "O"]], [["Bonn", "NNP", "B-LOC"]]]]
    assert not corpus.has_documents


def test_missing_final_newline_bom_and_blank_lines() -> None:
    corpus = read_text("\ufeff\n\n" + THREE.rstrip() + "\n   \n\t\n")
    assert corpus.sentence(0, "form") == ["He", "left"]
    assert len(corpus) == 2


@pytest.mark.parametrize(
    ("width", "names"),
    [
        (1, "form"),
        (2, "form label"),
        (3, "form pos label"),
        (4, "form pos chunk label"),
        (5, "form lemma pos chunk label"),
        (6, "form column2 column3 column4 column5 label"),
    ],
)
def test_default_names(width: int, names: str) -> None:
    assert read_text("\t".join("abcdef"[:width]) + "\n").names == names.split()


@pytest.mark.parametrize("columns", ["form pos chunk", ["form", "pos", "chunk"], ("form", "pos", "chunk")])
def test_named_columns(columns: object) -> None:
    assert read_text(THREE, columns=columns).names == ["form", "pos", "chunk"]


@pytest.mark.parametrize("blank", ["", "\n"])
@pytest.mark.parametrize("line", ["-DOCSTART- -X- O", "-DOCSTART-", "###MEDLINE:90092414", "-DOCSTART- -X- -X- -X- O"])
def test_document_lines(line: str, blank: str) -> None:
    corpus = read_text(f"{line}\n{blank}{THREE}{line}\n{blank}{THREE}")
    assert corpus.has_documents
    assert corpus.documents.tolist() == [0, 2, 4]
    assert corpus.token_count == 6


def test_comments_are_found_and_kept() -> None:
    corpus = read_text("# text = He left for Bonn\n# more\n" + THREE)
    assert corpus.token_count == 3
    hashes = read_text("# # B-NP\n5 CD I-NP\n\n" + THREE)
    assert hashes.sentence(0, "form") == ["#", "5"]
    named = read_text("%% note\n" + THREE, comment="%%")
    assert named.token_count == 3


@given(
    st.lists(st.sampled_from(["a b", "é c", "-DOCSTART- x", "-DOCSTART-", "", " ", "###MEDLINE:1", "x\ty", "a b\r"])),
    st.sampled_from(["\n", "\r\n"]),
)
def test_agrees_with_the_plain_parser(lines: list[str], line_end: str) -> None:
    text = line_end.join(["a b", *lines])
    corpus = read_text(text, separator=" ")
    assert as_documents(corpus) == read_columns(text, " ")


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("a b c\n" * 5 + "a b\n", {}, "<stream>:6: expected 3 columns (form pos label), found 2"),
        ("a b c\n", {"columns": "form pos chunk x"}, "<stream>:1: 4 columns named (form pos chunk x), found 3"),
        ("\n-DOCSTART- O\n\na b\n", {"columns": "x y z"}, "<stream>:4: 3 columns named (x y z), found 2"),
        ("a\tb\n" * 3 + "a\t\n", {}, "<stream>:4: column 2 is empty"),
        ("-DOCSTART- -X-\n", {}, "<stream>: no tokens found"),
    ],
)
def test_refusals_name_the_line(text: str, options: dict[str, str], message: str) -> None:
    with pytest.raises(DataError) as caught:
        read_text(text, **options)
    assert str(caught.value) == message


def test_options_are_checked() -> None:
    with pytest.raises(ConfigError, match="names that differ, got: form form"):
        read_text(THREE, columns="form form x")
    with pytest.raises(ConfigError, match="a blank or a tab, got ','"):
        read_text(THREE, separator=",")
    with pytest.raises(ConfigError, match="unknown format 'conl'; did you mean 'conll'"):
        read(io.StringIO(THREE), "conl")
