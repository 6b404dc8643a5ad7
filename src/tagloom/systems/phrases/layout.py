"""The schema of the arrays of a phrase chunker."""

from __future__ import annotations

from tagloom.schema import Array, Layout, describe_strings

_LARGEST = 2**53 - 1  # amounts are exact in double precision


def _describe_vectors(prefix: str, functions: str, what: str) -> Layout:
    return Layout(
        (
            Array("decisions", "I64", functions, f"Decisions of {what} in training.", low=0, high=_LARGEST),
            Array("lengths", "U16", "u", "Features of every distinct instance."),
            Array("steps", "U8", "", "Features of the instances, as differences, seven bits per byte."),
            Array("uses", "U16", "u", "Functions that use every instance.", sums_to="v"),
            Array("functions", "U16", "v", "These functions, instance by instance.", below=functions),
            Array("amounts", "I64", "v", "How much each counts; none is 0.", low=-_LARGEST, high=_LARGEST),
        ),
        prefix,
    )


PHRASES = Layout(
    (
        describe_strings("categories", "C", "Categories of phrases"),
        Array("word_keys", "U64", "", "Keys of the features of words."),
        Array("phrase_keys", "U64", "", "Keys of the features of phrases."),
        _describe_vectors("filters.", "2", "the filters of beginnings and of insides"),
        _describe_vectors("scorers.", "C", "the scorer of every category"),
    )
)
