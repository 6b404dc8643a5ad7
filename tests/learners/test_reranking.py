"""Re-ranking 1: the lists that it learns from, its perceptron against the plain one, weights beside scores."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import tagloom._core as _core
from tagloom.learners import LEARNERS, Settings, reranking
from tagloom.learners.margin import Documents, MarginTraining, train_margin
from tagloom.learners.reranking import RerankingTraining
from tagloom.learners.scored_lists import ScoredLists, ScoreState, rescale_weights
from tagloom.structures import Chain
from tagloom.structures.candidates import CandidateLists
from tests.learners.documents import ROWS, Task, tasks
from tests.oracle import margin as oracle
from tests.oracle.margin import Example, Variant
from tests.strategies import unhurried

NO_FLOATS = np.zeros(0, np.float32)
OFFSETS = np.arange(4, dtype=np.int64)


def two_documents() -> _core.ChainData:
    """Of two tokens and one token, with one feature everywhere."""
    chain = Chain(("a", "b")).compile(1)
    nothing = np.zeros(4, np.int64), np.zeros(0, np.uint32), NO_FLOATS
    gold = np.array([0, 1, 1], np.int32)
    return _core.ChainData(
        chain, OFFSETS, np.zeros(3, np.uint32), NO_FLOATS, *nothing, np.array([0, 2, 3], np.int64), gold
    )


def test_the_first_models_score_gets_the_weight_one() -> None:
    np.testing.assert_array_equal(rescale_weights(np.array([2.0, 4.0, 0.0]), 2.0), [1.0, 2.0])
    assert np.isfinite(rescale_weights(np.array([2.0]), -5.0)).all()


def test_the_nearest_candidate_stands_for_gold() -> None:
    data = two_documents()
    labels = np.array([[1, 0], [0, 0], [1, 1]], np.int32)  # 2, 1 and 1 tokens in error; the earlier one scores higher
    candidates = CandidateLists(
        np.array([0, 3, 5]), np.array([0, 2, 4, 6, 7, 8]), np.append(labels.ravel(), [0, 1]).astype(np.int32),
        np.array([9.0, 8.0, 7.0, 5.0, 4.0]),
    )  # fmt: skip
    made = ScoredLists.of(candidates, Documents(data, 2, data.gold), 2.0, 1)
    assert made.best.tolist() == [1, 1]
    assert made.costs.tolist() == [1, 0, 2, 1, 0]  # tokens that differ from the nearest
    assert made.lists.score(np.zeros(0), 2.0, 1).tolist() == [1.0, 0.0, -1.0, 1.0, 0.0]


def found_of(task: Task) -> CandidateLists:
    found = [example.lists or () for example in task.examples]
    labels = [y for listed in found for _, y in listed]
    return CandidateLists(
        np.cumsum([0, *map(len, found)], dtype=np.int64),
        np.cumsum([0, *map(len, labels)], dtype=np.int64),
        np.array([label for y in labels for label in y], np.int32),
        np.array([score for listed in found for score, _ in listed]),
    )


def nearest(example: Example) -> Example:
    """With the candidate that has the fewest tokens in error, of several that with the highest score, as gold."""
    assert example.lists
    wrong = [(sum(a != b for a, b in zip(y, example.gold)), -score, k) for k, (score, y) in enumerate(example.lists)]
    score, gold = example.lists[min(wrong)[2]]
    relative = [(each - score, y) for each, y in example.lists]
    return replace(example, gold=gold, lists=relative, gold_score=0.0)


@settings(unhurried, max_examples=40)
@given(task=tasks(listed=True), margin=st.sampled_from([0.0, 0.25, 1.0, 3.5, 100.0]), cut=st.integers(0, 8))
def test_weights_and_their_mean_are_those_of_the_plain_algorithm(task: Task, margin: float, cut: int) -> None:
    """Also after a state was written and restored."""
    assume(all(example.lists for example in task.examples))
    data = task.data()
    documents = Documents(data, len(task.examples), data.gold, task.features(data))
    lists = ScoredLists.of(found_of(task), documents, 1.0, 1)
    features = lists.lists.features
    zeros = np.zeros(features)
    begun = zeros, zeros, np.array([1.0, 0.0, 0.0])
    order = np.array(task.order, np.int64)
    perceptron = lists.perceptron(margin, begun)
    wrong = perceptron.run(order[:cut])[1]
    perceptron = lists.perceptron(margin, perceptron.state())
    wrong += perceptron.run(order[cut:])[1]
    stream = [nearest(example) for example in task.stream]
    steps = list(oracle.train(task.space, stream, {("score",): 1.0}, Variant(C=margin, by_score=True)))
    vectors = [
        [weights.get(("score",), 0.0), *(weights.get(("nonlocal", row), 0.0) for row in range(ROWS))]
        for weights, _ in steps
    ]
    for (weights, base), expected in (
        (perceptron.weights(), vectors[-1]),
        (perceptron.mean(), np.mean(vectors, axis=0)),
    ):
        np.testing.assert_allclose([base, *weights], expected[: features + 1], atol=1e-12)
        assert not np.any(expected[features + 1 :])
    assert wrong == sum(each for _, each in steps)


# -- first models ----------------------------------------------------------------------------------------------------


def many_documents(count: int) -> Documents:
    """Of one token, with one feature everywhere."""
    chain = Chain(("a", "b")).compile(1)
    offsets, zeros = np.arange(count + 1, dtype=np.int64), np.zeros(count + 1, np.int64)
    nothing = zeros, np.zeros(0, np.uint32), NO_FLOATS
    gold = (np.arange(count) % 2).astype(np.int32)
    data = _core.ChainData(chain, offsets, np.zeros(count, np.uint32), NO_FLOATS, *nothing, offsets, gold)
    return Documents(data, count, gold)


def begin(name: str, documents: Documents, **numbers: float) -> RerankingTraining:
    learner, chain = LEARNERS[name], Chain(("a", "b")).compile(1)
    settings_ = Settings(**numbers).of(learner)
    return RerankingTraining(learner, settings_, chain, documents, seed=3, epochs=2, threads=1)


@pytest.mark.parametrize("count", [2, 5, 7, 12])
def test_candidates_come_from_models_that_have_not_seen_the_document(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[set[int]] = []

    def learn(training: MarginTraining, seed: int, epochs: int) -> np.ndarray:
        """Weights that score every label by the number of the model."""
        assert training.only is not None
        seen.append(set(training.only.tolist()))
        weights = np.zeros(training.chain.size, np.float32)
        weights[:2] = len(seen)
        return weights

    monkeypatch.setattr(reranking, "train_margin", learn)
    documents = many_documents(count)
    made = begin("reranking-2", documents)
    weights, found = reranking.cross_validate(made.basis, made.basis.numbers, seed=3, epochs=2, threads=1)
    assert seen[0] == set(range(count))
    assert weights[0] == 1
    makers = found.scores[found.first[:-1]].astype(int) - 1  # of the candidates of every document
    for document, maker in enumerate(makers.tolist()):
        assert maker > 0
        assert document not in seen[maker]
    folds = [set(range(count)) - each for each in seen[1:]]
    assert sorted(itertools.chain.from_iterable(folds)) == list(range(count))
    assert len(folds) == min(5, count)


@pytest.mark.parametrize("name", ["reranking-1", "reranking-2"])
def test_first_models_know_nothing_of_the_documents_that_they_find_candidates_for(name: str) -> None:
    """Every document has a feature of its own, so that who has not learned from it scores all its labels by 0."""
    count = 7
    chain, each = Chain(("a", "b")).compile(count), np.arange(count + 1, dtype=np.int64)
    nothing = np.zeros(count + 1, np.int64), np.zeros(0, np.uint32), NO_FLOATS
    gold = np.ones(count, np.int32)
    data = _core.ChainData(chain, each, np.arange(count, dtype=np.uint32), NO_FLOATS, *nothing, each, gold)
    learner, documents = LEARNERS[name], Documents(data, count, gold)
    made = RerankingTraining(learner, Settings().of(learner), chain, documents, seed=3, epochs=2, threads=1)
    weights, found = reranking.cross_validate(made.basis, made.basis.numbers, seed=3, epochs=2, threads=1)
    assert found.scores.tolist() == [0.0] * 2 * count
    assert data.decode(weights, 1)[1].min() > 0  # the model of all documents has learned from every one of them


@pytest.mark.parametrize("name", ["reranking-1", "reranking-2"])
@pytest.mark.parametrize(("given_", "first"), [({"C": 7.0}, 7.0), ({"C": 7.0, "C_first": 3.0}, 3.0)])
def test_first_models_have_a_margin_of_their_own(name: str, given_: dict[str, float], first: float) -> None:
    made = begin(name, many_documents(6), bpm=0, **given_)
    assert made.basis.numbers["C"] == first
    expected = MarginTraining(made.basis.learner, {**made.numbers, "C": first}, made.basis.chain, made.basis.documents)
    next(iter(made.passes(3)))
    everything = replace_only(expected, np.arange(6))
    np.testing.assert_array_equal(made.state.first, train_margin(everything, 3, 2))


def replace_only(training: MarginTraining, only: np.ndarray) -> MarginTraining:
    training.only = only
    return training


def test_restored_arrays_are_checked() -> None:
    state = ScoreState(2.0, True, None)
    good = state.to_tensors()
    state.restore(good)
    assert state.mean().tolist() == []
    for name, bad in (
        ("ranking_weights", np.zeros(1)),
        ("ranking_moments", np.zeros((1, 1))),
        ("ranking_numbers", np.zeros(2)),
        ("ranking_weights", np.zeros(0, np.float32)),
    ):
        with pytest.raises(ValueError, match=r"tensor ranking_\w+: expected"):
            state.restore({**good, name: bad})
