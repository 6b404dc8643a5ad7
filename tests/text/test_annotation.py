"""Annotations: tokens, spans and sentences have the offsets of the text; dictionaries and JSON give them back."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom.errors import ConfigError, DataError
from tagloom.text import Annotation, SpanLayer
from tagloom.text.checks import list_hidden_words
from tests.text.annotations import annotations

TEXT = "Barack Obama visited Paris. He left."
PLACES = [match.span() for match in re.finditer(r"\w+|[.]", TEXT)]
STARTS, ENDS = [start for start, _ in PLACES], [end for _, end in PLACES]
NER = SpanLayer("ner", [0, 3], [2, 4], ["PER", "LOC"], [0.9, 0.8])


def example(**fields: Any) -> Annotation:
    return Annotation(TEXT, STARTS, ENDS, [0, 5, 8], **{"layers": [NER], **fields})


def test_tokens_spans_and_sentences():
    found = example(columns={"pos": ["NNP", "NNP", "VBD", "NNP", ".", "PRP", "VBD", "."]}, scores=np.arange(8) / 8)
    assert len(found) == len(found.tokens) == 8
    token = found.tokens[3]
    assert (token.text, token.start, token.end, token.index, token["pos"], token.score) == (
        "Paris", 21, 26, 3, "NNP", 0.375,
    )  # fmt: skip
    assert [str(token) for token in found.tokens[-3:]] == ["He", "left", "."]
    person, place = found.spans
    assert (person.text, person.first, person.last, person.layer, person.score) == ("Barack Obama", 0, 2, "ner", 0.9)
    assert found.spans_of("ner") == (person, place)
    first, second = found.sents
    assert first.text == "Barack Obama visited Paris."
    assert str(second) == "He left."
    assert first.spans == found.spans
    assert second.spans == ()
    assert (second.start, second.end, [token.index for token in second.tokens]) == (28, 36, [5, 6, 7])
    assert second.column("pos") == ["PRP", "VBD", "."]


def test_heads_are_tokens():
    found = example(columns={"head": ["2", "3", "0", "3", "3", "2", "0", "2"]}, heads="head")
    assert found.tokens[0].head == found.tokens[1]
    assert found.tokens[5].head == found.tokens[6]
    assert found.tokens[6].head is None
    assert example().tokens[0].head is None


def test_extend_adds_and_replaces():
    found = example(columns={"pos": ["X"] * 8}).extend(
        columns={"pos": ["Y"] * 8, "lemma": ["y"] * 8}, layers=[SpanLayer("chunk"), SpanLayer("ner", [0], [1], ["ORG"])]
    )
    assert list(found.columns) == ["pos", "lemma"]
    assert found.tokens[0]["pos"] == "Y"
    assert [layer.name for layer in found.layers] == ["ner", "chunk"]
    assert [span.label for span in found.spans] == ["ORG"]


@given(st.lists(st.lists(st.text(min_size=1, max_size=5), max_size=4), max_size=4))
def test_words_without_text(sentences: list[list[str]]):
    found = Annotation.from_words(sentences)
    found.check()
    assert [list(sentence.words) for sentence in found.sents] == sentences


@given(annotations())
def test_text_has_the_tokens_where_they_should_be(found: Annotation):
    found.check()
    hidden = list_hidden_words(found)
    for token in found.tokens:
        assert token.index in hidden or found.text[token.start : token.end] == token.text
    for span in found.spans:
        assert span.text == found.text[span.start : span.end]
        assert span.start == found.tokens[span.first].start
        assert span.end == found.tokens[span.last - 1].end
    assert sum(len(sentence.spans) for sentence in found.sents) == len(found.spans)
    assert [token for sentence in found.sents for token in sentence.tokens] == list(found.tokens)


@given(annotations())
def test_dictionaries_give_annotations_back(found: Annotation):
    assert in_text_order(Annotation.from_dict(found.to_dict())) == in_text_order(found)
    line = found.to_json()
    assert "\n" not in line
    assert json.loads(line) == found.to_dict()
    assert in_text_order(Annotation.from_json(line)) == in_text_order(found)


def in_text_order(found: Annotation) -> Annotation:
    """The spans of every layer as dictionaries list them."""
    layers = []
    for layer in found.layers:
        spans = found.spans_of(layer.name)
        scores = None if layer.scores is None else [span.score for span in spans]
        layers.append(SpanLayer(layer.name, [s.first for s in spans], [s.last for s in spans], [s.label for s in spans],
                                scores))  # fmt: skip
    return found.extend(layers=layers)


def test_half_of_a_surrogate_pair_is_escaped():
    found = Annotation("a\ud800", [0], [2])
    assert found.to_json().isascii()
    assert Annotation.from_json(found.to_json()) == found


@given(annotations())
def test_str_and_repr_are_short(found: Annotation):
    assert "\n" not in repr(found)
    assert repr(found).startswith("<Annotation: ")
    assert str(found) == str(found)
    for name in (repr(found.tokens), *map(repr, found.sents), *map(repr, found.tokens)):
        assert name.startswith("<")


def test_str():
    assert str(example()) == "[Barack Obama PER] visited [Paris LOC] . He left ."
    assert str(example(layers=[SpanLayer("n", [0, 1], [2, 2], ["A", "B"])])).startswith("[Barack [Obama B] A] visited")
    two = example(layers=[NER, SpanLayer("chunk", [2], [3], ["VP"])])
    assert str(two).splitlines()[1] == "chunk: Barack Obama [visited VP] Paris . He left ."
    plain = example(layers=[])
    assert str(plain) == "Barack Obama visited Paris . He left ."
    assert str(plain.extend(columns={"pos": ["X"] * 8})).startswith("Barack/X Obama/X")
    tree = plain.extend(columns={"head": ["2", "3", "0", "3", "3", "2", "0", "2"]}, heads="head")
    assert str(tree).splitlines()[-3:] == ["  ╭─▸ 1 He   2", "╭─┴── 2 left 0", "╰───▸ 3 .    2"]
    long = Annotation.from_words([["word"] * 500])
    assert str(long).endswith("word … (440 more tokens)")
    assert str(Annotation("", [], [])) == ""
    assert repr(example()) == "<Annotation: 8 tokens, 2 sentences, 2 spans of ner>"


def test_long_trees_are_cut():
    heads = [str(number) for number in range(500)]
    found = Annotation.from_words([["w"] * 500] * 9, columns={"head": heads * 9}, heads="head")
    assert str(found).splitlines()[-1] == "… (6 more sentences)"
    assert len(str(found)) < 200


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"ends": ENDS[:-1]}, "8 starts of tokens, but 7 ends"),
        ({"columns": {"pos": ["X"]}}, "8 tokens, but column 'pos' has 1 values"),
        ({"words": ["X"]}, "8 starts of tokens, but 1 words"),
        ({"scores": [0.5]}, "8 starts of tokens, but 1 scores"),
    ],
)
def test_lengths_are_checked_at_once(fields: dict[str, Any], message: str):
    with pytest.raises(DataError, match=message):
        Annotation(**{"text": TEXT, "starts": STARTS, "ends": ENDS, **fields})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"starts": [-1, *STARTS[1:]]}, "token 0 is at -1:6; expected 0 <= start < end <= 36"),
        ({"ends": [*ENDS[:-1], 99]}, "token 7 is at 35:99"),
        ({"ends": [0, *ENDS[1:]]}, "token 0 is at 0:0"),
        ({"starts": [0, 3, *STARTS[2:]]}, "tokens 0 and 1 overlap at 0:6 and 3:12"),
        ({"words": ["X"] * 8}, "token 0 is 'X', but the text has 'Barack' at 0:6"),
        ({"sentences": [0, 9]}, "offsets of sentences that rise from 0 to 8, got .0, 9."),
        ({"sentences": [0, 5, 3, 8]}, "offsets of sentences"),
        ({"sentences": []}, "offsets of sentences"),
        ({"multiwords": [(0, 1)]}, "multiword token 0:1 does not fit"),
        ({"multiwords": [(0, 3), (2, 4)]}, "multiword token 2:4 does not fit"),
        ({"multiwords": [(4, 6)], "sentences": [0, 5, 8]}, "multiword token 4:6 runs over the end"),
        ({"layers": [SpanLayer("n", [3], [3], ["A"])]}, r"layer 'n': span 3:3 \(A\) is empty or out of range"),
        ({"layers": [SpanLayer("n", [3], [9], ["A"])]}, "span 3:9"),
        ({"layers": [SpanLayer("n"), SpanLayer("n")]}, "two layers have the same name"),
        ({"layers": [SpanLayer("n", [0], [1], ["A"], [np.inf])]}, "layer 'n': a score is not a finite number"),
        ({"columns": {"pos": [None] * 8}}, "token 0: expected a string in column 'pos', got None"),
        ({"columns": {"head": ["9"] * 8}, "heads": "head"}, r"token 0: head '9' is not a word of the sentence"),
        ({"columns": {"head": ["_"] * 8}, "heads": "head"}, r"token 0: head '_'"),
    ],
)
def test_everything_else_is_checked_on_request(fields: dict[str, Any], message: str):
    found = Annotation(**{"text": TEXT, "starts": STARTS, "ends": ENDS, **fields})
    with pytest.raises(DataError, match=message):
        found.check()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r: r.pop("text"), "annotation: expected a string as 'text', which is missing"),
        (lambda r: r.update(tokens="x"), "expected a list as 'tokens', got 'x'"),
        (lambda r: r["tokens"].__setitem__(2, 7), r"tokens\[2\]: expected an object, got 7"),
        (lambda r: r["tokens"][0].update(start="0"), r"tokens\[0\]: expected an integer as 'start', got '0'"),
        (lambda r: r["tokens"][0].update(start=True), "expected an integer as 'start', got True"),
        (lambda r: r["tokens"][0].update(start=2**70), "expected 0 or more, within the text"),
        (lambda r: r["tokens"][0].update(text="Bert"), "token 0 is 'Bert', but the text has 'Barack'"),
        (lambda r: r["tokens"][1].pop("pos"), r"tokens\[1\]: expected a string as 'pos', which is missing"),
        (lambda r: r["spans"][0].update(end=11), r"spans\[0\]: end is 11, but its tokens say 12"),
        (lambda r: r["spans"][0].update(text="x"), r"spans\[0\]: text is 'x', but its tokens say 'Barack Obama'"),
        (lambda r: r["spans"][0].update(last=50), "span 0:50"),
        (lambda r: r["spans"][0].update(layer="x"), "layer 'x' is not listed in 'layers'"),
        (lambda r: r["spans"][0].pop("score"), r"spans\[0\]: expected a number as 'score', which is missing"),
        (lambda r: r["sentences"][1].update(first=4), r"sentences\[1\]: first is 4, expected 5"),
        (lambda r: r["sentences"][1].update(start=4), r"sentences\[1\]: start is 4, but its tokens say 28"),
        (lambda r: r.update(sentences=[]), "offsets of sentences"),
        (lambda r: r.update(columns=["pos", "pos"]), "expected a list of different strings as 'columns'"),
        (lambda r: r.update(heads="head"), "heads is 'head', expected one of the columns pos"),
    ],
)
def test_from_dict_refuses(change: Any, message: str):
    record = example(columns={"pos": ["X"] * 8}).to_dict()
    change(record)
    with pytest.raises(DataError, match=message) as caught:
        Annotation.from_dict(record)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("line", ["", "{", "[]", "3", '{"text": 3}'])
def test_from_json_refuses(line: str):
    with pytest.raises(DataError, match="annotation: expected"):
        Annotation.from_json(line)


def test_unknown_names():
    with pytest.raises(ConfigError, match="unknown column of the annotation 'po'; did you mean 'pos'"):
        example(columns={"pos": ["X"] * 8}).tokens[0]["po"]
    with pytest.raises(ConfigError, match="unknown layer of the annotation 'nerd'"):
        example().spans_of("nerd")
    with pytest.raises(ConfigError, match="unknown column of the annotation 'head'"):
        example(heads="head")
    with pytest.raises(ConfigError, match="column 'start' has the name of a field of tokens in JSON"):
        example(columns={"start": ["X"] * 8}).to_dict()
    with pytest.raises(DataError, match="first, last, labels and scores have lengths"):
        SpanLayer("n", [0], [1], [])
    with pytest.raises(ConfigError, match=r"SpanLayer: labels: expected .*, got \[3\]"):
        SpanLayer("n", [0], [1], [3])  # type: ignore[list-item]


def test_annotations_are_values():
    assert example() == example()
    assert hash(example()) == hash(example())
    assert example() != example(layers=[])
    assert example() != 3
    with pytest.raises(AttributeError):
        example().text = "x"
