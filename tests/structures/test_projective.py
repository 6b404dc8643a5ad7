"""Projective trees: which they are, and lifting the others and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom.corpus import Column, Trees
from tagloom.errors import ConfigError, DataError
from tagloom.structures.projective import deprojectivize, make_projective, projective, projectivize
from tests.oracle.trees import ancestors, is_projective, is_tree
from tests.strategies import tree_heads


def make(sentences: list[list[int]], relations: list[str] | None = None) -> Trees:
    offsets = np.cumsum([0, *map(len, sentences)])
    heads = np.array([head for each in sentences for head in each], np.int32)
    return Trees(heads, None if relations is None else Column.from_strings(relations), offsets)


def named(sentences: list[list[int]]) -> Trees:
    """Every word has a relation of its own, so that lifting loses nothing."""
    return make(sentences, [f"r{s}-{w}" for s, each in enumerate(sentences) for w, _ in enumerate(each)])


# A hearing is scheduled on the issue today: the phrase "on the issue" belongs to "hearing".
HEARING = [2, 4, 4, 0, 2, 7, 5, 4]
RELATIONS = ["det", "nsubj", "aux", "root", "nmod", "det", "pobj", "tmp"]


def test_the_shortest_crossing_arc_is_lifted():
    tree = make([HEARING], RELATIONS)
    lifted = projectivize(tree)
    assert projective(tree).tolist() == [False]
    assert lifted.heads_of(0) == [2, 4, 4, 0, 4, 7, 5, 4]
    assert lifted.relations_of(0) == [*RELATIONS[:4], "nmod|nsubj", *RELATIONS[5:]]
    restored = deprojectivize(lifted)
    assert (restored.heads_of(0), restored.relations_of(0)) == (HEARING, RELATIONS)
    assert tree.relations_of(0) == RELATIONS


def test_without_relations_arcs_are_lifted_for_good():
    lifted = projectivize(make([HEARING]))
    assert lifted.heads_of(0) == [2, 4, 4, 0, 4, 7, 5, 4]
    assert deprojectivize(lifted) is lifted


def test_a_head_relation_that_nobody_has_leaves_the_word():
    restored = deprojectivize(make([[2, 0, 2]], ["a|zzz", "root", "b"]))
    assert (restored.heads_of(0), restored.relations_of(0)) == ([2, 0, 2], ["a", "root", "b"])


def test_many_marks_take_no_long_time():
    """A parser may write anything: 1,000 words on one head, each looking for another one."""
    words = 1000
    restored = deprojectivize(make([[0, *[1] * (words - 1)]], ["root", *["a|b"] * (words - 2), "b"]))
    assert restored.heads_of(0) == [0, *[words] * (words - 2), 1]
    nobody = deprojectivize(make([[0, *[1] * (words - 1)]], ["root", *["a|b"] * (words - 1)]))
    assert nobody.heads_of(0) == [0, *[1] * (words - 1)]


def test_skip_and_lift():
    trees = make([[2, 0], HEARING])
    left_out = make_projective(trees, "skip")
    assert (left_out.used.tolist(), left_out.non_projective, left_out.trees) == ([True, False], 1, trees)
    lifted = make_projective(trees, "lift")
    assert (lifted.used.tolist(), lifted.non_projective) == ([True, True], 1)
    assert projective(lifted.trees).all()
    with pytest.raises(ConfigError, match="unknown treatment of non-projective trees 'lft'; did you mean 'lift'"):
        make_projective(trees, "lft")


def test_refused():
    with pytest.raises(DataError, match=r"relation 'a\|b' contains '\|', which marks lifted arcs"):
        projectivize(make([[0]], ["a|b"]))
    with pytest.raises(DataError, match="sentence 2 is not a tree"):
        projectivize(make([[0], [2, 1]]))


@given(st.lists(tree_heads(), min_size=1, max_size=4))
def test_projective_as_defined(sentences: list[list[int]]):
    assert projective(make(sentences)).tolist() == [is_projective(each) for each in sentences]


@given(st.lists(tree_heads(), min_size=1, max_size=3))
def test_lifted_trees_are_projective_and_come_back(sentences: list[list[int]]):
    trees = named(sentences)
    lifted = projectivize(trees)
    assert projective(lifted).all()
    for index, heads in enumerate(sentences):
        after = lifted.heads_of(index)
        assert is_tree(after)
        if is_projective(heads):
            assert (after, lifted.relations_of(index)) == (heads, trees.relations_of(index))
        for word, head in enumerate(after, 1):  # a word moves towards the root only
            assert head in ancestors(heads, word)
    restored = deprojectivize(lifted)
    assert restored.heads.tolist() == trees.heads.tolist()
    assert restored.relations.texts() == trees.relations.texts()


@given(st.lists(tree_heads(), min_size=1, max_size=3), st.data())
def test_any_marks_give_trees(sentences: list[list[int]], data: st.DataObject):
    """A parser may invent marks as it likes."""
    count = sum(map(len, sentences))
    relations = data.draw(st.lists(st.sampled_from(["a", "b", "a|b", "b|a", "a|c"]), min_size=count, max_size=count))
    restored = deprojectivize(make(sentences, relations))
    assert restored.are_trees().all()
    assert not any("|" in text for text in restored.relations.texts())
