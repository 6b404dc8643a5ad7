"""Parsing in the core against the plain one: features, scores, lookahead with its bound, decisions, beams."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagloom import _core
from tests.core.parsers import Problem, problems, random_walk
from tests.oracle.arc_standard import State, is_tree
from tests.oracle.state_features import Atom, Parsing, Template
from tests.oracle.transitions import all_paths, beam_search, decide, path_features, score, values

REALS = {"f32": np.float32, "f64": np.float64}
quick = settings(max_examples=25)
precisions = pytest.mark.parametrize("precision", REALS)


def random_place(system: Parsing, seed: int) -> tuple[State, list[int]]:
    """A state of a random walk, with the actions that lead to it."""
    rng = random.Random(seed)
    state, done = system.initial(), []
    for _ in range(rng.randrange(2 * system.words - 1)):
        done.append(rng.choice(system.actions(state)))
        state = system.apply(state, done[-1])
    return state, done


def most_depth(system: Parsing) -> int:
    """What the plain search can enumerate in no time."""
    return 4 if system.relations == 1 else 2


@given(problem=problems(), seed=st.integers(0, 99))
@quick
def test_keys_are_those_of_the_plain_extractor_and_scores_their_sums(problem: Problem, seed: int):
    parser, data = problem.core(), problem.data
    for s, system in enumerate(problem.systems):
        state, done = random_place(system, seed)
        scores, _, _, keys = parser.look(data, _core.SearchSettings(), s, done)
        assert keys.tolist() == system.keys(state)
        expected = [score(system, problem.weights, state, action) for action in range(1 + 2 * problem.relations)]
        assert scores.tolist() == expected
        for key in keys.tolist():
            of_key = [problem.weights.get((key, action), 0.0) for action in range(1 + 2 * problem.relations)]
            assert parser.weights_of(key).tolist() == of_key


def check_values(problem: Problem, dtype: type, seed: int, depth: int) -> int:
    """How many possible actions were found not to win without their value."""
    parser, data, pruned = problem.core(dtype), problem.data, 0
    for s, system in enumerate(problem.systems):
        state, done = random_place(system, seed)
        depth = min(depth, most_depth(system))
        expected = values(system, problem.weights, depth, state)
        _, found, path, _ = parser.look(data, _core.SearchSettings(depth=depth), s, done)
        best = max(value for value, _ in expected.values())
        winner = min(action for action, (value, _) in expected.items() if value == best)
        assert found[winner] == best
        assert path.tolist() == [winner, *expected[winner][1]]
        for action, value in enumerate(found.tolist()):
            assert value <= expected[action][0] if action in expected else value == -math.inf
        assert [a for a, value in enumerate(found.tolist()) if value == best] == [
            a for a in expected if expected[a][0] == best
        ]
        pruned += sum(found[action] == -math.inf for action in expected)
    return pruned


@precisions
@given(problem=problems(), seed=st.integers(0, 99), depth=st.integers(0, 4))
@quick
def test_the_best_action_has_the_value_and_the_path_of_the_plain_search(
    precision: str, problem: Problem, seed: int, depth: int
):
    check_values(problem, REALS[precision], seed, depth)


@given(problem=problems(whole=False, most_words=6), seed=st.integers(0, 99), depth=st.integers(0, 3))
@quick
def test_values_of_any_weights_agree(problem: Problem, seed: int, depth: int):
    parser, data = problem.core(), problem.data
    for s, system in enumerate(problem.systems):
        state, done = random_place(system, seed)
        depth = min(depth, most_depth(system))
        expected = values(system, problem.weights, depth, state)
        _, found, path, _ = parser.look(data, _core.SearchSettings(depth=depth), s, done)
        assert max(found) == pytest.approx(max(value for value, _ in expected.values()), abs=1e-9)
        on_path = path_features(system, tuple(path.tolist()), state)
        assert sum(problem.weights.get(f, 0) * v for f, v in on_path.items()) == pytest.approx(max(found), abs=1e-9)


def tempting(words: int, depth: int) -> Problem:
    """Weights of the words on the stack, none of them above zero: the first good future rules most others out."""
    templates = [Template("s0", (Atom("attribute", "s0"),)), Template("s1", (Atom("attribute", "s1"),))]
    values = [[2 * word + 1 for word in range(words)], [1] * words]
    problem = Problem(templates, 1, [values], {})
    rng = random.Random(depth)
    keys = {key for seed in range(40) for state in random_walk(problem.systems[0], random.Random(seed))
            for key in problem.systems[0].keys(state)}  # fmt: skip
    weights = {(key, action): rng.choice([0, -1, -9]) for key in sorted(keys) for action in range(3)}
    return Problem(templates, 1, [values], weights)


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_futures_that_cannot_win_are_left_alone(depth: int):
    problem = tempting(8, depth)
    pruned = sum(check_values(problem, np.float64, seed, depth) for seed in range(30))
    assert pruned > 10


@given(problem=problems(most_words=5), depth=st.integers(0, 2))
@quick
def test_trees_are_those_of_the_plain_search(problem: Problem, depth: int):
    heads, relations, scores = problem.core().parse(problem.data, _core.SearchSettings(depth=depth), 1)
    check_trees(problem, heads, relations, scores, [decide(s, problem.weights, depth) for s in problem.systems])


def check_trees(problem: Problem, heads: np.ndarray, relations: np.ndarray, scores: np.ndarray, plain: list) -> None:
    begin = 0
    for system, found, (expected, path) in zip(problem.systems, scores, plain):
        span = slice(begin, begin + system.words)
        assert (tuple(heads[span]), tuple(relations[span])) == system.tree(path)
        assert found == expected
        begin += system.words


@given(problem=problems(most_words=6), width=st.integers(1, 5))
@quick
def test_beams_are_those_of_the_plain_search(problem: Problem, width: int):
    found = problem.core().parse(problem.data, _core.SearchSettings(beam=width), 1)
    check_trees(problem, *found, [beam_search(s, problem.weights, width) for s in problem.systems])


@given(problem=problems(most_words=4, most_relations=1))
@quick
def test_a_beam_of_all_hypotheses_and_a_search_to_the_end_find_the_best_tree(problem: Problem):
    best = [
        max(
            sum(problem.weights.get(f, 0) * v for f, v in path_features(system, path).items())
            for path in all_paths(system, system.initial())
        )
        for system in problem.systems
    ]
    parser, data = problem.core(), problem.data
    assert parser.parse(data, _core.SearchSettings(beam=1000), 1)[2].tolist() == best
    assert parser.parse(data, _core.SearchSettings(depth=6), 1)[2].tolist() == best


@given(problem=problems(most_words=6), depth=st.integers(0, 2), width=st.integers(0, 3))
@quick
def test_threads_change_nothing(problem: Problem, depth: int, width: int):
    many = Problem(problem.templates, problem.relations, problem.sentences * 30, problem.weights)
    parser, data, search = problem.core(), many.data, _core.SearchSettings(depth=depth, beam=width)
    alone = parser.parse(data, search, 1)
    for threads in (2, 3):
        for found, expected in zip(parser.parse(data, search, threads), alone):
            np.testing.assert_array_equal(found, expected)


WILD = [math.nan, math.inf, -math.inf, 3e38, -3e38, 1.7e308, 0.0, 1.0]


@precisions
@given(problem=problems(most_words=6), depth=st.integers(0, 3), width=st.integers(0, 40), seed=st.integers(0, 99))
@quick
def test_wild_weights_still_give_trees(precision: str, problem: Problem, depth: int, width: int, seed: int):
    rng = random.Random(seed)
    choices = rng.sample(WILD, rng.randint(1, 3))
    wild = {feature: rng.choice(choices) for feature in sorted(problem.weights)}
    with np.errstate(over="ignore"):
        parser = Problem(problem.templates, problem.relations, problem.sentences, wild).core(REALS[precision])
    heads, relations, scores = parser.parse(problem.data, _core.SearchSettings(depth=depth, beam=width), 1)
    assert np.isfinite(scores).all()
    begin = 0
    for s, system in enumerate(problem.systems):
        span = slice(begin, begin + system.words)
        assert is_tree(heads[span].tolist())
        assert ((relations[span] >= 0) == (heads[span] > 0)).all()
        assert (relations[span] < problem.relations).all()
        parser.look(problem.data, _core.SearchSettings(depth=depth), s, [])
        begin += system.words


def test_empty_sentences_have_empty_trees():
    templates = [Template("bias", ())]
    problem = Problem(templates, 1, [[[], []], [[1], [1]], [[], []]], {})
    for search in (_core.SearchSettings(), _core.SearchSettings(depth=3), _core.SearchSettings(beam=2)):
        heads, relations, scores = problem.core().parse(problem.data, search, 2)
        assert (heads.tolist(), relations.tolist(), scores.tolist()) == ([0], [-1], [0.0, 0.0, 0.0])
