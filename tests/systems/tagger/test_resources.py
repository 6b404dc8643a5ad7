"""Models with lexicons, categories and statistics: made of files or of the training data, saved, used on raw tokens."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

import tagloom
from tagloom.corpus import read
from tagloom.datasets import newswire
from tagloom.errors import ConfigError
from tagloom.features import Clusters, Phrases, WordList

SEGMENTED = "研究 生命 起源\n研究生 研究 起源\n他 研究 生命\n" * 4
SETS = [
    "segmentation-basic",
    "segmentation-dictionary",
    "segmentation-edge",
    "segmentation-extended",
    "segmentation-lexicons",
]


@pytest.mark.parametrize("templates", SETS)
def test_resources_made_of_the_training_data(templates: str, tmp_path: Path) -> None:
    corpus = read(io.StringIO(SEGMENTED), "segmented")
    model = tagloom.train(corpus, templates=templates, resources={"lexicon": "train", "statistics": "train"}, epochs=5)
    assert model.tag(list("他研究起源")) == list("SBEBE")
    model.save(tmp_path / "model")
    loaded = tagloom.load(tmp_path / "model")
    assert loaded.tag(list("研究生命起源")) == model.tag(list("研究生命起源"))
    assert loaded.evaluate(corpus).to_dict() == model.evaluate(corpus).to_dict()
    assert loaded.tag(list("他研究")) == tagloom.train(corpus, start=loaded, resources={"lexicon": "train"}).tag(
        list("他研究")
    )
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


def test_rare_words_stay_out_of_the_lexicon_of_the_training_data() -> None:
    corpus = read(io.StringIO("天地 天地 玄黄 天地\n玄黄\n"), "segmented")
    model = tagloom.train(corpus, templates="lexicon[0]\n/ edge", resources={"lexicon": "train"})
    lexicon = model.resources["lexicon"]
    assert isinstance(lexicon, Phrases)
    assert len(lexicon.trie) == len(Phrases.lexicon(["天地"]).trie)


@pytest.mark.parametrize("name", ["lexicon", "statistics"])
def test_only_segmented_text_makes_resources(name: str) -> None:
    data = [(["a", "b"], ["O", "B-X"])]
    with pytest.raises(ConfigError, match=f"^resource {name}=train: <memory> is not segmented text; name a file"):
        tagloom.train(data, templates="form[0]", resources={name: "train"})


def test_clusters_of_the_training_text(tmp_path: Path) -> None:
    news = newswire(3)
    model = tagloom.train(news, label="pos", templates="brown{2,6}[0]\n/ edge", resources={"brown": "train"}, epochs=3)
    assert model.spec.built_resources == {"brown": "whole"}
    made = tagloom.cluster_words(news, 500)
    (tmp_path / "paths").write_text(made.to_text(), encoding="utf-8")
    clusters = Clusters.read(tmp_path / "paths")
    assert repr(model.resources["brown"]) == repr(clusters)
    assert all(model.resources["brown"].lookup.find(word) == clusters.lookup.find(word) for word in made.words[:50])


def test_chinese_entities_with_categories_and_lists(tmp_path: Path) -> None:
    (tmp_path / "cilin").write_text("Af10B05# 省长 市长\nDi02A01= 上海 北京\n", encoding="utf-8")
    (tmp_path / "org").write_text("北京大学\n", encoding="utf-8")
    data = [
        (list("上海市长说"), ["B-LOC", "I-LOC", "O", "O", "O"]),
        (list("在北京大学"), ["O", "B-ORG", "I-ORG", "I-ORG", "I-ORG"]),
    ]
    resources = {"category": tmp_path / "cilin", "entities": tmp_path / "org"}
    model = tagloom.train(data, templates="ner-zh-extended", resources=resources)
    assert model.tag(list("北京市长")) == ["B-LOC", "I-LOC", "O", "O"]
    model.save(tmp_path / "model")
    assert tagloom.load(tmp_path / "model").tag(list("北京市长")) == ["B-LOC", "I-LOC", "O", "O"]


MIXED = [
    (["The", "the", "the", "May", "may", ","], ["O", "O", "O", "B-X", "O", "O"]),
    (["In", "May", "iPod", "THE", ",", "in"], ["O", "B-X", "O", "O", "O", "O"]),
]


def test_words_that_are_mostly_lowercased(tmp_path: Path) -> None:
    """In balances in, marks and iPod have no case to count."""
    model = tagloom.train(MIXED, templates="collins-2002", resources={"lowercased": "train"}, epochs=3)
    words = model.resources["lowercased"]
    assert isinstance(words, WordList)
    assert words.words.strings() == []
    more = [*MIXED, (["the", "in"], ["O", "O"])]
    model = tagloom.train(more, templates="collins-2002", resources={"lowercased": "train"}, epochs=3)
    words = model.resources["lowercased"]
    assert isinstance(words, WordList)
    assert words.words.strings() == ["in", "the"]
    model.save(tmp_path / "model")
    loaded = tagloom.load(tmp_path / "model")
    assert loaded.tag(["In", "May"]) == model.tag(["In", "May"])
    (tmp_path / "words").write_text("The\nin\n", encoding="utf-8")
    again = tagloom.train(more, templates="collins-2002", resources={"lowercased": tmp_path / "words"}, epochs=3)
    assert np.array_equal(again.parameters.weights, model.parameters.weights)


def test_the_list_of_lowercased_words_is_asked_for() -> None:
    with pytest.raises(
        ConfigError, match=r"'lowercased'.*; pass the words: --resource lowercased=FILE, or lowercased=train"
    ):
        tagloom.train(MIXED, templates="collins-2002")


def test_functional_words_are_those_within_entities(tmp_path: Path) -> None:
    """Lower-cased, three times or more: Of is not lower-cased, and (the) third in stands outside."""
    words, labels = ["Bank", "of", "in", "Of", "x", "in"], ["B-ORG", "I-ORG", "I-ORG", "I-ORG", "O", "O"]
    data = [(words, labels), (words, labels), (["of", "Rome"], ["B-LOC", "I-LOC"])]
    model = tagloom.train(data, templates="carreras-2003-words", resources={"functional": "train"}, epochs=3)
    found = model.resources["functional"]
    assert isinstance(found, WordList)
    assert found.words.strings() == ["of"]
    model.save(tmp_path / "model")
    assert tagloom.load(tmp_path / "model").tag(words) == model.tag(words)
    with pytest.raises(
        ConfigError, match=r"'functional'.*; pass the words: --resource functional=FILE, or functional=t"
    ):
        tagloom.train(data, templates="carreras-2003-words")
    with pytest.raises(ConfigError, match=r"resource functional=train: .* has no entities"):
        tagloom.train([(["a"], ["DT"])], templates="carreras-2003-words", resources={"functional": "train"})
