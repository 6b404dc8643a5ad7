"""Warm start: what a training takes over from another model, and the weights that it begins with."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus.corpus import IntArray
from tagloom.corpus.schemes import get_scheme
from tagloom.errors import ConfigError, unknown_name
from tagloom.features import Resource, Source, Vocabulary, load_resource, load_templates
from tagloom.learners import Learner, get_learner
from tagloom.learners.learner import RERANKING_OPPONENTS
from tagloom.learners.settings import OPPONENT_DEFAULTS
from tagloom.structures.chain import PairArray
from tagloom.structures.history import LEFT_TO_RIGHT
from tagloom.structures.sequences import JOINED
from tagloom.structures.tag_dictionary import TagDictionary
from tagloom.systems.labels import NO_SCHEME
from tagloom.systems.resources import is_built, require_functions, reuse_resources
from tagloom.systems.tagger.documents import NonlocalParts
from tagloom.systems.tagger.model import Tagger
from tagloom.systems.tagger.options import TaggerOptions
from tagloom.systems.tagger.parameters import HashArray, WeightViews
from tagloom.systems.tagger.spec import TaggerSpec
from tagloom.systems.tagger.stages import list_stage_options

RowArray = NDArray[np.uint32]
_ORDER = ("direction", "history")
#: Options that a spec holds under the same name.
_SAME = ("templates", "learner", "label", "scheme", "seed", "cutoff", "buckets", "edge_pairs", "tag_dictionary",
         "sequences", "candidates", "dropout", "copies")  # fmt: skip


# -- choices ---------------------------------------------------------------------------------------------------------


def inherit_options(given: Mapping[str, object], start: Tagger) -> dict[str, object]:
    """Complete options by those that the start model was trained with."""
    spec = start.spec
    kept: dict[str, object] = {"learner": spec.learner, "seed": spec.seed, "cutoff": spec.cutoff,
                               "tag_dictionary": spec.tag_dictionary, "dropout": spec.dropout,
                               "copies": spec.copies}  # fmt: skip
    learner = get_learner(given.get("learner", spec.learner))  # type: ignore[arg-type]
    kept |= _documents_of(start, learner)
    if learner.is_history_based:
        own = LEFT_TO_RIGHT, OPPONENT_DEFAULTS[learner.opponent]["history"]
        kept |= {name: found for name, found, default in zip(_ORDER, spec.order, own) if found != default}
    if learner.name == spec.learner:  # another learner may not have the same settings
        kept |= spec.settings | ({"cost": spec.costs} if spec.costs else {})
    return {**kept, **given}


def _documents_of(start: Tagger, learner: Learner) -> dict[str, object]:
    """Take over sequences and non-local features; a learner without such features has its own sequences."""
    spec = start.spec
    found = _list_nonlocal(learner, start)
    is_same = learner.name == spec.learner or bool(found)
    kept = {"sequences": spec.sequences} if is_same or spec.sequences == JOINED else {}
    return {**kept, **found, **({"candidates": spec.candidates} if found else {})}


def require_start(options: TaggerOptions, start: Tagger) -> None:
    """Refuse learners that cannot begin from another model, or cannot begin from this one."""
    learner, spec = options.chosen_learner, start.spec
    for name, wanted, found in zip(_ORDER, options.order, spec.order):
        if wanted != found and learner.is_history_based:
            raise _contradiction(name, wanted, found)
        if wanted != found:
            raise ConfigError(
                f"start: learner {learner.name!r} has no {name!r}, the start model was made with {found}; "
                f"continue with {spec.learner}, or train without start"
            )
    if learner.opponent in RERANKING_OPPONENTS:
        raise ConfigError(
            f"start: learner {learner.name!r} trains first models of its own; train without start, "
            "or continue with nonlocal-perceptron"
        )


def _is_scheme(spec: TaggerSpec, name: str) -> bool:
    if name == NO_SCHEME or spec.scheme is None:
        return name == NO_SCHEME and spec.scheme is None
    return get_scheme(name) == spec.decided


def continue_options(options: TaggerOptions, given: Collection[str], start: Tagger) -> TaggerOptions:
    """Return the options with the features of the start model; refuse contradictions."""
    spec, has_names = start.spec, start.parameters.node_names is not None
    if options.label not in (None, spec.label):
        raise _contradiction("label", options.label, spec.label)
    if options.chosen_scheme is not None and not _is_scheme(spec, options.chosen_scheme):
        raise _contradiction("scheme", options.scheme, spec.scheme or "plain tags")
    if "buckets" in given and options.buckets != spec.buckets:
        raise _contradiction("buckets", options.buckets, spec.buckets)
    if options.templates is not None:
        templates = load_templates(options.templates).fit({*spec.columns, *start.resources})
        if (templates.templates, templates.transitions) != (spec.templates.templates, spec.templates.transitions):
            raise _contradiction("templates", templates.name, spec.templates.name)
    for name, source in options.resources.items():
        if name not in start.resources or not _is_given(name, source, start.resources[name]):
            raise _contradiction("resources", name, ", ".join(start.resources) or "none")
    if "names" in given and options.names and not spec.buckets and not has_names:
        raise ConfigError("names: the start model was saved without the names of its features; leave the option out")
    features = {name: getattr(spec, name) for name in ("label", "scheme", "templates", "buckets")}
    return replace(options, **features, resources=start.resources, names=options.names and has_names)


def _contradiction(option: str, wanted: object, found: object) -> ConfigError:
    return ConfigError(
        f"{option}: {wanted} is not what the start model was made with ({found}); leave it out, or train without start"
    )


def _is_given(name: str, source: Source, old: Resource) -> bool:
    """Tell whether a resource is that of the start model; one built from training data stays as it is."""
    if is_built(source):
        return True
    given = load_resource(name, source)
    mine, its = given.to_tensors(), old.to_tensors()
    return given.names == old.names and mine.keys() == its.keys() and all(np.array_equal(mine[k], its[k]) for k in mine)


def continue_vocabulary(options: TaggerOptions, start: Tagger) -> Vocabulary:
    """Build the vocabulary of the start model's templates; functions that are passed replace its own."""
    vocabulary = start.encoder.vocabulary
    words = _functions(vocabulary.word_functions, options.attributes)
    sentences = _functions(vocabulary.sentence_functions, options.sentence_attributes)
    documents = _functions(vocabulary.document_attributes, options.document_attributes)
    return replace(vocabulary, word_functions=words, sentence_functions=sentences, document_attributes=documents)


def continue_dictionary(added: TagDictionary, start: Tagger) -> TagDictionary:
    """Merge the start model's tag dictionary with that of new data.

    A word that the start model has seen, but has no entry for, may take any label still: its old labels are not known.
    """
    old = start.parameters.tag_dictionary
    listed = added.words[:0] if old is None else old.words
    fresh = added.take(~np.isin(added.words, np.setdiff1d(start.parameters.known_words, listed)))
    return fresh if old is None else old.joined(fresh)


def _functions(old: Mapping[str, Callable | None], given: Mapping[str, Callable]) -> dict[str, Callable | None]:  # type: ignore[type-arg]
    for name in given:
        if name not in old:
            raise unknown_name("attribute function of the start model", name, old)
    return {**old, **given}


# -- features and weights --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GrownTable:
    """A feature table: the rows of the start model (if there is one) before the rows that the new corpus adds."""

    table: _core.FeatureTable
    old: int  # rows of the start model
    added: RowArray  # [rows - old] their numbers in the table of the corpus

    @classmethod
    def grow(cls, collected: _core.FeatureTable, old_keys: HashArray | None) -> GrownTable:
        """Append the features of a corpus to those of the start model."""
        keys = collected.keys()
        if old_keys is None or collected.buckets:
            return cls(collected, 0, np.arange(len(collected), dtype=np.uint32))
        added = np.flatnonzero(~np.isin(keys, old_keys)).astype(np.uint32)
        return cls(_core.FeatureTable(np.concatenate([old_keys, keys[added]])), len(old_keys), added)

    def keys(self, rows: RowArray) -> HashArray:
        """Select the keys of some rows; there are none with feature hashing."""
        return self.table.keys()[slice(0) if self.table.buckets else rows]


def merge_pairs(offsets: IntArray, pairs: PairArray, labels: int, start: Tagger) -> tuple[IntArray, PairArray]:
    """Merge the label pairs of the corpus with those of the start model."""
    mine = _flat_pairs(offsets, pairs, labels, labels)
    flat = np.union1d(mine, _old_pairs(start, labels))
    feature, pair = np.divmod(flat, labels * labels)
    counts = np.bincount(feature, minlength=len(offsets) - 1)
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), pair.astype(np.uint32)


def build_first_weights(chain: _core.Chain, offsets: IntArray, pairs: PairArray, start: Tagger) -> NDArray[np.float32]:
    """Copy the weights of the start model to their places in ``chain``; all others are zero."""
    weights, count = np.zeros(chain.size, np.float32), len(start.labels)
    old, new = WeightViews(start.chain, start.parameters.weights), WeightViews(chain, weights)
    new.nodes[: len(old.nodes), :count] = old.nodes
    new.transitions[: len(old.transitions), :count] = old.transitions
    flat = _flat_pairs(offsets, pairs, chain.labels, chain.labels)
    new.edges[np.searchsorted(flat, _old_pairs(start, chain.labels))] = old.edges
    new.triples[:count, :count, :count] = old.triples
    return weights


def build_first_nonlocal(parts: NonlocalParts, start: Tagger) -> NDArray[np.float32]:
    """Copy the start model's weights of non-local features, by name; strings of its functions become known."""
    old = start.nonlocal_weights()
    parts.names.intern_all([name for name in old if name.partition("=")[0] in parts.functions])
    return np.array([old.get(name, 0.0) for name in parts.feature_names()], np.float32)


def _old_pairs(start: Tagger, labels: int) -> IntArray:
    parameters = start.parameters
    return _flat_pairs(parameters.edge_offsets, parameters.edge_pairs, len(start.labels), labels)


def _flat_pairs(offsets: IntArray, pairs: PairArray, labels_before: int, labels: int) -> IntArray:
    """Compute feature * L^2 + previous * L + next, with L = ``labels``; ascending if the pairs of a feature are."""
    feature = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    previous, following = np.divmod(pairs.astype(np.int64), labels_before)
    flat: IntArray = feature * (labels * labels) + previous * labels + following
    return flat


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
        **{name: getattr(spec, name) for name in _SAME},
        **spec.settings,
        **({"cost": spec.costs} if spec.costs else {}),
        "epochs": spec.trained_epochs,
        "attributes": require_functions(vocabulary.word_functions),
        "sentence_attributes": require_functions(vocabulary.sentence_functions),
        "document_attributes": require_functions(vocabulary.document_attributes),
        "resources": {**reuse_resources(model, resources or {}), **(resources or {})},
        **_list_nonlocal(get_learner(spec.learner), model, require_functions),
        **list_stage_options(model),
    }


def _list_nonlocal(learner: Learner, model: Tagger, check: Callable[[Any], dict[str, Any]] = dict) -> dict[str, Any]:
    """List the options of a model's non-local features; none for a learner without such features."""
    if model.total is None or not learner.sees_documents:
        return {}
    functions = check(model.total.parts.functions)
    return {"document_features": model.spec.document_features or "none", "document_functions": functions}
