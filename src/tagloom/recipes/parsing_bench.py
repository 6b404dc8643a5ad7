"""The workbench of parsers: trained on trees with predicted tags, scored by heads and relations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tagloom.corpus import Corpus
from tagloom.evaluate import Score
from tagloom.recipes.dataset import Dataset
from tagloom.recipes.model_bench import ModelBench, Report
from tagloom.recipes.recipe import GoOn
from tagloom.recipes.splits import Split, splits_of
from tagloom.recipes.treebank_tags import TAG, TagOptions, treebank, with_our_tags
from tagloom.systems import train_parser


@dataclass(frozen=True)
class Treebank(Dataset):
    """Trees whose tags are predicted: ``templates`` are those of the tagger, the parser's are options of a row."""

    tag: str = "pos"  # column of the gold tags
    tagger: TagOptions = field(default_factory=lambda: TagOptions({}))
    punctuation: str | None = None  # a rule: what it finds does not count; None: all tokens count

    def choices(self) -> dict[str, object]:
        counted = {} if self.punctuation is None else {"without": self.punctuation}
        return {**super().choices(), **self.tagger.choices(), **counted}

    def splits(self, data: Path) -> tuple[Split, ...]:
        """With gold tags."""
        return tuple(
            Split(treebank(split.train, self.tag), {name: treebank(c, self.tag) for name, c in split.held_out.items()})
            for split in splits_of(self, data)
        )


class Parsing:
    """Models that make dependency trees."""

    compared_by: str | None = "uas"

    def __init__(self, gold: Mapping[str, Corpus], punctuation: str | None) -> None:
        self.gold, self.punctuation = gold, punctuation  # gold tags tell what punctuation is

    def train(self, corpus: Corpus, options: Mapping[str, Any], report: Report) -> Any:
        return train_parser(corpus, on_progress=report, **options)

    def apply(self, model: Any, corpus: Corpus) -> Any:
        return model.parse_corpus(corpus)

    def score(self, corpus: Corpus, found: Any, part: str) -> Score:
        from tagloom.corpus.trees import trees_of
        from tagloom.evaluate.attachment import score_trees
        from tagloom.evaluate.punctuation import punctuation_of

        gold, rule = self.gold[part], self.punctuation
        left_out = None if rule is None else punctuation_of(gold, rule, TAG)
        scored: Score = score_trees(trees_of(gold), found, punctuation=left_out, leave_out=left_out is not None)
        return scored

    def value(self, score: Score, measure: str) -> float:
        return float(getattr(score, measure.lower()))  # UAS, LAS


def parsing_bench(dataset: Treebank, data: Path) -> ModelBench:
    """Gold trees for the scores; for training and parsing the same with our tags, once a cell needs them."""
    splits = dataset.splits(data)
    gold = {part: corpus for split in splits for part, corpus in split.held_out.items()}
    tagger = TagOptions({"templates": dataset.templates, **dataset.tagger.learning}, dataset.tagger.folds)

    def tagged(go_on: GoOn) -> list[Split]:
        return [with_our_tags(split, tagger, go_on) for split in splits]

    return ModelBench(Parsing(gold, dataset.punctuation), tagged)
