"""Parameters of the scikit-learn estimators, for editors and type checkers.

Generated from the options of the systems: run ``make stubs`` after changing one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from tagloom.features import DocumentFunction, Source, TemplateSet
    from tagloom.features.attributes import DocumentAttribute, SentenceFunction, WordFunction
    from tagloom.learners import Costs, Learner


class SharedParameters(TypedDict, total=False):
    """Parameters that every estimator has."""

    columns: str | Sequence[str] | None
    normalise: str | None
    scoring: str | Callable[[Any, Any], float]


class ChainParameters(SharedParameters, total=False):
    """Parameters of ChainClassifier."""

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
    attributes: Mapping[str, WordFunction] | None
    sentence_attributes: Mapping[str, SentenceFunction] | None
    document_attributes: Mapping[str, DocumentAttribute] | None
    scheme: str | None
    templates: str | os.PathLike[str] | TemplateSet | None
    resources: Mapping[str, Source] | None
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
    document_functions: Mapping[str, DocumentFunction] | None
    candidates: int
    threshold: float | None
    stages: int
    stage1: Mapping[str, object] | None
    stage_folds: int
    memory: str | int | None
    block: int
    calibration_folds: int
    decoder: str | None


class PhraseParameters(SharedParameters, total=False):
    """Parameters of PhraseClassifier."""

    epochs: int
    patience: int
    seed: int
    threads: int
    attributes: Mapping[str, WordFunction] | None
    sentence_attributes: Mapping[str, SentenceFunction] | None
    document_attributes: Mapping[str, DocumentAttribute] | None
    degree: int
    form: str | None
    scheme: str | None
    templates: str | os.PathLike[str] | TemplateSet | None
    around: str | os.PathLike[str] | TemplateSet | None
    inside: str | os.PathLike[str] | TemplateSet | None
    window: int
    longest: int | None
    cutoff: int
    phrase_cutoff: int | None
    resources: Mapping[str, Source] | None
