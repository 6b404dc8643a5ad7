"""Collins's recipe: the paper's numbers, boundaries, lists that rows share, choices on development data only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tagloom as library
from tagloom.corpus import Corpus, write
from tagloom.datasets import newswire
from tagloom.learners.ranking import RankingSettings
from tagloom.recipes import Experiment, Finished, RowCache, recipe_of, reproduce, reranking_bench, select
from tagloom.recipes import collins_2002 as paper
from tagloom.recipes.page import write_page
from tagloom.recipes.reranking_bench import FEATURES, P_VALUE, REDUCTIONS, ROUNDS, SCORES, TRAINING, RerankingBench
from tagloom.recipes.splits import DEV, TEST, splits_of

RECIPE = recipe_of("collins-2002")
LISTS = {"n": 4, "folds": 2, "templates": "collins-2002", "cutoff": 1}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every file that the recipe reads, made up."""
    folder = tmp_path_factory.mktemp("collins") / "data"
    for dataset in paper.DATASETS.values():
        for seed, (file, documents) in enumerate(((dataset.train, 8), (dataset.dev, 3), (dataset.test, 3)), 1):
            if file is not None:
                (folder / file).parent.mkdir(parents=True, exist_ok=True)
                write(newswire(documents, seed=seed), folder / file, "conll", dataset.columns)
    return folder


@pytest.fixture
def trainings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Sentences of every tagger that was trained, but for those of folds."""
    seen: list[int] = []
    train = library.train

    def counted(corpus: Corpus, **options: Any) -> library.Model:
        seen.append(len(corpus))
        return train(corpus, **options)

    monkeypatch.setattr(reranking_bench, "train", counted)
    return seen


@pytest.fixture
def jackknifings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Sentences of every corpus that was jackknifed."""
    seen: list[int] = []
    jackknife = reranking_bench.jackknifed_candidates

    def counted(model: library.Model, corpus: Corpus, **options: Any) -> Any:
        seen.append(len(corpus))
        return jackknife(model, corpus, **options)

    monkeypatch.setattr(reranking_bench, "jackknifed_candidates", counted)
    return seen


def short(options: Mapping[str, Any]) -> dict[str, Any]:
    """A small tagger, short lists, few rounds and passes."""
    learner = options["tagger"]["learner"]
    tagger = {"learner": learner, "epochs": 5, "seed": 1, **({"cutoff": 1} if learner.startswith("maxent") else {})}
    made = {**options, "tagger": tagger, **({"lists": LISTS} if "lists" in options else {})}
    if "ranker" in options:
        ranker = {name: value[:2] if isinstance(value, tuple) else value for name, value in options["ranker"].items()}
        ranker |= {"rounds": 50} if ranker["method"] == "boosting" else {"passes": min(ranker["passes"], 2)}
        made["ranker"] = ranker
    return made


def run(chosen: Sequence[Experiment], data: Path, folder: Path, **how: Any) -> list[Finished]:
    shortened = [replace(e, options=short(e.options)) for e in chosen]
    return reproduce(RECIPE, shortened, data, RowCache(folder / "rows"), **how)


def values(finished: Sequence[Finished]) -> dict[tuple[str, str], float]:
    return {(each.row.system, each.row.metric): each.row.ours for each in finished}


# -- the paper's numbers -----------------------------------------------------------------------------------------------


def test_numbers_of_the_paper() -> None:
    found = {(e.corpus, e.system, e.metric): e.paper for e in RECIPE.experiments if e.paper is not None}
    assert {corpus for corpus, _, _ in found} == {"conll2003-en"}
    assert [found["conll2003-en", "MaxEnt", metric] for metric in SCORES[1:]] == [84.4, 86.3, 85.3]
    assert found["conll2003-en", "boosting", "test F"] == 87.6
    assert found["conll2003-en", "boosting", ROUNDS] == 83_233
    assert [found["conll2003-en", "voted perceptron", metric] for metric in REDUCTIONS] == [18.6, 16.8, 17.7]
    assert found["conll2003-en", "voted perceptron", FEATURES] == 93_777


def test_the_papers_reductions_follow_from_its_scores() -> None:
    for line in (paper.BOOSTING, paper.VOTED):
        for score, reduction in zip(SCORES[1:], REDUCTIONS):
            tagger, ours = (paper.FIGURE_5[each][score] for each in (paper.MAXENT, line))
            assert 100 * (ours - tagger) / (100 - tagger) == pytest.approx(paper.FIGURE_5[line][reduction], abs=0.6)


def test_settings_are_ones_that_the_library_knows() -> None:
    for ranker in paper.RANKERS.values():
        assert RankingSettings(**ranker).choices()
    for options in paper.TAGGERS.values():
        library.systems.tagger.options.Options(**options)
    assert paper.RANKERS[paper.VOTED]["passes"] == 1


def test_signatures_tell_rows_apart() -> None:
    signatures = [RECIPE.signature(experiment, "0" * 12) for experiment in RECIPE.experiments]
    assert len(set(signatures)) == len(signatures)
    assert not any("/" in signature for signature in signatures)
    assert all(("|boundaries:True|" in text) == ("|table:boundaries|" in text) for text in signatures)


@pytest.mark.parametrize("corpus", RECIPE.datasets)
def test_corpora_are_where_the_recipe_looks(data_dir: Path, corpus: str) -> None:
    assert RECIPE.datasets[corpus].missing(data_dir) is None


# -- cells -------------------------------------------------------------------------------------------------------------


def test_types_are_dropped(data: Path) -> None:
    typed, _ = paper.DATASETS["conll2003-en-types"].read(data)
    plain, _ = paper.DATASETS["conll2003-en"].read(data)
    labels = [column.strings[code] for column in [plain.column("ner")] for code in column.codes.tolist()]
    assert set(labels) == {"S", "C", "N"}
    was = [column.strings[code] for column in [typed.column("ner")] for code in column.codes.tolist()]
    assert [label == "N" for label in labels] == [label == "O" for label in was]


def test_every_cell_of_a_corpus(data: Path, tmp_path: Path, trainings: list[int], jackknifings: list[int]) -> None:
    finished = run(select(RECIPE, ["conll2003-en"]), data, tmp_path)
    ours = values(finished)
    assert len(trainings) == 2  # L-BFGS and GIS
    assert len(jackknifings) == 1  # for all rankers
    for line in (*paper.RANKERS, "oracle of 20"):
        tagger, score = ours["MaxEnt", "test F"], ours[line, "test F"]
        expected = 100 * (score - tagger) / (100 - tagger) if tagger < 100 else 0
        assert ours[line, REDUCTIONS[2]] == pytest.approx(expected)
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


def test_numbers_are_chosen_on_development_data(data: Path) -> None:
    """The score that settings were chosen by is that of the re-ranked model on the same data."""
    for corpus in ("conll2003-en", "jnlpba", "conll2003-en-types"):
        bench = RerankingBench(paper.DATASETS[corpus], data, None)
        (cell,) = (e for e in select(RECIPE, [f"{corpus}/margin-perceptron"]) if e.metric == "dev F")
        options = short(cell.options)
        learned = bench.learned(options, lambda _: None)
        assert learned.dev_score == max(score or 0.0 for _, score in learned.tried)
        assert bench.score(DEV, options, lambda _: None).value == pytest.approx(learned.dev_score)


def test_the_tagger_of_the_test_learns_from_everything(
    data: Path, trainings: list[int], jackknifings: list[int]
) -> None:
    """Where no development data come with a corpus; the ranker is that of the training part."""
    bench = RerankingBench(paper.DATASETS["jnlpba"], data, None)
    part, whole = splits_of(paper.DATASETS["jnlpba"], data)
    (cell,) = (e for e in select(RECIPE, ["jnlpba/voted-perceptron"]) if e.metric == "test F")
    options = short(cell.options)
    score = bench.score(TEST, options, lambda _: None)
    assert sorted(trainings) == sorted([len(part.train), len(whole.train)])
    assert jackknifings == [len(part.train)]
    assert score.overall.gold == bench.score(TEST, {**options, "what": "tagger"}, lambda _: None).overall.gold


def test_lists_are_read_again(data: Path, tmp_path: Path) -> None:
    cells = select(RECIPE, ["conll2003-en/jackknifing", "conll2003-en/voted-perceptron"])
    first = values(run(cells, data, tmp_path))
    for file in (tmp_path / "rows").glob("*.json"):
        file.unlink()
    assert list((tmp_path / "rows/folds").glob("*.fold"))
    again = values(run(cells, data, tmp_path))
    seconds = ("voted perceptron", TRAINING)
    assert {key: value for key, value in again.items() if key != seconds} == {
        key: value for key, value in first.items() if key != seconds
    }  # the seconds of jackknifing, too: those of the run that did it


def test_fresh_rows_use_no_lists_of_earlier_runs(data: Path, tmp_path: Path) -> None:
    run(select(RECIPE, ["conll2003-en/jackknifing"]), data, tmp_path, fresh=True)
    assert not (tmp_path / "rows/folds").exists()


def test_several_rows_at_a_time(data: Path, tmp_path: Path) -> None:
    chosen = select(RECIPE, [f"conll2003-en-types/{system}" for system in ("CRF", "voted-perceptron", "boosting")])
    cells = [e for e in chosen if e.metric != TRAINING]
    one, two = (values(run(cells, data, tmp_path / str(jobs), jobs=jobs)) for jobs in (1, 2))
    assert one == two


def test_curve_of_boosting(data: Path, tmp_path: Path) -> None:
    (cell,) = (e for e in select(RECIPE, ["conll2003-en/boosting"]) if e.metric == "dev F")
    (finished,) = run([cell], data, tmp_path)
    losses = [point.loss for point in finished.curve]
    assert all(loss is not None for loss in losses)
    assert (np.diff(np.array(losses, float)) <= 1e-9).all()
    assert max(point.score for point in finished.curve) == pytest.approx(finished.row.ours)
