"""Constraints: labels that are known, or that a token may take."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tagloom
from tagloom.errors import ConfigError
from tests.systems.toy import TAGGED, tagger

WORDS, TAGS = TAGGED[0]
LABELS = st.sampled_from(tagger().labels)
#: Decides on BIOES, as its data does.
ENTITIES = tagloom.train([(["Al", "Smith", "left", "Bonn"], ["B-PER", "E-PER", "O", "S-LOC"])])


@given(constraints=st.lists(st.none() | LABELS | st.sets(LABELS, min_size=1), min_size=3, max_size=3))
def test_labels_are_among_those_allowed(constraints: list):
    labels = tagger().tag(WORDS, constraints)
    for label, constraint, free in zip(labels, constraints, TAGS):
        allowed = {constraint} if isinstance(constraint, str) else constraint or {*tagger().labels, free}
        assert label in allowed


def test_no_constraint_changes_nothing():
    assert tagger().tag(WORDS, [None] * 3) == tagger().tag(WORDS, [tagger().labels] * 3) == tagger().tag(WORDS) == TAGS


def test_constraints_of_many_sentences():
    found = tagger().tag_many([WORDS, [], ["dogs"]], constraints=[[None, "VBZ", None], [], [iter(["DT", "VBP"])]])
    assert (found[0][1], found[1]) == ("VBZ", [])
    assert found[2][0] in ("DT", "VBP")


@pytest.mark.parametrize(
    ("constraints", "expected"),
    [(["B-PER", None], ["B-PER", "E-PER"]), ([None, "E-PER"], ["B-PER", "E-PER"]), (["O", ["E-PER", "O"]], ["O", "O"])],
)
def test_a_known_label_pulls_its_neighbours_along(constraints: list, expected: list[str]):
    assert ENTITIES.tag(["x", "y"], constraints) == expected


def test_what_the_scheme_forbids_is_refused():
    with pytest.raises(ConfigError, match="sentence 2: no label sequence of BIOES meets the constraints"):
        ENTITIES.tag_many([["x"], ["x", "y"]], constraints=[["O"], ["B-PER", "S-LOC"]])


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        (["DT", "NM", None], "unknown label 'NM'; did you mean 'NN'"),
        ([None, None, [5]], "unknown label '5'"),
        ([None, None, b"NN"], "unknown label"),
        ([None, None, 5], "constraint: expected None, a label or several labels, got 5"),
        ([None, None, []], "constraint: expected at least one label, got none"),
        ([None, None], "sentence 1: expected a list of 3, one per token"),
        ([None] * 4, "sentence 1: expected a list of 3"),
        ("DDD", "sentence 1: expected a list of 3"),
        (5, "sentence 1: expected a list of 3"),
    ],
)
def test_bad_constraints_are_refused_in_one_line(constraints: object, message: str):
    with pytest.raises(ConfigError, match=message) as error:
        tagger().tag(WORDS, constraints)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("constraints", [[[None] * 3], [[None] * 3] * 3, 5])
def test_every_sentence_needs_its_constraints(constraints: object):
    with pytest.raises(ConfigError, match="constraints: expected a list a sentence, 2 in all"):
        tagger().tag_many([WORDS, WORDS], constraints=constraints)
