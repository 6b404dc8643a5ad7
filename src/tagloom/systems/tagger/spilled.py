"""A training corpus whose sparse rows are in temporary files, block by block, for data that is larger than memory."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NoReturn

import numpy as np

import tagloom._core as _core
from tagloom.corpus.corpus import CodeArray, Corpus, IntArray
from tagloom.corpus.mapped import SpilledArray, cut_sentences, release
from tagloom.features import Batch, FeatureEncoder, Masking, repeat_offsets, repeat_tokens
from tagloom.learners.blocks import Blocks, build_refusal
from tagloom.structures.chain import PairArray
from tagloom.structures.sequences import DOCUMENTS, Sequences
from tagloom.systems.tagger.encode import Encoded, SparseRows, check_masking, grow_tables, share_block
from tagloom.systems.tagger.options import TaggerOptions
from tagloom.systems.tagger.task import Task
from tagloom.systems.tagger.warm_start import GrownTable, RowArray, merge_pairs


class RowFile:
    """The sparse rows of blocks, in files."""

    def __init__(self) -> None:
        self._files = tuple(SpilledArray(kind) for kind in (np.int64, np.uint32, np.float32))
        self._ends: list[list[int]] = [[0, 0, 0]]  # of each block, in the files

    def append(self, rows: SparseRows) -> None:
        """Write the rows of the next block."""
        for file, array in zip(self._files, rows, strict=True):
            file.append(np.asarray(array))
        self._ends.append([len(file) for file in self._files])

    def read(self, block: int) -> SparseRows:
        """Map the rows of a block."""
        places = zip(self._files, self._ends[block], self._ends[block + 1], strict=True)
        offsets, rows, values = (file.view(begin, end) for file, begin, end in places)
        return offsets, rows, values


@dataclass(frozen=True)
class SpilledBlocks(Blocks):
    """Examples whose rows are in files; one block is mapped at a time."""

    chain: _core.Chain
    nodes: RowFile
    edges: RowFile
    sentences: IntArray  # [S + 1]
    gold: CodeArray  # [N]
    parts: IntArray  # [B + 1] sentences
    copies: int  # of every sentence

    @property
    def bounds(self) -> IntArray:  # type: ignore[override]
        """The number of the first example of each block, and that of all examples."""
        return self.parts * self.copies

    def open(self, block: int) -> tuple[_core.ChainData, int]:
        """Map a block."""
        sentences = cut_offsets(self.sentences, self.parts, block)
        gold = cut_gold(self.gold, self.sentences, self.parts, block)
        gold = repeat_tokens(gold, sentences, self.copies)
        sentences = repeat_offsets(sentences, self.copies)
        rows = (*self.nodes.read(block), *self.edges.read(block))
        return Sequences.of_sentences(sentences).cut(_core.ChainData(self.chain, *rows, sentences, gold)), 0

    def cut(self, block: int) -> _core.ChainData:
        """Map a block."""
        return self.open(block)[0]


def cut_offsets(sentences: IntArray, bounds: IntArray, block: int) -> IntArray:
    """Return the offsets of the sentences of a block, from 0."""
    part: IntArray = sentences[bounds[block] : bounds[block + 1] + 1]
    return np.asarray(part - part[0])


def cut_gold(gold: CodeArray, sentences: IntArray, bounds: IntArray, block: int) -> CodeArray:
    """Copy the gold labels of a block from a file."""
    part: CodeArray = np.array(gold[sentences[bounds[block]] : sentences[bounds[block + 1]]])
    release(gold)
    return part


@dataclass(frozen=True)
class SpilledCorpus(Encoded):
    """A corpus whose sparse rows are in files."""

    nodes_file: RowFile
    edges_file: RowFile
    bounds: IntArray = field(repr=False)  # [B + 1] sentences
    copies: int  # of every sentence

    @classmethod
    def encode(cls, task: Task, options: TaggerOptions) -> SpilledCorpus:
        """Encode the corpus of a task block by block."""
        check_masking(task, options)
        masking = options.masking
        bounds = _cut(task, share_block(options.choose_block(), masking.copies))
        _check_learner(task, options, blocks=len(bounds) - 1)
        collected = _core.Collected(options.buckets, has_origins=False)
        files = _collect(task, bounds, masking, collected, options.threads)
        new_rows = collected.finish(options.cutoff)
        nodes, edges = grow_tables(collected, task)
        if task.start is not None:  # rows again, because the cut-off does not hold for features that it knows
            files = _encode_again(task, bounds, masking, nodes, edges, options.threads)
        elif options.buckets == 0:
            blocks = len(bounds) - 1
            files = _rename(files[0], new_rows[0], blocks), _rename(files[1], new_rows[1], blocks)
        built = _build_chain(
            task, bounds, masking.copies, nodes, edges, files[1], all_pairs=options.edge_pairs == "all"
        )
        return cls(task, nodes, edges, *built, *files, bounds, masking.copies)

    def adapt(self, options: TaggerOptions) -> NoReturn:
        """Refuse: a training in other sequences needs the rows of all sentences."""
        raise build_refusal("a training that shares features")

    def documents(self) -> NoReturn:
        """Refuse: documents are wholes."""
        raise build_refusal("a learner of documents")

    def cut_into_blocks(self, tokens: int) -> SpilledBlocks:
        """Return the examples in the blocks in which they were encoded."""
        given = self.nodes_file, self.edges_file, self.task.corpus.sentences, self.task.gold.column.codes
        return SpilledBlocks(self.chain, *given, self.bounds, self.copies)

    def name_rows(self, rows: RowArray, *, edge: bool) -> None:
        """Know no names: they would be made from all of the text."""
        return


def _cut(task: Task, tokens: int) -> IntArray:
    """Cut a corpus into blocks of so many tokens: numbers of sentences [B + 1]. Documents that are seen stay whole."""
    corpus = task.corpus
    if not (task.training_encoder.sees_documents and corpus.has_documents):
        return cut_sentences(corpus.sentences, tokens)
    return corpus.documents[cut_sentences(corpus.sentences[corpus.documents], tokens)]


def _check_learner(task: Task, options: TaggerOptions, blocks: int) -> None:
    """Refuse what needs all data in memory, before the long work."""
    learner = options.chosen_learner
    if task.kind == DOCUMENTS:
        raise build_refusal("a learner of documents")
    if blocks > 1 and not learner.sees_parts:
        raise build_refusal(f"learner {learner.name!r}")
    if blocks > 1 and (options.settings.mix or 1) > 1:
        raise build_refusal(f"mix={options.settings.mix}")


def _iterate_batches(
    encoder: FeatureEncoder, corpus: Corpus, bounds: IntArray, masking: Masking
) -> Iterator[tuple[_core.AttributeStore, Batch]]:
    """Prepare one block after another, with one store, so that attributes of a word are computed once."""
    store, masks = encoder.new_store(), masking.open()
    for begin, end in itertools.pairwise(bounds.tolist()):
        batch = encoder.batch(corpus.slice(begin, end))
        encoder.prepare(store, batch)
        yield store, replace(batch, masks=masks.draw(int(batch.sentences[-1])))
        for column in corpus.columns.values():
            release(column.codes)


def _collect(
    task: Task, bounds: IntArray, masking: Masking, collected: _core.Collected, threads: int
) -> tuple[RowFile, RowFile]:
    files = RowFile(), RowFile()
    for store, batch in _iterate_batches(task.training_encoder, task.corpus, bounds, masking):
        found = collected.take(store, batch.codes, batch.sentences, threads, batch.masks)
        for file, rows in zip(files, found, strict=True):
            file.append(rows)
    return files


def _encode_again(
    task: Task, bounds: IntArray, masking: Masking, nodes: GrownTable, edges: GrownTable, threads: int
) -> tuple[RowFile, RowFile]:
    files = RowFile(), RowFile()
    for store, batch in _iterate_batches(task.training_encoder, task.corpus, bounds, masking):
        tables = nodes.table, edges.table
        found = _core.encode(store, batch.codes, batch.sentences, *tables, threads, batch.masks)
        for file, rows in zip(files, found, strict=True):
            file.append(rows)
    return files


def _rename(file: RowFile, new_row: RowArray, blocks: int) -> RowFile:
    """Write all blocks anew, with the numbers by frequency."""
    renamed = RowFile()
    for block in range(blocks):
        renamed.append(_core.rename_rows(*file.read(block), new_row))
    return renamed


def _build_chain(
    task: Task, bounds: IntArray, copies: int, nodes: GrownTable, edges: GrownTable, file: RowFile, *, all_pairs: bool
) -> tuple[_core.Chain, IntArray, PairArray]:
    """Build the chain of a task, with the label pairs that edge features have in any block."""
    structure, gold, sentences = task.structure, task.gold.column.codes, task.corpus.sentences
    labels, count = len(structure.labels), len(edges.table) if task.encoder.templates.edges else 0
    found = []
    for block in range(len(bounds) - 1):
        inside = cut_offsets(sentences, bounds, block)
        part = repeat_tokens(cut_gold(gold, sentences, bounds, block), inside, copies)
        offsets, rows, _ = file.read(block)
        found.append(
            _core.edge_support(
                offsets, rows, repeat_offsets(inside, copies), part, labels, count, all_pairs, structure.is_backwards
            )
        )
    offsets, pairs = _unite_pairs(found, labels * labels)
    if task.start is not None:
        offsets, pairs = merge_pairs(offsets, pairs, labels, task.start)
    return structure.compile(len(nodes.table), task.encoder.templates.transitions, offsets, pairs), offsets, pairs


def _unite_pairs(found: Sequence[tuple[IntArray, PairArray]], square: int) -> tuple[IntArray, PairArray]:
    """Unite the label pairs of every edge feature over all blocks; there are ``square`` pairs."""
    count = len(found[0][0]) - 1
    keys = [np.repeat(np.arange(count), np.diff(offsets)) * square + pairs for offsets, pairs in found]
    seen = np.unique(np.concatenate(keys)).astype(np.int64)
    offsets = np.searchsorted(seen, np.arange(count + 1) * square)
    return offsets.astype(np.int64), (seen % square).astype(np.uint32)
