"""Task: what is to be learned from a corpus and with which features, before anything is encoded."""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagloom.corpus import Column, Corpus
from tagloom.corpus.schemes import cuts_text
from tagloom.errors import ConfigError
from tagloom.features import (
    FeatureEncoder,
    Phrases,
    Resource,
    Statistics,
    Vocabulary,
    load_resource,
    load_templates,
)
from tagloom.model.labels import TrainingLabels, continued_labels, training_labels, words_cut
from tagloom.model.model import Model
from tagloom.model.options import Options
from tagloom.model.start import continued_vocabulary, require_kinds
from tagloom.structures import Chain

_LEAST_COUNT = 3  # of a training word, to enter the lexicon that is made of training words


@dataclass(frozen=True)
class Task:
    """A corpus, the column to learn, its labels, and the compiled features."""

    corpus: Corpus
    label: str
    gold: TrainingLabels
    resources: Mapping[str, Resource]
    encoder: FeatureEncoder
    structure: Chain
    start: Model | None = None  # whose features, labels and weights are taken over

    @classmethod
    def plan(cls, corpus: Corpus, options: Options) -> Task:
        label = options.label or corpus.label
        gold = training_labels(corpus, label, options.scheme)
        templates = load_templates(options.templates or default_templates(corpus, label, gold))
        resources = {name: _resource(name, source, corpus, gold) for name, source in options.resources.items()}
        encoder = FeatureEncoder(templates, _vocabulary(corpus, label, options, resources))
        structure = Chain(tuple(gold.column.strings.strings()), gold.decided)
        return cls(corpus, label, gold, resources, encoder, structure)

    @classmethod
    def resume(cls, corpus: Corpus, options: Options, start: Model) -> Task:
        """A task that goes on from a model: its features, and its labels before those that the corpus adds."""
        require_kinds(start, corpus)
        gold = continued_labels(corpus, start.spec.label, start.labels, start.spec.decided, start.spec.written)
        encoder = FeatureEncoder(start.spec.templates, continued_vocabulary(options, start))
        structure = Chain(tuple(gold.column.strings.strings()), gold.decided)
        return cls(corpus, start.spec.label, gold, start.resources, encoder, structure, start)

    def known_words(self) -> NDArray[np.uint64]:
        """Hashes of the words of the corpus, ascending; where gold cuts text, of the words it is cut into."""
        old = np.zeros(0, np.uint64) if self.start is None else self.start.parameters.known_words
        return np.union1d(old, self._corpus_words())

    def _corpus_words(self) -> NDArray[np.uint64]:
        forms = self.corpus.column(self.encoder.main)
        if forms.is_bag:
            return np.zeros(0, np.uint64)
        if cuts_text(self.structure.labels, self.gold.decided):
            forms = Column.from_strings(words_cut(forms, self.gold, self.corpus.sentences))
        used = np.bincount(forms.codes, minlength=len(forms.strings)) > 0
        return forms.strings.hashes()[used]


def default_templates(corpus: Corpus, label: str, gold: TrainingLabels) -> str:
    """The shipped set that fits the columns of a corpus."""
    if any(column.is_bag for column in corpus.columns.values()):
        return "attributes"
    if cuts_text(gold.column.strings.strings(), gold.decided):
        return "segmentation"
    return "ner-basic" if gold.written is not None and "pos" in corpus.columns and label != "pos" else "words"


def _resource(name: str, source: str | os.PathLike[str] | Resource, corpus: Corpus, gold: TrainingLabels) -> Resource:
    """A resource from its file, or, where the file is called ``train``, from the training data.

    A lexicon of all training words would never miss one in training, and the model would trust it too much.
    """
    if source != "train" or name not in ("lexicon", "statistics"):
        return load_resource(name, source)
    forms = corpus.columns.get("form", corpus.columns[corpus.names[0]])
    if forms.is_bag or not cuts_text(gold.column.strings.strings(), gold.decided):
        raise ConfigError(f"resource {name}=train: {corpus.source} is no segmented text; name a file (./train for one)")
    if name == "lexicon":
        counts = Counter(words_cut(forms, gold, corpus.sentences))
        return Phrases.lexicon((word for word, count in counts.items() if count >= _LEAST_COUNT), "train")
    texts, bounds = forms.texts(), corpus.sentences.tolist()
    return Statistics.count("".join(texts[start:stop]) for start, stop in itertools.pairwise(bounds))


def _vocabulary(corpus: Corpus, label: str, options: Options, resources: Mapping[str, Resource]) -> Vocabulary:
    names = [name for name in corpus.names if name != label]
    if not names:
        raise ConfigError(f"{corpus.source}: only the label column {label!r}; words are needed too")
    bags = frozenset(name for name in names if corpus.columns[name].is_bag)
    return Vocabulary(tuple(names), bags, options.attributes, options.sentence_attributes, resources)
