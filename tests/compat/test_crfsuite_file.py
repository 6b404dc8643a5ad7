"""Model files of CRFsuite: the labels, marginals and probabilities of python-crfsuite, and refusal of damaged files."""

from __future__ import annotations

import functools
import itertools
import struct
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import tagloom
from tagloom.compat.crfsuite_file import read_crfsuite_model
from tagloom.errors import ModelFileError
from tagloom.files.crfsuite import CrfsuiteModel, parse_crfsuite
from tagloom.systems.tagger.crfsuite import build_tagger
from tagloom.systems.tagger.model import Tagger

crfsuite = pytest.importorskip("pycrfsuite")
ALGORITHMS = {"lbfgs": {"max_iterations": 8}, "ap": {"max_iterations": 4}, "pa": {"max_iterations": 4}}
Items = list[Any]

names = st.sampled_from(["w", "w:the", "bias", "é", "日本", "x" * 40]) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=4
)
items = st.dictionaries(names, st.floats(-3, 3, width=32) | names | st.booleans(), max_size=4) | st.lists(
    names, max_size=4
)
sequences = st.lists(st.tuples(items, st.sampled_from(["O", "B-é", "I"])), min_size=1, max_size=5)


def train_bytes(data: list[tuple[Items, list[str]]], algorithm: str = "lbfgs", **params: Any) -> bytes:
    trainer = crfsuite.Trainer(algorithm, {**ALGORITHMS[algorithm], **params}, verbose=False)
    for xs, ys in data:
        trainer.append(xs, ys)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.crfsuite"
        trainer.train(str(path))
        return path.read_bytes()


def open_theirs(data: bytes) -> Any:
    tagger = crfsuite.Tagger()
    tagger.open_inmemory(data)
    return tagger


def list_marginals(theirs: Any, sequence: Items) -> NDArray[np.float64]:
    theirs.set(sequence)
    return np.array([[theirs.marginal(y, t) for y in theirs.labels()] for t in range(len(sequence))])


def expect_same(ours: Tagger, theirs: Any, sequence: Items) -> None:
    labels = theirs.tag(sequence)
    assert ours.tag(sequence) == labels
    np.testing.assert_allclose(ours.marginals(sequence), list_marginals(theirs, sequence), rtol=0, atol=1e-6)
    assert ours.probability(sequence, labels) == pytest.approx(theirs.probability(labels), abs=1e-6)


@given(
    st.lists(sequences, min_size=1, max_size=4),
    st.lists(items, min_size=1, max_size=5),
    st.sampled_from(list(ALGORITHMS)),
    st.booleans(),
)
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
def test_tags_as_python_crfsuite_does(
    data: list[list[tuple[Any, str]]], other: Items, algorithm: str, all_features: bool
) -> None:
    pairs = [([x for x, _ in sequence], [y for _, y in sequence]) for sequence in data]
    params = {"feature.possible_transitions": all_features, "feature.possible_states": all_features}
    written = train_bytes(pairs, algorithm, **(params if algorithm == "lbfgs" else {}))
    theirs = open_theirs(written)
    if not theirs.labels():  # nothing was learned: its file has no features
        return
    ours = read_crfsuite_model(written)
    assert list(ours.labels) == theirs.labels()
    for sequence in [*(xs for xs, _ in pairs), other]:
        expect_same(ours, theirs, sequence)


@functools.cache
def make_file() -> bytes:
    pairs = [
        ([{"w": "a", "x": 0.3}, {"w": "b"}, ["w:c", "y"]], ["A", "B", "C"]),
        ([{"w": "b"}, {"w": "a", "x": 0.7}], ["B", "A"]),
        ([["w:c"], ["w:a"]], ["C", "B"]),
    ]
    return train_bytes(pairs)


SEQUENCE: Items = [{"w": "a", "x": 0.31}, {"w": "b", "z": 1}, ["w:c"], {}]


def test_a_model_is_saved_and_loaded_as_any_other(tmp_path: Path) -> None:
    file = tmp_path / "model.crfsuite"
    file.write_bytes(make_file())
    theirs = open_theirs(make_file())
    for model in (read_crfsuite_model(file), tagloom.load(file), tagloom.load(str(file), system="tagger")):
        expect_same(model, theirs, SEQUENCE)
    model.save(tmp_path / "model.tagloom")
    again = tagloom.load(tmp_path / "model.tagloom")
    expect_same(again, theirs, SEQUENCE)
    assert (again.marginals(SEQUENCE) == model.marginals(SEQUENCE)).all()
    assert again.to_bytes() == model.to_bytes()


def test_everything_that_taggers_do_works() -> None:
    model, theirs = read_crfsuite_model(make_file()), open_theirs(make_file())
    data = [(SEQUENCE, theirs.tag(SEQUENCE)), ([], [])]
    assert model.evaluate(data).accuracy == 100
    assert model.annotate([SEQUENCE, []]).sentence(0, "label") == theirs.tag(SEQUENCE)
    best = model.nbest(SEQUENCE, 3)
    assert best[0].labels == theirs.tag(SEQUENCE)
    column, confidences = model.confidences([SEQUENCE])
    chosen = list_marginals(theirs, SEQUENCE).max(axis=1)
    assert column.texts() == model.tag(SEQUENCE, decoder="posterior")
    np.testing.assert_allclose(confidences, chosen, atol=1e-6)
    assert "w:a" in str(model.describe())
    assert "read as log probabilities" in model.confidence_note
    assert model.explain(SEQUENCE)[0].label == theirs.tag(SEQUENCE)[0]
    assert model.tag(SEQUENCE, ["B", None, None, None])[0] == "B"
    assert model.partial_fit(data, learner="averaged-perceptron").tag(SEQUENCE)


def test_transitions_and_weights_are_those_of_the_file() -> None:
    info = open_theirs(make_file()).info()
    parsed = parse_crfsuite(make_file())
    states = {(parsed.attributes[f["source"]], parsed.labels[f["label"]]): f["weight"] for f in parsed.states}
    transitions = {(parsed.labels[f["source"]], parsed.labels[f["label"]]): f["weight"] for f in parsed.transitions}
    assert states == pytest.approx(info.state_features, abs=1e-5)
    assert transitions == pytest.approx(info.transitions, abs=1e-5)


# -- ties and near ties ------------------------------------------------------------------------------------------------

FEATURE = np.dtype([("source", "<u4"), ("label", "<u4"), ("weight", "<f8")])


def make_model(states: NDArray[np.float64], transitions: NDArray[np.float64]) -> CrfsuiteModel:
    def list_features(matrix: NDArray[np.float64]) -> NDArray[Any]:
        rows = [(source, label, weight) for (source, label), weight in np.ndenumerate(matrix)]
        return np.array(rows, FEATURE)

    labels = tuple(f"L{i}" for i in range(len(transitions)))
    attributes = tuple(f"a{i}" for i in range(len(states)))
    return CrfsuiteModel(labels, attributes, list_features(states), list_features(transitions))


@given(st.integers(0, 10**6), st.sampled_from([0, 1e-12, 1e-9, 1e-7, 1e-4]), st.integers(1, 5))
@settings(max_examples=200)
def test_near_ties_are_decided_in_double_precision(seed: int, distance: float, length: int) -> None:
    rng = np.random.default_rng(seed)
    states = rng.choice([-1.5, 0.1, 7.3], (4, 3)) + distance * rng.integers(-3, 3, (4, 3))
    transitions = rng.choice([0.3, 0.7], (3, 3)) + distance * rng.integers(-3, 3, (3, 3))
    model = build_tagger(make_model(states, transitions), "", 1000)
    tokens = rng.integers(0, 2, (length, 4))
    emissions = [sum((states[a] for a in np.flatnonzero(token)), np.zeros(3)) for token in tokens]
    best = max(
        sum(row[y] for row, y in zip(emissions, path)) + sum(transitions[p, y] for p, y in itertools.pairwise(path))
        for path in itertools.product(range(3), repeat=length)
    )
    sequence = [[f"a{a}" for a in np.flatnonzero(token)] for token in tokens]
    found = [model.labels.index(label) for label in model.tag(sequence)]
    score = sum(row[y] for row, y in zip(emissions, found)) + sum(
        transitions[p, y] for p, y in itertools.pairwise(found)
    )
    assert score == pytest.approx(best, abs=1e-13, rel=0)
    assert model.annotate([sequence]).sentence(0, "label") == model.tag(sequence)  # in double precision throughout


# -- damaged files -----------------------------------------------------------------------------------------------------


def read_or_refuse(data: bytes) -> None:
    message = "<bytes>: damaged or not a usable CRFsuite model ("
    try:
        read_crfsuite_model(data).tag(SEQUENCE)
    except ModelFileError as error:
        message = str(error)
    assert "\n" not in message
    assert message.startswith("<bytes>: damaged or not a usable CRFsuite model (")


@pytest.mark.parametrize("end", [0, 3, 4, 47, 48, 60, 200, -1])
def test_truncated_files_are_refused(end: int) -> None:
    with pytest.raises(ModelFileError):
        read_crfsuite_model(make_file()[:end])


@given(st.data())
@settings(max_examples=500)
def test_damaged_files_are_refused_or_read(data: st.DataObject) -> None:
    damaged = bytearray(make_file())
    numbers = [0, 1, 2**31 - 1, 2**32 - 1, len(damaged), len(damaged) - 4]
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(damaged) - 4))
        if data.draw(st.booleans()):
            place -= place % 4
            damaged[place : place + 4] = struct.pack("<I", data.draw(st.sampled_from(numbers)))
        else:
            damaged[place] = data.draw(st.integers(0, 255))
    read_or_refuse(bytes(damaged))


def test_every_number_of_the_header_may_be_wrong() -> None:
    for place, number in itertools.product(range(4, 48, 4), [0, 1, 7, 2**31, 2**32 - 1, len(make_file())]):
        damaged = make_file()[:place] + struct.pack("<I", number) + make_file()[place + 4 :]
        read_or_refuse(damaged)


def test_weights_that_would_not_fit_into_memory_are_refused() -> None:
    model = CrfsuiteModel(
        tuple(map(str, range(4000))), tuple(map(str, range(80_000))), np.zeros(0, FEATURE), np.zeros(0, FEATURE)
    )
    with pytest.raises(ValueError, match="expected at most 14 times the file"):
        build_tagger(model, "", 1_000_000)


@pytest.mark.parametrize("weight", [np.nan, np.inf, 1e300])
def test_weights_that_are_no_numbers_are_refused(weight: float) -> None:
    data = make_file()
    first = struct.unpack_from("<I", data, 28)[0] + 12 + 12
    with pytest.raises(ModelFileError):
        read_crfsuite_model(data[:first] + struct.pack("<d", weight) + data[first + 8 :])


def test_missing_files_are_named(tmp_path: Path) -> None:
    for path in (tmp_path / "none.crfsuite", tmp_path):
        with pytest.raises(ModelFileError, match=str(path)):
            read_crfsuite_model(path)
