"""Ensembles: means of probabilities, decisions that the label scheme allows, files; and averaged weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tagloom
from tagloom.corpus.schemes import find_allowed_transitions
from tagloom.datasets import newswire
from tagloom.errors import ConfigError, ModelFileError
from tests.systems.forgery import Change, forge

NEWS, OTHER = newswire(6, seed=3), newswire(2, seed=9)
EDGES = "form[{-1..1}]\nsuffix2[0]\nform[0] / edge\n/ edge\n"
QUICK = {"label": "ner", "learner": "sgd", "epochs": 2, "scheme": "BIOES", "templates": EDGES}


def train(data: Any = NEWS, **options: Any) -> tagloom.Tagger:
    return tagloom.train(data, **{**QUICK, **options})


@pytest.fixture(scope="module")
def models() -> list[tagloom.Tagger]:
    """Taggers with other seeds, learners, templates and orders of labels."""
    return [
        train(),
        train(seed=2),
        train(learner="averaged-perceptron", dev=OTHER),
        train(NEWS.select(np.arange(len(NEWS))[::-1].copy()), templates="form[0]\nshape[{-1..1}]\n/ edge"),
    ]


def test_probabilities_are_the_means_of_those_of_the_taggers(models: list[tagloom.Tagger]) -> None:
    ensemble = tagloom.join_taggers(models)
    numbers = [[each.labels.index(label) for label in ensemble.labels] for each in models]
    each = [model.marginals_corpus(OTHER)[:, order] for model, order in zip(models, numbers)]
    assert ensemble.marginals_corpus(OTHER) == pytest.approx(np.mean(each, axis=0), abs=1e-6)


def test_an_ensemble_of_one_tagger_is_this_tagger(models: list[tagloom.Tagger]) -> None:
    for model in models:
        alone = tagloom.join_taggers([model])
        assert np.array_equal(alone.marginals_corpus(OTHER), model.marginals_corpus(OTHER))
        assert alone.annotate(OTHER).column("ner").texts() == model.tag_corpus(OTHER, decoder="posterior").texts()
        labels, sure = alone.confidences(OTHER)
        other, certain = model.confidences(OTHER, decoder="posterior")
        assert labels.texts() == other.texts()
        assert np.array_equal(sure, certain)


@pytest.mark.parametrize("decoder", ["posterior", "viterbi"])
def test_the_label_scheme_is_never_violated(models: list[tagloom.Tagger], decoder: str) -> None:
    ensemble = tagloom.join_taggers(models)
    scheme = models[0].spec.decided
    pairs, start, end = find_allowed_transitions(ensemble.labels, scheme)
    for first, last in zip(OTHER.sentences[:-1], OTHER.sentences[1:]):
        tokens = OTHER.slice(int(np.searchsorted(OTHER.sentences, first)), int(np.searchsorted(OTHER.sentences, last)))
        mean = ensemble.marginals_corpus(tokens)
        found = ensemble._decode(tokens, mean, 1, decoder)
        assert start[found[0]]
        assert end[found[-1]]
        assert pairs[found[:-1], found[1:]].all()
        best = mean.argmax(axis=1)  # the best labels by themselves, where they are allowed
        if start[best[0]] and end[best[-1]] and pairs[best[:-1], best[1:]].all():
            assert found.tolist() == best.tolist()


def test_the_n_best_begin_with_the_decision(models: list[tagloom.Tagger]) -> None:
    ensemble = tagloom.join_taggers(models)
    lists = ensemble.nbest_corpus(OTHER, 3)
    decided = ensemble.annotate(OTHER)
    for number, found in enumerate(lists):
        assert found[0].labels == decided.sentence(number, "ner") == ensemble.tag(OTHER.sentence(number, "form"))
        assert len({tuple(each.labels) for each in found}) == len(found)
        assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
    assert [each.labels for each in ensemble.nbest(OTHER.sentence(0, "form"), 3)] == [each.labels for each in lists[0]]


def test_a_trained_ensemble_is_that_of_its_seeds() -> None:
    trained = tagloom.train(NEWS, system="ensemble", members=2, **QUICK)
    joined = tagloom.join_taggers([train(seed=1), train(seed=2)])
    assert trained.marginals_corpus(OTHER).tolist() == joined.marginals_corpus(OTHER).tolist()
    assert [each.to_bytes() for each in trained.members] == [each.to_bytes() for each in joined.members]


@pytest.mark.parametrize("average", ["probabilities", "weights"])
def test_all_members_share_one_first_stage(average: str, tmp_path: Path) -> None:
    stages = {"stages": 2, "stage_folds": 2, "stage1": {"seed": 5}}
    model = tagloom.train(NEWS, system="ensemble", members=2, average=average, **QUICK, **stages)
    alone = [train(seed=seed, **stages) for seed in (1, 2)]
    (first,) = model.line.providers
    assert first.spec.to_json() == alone[0].line.providers[0].spec.to_json()
    joined = tagloom.average_taggers(alone) if average == "weights" else tagloom.join_taggers(alone)
    assert model.annotate(OTHER).column("ner").texts() == joined.annotate(OTHER).column("ner").texts()
    model.save(tmp_path / "m.tagloom")
    assert tagloom.load(tmp_path / "m.tagloom").evaluate(OTHER).value == joined.evaluate(OTHER).value


def test_averaged_weights_need_no_probabilities() -> None:
    own = {**QUICK, "learner": "averaged-perceptron"}
    model = tagloom.train(NEWS, system="ensemble", members=2, average="weights", **own)
    assert isinstance(model, tagloom.Tagger)
    mean = tagloom.average_taggers([train(learner="averaged-perceptron", seed=seed) for seed in (1, 2)])
    assert np.array_equal(model.weights, mean.weights)
    with pytest.raises(ConfigError, match="threshold: an ensemble of several taggers"):
        tagloom.train(NEWS, system="ensemble", members=2, threshold=0.4, **QUICK)


def test_members_may_read_provided_columns() -> None:
    options = {"provide": "pos", "templates": "form[0]\npos[0]\n/ edge", "epochs": 1}
    columns = {name: NEWS.column(name) for name in ("form", "pos", "ner")}
    data = tagloom.Corpus(columns, NEWS.sentences, NEWS.documents, NEWS.has_documents, NEWS.source)
    trained = tagloom.train(data, system="ensemble", members=2, **{**QUICK, **options})
    assert trained.columns == ("form",)
    assert trained.annotate([NEWS.sentence(0, "form")]).names == ["form", "pos", "ner"]
    joined = tagloom.join_taggers([tagloom.train(data, **{**QUICK, **options, "seed": seed}) for seed in (1, 1)])
    assert len(joined.line.providers) == 1


def test_files_keep_everything(models: list[tagloom.Tagger], tmp_path: Path) -> None:
    ensemble = tagloom.join_taggers(models)
    ensemble.save(tmp_path / "model")
    again = tagloom.load(tmp_path / "model", system="ensemble")
    assert again.to_bytes() == ensemble.to_bytes()
    assert again.annotate(OTHER).column("ner").texts() == ensemble.annotate(OTHER).column("ner").texts()
    assert str(again.spec.signature).startswith(f"tagloom:{tagloom.__version__}|system:ensemble,4|learner:sgd")


def test_joining_ensembles_joins_their_taggers(models: list[tagloom.Tagger]) -> None:
    nested = tagloom.join_taggers([tagloom.join_taggers(models[:2]), *models[2:]])
    assert nested.to_bytes() == tagloom.join_taggers(models).to_bytes()


def test_explanations_tell_votes_and_reasons(models: list[tagloom.Tagger]) -> None:
    ensemble = tagloom.join_taggers(models)
    words = OTHER.sentence(0, "form")
    found = ensemble.explain(words)
    assert list(found.words) == words
    votes = [f"tagger {number}" for number in range(1, 5)]
    assert str(found).splitlines()[0].split() == ["token", "label", "probability", *" ".join(votes).split()]
    assert [each.choice for each in found.list_decisions()] == list(found.labels)


def refused(message: str, *given: tagloom.Tagger) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        tagloom.join_taggers(given)
    assert len(str(caught.value).splitlines()) == 1


def test_taggers_that_do_not_fit_are_refused(models: list[tagloom.Tagger]) -> None:
    first = models[0]
    refused("tagger 2: another column of labels", first, train(label="chunk"))
    refused("tagger 2: another label scheme", first, train(scheme="data"))
    refused("tagger 1: the scores of averaged-perceptron are no probabilities", train(learner="averaged-perceptron"))
    refused("tagger 2: another set of columns", first, train(templates="form[0]\npos[0]\n/ edge"))
    refused("tagger 1: it chooses among candidates", train(learner="nonlocal-perceptron"))
    refused("expected 1 to 16 taggers, got 0")
    with pytest.raises(ConfigError, match="expected taggers"):
        tagloom.join_taggers([tagloom.train(NEWS, system="phrases", label="ner", epochs=1)])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"learner": "pa"}, "its scores are none; choose a learner such as sgd"),
        ({"learner": "nonlocal-perceptron"}, "features of documents have no part"),
        ({"members": 0}, "members"),
    ],
)
def test_trainings_without_probabilities_are_refused_before_the_work(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        tagloom.train(NEWS, system="ensemble", **{**QUICK, **options})


def test_forged_files_are_refused(models: list[tagloom.Tagger], tmp_path: Path) -> None:
    ensemble = tagloom.join_taggers(models[:2])
    parser = tagloom.train(newswire(3, seed=1), system="parser", epochs=1, tags="gold")
    other = np.frombuffer(parser.to_bytes(), np.uint8)
    ensemble.save(tmp_path / "model")
    changes: list[tuple[Change, str]] = [
        (lambda tensors, _: tensors.update({"member.01": other}), "expected tagger, found 'parser'"),
        (lambda tensors, _: tensors.update({"member.01": np.zeros(10, np.uint8)}), "member.01"),
        (lambda tensors, _: tensors.update({"member.02": tensors["member.01"]}), "2 taggers"),
        (lambda tensors, _: tensors.pop("member.01"), "2 taggers"),
        (lambda _, header: header["spec"].update(label="pos"), "what the taggers were made of"),
        (lambda _, header: header["spec"].update(members=65), "members"),
    ]
    for change, message in changes:
        path = forge(tmp_path / "model", tmp_path / "forged", change)
        with pytest.raises(ModelFileError, match=message) as caught:
            tagloom.load(path)
        assert len(str(caught.value).splitlines()) == 1


# -- averaged weights --------------------------------------------------------------------------------------------------


def test_weights_of_equal_taggers_are_their_mean(models: list[tagloom.Tagger]) -> None:
    for model in models:
        mean = tagloom.average_taggers([model, model])
        assert np.array_equal(mean.parameters.weights, model.parameters.weights)
        assert np.array_equal(mean.parameters.node_keys, model.parameters.node_keys)
        assert np.array_equal(mean.marginals_corpus(OTHER), model.marginals_corpus(OTHER))


@pytest.mark.parametrize(
    "options",
    [{}, {"buckets": 400}, {"learner": "lookahead-perceptron", "history": 2}, {"cutoff": 2, "tag_dictionary": 0}],
    ids=str,
)
def test_scores_of_averaged_weights_are_the_means_of_the_scores(options: dict[str, Any]) -> None:
    parts = NEWS.select(np.arange(12)), NEWS.select(np.arange(len(NEWS))[::-1].copy())
    taggers = [train(part, **options) for part in (*parts, NEWS)]
    kept = [each for each in taggers if set(each.labels) == set(taggers[-1].labels)]
    assert len(kept) >= 2
    mean = tagloom.average_taggers(kept)
    for number in range(len(OTHER)):
        words = OTHER.sentence(number, "form")
        explained = [model.explain(words) for model in (mean, *kept)]
        for place in range(len(words)):
            found = explained[0][place]
            scores = [_score(model, words, place, found.label) for model in (mean, *kept)]
            assert scores[0] == pytest.approx(np.mean(scores[1:]), abs=1e-4)


def _score(model: tagloom.Tagger, words: list[str], place: int, label: str) -> float:
    """The weights of the features of labels at one token, added up for one label."""
    store, batch = model.encoder.new_store(), model.encoder.batch(model.open_sentences([words]))
    model.encoder.prepare(store, batch)
    number, views = model.labels.index(label), _views(model)
    described = model.encoder.describe(store, batch, 0)[place]
    rows = [(model._nodes.find(each.key), each.value) for each in described if not each.edge]
    return float(sum(views[row, number] * value for row, value in rows if row >= 0))


def _views(model: tagloom.Tagger) -> np.ndarray:
    from tagloom.systems.tagger.parameters import WeightViews

    return WeightViews(model.chain, model.parameters.weights).nodes


def test_averaged_taggers_keep_names_words_and_files(models: list[tagloom.Tagger], tmp_path: Path) -> None:
    mean = tagloom.average_taggers(models[:2])
    names, keys = mean.parameters.node_names, mean.parameters.node_keys
    assert names is not None
    assert len(names) == len(keys) == len(set(keys.tolist()))
    for each in models[:2]:
        own = each.parameters
        assert own.node_names is not None
        known = {int(key): own.node_names[row] for row, key in enumerate(own.node_keys)}
        assert all(names[row] == known[int(key)] for row, key in enumerate(keys) if int(key) in known)
    mean.save(tmp_path / "model")
    assert tagloom.load(tmp_path / "model").to_bytes() == mean.to_bytes()
    assert mean.read_training_options() is None
    assert "started from" in mean.describe().facts


def test_weights_that_mean_other_things_are_not_averaged(models: list[tagloom.Tagger]) -> None:
    with pytest.raises(ConfigError, match="tagger 2: another set of templates"):
        tagloom.average_taggers([models[0], models[3]])
    with pytest.raises(ConfigError, match="tagger 1: it is not calibrated"):
        tagloom.average_taggers([train(learner="averaged-perceptron"), models[2]])
    with pytest.raises(ConfigError, match="at least one tagger"):
        tagloom.average_taggers([])
