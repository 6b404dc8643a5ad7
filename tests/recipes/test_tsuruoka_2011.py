"""Tsuruoka, Miyao and Kazama's recipe: the paper's numbers, cells that share a training, parsers with predicted tags.

Other learners run in the place of those with lookahead, so that tests are fast.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tagloom as library
from tagloom.corpus import Corpus, Trees
from tagloom.evaluate import compare
from tagloom.recipes import Experiment, Finished, Row, bench, get_recipe, select
from tagloom.recipes import tsuruoka_2011 as paper
from tagloom.recipes.bench import AGAINST, APPLYING, TRAINING
from tagloom.recipes.dataset import DEV, TEST, Split
from tagloom.recipes.page import grids
from tagloom.recipes.tsuruoka_2011 import ParserBench, Treebank, predict_tags
from tests.recipes.generate import list_values, run_rows, shorten, write_corpora

RECIPE = get_recipe("tsuruoka-2011")
TAGGER = {"templates": "form[0]\n/ edge\n", "epochs": 2}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpora(RECIPE.datasets, tmp_path_factory.mktemp("tsuruoka"))


@pytest.fixture
def trainings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Number of sentences of every training of a tagger."""
    seen: list[int] = []

    def count(corpus: Corpus, **options: Any) -> library.Model:
        seen.append(len(corpus))
        return library.train(corpus, **options)

    monkeypatch.setattr(bench, "train", count)
    return seen


def replace_learner(options: Mapping[str, Any]) -> dict[str, Any]:
    """Depths differ in the number of passes."""
    return {"learner": "averaged-perceptron", "epochs": 1 + options.get("depth", 0), "seed": 1}


def select_cells(only: str, table: str, *systems: str) -> list[Experiment]:
    return [e for e in select(RECIPE, [only], [table]) if not systems or e.system in systems]


# -- the paper's numbers -----------------------------------------------------------------------------------------------


def test_every_line_has_its_cells_on_every_corpus() -> None:
    for table, corpora in paper.CORPORA.items():
        for corpus, measures in corpora.items():
            found = {(e.system, e.metric) for e in select(RECIPE, [corpus], [table])}
            assert {system for system, _ in found} == set(paper.LINES[table])
            for name, line in paper.LINES[table].items():
                scores = {f"{part} {measure}" for part in (DEV, TEST) for measure in measures}
                p = {"p, depth 0"} if line.against else set()
                assert {m for system, m in found if system == name} == {TRAINING, APPLYING, *scores, *p}


def test_numbers_of_the_paper() -> None:
    found = {(e.table, e.corpus, e.system, e.metric): e.paper for e in RECIPE.experiments if e.paper is not None}
    assert found["1", "ptb-sample", "depth 2, tag trigrams", "test accuracy"] == 97.28
    assert found["2", "conll2000", "depth 2", TRAINING] == 1113
    assert found["3", "jnlpba", "depth 1", "test F1"] == 72.28
    assert found["4", "ptb-sample-trees", "depth 3", APPLYING] == 79
    assert {corpus for _, corpus, _, _ in found} == {"ptb-sample", "conll2000", "jnlpba", "ptb-sample-trees"}


def test_options_are_those_of_the_line() -> None:
    for e in RECIPE.experiments:
        line = paper.LINES[e.table][e.system]
        assert e.options["learner"] == paper.SYSTEMS[line.system]["learner"]
        assert e.options.get("depth") == line.options.get("depth")
        if AGAINST in e.options:
            against = e.options[AGAINST]
            assert (against["depth"], against["learner"]) == (0, "lookahead-perceptron")
            assert against.get("direction") == e.options.get("direction")
    assert {name for options in paper.OVERRIDES.values() for name in options} <= set(paper.SYSTEMS)
    text = RECIPE.signature(select_cells("ptb-sample-trees/depth 0", "4")[0], "0" * 12)
    assert "|tagger_learner:lookahead-perceptron|" in text
    assert "|without:penn" in text


# -- cells -------------------------------------------------------------------------------------------------------------


def test_cells_are_what_trainings_give(data: Path, tmp_path: Path, trainings: list[int]) -> None:
    chosen = shorten(select_cells("conll2000", "2", "depth 0", "depth 1"), replace_learner)
    ours = list_values(run_rows(RECIPE, chosen, data, tmp_path))
    dataset = RECIPE.datasets["conll2000"]
    tuning, final = dataset.split(data)
    assert sorted(trainings) == sorted([len(tuning.train), len(final.train)] * 2)
    scores = []
    for epochs, system in ((1, "depth 0"), (2, "depth 1")):
        options = {**dataset.options(data), "learner": "averaged-perceptron", "epochs": epochs}
        dev = library.train(tuning.train, **options).evaluate(tuning.held_out[DEV])
        scores.append(library.train(final.train, **options).evaluate(final.held_out[TEST]))
        assert (ours[system, "dev F1"], ours[system, "test F1"]) == (dev.value, scores[-1].value)
        assert min(ours[system, TRAINING], ours[system, APPLYING]) > 0
    assert ours["depth 1", "p, depth 0"] == compare(scores[1], scores[0]).p_value


def test_dev_and_test_share_the_training(data: Path, tmp_path: Path, trainings: list[int]) -> None:
    chosen = shorten(select_cells("ud-en-ewt", "1", "depth 0", "depth 1"), replace_learner)
    one, two = (list_values(run_rows(RECIPE, chosen, data, tmp_path / str(jobs), jobs=jobs)) for jobs in (1, 2))
    assert len(trainings) == 4
    assert all(one[cell] == two[cell] for cell in one if "seconds" not in cell[1])
    assert one["depth 0", "dev accuracy"] != one["depth 0", "test accuracy"]


def test_a_row_runs_as_it_stands(data: Path, tmp_path: Path) -> None:
    chosen = [e for e in select_cells("CRF", "3") if e.metric == "test F1"]
    (found,) = run_rows(RECIPE, chosen, data, tmp_path)
    assert 0 < found.row.ours <= 100
    assert found.row.paper == 71.63


def test_an_unknown_learner_is_one_line(data: Path, tmp_path: Path) -> None:
    chosen = shorten(select_cells("depth 0", "2"), lambda _: {"learner": "nobody"})
    with pytest.raises(library.ConfigError, match="unknown learner 'nobody'"):
        run_rows(RECIPE, chosen, data, tmp_path)


def test_an_interrupted_training_decides_nothing(data: Path) -> None:
    (chosen,) = (e for e in select_cells("ptb-sample/depth 2", "1") if e.metric == "test accuracy")
    (chosen,) = shorten([chosen], replace_learner)
    bench = RECIPE.open(RECIPE.datasets[chosen.corpus], data, None)

    def stop(text: str) -> None:
        if "pass 2" in text:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bench.run(chosen, stop)
    assert bench.run(chosen, lambda _: None).ours > 0


def test_each_corpus_has_a_table_and_notes_say_what_depth_costs() -> None:
    finished = []
    for e in select(RECIPE, tables=["1"]):
        value = {"depth 0": 2.0, "depth 2": 6.0}.get(e.system, 1.0)
        finished.append(Finished(Row(e.table, e.corpus, e.system, e.metric, e.paper, value, 1.0, "")))
    first, second = grids(RECIPE, finished)
    assert first.title == "Table 1: ptb-sample, part of speech; ours (paper)"
    assert second.title.startswith("Table 1: ud-en-ewt")
    assert first.headers == ["system", TRAINING, APPLYING, "dev accuracy", "test accuracy", "p, depth 0"]
    assert len(first.lines) == len(second.lines) == len(paper.LINES["1"])
    notes = RECIPE.notes(finished)
    assert "ptb-sample, depth 2: training takes 3.0 times as long as depth 0 (102.2 in the paper)." in notes
    assert "ud-en-ewt, depth 2: training takes 3.0 times as long as depth 0." in notes


# -- parsing -----------------------------------------------------------------------------------------------------------


def get_treebank(corpus: str) -> Treebank:
    dataset = RECIPE.datasets[corpus]
    assert isinstance(dataset, Treebank)
    return dataset


def test_predicted_tags(data: Path) -> None:
    """Jackknifed in the training part, and by the tagger of the whole training part in the others; trees stay."""
    (gold,) = get_treebank("ud-en-ewt-relations").split(data)
    assert gold.train.names == ["form", "pos", "head", "deprel"]  # no other annotation
    told: list[str] = []
    found = predict_tags(gold, TAGGER, 3, told.append)
    words = Corpus({n: gold.train.columns[n] for n in ("form", "pos")}, gold.train.sentences, gold.train.documents,
                   gold.train.has_documents)  # fmt: skip
    assert words.has_documents
    assert found.train.column("pos").texts() == library.jackknife(words, folds=3, **TAGGER).tags.texts()
    model = library.train(words, **TAGGER)
    for part in (DEV, TEST):
        assert found.held_out[part].column("pos").texts() == model.tag_corpus(gold.held_out[part]).texts()
        assert found.held_out[part].column("head").texts() == gold.held_out[part].column("head").texts()
    assert any("fold 3" in text for text in told)


def test_trees_without_relations(data: Path) -> None:
    dataset = get_treebank("ptb-sample-trees")
    assert {tuple(split.train.names) for split in dataset.split(data)} == {("form", "pos", "head")}
    with pytest.raises(library.ConfigError, match="unknown column"):
        replace(dataset, tag="upos").split(data)


def test_tagging_can_be_interrupted(data: Path) -> None:
    def stop(text: str) -> None:
        if "fold 2" in text:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        predict_tags(get_treebank("ptb-sample-trees").split(data)[1], TAGGER, 3, stop)


class FakeParser:
    """Gets the head of every word right, except for words that are tagged as the first word of the training data is."""

    def __init__(self, corpus: Corpus) -> None:
        self.tag = corpus.column("pos").texts()[0]

    def parse_corpus(self, corpus: Corpus) -> Trees:
        heads = np.array(corpus.column("head").texts(), np.int32)
        wrong = np.array([tag == self.tag for tag in corpus.column("pos").texts()]) & (heads > 0)
        relations = corpus.columns.get("deprel")
        return Trees(np.where(wrong, 0, heads).astype(np.int32), relations, corpus.sentences)


@pytest.fixture
def parsers(monkeypatch: pytest.MonkeyPatch) -> list[Mapping[str, Any]]:
    """The options of every training of a parser; a parser that learns nothing takes its place."""
    seen: list[Mapping[str, Any]] = []

    def train(corpus: Corpus, *, system: Any, on_progress: Any, **options: Any) -> FakeParser:
        seen.append(options)
        on_progress(library.Progress("epoch", "pass 1"))
        return FakeParser(corpus)

    monkeypatch.setattr(bench, "train", train)
    return seen


def test_parsers_learn_from_predicted_tags_and_are_scored_by_heads(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parsers: list[Mapping[str, Any]]
) -> None:
    tagged: list[int] = []

    def count(split: Split, options: Any, folds: int, tell: Any) -> Split:
        tagged.append(len(split.train))
        return predict_tags(split, TAGGER, 3, tell)

    monkeypatch.setattr(paper, "predict_tags", count)
    chosen = select_cells("ptb-sample-trees", "4")
    ours = list_values(run_rows(RECIPE, chosen, data, tmp_path))
    assert set(ours) == {(e.system, e.metric) for e in chosen}
    assert len(tagged) == 2  # for all rows
    assert len(parsers) == 2 * 3 * len(paper.LINES["4"])  # three seeds
    assert all(options["tags"] == "gold" for options in parsers)
    assert {options["depth"] for options in parsers if "depth" in options} == {0, 1, 2, 3}
    assert 0 < ours["depth 0", "test UAS"] < 100
    assert ours["depth 1", "p, depth 0"] == 1.0  # the parser is the same for all depths


def test_trees_with_relations_have_both_scores(data: Path, parsers: list[Mapping[str, Any]]) -> None:
    dataset = replace(get_treebank("ud-en-ewt-relations"), templates="form[0]\n", tagger={"epochs": 1}, folds=2)
    bench = ParserBench(dataset, data)
    cells = select_cells("ud-en-ewt-relations/depth 0", "relations")
    found = {e.metric: bench.run(e, lambda _: None).ours for e in cells}
    assert set(found) == {TRAINING, APPLYING, "dev UAS", "dev LAS", "test UAS", "test LAS"}
    assert 0 < found["test UAS"] == found["test LAS"] < 100
