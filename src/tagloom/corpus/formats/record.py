"""One record of a JSONL corpus: tokens, lists beside them, spans, document; each checked where it is used."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tagloom.corpus.formats.offsets import Place, find_token_spans, locate, tokenize
from tagloom.corpus.spans import TypedSpan, check_spans, encode_spans, read_span
from tagloom.errors import DataError

DOCUMENT_KEYS = ("doc", "document")
# Where labels are: a list of strings, or a list of spans as doccano and Prodigy write them.
LABEL_KEYS = ("tags", "spans", "label", "labels", "entities")


@dataclass(frozen=True)
class JsonRecord:
    """The object of a line, and where it stands, for messages."""

    where: str
    content: Mapping[str, Any]

    @classmethod
    def parse(cls, line: str, where: str) -> JsonRecord:
        """Parse a line."""
        try:
            content = json.loads(line)
            if "\\u" in line:
                json.dumps(content, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise DataError(f"{where}: a \\u escape is half of a surrogate pair") from None
        except json.JSONDecodeError as error:
            raise DataError(
                f"{where}: expected one JSON object per line, found {_brief(line)} "
                f"({error.msg} at character {error.colno})"
            ) from None
        except (ValueError, RecursionError):
            raise DataError(f"{where}: a number is too long or lists are nested too deeply") from None
        if not isinstance(content, dict):
            raise DataError(f"{where}: expected a JSON object, found {_brief(content)}")
        return cls(where, content)

    def strings(self, key: str) -> list[str]:
        """Get a list of strings; the numbers of heads are turned into strings."""
        values = self.content.get(key)
        if key == "heads" and isinstance(values, list):
            values = [str(value) if type(value) is int else value for value in values]
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise DataError(f"{self.where}: expected a list of strings as {key!r}, found {_brief(values)}")
        return values

    def tokens(self) -> list[str]:
        """Get the tokens: strings, objects with "text" (Prodigy), or those of the text."""
        if self.has_token_objects:
            return [self._token_text(token) for token in self.content["tokens"]]
        if "tokens" in self.content:
            return self.strings("tokens")
        text = self._text()
        return [text[start:stop] for start, stop in tokenize(text)]

    @property
    def has_token_objects(self) -> bool:
        """Whether tokens are objects, as Prodigy writes them."""
        tokens = self.content.get("tokens")
        return isinstance(tokens, list) and bool(tokens) and isinstance(tokens[0], dict)

    def _token_text(self, token: object) -> str:
        text = token.get("text") if isinstance(token, dict) else None
        if not isinstance(text, str):
            raise DataError(f'{self.where}: expected tokens with a "text" each, found {_brief(token)}')
        return text

    def labels(self, key: str, length: int) -> list[str]:
        """Get one label per token: a list of strings, or spans as IOB2 labels."""
        values = self.content.get(key)
        has_strings = isinstance(values, list) and bool(values) and all(isinstance(value, str) for value in values)
        if key == LABEL_KEYS[0] or (has_strings and key != "spans"):
            return self.strings(key)
        return encode_spans(self.spans(key), length)

    def spans(self, key: str = "spans") -> list[TypedSpan]:
        """Get the spans as ranges of tokens; the record counts characters if it has a text, otherwise tokens."""
        values = self.content.get(key)
        if not isinstance(values, list):
            raise DataError(f"{self.where}: expected a list as {key!r}, found {_brief(values)}")
        spans = [self._span(value) for value in values]
        if "tokens" in self.content and "text" not in self.content:
            return check_spans(spans, len(self.tokens()), self.where)
        return find_token_spans(self.places(), spans, self.where)

    def places(self) -> list[Place]:
        """Find the tokens in the text."""
        text = self._text()
        if self.has_token_objects:
            pairs = [(token.get("start"), token.get("end")) for token in self.content["tokens"]]
            if all(type(start) is int and type(end) is int for start, end in pairs):
                return pairs
        return locate(self.tokens(), text, self.where) if "tokens" in self.content else tokenize(text)

    def document(self) -> str:
        """Get what tells one document from the next."""
        return json.dumps([self.content.get(key) for key in DOCUMENT_KEYS], default=str)

    @property
    def has_document(self) -> bool:
        """Whether the record says which document it belongs to."""
        return any(key in self.content for key in DOCUMENT_KEYS)

    def _text(self) -> str:
        text = self.content.get("text")
        if not isinstance(text, str):
            raise DataError(f"{self.where}: expected a string as 'text', found {_brief(text)}")
        return text

    def _span(self, value: object) -> TypedSpan:
        span = read_span(value)
        if span is None:
            raise DataError(f"{self.where}: expected a span [start, end, label], found {_brief(value)}")
        return span


def _brief(value: object) -> str:
    if value is None:
        return "none"
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}..."
