"""LearnedTokenizer: a tagger of characters that finds tokens, and a tagger of tokens that finds sentences."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from tagloom._core import StringTable
from tagloom.arguments import check_methods
from tagloom.corpus import Column, Corpus
from tagloom.corpus.corpus import IntArray
from tagloom.corpus.layers import Layer
from tagloom.errors import DataError, show_value
from tagloom.evaluate import Signature
from tagloom.features import Resource
from tagloom.schema import Field, Misfit
from tagloom.systems.base import LEARNERS, TEXT, Functions, Model, Reads
from tagloom.systems.options import check_threads
from tagloom.systems.spec import Spec
from tagloom.systems.tables import Description, Weights
from tagloom.systems.tagger.model import Tagger
from tagloom.systems.tokenizer.characters import LABEL, Boundaries, read_boundaries, read_characters
from tagloom.systems.tokenizer.layout import TOKENIZER
from tagloom.systems.tokenizer.multiwords import MultiwordTokens
from tagloom.systems.tokenizer.sentences import LABEL as SENTENCE
from tagloom.systems.tokenizer.sentences import read_sentences, read_tokens
from tagloom.text import Segmentation

if TYPE_CHECKING:
    from tagloom.evaluate import TextScore
    from tagloom.features.tensors import Tensors
    from tagloom.systems.tagger.explain import TaggerExplanation


@dataclass(frozen=True, kw_only=True)
class TokenizerSpec(Spec):
    """What a tokenizer was made of and from; the specs of its taggers stand in their own files."""

    system: ClassVar[str] = "tokenizer"

    learner: Annotated[str, Field("Name of the learner.")]
    templates: Annotated[str, Field("Name of the template set of characters.")]
    sentence_templates: Annotated[str, Field("Name of the template set of tokens.")]

    @property
    def signature(self) -> Signature:
        """The line that goes with every score of the model."""
        return Signature(
            system=self.system, learner=self.learner, passes=self.best_epoch or None,
            templates=f"{self.templates} {self.sentence_templates}", seed=self.seed, data=self.data,
            version=self.version,
        )  # fmt: skip


@check_methods()
class LearnedTokenizer(Model):
    """A trained tokenizer. Make one with ``tagloom.train(..., system="tokenizer")`` or :func:`tagloom.load`."""

    system = "tokenizer"
    layout = TOKENIZER
    capabilities = frozenset({LEARNERS, TEXT})
    spec: TokenizerSpec
    ends_at_blank_lines: ClassVar[bool] = True

    def __init__(self, spec: TokenizerSpec, tagger: Tagger, sentences: Tagger, multiwords: MultiwordTokens) -> None:
        self.spec, self.tagger, self.sentences, self.multiwords = spec, tagger, sentences, multiwords
        self.resources = {}

    @property
    def segments_text(self) -> bool:
        """Yes."""
        return True

    @property
    def name(self) -> str:
        """What messages call it."""
        return "learned"

    @property
    def main(self) -> str:
        """The column of the words."""
        return self.spec.columns[0]

    @property
    def own_reads(self) -> Reads:
        """The words, whose text is cut anew."""
        names = (self.main,)
        return Reads(names, names, (names,))

    @property
    def own_layers(self) -> tuple[Layer, ...]:
        """None: a tokenizer makes tokens, and adds nothing to those that are there."""
        return ()

    def segment(self, text: str, *, threads: int = 1) -> Segmentation:
        """Cut a text into sentences, tokens and words."""
        check_threads(threads)
        characters = read_characters(text, form=self.spec.normal_form)
        if characters.corpus.token_count == 0:
            nothing = np.zeros(0, np.int64)
            return Segmentation(text, nothing.astype(np.int32), StringTable(), nothing, nothing, np.zeros(1, np.int64))
        found = read_boundaries(characters, self.tagger.predict(characters.corpus, threads)[LABEL])
        tokens = read_tokens(text, characters, found, self.spec.normal_form)
        labels = self.sentences.predict(tokens, threads)[SENTENCE]
        return self._build_words(text, found, read_sentences(tokens, labels))

    def _build_words(self, text: str, found: Boundaries, sentences: IntArray) -> Segmentation:
        bounds = list(zip(found.starts.tolist(), found.ends.tolist()))
        tokens = [text[start:end] for start, end in bounds]
        split = self._split_tokens(tokens, found)
        strings = StringTable()
        if not split:
            return Segmentation(text, _intern(strings, tokens), strings, found.starts, found.ends, sentences)
        words: list[str] = []
        places: list[tuple[int, int]] = []
        multiwords: list[tuple[int, int]] = []
        before = np.zeros(len(tokens) + 1, np.int64)  # words before each token
        for number, token in enumerate(tokens):
            own = split.get(number, [token])
            if len(own) > 1:
                multiwords.append((len(words), len(words) + len(own)))
            places += _place_words(own, token, *bounds[number])
            words += own
            before[number + 1] = len(words)
        starts, ends = np.array(places, np.int64).T
        return Segmentation(text, _intern(strings, words), strings, starts, ends, before[sentences], tuple(multiwords))

    def _split_tokens(self, tokens: list[str], found: Boundaries) -> dict[int, list[str]]:
        """Split the tokens that have several words: by the words of training, or where words begin inside them."""
        several = np.flatnonzero(found.is_multiword).tolist()
        split = {number: self.multiwords.split(tokens[number]) for number in several}
        owners = np.searchsorted(found.starts, found.words, side="right") - 1
        places = (found.words - found.starts[owners]).tolist()
        for number, group in itertools.groupby(zip(owners.tolist(), places), key=lambda pair: pair[0]):
            cuts = [place for _, place in group]
            split[number] = [tokens[number][a:b] for a, b in zip([0, *cuts], [*cuts, len(tokens[number])])]
        return {number: words for number, words in split.items() if len(words) > 1}

    def predict(self, corpus: Corpus, threads: int, **search: Any) -> dict[str, Column]:
        """Predict nothing: tokens that are there stay as they are."""
        return {}

    def evaluate(self, data: Any, *, threads: int = 1, **options: Any) -> TextScore:
        """Score tokens, sentences and words of the text of some data, counted as in the CoNLL-2018 shared task."""
        from tagloom.systems.text import score_text

        return score_text(self, self.open_corpus(data), threads=threads)

    def explain(self, tokens: Sequence[object]) -> TaggerExplanation:
        """Explain the label of every character of a text, or of words that are joined by blanks.

        The sentences of tokens are explained by ``sentences.explain``.
        """
        words: list[Any] = [tokens] if isinstance(tokens, str) else list(tokens)
        if wrong := [word for word in words if not isinstance(word, str)]:
            raise DataError(f"explain: expected a text or words, got {show_value(wrong[0])}")
        characters = read_characters(" ".join(words), form=self.spec.normal_form)
        columns = [characters.corpus.column(name).texts() for name in self.tagger.columns]
        return replace(self.tagger.explain(list(zip(*columns))), places=tuple(characters.places.tolist()))

    def describe(self, **options: Any) -> Description:
        """Describe the tagger of characters, the size of that of tokens, and the multiword tokens."""
        found = self.tagger.describe()
        own = {"sentence_features": self.sentences.sizes["features"], "multiword_tokens": len(self.multiwords.splits)}
        sizes = {**found.sizes, **own}
        return Description(found.facts, sizes, found.parts, {**found.details, **sizes})

    def summarise_weights(self, top: int = 20) -> Weights | None:
        """List the heaviest weights of the tagger of characters."""
        return self.tagger.summarise_weights(top)

    def to_tensors(self, *, names: bool = True) -> Tensors:
        """Convert the taggers and the multiword tokens to arrays."""
        taggers = {"tagger": self.tagger, "sentences": self.sentences}
        files = {name: np.frombuffer(tagger.to_bytes(), np.uint8) for name, tagger in taggers.items()}
        return {**files, **self.multiwords.to_tensors()}

    @classmethod
    def from_tensors(
        cls, spec: str, tensors: Tensors, resources: dict[str, Resource], functions: Functions | None
    ) -> LearnedTokenizer:
        """Build a tokenizer from its spec and arrays."""
        tagger = _open_tagger("tagger", LABEL, tensors, functions)
        sentences = _open_tagger("sentences", SENTENCE, tensors, functions)
        return cls(TokenizerSpec.from_json(spec), tagger, sentences, MultiwordTokens.from_tensors(tensors))


def _open_tagger(name: str, label: str, tensors: Tensors, functions: Functions | None) -> Tagger:
    from tagloom.systems.file import open_within

    tagger: Tagger = open_within(name, tensors[name], functions, "tagger")
    if tagger.spec.label != label:
        raise Misfit(f"tensor {name}: spec.label", repr(label), tagger.spec.label)
    return tagger


def _intern(strings: StringTable, words: list[str]) -> Any:
    return strings.intern_all([word.encode("utf-8", "replace").decode() for word in words])


def _place_words(words: list[str], token: str, start: int, end: int) -> list[tuple[int, int]]:
    """Find the places of the words of a token: where they cut it exactly, their own, otherwise that of the token."""
    if "".join(words) != token:
        return [(start, end)] * len(words)
    ends = np.cumsum([len(word) for word in words]) + start
    return list(zip([start, *ends[:-1].tolist()], ends.tolist()))
