"""Encoded: a training corpus as the learners see it. Encoded once, it serves any number of trainings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import tagloom._core as _core
from tagloom.corpus import Corpus
from tagloom.corpus.corpus import IntArray
from tagloom.features import Batch
from tagloom.model.options import Options
from tagloom.model.task import Task
from tagloom.structures.chain import PairArray


@dataclass(frozen=True)
class Encoded:
    """Feature tables and sparse rows of a corpus, and the chain that lays out their weights."""

    task: Task
    batch: Batch
    store: _core.AttributeStore
    collected: _core.Collected
    chain: _core.Chain
    edge_offsets: IntArray  # [E + 1]
    edge_pairs: PairArray
    data: _core.ChainData

    @classmethod
    def encode(cls, task: Task, options: Options) -> Encoded:
        store, batch = _prepared(task, task.corpus)
        collected = _core.collect_features(store, batch.codes, batch.sentences, options.cutoff, options.buckets)
        nodes, edges = collected.take_rows(False), collected.take_rows(True)
        templates, gold = task.encoder.templates, task.gold.column.codes
        edge_count = len(collected.table(True)) if templates.edges else 0
        offsets, pairs = _core.edge_support(
            edges[0], edges[1], batch.sentences, gold, len(task.structure.labels), edge_count,
            options.edge_pairs == "all",
        )  # fmt: skip
        chain = task.structure.compile(len(collected.table(False)), templates.transitions, offsets, pairs)
        data = _core.ChainData(chain, *nodes, *edges, batch.sentences, gold)
        return cls(task, batch, store, collected, chain, offsets, pairs, data)

    @property
    def feature_count(self) -> int:
        return self.chain.node_rows + len(self.edge_offsets) - 1

    def encode_other(self, corpus: Corpus) -> _core.ChainData:
        """Another corpus in the features of this one; what is new in it is left out."""
        store, batch = _prepared(self.task, corpus)
        tables = self.collected.table(False), self.collected.table(True)
        nodes, edges = _core.encode(store, batch.codes, batch.sentences, *tables)
        return _core.ChainData(self.chain, *nodes, *edges, batch.sentences, np.zeros(0, np.int32))


def _prepared(task: Task, corpus: Corpus) -> tuple[_core.AttributeStore, Batch]:
    store, batch = task.encoder.new_store(), task.encoder.batch(corpus)
    task.encoder.prepare(store, batch)
    return store, batch
