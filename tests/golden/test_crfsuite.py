"""CRFsuite as a second opinion: its model, imported weight by weight, infers the same; our optimum is no worse."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from tagloom import _core, _core_double
from tagloom.datasets import indonesian_pos
from tagloom.learners.lbfgs import minimise

pycrfsuite = pytest.importorskip("pycrfsuite")

TRAIN, TEST, C2 = 300, 60, 1.0
Sentence = list[list[str]]  # the attributes of every token


def attributes(words: Sequence[str]) -> Sentence:
    """Of every token: its form, its ends, what it looks like, and its neighbours."""
    padded = ["<s>", *words, "</s>"]
    return [
        [
            "bias",
            f"w={word}",
            f"s={word[-3:]}",
            f"p={word[:2]}",
            f"upper={word[:1].isupper()}",
            f"-1={before}",
            f"+1={after}",
        ]
        for before, word, after in zip(padded, words, padded[2:])
    ]


@dataclass(frozen=True)
class Reference:
    """What CRFsuite made of the sample."""

    sentences: list[Sentence]
    gold: list[list[str]]
    tagger: pycrfsuite.Tagger
    loss: float  # the objective as it was logged last
    nodes: dict[tuple[str, str], float]
    pairs: dict[tuple[str, str], float]

    @property
    def labels(self) -> list[str]:
        return self.tagger.labels()


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Reference:
    corpus = indonesian_pos().train
    count = TRAIN + TEST
    sentences = [attributes(corpus.sentence(i, "form")) for i in range(count)]
    gold = [corpus.sentence(i, "label") for i in range(count)]
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params({"c1": 0.0, "c2": C2, "feature.possible_transitions": True})
    for pair in zip(sentences[:TRAIN], gold[:TRAIN]):
        trainer.append(*pair)
    path = tmp_path_factory.mktemp("crfsuite") / "model"
    trainer.train(str(path))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    return Reference(sentences, gold, tagger, trainer.logparser.last_iteration["loss"], *exact_weights(path, tagger))


def exact_weights(path: Path, tagger: pycrfsuite.Tagger) -> tuple[dict, dict]:
    """The weights of a model file in double precision; the tagger's own dump rounds them to six digits."""
    data, info = path.read_bytes(), tagger.info()
    labels = {int(number): name for name, number in info.labels.items()}
    names = {int(number): name for name, number in info.attributes.items()}
    (features,) = struct.unpack_from("<I", data, 28)  # where they begin: a mark, a size, their number
    (count,) = struct.unpack_from("<I", data, features + 8)
    nodes, pairs = {}, {}
    for kind, source, target, weight in struct.iter_unpack("<IIId", data[features + 12 : features + 12 + 20 * count]):
        if kind == 0:
            nodes[names[source], labels[target]] = weight
        else:
            pairs[labels[source], labels[target]] = weight
    assert nodes == pytest.approx(info.state_features, abs=1e-6)
    assert pairs == pytest.approx(info.transitions, abs=1e-6)
    return nodes, pairs


@dataclass(frozen=True)
class Import:
    """The sentences and the weights of the reference, as a chain of the core takes them."""

    chain: _core.Chain
    train: _core.ChainData
    test: _core.ChainData
    weights: np.ndarray


@pytest.fixture(scope="module")
def imported(reference: Reference) -> Import:
    labels = {label: number for number, label in enumerate(reference.labels)}
    seen = itertools.chain.from_iterable(itertools.chain.from_iterable(reference.sentences[:TRAIN]))
    rows = {name: number for number, name in enumerate(dict.fromkeys(seen))}
    one = np.ones(len(labels), np.uint8)
    no_edges = np.zeros(1, np.int64), np.zeros(0, np.uint32)
    chain = _core.Chain(len(labels), len(rows), True, *no_edges, one, one, np.ones(len(labels) ** 2, np.uint8))
    weights = np.zeros(chain.size)
    for (name, label), weight in reference.nodes.items():
        weights[rows[name] * chain.stride + labels[label]] = weight
    for (previous, label), weight in reference.pairs.items():
        weights[chain.transition_begin + labels[previous] * chain.stride + labels[label]] = weight
    parts = slice(None, TRAIN), slice(TRAIN, None)
    data = [encoded(chain, reference.sentences[part], reference.gold[part], rows, labels) for part in parts]
    return Import(chain, *data, weights)


def encoded(
    chain: _core.Chain, sentences: list[Sentence], gold: list[list[str]], rows: dict[str, int], labels: dict[str, int]
) -> _core.ChainData:
    tokens = [[rows[name] for name in token if name in rows] for sentence in sentences for token in sentence]
    flat = np.array(list(itertools.chain.from_iterable(tokens)), np.uint32)
    bounds = np.cumsum([0, *map(len, sentences)])
    none = np.zeros(len(tokens) + 1, np.int64), np.zeros(0, np.uint32), np.zeros(0, np.float32)
    # A label that training does not know stands for nothing here: gold of unknown labels is not asked for.
    codes = np.array([labels.get(label, 0) for sentence in gold for label in sentence], np.int32)
    offsets = np.cumsum([0, *map(len, tokens)])
    return _core.ChainData(chain, offsets, flat, np.zeros(0, np.float32), *none, bounds, codes)


def test_labels_are_the_same(reference: Reference, imported: Import):
    labels, _ = imported.test.decode_f64(imported.weights, 1)
    expected = [label for sentence in reference.sentences[TRAIN:] for label in reference.tagger.tag(sentence)]
    assert [reference.labels[y] for y in labels] == expected


def test_marginals_are_the_same(reference: Reference, imported: Import):
    anything = np.zeros(0, np.uint8)
    wide, _ = imported.test.marginals_f64(imported.weights, anything, 1)
    narrow, _ = imported.test.marginals(imported.weights.astype(np.float32), anything, 1)
    expected = []
    for sentence in reference.sentences[TRAIN:]:
        reference.tagger.set(sentence)
        expected += [[reference.tagger.marginal(y, t) for y in reference.labels] for t in range(len(sentence))]
    assert np.abs(wide.reshape(-1, len(reference.labels)) - expected).max() < 1e-10
    assert np.abs(narrow.reshape(-1, len(reference.labels)) - expected).max() < 1e-4


def test_probabilities_of_sequences_are_the_same(reference: Reference, imported: Import):
    found = imported.train.log_probabilities_f64(imported.weights, 1)
    expected = []
    for sentence, labels in zip(reference.sentences[:TRAIN], reference.gold):
        reference.tagger.set(sentence)
        expected.append(reference.tagger.probability(labels))
    assert np.allclose(np.exp(found), expected, rtol=1e-6, atol=1e-9)


def test_our_optimum_is_not_above_its_own(reference: Reference, imported: Import):
    core = _core_double.BatchObjective(imported.train, False)

    def objective(x: np.ndarray, gradient: np.ndarray) -> float:
        loss, _ = core.evaluate(x, gradient, 1)
        gradient += 2 * C2 * x
        return float(loss + C2 * (x @ x))

    its_own = core.variables(imported.weights)
    assert np.count_nonzero(its_own) == np.count_nonzero(imported.weights)  # it has no weight that we have not
    there = objective(its_own, np.empty(core.size))
    assert there == pytest.approx(reference.loss, rel=1e-6)
    *_, ours = itertools.islice(minimise(objective, np.zeros(core.size)), 150)
    assert ours.value <= there
    assert ours.value <= reference.loss
    assert np.abs(ours.gradient).max() < 0.05
    assert np.allclose(ours.x, its_own, atol=0.02)
