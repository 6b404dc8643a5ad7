"""The decoder of spans, in models: thresholds, what they find, where they are kept, and what has none."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import tagloom
from tagloom.datasets import newswire
from tagloom.errors import ConfigError
from tests.oracle.span_decoding import sets_without_overlap, value
from tests.systems.toy import TAGGED

NEWS, OTHER = newswire(12, seed=3), newswire(6, seed=9)
TEMPLATES = "form[{-1..1}]\nsuffix2[0]\nshape[0]\n/ edge\n"


def train(**options: Any) -> tagloom.Tagger:
    quick = {"label": "ner", "learner": "sgd", "epochs": 3, "c2": 8.0, "templates": TEMPLATES}
    return tagloom.train(NEWS, **{**quick, **options})


@pytest.fixture(scope="module")
def model() -> tagloom.Tagger:
    return train()


def find_spans(labels: list[str]) -> frozenset[tuple[int, int, str]]:
    """Spans of IOB2 labels."""
    found = []
    for first, label in enumerate(labels):
        if label.startswith("B-"):
            inside = itertools.takewhile(lambda each, label=label: each == f"I-{label[2:]}", labels[first + 1 :])
            found.append((first, first + 1 + len(list(inside)), label[2:]))
    return frozenset(found)


@pytest.mark.parametrize("scheme", ["IOB2", "BIOES"])
@pytest.mark.parametrize("threshold", [0.05, 0.3, 0.5])
def test_spans_are_the_best_set_by_their_probabilities(scheme: str, threshold: float) -> None:
    model, seen = train(scheme=scheme), set()
    for words in (["Anna", "Jordan", "of"], ["Bank", "of", "Lisbon"], ["In", "Boeing", "Tokyo"]):
        candidates = model.nbest(words, 10_000)  # all labellings
        assert math.fsum(each.probability or 0 for each in candidates) == pytest.approx(1, abs=1e-4)
        probabilities: Counter[tuple[int, int, str]] = Counter()
        for each in candidates:
            for span in find_spans(list(each.labels)):
                probabilities[span] += each.probability or 0
        good = [span for span, probability in probabilities.items() if probability > threshold]
        best = max(value(chosen, probabilities, threshold) for chosen in sets_without_overlap(good))
        found = find_spans(model.tag(words, threshold=threshold))
        assert value(found, probabilities, threshold) == pytest.approx(best, abs=1e-4)
        seen |= found
    assert seen or threshold > 0.1


def test_the_number_of_spans_falls_with_the_threshold(model: tagloom.Tagger) -> None:
    sentences = [OTHER.sentence(number, "form") for number in range(len(OTHER))]
    found = [model.tag_many(sentences, threshold=threshold) for threshold in (0.1, 0.3, 0.6, 1.0)]
    counts = [sum(len(find_spans(labels)) for labels in each) for each in found]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[1]
    assert counts[-1] == 0  # nothing is more probable than 1


def test_the_threshold_is_kept_with_the_model(tmp_path: Path) -> None:
    model, plain = train(threshold=0.2), train()
    model.save(tmp_path / "m.tagloom")
    loaded = tagloom.load(tmp_path / "m.tagloom")
    own, none = model.evaluate(OTHER), plain.evaluate(OTHER)
    assert loaded.evaluate(OTHER).value == own.value == plain.evaluate(OTHER, threshold=0.2).value
    assert own.value != none.value
    assert "search:spans,threshold=0.2" in str(own.signature)
    assert "search" not in str(none.signature)
    assert str(plain.evaluate(OTHER, threshold=0.2).signature) == str(own.signature)
    assert "search:spans,threshold=0.4" in str(plain.evaluate(OTHER, decoder="spans").signature)
    viterbi = loaded.evaluate(OTHER, decoder="viterbi")
    assert viterbi.value == none.value
    assert "search" not in str(viterbi.signature)
    assert model.tag_corpus(OTHER, threads=1).texts() == model.tag_corpus(OTHER, threads=3).texts()


def test_scores_of_passes_are_those_of_the_decoder() -> None:
    model = train(dev=OTHER, threshold=0.2)
    assert model.spec.history[model.spec.best_epoch - 1].dev_score == pytest.approx(model.evaluate(OTHER).value)
    assert model.evaluate(OTHER).value != model.evaluate(OTHER, decoder="viterbi").value


def test_calibrated_scores_will_do() -> None:
    folds = train(learner="pa", C=0.1, c2=None, threshold=0.3, calibration_folds=2)
    assert "search:spans" in str(folds.evaluate(OTHER).signature)
    dev = train(learner="pa", C=0.1, c2=None, threshold=0.3, dev=OTHER)
    assert "search:spans" in str(dev.evaluate(OTHER).signature)


def test_both_stages_need_not_have_probabilities() -> None:
    model = train(threshold=0.3, stages=2, stage_folds=2, stage1={"learner": "pa", "C": 0.1, "c2": None})
    assert model.spec.threshold == 0.3
    assert model.line.providers[0].spec.threshold is None


def test_constraints_come_first(model: tagloom.Tagger) -> None:
    words = OTHER.sentence(0, "form")
    assert model.tag(words, ["O"] * len(words), decoder="spans", threshold=0.1) == ["O"] * len(words)
    must = ["B-PER", *[None] * (len(words) - 1)]
    assert model.tag(words, must, threshold=0.9)[0] == "B-PER"
    assert model.tag([], threshold=0.3) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"learner": "pa", "C": 0.1, "c2": None}, "the scores of 'pa' are no probabilities"),
        ({"learner": "maxent", "c2": None}, "'maxent' gives spans no probabilities"),
        ({"learner": "nonlocal-perceptron", "c2": None}, "gives spans no probabilities"),
        ({"scheme": "none"}, "the labels are no spans"),
        ({"threshold": 1.5}, "threshold: expected"),
    ],
)
def test_trainings_without_probabilities_of_spans_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        train(**{"threshold": 0.4, **options})


def test_models_without_probabilities_of_spans_refuse_the_decoder(model: tagloom.Tagger) -> None:
    with pytest.raises(ConfigError, match="decoder 'spans': the scores of pa are not probabilities"):
        train(learner="pa", C=0.1, c2=None).tag(["Anna"], decoder="spans")
    with pytest.raises(ConfigError, match="are no spans"):
        tagloom.train(TAGGED, learner="lbfgs", epochs=2).tag(["a"], threshold=0.3)
    with pytest.raises(ConfigError, match="threshold: goes with decoder 'spans'"):
        model.tag(["Anna"], decoder="viterbi", threshold=0.3)
    with pytest.raises(ConfigError, match="threshold: expected a number from 0 to 1"):
        model.tag(["Anna"], threshold=2.0)
