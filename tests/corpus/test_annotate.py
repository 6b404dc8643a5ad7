"""Where predictions go in each format, and what stays of the input."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom.corpus import FORMATS, Column, Corpus, read, to_string
from tagloom.corpus.formats import get_format
from tagloom.corpus.layers import CONFIDENCE, HEADS, LABELS, RELATIONS, TAGS, Layer
from tagloom.corpus.schemes import BMES, IOB2
from tagloom.errors import ConfigError

LABEL = Layer("ner", LABELS, IOB2)
TREE = [Layer("tag", TAGS), Layer("head", HEADS), Layer("deprel", RELATIONS)]


def annotated(text: str, format_name: str, layers: list[Layer], *columns: str, main: str = "form") -> str:
    """The text with layers, each given as the strings of all tokens with blanks between them."""
    corpus = read(io.StringIO(text), format_name)
    predicted = {layer.column: Column.from_strings(c.split()) for layer, c in zip(layers, columns, strict=True)}
    return get_format(corpus).annotate(corpus, predicted, layers, main)


@pytest.mark.parametrize(
    ("format_name", "text", "expected"),
    [
        ("conll", "# x y z\nin P\nBonn N\n\nYes U\n", "# x y z\nin P O\nBonn N B-LOC\n\nYes U O\n\n"),
        ("conll", "in\tP\nBonn\tN\n\nYes\tU\n", "in\tP\tO\nBonn\tN\tB-LOC\n\nYes\tU\tO\n\n"),
        ("text", "in Bonn\nYes\n", "in O\nBonn B-LOC\n\nYes O\n\n"),
        ("slashed", "in/P Bonn/N\nYes/U\n", "in P O\nBonn N B-LOC\n\nYes U O\n\n"),
        ("characters", "中国\n人\n", "中 O\n国 B-LOC\n\n人 O\n\n"),
        ("segmented", "中国\n人\n", "中 B O\n国 E B-LOC\n\n人 S O\n\n"),
    ],
)
def test_columns_get_the_label_last(format_name: str, text: str, expected: str) -> None:
    assert annotated(text, format_name, [LABEL], "O B-LOC O") == expected


def test_names_that_are_taken() -> None:
    corpus = read(io.StringIO("a X\n"), "conll", "form ner").with_column("predicted-ner", ["Y"])
    text = get_format(corpus).annotate(corpus, {"ner": Column.from_strings(["Z"])}, [LABEL], "form")
    assert text == "a X Y Z\n\n"


def test_attributes_are_left_out() -> None:
    assert annotated("O\ta:2\tb\n\n", "crfsuite", [LABEL], "B-X", main="attributes") == "O B-X\n\n"


ROWS = (
    "# sent\n1-2\tim\t_\t_\t_\t_\t_\t_\t_\t_\n1\tin\tin\tADP\tP\t_\t7\tx\t_\tA=1\n2\tBonn\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
)


@pytest.mark.parametrize(
    ("layers", "columns", "first", "second"),
    [
        ([LABEL], ["O B-LOC"], "ADP\tP\t_\t7\tx\t_\tA=1|ner=O", "_\t_\t_\t_\t_\t_\tner=B-LOC"),
        ([Layer("upos")], ["X Y"], "X\tP\t_\t7\tx\t_\tA=1", "Y\t_\t_\t_\t_\t_\t_"),
        (
            [Layer("confidence", CONFIDENCE), LABEL],
            ["0.5 1.0", "O O"],
            "ADP\tP\t_\t7\tx\t_\tA=1|Confidence=0.5|ner=O",
            "_\t_\t_\t_\t_\t_\tConfidence=1.0|ner=O",
        ),
        (TREE, ["T U", "2 0", "a b"], "ADP\tT\t_\t2\ta\t_\tA=1", "_\tU\t_\t0\tb\t_\t_"),
        ([Layer("h", HEADS)], ["2 0"], "ADP\tP\t_\t2\t_\t_\tA=1", "_\t_\t_\t0\t_\t_\t_"),
    ],
)
def test_conllu_has_places(layers: list[Layer], columns: list[str], first: str, second: str) -> None:
    expected = ROWS.replace("ADP\tP\t_\t7\tx\t_\tA=1", first).replace(
        "Bonn\t_\t_\t_\t_\t_\t_\t_\t_", f"Bonn\t_\t{second}"
    )
    assert annotated(ROWS, "conllu", layers, *columns) == expected


def test_trees_of_text_are_conllu_and_of_columns_columns() -> None:
    found = annotated("a b\n", "text", TREE, "T U", "2 0", "x root")
    assert found == "1\ta\t_\t_\tT\t_\t2\tx\t_\t_\n2\tb\t_\t_\tU\t_\t0\troot\t_\t_\n\n"
    assert annotated("a b\n", "conll", TREE, "T", "0", "root") == "a b T 0 root\n\n"


def records(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_records_keep_their_keys() -> None:
    given_ = [
        {"id": 7, "text": "in  New York", "meta": {"é": [1]}},
        {"tokens": ["in", "Bonn"], "tags": ["X", "Y"], "doc": 1},
    ]
    text = "".join(json.dumps(record) + "\n\n" for record in given_)
    layers = [Layer("confidence", CONFIDENCE), LABEL]
    corpus = read(io.StringIO(text), "jsonl", "form")
    predicted = {
        "ner": Column.from_strings(["O", "B-LOC", "I-LOC", "O", "B-LOC"]),
        "confidence": Column.from_strings(["0.5", "0.25", "1.0", "0.5", "0.5"]),
    }
    found = records(get_format(corpus).annotate(corpus, predicted, layers, "form"))
    assert found == [
        {
            **given_[0],
            "tokens": ["in", "New", "York"],
            "offsets": [[0, 2], [4, 7], [8, 12]],
            "tags": ["O", "B-LOC", "I-LOC"],
            "confidence": [0.5, 0.25, 1.0],
            "spans": [[4, 12, "LOC"]],
        },
        {**given_[1], "tags": ["O", "B-LOC"], "confidence": [0.5, 0.5], "spans": [[1, 2, "LOC"]]},
    ]
    assert list(found[0]) == ["id", "text", "meta", "tokens", "offsets", "tags", "confidence", "spans"]


def test_records_get_trees() -> None:
    (found,) = records(annotated('{"tokens": ["a", "b"]}\n', "jsonl", TREE, "T U", "2 0", "x root"))
    assert found == {"tokens": ["a", "b"], "tags": ["T", "U"], "heads": [2, 0], "relations": ["x", "root"]}


def test_tokens_of_prodigy_stay_objects() -> None:
    tokens = [{"text": "in", "start": 0, "end": 2}, {"text": "Bonn", "start": 3, "end": 7}]
    text = json.dumps({"text": "in Bonn", "tokens": tokens}) + "\n"
    (found,) = records(annotated(text, "jsonl", [LABEL], "O B-LOC"))
    assert (found["tokens"], found["spans"]) == (tokens, [[3, 7, "LOC"]])


def test_records_of_slices_are_made_anew() -> None:
    corpus = read(io.StringIO('{"tokens": ["a"], "tags": ["X"]}\n{"tokens": ["b"], "tags": ["Y"]}\n')).slice(1, 2)
    found = FORMATS["jsonl"].annotate(corpus, {"ner": Column.from_strings(["Z"])}, [Layer("ner")], "form")
    assert records(found) == [{"tokens": ["b"], "tags": ["Z"]}]


def test_labels_that_cut_words() -> None:
    cut = Layer("label", LABELS, BMES)
    assert annotated("中国人\n好\n", "characters", [cut], "B E S S") == "中国  人\n好\n"
    assert annotated("中国\n", "characters", [cut], "B-X E-X") == "中 B-X\n国 E-X\n\n"
    with pytest.raises(ConfigError, match=r"^text cut into words has no place for confidence; tag columns or JSONL$"):
        annotated("中国\n", "characters", [Layer("p", CONFIDENCE), cut], "1 1", "B E")


@given(st.lists(st.lists(st.sampled_from(["O", "B-X", "I-X"]), min_size=1, max_size=5), min_size=1), st.data())
def test_what_is_annotated_is_read_back(labels: list[list[str]], data: st.DataObject) -> None:
    """In every format that keeps labels, reading the annotated text gives the predicted labels again."""
    corpus = Corpus.from_columns({"form": ["a"] * sum(map(len, labels))}, list(map(len, labels)))
    column = Column.from_strings(label for row in labels for label in row)
    for name in ("text", "conll", "jsonl"):
        source = read(io.StringIO(to_string(corpus, name)), name)
        found = FORMATS[name].annotate(source, {"label": column}, [Layer("label", LABELS, IOB2)], "form")
        again = read(io.StringIO(found), "jsonl" if name == "jsonl" else "conll", "form label")
        assert list(again.iter_sentences("label")) == labels


@dataclass
class Candidate:
    labels: list[str]
    score: float
    probability: float | None = None


LISTS = [[Candidate(["O", "X"], 2.0, 0.75), Candidate(["X", "X"], 1.0, 0.25)], [Candidate(["O"], 3.5, 1.0)]]


def nbest(text: str, format_name: str, lists: Any = LISTS, by_document: bool = False) -> str:
    corpus = read(io.StringIO(text), format_name)
    return get_format(corpus).annotate_nbest(corpus, lists, Layer("ner"), "form", by_document=by_document)


def test_nbest_columns() -> None:
    found = nbest("# c d e\na P\nb Q\n\nc R\n", "conll")
    first = "# c d e\n# 0 2.0000 0.75\na P O\nb Q X\n\n# c d e\n# 1 1.0000 0.25\na P X\nb Q X\n\n"
    assert found == first + "# 0 3.5000 1\nc R O\n\n"
    assert nbest("a b\nc\n", "text", [LISTS[0][1:], []]) == "# 0 1.0000 0.25\na X\nb X\n\n"


def test_nbest_conllu() -> None:
    row = "\t_" * 7
    text = f"# newdoc\n1-2\tab{row}\t_\n1\ta{row}\t_\n2\tb{row}\t_\n\n1\tc{row}\t_\n\n"
    found = nbest(text, "conllu")
    copy = f"1-2\tab{row}\t_\n1\ta{row}\tner={{}}\n2\tb{row}\tner=X\n\n"
    assert found == (
        f"# newdoc\n# nbest = 0 2.0000 0.75\n{copy.format('O')}# nbest = 1 1.0000 0.25\n{copy.format('X')}"
        f"# nbest = 0 3.5000 1\n1\tc{row}\tner=O\n\n"
    )


def test_nbest_records() -> None:
    text = '{"tokens": ["a", "b"], "x": 1}\n{"tokens": ["c"]}\n'
    best = [
        {"tags": ["O", "X"], "score": 2.0, "probability": 0.75},
        {"tags": ["X", "X"], "score": 1.0, "probability": 0.25},
    ]
    assert records(nbest(text, "jsonl")) == [
        {"tokens": ["a", "b"], "x": 1, "tags": ["O", "X"], "nbest": best},
        {"tokens": ["c"], "tags": ["O"], "nbest": [{"tags": ["O"], "score": 3.5, "probability": 1.0}]},
    ]


def test_nbest_of_documents() -> None:
    text = "-DOCSTART- O\n\na P\n\nb Q\n\n"
    lists = [[Candidate(["X", "Y"], 2.0), Candidate(["Y", "X"], 1.0)]]
    head = "-DOCSTART- -X- O\n\n"
    assert nbest(text, "conll", lists, by_document=True) == (
        f"{head}# 0 2.0000\na P X\n\nb Q Y\n\n{head}# 1 1.0000\na P Y\n\nb Q X\n\n"
    )


def test_nbest_has_no_place_in_words() -> None:
    corpus = read(io.StringIO("中国\n"), "characters")
    with pytest.raises(ConfigError, match=r"^text cut into words has no place for several labellings"):
        get_format(corpus).annotate_nbest(corpus, [[Candidate(["B", "E"], 1.0)]], Layer("x", LABELS, BMES), "form")
