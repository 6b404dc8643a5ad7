"""A parser in use: any words, any length, other searches, scores with signatures, explanations that add up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tagloom
from tagloom.corpus import Corpus, Trees
from tagloom.errors import ConfigError, DataError, TagloomError
from tagloom.systems import Parser
from tagloom.systems.parser.model import Parse
from tests.oracle.trees import is_tree
from tests.strategies import unhurried, words
from tests.treebank import treebank

TRAIN, TEST = treebank(60, 1, crossing=0.2), treebank(20, 3)
TEMPLATES = "s0.form s0.tag\ns1.form\ns0.tag s1.tag q0.tag\ns0.lc.relation s0.tag\ns0.vl s1.vr\ndistance\nq0.suffix3\n"


@pytest.fixture(scope="module")
def parser() -> Parser:
    return tagloom.train(TRAIN, system="parser", templates=TEMPLATES, epochs=4, tag_folds=2, depth=1)


@pytest.fixture(scope="module")
def greedy() -> Parser:
    return tagloom.train(TRAIN, system="parser", templates=TEMPLATES, epochs=4, tags="gold", depth=0)


def assert_whole(found: Parse, forms: list[str]) -> None:
    assert found.forms == tuple(forms)
    assert found.relations is not None
    assert len(found.tags) == len(found.heads) == len(found.relations) == len(forms)
    assert not forms or is_tree(found.heads)
    assert not any("|" in relation for relation in found.relations)


def test_nothing_and_one_word(parser: Parser) -> None:
    assert parser.parse([]) == Parse((), (), (), ())
    assert parser.parse_many([]) == []
    one = parser.parse(["dog"])
    assert (one.heads, one.relations) == ((0,), ("root",))
    mixed = parser.parse_many([["dog"], [], ["a", "dog"], []])
    assert [len(found.heads) for found in mixed] == [1, 0, 2, 0]
    assert list(parser.explain([])) == []
    assert [step.action for step in parser.explain(["dog"])] == ["shift"]


@unhurried
@given(sentences=st.lists(st.lists(words(), max_size=7), max_size=3))
def test_any_words_give_trees(parser: Parser, sentences: list[list[str]]) -> None:
    for found, forms in zip(parser.parse_many(sentences), sentences, strict=True):
        assert_whole(found, forms)


@unhurried
@given(sentence=st.lists(words(), min_size=1, max_size=7), depth=st.integers(0, 4), beam=st.integers(1, 9))
def test_any_search_gives_trees(parser: Parser, sentence: list[str], depth: int, beam: int) -> None:
    assert_whole(parser.parse(sentence, depth=depth), sentence)
    assert_whole(parser.parse(sentence, beam=beam), sentence)
    assert parser.parse(sentence, depth=1) == parser.parse(sentence)
    assert parser.parse(sentence, depth=0) == parser.parse(sentence, beam=1)  # both are greedy


def test_a_long_sentence(parser: Parser) -> None:
    found = parser.parse(["the", "old", "dog", "saw", "with"] * 1000)
    assert Trees(np.array(found.heads, np.int32), None, np.array([0, 5000])).are_trees().all()


@pytest.mark.parametrize("search", [{"depth": -1}, {"depth": 17}, {"beam": 0}, {"beam": 1.5}, {"depth": 1, "beam": 2},
                                    {"depth": "2"}])  # fmt: skip
def test_searches_that_do_not_exist(parser: Parser, search: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"depth|beam"):
        parser.parse(["a"], **search)


@pytest.mark.parametrize("wrong", [[5], [None], [["a", "b", "c"]], [b"a"], [("a", 5)], "the dog"])
def test_what_is_no_sentence(parser: Parser, greedy: Parser, wrong: Any) -> None:
    for each in (parser, greedy):
        with pytest.raises(TagloomError) as error:
            each.parse(wrong)
        assert "\n" not in str(error.value)


def test_evaluate_signs_what_was_done(parser: Parser) -> None:
    score = parser.evaluate(TEST)
    assert score.punctuation == "upos"
    signature = str(score.signature)
    assert f"|templates:templates,tags=predicted|search:depth=1|seed:1|data:{TRAIN.checksum()}|" in signature
    assert signature.endswith("|rule:attachment")
    other = parser.evaluate(TEST, beam=4, leave_out=True, relations="universal")
    assert "|search:beam=4|" in str(other.signature)
    assert str(other.signature).endswith("|rule:attachment+without-upos+universal")
    assert parser.evaluate(TEST, punctuation="unicode", leave_out=True).tokens.overall().gold < TEST.token_count
    untagged = TEST.with_column("upos", ["_"] * TEST.token_count)
    assert parser.evaluate(untagged).punctuation is None
    assert parser.evaluate(untagged, leave_out=True).uas == parser.evaluate(TEST).uas
    with pytest.raises(ConfigError, match="unknown punctuation rule"):
        parser.evaluate(TEST, punctuation="pen")
    with pytest.raises(
        DataError, match=r"missing columns: head deprel \(the model reads form head deprel, found form\)"
    ):
        parser.evaluate(Corpus.from_columns({"form": ["a"]}, [1]))
    with pytest.raises(ConfigError, match="threads"):
        parser.evaluate(TEST, threads=0)
    bad = TEST.with_column("head", ["1"] * TEST.token_count)
    with pytest.raises(DataError, match="is its own head"):
        parser.evaluate(bad)


def test_explanations_follow_the_tree(greedy: Parser) -> None:
    for number in range(5):
        tokens = list(zip(TEST.sentence(number, "form"), TEST.sentence(number, "upos"), strict=True))
        steps = greedy.explain(tokens)
        assert len(steps) == 2 * len(tokens) - 1
        assert sum(step.action == "shift" for step in steps) == len(tokens)
        found = greedy.parse(tokens)
        relations = sorted(step.action.split(" ", 1)[1].partition("|")[0] for step in steps if step.action != "shift")
        assert found.relations is not None
        assert relations == sorted(name for name, head in zip(found.relations, found.heads, strict=True) if head)
        assert steps[0].stack == ()
        assert steps[0].queue == found.forms
        assert (len(steps[-1].stack), steps[-1].queue) == (2, ())


def test_contributions_add_up_to_the_margin(greedy: Parser) -> None:
    """Without lookahead the value of an action is its score: the sum of the weights of its features."""
    tokens = list(zip(TEST.sentence(0, "form"), TEST.sentence(0, "upos"), strict=True))
    contested = [step for step in greedy.explain(tokens) if step.rival is not None]
    assert contested
    for step in contested:
        assert step.margin == pytest.approx(sum(weight for _, weight in step.contributions), abs=1e-4)
        assert step.margin >= 0
        sizes = [abs(weight) for _, weight in step.contributions]
        assert sizes == sorted(sizes, reverse=True)


def test_a_rival_is_the_best_other_action(parser: Parser) -> None:
    """Search leaves alone what cannot win; an explanation has the values of all actions."""
    steps = parser.explain(["the", "dog", "saw", "a", "cat", "."])
    for step in steps:
        assert (step.rival is None) == (len(step.stack) < 2)
        assert step.rival is None or step.margin >= 0
    assert any(step.action == "shift" and step.rival for step in steps)


def test_lookahead_explains_with_the_same_features(parser: Parser) -> None:
    steps = parser.explain(["the", "dog", "saw", "a", "cat", "."])
    named = {name for step in steps for name, _ in step.contributions}
    assert "s0.form=dog s0.tag=NOUN" in named
    assert any(name == "q0.suffix3=saw" for name in named)  # the value, not the word
    assert any(name.startswith("s0.lc.relation=det s0.tag=") for name in named)


def test_threads_share_a_parser(parser: Parser) -> None:
    alone = parser.parse_corpus(TEST)
    assert all(np.array_equal(parser.parse_corpus(TEST, threads).heads, alone.heads) for threads in (2, 3, 7))
