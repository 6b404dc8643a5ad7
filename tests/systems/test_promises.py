"""What users can rely on for every system: options, errors, shapes of input, names."""

from __future__ import annotations

from typing import Any

import pytest

import tagloom
import tagloom.corpus
import tagloom.evaluate
import tagloom.learners
import tagloom.report
import tagloom.systems
from tagloom.systems.registry import SYSTEMS
from tests.systems.phrases.data import chunker
from tests.systems.toy import tagger
from tests.treebank import treebank

WITHOUT_RESOURCES = ("tokenizer", "pipeline")
PAIRS = [(["in", "Bonn"], ["O", "B-LOC"]), (["Ada", "left"], ["B-PER", "O"])]


@pytest.fixture(scope="module")
def parser() -> tagloom.Parser:
    return tagloom.train(
        treebank(12), system="parser", epochs=2, tag_folds=2, tagger={"epochs": 1}, resources={"lowercased": "train"}
    )


def data_of(system: str) -> Any:
    return treebank(6) if system == "parser" else PAIRS


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"checkpoint": 5}, "train: checkpoint: expected a path or None, got 5"),
        ({"epochs": 0}, "epochs: expected a whole number of 1 or more, got 0"),
        ({"threads": 0}, "threads: expected a whole number from 1 to 1024, got 0"),
        ({"resources": "brown"}, "resources: expected files by name, got 'brown'"),
        ({"normalise": "NFD"}, "unknown normal form 'NFD'; did you mean 'NFC'? (known: NFC, NFKC)"),
    ],
)
def test_the_same_error_for_every_system(system: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(tagloom.ConfigError) as error:
        tagloom.train(data_of(system), system=system, **options)
    if set(options) == {"resources"} and system in WITHOUT_RESOURCES:
        message = f"unknown option of a {system} 'resources'; did you mean 'epochs'? (known: "
        assert str(error.value).startswith(message)
    else:
        assert str(error.value) == message


@pytest.mark.parametrize("system", SYSTEMS)
def test_unknown_options_are_refused_with_a_hint(system: str) -> None:
    noun = SYSTEMS[system].noun
    with pytest.raises(tagloom.ConfigError) as error:
        tagloom.train(data_of(system), system=system, epoch=5)
    assert str(error.value).startswith(f"unknown option of a {noun} 'epoch'; did you mean 'epochs'? (known: ")


@pytest.mark.parametrize("system", ["parser", "phrases"])
def test_only_taggers_begin_from_another_model(system: str) -> None:
    with pytest.raises(tagloom.ConfigError, match=f"start: a {SYSTEMS[system].noun} cannot begin from another model"):
        tagloom.train(data_of(system), system=system, start=tagger())


def test_unknown_options_of_a_search_are_refused(parser: tagloom.Parser) -> None:
    calls = [
        (lambda: tagger().annotate(PAIRS, dept=1), "unknown option of a tagger 'dept'; did you mean 'depth'"),
        (lambda: parser.annotate(treebank(2), bean=1), "unknown option of a parser 'bean'; did you mean 'beam'"),
        (lambda: chunker().evaluate(PAIRS, depth=1), "unknown option of a .* 'depth'"),
    ]
    for call, message in calls:
        with pytest.raises(tagloom.ConfigError, match=message):
            call()


def test_a_parser_has_resources_of_its_training_data(parser: tagloom.Parser) -> None:
    assert parser.spec.built_resources == {"lowercased": "whole"}
    assert parser.resources.keys() == {"lowercased"}


def test_sentences_may_be_columns_by_name(parser: tagloom.Parser) -> None:
    words = ["the", "dog", "sleeps"]
    assert parser.parse({"form": words}) == parser.parse(words)  # type: ignore[arg-type]
    assert list(parser.explain({"form": words})) == list(parser.explain(words))  # type: ignore[arg-type]
    assert tagger().tag({"form": words}) == tagger().tag(words)  # type: ignore[arg-type]
    explained = tagger().explain({"form": words})  # type: ignore[arg-type]
    assert explained.words == tuple(words)


def test_sentences_may_come_from_a_generator(parser: tagloom.Parser) -> None:
    sentences = [["the", "dog", "sleeps"], [], ["a", "cat"]]
    for many in (parser.parse_many, tagger().tag_many):
        assert many(iter(sentences)) == many(sentences)  # type: ignore[arg-type, operator]
    rows = [[(word, "NN") for word in sentence] for sentence in sentences]
    for many in (chunker().tag_many, chunker().spans_many):
        assert many(iter(rows)) == many(rows)  # type: ignore[arg-type, operator]


def test_public_names_are_listed_and_few() -> None:
    assert dir(tagloom) == sorted([*tagloom.__all__, "__version__"])
    for package in (tagloom.corpus, tagloom.evaluate, tagloom.learners, tagloom.report, tagloom.systems):
        assert dir(package) == package.__all__
    assert all(hasattr(tagloom, name) for name in tagloom.__all__)
    assert {"train", "load", "read", "write", "Tagger", "Parser", "PhraseChunker", "SYSTEMS"} <= set(tagloom.__all__)
    assert len(tagloom.__all__) <= 40
