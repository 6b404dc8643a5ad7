"""The schema of the arrays of a tagger."""

from __future__ import annotations

from tagloom.schema import Array, Layout, OneOf, describe_names, describe_strings
from tagloom.schema.limits import LARGEST_WEIGHT

_RANGE = (-LARGEST_WEIGHT, LARGEST_WEIGHT)


def _describe_weights(name: str, kind: str, text: str, *, is_needed: bool = True) -> Layout:
    """Describe weights that may be packed (``files/packing``)."""
    packed = (
        Array("mask", "U8", "", "One bit per weight, lowest first, and zeros up to the end of the byte."),
        Array("values", kind, "", "The weights whose bit is set.", *_RANGE),
        Array("count", "I64", "1", "Number of weights, those without a bit included.", low=0),
    )
    return Layout(
        (OneOf((Layout((Array(name, kind, "", text, *_RANGE),)), Layout(packed, f"{name}."))),), is_needed=is_needed
    )


_LINEAR = Layout(
    (
        Array("weights", "F64", "M", "Weights of the features.", *_RANGE),
        Array("base", "F64", "1", "Weight of the score of the tagger.", *_RANGE),
    ),
    "ranker.",
)
_VOTED = Layout(
    (
        Array("offsets", "I64", "M + 1", "First event of every feature.", cuts="V"),
        Array("events", "U32", "V", "Twice the number of an update, plus one where the weight fell."),
        Array("base", "F64", "U", "Weight of the score of the tagger after every update.", *_RANGE),
        Array("votes", "I64", "U", "Votes of every vector.", low=0, high=2**40),
    ),
    "ranker.",
)

TAGGER = Layout(
    (
        describe_strings("labels", "L", "Labels that the model decides on"),
        Array("node_keys", "U64", "F", "Keys of the features of labels; none with feature hashing."),
        Array("edge_keys", "U64", "E", "Keys of the features of label pairs; none with feature hashing."),
        Array("edge_offsets", "I64", "", "First label pair of every row of edge features, and the end.", cuts="P"),
        Array("edge_pairs", "U32", "P", "Label pairs that have a weight: previous label times L plus label."),
        Array("known_words", "U64", "", "Hashes of the training words.", increases=True),
        _describe_weights("weights", "F32", "Node rows [F][stride], transitions [L][stride], edge weights, triples."),
        _describe_weights("exact_weights", "F64", "The weights before rounding, if they are known.", is_needed=False),
        describe_names("node_names.", "F", "Texts of the features of labels"),
        describe_names("edge_names.", "E", "Texts of the features of label pairs"),
        Array("second_weights", "F32", "", "Weights that choose among candidates (re-ranking 2).", *_RANGE,
              is_needed=False),
        Array("nonlocal_weights", "F32", "", "Weights of non-local features: native ones, then those of functions.",
              *_RANGE, is_needed=False),
        describe_strings("nonlocal_names", "S", "Strings that functions returned", is_needed=False),
        Layout(
            (
                Array("words", "U64", "W", "Hashes of words.", increases=True),
                Array("bits", "U8", "", "Labels that each may take: (L + 7) / 8 bytes per word, lowest bit first."),
            ),
            "tag_dictionary.",
            is_needed=False,
        ),
        Layout(
            (
                Array("keys", "U64", "M", "Keys of the features of whole labellings.", increases=True),
                OneOf((_LINEAR, _VOTED)),
                describe_names("names.", "M", "Texts of these features"),
            ),
            "reranker.",
            is_needed=False,
        ),
    )
)  # fmt: skip
