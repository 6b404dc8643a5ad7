"""The best labellings of requests, with their spans."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tagloom.corpus import Column, Corpus
from tagloom.corpus.corpus import IntArray
from tagloom.corpus.formats.nbest import find_units
from tagloom.corpus.layers import Labelling, Layer
from tagloom.corpus.running_text import join_segments
from tagloom.corpus.spans import decode_spans
from tagloom.serve.cuts import CutInput
from tagloom.serve.messages import CandidateRecord, CandidateSpan, RankedSentence, RankedText, RankedToken
from tagloom.systems.base import NBEST
from tagloom.systems.text import open_tokens, require_words


def rank_inputs(model: Any, inputs: Sequence[CutInput], count: int) -> list[RankedText]:
    """Find the best labellings of all sentences of all inputs."""
    model.require(NBEST, "nbest")
    layer, corpus = model.layers[-1], _open_corpus(model, inputs)
    by_document = model.reads.labels_documents and corpus.has_documents
    units = find_units(corpus, by_document=by_document)
    lists = model.nbest_corpus(corpus, count) if corpus.token_count else [[] for _ in units]
    ranked = _rank_sentences(corpus.sentences, units, lists, layer)
    return [
        RankedText(cut.text, layer.column, [_describe(cut, *ends, next(ranked)) for ends in _pair(cut.bounds)])
        for cut in inputs
    ]


def _open_corpus(model: Any, inputs: Sequence[CutInput]) -> Corpus:
    segments = [cut.segment for cut in inputs if cut.segment is not None]
    if not segments:
        return open_tokens(model, [cut.tokens for cut in inputs])
    require_words(model)
    return join_segments(segments, model.main)


#: A labelling of one sentence: its labels, and its spans in tokens of the sentence.
_Ranked = tuple[Labelling, Sequence[str], list[tuple[int, int, str]]]


def _rank_sentences(
    sentences: IntArray, units: Sequence[tuple[int, int]], lists: Sequence[Sequence[Labelling]], layer: Layer
) -> Iterator[list[_Ranked]]:
    """Iterate over the labellings of every sentence; those of documents are cut into sentences."""
    for (start, stop), labellings in zip(units, lists, strict=True):
        for first, last in _pair((sentences[start : stop + 1] - sentences[start]).tolist()):
            parts = [each.labels[first:last] for each in labellings]
            yield [(each, part, _find_spans(part, layer)) for each, part in zip(labellings, parts, strict=True)]


def _find_spans(labels: Sequence[str], layer: Layer) -> list[tuple[int, int, str]]:
    if layer.scheme is None:
        return []
    column, whole = Column.from_strings(labels), np.array([0, len(labels)], np.int64)
    spans = decode_spans(column.strings.strings(), column.codes, whole, layer.scheme)
    return [(start, stop, label) for _, start, stop, label in spans.tuples()]


def _describe(cut: CutInput, first: int, last: int, ranked: list[_Ranked]) -> RankedSentence:
    starts, ends = cut.starts[first:last], cut.ends[first:last]
    return RankedSentence(
        starts[0] if starts else 0,
        ends[-1] if ends else 0,
        [RankedToken(cut.text[start:end], start, end) for start, end in zip(starts, ends, strict=True)],
        [
            CandidateRecord(
                each.score,
                each.probability,
                list(labels),
                [CandidateSpan(starts[a], ends[b - 1], label) for a, b, label in spans],
            )
            for each, labels, spans in ranked
        ],
    )


def _pair(bounds: Sequence[int]) -> Iterator[tuple[int, int]]:
    return itertools.pairwise(bounds)
