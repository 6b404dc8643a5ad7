"""The OpenAPI document: made from the messages, the served models and the limits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from tagloom._version import __version__
from tagloom.serve import messages
from tagloom.serve.messages import Capabilities
from tagloom.serve.problems import STATUSES
from tagloom.serve.settings import Limits
from tagloom.serve.shelf import ServedModel

_INPUTS = ("text", "texts", "tokens", "sentences")
_REF = "#/components/schemas/{name}"
_PROBLEM = "problem"
_FEATURES = {"type": "object", "additionalProperties": {"type": ["number", "string", "boolean"]}}
_TEXT = {"text/plain": {"schema": {"type": "string"}}}


@dataclass(frozen=True)
class Operation:
    """An endpoint: its method, its messages, and the statuses that it may answer with."""

    path: str
    method: str
    handler: str  # method of Endpoints
    summary: str
    response: type | None  # None: text
    statuses: Sequence[int] = ()
    request: type | None = None
    serves: Callable[[Capabilities], bool] | None = None  # which models can be named
    is_guarded: bool = False  # needs a bearer token, if there are any


_ASKED = (400, 404, 408, 409, 413, 415, 422, 500, 503)
OPERATIONS = (
    Operation("/v1/annotate", "post", "annotate", "Annotate texts or tokens: labels, spans, trees.",
              messages.AnnotateResponse, _ASKED, messages.AnnotateRequest, lambda _: True, True),
    Operation("/v1/nbest", "post", "nbest", "Find the best labellings of every sentence.",
              messages.NbestResponse, _ASKED, messages.NbestRequest, lambda can: can.nbest, True),
    Operation("/v1/explain", "post", "explain", "Explain decisions: what was chosen over what, and by which features.",
              messages.ExplainResponse, _ASKED, messages.ExplainRequest, lambda can: can.explain, True),
    Operation("/v1/models", "get", "models", "List the models and the limits of requests.",
              messages.ModelsResponse, (503,), is_guarded=True),
    Operation("/health", "get", "health", "Say that the server runs.", messages.HealthResponse),
    Operation("/ready", "get", "ready", "Say that all models are loaded.", messages.ReadyResponse, (503,)),
    Operation("/metrics", "get", "show_metrics", "Counts for Prometheus, summed over all workers.", None, (503,),
              is_guarded=True),
)  # fmt: skip


def build_document(models: Sequence[ServedModel], limits: Limits, *, has_tokens: bool) -> dict[str, Any]:
    """Build the document for the models that are served now."""
    types = [each for operation in OPERATIONS for each in (operation.request, operation.response) if each]
    _, schemas = msgspec.json.schema_components([*types, messages.ProblemRecord], ref_template=_REF)
    for operation in OPERATIONS:
        if operation.request is not None and operation.serves is not None:
            names = [each.name for each in models if operation.serves(each.capabilities)]
            _narrow_request(schemas[operation.request.__name__], names, models, limits)
    document: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {
            "title": "tagloom",
            "version": __version__,
            "description": "Annotates text: tags, entities, chunks, words, trees. Offsets count Unicode characters.",
        },
        "paths": {
            operation.path: {operation.method: _describe(operation, has_tokens=has_tokens)} for operation in OPERATIONS
        },
        "components": {"schemas": dict(sorted(schemas.items())), "responses": {_PROBLEM: _PROBLEM_RESPONSE}},
    }
    if has_tokens:
        document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    return document


_PROBLEM_RESPONSE = {
    "description": "The request is refused.",
    "content": {"application/json": {"schema": {"$ref": _REF.format(name="ProblemRecord")}}},
}


def _narrow_request(
    schema: dict[str, Any], names: Sequence[str], models: Iterable[ServedModel], limits: Limits
) -> None:
    """Say which models there are, what their tokens look like, how many there may be, and that one input is needed."""
    fields = schema["properties"]
    for name in messages.WHOLE_FIELDS:
        fields.get(name, {})["type"] = "integer"
    fields["model"]["enum"] = list(names)
    tokens = _describe_tokens(models)
    fields["tokens"]["items"] = tokens
    fields["sentences"]["items"] = {"type": "array", "items": tokens}
    # Not as maxItems: what is larger is refused with 413, not as a message that does not fit its schema.
    for name in ("texts", "sentences"):
        fields[name]["description"] += f" At most {limits.inputs:,}."
    for name in ("tokens", "sentences"):
        fields[name]["description"] += f" At most {limits.tokens:,} tokens in all."
    schema["oneOf"] = [{"required": [name]} for name in _INPUTS]
    schema.pop("required", None)


def _describe_tokens(models: Iterable[ServedModel]) -> dict[str, Any]:
    """Describe the tokens that the served models read."""
    found: list[dict[str, Any]] = []
    for served in models:
        width = len(served.record.reads)
        if served.model.reads.bags:
            kinds: list[dict[str, Any]] = [{"type": "array", "items": {"type": "string"}}, _FEATURES]
        elif width == 1:
            kinds = [{"type": "string"}]
        else:
            kinds = [{"type": "array", "items": {"type": "string"}, "minItems": width, "maxItems": width}]
        found += [kind for kind in kinds if kind not in found]
    return found[0] if len(found) == 1 else {"anyOf": found}


def _describe(operation: Operation, *, has_tokens: bool) -> dict[str, Any]:
    guarded = has_tokens and operation.is_guarded
    statuses = [*operation.statuses, *([401] if guarded else [])]
    found: dict[str, Any] = {
        "operationId": operation.handler,
        "summary": operation.summary,
        "responses": {"200": _describe_response(operation.response), **_describe_refusals(statuses)},
    }
    if operation.request is not None:
        content = {"application/json": {"schema": {"$ref": _REF.format(name=operation.request.__name__)}}}
        found["requestBody"] = {"required": True, "content": content}
    if guarded:
        found["security"] = [{"token": []}]
    return found


def _describe_response(response: type | None) -> dict[str, Any]:
    if response is None:
        return {"description": "The text format of Prometheus.", "content": _TEXT}
    schema = {"$ref": _REF.format(name=response.__name__)}
    text = (response.__doc__ or "").partition("\n")[0]
    return {"description": text, "content": {"application/json": {"schema": schema}}}


def _describe_refusals(statuses: Iterable[int]) -> Mapping[str, Any]:
    return {str(status): {**_PROBLEM_RESPONSE, "description": STATUSES[status]} for status in sorted(statuses)}
