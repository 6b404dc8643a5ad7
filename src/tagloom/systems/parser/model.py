"""Parser: frozen weights of a dependency parser, with its tagger; parses, scores, saves. Shared freely by threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus import Corpus
from tagloom.corpus.trees import Trees, trees_of, with_trees
from tagloom.errors import DataError
from tagloom.features import FeatureEncoder, Resource, Vocabulary
from tagloom.structures.history import HistorySearch
from tagloom.systems.numbers import check_threads
from tagloom.systems.parser.encode import Relations, encode_sentences, restored
from tagloom.systems.parser.options import PREDICTED, check_depth
from tagloom.systems.parser.spec import ParserSpec
from tagloom.systems.tagger.model import Model

if TYPE_CHECKING:
    from tagloom.evaluate import AttachmentScore
    from tagloom.systems.parser.explain import ParserStep


@dataclass(frozen=True)
class ParserParameters:
    """The arrays of a parser: what learning produced. Features are ordered by template."""

    relations: tuple[str, ...]
    keys: NDArray[np.uint64]  # [F]
    ends: NDArray[np.int64]  # [templates + 1] features of every template
    counts: NDArray[np.uint16]  # [F] actions that the feature has weights for
    actions: NDArray[np.uint16]  # [E]
    weights: NDArray[np.float32]  # [E]


@dataclass(frozen=True)
class Parse:
    """The tree of one sentence."""

    forms: tuple[str, ...]
    tags: tuple[str, ...]
    heads: tuple[int, ...]  # counted from 1, 0 = root
    relations: tuple[str, ...] | None


class Parser:
    """A trained parser. Make one with :func:`tagloom.train_parser` or :func:`tagloom.load_parser`."""

    def __init__(
        self,
        spec: ParserSpec,
        parameters: ParserParameters,
        tagger: Model | None = None,
        resources: Mapping[str, Resource] | None = None,
        functions: Mapping[str, Callable[..., object]] | None = None,
    ) -> None:
        self.spec, self.parameters, self.tagger = spec, parameters, tagger
        self.resources = dict(resources or {})
        if (tagger is None) == (spec.tags == PREDICTED) or not {*(tagger.columns if tagger else ())} <= {*spec.columns}:
            raise ValueError("the tagger does not fit the parser")
        self.relations = Relations(parameters.relations, spec.root)
        if bool(parameters.relations) and not spec.has_relations:
            raise ValueError("the relations do not fit the parser")
        known = functions or {}
        words: dict[str, Any] = {name: known.get(name) for name in spec.word_functions}
        sentences: dict[str, Any] = {name: known.get(name) for name in spec.sentence_functions}
        vocabulary = Vocabulary(spec.columns, frozenset(), words, sentences, self.resources)
        self.encoder = FeatureEncoder(spec.templates.attributes(spec.tag), vocabulary)
        templates = spec.templates.compile(spec.tag)
        self.reads_relations = templates.reads_relations
        self._core = _core.ParserCore(
            templates, self.relations.count, parameters.keys, parameters.ends,
            parameters.counts, parameters.actions, parameters.weights,
        )  # fmt: skip

    @property
    def core(self) -> _core.ParserCore:
        return self._core

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that a corpus must have: the words and, where tags are not predicted, those."""
        needed = {self.encoder.vocabulary.main, self.spec.tag, *self.encoder.columns}
        if self.tagger is not None:
            needed = (needed | set(self.tagger.columns)) - {self.spec.tag}
        return tuple(name for name in self.spec.columns if name in needed)

    def __repr__(self) -> str:
        return f"<tagloom.Parser {self.spec.signature}: {len(self.parameters.keys)} features>"

    # -- parsing -----------------------------------------------------------------------------------------------------

    def parse(self, tokens: Sequence[object], *, depth: int | None = None, beam: int | None = None) -> Parse:
        """The tree of one sentence: words, or rows of words where the parser reads several columns."""
        return self.parse_many([tokens], depth=depth, beam=beam)[0]

    def parse_many(
        self,
        sentences: Sequence[Sequence[object]],
        *,
        threads: int = 1,
        depth: int | None = None,
        beam: int | None = None,
    ) -> list[Parse]:
        """The trees of many sentences; ``depth`` or ``beam`` search otherwise than the parser has learned to."""
        corpus = self.tagged(self._corpus(sentences), threads)
        trees = self._parse(corpus, threads, depth, beam)
        return [
            Parse(
                tuple(corpus.sentence(number, self.encoder.vocabulary.main)),
                tuple(corpus.sentence(number, self.spec.tag)),
                tuple(trees.heads_of(number)),
                None if trees.relations is None else tuple(trees.relations_of(number) or ()),
            )
            for number in range(len(corpus))
        ]

    def parse_corpus(
        self, corpus: Corpus, threads: int = 1, *, depth: int | None = None, beam: int | None = None
    ) -> Trees:
        """The trees of a corpus; tags that the parser predicts are not looked at."""
        return self._parse(self.tagged(corpus, threads), threads, depth, beam)

    def annotate(
        self, corpus: Corpus, threads: int = 1, *, depth: int | None = None, beam: int | None = None
    ) -> Corpus:
        """The corpus with trees and, where the parser predicts them, tags in their columns."""
        tagged = self.tagged(corpus, threads)
        return with_trees(tagged, self._parse(tagged, threads, depth, beam), self.spec.head, self.spec.relation)

    def tagged(self, corpus: Corpus, threads: int = 1) -> Corpus:
        """The corpus with the tags that the parser reads."""
        check_threads(threads)
        if self.tagger is None:
            return corpus
        return corpus.with_column(self.spec.tag, self.tagger.tag_corpus(corpus, threads))

    def _parse(self, corpus: Corpus, threads: int, depth: int | None, beam: int | None) -> Trees:
        check_threads(threads)
        data = encode_sentences(self.encoder, corpus, self.relations)
        heads, numbers, _ = self._core.parse(data, self.search(depth, beam), threads)
        return restored(heads, self.relations.column(numbers, heads), corpus.sentences, self.spec.non_projective)

    def search(self, depth: int | None = None, beam: int | None = None) -> _core.SearchSettings:
        """How the parser searches: as it has learned to, unless a depth or a beam is chosen."""
        chosen = self._chosen(depth, beam)
        check_depth(chosen.get("depth"))
        return HistorySearch(chosen.get("depth"), chosen.get("beam")).core()

    def _chosen(self, depth: int | None, beam: int | None) -> dict[str, int]:
        if depth is None and beam is None:
            return self.spec.search
        return {name: number for name, number in (("depth", depth), ("beam", beam)) if number is not None}

    def _corpus(self, sentences: Sequence[Sequence[object]]) -> Corpus:
        """Sentences of Python's as a corpus with the columns that the parser reads."""
        names = self.columns
        for number, sentence in enumerate(sentences, 1):
            if isinstance(sentence, str):
                raise DataError(
                    f"sentence {number}: expected a list of words, got one string; split it into words first"
                )
        if len(names) == 1:
            rows = [[word if isinstance(word, str) else _only(word) for word in sentence] for sentence in sentences]
            return Corpus.from_columns({names[0]: [word for row in rows for word in row]}, list(map(len, rows)))
        flat: list[list[str]] = [[] for _ in names]
        for number, sentence in enumerate(sentences, 1):
            for row in sentence:
                if isinstance(row, str) or not isinstance(row, Sequence) or len(row) != len(names):
                    raise DataError(f"sentence {number}: this parser reads {' '.join(names)}, got {row!r:.60}")
                for column, text in zip(flat, row, strict=True):
                    if not isinstance(text, str):
                        raise DataError(f"sentence {number}: expected strings, got {row!r:.60}")
                    column.append(text)
        return Corpus.from_columns(dict(zip(names, flat, strict=True)), [len(sentence) for sentence in sentences])

    # -- scores ------------------------------------------------------------------------------------------------------

    def evaluate(
        self,
        corpus: Corpus,
        threads: int = 1,
        *,
        punctuation: str | None = None,
        leave_out: bool = False,
        relations: str = "whole",
        depth: int | None = None,
        beam: int | None = None,
    ) -> AttachmentScore:
        """Attachment scores on a corpus with gold trees. ``punctuation``: the rule that tells it apart, see
        :func:`tagloom.evaluate.punctuation_of`; by default that of the tags; ``leave_out``: it does not count.
        ``relations``: "whole", or "universal": without subtypes.
        """
        from tagloom.evaluate import punctuation_of, score_trees
        from tagloom.evaluate.punctuation import told_apart

        gold = trees_of(corpus, self.spec.head, self.spec.relation if self.spec.has_relations else None)
        apart = punctuation_of(corpus, punctuation) if punctuation else told_apart(corpus, always=leave_out)
        trees = self.parse_corpus(corpus, threads, depth=depth, beam=beam)
        score = score_trees(gold, trees, punctuation=apart, leave_out=leave_out, relations=relations)
        return score.signed(replace(self.spec, search=self._chosen(depth, beam)).signature)

    def explain(self, tokens: Sequence[object]) -> list[ParserStep]:
        """For every action: what it was chosen over, and which features spoke for it."""
        from tagloom.systems.parser.explain import explain_parse

        return explain_parse(self, self.tagged(self._corpus([tokens])))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write one safetensors file, with the tagger in it."""
        from tagloom.systems.parser.file import save_parser

        save_parser(self, path)


def _only(word: object) -> str:
    if isinstance(word, Sequence) and len(word) == 1 and isinstance(word[0], str):
        return word[0]
    raise DataError(f"expected words, got {word!r:.60}")
