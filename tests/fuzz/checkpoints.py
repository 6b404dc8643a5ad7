"""Forged checkpoints of every learner and system, from which training resumes, and files of models trained before."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import tagloom
from tests.fuzz.bases import CHECKPOINT, Run, begin_training, list_trainings
from tests.fuzz.forged import SECONDS, Case, draw_case, dump_case, forge, observe_uses, shrink_case
from tests.fuzz.outcome import Outcome, Target


def _prepare() -> None:
    """Begin all trainings, and resume them once."""
    with tempfile.TemporaryDirectory() as folder:
        for name in list_trainings():
            outcome = run_case(Case(f"{name}/0", []), Path(folder))
            if outcome.failed:
                raise RuntimeError(f"the training {name!r} is not resumed: {outcome.detail}")


def _make(rng: random.Random) -> Case:
    name = rng.choice(list(list_trainings()))
    files = begin_training(name).files
    place = rng.choice([0, rng.randrange(len(files))])
    return draw_case(rng, f"{name}/{place}", list(files.values())[place])


def run_case(case: Case, folder: Path = Path()) -> Outcome:
    """Resume a training from a forged file; the name of a case is that of a training and the number of its file."""
    name, place = case.name.split("/")
    run = begin_training(name)
    target = list(run.files)[int(place) % len(run.files)]
    forged = forge(run.files[target], case.edits)
    with tempfile.TemporaryDirectory(dir=folder) as place_of_files:
        _write_files(Path(place_of_files), {**run.files, target: forged})
        return observe_uses(_list_uses(run, Path(place_of_files)), len(forged))


def _write_files(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)


def _list_uses(run: Run, folder: Path) -> Iterator[Callable[[], object]]:
    trained: list[tagloom.Model] = []
    yield lambda: trained.append(tagloom.train(run.data, **run.options, checkpoint=folder / CHECKPOINT))
    if trained:
        yield trained[0].to_bytes


TARGET = Target(_make, run_case, dump_case, _prepare, shrink_case, seconds=SECONDS)
