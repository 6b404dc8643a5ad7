"""Task: what is learned from a corpus and with which features, before anything is encoded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tagloom.corpus import Column, Corpus
from tagloom.corpus.mapped import count_codes
from tagloom.corpus.normalise import list_word_columns
from tagloom.corpus.schemes import cuts_text
from tagloom.errors import ConfigError, DataError
from tagloom.features import FeatureEncoder, Resource, Vocabulary, load_templates
from tagloom.structures import Chain
from tagloom.structures.edit_scripts import encode_scripts
from tagloom.structures.sequences import JOINED, SENTENCES, Sequences, build_sequences, join_documents
from tagloom.structures.tag_dictionary import TagDictionary
from tagloom.systems.labels import TrainingLabels, continue_labels, list_words_cut, prepare_labels
from tagloom.systems.resources import build_resources
from tagloom.systems.tagger.defaults import choose_templates, find_kind
from tagloom.systems.tagger.model import Tagger
from tagloom.systems.tagger.options import EDITS, TaggerOptions
from tagloom.systems.tagger.warm_start import continue_dictionary, continue_vocabulary


@dataclass(frozen=True)
class Task:
    """A corpus, the column to learn, its labels, and the compiled features."""

    corpus: Corpus
    label: str
    gold: TrainingLabels
    resources: Mapping[str, Resource]
    encoder: FeatureEncoder
    training_encoder: FeatureEncoder  # for the training data, whose resources may hold less than the model's
    structure: Chain
    kind: str = SENTENCES  # of the sequences that are labelled as one
    start: Tagger | None = None  # whose features, labels and weights are taken over
    dictionary: TagDictionary | None = None  # of the labels that words may take
    codec: str | None = None  # how labels are written, if they are made from words
    normal_form: str | None = None  # of the words

    @classmethod
    def plan(cls, corpus: Corpus, options: TaggerOptions, normal_form: str | None = None) -> Task:
        """Find the labels, build the resources, and compile the features."""
        label = options.label or corpus.label
        codec = options.choose_codec(label)
        corpus = encode_labels(corpus, label, codec)
        # Before documents are joined: sentences end IOB1's spans.
        gold = prepare_labels(corpus, label, options.chosen_scheme)
        corpus = join_documents(corpus) if options.chosen_sequences == JOINED else corpus
        templates = load_templates(
            options.templates or choose_templates(corpus, find_kind(corpus, label, gold.written))
        )
        made = build_resources(options.resources, corpus, gold, options.seed)
        vocabulary = _vocabulary(corpus, label, options, made.whole)
        encoder = training_encoder = FeatureEncoder(templates, vocabulary)
        if made.seen:
            training_encoder = FeatureEncoder(templates, replace(vocabulary, resources=made.of_training))
        structure = Chain(tuple(gold.column.strings.strings()), gold.decided, *options.order)
        dictionary = tag_dictionary(corpus, encoder, gold, options.tag_dictionary)
        return cls(
            corpus, label, gold, made.whole, encoder, training_encoder, structure, options.chosen_sequences,
            dictionary=dictionary, codec=codec, normal_form=normal_form,
        )  # fmt: skip

    @classmethod
    def resume(cls, corpus: Corpus, options: TaggerOptions, start: Tagger) -> Task:
        """Plan a training that begins from a model: its features, and its labels before new ones."""
        start.own_reads.check_kinds(corpus)
        corpus = encode_labels(corpus, start.spec.label, start.spec.codec)
        gold = continue_labels(corpus, start.spec.label, start.labels, start.spec.decided, start.spec.written)
        corpus = join_documents(corpus) if options.chosen_sequences == JOINED else corpus
        encoder = FeatureEncoder(start.spec.templates, continue_vocabulary(options, start))
        structure = Chain(tuple(gold.column.strings.strings()), gold.decided, *options.order)
        dictionary = tag_dictionary(corpus, encoder, gold, options.tag_dictionary)
        if dictionary is not None:
            dictionary = continue_dictionary(dictionary, start)
        return cls(
            corpus, start.spec.label, gold, start.resources, encoder, encoder, structure, options.chosen_sequences,
            start, dictionary, start.spec.codec, start.spec.normal_form,
        )  # fmt: skip

    def sequences(self, corpus: Corpus) -> Sequences:
        """Cut a corpus into what is labelled as one."""
        return build_sequences(corpus, self.kind)

    def known_words(self) -> NDArray[np.uint64]:
        """Hash the words of the corpus, or the words that gold labels cut text into; ascending."""
        old = np.zeros(0, np.uint64) if self.start is None else self.start.parameters.known_words
        forms = self.corpus.column(self.encoder.main)
        if forms.is_bag:
            return np.unique(old)
        if cuts_text(self.structure.labels, self.gold.decided):
            forms = Column.from_strings(list_words_cut(forms, self.gold, self.corpus.sentences))
        used = count_codes(forms.codes, len(forms.strings)) > 0
        return np.union1d(old, forms.strings.hashes()[used])


_LEAST_SCRIPTS = 2  # occurrences that make an edit script a label


def encode_labels(corpus: Corpus, label: str, codec: str | None) -> Corpus:
    """Write the labels of a corpus as a codec has them: lemmas as edit scripts."""
    if codec != EDITS:
        return corpus
    words = corpus.column(list_word_columns([name for name in corpus.names if name != label])[0])
    return corpus.with_column(label, encode_scripts(words, corpus.column(label), _LEAST_SCRIPTS))


def tag_dictionary(corpus: Corpus, encoder: FeatureEncoder, gold: TrainingLabels, least: int) -> TagDictionary | None:
    """Collect the labels of words that occur at least ``least`` times; None if that is 0."""
    if least == 0:
        return None
    words = corpus.column(encoder.main)
    if words.is_bag:
        raise ConfigError(f"tag_dictionary: column {encoder.main!r} holds attributes, not words; leave it out")
    return TagDictionary.count(words, gold.column.codes, len(gold.column.strings), least)


def _vocabulary(corpus: Corpus, label: str, options: TaggerOptions, resources: Mapping[str, Resource]) -> Vocabulary:
    names = [name for name in corpus.names if name != label]
    if not names:
        raise DataError(f"{corpus.source}: one column, {label!r}, and no labels; pass words with labels or spans")
    bags = frozenset(name for name in names if corpus.columns[name].is_bag)
    functions = options.attributes, options.sentence_attributes
    return Vocabulary(tuple(names), bags, *functions, resources, options.document_attributes)
