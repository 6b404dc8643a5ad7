"""CoNLL-U: words become tokens, everything else survives to the byte."""

from __future__ import annotations

import io

import pytest

from tagloom.corpus import Corpus, read, to_string
from tagloom.corpus.formats.conllu import CONLLU_COLUMNS
from tagloom.errors import ConfigError, DataError


def row(word_id: str, form: str, head: str = "0") -> str:
    return "\t".join([word_id, form, "_", "X", "_", "_", head, "dep", "_", "SpaceAfter=No"]) + "\n"


SENTENCE = (
    "# newdoc id = a\n# text = vámonos al mar\n"
    + row("1-2", "vámonos")
    + row("1", "vamos")
    + row("2", "nos nos", "1")
    + row("2.1", "empty")
    + row("3-4", "al")
    + row("3", "a")
    + row("4", "el")
    + row("4.1", "last")
    + "\n"
)
OTHER = "# sent_id = 2\n" + row("0.1", "first") + row("1", "mar") + "\n"


def read_text(text: str) -> Corpus:
    return read(io.StringIO(text), "conllu")


def test_words_only() -> None:
    corpus = read_text(SENTENCE + OTHER + SENTENCE)
    assert corpus.names == list(CONLLU_COLUMNS)
    assert corpus.sentence(0, "form") == ["vamos", "nos nos", "a", "el"]
    assert corpus.sentence(1, "form") == ["mar"]
    assert corpus.sentence(2, "id") == ["1", "2", "3", "4"]
    assert corpus.has_documents
    assert corpus.documents.tolist() == [0, 2, 3]


@pytest.mark.parametrize("text", [SENTENCE, OTHER, SENTENCE + OTHER + SENTENCE, OTHER + SENTENCE, OTHER + "# end\n"])
def test_same_bytes(text: str) -> None:
    assert to_string(read_text(text), "conllu") == text


def test_a_replaced_column_keeps_the_rest() -> None:
    corpus = read_text(SENTENCE).with_column("upos", ["VERB", "PRON", "ADP", "DET"])
    text = to_string(corpus, "conllu")
    assert "\n1\tvamos\t_\tVERB\t" in text
    assert "1-2\tvámonos" in text


def test_corpora_of_other_formats() -> None:
    corpus = Corpus.from_columns({"form": ["He", "left", "Yes"], "upos": ["PRON", "VERB", "INTJ"]}, [2, 1], [1, 1])
    text = to_string(corpus, "conllu")
    assert text.startswith("# newdoc\n1\tHe\t_\tPRON\t_\t_\t_\t_\t_\t_\n2\tleft")
    again = read_text(text)
    assert again.documents.tolist() == [0, 1, 2]
    with pytest.raises(ConfigError, match="unknown CoNLL-U column 'label'"):
        to_string(corpus.with_column("label", ["O"] * 3), "conllu")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SENTENCE + row("1", "a") + row("3", "b"), "<stream>:13: expected word id 2, found '3'"),
        ("# c\n" + row("2", "a"), "<stream>:2: expected word id 1, found '2'"),
        (row("1", "a") + row("x", "b"), "<stream>:2: expected word id 2, found 'x'"),
        (SENTENCE + row("1.1", "a"), "<stream>:12: the sentence has no word with an integer id"),
        ("1\ta\tb\n", "<stream>:1: expected 10 columns (id form lemma upos xpos feats head deprel deps misc), found 3"),
    ],
)
def test_refusals_name_the_line(text: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        read_text(text)
    assert str(caught.value) == message
