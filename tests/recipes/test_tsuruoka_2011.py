"""Tsuruoka, Miyao and Kazama's recipe: the paper's numbers as data, splits, cells that share a training, our tags.

Learners with lookahead are stood in for by others where the frame is tried: what is run is looked up in the row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tagloom as library
from tagloom.corpus import Corpus, Trees, write
from tagloom.datasets import newswire
from tagloom.evaluate import compare
from tagloom.recipes import Experiment, Finished, Row, RowCache, recipe_of, reproduce, select
from tagloom.recipes import tsuruoka_2011 as paper
from tagloom.recipes.dataset import Dataset
from tagloom.recipes.model_bench import AGAINST, APPLYING, TRAINING
from tagloom.recipes.page import grids
from tagloom.recipes.parsing_bench import Treebank, parsing_bench
from tagloom.recipes.splits import DEV, TEST, Split, splits_of
from tagloom.recipes.treebank_tags import TagOptions, treebank, with_our_tags

RECIPE = recipe_of("tsuruoka-2011")
LEARNERS = {paper.CRF: "sgd-l1", paper.PERCEPTRON: "averaged-perceptron"}
TAGGER = TagOptions({"templates": "form[0]\n/ edge\n", "epochs": 2}, folds=3)


def with_chains(corpus: Corpus) -> Corpus:
    """Heads and relations: every word hangs on the one before it."""
    heads = [str(number) for length in np.diff(corpus.sentences).tolist() for number in range(length)]
    return corpus.with_column("head", heads).with_column("deprel", ["root" if head == "0" else "dep" for head in heads])


def write_treebank(corpus: Corpus, file: Path) -> None:
    lines = []
    for number, (forms, tags) in enumerate(zip(*map(corpus.iter_sentences, ("form", "pos")))):
        lines.append(f"# newdoc id = {number // 4}\n" if number % 4 == 0 else "")
        for place, (form, tag) in enumerate(zip(forms, tags)):
            relation = "dep" if place else "root"
            lines.append(f"{place + 1}\t{form}\t_\t{tag}\tGOLD\t_\t{place}\t{relation}\t_\t_\n")
        lines.append("\n")
    file.write_text("".join(lines))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every file that the recipe reads, made up."""
    folder = tmp_path_factory.mktemp("tsuruoka") / "data"
    news = {name: newswire(documents, seed=seed) for seed, (name, documents) in
            enumerate({"train": 8, "dev": 3, "test": 3}.items(), 1)}  # fmt: skip
    for dataset in (paper.DATASETS[name] for name in ("ptb-sample", "conll2000", "jnlpba", "ptb-sample-trees")):
        for file, part in ((dataset.train, "train"), (dataset.test, "test")):
            if file is not None:
                (folder / file).parent.mkdir(parents=True, exist_ok=True)
                write(with_chains(news[part]), folder / file, "conll", dataset.columns)
    for part, corpus in news.items():
        file = folder / f"ud-en-ewt/en_ewt-ud-{part}.conllu"
        file.parent.mkdir(exist_ok=True)
        write_treebank(corpus, file)
    return folder


@pytest.fixture
def trainings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Sentences of every training."""
    from tagloom.recipes import model_bench

    seen: list[int] = []
    train = library.train

    def counted(corpus: Corpus, **options: Any) -> library.Model:
        seen.append(len(corpus))
        return train(corpus, **options)

    monkeypatch.setattr(model_bench, "train", counted)
    return seen


def stand_in(options: Mapping[str, Any]) -> dict[str, Any]:
    """A learner that is there; depths differ in the number of passes."""
    made: dict[str, Any] = {"learner": "averaged-perceptron", "epochs": 1 + options.get("depth", 0), "seed": 1}
    return made | ({AGAINST: stand_in(options[AGAINST])} if AGAINST in options else {})


def run_cells(chosen: list[Experiment], data: Path, folder: Path, jobs: int = 1) -> list[Finished]:
    shortened = [replace(e, options=stand_in(e.options)) for e in chosen]
    return reproduce(RECIPE, shortened, data, RowCache(folder / "rows"), jobs=jobs)


def cells(only: str, table: str) -> list[Experiment]:
    return list(select(RECIPE, [only], [table]))


def values(finished: list[Finished]) -> dict[tuple[str, str], float]:
    return {(each.row.system, each.row.metric): each.row.ours for each in finished}


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
    assert found["4", "ptb-sample-trees", "depth 3", "test UAS"] == 91.24
    assert found["4", "ptb-sample-trees", "depth 3", APPLYING] == 79
    assert {corpus for _, corpus, _, _ in found} == {"ptb-sample", "conll2000", "jnlpba", "ptb-sample-trees"}


def test_rows_are_looked_up_when_they_run() -> None:
    for e in RECIPE.experiments:
        line = paper.LINES[e.table][e.system]
        assert e.options["learner"] == paper.SYSTEMS[line.system]["learner"]
        assert e.options.get("depth") == line.options.get("depth")
        if line.system in LEARNERS:
            assert library.systems.tagger.options.Options(**e.options).chosen_learner.name == LEARNERS[line.system]  # type: ignore[arg-type]
        if AGAINST in e.options:
            against = dict(e.options[AGAINST])  # type: ignore[call-overload]
            assert (against["depth"], against["learner"]) == (0, "lookahead-perceptron")
            assert against.get("direction") == e.options.get("direction")
    assert {e.options["direction"] for e in select(RECIPE, tables=["3"]) if "direction" in e.options} == {
        "right-to-left", "left-to-right",
    }  # fmt: skip
    assert {name for tuned in paper.TUNED.values() for name in tuned} <= set(paper.SYSTEMS)
    assert set(paper.TUNED) <= set(paper.DATASETS)


def test_signatures_tell_rows_apart_and_name_no_path() -> None:
    signatures = [RECIPE.signature(experiment, "0" * 12) for experiment in RECIPE.experiments]
    assert len(set(signatures)) == len(signatures)
    assert not any("/" in signature for signature in signatures)
    (trees,) = (e for e in cells("ptb-sample-trees/depth 0", "4") if e.metric == TRAINING)
    text = RECIPE.signature(trees, "0" * 12)
    assert "|tagger_learner:lookahead-perceptron|" in text
    assert "|without:penn" in text


@pytest.mark.parametrize("corpus", RECIPE.datasets)
def test_corpora_are_where_the_recipe_looks(data_dir: Path, corpus: str) -> None:
    assert RECIPE.datasets[corpus].missing(data_dir) is None


# -- splits ------------------------------------------------------------------------------------------------------------


def test_what_is_held_out_is_not_trained_on(data: Path) -> None:
    for name, dataset in paper.DATASETS.items():
        splits = splits_of(dataset, data)
        assert [sorted(split.held_out) for split in splits] == ([[DEV, TEST]] if dataset.dev else [[DEV], [TEST]]), name
        if dataset.dev is None:
            first, second = splits
            assert len(first.train) + len(first.held_out[DEV]) == len(second.train)
            forms = [list(c.iter_sentences("form")) for c in (first.train, first.held_out[DEV], second.train)]
            assert forms[0] + forms[1] == forms[2]


def test_whole_documents_are_held_out(data: Path) -> None:
    dataset = Dataset("x", "conll2000/train.txt", columns="form pos chunk", train_share=1.0, dev_share=0.3)
    first, whole = splits_of(dataset, data)
    assert whole.train.has_documents
    assert len(first.train) in whole.train.documents.tolist()
    assert len(first.held_out[DEV]) <= 0.3 * len(whole.train)


def test_without_development_data(data: Path) -> None:
    (split,) = splits_of(replace(paper.DATASETS["conll2000"], dev_share=0.0), data)
    assert list(split.held_out) == [TEST]


# -- cells -------------------------------------------------------------------------------------------------------------


def test_cells_are_what_trainings_give(data: Path, tmp_path: Path, trainings: list[int]) -> None:
    chosen = [e for e in cells("conll2000", "2") if e.system in ("depth 0", "depth 1")]
    ours = values(run_cells(chosen, data, tmp_path))
    dataset = paper.DATASETS["conll2000"]
    tuning, final = splits_of(dataset, data)
    assert sorted(trainings) == sorted([len(tuning.train), len(final.train)] * 2)
    scores = []
    for epochs, system in ((1, "depth 0"), (2, "depth 1")):
        options = {**dataset.options(data), "learner": "averaged-perceptron", "epochs": epochs}
        dev = library.train(tuning.train, **options).evaluate(tuning.held_out[DEV])
        scores.append(library.train(final.train, **options).evaluate(final.held_out[TEST]))
        assert (ours[system, "dev F1"], ours[system, "test F1"]) == (dev.value, scores[-1].value)
        assert min(ours[system, TRAINING], ours[system, APPLYING]) > 0
    assert ours["depth 1", "p, depth 0"] == compare(scores[1], scores[0]).p_value


def test_development_data_of_their_own_share_the_training(data: Path, tmp_path: Path, trainings: list[int]) -> None:
    chosen = [e for e in cells("ud-en-ewt", "1") if e.system in ("depth 0", "depth 1")]
    one, two = (values(run_cells(chosen, data, tmp_path / str(jobs), jobs)) for jobs in (1, 2))
    assert len(trainings) == 4
    assert all(one[cell] == two[cell] for cell in one if "seconds" not in cell[1])
    assert one["depth 0", "dev accuracy"] != one["depth 0", "test accuracy"]


def test_the_crf_runs_as_it_stands(data: Path, tmp_path: Path) -> None:
    chosen = [e for e in cells("CRF", "3") if e.metric.startswith("test")]
    (found, seconds) = reproduce(RECIPE, chosen[::-1], data, RowCache(tmp_path / "rows"))
    assert 0 < found.row.ours <= 100
    assert found.row.paper == 71.63
    assert seconds.row.ours > 0


def test_a_learner_that_is_not_there_is_one_line(data: Path, tmp_path: Path) -> None:
    chosen = [replace(e, options={"learner": "nobody"}) for e in cells("depth 0", "2")]
    with pytest.raises(library.ConfigError, match="unknown learner 'nobody'"):
        reproduce(RECIPE, chosen, data, RowCache(tmp_path / "rows"))


def test_half_a_training_decides_nothing(data: Path) -> None:
    (chosen,) = (e for e in cells("ptb-sample/depth 2", "1") if e.metric == "test accuracy")
    chosen = replace(chosen, options=stand_in(chosen.options))
    bench = RECIPE.open(chosen.corpus, data, None)

    def stop(text: str) -> None:
        if "pass 2" in text:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bench.run(chosen, stop)
    assert bench.run(chosen, lambda _: None).ours > 0


def test_tables_stand_apart_by_corpus_and_tell_what_depth_costs() -> None:
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


# -- trees and tags ----------------------------------------------------------------------------------------------------


def test_our_tags(data: Path) -> None:
    """Of the training part jackknifed, of the others by the tagger of the whole training part; trees stay."""
    dataset = paper.DATASETS["ud-en-ewt-relations"]
    assert isinstance(dataset, Treebank)
    (gold,) = dataset.splits(data)
    assert gold.train.names == ["form", "pos", "head", "deprel"]  # no other annotation by hand
    told: list[str] = []
    found = with_our_tags(gold, TAGGER, told.append)
    words = Corpus({n: gold.train.columns[n] for n in ("form", "pos")}, gold.train.sentences, gold.train.documents,
                   gold.train.has_documents)  # fmt: skip
    assert words.has_documents
    expected = library.jackknife(words, folds=3, **TAGGER.learning)
    assert found.train.column("pos").texts() == expected.tags.texts()
    model = library.train(words, **TAGGER.learning)
    for part in (DEV, TEST):
        assert found.held_out[part].column("pos").texts() == model.tag_corpus(gold.held_out[part]).texts()
        assert found.held_out[part].column("head").texts() == gold.held_out[part].column("head").texts()
    assert any("fold 3" in text for text in told)


def test_trees_without_relations(data: Path) -> None:
    dataset = paper.DATASETS["ptb-sample-trees"]
    assert isinstance(dataset, Treebank)
    tuning, final = dataset.splits(data)
    assert {tuple(split.train.names) for split in (tuning, final)} == {("form", "pos", "head")}
    with pytest.raises(library.ConfigError, match="unknown column"):
        treebank(final.train, "upos")


def test_tags_can_be_interrupted(data: Path) -> None:
    dataset = paper.DATASETS["ptb-sample-trees"]
    assert isinstance(dataset, Treebank)

    def stop(text: str) -> None:
        if "fold 2" in text:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        with_our_tags(dataset.splits(data)[1], TAGGER, stop)


class FakeParser:
    """Every word hangs on the one before it, as it should, but for those that are tagged as the first word is."""

    def __init__(self, corpus: Corpus) -> None:
        self.tag = corpus.column("pos").texts()[0]

    def parse_corpus(self, corpus: Corpus) -> Any:
        heads = np.array(corpus.column("head").texts(), np.int32)
        wrong = np.array([tag == self.tag for tag in corpus.column("pos").texts()]) & (heads > 0)
        return Trees(np.where(wrong, 0, heads).astype(np.int32), None, corpus.sentences)


def test_parsers_are_trained_on_our_tags_and_scored_by_heads(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a stand-in for the parser: cells of both parts, punctuation left out, one tagging for all rows."""
    from tagloom.recipes import parsing_bench as module

    seen: list[tuple[int, Mapping[str, Any]]] = []
    tagged: list[int] = []

    def train(corpus: Corpus, *, on_progress: Any, **options: Any) -> FakeParser:
        seen.append((len(corpus), options))
        on_progress(library.Progress("epoch", "pass 1"))
        return FakeParser(corpus)

    def tags(split: Split, options: TagOptions, go_on: Any) -> Split:
        tagged.append(len(split.train))
        return with_our_tags(split, TAGGER, go_on)

    monkeypatch.setattr(module, "train_parser", train)
    monkeypatch.setattr(module, "with_our_tags", tags)
    chosen = cells("ptb-sample-trees", "4")
    ours = values(reproduce(RECIPE, chosen, data, RowCache(tmp_path / "rows")))
    assert set(ours) == {(e.system, e.metric) for e in chosen}
    assert len(tagged) == 2
    assert len(seen) == 2 * len(paper.LINES["4"])
    assert all(options["tags"] == "gold" for _, options in seen)
    assert {options["depth"] for _, options in seen if "depth" in options} == {0, 1, 2, 3}
    assert 0 < ours["depth 0", "test UAS"] < 100
    assert ours["depth 1", "p, depth 0"] == 1.0  # the stand-in is the same for all depths


def test_labelled_trees_have_both_scores(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tagloom.recipes import parsing_bench as module

    class Labelled(FakeParser):
        def parse_corpus(self, corpus: Corpus) -> Any:
            return Trees(super().parse_corpus(corpus).heads, corpus.column("deprel"), corpus.sentences)

    monkeypatch.setattr(module, "train_parser", lambda corpus, **_: Labelled(corpus))
    dataset = paper.DATASETS["ud-en-ewt-relations"]
    assert isinstance(dataset, Treebank)
    bench = parsing_bench(replace(dataset, templates="form[0]\n", tagger=TagOptions({"epochs": 1}, 2)), data)
    found = {e.metric: bench.run(e, lambda _: None).ours for e in cells("ud-en-ewt-relations/depth 0", "relations")}
    assert set(found) == {TRAINING, APPLYING, "dev UAS", "dev LAS", "test UAS", "test LAS"}
    assert 0 < found["test UAS"] == found["test LAS"] < 100
