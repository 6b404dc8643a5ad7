"""Encoded: a training corpus as learners see it. It is encoded once and serves any number of trainings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom._version import __version__
from tagloom.corpus import Corpus
from tagloom.corpus.corpus import IntArray
from tagloom.corpus.mapped import cut_sentences
from tagloom.errors import ConfigError
from tagloom.features import Batch, FeatureEncoder, repeat_tokens
from tagloom.files.checkpoint import compute_checksum
from tagloom.learners import Learner
from tagloom.learners.blocks import Blocks, WholeData
from tagloom.structures.chain import PairArray
from tagloom.structures.consistency import SpanClasses
from tagloom.structures.sequences import JOINED
from tagloom.systems.tagger.documents import EncodedDocuments, NonlocalParts, Total
from tagloom.systems.tagger.names import FeatureNames
from tagloom.systems.tagger.options import TaggerOptions
from tagloom.systems.tagger.task import Task
from tagloom.systems.tagger.warm_start import GrownTable, RowArray, merge_pairs

SparseRows = tuple[IntArray, NDArray[np.uint32], NDArray[np.float32]]  # offsets, rows, values


@dataclass(frozen=True)
class Encoded(ABC):
    """Feature tables of a corpus, the chain that lays out their weights, and the examples that learners visit."""

    task: Task
    nodes: GrownTable
    edges: GrownTable
    chain: _core.Chain
    edge_offsets: IntArray  # [E + 1]
    edge_pairs: PairArray

    @property
    def feature_count(self) -> int:
        """The number of features, those of edges included."""
        return self.chain.node_rows + len(self.edge_offsets) - 1

    def encode_other(self, corpus: Corpus, threads: int = 1) -> EncodedDocuments:
        """Encode another corpus in the features of this one; new features are left out."""
        store, batch = prepare_batch(self.task.encoder, corpus)
        tables = self.nodes.table, self.edges.table
        nodes, edges = _core.encode(store, batch.codes, batch.sentences, *tables, threads)
        data = _core.ChainData(self.chain, *nodes, *edges, batch.sentences, np.zeros(0, np.int32))
        sequences = self.task.sequences(corpus)
        return EncodedDocuments(sequences.cut(data), self.task.encoder, batch, sequences)

    @abstractmethod
    def adapt(self, options: TaggerOptions) -> Encoded:
        """Return the same features for a training with other sequences, another direction or another history."""

    @abstractmethod
    def documents(self) -> EncodedDocuments:
        """Return the corpus as documents with gold labels, for learners of documents."""

    @abstractmethod
    def cut_into_blocks(self, tokens: int) -> Blocks:
        """Return the examples, in blocks of so many tokens; 0 for one block."""

    @abstractmethod
    def name_rows(self, rows: RowArray, *, edge: bool) -> FeatureNames | None:
        """Write the names of features that the corpus adds to those of a start model; None if they are not known."""

    def total(self, learner: Learner, options: TaggerOptions) -> Total | None:
        """Build what a learner of documents chooses among candidates with; every training needs its own."""
        if not learner.sees_documents:
            return None
        structure = self.task.structure
        classes = SpanClasses.of(structure.labels, structure.scheme)
        parts = NonlocalParts(options.families, options.document_functions, classes, structure.labels)
        return Total(parts, learner.has_second_weights, options.candidates)


@dataclass(frozen=True)
class EncodedCorpus(Encoded):
    """A corpus whose sparse rows are in memory."""

    batch: Batch
    store: _core.AttributeStore
    collected: _core.Collected
    rows: tuple[SparseRows, SparseRows]  # of nodes and of edges
    all_pairs: bool  # edge features have weights for all label pairs
    data: _core.ChainData

    @classmethod
    def encode(cls, task: Task, options: TaggerOptions) -> EncodedCorpus:
        """Encode the corpus of a task."""
        check_masking(task, options)
        store, batch = prepare_batch(task.training_encoder, task.corpus)
        batch = replace(batch, masks=options.masking.open().draw(task.corpus.token_count))
        given = options.cutoff, options.buckets, options.threads, batch.masks
        collected = _core.collect_features(store, batch.codes, batch.sentences, *given)
        nodes, edges = grow_tables(collected, task)
        if task.start is None:
            rows = collected.take_rows(False), collected.take_rows(True)
        else:  # rows again, because the cut-off does not hold for features that the start model knows
            tables = nodes.table, edges.table
            rows = _core.encode(store, batch.codes, batch.sentences, *tables, options.threads, batch.masks)
        all_pairs = options.edge_pairs == "all"
        chain, offsets, pairs, data = _build_chain(task, batch, nodes, edges, rows, all_pairs)
        return cls(task, nodes, edges, chain, offsets, pairs, batch, store, collected, rows, all_pairs, data)

    def adapt(self, options: TaggerOptions) -> EncodedCorpus:
        """Return the same features for a training with other sequences, another direction or another history."""
        kind, structure, (direction, history) = options.chosen_sequences, self.task.structure, options.order
        if JOINED in (kind, self.task.kind) and kind != self.task.kind:
            raise ConfigError(f"sequences: {kind!r} and {self.task.kind!r} do not share features; set one for all")
        options.check()  # that of dropout may depend on the sequences
        task = replace(self.task, kind=kind, structure=replace(structure, direction=direction, history=history))
        if (direction, history) == (structure.direction, structure.history):
            return replace(self, task=task)
        chain, offsets, pairs, data = _build_chain(task, self.batch, self.nodes, self.edges, self.rows, self.all_pairs)
        return replace(self, task=task, chain=chain, edge_offsets=offsets, edge_pairs=pairs, data=data)

    def documents(self) -> EncodedDocuments:
        """Return the corpus as documents with gold labels."""
        sequences = self.task.sequences(self.task.corpus).repeat(self.batch.copies)
        return EncodedDocuments(sequences.cut(self.data), self.task.encoder, self.batch, sequences)

    def cut_into_blocks(self, tokens: int) -> WholeData:
        """Return the examples, which are all in memory."""
        documents, copies = self.documents(), self.batch.copies
        if tokens == 0:
            return WholeData(documents.data, len(documents.sequences))
        offsets = self.task.sequences(self.task.corpus).offsets
        return WholeData(documents.data, cut_sentences(offsets, share_block(tokens, copies)) * copies)

    def name_rows(self, rows: RowArray, *, edge: bool) -> FeatureNames:
        """Write the names of features that the corpus adds to those of a start model."""
        templates, encoder = self.task.encoder.templates, self.task.encoder
        part_names = encoder.part_names(templates.edges if edge else templates.nodes)
        texts = self.collected.names(self.store, self.batch.codes, self.batch.sentences, edge, part_names, rows)
        return FeatureNames.from_texts(*texts)


def encode_corpus(task: Task, options: TaggerOptions) -> Encoded:
    """Encode the corpus of a task: in memory, or into files if memory is limited."""
    if options.memory is None:
        return EncodedCorpus.encode(task, options)
    from tagloom.systems.tagger.spilled import SpilledCorpus  # here, because few corpora need it

    return SpilledCorpus.encode(task, options)


def grow_tables(collected: _core.Collected, task: Task) -> tuple[GrownTable, GrownTable]:
    """Return the tables of nodes and of edges, with the features of the model that the training begins from."""
    known = (None, None) if task.start is None else (task.start.parameters.node_keys, task.start.parameters.edge_keys)
    return GrownTable.grow(collected.table(False), known[0]), GrownTable.grow(collected.table(True), known[1])


def _build_chain(
    task: Task, batch: Batch, nodes: GrownTable, edges: GrownTable, rows: tuple[SparseRows, SparseRows], all_pairs: bool
) -> tuple[_core.Chain, IntArray, PairArray, _core.ChainData]:
    """Build the chain of a task, with the label pairs of the edge features, and the corpus as its data."""
    structure, sentences = task.structure, batch.copied_sentences
    gold = repeat_tokens(task.gold.column.codes, batch.sentences, batch.copies)
    labels, count = len(structure.labels), len(edges.table) if task.encoder.templates.edges else 0
    offsets, pairs = _core.edge_support(*rows[1][:2], sentences, gold, labels, count, all_pairs, structure.is_backwards)
    if task.start is not None:
        offsets, pairs = merge_pairs(offsets, pairs, labels, task.start)
    chain = structure.compile(len(nodes.table), task.encoder.templates.transitions, offsets, pairs)
    data = _core.ChainData(chain, *rows[0], *rows[1], sentences, gold)
    return chain, offsets, pairs, data


def check_masking(task: Task, options: TaggerOptions) -> None:
    """Refuse word dropout where no feature can be masked."""
    if options.dropout and not any(task.encoder.groups):
        raise ConfigError(
            "dropout: no template looks at words, clusters, lists or functions of words, so that nothing would be "
            "masked; leave it out"
        )


def share_block(tokens: int, copies: int) -> int:
    """Compute the tokens of the corpus whose copies make a block of so many tokens."""
    return max(1, tokens // copies)


def prepare_batch(encoder: FeatureEncoder, corpus: Corpus) -> tuple[_core.AttributeStore, Batch]:
    """Build the batch of a corpus, and compute its attributes."""
    store, batch = encoder.new_store(), encoder.batch(corpus)
    encoder.prepare(store, batch)
    return store, batch


#: Options that the identity holds in the form that they were resolved to.
_RESOLVED = ("learner", "label", "scheme", "templates", "attributes", "sentence_attributes",
             "document_attributes", "document_functions",
             "resources", "stages", "stage1", "stage_folds")  # fmt: skip


def identify_training(encoded: Encoded, options: TaggerOptions, dev: Corpus | None) -> dict[str, str]:
    """List everything that decides what is learned, by name; equal identities learn equal weights."""
    task, start = encoded.task, encoded.task.start
    vocabulary, dictionary = task.encoder.vocabulary, task.dictionary
    functions = [*vocabulary.word_functions, *vocabulary.sentence_functions, *vocabulary.document_attributes]
    functions += options.document_functions
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
        "functions": " ".join(functions),
        "resources": compute_checksum(resources),
        "dictionary": compute_checksum([] if dictionary is None else [dictionary.words, dictionary.bits]),
        **{name: _text(value) for name, value in options.list_deciding(_RESOLVED).items()},
        "features": compute_checksum([encoded.nodes.table.keys(), encoded.edges.table.keys(), encoded.edge_pairs]),
        "weights": str(encoded.chain.size),
    }


def _text(value: object) -> str:
    return compute_checksum([value]) if isinstance(value, np.ndarray) else repr(value)
