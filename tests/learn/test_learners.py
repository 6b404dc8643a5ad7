"""Learners by name, legal combinations of their parts, the order of the examples, and passes over them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom.errors import ConfigError
from tagloom.learners import LEARNERS, Learner, learner_named, online, train_online
from tagloom.learners.learner import AVERAGINGS, LEGAL, OPPONENTS, STEPS
from tests.core.chains import core_chain, core_data
from tests.oracle.chain import Space, Token


def test_published_names_stand_for_their_parts():
    assert learner_named("perceptron") == Learner("perceptron", "best", "unit", "none")
    assert learner_named("averaged-perceptron").averaging == "lazy"
    mine = Learner("mine", "best", "unit", "none")
    assert learner_named(mine) is mine
    assert all(learner.name == name for name, learner in LEARNERS.items())


def test_every_step_has_a_legal_partner():
    assert LEGAL.keys() == STEPS.keys()
    assert all(set(partners) <= OPPONENTS.keys() and partners for partners in LEGAL.values())


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("averaging", AVERAGINGS)
def test_every_legal_combination_trains(step: str, averaging: str):
    yes = (True, True)
    chain = core_chain(Space(yes, yes, (yes, yes)), 1)
    data = core_data(chain, [[Token(((0, 1.0),))]], [(1,)])
    for opponent in LEGAL[step]:
        passes = train_online(Learner("mine", opponent, step, averaging), chain, data, 1, seed=1)
        first, second = itertools.islice(passes, 2)
        assert (first.epoch, first.updates, first.token_errors) == (1, 1, 1)
        assert (second.epoch, second.updates) == (2, 0)
        assert second.weights()[1] > second.weights()[0]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (("bets", "unit", "none"), "unknown opponent 'bets'; did you mean 'best'"),
        (("best", "unti", "none"), "unknown step 'unti'; did you mean 'unit'"),
        (("best", "unit", "lasy"), "unknown averaging 'lasy'; did you mean 'lazy'"),
    ],
)
def test_unknown_parts_are_refused_with_the_nearest(parts: tuple[str, str, str], message: str):
    with pytest.raises(ConfigError, match=message):
        Learner("mine", *parts)


def test_an_unknown_learner_is_refused_with_the_nearest():
    with pytest.raises(ConfigError, match="did you mean 'averaged-perceptron'"):
        learner_named("average-perceptron")


@given(count=st.integers(0, 300), seed=st.integers(0, 2**70), epoch=st.integers(1, 50))
def test_the_order_is_a_permutation_fixed_by_seed_and_pass(count: int, seed: int, epoch: int):
    order = online.shuffled_order(count, seed, epoch)
    assert sorted(order.tolist()) == list(range(count))
    assert order.tolist() == online.shuffled_order(count, seed, epoch).tolist()


@given(seed=st.integers(0, 2**32), epoch=st.integers(1, 50))
def test_another_seed_or_pass_has_another_order(seed: int, epoch: int):
    order = online.shuffled_order(100, seed, epoch).tolist()
    assert order != online.shuffled_order(100, seed + 1, epoch).tolist()
    assert order != online.shuffled_order(100, seed, epoch + 1).tolist()


def test_the_order_does_not_change_with_the_version_of_numpy():
    assert online.shuffled_order(10, seed=1, epoch=1).tolist() == [5, 6, 3, 0, 7, 2, 1, 4, 9, 8]


def test_passes_do_not_depend_on_the_length_of_stretches(monkeypatch: pytest.MonkeyPatch):
    rng = np.random.default_rng(3)
    yes = (True,) * 3
    chain = core_chain(Space(yes, yes, (yes,) * 3), 20)
    sentences = [[Token(((int(f), 1.0),)) for f in rng.integers(0, 20, 4)] for _ in range(25)]
    data = core_data(chain, sentences, [tuple(rng.integers(0, 3, 4).tolist()) for _ in sentences])

    def two_passes() -> list[tuple[int, int, bytes]]:
        passes = itertools.islice(train_online(LEARNERS["averaged-perceptron"], chain, data, 25, seed=7), 2)
        return [(p.updates, p.token_errors, p.weights().tobytes()) for p in passes]

    whole = two_passes()
    monkeypatch.setattr(online, "_STRETCH", 4)
    assert two_passes() == whole


@pytest.mark.parametrize("name", LEARNERS)
def test_passes_go_on_from_the_tensors_of_a_state(name: str):
    rng = np.random.default_rng(5)
    yes = (True,) * 3
    chain = core_chain(Space(yes, yes, (yes,) * 3), 20)
    sentences = [[Token(((int(f), 1.0),)) for f in rng.integers(0, 20, 4)] for _ in range(25)]
    data = core_data(chain, sentences, [tuple(rng.integers(0, 3, 4).tolist()) for _ in sentences])
    start = rng.normal(size=chain.size).astype(np.float32)
    passes = train_online(LEARNERS[name], chain, data, 25, seed=7, start=start)
    tensors = next(passes).state.to_tensors()
    assert all(array.ndim == 1 for array in tensors.values())
    resumed = train_online(LEARNERS[name], chain, data, 25, seed=7, resume=(1, tensors))
    for one, other in zip(itertools.islice(passes, 3), resumed):
        assert (one.epoch, one.updates, one.token_errors) == (other.epoch, other.updates, other.token_errors)
        assert one.weights().tobytes() == other.weights().tobytes()


def test_tensors_of_another_size_are_refused():
    yes = (True, True)
    chain = core_chain(Space(yes, yes, (yes, yes)), 1)
    data = core_data(chain, [[Token(((0, 1.0),))]], [(1,)])
    learner = LEARNERS["averaged-perceptron"]
    fits = next(train_online(learner, chain, data, 1, seed=1)).state.to_tensors()
    for name in fits:
        with pytest.raises(ValueError, match=r"do not fit|one number"):
            train_online(learner, chain, data, 1, seed=1, resume=(1, {**fits, name: np.append(fits[name], 0)}))
        with pytest.raises(KeyError):
            train_online(learner, chain, data, 1, seed=1, resume=(1, {k: a for k, a in fits.items() if k != name}))
    with pytest.raises(ValueError, match="do not fit"):
        train_online(learner, chain, data, 1, seed=1, start=np.zeros(3, np.float32))
