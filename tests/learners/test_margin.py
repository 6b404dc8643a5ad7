"""Margin perceptrons of the core against the plain ones, weight by weight, and what the paper proves of them."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from tagloom import _core, _core_double
from tagloom.learners import LEARNERS, Settings, begin_training
from tagloom.learners.blocks import WholeData, shuffle_order
from tagloom.learners.margin import MarginTraining, is_steady
from tests.core.chains import all_parts
from tests.learners.documents import ROWS, Task, tasks
from tests.learners.examples import FEATURES
from tests.oracle import margin as oracle
from tests.oracle.chain import Part, dot
from tests.oracle.margin import Example, Variant
from tests.oracle.nbest import rank
from tests.strategies import unhurried

MARGINS = st.sampled_from([0.0, 0.25, 1.0, 3.5, 100.0])
COUNTS = st.sampled_from([1, 2, 3, 5, 1000])
VARIANTS = {
    "3.1": st.builds(Variant, C=MARGINS),
    "4.1": st.builds(Variant, n=COUNTS, C=MARGINS),
    "4.2": st.builds(
        Variant,
        n=COUNTS,
        C=MARGINS,
        C_local=MARGINS,
        mends_local=st.just(True),
        conservative=st.booleans(),
        local_first=st.booleans(),
    ),
}


def margin_settings(how: Variant) -> _core.MarginSettings:
    return _core.MarginSettings(
        candidates=how.n, total_margin=how.C, local_margin=how.C_local, mends_local=how.mends_local,
        is_conservative=how.conservative, local_first=how.local_first,
    )  # fmt: skip


def run(
    task: Task, how: Variant, *, averaged: bool = False, listed: bool = False, passes: int = 1
) -> tuple[_core_double.OnlineState, list[tuple[int, int, float]]]:
    state, data = task.begun(averaged), task.data()
    given_ = data, np.array(task.order, np.int64), margin_settings(how), task.features(data)
    lists = task.lists(data) if listed else None
    return state, [state.margin_epoch(*given_, lists) for _ in range(passes)]


def assert_same(found: dict[Part, float], expected: dict[Part, float]) -> None:
    assert {part for part, weight in expected.items() if weight} <= found.keys()
    for part, weight in found.items():
        assert weight == pytest.approx(expected.get(part, 0.0), abs=1e-12, rel=1e-12), part


def assert_as_plain(task: Task, how: Variant, *, listed: bool = False) -> None:
    steps = list(oracle.train(task.space, task.stream, task.start, how))
    vectors = [weights for weights, _ in steps]
    for averaged in (False, True):
        state, (report,) = run(task, how, averaged=averaged, listed=listed)
        last = dict(vectors[-1])
        mean = {part: sum(v.get(part, 0.0) for v in vectors) / len(vectors) for part in last}
        mean = mean if averaged else dict(last)
        tensors = state.to_tensors()
        assert_same(task.by_part(state.weights(), tensors.get("nonlocal_weights", [])), last)
        assert_same(task.by_part(state.mean(), state.nonlocal_mean()), mean)
        assert report[1] == sum(wrong for _, wrong in steps)
        before = [{part: w for part, w in weights.items() if w} for weights in (task.start, *vectors)]
        assert report[0] >= sum(a != b for a, b in itertools.pairwise(before))


@pytest.mark.parametrize("algorithm", VARIANTS)
@settings(unhurried, max_examples=30)
@given(data=st.data())
def test_weights_and_their_mean_are_those_of_the_plain_algorithm(algorithm: str, data: st.DataObject):
    task = data.draw(tasks(nonlocal_=algorithm != "3.1"))
    assert_as_plain(task, data.draw(VARIANTS[algorithm]))


@settings(unhurried, max_examples=30)
@given(task=tasks(listed=True), margin=MARGINS)
def test_reranking_chooses_among_the_candidates_of_another_model(task: Task, margin: float):
    assert_as_plain(task, Variant(C=margin), listed=True)


@settings(unhurried, max_examples=15)
@given(task=tasks(), how=VARIANTS["4.2"], cuts=st.sets(st.integers(0, 8)))
def test_stretches_and_restored_states_give_the_same_bits(task: Task, how: Variant, cuts: set[int]):
    whole, _ = run(task, how, averaged=True)
    data = task.data()
    state = task.begun(True)
    for part in np.split(np.array(task.order, np.int64), sorted(cuts)):
        state.margin_epoch(data, part, margin_settings(how), task.features(data), None)
        again = _core_double.OnlineState(task.chain.size, True)
        again.restore(state.to_tensors())
        state = again
    for name, array in whole.to_tensors().items():
        assert state.to_tensors()[name].tobytes() == array.tobytes(), name


# -- what the paper proves (Appendix A) ------------------------------------------------------------------------------


def rivals(task: Task, truth: dict[Part, float], example: Example) -> tuple[Example, list[tuple[float, float]]]:
    """The example with the best labels under some weights; by how much they win and how far off every other one is."""
    order = rank(task.space, truth, example.document)
    planted = Example(example.document, order[0][1], example.features)
    right, found = oracle.all_parts(task.space, planted, planted.gold), []
    for score, labels in order[1:]:
        difference = right.copy()
        difference.subtract(oracle.all_parts(task.space, planted, labels))
        found.append((order[0][0] - score, math.sqrt(dot(difference, difference))))
    return planted, found


def separable(task: Task, seed: int, C: float) -> tuple[Task, float, float]:
    """Examples of the task that some local weights label without a tie, their margin delta under them, and radius R."""
    rng = np.random.default_rng(seed)
    for _ in range(20):
        truth = {part: float(rng.integers(-40, 41)) for part in all_parts(task.space, FEATURES)}
        planted = [rivals(task, truth, each) for each in task.examples]
        kept = [(example, found) for example, found in planted if found and min(found)[0] > 0]
        if kept:
            margins, distances = zip(*(pair for _, found in kept for pair in found))
            delta, radius = min(margins) / math.sqrt(dot(truth, truth)), max(distances)
            if (2 * C + radius**2) / delta**2 < 3000:
                examples = [example for example, _ in kept]
                return Task(task.space, examples, list(range(len(examples))), {}), delta, radius
    return reject()


@pytest.mark.parametrize("algorithm", ["3.1", "4.2"])
@settings(unhurried, max_examples=25)
@given(data=st.data())
def test_updates_and_margin_keep_to_the_bounds_that_the_paper_proves(algorithm: str, data: st.DataObject):
    C = data.draw(st.sampled_from([0.25, 1.0, 4.0]))
    n = 2 if algorithm == "3.1" else data.draw(COUNTS.filter(lambda n: n > 1))
    drawn, seed = data.draw(tasks(nonlocal_=algorithm != "3.1", featured=True)), data.draw(st.integers(0, 2**32))
    task, delta, radius = separable(drawn, seed, C)
    how = Variant(n=n, C=C, C_local=C, mends_local=algorithm == "4.2")
    bound = (2 * C + radius**2) / delta**2
    state, encoded = task.begun(False), task.data()
    passes = encoded, np.array(task.order, np.int64), margin_settings(how), task.features(encoded), None
    updates = 0
    while (moved := state.margin_epoch(*passes)[0]) > 0:
        updates += moved
        assert updates <= bound * (1 + 1e-9)
    weights = task.by_part(state.weights(), state.nonlocal_mean())
    norm = math.sqrt(dot(weights, weights))
    for example in task.examples:
        assert oracle.direction(task.space, weights, example, how) is None  # no violation is left
        listed = [labels for _, labels in rank(task.space, weights, example.document)[:n]]
        assert listed[:1] == [example.gold]
        right = dot(weights, oracle.all_parts(task.space, example, example.gold))
        for labels in listed[1:]:
            won = right - dot(weights, oracle.all_parts(task.space, example, labels))
            assert won > C
            assert won / norm >= delta * C / (2 * C + radius**2) * (1 - 1e-9)


# -- initialization and stopping -------------------------------------------------------------------------------------


def training(task: Task, name: str, **numbers: Any) -> MarginTraining:
    """Of the last weights, which are whole numbers."""
    data, labels = task.data(), [str(y) for y in range(len(task.space.start))]
    made = begin_training(
        LEARNERS[name].with_averaging("none"), Settings(**numbers), labels, task.chain,
        WholeData(data, len(task.examples)), seed=1, threads=1,
        features=task.features(data) if LEARNERS[name].sees_documents else None,
    )  # fmt: skip
    assert isinstance(made, MarginTraining)
    return made


@pytest.mark.parametrize("name", ["margin-perceptron", "nonlocal-perceptron"])
@settings(unhurried, max_examples=10)
@given(task=tasks(), bpm=st.integers(1, 4), C=MARGINS)
def test_bpm_begins_with_the_mean_of_single_passes(name: str, task: Task, bpm: int, C: float):
    runs: list[np.ndarray] = []
    for run_number in range(bpm):
        single = training(task, name, C=C)
        single._run(single.state.core, 3, 2**31 + run_number)
        grown = np.zeros(task.chain.size + ROWS, np.float32)
        grown[: len(single.state.mean())] = single.state.mean()
        runs.append(grown)
    mean = (sum(each.astype(np.float64) for each in runs) / bpm).astype(np.float32)

    expected, found = training(task, name, C=C), training(task, name, C=C, bpm=bpm)
    expected.start(mean)
    for a, b in itertools.islice(zip(expected.passes(3), found.passes(3)), 3):
        assert (a.updates, a.token_errors) == (b.updates, b.token_errors)
        one, other = a.state.mean(), b.state.mean()
        assert one[: len(other)].tobytes() == other.tobytes()
        assert not one[len(other) :].any()


@pytest.mark.parametrize(("C", "C_local"), [(0.0, None), (0.0, 100.0), (3.5, None), (3.5, 0.0)])
@settings(unhurried, max_examples=10)
@given(
    task=tasks(featured=True), n=st.sampled_from([2, 3, 1000]), conservative=st.booleans(), local_first=st.booleans(),
    passes=st.integers(3, 5),
)  # fmt: skip
def test_settings_reach_the_algorithm(
    C: float, C_local: float | None, task: Task, n: int, conservative: bool, local_first: bool, passes: int
):
    """As users name them; C_local is C unless it is set."""
    how = Variant(n, C, C if C_local is None else C_local, True, conservative, local_first)
    numbers: dict[str, Any] = {"n": n, "C": C, "tolerance": 0} | ({} if C_local is None else {"C_local": C_local})
    names = {
        "local_update": "conservative" if conservative else "aggressive",
        "update_order": "local-first" if local_first else "total-first",
    }
    made = training(task, "nonlocal-perceptron", **numbers, **names)
    for done in itertools.islice(made.passes(7), passes):
        found = done.state.mean()
    orders = [shuffle_order(len(task.examples), 7, epoch) for epoch in range(1, passes + 1)]
    stream = [task.examples[i] for i in np.concatenate(orders)]
    *_, (expected, _) = oracle.train(task.space, stream, {}, how)
    local, nonlocal_ = found[: task.chain.size], found[task.chain.size :]
    assert_same(task.by_part(local, nonlocal_), {part: w for part, w in expected.items() if w})


def test_orders_of_bpm_passes_are_not_those_of_training():
    orders = {shuffle_order(20, 3, epoch).tobytes() for epoch in (*range(1, 50), *range(2**31, 2**31 + 50))}
    assert len(orders) == 99


@settings(unhurried)
@given(errors=st.lists(st.integers(0, 5) | st.integers(99_980, 100_020), max_size=8))
def test_training_ends_when_the_error_has_hardly_changed_three_times(errors: list[int]):
    """Section 6.1: the relative change of the error below 0.0001 for three passes in a row."""
    last = errors[-4:]
    steady = len(last) == 4 and all(abs(b - a) < 0.0001 * max(a, 1) for a, b in itertools.pairwise(last))
    assert is_steady(errors, 0.0001) == steady
    assert not is_steady(errors, 0)


@settings(unhurried, max_examples=10)
@given(task=tasks(nonlocal_=False))
def test_passes_end_by_the_rule_and_not_before(task: Task):
    passes = list(
        itertools.islice(itertools.takewhile(lambda _: True, training(task, "margin-perceptron").passes(1)), 12)
    )
    errors = [each.token_errors for each in passes]
    for number, each in enumerate(passes):
        assert each.is_last == (number >= 3 and len(set(errors[number - 3 : number + 1])) == 1)
