"""Corpora: columns of tokens in memory, readers and writers, label schemes, spans."""

from tagloom.corpus.corpus import Column, Corpus

__all__ = ["Column", "Corpus"]
