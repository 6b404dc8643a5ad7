"""What is written is read back: random corpora through every format."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom.corpus import Column, Corpus, read, to_string, write
from tagloom.errors import DataError

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4)
WORD = TEXT.filter(lambda text: not any(c.isspace() or c == "\0" for c in text))
LABEL = st.sampled_from(["O", "B-X", "I-X", "n", ".", "a:b", "\\"])


@st.composite
def corpora(draw: st.DrawFn, words: st.SearchStrategy[str], width: int, documents: bool = False) -> Corpus:
    lengths = draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
    names = ["form", "pos", "chunk", "label"]
    strategies = [words, *[LABEL] * (width - 1)]
    columns = {
        name: draw(st.lists(strategy, min_size=sum(lengths), max_size=sum(lengths)))
        for name, strategy in zip(names[: width - 1] + names[-1:] if width > 1 else names, strategies)
    }
    cuts = sorted(draw(st.sets(st.integers(1, len(lengths) - 1)))) if documents and len(lengths) > 1 else []
    counts = np.diff([0, *cuts, len(lengths)]).tolist() if documents else None
    return Corpus.from_columns(columns, lengths, counts)


def assert_equal(left: Corpus, right: Corpus) -> None:
    assert left.names == right.names
    assert left.sentences.tolist() == right.sentences.tolist()
    assert left.documents.tolist() == right.documents.tolist()
    assert left.has_documents == right.has_documents
    for name in left.names:
        a, b = left.column(name), right.column(name)
        assert [a.strings[code] for code in a.codes.tolist()] == [b.strings[code] for code in b.codes.tolist()]
        assert a.is_bag == b.is_bag
        for one, two in ((a.offsets, b.offsets), (a.values, b.values)):
            assert (one is None and two is None) or np.array_equal(one, two)  # type: ignore[arg-type]


def again(corpus: Corpus, format_name: str) -> Corpus:
    out = io.BytesIO()
    write(corpus, out, format_name)
    return read(io.BytesIO(out.getvalue()), format_name, corpus.names)


@pytest.mark.parametrize("format_name", ["conll", "jsonl"])
@pytest.mark.parametrize("width", [1, 2, 4])
@given(data=st.data(), documents=st.booleans())
def test_columns_and_jsonl(format_name: str, width: int, data: st.DataObject, documents: bool) -> None:
    corpus = data.draw(corpora(WORD, width, documents))
    assert_equal(again(corpus, format_name), corpus)


@given(corpora(TEXT, 3, documents=True))
def test_any_text_is_kept_or_refused(corpus: Corpus) -> None:
    assert_equal(again(corpus, "jsonl"), corpus)
    for format_name in ("conll", "conllu"):
        chosen = corpus if format_name == "conll" else corpus.rename(["form", "lemma", "upos"])
        try:
            text = to_string(chosen, format_name)
        except DataError:
            continue
        back = read(io.BytesIO(("\ufeff" + text).encode()), format_name)
        assert list(back.iter_sentences("form")) == list(chosen.iter_sentences("form"))
        assert back.documents.tolist() == chosen.documents.tolist()


@given(corpora(WORD, 2))
def test_slashed(corpus: Corpus) -> None:
    assert_equal(again(corpus, "slashed"), corpus)


@given(corpora(WORD, 1))
def test_text(corpus: Corpus) -> None:
    assert_equal(again(corpus, "text"), corpus)


@given(st.lists(st.lists(WORD, min_size=1), min_size=1))
def test_segmented(lines: list[list[str]]) -> None:
    text = "".join("  ".join(words) + "\n" for words in lines)
    corpus = read(io.BytesIO(("\ufeff" + text).encode()), "segmented")
    assert to_string(corpus, "segmented") == text
    assert_equal(again(corpus, "segmented"), corpus)
    raw = Corpus.from_columns({"form": corpus.column("form")}, np.diff(corpus.sentences).tolist())
    assert_equal(again(raw, "characters"), raw)


@given(corpora(WORD, 2), st.data())
def test_crfsuite(corpus: Corpus, data: st.DataObject) -> None:
    counts = data.draw(st.lists(st.integers(0, 3), min_size=corpus.token_count, max_size=corpus.token_count))
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    size = int(offsets[-1])
    names = Column.from_strings(data.draw(st.lists(WORD, min_size=size, max_size=size)))
    values = data.draw(st.lists(st.floats(-1e6, 1e6, width=32), min_size=size, max_size=size))
    bag = Column(names.codes, names.strings, offsets, np.array(values, dtype=np.float32))
    built = Corpus.from_columns(
        {"label": corpus.column("label"), "attributes": bag}, np.diff(corpus.sentences).tolist()
    )
    assert_equal(again(built, "crfsuite"), built)
