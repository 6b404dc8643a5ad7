"""Inputs of requests as a model reads them: tokens by sentences, and their places in a text."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tagloom.systems.text import write_tokens
from tagloom.text import Annotation, Segmentation

#: What a model decides on: the number of its first token, the tokens, and the places of all tokens of the input.
Decided = tuple[int, Sequence[Any], Sequence[int], Sequence[int]]


@dataclass(frozen=True)
class CutInput:
    """A text that was cut for a model, or tokens with the text that they make.

    Attributes:
        text: The text.
        tokens: Tokens as the model reads them: words, rows of words, or feature dicts.
        starts: First character of each token.
        ends: One past the last character of each token.
        bounds: The token that each sentence begins with, and the number of tokens.
        segment: How the text was cut; None if there were tokens.
    """

    text: str
    tokens: Sequence[Any]
    starts: Sequence[int]
    ends: Sequence[int]
    bounds: Sequence[int]
    segment: Segmentation | None = None

    def list_decided(self, model: Any) -> list[Decided]:
        """List what a model decides on: the tokens of every sentence; for a tokenizer, the characters of the text."""
        if model.is_tokenizer:
            places = range(len(self.text) + 1)
            return [(0, self.text, places[:-1], places[1:])] if self.text.strip() else []
        bounds = itertools.pairwise(self.bounds)
        return [(first, self.tokens[first:last], self.starts, self.ends) for first, last in bounds if first < last]


def cut_inputs(model: Any, texts: Sequence[str] | None, sentences: Sequence[Sequence[Any]] | None) -> list[CutInput]:
    """Cut texts into the tokens that a model decides on, or find a text for the tokens of each sentence."""
    if texts is not None:
        return [_from_segment(model.tokenizer.segment(text)) for text in texts]
    return [_from_tokens(model, tokens) for tokens in sentences or ()]


def _from_segment(cut: Segmentation) -> CutInput:
    return CutInput(cut.text, cut.words, cut.starts.tolist(), cut.ends.tolist(), cut.sentences.tolist(), cut)


def _from_tokens(model: Any, tokens: Sequence[Any]) -> CutInput:
    found = Annotation.from_words([write_tokens(model, [tokens])])
    return CutInput(found.text, tokens, found.starts.tolist(), found.ends.tolist(), [0, len(tokens)])
