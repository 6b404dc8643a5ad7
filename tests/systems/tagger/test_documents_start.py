"""Training that goes on, of models with features of documents: what is taken over, what is refused, checkpoints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tagloom
from tagloom.datasets import newswire
from tagloom.errors import ConfigError

NEWS = newswire(5, seed=4)
OPTIONS: dict[str, Any] = {"label": "ner", "learner": "nonlocal-perceptron", "epochs": 2}


def count_names(document: Any, labels: Any) -> list[str]:
    return [label for label in labels if label.startswith("B-")]


@pytest.fixture(scope="module")
def first() -> tagloom.Tagger:
    return tagloom.train(NEWS, **OPTIONS, n=5, bpm=1, candidates=30, document_features="phrase")


def test_settings_and_features_are_taken_over(first: tagloom.Tagger, tmp_path: Path) -> None:
    first.save(tmp_path / "first")
    for start in (first, tmp_path / "first"):
        spec = tagloom.train(NEWS, start=start, epochs=1).spec
        assert (spec.settings, spec.candidates, spec.document_features) == ({"n": 5, "bpm": 1}, 30, ("phrase",))
        assert spec.sequences == "documents"


@pytest.mark.parametrize("learner", ["averaged-perceptron", "margin-perceptron", "madf"])
def test_a_learner_of_sentences_goes_on_with_local_weights(first: tagloom.Tagger, learner: str) -> None:
    spec = first.partial_fit(NEWS, learner=learner).spec
    assert (spec.sequences, spec.document_features) == ("sentences", ())


def test_a_learner_of_documents_goes_on_from_a_model_of_sentences() -> None:
    spec = tagloom.train(NEWS, label="ner", epochs=1).partial_fit(NEWS, learner="nonlocal-perceptron").spec
    assert (spec.sequences, len(spec.document_features)) == ("documents", 5)


def test_reranking_has_no_start(first: tagloom.Tagger) -> None:
    with pytest.raises(ConfigError, match="trains first models of its own"):
        first.partial_fit(NEWS, learner="reranking-2")


def test_functions_are_taken_over(tmp_path: Path) -> None:
    options = {**OPTIONS, "document_features": "none", "document_functions": {"count": count_names}}
    model = tagloom.train(NEWS, **options)
    spec = model.partial_fit(NEWS).spec
    assert (spec.document_functions, spec.document_features) == (("count",), ())
    model.save(tmp_path / "own")
    with pytest.raises(ConfigError, match="the model needs its function 'count'"):
        tagloom.train(NEWS, start=tmp_path / "own", epochs=1)


def test_a_checkpoint_knows_functions_by_name(tmp_path: Path) -> None:
    """Not by where they lie in memory, which is another place in every process."""
    seen: list[str] = []
    for epochs, function in ((3, count_names), (3, lambda document, labels: count_names(document, labels))):
        tagloom.train(
            NEWS, **{**OPTIONS, "epochs": epochs}, document_functions={"count": function}, keep_checkpoint=True,
            checkpoint=tmp_path / "checkpoint", on_progress=lambda progress: seen.append(progress.phase),
        )  # fmt: skip
    assert "resumed" in seen


def test_the_signature_survives_the_file(first: tagloom.Tagger, tmp_path: Path) -> None:
    first.save(tmp_path / "model")
    assert str(tagloom.load(tmp_path / "model").spec.signature) == str(first.spec.signature)
