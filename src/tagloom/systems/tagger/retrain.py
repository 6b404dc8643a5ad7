"""Retraining: options, read from a model, that train a model of the same kind on other data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tagloom.errors import ConfigError
from tagloom.features import Source
from tagloom.learners import get_learner
from tagloom.systems.resources import TRAIN
from tagloom.systems.spec import LISTS, PART, WHOLE
from tagloom.systems.tagger.model import Tagger


def read_training_options(model: Tagger, *, resources: Mapping[str, Source] | None = None) -> dict[str, Any]:
    """Read the options that train a model of the same kind; on the same data they give the same model.

    Passes are as many as the model was allowed, or, if development data chose one, as many as that. Resources that were
    made of the training data are made anew of other data, those from files are used as the model carries them;
    ``resources`` gives the sources of some of them again. Functions are the model's own.

    A model that began from another one (``start``, ``partial_fit``) is refused: its file does not hold that model.

    >>> from tagloom.systems.train import train
    >>> data = [(["the", "dog"], ["DT", "NN"]), (["a", "cat"], ["DT", "NN"])]
    >>> options = read_training_options(train(data, learner="pa", C=0.1, epochs=3))
    >>> options["learner"], options["C"], options["epochs"]
    ('pa', 0.1, 3)
    """
    spec = model.spec
    if spec.start is not None:
        raise ConfigError(
            "the model began from another one (start, partial_fit), which is not part of it: it cannot be trained "
            "again; train a model without start"
        )
    vocabulary = model.encoder.vocabulary
    return {
        "templates": spec.templates,
        "learner": spec.learner,
        **spec.settings,
        **({"cost": spec.costs} if spec.costs else {}),
        "label": spec.label,
        "scheme": spec.scheme,
        "epochs": spec.trained_epochs,
        "seed": spec.seed,
        "cutoff": spec.cutoff,
        "buckets": spec.buckets,
        "edge_pairs": spec.edge_pairs,
        "tag_dictionary": spec.tag_dictionary,
        "attributes": _known(vocabulary.word_functions),
        "sentence_attributes": _known(vocabulary.sentence_functions),
        "resources": {**_resources(model, resources or {}), **(resources or {})},
        "sequences": spec.sequences,
        "candidates": spec.candidates,
        **_document_features(model),
    }


def _document_features(model: Tagger) -> dict[str, Any]:
    if not get_learner(model.spec.learner).sees_documents or model.total is None:
        return {}
    return {
        "document_features": model.spec.document_features or "none",
        "document_functions": _known(model.total.parts.functions),
    }


def _known(functions: Mapping[str, Callable[..., Any] | None]) -> dict[str, Callable[..., Any]]:
    """Return the functions; refuse a missing one."""
    for name, function in functions.items():
        if function is None:
            raise ConfigError(f"the model needs its function {name!r}: load it with functions={{{name!r}: ...}}")
    return {name: function for name, function in functions.items() if function is not None}


def _resources(model: Tagger, given: Mapping[str, Source]) -> dict[str, Source]:
    found: dict[str, Source] = {}
    for name, resource in model.resources.items():
        made = model.spec.built_resources.get(name)
        if made == PART and name not in given:
            raise ConfigError(
                f"resource {name!r}: made of files and of training data, which the model does not tell apart; "
                f"give its sources again: resources={{{name!r}: ...}}"
            )
        anew: Mapping[str | None, Source] = {WHOLE: TRAIN, LISTS: dict.fromkeys(resource.names, TRAIN)}
        found[name] = anew.get(made, resource)
    return found
