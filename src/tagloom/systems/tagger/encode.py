"""Encoded: a training corpus as learners see it. It is encoded once and serves any number of trainings."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom._version import __version__
from tagloom.corpus import Corpus
from tagloom.corpus.corpus import IntArray
from tagloom.errors import ConfigError
from tagloom.features import Batch, FeatureEncoder
from tagloom.files.checkpoint import compute_checksum
from tagloom.learners import Learner
from tagloom.structures.chain import PairArray
from tagloom.structures.consistency import SpanClasses
from tagloom.structures.sequences import JOINED
from tagloom.systems.tagger.documents import EncodedDocuments, NonlocalParts, Total
from tagloom.systems.tagger.options import TaggerOptions
from tagloom.systems.tagger.task import Task
from tagloom.systems.tagger.warm_start import GrownTable, build_first_weights, merge_pairs

SparseRows = tuple[IntArray, NDArray[np.uint32], NDArray[np.float32]]  # offsets, rows, values


@dataclass(frozen=True)
class Encoded:
    """Feature tables and sparse rows of a corpus, and the chain that lays out their weights."""

    task: Task
    batch: Batch
    store: _core.AttributeStore
    collected: _core.Collected
    nodes: GrownTable
    edges: GrownTable
    rows: tuple[SparseRows, SparseRows]  # of nodes and of edges
    all_pairs: bool  # edge features have weights for all label pairs
    chain: _core.Chain
    edge_offsets: IntArray  # [E + 1]
    edge_pairs: PairArray
    data: _core.ChainData

    @classmethod
    def encode(cls, task: Task, options: TaggerOptions) -> Encoded:
        """Encode the corpus of a task."""
        store, batch = _prepared(task.training_encoder, task.corpus)
        collected = _core.collect_features(store, batch.codes, batch.sentences, options.cutoff, options.buckets)
        nodes, edges = _grown(collected, task)
        if task.start is None:
            rows = collected.take_rows(False), collected.take_rows(True)
        else:  # again, because the cut-off does not hold for features that the start model knows
            rows = _core.encode(store, batch.codes, batch.sentences, nodes.table, edges.table)
        all_pairs = options.edge_pairs == "all"
        built = _build_chain(task, batch, nodes, edges, rows, all_pairs)
        return cls(task, batch, store, collected, nodes, edges, rows, all_pairs, *built)

    @property
    def feature_count(self) -> int:
        """The number of features, those of edges included."""
        return self.chain.node_rows + len(self.edge_offsets) - 1

    def encode_other(self, corpus: Corpus) -> EncodedDocuments:
        """Encode another corpus in the features of this one; new features are left out."""
        store, batch = _prepared(self.task.encoder, corpus)
        nodes, edges = _core.encode(store, batch.codes, batch.sentences, self.nodes.table, self.edges.table)
        data = _core.ChainData(self.chain, *nodes, *edges, batch.sentences, np.zeros(0, np.int32))
        sequences = self.task.sequences(corpus)
        return EncodedDocuments(sequences.cut(data), self.task.encoder, batch, sequences)

    def fitted(self, options: TaggerOptions) -> Encoded:
        """Return the same features for a training with other sequences, another direction or another history."""
        cut, order = self.cut_into(options.chosen_sequences), options.order
        structure = self.task.structure
        if order == (structure.direction, structure.history):
            return cut
        direction, history = order
        task = replace(cut.task, structure=replace(structure, direction=direction, history=history))
        chain, offsets, pairs, data = _build_chain(task, self.batch, self.nodes, self.edges, self.rows, self.all_pairs)
        return replace(cut, task=task, chain=chain, edge_offsets=offsets, edge_pairs=pairs, data=data)

    def cut_into(self, kind: str) -> Encoded:
        """Return the same features with sentences or documents as sequences; joined documents stay joined."""
        if JOINED in (kind, self.task.kind) and kind != self.task.kind:
            raise ConfigError(f"sequences: {kind!r} and {self.task.kind!r} do not share features; set one for all")
        return self if kind == self.task.kind else replace(self, task=replace(self.task, kind=kind))

    def documents(self) -> EncodedDocuments:
        """Return the corpus as documents with gold labels."""
        sequences = self.task.sequences(self.task.corpus)
        return EncodedDocuments(sequences.cut(self.data), self.task.encoder, self.batch, sequences)

    def total(self, learner: Learner, options: TaggerOptions) -> Total | None:
        """Build what a learner of documents chooses among candidates with; every training needs its own."""
        if not learner.sees_documents:
            return None
        structure = self.task.structure
        classes = SpanClasses.of(structure.labels, structure.scheme)
        parts = NonlocalParts(options.families, options.document_functions, classes, structure.labels)
        return Total(parts, learner.has_second_weights, options.candidates)

    def first_weights(self) -> NDArray[np.float32] | None:
        """Compute the weights to begin with; None for zeros."""
        if self.task.start is None:
            return None
        return build_first_weights(self.chain, self.edge_offsets, self.edge_pairs, self.task.start)


def _grown(collected: _core.Collected, task: Task) -> tuple[GrownTable, GrownTable]:
    old = None if task.start is None else task.start.parameters
    return (
        GrownTable.grow(collected.table(False), None if old is None else old.node_keys),
        GrownTable.grow(collected.table(True), None if old is None else old.edge_keys),
    )


def _build_chain(
    task: Task, batch: Batch, nodes: GrownTable, edges: GrownTable, rows: tuple[SparseRows, SparseRows], all_pairs: bool
) -> tuple[_core.Chain, IntArray, PairArray, _core.ChainData]:
    """Build the chain of a task, with the label pairs of the edge features, and the corpus as its data."""
    offsets, pairs = _label_pairs(task, batch, edges, rows[1], all_pairs)
    chain = task.structure.compile(len(nodes.table), task.encoder.templates.transitions, offsets, pairs)
    data = _core.ChainData(chain, *rows[0], *rows[1], batch.sentences, task.gold.column.codes)
    return chain, offsets, pairs, data


def _label_pairs(
    task: Task, batch: Batch, edges: GrownTable, rows: SparseRows, all_pairs: bool
) -> tuple[IntArray, PairArray]:
    """Collect the label pairs of the edge features."""
    labels, gold = len(task.structure.labels), task.gold.column.codes
    count = len(edges.table) if task.encoder.templates.edges else 0
    backwards = task.structure.is_backwards
    found = _core.edge_support(rows[0], rows[1], batch.sentences, gold, labels, count, all_pairs, backwards)
    return found if task.start is None else merge_pairs(*found, labels, task.start)


def _prepared(encoder: FeatureEncoder, corpus: Corpus) -> tuple[_core.AttributeStore, Batch]:
    store, batch = encoder.new_store(), encoder.batch(corpus)
    encoder.prepare(store, batch)
    return store, batch


#: Options that the identity holds in the form that they were resolved to.
_RESOLVED = ("learner", "label", "scheme", "templates", "attributes", "sentence_attributes", "document_functions",
             "resources")  # fmt: skip


def identify_training(encoded: Encoded, options: TaggerOptions, dev: Corpus | None) -> dict[str, str]:
    """List everything that decides what is learned, by name; equal identities learn equal weights."""
    task, start = encoded.task, encoded.task.start
    vocabulary = task.encoder.vocabulary
    resources = [array for name in sorted(task.resources) for array in task.resources[name].to_tensors().values()]
    return {
        "tagloom": __version__,
        "system": "tagger",
        "normal form": str(task.normal_form),
        "data": task.corpus.checksum(),
        "dev": "none" if dev is None else dev.checksum(),
        "start": "none" if start is None else f"{start.spec.signature} {compute_checksum([start.parameters.weights])}",
        "learner": _text(options.chosen_learner),
        "label": task.label,
        "scheme": str(task.gold.decided.name if task.gold.decided else None),
        "templates": str(task.encoder.templates),
        "functions": " ".join(
            [*vocabulary.word_functions, *vocabulary.sentence_functions, *options.document_functions]
        ),
        "resources": compute_checksum(resources),
        "dictionary": compute_checksum(
            [] if task.dictionary is None else [task.dictionary.words, task.dictionary.bits]
        ),
        **{name: _text(value) for name, value in options.list_deciding(_RESOLVED).items()},
        "features": compute_checksum([encoded.nodes.table.keys(), encoded.edges.table.keys(), encoded.edge_pairs]),
        "weights": str(encoded.chain.size),
    }


def _text(value: object) -> str:
    return compute_checksum([value]) if isinstance(value, np.ndarray) else repr(value)
