"""EncodedSegments: what a segment tagger learns from, checked and encoded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import tagloom._core as _core
from tagloom.corpus import Corpus
from tagloom.corpus.schemes import cuts_text
from tagloom.corpus.spans import decode_spans
from tagloom.errors import DataError
from tagloom.features.segment_templates import (
    ENTRY,
    SegmentTemplateSet,
    load_segment_templates,
    parse_segment_templates,
)
from tagloom.features.sets import read_shipped
from tagloom.systems.segments.encode import SegmentEncoder, SegmentTables, find_roles
from tagloom.systems.segments.options import LONGEST, LONGEST_DEFAULT, SegmentOptions
from tagloom.systems.tagger.encode import EncodedCorpus
from tagloom.systems.tagger.task import Task

_DEFAULT = "entities"
_GAZETTEER = "gazetteer"


@dataclass(frozen=True)
class EncodedSegments:
    """Training sentences with their segments, and the tables of the features of tokens and of segments."""

    task: Task  # of the tokens
    encoder: SegmentEncoder
    tables: SegmentTables
    types: tuple[str, ...]
    data: _core.ChainData
    segments: int  # of gold
    longer: int  # of them longer than those with features

    @classmethod
    def encode(cls, corpus: Corpus, options: SegmentOptions, normal_form: str | None) -> EncodedSegments:
        """Check and encode a training corpus."""
        task = Task.plan(corpus, options.of_tokens, normal_form)
        gold = task.gold
        names = gold.column.strings.strings()
        if gold.decided is None or cuts_text(names, gold.decided):
            raise DataError(
                f"{corpus.source}: column {task.label!r} holds no spans in labels such as B-PER I-PER O; train a tagger"
            )
        templates = choose_templates(options, task)
        encoder = SegmentEncoder(task.encoder.templates, templates, task.encoder.vocabulary)
        seen = encoder
        if task.training_encoder is not task.encoder:  # with a share of the training entities only
            seen = SegmentEncoder(task.encoder.templates, templates, task.training_encoder.vocabulary)
        tokens = EncodedCorpus.encode(task, options.of_tokens)
        spans = decode_spans(names, gold.column.codes, task.corpus.sentences, gold.decided)
        lengths = spans.stop - spans.start
        longest = options.longest or int(np.clip(lengths.max(initial=0), LONGEST[0], LONGEST_DEFAULT))
        short = lengths <= longest
        features = seen.find_features(task.corpus, options.threads)
        keys, _ = features.keys(spans.start[short].astype(np.int64), spans.stop[short].astype(np.int64))
        distinct, counts = np.unique(keys, return_counts=True)
        segments = _core.FeatureTable(distinct[counts >= options.segment_cutoff])
        types, roles = find_roles(names, gold.decided)
        nodes = tokens.nodes.table
        chain = task.structure.compile(len(nodes) + len(segments), task.encoder.templates.transitions)
        tables = SegmentTables(chain, nodes, segments, roles, longest)
        data = tables.join(tokens.rows[0], features, task.corpus.sentences, options.threads, gold.column.codes)
        return cls(task, encoder, tables, types, data, len(lengths), int((~short).sum()))


def choose_templates(options: SegmentOptions, task: Task) -> SegmentTemplateSet:
    """Choose templates of segments: those that the user states, or the shipped ones with the gazetteer."""
    if options.segment_templates is not None:
        return load_segment_templates(options.segment_templates)
    text = read_shipped(f"{_DEFAULT}.segments")
    if _GAZETTEER not in task.resources:
        return parse_segment_templates(text, _DEFAULT)
    more = f"{_GAZETTEER}[{ENTRY}]\n{_GAZETTEER}[{ENTRY}] length\n"
    return parse_segment_templates(text + more, f"{_DEFAULT}-{_GAZETTEER}")
