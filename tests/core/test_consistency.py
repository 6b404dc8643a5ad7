"""Non-local features of the core against plain loops over spans and occurrences."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagloom import _core
from tagloom.corpus.schemes import SCHEMES
from tagloom.structures.consistency import FAMILIES, JOINING_WORDS, SpanClasses, document_features
from tests.core.chains import core_chain, core_data
from tests.oracle import consistency as oracle
from tests.oracle.chain import Space, Token
from tests.strategies import unhurried

WORDS = ("Jordan", "Mike", "New", "York", "of", "the", ",", "and", "7")
CLASSES = ("LOC", "PER")
TEXTS = {
    "IOB2": {"O": "O", "B": "B-", "I": "I-", "E": "I-", "S": "B-"},
    "BIOES": {"O": "O", "B": "B-", "I": "I-", "E": "E-", "S": "S-"},
}
Labelled = tuple[list[list[str]], list[oracle.Span]]


@st.composite
def sentences(draw: st.DrawFn) -> tuple[list[str], list[tuple[int, int, str]]]:
    """Words and spans, some of which touch each other."""
    words: list[str] = []
    spans = []
    for _ in range(draw(st.integers(1, 5))):
        some = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3))
        kind = draw(st.sampled_from(["O", *CLASSES]))
        if kind != "O":
            spans.append((len(words), len(words) + len(some), kind))
        words += some
    return words, spans


@st.composite
def documents(draw: st.DrawFn) -> Labelled:
    drawn = draw(st.lists(sentences(), min_size=1, max_size=4))
    spans = [(number, *span) for number, (_, found) in enumerate(drawn) for span in found]
    return [words for words, _ in drawn], spans


def labels_of(labelled: Labelled, scheme: str) -> list[str]:
    texts = TEXTS[scheme]
    labels = [["O"] * len(words) for words in labelled[0]]
    for sentence, start, stop, kind in labelled[1]:
        for t in range(start, stop):
            place = "S" if stop - start == 1 else "B" if t == start else "E" if t == stop - 1 else "I"
            labels[sentence][t] = texts[place] + kind
    return [label for sentence in labels for label in sentence]


def counted(
    labelled: list[Labelled],
    names: list[str],
    codes: list[list[int]],
    classes: SpanClasses,
    families: tuple[str, ...] = FAMILIES,
) -> list[Counter[str]]:
    """The features of every document by name; ``codes`` are labels by their numbers in ``names``."""
    every = [sentence for document, _ in labelled for sentence in document]
    yes = (True,) * len(names)
    chain = core_chain(Space(yes, yes, (yes,) * len(names)), 0)
    bounds = np.cumsum([0, *(sum(map(len, document)) for document, _ in labelled)])
    breaks = np.zeros(bounds[-1] + 1, np.uint8)
    breaks[np.cumsum([0, *map(len, every)])] = 1
    breaks[bounds] = 0
    data = core_data(chain, [[Token()] * len(words) for words in every]).joined(bounds, breaks[:-1])
    table = _core.StringTable()
    words = table.intern_all([word for sentence in every for word in sentence])
    features = document_features(data, classes, families, (words, table), None)
    texts = classes.feature_names()
    assert features.native_rows == len(texts)
    found = []
    for number, labels in enumerate(codes):
        rows, counts = features.count(number, np.array(labels, np.int32))
        found.append(Counter({texts[row]: int(count) for row, count in zip(rows.tolist(), counts.tolist())}))
    return found


def of_scheme(labelled: list[Labelled], scheme: str, families: tuple[str, ...] = FAMILIES) -> list[Counter[str]]:
    texts = [labels_of(document, scheme) for document in labelled]
    kinds = dict.fromkeys(prefix for prefix in TEXTS[scheme].values() if prefix != "O")
    names = ["O", *(prefix + kind for kind in CLASSES for prefix in kinds)]
    codes = [[names.index(label) for label in labels] for labels in texts]
    return counted(labelled, names, codes, SpanClasses.of(names, SCHEMES[scheme]), families)


@pytest.mark.parametrize("scheme", TEXTS)
@settings(unhurried, max_examples=60)
@given(labelled=st.lists(documents(), min_size=1, max_size=3))
def test_features_are_those_of_plain_loops(scheme: str, labelled: list[Labelled]):
    for found, (document, spans) in zip(of_scheme(labelled, scheme), labelled):
        assert found == oracle.features(document, spans, CLASSES)


@settings(unhurried, max_examples=30)
@given(labelled=documents(), families=st.sets(st.sampled_from(FAMILIES), min_size=1))
def test_each_family_is_counted_by_itself(labelled: Labelled, families: set[str]):
    (found,) = of_scheme([labelled], "IOB2", tuple(families))
    expected = oracle.features(*labelled, CLASSES)
    assert found == Counter({name: n for name, n in expected.items() if name.partition("=")[0] in families})


@settings(unhurried, max_examples=30)
@given(data=st.data(), labelled=documents())
def test_plain_tags_are_spans_of_one_token(data: st.DataObject, labelled: Labelled):
    tags = ["DT", "NN"]
    document = labelled[0]
    length = sum(map(len, document))
    codes = data.draw(st.lists(st.integers(0, 1), min_size=length, max_size=length))
    places = [(number, t) for number, words in enumerate(document) for t in range(len(words))]
    spans = [(number, t, t + 1, tags[code]) for (number, t), code in zip(places, codes)]
    (found,) = counted([labelled], tags, [codes], SpanClasses.of(tags, None))
    assert found == oracle.features(document, spans, tags)


def test_the_examples_of_the_paper():
    mike = [["Mike", "Jordan", "won"], ["Jordan", "ran"], ["in", "York", ",", "Jordan", ",", "and", "Mike"]]
    spans = [(0, 0, 2, "PER"), (1, 0, 1, "PER"), (2, 1, 2, "LOC"), (2, 3, 4, "LOC")]
    (found,) = of_scheme([(mike, spans)], "IOB2")
    assert found == {
        "phrase=LOC|PER": 1,  # Jordan, Jordan
        "phrase-majority=PER|LOC": 1,
        "phrase-majority=LOC|PER": 1,
        "subphrase=PER|PER": 1,  # Mike Jordan, Jordan
        "subphrase=PER|LOC": 1,
        "subphrase=PER|O": 1,  # the last Mike
        "subphrase-majority=PER|PER": 1,
        "subphrase-majority=LOC|PER": 1,
        "conjunction=LOC|LOC": 1,  # York, Jordan
        "conjunction=O|LOC": 1,  # Jordan, and Mike
    }


def test_spans_of_one_hundred_tokens_take_no_time():
    long = [["A"] * 100]
    (found,) = of_scheme([(long, [(0, 0, 100, "PER")])], "BIOES")
    assert found == {}


def test_the_words_that_join_are_those_of_the_table():
    assert JOINING_WORDS == oracle.JOINING
