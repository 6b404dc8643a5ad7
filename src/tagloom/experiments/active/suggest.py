"""Suggestions: the sentences of a pool that are worth annotating next, with what the model makes of them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np

from tagloom.arguments import check_arguments, check_methods
from tagloom.corpus.streams import Target, store
from tagloom.errors import ConfigError
from tagloom.experiments.active.diversity import choose_diverse
from tagloom.experiments.active.keys import KeyArray, compute_keys, draw_ties, scale_keys
from tagloom.experiments.active.pool import Part, Pool
from tagloom.experiments.active.ranking import Budget, Offer, Ranked, Ranking
from tagloom.experiments.active.strategies import Strategy, choose_strategy
from tagloom.experiments.active.uncertainty import FloatArray, Measured
from tagloom.systems.base import Model
from tagloom.systems.data import Data
from tagloom.systems.file import load
from tagloom.systems.options import check_threads, check_whole_number
from tagloom.systems.text import predict_scored, require_words

SENTENCES = 100  # that are suggested if the user does not say how many
CANDIDATES = 10  # times as many as are chosen, for diversity
_MOST = 10**7  # sentences
_MOST_TOKENS = 10**9
_DIGITS = 6  # of scores that are written

Record = dict[str, Any]
#: Called after every part of a pool with the number of sentences and tokens so far.
Watcher = Callable[[int, int], None]


@dataclass(frozen=True)
class Suggestion:
    """A sentence to annotate.

    Attributes:
        score: How much its annotation promises; higher is more.
        record: The sentence as a JSONL record with ``text``, ``tokens``, and the output of the model as ``spans`` or
            ``tags``; ``score`` and ``sentence``, its number in the pool from 1, are there, too.
    """

    score: float
    record: Mapping[str, Any]

    @property
    def words(self) -> list[str]:
        """The words."""
        return list(self.record["tokens"])

    @property
    def text(self) -> str:
        """The text as the pool has it, or the words joined by blanks."""
        return str(self.record.get("text") or " ".join(self.words))

    def __str__(self) -> str:
        """Show the score and the text."""
        return f"{self.score:.4f} {self.text}"


@check_methods()
@dataclass(frozen=True)
class Suggestions(Sequence[Suggestion]):
    """Suggestions in their order, the most promising first.

    Attributes:
        found: The suggestions.
        strategy: The strategy with its choices, in words.
        sentences: Number of sentences in the pool.
        tokens: Number of tokens in the pool.
        notes: What a reader of the suggestions must know about the input.
    """

    found: tuple[Suggestion, ...]
    strategy: str
    sentences: int
    tokens: int
    notes: tuple[str, ...] = field(default=(), repr=False)

    @overload
    def __getitem__(self, index: int) -> Suggestion: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Suggestion]: ...

    def __getitem__(self, index: int | slice) -> Suggestion | Sequence[Suggestion]:
        return self.found[index]

    def __len__(self) -> int:
        return len(self.found)

    def __repr__(self) -> str:
        return f"<Suggestions: {len(self):,} of {self.sentences:,} sentences by {self.strategy}>"

    @property
    def records(self) -> list[Mapping[str, Any]]:
        """The records, which :func:`tagloom.train` takes as data once they are corrected."""
        return [each.record for each in self.found]

    @property
    def suggested_tokens(self) -> int:
        """Number of tokens of the suggestions."""
        return sum(len(each.record["tokens"]) for each in self.found)

    def to_jsonl(self) -> str:
        """Write one record per line."""
        return "".join(f"{json.dumps(each.record, ensure_ascii=False)}\n" for each in self.found)

    def to_text(self) -> str:
        """Write the text of one sentence per line, without labels."""
        return "".join(f"{' '.join(each.text.split())}\n" for each in self.found)

    def save(self, target: Target) -> None:
        """Write the records to a file or stream."""
        store(target, self.to_jsonl())


@check_arguments
def suggest(
    model: Any,
    pool: Data,
    n: int | None = None,
    *,
    tokens: int | None = None,
    strategy: str | None = None,
    by: str | None = None,
    combine: str | None = None,
    candidates: int = CANDIDATES,
    exclude: Any = None,
    seed: int = 1,
    threads: int = 1,
    columns: str | Sequence[str] | None = None,
    format: str | None = None,  # noqa: A002
    tokenizer: Any = None,
    on_progress: Watcher | None = None,
) -> Suggestions:
    """Suggest sentences of a pool to annotate next.

    A file, and an iterator of texts, is read part by part, so that a pool can be of any size: only sentences that may
    be suggested are held. Every sentence is suggested once, also if it stands in the pool more often. The result does
    not depend on the number of threads.

    Args:
        model: The model that is to become better, or its file; or several of them, which form a committee.
        pool: A path, texts, or anything else that models read. Labels in it are ignored.
        n: Most sentences to suggest; 100 unless ``tokens`` is given.
        tokens: Most tokens to suggest. Sentences are taken in their order until the next one does not fit; longer ones
            than this are left out.
        strategy: "least-confident": the labels of the model have low probabilities. "margin": the second best labelling
            comes close to the best. "entropy": many labels are probable. "disagreement": the models of a committee
            differ. "diverse": uncertain sentences that differ from each other. "random": by chance. Default:
            disagreement of several models; of one model, least-confident if it has probabilities, otherwise margin.
        by: What "disagreement" measures, "vote" (the default) or "divergence" (of probabilities), and what "diverse"
            takes as uncertainty: a strategy of one model, or one of these.
        combine: How the measures of the tokens of a sentence are combined: "sum", "root" (the sum divided by the root
            of the number of tokens), "mean" or "max". A sum favours long sentences. Margins are of sentences: they are
            divided by the same numbers. Default: root, or mean if ``tokens`` is given; for margins sum, or root.
        candidates: How many times ``n`` sentences, the most uncertain ones, "diverse" chooses from.
        exclude: Data whose sentences are not suggested, such as those that were annotated before: anything that
            ``pool`` may be, or a list of paths.
        seed: Decides among sentences with the same score, and what "random" draws.
        threads: Number of threads. Does not change the result.
        columns: Names of the columns of a file, such as ``"form pos"``.
        format: Format of a file; guessed if None.
        tokenizer: What cuts text, as for :func:`tagloom.train`; by default the tokenizer of the model.
        on_progress: Function that is called after every part with the numbers of sentences and tokens so far.

    Returns:
        The suggestions, the most promising first.

    Examples:
        >>> import tagloom
        >>> data = [(["Ann", "left"], ["B-PER", "O"]), (["Bonn", "is", "big"], ["B-LOC", "O", "O"])]
        >>> model = tagloom.train(data, learner="crf", epochs=3)
        >>> found = suggest(model, ["Ann left. Bonn is big. Who knows Zoe?"], 1)
        >>> found[0].record["text"]
        'Who knows Zoe?'
    """
    models = _open_models(model)
    budget = _check_budget(n, tokens)
    check_threads(threads)
    check_whole_number("candidates", candidates, 1, 1000)
    check_whole_number("seed", seed, 0, 2**32 - 1)
    chosen = choose_strategy(models, strategy, by, combine, counts_tokens=tokens is not None)
    names = columns if columns is None or isinstance(columns, str) else " ".join(columns)
    source = Pool(pool, _choose_reader(models), format, names, _choose_tokenizer(tokenizer))
    search = Search(models, chosen, budget, candidates, seed, threads, _read_keys(exclude, source))
    for part in source.iterate():
        search.add(part)
        if on_progress is not None:
            on_progress(search.sentences, search.tokens)
    return Suggestions(tuple(search.finish()), str(chosen), search.sentences, search.tokens, tuple(source.notes))


def _open_models(given: Any) -> list[Model]:
    models = list(given) if isinstance(given, (list, tuple)) else [given]
    found = [load(each) if isinstance(each, (str, os.PathLike)) else each for each in models]
    if not found or not all(isinstance(each, Model) for each in found):
        raise ConfigError("model: expected a model, the path of a model file, or a list of these")
    for each in found:
        require_words(each)
    return found


def _check_budget(sentences: int | None, tokens: int | None) -> Budget:
    if sentences is None and tokens is None:
        sentences = SENTENCES
    if sentences is not None:
        check_whole_number("n", sentences, 1, _MOST)
    if tokens is not None:
        check_whole_number("tokens", tokens, 1, _MOST_TOKENS)
    return Budget(sentences, tokens)


def _choose_reader(models: Sequence[Model]) -> Model:
    """Choose the model that decides how the pool is read: one of documents must not have them parted."""
    return next((model for model in models if model.reads.whole_documents), models[0])


def _choose_tokenizer(given: Any) -> Any:
    if given is None:
        return None
    from tagloom.systems.provide import choose_tokenizer  # here, because it imports what only training needs

    return choose_tokenizer(given)


def _read_keys(exclude: Any, pool: Pool) -> KeyArray:
    """Read the keys of sentences that are not to be suggested, in ascending order."""
    if exclude is None:
        return np.zeros(0, np.uint64)
    is_list = isinstance(exclude, (list, tuple)) and all(isinstance(each, (str, os.PathLike)) for each in exclude)
    keys = [
        compute_keys(part.corpus, pool.model.main)
        for data in (exclude if is_list else [exclude])
        for part in Pool(data, pool.model, tokenizer=pool.tokenizer).iterate()
    ]
    return np.unique(np.concatenate(keys)) if keys else np.zeros(0, np.uint64)


class Search:
    """The search for the most promising sentences of a pool, part by part."""

    def __init__(
        self, models: Sequence[Model], strategy: Strategy, budget: Budget, candidates: int, seed: int, threads: int,
        excluded: KeyArray,
    ) -> None:  # fmt: skip
        self.models, self.strategy, self.budget = models, strategy, budget
        self.seed, self.threads, self.excluded = seed, threads, excluded
        self.ranking: Ranking[Record] = Ranking(budget.multiply(candidates) if strategy.is_diverse else budget)
        self.sentences = self.tokens = 0

    def add(self, part: Part) -> None:
        """Measure the sentences of a part, and keep those that may be suggested."""
        corpus = part.corpus
        self.sentences += len(corpus)
        self.tokens += corpus.token_count
        if corpus.token_count == 0:
            return
        keys = compute_keys(corpus, self.models[0].main)
        ties = draw_ties(keys, self.seed)
        measured = self._measure(part, ties)
        lengths = np.diff(corpus.sentences)
        offer = Offer(measured.scores, ties, keys, lengths, ~np.isin(keys, self.excluded))
        self.ranking.add(offer, _Builder(self.models[0], part, measured, self.threads))

    def _measure(self, part: Part, ties: KeyArray) -> Measured:
        measure = self.strategy.measure
        if measure is None:
            return Measured(scale_keys(ties))
        return measure.compute(self.models, part.corpus, self.strategy.combination, self.threads)

    def finish(self) -> Iterator[Suggestion]:
        """Iterate over the suggestions, the most promising first."""
        kept = self.ranking.finish()
        chosen = self._diversify(kept) if self.strategy.is_diverse else [(each, each.score) for each in kept]
        for each, score in chosen:
            yield Suggestion(score, {**each.content, "score": round(score, _DIGITS)})

    def _diversify(self, kept: Sequence[Ranked[Record]]) -> list[tuple[Ranked[Record], float]]:
        words = [each.content["tokens"] for each in kept]
        found = choose_diverse(words, [each.score for each in kept], self.budget)
        return [(kept[number], score) for number, score in found]


class _Builder:
    """Builds the records of sentences of a part; what the model makes of the part is predicted when it is needed."""

    def __init__(self, model: Model, part: Part, measured: Measured, threads: int) -> None:
        self.model, self.part, self.threads = model, part, threads
        self.predicted, self.confidences = measured.predicted, measured.confidences

    def __call__(self, number: int) -> Record:
        """Build the record of a sentence."""
        if self.predicted is None:
            self.predicted, self.confidences = self._predict()
        start, stop = self.part.corpus.span(number)
        layers = self.model.own_layers or self.model.layers
        values = {layer.column: self.predicted[layer.column].texts(start, stop) for layer in layers}
        record = self.part.records.build(self.part.offset + number, values, layers)
        if self.confidences is not None:
            record["confidence"] = self.confidences[start:stop].round(4).tolist()
        return {**record, "sentence": self.part.first + number + 1}

    def _predict(self) -> tuple[Mapping[str, Any], FloatArray | None]:
        is_sure = self.model.has_probabilities
        return predict_scored(self.model, self.part.corpus, threads=self.threads, confidence=is_sure)
