"""Forged model files of every system: opened, and used for everything that a model can do."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import tagloom
from tagloom.systems.base import CONFIDENCE, NBEST, Model
from tests.fuzz.bases import FUNCTIONS, MODELS, train_model
from tests.fuzz.forged import SECONDS, Case, draw_case, dump_case, forge, observe_uses, shrink_case
from tests.fuzz.outcome import BrokenPromiseError, Outcome, Target

_WORDS = [["the", "dog", "Bonn", "xyzzy", "2"], ["Ada"]]
_TEXT = "Ada Lee doesn't bark. In Bonn, dogs\nbark here!"
_NAMES = list(MODELS)


def _prepare() -> None:
    """Train all models, and use them once: that imports what uses need, so that no fork pays for it."""
    with tempfile.TemporaryDirectory() as folder:
        for name in MODELS:
            outcome = run_case(Case(name, []), Path(folder))
            if outcome.failed:
                raise RuntimeError(f"the model {name!r} does not work: {outcome.detail}")


def _make(rng: random.Random) -> Case:
    name = rng.choice(_NAMES)
    return draw_case(rng, name, train_model(name))


def run_case(case: Case, folder: Path = Path()) -> Outcome:
    """Write a forged file, open it and use it."""
    data = forge(train_model(case.name), case.edits)
    file = folder / "forged.tagloom"
    file.write_bytes(data)
    return observe_uses(list_uses(file), len(data))


def list_uses(file: Path) -> Iterator[Callable[[], object]]:
    """List what is done with a model file: it is opened, and the model is used for all that it can do."""
    opened: list[Model] = []
    yield lambda: opened.append(tagloom.load(file, functions=FUNCTIONS))
    if not opened:
        return
    model = opened[0]
    yield lambda: repr(model)
    yield lambda: _describe(model)
    yield lambda: _annotate(model)
    yield lambda: _tag(model)
    yield lambda: model(_TEXT).to_dict()
    yield lambda: model.explain(_build_sentences(model)[0]).to_dict()
    yield lambda: repr(model.evaluate(model.annotate(_build_sentences(model))))
    if NBEST in model.capabilities:
        yield lambda: model.nbest(_build_sentences(model)[0], 3)  # type: ignore[attr-defined]
    if CONFIDENCE in model.capabilities:
        yield lambda: model.marginals(_build_sentences(model)[0], calibrated=False)  # type: ignore[attr-defined]
        yield lambda: model.confidences(_build_sentences(model)[0])  # type: ignore[attr-defined]
    yield lambda: _save(model, file)


def _build_sentences(model: Model) -> list[Any]:
    """Sentences with the columns that the model says it reads."""
    if model.reads.bags:
        return [[{"w=" + word: 1.0, "length": 0.5} for word in words] for words in _WORDS]
    if len(model.columns) == 1:
        return _WORDS
    return [[(word, *["NNP"] * (len(model.columns) - 1)) for word in words] for words in _WORDS]


def _describe(model: Model) -> None:
    description = model.describe()
    repr((description.facts, description.sizes, dict(description.details)))


def _annotate(model: Model) -> None:
    annotated = model.annotate(_build_sentences(model))
    for layer in model.layers:
        if len(annotated.column(layer.column).texts()) != annotated.token_count:
            raise BrokenPromiseError(f"column {layer.column} does not have one value per token")


def _tag(model: Model) -> None:
    for name in ("tag", "parse", "spans"):
        if hasattr(model, name):
            for sentence in _build_sentences(model):
                getattr(model, name)(sentence)


def _save(model: Model, file: Path) -> None:
    """A model that was opened is saved in bytes that are opened again."""
    data = model.to_bytes()
    file.write_bytes(data)
    if tagloom.load(file, functions=FUNCTIONS).to_bytes() != data:
        raise BrokenPromiseError("a saved model is saved in other bytes after it was opened again")


TARGET = Target(_make, run_case, dump_case, _prepare, shrink_case, seconds=SECONDS)
