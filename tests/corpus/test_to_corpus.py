"""One entrance for data: the same two sentences, handed over in every way, are the same corpus."""

from __future__ import annotations

import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas
import pytest

from tagloom.corpus import Column, Corpus, Layer, from_hf, get_format, read, read_batches, rows_to_corpus, to_corpus
from tagloom.corpus.schemes import IOB2
from tagloom.errors import ConfigError, DataError

WORDS = [["in", "New", "York"], ["Yes"]]
LABELS = [["O", "B-LOC", "I-LOC"], ["O"]]
SPANS: list[list[Any]] = [[(1, 3, "LOC")], []]
TEXT = "in O\nNew B-LOC\nYork I-LOC\n\nYes O\n"
CLASSES = ["O", "B-LOC", "I-LOC"]
NUMBERS = [[CLASSES.index(label) for label in row] for row in LABELS]
DOCCANO = [{"id": 1, "text": "in New York", "label": [[3, 11, "LOC"]]}, {"id": 2, "text": "Yes", "label": []}]
PRODIGY = [
    {
        "text": "in New York",
        "tokens": [
            {"text": "in", "start": 0, "end": 2, "id": 0, "ws": True},
            {"text": "New", "start": 3, "end": 6, "id": 1, "ws": True},
            {"text": "York", "start": 7, "end": 11, "id": 2, "ws": False},
        ],
        "spans": [{"start": 3, "end": 11, "token_start": 1, "token_end": 2, "label": "LOC"}],
        "answer": "accept",
    },
    {"text": "Yes", "tokens": [{"text": "Yes", "start": 0, "end": 3, "id": 0}], "spans": [], "answer": "accept"},
]
REFUSED: list[dict[str, Any]] = [{"text": "no", "answer": "reject"}, {**PRODIGY[0], "answer": "ignore"}]


class Dataset:
    """What is used of ``datasets.Dataset``."""

    def __init__(self, columns: dict[str, Any], features: dict[str, Any]) -> None:
        self.columns, self.features = columns, features

    @property
    def column_names(self) -> list[str]:
        return list(self.columns)

    def __getitem__(self, name: str) -> Any:
        return self.columns[name]

    def __iter__(self) -> Any:
        return iter([dict(zip(self.columns, row)) for row in zip(*self.columns.values())])


def classes(names: list[str]) -> SimpleNamespace:
    return SimpleNamespace(feature=SimpleNamespace(names=names))


def frame(**columns: Any) -> Any:
    return pandas.DataFrame(columns)


FLAT: dict[str, Any] = {
    "word": [word for row in WORDS for word in row],
    "tag": [label for row in LABELS for label in row],
}
WITH_LABELS: dict[str, Any] = {
    "stream": lambda: io.StringIO(TEXT),
    "corpus": lambda: read(io.StringIO(TEXT), "conll"),
    "pairs": lambda: list(zip(WORDS, LABELS)),
    "pairs as lists": lambda: [[words, labels] for words, labels in zip(WORDS, LABELS)],
    "pairs of tuples": lambda: [(tuple(words), tuple(labels)) for words, labels in zip(WORDS, LABELS)],
    "generator": lambda: ((words, labels) for words, labels in zip(WORDS, LABELS)),
    "spans": lambda: list(zip(WORDS, SPANS)),
    "span dicts": lambda: [(WORDS[0], [{"start": 1, "end": 3, "label": "LOC"}]), (WORDS[1], [])],
    "tuples": lambda: [list(zip(words, labels)) for words, labels in zip(WORDS, LABELS)],
    "generators of tuples": lambda: (zip(words, labels) for words, labels in zip(WORDS, LABELS)),
    "columns": lambda: {"form": WORDS, "label": LABELS},
    "sentence dicts": lambda: [{"form": words, "label": labels} for words, labels in zip(WORDS, LABELS)],
    "hugging face dict": lambda: {"id": ["1", "2"], "tokens": WORDS, "ner_tags": LABELS},
    "hugging face rows": lambda: [{"tokens": words, "ner_tags": labels} for words, labels in zip(WORDS, LABELS)],
    "dataset": lambda: Dataset({"tokens": WORDS, "ner_tags": NUMBERS}, {"ner_tags": classes(CLASSES)}),
    "dataset with arrays": lambda: Dataset(
        {"id": [1, 2], "words": WORDS, "labels": [np.array(row) for row in NUMBERS]},
        {"labels": [SimpleNamespace(names=CLASSES)]},
    ),
    "frame of tokens": lambda: frame(sentence_id=[7, 7, 7, 8], **FLAT),
    "frame with gaps": lambda: pandas.DataFrame(
        {"Sentence #": ["Sentence: 1", None, None, "Sentence: 2"], "Word": FLAT["word"], "Tag": FLAT["tag"]}
    ),
    "frame of sentences": lambda: frame(tokens=WORDS, labels=LABELS),
    "records": lambda: [{"tokens": words, "tags": labels} for words, labels in zip(WORDS, LABELS)],
    "doccano": lambda: DOCCANO,
    "doccano entities": lambda: [
        {"text": "in New York", "entities": [{"id": 3, "label": "LOC", "start_offset": 3, "end_offset": 11}]},
        {"text": "Yes", "entities": []},
    ],
    "doccano, older": lambda: [{"data" if key == "text" else key: row[key] for key in row} for row in DOCCANO],
    "prodigy": lambda: PRODIGY,
    "prodigy, refused": lambda: [REFUSED[0], PRODIGY[0], REFUSED[1], PRODIGY[1]],
}


@pytest.mark.parametrize("kind", WITH_LABELS)
def test_labelled_data(kind: str) -> None:
    corpus = to_corpus(WITH_LABELS[kind]())
    assert corpus.names == ["form", "label"]
    assert list(corpus.iter_sentences("form")) == WORDS
    assert list(corpus.iter_sentences("label")) == LABELS


@pytest.mark.parametrize("data", [WORDS, iter(WORDS), {"tokens": WORDS}, [{"text": "in New York"}, {"text": "Yes"}]])
def test_words_only(data: Any) -> None:
    corpus = to_corpus(data)
    assert corpus.names == ["form"]
    assert list(corpus.iter_sentences("form")) == WORDS


@pytest.mark.parametrize("records", [DOCCANO, WITH_LABELS["doccano, older"](), PRODIGY, [*REFUSED, *PRODIGY]])
def test_files_of_annotation_tools(tmp_path: Path, records: list[Any]) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    for source in (path, str(path), io.StringIO(path.read_text())):
        assert list(to_corpus(source).iter_sentences("label")) == LABELS


def test_a_note_says_that_refused_records_are_left_out() -> None:
    text = "".join(json.dumps(record) + "\n" for record in [*PRODIGY, *REFUSED, *REFUSED])
    note = '<stream>: records with the answer "reject" or "ignore" are left out'
    notes: list[str] = []
    assert len(read(io.StringIO(text), "jsonl", on_guess=notes.append)) == 2
    assert notes == [note]
    batches = list(read_batches(io.StringIO(text), "jsonl", on_guess=notes.append, batch_bytes=1))
    assert sum(map(len, batches)) == 2
    assert notes == [note, note]
    assert len(to_corpus(REFUSED)) == 0


def test_annotated_records_of_older_doccano_keep_their_offsets() -> None:
    corpus = read(io.StringIO('{"data": "in New York", "label": []}\n'))
    labels = Column.from_strings(["O", "B-LOC", "I-LOC"])
    written = get_format(corpus).annotate(corpus, {"ner": labels}, [Layer("ner", scheme=IOB2)], "form")
    assert json.loads(written)["spans"] == [[3, 11, "LOC"]]


HEADS = [[2, 0], [0]]


@pytest.mark.parametrize(
    "data",
    [
        {"form": [["the", "dog"], ["Yes"]], "head": HEADS, "deprel": [["det", "root"], ["root"]]},
        {"form": [["the", "dog"], ["Yes"]], "head": list(map(np.array, HEADS)), "deprel": [["a", "b"], ["c"]]},
        frame(sentence_id=[1, 1, 2], form=["the", "dog", "Yes"], head=[2, 0, 0], deprel=["det", "root", "root"]),
        frame(form=[["the", "dog"], ["Yes"]], head=HEADS, deprel=[["det", "root"], ["root"]]),
        [{"form": ["the", "dog"], "head": [2, 0], "deprel": ["a", "b"]}, {"form": ["x"], "head": [0], "deprel": ["c"]}],
    ],
)
def test_heads_are_integers(data: Any) -> None:
    corpus = to_corpus(data)
    assert corpus.names == ["form", "head", "deprel"]
    assert list(corpus.iter_sentences("head")) == [["2", "0"], ["0"]]


def test_heads_of_records_under_any_key() -> None:
    line = '{"tokens": ["the", "dog"], "head": [2, 0]}\n'
    assert read(io.StringIO(line), columns="form head").sentence(0, "head") == ["2", "0"]


def test_numbers_of_words_are_not_what_is_learned() -> None:
    corpus = to_corpus({"form": [["a", "b"]], "pos": [["X", "Y"]], "id": [[1, 2]]})
    assert corpus.names == ["form", "pos", "id"]
    assert corpus.label == "pos"
    assert to_corpus({"form": [["a"]], "pos": [[1]], "is_title": [[True]], "score": [[0.5]]}).names == ["form"]


@pytest.mark.parametrize(
    ("words", "texts"),
    [
        ([1998, 7], ["1998", "7"]),
        (["in", 1998], ["in", "1998"]),
        (["in", 1998.0], ["in", "1998"]),
        ([np.int64(3), np.float32(0.5)], ["3", "0.5"]),
        ([0.5, 1.0], ["0.5", "1.0"]),
    ],
)
def test_words_that_are_numbers(words: list[Any], texts: list[str]) -> None:
    labels = ["X", "Y"]
    data = [
        {"form": [words], "label": [labels]},
        pandas.DataFrame({"sentence_id": [1, 1], "word": pandas.Series(words, dtype=object), "tag": labels}),
    ]
    for each in data:
        assert to_corpus(each).sentence(0, "form") == texts
    assert from_hf({"tokens": [words], "ner_tags": [labels]}).sentence(0, "form") == texts


@pytest.mark.parametrize(
    ("pairs", "labels"),
    [
        ([(["a", "b"], [])], [["O", "O"]]),
        ([(["a", "b"], []), (["c"], [])], [["O", "O"], ["O"]]),
        ([(["a", "b"], []), (["c"], [(0, 1, "X")])], [["O", "O"], ["B-X"]]),
        ([([], []), (["c"], ["X"])], [[], ["X"]]),
    ],
)
def test_sentences_without_spans(pairs: Any, labels: list[list[str]]) -> None:
    assert list(to_corpus(pairs).iter_sentences("label")) == labels


def test_labels_that_are_missing_are_not_spans() -> None:
    with pytest.raises(DataError, match="sentence 1 has 2 tokens, but 0 tags"):
        to_corpus([(["a", "b"], []), (["c"], ["X"])])


def test_documents_of_frames() -> None:
    """Sentences may be counted within documents."""
    data = frame(doc_id=["x", "x", "x", "y", "y"], sentence_id=[1, 1, 2, 1, 2], word=list("abcde"))
    corpus = to_corpus(data)
    assert list(corpus.iter_sentences("form")) == [["a", "b"], ["c"], ["d"], ["e"]]
    assert corpus.has_documents
    assert corpus.documents.tolist() == [0, 2, 4]


@pytest.mark.parametrize(
    ("data", "columns", "other_names"),
    [
        ([["a"]], None, {"form": None}),
        ([[("a", "X")]], None, {"form": None, "label": None}),
        ([[("a", "X")]], "form pos", {}),
        (io.StringIO("a X\nb Y\n\n"), None, {"form": None, "label": None}),
        ({"form": [["a"]], "label": [["X"]]}, None, {}),
        ({"tokens": [["a"]], "ner_tags": [["X"]], "pos_tags": [["Y"]]}, None,
         {"form": "tokens", "label": "ner_tags", "pos": "pos_tags"}),
        ({"tokens": [["a"]], "tags": [["X"]]}, None, {"form": "tokens", "label": None}),
        ({"tokens": [["a"]], "tags": [["X"]]}, "form tags", {}),
        ([{"tokens": ["a"], "tags": ["X"]}], None, {"form": "tokens", "label": None}),
        ([{"tokens": ["a"], "tags": ["X"]}], "form label", {}),
        (frame(sentence_id=[1], word=["a"], pos=["X"]), None, {"form": "word"}),
    ],
)  # fmt: skip
def test_a_corpus_knows_which_columns_tagloom_has_named(data: Any, columns: Any, other_names: Any) -> None:
    corpus = to_corpus(data, columns)
    assert corpus.other_names == other_names
    assert corpus.is_unnamed == (set(other_names) == set(corpus.names) and set(other_names.values()) == {None})
    assert corpus.slice(0, 1).other_names == other_names
    assert corpus.rename([f"{name}2" for name in corpus.names]).other_names == {}
    assert not corpus.with_column("new", ["x"] * corpus.token_count).is_unnamed


def test_other_columns_are_kept_and_can_be_chosen() -> None:
    data = {"tokens": [["a", "b"]], "pos_tags": [[0, 1]], "chunk_tags": [["X", "Y"]], "ner_tags": [[1, 0]], "id": ["7"]}
    features = {"pos_tags": classes(["N", "V"]), "ner_tags": classes(["O", "B-P"])}
    corpus = to_corpus(Dataset(data, features))
    assert corpus.names == ["form", "pos", "chunk", "label"]
    assert [corpus.sentence(0, name) for name in corpus.names[1:]] == [["N", "V"], ["X", "Y"], ["B-P", "O"]]
    assert to_corpus(Dataset(data, features), "form pos_tags").names == ["form", "pos_tags"]
    assert to_corpus([(["a"], ["N"])], "word tag").names == ["word", "tag"]
    assert to_corpus({"tokens": [["a", "b"]], "spans": [["odd"]]}).names == ["form"]


def test_normalised_words() -> None:
    assert to_corpus([["１９９８", "年"]], normalise="NFKC").sentence(0, "form") == ["1998", "年"]


def test_documents_of_records() -> None:
    corpus = to_corpus([{"tokens": ["a"], "doc": n // 2} for n in range(5)])
    assert corpus.documents.tolist() == [0, 2, 4, 5]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (7, "expected a path, an open file, a Corpus, .* or a list of spaCy Docs; got 7"),
        (b"a b", r"expected a path, .*; got b'a b'"),
        (["He left"], "<memory>: sentence 1 is a string, expected a list of tokens; split it first"),
        ([3], "<memory>: sentence 1: expected a list of tokens, got 3"),
        ([[3]], "<memory>: token 1 is 3, expected a word or a tuple of strings"),
        ([(["a"], ["X"]), (["b"],)], r"<memory>: sentence 2: expected \(words, labels\) or \(words, spans\) like .*"),
        ([(["a"], ["X", "Y"])], "<memory>: sentence 1 has 1 tokens, but 2 tags"),
        ([(["a"], [(0, 2, "X")])], r"<memory>: sentence 1: span 0:2 \(X\) lies outside the 1 tokens of it"),
        ([(["a"], [{"start": 0}])], r"<memory>: sentence 1: expected a span \(start, stop, category\), got .*"),
        ({"a": [1]}, "<memory>: expected a column of words, such as 'form' or 'tokens', .*; found: a"),
        ({}, ".*; found: nothing"),
        ({"tokens": [["a"]], "tags": [["X", "Y"]]}, "<memory>: sentence 1 has 1 tokens, but 2 strings of 'tags'"),
        ({"train": Dataset({}, {})}, r"expected one data set, got a dict of them; choose one, such as data\['train'\]"),
        (
            frame(word=["a"]),
            "<memory>: expected a data frame with .* sentence_id or sent_id or sentence, .* columns word",
        ),
        (
            frame(sent_id=[1, 1], word=["a", float("nan")]),
            "<memory>: row 1: no value in column 'word', found nan; fill it in",
        ),
        (
            {"form": [["a"], ["b", "c"]], "label": [["X"], ["Y", None]]},
            "<memory>: sentence 2, word 2: no value in column 'label', found None; fill it in",
        ),
        ({"form": [["a", b"b"]]}, "<memory>: expected strings or numbers; found b'b'"),
        (
            frame(sentence_id=[1, 1, 2, 1], word=list("abcd")),
            "<memory>: row 3: a sentence before the last one has the same 'sentence_id'; sort the rows by sentence, "
            "or give every sentence an id of its own",
        ),
        (
            [{"text": "a b", "label": [[0, 2, "X"]]}],
            r"<memory>: record 1: span 0:2 \(X\) does not begin and end with .*",
        ),
        ([{"text": 3}], "<memory>: record 1: expected a string as 'text', found 3"),
    ],
)
def test_refusals_are_one_line(data: Any, message: str) -> None:
    with pytest.raises(DataError, match=f"^{message}$"):
        to_corpus(data)


def test_integers_without_names() -> None:
    for data in ({"tokens": [["a"]], "ner_tags": [[1]]}, [{"tokens": ["a"], "ner_tags": [1]}]):
        with pytest.raises(ConfigError, match="integer tags need names"):
            to_corpus(data)
    with pytest.raises(ConfigError, match="unknown field 'tags'"):
        to_corpus([{"form": ["a"], "tags": ["X"]}, {"form": ["b"]}])


@pytest.mark.parametrize(
    ("sentences", "names"),
    [
        ([["He", "left"], []], ["form"]),
        ((iter(["He", "left"]), []), ["form"]),
        ([{"form": ["He", "left"], "x": 3}, {"form": []}], ["form"]),
        ([[("He", "P"), ["left", "V"]], []], ["form", "pos"]),
        ([{"pos": ["P", "V"], "form": ["He", "left"]}, []], ["form", "pos"]),
    ],
)
def test_sentences_for_a_model(sentences: Any, names: list[str]) -> None:
    corpus = rows_to_corpus(sentences, names)
    assert corpus.names == names
    assert list(corpus.iter_sentences("form")) == [["He", "left"], []]
    assert "pos" not in names or corpus.sentence(0, "pos") == ["P", "V"]


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        ("He left", "expected a list of sentences, got 'He left'"),
        (3, "expected a list of sentences, got 3"),
        (["He left"], "sentence 1.*this model reads: form pos"),
        ([3], "sentence 1.*this model reads: form pos"),
        ([[("He",)]], "sentence 1.*this model reads: form pos"),
        ([[("He", "P"), ("left", 3)]], "sentence 1.*this model reads: form pos"),
        ([{"form": ["He"]}], "sentence 1: this model reads the columns form pos; missing: pos"),
        ([{"form": ["He"], "pos": "P"}], "sentence 1: expected a list of words as column 'pos'"),
        ([{"form": ["He"], "pos": []}], "sentence 1: the columns differ in length: form 1, pos 0"),
    ],
)
def test_refused_sentences_for_a_model(sentences: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        rows_to_corpus(sentences, ["form", "pos"])


def test_a_corpus_is_itself() -> None:
    corpus = Corpus.from_columns({"form": ["a"]}, [1])
    assert to_corpus(corpus) is corpus
