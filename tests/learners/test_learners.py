"""Learners by name, legal combinations of their parts, the order of the examples, and passes over them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom import _core
from tagloom.errors import ConfigError
from tagloom.learners import LEARNERS, Learner, Pass, Settings, Training, begin_training, get_learner, online
from tagloom.learners.blocks import WholeData, shuffle_order
from tagloom.learners.learner import AVERAGINGS, BATCH_STEPS, LEGAL, OPPONENTS, RERANKING_OPPONENTS, STEPS
from tests.core.chains import core_chain, core_data
from tests.oracle.chain import Space, Token


def test_published_names_stand_for_their_parts():
    assert get_learner("perceptron") == Learner("perceptron", "best", "unit", "none")
    assert get_learner("averaged-perceptron").averaging == "lazy"
    mine = Learner("mine", "best", "unit", "none")
    assert get_learner(mine) is mine
    assert all(learner.name == name for name, learner in LEARNERS.items())


def test_every_step_has_a_legal_partner():
    assert LEGAL.keys() == STEPS.keys()
    assert all(set(partners) <= OPPONENTS.keys() and partners for partners in LEGAL.values())


def one_example() -> tuple[_core.Chain, WholeData]:
    yes = (True, True)
    chain = core_chain(Space(yes, yes, (yes, yes)), 1)
    return chain, WholeData(core_data(chain, [[Token(((0, 1.0),))]], [(1,)]), 1)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("averaging", AVERAGINGS)
def test_every_legal_combination_trains(step: str, averaging: str):
    if step in BATCH_STEPS and averaging != "none":
        return
    for opponent in LEGAL[step]:
        if opponent in RERANKING_OPPONENTS:  # need more than one example
            continue
        learner = Learner("mine", opponent, step, averaging)
        weak = Settings(c1=0.01) if step in ("l1", "owlqn") else Settings()  # one example does not outweigh more
        training = begin_training(learner, weak, ["a", "b"], *one_example(), seed=1, threads=1)
        first, second = itertools.islice(training.passes(seed=1), 2)
        assert (first.epoch, first.updates) == (1, 1)
        assert second.epoch == 2
        assert second.weights()[1] > second.weights()[0]


@pytest.mark.parametrize("name", LEARNERS)
def test_passes_go_on_from_a_kept_state(name: str):
    def begin() -> Training:
        return begin_training(get_learner(name), Settings(), "ABC", *random_problem(), seed=3, threads=1)

    def kept(done: Pass) -> dict[str, bytes]:
        return {name: array.tobytes() for name, array in done.state.to_tensors().items()}

    passes = begin().passes(seed=3)
    next(passes)
    tensors = {name: array.copy() for name, array in next(passes).state.to_tensors().items()}
    further = begin()
    further.state.restore(tensors)
    for straight, resumed in itertools.islice(zip(passes, further.passes(seed=3, done=2)), 3):
        assert (straight.epoch, straight.loss, straight.token_errors) == (
            resumed.epoch,
            resumed.loss,
            resumed.token_errors,
        )
        assert straight.weights().tobytes() == resumed.weights().tobytes()
        assert kept(straight) == kept(resumed)


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
        get_learner("average-perceptron")


@given(count=st.integers(0, 300), seed=st.integers(0, 2**70), epoch=st.integers(1, 50))
def test_the_order_is_a_permutation_fixed_by_seed_and_pass(count: int, seed: int, epoch: int):
    order = online.shuffle_order(count, seed, epoch)
    assert sorted(order.tolist()) == list(range(count))
    assert order.tolist() == online.shuffle_order(count, seed, epoch).tolist()


@given(seed=st.integers(0, 2**32), epoch=st.integers(1, 50))
def test_another_seed_or_pass_has_another_order(seed: int, epoch: int):
    order = online.shuffle_order(100, seed, epoch).tolist()
    assert order != online.shuffle_order(100, seed + 1, epoch).tolist()
    assert order != online.shuffle_order(100, seed, epoch + 1).tolist()


def test_the_order_does_not_change_with_the_version_of_numpy():
    assert shuffle_order(10, 1, 1).tolist() == [5, 6, 3, 0, 7, 2, 1, 4, 9, 8]


def random_problem() -> tuple[_core.Chain, WholeData]:
    """25 sentences of four tokens, three labels."""
    rng = np.random.default_rng(3)
    yes = (True,) * 3
    chain = core_chain(Space(yes, yes, (yes,) * 3), 20)
    sentences = [[Token(((int(f), 1.0),)) for f in rng.integers(0, 20, 4)] for _ in range(25)]
    gold = [tuple(rng.integers(0, 3, 4).tolist()) for _ in sentences]
    return chain, WholeData(core_data(chain, sentences, gold), 25)


@pytest.mark.parametrize("name", [name for name, learner in LEARNERS.items() if not learner.is_batch])
def test_passes_do_not_depend_on_the_length_of_stretches(name: str, monkeypatch: pytest.MonkeyPatch):
    def two_passes() -> list[tuple[int, int, bytes]]:
        learner, settings = get_learner(name), Settings()
        training = begin_training(learner, settings, "ABC", *random_problem(), seed=7, threads=1)
        return [(p.updates, p.token_errors, p.weights().tobytes()) for p in itertools.islice(training.passes(7), 2)]

    whole = two_passes()
    monkeypatch.setattr(online.OnlineTraining, "stretch", 4)
    assert two_passes() == whole


def test_batch_steps_have_nothing_to_average():
    with pytest.raises(ConfigError, match="'lbfgs' does not go with averaging 'lazy'"):
        LEARNERS["lbfgs"].with_averaging("lazy")
    assert LEARNERS["pa"].with_averaging("none").averaging == "none"
    assert LEARNERS["pa"].with_averaging(None) is LEARNERS["pa"]


@pytest.mark.parametrize("name", ["lbfgs", "owlqn"])
def test_a_batch_learner_that_begins_at_the_optimum_makes_one_idle_pass(name: str):
    settings = Settings(c1=1.0) if name == "owlqn" else Settings()
    chain = core_chain(Space((True,), (True,), ((True,),)), 1)  # with one label there is nothing to learn
    data = core_data(chain, [[Token(((0, 1.0),))]], [(0,)])
    training = begin_training(LEARNERS[name], settings, ["a"], chain, WholeData(data, 1), seed=1, threads=1)
    (only,) = training.passes(seed=1)
    assert (only.epoch, only.updates, only.loss) == (1, 0, 0.0)
    assert not only.weights().any()
    assert [p.updates for p in training.passes(seed=1, done=1)] == [0]
