"""The line that goes with a score."""

from __future__ import annotations

from importlib import metadata

from tagloom.evaluate import Signature


def test_all_choices_in_order():
    signature = Signature(
        system="chain",
        learner="averaged-perceptron",
        templates="chunking",
        seed=1,
        data="3f2a",
        rule="conlleval",
        version="0.1.0",
    )
    expected = (
        "tagloom:0.1.0|system:chain|learner:averaged-perceptron|templates:chunking|seed:1|data:3f2a|rule:conlleval"
    )
    assert str(signature) == expected


def test_the_version_is_the_installed_one_and_unknown_choices_are_left_out():
    assert str(Signature(seed=0)) == f"tagloom:{metadata.version('tagloom')}|seed:0"
