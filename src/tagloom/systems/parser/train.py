"""Training of parsers: trees checked, tags predicted, passes, the best weights kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tagloom._core as _core
from tagloom.corpus import Column, Corpus
from tagloom.corpus.layers import Layer
from tagloom.corpus.trees import Trees
from tagloom.evaluate import AttachmentScore, Score, Signature, score_trees
from tagloom.learners.history import get_search
from tagloom.learners.parsing import ParserTraining as Passes
from tagloom.structures.projective import SKIP
from tagloom.systems.base import Training
from tagloom.systems.learning import NOTHING_LEARNED, Learned, Progress, Report
from tagloom.systems.line import Provision
from tagloom.systems.parser.layout import PARSER_WEIGHTS
from tagloom.systems.parser.model import Parser, ParserParameters
from tagloom.systems.parser.options import ParserOptions
from tagloom.systems.parser.spec import ARC_HYBRID, GOLD, LIMITS, ParserSpec, check_depth
from tagloom.systems.parser.tags import find_tag_column, provide_tags
from tagloom.systems.parser.treebank import (
    Treebank,
    encode_sentences,
    parse_trees,
    read_gold_trees,
)
from tagloom.systems.resources import list_built_parts
from tagloom.systems.spec import identify_shared, list_shared


class TreeScorer:
    """Scores weights on held-out trees: LAS, or UAS without relations, of all tokens."""

    def __init__(self, bank: Treebank, corpus: Corpus, gold: Trees, options: ParserOptions) -> None:
        self.gold, self.threads, self.non_projective = gold, options.threads, options.non_projective
        self.is_hybrid = options.transitions == ARC_HYBRID
        self.relations, self.templates = bank.relations, bank.templates.compile(bank.tag)
        self.search = build_search(options)
        self.data, self.corpus = encode_sentences(bank.encoder, corpus, bank.relations), corpus

    def __call__(self, weights: Any, total: object = None) -> float:
        """Return the attachment score."""
        return self.score(weights).value

    def score(self, weights: Any, total: object = None) -> AttachmentScore:
        """Parse and count."""
        core = _core.ParserCore(self.templates, self.relations.count, **weights, is_hybrid=self.is_hybrid)
        given = self.data, self.relations, self.search, self.corpus, self.non_projective, self.threads
        return score_trees(self.gold, parse_trees(core, *given))


def build_search(options: ParserOptions) -> _core.SearchSettings:
    """Build the search of learning."""
    learner = options.chosen_learner
    numbers = options.settings.of(learner)
    return get_search(learner, numbers).core(numbers.get("C", 0.0), max_violation=numbers.get("update") != "early")


#: Options that the identity holds in the form that they were resolved to.
_RESOLVED = ("learner", "templates", "attributes", "sentence_attributes", "document_attributes", "resources", "tagger")


class ParserTraining(Training[Parser]):
    """A parser that is ready to learn: trees that it can build, and the tags that it will read."""

    options: ParserOptions

    def __init__(self, bank: Treebank, options: ParserOptions, normal_form: str | None) -> None:
        self.bank, self.options, self.normal_form = bank, options, normal_form
        check_depth(options.settings.of(options.chosen_learner).get("depth"), bank.relations.count)

    @classmethod
    def plan(
        cls, corpus: Corpus, options: ParserOptions, *,
        start: None = None, normal_form: str | None = None, report: Report = lambda _: None,
    ) -> ParserTraining:  # fmt: skip
        """Check and encode the trees."""
        return cls(Treebank.encode(corpus, options, find_tag_column(corpus, options)), options, normal_form)

    @classmethod
    def list_targets(cls, corpus: Corpus, options: ParserOptions) -> tuple[str, ...]:
        """Heads and relations."""
        return (options.head, options.relation)

    @classmethod
    def list_provisions(cls, corpus: Corpus, options: ParserOptions) -> list[Provision]:
        """Have the tags predicted, unless they are gold."""
        tag = find_tag_column(corpus, options)
        if options.tags == GOLD:
            return []
        Treebank.check(corpus, options, tag)
        return [provide_tags(corpus, tag, options)]

    @classmethod
    def check_gold(cls, corpus: Corpus, options: ParserOptions, trained_on: Corpus) -> None:
        """Refuse a corpus without trees."""
        read_gold_trees(corpus, options)

    @property
    def summary(self) -> str:
        """The numbers of trees, relations and templates."""
        bank = self.bank
        relations, templates = len(bank.relations.names), len(bank.templates.templates)
        return f"{len(bank.examples):,} trees, {relations} relations, {templates} templates"

    def list_notes(self, corpora: object) -> list[Progress]:
        """Tell of trees that are not projective."""
        count = self.bank.trees.non_projective
        if not count:
            return []
        what = "left out" if self.options.non_projective == SKIP else "lifted"
        total = len(self.bank.corpus)
        return [Progress("note", f"{count:,} of {total:,} trees are not projective; they are {what}")]

    def begin(self, total: Any) -> Passes:
        """Build the learner."""
        bank, options = self.bank, self.options
        templates, search = bank.templates.compile(bank.tag), build_search(options)
        return Passes(
            options.chosen_learner, search, templates, bank.relations.count, bank.data, bank.examples,
            is_hybrid=options.transitions == ARC_HYBRID, exploration=options.exploration,
        )  # fmt: skip

    def encode_gold(self, corpus: Corpus) -> TreeScorer:
        """Encode held-out trees."""
        return TreeScorer(self.bank, corpus, read_gold_trees(corpus, self.options), self.options)

    def check_weights(self, weights: Any, total: Any = None) -> None:
        """Raise ValueError if weights of a checkpoint do not fit."""
        PARSER_WEIGHTS.check_all(weights if isinstance(weights, Mapping) else {"weights": weights})
        templates, is_hybrid = self.bank.templates.compile(self.bank.tag), self.options.transitions == ARC_HYBRID
        _core.ParserCore(templates, self.bank.relations.count, **weights, is_hybrid=is_hybrid)

    def identify(self, dev: Corpus | None) -> dict[str, str]:
        """List everything that decides what is learned; predicted tags are part of the data."""
        bank, options = self.bank, self.options
        return {
            **identify_shared("parser", bank.corpus, dev, self.normal_form, bank.encoder.vocabulary),
            "learner": repr(options.chosen_learner),
            "templates": str(bank.templates),
            **{name: repr(value) for name, value in options.list_deciding(_RESOLVED).items()},
        }

    @property
    def main(self) -> str:
        """The column of the words."""
        return self.bank.encoder.vocabulary.main

    @property
    def own_layers(self) -> tuple[Layer, ...]:
        """Heads and relations."""
        return self._build_spec().layers

    @property
    def fixed_options(self) -> dict[str, object]:
        """The column of the tags."""
        return {"tag": self.bank.tag}

    @property
    def sizes(self) -> dict[str, int]:
        """The numbers of templates and relations: features are found in learning."""
        return {"features": len(self.bank.templates.templates), "labels": len(self.bank.relations.names)}

    @property
    def signature(self) -> Signature:
        """The signature of the models to come."""
        return self._build_spec().signature

    def score_columns(self, corpus: Corpus, predicted: Mapping[str, Column]) -> Score:
        """Score predicted trees."""
        options, found = self.options, corpus
        for name in (options.head, options.relation):
            found = found.with_column(name, predicted[name]) if name in predicted else found
        return score_trees(read_gold_trees(corpus, options), read_gold_trees(found, options))

    def freeze(self, learned: Learned) -> Parser:
        """Build the parser of what was learned."""
        options, resources = self.options, self.bank.encoder.vocabulary.resources
        parameters = ParserParameters(relations=self.bank.relations.names, **learned.weights)
        functions = {**options.attributes, **options.sentence_attributes, **options.document_attributes}
        return Parser(self._build_spec(learned), parameters, resources, functions)

    def _build_spec(self, learned: Learned = NOTHING_LEARNED) -> ParserSpec:
        bank, options, learner = self.bank, self.options, self.options.chosen_learner
        numbers = options.settings.of(learner)
        return ParserSpec(
            **list_shared(bank.encoder.vocabulary, options, learned),
            templates=bank.templates,
            tag=bank.tag,
            tags=options.tags,
            head=options.head,
            relation=options.relation,
            root=bank.relations.root,
            learner=learner.name,
            settings=options.settings.list_stated(),
            search={name: int(numbers[name]) for name in LIMITS if name in numbers},
            data=self.data or bank.corpus.checksum(),
            normal_form=self.normal_form,
            non_projective=options.non_projective,
            transitions=options.transitions,
            built_resources=list_built_parts(options.resources, None),
        )
