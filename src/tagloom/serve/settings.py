"""What a server serves, and its limits. Settings are plain values, so that they can be sent to other processes."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

from tagloom.arguments import check_methods
from tagloom.errors import ConfigError, show_value

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@check_methods()
@dataclass(frozen=True)
class Limits:
    """How much one request, and all of them together, may take.

    Attributes:
        body: Bytes of the body of a request.
        tokens: Tokens of a request; candidates count all their labels.
        inputs: Texts, or sentences of tokens, of a request.
        explained: Tokens of a request that asks for explanations, which take longer than annotations.
        seconds: Time from the last byte of a request to its answer.
        read_seconds: Time from the first byte of a request to its last, and from an answer until it has been read.
        idle_seconds: Time that a connection may stay open without a request.
        requests: Requests at the same time, per worker.
        connections: Connections at the same time, per worker.
    """

    body: int = 1_000_000
    tokens: int = 20_000
    inputs: int = 1_000
    explained: int = 1_000
    seconds: float = 30.0
    read_seconds: float = 30.0
    idle_seconds: float = 60.0
    requests: int = 256
    connections: int = 2_000

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, bool) or not value > 0:
                raise ConfigError(f"limits: {each.name}: expected a number above 0, got {show_value(value)}")


@check_methods()
@dataclass(frozen=True)
class Settings:
    """What a server serves, and how.

    Attributes:
        models: Model files by the names under which they are served; the first is the default.
        limits: See :class:`Limits`.
        tokens: Bearer tokens, one of which a request must bring; none: everybody may ask.
        reload_seconds: How often model files are looked at for changes; 0: never.
        mmap: Map model files into memory, so that workers share them.
        log_requests: Write one line per request to the log.
    """

    models: Mapping[str, str | os.PathLike[str]]
    limits: Limits = field(default_factory=Limits)
    tokens: Sequence[str] = field(default=(), repr=False)
    reload_seconds: float = 2.0
    mmap: bool = False
    log_requests: bool = True

    def __post_init__(self) -> None:
        if not self.models:
            raise ConfigError("models: expected one or more model files, got none")
        for name in self.models:
            if not _NAME.fullmatch(name):
                raise ConfigError(
                    f"models: {show_value(name)}: expected a name of letters, digits, dots, hyphens and underscores; "
                    "write NAME=FILE"
                )
        for token in self.tokens:
            check_token(token, "tokens")


def name_models(texts: Sequence[str]) -> dict[str, str]:
    """Read ``NAME=FILE``, or ``FILE`` for a model that is called like its file.

    >>> name_models(["ner.tagloom", "people=models/person names.tagloom"])
    {'ner': 'ner.tagloom', 'people': 'models/person names.tagloom'}
    """
    found: dict[str, str] = {}
    for text in texts:
        name, equals, path = text.partition("=")
        if not equals or Path(text).exists():
            name, path = Path(text).stem, text
        if not name or not path:
            raise ConfigError(f"{text}: expected FILE or NAME=FILE")
        if name in found:
            raise ConfigError(f"{text}: there are two models called {name!r}; write NAME=FILE to name one of them")
        found[name] = path
    return found


def read_tokens(file: str | None, environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """Read bearer tokens: from a file with one per line, and from the variable TAGLOOM_SERVE_TOKEN."""
    tokens = [token for token in (environment.get(TOKEN_VARIABLE, ""),) if token]
    if file is not None:
        try:
            lines = Path(file).read_text("utf-8").splitlines()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "not a text"
            raise ConfigError(f"{file}: cannot read bearer tokens: {reason.lower()}") from None
        own = [line.strip() for line in lines if line.strip()]
        if not own:
            raise ConfigError(f"{file}: expected one bearer token per line, found none")
        tokens += own
    for token in tokens:
        check_token(token, file or TOKEN_VARIABLE)
    return tuple(tokens)


TOKEN_VARIABLE = "TAGLOOM_SERVE_TOKEN"
_LEAST_TOKEN = 16


def check_token(token: str, where: str) -> None:
    """Raise ConfigError for a token that a header cannot hold, or that is short enough to be guessed."""
    if len(token) < _LEAST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise ConfigError(
            f"{where}: a bearer token has {_LEAST_TOKEN} or more ASCII characters without blanks; make one with "
            "python -c 'import secrets; print(secrets.token_urlsafe(32))'"
        )
