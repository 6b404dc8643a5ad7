"""Scores: spans as by conlleval, tags, word segmentation; confidence intervals and paired tests; signatures."""

from tagloom.evaluate.conlleval import conlleval_report
from tagloom.evaluate.counts import PRF, Counts
from tagloom.evaluate.scores import Score, SegmentationScore, SpanScore, TagScore
from tagloom.evaluate.scoring import score
from tagloom.evaluate.signature import Signature
from tagloom.evaluate.significance import (
    Interval,
    Significance,
    bootstrap,
    compare,
    paired_bootstrap,
    paired_randomisation,
)

__all__ = [
    "PRF",
    "Counts",
    "Interval",
    "Score",
    "SegmentationScore",
    "Signature",
    "Significance",
    "SpanScore",
    "TagScore",
    "bootstrap",
    "compare",
    "conlleval_report",
    "paired_bootstrap",
    "paired_randomisation",
    "score",
]
