"""Parser: frozen weights of a dependency parser, with its tagger; parses, scores, saves. Shared freely by threads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.arguments import check_methods
from tagloom.corpus import Column, Corpus
from tagloom.corpus.layers import Layer
from tagloom.corpus.objects import rows_to_corpus
from tagloom.corpus.trees import Trees, add_trees, read_trees
from tagloom.features import FeatureEncoder, Resource
from tagloom.features.tensors import Tensors
from tagloom.structures.history import HistorySearch
from tagloom.systems.base import LEARNERS, WORDS, Functions, Model, Reads
from tagloom.systems.file import pack_names, unpack_names
from tagloom.systems.options import check_threads
from tagloom.systems.parser.layout import PARSER
from tagloom.systems.parser.spec import GOLD, PREDICTED, ParserSearch, ParserSpec, check_depth
from tagloom.systems.parser.treebank import Relations, encode_sentences, parse_trees
from tagloom.systems.tables import Description, Table, tabulate_history

if TYPE_CHECKING:
    from tagloom.evaluate import AttachmentScore
    from tagloom.systems.data import Data
    from tagloom.systems.parser.explain import ParserExplanation
    from tagloom.text import SentenceTree


@dataclass(frozen=True)
class ParserParameters:
    """The arrays of a parser: what learning produced. Features are ordered by template."""

    relations: tuple[str, ...]
    keys: NDArray[np.uint64]  # [F]
    ends: NDArray[np.int64]  # [templates + 1] features of every template
    counts: NDArray[np.uint16]  # [F] actions that the feature has weights for
    actions: NDArray[np.uint16]  # [E]
    weights: NDArray[np.float32]  # [E]


#: Options that the spec has under the same name.
_SAME = ("templates", "learner", "head", "relation", "tag", "non_projective", "transitions", "seed")
_ARRAYS = ("keys", "ends", "counts", "actions", "weights")


@dataclass(frozen=True)
class Parse:
    """The tree of one sentence."""

    forms: tuple[str, ...]
    tags: tuple[str, ...]
    heads: tuple[int, ...]  # counted from 1, 0 = root
    relations: tuple[str, ...] | None

    def __str__(self) -> str:
        """Draw the tree as text."""
        from tagloom.text import draw_tree_text

        return draw_tree_text(self._to_tree())

    def _repr_html_(self) -> str:
        """Draw the tree, for notebooks."""
        from tagloom.text import draw_tree_svg

        return draw_tree_svg(self._to_tree())

    def _to_tree(self) -> SentenceTree:
        from tagloom.text import SentenceTree

        return SentenceTree.of(self.forms, self.heads, self.relations or (), self.tags)


@check_methods("parse", "parse_many")
class Parser(Model):
    """A trained parser. Make one with ``tagloom.train(..., system="parser")`` or :func:`tagloom.load`."""

    system = "parser"
    layout = PARSER
    search_options = ParserSearch
    capabilities = frozenset({LEARNERS})
    spec: ParserSpec

    def __init__(
        self, spec: ParserSpec, parameters: ParserParameters,
        resources: Mapping[str, Resource] | None = None, functions: Functions | None = None,
    ) -> None:  # fmt: skip
        self.spec, self.parameters, self.resources = spec, parameters, dict(resources or {})
        self.relations = Relations(parameters.relations, spec.root)
        if bool(parameters.relations) and not spec.has_relations:
            raise ValueError("the relations do not fit the parser")
        vocabulary = spec.build_vocabulary(self.resources, functions)
        self.encoder = FeatureEncoder(spec.templates.attributes(spec.tag), vocabulary)
        templates = spec.templates.compile(spec.tag)
        self.reads_relations = templates.reads_relations
        arrays = {name: getattr(parameters, name) for name in _ARRAYS}
        self.core = _core.ParserCore(templates, self.relations.count, **arrays, is_hybrid=spec.is_hybrid)

    @property
    def tagger(self) -> Model | None:
        """The model of the line that predicts the tags; None if they are read from the data."""
        tag = self.spec.tag
        return next((each for each in self.line.providers if tag in {layer.column for layer in each.own_layers}), None)

    @property
    def own_reads(self) -> Reads:
        """Words and tags; the parser is scored against trees."""
        spec = self.spec
        needed = {self.encoder.vocabulary.main, spec.tag, *self.encoder.columns}
        columns = tuple(name for name in spec.columns if name in needed)
        ends = ((), (spec.head,), (spec.head, spec.relation))
        layouts = tuple((*begin, *end) for begin in (spec.columns, columns) for end in ends)
        gold = (spec.head, spec.relation) if spec.has_relations else (spec.head,)
        return Reads(columns, gold, layouts, WORDS, whole_documents=self.encoder.sees_documents)

    @property
    def main(self) -> str:
        """The column of the words."""
        return self.encoder.vocabulary.main

    @property
    def own_layers(self) -> tuple[Layer, ...]:
        """Heads and relations."""
        return self.spec.layers

    @property
    def own_inventory(self) -> Mapping[str, Sequence[str]]:
        """The relations."""
        return {self.spec.relation: self.parameters.relations} if self.spec.has_relations else {}

    def __repr__(self) -> str:
        """Show signature and size."""
        return f"<tagloom.Parser {self.spec.signature}: {len(self.parameters.keys)} features>"

    # -- parsing -----------------------------------------------------------------------------------------------------

    def parse(self, tokens: Sequence[object], *, depth: int | None = None, beam: int | None = None) -> Parse:
        """Parse one sentence: words, rows of words if the parser reads several columns, or a dict of columns."""
        return self.parse_many([tokens], depth=depth, beam=beam)[0]

    def parse_many(
        self, sentences: Sequence[Sequence[object]], *, threads: int = 1, depth: int | None = None,
        beam: int | None = None,
    ) -> list[Parse]:  # fmt: skip
        """Parse many sentences; ``depth`` and ``beam`` replace the search that the parser was trained with."""
        self.check_search({"depth": depth, "beam": beam})
        given = self.line.provide(rows_to_corpus(sentences, self.columns), threads)
        corpus = self.normalise(given)
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
        return self._parse(self.open_provided(data, threads=threads), threads, **search)

    def predict(self, corpus: Corpus, threads: int, **search: Any) -> dict[str, Column]:
        """Predict heads and relations."""
        parsed = add_trees(corpus, self._parse(corpus, threads, **search), self.spec.head, self.spec.relation)
        found = {layer.column: parsed.column(layer.column) for layer in self.own_layers}
        if not self.spec.has_relations and self.spec.relation in corpus.columns:
            found[self.spec.relation] = parsed.column(self.spec.relation)  # those that are there are of other heads
        return found

    def _parse(self, corpus: Corpus, threads: int, depth: int | None = None, beam: int | None = None) -> Trees:
        check_threads(threads)
        data = encode_sentences(self.encoder, corpus, self.relations)
        search = self.search(depth, beam)
        return parse_trees(self.core, data, self.relations, search, corpus, self.spec.non_projective, threads)

    def search(self, depth: int | None = None, beam: int | None = None) -> _core.SearchSettings:
        """Build the search: the one of the training, unless a depth or a beam is chosen."""
        chosen = self._chosen(depth, beam)
        check_depth(chosen.get("depth"), self.relations.count)
        return HistorySearch(chosen.get("depth"), chosen.get("beam")).core()

    def _chosen(self, depth: int | None, beam: int | None) -> dict[str, int]:
        if depth is None and beam is None:
            return self.spec.search
        return {name: number for name, number in (("depth", depth), ("beam", beam)) if number is not None}

    # -- scores ------------------------------------------------------------------------------------------------------

    def evaluate(
        self, data: Data, *, threads: int = 1, punctuation: str | None = None, leave_out: bool = False,
        relations: str = "whole", **search: Any,
    ) -> AttachmentScore:  # fmt: skip
        """Compute attachment scores on data with gold trees.

        Args:
            data: Anything that :func:`tagloom.train` takes as data, with trees.
            threads: Number of threads. Does not change the result.
            punctuation: Rule that tells punctuation apart, see :func:`tagloom.evaluate.find_punctuation`; by default
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
        return score.with_signature(replace(self.spec, search=chosen).signature)

    def explain(self, tokens: Sequence[object]) -> ParserExplanation:
        """Explain every action: what it was chosen over, and which features spoke for it."""
        from tagloom.systems.parser.explain import explain_parse

        return explain_parse(self, self.open_sentences([tokens]), self.parse(tokens))

    def read_training_options(self) -> dict[str, Any] | None:
        """Read the options of the training; None if its tagger does not tell how it was trained."""
        from tagloom.systems.resources import require_functions, reuse_resources

        spec, vocabulary = self.spec, self.encoder.vocabulary
        tagger = {} if self.tagger is None else self.tagger.read_training_options()
        if tagger is None:
            return None
        return {
            **{name: getattr(spec, name) for name in _SAME},
            **spec.settings,
            "relations": spec.has_relations,
            "tags": GOLD if self.tagger is None else PREDICTED,
            "tagger": {name: value for name, value in tagger.items() if name != "label"},
            "epochs": spec.trained_epochs,
            "attributes": require_functions(vocabulary.word_functions),
            "sentence_attributes": require_functions(vocabulary.sentence_functions),
            "document_attributes": require_functions(vocabulary.document_attributes),
            "resources": reuse_resources(self, {}),
        }

    def describe(self, **options: Any) -> Description:
        """Describe what the parser was made of, with the number of features of every template."""
        return _describe_parser(self, **options)

    # -- files ---------------------------------------------------------------------------------------------------------

    def to_tensors(self, *, names: bool = True) -> Tensors:
        """Convert weights and relations to arrays."""
        tensors: Tensors = {name: getattr(self.parameters, name) for name in _ARRAYS}
        return tensors | pack_names("relations", self.parameters.relations)

    @classmethod
    def from_tensors(
        cls, spec: str, tensors: Tensors, resources: dict[str, Resource], functions: Functions | None
    ) -> Parser:
        """Build a parser from its spec and arrays."""
        arrays = {name: tensors[name] for name in _ARRAYS}
        parameters = ParserParameters(relations=unpack_names("relations", tensors), **arrays)
        parser = cls(ParserSpec.from_json(spec), parameters, resources, functions)
        parser.search()  # refused if it would take too long
        return parser


def _describe_parser(parser: Parser) -> Description:
    spec, parameters = parser.spec, parser.parameters
    counts = np.diff(parameters.ends).tolist()
    features = dict(zip(map(str, spec.templates.templates), counts, strict=True))
    facts = {
        "writes": " ".join(layer.column for layer in parser.layers),
        "relations": " ".join(parameters.relations) or "none",
        "root": spec.root or "none",
        "decides": ", ".join(f"{name}={number}" for name, number in spec.search.items()),
        "transitions": spec.transitions,
        "non-projective trees": spec.non_projective,
        "tags": spec.tag + (" as they stand" if parser.tagger is None else f" by {parser.tagger.spec.signature}"),
    }
    sizes = {"relations": len(parameters.relations), "features": len(parameters.keys)}
    rows = [(template, f"{count:,}") for template, count in features.items()]
    details = {
        "relations": list(parameters.relations),
        "tagger": None if parser.tagger is None else str(parser.tagger.spec.signature),
        "features": features,
    }
    parts = [tabulate_history(spec.history, spec.best_epoch), Table(("template", "features"), rows, ["features"])]
    return Description(facts, {**sizes, "weights": len(parameters.weights)}, parts, details)
