"""Annotations as dictionaries and JSON, and back.

The keys are ``text``, ``columns`` and ``layers`` (their names), ``heads`` and ``relations`` (names of columns, if there
is a tree), ``sentences``, ``multiwords``, ``tokens`` and ``spans``. Offsets ``start`` and ``end`` count characters,
``first`` and ``last`` count tokens; ``end`` and ``last`` are one past the last.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tagloom.errors import DataError, show_value
from tagloom.text.annotation import Annotation, Span, SpanLayer, require_free_names

_TOKEN_KEYS = ("text", "start", "end", "score")


def build_record(annotation: Annotation) -> dict[str, Any]:
    """Return the annotation as a dictionary."""
    require_free_names(annotation, _TOKEN_KEYS, "tokens in JSON")
    record: dict[str, Any] = {"text": annotation.text, "columns": list(annotation.columns)}
    record["layers"] = [layer.name for layer in annotation.layers]
    if annotation.heads is not None:
        record["heads"] = annotation.heads
    if annotation.relations is not None:
        record["relations"] = annotation.relations
    record["sentences"] = [
        {"start": each.start, "end": each.end, "first": each.first, "last": each.last} for each in annotation.sents
    ]
    if len(annotation.multiwords):
        record["multiwords"] = [_build_multiword(annotation, *ends) for ends in annotation.multiwords.tolist()]
    record["tokens"] = list(_build_tokens(annotation))
    record["spans"] = [_build_span(span) for span in annotation.spans]
    return record


def _build_multiword(annotation: Annotation, first: int, last: int) -> dict[str, Any]:
    start, end = int(annotation.starts[first]), int(annotation.ends[last - 1])
    return {"start": start, "end": end, "first": first, "last": last, "text": annotation.text[start:end]}


def _build_tokens(annotation: Annotation) -> Iterator[dict[str, Any]]:
    lists = [annotation.words, annotation.starts.tolist(), annotation.ends.tolist(), *annotation.columns.values()]
    keys = [*_TOKEN_KEYS[:3], *annotation.columns]
    if annotation.scores is not None:
        lists.append(annotation.scores.tolist())
        keys.append("score")
    return (dict(zip(keys, row)) for row in zip(*lists))


def _build_span(span: Span) -> dict[str, Any]:
    record = {
        "start": span.start,
        "end": span.end,
        "label": span.label,
        "text": span.text,
        "first": span.first,
        "last": span.last,
        "layer": span.layer,
    }
    return record if span.score is None else {**record, "score": span.score}


def dump_record(annotation: Annotation) -> str:
    """Return the record as one line of JSON."""
    record = build_record(annotation)
    try:
        line = json.dumps(record, ensure_ascii=False)
        line.encode()
    except UnicodeEncodeError:  # half of a surrogate pair, which UTF-8 cannot write but an escape can
        return json.dumps(record)
    return line


def parse_record(line: str) -> Annotation:
    """Build an annotation from a line of JSON."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(f"annotation: expected a JSON object, got {show_value(line, 40)} ({error})") from None
    return read_record(record)


def read_record(record: object) -> Annotation:
    """Build an annotation from a dictionary and check all of it."""
    top = _Fields("annotation", record)
    columns, layers = top.get_names("columns"), top.get_names("layers")
    tokens = top.get_objects("tokens")
    spans = top.get_objects("spans")
    text = top.get_string("text")
    annotation = Annotation(
        text,
        [token.get_offset("start") for token in tokens],
        [token.get_offset("end") for token in tokens],
        _read_sentences(top, len(tokens)),
        words=[token.get_string("text") for token in tokens],
        multiwords=[(each.get_offset("first"), each.get_offset("last")) for each in top.get_objects("multiwords", [])],
        columns={name: [token.get_string(name) for token in tokens] for name in columns},
        layers=[_read_layer(name, spans) for name in layers],
        heads=_read_column_name(top, "heads", columns),
        relations=_read_column_name(top, "relations", columns),
        scores=_read_scores(tokens),
    )
    annotation.check()
    for each in (*spans, *top.get_objects("multiwords", [])):
        _check_place(each, annotation)
    for each in spans:
        if each.get_string("layer") not in layers:
            raise DataError(
                f"{each.where}: layer {show_value(each.content['layer'], 40)} is not listed in 'layers'; add it"
            )
    for field, sentence in zip(top.get_objects("sentences"), annotation.sents):
        field.require("start", sentence.start)
        field.require("end", sentence.end)
    return annotation


def _read_sentences(top: _Fields, count: int) -> list[int]:
    sentences = [(each.get_offset("first"), each.get_offset("last")) for each in top.get_objects("sentences")]
    for number, ((_, last), (first, _)) in enumerate(itertools.pairwise([(0, 0), *sentences])):
        if first != last:
            raise DataError(f"annotation: sentences[{number}]: first is {first}, expected {last}, where the last ended")
    return [0, *(last for _, last in sentences)] if sentences or count == 0 else [0, 0]


def _read_layer(name: str, spans: Sequence[_Fields]) -> SpanLayer:
    own = [span for span in spans if span.content.get("layer") == name]
    return SpanLayer(
        name,
        [span.get_offset("first") for span in own],
        [span.get_offset("last") for span in own],
        [span.get_string("label") for span in own],
        _read_scores(own),
    )


def _read_column_name(top: _Fields, key: str, columns: Sequence[str]) -> str | None:
    if top.content.get(key) is None:
        return None
    name = top.get_string(key)
    if name not in columns:
        raise DataError(
            f"{top.where}: {key} is {show_value(name, 40)}, expected one of the columns {' '.join(columns)}"
        )
    return name


def _read_scores(fields: Sequence[_Fields]) -> list[float] | None:
    """All scores, or none: a score that only some have is a mistake."""
    if not any("score" in each.content for each in fields):
        return None
    return [each.get_number("score") for each in fields]


def _check_place(field: _Fields, annotation: Annotation) -> None:
    first, last = field.get_offset("first"), field.get_offset("last")
    start, end = int(annotation.starts[first]), int(annotation.ends[last - 1])
    field.require("start", start)
    field.require("end", end)
    if "text" in field.content:
        field.require("text", annotation.text[start:end])


@dataclass(frozen=True)
class _Fields:
    """An object of the record, and where it stands, for messages."""

    where: str
    content: Any

    def __post_init__(self) -> None:
        if not isinstance(self.content, Mapping):
            raise DataError(f"{self.where}: expected an object, got {show_value(self.content, 40)}")

    def get(self, key: str, kind: type | tuple[type, ...], noun: str) -> Any:
        value = self.content.get(key)
        if not isinstance(value, kind) or isinstance(value, bool):
            found = f"got {show_value(value, 40)}" if key in self.content else "which is missing"
            raise DataError(f"{self.where}: expected {noun} as {key!r}, {found}")
        return value

    def get_string(self, key: str) -> str:
        text: str = self.get(key, str, "a string")
        return text

    def get_offset(self, key: str) -> int:
        offset: int = self.get(key, int, "an integer")
        if not 0 <= offset < 2**62:
            raise DataError(f"{self.where}: {key} is {offset}, expected 0 or more, within the text")
        return offset

    def get_number(self, key: str) -> float:
        try:
            return float(self.get(key, (int, float), "a number"))
        except OverflowError:
            raise DataError(f"{self.where}: {key} is too large a number") from None

    def get_names(self, key: str) -> list[str]:
        names = self.get(key, list, "a list of names") if key in self.content else []
        if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
            raise DataError(
                f"{self.where}: expected a list of different strings as {key!r}, got {show_value(names, 40)}"
            )
        return list(names)

    def get_objects(self, key: str, default: list[Any] | None = None) -> list[_Fields]:
        values = self.get(key, list, "a list") if default is None or key in self.content else default
        return [_Fields(f"{self.where}: {key}[{number}]", value) for number, value in enumerate(values)]

    def require(self, key: str, expected: object) -> None:
        if self.content.get(key) != expected:
            raise DataError(
                f"{self.where}: {key} is {show_value(self.content.get(key), 40)}, "
                f"but its tokens say {show_value(expected, 40)}"
            )
