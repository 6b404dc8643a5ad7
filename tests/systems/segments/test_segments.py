"""Models of segments: what they learn that a chain cannot, options, templates, files, explanations, bad input."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tagloom
from tagloom.corpus import Corpus
from tagloom.datasets import newswire
from tagloom.errors import ConfigError, DataError, ModelFileError
from tagloom.features.segment_templates import load_segment_templates, parse_segment_templates
from tagloom.learners import LEARNERS
from tagloom.systems.data import to_corpus
from tagloom.systems.segments.model import SegmentModel
from tagloom.systems.segments.options import SEGMENT_LEARNERS, SegmentOptions

QUICK: dict[str, Any] = {"system": "segments", "templates": "ner-basic", "epochs": 3, "rate": 0.1}


@cache
def news(documents: int = 10, seed: int = 3) -> Corpus:
    made = newswire(documents, seed=seed)
    columns = {name: made.column(name) for name in ("form", "pos", "ner")}
    return Corpus(columns, made.sentences, made.documents, made.has_documents, made.source)


@cache
def model() -> SegmentModel:
    found: SegmentModel = tagloom.train(news(), **QUICK)
    return found


def rows(*sentences: str) -> list[tuple[list[str], list[str]]]:
    """Sentences of words, in which those joined by _ are an entity."""
    found = []
    for sentence in sentences:
        words, labels = [], []
        for part in sentence.split():
            is_entity = part.startswith("*")
            pieces = part.lstrip("*").split("_")
            words += pieces
            labels += ["B-X", *["I-X"] * (len(pieces) - 1)] if is_entity else ["O"] * len(pieces)
        found.append((words, labels))
    return found


def test_the_length_of_a_segment_decides_where_words_say_nothing():
    """All words are alike to the templates of words; only runs of exactly two a's are entities."""
    data = rows("b *a_a b", "a b *a_a", "b a_a_a b", "a_a_a b", "*a_a b a", "a b", "b a_a_a_a b", "a_a_a_a b a")
    options: dict[str, Any] = {"templates": "form[0]\n/ edge", "learner": "lbfgs", "c2": 0.01}
    segments = "form[all] form[before] form[after]\n"
    found = tagloom.train(data, system="segments", segment_templates=segments, **options)
    assert found.evaluate(data).value == 100
    assert found.tag(["b", "a", "a", "b"]) == ["O", "B-X", "I-X", "O"]
    chain = tagloom.train(data, scheme="BIOES", **options)
    assert chain.evaluate(data).value < 100


def test_without_segment_features_the_model_is_the_crf():
    """A cut-off that no feature reaches leaves the CRF of a tagger."""
    options: dict[str, Any] = {"templates": "ner-basic", "epochs": 2, "learner": "sgd", "rate": 0.1}
    found = tagloom.train(news(), system="segments", segment_cutoff=10**6, **options)
    tagger = tagloom.train(news(), scheme="BIOES", **options)
    assert found.labels == tagger.labels
    dev = news(5, 8)
    assert np.allclose(found.marginals_corpus(dev), tagger.marginals_corpus(dev), atol=1e-3)
    assert found.tag_corpus(dev).texts() == tagger.tag_corpus(dev).texts()


@pytest.mark.parametrize("learner", SEGMENT_LEARNERS)
def test_every_learner_learns_segments(learner: str):
    options = {name: value for name, value in QUICK.items() if name != "rate"}
    given = {"rate": 0.1} if LEARNERS[learner].can_diverge else {}
    found = tagloom.train(news(), **{**options, **given, "learner": learner, "epochs": 12})
    assert found.evaluate(news()).value > 90
    assert found.has_probabilities == LEARNERS[learner].has_likelihood


@pytest.mark.parametrize("learner", ["sgd", "averaged-perceptron", "lbfgs"])
def test_same_seed_same_bytes_for_any_number_of_threads(learner: str):
    options = {"system": "segments", "templates": "ner-basic", "epochs": 2, "learner": learner}
    one, two = (tagloom.train(news(), dev=news(5, 8), threads=threads, **options) for threads in (1, 2))
    assert one.to_bytes() == two.to_bytes()
    dev = news(5, 8)
    assert model().tag_corpus(dev).texts() == model().tag_corpus(dev, threads=3).texts()


def test_segments_beyond_the_longest_are_told_and_found():
    told: list[str] = []
    data = rows("b *a_a_a_a_a b", "*a_a b", "b b", "*a_a_a_a b") * 3
    options: dict[str, Any] = {"templates": "form[{-1..1}]\n/ edge", "learner": "averaged-perceptron", "epochs": 20}
    found = tagloom.train(
        data, system="segments", longest=2, on_progress=lambda each: told.append(str(each.message or "")), **options
    )
    assert any("6 of 9 segments have more than 2 tokens" in each for each in told)
    assert found.spec.longest == 2
    assert found.evaluate(data).value == 100
    assert tagloom.train(data, system="segments", **options).spec.longest == 5


def test_entries_of_a_list_are_features_of_whole_segments(tmp_path: Path):
    (tmp_path / "places").write_text("New York\nYork\nSan Marino Town\n")
    data = rows("in *New_York today", "in New today", "*San_Marino_Town won", "San won", "Marino won")
    options: dict[str, Any] = {
        "system": "segments", "resources": {"gazetteer": tmp_path / "places"}, "templates": "bias\n/ edge",
        "learner": "lbfgs", "c2": 0.01,
    }  # fmt: skip
    found = tagloom.train(data, segment_templates="gazetteer[entry]\nlength\n", **options)
    assert found.spans(["in", "San", "Marino", "Town"]) == [(1, 4, "X")]
    assert "gazetteer[entry]" in str(tagloom.train(data, **options).spec.segment_templates)
    assert found.explain(["in", "New", "York"]).list_decisions()[-1].features
    with pytest.raises(ConfigError, match=r"lexicon\[entry\]"):
        tagloom.train(data, **{**options, "segment_templates": "lexicon[entry]\n"})


def test_marginals_are_those_of_segments():
    found, dev = model(), news(5, 8)
    sums = found.marginals_corpus(dev).sum(axis=1)
    assert np.allclose(sums, 1, atol=1e-4)
    labels, sure = found.confidences(dev)
    assert labels.texts() == found.tag_corpus(dev).texts()
    assert ((sure > 0) & (sure <= 1)).all()
    words = list(zip(dev.sentence(0, "form"), dev.sentence(0, "pos")))
    assert found.marginals(words).shape == (len(words), len(found.labels))
    margin = tagloom.train(news(), **{**QUICK, "rate": None, "learner": "averaged-perceptron"})
    with pytest.raises(ConfigError, match="not probabilities"):
        margin.marginals(words)


def test_explanations_add_up():
    found, dev = model(), news(5, 8)
    words = list(zip(dev.sentence(0, "form"), dev.sentence(0, "pos")))
    explanation = found.explain(words)
    decisions = explanation.list_decisions()
    assert [each.first for each in decisions] == [0, *[each.last for each in decisions[:-1]]]
    assert decisions[-1].last == len(words)
    for each in decisions:
        assert each.margin == pytest.approx(sum(weight for _, weight in each.features), abs=1e-3)
    assert repr(explanation).startswith("<SegmentExplanation")
    assert found.explain([]).list_decisions() == []


def test_templates_are_parsed_and_refused():
    text = "length\nform[all] length\ngazetteer[entry]\nprefix3(lemma)[first]\n"
    assert str(parse_segment_templates(text + text, "mine")) == text
    assert load_segment_templates("entities").name == "entities"
    assert load_segment_templates("form[all]").attributes[0].name == "form"
    for wrong in ("", "form", "form[0]", "form[middle]", "brown4[entry]", "form[inside] pos[inside]", "x" * 300):
        with pytest.raises(ConfigError) as error:
            parse_segment_templates(wrong, "mine")
        assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"learner": "margin-perceptron"}, "does not learn segments"),
        ({"learner": "madf"}, "does not learn segments"),
        ({"longest": 1}, "longest"),
        ({"scheme": "IOB1"}, "IOB1"),
        ({"scheme": "none"}, "none"),
        ({"templates": "form[0] / edge"}, "label pairs"),
        ({"segment_templates": "nothing[all]\n"}, "nothing"),
        ({"rate": 0.1, "learner": "averaged-perceptron"}, "rate"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str):
    with pytest.raises(ConfigError, match=message) as error:
        tagloom.train(news(), system="segments", **options)
    assert len(str(error.value).splitlines()) == 1


def test_data_without_spans_is_refused():
    with pytest.raises((ConfigError, DataError), match="spans"):
        tagloom.train([(["a", "b"], ["X", "Y"])], system="segments")


def test_sentences_of_any_length_are_tagged():
    found = tagloom.train(rows("in *New_York today", "he left") * 2, system="segments", epochs=2)
    assert found.tag([]) == []
    assert found.tag_many([["New"], [], ["in", "New", "York"]])[1] == []
    assert len(found.tag(["in"] * 500)) == 500


def test_types_that_training_did_not_have_are_noted():
    other = rows("in *New_York today")
    renamed = [(words, [label.replace("-X", "-Y") for label in labels]) for words, labels in other]
    found = tagloom.train(other * 2, system="segments", epochs=2)
    assert "Y 1" in found.check_labels(to_corpus(renamed))[0]
    assert found.check_labels(to_corpus(other)) == []


def test_a_file_whose_arrays_do_not_fit_is_refused(tmp_path: Path):
    found = model()
    again = SegmentModel.from_tensors(found.spec.to_json(), found.to_tensors(), dict(found.resources), None)
    assert again.tag_corpus(news(5, 8)).texts() == found.tag_corpus(news(5, 8)).texts()
    with pytest.raises(ValueError, match="fit"):
        SegmentModel.from_tensors(
            found.spec.to_json(), {**found.to_tensors(), "segment_keys": found.parameters.segment_keys[1:]}, {}, None
        )
    path = tmp_path / "model"
    found.save(path)
    assert tagloom.load(path, system="segments").tag_corpus(news(5, 8)).texts() == found.tag_corpus(news(5, 8)).texts()
    with pytest.raises((ConfigError, ModelFileError)):
        tagloom.load(path, system="tagger")


def test_options_of_words_are_those_of_taggers():
    options = SegmentOptions.parse({"learner": "pa", "C": 0.1, "templates": "ner", "cutoff": 2})
    assert options.of_tokens.cutoff == 2
    assert options.of_tokens.chosen_learner.name == "pa"
    assert options.of_tokens.scheme == "BIOES"
