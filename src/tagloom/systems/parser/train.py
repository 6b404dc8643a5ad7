"""Training of parsers: trees checked, tags predicted, passes, the best weights kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tagloom._core as _core
from tagloom._version import __version__
from tagloom.corpus import Column, Corpus
from tagloom.corpus.layers import Layer
from tagloom.corpus.trees import Trees
from tagloom.evaluate import AttachmentScore, Score, Signature, score_trees
from tagloom.features import FeatureEncoder
from tagloom.features.state_templates import load_state_templates
from tagloom.features.tensors import check_weights
from tagloom.files.checkpoint import compute_checksum
from tagloom.learners.history import get_search
from tagloom.learners.parsing import ParserTraining as Passes
from tagloom.structures.projective import SKIP
from tagloom.systems.base import Training
from tagloom.systems.learning import Learned, Progress, Report
from tagloom.systems.parser.model import Parser, ParserParameters, list_layers
from tagloom.systems.parser.options import ParserOptions
from tagloom.systems.parser.spec import LIMITS, ParserSpec
from tagloom.systems.parser.tags import find_tag_column, predict_tags
from tagloom.systems.parser.treebank import (
    Treebank,
    build_vocabulary,
    collect_relations,
    encode_sentences,
    encode_treebank,
    prepare_trees,
    read_gold_trees,
    restored,
)
from tagloom.systems.resources import list_built_parts
from tagloom.systems.tagger.model import Tagger


class TreeScorer:
    """Scores weights on held-out trees: LAS, or UAS without relations, of all tokens."""

    def __init__(self, bank: Treebank, corpus: Corpus, gold: Trees, options: ParserOptions) -> None:
        self.gold, self.threads, self.non_projective = gold, options.threads, options.non_projective
        self.relations, self.templates = bank.relations, bank.templates.compile(bank.tag)
        self.search = build_search(options)
        self.data, self.sentences = encode_sentences(bank.encoder, corpus, bank.relations), corpus.sentences

    def __call__(self, weights: Any, total: object = None) -> float:
        """Return the attachment score."""
        return self.score(weights).value

    def score(self, weights: Any, total: object = None) -> AttachmentScore:
        """Parse and count."""
        core = _core.ParserCore(self.templates, self.relations.count, **weights)
        heads, numbers, _ = core.parse(self.data, self.search, self.threads)
        found = restored(heads, self.relations.column(numbers, heads), self.sentences, self.non_projective)
        return score_trees(self.gold, found)


def build_search(options: ParserOptions) -> _core.SearchSettings:
    """Build the search of learning."""
    learner = options.chosen_learner
    numbers = options.settings.of(learner)
    return get_search(learner, numbers).core(numbers.get("C", 0.0), max_violation=numbers.get("update") != "early")


#: Options that the identity holds in the form that they were resolved to.
_RESOLVED = ("learner", "templates", "attributes", "sentence_attributes", "resources", "tagger")


class ParserTraining(Training[Parser]):
    """A parser that is ready to learn: trees that it can build, and the tags that it will read."""

    options: ParserOptions

    def __init__(
        self, bank: Treebank, options: ParserOptions, tagger: Tagger | None, data: str, normal_form: str | None
    ) -> None:
        self.bank, self.options, self.tagger = bank, options, tagger
        self.data, self.normal_form = data, normal_form  # checksum and normal form of the training corpus

    @classmethod
    def plan(
        cls,
        corpus: Corpus,
        options: ParserOptions,
        *,
        start: None = None,
        normal_form: str | None = None,
        report: Report = lambda _: None,
    ) -> ParserTraining:
        """Check the trees, train the tagger, encode."""
        tag = find_tag_column(corpus, options)
        trees = prepare_trees(corpus, options)  # what is refused is refused before the long work
        relations = collect_relations(corpus, trees)
        templates = load_state_templates(options.templates)
        vocabulary = build_vocabulary(corpus, options, tag)
        encoder = FeatureEncoder(templates.attributes(tag), vocabulary)
        tagger, read = predict_tags(corpus, tag, options, report)
        bank = encode_treebank(read, trees, relations, templates, encoder, tag)
        return cls(bank, options, tagger, corpus.checksum(), normal_form)

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
        return Passes(options.chosen_learner, search, templates, bank.relations.count, bank.data, bank.examples)

    def build_scorer(self, corpus: Corpus) -> TreeScorer:
        """Tag and encode held-out trees."""
        gold = read_gold_trees(corpus, self.options)
        if self.tagger is not None:
            column = self.tagger.predict(corpus, self.options.threads)[self.bank.tag]
            corpus = corpus.with_column(self.bank.tag, column)
        return TreeScorer(self.bank, corpus, gold, self.options)

    def check_weights(self, weights: Any) -> None:
        """Raise ValueError if weights of a checkpoint do not fit."""
        check_weights(weights["weights"])
        _core.ParserCore(self.bank.templates.compile(self.bank.tag), self.bank.relations.count, **weights)

    def identify(self, dev: Corpus | None) -> dict[str, str]:
        """List everything that decides what is learned; predicted tags are part of the data."""
        bank, options, resources = self.bank, self.options, self.bank.encoder.vocabulary.resources
        return {
            "tagloom": __version__,
            "system": "parser",
            "data": bank.corpus.checksum(),
            "dev": "none" if dev is None else dev.checksum(),
            "normal form": str(self.normal_form),
            "learner": repr(options.chosen_learner),
            "templates": str(bank.templates),
            "resources": compute_checksum(
                a for name in sorted(resources) for a in resources[name].to_tensors().values()
            ),
            "functions": " ".join([*options.attributes, *options.sentence_attributes]),
            **{name: repr(value) for name, value in options.list_deciding(_RESOLVED).items()},
        }

    @property
    def main(self) -> str:
        """The column of the words."""
        return self.bank.encoder.vocabulary.main

    @property
    def layers(self) -> tuple[Layer, ...]:
        """Tags, if they are predicted, heads and relations."""
        return list_layers(self._build_spec(Learned(None, (), 0)), has_tagger=self.tagger is not None)

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
        return self._build_spec(Learned(None, (), 0)).signature

    def score_columns(self, corpus: Corpus, predicted: Mapping[str, Column]) -> Score:
        """Score predicted trees."""
        options, found = self.options, corpus
        for name in (options.head, options.relation):
            found = found.with_column(name, predicted[name]) if name in predicted else found
        return score_trees(read_gold_trees(corpus, options), read_gold_trees(found, options))

    def freeze(self, learned: Learned) -> Parser:
        """Build the parser of what was learned."""
        bank, options, vocabulary = self.bank, self.options, self.bank.encoder.vocabulary
        spec = self._build_spec(learned)
        parameters = ParserParameters(relations=bank.relations.names, **learned.weights)
        functions = {**options.attributes, **options.sentence_attributes}
        return Parser(spec, parameters, self.tagger, dict(vocabulary.resources), functions)

    def _build_spec(self, learned: Learned) -> ParserSpec:
        bank, options = self.bank, self.options
        learner, vocabulary = options.chosen_learner, bank.encoder.vocabulary
        numbers = options.settings.of(learner)
        search: dict[str, int] = {name: int(numbers[name]) for name in LIMITS if name in numbers}
        return ParserSpec(
            templates=bank.templates,
            columns=vocabulary.columns,
            tag=bank.tag,
            tags=options.tags,
            head=options.head,
            relation=options.relation,
            root=bank.relations.root,
            learner=learner.name,
            settings=options.settings.stated(),
            search=search,
            seed=options.seed,
            data=self.data,
            version=__version__,
            normal_form=self.normal_form,
            non_projective=options.non_projective,
            word_functions=tuple(vocabulary.word_functions),
            sentence_functions=tuple(vocabulary.sentence_functions),
            resources={name: list(resource.names) for name, resource in vocabulary.resources.items()},
            built_resources=list_built_parts(options.resources, None),
            epochs=len(learned.history) if learned.interrupted else options.most_epochs,
            history=learned.history,
            best_epoch=learned.best_epoch,
        )
