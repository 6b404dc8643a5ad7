"""The schema of the arrays of a segment tagger."""

from __future__ import annotations

from tagloom.schema import Array, Layout, describe_strings
from tagloom.schema.limits import LARGEST_WEIGHT

SEGMENTS = Layout(
    (
        describe_strings("labels", "L", "Labels in which tokens are scored"),
        Array("node_keys", "U64", "F", "Keys of the features of tokens."),
        Array("segment_keys", "U64", "G", "Keys of the features of segments."),
        Array("known_words", "U64", "", "Hashes of the training words.", increases=True),
        Array("weights", "F32", "", "Rows of token features [F][stride] by label, rows of segment features [G][stride] "
              "by type, transitions [L][stride].", -LARGEST_WEIGHT, LARGEST_WEIGHT),
    )
)  # fmt: skip
