"""Requests that wait together are answered together, and none of them by what becomes of another."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

import tagloom
from tagloom.datasets import newswire
from tagloom.errors import DataError
from tagloom.serve import Limits, Settings, create_app, work
from tagloom.serve.logs import EventLog
from tests.serve.conftest import LIMITS

Answers = list[Any]


def serve(models: dict[str, Path], ask: Callable[[Any], Awaitable[Any]], limits: Limits = LIMITS, **others: Any) -> Any:
    """Run an application and a client of it in one event loop."""

    async def live() -> Any:
        app = create_app(Settings(models, limits, **others), log=EventLog(lambda _: None))
        transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
        async with (
            app.router.lifespan_context(app),
            httpx2.AsyncClient(transport=transport, base_url="http://a") as client,
        ):
            return await ask(client)

    return asyncio.run(live())


def texts(count: int) -> list[str]:
    corpus = newswire(20, seed=5)
    return [" ".join(corpus.sentence(number % len(corpus), "form")) for number in range(count)]


def test_requests_together_get_the_answers_that_they_get_alone(models: dict[str, Path]) -> None:
    model = tagloom.load(models["ner"])
    sent = texts(60)

    async def ask(client: Any) -> tuple[Answers, str]:
        messages = [{"text": text} if number % 3 else {"tokens": text.split(" ")} for number, text in enumerate(sent)]
        messages = [{**each, "confidence": number % 2 == 0} for number, each in enumerate(messages)]
        found = await asyncio.gather(*(client.post("/v1/annotate", json=each) for each in messages))
        return [each.json() for each in found], (await client.get("/metrics")).text

    answers, metrics = serve({"ner": models["ner"]}, ask)
    for number, (text, answer) in enumerate(zip(sent, answers, strict=True)):
        given = text if number % 3 else text.split(" ")
        expected = model(given, confidence=number % 2 == 0).to_dict()
        (found,) = answer["annotations"]
        assert [token.pop("score", 0) for token in found["tokens"]] == pytest.approx(
            [token.pop("score", 0) for token in expected["tokens"]], abs=1e-5
        )
        assert [token["ner"] for token in found["tokens"]] == [token["ner"] for token in expected["tokens"]]
        assert [span["text"] for span in found["spans"]] == [span["text"] for span in expected["spans"]]
    lines = dict(line.rsplit(" ", 1) for line in metrics.splitlines() if not line.startswith("#"))
    assert lines["tagloom_batch_requests_sum"] == "60"
    assert int(lines["tagloom_batch_requests_count"]) < 30
    assert lines["tagloom_requests_under_way"] == "1"


def test_a_request_that_fails_does_not_take_others_along(
    models: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    annotate = work.annotate_segments

    def refuse(model: Any, segments: Any, **options: Any) -> Any:
        if any(each.text == "poison" for each in segments):
            raise DataError("poison is refused")
        return annotate(model, segments, **options)

    monkeypatch.setattr(work, "annotate_segments", refuse)

    async def ask(client: Any) -> Answers:
        sent = ["Bonn", "poison", "Paris", "a " * 30_000]
        return await asyncio.gather(*(client.post("/v1/annotate", json={"text": text}) for text in sent))

    answers = serve({"ner": models["ner"]}, ask)
    assert [each.status_code for each in answers] == [200, 409, 200, 413]
    assert answers[1].json()["error"] == "poison is refused"


def slow_down(monkeypatch: pytest.MonkeyPatch, seconds: float) -> threading.Event:
    """Let annotations take some time; the event is set when the first begins."""
    annotate, begun = work.annotate_segments, threading.Event()

    def wait(*arguments: Any, **options: Any) -> Any:
        begun.set()
        time.sleep(seconds)
        return annotate(*arguments, **options)

    monkeypatch.setattr(work, "annotate_segments", wait)
    return begun


def test_a_request_that_takes_too_long_is_answered(models: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    slow_down(monkeypatch, 0.3)

    async def ask(client: Any) -> Answers:
        first = await client.post("/v1/annotate", json={"text": "Bonn"})
        await asyncio.sleep(0.3)
        return [first, await client.get("/health")]

    first, health = serve({"ner": models["ner"]}, ask, Limits(seconds=0.05))
    assert first.status_code == 503
    assert first.json()["error"] == "no answer within 0.05 seconds; send less, or ask later"
    assert first.headers["retry-after"] == "1"
    assert health.status_code == 200


def test_too_many_requests_are_refused_at_once(models: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    slow_down(monkeypatch, 0.2)

    async def ask(client: Any) -> Answers:
        sent = [client.post("/v1/annotate", json={"text": text}) for text in texts(5)]
        return [*await asyncio.gather(*sent), await client.post("/v1/annotate", json={"text": "Bonn"})]

    answers = serve({"ner": models["ner"]}, ask, Limits(requests=2))
    assert sorted(each.status_code for each in answers) == [200, 200, 200, 503, 503, 503]
    refused = next(each for each in answers if each.status_code == 503)
    assert refused.json()["error"] == "more than 2 requests at the same time; ask again later"


def test_short_requests_do_not_wait_behind_long_ones(models: dict[str, Path]) -> None:
    order: list[str] = []

    async def send(client: Any, name: str, text: str) -> None:
        assert (await client.post("/v1/annotate", json={"text": text})).status_code == 200
        order.append(name)

    async def ask(client: Any) -> None:
        long = asyncio.create_task(send(client, "long", "Peter visited Bonn . " * 4000))
        await asyncio.sleep(0)
        await asyncio.gather(long, *(send(client, "short", text) for text in texts(3)))

    serve({"ner": models["ner"]}, ask)
    assert order == ["short", "short", "short", "long"]
