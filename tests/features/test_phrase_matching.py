"""Gazetteers and lexicons against naive matching: several lists, with and without case, saved and restored."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom.corpus import Corpus
from tagloom.features import FeatureEncoder, Phrases, Vocabulary, load_templates, restore_resource
from tests.features.vocabulary import lexicon
from tests.oracle import attributes as oracle
from tests.strategies import unhurried, words

# Few tokens, so that phrases meet, overlap and begin alike; İ and Σ lower-case to other characters than in Python.
TOKENS = st.sampled_from(["a", "b", "A", "B", "Ab", "İ", "Σ", "σ"])
SENTENCES = st.lists(st.lists(TOKENS, max_size=8), min_size=1, max_size=3)
PHRASES = st.lists(TOKENS, min_size=1, max_size=4).map(" ".join)
LISTS = st.dictionaries(
    st.sampled_from(["per", "loc", "org"]),
    st.lists(PHRASES, max_size=5)
    | st.lists(PHRASES.map(str.lower), max_size=5)
    | st.lists(PHRASES.map(str.upper), max_size=5),
    min_size=1,
)


def labels(resource: Phrases, name: str, sentences: Sequence[Sequence[str]]) -> list[list[list[str]]]:
    """The values of the attribute for every token of every sentence."""
    flat = [word for sentence in sentences for word in sentence]
    corpus = Corpus.from_columns({"form": flat}, [len(sentence) for sentence in sentences])
    kind = name.removesuffix("_bioes")
    encoder = FeatureEncoder(load_templates(f"{name}[0]\n"), Vocabulary(("form",), resources={kind: resource}))
    store, batch = encoder.new_store(), encoder.batch(corpus)
    encoder.prepare(store, batch)
    spans = (range(*corpus.span(index)) for index in range(len(corpus)))
    return [[[text for text, _ in store.values(0, token)] for token in span] for span in spans]


@given(lists=LISTS, sentences=SENTENCES)
@unhurried
def test_every_list_labels_its_longest_phrases(lists: dict[str, list[str]], sentences: list[list[str]]) -> None:
    label = oracle.gazetteer(lists)
    assert labels(Phrases.build(lists), "gazetteer", sentences) == [label(sentence) for sentence in sentences]


@given(lists=st.dictionaries(st.sampled_from(["x", "y"]), st.lists(words(), max_size=4)), sentence=st.lists(words()))
@unhurried
def test_phrases_of_any_characters(lists: dict[str, list[str]], sentence: list[str]) -> None:
    assert labels(Phrases.build(lists), "gazetteer", [sentence]) == [oracle.gazetteer(lists)(sentence)]


@given(lists=LISTS, sentences=SENTENCES)
@unhurried
def test_saved_lists_match_as_before(lists: dict[str, list[str]], sentences: list[list[str]]) -> None:
    phrases = Phrases.build(lists)
    restored = restore_resource("gazetteer", phrases.to_tensors(), list(phrases.names))
    assert isinstance(restored, Phrases)
    assert labels(restored, "gazetteer", sentences) == labels(phrases, "gazetteer", sentences)


def test_the_labels_of_a_sentence() -> None:
    lists = {"city": ["New York", "York", "Ann Arbor"], "name": ["new", "york city"], "x": []}
    text = "in New York City New York York ann arbor".split()  # noqa: SIM905
    assert labels(Phrases.build(lists), "gazetteer", [text]) == [
        [
            [],
            ["B-city", "B-name"],
            ["I-city", "B-name"],
            ["I-name"],
            ["B-city", "B-name"],
            ["I-city"],
            ["B-city"],
            [],
            [],
        ]
    ]


@given(lists=LISTS, sentences=SENTENCES, fold=st.sampled_from([None, False, True]))
@unhurried
def test_positions_of_phrases_that_begin_like_names(
    lists: dict[str, list[str]], sentences: list[list[str]], fold: bool | None
) -> None:
    label = oracle.gazetteer(lists, bioes=True, fold=fold)
    phrases = Phrases.build(lists, fold=fold)
    assert labels(phrases, "gazetteer_bioes", sentences) == [label(sentence) for sentence in sentences]
    if fold:
        assert labels(phrases, "gazetteer_folded", sentences) == [label(sentence) for sentence in sentences]


def test_positions_by_hand() -> None:
    lists = {"film": ["the lord of the rings", "1984"], "word": ["of", "Lord Of", "rings"]}
    text = "see The lord of the Rings or 1984 or of".split()  # noqa: SIM905
    assert labels(Phrases.build(lists, fold=True), "gazetteer_folded", [text]) == [
        [[], ["B-film"], ["I-film"], ["I-film"], ["I-film"], ["E-film", "S-word"], [], ["S-film"], [], []]
    ]


@pytest.mark.parametrize("count", [64, 65, 300])
def test_any_number_of_lists_is_told_apart(count: int) -> None:
    lists = {f"list{number}": [f"w{number}", "all of them"] for number in range(count)}
    phrases = Phrases.build(lists)
    restored = restore_resource("gazetteer:all", phrases.to_tensors(), list(phrases.names))
    for each in (phrases, restored):
        assert isinstance(each, Phrases)
        (first, *rest) = labels(each, "gazetteer", [["all", "of", "them", f"w{count - 1}"]])[0]
        assert first == [f"B-list{number}" for number in range(count)]
        assert rest[-1] == [f"B-list{count - 1}"]
    assert all(map(np.array_equal, phrases.to_tensors().values(), restored.to_tensors().values()))


def test_the_order_of_phrases_changes_no_set() -> None:
    lists = {name: [f"{name} {end}" for end in "xyz"] + ["shared", name] for name in ("a", "b", "c")}
    first, last = Phrases.build(lists), Phrases.of_tokens({name: [] for name in lists})
    for name in reversed(lists):
        for phrase in lists[name]:
            last.trie.add(first.names.index(name), True, phrase.split(), words=True)
    mine, its = first.to_tensors(), last.to_tensors()
    assert mine["sets"].tolist() == its["sets"].tolist()
    assert sorted(zip(mine["keys"], mine["set_ids"])) == sorted(zip(its["keys"], its["set_ids"]))


def test_sets_that_do_not_fit() -> None:
    tensors = Phrases.build({"x": ["a b"], "y": ["b"]}).to_tensors()
    for changed in ({"sets": tensors["sets"][:1]}, {"set_ids": tensors["set_ids"] + 9}):
        with pytest.raises(ValueError, match="set of lists out of range"):
            restore_resource("gazetteer", {**tensors, **changed}, ["x", "y"])
    with pytest.raises(ValueError, match="do not fit the number of lists"):
        restore_resource("gazetteer", {**tensors, "sets": tensors["sets"][:3]}, [f"x{i}" for i in range(70)])


CHARACTERS = st.sampled_from("ab中İ")


@given(
    entries=st.lists(st.text(CHARACTERS, min_size=1, max_size=4), max_size=8),
    sentences=st.lists(st.lists(CHARACTERS | st.just("ab"), max_size=10), min_size=1, max_size=3),
)
@unhurried
def test_a_lexicon_cuts_off_the_longest_words_from_the_left(entries: list[str], sentences: list[list[str]]) -> None:
    resource = lexicon(entries)
    expected = [[[label] for label in oracle.lexicon(sentence, entries)] for sentence in sentences]
    assert labels(resource, "lexicon", sentences) == expected
    restored = restore_resource("lexicon", resource.to_tensors(), list(resource.names))
    assert isinstance(restored, Phrases)
    assert labels(restored, "lexicon", sentences) == expected


def test_a_lexicon_by_hand() -> None:
    resource = lexicon(["中国", "中国人民", "人民", "国人", "共和国"])
    found = labels(resource, "lexicon", [list("中国人共和国中国人民")])[0]
    assert "".join(label for (label,) in found) == "BES" + "BME" + "BMME"
