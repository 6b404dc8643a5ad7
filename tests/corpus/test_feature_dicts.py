"""Feature dicts: equal to the plain version, equal to python-crfsuite's reading, and safe whatever comes."""

from __future__ import annotations

import collections
import decimal
import fractions
import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom._core import StringTable
from tagloom.corpus import Corpus, from_feature_dicts
from tagloom.errors import DataError
from tests.oracle.feature_dicts import read_items

Items = list[list[list[tuple[str, float]]]]


def list_items(corpus: Corpus) -> Items:
    """Sentences of tokens of (attribute, value), from the columns."""
    bag = corpus.column("attributes")
    assert bag.offsets is not None
    assert bag.values is not None
    names = bag.strings.strings()
    pairs = [(names[code], value) for code, value in zip(bag.codes.tolist(), bag.values.tolist())]
    tokens = [pairs[start:stop] for start, stop in itertools.pairwise(bag.offsets.tolist())]
    return [tokens[start:stop] for start, stop in itertools.pairwise(corpus.sentences.tolist())]


def read_or_refuse(read: Any, sequences: Any) -> Items | str:
    try:
        return read(sequences)  # type: ignore[no-any-return]
    except DataError as error:
        return str(error)


def to_single(items: Items | str) -> Items | str:
    """The same with values in single precision, as corpora hold them."""
    if isinstance(items, str):
        return items
    return [[[(name, float(np.float32(value))) for name, value in token] for token in each] for each in items]


def expect_equal(sequences: Any) -> None:
    native = read_or_refuse(lambda given: list_items(from_feature_dicts(given)), sequences)
    assert native == to_single(read_or_refuse(read_items, sequences))


texts = st.text(max_size=5) | st.sampled_from(["a", "b", "a:b", "é", "日本", "", "\0", "\ud800", "x" * 70])
names = texts | texts.map(lambda text: text.encode("utf8", "surrogatepass"))
numbers = st.floats() | st.integers() | st.booleans() | st.just(10**400) | st.floats(width=32).map(np.float32)
strange: st.SearchStrategy[Any] = st.none() | st.just(object) | st.complex_numbers() | st.just(range(2))
values: st.SearchStrategy[Any] = st.recursive(
    names | numbers | st.lists(names, max_size=3) | st.frozensets(names, max_size=3) | st.tuples(names),
    lambda inner: st.dictionaries(names, inner, max_size=3) | st.lists(inner, max_size=2),
    max_leaves=6,
)
items = st.dictionaries(names, values | strange, max_size=4) | st.lists(names | strange, max_size=4) | values | strange
good_values: st.SearchStrategy[Any] = st.recursive(
    st.text(max_size=4) | st.floats(-9, 9) | st.booleans() | st.lists(st.text(max_size=3), max_size=3),
    lambda inner: st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
good_items = st.dictionaries(st.text(max_size=4), good_values, max_size=5) | st.lists(st.text(max_size=4), max_size=4)


@given(st.lists(st.lists(items, max_size=3) | strange, max_size=3))
def test_anything_is_read_or_refused_as_by_the_plain_version(sequences: list[Any]) -> None:
    expect_equal(sequences)


@given(st.lists(st.lists(good_items, max_size=4), max_size=4))
def test_what_python_crfsuite_takes_is_read_as_there(sequences: list[list[Any]]) -> None:
    crfsuite = pytest.importorskip("pycrfsuite")
    expect_equal(sequences)
    for own, sequence in zip(list_items(from_feature_dicts(sequences)), sequences, strict=True):
        theirs = crfsuite.ItemSequence(sequence).items()  # its names end at the first NUL
        if not any("\0" in name for token in own for name, _ in token):
            assert [dict(token) for token in own] == [
                {name: float(np.float32(value)) for name, value in token.items()} for token in theirs
            ]


class Index:
    def __index__(self) -> int:
        return 3


class OwnFloat:
    def __float__(self) -> float:
        return 2.5


@pytest.mark.parametrize(
    "item",
    [
        {"a": np.float32(0.5), "b": np.int64(2), "c": np.bool_(True), "d": np.array(2.0), "e": np.str_("x")},
        {"a": Index(), "b": OwnFloat(), "c": decimal.Decimal("1.5"), "d": fractions.Fraction(1, 4)},
        collections.OrderedDict(a=1, b="x"),
        collections.UserDict(a=5, b={"c": 2}),
        collections.Counter("aab"),
        {"a": collections.UserDict(b=5), "c": {"d": 1}.keys(), "e": frozenset("x")},
        np.array(["a", "b"]),
        (name for name in ["a", "b"]),
        {"a": "b", "a:b": 2.0},
    ],
    ids=repr,
)
def test_other_types_of_items(item: Any) -> None:
    pairs = list_items(from_feature_dicts([[item]]))[0][0]
    if not hasattr(item, "send"):
        assert [[pairs]] == to_single(read_items([[item]]))[0:1]
    assert pairs


def test_refusals_name_the_place_in_one_line() -> None:
    cases: dict[str, Any] = {
        "sentence 2, token 1: attribute 'a': expected a finite number, got nan": [[], [{"a": float("nan")}]],
        "sentence 1, token 2: attribute 'a:b': expected a finite number, got inf": [[[], {"a": {"b": float("inf")}}]],
        "sentence 1, token 1: attribute 'a': expected a number, a string or a list, got None": [[{"a": None}]],
        "sentence 1, token 1: expected a feature dict or a list of attributes, got 'He'": [["He", "left"]],
        "sentence 1: expected a list of feature dicts, got {'a': 1}": [{"a": 1}],
        "expected a list of sentences, each a list of feature dicts; got 7": 7,
    }
    for message, sequences in cases.items():
        with pytest.raises(DataError) as error:
            from_feature_dicts(sequences)
        assert str(error.value) == message


def test_labels_stand_before_the_attributes() -> None:
    corpus = from_feature_dicts(iter([[["a"], ["b"]], []]), [("X", "Y"), []])
    assert corpus.names == ["label", "attributes"]
    assert corpus.label == "label"
    assert corpus.sentence(0, "label") == ["X", "Y"]
    assert corpus.sentences.tolist() == [0, 2, 2]


@pytest.mark.parametrize("labels", [[["X"]], [["X", "Y"], []], [["X", 1]], ["XY"], [None], 3, [["X", "\ud800"]]])
def test_labels_that_do_not_fit_are_refused(labels: Any) -> None:
    with pytest.raises(DataError):
        from_feature_dicts([[["a"], ["b"]]], labels)


def test_a_sequence_may_be_an_object_with_items() -> None:
    class ItemSequence:
        def items(self) -> list[dict[str, float]]:
            return [{"a": 0.5}]

    assert list_items(from_feature_dicts([ItemSequence()])) == [[[("a", 0.5)]]]
    crfsuite = pytest.importorskip("pycrfsuite")
    assert list_items(from_feature_dicts([crfsuite.ItemSequence([{"a": "b"}])])) == [[[("a:b", 1.0)]]]


def nest(levels: int) -> dict[str, Any]:
    item: dict[str, Any] = {"a": 1}
    for _ in range(levels - 1):
        item = {"a": item}
    return item


def test_dicts_in_dicts_have_a_limit() -> None:
    assert list_items(from_feature_dicts([[nest(100)]]))[0][0] == [(":".join("a" * 100), 1.0)]
    with pytest.raises(DataError, match="at most 100 levels"):
        from_feature_dicts([[nest(101)]])
    endless: dict[str, Any] = {}
    endless["a"] = endless
    with pytest.raises(DataError, match="at most 100 levels"):
        from_feature_dicts([[endless]])


def test_lists_and_dicts_that_change_while_they_are_read() -> None:
    sequence: list[Any] = []
    item: dict[str, Any] = {}

    class Emptying:
        def __float__(self) -> float:
            sequence.clear()
            item.clear()
            return 1.0

        def __iter__(self) -> Any:
            sequence.clear()
            yield "x"

    item |= {"a": Emptying(), "b": 1}
    sequence += [item, {"c": 1}]
    with pytest.raises(DataError, match="a dict changed while it was read"):
        from_feature_dicts([sequence])
    sequence += [Emptying(), {"c": 1}]
    assert list_items(from_feature_dicts([sequence])) == [[[("x", 1.0)]]]


def test_errors_of_the_users_own_code_are_passed_on() -> None:
    class Failing:
        def __float__(self) -> float:
            raise KeyError("mine")

        def __iter__(self) -> Any:
            raise ZeroDivisionError

    for item, kind in (({"a": Failing()}, KeyError), (Failing(), ZeroDivisionError)):
        with pytest.raises(kind):
            from_feature_dicts([[item]])
    with pytest.raises(KeyError):
        from_feature_dicts({}["x"] for _ in range(1))


def test_strings_are_numbered_as_they_appear() -> None:
    corpus = from_feature_dicts([[["b", "a"], {"a": 2}]])
    strings: StringTable = corpus.column("attributes").strings
    assert strings.strings() == ["b", "a"]
