"""How a model learned: what its passes did, and what it reaches with less training data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tagloom.corpus import Corpus
from tagloom.errors import ConfigError
from tagloom.evaluate import Interval, bootstrap
from tagloom.files.checkpoint import EpochRecord
from tagloom.systems.base import Model
from tagloom.systems.registry import get_system
from tagloom.systems.train import train

PARTS = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)  # of the training data
_LEAST_SENTENCES = 20  # of a part
_SEED = 1

Tell = Callable[[str], None]


@dataclass(frozen=True)
class CurvePoint:
    """A model that learned from a part of the training data."""

    share: float
    sentences: int
    tokens: int
    interval: Interval


@dataclass(frozen=True)
class Learning:
    """The passes of the training, and a learning curve if one was asked for."""

    history: tuple[EpochRecord, ...] = ()
    best_epoch: int = 0
    curve: tuple[CurvePoint, ...] = ()
    note: str = ""


def read_learning(model: Model) -> Learning:
    """Read what the model keeps of its passes."""
    return Learning(model.spec.history, model.spec.best_epoch)


def draw_learning_curve(
    model: Model, train_data: Corpus, test: Corpus, samples: int, threads: int, tell: Tell
) -> tuple[CurvePoint, ...]:
    """Train on growing parts of the training data with the options of the model, and score each on the test data.

    Sentences are drawn at random, a larger part has those of all smaller ones; documents stay in their order.

    Raises:
        ConfigError: The model does not tell how it was trained.
    """
    options = model.read_training_options()
    if options is None:
        raise ConfigError(
            f"learning curve: this {model.noun} does not tell the options of its training; leave the curve out"
        )
    system = get_system(model.system)
    provide = _find_provisions(model, train_data, options)
    points = []
    for share in PARTS:
        part = draw_part(train_data, share)
        if len(part) < _LEAST_SENTENCES and share < 1:
            continue
        tell(f"learning curve: {len(part):,} sentences")
        trained: Model = train(part, system=system, threads=threads, **options, **provide)
        score = trained.evaluate(test, threads=threads)
        interval = bootstrap(score.counts_of(score.metric), score.metric, samples)
        points.append(CurvePoint(share, len(part), part.token_count, interval))
    return tuple(points)


def draw_part(corpus: Corpus, share: float) -> Corpus:
    """Draw a share of the sentences, in their order."""
    order = np.random.default_rng(_SEED).permutation(len(corpus))
    return corpus.select(np.sort(order[: max(1, round(share * len(corpus)))]))


def _find_provisions(model: Model, corpus: Corpus, options: Mapping[str, Any]) -> dict[str, Any]:
    """Say which columns are to be predicted before the model: those of its line, but for its system's own."""
    row = get_system(model.system)
    chosen = row.load_options().parse(dict(options))
    own = {each.column for each in row.load_training().list_provisions(corpus, chosen)}
    columns = [layer.column for layer in model.line.layers if layer.column not in own]
    return {"provide": columns} if columns else {}
