"""PhraseChunker: frozen filters and scorers; recognises phrases, explains, scores, saves. Shared freely by threads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.arguments import check_methods
from tagloom.corpus import Column, Corpus
from tagloom.corpus.layers import LABELS, Layer
from tagloom.corpus.spans import Spans, decode_spans
from tagloom.features import Resource
from tagloom.learners.phrases import FILTERS
from tagloom.learners.voted import VotedVectors
from tagloom.systems.base import Functions, Model, Reads
from tagloom.systems.labels import find_gold_scheme
from tagloom.systems.options import check_threads
from tagloom.systems.phrases.encode import PhraseEncoder, labels_of
from tagloom.systems.phrases.layout import PHRASES
from tagloom.systems.phrases.spec import PhraseSpec
from tagloom.systems.tables import Description, tabulate_history

if TYPE_CHECKING:
    from tagloom.evaluate import Score
    from tagloom.features.tensors import Tensors
    from tagloom.systems.data import Data
    from tagloom.systems.phrases.explain import PhraseExplanation

#: Options that the spec has under the same name.
_SAME = ("templates", "around", "inside", "label", "degree", "form", "window", "longest", "cutoff", "phrase_cutoff",
         "seed")  # fmt: skip
#: First word, one past the last, category.
PhraseTuple = tuple[int, int, str]


@dataclass(frozen=True)
class PhraseParameters:
    """The arrays of a chunker: what learning produced."""

    categories: tuple[str, ...]
    word_keys: NDArray[np.uint64]  # features of words
    phrase_keys: NDArray[np.uint64]  # features of phrases
    filters: VotedVectors  # h_B and h_I, over features of words
    scorers: VotedVectors  # one function per category, over features of phrases


class Recognition:
    """Tables and perceptrons of a chunker: what the core recognises with."""

    def __init__(self, parameters: PhraseParameters, degree: int, longest: int, *, dual: bool) -> None:
        self.words, self.phrases = map(_core.FeatureTable, (parameters.word_keys, parameters.phrase_keys))
        self.filters = parameters.filters.perceptrons(len(self.words), degree, dual=dual)
        self.scorers = parameters.scorers.perceptrons(len(self.phrases), degree, dual=dual)
        self.categories, self.longest = parameters.categories, longest

    def spans(self, data: _core.PhraseData, corpus: Corpus, threads: int) -> Spans:
        """Recognise the phrases of an encoded corpus."""
        found = data.recognise(self.phrases, self.filters, self.scorers, self.longest, True, threads)
        offsets, begins, ends, categories = found
        sentence = np.repeat(np.arange(len(offsets) - 1, dtype=np.int32), np.diff(offsets))
        first = corpus.sentences[sentence]
        return Spans(sentence, begins + first, ends + first, categories, list(self.categories))


@check_methods()
class PhraseChunker(Model):
    """A trained phrase chunker. Make one with ``tagloom.train(..., system="phrases")`` or :func:`tagloom.load`."""

    system = "phrases"
    layout = PHRASES
    spec: PhraseSpec

    def __init__(
        self, spec: PhraseSpec, parameters: PhraseParameters, resources: Mapping[str, Resource] | None = None,
        functions: Functions | None = None,
    ) -> None:  # fmt: skip
        self.spec, self.parameters, self.resources = spec, parameters, dict(resources or {})
        if len(parameters.filters.decisions) != FILTERS or len(parameters.scorers.decisions) != len(self.categories):
            raise ValueError("the vectors do not fit the categories")
        if not self.categories or len(set(self.categories)) < len(self.categories):
            raise ValueError("categories are missing or occur twice")
        vocabulary = spec.build_vocabulary(self.resources, functions)
        self.encoder = PhraseEncoder(spec.templates, spec.around, spec.inside, vocabulary, spec.window)
        # The primal form of degree 2 has one weight per pair of features, so that its size is not that of the file.
        self.recognition = Recognition(parameters, spec.degree, spec.longest, dual=spec.degree > 1)

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories of phrases."""
        return self.parameters.categories

    @property
    def own_reads(self) -> Reads:
        """All columns of the training data, or those in use; with or without label."""
        columns, own, label = self.spec.columns, self.encoder.columns, self.spec.label
        layouts = columns, (*columns, label), own, (*own, label)
        return Reads(own, (label,), layouts, whole_documents=self.encoder.sees_documents)

    @property
    def main(self) -> str:
        """The column of the words."""
        return self.encoder.main

    @property
    def own_layers(self) -> tuple[Layer, ...]:
        """One column of labels, which write the phrases."""
        return (Layer(self.spec.label, LABELS, self.spec.written),)

    @property
    def own_inventory(self) -> Mapping[str, Sequence[str]]:
        """The categories of phrases."""
        return {self.spec.label: self.categories}

    def __repr__(self) -> str:
        """Show signature and categories."""
        return f"<tagloom.PhraseChunker {self.spec.signature}: {' '.join(self.categories)}>"

    # -- recognising -------------------------------------------------------------------------------------------------

    def spans(self, tokens: Sequence[object]) -> list[PhraseTuple]:
        """Recognise the phrases of one sentence: words, rows of words, or a dict of columns."""
        return self.spans_many([tokens])[0]

    def spans_many(self, sentences: Sequence[Sequence[object]], *, threads: int = 1) -> list[list[PhraseTuple]]:
        """Recognise the phrases of many sentences; the number of threads does not change the result."""
        corpus = self.open_sentences(sentences)
        found: list[list[PhraseTuple]] = [[] for _ in range(len(corpus))]
        firsts = corpus.sentences.tolist()
        for sentence, start, stop, category in self._recognise(corpus, threads).tuples():
            found[sentence].append((start - firsts[sentence], stop - firsts[sentence], category))
        return found

    def tag(self, tokens: Sequence[object]) -> list[str]:
        """Write the phrases of one sentence as labels, in the scheme of the training data."""
        return self.tag_many([tokens])[0]

    def tag_many(self, sentences: Sequence[Sequence[object]], *, threads: int = 1) -> list[list[str]]:
        """Write the phrases of many sentences as labels."""
        corpus = self.open_sentences(sentences)
        column = self.predict(corpus, threads)[self.spec.label]
        return _core.label_lists(column.codes, corpus.sentences, column.strings.strings())

    def spans_corpus(self, data: Data, threads: int = 1) -> Spans:
        """Recognise the phrases of a corpus, in the order of the text; places are counted through the corpus."""
        return self._recognise(self.open_provided(data, threads=threads), threads)

    def tag_corpus(self, data: Data, threads: int = 1) -> Column:
        """Write the phrases of a corpus as a column of labels."""
        return self.predict_columns(self.open_corpus(data), threads=threads)[self.spec.label]

    def predict(self, corpus: Corpus, threads: int, **search: Any) -> dict[str, Column]:
        """Predict the column of labels."""
        return {self.spec.label: labels_of(self._recognise(corpus, threads), corpus.token_count, self.spec.written)}

    def _recognise(self, corpus: Corpus, threads: int) -> Spans:
        check_threads(threads)
        data = self.encoder.encode(corpus, self.recognition.words)
        return self.recognition.spans(data, corpus, threads)

    # -- looking inside ----------------------------------------------------------------------------------------------

    def evaluate(self, data: Data, *, rule: str = "conlleval", threads: int = 1, **search: Any) -> Score:
        """Score the phrases against those of the labels of some data.

        Args:
            data: Anything that :func:`tagloom.train` takes as data, with labels or spans.
            rule: "conlleval" or "strict", see :func:`tagloom.score`.
            threads: Number of threads. Does not change the result.
            **search: No options: a phrase chunker has none.
        """
        from tagloom.evaluate import score  # here, because recognising needs none of it

        self.check_search(search)
        corpus = self.open_provided(data, gold=True, threads=threads)
        gold = corpus.column(self.spec.label)
        scheme = find_gold_scheme(gold, corpus.sentences, self.spec.written)
        predicted = self.predict(corpus, threads)[self.spec.label]
        return score(gold, predicted, corpus.sentences, rule=rule, scheme=scheme).with_signature(self.spec.signature)

    def explain(self, tokens: Sequence[object]) -> PhraseExplanation:
        """Explain one sentence: words that passed the filters, proposed phrases, what won over what, and why."""
        from tagloom.systems.phrases.explain import explain_phrases

        return explain_phrases(self, self.open_sentences([tokens]))

    def describe(self, **options: Any) -> Description:
        """Describe what the chunker was made of."""
        return _describe_chunker(self, **options)

    def read_training_options(self) -> dict[str, Any] | None:
        """Read the options of the training."""
        from tagloom.systems.resources import require_functions, reuse_resources

        spec, vocabulary = self.spec, self.encoder.words.vocabulary
        return {
            **{name: getattr(spec, name) for name in _SAME},
            "scheme": spec.written_scheme,
            "epochs": spec.trained_epochs,
            "attributes": require_functions(vocabulary.word_functions),
            "sentence_attributes": require_functions(vocabulary.sentence_functions),
            "document_attributes": require_functions(vocabulary.document_attributes),
            "resources": reuse_resources(self, {}),
        }

    def check_labels(self, corpus: Corpus) -> list[str]:
        """List categories of phrases in a corpus that did not occur in the training data."""
        gold = corpus.column(self.spec.label)
        scheme = find_gold_scheme(gold, corpus.sentences, self.spec.written)
        if scheme is None:
            return []
        spans = decode_spans(gold.strings.strings(), gold.codes, corpus.sentences, scheme)
        counts = Counter(category for *_, category in spans.tuples() if category not in self.categories)
        if not counts:
            return []
        names = ", ".join(f"{category} {count}" for category, count in counts.most_common())
        return [f"{corpus.source}: phrases of categories never seen in training, and how many: {names}"]

    # -- files ---------------------------------------------------------------------------------------------------------

    def to_tensors(self, *, names: bool = True) -> Tensors:
        """Convert votes, feature tables and categories to arrays."""
        from tagloom.systems.phrases.file import parameters_to_tensors

        return parameters_to_tensors(self.parameters)

    @classmethod
    def from_tensors(
        cls, spec: str, tensors: Tensors, resources: dict[str, Resource], functions: Functions | None
    ) -> PhraseChunker:
        """Build a chunker from its spec and arrays."""
        from tagloom.systems.phrases.file import read_parameters

        return cls(PhraseSpec.from_json(spec), read_parameters(tensors), resources, functions)


def _describe_chunker(chunker: PhraseChunker) -> Description:
    spec, parameters = chunker.spec, chunker.parameters
    facts = {
        "writes": f"{spec.label} in {spec.written_scheme}",
        "categories": " ".join(chunker.categories),
        "kernel": f"degree {spec.degree}, {spec.form}",
        "phrases": f"{spec.longest} words at most, {spec.window} words around",
    }
    sizes = {
        "categories": len(parameters.categories),
        "word_features": len(parameters.word_keys),
        "phrase_features": len(parameters.phrase_keys),
        "filter_vectors": len(parameters.filters.amounts),
        "scorer_vectors": len(parameters.scorers.amounts),
    }
    history = tabulate_history(spec.history, spec.best_epoch, "phrases in error")
    return Description(facts, sizes, [history], {"categories": list(chunker.categories)})
