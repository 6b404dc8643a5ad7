"""Arrays that do not fit together are refused before they are used."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
import pytest

from tagloom import _core, _core_double

YES = np.ones(2, np.uint8)
PLAIN = _core.StepSettings(), np.zeros(0)  # no numbers, no costs


def i64(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


def u32(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.uint32)


def chain(**changes: object) -> _core.Chain:
    """Two labels, three node features, one edge feature with two pairs."""
    arguments = {"labels": 2, "node_rows": 3, "has_transitions": True, "edge_offsets": i64(0, 2),
                 "edge_pairs": u32(0, 3), "start": YES, "end": YES, "pairs": np.ones(4, np.uint8)}  # fmt: skip
    return _core.Chain(**(arguments | changes))


def data(**changes: object) -> _core.ChainData:
    """Two sentences of one and two tokens."""
    arguments = {"chain": chain(), "node_offsets": i64(0, 1, 1, 2), "node_rows": u32(0, 2), "node_values": floats(),
                 "edge_offsets": i64(0, 0, 1, 1), "edge_rows": u32(0), "edge_values": floats(),
                 "sentences": i64(0, 1, 3), "gold": np.array([0, 1, 1], np.int32)}  # fmt: skip
    return _core.ChainData(**(arguments | changes))


NO_FLAGS = np.zeros(0, np.uint8)
MAXENT = _core.SearchSettings(beam=2, is_normalised=True)


def test_searches_of_probabilities_are_checked():
    good, bad = np.zeros(chain().size, np.float32), np.zeros(chain().size + 1, np.float32)
    flags = np.ones(5, np.uint8)
    calls: list[Callable[[np.ndarray, np.ndarray], object]] = [
        lambda weights, allowed: data().nbest_history(weights, MAXENT, allowed, 3, 1),
        lambda weights, allowed: data().history_log_probabilities(weights, MAXENT, allowed, 1),
        lambda weights, allowed: data().history_marginals(weights, MAXENT, allowed, 1),
    ]
    for call in calls:
        call(good, NO_FLAGS)
        with pytest.raises(ValueError, match="weights do not fit the chain"):
            call(bad, NO_FLAGS)
        with pytest.raises(ValueError, match="constraints do not fit"):
            call(good, flags)
    with pytest.raises(ValueError, match="probabilities need gold labels"):
        data(gold=np.zeros(0, np.int32)).history_log_probabilities(good, MAXENT, NO_FLAGS, 1)
    with pytest.raises(ValueError, match="a normalised search needs a beam"):
        _core.SearchSettings(is_normalised=True)


def test_counts_are_of_a_normalised_search():
    plain, local = _core.BatchObjective(data(), False), _core.BatchObjective(data(), False, 1, MAXENT)
    assert local.largest_sum(local.observed(1), 1) == 2  # a transition beside a node or an edge feature
    for call in (lambda: plain.observed(1), lambda: plain.largest_sum(np.zeros(plain.size), 1)):
        with pytest.raises(ValueError, match="normalised label by label"):
            call()
    with pytest.raises(ValueError, match="variables do not fit"):
        local.largest_sum(np.zeros(local.size + 1), 1)
    with pytest.raises(ValueError, match="is normalised"):
        _core.BatchObjective(data(), False, 1, _core.SearchSettings(beam=2))


def floats(*numbers: float) -> np.ndarray:
    return np.array(numbers, np.float32)


@pytest.mark.parametrize(
    "changes",
    [
        {"labels": 0},
        {"labels": 4097},
        {"labels": 3},
        {"node_rows": 2**32},
        {"node_rows": 2**64 - 1},
        {"start": np.ones(3, np.uint8)},
        {"pairs": np.ones(2, np.uint8)},
        {"edge_offsets": i64()},
        {"edge_offsets": i64(0, 1)},
        {"edge_offsets": i64(1, 2)},
        {"edge_offsets": i64(0, 3, 2)},
        {"edge_pairs": u32(0, 4)},
    ],
    ids=str,
)
def test_chains_that_do_not_fit_are_refused(changes: dict):
    with pytest.raises(ValueError, match=r"\w"):
        chain(**changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"node_offsets": i64()},
        {"node_offsets": i64(0, 1, 2)},
        {"node_offsets": i64(0, 2, 1, 2)},
        {"node_offsets": i64(0, -1, 1, 2)},
        {"node_rows": u32(0, 3)},
        {"node_rows": u32(0)},
        {"node_values": floats(1.0)},
        {"edge_offsets": i64(0, 1)},
        {"edge_rows": u32(1)},
        {"edge_values": floats(1.0, 1.0)},
        {"sentences": i64(0, 1)},
        {"sentences": i64(0, 4, 3)},
        {"sentences": i64()},
        {"gold": np.array([0, 1], np.int32)},
        {"gold": np.array([0, 1, 2], np.int32)},
        {"gold": np.array([0, 1, -1], np.int32)},
    ],
    ids=str,
)
def test_sentences_that_do_not_fit_their_chain_are_refused(changes: dict):
    with pytest.raises(ValueError, match=r"\w"):
        data(**changes)


def test_weights_must_fit_the_chain():
    size = chain().size
    for count in (0, size - 1, size + 1):
        with pytest.raises(ValueError, match="do not fit"):
            data().decode(np.zeros(count, np.float32), 1)
        with pytest.raises(ValueError, match="do not fit"):
            _core.OnlineState(count, True).epoch(data(), i64(0), "best", "unit", *PLAIN)


@pytest.mark.parametrize("order", [i64(2), i64(0, -1), i64(2**62)], ids=str)
def test_examples_out_of_range_are_refused(order: np.ndarray):
    with pytest.raises(ValueError, match="out of range"):
        _core.OnlineState(chain().size, False).epoch(data(), order, "best", "unit", *PLAIN)


def test_training_needs_gold_labels_and_known_parts():
    state = _core.OnlineState(chain().size, False)
    with pytest.raises(ValueError, match="gold"):
        state.epoch(data(gold=np.zeros(0, np.int32)), i64(0), "best", "unit", *PLAIN)
    for parts in (("worst", "unit", *PLAIN), ("best", "two", *PLAIN)):
        with pytest.raises(ValueError, match="unknown"):
            state.epoch(data(), i64(0), *parts)


@pytest.mark.parametrize("costs", [1, 3, 5])
def test_costs_must_fit_the_labels(costs: int):
    with pytest.raises(ValueError, match="costs do not fit"):
        _core.OnlineState(chain().size, False).epoch(
            data(), i64(0), "cost-augmented", "pa", _core.StepSettings(), np.zeros(costs)
        )


@pytest.mark.parametrize(
    "name", ["aggressiveness", "rate", "decay", "l1", "l2", "examples", "period", "window", "slow", "fast"]
)
@pytest.mark.parametrize("number", [-1.0, np.nan, np.inf, 1e16])
def test_settings_of_steps_are_finite_and_not_negative(name: str, number: float):
    with pytest.raises(ValueError, match="from 0 to 1e15"):
        _core.StepSettings(**{name: number})


@pytest.mark.parametrize("name", ["aggressiveness", "examples", "period", "window"])
def test_settings_that_divide_are_positive(name: str):
    with pytest.raises(ValueError, match="positive"):
        _core.StepSettings(**{name: 0.0})


@pytest.mark.parametrize("step", ["adf", "l1"])
def test_what_a_step_remembers_must_fit(step: str):
    state = _core.OnlineState(chain().size, True)
    state.epoch(data(), i64(0, 1), "expected", step, *PLAIN)
    tensors = state.to_tensors()
    memory = {"adf": ("row_rates", "row_counts"), "l1": ("penalties",)}[step]
    other = _core.OnlineState(chain().size, True)
    other.restore({**tensors, **{name: tensors[name][1:] for name in memory}})
    with pytest.raises(ValueError, match="does not fit"):
        other.epoch(data(), i64(0), "expected", step, *PLAIN)


def test_states_are_restored_only_from_arrays_that_fit():
    state = _core.OnlineState(chain().size, True)
    tensors = state.to_tensors()
    for name in ("weights", "sums", "numbers"):
        for wrong in (tensors[name][1:], np.zeros(0, tensors[name].dtype)):
            with pytest.raises(ValueError, match="do not fit"):
                _core.OnlineState(chain().size, True).restore({**tensors, name: wrong})
        with pytest.raises(ValueError, match="do not fit"):
            _core.OnlineState(chain().size, True).restore({k: v for k, v in tensors.items() if k != name})
    with pytest.raises(ValueError, match="do not fit"):
        _core.OnlineState(chain().size, False).restore(tensors)
    with pytest.raises(ValueError, match="do not fit"):
        state.start(np.zeros(chain().size + 1, np.float32))


def test_a_state_that_could_not_be_restored_is_as_before():
    state = _core.OnlineState(chain().size, True)
    state.epoch(data(), i64(0, 1), "expected", "adf", *PLAIN)
    tensors = state.to_tensors()
    wrong: list[dict] = [{"numbers": np.array([2.0, number, 0.0])} for number in (-1, np.nan, 1e300)]
    wrong += [{name: tensors[name][1:]} for name in ("sums", "row_rates")]
    wrong += [{"weights": tensors["weights"].reshape(-1, 1)}, {"weights": "none"}]
    for change in wrong:
        with pytest.raises(ValueError, match="do not fit"):
            state.restore({**tensors, "weights": tensors["weights"] + 1, **change})
        assert {k: v.tobytes() for k, v in state.to_tensors().items()} == {k: v.tobytes() for k, v in tensors.items()}


def test_frequency_rates_belong_to_one_layout():
    """Two chains with as many weights and as many rows, of other lengths."""
    pairs, one = np.zeros(80, np.uint32), np.ones(9, np.uint8)
    narrow = chain(node_rows=8, edge_offsets=i64(0, 80), edge_pairs=pairs)
    wide = chain(labels=9, node_rows=1, edge_offsets=i64(0, 0), edge_pairs=pairs[:0], start=one, end=one,
                 pairs=np.ones(81, np.uint8))  # fmt: skip
    assert narrow.size == wide.size
    state = _core.OnlineState(wide.size, False)
    counts = _core.GoldCounts(narrow)
    counts.add(data(chain=narrow))
    state.set_frequency_rates(counts, 0.001, 1.0)
    with pytest.raises(ValueError, match="does not fit"):
        state.epoch(data(chain=wide, node_rows=u32(0, 0)), i64(0), "expected", "madf", *PLAIN)
    with pytest.raises(ValueError, match="positive"):
        state.set_frequency_rates(counts, 0.0, 1.0)
    with pytest.raises(ValueError, match="another chain"):
        counts.add(data(chain=wide, node_rows=u32(0, 0)))
    with pytest.raises(ValueError, match="do not fit"):
        _core.OnlineState(wide.size + 1, False).set_frequency_rates(counts, 0.001, 1.0)


def refused_meanwhile(work: Callable[[], object], call: Callable[[], object]) -> bool:
    """Whether ``call`` is refused while another thread is at ``work``."""
    thread = threading.Thread(target=work)
    thread.start()
    refused = False
    while thread.is_alive() and not refused:
        try:
            call()
        except RuntimeError as error:
            refused = "another thread" in str(error)
    thread.join()
    return refused


def test_a_state_and_an_objective_serve_one_thread_at_a_time():
    order = np.zeros(500_000, np.int64)
    state = _core.OnlineState(chain().size, True)
    state.epoch(data(), i64(0), "best", "unit", *PLAIN)
    assert refused_meanwhile(lambda: state.epoch(data(), order, "best", "unit", *PLAIN), state.mean)
    state.take_mean()  # free again
    _, sample = data().sample(order)
    objective = _core.BatchObjective(sample, False)
    x = np.zeros(objective.size)
    assert refused_meanwhile(lambda: objective.evaluate(x, np.zeros_like(x), 1), lambda: objective.weights(x))
    objective.weights(x)


def test_errors_count_where_nothing_tells_labels_apart():
    """Without features and transitions the opponent is wrong and the weights cannot move."""
    bare = chain(has_transitions=False, edge_offsets=i64(0), edge_pairs=u32())
    empty = data(
        chain=bare, node_offsets=i64(0, 0, 0, 0), node_rows=u32(), edge_offsets=i64(0, 0, 0, 0), edge_rows=u32()
    )
    assert _core.OnlineState(bare.size, False).epoch(empty, i64(0, 1), "best", "unit", *PLAIN) == (0, 2, 0.0)


def test_batch_objectives_need_gold_and_variables_that_fit():
    with pytest.raises(ValueError, match="gold"):
        _core.BatchObjective(data(gold=np.zeros(0, np.int32)), False)
    objective = _core.BatchObjective(data(), True)
    for x, gradient in ((objective.size - 1, objective.size), (objective.size, objective.size + 1)):
        with pytest.raises(ValueError, match="do not fit"):
            objective.evaluate(np.zeros(x), np.zeros(gradient), 1)


@pytest.mark.parametrize("at_end", [False, True])
@pytest.mark.parametrize("n", [4, 2**63, 2**64 - 2, 2**64 - 1])
def test_ngrams_longer_than_the_sentence_have_no_level(n: int, at_end: bool):
    encoder, strings = _core.Encoder(), _core.StringTable()
    encoder.add_per_token()
    store = _core.AttributeStore(encoder)
    codes = np.array([strings.intern(text) for text in "abc"], np.int32)
    store.find_levels(
        0, _core.LevelTable(np.zeros(0, np.uint64), np.zeros(0, np.int32)), n, at_end, strings, codes, i64(0, 3)
    )
    assert store.items(0) == 3
    assert store.most(0) == 0


def test_a_sample_teaches_what_its_sentences_teach():
    order = i64(1, 1, 0)
    small, sample = data().sample(order)
    assert small.node_rows == 2  # of three features two occur
    for opponent, step in (("best", "unit"), ("expected", "sgd"), ("expected", "adf")):
        whole, part = _core_double.OnlineState(chain().size, False), _core_double.OnlineState(small.size, False)
        report = whole.epoch(data(), order, opponent, step, *PLAIN)
        assert part.epoch(sample, np.arange(3), opponent, step, *PLAIN) == report
        assert part.weights().sum() == pytest.approx(whole.weights().sum(), abs=1e-12)
    for bad in (i64(2), i64(-1)):
        with pytest.raises(ValueError, match="out of range"):
            data().sample(bad)
    with pytest.raises(ValueError, match="gold"):
        data(gold=np.zeros(0, np.int32)).sample(i64(0))


def test_feature_tables_hold_a_key_once():
    with pytest.raises(ValueError, match="twice"):
        _core.FeatureTable(np.array([5, 7, 5], np.uint64))


def test_edge_features_get_the_pairs_seen_with_them():
    offsets, rows = i64(0, 1, 2, 3, 4), u32(1, 0, 1, 1)  # a feature a token
    sentences, gold = i64(0, 3, 4), np.array([0, 1, 0, 1], np.int32)
    ends, pairs = _core.edge_support(offsets, rows, sentences, gold, 2, 2, False)
    # Feature 0 stands between 0 and 1, feature 1 between 1 and 0; the first token of a sentence has no pair.
    assert (ends.tolist(), pairs.tolist()) == ([0, 1, 2], [1, 2])
    ends, pairs = _core.edge_support(offsets, rows, sentences, gold, 2, 2, True)
    assert (ends.tolist(), pairs.tolist()) == ([0, 4, 8], [0, 1, 2, 3] * 2)


# -- candidates and non-local features -------------------------------------------------------------------------------


def nonlocal_features(of: _core.ChainData, **changes: object) -> _core.NonlocalFeatures:
    """Native features of two labels, both of one class."""
    arguments = {"data": of, "words": np.zeros(3, np.int32), "flags": np.zeros(3, np.uint8), "classes": [0, 1],
                 "begins": [0, 1], "ends": [0, 1], "families": [True] * 5, "function": None}  # fmt: skip
    return _core.NonlocalFeatures(**(arguments | changes))


def lists(of: _core.ChainData, **changes: object) -> _core.CandidateLists:
    """A candidate for each of two sentences."""
    arguments = {"data": of, "first": i64(0, 1, 2), "begins": i64(0, 1, 3), "labels": np.zeros(3, np.int32)}
    return _core.CandidateLists(**(arguments | changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"words": np.zeros(2, np.int32)},
        {"words": np.array([0, -1, 0], np.int32)},
        {"flags": np.zeros(4, np.uint8)},
        {"classes": [0]},
        {"begins": [0, 1, 0]},
        {"ends": []},
        {"families": [True] * 4},
    ],
    ids=str,
)
def test_non_local_features_fit_the_data(changes: dict[str, object]):
    with pytest.raises(ValueError):  # noqa: PT011
        nonlocal_features(data(), **changes)
    features = nonlocal_features(data())
    for document, labels in ((2, [0]), (0, [0, 0]), (0, [2]), (0, [-1])):
        with pytest.raises(ValueError):  # noqa: PT011
            features.count(document, np.array(labels, np.int32))


@pytest.mark.parametrize(
    "changes",
    [
        {"first": i64(0, 2)},
        {"first": i64(0, 1, 3)},
        {"begins": i64(0, 1)},
        {"begins": i64(0, 2, 3)},
        {"labels": np.array([0, 2, 0], np.int32)},
        {"labels": np.array([0, -1, 0], np.int32)},
        {"begins": i64()},
    ],
    ids=str,
)
def test_candidates_fit_the_data(changes: dict[str, object]):
    with pytest.raises(ValueError):  # noqa: PT011
        lists(data(), **changes)
    arguments = {"first": i64(0, 1, 2), "begins": i64(0, 1, 3), "labels": np.zeros(3, np.int32), "threads": 1}
    features = nonlocal_features(data())
    assert len(features.count_lists(**arguments)[0]) == 3  # type: ignore[arg-type]
    with pytest.raises(ValueError):  # noqa: PT011
        features.count_lists(**(arguments | changes))


def test_margin_learners_refuse_what_was_made_for_other_documents():
    here, other = data(), data(sentences=i64(0, 2, 3))
    state = _core.OnlineState(chain().size, False)
    order, settings = i64(0, 1), _core.MarginSettings()
    state.margin_epoch(here, order, settings, nonlocal_features(here), lists(here))
    with pytest.raises(ValueError, match="non-local features belong to other documents"):
        state.margin_epoch(here, order, settings, nonlocal_features(other), None)
    with pytest.raises(ValueError, match="candidates belong to other documents"):
        state.margin_epoch(here, order, settings, None, lists(other, begins=i64(0, 2, 3)))
    with pytest.raises(ValueError, match="example out of range"):
        state.margin_epoch(here, i64(2), settings, None, None)
    weights = np.zeros(chain().size, np.float32)
    given = nonlocal_features(other), floats(), floats(), np.zeros(0, np.uint8), 3, 1
    with pytest.raises(ValueError, match="non-local features belong to other documents"):
        here.decode_rescored(weights, *given)
    with pytest.raises(ValueError, match="constraints do not fit"):
        here.nbest(weights, np.ones(5, np.uint8), 3, 1)


@pytest.mark.parametrize("changes", [{"total_margin": -1.0}, {"local_margin": np.nan}, {"candidates": 0}], ids=str)
def test_margin_settings_are_checked(changes: dict[str, object]):
    with pytest.raises(ValueError):  # noqa: PT011
        _core.MarginSettings(**changes)
