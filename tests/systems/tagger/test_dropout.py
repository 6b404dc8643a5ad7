"""Word dropout in training: what copies and masks mean for models, and what they do not change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tagloom
from tagloom.corpus import Corpus
from tagloom.datasets import newswire
from tagloom.errors import ConfigError
from tagloom.experiments.compare import compare_learners

NEWS = newswire(12, seed=3)
TEMPLATES = "bias\nform[{-1..1}]\nsuffix2[0]\nshape[0]\npos[0]\nform[-1] shape[0]\nform[0] / edge\n/ edge\n"
MASKED = {"dropout": 0.3, "copies": 2}


def train(data: Any = NEWS, **options: Any) -> tagloom.Tagger:
    return tagloom.train(data, **{"label": "ner", "templates": TEMPLATES, "learner": "sgd", "epochs": 2, **options})


def repeat_sentences(corpus: Corpus, copies: int) -> Corpus:
    """Return a corpus in which every sentence is followed by its copies."""
    return corpus.select(np.repeat(np.arange(len(corpus)), copies))


def test_models_without_dropout_do_not_speak_of_it() -> None:
    plain = train()
    assert train(dropout=0.0, copies=1).to_bytes() == plain.to_bytes()
    assert "dropout" not in json.loads(plain.spec.to_json())
    assert "dropout" not in str(plain.spec.signature)


@pytest.mark.parametrize("learner", ["averaged-perceptron", "sgd", "arow", "lbfgs", "lookahead-perceptron", "maxent"])
def test_copies_without_masks_are_repeated_sentences(learner: str) -> None:
    options = {"learner": learner, "cutoff": 2}
    copied, repeated = train(copies=2, **options), train(repeat_sentences(NEWS, 2), **options)
    assert np.array_equal(copied.parameters.weights, repeated.parameters.weights)
    assert np.array_equal(copied.parameters.node_keys, repeated.parameters.node_keys)
    assert np.array_equal(copied.parameters.known_words, repeated.parameters.known_words)


@pytest.mark.parametrize(
    "options",
    [
        {"learner": "averaged-perceptron"},
        {"learner": "pa", "mix": 2},
        {"learner": "adf", "buckets": 500},
        {"learner": "lbfgs", "epochs": 4},
        {"learner": "maxent"},
        {"learner": "beam-perceptron"},
        {"cutoff": 3, "edge_pairs": "all"},
        {"tag_dictionary": 3, "calibration_folds": 2, "learner": "margin-perceptron"},
        {"sequences": "joined"},
    ],
    ids=str,
)
def test_threads_do_not_change_the_model(options: dict[str, Any]) -> None:
    assert train(**MASKED, **options).to_bytes() == train(**MASKED, threads=3, **options).to_bytes()


@pytest.mark.parametrize("options", [{}, {"learner": "averaged-perceptron", "buckets": 300}, {"cutoff": 3}], ids=str)
def test_data_in_files_is_masked_as_data_in_memory(options: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "news.conll"
    tagloom.write(NEWS, path)
    given = {"columns": "form pos chunk ner head", "names": False, "block": 300, **MASKED, **options}
    in_memory = train(path, **given).to_bytes()
    assert train(path, memory="1MB", **given).to_bytes() == in_memory
    assert train(path, memory="1MB", threads=3, **given).to_bytes() == in_memory


def test_only_masked_features_are_missing_from_a_model_that_saw_nothing_else() -> None:
    model = train(dropout=1.0)
    names = model.parameters.node_names
    assert names is not None
    found = {names[row].split("=")[0].rstrip("0123456789") for row in range(len(names))}
    assert {each.split("[")[0] for each in found} <= {"bias", "shape", "pos", "form"}
    forms = [names[row] for row in range(len(names)) if names[row].startswith("form")]
    assert forms  # values beyond the sentence are no words
    assert all("=_B" in name for name in forms)


def test_development_data_and_use_are_not_masked() -> None:
    dev = newswire(5, seed=8)
    first, second = (train(dev=dev, **MASKED) for _ in range(2))
    best = first.spec.history[first.spec.best_epoch - 1].dev_score
    assert best == pytest.approx(first.evaluate(dev).value)
    assert first.to_bytes() == second.to_bytes()


def test_another_seed_draws_other_masks() -> None:
    first, second = (train(**MASKED, seed=seed).parameters.node_keys for seed in (1, 2))
    assert sorted(first.tolist()) != sorted(second.tolist())


def test_a_model_tells_how_it_was_masked_and_can_be_trained_again(tmp_path: Path) -> None:
    model = train(**MASKED)
    model.save(tmp_path / "model")
    again = tagloom.load(tmp_path / "model")
    assert (again.spec.dropout, again.spec.copies) == (0.3, 2)
    assert "copies=2,dropout=0.3" in str(again.spec.signature)
    options = again.read_training_options()
    assert options is not None
    assert tagloom.train(NEWS, **options).to_bytes() == model.to_bytes()


def test_a_training_continues_from_its_checkpoint_and_from_a_model(tmp_path: Path) -> None:
    whole = train(**MASKED)
    first = train(**MASKED, checkpoint=tmp_path / "point", keep_checkpoint=True)
    assert first.to_bytes() == train(**MASKED, checkpoint=tmp_path / "point").to_bytes() == whole.to_bytes()
    started = [train(start=whole, threads=threads) for threads in (1, 2)]
    assert started[0].to_bytes() == started[1].to_bytes()
    assert started[0].spec.dropout == 0.3


def test_learners_with_the_same_seed_share_masked_features() -> None:
    compare_learners(NEWS, NEWS, learners="pa,sgd", label="ner", templates=TEMPLATES, epochs=1, **MASKED)
    with pytest.raises(ConfigError, match="all learners share their features, which this seed decides"):
        compare_learners(NEWS, NEWS, learners="pa,sgd", label="ner", epochs=1, settings={"sgd": {"seed": 2}}, **MASKED)


@pytest.mark.parametrize("options", [{"learner": "nonlocal-perceptron"}, {"learner": "pa", "sequences": "documents"}])
def test_documents_as_wholes_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="learns from documents as wholes"):
        train(**MASKED, **options)


@pytest.mark.parametrize("memory", [{}, {"memory": "10MB"}])
def test_templates_without_anything_to_mask_are_refused(memory: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="nothing would be masked"):
        train(templates="shape[0]\npos[0]", dropout=0.2, **memory)


@pytest.mark.parametrize("wrong", [{"dropout": 1.5}, {"dropout": -0.1}, {"dropout": float("nan")}, {"copies": 0}])
def test_values_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        train(**wrong)
