"""Model files of a command, each opened once; and what is said where one is of the wrong kind."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tagloom.cli.clock import Clock
from tagloom.cli.inputs import is_model_file
from tagloom.errors import ConfigError

if TYPE_CHECKING:
    from tagloom.systems import Model, Parser, PhraseChunker


@dataclass(frozen=True)
class OpenModels:
    """Models by path, with the clock that says how long they took."""

    clock: Clock = field(default_factory=Clock)
    _opened: dict[str, Model | Parser | PhraseChunker] = field(default_factory=dict)

    def open(self, path: str) -> Model | Parser | PhraseChunker:
        from tagloom.systems import open_model

        if path not in self._opened:
            with self.clock.phase("load"):
                self._opened[path] = open_model(path)
        return self._opened[path]

    def has_parser(self, paths: Iterable[str | None]) -> bool:
        """Whether a parser is among files, which may be anything."""
        from tagloom.systems import Parser

        opened = [self.open(path) for path in paths if path is not None and is_model_file(path)]
        return any(isinstance(model, Parser) for model in opened)


def open_parser(path: str, purpose: str) -> Parser:
    """The parser in a file; anything else is refused, with what it was needed for."""
    from tagloom.systems import Model, Parser, open_model

    model = open_model(path)
    if not isinstance(model, Parser):
        noun = "tagger" if isinstance(model, Model) else "phrase chunker"
        raise ConfigError(f"{path}: a {noun} makes no trees; {purpose}")
    return model
