"""Experiments over parsers and phrase chunkers: the same as single trainings, for any number of jobs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tagloom
from tagloom.corpus import Corpus
from tagloom.experiments.compare import Comparison
from tagloom.experiments.trials import Tuning
from tagloom.systems.jackknife import cut_into_folds
from tests.systems.phrases import data as phrases
from tests.treebank import treebank

#: Options, training data and held-out data of small trainings.
CASES: dict[str, tuple[dict[str, Any], Callable[[], Corpus], Callable[[], Corpus]]] = {
    "parser": ({"tags": "gold", "epochs": 4}, lambda: trees(24, 1, crossing=0.2), lambda: trees(12, 2)),
    "phrases": ({"label": "ner", "cutoff": 1, "epochs": 4}, lambda: phrases.news(30), lambda: phrases.news(15, 9)),
}
GRIDS: dict[str, dict[str, list[object]]] = {
    "parser": {"depth": [0, 1], "non_projective": ["lift", "skip"]},
    "phrases": {"degree": [1, 2], "window": [1, 3]},
}
PREDICTED: dict[str, Any] = {"tag_folds": 2, "tagger": {"epochs": 1}, "epochs": 2}

trees = functools.cache(treebank)


# -- compare -----------------------------------------------------------------------------------------------------------


def timeless(comparison: Comparison) -> list[Any]:
    return [
        (run.learner, run.score.to_dict(), [(p.record, p.score) for p in run.curve], run.model_bytes, run.best_epoch)
        for run in comparison.runs
    ]


@pytest.mark.parametrize("options", [{"tags": "gold", "epochs": 3}, PREDICTED])
def test_learners_of_parsers_are_compared(options: dict[str, Any]) -> None:
    train, test, dev = trees(24, 1), trees(12, 2), trees(12, 3)
    one, two = (
        tagloom.compare_learners(train, test, system="parser", dev=dev, jobs=jobs, **options) for jobs in (1, 2)
    )
    assert timeless(one) == timeless(two)
    assert {run.learner for run in one.runs} == {"lookahead-perceptron", "beam-perceptron"}
    for run in one.runs:
        model = tagloom.train(train, system="parser", dev=dev, learner=run.learner, **options)
        assert run.score.to_dict() == model.evaluate(test).to_dict()
        assert tuple(point.record for point in run.curve) == model.spec.history
        assert (run.best_epoch, run.model_bytes) == (model.spec.best_epoch, len(model.to_bytes()))


def test_a_seed_that_decides_the_features_is_one_for_all() -> None:
    settings = {"beam-perceptron": {"seed": 2}}
    with pytest.raises(tagloom.ConfigError, match="seed: all learners share their features, which this seed decides"):
        tagloom.compare_learners(trees(12, 1), trees(6, 2), system="parser", settings=settings, **PREDICTED)
    found = tagloom.compare_learners(
        trees(12, 1), trees(6, 2), system="parser", settings=settings, tags="gold", epochs=1
    )
    assert [run.options["seed"] for run in found.runs if run.learner == "beam-perceptron"] == [2]


def test_phrase_chunkers_have_one_learner() -> None:
    with pytest.raises(tagloom.ConfigError, match="a phrase chunker has one learner; search its options with"):
        tagloom.compare_learners(phrases.news(), phrases.news(), system="phrases")


# -- tune --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("system", CASES)
def test_trials_are_single_trainings(system: str) -> None:
    options, train, dev = CASES[system]
    grid = GRIDS[system]
    one, two = (tagloom.tune(train(), dev(), grid, system=system, keep=1, jobs=jobs, **options) for jobs in (1, 2))
    assert [(t.options, t.history) for t in one.trials] == [(t.options, t.history) for t in two.trials]
    for trial in one.trials:
        model = tagloom.train(train(), system=system, dev=dev(), **options, **trial.options)
        assert trial.history == model.spec.history
        assert trial.score == pytest.approx(model.evaluate(dev()).value)
    best = tagloom.train(train(), dev=dev(), **one.best)
    assert best.system == system
    assert best.evaluate(dev()).value == pytest.approx(max(trial.score for trial in one.trials))


@pytest.mark.parametrize("system", CASES)
def test_trials_of_other_seeds_do_not_share_what_a_seed_decides(system: str) -> None:
    options, train, dev = CASES[system]
    own = PREDICTED if system == "parser" else options
    tuning: Tuning = tagloom.tune(train(), dev(), {"seed": [1, 2]}, system=system, keep=1, jobs=1, **own)
    for trial in tuning.trials:
        model = tagloom.train(train(), system=system, dev=dev(), **own, **trial.options)
        assert trial.history == model.spec.history


@pytest.mark.parametrize(
    ("system", "grid"), [("parser", {"relations": [True, False]}), ("phrases", {"label": ["ner"]})]
)
def test_what_changes_the_score_cannot_be_tuned(system: str, grid: dict[str, list[object]]) -> None:
    _, train, dev = CASES[system]
    with pytest.raises(tagloom.ConfigError, match="cannot be tuned: scores of different columns do not compare"):
        tagloom.tune(train(), dev(), grid, system=system)


# -- jackknife ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", ["parser", "predicted tags", "phrases"])
def test_every_fold_is_annotated_by_a_model_of_the_others(case: str) -> None:
    system = "phrases" if case == "phrases" else "parser"
    options, train, _ = CASES[system]
    options = PREDICTED if case == "predicted tags" else options
    corpus = train()
    one, two = (tagloom.jackknife(corpus, system=system, folds=2, jobs=jobs, **options) for jobs in (1, 2))
    assert {name: column.texts() for name, column in one.columns.items()} == {
        name: column.texts() for name, column in two.columns.items()
    }
    by = one.by
    for part in cut_into_folds(corpus, 2, by, 1):
        model = tagloom.train(corpus.select(np.setdiff1d(np.arange(len(corpus)), part)), system=system, **options)
        expected = model.annotate(corpus.select(part))
        for layer in one.layers:
            found = one.annotated.select(part).column(layer.column).texts()
            assert found == expected.column(layer.column).texts()
    assert [layer.column for layer in one.layers] == list(one.columns)
    assert one.main == "form"
    assert one.corpus is corpus
    assert f"|folds:2 of {by}|" in str(one.score.signature)
    assert f"system:{system}" in str(one.score.signature)


@pytest.mark.parametrize("system", CASES)
def test_only_taggers_have_candidates(system: str) -> None:
    with pytest.raises(tagloom.ConfigError, match=r"nbest: a .* has no candidates; leave it out"):
        tagloom.jackknife(CASES[system][1](), system=system, nbest=3)
