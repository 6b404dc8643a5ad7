"""What is done with requests, in threads beside the event loop: annotations of many at once, n best, explanations."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from tagloom.errors import TagloomError
from tagloom.serve.cuts import CutInput, cut_inputs
from tagloom.serve.messages import (
    AnnotateResponse,
    DecisionRecord,
    ExplainedLayer,
    ExplainedText,
    ExplainResponse,
    FeatureRecord,
    NbestResponse,
    Token,
)
from tagloom.serve.problems import RefusalError, refuse_excess
from tagloom.serve.ranking import rank_inputs
from tagloom.serve.settings import Limits
from tagloom.serve.shelf import ServedModel
from tagloom.systems.tables import Decision
from tagloom.systems.text import annotate_segments, annotate_sentences, cut_texts
from tagloom.text import Annotation
from tagloom.text.records import build_record

encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class Ask:
    """What one request asks of a model: texts, or sentences of tokens.

    Attributes:
        served: The model.
        texts: The texts; None if there are sentences.
        sentences: The sentences; None if there are texts.
        confidence: Whether annotations have probabilities.
        count: Number of candidates per sentence, or of features per decision.
    """

    served: ServedModel
    texts: list[str] | None = None
    sentences: list[list[Token]] | None = None
    confidence: bool = False
    count: int = 0

    @property
    def size(self) -> int:
        """About how many tokens there are, without cutting the texts."""
        if self.texts is not None:
            return sum(map(len, self.texts)) // _CHARACTERS + len(self.texts)
        return sum(map(len, self.sentences or ())) + 1

    @property
    def inputs(self) -> int:
        """Number of texts, or of sentences."""
        return len(self.texts if self.texts is not None else self.sentences or ())


_CHARACTERS = 5  # of a word, about


@dataclass(frozen=True, slots=True)
class Answer:
    """The JSON of an answer, and how many tokens it is about."""

    body: bytes
    tokens: int


#: What becomes of a request.
Outcome = Answer | Exception
#: What is done with all requests of a kind that wait at the same time.
Work = Callable[[Sequence[Ask], Limits], list[Outcome]]


def annotate_together(asks: Sequence[Ask], limits: Limits) -> list[Outcome]:
    """Annotate the inputs of many requests, those to the same model in one call of the core."""
    outcomes: dict[int, Outcome] = {}
    groups: dict[tuple[int, bool, bool], list[int]] = {}
    for number, ask in enumerate(asks):
        groups.setdefault((id(ask.served), ask.texts is None, ask.confidence), []).append(number)
    for numbers in groups.values():
        outcomes |= zip(numbers, _annotate_group([asks[number] for number in numbers], limits), strict=True)
    return [outcomes[number] for number in range(len(asks))]


def _annotate_group(asks: Sequence[Ask], limits: Limits) -> list[Outcome]:
    """Annotate requests that agree in everything but their inputs; if one of them fails, the others do not."""
    annotate = _annotate_texts if asks[0].texts is not None else _annotate_sentences
    try:
        return annotate(asks, limits)
    except Exception as error:
        if len(asks) == 1:
            return [explain_failure(error)]
    return [outcome for ask in asks for outcome in _annotate_group([ask], limits)]


def explain_failure(error: Exception) -> Exception:
    """Say what a failure means to the client: what tagloom refuses does not fit the model, all else is a bug."""
    return RefusalError(409, str(error)) if isinstance(error, TagloomError) else error


def _annotate_texts(asks: Sequence[Ask], limits: Limits) -> list[Outcome]:
    model = asks[0].served.model
    cuts = [cut_texts(model, ask.texts or []) for ask in asks]
    counts = [sum(map(len, cut)) for cut in cuts]
    fits = [count <= limits.tokens for count in counts]
    joined = list(itertools.chain.from_iterable(itertools.compress(cuts, fits)))
    found = iter(annotate_segments(model, joined, confidence=asks[0].confidence))
    return [
        _answer(ask, itertools.islice(found, len(cut)), count) if fit else refuse_excess("tokens", limits.tokens, count)
        for ask, cut, count, fit in zip(asks, cuts, counts, fits, strict=True)
    ]


def _annotate_sentences(asks: Sequence[Ask], limits: Limits) -> list[Outcome]:
    sentences = [sentence for ask in asks for sentence in ask.sentences or ()]
    found = iter(annotate_sentences(asks[0].served.model, sentences, confidence=asks[0].confidence))
    return [_answer(ask, itertools.islice(found, ask.inputs), sum(map(len, ask.sentences or ()))) for ask in asks]


def _answer(ask: Ask, annotations: Iterable[Annotation], tokens: int) -> Answer:
    records: Any = [build_record(each) for each in annotations]
    return Answer(encode(AnnotateResponse(ask.served.name, records)), tokens)


# -- one request at a time ---------------------------------------------------------------------------------------------


def rank_each(asks: Sequence[Ask], limits: Limits) -> list[Outcome]:
    """Find the best labellings for requests, one after another."""
    return [_try(_rank, ask, limits) for ask in asks]


def explain_each(asks: Sequence[Ask], limits: Limits) -> list[Outcome]:
    """Explain the annotations of requests, one after another."""
    return [_try(_explain, ask, limits) for ask in asks]


def _try(work: Callable[[Ask, Limits], Answer], ask: Ask, limits: Limits) -> Outcome:
    try:
        return work(ask, limits)
    except Exception as error:
        return explain_failure(error)


def _rank(ask: Ask, limits: Limits) -> Answer:
    model = ask.served.model
    inputs = cut_inputs(model, ask.texts, ask.sentences)
    tokens = sum(len(each.starts) for each in inputs)
    if tokens * ask.count > limits.tokens:
        raise refuse_excess(f"tokens: with n={ask.count}", limits.tokens // ask.count, tokens)
    results = rank_inputs(model, inputs, ask.count)
    return Answer(encode(NbestResponse(ask.served.name, results)), tokens)


def _explain(ask: Ask, limits: Limits) -> Answer:
    model = ask.served.model
    inputs = cut_inputs(model, ask.texts, ask.sentences)
    tokens = sum(len(each.starts) for each in inputs)
    if tokens > limits.explained:
        raise refuse_excess("tokens of explanations", limits.explained, tokens)
    results = [_explain_input(model, each, ask.count) for each in inputs]
    return Answer(encode(ExplainResponse(ask.served.name, results)), tokens)


def _explain_input(model: Any, cut: CutInput, top: int) -> ExplainedText:
    """List the decisions about all sentences, by the columns that they led to."""
    layers: dict[str, list[DecisionRecord]] = {}
    for first, tokens, starts, ends in cut.list_decided(model):
        for name, explanation in model.explain_line(tokens).items():
            decisions = explanation.list_decisions(top)
            layers.setdefault(name, []).extend(_place(each, first, starts, ends) for each in decisions)
    return ExplainedText(cut.text, [ExplainedLayer(*layer) for layer in layers.items()])


def _place(decision: Decision, first: int, starts: Sequence[int], ends: Sequence[int]) -> DecisionRecord:
    return DecisionRecord(
        starts[first + decision.first],
        ends[first + decision.last - 1],
        decision.choice,
        decision.rival,
        decision.margin,
        [FeatureRecord(name, weight) for name, weight in decision.features],
        decision.note,
    )
