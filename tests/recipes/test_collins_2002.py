"""Collins's recipe: the paper's numbers, lists that rows share, and choices on development data only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tagloom as library
from tagloom.corpus import Corpus
from tagloom.learners.ranking import RankingSettings
from tagloom.recipes import Experiment, Finished, bench, get_recipe, select
from tagloom.recipes import collins_2002 as paper
from tagloom.recipes.bench import TRAINING
from tagloom.recipes.collins_2002 import FEATURES, P_VALUE, REDUCTIONS, ROUNDS, SCORES, RankerBench
from tagloom.recipes.dataset import DEV, TEST
from tagloom.recipes.page import write_page
from tests.recipes.generate import list_values, run_rows, shorten, write_corpora

RECIPE = get_recipe("collins-2002")
LISTS = {"n": 4, "folds": 2, "templates": "collins-2002", "cutoff": 1}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpora(RECIPE.datasets, tmp_path_factory.mktemp("collins"))


@pytest.fixture
def trainings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Number of sentences of every tagger that was trained, except for those of folds."""
    seen: list[int] = []

    def count(corpus: Corpus, **options: Any) -> library.Model:
        seen.append(len(corpus))
        return library.train(corpus, **options)

    monkeypatch.setattr(bench, "train", count)
    return seen


@pytest.fixture
def jackknifings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Number of sentences of every corpus that was jackknifed."""
    seen: list[int] = []
    jackknife = paper.jackknife_candidates

    def count(model: library.Model, corpus: Corpus, **options: Any) -> Any:
        seen.append(len(corpus))
        return jackknife(model, corpus, **options)

    monkeypatch.setattr(paper, "jackknife_candidates", count)
    return seen


def shorten_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """A small tagger, short lists, few rounds and passes."""
    learner = options["tagger"]["learner"]
    tagger = {"learner": learner, "epochs": 5, "seed": 1, **({"cutoff": 1} if learner.startswith("maxent") else {})}
    short = {**options, "tagger": tagger, **({"lists": LISTS} if "lists" in options else {})}
    if "ranker" in options:
        ranker = {name: value[:2] if isinstance(value, tuple) else value for name, value in options["ranker"].items()}
        ranker |= {"rounds": 50} if ranker["method"] == "boosting" else {"passes": min(ranker["passes"], 2)}
        short["ranker"] = ranker
    return short


def run(chosen: Sequence[Experiment], data: Path, folder: Path, **how: Any) -> list[Finished]:
    return run_rows(RECIPE, shorten(chosen, shorten_options), data, folder, **how)


def select_cell(name: str, metric: str) -> Experiment:
    (cell,) = (e for e in select(RECIPE, [name]) if e.metric == metric)
    return shorten([cell], shorten_options)[0]


# -- the paper's numbers -----------------------------------------------------------------------------------------------


def test_numbers_of_the_paper() -> None:
    found = {(e.corpus, e.system, e.metric): e.paper for e in RECIPE.experiments if e.paper is not None}
    assert {corpus for corpus, _, _ in found} == {"conll2003-en"}
    assert [found["conll2003-en", "MaxEnt", metric] for metric in SCORES[1:]] == [84.4, 86.3, 85.3]
    assert found["conll2003-en", "boosting", ROUNDS] == 83_233
    assert found["conll2003-en", "voted perceptron", FEATURES] == 93_777
    for line in (paper.BOOSTING, paper.VOTED):  # the paper's tagger is trained by GIS
        assert found["conll2003-en", f"{line} of {paper.GIS}", SCORES[3]] == paper.FIGURE_5[line][SCORES[3]]
    for line in (paper.BOOSTING, paper.VOTED):
        for score, reduction in zip(SCORES[1:], REDUCTIONS):
            tagger, ours = (paper.FIGURE_5[each][score] for each in (paper.MAXENT, line))
            assert 100 * (ours - tagger) / (100 - tagger) == pytest.approx(paper.FIGURE_5[line][reduction], abs=0.6)


def test_settings_are_legal() -> None:
    assert all(RankingSettings(**ranker).choices() for ranker in paper.RANKERS.values())
    assert paper.RANKERS[paper.VOTED]["passes"] == 1
    signatures = [RECIPE.signature(experiment, "0" * 12) for experiment in RECIPE.experiments]
    assert all(("|boundaries:True|" in text) == ("|table:boundaries|" in text) for text in signatures)


# -- cells -------------------------------------------------------------------------------------------------------------


def test_every_cell_of_a_corpus(data: Path, tmp_path: Path, trainings: list[int], jackknifings: list[int]) -> None:
    finished = run(select(RECIPE, ["conll2003-en"]), data, tmp_path)
    ours = list_values(finished)
    assert len(trainings) == 2  # L-BFGS and GIS
    assert len(jackknifings) == 2  # of both, for all rankers
    for line in (*paper.RANKERS, "oracle of 20"):
        tagger, score = ours["MaxEnt", "test F"], ours[line, "test F"]
        expected = 100 * (score - tagger) / (100 - tagger) if tagger < 100 else 0
        assert ours[line, REDUCTIONS[2]] == pytest.approx(expected)
    gis = {line: ours[f"{line} of {paper.GIS}", "test F"] for line in (paper.BOOSTING, paper.VOTED, "oracle of 20")}
    alone = ours[paper.GIS, "test F"]
    assert ours[f"{paper.VOTED} of {paper.GIS}", REDUCTIONS[2]] == pytest.approx(
        100 * (gis[paper.VOTED] - alone) / (100 - alone) if alone < 100 else 0
    )
    assert max(gis.values()) == gis["oracle of 20"]
    for line in paper.RANKERS:
        assert ours[line, "test F"] <= ours["oracle of 20", "test F"] + 1e-9
        assert ours[line, "dev F"] <= ours["oracle of 20", "dev F"] + 1e-9
        assert 0 < ours[line, P_VALUE] <= 1
        assert isinstance(ours[line, ROUNDS], int)
    assert ours["voted perceptron", ROUNDS] == 1
    assert ours["voted perceptron", "β"] in paper.RANKERS[paper.VOTED]["beta"]
    assert ours["margin perceptron", "C"] in paper.RANKERS[paper.MARGIN_PERCEPTRON]["C"]
    assert ours["jackknifing", TRAINING] > 0
    files, note = write_page(RECIPE, finished, tmp_path)
    assert note is None
    assert {file.name for file in files} >= {f"collins-2002.{kind}" for kind in ("md", "rounds.svg", "loss.svg")}


@pytest.mark.parametrize("corpus", RECIPE.datasets)
def test_numbers_are_chosen_on_development_data(data: Path, corpus: str) -> None:
    """The score that settings were chosen by is that of the re-ranked model on the same data."""
    bench = RankerBench(RECIPE.datasets[corpus], data)
    options = select_cell(f"{corpus}/margin-perceptron", "dev F").options
    learned = bench.learn(options, lambda _: None)
    assert learned.dev_score == max(score or 0.0 for _, score in learned.tried)
    assert bench.score_part(DEV, options, lambda _: None).value == pytest.approx(learned.dev_score)


def test_the_tagger_of_the_test_learns_from_everything(
    data: Path, trainings: list[int], jackknifings: list[int]
) -> None:
    """A corpus may come without development data; the ranker is then that of the training part."""
    bench = RankerBench(RECIPE.datasets["jnlpba"], data)
    part, whole = bench.splits
    options = select_cell("jnlpba/voted-perceptron", "test F").options
    score = bench.score_part(TEST, options, lambda _: None)
    assert sorted(trainings) == sorted([len(part.train), len(whole.train)])
    assert jackknifings == [len(part.train)]
    assert score.overall.gold == bench.score_part(TEST, {**options, "what": "tagger"}, lambda _: None).overall.gold


def test_lists_are_read_again(data: Path, tmp_path: Path) -> None:
    cells = select(RECIPE, ["conll2003-en/jackknifing", "conll2003-en/voted-perceptron"])
    first = list_values(run(cells, data, tmp_path))
    for file in (tmp_path / "rows").glob("*.json"):
        file.unlink()
    assert list((tmp_path / "rows/folds").glob("*.fold"))
    again = list_values(run(cells, data, tmp_path))
    del first["voted perceptron", TRAINING], again["voted perceptron", TRAINING]
    assert first == again  # also the seconds of jackknifing: those of the run that did it


def test_fresh_rows_use_no_lists_of_earlier_runs(data: Path, tmp_path: Path) -> None:
    run(select(RECIPE, ["conll2003-en/jackknifing"]), data, tmp_path, fresh=True)
    assert not (tmp_path / "rows/folds").exists()


def test_several_rows_at_a_time(data: Path, tmp_path: Path) -> None:
    chosen = select(RECIPE, [f"conll2003-en-types/{system}" for system in ("CRF", "voted-perceptron", "boosting")])
    cells = [e for e in chosen if e.metric != TRAINING]
    one, two = (list_values(run(cells, data, tmp_path / str(jobs), jobs=jobs)) for jobs in (1, 2))
    assert one == two


def test_curve_of_boosting(data: Path, tmp_path: Path) -> None:
    (finished,) = run_rows(RECIPE, [select_cell("conll2003-en/boosting", "dev F")], data, tmp_path)
    losses = [point.loss for point in finished.curve]
    assert all(loss is not None for loss in losses)
    assert (np.diff(np.array(losses, float)) <= 1e-9).all()
    assert max(point.score for point in finished.curve) == pytest.approx(finished.row.ours)
