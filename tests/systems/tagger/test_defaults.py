"""Defaults from the data: which template set, learner and scheme a corpus gets, and the line that tells of it."""

from __future__ import annotations

import time
from typing import Any

import pytest

import tagloom
from tagloom.corpus import Corpus, from_sentences
from tagloom.corpus.schemes import get_scheme
from tagloom.corpus.spans import convert_labels
from tagloom.datasets import newswire
from tagloom.errors import ConfigError
from tests.systems.toy import TAGGED, crfsuite_corpus


def news(*names: str) -> Corpus:
    """Newswire with some of its columns; the last one is learned."""
    corpus = newswire(4, seed=5)
    columns = {name: corpus.column(name) for name in names}
    return Corpus(columns, corpus.sentences, corpus.documents, corpus.has_documents, corpus.source)


def characters() -> Corpus:
    """Entities over characters."""
    labels = ["B-P I-P O O O B-L I-L", "O O O B-L I-L"]
    return from_sentences([list("王明住在的北京"), list("他又在上海")], [each.split() for each in labels])


SEGMENTED = from_sentences([list("abc"), list("ab")], [list("BES"), list("BE")])
BAGS_OF_SPANS = "B-X\tw=Bonn\nO\tw=is\nO\tw=it\n\nO\tw=so\n"


def train_and_listen(data: Any, **options: Any) -> tuple[tagloom.Tagger, list[str]]:
    """Train one pass; return the model, and the notes."""
    told: list[tagloom.Progress] = []
    model = tagloom.train(data, on_progress=told.append, **{"epochs": 1, **options})
    return model, [each.message for each in told if each.phase == "note"]


@pytest.mark.parametrize(
    ("data", "templates", "columns", "learner", "scheme", "note"),
    [
        (news("form", "ner"), "ner", ("form",), "margin-perceptron", "BIOES",
         "features: ner (reads form); learner: margin-perceptron, BIOES; chosen from the data: span labels, 2 columns"),
        (news("form", "pos", "chunk", "ner"), "ner", ("form",), "margin-perceptron", "BIOES",
         "features: ner (reads form); learner: margin-perceptron, BIOES; chosen from the data: span labels, 4 columns"),
        (news("form", "chunk"), "chunking", ("form",), "averaged-perceptron", "BIOES",
         "features: chunking (reads form); learner: averaged-perceptron, BIOES; chosen from the data: span labels of "
         "most words, 2 columns"),
        (news("form", "pos", "chunk"), "chunking", ("form", "pos"), "averaged-perceptron", "BIOES",
         "features: chunking (reads form pos); learner: averaged-perceptron, BIOES; chosen from the data: span labels "
         "of most words, 3 columns"),
        (news("form", "pos"), "pos-affixes", ("form",), "lookahead-perceptron", None,
         "features: pos-affixes (reads form); learner: lookahead-perceptron; chosen from the data: plain tags, "
         "2 columns"),
        (SEGMENTED, "segmentation", ("form",), "averaged-perceptron", "BMES",
         "features: segmentation (reads form); learner: averaged-perceptron; chosen from the data: segmentation "
         "labels, 2 columns"),
        (crfsuite_corpus(), "attributes", ("attributes",), "lookahead-perceptron", None,
         "features: attributes (reads attributes); learner: lookahead-perceptron; chosen from the data: plain tags, "
         "2 columns"),
    ],
)  # fmt: skip
def test_what_each_kind_of_corpus_gets(
    data: Corpus, templates: str, columns: tuple[str, ...], learner: str, scheme: str | None, note: str
) -> None:
    model, notes = train_and_listen(data)
    assert model.spec.templates.name == templates
    assert model.columns == columns
    assert (model.spec.learner, model.spec.scheme) == (learner, scheme)
    assert notes[0] == note


def test_characters_with_entities() -> None:
    model, _ = train_and_listen(characters(), epochs=None)
    assert model.spec.templates.name == "ner-zh-basic"
    assert (model.spec.learner, model.spec.scheme, model.columns) == ("margin-perceptron", "BIOES", ("form",))
    assert model.tag(list("他又在上海")) == ["O", "O", "O", "B-L", "I-L"]


def test_bags_of_attributes_with_spans(tmp_path: Any) -> None:
    path = tmp_path / "spans.crfsuite"
    path.write_text(BAGS_OF_SPANS, "utf-8")
    model, _ = train_and_listen(tagloom.read(path, "crfsuite"))
    assert (model.spec.templates.name, model.spec.learner) == ("attributes", "margin-perceptron")


def test_a_column_that_will_be_missing_in_use_is_named_and_can_be_provided() -> None:
    corpus = news("form", "pos", "chunk")
    hint = "the model reads pos: text to tag must have it, too; with --provide pos the model predicts pos itself"
    assert train_and_listen(corpus)[1][1:] == [hint]
    model, notes = train_and_listen(corpus, provide={"pos": {"epochs": 1}})
    assert (len(notes), model.columns) == (1, ("form",))
    assert train_and_listen(corpus, templates="chunking")[1] == [
        "learner: averaged-perceptron, BIOES; chosen from the data: span labels of most words, 3 columns"
    ]


@pytest.mark.parametrize(
    ("stated", "scheme", "parts"),
    [
        ({"learner": "crf"}, "BIOES", "features: ner (reads form); scheme: BIOES"),
        ({"templates": "words", "scheme": "IOB2"}, "IOB2", "learner: margin-perceptron"),
        ({"templates": "words", "learner": "pa"}, "BIOES", "scheme: BIOES"),
        ({"templates": "words", "learner": "pa", "scheme": "data"}, "IOB2", ""),
    ],
)
def test_only_what_is_not_stated_is_chosen_and_told(stated: dict[str, Any], scheme: str, parts: str) -> None:
    model, notes = train_and_listen(news("form", "ner"), **stated)
    assert notes == ([f"{parts}; chosen from the data: span labels, 2 columns"] if parts else [])
    assert model.spec.scheme == scheme


def test_what_is_chosen_is_what_stating_it_gives() -> None:
    corpus = news("form", "ner")
    model = tagloom.train(corpus, epochs=3)
    stated = tagloom.train(corpus, templates="ner", learner="margin-perceptron", C=100.0, scheme="BIOES", epochs=3)
    assert model.to_bytes() == stated.to_bytes()
    tags = news("form", "pos")
    model = tagloom.train(tags)
    options = {"templates": "pos-affixes", "learner": "lookahead-perceptron", "depth": 2, "C": 40.0, "epochs": 15}
    assert model.to_bytes() == tagloom.train(tags, **options).to_bytes()


def test_few_tokens_get_many_passes() -> None:
    assert tagloom.train(news("form", "ner")).spec.epochs == 100
    assert tagloom.train(news("form", "ner"), epochs=7).spec.epochs == 7


@pytest.mark.parametrize("written", ["IOB1", "IOB2", "BIOES", "BILOU"])
def test_the_model_writes_the_scheme_of_the_data(written: str) -> None:
    corpus = news("form", "ner")
    labels = convert_labels(corpus.column("ner"), corpus.sentences, get_scheme("IOB2"), get_scheme(written))
    corpus = corpus.with_column("ner", labels)
    model = tagloom.train(corpus)
    assert (model.spec.scheme, model.spec.written_scheme) == ("BILOU" if written == "BILOU" else "BIOES", written)
    assert model.evaluate(corpus).value > 99
    assert set(model.tag_corpus(corpus).texts()) <= set(corpus.column("ner").texts())


@pytest.mark.parametrize("written", ["IOB1", "IOB2"])
def test_constraints_and_costs_are_in_the_scheme_of_the_data(written: str) -> None:
    corpus = news("form", "ner")
    labels = convert_labels(corpus.column("ner"), corpus.sentences, get_scheme("IOB2"), get_scheme(written))
    corpus = corpus.with_column("ner", labels)
    model = tagloom.train(corpus, epochs=3)
    for words, gold in list(zip(corpus.iter_sentences("form"), corpus.iter_sentences("ner")))[:20]:
        assert model.tag(list(words), constraints=list(gold)) == list(gold)
    assert model.tag(["x", "y"], constraints=[None, "S-PER"]) != ["O", "O"]  # a label of its own
    costly = tagloom.train(corpus, learner="pa", cost={"I-PER": {"O": 3.0}}, epochs=1)
    assert costly.spec.scheme == "IOB2"


def test_many_plain_tags_are_decided_without_lookahead() -> None:
    many = [([f"w{number}"], [f"T{number}"]) for number in range(101)]
    assert tagloom.train(many, epochs=1).spec.settings["depth"] == 0
    assert tagloom.train(many[:100], epochs=1).spec.settings["depth"] == 2


def test_documents_as_wholes_get_a_learner_that_can() -> None:
    assert tagloom.train(news("form", "pos"), sequences="documents", epochs=1).spec.learner == "averaged-perceptron"
    assert tagloom.train(news("form", "ner"), sequences="documents", epochs=1).spec.learner == "margin-perceptron"


def test_settings_that_the_chosen_learner_lacks_are_refused() -> None:
    with pytest.raises(ConfigError, match="learner 'margin-perceptron' has no 'c2'; it takes: "):
        tagloom.train(news("form", "ner"), c2=1.0)


def test_development_data_calibrates_the_default() -> None:
    corpus = news("form", "ner")
    model = tagloom.train(corpus.slice(0, 60), dev=corpus.slice(60, 80))
    assert "calibrated on held-out data" in model.confidence_note


@pytest.mark.parametrize(
    "data",
    [
        [(["Bonn"], ["B-LOC"]), (["rains"], ["O"])],
        [(["a"], ["X"]), (["b"], ["X"])],
        [(["a"], ["O"]), (["b"], ["O"])],
        TAGGED[:2],
    ],
)
def test_two_sentences_are_enough_and_quick(data: list[tuple[list[str], list[str]]]) -> None:
    begun = time.process_time()
    model = tagloom.train(data)
    assert time.process_time() - begun < 2
    assert [model.tag(words) for words, _ in data] == [labels for _, labels in data]


def test_folds_and_trials_take_what_was_chosen_from_the_whole() -> None:
    corpus = news("form", "ner")
    found = tagloom.jackknife(corpus, folds=2, epochs=2)
    assert "learner:margin-perceptron,C=100" in str(found.score.signature)
    assert "scheme:BIOES" in str(found.score.signature)
    tuning = tagloom.tune(corpus.slice(0, 60), corpus.slice(60, 80), {"C": [10.0, 100.0]}, epochs=2, jobs=1)
    assert "C" in tuning.best
    assert tagloom.train(corpus, **tuning.best).spec.learner == "margin-perceptron"


def test_a_model_continues_with_its_own_choices() -> None:
    corpus = news("form", "pos", "chunk")
    start = tagloom.train(corpus, epochs=2)
    for options in ({}, {"templates": "chunking"}, {"scheme": "data"}):
        newer = tagloom.train(corpus, start=start, epochs=1, **options)
        assert (newer.spec.templates, newer.spec.learner) == (start.spec.templates, start.spec.learner)


def test_crf_is_a_name_of_sgd() -> None:
    corpus = news("form", "ner")
    model = tagloom.train(corpus, learner="crf", epochs=2)
    assert model.to_bytes() == tagloom.train(corpus, learner="sgd", epochs=2).to_bytes()
    assert model.confidence_note == "probabilities of a CRF (sgd)"
    assert tagloom.train(corpus, start=model, learner="crf", epochs=1).spec.learner == "sgd"
