"""MaxEnt taggers against a plain softmax: gradients, iterative scaling, SGD, cut-offs, probabilities, beams."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagloom import _core, _core_double
from tagloom.errors import ConfigError
from tagloom.learners import LEARNERS, Settings, begin_training
from tagloom.learners.batch import ScalingTraining, scale
from tagloom.learners.blocks import WholeData
from tagloom.learners.lbfgs import minimise
from tests.core.chains import core_chain, core_data, split
from tests.learners.examples import FEATURES
from tests.learners.test_batch import evaluate
from tests.learners.test_history import NO_FLAGS, Problem, orders, problems
from tests.oracle import maxent as oracle
from tests.oracle.chain import Part, Space, Token
from tests.oracle.history import Tagger
from tests.strategies import unhurried

REALS = {"f32": _core.BatchObjective, "f64": _core_double.BatchObjective}
node_labels = pytest.mark.parametrize("labels", ["seen", "all"])


def search(backwards: bool, beam: int = 20) -> _core.SearchSettings:
    return _core.SearchSettings(beam=beam, is_backwards=backwards, is_normalised=True)


def learnable(problem: Problem) -> list[tuple[Tagger, tuple[int, ...]]]:
    examples = problem.task.examples
    return [(problem.tagger(x), y) for x, y in examples if x and problem.task.space.allows(y)]


def occurrences(problem: Problem) -> Counter[Part]:
    """How many tokens have each part in the gold labels, whether the masks allow them or not."""
    found: Counter[Part] = Counter()
    for x, y in problem.task.examples:
        ones = [Token(tuple((f, 1.0) for f, _ in token.nodes), tuple((f, 1.0) for f, _ in token.edges)) for token in x]
        tagger = problem.tagger(ones)
        found.update(tagger.parts(tagger.turned(y)))
    return found


def variables(problem: Problem, labels: str, cutoff: int = 1) -> list[Part]:
    """The weights that exist, in the order of the core."""
    space, names, seen = problem.task.space, range(problem.labels), occurrences(problem)
    every = labels == "all"

    def allowed(p: int, y: int) -> bool:
        return space.pairs[y][p] if problem.backwards else space.pairs[p][y]

    return [
        *(("node", f, y) for f in range(FEATURES) for y in names if every or seen["node", f, y] >= cutoff),
        *(("pair", p, y) for p in names for y in names
          if space.transitions and allowed(p, y) and (cutoff == 1 or seen["pair", p, y] >= cutoff)),
        *(("edge", f, p, y) for f, pairs in enumerate(space.edge_pairs) for p, y in sorted(pairs)),
        *(("triple", b, p, y) for p in names for b in names for y in names
          if problem.history == 2 and (every or seen["triple", b, p, y] >= cutoff)),
    ]  # fmt: skip


def objective_of(problem: Problem, labels: str = "seen", cutoff: int = 1, real: str = "f64") -> Any:
    return REALS[real](problem.data(), labels == "all", cutoff, search(problem.backwards))


def plain(problem: Problem, parts: list[Part], weights: dict[Part, float]) -> tuple[float, dict[Part, float]]:
    """The loss of all examples and its gradient."""
    total, slope = 0.0, dict.fromkeys(parts, 0.0)
    for tagger, gold in learnable(problem):
        direction, loss = oracle.gradient(tagger, weights, gold)
        total += loss
        for part in parts:
            slope[part] -= direction[part]
    return total, slope


# -- the objective -----------------------------------------------------------------------------------------------------


@orders
@node_labels
@settings(unhurried, max_examples=20)
@given(data=st.data())
def test_the_gradient_is_that_of_a_plain_softmax(labels: str, backwards: bool, history: int, data: st.DataObject):
    problem = data.draw(problems(backwards, history))
    parts, objective = variables(problem, labels), objective_of(problem, labels)
    assert objective.size == len(parts)
    x = np.array([problem.start[part] for part in parts])
    loss, gradient = evaluate(objective, x)
    total, expected = plain(problem, parts, dict(zip(parts, x.tolist())))
    assert loss == pytest.approx(total, abs=1e-10)
    assert dict(zip(parts, gradient.tolist())) == pytest.approx(expected, abs=1e-10)
    h = 1e-5
    slopes = [(evaluate(objective, x + h * e)[0] - evaluate(objective, x - h * e)[0]) / (2 * h) for e in np.eye(len(x))]
    assert np.allclose(gradient, slopes, atol=1e-7)
    assert objective.variables(objective.weights(x)).tolist() == x.tolist()


@orders
@settings(unhurried, max_examples=20)
@given(data=st.data())
def test_a_label_cutoff_leaves_weights_of_labels_seen_so_often(backwards: bool, history: int, data: st.DataObject):
    problem = data.draw(problems(backwards, history))
    cutoff = data.draw(st.integers(2, 3))
    parts, objective = variables(problem, "seen", cutoff), objective_of(problem, "seen", cutoff)
    assert objective.size == len(parts)
    gradient = evaluate(objective, np.zeros(len(parts)))[1]
    _, expected = plain(problem, parts, {})
    seen = occurrences(problem)
    for part in parts:
        if part[0] == "edge" and seen[part] < cutoff:
            expected[part] = 0.0
    assert dict(zip(parts, gradient.tolist())) == pytest.approx(expected, abs=1e-10)


@orders
@settings(unhurried, max_examples=20)
@given(data=st.data())
def test_counts_are_those_of_gold_and_the_constant_is_the_largest_sum(
    backwards: bool, history: int, data: st.DataObject
):
    problem = data.draw(problems(backwards, history))
    parts, objective = variables(problem, "all"), objective_of(problem, "all")
    observed = objective.observed(2)
    counts, sums = Counter(dict.fromkeys(parts, 0.0)), [0.0]
    for tagger, gold in learnable(problem):
        counts.update(tagger.parts(tagger.turned(gold)))
    assert dict(zip(parts, observed.tolist())) == pytest.approx({part: counts[part] for part in parts}, abs=1e-6)
    for tagger, gold in learnable(problem):
        decided = tagger.turned(gold)
        for step in range(len(gold)):
            for y in tagger.actions(decided[:step]):
                added = tagger.parts((*decided[:step], y))
                added.subtract(tagger.parts(decided[:step]))
                sums.append(sum(value for part, value in added.items() if part in counts and counts[part] > 0))
    x = np.array([problem.start[part] for part in parts])
    before = evaluate(objective, x)[0]
    assert objective.largest_sum(observed, 1) == pytest.approx(max(sums), abs=1e-6)
    assert evaluate(objective, x)[0] == before


def random_data(sentences: int = 250, labels: int = 4, features: int = 700, noise: int = 2) -> _core.ChainData:
    """More sentences and features than a thread takes in one go, with edge features and triples."""
    rng = np.random.default_rng(4)
    yes = (True,) * labels
    pairs = frozenset((p, y) for p in range(labels) for y in range(labels))
    chain = core_chain(Space(yes, yes, (yes,) * labels, (pairs, pairs), triples=True), features)
    found, gold = [], []
    for length in rng.integers(1, 8, sentences):
        rows = rng.zipf(1.5, (length, 3)) % features
        found.append([Token(tuple((int(f), 1.0) for f in row), ((int(row[0]) % 2, 1.0),)) for row in rows])
        gold.append(tuple(((rows[:, 0] + rng.integers(0, noise, length)) % labels).tolist()))
    return core_data(chain, found, gold)


@pytest.mark.parametrize("real", REALS)
@pytest.mark.parametrize("backwards", [False, True])
def test_threads_do_not_change_a_bit(real: str, backwards: bool):
    objective = REALS[real](random_data(), False, 1, search(backwards))
    x = np.random.default_rng(5).normal(size=objective.size)
    (loss, gradient), (other, same) = evaluate(objective, x), evaluate(objective, x, 3)
    assert (loss, gradient.tobytes()) == (other, same.tobytes())
    assert objective.observed(1).tobytes() == objective.observed(3).tobytes()


# -- iterative scaling -------------------------------------------------------------------------------------------------


def run_scaling(objective: Any, iterations: int) -> tuple[list[float], np.ndarray, np.ndarray]:
    """Losses, the last weights, and what they expect."""
    x, gradient, losses = np.zeros(objective.size), np.zeros(objective.size), []
    observed = objective.observed(1)
    constant = objective.largest_sum(observed, 1)
    for _ in range(iterations):
        losses.append(objective.evaluate(x, gradient, 1)[0])
        x = scale(x, observed, observed + gradient, constant)
    objective.evaluate(x, gradient, 1)
    return losses, x, observed + gradient


@pytest.mark.parametrize("backwards", [False, True])
def test_scaling_never_raises_the_loss(backwards: bool):
    losses, _, _ = run_scaling(_core_double.BatchObjective(random_data(), False, 1, search(backwards)), 60)
    assert all(after <= before + 1e-9 for before, after in itertools.pairwise(losses))
    assert losses[-1] < 0.7 * losses[0]


def test_scaling_ends_where_expected_counts_are_the_observed_ones():
    """The MaxEnt property; and the optimum is that of L-BFGS, whose regularizer is next to nothing."""
    data = random_data(40, 2, 4, noise=2)  # few features, much noise: the optimum is finite
    objective = _core_double.BatchObjective(data, False, 1, search(False))
    losses, _, expected = run_scaling(objective, 4000)
    observed = objective.observed(1)
    assert expected[observed > 0] == pytest.approx(observed[observed > 0], abs=0.02)

    def smooth(x: np.ndarray, gradient: np.ndarray) -> float:
        loss = objective.evaluate(x, gradient, 1)[0]
        gradient += 2e-9 * x
        return float(loss + 1e-9 * (x @ x))

    *_, last = itertools.islice(minimise(smooth, np.zeros(objective.size)), 300)
    assert losses[-1] == pytest.approx(last.value, rel=1e-4)


def test_variables_that_were_never_observed_stay():
    objective = _core_double.BatchObjective(random_data(), True, 1, search(False))
    _, x, _ = run_scaling(objective, 3)
    observed = objective.observed(1)
    assert (x[observed == 0] == 0).all()
    assert (observed == 0).any()
    assert (x[observed > 0] != 0).all()


def test_negative_values_are_refused_in_one_line():
    chain = core_chain(Space((True,) * 2, (True,) * 2, ((True,) * 2,) * 2), 1)
    data = core_data(chain, [[Token(((0, -0.5),))]], [(1,)])
    with pytest.raises(ConfigError, match="'maxent-gis': expected feature values of 0 or more, got negative ones"):
        ScalingTraining(LEARNERS["maxent-gis"], Settings().of(LEARNERS["maxent-gis"]), chain, WholeData(data, 1), 1)


# -- SGD ---------------------------------------------------------------------------------------------------------------


@orders
@settings(unhurried, max_examples=20)
@given(data=st.data())
def test_sgd_moves_along_the_plain_gradient(backwards: bool, history: int, data: st.DataObject):
    """With L2 after every second example, that of triples too."""
    problem = data.draw(problems(backwards, history))
    rate, l2 = 0.125, 0.25
    state = _core_double.OnlineState(problem.chain.size, False)
    state.start(problem.vector())
    step = _core.StepSettings(rate=rate, l2=l2, period=2, examples=4)
    order = np.array(problem.task.order, np.int64)
    state.epoch(problem.data(), order, "conditional", "sgd", step, np.zeros(0), search(backwards))
    weights = dict(problem.start)
    for number, (x, gold) in enumerate(problem.task.stream, 1):
        if x and problem.task.space.allows(gold):
            direction, _ = oracle.gradient(problem.tagger(x), weights, gold)
            weights = {part: w + rate * direction[part] for part, w in weights.items()}
        if number % 2 == 0:
            weights = {part: w / (1 + rate * l2 * 2) for part, w in weights.items()}
    found = state.weights()
    assert {part: found[place] for part, place in problem.places.items()} == pytest.approx(weights, abs=1e-10)


@pytest.mark.parametrize("name", ["maxent", "maxent-gis", "maxent-sgd"])
def test_every_learner_learns(name: str):
    data = random_data(noise=1)
    passes = begin_training(
        LEARNERS[name], Settings(), "abcd", data_chain(), WholeData(data, 250), seed=1, threads=1
    ).passes(1)  # fmt: skip
    first, *_, last = itertools.islice(passes, 25)
    assert last.loss < 0.6 * first.loss
    assert last.token_errors < first.token_errors


def data_chain() -> _core.Chain:
    yes = (True,) * 4
    pairs = frozenset(itertools.product(range(4), repeat=2))
    return core_chain(Space(yes, yes, (yes,) * 4, (pairs, pairs), triples=True), 700)


# -- probabilities and beams -------------------------------------------------------------------------------------------


@orders
@settings(unhurried, max_examples=25)
@given(data=st.data())
def test_probabilities_are_the_plain_ones_and_add_up_to_one(backwards: bool, history: int, data: st.DataObject):
    problem = data.draw(problems(backwards, history))
    flat, how = problem.vector(), search(backwards)
    for x, _ in problem.task.examples:
        expected = oracle.distribution(problem.tagger(x), problem.start)
        labellings = list(itertools.product(range(problem.labels), repeat=len(x)))
        each = core_data(problem.chain, [x] * len(labellings), labellings)
        found = each.history_log_probabilities_f64(flat, how, NO_FLAGS, 1)
        for labels, log_p in zip(labellings, found.tolist()):
            assert log_p == pytest.approx(expected.get(labels, -np.inf), abs=1e-10)
        assert np.exp(found).sum() == pytest.approx(1.0, abs=1e-10)
        marginals = np.zeros((len(x), problem.labels))
        for labels, log_p in expected.items():
            marginals[range(len(x)), list(labels)] += np.exp(log_p)
        exact = core_data(problem.chain, [x]).history_marginals_f64(flat, how, NO_FLAGS, 1)
        assert exact.reshape(marginals.shape) == pytest.approx(marginals, abs=1e-10)


@orders
@settings(unhurried, max_examples=25)
@given(data=st.data())
def test_a_beam_that_drops_nothing_finds_all_labellings(backwards: bool, history: int, data: st.DataObject):
    problem = data.draw(problems(backwards, history))
    sentences = [x for x, _ in problem.task.examples]
    found = core_data(problem.chain, sentences).nbest_history_f64(
        problem.vector(), search(backwards, 3), NO_FLAGS, 27, 2
    )
    first, begins, labels, scores = found
    decoded, best = core_data(problem.chain, sentences).decode_history_f64(
        problem.vector(), search(backwards, 27), NO_FLAGS, 2
    )
    for s, x in enumerate(sentences):
        expected = oracle.distribution(problem.tagger(x), problem.start)
        chosen = range(first[s], first[s + 1])
        lists = {tuple(labels[begins[c] : begins[c + 1]].tolist()): float(scores[c]) for c in chosen}
        assert lists == pytest.approx(expected, abs=1e-10)
        assert list(lists.values()) == sorted(lists.values(), reverse=True)
        assert best[s] == pytest.approx(max(expected.values()), abs=1e-10)
        assert split(decoded, list(map(len, sentences)))[s] == next(iter(lists))


@settings(max_examples=20)
@given(data=st.data())
def test_the_best_of_a_narrow_beam_are_its_hypotheses(data: st.DataObject):
    problem = data.draw(problems(False, 2))
    sentences = [x for x, _ in problem.task.examples]
    how = _core.SearchSettings(beam=2)  # scores, not probabilities
    first, begins, labels, scores = core_data(problem.chain, sentences).nbest_history_f64(
        problem.vector(), how, NO_FLAGS, 2, 1
    )
    for s, x in enumerate(sentences):
        *_, last = [[(0.0, ())], *problem.tagger(x).beams(problem.start, 2)]
        found = [tuple(labels[begins[c] : begins[c + 1]].tolist()) for c in range(first[s], first[s + 1])]
        assert scores[first[s] : first[s + 1]].tolist() == pytest.approx([score for score, _ in last])
        assert len(set(found)) == len(last)
