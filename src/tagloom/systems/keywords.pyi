"""Keywords of :func:`tagloom.train` by system and of :func:`tagloom.rerank`, for editors and type checkers.

Generated from the options of the systems: run ``make stubs`` after changing one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from tagloom.features import DocumentFunction, Source, TemplateSet
    from tagloom.features.attributes import DocumentAttribute, SentenceFunction, WordFunction
    from tagloom.features.global_templates import GlobalTemplateSet
    from tagloom.features.segment_templates import SegmentTemplateSet
    from tagloom.features.state_templates import StateTemplateSet
    from tagloom.learners import Costs, Learner
    from tagloom.systems.base import Model
    from tagloom.systems.data import Data
    from tagloom.systems.learning import Report
    from tagloom.systems.tagger.model import Tagger


class SharedKeywords(TypedDict, total=False):
    """Keywords that every system has."""

    dev: Data | None
    columns: str | Sequence[str] | None
    format: str | None
    normalise: str | None
    on_progress: Report | None
    checkpoint: str | os.PathLike[str] | None
    keep_checkpoint: bool
    ray: bool | str | None
    provide: str | Sequence[str] | Mapping[str, Model | str | os.PathLike[str] | Mapping[str, object] | None] | None
    tokenizer: str | os.PathLike[str] | Model | Callable[[str], object] | None


class TaggerKeywords(SharedKeywords, total=False):
    """Keywords of training taggers."""

    C: float | None
    c1: float | None
    c2: float | None
    rate: float | None
    cost: Costs | None
    averaging: str | None
    node_labels: str | None
    label_cutoff: int | None
    transition_pairs: str | None
    C_local: float | None
    n: int | None
    bpm: int | None
    tolerance: float | None
    period: int | None
    memories: int | None
    sgd_passes: int | None
    variance: float | None
    gamma: float | None
    cost_power: float | None
    mix: int | None
    mixes: int | None
    local_update: str | None
    update_order: str | None
    folds: int | None
    C_first: float | None
    depth: int | None
    beam: int | None
    update: str | None
    direction: str | None
    history: int | None
    epochs: int | None
    patience: int
    seed: int
    threads: int
    attributes: Mapping[str, WordFunction]
    sentence_attributes: Mapping[str, SentenceFunction]
    document_attributes: Mapping[str, DocumentAttribute]
    label: str | None
    scheme: str | None
    templates: str | os.PathLike[str] | TemplateSet | None
    resources: Mapping[str, Source]
    learner: str | Learner | None
    cutoff: int
    buckets: int
    edge_pairs: str
    names: bool
    prune: float
    tag_dictionary: int
    dropout: float
    copies: int
    codec: str | None
    sequences: str | None
    document_features: str | Sequence[str] | None
    document_functions: Mapping[str, DocumentFunction]
    candidates: int
    threshold: float | None
    stages: int
    stage1: Mapping[str, object]
    stage_folds: int
    memory: str | int | None
    block: int
    calibration_folds: int
    start: Tagger | str | os.PathLike[str] | None


class ParserKeywords(SharedKeywords, total=False):
    """Keywords of training parsers."""

    epochs: int | None
    patience: int
    seed: int
    threads: int
    attributes: Mapping[str, WordFunction]
    sentence_attributes: Mapping[str, SentenceFunction]
    document_attributes: Mapping[str, DocumentAttribute]
    templates: str | os.PathLike[str] | StateTemplateSet | None
    resources: Mapping[str, Source]
    learner: str | Learner | None
    head: str
    relation: str
    relations: bool
    tag: str | None
    tags: str
    tagger: Mapping[str, object]
    tag_folds: int | None
    non_projective: str
    transitions: str
    exploration: int | None
    C: float | None
    averaging: str | None
    depth: int | None
    beam: int | None
    update: str | None


class PhraseKeywords(SharedKeywords, total=False):
    """Keywords of training phrase chunkers."""

    epochs: int
    patience: int
    seed: int
    threads: int
    attributes: Mapping[str, WordFunction]
    sentence_attributes: Mapping[str, SentenceFunction]
    document_attributes: Mapping[str, DocumentAttribute]
    degree: int
    form: str | None
    label: str | None
    scheme: str | None
    templates: str | os.PathLike[str] | TemplateSet | None
    around: str | os.PathLike[str] | TemplateSet | None
    inside: str | os.PathLike[str] | TemplateSet | None
    window: int
    longest: int | None
    cutoff: int
    phrase_cutoff: int | None
    resources: Mapping[str, Source] | None


class SegmentKeywords(SharedKeywords, total=False):
    """Keywords of training segment taggers."""

    C: float | None
    c1: float | None
    c2: float | None
    rate: float | None
    cost: Costs | None
    averaging: str | None
    node_labels: str | None
    label_cutoff: int | None
    transition_pairs: str | None
    C_local: float | None
    n: int | None
    bpm: int | None
    tolerance: float | None
    period: int | None
    memories: int | None
    sgd_passes: int | None
    variance: float | None
    gamma: float | None
    cost_power: float | None
    mix: int | None
    mixes: int | None
    local_update: str | None
    update_order: str | None
    folds: int | None
    C_first: float | None
    depth: int | None
    beam: int | None
    update: str | None
    direction: str | None
    history: int | None
    epochs: int | None
    patience: int
    seed: int
    threads: int
    attributes: Mapping[str, WordFunction]
    sentence_attributes: Mapping[str, SentenceFunction]
    document_attributes: Mapping[str, DocumentAttribute]
    label: str | None
    scheme: str | None
    templates: str | os.PathLike[str] | TemplateSet | None
    segment_templates: str | os.PathLike[str] | SegmentTemplateSet | None
    longest: int | None
    resources: Mapping[str, Source]
    learner: str | Learner | None
    cutoff: int
    segment_cutoff: int


class TokenizerKeywords(SharedKeywords, total=False):
    """Keywords of training tokenizers."""

    epochs: int | None
    patience: int
    seed: int
    threads: int
    attributes: Mapping[str, WordFunction]
    sentence_attributes: Mapping[str, SentenceFunction]
    document_attributes: Mapping[str, DocumentAttribute]
    learner: str | Learner
    templates: str | os.PathLike[str] | TemplateSet
    sentence_templates: str | os.PathLike[str] | TemplateSet
    cutoff: int


class PipelineKeywords(SharedKeywords, total=False):
    """Keywords of training pipelines."""

    epochs: int | None
    patience: int
    seed: int
    threads: int
    attributes: Mapping[str, WordFunction]
    sentence_attributes: Mapping[str, SentenceFunction]
    document_attributes: Mapping[str, DocumentAttribute]
    parts: str | None
    feats: str
    folds: int
    options: Mapping[str, Mapping[str, object]]


class EnsembleKeywords(SharedKeywords, total=False):
    """Keywords of training ensembles."""

    C: float | None
    c1: float | None
    c2: float | None
    rate: float | None
    cost: Costs | None
    averaging: str | None
    node_labels: str | None
    label_cutoff: int | None
    transition_pairs: str | None
    C_local: float | None
    n: int | None
    bpm: int | None
    tolerance: float | None
    period: int | None
    memories: int | None
    sgd_passes: int | None
    variance: float | None
    gamma: float | None
    cost_power: float | None
    mix: int | None
    mixes: int | None
    local_update: str | None
    update_order: str | None
    folds: int | None
    C_first: float | None
    depth: int | None
    beam: int | None
    update: str | None
    direction: str | None
    history: int | None
    epochs: int | None
    patience: int
    seed: int
    threads: int
    attributes: Mapping[str, WordFunction]
    sentence_attributes: Mapping[str, SentenceFunction]
    document_attributes: Mapping[str, DocumentAttribute]
    label: str | None
    scheme: str | None
    templates: str | os.PathLike[str] | TemplateSet | None
    resources: Mapping[str, Source]
    learner: str | Learner | None
    cutoff: int
    buckets: int
    edge_pairs: str
    names: bool
    prune: float
    tag_dictionary: int
    dropout: float
    copies: int
    codec: str | None
    sequences: str | None
    document_features: str | Sequence[str] | None
    document_functions: Mapping[str, DocumentFunction]
    candidates: int
    threshold: float | None
    stages: int
    stage1: Mapping[str, object]
    stage_folds: int
    memory: str | int | None
    block: int
    calibration_folds: int
    members: int
    average: str


class RerankKeywords(TypedDict, total=False):
    """Keywords of training re-rankers."""

    method: str
    candidates: int
    templates: str | os.PathLike[str] | GlobalTemplateSet | None
    functions: Mapping[str, DocumentFunction] | None
    cutoff: int
    names: bool
    resources: Mapping[str, Source] | None
    folds: int
    by: str | None
    jobs: int | None
    cache: str | os.PathLike[str] | None
    seed: int
    threads: int
    beta: float | Sequence[float] | None
    passes: int | None
    C: float | Sequence[float] | None
    rounds: int | None
    smoothing: float | Sequence[float] | None
