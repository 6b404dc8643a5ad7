"""Corpora: columns of tokens in memory, readers and writers, label schemes, spans."""

from tagloom.corpus.corpus import Column, Corpus
from tagloom.corpus.formats import FORMATS, Format
from tagloom.corpus.guess import Guess, guess
from tagloom.corpus.objects import from_hf, from_sentences
from tagloom.corpus.read import read
from tagloom.corpus.write import to_string, write

__all__ = [
    "FORMATS",
    "Column",
    "Corpus",
    "Format",
    "Guess",
    "from_hf",
    "from_sentences",
    "guess",
    "read",
    "to_string",
    "write",
]
