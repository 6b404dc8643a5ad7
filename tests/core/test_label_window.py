"""Lookahead for taggers: dynamic program, search with a bound, and the plain search of Figure 2 agree."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagloom import _core
from tests.core.chains import Problem, all_parts, core_chain, core_data, flat_weights, problems, split
from tests.oracle.chain import Labels, Space, Token, sequences
from tests.oracle.tagging import Tagging
from tests.oracle.transitions import all_paths, beam_search, decide, path_features, values

PRECISIONS = {"f32": ("", np.float32), "f64": ("_f64", np.float64)}
quick = settings(max_examples=25)
precisions = pytest.mark.parametrize("precision", PRECISIONS)
NONE = np.zeros(0, np.uint8)
Values = tuple[list[float], list[int]]


def look(problem: Problem, precision: str, search: _core.SearchSettings, done: Labels, window: bool) -> Values:
    suffix, dtype = PRECISIONS[precision]
    chain = core_chain(problem.space, problem.features)
    method = getattr(core_data(chain, problem.sentences), f"look{suffix}")
    found, path = method(flat_weights(problem, chain, dtype), search, 0, list(done), window)
    return found.tolist(), path.tolist()


def decode(
    problem: Problem,
    search: _core.SearchSettings,
    allowed: list[set[int]] | None = None,
    precision: str = "f64",
    threads: int = 1,
) -> tuple[list[Labels], list[float]]:
    suffix, dtype = PRECISIONS[precision]
    chain = core_chain(problem.space, problem.features)
    flags = (
        NONE if allowed is None else np.array([[y in row for y in range(chain.labels)] for row in allowed], np.uint8)
    )
    method = getattr(core_data(chain, problem.sentences), f"decode_history{suffix}")
    labels, scores = method(flat_weights(problem, chain, dtype), search, flags.ravel(), threads)
    return split(labels, problem.lengths), scores.tolist()


def plain_look(problem: Problem, search: tuple[int, bool], done: Labels) -> Values:
    depth, backwards = search
    found = values(Tagging(problem.space, problem.sentences[0], backwards), problem.weights, depth, done)
    scores = [found[y][0] if y in found else -math.inf for y in range(problem.labels)]
    best = scores.index(max(scores))
    return scores, [best, *found[best][1]] if best in found else []


def random_prefix(problem: Problem, backwards: bool, seed: int) -> Labels:
    """Some labels that the masks allow, fewer than the sentence has tokens."""
    rng = random.Random(seed)
    tagging, state = Tagging(problem.space, problem.sentences[0], backwards), ()
    for _ in range(rng.randrange(max(1, len(problem.sentences[0])))):
        actions = tagging.actions(state)
        if not actions:
            break
        state = tagging.apply(state, rng.choice(actions))
    return state


some_problems = problems(triples=True).filter(lambda p: p.sentences[0])


@precisions
@given(problem=some_problems, depth=st.integers(0, 6), backwards=st.booleans(), seed=st.integers(0, 99))
@quick
def test_values_and_best_path_are_those_of_the_plain_search(
    precision: str, problem: Problem, depth: int, backwards: bool, seed: int
):
    done = random_prefix(problem, backwards, seed)
    expected = plain_look(problem, (depth, backwards), done)
    search = _core.SearchSettings(depth=depth, is_backwards=backwards)
    assert look(problem, precision, search, done, window=True) == expected
    found, path = look(problem, precision, search, done, window=False)
    assert (max(found), path) == (max(expected[0]), expected[1])
    assert all(value <= exact for value, exact in zip(found, expected[0]))  # no more is promised of those that lose


@given(problem=some_problems, backwards=st.booleans(), seed=st.integers(0, 99))
@quick
def test_a_window_beyond_the_end_is_the_whole_sentence(problem: Problem, backwards: bool, seed: int):
    done = random_prefix(problem, backwards, seed)
    whole = _core.SearchSettings(depth=len(problem.sentences[0]), is_backwards=backwards)
    beyond = _core.SearchSettings(depth=1000, is_backwards=backwards)
    assert look(problem, "f64", beyond, done, window=True) == look(problem, "f64", whole, done, window=True)


@given(problem=some_problems, depth=st.integers(0, 4), backwards=st.booleans(), seed=st.integers(0, 99))
@quick
def test_values_of_any_weights_agree(problem: Problem, depth: int, backwards: bool, seed: int):
    rng = random.Random(seed)
    weights = {part: rng.gauss(0, 3) for part in problem.weights}
    problem = Problem(problem.space, problem.features, weights, problem.sentences)
    done = random_prefix(problem, backwards, seed)
    expected, path = plain_look(problem, (depth, backwards), done)
    search = _core.SearchSettings(depth=depth, is_backwards=backwards)
    assert look(problem, "f64", search, done, window=True)[0] == pytest.approx(expected, rel=1e-9, abs=1e-9)
    for window in (True, False):
        found, found_path = look(problem, "f64", search, done, window)
        assert max(found) == pytest.approx(max(expected), rel=1e-9, abs=1e-9)
        assert found_path == path or tied(problem, backwards, done, (path, found_path))


def tied(problem: Problem, backwards: bool, done: Labels, paths: tuple[list[int], list[int]]) -> bool:
    """Whether two ways on differ by rounding only."""
    tagging = Tagging(problem.space, problem.sentences[0], backwards)
    parts = [path_features(tagging, tuple(path), done) for path in paths]
    scores = [sum(problem.weights.get(part, 0) * value for part, value in found.items()) for found in parts]
    return scores[0] == pytest.approx(scores[1], abs=1e-9)


@precisions
@given(problem=problems(triples=True), depth=st.integers(0, 3), backwards=st.booleans())
@quick
def test_decisions_are_those_of_the_plain_search(precision: str, problem: Problem, depth: int, backwards: bool):
    search = _core.SearchSettings(depth=depth, is_backwards=backwards)
    for sentence, labels, score in zip(problem.sentences, *decode(problem, search, precision=precision)):
        tagging = Tagging(problem.space, sentence, backwards)
        expected_score, path = decide(tagging, problem.weights, depth)
        assert score == expected_score
        if score > -math.inf:
            assert labels == tagging.labels(path)


@st.composite
def constrained(draw: st.DrawFn) -> tuple[Problem, list[set[int]]]:
    problem = draw(problems(triples=True, most_tokens=4))
    labels = st.sets(st.integers(0, problem.labels - 1))
    return problem, [draw(labels) for length in problem.lengths for _ in range(length)]


@given(drawn=constrained(), depth=st.integers(0, 3), width=st.integers(0, 3), backwards=st.booleans())
@quick
def test_constraints_are_kept_and_a_sequence_is_found_if_there_is_one(
    drawn: tuple[Problem, list[set[int]]], depth: int, width: int, backwards: bool
):
    problem, allowed = drawn
    search = _core.SearchSettings(depth=depth, beam=width, is_backwards=backwards)
    rows = iter(allowed)
    for sentence, labels, score in zip(problem.sentences, *decode(problem, search, allowed)):
        mine = list(itertools.islice(rows, len(sentence)))
        exists = any(True for _ in sequences(problem.space, len(sentence), mine))
        assert (score > -math.inf) == exists
        assert all(0 <= y < problem.labels for y in labels)
        if not exists:
            continue
        assert problem.space.allows(labels)
        assert all(y in choices for y, choices in zip(labels, mine))
        tagging = Tagging(problem.space, sentence, backwards, mine)
        plain = beam_search(tagging, problem.weights, width) if width else decide(tagging, problem.weights, depth)
        assert (score, labels) == (plain[0], tagging.labels(plain[1]))


SCHEMES = {
    "BIO": ["O", "B-a", "I-a", "B-b", "I-b"],
    "BIOES": ["O", "B-a", "I-a", "E-a", "S-a"],
}


def scheme_space(scheme: str, triples: bool) -> Space:
    """Which labels may follow each other, begin and end a sentence."""
    labels = SCHEMES[scheme]

    def follows(previous: str, label: str) -> bool:
        is_open = previous[0] in ("BI" if scheme == "BIOES" else "")
        if label[0] in "IE":
            return previous[0] in "BI" and previous[2:] == label[2:]
        return not is_open

    start = tuple(follows("O", y) for y in labels)
    end = tuple(follows(y, "O") for y in labels)
    pairs = tuple(tuple(follows(p, y) for y in labels) for p in labels)
    return Space(start, end, pairs, triples=triples)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("triples", [False, True], ids=["pairs", "triples"])
@pytest.mark.parametrize("backwards", [False, True], ids=["forwards", "backwards"])
def test_taggers_write_the_scheme(scheme: str, triples: bool, backwards: bool):
    rng = random.Random(len(scheme))
    space = scheme_space(scheme, triples)
    for _ in range(6):
        lengths = [rng.randint(1, 5) for _ in range(3)]
        sentences = [[Token(((rng.randrange(4), 1.0),)) for _ in range(n)] for n in lengths]
        problem = Problem(space, 4, {part: rng.randint(-4, 4) for part in all_parts(space, 4)}, sentences)
        for depth, width in ((0, 0), (1, 0), (3, 0), (0, 2)):
            search = _core.SearchSettings(depth=depth, beam=width, is_backwards=backwards)
            for sentence, labels, score in zip(sentences, *decode(problem, search)):
                tagging = Tagging(space, sentence, backwards)
                plain = (
                    beam_search(tagging, problem.weights, width) if width else decide(tagging, problem.weights, depth)
                )
                assert (score, labels) == (plain[0], tagging.labels(plain[1]))
                assert space.allows(labels)


@given(problem=problems(triples=True, most_tokens=4), backwards=st.booleans())
@quick
def test_a_wide_beam_and_a_long_window_find_the_best_sequence(problem: Problem, backwards: bool):
    wide = _core.SearchSettings(beam=4**4, is_backwards=backwards)
    far = _core.SearchSettings(depth=4, is_backwards=backwards)
    for sentence, score, by_window in zip(problem.sentences, decode(problem, wide)[1], decode(problem, far)[1]):
        tagging = Tagging(problem.space, sentence, backwards)
        paths = all_paths(tagging, ())
        scores = [sum(problem.weights[f] * v for f, v in path_features(tagging, path, ()).items()) for path in paths]
        assert score == by_window == max(scores, default=-math.inf)


@given(problem=problems(triples=True), depth=st.integers(0, 2), width=st.integers(0, 3), backwards=st.booleans())
@quick
def test_threads_change_nothing(problem: Problem, depth: int, width: int, backwards: bool):
    many = Problem(problem.space, problem.features, problem.weights, problem.sentences * 40)
    search = _core.SearchSettings(depth=depth, beam=width, is_backwards=backwards)
    alone = decode(many, search)
    assert decode(many, search, threads=2) == alone
    assert decode(many, search, threads=3) == alone


WILD = st.sampled_from([math.nan, math.inf, -math.inf, 3e38, -3e38, 0.0, 1.0])


@precisions
@given(problem=problems(triples=True), depth=st.integers(0, 3), width=st.integers(0, 3), data=st.data())
@quick
def test_wild_weights_never_give_a_wild_label(
    precision: str, problem: Problem, depth: int, width: int, data: st.DataObject
):
    wild = {part: data.draw(WILD) for part in problem.weights}
    problem = Problem(problem.space, problem.features, wild, problem.sentences)
    search = _core.SearchSettings(depth=depth, beam=width)
    labels, scores = decode(problem, search, precision=precision)
    assert len(scores) == len(problem.sentences)
    assert all(0 <= y < problem.labels for sentence in labels for y in sentence)
    for s, length in enumerate(problem.lengths):
        chain = core_chain(problem.space, problem.features)
        if length:
            method = getattr(core_data(chain, problem.sentences), f"look{PRECISIONS[precision][0]}")
            method(flat_weights(problem, chain, PRECISIONS[precision][1]), search, s, [], False)
