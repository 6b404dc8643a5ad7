"""Objects print one short line; scores are tables in a notebook."""

from __future__ import annotations

import numpy as np
import pytest

from tagloom.corpus import Column
from tagloom.corpus.trees import Trees
from tagloom.evaluate import Score, Signature, bootstrap, compare, score, score_trees
from tagloom.evaluate.punctuation import Punctuation

SENTENCES = np.array([0, 2, 4])


def column(text: str) -> Column:
    return Column.from_strings(text.split())


def trees(heads: list[int], relations: str | None = None) -> Trees:
    return Trees(np.array(heads, np.int32), None if relations is None else column(relations), SENTENCES)


SPANS = score(column("B-PER O B-LOC O"), column("B-PER O O O"), SENTENCES)
TAGS = score(column("DT NN DT <b>"), column("DT NN DT VB"), SENTENCES)
WORDS = score(column("B E S S"), column("B E B E"), SENTENCES, forms=column("a b c d"), lexicon={"ab"})
HEADS = score_trees(trees([2, 0, 0, 1]), trees([2, 0, 2, 0]))
ARCS = score_trees(trees([2, 0, 0, 1], "a root root b"), trees([2, 0, 0, 1], "a root root c"))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (SPANS, "SpanScore(f1=66.67, precision=100.00, recall=50.00, spans=2, rule='conlleval')"),
        (TAGS, "TagScore(accuracy=75.00, tokens=4, rule='accuracy')"),
        (WORDS, "SegmentationScore(f1=40.00, precision=50.00, recall=33.33, words=3, rule='conlleval')"),
        (HEADS, "AttachmentScore(uas=50.00, exact=50.00, tokens=4, rule='attachment')"),
        (ARCS, "LabelledAttachmentScore(las=75.00, uas=100.00, exact=100.00, tokens=4, rule='attachment')"),
        (SPANS.counts, "Counts(PRF(correct=1, predicted=1, gold=2), 2 kinds, 2 sentences)"),
        (Signature(seed=1, version="0.1.0"), "Signature('tagloom:0.1.0|seed:1')"),
        (bootstrap(TAGS.counts, "accuracy", samples=9), "Interval(accuracy 75.00 [50.00, 100.00] at 95%)"),
        (
            compare(SPANS, SPANS, samples=9),
            "Significance(f1 66.67 - 66.67 = +0.00, p = 1.0000 (bootstrap, 9 samples, seed 1))",
        ),
        (Punctuation("upos", np.array([True, False])), "Punctuation('upos', 1 of 2 tokens)"),
    ],
)
def test_a_short_line(value: object, text: str):
    assert repr(value) == text


@pytest.mark.parametrize("found", [SPANS, TAGS, WORDS, HEADS, ARCS], ids=lambda found: type(found).__name__)
def test_scores_are_tables_in_a_notebook(found: Score):
    html = found.with_signature(Signature(learner="<pa>"))._repr_html_()
    assert html.startswith("<table><caption>")
    assert html.count("<tr>") == html.count("</tr>") >= 2
    assert f"rule {found.rule}" in html
    assert "learner:&lt;pa&gt;" in html


def test_a_table_has_one_row_per_type():
    assert '<tr><th>LOC</th><td style="text-align: right">0.00</td>' in SPANS._repr_html_()
    assert all(f"<th>{name}</th>" in SPANS._repr_html_() for name in ("precision", "LOC", "PER", "all"))
