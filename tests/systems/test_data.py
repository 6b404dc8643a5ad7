"""Data of any kind: whatever a model can be trained on, it can be used and scored on, with the same result."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import tagloom
from tagloom.corpus import Corpus, write
from tagloom.corpus.schemes import IOB2
from tagloom.corpus.spans import decode_spans
from tagloom.errors import DataError
from tagloom.systems import Parser, PhraseChunker, Tagger
from tests.systems.toy import news
from tests.treebank import treebank

Data = Callable[[Corpus, Path], Any]


def labelled() -> Corpus:
    """Words and entities."""
    corpus = news().slice(0, 40)
    columns = {"form": corpus.column("form"), "label": corpus.column("ner")}
    return Corpus(columns, corpus.sentences, np.array([0, len(corpus)], np.int64))


def to_path(corpus: Corpus, folder: Path) -> Path:
    path = folder / ("trees.conllu" if "head" in corpus.columns else "labels.conll")
    write(corpus, path)
    return path


def to_pairs(corpus: Corpus, label: str = "label") -> list[tuple[list[str], list[str]]]:
    return list(zip(corpus.iter_sentences("form"), corpus.iter_sentences(label), strict=True))


def to_span_pairs(corpus: Corpus) -> list[tuple[list[str], list[tuple[int, int, str]]]]:
    column = corpus.column("label")
    spans = decode_spans(column.strings.strings(), column.codes, corpus.sentences, IOB2)
    pairs: list[tuple[list[str], list[tuple[int, int, str]]]] = [(words, []) for words in corpus.iter_sentences("form")]
    for sentence, start, stop, category in spans.tuples():
        first = int(corpus.sentences[sentence])
        pairs[sentence][1].append((start - first, stop - first, category))
    return pairs


#: Every kind of data that holds words and labels.
LABELLED: dict[str, Data] = {
    "path": to_path,
    "text of a path": lambda corpus, folder: str(to_path(corpus, folder)),
    "corpus": lambda corpus, _: corpus,
    "pairs": lambda corpus, _: to_pairs(corpus),
    "generator of pairs": lambda corpus, _: (pair for pair in to_pairs(corpus)),
    "pairs with spans": lambda corpus, _: to_span_pairs(corpus),
}
#: Every kind that holds trees.
TREES: dict[str, Data] = {
    "path": to_path,
    "text of a path": lambda corpus, folder: str(to_path(corpus, folder)),
    "corpus": lambda corpus, _: corpus,
}
#: Every kind that holds the words of a treebank.
WORDS: dict[str, Data] = {
    **TREES,
    "pairs": lambda corpus, _: to_pairs(corpus, "upos"),
    "generator of pairs": lambda corpus, _: (pair for pair in to_pairs(corpus, "upos")),
}

TAGGER: dict[str, Any] = {"epochs": 3}
CHUNKER: dict[str, Any] = {"system": "phrases", "cutoff": 1, "epochs": 2}
PARSER: dict[str, Any] = {"system": "parser", "epochs": 2, "tag_folds": 2, "tagger": {"epochs": 1}}


@functools.cache
def tagger() -> Tagger:
    return tagloom.train(labelled(), **TAGGER)


@functools.cache
def chunker() -> PhraseChunker:
    return tagloom.train(labelled(), **CHUNKER)


@functools.cache
def parser() -> Parser:
    return tagloom.train(treebank(12), **PARSER)


@pytest.mark.parametrize("kind", LABELLED)
def test_labelled_data_of_any_kind_trains_the_same_model(kind: str, tmp_path: Path) -> None:
    make = LABELLED[kind]
    assert tagloom.train(make(labelled(), tmp_path), **TAGGER).to_bytes() == tagger().to_bytes()
    assert tagloom.train(make(labelled(), tmp_path), **CHUNKER).to_bytes() == chunker().to_bytes()


@pytest.mark.parametrize("kind", LABELLED)
def test_a_tagger_takes_what_train_takes(kind: str, tmp_path: Path) -> None:
    model, corpus = tagger(), labelled()
    give = functools.partial(LABELLED[kind], corpus, tmp_path)
    assert model.evaluate(give()).to_dict() == model.evaluate(corpus).to_dict()
    assert model.annotate(give()).column("label").texts() == model.annotate(corpus).column("label").texts()
    assert model.tag_corpus(give()).texts() == model.tag_corpus(corpus).texts()
    (labels, sure), (expected, expected_sure) = (model.confidences(data, calibrated=False) for data in (give(), corpus))
    assert (labels.texts(), sure.tolist()) == (expected.texts(), expected_sure.tolist())
    assert model.nbest_corpus(give(), 2) == model.nbest_corpus(corpus, 2)


@pytest.mark.parametrize("kind", LABELLED)
def test_a_chunker_takes_what_train_takes(kind: str, tmp_path: Path) -> None:
    model, corpus = chunker(), labelled()
    give = functools.partial(LABELLED[kind], corpus, tmp_path)
    assert model.evaluate(give()).to_dict() == model.evaluate(corpus).to_dict()
    assert model.annotate(give()).column("label").texts() == model.annotate(corpus).column("label").texts()
    assert model.tag_corpus(give()).texts() == model.tag_corpus(corpus).texts()
    assert list(model.spans_corpus(give()).tuples()) == list(model.spans_corpus(corpus).tuples())


@pytest.mark.parametrize("kind", TREES)
def test_a_parser_is_trained_and_scored_on_trees_of_any_kind(kind: str, tmp_path: Path) -> None:
    model, corpus = parser(), treebank(12)
    give = functools.partial(TREES[kind], corpus, tmp_path)
    again = tagloom.train(give(), **PARSER)
    assert again.parameters.weights.tobytes() == model.parameters.weights.tobytes()
    assert model.evaluate(give()).to_dict() == model.evaluate(corpus).to_dict()


@pytest.mark.parametrize("kind", WORDS)
def test_a_parser_parses_words_of_any_kind(kind: str, tmp_path: Path) -> None:
    model, corpus = parser(), treebank(12)
    give = functools.partial(WORDS[kind], corpus, tmp_path)
    trees, expected = model.parse_corpus(give()), model.parse_corpus(corpus)
    assert trees.heads.tolist() == expected.heads.tolist()
    annotated = model.annotate(give())
    for name in ("upos", "head", "deprel"):
        assert annotated.column(name).texts() == model.annotate(corpus).column(name).texts()


@pytest.mark.parametrize("model", [tagger, chunker, parser])
def test_data_of_no_kind_is_one_line(model: Callable[[], Any]) -> None:
    for bad in (5, None, [1, 2], "no/such/file", [(["a"], ["X"], "more")]):
        for method in (model().evaluate, model().annotate):
            with pytest.raises(tagloom.TagloomError) as error:
                method(bad)
            assert "\n" not in str(error.value)


def test_a_column_that_named_data_lacks_is_missing(tmp_path: Path) -> None:
    """It is never another column in its place."""
    path = tmp_path / "data"
    path.write_text("the DT B\ndog NN I\n\n" * 3)
    model = tagloom.train(path, columns="form pos chunk", templates="chunking", epochs=1)
    columns = {"form": [["the", "dog"]], "lemma": [["the", "dog"]], "label": [["B", "I"]]}
    for data in (columns, pandas.DataFrame(columns), [{name: rows[0] for name, rows in columns.items()}]):
        with pytest.raises(DataError, match=r"<memory>: missing column: pos \(the model reads form pos, found form "):
            model.annotate(data)
    with pytest.raises(DataError, match="missing column: chunk"):
        model.evaluate({"form": [["the", "dog"]], "pos": [["DT", "NN"]], "lemma": [["the", "dog"]]})
    assert model.evaluate(path).to_dict() == model.evaluate([[("the", "DT", "B"), ("dog", "NN", "I")]] * 3).to_dict()
    assert model.annotate([[("the", "DT"), ("dog", "NN")]]).names == ["form", "pos", "chunk"]


@pytest.mark.parametrize("to_number", [int, np.int64])
def test_heads_may_be_integers(to_number: Callable[[str], Any]) -> None:
    corpus = treebank(12)
    names = ("form", "upos", "head", "deprel")
    columns: dict[str, Any] = {name: list(corpus.iter_sentences(name)) for name in names}
    columns["head"] = [list(map(to_number, row)) for row in columns["head"]]
    tokens = [(n, *row) for n in range(len(corpus)) for row in zip(*(columns[name][n] for name in names), strict=True)]
    model, expected = parser(), parser().evaluate(corpus).to_dict()
    for data in (columns, pandas.DataFrame(columns), pandas.DataFrame(tokens, columns=["sentence_id", *names])):
        assert model.evaluate(data).to_dict() == expected
    bare = Corpus({name: corpus.column(name) for name in names}, corpus.sentences, np.array([0, len(corpus)], np.int64))
    assert tagloom.train(columns, **PARSER).to_bytes() == tagloom.train(bare, **PARSER).to_bytes()


def test_sentences_without_spans_can_be_scored() -> None:
    pairs = [(["the", "dog"], [])]
    assert chunker().evaluate(pairs).to_dict() == chunker().evaluate([(["the", "dog"], ["O", "O"])]).to_dict()
    assert tagger().evaluate(pairs).to_dict() == tagger().evaluate([(["the", "dog"], ["O", "O"])]).to_dict()
