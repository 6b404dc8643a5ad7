"""What is wrong with a request is said in one line of JSON, and the server goes on."""

from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.testclient import TestClient

from tagloom.serve import Limits

JSON = {"content-type": "application/json"}


def refusal(answer: Any, status: int) -> str:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    found = answer.json()
    assert found["status"] == status
    assert len(found["error"].splitlines()) == 1
    assert len(found["error"]) < 500
    return str(found["error"])


@pytest.mark.parametrize("path", ["/v1/annotate", "/v1/nbest", "/v1/explain"])
@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (b"", 400, "not JSON"),
        (b"{", 400, "not JSON"),
        (b"\xff\xfe", 400, "not JSON"),
        (b'{"text": "\xff"}', 400, "not JSON"),
        (b'{"text": "a"} x', 400, "not JSON"),
        (b'{"text": "\\ud800"}', 400, "not JSON"),
        (b"[" * 100_000, 422, "expected object, got array"),
        (b"[]", 422, "expected object, got array"),
        (b"null", 422, "expected object, got null"),
        (b"{}", 422, "exactly one of text, texts, tokens and sentences"),
        (b'{"text": "a", "tokens": ["a"]}', 422, "exactly one"),
        (b'{"text": 1}', 422, "text: expected str, got int"),
        (b'{"text": null}', 422, "text: expected str, got null"),
        (b'{"texts": "a"}', 422, "texts: expected array, got str"),
        (b'{"texts": ["a", 1]}', 422, "texts[1]: expected str, got int"),
        (b'{"tokens": [1]}', 422, "tokens[0]: expected"),
        (b'{"tokens": [["a", {}]]}', 422, "tokens[0][1]: expected str, got object"),
        (b'{"sentences": ["a"]}', 422, "sentences[0]: expected array, got str"),
        (b'{"text": "a", "model": 1}', 422, "model: expected str, got int"),
        (b'{"text": "a", "modle": "ner"}', 422, "unknown field modle"),
        (b'{"text": "a", "model": "nerr"}', 404, "unknown model 'nerr'; did you mean 'ner'?"),
    ],
)  # fmt: skip
def test_wrong_messages(client: TestClient, path: str, body: bytes, status: int, message: str) -> None:
    assert message in refusal(client.post(path, content=body, headers=JSON), status)


@pytest.mark.parametrize(
    ("path", "message", "status", "expected"),
    [
        ("annotate", {"text": "a", "confidence": 1}, 422, "confidence: expected bool, got int"),
        ("nbest", {"text": "a", "n": 0}, 422, "n: expected int >= 1"),
        ("nbest", {"text": "a", "n": 101}, 422, "n: expected int <= 100"),
        ("nbest", {"text": "a", "n": 1.5}, 422, "n: expected int, got float"),
        ("explain", {"text": "a", "top": -1}, 422, "top: expected int >= 0"),
        ("nbest", {"text": "a", "model": "parser"}, 409, "nbest: a parser has no such output"),
        ("annotate", {"text": "a", "model": "parser", "confidence": True}, 409, "confidence: a parser has no such"),
        ("annotate", {"text": "a", "model": "pos", "confidence": True}, 409, "confidences: "),
        ("annotate", {"text": "a", "model": "chunks"}, 409, "pos"),
        ("annotate", {"text": "a", "model": "features"}, 409, "reads feature dicts"),
        ("nbest", {"text": "a", "model": "chunks"}, 409, "pos"),
        ("nbest", {"text": "a", "model": "features"}, 409, "reads feature dicts"),
        ("explain", {"text": "a", "model": "features"}, 409, ""),
        ("annotate", {"tokens": ["a"], "model": "chunks"}, 409, "reads the columns form pos; send lists of 2 strings"),
        ("annotate", {"tokens": [["a"]], "model": "chunks"}, 409, "send lists of 2 strings"),
        ("annotate", {"tokens": [["a"]]}, 409, "tokens: model ner reads words; send strings"),
        ("annotate", {"tokens": ["a"], "model": "features"}, 409, "reads features"),
        ("annotate", {"tokens": [{"a": "b", "c": 1e999}], "model": "features"}, 422, "number out of range"),
    ],
)
def test_what_does_not_fit_the_model(client: TestClient, path: str, message: Any, status: int, expected: str) -> None:
    body = json.dumps(message).replace("Infinity", "1e999").encode()
    assert expected in refusal(client.post(f"/v1/{path}", content=body, headers=JSON), status)


def test_other_pages_methods_and_types(client: TestClient) -> None:
    assert refusal(client.get("/v1/other"), 404) == "there is no such page"
    assert refusal(client.get("/static/other.js"), 404) == "there is no such file"
    assert refusal(client.get("/static/..%2fapp.py"), 404)
    for method in ("GET", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"):
        answer = client.request(method, "/v1/annotate")
        assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert client.post("/health").status_code == 405
    for kind in ({}, {"content-type": "text/plain"}, {"content-type": "application/x-www-form-urlencoded"}):
        message = refusal(client.post("/v1/annotate", content=b'{"text": "a"}', headers=kind), 415)
        assert message.startswith("content-type: expected application/json, got ")
    charset = {"content-type": "Application/JSON; charset=utf-8"}
    assert client.post("/v1/annotate", content=b'{"text": "a"}', headers=charset).status_code == 200


def test_large_bodies(client: TestClient) -> None:
    body = json.dumps({"text": "a " * 5_000_000}).encode()
    assert len(body) > 10_000_000
    message = "bytes of the body: at most 1,000,000 are allowed, got 10,000,012; send less at once"
    assert refusal(client.post("/v1/annotate", content=body, headers=JSON), 413) == message
    chunks = (body[at : at + 65536] for at in range(0, len(body), 65536))  # no content length
    assert "at most 1,000,000 are allowed" in refusal(client.post("/v1/annotate", content=chunks, headers=JSON), 413)


def test_a_million_tokens(start: Any) -> None:
    with start(limits=Limits(body=20_000_000)) as client:
        for message in ({"text": "a " * 10**6}, {"tokens": ["a"] * 10**6}, {"sentences": [["a"] * 1000] * 1000}):
            found = refusal(client.post("/v1/annotate", json=message), 413)
            assert found == "tokens: at most 20,000 are allowed, got 1,000,000; send less at once"
        for path in ("nbest", "explain"):
            assert "at most" in refusal(client.post(f"/v1/{path}", json={"text": "a " * 10**6}), 413)
        assert "at most 1,000 are allowed" in refusal(client.post("/v1/annotate", json={"texts": ["a"] * 1001}), 413)
        assert client.post("/v1/annotate", json={"text": "a " * 20_000}).status_code == 200


def test_candidates_count_as_tokens(start: Any) -> None:
    with start(limits=Limits(tokens=100)) as client:
        assert client.post("/v1/nbest", json={"text": "a " * 10, "n": 10}).status_code == 200
        message = refusal(client.post("/v1/nbest", json={"text": "a " * 11, "n": 10}), 413)
        assert message == "tokens: with n=10: at most 10 are allowed, got 11; send less at once"


def test_a_bug_is_a_line_too(start: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[bytes] = []
    with start(lines=lines) as client:
        monkeypatch.setattr("tagloom.serve.work.annotate_segments", lambda *_, **__: 1 / 0)
        message = refusal(client.post("/v1/annotate", json={"text": "a"}), 500)
        assert message == "a bug in the server; its log says more"
        assert client.get("/health").status_code == 200
