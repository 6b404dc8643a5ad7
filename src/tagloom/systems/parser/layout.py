"""The schema of the arrays of a parser."""

from __future__ import annotations

from tagloom.schema import Array, Layout, describe_strings
from tagloom.schema.limits import LARGEST_WEIGHT

#: What a parser learns: in model files, and in checkpoints the best of it.
PARSER_WEIGHTS = Layout(
    (
        Array("keys", "U64", "F", "Keys of the features, those of the first template first."),
        Array("ends", "I64", "", "First feature of every template, and the end.", cuts="F"),
        Array("counts", "U16", "F", "Actions that every feature has weights for.", sums_to="E"),
        Array("actions", "U16", "E", "These actions, feature by feature."),
        Array("weights", "F32", "E", "Their weights.", low=-LARGEST_WEIGHT, high=LARGEST_WEIGHT),
    )
)
PARSER = Layout((describe_strings("relations", "R", "Relations; none if trees have no relations"), PARSER_WEIGHTS))
