"""EncodedPhrases: what a phrase chunker learns from, checked and encoded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import tagloom._core as _core
from tagloom.corpus import Corpus
from tagloom.errors import ConfigError
from tagloom.features import Resource, Source, Vocabulary, load_templates
from tagloom.systems.labels import TrainingLabels
from tagloom.systems.phrases.encode import Gold, PhraseEncoder, choose_templates, list_entity_keys, phrase_keys
from tagloom.systems.phrases.options import LONGEST, PhraseOptions
from tagloom.systems.resources import TRAIN, build_resources, list_built_parts


@dataclass(frozen=True)
class EncodedPhrases:
    """Training sentences with their phrases, and the tables of features of words and phrases."""

    corpus: Corpus
    gold: Gold
    encoder: PhraseEncoder
    made: Mapping[str, str]  # how much of each resource was built from the corpus
    longest: int
    words: _core.FeatureTable
    phrases: _core.FeatureTable
    data: _core.PhraseData

    @classmethod
    def encode(cls, corpus: Corpus, options: PhraseOptions) -> EncodedPhrases:
        """Check and encode a training corpus."""
        gold = Gold.of(corpus, options.label, options.scheme)
        labels = TrainingLabels(corpus.column(gold.label), gold.scheme, gold.scheme)
        sources = choose_sources(gold) if options.resources is None else options.resources
        made = build_resources(sources, corpus, labels, options.seed)
        encoder = _encoder(corpus, gold, options, made.whole)
        seen = encoder  # with a share of the training entities only, if there are any
        if made.seen:
            seen = replace(encoder, vocabulary=replace(encoder.vocabulary, resources=made.of_training))
        words = _core.FeatureTable(seen.word_keys(corpus, options.cutoff))
        data = seen.encode(corpus, words)
        longest = min(options.longest or LONGEST, gold.longest)
        entities = list_entity_keys(options.window, len(gold.categories))
        keys = phrase_keys(data, gold, longest, options.least_of_phrases, entities)
        parts = list_built_parts(sources, None)
        return cls(corpus, gold, encoder, parts, longest, words, _core.FeatureTable(keys), data)


def choose_sources(gold: Gold) -> dict[str, Source]:
    """Choose resources: functional words, and lists of the phrases if they are entities (carreras-2003, section 5).

    Chunks cover most of a text and a list holds them nearly all, so that it says too much on the training data.
    """
    if gold.categories == ("",):
        return {}
    is_sparse = 2 * len(gold.words()[0]) < int(gold.sentences[-1])
    return {"functional": TRAIN, **({"gazetteer": TRAIN} if is_sparse else {})}


def _encoder(corpus: Corpus, gold: Gold, options: PhraseOptions, resources: Mapping[str, Resource]) -> PhraseEncoder:
    """Build the encoder; no feature can see a label."""
    names = tuple(name for name, column in corpus.columns.items() if name != gold.label and not column.is_bag)
    if not names:
        raise ConfigError(f"{corpus.source}: no column of words beside the labels {gold.label!r}")
    vocabulary = Vocabulary(
        names, frozenset(), options.attributes, options.sentence_attributes, resources, options.document_attributes
    )
    default = choose_templates(names, resources)
    known = {*names, *resources}
    sets = {name: load_templates(getattr(options, name) or text).fit(known) for name, text in default.items()}
    named = {name: replace(each, name=name) if each.name == "templates" else each for name, each in sets.items()}
    return PhraseEncoder(named["templates"], named["around"], named["inside"], vocabulary, options.window)
