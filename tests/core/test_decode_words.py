"""Decoding straight from words: the same as encoding first, and constraints as enumeration has them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom import _core
from tests.core.chains import NUMBERS, Problem, all_parts, core_chain, flat_weights, split
from tests.oracle.chain import Space, Token, best

LABELS = 3
TRAINING = [["a", "b"], ["b", "a", "c"], ["日本"]]
SENTENCES = st.lists(st.lists(st.sampled_from(["a", "b", "c", "new", "", "日本"]), max_size=4), max_size=4)
NO_FLAGS = np.zeros(0, np.uint8)


class Words:
    """Sentences with their attributes: the form, and letters (weighted, if so asked)."""

    def __init__(self, sentences: list[list[str]], weight: float) -> None:
        encoder = _core.Encoder()
        encoder.add_native("form", 0, 0)
        encoder.add_given(0)
        encoder.add_template("form[-1]", [(0, -1)], False)
        encoder.add_template("letter[0]", [(1, 0)], False)
        encoder.add_template("form[0] / edge", [(0, 0)], True)
        table = _core.StringTable()
        codes, offsets = _core.intern_sentences([table], sentences)
        self.store = _core.AttributeStore(encoder)
        self.store.extend([table])
        for word in table.strings():
            self.store.append(1, dict.fromkeys(word, weight))
        self.batch = self.store, codes, offsets
        self.lengths = [len(sentence) for sentence in sentences]


@st.composite
def problems(draw: st.DrawFn, nodes: int, edges: int) -> Problem:
    """Masks and weights for feature tables of those sizes."""
    row = st.tuples(*[st.integers(0, 5).map(bool)] * LABELS)
    pairs = st.frozensets(st.tuples(*[st.integers(0, LABELS - 1)] * 2))
    masks = draw(row), draw(row), draw(st.tuples(*[row] * LABELS))
    space = Space(*masks, edge_pairs=draw(st.tuples(*[pairs] * edges)))
    return Problem(space, nodes, {part: draw(NUMBERS) for part in all_parts(space, nodes)}, [])


def token_features(encoded: tuple[np.ndarray, ...], token: int) -> tuple[tuple[int, float], ...]:
    offsets, rows, values = encoded
    mine = slice(offsets[token], offsets[token + 1])
    weights = values[mine].tolist() if len(values) else [1.0] * (offsets[token + 1] - offsets[token])
    return tuple(zip(rows[mine].tolist(), weights))


@given(data=st.data(), weight=st.sampled_from([1.0, 0.5]), sentences=SENTENCES, threads=st.integers(1, 3))
def test_words_are_decoded_as_if_encoded_first(data: st.DataObject, weight: float, sentences: list, threads: int):
    seen = _core.collect_features(*Words(TRAINING, weight).batch, 1, 0)
    tables = seen.table(False), seen.table(True)
    problem = data.draw(problems(*map(len, tables)))
    chain = core_chain(problem.space, problem.features)
    weights = flat_weights(problem, chain, np.float32)
    words = Words(sentences, weight)

    nodes, edges = _core.encode(*words.batch, *tables)
    encoded = _core.ChainData(chain, *nodes, *edges, words.batch[2], np.zeros(0, np.int32))
    batch = *words.batch, *tables, NO_FLAGS, threads
    for how in (None, {"depth": 2}, {"depth": 1, "is_backwards": True}, {"beam": 2}):
        search = None if how is None else _core.SearchSettings(**how)
        direct = _core.decode_words(chain, weights, *batch, search)
        first = encoded.decode(weights, 1) if search is None else encoded.decode_history(weights, search, NO_FLAGS, 1)
        assert [a.tobytes() for a in direct] == [b.tobytes() for b in first]


@given(data=st.data(), weight=st.sampled_from([1.0, 0.5]), sentences=SENTENCES)
def test_constraints_leave_what_enumeration_leaves(data: st.DataObject, weight: float, sentences: list):
    seen = _core.collect_features(*Words(TRAINING, weight).batch, 1, 0)
    tables = seen.table(False), seen.table(True)
    problem = data.draw(problems(*map(len, tables)))
    chain = core_chain(problem.space, problem.features)
    words = Words(sentences, weight)
    token_labels = st.sets(st.integers(0, LABELS - 1))
    allowed = [[data.draw(token_labels) for _ in sentence] for sentence in sentences]
    flags = np.array([y in labels for sentence in allowed for labels in sentence for y in range(LABELS)], np.uint8)

    weights = flat_weights(problem, chain, np.float32)
    labels, scores = _core.decode_words(chain, weights, *words.batch, *tables, flags, 1)
    encoded = _core.encode(*words.batch, *tables)
    tokens = iter([Token(*(token_features(part, t) for part in encoded)) for t in range(sum(words.lengths))])
    for path, score, choices in zip(split(labels, words.lengths), scores.tolist(), allowed):
        expected, expected_score = best(problem.space, problem.weights, [next(tokens) for _ in path], choices)
        assert score == expected_score
        if expected is not None:
            assert path == expected


@given(sentences=SENTENCES)
def test_values_of_attributes_have_one_hash_each(sentences: list):
    store, codes, offsets = Words(sentences, 1.0).batch
    hashes = _core.attribute_hashes(store, codes, offsets).reshape(2, -1).tolist()
    words = [word for sentence in sentences for word in sentence]
    for attribute, values in enumerate((words, [tuple(dict.fromkeys(word)) for word in words])):
        numbers = dict(zip(values, hashes[attribute]))
        assert [numbers[value] for value in values] == hashes[attribute]
        assert len(set(numbers.values())) == len(numbers)
        assert all((number == 0) == (value == ()) for value, number in numbers.items())


def test_codes_must_fit_the_values():
    store, _, _ = Words([["a", "b"]], 1.0).batch
    for codes, offsets in (([0, 2], [0, 2]), ([0, -1], [0, 2]), ([0, 1], [0, 3]), ([0, 1], [1, 2]), ([0, 1], [])):
        with pytest.raises(ValueError, match=r"\w"):
            _core.attribute_hashes(store, [np.array(codes, np.int32)], np.array(offsets, np.int64))
    with pytest.raises(ValueError, match=r"\w"):
        _core.attribute_hashes(store, [], np.array([0, 2]))


def test_a_failure_in_one_thread_is_raised_and_ends_all():
    encoder = _core.Encoder()
    encoder.add_per_token()
    encoder.add_template("many", [(0, 0), (0, 0)], False)
    store = _core.AttributeStore(encoder)
    tokens = 200
    for token in range(tokens):
        store.append(0, [str(i) for i in range(1100 if token == 150 else 2)])
    chain = _core.Chain(1, 0, True, np.zeros(1, np.int64), np.zeros(0, np.uint32), *[np.ones(1, np.uint8)] * 3)
    tables = [_core.FeatureTable(np.zeros(0, np.uint64)) for _ in range(2)]
    batch = store, [np.zeros(tokens, np.int32)], np.arange(tokens + 1)
    with pytest.raises(ValueError, match="over 4,096 combinations"):
        _core.decode_words(chain, np.zeros(chain.size, np.float32), *batch, *tables, NO_FLAGS, 4)
