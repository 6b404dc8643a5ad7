"""Trees, templates, weights and searches that do not fit together are refused before they are used."""

from __future__ import annotations

import threading
from types import ModuleType

import numpy as np
import pytest

from tagloom import _core, _core_double
from tests.core.test_core_checks import chain, data, floats, i64

WRONG = (ValueError, TypeError)
SEARCH = _core.SearchSettings()
HUGE = 2**64 - 1


def u64(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.uint64)


def u16(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.uint16)


def i32(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int32)


def templates(**changes: object) -> _core.StateTemplates:
    """The first attribute of the top of the stack, and a bias."""
    arguments = {"addresses": [(0, 0, 0)], "atoms": [(0, 0, 0)], "templates": [("s0", [0]), ("bias", [])]}
    return _core.StateTemplates(**(arguments | changes))


def trees(**changes: object) -> _core.TreeData:
    """Three words, "(1 (2)) (1)", in two sentences; one attribute, two relations."""
    arguments = {"hashes": u64(1, 3, 5), "attributes": 1, "relation_hashes": u64(7, 9), "sentences": i64(0, 2, 3),
                 "heads": i32(0, 1, 0), "relations": i32(0, 1, 0)}  # fmt: skip
    return _core.TreeData(**(arguments | changes))


def parser(core: ModuleType = _core, **changes: object) -> _core.ParserCore:
    """One feature of the first template, with weights for two of five actions."""
    arguments = {"templates": templates(), "relations": 2, "keys": u64(1), "ends": i64(0, 1, 1), "counts": u16(2),
                 "actions": u16(1, 4), "weights": np.zeros(2, np.float32)}  # fmt: skip
    return core.ParserCore(**(arguments | changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"addresses": [(8, 0, 0)]},
        {"addresses": [(0, 5, 0)]},
        {"addresses": [(0, 0, 5)]},
        {"addresses": [(-1, 0, 0)]},
        {"addresses": [(HUGE, 0, 0)]},
        {"addresses": [(2**64, 0, 0)]},
        {"addresses": [(0, 0)]},
        {"addresses": []},
        {"atoms": [(6, 0, 0)]},
        {"atoms": [(0, 1, 0)]},
        {"atoms": [(0, HUGE, 0)]},
        {"atoms": []},
        {"atoms": None},
        {"templates": []},
        {"templates": [("many", [0])] * 256},
        {"templates": [("s0", [1])]},
        {"templates": [("s0", [-1])]},
        {"templates": [("s0", [0]), ("bias", []), ("s0", [0])]},
        {"templates": [(b"s0", [0])]},
    ],
    ids=str,
)
def test_templates_that_do_not_fit_are_refused(changes: dict):
    with pytest.raises(WRONG):
        templates(**changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"hashes": u64(1, 3)},
        {"hashes": u64()},
        {"hashes": np.array(["a", "b", "c"])},
        {"hashes": np.zeros((3, 1), np.uint64)},
        {"attributes": 2},
        {"attributes": 0},
        {"attributes": -1},
        {"attributes": 2**64 // 3 + 1, "hashes": u64()},  # three times that is little more than 2^64
        {"attributes": 2**63, "hashes": u64(), "sentences": i64(0, 2), "heads": i32(), "relations": i32()},
        {"relation_hashes": u64()},
        {"relation_hashes": np.ones(2049, np.uint64)},
        {"relation_hashes": u64(7)},
        {"sentences": i64()},
        {"sentences": i64(0, 2)},
        {"sentences": i64(0, 4, 3)},
        {"sentences": i64(1, 3)},
        {"sentences": i64(0, -3)},
        {"sentences": i64(-(2**63))},
        {"sentences": i64(2**62)},
        {"sentences": np.array([[0, 2, 3]])},
        {"heads": i32(0, 1)},
        {"heads": i32(0, 3, 0)},
        {"heads": i32(0, -1, 0)},
        {"heads": i32(0, 1, 2)},
        {"heads": i32(), "relations": i32(0, 1, 0)},
        {"relations": i32(0, 1)},
        {"relations": i32(0, 2, 0)},
        {"relations": i32(0, -1, 0)},
        {"heads": None},
    ],
    ids=str,
)
def test_trees_that_do_not_fit_are_refused(changes: dict):
    with pytest.raises(WRONG):
        trees(**changes)


def test_sentences_of_a_million_words_and_more_are_no_trees():
    words = 1_000_001
    heads = np.zeros(words, np.int32)
    with pytest.raises(ValueError, match="million"):
        trees(hashes=np.ones(words, np.uint64), sentences=i64(0, words), heads=heads, relations=i32())
    for many in (words, 2**31, 2**32 + 2):  # without attributes, heads and relations they take no memory
        with pytest.raises(ValueError, match="million"):
            trees(hashes=u64(), attributes=0, sentences=i64(0, many), heads=i32(), relations=i32())


@pytest.mark.parametrize("core", [_core, _core_double])
@pytest.mark.parametrize(
    "changes",
    [
        {"templates": None},
        {"relations": 0},
        {"relations": -1},
        {"relations": 2049},
        {"relations": HUGE},
        {"relations": 1},
        {"keys": u64(1, 2)},
        {"keys": u64(1, 1), "counts": u16(1, 1), "ends": i64(0, 2, 2)},
        {"counts": u16(1)},
        {"counts": u16(3)},
        {"counts": u16(1, 1)},
        {"counts": u16(6), "actions": u16(0, 1, 2, 3, 4, 4), "weights": "six"},
        {"actions": u16(1, 5)},
        {"actions": u16(1)},
        {"actions": u16(1, 1)},
        {"actions": u16(4, 1)},
        {"keys": u64()},
        {"weights": "short"},
        {"weights": "texts"},
        {"weights": None},
        {"ends": i64(0, 1)},
        {"ends": i64(0, 2, 1)},
        {"ends": i64(0, 1, 2)},
        {"ends": i64(0, -1, 1)},
        {"ends": i64()},
    ],
    ids=str,
)
def test_parsers_that_do_not_fit_are_refused(core: ModuleType, changes: dict):
    real = np.float32 if core is _core else np.float64
    weights = {"short": np.zeros(1, real), "texts": np.array(["a"] * 2), "six": np.zeros(6, real), None: None}
    good = np.zeros(2, real)
    assert parser(core, weights=good).weights_of(1).tolist() == [0.0] * 5
    with pytest.raises(WRONG):
        parser(core, **changes | {"weights": weights.get(changes.get("weights", "good"), good)})


@pytest.mark.parametrize(
    "changes",
    [
        {"relation_hashes": u64(7), "relations": i32()},
        {"relation_hashes": u64(7, 9, 11)},
        {"attributes": 0, "hashes": u64(), "sentences": i64(0), "heads": i32(), "relations": i32()},
        None,
    ],
    ids=["fewer relations", "more relations", "no attributes", "None"],
)
def test_sentences_must_fit_the_parser(changes: dict | None):
    given = None if changes is None else trees(**changes)
    with pytest.raises(WRONG):
        parser().parse(given, SEARCH, 1)
    with pytest.raises(WRONG):
        parser().look(given, SEARCH, 0, [])
    with pytest.raises(WRONG):
        _core.ParserState(templates(), 2, True).epoch(given, i64(), SEARCH)


@pytest.mark.parametrize(
    ("sentence", "done"),
    [(2, []), (HUGE, []), (HUGE - 1, []), (-1, []), (2**64, []), (0, [1]), (0, [-1]), (0, [5]), (0, [2**31]),
     (0, [0, 0, 0]), (0, [0, 0, 1]), (1, [0]), (0, None)],
)  # fmt: skip
def test_states_that_do_not_exist_cannot_be_looked_at(sentence: int, done: list[int]):
    with pytest.raises(WRONG):
        parser().look(trees(), SEARCH, sentence, done)


def test_an_empty_sentence_has_no_state_to_look_at():
    empty = trees(sentences=i64(0, 0, 3), heads=i32(2, 0, 2))
    with pytest.raises(ValueError, match="finished"):
        parser().look(empty, SEARCH, 0, [])


@pytest.mark.parametrize(
    "changes",
    [{"depth": 1001}, {"depth": -1}, {"depth": HUGE}, {"beam": 100_001}, {"beam": -1}, {"margin": -1.0},
     {"margin": np.nan}, {"margin": np.inf}, {"margin": "1"}, {"depth": 1.5}],
    ids=str,
)  # fmt: skip
def test_search_settings_are_checked(changes: dict):
    with pytest.raises(WRONG):
        _core.SearchSettings(**changes)


def test_threads_are_counted_from_any_number():
    for threads in (0, 1, 10**6, HUGE):
        assert parser().parse(trees(), SEARCH, threads)[0].tolist() == [2, 0, 0]
    with pytest.raises(WRONG):
        parser().parse(trees(), SEARCH, -1)


@pytest.mark.parametrize("core", [_core, _core_double])
def test_learners_refuse_what_they_cannot_learn_from(core: ModuleType):
    make = core.ParserState
    for arguments in ((templates(), 0, True), (templates(), 2049, True), (None, 2, True), (templates(), -1, True)):
        with pytest.raises(WRONG):
            make(*arguments)
    state = make(templates(), 2, True)
    for order in (i64(2), i64(-1), i64(2**62), i64(-(2**63)), np.array(["a"]), None):
        with pytest.raises(WRONG):
            state.epoch(trees(), order, SEARCH)
    with pytest.raises(ValueError, match="gold trees"):
        state.epoch(trees(heads=i32(), relations=i32()), i64(0), SEARCH)
    crossing = trees(hashes=u64(1, 1, 1, 1), sentences=i64(0, 4), heads=i32(3, 4, 0, 3), relations=i32(0, 0, 0, 0))
    cycle = trees(heads=i32(2, 1, 0))
    two_roots = trees(heads=i32(0, 0, 0))
    for bad in (crossing, cycle, two_roots):
        with pytest.raises(ValueError, match="not projective"):
            state.epoch(bad, i64(0), SEARCH)
    assert len(state.frozen()["keys"]) == 0


def test_learners_take_sentences_of_no_word_and_of_one():
    given = trees(sentences=i64(0, 0, 1, 3), heads=i32(0, 2, 0))
    for search in (SEARCH, _core.SearchSettings(depth=2), _core.SearchSettings(beam=2)):
        state = _core.ParserState(templates(), 2, True)
        state.epoch(given, i64(0, 1, 0), search)
        assert len(state.frozen()["keys"]) == len(state.to_tensors()["weights"]) == 0
        state.epoch(given, i64(2), search)


@pytest.mark.parametrize(
    "changes",
    [{"keys": u64(1, 2)}, {"keys": u64(1, 1), "counts": u16(1, 1), "templates": np.zeros(2, np.uint8)},
     {"counts": u16(1)}, {"counts": u16(3)}, {"actions": u16(0, 5)}, {"actions": u16(0)}, {"actions": u16(3, 3)},
     {"weights": np.zeros(1, np.float32)}, {"weights": np.array(["a"] * 2)}, {"sums": floats()},
     {"templates": np.zeros(2, np.uint8)}, {"templates": np.full(1, 2, np.uint8)},
     {"clock": -1.0}, {"clock": np.nan}, {"clock": np.inf}, {"clock": 1e16}],
    ids=str,
)  # fmt: skip
def test_a_parser_is_restored_from_its_own_arrays_only(changes: dict):
    arrays = {"keys": u64(1), "templates": np.zeros(1, np.uint8), "counts": u16(2), "actions": u16(0, 3),
              "weights": np.ones(2, np.float32), "sums": np.ones(2, np.float32), "clock": 3.0}  # fmt: skip
    state = _core.ParserState(templates(), 2, True)
    state.restore(**arrays)
    with pytest.raises(WRONG):
        state.restore(**(arrays | changes))
    kept = state.to_tensors()
    assert (kept["keys"].tolist(), kept["actions"].tolist(), kept["weights"].tolist()) == ([1], [0, 3], [1.0, 1.0])


def test_features_without_weights_are_kept():
    arrays = {"keys": u64(1, 3), "templates": np.zeros(2, np.uint8), "counts": u16(1, 0), "actions": u16(2),
              "weights": np.ones(1, np.float32), "sums": np.ones(1, np.float32)}  # fmt: skip
    state = _core.ParserState(templates(), 2, True)
    state.restore(**arrays, clock=3.0)
    kept = state.to_tensors()
    assert kept["counts"].tolist() == [1, 0]
    state.restore(**{name: kept[name] for name in arrays}, clock=3.0)
    state.epoch(trees(), i64(0, 1, 0), _core.SearchSettings(depth=1))


@pytest.mark.parametrize("wild", [np.nan, np.inf, -np.inf, 3e38])
@pytest.mark.parametrize(
    "search", [SEARCH, _core.SearchSettings(depth=3), _core.SearchSettings(beam=3)], ids=["0", "3", "beam"]
)
def test_learning_goes_on_from_wild_weights(wild: float, search: _core.SearchSettings):
    state = _core.ParserState(templates(), 2, True)
    given = trees(hashes=u64(1, 3, 1), sentences=i64(0, 3), heads=i32(2, 3, 0))
    state.epoch(given, i64(0), search)
    arrays = state.to_tensors()
    arrays.pop("numbers")
    weights = np.full(len(arrays["weights"]), wild, np.float32)
    weights[::3] = -wild
    state.restore(**(arrays | {"weights": weights, "sums": weights}), clock=1.0)
    state.epoch(given, i64(0, 0, 0), search)
    chain_state = _core.OnlineState(chain().size, True)
    chain_state.start(np.full(chain().size, wild, np.float32))
    chain_state.search_epoch(data(), i64(0, 1, 0, 1), search)


@pytest.mark.parametrize(
    ("heads", "relations", "count"),
    [(i32(-1), i32(), 1), (i32(2), i32(), 1), (i32(2**31 - 1), i32(), 1), (i32(0), i32(1), 1), (i32(0), i32(-1), 1),
     (i32(0), i32(0, 0), 1), (i32(0), i32(), 0), (i32(0), i32(), 2049), (i32(0), i32(), -1),
     (np.array(["a"]), i32(), 1), (np.zeros((1, 1), np.int32), i32(), 1), (None, i32(), 1)],
)  # fmt: skip
def test_oracles_refuse_numbers_out_of_range(heads: np.ndarray, relations: np.ndarray, count: int):
    with pytest.raises(WRONG):
        _core.oracle_actions(heads, relations, count)


@pytest.mark.parametrize(
    "heads", [(1,), (2, 1), (2, 3, 1), (0, 3, 2), (3, 3, 3), (0, 0), (2, 1, 4, 3), (1, 2, 3)], ids=str
)
def test_cycles_and_forests_have_no_actions(heads: tuple[int, ...]):
    assert _core.oracle_actions(i32(*heads), i32(), 1) is None
    walk = _core.ArcWalk(len(heads), 1, list(heads))
    for _ in range(2 * len(heads)):
        costs = [walk.cost(action) for action in range(3)]
        assert set(costs) <= {0, 1}
        if walk.is_valid(action := walk.oracle()):
            walk.apply(action)


def test_no_words_take_no_actions():
    assert _core.oracle_actions(i32(), i32(), 1).tolist() == []
    assert [array.tolist() for array in _core.build_tree(i32(), 1)] == [[], []]
    assert _core.ArcWalk(0).is_final()


@pytest.mark.parametrize(
    ("actions", "count"),
    [(i32(1), 1), (i32(0, 0), 1), (i32(0, 0, 3), 1), (i32(0, 0, -1), 1), (i32(0, 1, 0), 1), (i32(0, 0, 1, 1), 1),
     (i32(0), 0), (i32(0), 2049), (np.array(["a"]), 1), (None, 1)],
)  # fmt: skip
def test_actions_that_build_no_tree_are_refused(actions: np.ndarray, count: int):
    with pytest.raises(WRONG):
        _core.build_tree(actions, count)


@pytest.mark.parametrize(
    "arguments",
    [(-1,), (1_000_001,), (2, 0), (2, 2049), (2, 1, [0]), (2, 1, [0, 3]), (2, 1, [0, -1]), (2, 1, [0, 1], [0]),
     (2, 1, [0, 1], [0, 1]), (2, 1, [0, 1], [0, -1]), (2, 1, [], [0, 0]), (2, 1, [0, 2**31])],
)  # fmt: skip
def test_walks_refuse_trees_that_do_not_fit(arguments: tuple):
    with pytest.raises(WRONG):
        _core.ArcWalk(*arguments)


def test_walks_refuse_steps_that_do_not_exist():
    walk = _core.ArcWalk(2, 1)
    for action in (-1, 3, 2**31 - 1, 2**31, -(2**31)):
        for method in (walk.apply, walk.is_valid, walk.cost):
            with pytest.raises(WRONG):
                method(action)
    for refused in (lambda: walk.apply(1), walk.undo, walk.oracle, lambda: walk.cost(0)):
        with pytest.raises(ValueError, match=r"\w"):
            refused()
    assert (walk.stack(), walk.front()) == ([], 0)


def test_the_weights_of_a_key_need_a_key():
    assert parser().weights_of(2).tolist() == [0.0] * 5
    for key in (-1, 2**64, "s0", None):
        with pytest.raises(WRONG):
            parser().weights_of(key)


# -- taggers --


@pytest.mark.parametrize("suffix", ["", "_f64"])
def test_history_based_decoding_refuses_what_does_not_fit(suffix: str):
    real = np.float64 if suffix else np.float32
    given, size, none = data(), chain().size, np.zeros(0, np.uint8)
    decode, look = getattr(given, f"decode_history{suffix}"), getattr(given, f"look{suffix}")
    good = np.zeros(size, real)
    assert decode(good, SEARCH, none, 1)[0].tolist() == [0, 0, 0]
    for weights in (good[1:], np.zeros(size + 1, real), np.zeros((size, 1), real), None):
        with pytest.raises(WRONG):
            decode(weights, SEARCH, none, 1)
        with pytest.raises(WRONG):
            look(weights, SEARCH, 0, [], True)
    for allowed in (np.ones(5, np.uint8), np.ones(7, np.uint8), np.ones((3, 2), np.uint8), None):
        with pytest.raises(WRONG):
            decode(good, SEARCH, allowed, 1)
    with pytest.raises(WRONG):
        decode(good, None, none, 1)
    for sentence, decided in (
        (2, []),
        (HUGE, []),
        (HUGE - 1, []),
        (-1, []),
        (0, [0]),
        (1, [0, 0]),
        (1, [2]),
        (1, [-1]),
    ):
        for window in (True, False):
            with pytest.raises(WRONG):
                look(good, SEARCH, sentence, decided, window)


def test_triples_are_of_few_labels_and_count_as_weights():
    many = {"labels": 513, "edge_pairs": np.zeros(2, np.uint32), "start": np.ones(513, np.uint8),
            "end": np.ones(513, np.uint8), "pairs": np.ones(513**2, np.uint8)}  # fmt: skip
    assert not chain(**many).has_triples
    with pytest.raises(ValueError, match="512"):
        chain(**many, has_triples=True)
    with_triples = chain(has_triples=True)
    assert with_triples.has_triples
    assert with_triples.triple_begin == chain().size
    assert with_triples.size == chain().size + 2 * 2 * with_triples.stride


@pytest.mark.parametrize("core", [_core, _core_double])
def test_history_based_learners_refuse_what_does_not_fit(core: ModuleType):
    make = core.OnlineState
    state = make(chain().size, True)
    for order in (i64(2), i64(-1), i64(2**62), np.array(["a"])):
        with pytest.raises(WRONG):
            state.search_epoch(data(), order, SEARCH)
    with pytest.raises(WRONG):
        state.search_epoch(data(gold=np.zeros(0, np.int32)), i64(0), SEARCH)
    with pytest.raises(WRONG):
        make(chain().size + 1, True).search_epoch(data(), i64(0), SEARCH)
    with pytest.raises(WRONG):
        state.search_epoch(data(), i64(0), None)


# -- threads --


def test_a_parser_that_learns_is_used_by_one_thread_at_a_time():
    words = 400
    heads = np.arange(2, words + 2, dtype=np.int32)
    heads[-1] = 0
    given = trees(
        hashes=np.arange(1, 2 * words, 2, dtype=np.uint64), sentences=i64(0, words), heads=heads, relations=i32()
    )
    state = _core.ParserState(templates(), 2, True)
    learning = threading.Thread(target=state.epoch, args=(given, np.zeros(60, np.int64), _core.SearchSettings(beam=8)))
    learning.start()
    refused = 0
    while learning.is_alive() and not refused:
        for use in (
            state.frozen,
            state.to_tensors,
            lambda: state.epoch(given, i64(0), SEARCH),
        ):
            try:
                use()
            except RuntimeError as error:
                assert "another thread" in str(error)  # noqa: PT017
                refused += 1
    learning.join()
    assert refused
    assert len(state.frozen()["keys"]) > 0


def test_a_parser_in_use_is_shared_by_threads():
    rng = np.random.default_rng(5)
    words, keys = 3000, np.arange(1, 2001, dtype=np.uint64)
    given = trees(hashes=rng.integers(1, 99, words).astype(np.uint64), sentences=i64(*range(0, words + 1, 20)),
                  heads=i32(), relations=i32())  # fmt: skip
    counts, actions = np.full(len(keys), 5, np.uint16), np.tile(u16(0, 1, 2, 3, 4), len(keys))
    weights = rng.normal(size=len(actions)).astype(np.float32)
    shared = parser(keys=keys, counts=counts, actions=actions, weights=weights, ends=i64(0, 2000, 2000))
    search, found = _core.SearchSettings(depth=2), {}

    def parse(number: int) -> None:
        found[number] = shared.parse(given, search, 2)[0]

    threads = [threading.Thread(target=parse, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(3):
        np.testing.assert_array_equal(found[number], found[0])
