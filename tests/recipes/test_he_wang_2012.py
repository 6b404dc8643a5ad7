"""He and Wang's recipe: the paper's numbers, the statistics of a corpus, and Figure 1."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tagloom.datasets import newswire
from tagloom.recipes import Experiment, Finished, Point, Row, get_recipe, select
from tagloom.recipes.he_wang_2012 import DATASETS, OVERRIDES, STATISTICS, SYSTEMS, TABLE_4, TABLE_5
from tagloom.systems.tagger.encode import EncodedCorpus
from tagloom.systems.tagger.options import TaggerOptions
from tagloom.systems.tagger.task import Task
from tests.recipes.generate import run_rows

RECIPE = get_recipe("he-wang-2012")


@pytest.mark.parametrize("cutoff", [1, 3])
def test_statistics_are_what_counting_gives(cutoff: int) -> None:
    corpus = newswire(4, seed=5)
    seen: Counter[str] = Counter()
    for forms, tags in zip(*map(corpus.iter_sentences, ("form", "pos"))):
        seen.update(feature for form, tag in zip(forms, tags) for feature in (f"word {form}", f"tag {tag}"))
    kept = {feature for feature, count in seen.items() if count >= cutoff}
    options = TaggerOptions(templates="form[0]\npos[0]\n/ edge\n", label="chunk", cutoff=cutoff)
    encoded = EncodedCorpus.encode(Task.plan(corpus, options), options)
    assert {name: statistic(encoded, cutoff) for name, statistic in STATISTICS.items()} == {
        "tokens": corpus.token_count,
        "unigram features": len(kept),
        "bigram features": 1,
        "labels": len(set(corpus.column("chunk").texts())),
        "cutoff": cutoff,
        "max relative frequency": max(seen[feature] for feature in kept) / corpus.token_count,
    }


def test_the_papers_numbers_fit_their_tables() -> None:
    assert {(e.corpus, e.system) for e in select(RECIPE, tables=["5"])} == {(c, s) for c in DATASETS for s in SYSTEMS}
    assert set(TABLE_4) == set(TABLE_5) <= set(DATASETS)
    assert {len(numbers) for numbers in TABLE_4.values()} == {len(STATISTICS)}
    assert {len(numbers) for numbers in TABLE_5.values()} == {len(SYSTEMS)}
    assert set(OVERRIDES) <= set(DATASETS)
    assert all(set(options) <= set(SYSTEMS) for options in OVERRIDES.values())
    (missing,) = (e for e in RECIPE.experiments if e.paper is None and e.corpus in TABLE_5)
    assert missing.name == "pfr-pos/L2 batch"  # "CRF++ will run for weeks"


def test_table_4_on_conll2000(data_dir: Path, tmp_path: Path) -> None:
    chosen = select(RECIPE, ["conll2000"], ["4"])
    ours = {each.row.metric: each.row for each in run_rows(RECIPE, chosen, data_dir, tmp_path)}
    for name in ("tokens", "unigram features", "bigram features", "cutoff"):
        assert ours[name].ours == ours[name].paper
    frequency = ours["max relative frequency"]
    assert frequency.ours == pytest.approx(frequency.paper, abs=0.00005)


def test_figure_1_has_one_panel_per_corpus_and_one_curve_per_system(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert RECIPE.figures is not None
    statistic, *chosen = [RECIPE.experiments[0], *select(RECIPE, ["conll2000", "pku"], ["5"])]
    finished = [Finished(build_row(statistic))]
    for number, experiment in enumerate(chosen):
        points = [Point(epoch, 0.1 * epoch, 90 + number / 10 + 3 * (1 - 1 / epoch)) for epoch in range(1, 151)]
        finished.append(Finished(build_row(experiment), tuple(points)))
    files = RECIPE.figures(finished, tmp_path)
    assert [file.name for file in files] == ["he-wang-2012.passes.svg", "he-wang-2012.seconds.svg"]
    for file in files:
        drawing = file.read_text()
        assert all(f'id="{corpus}-{system}"' in drawing for corpus in ("conll2000", "pku") for system in SYSTEMS)
    assert RECIPE.figures(finished[:1], tmp_path) == []


def build_row(e: Experiment) -> Row:
    return Row(e.table, e.corpus, e.system, e.metric, e.paper, 1.0, 1.0, RECIPE.signature(e, "0" * 12))
