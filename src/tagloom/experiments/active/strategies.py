"""Strategies: which measure of uncertainty ranks the sentences of a pool, and whether they must differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tagloom.errors import ConfigError, unknown_name
from tagloom.experiments.active.uncertainty import COMBINATIONS, MAX, MEASURES, Measure
from tagloom.systems.base import CONFIDENCE, NBEST, Model

LEAST_CONFIDENT, MARGIN, ENTROPY = "least-confident", "margin", "entropy"
DISAGREEMENT, DIVERSE, RANDOM = "disagreement", "diverse", "random"
VOTE, DIVERGENCE = "vote", "divergence"
STRATEGIES = (LEAST_CONFIDENT, MARGIN, ENTROPY, DISAGREEMENT, DIVERSE, RANDOM)


@dataclass(frozen=True)
class Strategy:
    """A strategy that fits the models.

    Attributes:
        name: Its name.
        measure: How uncertainty is measured; None for a choice by chance.
        combination: How measures of tokens become one of the sentence.
    """

    name: str
    measure: Measure | None
    combination: str = ""

    @property
    def is_diverse(self) -> bool:
        """Whether the sentences must differ."""
        return self.name == DIVERSE

    def __str__(self) -> str:
        """Name the strategy with its choices."""
        if self.measure is None:
            return self.name
        parts = [] if self.measure.name == self.name else [self.measure.name]
        return f"{self.name} ({', '.join([*parts, self.combination])})"


def choose_strategy(
    models: Sequence[Model], name: str | None, by: str | None, combine: str | None, *, counts_tokens: bool = False
) -> Strategy:
    """Choose a strategy for some models.

    Args:
        models: The models; several form a committee.
        name: Name of the strategy; None for the default of the models.
        by: Name of the measure, for strategies that have a choice.
        combine: Name of the combination; None for the default of the measure.
        counts_tokens: Whether the budget is one of tokens, which decides the default.

    Raises:
        ConfigError: The strategy does not exist, or does not fit the models.
    """
    name = name or (DISAGREEMENT if len(models) > 1 else _choose_measure(models[0]))
    if name not in STRATEGIES:
        raise unknown_name("strategy", name, STRATEGIES)
    if name == RANDOM:
        _refuse(name, by=by, combine=combine)
        return Strategy(RANDOM, None)
    measure = _find_measure(name, by, models)
    _check_models(name, measure, models)
    combination = combine or (measure.token_combination if counts_tokens else measure.combination)
    if combination not in COMBINATIONS:
        raise unknown_name("combination (combine)", combination, COMBINATIONS)
    if combination == MAX and not measure.of_tokens:
        raise ConfigError(f"combine: {measure.name} measures whole sentences, which have no {MAX}; choose another one")
    return Strategy(name, measure, combination)


def _find_measure(name: str, by: str | None, models: Sequence[Model]) -> Measure:
    """Find the measure that a strategy ranks by."""
    if name == DISAGREEMENT:
        choices: Sequence[str] = (VOTE, DIVERGENCE)
        by = by or VOTE
    elif name == DIVERSE:
        choices = tuple(MEASURES)
        by = by or (VOTE if len(models) > 1 else _choose_measure(models[0]))
    else:
        _refuse(name, by=by)
        return MEASURES[name]
    if by not in choices:
        raise unknown_name(f"measure of strategy {name!r} (by)", by, choices)
    return MEASURES[by]


def _choose_measure(model: Model) -> str:
    """Choose the measure of one model: confidences if they are probabilities, otherwise the margin."""
    return MARGIN if NBEST in model.capabilities and not model.has_probabilities else LEAST_CONFIDENT


def _refuse(name: str, **given: str | None) -> None:
    for option, value in given.items():
        if value is not None:
            raise ConfigError(f"{option}: strategy {name!r} has no such choice; leave it out")


def _check_models(name: str, measure: Measure, models: Sequence[Model]) -> None:
    if measure.is_committee and len(models) < 2:
        raise ConfigError(f"strategy {name!r}: {measure.name} compares several models, got one; name more models")
    if not measure.is_committee and len(models) > 1:
        raise ConfigError(
            f"strategy {name!r}: {measure.name} looks at one model, got {len(models)}; name one, or choose "
            f"{DISAGREEMENT}"
        )
    for model in models:
        _check_capability(name, measure, model)
    if measure.is_committee:
        _check_committee(name, measure, models)


def _check_capability(name: str, measure: Measure, model: Model) -> None:
    """Refuse a model that cannot be measured, and say what can be done."""
    if measure.capability is None:
        if not model.own_layers:
            raise ConfigError(f"strategy {name!r}: a {model.noun} adds no column to compare; choose {RANDOM}")
        return
    if measure.capability not in model.capabilities:
        what = {CONFIDENCE: "confidences", NBEST: "n best outputs"}.get(measure.capability, "probabilities of labels")
        raise ConfigError(
            f"strategy {name!r}: a {model.noun} has no {what}; name several models, whose votes are compared, or "
            f"choose {RANDOM}"
        )
    if measure.capability != NBEST and not model.has_probabilities:
        raise ConfigError(
            f"strategy {name!r}: the scores of this {model.noun} are no probabilities; train it with development data, "
            f"or choose {MARGIN}"
        )


def _check_committee(name: str, measure: Measure, models: Sequence[Model]) -> None:
    """Refuse models whose outputs cannot be compared."""
    first = models[0]
    for model in models[1:]:
        columns = [[layer.column for layer in each.own_layers] for each in (first, model)]
        if columns[0] != columns[1]:
            raise ConfigError(
                f"strategy {name!r}: models must add the same columns, got {' '.join(columns[0])} and "
                f"{' '.join(columns[1])}"
            )
        if model.columns != first.columns:
            raise ConfigError(
                f"strategy {name!r}: models must read the same columns, got {' '.join(first.columns)} and "
                f"{' '.join(model.columns)}"
            )
        schemes = [getattr(each.spec, "scheme", None) for each in (first, model)]
        if measure.name == DIVERGENCE and schemes[0] != schemes[1]:
            raise ConfigError(
                f"strategy {name!r}: probabilities are of labels of different schemes, {schemes[0]} and {schemes[1]}; "
                f"train with the same scheme, or compare votes (by {VOTE})"
            )
