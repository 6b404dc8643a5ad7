"""Two stages: a tagger that reads what a first one predicts in the other sentences of the document.

The first stage is one of the models of the line. It provides the probabilities of its labels as a column, and those of
the training data are jackknifed by documents, so that the second stage learns from predictions as they are in use.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tagloom._core import StringTable
from tagloom.corpus import Column, Corpus
from tagloom.errors import ConfigError
from tagloom.features import TemplateSet, load_templates
from tagloom.features.matched import MATCHED, STAGE
from tagloom.features.templates import ConditionalTemplate, Template
from tagloom.systems.line import Provision

if TYPE_CHECKING:
    from tagloom.systems.tagger.model import Tagger
    from tagloom.systems.tagger.options import TaggerOptions
    from tagloom.systems.tagger.parameters import WeightArray

#: The set that is added to templates that do not look at the first stage.
SECOND_STAGE = "second-stage"
_CONDITION = f"if {STAGE}"
#: Options that the first stage does not take over from the second: what it is itself, and what changes no weights.
_NOT_SHARED = ("stages", "stage1", "stage_folds", "label", "threads", "threshold", "calibration_folds")
_LEAST_PROBABILITY = 1e-3  # of labels that the column holds


def list_first_stage(corpus: Corpus, options: TaggerOptions) -> list[Provision]:
    """Say how the column of the first stage is provided, if there is one."""
    if options.stages == 1:
        return []
    if STAGE in corpus.columns:
        raise ConfigError(f"stages: the data has a column {STAGE!r}, which is that of the first stage; rename it")
    learning = {**_list_shared(options), **options.stage1}
    label = options.label or corpus.label
    return [Provision(STAGE, None, learning, options.stage_folds, "first stage", label)]


def _list_shared(options: TaggerOptions) -> dict[str, Any]:
    """List the options that both stages have, as far as they are stated. Settings are those of one learner."""
    default = type(options)()
    own = set(_NOT_SHARED)
    if options.stage1.get("learner", options.learner) != options.learner:
        from tagloom.learners import Settings  # not at the top: a model is used without it

        own |= {each.name for each in fields(Settings)}
    return {
        each.name: getattr(options, each.name)
        for each in fields(options)
        if each.name not in own and getattr(options, each.name) != getattr(default, each.name)
    }


def drop_stage(corpus: Corpus) -> Corpus:
    """Return a corpus without the column of the first stage."""
    return replace(corpus, columns={name: column for name, column in corpus.columns.items() if name != STAGE})


def complete_templates(templates: TemplateSet) -> TemplateSet:
    """Add the shipped templates of the second stage to a set in which none is."""
    if any(map(_is_of_stage, templates.templates)):
        return templates
    if any(each.tag for each in templates.templates):
        raise ConfigError(
            f"stages: {templates.name} is written as for CRF++ or Wapiti and has no templates of the second stage; "
            "write it in the form of tagloom"
        )
    added = load_templates(SECOND_STAGE)
    return TemplateSet(
        f"{templates.name}+{added.name}", (*templates.templates, *added.templates), templates.transitions
    )


def _is_of_stage(template: Template) -> bool:
    names = {STAGE, *(row.name for row in MATCHED.values() if row.of_stage)}
    written = [f"{part.name}{'' if part.number is None else part.number}" for part in template.parts]
    return not names.isdisjoint(written) or any(part.column == STAGE for part in template.parts)


def restore_conditions(templates: TemplateSet) -> TemplateSet:
    """Return a set that both stages can be trained with again: templates of the second stage have their condition."""
    found = tuple(
        ConditionalTemplate(each.parts, each.edge, conditions=(_CONDITION,)) if _is_of_stage(each) else each
        for each in templates.templates
    )
    return replace(templates, templates=found)


def find_first_stage(model: Tagger) -> Tagger | None:
    """Find the first stage in the line of a tagger."""
    if STAGE not in model.spec.columns:
        return None
    found = [each for each in model.line.providers if any(layer.column == STAGE for layer in each.own_layers)]
    return found[0] if found else None  # type: ignore[return-value]


def list_stage_options(model: Tagger) -> dict[str, Any]:
    """List the options that train the first stage of a model again."""
    first = find_first_stage(model)
    if first is None:
        return {}
    own: Mapping[str, Any] = first.read_training_options() or {}
    stage1 = {name: value for name, value in own.items() if name not in _NOT_SHARED}
    return {
        "stages": 2, "stage1": stage1, "stage_folds": first.spec.provides_folds,
        "templates": restore_conditions(model.spec.templates),
    }  # fmt: skip


def write_probabilities(labels: tuple[str, ...], found: WeightArray) -> Column:
    """Write probabilities [N][L] as a column: the labels of every token that are not all but impossible."""
    kept = found >= _LEAST_PROBABILITY
    offsets = np.zeros(len(found) + 1, np.int64)
    np.cumsum(kept.sum(axis=1), out=offsets[1:])
    tokens, codes = np.nonzero(kept)
    return _to_column(labels, codes, offsets, found[tokens, codes])


def write_certain(labels: tuple[str, ...], codes: Any) -> Column:
    """Write one label per token, where a model has no probabilities."""
    return _to_column(labels, codes, np.arange(len(codes) + 1, dtype=np.int64), np.ones(len(codes)))


def _to_column(labels: tuple[str, ...], codes: Any, offsets: Any, values: Any) -> Column:
    table = StringTable()
    table.intern_all(list(labels))
    return Column(np.asarray(codes, np.int32), table, offsets, np.asarray(values, np.float32))
