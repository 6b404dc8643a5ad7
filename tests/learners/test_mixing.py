"""Iterative parameter mixing: the mean of learners on shards, the same for any number of threads."""

from __future__ import annotations

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
    """McDonald, Hall & Mann 2010, Theorem 3: mixing with uniform weights makes finitely many errors."""
    model = train(make_sentences(40), learner="perceptron", epochs=50, mix=4)
    assert model.spec.history[-1].token_errors == 0


@given(st.integers(2, 4), st.integers(1, 3000), st.booleans(), st.integers(1, 3))
def test_states_become_their_mean(count: int, size: int, averaged: bool, threads: int) -> None:
    random = np.random.default_rng(size)
    states = [_core_double.OnlineState(size, averaged) for _ in range(count)]
    given_arrays = []
    for number, state in enumerate(states):
        arrays = {"weights": np.where(random.random(size) < 0.3, random.normal(size=size), 0.0)}
        if averaged:
            arrays["sums"] = random.normal(size=size)
        state.restore({**arrays, "numbers": np.array([5.0 + number % 2, 7.0, 0.5])})
        given_arrays.append(arrays)
    _core_double.mix_states(states, threads)
    for state in states:
        found = state.to_tensors()
        for name in given_arrays[0]:
            mean = np.mean([arrays[name] for arrays in given_arrays], axis=0)
            np.testing.assert_allclose(found[name], mean, rtol=1e-12, atol=1e-15)
        assert found["numbers"].tolist() == [6.0, 7.0, 0.5]


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
