"""A made-up paper: two corpora, two systems, a table of statistics and a table of scores."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

from tagloom.corpus import write
from tagloom.datasets import newswire
from tagloom.recipes.dataset import Dataset
from tagloom.recipes.he_wang_2012 import LearnerBench
from tagloom.recipes.layout import Layout
from tagloom.recipes.recipe import Experiment, Finished, Measurement, Recipe, Tell

KEY = "tiny-1999"
#: Set to the name of an experiment: it never ends.
HANG = "TAGLOOM_TEST_HANG"

RUNS: list[str] = []  # experiments that were run, in order
OPENED: list[str] = []
FAILURES: dict[str, BaseException] = {}  # what an experiment raises


class CountingBench(LearnerBench):
    """A real workbench that keeps count."""

    def __init__(self, dataset: Dataset, data: Path, folder: Path | None) -> None:
        OPENED.append(Path(dataset.train).parts[0])
        super().__init__(dataset, data, folder)

    def run(self, experiment: Experiment, tell: Tell) -> Measurement:
        RUNS.append(f"{experiment.name}:{experiment.metric}")
        if os.environ.get(HANG) == experiment.name:
            time.sleep(60)
        if experiment.name in FAILURES:
            raise FAILURES[experiment.name]
        return super().run(experiment, tell)


def draw(finished: Sequence[Finished], folder: Path) -> list[Path]:
    """A figure that is a text: how many points every curve has."""
    file = folder / "figure.svg"
    file.write_text("".join(f"{each.row.system} {len(each.curve)}\n" for each in finished))
    return [file]


def _dataset(folder: str, *deviations: str) -> Dataset:
    return Dataset(
        "chunking",
        f"{folder}/train.txt",
        f"{folder}/test.txt",
        format="conll",
        columns="form pos chunk",
        templates="chunking",
        deviations=deviations,
    )


DATASETS = {"news": _dataset("news"), "more": _dataset("more", "made up")}
SYSTEMS = {
    "AP": {"learner": "averaged-perceptron", "epochs": 2, "seed": 1},
    "slow net": {"learner": "perceptron", "epochs": 3, "seed": 1},
}

RECIPE = Recipe(
    key=KEY,
    citation="Nobody. 1999. Nothing.",
    experiments=(
        *(Experiment("1", corpus, "statistics", "tokens", 100) for corpus in DATASETS),
        *(
            Experiment("2", corpus, name, "F1", 90.5, options)
            for corpus in DATASETS
            for name, options in SYSTEMS.items()
        ),
    ),
    datasets=DATASETS,
    layouts=(Layout("1", "sizes", "corpus", "metric"), Layout("2", "scores", "corpus", "system")),
    open=CountingBench,
    deviations=("all of it",),
    figures=draw,
)


def make_data(folder: Path) -> Path:
    for seed, corpus in enumerate(DATASETS, 1):
        (folder / corpus).mkdir(parents=True)
        for part in ("train", "test"):
            documents = newswire(3, seed=seed if part == "train" else seed + 10)
            write(documents, folder / corpus / f"{part}.txt", "conll", "form pos chunk")
    return folder
