"""Resources of a training: read from files, or built from the training data where the file is called ``train``.

A list that never misses a word of the training data would be trusted too much. So the lexicon that is built from them
leaves out rare words; and of lists of entities the training data sees a random share only, as Carreras, Marquez and
Padro 2003 do it ("when training, only a random 40% of the entries was considered"), while the model carries them all.
"""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tagloom.corpus import Column, Corpus
from tagloom.corpus.schemes import cuts_text
from tagloom.corpus.spans import decode_spans
from tagloom.errors import ConfigError, unknown_name
from tagloom.features import Casing, Clusters, Phrases, Resource, Source, Statistics, load_resource
from tagloom.features.resources import FilePath, Files, find_functional_words, find_lowercased_words, split_name
from tagloom.systems.labels import TrainingLabels, list_words_cut
from tagloom.systems.spec import LISTS, PART, WHOLE, Spec

if TYPE_CHECKING:
    from tagloom.systems.base import Model

TRAIN = "train"
_LEAST_COUNT = 3  # occurrences of a training word that the lexicon must have
_CLUSTERS = 500  # of the words of the training data, which are fewer than those of a large text
_SEEN_SHARE = 0.4  # part of the training entities that the training data is matched with

Entry = tuple[str, tuple[str, ...]]  # class and tokens of an entity


@dataclass(frozen=True)
class Resources:
    """Resources of a model, and those that the training data is matched with in their place (``seen``)."""

    whole: Mapping[str, Resource]
    seen: Mapping[str, Resource] = field(default_factory=dict)

    @property
    def of_training(self) -> dict[str, Resource]:
        """The resources that the training data is matched with."""
        return {**self.whole, **self.seen}


def build_resources(sources: Mapping[str, Source], corpus: Corpus, gold: TrainingLabels, seed: int) -> Resources:
    """Build all resources of a training; ``seed`` draws the share of training entities."""
    whole, seen = dict[str, Resource](), dict[str, Resource]()
    for name, source in sources.items():
        kind = split_name(name)[0]
        if kind in ("gazetteer", "gazetteer_folded", "entities") and is_built(source):
            whole[name], seen[name] = _with_entities(name, source, corpus, gold, seed)
        elif kind == "lowercased" and is_built(source):
            whole[name] = find_lowercased_words(_word_counts(name, corpus))
        elif kind == "brown" and is_built(source):
            whole[name] = _cluster(name, corpus)
        elif kind == "casing" and is_built(source):
            whole[name] = Casing.of_words(_word_counts(name, corpus))
        elif kind == "functional" and is_built(source):
            entities = _entity_mentions(name, corpus, gold)
            whole[name] = find_functional_words(word for _, words in entities for word in words)
        elif kind in ("lexicon", "statistics") and is_built(source):
            whole[name] = _of_words(name, corpus, gold)
        else:
            whole[name] = load_resource(name, source)
    return Resources(whole, seen)


def is_built(source: Source) -> bool:
    """Tell whether a resource, or one of its named lists, is built from training data."""
    if isinstance(source, Mapping):
        return any(TRAIN in _files(files) for files in source.values())
    return isinstance(source, str) and source == TRAIN


def choose_seed(sources: Mapping[str, Source], seed: int) -> int | None:
    """Return the seed if the shares of some resources are drawn by it, else None."""
    return seed if any(map(is_built, sources.values())) else None


def list_built_parts(sources: Mapping[str, Source], start: Spec | None) -> dict[str, str]:
    """List how much of each resource is built from training data, for the spec."""
    if start is not None:
        return start.built_resources
    return {name: _build_part(source) for name, source in sources.items() if is_built(source)}


def _build_part(source: Source) -> str:
    if not isinstance(source, Mapping):
        return WHOLE
    return LISTS if all(list(_files(files)) == [TRAIN] for files in source.values()) else PART


def _files(files: Files) -> Sequence[FilePath]:
    return [files] if isinstance(files, (str, os.PathLike)) else files


def _words(corpus: Corpus) -> Column:
    return corpus.columns.get("form", corpus.columns[corpus.names[0]])


def _word_counts(name: str, corpus: Corpus) -> dict[str, int]:
    forms = _words(corpus)
    if forms.is_bag:
        raise ConfigError(f"resource {name}=train: {corpus.source} has no words; name a file (./train for one)")
    counts = np.bincount(forms.codes, minlength=len(forms.strings))
    return {word: count for word, count in zip(forms.strings.strings(), counts.tolist()) if count}


def _cluster(name: str, corpus: Corpus) -> Clusters:
    if _words(corpus).is_bag:
        raise ConfigError(f"resource {name}=train: {corpus.source} has no words; name a file (./train for one)")
    from tagloom.features.clusters.brown import cluster_words  # not at the top: a model is used without it

    found = cluster_words(corpus, _CLUSTERS)
    return Clusters.of_words(found.words, found.paths)


def _of_words(name: str, corpus: Corpus, gold: TrainingLabels) -> Resource:
    forms = _words(corpus)
    if forms.is_bag or not cuts_text(gold.column.strings.strings(), gold.decided):
        raise ConfigError(
            f"resource {name}=train: {corpus.source} is not segmented text; name a file (./train for one)"
        )
    if split_name(name)[0] == "lexicon":
        counts = Counter(list_words_cut(forms, gold, corpus.sentences))
        return Phrases.lexicon((word for word, count in counts.items() if count >= _LEAST_COUNT), TRAIN)
    texts, bounds = forms.texts(), corpus.sentences.tolist()
    return Statistics.count("".join(texts[start:stop]) for start, stop in itertools.pairwise(bounds))


def _with_entities(
    name: str, source: Source, corpus: Corpus, gold: TrainingLabels, seed: int
) -> tuple[Phrases, Phrases]:
    """Build lists with all training entities of their classes, and lists with a share of them."""
    entries = list(dict.fromkeys(_entity_mentions(name, corpus, gold)))  # each once
    classes = sorted({type_ for type_, _ in entries})
    lists = source if isinstance(source, Mapping) else dict.fromkeys(classes, TRAIN)
    made = {type_ for type_, files in lists.items() if TRAIN in _files(files)}
    for type_ in sorted(made.difference(classes)):
        raise unknown_name(f"class of entities in {corpus.source}:", type_, classes)
    read = {type_: [file for file in _files(files) if file != TRAIN] for type_, files in lists.items()}
    given = load_resource(name, read)
    assert isinstance(given, Phrases)
    chosen = [(type_, tokens) for type_, tokens in entries if type_ in made]
    drawn = np.random.default_rng(seed).permutation(len(chosen))[: round(_SEEN_SHARE * len(chosen))]
    share = [chosen[number] for number in sorted(drawn.tolist())]
    fold = split_name(name)[0] == "gazetteer_folded"
    return given.with_tokens(_by_class(chosen), fold=fold), given.with_tokens(_by_class(share), fold=fold)


def _entity_mentions(name: str, corpus: Corpus, gold: TrainingLabels) -> list[Entry]:
    """List the entities of the training data in the order of the text."""
    forms, labels = _words(corpus), gold.column
    found: list[Entry] = []
    if gold.decided is not None and not forms.is_bag:
        spans = decode_spans(labels.strings.strings(), labels.codes, corpus.sentences, gold.decided)
        texts = forms.texts()
        found = [(type_, tuple(texts[start:stop])) for _, start, stop, type_ in spans.tuples() if type_]
    if not found:
        raise ConfigError(f"resource {name}=train: {corpus.source} has no entities; name a file (./train for one)")
    return found


def _by_class(entries: list[Entry]) -> dict[str, list[tuple[str, ...]]]:
    classes: dict[str, list[tuple[str, ...]]] = {}
    for type_, tokens in entries:
        classes.setdefault(type_, []).append(tokens)
    return classes


# -- training again ----------------------------------------------------------------------------------------------------


def require_functions(functions: Mapping[str, Callable[..., Any] | None]) -> dict[str, Callable[..., Any]]:
    """Return the functions; refuse a missing one."""
    for name, function in functions.items():
        if function is None:
            raise ConfigError(f"the model needs its function {name!r}: load it with functions={{{name!r}: ...}}")
    return {name: function for name, function in functions.items() if function is not None}


def reuse_resources(model: Model, given: Mapping[str, Source]) -> dict[str, Source]:
    """List the resources of a model for a training on other data: what training data made is made anew of them."""
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
