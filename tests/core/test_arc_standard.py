"""States and oracles of transition systems against plain stacks, brute force and every tree of the corpora."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom import _core
from tagloom.corpus import Corpus, read
from tests.oracle.arc_standard import (
    ArcHybrid,
    ArcStandard,
    Heads,
    State,
    all_trees,
    is_projective,
    is_tree,
    least_loss,
    reaches,
)
from tests.strategies import trees

NO_NAMES = np.zeros(0, np.int32)


SYSTEMS = {"standard": ArcStandard, "hybrid": ArcHybrid}
systems = pytest.mark.parametrize("kind", SYSTEMS)


def oracle_actions(heads: Heads, names: Heads = (), count: int = 1, *, is_hybrid: bool = False) -> list[int] | None:
    found = _core.oracle_actions(np.array(heads, np.int32), np.array(names, np.int32), count, is_hybrid)
    return None if found is None else found.tolist()


def names_of(heads: Heads, relations: int) -> Heads:
    return tuple((7 * word + head) % relations for word, head in enumerate(heads))


def without_root(heads: Heads, names: Heads) -> Heads:
    """The relations as trees have them: none for the root."""
    return tuple(name if head else -1 for head, name in zip(heads, names))


@systems
@given(words=st.integers(0, 9), relations=st.integers(1, 3), seed=st.integers(0, 2**32))
def test_undo_restores_every_byte_along_random_walks(kind: str, words: int, relations: int, seed: int):
    rng = random.Random(seed)
    walk = _core.ArcWalk(words, relations, is_hybrid=kind == "hybrid")
    plain = SYSTEMS[kind](words, relations)
    states, bytes_of = [plain.initial()], [walk.snapshot()]
    for _ in range(60):
        assert walk.is_final() == plain.is_final(states[-1])
        actions = plain.actions(states[-1])
        if actions and rng.random() < 0.7:
            walk.apply(action := rng.choice(actions))
            states.append(plain.apply(states[-1], action))
            bytes_of.append(walk.snapshot())
        else:
            for _ in range(rng.randint(0, len(states) - 1)):
                walk.undo()
                states.pop(), bytes_of.pop()
        assert walk.snapshot() == bytes_of[-1]
        assert walk.stack() == [node.word for node in states[-1].stack]
        assert walk.front() == states[-1].front
        valid = [action for action in range(1 + 2 * relations) if walk.is_valid(action)]
        assert valid == plain.actions(states[-1])


@pytest.mark.parametrize(("words", "relations"), [(1, 1), (2, 2), (3, 2), (4, 1), (4, 2)])
def test_costs_of_arc_hybrid_are_the_losses_of_the_best_tree_in_every_state(words: int, relations: int):
    system = ArcHybrid(words, relations)
    for heads in filter(is_projective, all_trees(words)):
        names = names_of(heads, relations)
        walk = _core.ArcWalk(words, relations, list(heads), list(names), is_hybrid=True)
        visit_all(system, walk, system.initial(), (heads, without_root(heads, names)), {}, set())


def visit_all(system: ArcHybrid, walk: _core.ArcWalk, state: State, gold, known, seen) -> None:
    if state in seen or system.is_final(state):
        return
    seen.add(state)
    least = least_loss(system, state, gold, known)
    for action in system.actions(state):
        after = system.apply(state, action)
        assert walk.cost(action) == least_loss(system, after, gold, known) - least
        walk.apply(action)
        visit_all(system, walk, after, gold, known, seen)
        walk.undo()


@pytest.mark.parametrize(("words", "relations"), [(1, 1), (2, 2), (3, 1), (3, 2), (4, 2), (5, 1), (5, 2)])
def test_costs_are_zero_exactly_where_gold_can_still_be_built(words: int, relations: int):
    for heads in filter(is_projective, all_trees(words)):
        names = names_of(heads, relations)
        check_costs(ArcStandard(words, relations), heads, names)


def check_costs(system: ArcStandard, heads: Heads, names: Heads) -> None:
    """In every state from which gold can be reached."""
    gold = heads, without_root(heads, names)
    walk = _core.ArcWalk(system.words, system.relations, list(heads), list(names))

    def visit(state):
        if system.is_final(state):
            return
        free = [a for a in range(1 + 2 * system.relations) if walk.cost(a) == 0]
        assert free == [a for a in system.actions(state) if reaches(system, system.apply(state, a), gold)]
        assert walk.oracle() in free
        for action in free:
            walk.apply(action)
            visit(system.apply(state, action))
            walk.undo()

    visit(system.initial())


@systems
@pytest.mark.parametrize("words", range(1, 7))
def test_projective_trees_are_rebuilt_and_others_are_refused(kind: str, words: int):
    system, count, is_hybrid = SYSTEMS[kind](words, 2), 0, kind == "hybrid"
    for heads in all_trees(words):
        names = names_of(heads, 2)
        path = oracle_actions(heads, names, 2, is_hybrid=is_hybrid)
        assert (path is not None) == is_projective(heads)
        if path is not None:
            assert system.tree(path) == (heads, without_root(heads, names))
            built = _core.build_tree(np.array(path, np.int32), 2, is_hybrid)
            assert tuple(map(tuple, built)) == system.tree(path)
            count += 1
    assert count == [1, 2, 7, 30, 143, 728][words - 1]  # (3n - 2)! / (n! (2n - 1)!): A006013


@systems
@given(tree=trees(most=12), relations=st.integers(1, 4))
def test_projective_trees_of_any_size_are_rebuilt(kind: str, tree: Heads, relations: int):
    assert is_projective(tree)
    names, is_hybrid = names_of(tree, relations), kind == "hybrid"
    path = oracle_actions(tree, names, relations, is_hybrid=is_hybrid)
    assert path is not None
    assert len(path) == 2 * len(tree) - 1
    built = _core.build_tree(np.array(path, np.int32), relations, is_hybrid)
    assert tuple(map(tuple, built)) == (tree, without_root(tree, names))


@given(heads=st.integers(1, 7).flatmap(lambda n: st.tuples(*[st.integers(0, n)] * n)))
def test_heads_that_are_no_tree_are_refused(heads: Heads):
    found = oracle_actions(heads)
    assert (found is not None) == (is_tree(heads) and is_projective(heads))


def corpus_trees(corpus: Corpus) -> Iterator[np.ndarray]:
    heads = np.array([int(text) for text in corpus.column("head").texts()], np.int32)
    for sentence in range(len(corpus)):
        yield heads[slice(*corpus.span(sentence))]


@pytest.mark.parametrize(
    ("name", "refused"),
    [
        ("ptb-sample/wsj_sample.dep.tsv.xz", 0),
        ("ud-en-ewt/en_ewt-ud-train.conllu.xz", 288),
        ("ud-en-ewt/en_ewt-ud-dev.conllu.xz", 31),
        ("ud-en-ewt/en_ewt-ud-test.conllu.xz", 26),
    ],
)
def test_trees_of_corpora_are_rebuilt(data_dir: Path, name: str, refused: int):
    layout = ("conll", "form pos head") if name.endswith(".tsv.xz") else ()
    found = 0
    for heads in corpus_trees(read(data_dir / name, *layout)):
        path = _core.oracle_actions(heads, NO_NAMES, 1)
        if path is None:
            found += 1
            assert not is_projective(heads.tolist())
        else:
            np.testing.assert_array_equal(_core.build_tree(path, 1)[0], heads)
    assert found == refused
