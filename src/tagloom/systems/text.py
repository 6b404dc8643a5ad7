"""Text in, annotations out: what a model makes of running text, whatever its system.

The tokenizer of the model cuts the text, the models of its line predict their columns, and everything is put back at
its place in the text. Many texts are cut one by one and predicted together, because most of the work is per batch.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tagloom._core import StringTable
from tagloom.corpus import Column, Corpus, read
from tagloom.corpus.corpus import IntArray
from tagloom.corpus.layers import HEADS, LABELS, RELATIONS, Layer
from tagloom.corpus.spans import decode_spans
from tagloom.errors import ConfigError
from tagloom.systems.options import check_threads
from tagloom.text import Annotation, Segmentation, SpanLayer

if TYPE_CHECKING:
    from tagloom.systems.base import Model

_BATCH_CHARACTERS = 1 << 17  # of texts that are predicted together


def annotate_texts(
    model: Model, texts: Sequence[str], *, threads: int = 1, confidence: bool = False, **search: Any
) -> list[Annotation]:
    """Annotate texts, all of them as one batch."""
    for text in texts:
        if not isinstance(text, str):
            raise ConfigError(f"text: expected a str, got {text!r:.60}; pass token lists to annotate or tag_many")
    check_threads(threads)
    model.check_search(search)
    if model.segments_text and confidence:
        raise ConfigError(f"confidence: a {model.noun} that cuts text has no such output; leave it out")
    tokenizer = model.tokenizer
    segments = [tokenizer.segment(text) for text in texts]
    if model.segments_text:
        return [_build_bare(each) for each in segments]
    corpus = join_segments(segments, model.main)
    if corpus.token_count == 0:
        return [_build_bare(each) for each in segments]
    found = _Found.predict(model, corpus, threads, confidence, search)
    return [found.build(number, segment) for number, segment in enumerate(segments)]


def pipe_texts(
    model: Model, texts: Iterable[str], *, threads: int = 1, confidence: bool = False, **search: Any
) -> Iterator[Annotation]:
    """Annotate a stream of texts, in its order; no more than one batch is held."""
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text) if isinstance(text, str) else 0
        if size >= _BATCH_CHARACTERS:
            yield from annotate_texts(model, batch, threads=threads, confidence=confidence, **search)
            batch, size = [], 0
    if batch:
        yield from annotate_texts(model, batch, threads=threads, confidence=confidence, **search)


def annotate_corpus(
    model: Model, corpus: Corpus, *, threads: int = 1, confidence: bool = False, **search: Any
) -> Annotation:
    """Annotate tokens that come without a text: they are joined by blanks."""
    words = corpus.column(model.main).texts()
    sentences = [words[start:stop] for start, stop in zip(corpus.sentences.tolist(), corpus.sentences[1:].tolist())]
    bare = Annotation.from_words(sentences)
    if corpus.token_count == 0:
        return bare
    found = _Found.predict(model, corpus, threads, confidence, search)
    return bare.extend(**found.select(0, corpus.token_count))


def join_segments(segments: Sequence[Segmentation], main: str) -> Corpus:
    """Join the tokens of several texts into one corpus, with one document per text."""
    strings = StringTable()
    codes = [strings.intern_all(each.strings.strings())[each.codes] for each in segments if len(each.codes)]
    lengths = np.concatenate([np.zeros(0, np.int64), *(np.diff(each.sentences) for each in segments)])
    sentences = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    documents = np.concatenate([[0], np.cumsum([len(each.sentences) - 1 for each in segments])]).astype(np.int64)
    column = Column(np.concatenate(codes) if codes else np.zeros(0, np.int32), strings)
    return Corpus({main: column}, sentences, documents, has_documents=len(segments) > 1, source="<text>")


def annotation_to_corpus(annotation: Annotation) -> Corpus:
    """Read an annotation as a treebank, with its multiword tokens and the white space of its text."""
    source = io.BytesIO(annotation.to_conllu().encode("utf-8", "replace"))
    return read(source, "conllu")


def _build_bare(segment: Segmentation) -> Annotation:
    return Annotation(
        segment.text, segment.starts, segment.ends, segment.sentences, words=segment.words,
        multiwords=segment.multiwords,
    )  # fmt: skip


@dataclass(frozen=True)
class _Found:
    """What a line of models predicts for a corpus, ready to be cut into texts."""

    corpus: Corpus
    columns: Mapping[str, list[str]]  # [N] by name
    layers: Sequence[Layer]
    spans: Mapping[str, tuple[IntArray, IntArray, list[str], NDArray[np.float64] | None]]  # by column
    scores: NDArray[np.float64] | None  # [N]
    starts: IntArray  # [texts + 1] first token of each text

    @classmethod
    def predict(cls, model: Model, corpus: Corpus, threads: int, confidence: bool, search: Mapping[str, Any]) -> _Found:
        predicted = model.predict_columns(corpus, threads=threads, **search)
        scores = None
        if confidence:
            model.require("confidence", "confidence")
            scores = model.confidences(corpus, threads, **search)[1].astype(np.float64)  # type: ignore[attr-defined]
        layers = model.layers
        columns = {layer.column: predicted[layer.column].texts() for layer in layers}
        spans = {
            layer.column: _decode(predicted[layer.column], corpus, layer, scores if layer == layers[-1] else None)
            for layer in layers
            if layer.kind == LABELS and layer.scheme is not None
        }
        return cls(corpus, columns, layers, spans, scores, corpus.sentences[corpus.documents])

    def build(self, number: int, segment: Segmentation) -> Annotation:
        """Build the annotation of one text."""
        return Annotation(
            segment.text, segment.starts, segment.ends, segment.sentences, words=segment.words,
            multiwords=segment.multiwords, **self.select(int(self.starts[number]), int(self.starts[number + 1])),
        )  # fmt: skip

    def select(self, start: int, stop: int) -> dict[str, Any]:
        """Select what the tokens ``start:stop`` have."""
        kinds = {layer.kind: layer.column for layer in self.layers}
        layers = []
        for name, (first, last, labels, scores) in self.spans.items():
            low, high = np.searchsorted(first, [start, stop]).tolist()
            own = None if scores is None else scores[low:high]
            layers.append(SpanLayer(name, first[low:high] - start, last[low:high] - start, labels[low:high], own))
        return {
            "columns": {name: texts[start:stop] for name, texts in self.columns.items()},
            "layers": layers,
            "heads": kinds.get(HEADS),
            "relations": kinds.get(RELATIONS),
            "scores": None if self.scores is None else self.scores[start:stop],
        }


def _decode(
    column: Column, corpus: Corpus, layer: Layer, scores: NDArray[np.float64] | None
) -> tuple[IntArray, IntArray, list[str], NDArray[np.float64] | None]:
    """Decode the spans of a column; the score of a span is the least one of its tokens, which bounds it from above."""
    assert layer.scheme is not None
    found = decode_spans(column.strings.strings(), column.codes, corpus.sentences, layer.scheme)
    labels = [found.types[code] for code in found.type.tolist()]
    if scores is None or not len(found.start):
        return found.start, found.stop, labels, None
    bounds = np.stack([found.start, found.stop], axis=1).ravel()
    least = np.minimum.reduceat(np.append(scores, 1.0), bounds)[::2]
    return found.start, found.stop, labels, least
