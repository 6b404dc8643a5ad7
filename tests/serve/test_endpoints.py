"""What the endpoints answer: the same as the models themselves, for every system."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import tagloom
from tagloom.text import Annotation
from tests.serve.conftest import TEXT

OF_TEXT = ("ner", "pos", "phrases", "parser", "tokenizer", "pipeline")  # systems and models that read words only
WORDS = ["the", "old", "dog", "saw", "Bonn", "."]


def ask(client: TestClient, what: str, **message: Any) -> Any:
    found = client.post(f"/v1/{what}", json=message)
    assert found.status_code == 200, found.text
    return found.json()


@pytest.mark.parametrize("name", OF_TEXT)
def test_text_is_annotated_as_the_model_does(name: str, client: TestClient, models: dict[str, Path]) -> None:
    model = tagloom.load(models[name])
    answer = ask(client, "annotate", model=name, text=TEXT)
    assert answer == {"model": name, "annotations": [model(TEXT).to_dict()]}
    assert Annotation.from_dict(answer["annotations"][0]) == model(TEXT)


@pytest.mark.parametrize("name", OF_TEXT)
def test_tokens_are_annotated_as_the_model_does(name: str, client: TestClient, models: dict[str, Path]) -> None:
    model = tagloom.load(models[name])
    assert ask(client, "annotate", model=name, tokens=WORDS)["annotations"] == [model(WORDS).to_dict()]


def test_batches_have_one_annotation_per_input(client: TestClient, models: dict[str, Path]) -> None:
    model = tagloom.load(models["ner"])
    texts = [TEXT, "", "  ", "Bonn"]
    assert ask(client, "annotate", texts=texts)["annotations"] == [model(text).to_dict() for text in texts]
    sentences = [WORDS, [], ["Bonn"]]
    assert ask(client, "annotate", sentences=sentences)["annotations"] == [model(each).to_dict() for each in sentences]
    assert ask(client, "annotate", texts=[])["annotations"] == []
    assert ask(client, "annotate", sentences=[])["annotations"] == []


def test_offsets_count_characters(client: TestClient) -> None:
    text = "😀 Peter Miller visited Bonn."
    (found,) = ask(client, "annotate", text=text)["annotations"]
    assert all(text[token["start"] : token["end"]] == token["text"] for token in found["tokens"])


def test_confidence_gives_tokens_and_spans_scores(client: TestClient, models: dict[str, Path]) -> None:
    (found,) = ask(client, "annotate", text=TEXT, confidence=True)["annotations"]
    assert found == tagloom.load(models["ner"])(TEXT, confidence=True).to_dict()
    assert found["spans"]
    assert all(0 < each["score"] <= 1 for each in [*found["tokens"], *found["spans"]])


def test_a_model_of_columns_reads_rows(client: TestClient, models: dict[str, Path]) -> None:
    rows = [["Peter", "NNP"], ["sleeps", "VBZ"]]
    model = tagloom.load(models["chunks"])
    assert ask(client, "annotate", model="chunks", tokens=rows)["annotations"] == [model(rows).to_dict()]


def test_a_model_of_features_reads_objects_and_lists(client: TestClient, models: dict[str, Path]) -> None:
    tokens = [{"w": "Peter", "low": False}, ["w:sleeps", "low"]]
    (found,) = ask(client, "annotate", model="features", tokens=tokens)["annotations"]
    assert [token["label"] for token in found["tokens"]] == tagloom.load(models["features"]).tag(tokens)
    assert [token["text"] for token in found["tokens"]] == ["w|low", "w:sleeps|low"]


def test_nbest_has_the_candidates_of_every_sentence(client: TestClient, models: dict[str, Path]) -> None:
    model = tagloom.load(models["ner"])
    (found,) = ask(client, "nbest", text=TEXT, n=3)["results"]
    assert found["text"] == TEXT
    assert [TEXT[each["start"] : each["end"]] for each in found["sentences"]] == [
        each.text for each in model(TEXT).sents
    ]
    for sentence in found["sentences"]:
        words = [token["text"] for token in sentence["tokens"]]
        expected = model.nbest(words, 3)
        assert [each["labels"] for each in sentence["candidates"]] == [each.labels for each in expected]
        scores = [each.probability for each in expected]
        assert [each["probability"] for each in sentence["candidates"]] == pytest.approx(scores)
        best = [(each["start"], each["end"], each["label"]) for each in sentence["candidates"][0]["spans"]]
        spans = [(each.start, each.end, each.label) for each in model(TEXT).spans]
        assert set(best) <= set(spans)


def test_nbest_takes_tokens_and_features(client: TestClient) -> None:
    (found,) = ask(client, "nbest", tokens=WORDS, n=2)["results"]
    assert found["text"] == "the old dog saw Bonn ."
    assert [len(each["labels"]) for each in found["sentences"][0]["candidates"]] == [6, 6]
    (found,) = ask(client, "nbest", model="features", tokens=[{"w": "Peter"}], n=2)["results"]
    assert len(found["sentences"][0]["candidates"]) == 2
    assert ask(client, "nbest", texts=["", TEXT], n=1)["results"][0]["sentences"] == []
    empty = ask(client, "nbest", tokens=[])["results"][0]["sentences"]
    assert [each["tokens"] for each in empty] == [[]]


@pytest.mark.parametrize("name", OF_TEXT)
def test_explanations_have_decisions_about_all_tokens(name: str, client: TestClient) -> None:
    text = TEXT
    (found,) = ask(client, "explain", model=name, text=text, top=4)["results"]
    assert found["text"] == text
    assert found["layers"]
    for layer in found["layers"]:
        covered = {place for each in layer["decisions"] for place in range(each["start"], each["end"])}
        assert {place for place, letter in enumerate(text) if not letter.isspace()} <= covered
        assert all(len(each["features"]) <= 4 for each in layer["decisions"])
        assert any(each["features"] for each in layer["decisions"])


def test_the_models_of_a_line_explain_their_own_columns(client: TestClient) -> None:
    found = {
        name: ask(client, "explain", model=name, text="The dog saw the cat.")["results"][0]
        for name in ("ner", "parser", "pipeline")
    }
    layers = {name: [each["layer"] for each in result["layers"]] for name, result in found.items()}
    assert layers["ner"] == ["ner"]
    assert layers["parser"] == ["upos", "head deprel"]
    assert layers["pipeline"][-1] == "head deprel"
    assert "upos" in layers["pipeline"]


def test_explanations_of_tokens_rows_and_features(client: TestClient) -> None:
    (found,) = ask(client, "explain", tokens=["Peter", "sleeps"])["results"]
    assert [(each["start"], each["end"]) for each in found["layers"][0]["decisions"]] == [(0, 5), (6, 12)]
    (found,) = ask(client, "explain", model="chunks", tokens=[["Peter", "NNP"]])["results"]
    assert found["text"] == "Peter"
    (found,) = ask(client, "explain", model="features", tokens=[{"w": "Peter"}])["results"]
    assert len(found["layers"][0]["decisions"]) == 1


def test_models_tell_what_they_can_be_asked(client: TestClient) -> None:
    answer = client.get("/v1/models").json()
    found = {each["name"]: each for each in answer["models"]}
    assert list(found) == ["ner", "pos", "chunks", "features", "phrases", "parser", "tokenizer", "pipeline"]
    assert [each["name"] for each in answer["models"] if each["default"]] == ["ner"]
    assert found["ner"]["capabilities"] == {"text": True, "confidence": True, "nbest": True, "explain": True}
    assert found["parser"]["capabilities"] == {"text": True, "confidence": False, "nbest": False, "explain": True}
    assert not found["chunks"]["capabilities"]["text"]
    assert not found["features"]["capabilities"]["text"]
    labels = {each["label"]: each["hue"] for each in found["ner"]["layers"][0]["labels"]}
    assert labels["PER"] == 212
    assert found["ner"]["layers"][0]["spans"]
    assert [layer["kind"] for layer in found["parser"]["layers"]] == ["tags", "heads", "relations"]
    assert answer["limits"]["tokens"] == 20_000


def test_health_ready_and_metrics(client: TestClient) -> None:
    assert client.get("/health").json() == {"status": "ok", "version": tagloom.__version__}
    assert client.get("/ready").json()["status"] == "ready"
    ask(client, "annotate", text=TEXT)
    found = client.get("/metrics")
    assert found.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert 'tagloom_requests_total{endpoint="/v1/annotate",status="200"}' in found.text
    assert 'tagloom_tokens_total{model="ner"}' in found.text


def test_every_request_has_an_id_and_a_line_in_the_log(start: Any) -> None:
    lines: list[bytes] = []
    with start(lines=lines) as client:
        answer = client.post("/v1/annotate", json={"text": "a secret"}, headers={"x-request-id": "mine-1"})
        assert answer.headers["x-request-id"] == "mine-1"
        assert client.get("/health", headers={"x-request-id": "not an id"}).headers["x-request-id"] != "not an id"
    records = [json.loads(line) for line in b"".join(lines).splitlines()]
    (line,) = [each for each in records if each.get("id") == "mine-1"]
    assert (line["path"], line["status"], line["model"], line["tokens"]) == ("/v1/annotate", 200, "ner", 2)
    assert [each["event"] for each in records if each["event"] != "request"] == ["start", "end"]
    assert b"secret" not in b"".join(lines)
