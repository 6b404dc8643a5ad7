"""Resources of a training: read from files, or made of the training data, where their file is called ``train``.

A list that never misses a word of the training data would be trusted too much. So the lexicon that is made of them
leaves out rare words; and of lists of entities the training data sees a random share only, as Carreras, Marquez and
Padro 2003 do it ("when training, only a random 40% of the entries was considered"), while the model carries them all.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from tagloom.corpus import Column, Corpus
from tagloom.corpus.schemes import cuts_text
from tagloom.corpus.spans import spans_from_labels
from tagloom.errors import ConfigError
from tagloom.features import Phrases, Resource, Source, Statistics, load_resource
from tagloom.model.labels import TrainingLabels, words_cut

TRAIN = "train"
_LEAST_COUNT = 3  # of a training word, to enter the lexicon that is made of training words
_SEEN_SHARE = 0.4  # of the entries that are made of training entities: what the training data is matched with

Entry = tuple[str, tuple[str, ...]]  # class and tokens of an entity


@dataclass(frozen=True)
class Resources:
    """Those of the model; and ``seen``, those of them that the training data is matched with instead."""

    whole: Mapping[str, Resource]
    seen: Mapping[str, Resource] = field(default_factory=dict)

    @property
    def of_training(self) -> dict[str, Resource]:
        return {**self.whole, **self.seen}


def make_resources(sources: Mapping[str, Source], corpus: Corpus, gold: TrainingLabels, seed: int) -> Resources:
    """All resources of a training; ``seed`` draws the share of training entities."""
    whole, seen = dict[str, Resource](), dict[str, Resource]()
    for name, source in sources.items():
        if source == TRAIN and name in ("gazetteer", "entities"):
            entries = _entities(name, corpus, gold)
            whole[name], seen[name] = _lists(entries), _lists(_share(entries, seed), like=entries)
        elif source == TRAIN and name in ("lexicon", "statistics"):
            whole[name] = _of_words(name, corpus, gold)
        else:
            whole[name] = load_resource(name, source)
    return Resources(whole, seen)


def _words(corpus: Corpus) -> Column:
    return corpus.columns.get("form", corpus.columns[corpus.names[0]])


def _of_words(name: str, corpus: Corpus, gold: TrainingLabels) -> Resource:
    forms = _words(corpus)
    if forms.is_bag or not cuts_text(gold.column.strings.strings(), gold.decided):
        raise ConfigError(f"resource {name}=train: {corpus.source} is no segmented text; name a file (./train for one)")
    if name == "lexicon":
        counts = Counter(words_cut(forms, gold, corpus.sentences))
        return Phrases.lexicon((word for word, count in counts.items() if count >= _LEAST_COUNT), TRAIN)
    texts, bounds = forms.texts(), corpus.sentences.tolist()
    return Statistics.count("".join(texts[start:stop]) for start, stop in itertools.pairwise(bounds))


def _entities(name: str, corpus: Corpus, gold: TrainingLabels) -> list[Entry]:
    """The entities of the training data, each once, in the order of the text."""
    forms, labels = _words(corpus), gold.column
    found: dict[Entry, None] = {}
    if gold.decided is not None and not forms.is_bag:
        spans = spans_from_labels(labels.strings.strings(), labels.codes, corpus.sentences, gold.decided)
        texts = forms.texts()
        found = {(type_, tuple(texts[start:stop])): None for _, start, stop, type_ in spans.tuples() if type_}
    if not found:
        raise ConfigError(f"resource {name}=train: {corpus.source} has no entities; name a file (./train for one)")
    return list(found)


def _share(entries: list[Entry], seed: int) -> list[Entry]:
    chosen = np.random.default_rng(seed).permutation(len(entries))[: round(_SEEN_SHARE * len(entries))]
    return [entries[number] for number in sorted(chosen.tolist())]


def _lists(entries: list[Entry], like: list[Entry] | None = None) -> Phrases:
    """The entries by class; the classes are those of all entries, also where a share has none of one."""
    classes: dict[str, list[tuple[str, ...]]] = {type_: [] for type_, _ in like or entries}
    for type_, tokens in entries:
        classes[type_].append(tokens)
    return Phrases.of_tokens({type_: classes[type_] for type_ in sorted(classes)})
