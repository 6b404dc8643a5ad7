"""DocBin, the binary format of spaCy: read, written, annotated, and refused in one line."""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagloom import datasets
from tagloom.corpus import FORMATS, Column, Corpus, read, read_batches, to_string, write
from tagloom.corpus.layers import HEADS, RELATIONS, Layer
from tagloom.corpus.schemes import IOB2
from tagloom.errors import ConfigError, DataError

pytest.importorskip("spacy", reason="spaCy is not installed")

from spacy.tokens import Doc, DocBin, Span
from spacy.vocab import Vocab

WORD = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=4).filter(
    lambda text: not text.isspace()
)


def pack(*docs: Doc, **options: Any) -> bytes:
    return DocBin(docs=docs, **options).to_bytes()


def open_bin(data: bytes) -> list[Doc]:
    return list(DocBin().from_bytes(data).get_docs(Vocab()))


def build_doc(**options: Any) -> Doc:
    """Two sentences, with white space as tokens, a tree, tags and entities."""
    words = ["Bob", " ", "Lee", "left", "Paris", ".", "\n\n", "He", "slept", "."]
    spaces = [True, False, True, True, False, False, False, True, False, False]
    doc = Doc(
        Vocab(),
        words=words,
        spaces=spaces,
        tags=["NNP", "_SP", "NNP", "VBD", "NNP", ".", "_SP", "PRP", "VBD", "."],
        pos=["PROPN", "SPACE", "PROPN", "VERB", "PROPN", "PUNCT", "SPACE", "PRON", "VERB", "PUNCT"],
        morphs=["", "", "", "Tense=Past", "", "", "", "Case=Nom", "Tense=Past", ""],
        lemmas=["Bob", " ", "Lee", "leave", "Paris", ".", "\n\n", "he", "sleep", "."],
        heads=[3, 0, 1, 3, 3, 3, 5, 8, 8, 8],  # the head of Lee is the blank before it, whose head is Bob
        deps=["nsubj", "dep", "flat", "ROOT", "obj", "punct", "dep", "nsubj", "ROOT", "punct"],
        ents=["B-PER", "I-PER", "I-PER", "O", "B-LOC", "O", "O", "O", "O", "O"],
        **options,
    )
    doc.spans["chunk"] = [Span(doc, 0, 3, "NP"), Span(doc, 4, 5, "NP")]
    doc.spans["nested"] = [Span(doc, 0, 3, "A"), Span(doc, 2, 4, "B")]
    return doc


def test_columns_of_documents() -> None:
    said: list[str] = []
    corpus = read(io.BytesIO(pack(build_doc())), on_guess=said.append)
    assert said == ["<stream>: guessed spaCy DocBin (binary)"]
    assert corpus.names == ["form", "lemma", "upos", "xpos", "feats", "head", "deprel", "chunk", "label"]
    assert list(corpus.iter_sentences("form")) == [["Bob", "Lee", "left", "Paris", "."], ["He", "slept", "."]]
    assert corpus.sentence(0, "head") == ["3", "1", "0", "3", "3"]
    assert corpus.sentence(1, "head") == ["2", "0", "2"]
    assert corpus.sentence(0, "deprel") == ["nsubj", "flat", "root", "obj", "punct"]
    assert corpus.sentence(0, "label") == ["B-PER", "I-PER", "O", "B-LOC", "O"]
    assert corpus.sentence(0, "chunk") == ["B-NP", "I-NP", "O", "B-NP", "O"]
    assert corpus.sentence(1, "feats") == ["Case=Nom", "Tense=Past", "_"]
    assert corpus.sentence(1, "upos") == ["PRON", "VERB", "PUNCT"]
    assert corpus.sentence(1, "xpos") == ["PRP", "VBD", "."]
    assert corpus.sentence(1, "lemma") == ["he", "sleep", "."]
    assert (corpus.label, corpus.has_documents) == ("label", True)


def test_named_columns() -> None:
    data = pack(build_doc())
    assert read(io.BytesIO(data), columns="form pos ner").column("pos").texts()[:2] == ["NNP", "NNP"]
    assert read(io.BytesIO(data), columns="word topic").column("topic").texts()[3] == "B-LOC"  # the last: labels
    with pytest.raises(ConfigError, match=r"unknown annotation of <stream> 'wrong'"):
        read(io.BytesIO(data), columns="form wrong label")
    bare = pack(Doc(Vocab(), words=["He", "left"]))
    assert read(io.BytesIO(bare)).names == ["form"]
    with pytest.raises(ConfigError, match=r"unknown annotation of <stream> 'head'"):
        read(io.BytesIO(bare), columns="form head deprel")


def test_documents_without_sentence_boundaries_are_sentences() -> None:
    vocab = Vocab()
    docs = [Doc(vocab, words=words) for words in (["a", "b"], [], ["\n"], ["c"])]
    corpus = read(io.BytesIO(pack(*docs)))
    assert list(corpus.iter_sentences("form")) == [["a", "b"], ["c"]]
    assert not corpus.has_documents
    with pytest.raises(DataError, match="no tokens found"):
        read(io.BytesIO(pack(docs[1], docs[2])))


@settings(max_examples=30)
@given(st.data())
def test_what_is_written_is_read_back(data: st.DataObject) -> None:
    counts = data.draw(st.lists(st.integers(2, 4), min_size=1, max_size=3))  # sentences of documents
    lengths = data.draw(st.lists(st.integers(1, 4), min_size=sum(counts), max_size=sum(counts)))
    draw = lambda values: data.draw(st.lists(values, min_size=sum(lengths), max_size=sum(lengths)))  # noqa: E731
    upos = st.sampled_from(["NOUN", "VERB", "X"])
    heads = [head for length in lengths for head in ("0", *["1"] * (length - 1))]
    spans = [label for length in lengths for label in ("B-X", *["I-X"] * (length - 1))]
    columns = {
        "form": draw(WORD), "lemma": draw(WORD.filter(lambda text: text != "_")), "upos": draw(upos),
        "xpos": draw(st.sampled_from(["NN", "."])), "head": heads,
        "deprel": ["root" if head == "0" else "det" for head in heads], "chunk": spans, "label": spans,
    }  # fmt: skip
    corpus = Corpus.from_columns(columns, lengths, counts)
    stream = io.BytesIO()
    write(corpus, stream, "spacy")
    again = read(io.BytesIO(stream.getvalue()))
    assert again.names == corpus.names
    assert again.sentences.tolist() == corpus.sentences.tolist()
    assert again.documents.tolist() == corpus.documents.tolist()
    for name in columns:
        assert again.column(name).texts() == corpus.column(name).texts(), name


def test_the_same_model_is_learned_from_both_formats(tmp_path: Path) -> None:
    import tagloom

    corpus = datasets.newswire(3, seed=2)
    for name in ("x.txt", "x.spacy", "x.spacy.gz"):
        write(corpus, tmp_path / name, columns="form pos ner", format=None if "spacy" in name else "conll")
    columns = "form pos label"
    expected = read(tmp_path / "x.txt", columns=columns)
    for name in ("x.spacy", "x.spacy.gz"):
        found = read(tmp_path / name, columns=columns)
        for column in ("form", "pos", "label"):
            assert found.column(column).strings.strings() == expected.column(column).strings.strings()
        models = [tagloom.train(each, epochs=2) for each in (expected, found)]
        tagged = [model.annotate(expected).column("label").texts() for model in models]
        assert tagged[0] == tagged[1]


def test_annotated_documents_keep_everything_else() -> None:
    doc = build_doc()
    doc.cats = {"news": 1.0}
    doc.user_data["key"] = "value"
    corpus = read(io.BytesIO(pack(doc, store_user_data=True)), columns="form")
    count = corpus.token_count
    predicted = {
        "upos": Column.from_strings(["X"] * count),
        "ner": Column.from_strings(["O"] * (count - 1) + ["B-Z"]),
        "head": Column.from_strings(["0", "1", "1", "1", "1", "0", "1", "1"]),
        "deprel": Column.from_strings(["root", *["det"] * 4, "root", "det", "det"]),
    }
    layers = [Layer("upos"), Layer("head", HEADS), Layer("deprel", RELATIONS), Layer("ner", scheme=IOB2)]
    (found,) = open_bin(FORMATS["spacy"].annotate(corpus, predicted, layers, "form"))  # type: ignore[arg-type]
    assert found.text == doc.text
    assert found.cats == {"news": 1.0}
    assert found.user_data["key"] == "value"
    assert [(ent.text, ent.label_) for ent in found.ents] == [(".", "Z")]
    assert {token.pos_ for token in found if not token.text.isspace()} == {"X"}
    assert [token.tag_ for token in found] == [token.tag_ for token in doc]
    assert [token.head.text for token in found if not token.text.isspace()] == ["Bob"] * 5 + ["He"] * 3
    assert [token.text for token in doc] == [token.text for token in found]
    assert [sent.text.strip() for sent in found.sents] == ["Bob  Lee left Paris.", "He slept."]


def test_other_corpora_become_documents() -> None:
    text = io.StringIO("He left. She slept.\n\nYes.\n")
    corpus = read(text, "text", tokenizer="unicode")
    labels = Column.from_strings(["B-X", *["O"] * (corpus.token_count - 1)])
    data = FORMATS["spacy"].annotate(corpus, {"ner": labels}, [Layer("ner", scheme=IOB2)], "form")
    docs = open_bin(data)  # type: ignore[arg-type]
    assert [doc.text for doc in docs] == ["He left. She slept.", "Yes."]
    assert [len(list(doc.sents)) for doc in docs] == [2, 1]
    assert [[ent.text for ent in doc.ents] for doc in docs] == [["He"], []]


def test_white_space_of_treebanks() -> None:
    rows = ["1\tdu\tde\tADP\t_\t_\t2\tcase\t_\tSpaceAfter=No", "2\tmot\tmot\tNOUN\t_\t_\t0\troot\t_\t_"]
    stream = io.BytesIO()
    write(read(io.StringIO("\n".join([*rows, "", ""]))), stream, "spacy")
    (doc,) = open_bin(stream.getvalue())
    assert doc.text == "dumot "
    again = io.BytesIO()
    write(read(io.BytesIO(stream.getvalue())), again, "spacy")
    assert open_bin(again.getvalue())[0].text == "dumot "


def test_trees_without_relations() -> None:
    stream = io.BytesIO()
    write(Corpus.from_columns({"form": ["He", "left"], "head": ["2", "0"]}, [2]), stream, "spacy")
    assert read(io.BytesIO(stream.getvalue())).names == ["form", "head"]
    assert read(io.BytesIO(stream.getvalue()), columns="form head deprel").sentence(0, "deprel") == ["dep", "root"]


def test_batches_are_joined() -> None:
    join = FORMATS["spacy"].join
    assert join is not None
    pieces = [pack(Doc(Vocab(), words=[word]), store_user_data=True) for word in "abc"]
    assert [doc.text.strip() for doc in open_bin(join(pieces))] == ["a", "b", "c"]


class Trickle(io.BytesIO):
    def read1(self, size: int | None = -1) -> bytes:
        return super().read(min(size or 1, 7))


def test_a_stream_is_one_batch() -> None:
    data = pack(*[build_doc() for _ in range(3)])
    for stream in (Trickle(data), Trickle(gzip.compress(data))):
        (batch,) = read_batches(stream, batch_bytes=10)
        assert batch.token_count == 24


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"He left\n", "damaged, or not a DocBin of spaCy"),
        (zlib.compress(b"He left\n"), "damaged, or not a DocBin of spaCy"),
        (zlib.compress(b"\x80"), "damaged, or not a DocBin of spaCy"),
        (pack(build_doc())[:-20], "damaged, or not a DocBin of spaCy"),
    ],
)
def test_damage_is_one_line(data: bytes, message: str) -> None:
    with pytest.raises(DataError, match=rf"^<stream>: {message}") as caught:
        read(io.BytesIO(data), "spacy")
    assert "\n" not in str(caught.value)


@given(st.integers(0, 3000), st.binary(min_size=1, max_size=8))
def test_a_corpus_or_a_data_error(place: int, noise: bytes) -> None:
    content = bytearray(zlib.decompress(pack(build_doc())))
    content[place % len(content) : place % len(content) + len(noise)] = noise
    try:
        corpus = read(io.BytesIO(zlib.compress(bytes(content))))
    except (DataError, ConfigError) as error:
        message = str(error)
    else:
        assert corpus.check() is corpus
        message = ""
    assert "\n" not in message


def test_what_it_cannot_hold() -> None:
    corpus = Corpus.from_columns({"form": ["a"], "xpos": ["N"], "topic": ["t"]}, [1])
    with pytest.raises(ConfigError, match="spaCy has no place for column 'topic'"):
        write(corpus, io.BytesIO(), "spacy")
    with pytest.raises(ConfigError, match="spacy is a binary format, not text"):
        to_string(corpus, "spacy", "form xpos")
    with pytest.raises(ConfigError, match="open the stream with mode 'wb'"):
        write(corpus, io.StringIO(), "spacy", "form xpos")
    with pytest.raises(ConfigError, match="holds one labelling of a document"):
        FORMATS["spacy"].annotate_nbest(corpus, [], Layer("label"), "form")
    bag = Column(np.zeros(1, np.int32), Column.from_strings(["x"]).strings, np.array([0, 1]))
    with pytest.raises(DataError, match="cannot hold column 'bag'"):
        write(corpus.with_column("bag", bag), io.BytesIO(), "spacy")
    with pytest.raises(DataError, match="<stream>:1: "):
        read(io.BytesIO(pack(build_doc())), "conll")


def test_heads_and_words_that_it_cannot_hold() -> None:
    corpus = Corpus.from_columns({"form": ["a", "b"], "head": ["2", "_"], "deprel": ["det", "_"]}, [2])
    with pytest.raises(DataError, match="sentence 1, word 2: head of 'b' is missing"):
        write(corpus, io.BytesIO(), "spacy")
    with pytest.raises(DataError, match="sentence 1, word 2: a document of spaCy cannot hold an empty word"):
        write(Corpus.from_columns({"form": ["a", ""]}, [2]), io.BytesIO(), "spacy")
    stream = io.BytesIO()
    write(corpus.with_column("head", ["_", "_"]), stream, "spacy")
    assert not open_bin(stream.getvalue())[0].has_annotation("DEP")


def test_spacy_is_named_when_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "spacy.tokens", None)
    with pytest.raises(ConfigError, match=r'^<stream>: a DocBin needs spaCy: pip install "tagloom\[spacy\]"$'):
        read(io.BytesIO(pack(build_doc())))
