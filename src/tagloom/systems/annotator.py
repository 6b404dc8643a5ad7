"""What a model makes of batches of a corpus, and how it is written: ``tagloom tag`` and ``tagloom.scale`` use it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tagloom.corpus import Column, Corpus
from tagloom.corpus.formats import Format, find_format, get_format
from tagloom.corpus.layers import CONFIDENCE, Layer
from tagloom.corpus.running_text import build_annotation, get_running_text, iter_part_annotations
from tagloom.corpus.schemes import IOB1
from tagloom.corpus.streams import Content
from tagloom.systems.text import predict_scored
from tagloom.text import Annotation


@dataclass(frozen=True)
class Result:
    """A batch of the input with what a model predicts for it."""

    batch: Corpus
    predicted: Mapping[str, Column]
    layers: Sequence[Layer]
    main: str

    @property
    def has_text(self) -> bool:
        """Whether the batch was cut from running text."""
        return get_running_text(self.batch) is not None

    def write(self, row: Format | None) -> Content:
        """Write the batch in a format; None for that of the input."""
        chosen = row or get_format(self.batch)
        return chosen.annotate(self.batch, self.predicted, self.layers, self.main)

    def annotate(self) -> Annotation:
        """Build one annotation of the batch."""
        return build_annotation(self.batch, self.predicted, self.layers, self.main)

    def iterate(self) -> Iterator[Annotation]:
        """Build one annotation per line or paragraph of running text, or one of all words."""
        return (
            iter_part_annotations(self.batch, self.predicted, self.layers) if self.has_text else iter([self.annotate()])
        )


@dataclass(frozen=True)
class Annotator:
    """A model, and what it is asked for."""

    model: Any
    threads: int = 1
    search: Mapping[str, object] = field(default_factory=dict)
    confidence: bool = False
    nbest: int | None = None
    to: str | None = None  # the format to write; None for that of the input

    def annotate(self, batch: Corpus) -> Result:
        """Predict the layers of a batch."""
        model = self.model
        predicted, scores = predict_scored(
            model, batch, threads=self.threads, confidence=self.confidence, **self.search
        )
        layers = list(model.layers)
        if scores is not None:
            label = layers[-1]
            layer = Layer("probability" if label.column == "confidence" else "confidence", CONFIDENCE)
            predicted[layer.column] = Column.from_strings(f"{score:.4f}" for score in scores.tolist())
            layers.insert(-1, layer)
        return Result(batch, predicted, layers, model.main)

    def write(self, batch: Corpus) -> Content:
        """Write what the model makes of a batch."""
        if self.nbest is not None:
            return self.write_nbest(batch, self.nbest)
        return self.annotate(batch).write(None if self.to is None else find_format(self.to))

    def write_nbest(self, batch: Corpus, count: int) -> Content:
        """Write the best labellings of a batch."""
        model, row = self.model, get_format(batch) if self.to is None else find_format(self.to)
        lists = model.nbest_corpus(batch, count, self.threads)
        by_document = model.reads.labels_documents and batch.has_documents
        return row.annotate_nbest(batch, lists, model.layers[-1], model.main, by_document=by_document)

    def list_notes(self) -> list[str]:
        """List what a reader of the output must know."""
        notes = [
            f"column {layer.column!r} is written in IOB1, the label scheme of the training data"
            for layer in self.model.layers
            if layer.scheme == IOB1
        ]
        note = self.model.confidence_note if self.confidence else ""
        return [*([f"confidence: {note}"] if note else []), *notes]
