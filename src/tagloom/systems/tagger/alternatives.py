"""What is worth trying beside the defaults of a tagger, by the kind of its labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from tagloom.corpus import Corpus
from tagloom.errors import ConfigError
from tagloom.features import load_templates
from tagloom.features.attributes import Vocabulary
from tagloom.systems.alternatives import Choice, Step
from tagloom.systems.labels import get_labels
from tagloom.systems.tagger.defaults import CHARACTERS, CHUNKS, ENTITIES, TAGS, WORDS, Kind, find_kind, find_scheme
from tagloom.systems.tagger.options import OF_DATA, TaggerOptions

#: Template sets by kind; those that need a column or resource that is not there are left out.
_SETS: Mapping[str, tuple[str, ...]] = {
    ENTITIES.name: ("ner", "bio-ner", "ner-basic", "ner-extended", "ner-rich", "ner-documents", "words"),
    CHARACTERS.name: ("ner-zh-basic", "ner-zh-extended", "words"),
    CHUNKS.name: ("chunking", "chunking-2009", "chunking-rich", "ner-basic", "ner"),
    WORDS.name: (
        "segmentation", "segmentation-basic", "segmentation-dictionary", "segmentation-lexicons",
        "segmentation-extended",
    ),
    TAGS.name: ("pos-affixes", "pos-rich", "pos", "words", "ner"),
}  # fmt: skip
_CRF: tuple[Choice, ...] = tuple({"learner": "sgd", "c2": c2, "epochs": 10, "averaging": "lazy"} for c2 in (0.5, 2.0))
_ONLINE: tuple[Choice, ...] = (
    {"learner": "averaged-perceptron", "epochs": 10},
    {"learner": "pa", "C": 0.01, "epochs": 15},
)
_LOOKAHEAD: Choice = {"learner": "lookahead-perceptron", "depth": 2, "C": 40.0, "epochs": 15}
_MARGIN: tuple[Choice, ...] = ({"learner": "margin-perceptron", "C": 300.0, "epochs": 30},)
#: Learners with their settings.
_LEARNERS: Mapping[str, tuple[Choice, ...]] = {
    ENTITIES.name: (*_CRF, *_MARGIN, *_ONLINE),
    CHARACTERS.name: (*_CRF, *_MARGIN, *_ONLINE),
    CHUNKS.name: (*_CRF, _LOOKAHEAD, {"learner": "margin-perceptron", "C": 100.0, "epochs": 20}, *_ONLINE),
    WORDS.name: (*_CRF, _LOOKAHEAD, *_ONLINE),
    TAGS.name: (*_CRF, *_ONLINE),
}
_SCHEMES: tuple[Choice, ...] = ({"scheme": OF_DATA}, {"scheme": "BIOES"})
_CUTOFFS: tuple[Choice, ...] = ({"cutoff": 2},)
_DROPOUT: tuple[Choice, ...] = tuple({"dropout": dropout, "copies": 2} for dropout in (0.1, 0.2))
#: The first stage has probabilities, whatever the learner of the second.
_STAGES: tuple[Choice, ...] = ({"stages": 2, "stage1": _CRF[1]},)
#: Half of the F1 of hard, middling and easy data.
_THRESHOLDS = (0.25, 0.35, 0.45)
_COST_OF_DROPOUT, _COST_OF_STAGES = 2.0, 10.0  # copies; stages and the folds between them


def list_alternatives(corpus: Corpus, options: TaggerOptions) -> list[Step]:
    """List the steps for the labels of a corpus. Options that the user states are not tried."""
    label = options.label or corpus.label
    labels = get_labels(corpus, label)
    scheme = None if options.choose_codec(label) else find_scheme(labels, corpus)
    kind = find_kind(corpus, label, scheme)
    names = tuple(name for name in corpus.names if name != label)
    steps = [
        Step("templates", [{"templates": name} for name in _list_fitting(kind, corpus, names, options)]),
        Step("learner", _LEARNERS[kind.name]),
        Step("threshold", _list_thresholds(options) if kind in (ENTITIES, CHARACTERS) else ()),
        Step("scheme", _SCHEMES if kind in (ENTITIES, CHUNKS) else ()),
        Step("cutoff", _CUTOFFS),
        Step("dropout", _DROPOUT, _COST_OF_DROPOUT),
        Step("stages", _STAGES if kind == ENTITIES and corpus.has_documents else (), _COST_OF_STAGES),
    ]
    default = type(options)()
    stated = {each.name for each in fields(options) if getattr(options, each.name) != getattr(default, each.name)}
    if options.learner is not None:
        stated |= {name for choice in _LEARNERS[kind.name] for name in choice}
    open_steps = [replace(step, choices=[each for each in step.choices if not stated & set(each)]) for step in steps]
    return [step for step in open_steps if step.choices]


def _list_thresholds(options: TaggerOptions) -> Sequence[Choice]:
    """List thresholds of spans, with a learner that has probabilities unless the user states one."""
    if options.learner is not None and not options.chosen_learner.has_likelihood:
        return ()
    learner = _CRF[1] if options.learner is None else {}
    return [{**learner, "threshold": threshold} for threshold in _THRESHOLDS]


def _list_fitting(kind: Kind, corpus: Corpus, names: tuple[str, ...], options: TaggerOptions) -> Sequence[str]:
    """List the template sets whose columns and resources are there."""
    bags = frozenset(name for name in names if corpus.column(name).is_bag)
    if bags or not names:
        return ()
    # Only the names of resources matter here.
    resources: dict[str, Any] = dict.fromkeys(options.resources)
    vocabulary = Vocabulary(names, word_functions=options.attributes, resources=resources)
    return [name for name in _SETS[kind.name] if _fits(name, vocabulary)]


def _fits(name: str, vocabulary: Vocabulary) -> bool:
    try:
        for template in load_templates(name).fit(vocabulary.columns).templates:
            for part in template.parts:
                vocabulary.resolve(part)
    except ConfigError:
        return False
    return True
