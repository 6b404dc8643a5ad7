"""One line of a JSONL corpus: tokens, lists beside them, character spans, document; each checked where it is used."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from tagloom.corpus.characters import TypedSpan, locate, token_spans, tokenize
from tagloom.corpus.given_spans import checked_spans
from tagloom.errors import DataError

DOCUMENT_KEYS = ("doc", "document")


@dataclass(frozen=True)
class JsonRecord:
    """The object of a line, and where it stands for messages."""

    where: str
    content: dict[str, Any]

    @classmethod
    def parse(cls, line: str, where: str) -> JsonRecord:
        try:
            content = json.loads(line)
            if "\\u" in line:
                json.dumps(content, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise DataError(f"{where}: a \\u escape is half of a surrogate pair") from None
        except json.JSONDecodeError as error:
            raise DataError(
                f"{where}: expected one JSON object a line, found {_brief(line)} "
                f"({error.msg} at character {error.colno})"
            ) from None
        except (ValueError, RecursionError):
            raise DataError(f"{where}: a number is too long or lists are nested too deeply") from None
        if not isinstance(content, dict):
            raise DataError(f"{where}: expected a JSON object, found {_brief(content)}")
        return cls(where, content)

    def strings(self, key: str) -> list[str]:
        values = self.content.get(key)
        if key == "heads" and isinstance(values, list):
            values = [str(value) if type(value) is int else value for value in values]
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise DataError(f"{self.where}: expected a list of strings as {key!r}, found {_brief(values)}")
        return values

    def tokens(self) -> list[str]:
        if "tokens" in self.content:
            return self.strings("tokens")
        text = self._text()
        return [text[start:stop] for start, stop in tokenize(text)]

    def spans(self) -> list[TypedSpan]:
        """The spans, as ranges of tokens: they count characters where there is a text, else tokens."""
        if "tokens" in self.content and "text" not in self.content:
            spans = [self._span(value) for value in self._list("spans")]
            return checked_spans(spans, len(self.strings("tokens")), self.where)
        text = self._text()
        places = locate(self.strings("tokens"), text, self.where) if "tokens" in self.content else tokenize(text)
        return token_spans(places, [self._span(value) for value in self._list("spans")], self.where)

    def _list(self, key: str) -> list[Any]:
        values = self.content.get(key)
        if not isinstance(values, list):
            raise DataError(f"{self.where}: expected a list as {key!r}, found {_brief(values)}")
        return values

    def document(self) -> str:
        """What tells one document from the next."""
        return json.dumps([self.content.get(key) for key in DOCUMENT_KEYS])

    def _text(self) -> str:
        text = self.content.get("text")
        if not isinstance(text, str):
            raise DataError(f"{self.where}: expected a string as 'text', found {_brief(text)}")
        return text

    def _span(self, value: object) -> TypedSpan:
        parts = [value.get(key) for key in ("start", "end", "label")] if isinstance(value, dict) else value
        match parts:
            case [int(start), int(stop), str(label)] if label:
                return start, stop, label
        raise DataError(f"{self.where}: expected a span [start, end, label], found {_brief(value)}")


def _brief(value: object) -> str:
    if value is None:
        return "none"
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}..."
