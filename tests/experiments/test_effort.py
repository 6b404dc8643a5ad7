"""Choosing options with time: what is tried, what is kept, and what a budget does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tagloom
from tagloom.datasets import newswire
from tagloom.errors import ConfigError
from tagloom.experiments.effort import KEPT, SKIPPED, hold_out
from tagloom.systems.registry import get_system


def list_steps(corpus: Any, **options: Any) -> dict[str, list[dict[str, Any]]]:
    row = get_system("tagger")
    steps = row.load_training().list_alternatives(corpus, row.load_options().parse(options))
    return {step.name: [dict(each) for each in step.choices] for step in steps}


def select(corpus: tagloom.Corpus, *names: str) -> tagloom.Corpus:
    columns = {name: corpus.column(name) for name in names}
    return tagloom.Corpus(columns, corpus.sentences, corpus.documents)


def test_template_sets_whose_columns_and_resources_are_missing_are_left_out() -> None:
    news = newswire(5)
    words = [each["templates"] for each in list_steps(select(news, "form", "ner"))["templates"]]
    tagged = [each["templates"] for each in list_steps(select(news, "form", "pos", "ner"))["templates"]]
    assert "ner-basic" not in words
    assert "ner-basic" in tagged
    assert "ner-extended" not in tagged  # needs clusters and lists


def test_what_is_stated_is_not_tried() -> None:
    news = newswire(5)
    assert "templates" not in list_steps(news, label="ner", templates="words")
    assert "learner" not in list_steps(news, label="ner", learner="pa")
    assert "scheme" not in list_steps(news, label="ner", scheme="IOB2")
    assert all("c2" not in each for each in list_steps(news, label="ner", c2=1.0)["learner"])


@pytest.mark.parametrize("label", ["pos", "chunk", "ner"])
def test_every_alternative_can_be_trained(label: str) -> None:
    news = newswire(4)
    for step, choices in list_steps(news, label=label).items():
        for choice in choices:
            tagloom.train(news, label=label, **{**choice, "epochs": 1}), step


def test_the_best_of_every_step_is_kept_and_the_result_can_be_repeated() -> None:
    news = newswire(12)
    fixed = {"label": "ner", "epochs": 2}
    found = [tagloom.choose_options(news, budget="10m", **fixed) for _ in range(2)]
    assert found[0].options == found[1].options
    assert [each.score for each in found[0].trials] == [each.score for each in found[1].trials]
    scores = [each.score for each in found[0].trials if each.score is not None]
    kept = [each for each in found[0].trials if each.outcome == KEPT]
    assert {name: value for each in kept for name, value in each.choice.items()} == dict(found[0].options)
    train, dev = hold_out(news, 1)
    assert tagloom.train(train, **fixed, **found[0].options).evaluate(dev).value == max(scores)


def test_stages_are_tried_on_documents_with_entities() -> None:
    news = newswire(5)
    assert list_steps(news, label="ner")["stages"][0]["stages"] == 2
    assert "stages" not in list_steps(news, label="chunk")
    assert "stages" not in list_steps(select(news, "form", "ner"), label="ner")
    assert "stages" not in list_steps(news, label="ner", stage_folds=3, stages=2)


def test_trials_that_do_not_fit_the_budget_are_skipped() -> None:
    found = tagloom.choose_options(newswire(6), label="ner", budget="0.001s")
    assert found.options == {}
    assert {each.outcome for each in found.trials[1:]} == {SKIPPED}


def test_held_out_documents_are_whole() -> None:
    news = newswire(20)
    train, dev = hold_out(news, 1)
    assert len(dev.documents) - 1 == 2
    assert len(train) + len(dev) == len(news)
    assert np.array_equal(hold_out(news, 1)[1].column("form").codes, dev.column("form").codes)


def test_what_cannot_be_tried_is_refused() -> None:
    news = newswire(3)
    with pytest.raises(ConfigError, match="nothing to try"):
        tagloom.choose_options(news, system="phrases", label="ner")
    with pytest.raises(ConfigError, match="budget: expected a time such as 10m"):
        tagloom.choose_options(news, label="ner", budget="soon")
    with pytest.raises(ConfigError, match="one sentence"):
        tagloom.choose_options([(["a"], ["A"])])
