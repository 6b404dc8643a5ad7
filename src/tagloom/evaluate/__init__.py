"""Scores of spans (as in conlleval), tags, segmentation, trees and treebanks; intervals, paired tests, signatures."""

from typing import TYPE_CHECKING

from tagloom._lazy import lazy_names

if TYPE_CHECKING:
    from tagloom.evaluate.attachment import score_trees as score_trees
    from tagloom.evaluate.calibration import expected_calibration_error as expected_calibration_error
    from tagloom.evaluate.counts import PRF as PRF
    from tagloom.evaluate.counts import Counts as Counts
    from tagloom.evaluate.punctuation import Punctuation as Punctuation
    from tagloom.evaluate.punctuation import find_punctuation as find_punctuation
    from tagloom.evaluate.scores import Score as Score
    from tagloom.evaluate.scores import SegmentationScore as SegmentationScore
    from tagloom.evaluate.scores import SpanScore as SpanScore
    from tagloom.evaluate.scores import TagScore as TagScore
    from tagloom.evaluate.scores import format_conlleval as format_conlleval
    from tagloom.evaluate.scoring import score as score
    from tagloom.evaluate.signature import Signature as Signature
    from tagloom.evaluate.significance import Interval as Interval
    from tagloom.evaluate.significance import Significance as Significance
    from tagloom.evaluate.significance import bootstrap as bootstrap
    from tagloom.evaluate.significance import bootstrap_kinds as bootstrap_kinds
    from tagloom.evaluate.significance import compare as compare
    from tagloom.evaluate.significance import compare_kinds as compare_kinds
    from tagloom.evaluate.significance import paired_bootstrap as paired_bootstrap
    from tagloom.evaluate.significance import paired_randomisation as paired_randomisation
    from tagloom.evaluate.text_scores import TextScore as TextScore
    from tagloom.evaluate.text_scores import TreebankScore as TreebankScore
    from tagloom.evaluate.tree_scores import AttachmentScore as AttachmentScore
    from tagloom.evaluate.tree_scores import LabelledAttachmentScore as LabelledAttachmentScore
    from tagloom.evaluate.treebank import score_treebank as score_treebank

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "tagloom.evaluate.attachment": ("score_trees",),
        "tagloom.evaluate.calibration": ("expected_calibration_error",),
        "tagloom.evaluate.counts": ("PRF", "Counts"),
        "tagloom.evaluate.punctuation": ("Punctuation", "find_punctuation"),
        "tagloom.evaluate.scores": ("Score", "SegmentationScore", "SpanScore", "TagScore", "format_conlleval"),
        "tagloom.evaluate.scoring": ("score",),
        "tagloom.evaluate.signature": ("Signature",),
        "tagloom.evaluate.significance": (
            "Interval",
            "Significance",
            "bootstrap",
            "bootstrap_kinds",
            "compare",
            "compare_kinds",
            "paired_bootstrap",
            "paired_randomisation",
        ),
        "tagloom.evaluate.text_scores": ("TextScore", "TreebankScore"),
        "tagloom.evaluate.tree_scores": ("AttachmentScore", "LabelledAttachmentScore"),
        "tagloom.evaluate.treebank": ("score_treebank",),
    },
)
