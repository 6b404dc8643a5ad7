"""Parser: frozen weights of a dependency parser, with its tagger; parses, scores, saves. Shared freely by threads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus import Column, Corpus
from tagloom.corpus.layers import HEADS, RELATIONS, TAGS, Layer
from tagloom.corpus.normalise import normalise_corpus
from tagloom.corpus.objects import rows_to_corpus
from tagloom.corpus.trees import Trees, add_trees, read_trees
from tagloom.features import FeatureEncoder, Resource, Vocabulary
from tagloom.structures.history import HistorySearch
from tagloom.systems.base import LEARNERS, WORDS, Functions, Model, Reads
from tagloom.systems.options import check_threads
from tagloom.systems.parser.spec import PREDICTED, ParserSearch, ParserSpec, check_depth
from tagloom.systems.parser.treebank import Relations, encode_sentences, restored
from tagloom.systems.tagger.model import Tagger

if TYPE_CHECKING:
    from tagloom.evaluate import AttachmentScore
    from tagloom.features.tensors import Tensors
    from tagloom.systems.data import Data
    from tagloom.systems.parser.explain import ParserExplanation
    from tagloom.systems.tables import Description


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


class Parser(Model):
    """A trained parser. Make one with ``tagloom.train(..., system="parser")`` or :func:`tagloom.load`."""

    system = "parser"
    search_options = ParserSearch
    capabilities = frozenset({LEARNERS})
    spec: ParserSpec

    def __init__(
        self,
        spec: ParserSpec,
        parameters: ParserParameters,
        tagger: Tagger | None = None,
        resources: Mapping[str, Resource] | None = None,
        functions: Functions | None = None,
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
        """The parser of the core."""
        return self._core

    @property
    def reads(self) -> Reads:
        """Words, and tags unless the parser predicts them; it is scored against trees."""
        spec = self.spec
        needed = {self.encoder.vocabulary.main, spec.tag, *self.encoder.columns}
        if self.tagger is not None:
            needed = (needed | set(self.tagger.columns)) - {spec.tag}
        columns = tuple(name for name in spec.columns if name in needed)
        tagged = tuple(name for name in spec.columns if name in (*columns, spec.tag))
        ends = ((), (spec.head,), (spec.head, spec.relation))
        layouts = tuple((*begin, *end) for begin in (spec.columns, tagged, columns) for end in ends)
        return Reads(columns, (spec.head, spec.relation) if spec.has_relations else (spec.head,), layouts, WORDS)

    @property
    def main(self) -> str:
        """The column of the words."""
        return self.encoder.vocabulary.main

    @property
    def layers(self) -> tuple[Layer, ...]:
        """Tags, if the parser predicts them, heads and relations."""
        return list_layers(self.spec, has_tagger=self.tagger is not None)

    def __repr__(self) -> str:
        """Show signature and size."""
        return f"<tagloom.Parser {self.spec.signature}: {len(self.parameters.keys)} features>"

    # -- parsing -----------------------------------------------------------------------------------------------------

    def parse(self, tokens: Sequence[object], *, depth: int | None = None, beam: int | None = None) -> Parse:
        """Parse one sentence: words, rows of words if the parser reads several columns, or a dict of columns."""
        return self.parse_many([tokens], depth=depth, beam=beam)[0]

    def parse_many(
        self,
        sentences: Sequence[Sequence[object]],
        *,
        threads: int = 1,
        depth: int | None = None,
        beam: int | None = None,
    ) -> list[Parse]:
        """Parse many sentences; ``depth`` and ``beam`` replace the search that the parser was trained with."""
        self.check_search({"depth": depth, "beam": beam})
        given = rows_to_corpus(sentences, self.columns)
        corpus = self.add_tags(self._normalise(given), threads)
        trees = self._parse(corpus, threads, depth, beam)
        return [
            Parse(
                tuple(given.sentence(number, self.main)),
                tuple(corpus.sentence(number, self.spec.tag)),
                tuple(trees.heads_of(number)),
                None if trees.relations is None else tuple(trees.relations_of(number) or ()),
            )
            for number in range(len(corpus))
        ]

    def parse_corpus(self, data: Data, threads: int = 1, **search: Any) -> Trees:
        """Parse a corpus; tags that the parser predicts are not looked at.

        Args:
            data: Anything that :func:`tagloom.train` takes as data.
            threads: Number of threads. Does not change the result.
            **search: Options of the search: depth or beam.
        """
        check_threads(threads)
        self.check_search(search)
        return self._parse(self.add_tags(self.open_normalised(data), threads), threads, **search)

    def predict(self, corpus: Corpus, threads: int, **search: Any) -> dict[str, Column]:
        """Predict tags, if the parser has a tagger, heads and relations."""
        tagged = self.add_tags(corpus, threads)
        parsed = add_trees(tagged, self._parse(tagged, threads, **search), self.spec.head, self.spec.relation)
        found = {layer.column: parsed.column(layer.column) for layer in self.layers}
        if not self.spec.has_relations and self.spec.relation in corpus.columns:
            found[self.spec.relation] = parsed.column(self.spec.relation)  # those that are there are of other heads
        return found

    def add_tags(self, corpus: Corpus, threads: int = 1) -> Corpus:
        """Add the tags that the parser reads to a corpus, if the parser predicts them."""
        check_threads(threads)
        if self.tagger is None:
            return corpus
        return corpus.with_column(self.spec.tag, self.tagger.predict(corpus, threads)[self.spec.tag])

    def _parse(self, corpus: Corpus, threads: int, depth: int | None = None, beam: int | None = None) -> Trees:
        data = encode_sentences(self.encoder, corpus, self.relations)
        heads, numbers, _ = self._core.parse(data, self.search(depth, beam), threads)
        return restored(heads, self.relations.column(numbers, heads), corpus.sentences, self.spec.non_projective)

    def search(self, depth: int | None = None, beam: int | None = None) -> _core.SearchSettings:
        """Build the search: the one of the training, unless a depth or a beam is chosen."""
        chosen = self._chosen(depth, beam)
        check_depth(chosen.get("depth"))
        return HistorySearch(chosen.get("depth"), chosen.get("beam")).core()

    def _chosen(self, depth: int | None, beam: int | None) -> dict[str, int]:
        if depth is None and beam is None:
            return self.spec.search
        return {name: number for name, number in (("depth", depth), ("beam", beam)) if number is not None}

    def _normalise(self, corpus: Corpus) -> Corpus:
        form = self.spec.normal_form
        return corpus if form is None else normalise_corpus(corpus, form)  # type: ignore[arg-type]

    # -- scores ------------------------------------------------------------------------------------------------------

    def evaluate(
        self,
        data: Data,
        *,
        threads: int = 1,
        punctuation: str | None = None,
        leave_out: bool = False,
        relations: str = "whole",
        **search: Any,
    ) -> AttachmentScore:
        """Compute attachment scores on data with gold trees.

        Args:
            data: Anything that :func:`tagloom.train` takes as data, with trees.
            threads: Number of threads. Does not change the result.
            punctuation: Rule that tells punctuation apart, see :func:`tagloom.evaluate.punctuation_of`; by default
                that of the tags.
            leave_out: Do not count punctuation.
            relations: "whole", or "universal" to compare relations without subtypes.
            **search: Options of the search: depth or beam.
        """
        from tagloom.evaluate import find_punctuation, score_trees
        from tagloom.evaluate.punctuation import guess_punctuation

        corpus = self.open_corpus(data, gold=True)
        gold = read_trees(corpus, self.spec.head, self.spec.relation if self.spec.has_relations else None)
        apart = find_punctuation(corpus, punctuation) if punctuation else guess_punctuation(corpus, always=leave_out)
        trees = self.parse_corpus(corpus, threads, **search)
        score = score_trees(gold, trees, punctuation=apart, leave_out=leave_out, relations=relations)
        chosen = self._chosen(search.get("depth"), search.get("beam"))
        return score.signed(replace(self.spec, search=chosen).signature)

    def explain(self, tokens: Sequence[object]) -> ParserExplanation:
        """Explain every action: what it was chosen over, and which features spoke for it."""
        from tagloom.systems.parser.explain import explain_parse

        corpus = self._normalise(rows_to_corpus([tokens], self.columns))
        return explain_parse(self, self.add_tags(corpus), self.parse(tokens))

    def describe(self, **options: Any) -> Description:
        """Describe what the parser was made of, with the number of features of every template."""
        from tagloom.systems.parser.describe import describe_parser

        return describe_parser(self, **options)

    # -- files ---------------------------------------------------------------------------------------------------------

    def to_tensors(self, *, names: bool = True) -> Tensors:
        """Convert weights, relations and the tagger to arrays."""
        from tagloom.systems.parser.file import parser_to_tensors

        return parser_to_tensors(self)

    @classmethod
    def from_tensors(
        cls, spec: str, tensors: Tensors, resources: dict[str, Resource], functions: Functions | None
    ) -> Parser:
        """Build a parser from its spec and arrays."""
        from tagloom.systems.parser.file import read_parameters, read_tagger

        tagger = read_tagger(tensors, functions)
        return cls(ParserSpec.from_json(spec), read_parameters(tensors), tagger, resources, functions)


def list_layers(spec: ParserSpec, *, has_tagger: bool) -> tuple[Layer, ...]:
    """List the columns that a parser adds to a corpus."""
    tags = (Layer(spec.tag, TAGS),) if has_tagger else ()
    relations = (Layer(spec.relation, RELATIONS),) if spec.has_relations else ()
    return (*tags, Layer(spec.head, HEADS), *relations)
