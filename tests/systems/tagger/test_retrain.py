"""Options read off a model: on the same data they make the same model, on other data one of the same kind."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tagloom
from tagloom.corpus import Corpus
from tagloom.features.resources import Phrases
from tagloom.structures.consistency import FAMILIES
from tagloom.systems import resources as made
from tagloom.systems.tagger.rerank.lists import jackknife_candidates
from tagloom.systems.tagger.spec import TaggerSpec
from tagloom.systems.tagger.warm_start import read_training_options
from tests.systems.toy import crfsuite_corpus, entity_model, news, news_split

LISTED = "form[0]\ngazetteer[0]\n/ edge\n"
EDGES = "form[0]\npos[0] / edge\n/ edge\n"


def bytes_of(model: tagloom.Tagger, folder: Path) -> bytes:
    model.save(folder / "model")
    return (folder / "model").read_bytes()


def shouting(word: str) -> str:
    return str(word.isupper())


def whole(words: list[str]) -> list[str]:
    return [str(len(words))] * len(words)


def names(document: Any, labels: Any) -> list[str]:
    return [f"{label}" for label in sorted(set(labels))]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"learner": "pa", "C": 0.3, "cost": {"B-PER": {"O": 3.0}}, "seed": 4},
        {"learner": "averaged-perceptron", "averaging": "none", "scheme": "BIOES", "cutoff": 2},
        {"templates": EDGES, "edge_pairs": "all", "tag_dictionary": 3, "epochs": 2},
        {"learner": "lbfgs", "c2": 2.0, "epochs": 4, "node_labels": "all"},
        {"learner": "lookahead-perceptron", "depth": 2, "direction": "right-to-left", "history": 2, "epochs": 2},
        {"learner": "nonlocal-perceptron", "n": 3, "candidates": 5, "epochs": 2, "document_features": FAMILIES[:1]},
        {"learner": "reranking-1", "n": 3, "folds": 3, "epochs": 2, "document_features": "none",
         "document_functions": {"names": names}},
        {"learner": "margin-perceptron", "sequences": "joined", "C": 2, "epochs": 2},
        {"templates": "form[0]\nloud[0]\nall[0]\n", "attributes": {"loud": shouting},
         "sentence_attributes": {"all": whole}, "buckets": 512},
        {"templates": LISTED, "resources": {"gazetteer": "train"}},
        {"templates": LISTED, "resources": {"gazetteer": {"PER": "train", "LOC": ["train"]}}},
    ],
    ids=lambda options: "-".join(options) or "default",
)  # fmt: skip
def test_the_same_data_make_the_same_model(options: dict[str, Any], tmp_path: Path) -> None:
    chosen = {"epochs": 3, **options, "label": "ner"}
    model = tagloom.train(news(), **chosen)
    again = tagloom.train(news(), **read_training_options(model))
    assert bytes_of(again, tmp_path) == bytes_of(model, tmp_path)


def test_resources_of_files_are_those_of_the_model(tmp_path: Path) -> None:
    days = Phrases.build({"days": ["Monday", "Friday"]})
    model = tagloom.train(news(), label="ner", templates=LISTED, resources={"gazetteer": days}, epochs=2)
    model.save(tmp_path / "model")
    again = tagloom.train(news(), **read_training_options(tagloom.load(tmp_path / "model")))
    assert bytes_of(again, tmp_path) == bytes_of(model, tmp_path)


def test_bags_and_loaded_models(tmp_path: Path) -> None:
    model = tagloom.train(crfsuite_corpus(), epochs=4)
    model.save(tmp_path / "bags")
    again = tagloom.train(crfsuite_corpus(), **read_training_options(tagloom.load(tmp_path / "bags")))
    assert bytes_of(again, tmp_path) == bytes_of(model, tmp_path)
    entity_model().save(tmp_path / "model")
    with pytest.raises(tagloom.ConfigError, match="the model needs its function 'size': load it with functions"):
        read_training_options(tagloom.load(tmp_path / "model"))


def test_passes() -> None:
    """Development data chose a pass; a learner that converges may need more passes on other data."""
    train, dev = news_split()
    chosen = tagloom.train(train, dev=dev, label="ner", epochs=9, patience=2)
    assert read_training_options(chosen)["epochs"] == chosen.spec.best_epoch
    steady = tagloom.train(train, label="ner", learner="lbfgs", c2=50.0, epochs=150)
    assert len(steady.spec.history) < 150 == read_training_options(steady)["epochs"]
    old = replace(steady.spec, epochs=0)  # of an older file
    steady.spec = old
    assert read_training_options(steady)["epochs"] == old.best_epoch


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("built_resources", {"gazetteer": "whole"}), ("built_resources", ["a"]), ("built_resources", 3),
        ("edge_pairs", "some"), ("edge_pairs", None), ("epochs", -1), ("epochs", "3"), ("epochs", True),
    ],
)  # fmt: skip
def test_forged_specs_are_refused(name: str, value: object) -> None:
    values = json.loads(tagloom.train(news(), label="ner", epochs=1).spec.to_json())
    with pytest.raises((ValueError, TypeError, AttributeError, LookupError)):
        TaggerSpec.from_json(json.dumps({**values, name: value}))


def test_models_that_began_from_another_are_refused() -> None:
    model = tagloom.train(news(), label="ner", epochs=1).partial_fit(news())
    for call in (lambda: read_training_options(model), lambda: jackknife_candidates(model, news())):
        with pytest.raises(tagloom.ConfigError, match=r"began from another one .*; train a model without start"):
            call()


def test_resources_of_two_sources_must_be_given_again(tmp_path: Path) -> None:
    (tmp_path / "people").write_text("Ann\nBob\n")
    sources = {"gazetteer": {"PER": [tmp_path / "people", "train"]}}
    options = {"label": "ner", "templates": "form[0]\ngazetteer[0]\n", "epochs": 1}
    model = tagloom.train(news(), resources=sources, **options)
    with pytest.raises(tagloom.ConfigError, match=r"'gazetteer': made of files and of training data.*give its"):
        read_training_options(model)
    again = tagloom.train(news(), **read_training_options(model, resources=sources))
    assert bytes_of(again, tmp_path) == bytes_of(model, tmp_path)
    assert len(jackknife_candidates(model, news(), n=2, folds=2, resources=sources).lists) == len(news())


def test_built_resources_are_made_again_of_every_fold(monkeypatch: pytest.MonkeyPatch) -> None:
    """No list of a fold's model holds an entity that only the fold has."""
    model = tagloom.train(news(), label="ner", templates=LISTED, resources={"gazetteer": "train"}, epochs=1)
    seen: list[tuple[str, int]] = []
    entities = made._entity_mentions

    def counted(name: str, corpus: Corpus, gold: Any) -> Any:
        seen.append((name, len(corpus)))
        return entities(name, corpus, gold)

    monkeypatch.setattr(made, "_entity_mentions", counted)
    found = jackknife_candidates(model, news(), n=2, folds=4, jobs=1)
    assert [name for name, _ in seen] == ["gazetteer"] * 5
    assert sorted(count for _, count in seen)[-1] == len(news())  # of the whole, for labels and identity
    assert sum(len(news()) - count for _, count in seen) == len(news())
    fixed = tagloom.train(news(), label="ner", templates=LISTED, resources=model.resources, epochs=1)
    leaking = jackknife_candidates(fixed, news(), n=2, folds=4)
    assert not np.array_equal(found.lists.scores, leaking.lists.scores)


def test_files_of_folds_tell_built_resources_from_equal_ones(tmp_path: Path) -> None:
    text = [(list("abcab"), list("BEBES")), (list("ababc"), list("BEBES"))] * 3
    options: dict[str, Any] = {"templates": "form[0]\nlexicon[0]\n", "epochs": 1}
    made = tagloom.train(text, resources={"lexicon": "train"}, **options)
    same = tagloom.train(text, resources=made.resources, **options)
    corpus = tagloom.from_sentences([words for words, _ in text], tags=[labels for _, labels in text])
    for number, model in enumerate((made, same), 1):
        jackknife_candidates(model, corpus, n=2, folds=3, cache=tmp_path)
        assert len(list(tmp_path.iterdir())) == 3 * number


def test_costs_of_labels_that_a_fold_lacks() -> None:
    words = [["a", "b"], ["b", "c"], ["c", "b"]]
    corpus = tagloom.from_sentences(words, tags=[["X", "Y"], ["Y", "Z"], ["Z", "Y"]])
    model = tagloom.train(corpus, learner="pa", cost={"X": {"Y": 2.0}, "Y": {"X": 2.0, "Z": 3.0}}, epochs=2)
    assert len(jackknife_candidates(model, corpus, n=2, folds=3).lists) == 3
