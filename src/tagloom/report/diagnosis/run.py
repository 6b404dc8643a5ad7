"""A model applied to test data: its score, and one task for every kind of output that gold has, too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagloom.corpus import Column, Corpus, read_trees
from tagloom.corpus.corpus import spread
from tagloom.corpus.layers import HEADS, LABELS, RELATIONS, TAGS, Layer
from tagloom.corpus.schemes import BoolArray, Scheme, cuts_text, labels_in_use
from tagloom.corpus.spans import Spans, decode_spans
from tagloom.corpus.trees import HEAD, RELATION
from tagloom.errors import ConfigError, DataError
from tagloom.evaluate import Score, score_treebank
from tagloom.evaluate.treebank import has_trees
from tagloom.report.diagnosis.background import read_words
from tagloom.report.diagnosis.projection import Projection
from tagloom.report.diagnosis.spans import SpanTask, WordTask
from tagloom.report.diagnosis.tags import TagTask
from tagloom.report.diagnosis.task import Task
from tagloom.report.diagnosis.tokens import TokenTask
from tagloom.report.diagnosis.trees import Arcs, TreeTask
from tagloom.systems.base import CONFIDENCE, TEXT, Model
from tagloom.systems.labels import find_gold_scheme
from tagloom.systems.text import make_treebank, predict_scored
from tagloom.text.trees import TAG_COLUMNS


@dataclass(frozen=True)
class Run:
    """What a model made of test data."""

    name: str
    model: Model
    gold: Corpus
    score: Score
    tasks: tuple[Task, ...]  # the main one last
    words: tuple[str, ...]
    predicted: Mapping[str, Column]
    confidences: NDArray[np.float64] | None  # of the labels of the main task: [N]
    confidence_note: str
    projection: Projection | None = None  # of a model that made its own tokens

    @property
    def main(self) -> Task:
        """The task that the model is for."""
        return self.tasks[-1]


def run_model(name: str, model: Model, data: Any, threads: int, search: Mapping[str, Any]) -> Run:
    """Apply a model to data with gold columns.

    Raises:
        DataError: The data are empty, or have nothing to compare with.
    """
    gold = model.open_corpus(data, gold=True)
    if gold.token_count == 0:
        raise DataError(f"{gold.source}: no tokens, so there is nothing to report")
    build = _run_on_text if TEXT in model.capabilities else _run_on_tokens
    run = build(name, model, gold, threads, search)
    if not run.tasks:
        raise DataError(f"{gold.source}: no column that the model predicts; add gold annotation")
    return run


def _run_on_tokens(name: str, model: Model, gold: Corpus, threads: int, search: Mapping[str, Any]) -> Run:
    words = read_words(gold, model.main)
    predicted, confidences, note = _predict(model, gold, threads, search)
    tasks = tuple(_compare_layers(model.layers, gold, predicted, words))
    score = model.evaluate(gold, threads=threads, **search)
    return Run(name, model, gold, score, tasks, tuple(words), predicted, confidences, note)


def _predict(
    model: Model, gold: Corpus, threads: int, search: Mapping[str, Any]
) -> tuple[Mapping[str, Column], NDArray[np.float64] | None, str]:
    """Predict all columns, with confidences if the model has them; otherwise with a note why it has none."""
    if CONFIDENCE not in model.capabilities:
        return model.predict_columns(gold, threads=threads, **search), None, f"A {model.noun} has no confidences."
    try:
        predicted, confidences = predict_scored(model, gold, threads=threads, confidence=True, **search)
    except ConfigError as error:
        return model.predict_columns(gold, threads=threads, **search), None, f"No confidences: {error}."
    if len(next(iter(predicted.values()))) != gold.token_count:  # another normal form has other characters
        predicted, confidences = model.predict_columns(gold, threads=threads, **search), None
    return predicted, confidences, model.confidence_note


def _run_on_text(name: str, model: Model, gold: Corpus, threads: int, search: Mapping[str, Any]) -> Run:
    system, made = make_treebank(model, gold, threads=threads, **search)
    score = score_treebank(gold, system, made).with_signature(model.spec.signature)
    projection = Projection.of(gold, system)
    words = read_words(gold, model.main)
    predicted = {column: projection.project(system.column(column)) for column in made if column in system.columns}
    layers = [replace(layer, scheme=None) for layer in model.layers]
    tasks = [TokenTask(projection.gold, projection.system)]
    tasks += _compare_layers(layers, gold, predicted, words, projection)  # type: ignore[arg-type]
    note = f"A {model.noun} has no confidences."
    return Run(name, model, gold, score, tuple(tasks), tuple(words), predicted, None, note, projection)


def _compare_layers(
    layers: Sequence[Layer], gold: Corpus, predicted: Mapping[str, Column], words: Sequence[str],
    projection: Projection | None = None,
) -> Iterator[Task]:  # fmt: skip
    """Build the tasks of all layers that gold has."""
    for layer in layers:
        if layer.column not in gold.columns or layer.column not in predicted:
            continue
        if layer.kind == HEADS:
            if has_trees(gold) or layer.column != HEAD:
                yield _compare_trees(layers, layer.column, gold, predicted, words, projection)
        elif layer.kind in (LABELS, TAGS):
            yield _compare_labels(layer, gold, predicted[layer.column], words, projection)


def _compare_labels(
    layer: Layer, gold: Corpus, predicted: Column, words: Sequence[str], projection: Projection | None
) -> Task:
    column, present = gold.column(layer.column), None if projection is None else projection.present
    scheme = None if layer.scheme is None else find_gold_scheme(column, gold.sentences, layer.scheme)
    if scheme is None:
        return TagTask(layer.column, column, predicted, gold.sentences, words, present)
    truth, guess = _decode(column, gold, scheme), _decode(predicted, gold, layer.scheme or scheme)
    used = labels_in_use(column.strings.strings(), column.codes)
    kind = WordTask if cuts_text(used, scheme) else SpanTask
    return kind(layer.column, truth, guess, gold.sentences, words)


def _decode(column: Column, corpus: Corpus, scheme: Scheme) -> Spans:
    return decode_spans(column.strings.strings(), column.codes, corpus.sentences, scheme)


def _compare_trees(
    layers: Sequence[Layer], head: str, gold: Corpus, predicted: Mapping[str, Column], words: Sequence[str],
    projection: Projection | None,
) -> Task:  # fmt: skip
    relation = next((layer.column for layer in layers if layer.kind == RELATIONS), None)
    truth = read_trees(gold, head, relation if relation in gold.columns else None, strict=False)
    tags = next((gold.column(name) for name in TAG_COLUMNS if name in gold.columns), None)
    present: BoolArray | None = None
    if projection is None:
        found = gold.with_column(head, predicted[head])
        found = found if relation is None else found.with_column(relation, predicted[relation])
        trees = read_trees(found, head, relation, strict=False)
        heads, relations = trees.heads, trees.relations
    else:
        heads, present = projection.project_heads(truth.sentences), projection.present
        relations = _drop_subtypes(predicted.get(relation or RELATION))
        truth = replace(truth, relations=_drop_subtypes(truth.relations))
    mine = Arcs(truth.heads, None if relations is None else truth.relations)
    theirs = Arcs(heads, None if truth.relations is None else relations)
    return TreeTask(mine, theirs, gold.sentences, words, tags, present)


def _drop_subtypes(relations: Column | None) -> Column | None:
    """Write ``nsubj:pass`` as ``nsubj``: text is scored so, see CoNLL 2018."""
    if relations is None:
        return None
    return spread([text.partition(":")[0] for text in relations.strings.strings()], relations.codes)


def name_model(path: str | None, model: Model) -> str:
    """Name a model for the page: by its file, or by what it is."""
    return Path(path).name if path else model.noun
