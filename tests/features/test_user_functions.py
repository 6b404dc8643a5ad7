"""The user's own attributes: called once a word, any documented return value, one clear line for any other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given

import tagloom
from tagloom.corpus import Corpus
from tagloom.errors import ConfigError
from tagloom.features import FeatureEncoder, Vocabulary, load_templates
from tests.strategies import corpora, unhurried, words

Described = list[list[tuple[str, float]]]


def describe(templates: str, vocabulary: Vocabulary, corpus: Corpus) -> Described:
    """Name and value of the features of the first sentence."""
    encoder = FeatureEncoder(load_templates(templates), vocabulary)
    store, batch = encoder.new_store(), encoder.batch(corpus)
    encoder.prepare(store, batch)
    return [[(f.name, f.value) for f in token] for token in encoder.describe(store, batch, 0)]


def of_words(function: Callable[[str], object], *words: str) -> Described:
    corpus = Corpus.from_columns({"form": words}, [len(words)])
    return describe("f[0]\n", Vocabulary(("form",), word_functions={"f": function}), corpus)


def of_sentence(function: Callable[[Sequence[str]], object], *words: str) -> Described:
    corpus = Corpus.from_columns({"form": words}, [len(words)])
    return describe("f[0]\n", Vocabulary(("form",), sentence_functions={"f": function}), corpus)


@given(corpus=corpora({"form": words(), "pos": words()}))
@unhurried
def test_a_function_of_the_word_runs_once_per_distinct_word(corpus: Corpus) -> None:
    calls: Counter[str] = Counter()

    def count(word: str) -> str:
        calls[word] += 1
        return word

    encoder = FeatureEncoder(
        load_templates("f[-1] f[0]\nf[1]\nf[0] / edge\n"), Vocabulary(("form", "pos"), word_functions={"f": count})
    )
    store = encoder.new_store()
    encoder.prepare(store, encoder.batch(corpus))
    assert calls == Counter(set(corpus.column("form").texts()))
    encoder.prepare(store, encoder.batch(corpus))
    assert calls == Counter(set(corpus.column("form").texts()))


def test_words_that_come_later_are_the_only_ones_computed_anew() -> None:
    calls: list[str] = []
    corpus = Corpus.from_columns({"form": ["a", "b"], "pos": ["N", "a"]}, [2])
    encoder = FeatureEncoder(
        load_templates("f[0]\nf(pos)[0]\n"), Vocabulary(("form", "pos"), word_functions={"f": calls.append})
    )
    store, batch = encoder.new_store(), encoder.batch(corpus)
    encoder.prepare(store, batch)
    assert calls == ["a", "b", "N", "a"]  # the columns have tables of their own
    batch.tables[0].intern_all(["b", "c"])
    encoder.prepare(store, batch)
    assert calls == ["a", "b", "N", "a", "c"]


def test_a_function_of_the_sentence_sees_every_sentence_of_every_batch() -> None:
    seen: list[list[str]] = []

    def note(sentence: Sequence[str]) -> Sequence[str]:
        seen.append(list(sentence))
        return sentence

    corpus = Corpus.from_columns({"form": ["a", "b", "a"]}, [2, 0, 1])
    encoder = FeatureEncoder(load_templates("f[0]\n"), Vocabulary(("form",), sentence_functions={"f": note}))
    store = encoder.new_store()
    for _ in range(2):
        encoder.prepare(store, encoder.batch(corpus))
    assert seen == [["a", "b"], [], ["a"]] * 2


@pytest.mark.parametrize(
    ("value", "features"),
    [
        (None, []),
        ("", [("", 1.0)]),
        ("été", [("été", 1.0)]),
        (["x", "y", "x"], [("x", 1.0), ("y", 1.0), ("x", 1.0)]),
        ((), []),
        ({"z", "y", "x", "w"}, [("w", 1.0), ("x", 1.0), ("y", 1.0), ("z", 1.0)]),
        (frozenset("ba"), [("a", 1.0), ("b", 1.0)]),
        ({"x": 0.5, "y": -2, "z": True}, [("x", 0.5), ("y", -2.0), ("z", 1.0)]),
        ({"x": np.float32(0.25), "y": np.int64(3)}, [("x", 0.25), ("y", 3.0)]),
        (MappingProxyType({"x": 2.0}), [("x", 2.0)]),
        (Counter("aab"), [("a", 2.0), ("b", 1.0)]),
    ],
)
def test_what_a_function_may_return(value: object, features: list[tuple[str, float]]) -> None:
    expected = [[(f"f[0]={text}", weight) for text, weight in features]]
    assert of_words(lambda _: value, "a") == of_sentence(lambda _: [value], "a") == expected


def test_a_function_may_be_a_generator() -> None:
    assert of_words(lambda word: (c for c in word), "ab") == [[("f[0]=a", 1.0), ("f[0]=b", 1.0)]]
    assert of_sentence(lambda sentence: (word * 2 for word in sentence), "a", "b") == [
        [("f[0]=aa", 1.0)],
        [("f[0]=bb", 1.0)],
    ]


@pytest.mark.parametrize(
    "value",
    [
        3, True, 0.5, [1], ["a", None], b"a", "\ud800", ["\ud800"], {1: 1.0}, {"a": "1"}, {"a": None}, {1, "a"},
        {"a": float("nan")}, {"a": float("inf")}, {"a": 1e39}, {"a": 10**400},
    ],
)  # fmt: skip
def test_any_other_value_is_one_clear_error(value: object) -> None:
    message = f"attribute 'f' returned {value!r}: expected a string, strings, {{string: number}} or None"
    for run in (lambda: of_words(lambda _: value, "a"), lambda: of_sentence(lambda _: [value], "a")):
        with pytest.raises(ConfigError) as caught:
            run()
        assert str(caught.value) == message


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (["x"], "attribute 'f': expected 2 values for the 2 tokens of a sentence, got 1"),
        (["x", "y", "z"], "attribute 'f': expected 2 values for the 2 tokens of a sentence, got 3"),
        (None, "attribute 'f' returned None: expected a value for every token"),
        (7, "attribute 'f' returned 7: expected a value for every token"),
    ],
)
def test_a_function_of_the_sentence_must_return_a_value_for_every_token(returned: object, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        of_sentence(lambda _: returned, "a", "b")
    assert str(caught.value) == message


def test_an_exception_of_the_function_is_the_users_own() -> None:
    with pytest.raises(ZeroDivisionError):
        of_words(lambda word: str(1 // (len(word) - 1)), "a")


def initial(word: str) -> str:
    return word[0]


def doubled(sentence: Sequence[str]) -> list[str]:
    return [word * 2 for word in sentence]


def test_a_loaded_model_asks_for_its_functions(tmp_path: Path) -> None:
    model = tagloom.train(
        [(["the", "dog"], ["DT", "NN"]), (["a", "cat"], ["DT", "NN"])],
        templates="initial[0]\ndoubled[-1]\n",
        attributes={"initial": initial},
        sentence_attributes={"doubled": doubled},
        epochs=3,
    )
    model.save(tmp_path / "m")
    with pytest.raises(ConfigError) as caught:
        tagloom.load(tmp_path / "m").tag(["the", "cat"])
    assert str(caught.value) == (
        "this model uses the attribute function 'initial': load it with functions={'initial': ...}"
    )
    with pytest.raises(ConfigError, match="attribute function 'doubled'"):
        tagloom.load(tmp_path / "m", functions={"initial": initial}).tag(["the", "cat"])
    loaded = tagloom.load(tmp_path / "m", functions={"initial": initial, "doubled": doubled})
    assert loaded.tag(["the", "cat"]) == model.tag(["the", "cat"]) == ["DT", "NN"]


def test_values_that_multiply_beyond_memory_are_refused() -> None:
    word = "".join(chr(0x4E00 + i) for i in range(1500))
    with pytest.raises(ConfigError, match="1499 x 1498 values per token") as refused:
        tagloom.train([([word], ["X"]), (["a"], ["Y"])], templates="ngram2[0] ngram3[0]")
    assert "\n" not in str(refused.value)
