"""Generated corpora in the place of real ones, and short versions of experiments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tagloom.corpus import Corpus, write
from tagloom.datasets import newswire
from tagloom.recipes import Experiment, Finished, Recipe, RowCache, reproduce
from tagloom.recipes.bench import AGAINST
from tagloom.recipes.corpora import CHUNKS, POS
from tagloom.recipes.dataset import Dataset
from tagloom.recipes.seeds import choose_seed

Options = Mapping[str, Any]


def write_corpora(datasets: Mapping[str, Dataset], folder: Path, documents: int = 8) -> Path:
    """Write every corpus that the datasets read, where they look for it; lists of entities hold one name."""
    files: dict[str, tuple[int, Dataset]] = {}
    for dataset in datasets.values():
        for seed, file in enumerate((dataset.train, dataset.dev, dataset.test), 1):
            if file is not None:
                files.setdefault(file, (seed, dataset))
        for file in dataset._names():
            if "resources" in file:
                path = folder / file / ("all" if dataset.resources.get("gazetteer") == file else "")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("0101\tJordan\t5\n" if "brown" in file else "Jordan\n")
            elif file.endswith("_words.utf8") or (file in dataset.others and file != POS):
                (folder / file).parent.mkdir(parents=True, exist_ok=True)
                (folder / file).write_text("研究\n", encoding="utf-8")
    if any(dataset.retag or POS in dataset.others for dataset in datasets.values()):
        files[POS], files[CHUNKS] = (
            (4, Dataset("", POS, columns="form pos")),
            (4, Dataset("", "", columns="form pos chunk")),
        )
    for file, (seed, dataset) in files.items():
        corpus = add_chains(newswire(documents if seed == 1 else 3, seed=seed))
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        if dataset.columns is None:
            write_conllu(corpus, folder / file)
        else:
            write(corpus, folder / file, "conll", dataset.columns)
    return folder


def add_chains(corpus: Corpus) -> Corpus:
    """Add heads and relations: the head of every word is the word before it."""
    heads = [str(number) for length in np.diff(corpus.sentences).tolist() for number in range(length)]
    return corpus.with_column("head", heads).with_column("deprel", ["root" if head == "0" else "dep" for head in heads])


def write_conllu(corpus: Corpus, file: Path) -> None:
    """Write words, tags and trees, with a new document after every fourth sentence."""
    lines = []
    for number, (forms, tags) in enumerate(zip(*map(corpus.iter_sentences, ("form", "pos")))):
        lines.append(f"# newdoc id = {number // 4}\n" if number % 4 == 0 else "")
        for place, (form, tag) in enumerate(zip(forms, tags)):
            relation = "dep" if place else "root"
            lines.append(f"{place + 1}\t{form}\t_\t{tag}\tGOLD\t_\t{place}\t{relation}\t_\t_\n")
        lines.append("\n")
    file.write_text("".join(lines))


def shorten(experiments: Sequence[Experiment], change: Callable[[Options], dict[str, Any]]) -> list[Experiment]:
    """Change the options of experiments, also those of the systems that they are compared with; keep one seed."""

    def change_all(options: Options) -> dict[str, Any]:
        return change(options) | ({AGAINST: change_all(options[AGAINST])} if AGAINST in options else {})

    return [replace(e, options=change_all(choose_seed(e.options, 0))) for e in experiments]


def run_rows(recipe: Recipe, chosen: Sequence[Experiment], data: Path, folder: Path, **how: Any) -> list[Finished]:
    """Run experiments with a cache in a folder."""
    return reproduce(recipe, chosen, data, RowCache(folder / "rows"), **how)


def list_values(finished: Sequence[Finished]) -> dict[tuple[str, str], float]:
    """Return our numbers by system and metric."""
    return {(each.row.system, each.row.metric): each.row.ours for each in finished}
