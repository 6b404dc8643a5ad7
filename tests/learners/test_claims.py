"""What the papers claim of their learners: margins, bounds of steps, rates, penalties, objectives that fall."""

from __future__ import annotations

import math
from itertools import islice

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tagloom import _core, _core_double
from tagloom.learners import LEARNERS, Learner, Settings, begin_training
from tagloom.learners.blocks import WholeData, count_gold
from tagloom.learners.online import OnlineTraining, step_settings
from tagloom.learners.rates import search_rate
from tests.core.chains import core_chain, core_data
from tests.learners.examples import Example, Task, by_part, run, tasks
from tests.oracle.chain import Labels, Part, Space, Token, dot, sequences
from tests.oracle.crf import gradient
from tests.oracle.learners import firing, frequency_factors

some = settings(max_examples=40)


def hamming(task: Task) -> np.ndarray:
    return (1.0 - np.eye(len(task.space.start))).ravel()


def step_by_step(task: Task, opponent: str, step: str, **options: object) -> list[tuple[dict, dict, Example]]:
    """(weights before, weights after, example) of every example."""
    found = []
    for count, example in enumerate(task.stream):
        states = [
            run(Task(task.space, task.examples, task.order[:n], task.start), opponent, step, **options)
            for n in (count, count + 1)
        ]
        before, after = (by_part(state.weights(), task.places) for state in states)
        found.append((before, after, example))
    return found


def distance(before: dict[Part, float], after: dict[Part, float]) -> float:
    return math.sqrt(sum((after[part] - before[part]) ** 2 for part in before))


# -- passive-aggressive ------------------------------------------------------------------------------------------------


def worst_margin(task: Task, weights: dict[Part, float], example: Example) -> float:
    """The least of (score of gold - score of a sequence - its cost)."""
    sentence, gold = example

    def cost_and_score(labels: Labels) -> float:
        return sum(a != b for a, b in zip(gold, labels)) + dot(weights, task.space.parts(sentence, labels))

    return cost_and_score(gold) - max(map(cost_and_score, sequences(task.space, len(sentence))))


@some
@given(task=tasks(forbidden=False), data=st.data())
def test_pa_without_a_bound_gets_an_example_right_by_the_cost(task: Task, data: st.DataObject):
    """Each step gives gold its margin over one sequence; of tokens that differ, repeated, over every sequence."""
    sentence = [Token(((t, 1.0),)) for t in range(3)]
    gold = data.draw(st.sampled_from(list(sequences(task.space, 3)) or [None]))
    assume(gold is not None)
    again = Task(task.space, [(sentence, gold)], [0] * 1000, task.start)
    state = run(again, "cost-augmented", "pa", costs=hamming(task), aggressiveness=1e9)
    assert worst_margin(task, by_part(state.weights(), task.places), (sentence, gold)) >= -1e-2


@some
@given(task=tasks(forbidden=False), C=st.sampled_from([0.001, 0.05, 1.0, 1e9]))
def test_pa_moves_just_to_the_margin_or_by_c(task: Task, C: float):
    for before, after, (sentence, gold) in step_by_step(
        task, "cost-augmented", "pa", costs=hamming(task), aggressiveness=C
    ):
        moved = distance(before, after)
        if moved == 0:
            continue
        change = {part: after[part] - before[part] for part in before}
        # The change is tau (Phi(gold) - Phi(other)) with 0 < tau <= C, for one of the other sequences; it either takes
        # the whole of C or leaves gold just the cost ahead of that sequence.
        right = task.space.parts(sentence, gold)
        fits = []
        for labels in sequences(task.space, len(sentence)):
            difference = right.copy()
            difference.subtract(task.space.parts(sentence, labels))
            norm = dot(difference, difference)
            if norm == 0:
                continue
            tau = dot(change, difference) / norm
            if math.sqrt(sum((change[part] - tau * difference[part]) ** 2 for part in change)) < 1e-9:
                cost = sum(a != b for a, b in zip(gold, labels))
                fits.append((tau, dot(after, difference) - cost))
        assert any(
            0 < tau <= C * (1 + 1e-9) and (math.isclose(tau, C, rel_tol=1e-9) or abs(margin) < 1e-8)
            for tau, margin in fits
        )


@some
@given(task=tasks(forbidden=False), C=st.sampled_from([0.001, 0.05, 1.0]))
def test_pa2_moves_less_than_pa_without_a_bound(task: Task, C: float):
    one = Task(task.space, task.examples[:1], [0], task.start)
    damped, free = (
        run(one, "cost-augmented", step, costs=hamming(task), aggressiveness=size)
        for step, size in (("pa2", C), ("pa", 1e9))
    )
    moved = [distance(one.start, by_part(state.weights(), task.places)) for state in (damped, free)]
    assert moved[0] <= moved[1] * (1 + 1e-12)
    assert (moved[0] < moved[1]) == (moved[1] > 0)


# -- dual coordinate ascent --------------------------------------------------------------------------------------------


@some
@given(task=tasks(forbidden=False), C=st.sampled_from([0.01, 0.1, 1.0, 10.0]))
def test_dca_steps_by_loss_over_squared_gradient_at_most_c(task: Task, C: float):
    for before, after, (sentence, gold) in step_by_step(task, "expected", "dca", aggressiveness=C):
        direction, loss = gradient(task.space, before, sentence, gold)
        norm = dot(direction, direction)
        if norm < 1e-12:
            assert distance(before, after) <= C * 1e-5
            continue
        size = min(C, loss / norm)
        assert distance(before, after) == pytest.approx(size * math.sqrt(norm), rel=1e-6, abs=1e-12)
        # The step stays within what the loss, a convex function, allows: gold's loss under the straight line at
        # `before` never falls below zero, so no step is longer than the way to where that line says zero.
        line = loss - dot({part: after[part] - before[part] for part in before}, direction)
        assert line >= -1e-9


@some
@given(task=tasks(forbidden=False))
def test_dca_with_a_small_c_lowers_the_loss_of_its_example(task: Task):
    """C below 2 / Lipschitz constant of the gradient: the variance of Phi, at most its squared range."""
    for before, after, (sentence, gold) in step_by_step(task, "expected", "dca", aggressiveness=1e-3):
        _, old = gradient(task.space, before, sentence, gold)
        _, new = gradient(task.space, after, sentence, gold)
        assert new <= old + 1e-12


# -- rates a feature ---------------------------------------------------------------------------------------------------


def one_step_rates(task: Task, before: dict, after: dict, example: Example) -> dict[Part, float]:
    """Change over gradient, where there is a gradient."""
    direction, _ = gradient(task.space, before, *example)
    return {part: (after[part] - before[part]) / amount for part, amount in direction.items() if abs(amount) > 1e-3}


@some
@given(task=tasks(forbidden=False), bounds=st.sampled_from([(0.001, 1.0), (0.1, 2.0)]))
def test_madf_rates_lie_between_a_and_b_and_fall_with_frequency(task: Task, bounds: tuple[float, float]):
    a, b = bounds
    one = Task(task.space, task.examples, [0], task.start)
    state = run(one, "expected", "madf", bounds=bounds, rate=0.5)
    found = one_step_rates(one, one.start, by_part(state.weights(), one.places), one.examples[0])
    expected = frequency_factors(one.space, one.examples, one.places, a, b)
    for part, rate in found.items():
        assert rate == pytest.approx(0.5 * expected[part], rel=1e-6)  # Eq. 15
        assert rate <= 0.5 * b * (1 + 1e-6)
    # At most one firing a token and label (pair): the factor stays above a.
    single = all(
        len({f for f, _ in rows}) == len(rows) for x, _ in one.examples for t in x for rows in (t.nodes, t.edges)
    )
    assert not single or all(factor >= a * (1 - 1e-12) for factor in expected.values())


def test_madf_gives_a_feature_that_always_fires_a_and_one_that_never_does_b():
    yes = (True, True)
    chain = core_chain(Space(yes, yes, (yes, yes), transitions=False), 2)
    data = core_data(chain, [[Token(((0, 1.0),))] * 4], [(1,) * 4])
    state = _core_double.OnlineState(chain.size, False)
    state.set_frequency_rates(count_gold(chain, WholeData(data, 1)), 0.001, 1.0)
    settings_ = _core.StepSettings(rate=1.0)
    state.epoch(data, np.zeros(1, np.int64), "expected", "madf", settings_, np.zeros(0))
    # P is a half: each of four tokens moves label 1 by a / 2 and label 0 by -b / 2.
    assert state.weights()[:2].tolist() == pytest.approx([-2.0, 0.002])


@some
@given(task=tasks(forbidden=False), period=st.integers(1, 3))
def test_adf_rates_fall_by_frequency_between_fast_and_slow(task: Task, period: int):
    state = run(task, "expected", "adf", rate=0.1, window=period)
    windows = [task.stream[i : i + period] for i in range(0, len(task.order) - period + 1, period)]
    rates = state.to_tensors()["row_rates"]
    for row in range(3):  # the node features
        expected = 0.1
        for window in windows:
            fired = sum(("node", row) in firing(task.space, sentence) for sentence, _ in window)
            expected *= 0.995 - fired / period * (0.995 - 0.6)
        assert rates[row] == pytest.approx(expected)
        assert 0.1 * 0.6 ** len(windows) * (1 - 1e-9) <= rates[row] <= 0.1 * 0.995 ** len(windows) * (1 + 1e-9)


# -- L1 ----------------------------------------------------------------------------------------------------------------


@some
@given(task=tasks(forbidden=False), l1=st.sampled_from([0.01, 0.3, 2.0]), real=st.sampled_from(["f64", "f32"]))
def test_no_weight_receives_more_penalty_than_it_could_have(task: Task, l1: float, real: str):
    state = run(task, "expected", "l1", precision=real, rate=0.3, decay=0.85, l1=l1, examples=3)
    tensors = state.to_tensors()
    could = float(tensors["numbers"][2])
    steps = [0.3 * 0.85 ** (t / 3) * l1 for t, (x, _) in enumerate(task.stream) if x]
    assert could == pytest.approx(sum(steps))
    assert np.abs(tensors.get("penalties", np.zeros(1))).max() <= could * (1 + 1e-6) + 1e-6


def test_l1_yields_exact_zeros_and_the_more_the_stronger():
    chain, data = news()
    zeros = []
    for c1 in (0.0, 0.5, 5.0):
        training = OnlineTraining(LEARNERS["sgd-l1"], {"c1": c1, "rate": 0.3}, chain, WholeData(data, COUNT))
        *_, last = islice(training.passes(seed=1), 5)
        zeros.append(int((last.weights()[: chain.edge_begin].reshape(-1, chain.stride)[:, :LABELS] == 0).sum()))
    assert zeros[0] < zeros[1] < zeros[2] < chain.edge_begin


# -- the searched rate -------------------------------------------------------------------------------------------------

COUNT, LABELS = 120, 4


def news() -> tuple[_core.Chain, _core.ChainData]:
    """Sentences whose labels depend on their features, with exceptions."""
    rng = np.random.default_rng(6)
    yes = (True,) * LABELS
    chain = core_chain(Space(yes, yes, (yes,) * LABELS), 60)
    sentences, gold = [], []
    for length in rng.integers(2, 9, COUNT):
        rows = rng.integers(0, 60, (length, 3))
        sentences.append([Token(tuple((int(f), 1.0) for f in row)) for row in rows])
        noise = rng.integers(0, LABELS, length) * (rng.random(length) < 0.1)
        gold.append(tuple(((rows[:, 0] + noise) % LABELS).tolist()))
    return chain, core_data(chain, sentences, gold)


def stated_objective(data: _core.ChainData, weights: np.ndarray, numbers: dict[str, float]) -> float:
    """Sum of -log P plus c1 |w| plus c2 |w|^2."""
    penalty = numbers.get("c1", 0.0) * np.abs(weights).sum() + numbers.get("c2", 0.0) * np.square(weights).sum()
    return float(penalty - data.log_probabilities(weights, 1).sum())


@pytest.mark.parametrize("name", ["sgd", "madf", "sgd-l1", "adf"])
def test_the_objective_falls_pass_by_pass(name: str):
    chain, data = news()
    numbers = {"c1": 0.5} if name == "sgd-l1" else {"c2": 0.5}
    training = begin_training(
        LEARNERS[name], Settings(**numbers), "abcd", chain, WholeData(data, COUNT), seed=1, threads=1
    )
    values = [stated_objective(data, np.zeros(chain.size, np.float32), numbers)]
    values += [stated_objective(data, p.weights(), numbers) for p in islice(training.passes(seed=1), 8)]
    assert values[1] < values[0]
    assert values[-1] < values[1]
    best = minimum(chain, data, numbers)
    assert best - 1e-3 <= values[-1] < best + 0.3 * (values[0] - best)


def minimum(chain: _core.Chain, data: _core.ChainData, numbers: dict[str, float]) -> float:
    """By batch training of the same objective."""
    options = Settings(c1=numbers.get("c1", 0.0), c2=numbers.get("c2", 0.0), node_labels="all")
    training = begin_training(LEARNERS["owlqn"], options, "abcd", chain, WholeData(data, COUNT), seed=1, threads=1)
    *_, last = training.passes(seed=1)
    return stated_objective(data, last.weights(), numbers)


@pytest.mark.parametrize("name", ["sgd", "madf", "sgd-l1"])
def test_the_searched_rate_does_better_in_a_pass_than_its_neighbours(name: str):
    chain, data = news()
    learner = LEARNERS[name]
    numbers = Settings().of(learner)
    rate = search_rate(learner, numbers, WholeData(data, COUNT), seed=1, threads=1)
    order = np.argsort(np.random.default_rng(0).random(COUNT))

    def after_a_pass(rate: float) -> float:
        training = OnlineTraining(learner, {**numbers, "rate": rate}, chain, WholeData(data, COUNT))
        training.run(order)
        return stated_objective(data, training.state.mean(), {k: v for k, v in numbers.items() if k != "rate"})

    assert after_a_pass(rate) < min(after_a_pass(rate * 8), after_a_pass(rate / 8))
    assert math.log2(rate / 0.1) == pytest.approx(round(math.log2(rate / 0.1)))


def test_numbers_of_the_objective_become_shares_of_an_example():
    """sum NLL + c2 |w|^2 over n examples: each step's gradient has 2 c2 w / n."""
    chain, data = news()
    start = np.random.default_rng(3).normal(size=chain.size).astype(np.float64)
    start.reshape(-1, chain.stride)[:, LABELS:] = 0
    learner = Learner("mine", "expected", "sgd", "none")
    numbers = {"c2": 4.0, "rate": 1e-3}
    state = _core_double.OnlineState(chain.size, False)
    state.start(start)
    state.epoch(data, np.arange(COUNT), "expected", "sgd", step_settings(learner, numbers, COUNT), np.zeros(0))
    bare = _core_double.OnlineState(chain.size, False)
    bare.start(start)
    without = _core.StepSettings(rate=1e-3, decay=2 * 4.0 / COUNT)
    bare.epoch(data, np.arange(COUNT), "expected", "sgd", without, np.zeros(0))
    # Of a whole pass with a small rate: 2 c2 w rate.
    assert np.allclose(bare.weights() - state.weights(), 2 * 4.0 * 1e-3 * start, atol=1e-3)
    assert np.abs(bare.weights() - state.weights()).max() > 1e-2
