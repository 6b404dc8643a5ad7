"""PhraseChunker: frozen filters and scorers; recognises phrases, explains, scores, saves. Shared freely by threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus import Column, Corpus
from tagloom.corpus.sentences import rows_to_corpus
from tagloom.corpus.spans import Spans
from tagloom.features import Resource, Vocabulary
from tagloom.learners.phrases import FILTERS
from tagloom.learners.voted import VotedVectors
from tagloom.systems.labels import gold_scheme
from tagloom.systems.numbers import check_threads
from tagloom.systems.phrases.encode import PhraseEncoder
from tagloom.systems.phrases.gold import labels_of
from tagloom.systems.phrases.spec import PhraseSpec

if TYPE_CHECKING:
    from tagloom.evaluate import Score
    from tagloom.systems.phrases.explain import PhraseExplanation

#: First word, one past the last, category.
PhraseTuple = tuple[int, int, str]


@dataclass(frozen=True)
class PhraseParameters:
    """The arrays of a chunker: what learning produced."""

    categories: tuple[str, ...]
    word_keys: NDArray[np.uint64]  # features of words
    phrase_keys: NDArray[np.uint64]  # features of phrases
    filters: VotedVectors  # h_B and h_I, over features of words
    scorers: VotedVectors  # one function a category, over features of phrases


class Recognition:
    """Tables and perceptrons of a chunker: what the core recognises with."""

    def __init__(self, parameters: PhraseParameters, degree: int, longest: int, *, dual: bool) -> None:
        self.words, self.phrases = map(_core.FeatureTable, (parameters.word_keys, parameters.phrase_keys))
        self.filters = parameters.filters.perceptrons(len(self.words), degree, dual=dual)
        self.scorers = parameters.scorers.perceptrons(len(self.phrases), degree, dual=dual)
        self.categories, self.longest = parameters.categories, longest

    def spans(self, data: _core.PhraseData, corpus: Corpus, threads: int) -> Spans:
        """The phrases of a corpus that was encoded."""
        found = data.recognise(self.phrases, self.filters, self.scorers, self.longest, True, threads)
        offsets, begins, ends, categories = found
        sentence = np.repeat(np.arange(len(offsets) - 1, dtype=np.int32), np.diff(offsets))
        first = corpus.sentences[sentence]
        return Spans(sentence, begins + first, ends + first, categories, list(self.categories))


class PhraseChunker:
    """A trained phrase chunker. Make one with :func:`tagloom.train_phrases` or :func:`tagloom.load_phrases`."""

    def __init__(
        self,
        spec: PhraseSpec,
        parameters: PhraseParameters,
        resources: Mapping[str, Resource] | None = None,
        functions: Mapping[str, Callable[..., object]] | None = None,
    ) -> None:
        self.spec, self.parameters, self.resources = spec, parameters, dict(resources or {})
        if len(parameters.filters.decisions) != FILTERS or len(parameters.scorers.decisions) != len(self.categories):
            raise ValueError("the vectors do not fit the categories")
        if not self.categories or len(set(self.categories)) < len(self.categories):
            raise ValueError("categories are missing or occur twice")
        known = functions or {}
        words: dict[str, Any] = {name: known.get(name) for name in spec.word_functions}
        sentences: dict[str, Any] = {name: known.get(name) for name in spec.sentence_functions}
        vocabulary = Vocabulary(spec.columns, frozenset(), words, sentences, self.resources)
        self.encoder = PhraseEncoder(spec.templates, spec.around, spec.inside, vocabulary, spec.window)
        self.recognition = Recognition(parameters, spec.degree, spec.longest, dual=spec.is_dual)

    @property
    def categories(self) -> tuple[str, ...]:
        """What phrases may be."""
        return self.parameters.categories

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that a corpus must have."""
        return self.encoder.columns

    @property
    def main(self) -> str:
        """The column of the words."""
        return self.encoder.main

    def __repr__(self) -> str:
        return f"<tagloom.systems.PhraseChunker {self.spec.signature}: {' '.join(self.categories)}>"

    # -- recognising -------------------------------------------------------------------------------------------------

    def spans(self, tokens: Sequence[object]) -> list[PhraseTuple]:
        """The phrases of one sentence: words, rows of words where several columns are read, or a dict of columns."""
        return self.spans_many([tokens])[0]

    def spans_many(self, sentences: Sequence[Sequence[object]], *, threads: int = 1) -> list[list[PhraseTuple]]:
        """The phrases of many sentences; the work is shared by ``threads``, the result is the same for any number."""
        corpus = rows_to_corpus(sentences, self.columns)
        return spans_by_sentence(self.spans_corpus(corpus, threads), corpus)

    def tag(self, tokens: Sequence[object]) -> list[str]:
        """The phrases of one sentence as labels, written as the training data writes them."""
        return self.tag_many([tokens])[0]

    def tag_many(self, sentences: Sequence[Sequence[object]], *, threads: int = 1) -> list[list[str]]:
        """The same of many sentences."""
        corpus = rows_to_corpus(sentences, self.columns)
        column = self.tag_corpus(corpus, threads)
        return _core.label_lists(column.codes, corpus.sentences, column.strings.strings())

    def spans_corpus(self, corpus: Corpus, threads: int = 1) -> Spans:
        """The phrases of a corpus, in the order of the text; places are counted through the corpus."""
        check_threads(threads)
        data = self.encoder.encode(corpus, self.recognition.words)
        return self.recognition.spans(data, corpus, threads)

    def tag_corpus(self, corpus: Corpus, threads: int = 1) -> Column:
        """The label column of a corpus."""
        return labels_of(self.spans_corpus(corpus, threads), corpus.token_count, self.spec.written)

    # -- looking inside ----------------------------------------------------------------------------------------------

    def evaluate(self, corpus: Corpus, *, rule: str = "conlleval", threads: int = 1) -> Score:
        """Score the phrases against those of the corpus's own labels, with signature."""
        from tagloom.evaluate import score  # here, because recognising needs none of it

        gold = corpus.column(self.spec.label)
        scheme = gold_scheme(gold, corpus.sentences, self.spec.written)
        found = score(gold, self.tag_corpus(corpus, threads), corpus.sentences, rule=rule, scheme=scheme)
        return found.signed(self.spec.signature)

    def explain(self, tokens: Sequence[object]) -> PhraseExplanation:
        """For one sentence: words that passed the filters, phrases that were proposed, what won over what, and why."""
        from tagloom.systems.phrases.explain import explain_phrases

        return explain_phrases(self, rows_to_corpus([tokens], self.columns))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write one safetensors file."""
        from tagloom.systems.phrases.file import save_chunker

        save_chunker(self, path)


def spans_by_sentence(spans: Spans, corpus: Corpus) -> list[list[PhraseTuple]]:
    """The spans of every sentence, with places in it."""
    found: list[list[PhraseTuple]] = [[] for _ in range(len(corpus))]
    firsts = corpus.sentences.tolist()
    for sentence, start, stop, category in spans.tuples():
        found[sentence].append((start - firsts[sentence], stop - firsts[sentence], category))
    return found
