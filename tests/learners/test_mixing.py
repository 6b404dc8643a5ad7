"""Iterative parameter mixing: the mean of learners on shards, the same for any number of threads."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tagloom
from tagloom import _core_double
from tagloom.errors import ConfigError
from tagloom.learners import LEARNERS

WORDS = ["sun", "moon", "star", "runs", "sees", "old", "red"]
TAGS = dict(zip(WORDS, ["N", "N", "N", "V", "V", "A", "A"]))
MIXED = [name for name, learner in LEARNERS.items() if learner.can_be_mixed]


def make_sentences(count: int) -> list[tuple[list[str], list[str]]]:
    """Sentences whose tags are functions of their words, so that a perceptron separates them."""
    random = np.random.default_rng(5)
    chosen = [[WORDS[i] for i in random.integers(0, len(WORDS), random.integers(1, 7))] for _ in range(count)]
    return [(words, [TAGS[word] for word in words]) for words in chosen]


def train(sentences: Any, **options: Any) -> Any:
    return tagloom.train(sentences, templates="form[{-1..1}]\n/ edge", names=False, **options)


@pytest.mark.parametrize("name", MIXED)
def test_the_result_does_not_depend_on_threads(name: str, tmp_path: Path) -> None:
    sentences = make_sentences(25)
    for threads in (1, 3):
        model = train(sentences, learner=name, epochs=3, mix=3, threads=threads)
        model.save(tmp_path / str(threads))
    assert (tmp_path / "1").read_bytes() == (tmp_path / "3").read_bytes()
    assert not np.array_equal(model.parameters.weights, train(sentences, learner=name, epochs=3).parameters.weights)


def test_one_shard_is_ordinary_training() -> None:
    sentences = make_sentences(20)
    plain, mixed = (train(sentences, learner="pa", epochs=3, **more) for more in ({}, {"mix": 1}))
    assert plain.parameters.weights.tobytes() == mixed.parameters.weights.tobytes()


def test_separable_data_is_separated() -> None:
    """McDonald, Hall & Mann 2010, Theorem 3 for uniform weights; ours makes finitely many errors here, too."""
    model = train(make_sentences(40), learner="perceptron", epochs=50, mix=4)
    assert model.spec.history[-1].token_errors == 0


def make_chain(labels: int, rows: int, edges: int, triples: bool) -> Any:
    """A chain whose edge features have one, two, ... weights."""
    offsets = np.cumsum([0, *(1 + each % min(3, labels) for each in range(edges))])
    pairs = np.concatenate([np.arange(stop - start) for start, stop in pairwise(offsets)] or [[]]).astype(np.uint32)
    allowed = [np.ones(size, np.uint8) for size in (labels, labels, labels**2)]
    return tagloom._core.Chain(labels, rows, True, offsets.astype(np.int64), pairs, *allowed, triples), offsets


def mix_by_rows(copies: list[Any], moves: list[Any], bounds: list[tuple[int, int]]) -> Any:
    """The mean over the copies that have moved a row; over all if they have only been shrunk, or beyond the rows."""
    mean = np.mean(copies, axis=0)
    for row, (start, stop) in enumerate(bounds):
        moving = [copy for copy, own in zip(copies, moves) if own[row] & 1]
        mean[start:stop] = np.mean([copy[start:stop] for copy in moving or copies], axis=0)
    return mean


@given(st.integers(2, 4), st.integers(1, 9), st.integers(0, 1500), st.integers(0, 5), st.booleans(), st.integers(1, 3))
def test_rows_become_the_mean_of_the_copies_that_moved(
    count: int, labels: int, rows: int, edges: int, averaged: bool, threads: int
) -> None:
    random = np.random.default_rng(rows)
    chain, offsets = make_chain(labels, rows, edges, triples=averaged)
    stride = -(-labels // 8) * 8
    edge_begin = (rows + labels) * stride
    bounds = [(row * stride, (row + 1) * stride) for row in range(rows + labels)]
    bounds += [(edge_begin + start, edge_begin + stop) for start, stop in pairwise(offsets.tolist())]
    names, common = ["weights", *(["sums"] if averaged else [])], random.normal(size=chain.size)
    states, arrays, moves = [], [], []
    for number in range(count):
        state = _core_double.OnlineState(chain.size, averaged)
        state.follow_moves(chain)
        moved = random.choice(np.array([0, 1, 2, 3], np.uint8), size=len(bounds), p=[0.5, 0.3, 0.1, 0.1])
        own = {name: common.copy() for name in names}
        for row in np.flatnonzero(moved):
            for name in names:
                own[name][slice(*bounds[row])] += random.normal()
        state.restore({**own, "moves": moved, "numbers": np.array([5.0 + number % 2, 7.0, 0.5])})
        states.append(state)
        arrays.append(own)
        moves.append(moved)
    _core_double.mix_states(states, chain, threads)
    for state in states:
        found = state.to_tensors()
        for name in names:
            mixed = mix_by_rows([own[name] for own in arrays], moves, bounds)
            np.testing.assert_allclose(found[name], mixed, rtol=1e-12, atol=1e-15)
        assert found["numbers"].tolist() == [6.0, 7.0, 0.5]
        assert "moves" not in found


def test_what_one_copy_has_learned_is_kept() -> None:
    """Two shards without a common word learn as if they were alone."""
    sentences = [(["sun", "moon"], ["N", "N"]), (["runs", "sees"], ["V", "V"])]
    whole = tagloom.train(sentences, templates="form[0]", learner="perceptron", epochs=1, mix=2)
    assert whole.tag(["sun", "moon", "runs", "sees"]) == ["N", "N", "V", "V"]
    assert set(np.abs(whole.parameters.weights).tolist()) == {0.0, 1.0}


def test_a_run_that_was_stopped_continues_with_the_same_bytes(tmp_path: Path) -> None:
    sentences = make_sentences(30)
    options = {"learner": "adf", "mix": 2, "threads": 2}
    whole = train(sentences, epochs=6, **options)
    train(sentences, epochs=3, checkpoint=tmp_path / "kept", **options)
    continued = train(sentences, epochs=6, checkpoint=tmp_path / "kept", **options)
    assert continued.parameters.weights.tobytes() == whole.parameters.weights.tobytes()


@pytest.mark.parametrize("name", ["lbfgs", "nonlocal-perceptron"])
def test_other_learners_refuse_it(name: str) -> None:
    with pytest.raises(ConfigError, match="has no 'mix'"):
        train(make_sentences(5), learner=name, mix=2)


@pytest.mark.parametrize("mix", [0, -1, 1001, 1.5, "2", True])
def test_numbers_that_are_not_legal_are_refused(mix: Any) -> None:
    with pytest.raises(ConfigError, match="mix"):
        train(make_sentences(5), learner="perceptron", mix=mix)
