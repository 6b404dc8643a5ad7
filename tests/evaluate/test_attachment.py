"""Attachment scores: counts against the definition, punctuation, relations, and the tests of significance on them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom.corpus import Column, Corpus, Trees
from tagloom.errors import ConfigError, DataError
from tagloom.evaluate import (
    AttachmentScore,
    LabelledAttachmentScore,
    Punctuation,
    Signature,
    bootstrap,
    compare,
    find_punctuation,
    score,
    score_trees,
)
from tests.oracle.trees import attachment

# He slept well . / Yes .
GOLD_HEADS, GOLD_RELATIONS = [2, 0, 2, 2, 0, 1], ["nsubj", "root", "advmod", "punct", "root", "punct"]
TAGS = ["PRON", "VERB", "ADV", "PUNCT", "INTJ", "PUNCT"]


def make(heads: list[int], relations: list[str] | None = None, lengths: tuple[int, ...] = (4, 2)) -> Trees:
    column = None if relations is None else Column.from_strings(relations)
    return Trees(np.array(heads, np.int32), column, np.cumsum([0, *lengths]))


GOLD = make(GOLD_HEADS, GOLD_RELATIONS)
PUNCT = Punctuation("upos", np.array([tag == "PUNCT" for tag in TAGS]))
# "slept" hangs on "well", which is the root; the relation of "well" is wrong; the last full stop is its own root.
GUESS = make([2, 3, 0, 2, 0, 0], ["nsubj", "root", "obj", "punct", "root", "punct"])


def test_heads_and_relations():
    result = score_trees(GOLD, GUESS)
    assert isinstance(result, LabelledAttachmentScore)
    assert (result.uas, result.las) == (pytest.approx(50), pytest.approx(50))
    assert (result.value, result.metric) == (result.las, "las")
    assert (result.exact, result.labelled_exact, result.root_accuracy) == (0, 0, 50)
    renamed = score_trees(GOLD, make(GOLD_HEADS, ["obj", *GOLD_RELATIONS[1:]]))
    assert (renamed.uas, renamed.las) == (100, pytest.approx(500 / 6))
    assert (renamed.exact, renamed.labelled_exact) == (100, 50)


def test_relations_have_precision_and_recall():
    rows = score_trees(GOLD, GUESS).by_relation
    assert (rows["advmod"].gold, rows["advmod"].predicted, rows["advmod"].correct) == (1, 0, 0)
    assert (rows["obj"].gold, rows["obj"].predicted) == (0, 1)
    assert (rows["punct"].precision, rows["root"].recall) == (50, 50)
    assert score_trees(GOLD, GUESS).overall.f1 == pytest.approx(50)


def test_punctuation_is_told_apart_or_left_out():
    both = score_trees(GOLD, GUESS, punctuation=PUNCT).to_dict()
    assert both["all_tokens"] == {"uas": pytest.approx(50), "las": pytest.approx(50), "tokens": 6}
    assert both["without_punctuation"] == {"uas": 50, "las": 50, "tokens": 4}
    assert (both["punctuation"], both["rule"]) == ("upos", "attachment")
    wrong_stop = make([2, 0, 2, 1, 0, 1], GOLD_RELATIONS)
    without = score_trees(GOLD, wrong_stop, punctuation=PUNCT, leave_out=True)
    assert (without.las, without.uas, without.exact, without.overall.gold) == (100, 100, 100, 4)
    assert without.rule == "attachment+without-upos"
    assert "punct" not in without.by_relation
    assert without.to_dict()["all_tokens"]["uas"] == pytest.approx(500 / 6)


def test_subtypes():
    gold, guess = make([0], ["nsubj:pass"], (1,)), make([0], ["nsubj:outer"], (1,))
    assert score_trees(gold, guess).las == 0
    universal = score_trees(gold, guess, relations="universal")
    assert (universal.las, universal.rule, list(universal.by_relation)) == (100, "attachment+universal", ["nsubj"])


def test_without_relations_heads_are_scored():
    result = score_trees(make(GOLD_HEADS), GUESS)
    assert type(result) is AttachmentScore
    assert (result.metric, result.value, result.accuracy) == ("uas", 50, 50)
    assert type(score_trees(GOLD, make(GOLD_HEADS))) is AttachmentScore
    assert "las" not in result.to_dict()


def test_table_and_signature():
    signature = Signature(data="3f2a", version="0.1.0")
    result = score_trees(GOLD, GUESS, punctuation=PUNCT, leave_out=True).with_signature(signature)
    assert str(result).splitlines()[-7:] == [
        "all         50.00   50.00   50.00        4        4        2",
        "                               UAS     LAS   tokens",
        "all tokens                   50.00   50.00        6",
        "without punctuation (upos)   50.00   50.00        4",
        "exact match 50.00 of 2 sentences, root 50.00, exact with relations 50.00",
        "LAS 50.00, UAS 50.00 of 4 tokens; rule attachment+without-upos",
        "tagloom:0.1.0|data:3f2a|rule:attachment+without-upos",
    ]
    assert json.loads(json.dumps(result.to_dict()))["signature"].endswith("|rule:attachment+without-upos")


def test_significance_works_on_attachment():
    better, worse = score_trees(GOLD, GOLD), score_trees(GOLD, GUESS)
    found = compare(better, worse)
    assert (found.metric, found.value_a, found.value_b) == ("las", 100, pytest.approx(50))
    assert compare(better, worse, metric="uas", test="randomisation").difference == pytest.approx(50)
    assert bootstrap(worse.counts_of("las"), "las", samples=50).value == pytest.approx(50)
    with pytest.raises(ConfigError, match="unknown metric of trees 'las'; did you mean 'uas'"):
        compare(score_trees(make(GOLD_HEADS), make(GOLD_HEADS)), worse, metric="las")
    tags = score(Column.from_strings(["N"]), Column.from_strings(["N"]), np.array([0, 1]))
    with pytest.raises(ConfigError, match="unknown metric of tags 'uas'"):
        compare(tags, tags, metric="uas")


arcs = st.tuples(st.integers(0, 3), st.sampled_from(["a", "b", "c"]))


@given(st.lists(st.lists(st.tuples(arcs, arcs, st.booleans()), max_size=4), min_size=1, max_size=4))
def test_counts_by_sentence_are_those_of_the_definition(drawn: list[list[tuple]]):
    lengths = tuple(map(len, drawn))
    flat = [token for each in drawn for token in each]
    sides = [make([t[k][0] for t in flat], [t[k][1] for t in flat], lengths) for k in (0, 1)]
    punctuation = Punctuation("upos", np.array([t[2] for t in flat], np.bool_))
    result = score_trees(*sides, punctuation=punctuation, leave_out=True)
    expected = [attachment(*[[t[k] for t in each] for k in (0, 1)], [not t[2] for t in each]) for each in drawn]
    heads, labelled = result.counts_of("uas").by_sentence(), result.counts_of("las").by_sentence()
    assert [(h[0], c[0], c[2]) for h, c in zip(heads.tolist(), labelled.tolist())] == expected
    assert [c[1] for c in labelled.tolist()] == [tokens for *_, tokens in expected]
    scored = [row for row in expected if row[2]]
    assert result.sentences.overall().gold == len(scored)
    assert result.labelled_sentences.overall().correct == sum(right == tokens for _, right, tokens in scored)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("upos", [0, 1, 0, 1, 1, 0, 1]),
        ("penn", [0, 1, 1, 0, 1, 0, 1]),
        ("penn-brackets", [0, 1, 1, 1, 1, 0, 1]),
        ("unicode", [0, 0, 1, 0, 1, 0, 1]),
    ],
)
def test_rules_of_punctuation(rule: str, expected: list[int]):
    columns = {
        "form": ["it", "``", "--", "-LRB-", "...", "$", "。"],
        "upos": ["PRON", "PUNCT", "SYM", "PUNCT", "PUNCT", "SYM", "PUNCT"],
        "xpos": ["PRP", "``", ":", "-LRB-", ":", "$", "."],
    }
    found = find_punctuation(Corpus.from_columns(columns, [7]), rule)
    assert (found.rule, found.tokens.astype(int).tolist()) == (rule, expected)


def test_refused():
    with pytest.raises(DataError, match="different sentences"):
        score_trees(GOLD, make(GOLD_HEADS, GOLD_RELATIONS, (3, 3)))
    with pytest.raises(ConfigError, match="pass punctuation"):
        score_trees(GOLD, GOLD, leave_out=True)
    with pytest.raises(DataError, match="punctuation: expected 6 tokens as in the trees, got 1"):
        score_trees(GOLD, GOLD, punctuation=Punctuation("upos", np.array([True])))
    with pytest.raises(ConfigError, match="unknown treatment of relations 'univ'"):
        score_trees(GOLD, GOLD, relations="univ")
    corpus = Corpus.from_columns({"form": ["a"], "label": ["X"]}, [1])
    with pytest.raises(ConfigError, match="needs a column xpos or pos or tag, found: form label"):
        find_punctuation(corpus, "penn")
    assert find_punctuation(corpus, "penn", "label").tokens.tolist() == [False]
    with pytest.raises(ConfigError, match="unknown punctuation rule 'pen'; did you mean 'penn'"):
        find_punctuation(corpus, "pen")
