"""Corpora: columns of tokens in memory, readers and writers, label schemes, spans."""

from tagloom.corpus.corpus import Column, Corpus
from tagloom.corpus.formats import FORMATS, Format
from tagloom.corpus.guess import Guess, guess
from tagloom.corpus.objects import from_hf, from_sentences
from tagloom.corpus.read import read
from tagloom.corpus.schemes import (
    SCHEMES,
    Scheme,
    allowed_transitions,
    check_labels,
    detect_scheme,
    scheme_named,
)
from tagloom.corpus.spans import Spans, convert_labels, labels_from_spans, spans_from_labels
from tagloom.corpus.write import to_string, write

__all__ = [
    "FORMATS",
    "SCHEMES",
    "Column",
    "Corpus",
    "Format",
    "Guess",
    "Scheme",
    "Spans",
    "allowed_transitions",
    "check_labels",
    "convert_labels",
    "detect_scheme",
    "from_hf",
    "from_sentences",
    "guess",
    "labels_from_spans",
    "read",
    "scheme_named",
    "spans_from_labels",
    "to_string",
    "write",
]
