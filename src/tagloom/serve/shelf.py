"""The models that are served: loaded, described, and replaced when their files change."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from tagloom.corpus.layers import Layer
from tagloom.errors import ModelFileError, TagloomError, unknown_name
from tagloom.serve.messages import Capabilities, LabelRecord, LayerRecord, ModelRecord
from tagloom.serve.problems import RefusalError
from tagloom.serve.settings import Settings
from tagloom.systems.base import NBEST, Model
from tagloom.systems.file import load
from tagloom.systems.text import annotate_sentences
from tagloom.text.html import choose_hue

#: What tells one version of a file from another: its number, its size, and when it was changed.
Stamp = tuple[int, int, int]


@dataclass(frozen=True)
class ServedModel:
    """A model, and what clients may know about it. Requests keep the one that they began with."""

    name: str
    model: Any  # of any system
    stamp: Stamp
    record: ModelRecord

    @property
    def capabilities(self) -> Capabilities:
        """What the model can be asked for."""
        return self.record.capabilities


class Shelf:
    """The served models by name. A model is replaced by one assignment, so that no request sees half of it."""

    def __init__(self, settings: Settings) -> None:
        self._paths = {name: Path(path) for name, path in settings.models.items()}
        self._mmap = settings.mmap
        self._models: dict[str, ServedModel] = {}
        self.default = next(iter(self._paths))

    def load_all(self) -> None:
        """Load all models; raises ModelFileError if one cannot be loaded."""
        for name in self._paths:
            self._models[name] = self._load(name)

    @property
    def is_complete(self) -> bool:
        """Whether all models are loaded."""
        return len(self._models) == len(self._paths)

    @property
    def names(self) -> list[str]:
        """The names of all models, the default one first."""
        return list(self._paths)

    def list_models(self) -> list[ServedModel]:
        """List the models that are loaded, the default one first."""
        return [self._models[name] for name in self._paths if name in self._models]

    def get(self, name: str | None) -> ServedModel:
        """Get a model by its name, or the default one."""
        try:
            return self._models[self.default if name is None else name]
        except KeyError:
            raise RefusalError(404, str(unknown_name("model", name, self._models))) from None

    def find_changed(self) -> list[str]:
        """List the models whose files are not those that were loaded."""
        return [name for name, served in self._models.items() if self._stamp(name) not in (None, served.stamp)]

    def reload(self, name: str) -> None:
        """Put the model of a changed file in the place of the old one; raises what loading raises.

        Whatever happens, the same version of the file is not tried again.
        """
        try:
            self._models[name] = self._load(name)
        except Exception:
            old, stamp = self._models[name], self._stamp(name)
            self._models[name] = ServedModel(name, old.model, stamp or old.stamp, old.record)
            raise

    def _stamp(self, name: str) -> Stamp | None:
        """Read the stamp of a file; None while there is none, because it is being replaced."""
        try:
            found = os.stat(self._paths[name])  # noqa: PTH116
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns

    def _load(self, name: str) -> ServedModel:
        path = self._paths[name]
        stamp = self._stamp(name)  # before reading: a file that changes meanwhile is loaded once more
        model: Model = load(path, mmap=self._mmap)
        if stamp is None:
            raise ModelFileError(f"{path}: the file was removed while it was read; put it back")
        return ServedModel(name, model, stamp, describe_model(name, model, stamp[1], default=name == self.default))


def describe_model(name: str, model: Model, size: int, *, default: bool) -> ModelRecord:
    """Describe a model for clients."""
    return ModelRecord(
        name=name,
        default=default,
        system=model.system,
        noun=model.noun,
        signature=str(model.spec.signature),
        reads=list(model.columns),
        capabilities=find_capabilities(model),
        confidence_note=model.confidence_note,
        layers=[_describe_layer(layer, model.inventory.get(layer.column, ())) for layer in model.layers],
        sizes=dict(model.sizes),
        bytes=size,
        loaded=datetime.now(timezone.utc).isoformat(timespec="seconds"),
    )


def _describe_layer(layer: Layer, labels: Iterable[str]) -> LayerRecord:
    colours = [LabelRecord(label, choose_hue(label)) for label in labels]
    return LayerRecord(layer.column, layer.kind, layer.scheme is not None, colours)


def find_capabilities(model: Model) -> Capabilities:
    """Find out what a model can be asked for, by asking it: some have probabilities only if they were calibrated."""
    token: Any = "a" if len(model.columns) == 1 else ["a"] * len(model.columns)
    tokens = [[{"a": 1}]] if model.reads.bags else [[token]]
    return Capabilities(
        text=not model.reads.bags and model.columns == (model.main,),
        confidence=_works(lambda: annotate_sentences(model, tokens, confidence=True)),
        nbest=NBEST in model.capabilities,
        explain=_works(lambda: model.explain_line(tokens[0])),
    )


def _works(ask: Any) -> bool:
    try:
        ask()
    except TagloomError:
        return False
    return True
