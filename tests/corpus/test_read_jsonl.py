"""JSONL: tokens with tags, texts with character spans, documents."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from tagloom.corpus import Corpus, read, to_string
from tagloom.errors import ConfigError, DataError


def read_records(*records: object, **options: Any) -> Corpus:
    return read(io.StringIO("".join(json.dumps(record) + "\n" for record in records)), "jsonl", **options)


def test_tokens_and_tags() -> None:
    corpus = read_records({"tokens": ["New York", "é"], "tags": ["B-LOC", "O"]}, {"tokens": [], "tags": []})
    assert corpus.names == ["form", "label"]
    assert list(corpus.iter_sentences("form")) == [["New York", "é"], []]
    assert corpus.sentence(0, "label") == ["B-LOC", "O"]


def test_named_lists_become_columns() -> None:
    record = {"tokens": ["a"], "pos": ["P"], "tags": ["T"], "ner": ["N"]}
    assert read_records(record).names == ["form", "label"]
    corpus = read_records(record, columns="form pos ner")
    assert [corpus.sentence(0, name) for name in corpus.names] == [["a"], ["P"], ["N"]]
    assert read_records(record, columns="word pos tag").sentence(0, "tag") == ["T"]
    with pytest.raises(ConfigError, match="unknown field of <stream>:1 'xpos'; did you mean 'pos'"):
        read_records(record, columns="form xpos ner")


@pytest.mark.parametrize("span", [[6, 14, "LOC"], {"start": 6, "end": 14, "label": "LOC"}])
def test_text_and_spans(span: object) -> None:
    corpus = read_records({"text": "I saw New York's.", "spans": [span]})
    assert corpus.sentence(0, "form") == ["I", "saw", "New", "York", "'s", "."]  # cut where the span ends
    assert corpus.sentence(0, "label") == ["O", "O", "B-LOC", "I-LOC", "O", "O"]


def test_tokens_text_and_spans() -> None:
    record = {"text": "Dr. X-Ray  left", "tokens": ["Dr.", "X-Ray", "left"], "spans": [[4, 9, "PER"], [0, 3, "T"]]}
    assert read_records(record).sentence(0, "label") == ["B-T", "B-PER", "O"]


def test_text_alone_has_no_label() -> None:
    corpus = read_records({"text": "He left."})
    assert corpus.names == ["form"]
    assert corpus.sentence(0, "form") == ["He", "left", "."]


@pytest.mark.parametrize("key", ["doc", "document"])
def test_documents(key: str) -> None:
    records = [{"tokens": ["a"], key: name} for name in ["x", "x", 3, None, "x"]]
    corpus = read_records(*records)
    assert corpus.has_documents
    assert corpus.documents.tolist() == [0, 2, 3, 4, 5]
    assert [json.loads(line)["doc"] for line in to_string(corpus, "jsonl").splitlines()] == [0, 0, 1, 2, 3]


GOOD = {"text": "He left", "spans": []}


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (
            {"text": "He left", "spans": [[0, 1, "X"]]},
            "span 0:1 (X) does not begin and end with a token; mark whole words, or name another tokenizer",
        ),
        ({"text": "He left", "spans": [[3, 3, "X"]]}, "span 3:3 (X) is empty; expected start < end"),
        ({"text": "He left", "spans": [[-7, 99, "X"]]}, "span -7:99 (X) lies outside the text"),
        (
            {"text": "a b c", "spans": [[0, 3, "X"], [2, 5, "Y"]]},
            "span 2:5 (Y) overlaps 0:3 (X); a token has one label",
        ),
        ({"text": "He left", "spans": [[0, 2]]}, "expected a span [start, end, label], found [0, 2]"),
        ({"text": "He left", "spans": {"a": 1}}, "expected a list as 'spans', found {'a': 1}"),
        ({"tokens": ["He"], "spans": [[0, 2, "X"]]}, "span 0:2 (X) lies outside the 1 tokens of it"),
        ({"tokens": ["He"], "spans": [[-1, 1, "X"]]}, "span -1:1 (X) lies outside the 1 tokens of it"),
        ({"tokens": ["He"], "spans": [[0, 0, "X"]]}, "span 0:0 (X) is empty; expected start < stop"),
        (
            {"tokens": ["a", "b", "c"], "spans": [[1, 3, "X"], [0, 2, "Y"]]},
            "spans 0:2 (Y) and 1:3 (X) overlap; a token has one label, drop one of them",
        ),
        ({"tokens": ["He"], "spans": 5}, "expected a list as 'spans', found 5"),
        (
            {"text": "He left", "tokens": ["He", "lift"], "spans": []},
            "token 2 is 'lift', but the text continues with 'left'",
        ),
        ({"text": "He left", "tokens": ["He"], "spans": []}, "the text continues after the last token with ' left'"),
        ({"tokens": ["He", 3]}, "expected a list of strings as 'tokens', found ['He', 3]"),
        ([1], "expected a JSON object, found [1]"),
        ({"text": "\ud800", "spans": []}, "a \\u escape is half of a surrogate pair"),
    ],
)
def test_refusals_name_the_line(record: object, message: str) -> None:
    with pytest.raises(DataError) as caught:
        read_records(GOOD, record)
    assert str(caught.value) == f"<stream>:2: {message}"


def test_tags_must_be_as_many_as_tokens() -> None:
    with pytest.raises(DataError, match=r"^<stream>:1: 2 tokens, but 1 tags$"):
        read_records({"tokens": ["a", "b"], "tags": ["O"]})


def test_broken_json() -> None:
    with pytest.raises(DataError, match=r"^<stream>:1: expected one JSON object per line, found '{.tokens.: ."):
        read(io.StringIO('{"tokens": ["a"'), "jsonl")


def test_names_that_jsonl_uses_itself() -> None:
    corpus = Corpus.from_columns({"form": ["a"], "text": ["b"]}, [1])
    with pytest.raises(ConfigError, match="jsonl uses some of these column names itself: form text"):
        to_string(corpus, "jsonl")
