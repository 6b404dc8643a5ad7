"""He and Wang's recipe: the paper's numbers as data, and the corpora as they are read."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tagloom.corpus import Corpus
from tagloom.datasets import newswire
from tagloom.features import load_templates
from tagloom.learners import learner_named
from tagloom.recipes import Experiment, Finished, Point, Row, RowCache, recipe_of, reproduce, select
from tagloom.recipes.he_wang_2012 import DATASETS, SYSTEMS, TABLE_4, TABLE_5, TUNED
from tagloom.recipes.statistics import STATISTICS
from tagloom.systems.tagger.encode import Encoded
from tagloom.systems.tagger.options import Options
from tagloom.systems.tagger.task import Task

RECIPE = recipe_of("he-wang-2012")


def encode(corpus: Corpus, templates: str, cutoff: int = 1) -> Encoded:
    options = Options(templates=templates, label="chunk", cutoff=cutoff)
    return Encoded.encode(Task.plan(corpus, options), options)


@pytest.mark.parametrize("cutoff", [1, 3])
def test_statistics_are_what_counting_gives(cutoff: int) -> None:
    corpus = newswire(4, seed=5)
    seen: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    for forms, tags, labels in zip(*map(corpus.iter_sentences, ("form", "pos", "chunk"))):
        for t, label in enumerate(labels):
            features = (f"word {forms[t]}", f"tag {tags[t]}")
            seen.update(features)
            pairs.update((feature, label) for feature in features)
    kept = {feature for feature, count in seen.items() if count >= cutoff}
    encoded = encode(corpus, "form[0]\npos[0]\n/ edge\n", cutoff)
    found = {name: statistic(encoded, cutoff) for name, statistic in STATISTICS.items()}
    assert found == {
        "tokens": corpus.token_count,
        "unigram features": len(kept),
        "bigram features": 1,
        "labels": len(set(corpus.column("chunk").texts())),
        "cutoff": cutoff,
        "max relative frequency": max(n for (f, _), n in pairs.items() if f in kept) / corpus.token_count,
    }


def test_every_corpus_has_a_row_for_every_system() -> None:
    rows = {(e.corpus, e.system) for e in select(RECIPE, tables=["5"])}
    assert rows == {(corpus, system) for corpus in DATASETS for system in SYSTEMS}
    assert {e.corpus for e in select(RECIPE, tables=["4"])} == set(DATASETS)


def test_the_papers_numbers_fit_their_tables() -> None:
    assert set(TABLE_4) == set(TABLE_5) <= set(DATASETS)
    assert set(TUNED) <= set(DATASETS)
    assert {len(numbers) for numbers in TABLE_4.values()} == {len(STATISTICS)}
    assert {len(numbers) for numbers in TABLE_5.values()} == {len(SYSTEMS)}
    assert all(set(tuned) <= set(SYSTEMS) for tuned in TUNED.values())
    (na,) = (e for e in RECIPE.experiments if e.paper is None and e.corpus in TABLE_5)
    assert na.name == "pfr-pos/L2 batch"  # "CRF++ will run for weeks"


def test_options_are_legal() -> None:
    for experiment in select(RECIPE, tables=["5"]):
        options = Options(**experiment.options)  # type: ignore[arg-type]
        assert learner_named(options.learner).name == SYSTEMS[experiment.system]["learner"]


def test_signatures_tell_rows_apart_and_name_no_path() -> None:
    signatures = [RECIPE.signature(experiment, "0" * 12) for experiment in RECIPE.experiments]
    assert len(set(signatures)) == len(signatures)
    assert not any("/" in signature for signature in signatures)
    assert len({RECIPE.signature(RECIPE.experiments[0], data) for data in ("0" * 12, "1" * 12)}) == 2


def test_template_sets_are_shipped() -> None:
    for dataset in DATASETS.values():
        assert load_templates(dataset.templates).name == dataset.templates


@pytest.mark.parametrize("corpus", DATASETS)
def test_corpora_are_where_the_recipe_looks(data_dir: Path, corpus: str) -> None:
    assert DATASETS[corpus].missing(data_dir) is None


def test_table_4_on_conll2000(data_dir: Path, tmp_path: Path) -> None:
    chosen = select(RECIPE, ["conll2000"], ["4"])
    ours = {each.row.metric: each.row for each in reproduce(RECIPE, chosen, data_dir, RowCache(tmp_path / "rows"))}
    for name in ("tokens", "unigram features", "bigram features", "cutoff"):
        assert ours[name].ours == ours[name].paper


def test_figure_1_has_a_panel_a_corpus_and_a_curve_a_system(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert RECIPE.figures is not None
    statistic, *chosen = [RECIPE.experiments[0], *select(RECIPE, ["conll2000", "pku"], ["5"])]
    finished = [Finished(row_of(statistic))]
    for number, experiment in enumerate(chosen):
        points = [Point(epoch, 0.1 * epoch, 90 + number / 10 + 3 * (1 - 1 / epoch)) for epoch in range(1, 151)]
        finished.append(Finished(row_of(experiment), tuple(points)))
    files = RECIPE.figures(finished, tmp_path)
    assert [file.name for file in files] == ["he-wang-2012.passes.svg", "he-wang-2012.seconds.svg"]
    for file in files:
        drawing = file.read_text()
        assert all(f'id="{corpus}-{system}"' in drawing for corpus in ("conll2000", "pku") for system in SYSTEMS)
        before = file.read_bytes()
        RECIPE.figures(finished, tmp_path)
        assert file.read_bytes() == before
    assert RECIPE.figures(finished[:1], tmp_path) == []


def row_of(experiment: Experiment) -> Row:
    e = experiment
    return Row(e.table, e.corpus, e.system, e.metric, e.paper, 1.0, 1.0, RECIPE.signature(e, "0" * 12))
