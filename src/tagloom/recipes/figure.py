"""Figures of learning curves: for every corpus, the score of every system against passes and against seconds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tagloom.corpus.streams import replace_file
from tagloom.recipes.recipe import Finished
from tagloom.report import Panel, draw_panels


def draw_curves(key: str, finished: Sequence[Finished], folder: Path, most_passes: int) -> list[Path]:
    """KEY.passes.svg (cut after ``most_passes``: batch learners make many more) and KEY.seconds.svg."""
    drawn = [each for each in finished if each.curve]
    if not drawn:
        return []
    passes = _panels(drawn, "epoch", most_passes)
    seconds = _panels(drawn, "seconds")
    drawings = {
        f"{key}.passes.svg": draw_panels(passes, "pass"),
        f"{key}.seconds.svg": draw_panels(seconds, "seconds of learning", log=True),
    }
    for name, drawing in drawings.items():
        replace_file(folder / name, drawing)
    return [folder / name for name in drawings]


def draw_rounds(key: str, finished: Sequence[Finished], folder: Path) -> list[Path]:
    """KEY.rounds.svg and KEY.loss.svg: the score and the loss of training against the rounds of boosting."""
    drawn = [each for each in finished if each.curve]
    if not drawn:
        return []
    drawings = {f"{key}.rounds.svg": "score", f"{key}.loss.svg": "loss"}
    for name, y in drawings.items():
        replace_file(folder / name, draw_panels(_rounds(drawn, y), "round", log=True))
    return [folder / name for name in drawings]


_OF_ROUNDS = {"score": "dev F", "loss": "ExpLoss"}


def _rounds(finished: Sequence[Finished], y: str) -> list[Panel]:
    """A panel a corpus; a logarithmic axis has no round 0."""
    return [
        Panel(each.row.corpus, {_OF_ROUNDS[y]: [(point.epoch, getattr(point, y)) for point in each.curve[1:]]})
        for each in finished
    ]


def _panels(finished: Sequence[Finished], x: str, most_passes: int | None = None) -> list[Panel]:
    return [
        Panel(
            corpus,
            {
                each.row.system: [(getattr(point, x), point.score) for point in each.curve[:most_passes]]
                for each in finished
                if each.row.corpus == corpus
            },
        )
        for corpus in dict.fromkeys(each.row.corpus for each in finished)
    ]
