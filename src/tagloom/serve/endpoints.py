"""The endpoints of the JSON interface: messages in, answers out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from tagloom._version import __version__
from tagloom.serve import messages
from tagloom.serve.frame import JSON, require_json
from tagloom.serve.lanes import Lanes
from tagloom.serve.messages import Token
from tagloom.serve.metrics import Metrics
from tagloom.serve.problems import RefusalError, refuse_excess, refuse_for_now
from tagloom.serve.settings import Limits
from tagloom.serve.shelf import ServedModel, Shelf
from tagloom.serve.work import Ask, Work, annotate_together, encode, explain_each, rank_each

MessageT = TypeVar("MessageT", bound=messages.Request)
METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_NOT_STORED = {"cache-control": "no-store"}
_PLACE = re.compile(r"(?P<text>.*) - at `\$\.?(?P<place>.*)`")


class Endpoints:
    """The endpoints, and what they share. The lanes are there while the server runs."""

    def __init__(self, shelf: Shelf, limits: Limits, metrics: Metrics) -> None:
        self.shelf, self.limits, self.metrics = shelf, limits, metrics
        self.lanes: Lanes | None = None

    async def annotate(self, request: Request) -> Response:
        """Annotate texts or tokens."""
        message = await self._read(request, _ANNOTATE)
        return await self._answer(request, message, annotate_together, confidence=message.confidence)

    async def nbest(self, request: Request) -> Response:
        """Find the best labellings."""
        message = await self._read(request, _NBEST)
        return await self._answer(request, message, rank_each, count=read_whole("n", message.n))

    async def explain(self, request: Request) -> Response:
        """Explain the decisions of a model."""
        message = await self._read(request, _EXPLAIN)
        return await self._answer(request, message, explain_each, count=read_whole("top", message.top))

    async def models(self, request: Request) -> Response:
        """List the models and the limits of requests."""
        own = self.limits
        limits = messages.LimitRecord(own.body, own.tokens, own.inputs, own.explained, own.seconds)
        records = [served.record for served in self.shelf.list_models()]
        return _respond(messages.ModelsResponse(records, limits, __version__))

    async def health(self, request: Request) -> Response:
        """Say that the server runs."""
        return _respond(messages.HealthResponse("ok", __version__))

    async def ready(self, request: Request) -> Response:
        """Say that all models are loaded."""
        if not self.shelf.is_complete:
            raise refuse_for_now("the models are being loaded")
        return _respond(messages.ReadyResponse("ready", self.shelf.names))

    async def show_metrics(self, request: Request) -> Response:
        """Write the metrics of all workers."""
        return Response(self.metrics.render(), headers={**_NOT_STORED, "content-type": METRICS_TYPE})

    async def _read(self, request: Request, decoder: msgspec.json.Decoder[MessageT]) -> MessageT:
        require_json(request.headers)
        return decode_message(await read_body(request, self.limits.body), decoder)

    async def _answer(self, request: Request, message: messages.Request, work: Work, **options: Any) -> Response:
        served = self.shelf.get(None if message.model is UNSET else message.model)
        if self.lanes is None:
            raise refuse_for_now("the server is starting or ending")
        ask = Ask(served, *self._select_inputs(message, served), **options)
        answer = await self.lanes.submit(work, ask)
        labels = (("model", served.name),)
        self.metrics.add("tagloom_inputs_total", ask.inputs, labels)
        self.metrics.add("tagloom_tokens_total", answer.tokens, labels)
        request.scope["visit"].update(model=served.name, inputs=ask.inputs, tokens=answer.tokens)
        return Response(answer.body, headers=_NOT_STORED, media_type=JSON)

    def _select_inputs(
        self, message: messages.Request, served: ServedModel
    ) -> tuple[list[str] | None, list[list[Token]] | None]:
        """Select the texts, or the sentences, of a request; refuse more than the limits allow."""
        text, texts, tokens, sentences = message.text, message.texts, message.tokens, message.sentences
        if sum(each is not UNSET for each in (text, texts, tokens, sentences)) != 1:
            raise RefusalError(422, "expected exactly one of text, texts, tokens and sentences")
        chosen = [text] if text is not UNSET else texts
        if chosen is not UNSET:
            return self._check_count(chosen), None
        rows = [tokens] if tokens is not UNSET else sentences
        assert rows is not UNSET
        self._check_count(rows)
        found = sum(map(len, rows))
        if found > self.limits.tokens:
            raise refuse_excess("tokens", self.limits.tokens, found)
        check_tokens(rows, served)
        return None, rows

    def _check_count(self, inputs: Any) -> Any:
        if len(inputs) > self.limits.inputs:
            raise refuse_excess("texts or sentences", self.limits.inputs, len(inputs))
        return inputs


def _respond(message: msgspec.Struct) -> Response:
    return Response(encode(message), headers=_NOT_STORED, media_type=JSON)


_ANNOTATE = msgspec.json.Decoder(messages.AnnotateRequest)
_NBEST = msgspec.json.Decoder(messages.NbestRequest)
_EXPLAIN = msgspec.json.Decoder(messages.ExplainRequest)


async def read_body(request: Request, limit: int) -> bytes:
    """Read the body of a request; refuse it as soon as it is known to be too large."""
    said = request.headers.get("content-length", "")
    if said.isdecimal() and int(said) > limit:
        raise refuse_excess("bytes of the body", limit, int(said))
    chunks: list[bytes] = []
    size = 0
    while True:
        part = await request.receive()
        if part["type"] == "http.disconnect":
            raise ClientDisconnect
        chunks.append(part.get("body", b""))
        size += len(chunks[-1])
        if size > limit:
            raise refuse_excess("bytes of the body", limit)
        if not part.get("more_body", False):
            return b"".join(chunks)


def decode_message(body: bytes, decoder: msgspec.json.Decoder[MessageT]) -> MessageT:
    """Decode the message of a request.

    Raises:
        RefusalError: It is not JSON, or has other fields or types than the schema.
    """
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        raise RefusalError(422, _write_misfit(str(error))) from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise RefusalError(400, f"the body is not JSON: {error}") from None


def read_whole(name: str, value: float) -> int:
    """Read a whole number, which some clients write with a point."""
    if value != int(value):
        raise RefusalError(422, f"{name}: expected int, got float")
    return int(value)


def _write_misfit(message: str) -> str:
    """Say where a message does not fit its schema, and in what.

    >>> _write_misfit("Expected `str`, got `int` - at `$.text`")
    'text: expected str, got int'
    """
    found = _PLACE.fullmatch(message)
    text, place = (found["text"], found["place"]) if found else (message, "")
    text = text.replace("`", "").replace("float", "int" if place in messages.WHOLE_FIELDS else "float")
    return f"{place}: {text[:1].lower()}{text[1:]}" if place else text[:1].lower() + text[1:]


def check_tokens(sentences: Sequence[Sequence[Token]], served: ServedModel) -> None:
    """Refuse tokens of another form than the model reads: words, rows of columns, or features."""
    model, width = served.model, len(served.record.reads)
    if model.reads.bags:
        if not all(type(token) is not str for tokens in sentences for token in tokens):
            raise RefusalError(
                409, f"tokens: model {served.name} reads features: a list of names, or an object with values"
            )
    elif width == 1:
        if not all(type(token) is str for tokens in sentences for token in tokens):
            raise RefusalError(409, f"tokens: model {served.name} reads words; send strings")
    elif not all(type(token) is list and len(token) == width for tokens in sentences for token in tokens):
        names = " ".join(served.record.reads)
        raise RefusalError(409, f"tokens: model {served.name} reads the columns {names}; send lists of {width} strings")
