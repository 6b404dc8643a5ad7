"""Ensembles of taggers that are there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tagloom.arguments import check_arguments
from tagloom.errors import ConfigError, show_value
from tagloom.systems.base import Model
from tagloom.systems.ensemble.model import Ensemble
from tagloom.systems.line import Line
from tagloom.systems.tagger.model import Tagger


@check_arguments
def join_taggers(models: Sequence[Model]) -> Ensemble:
    """Join taggers to one model, which decides by the mean of their probabilities.

    Args:
        models: Taggers, or ensembles of taggers, with equal labels and columns. They may differ in seeds, learners,
            templates and resources.

    Raises:
        ConfigError: The models differ in what they read or write, or have no probabilities.

    Examples:
        >>> from tagloom.systems.train import train
        >>> data = [(["the", "dog"], ["DT", "NN"]), (["a", "cat"], ["DT", "NN"])]
        >>> both = join_taggers([train(data, learner="sgd", seed=seed) for seed in (1, 2)])
        >>> both.annotate([["a", "dog"]]).column("label").texts()
        ['DT', 'NN']
    """
    members = [member for each in models for member in _list_members(each)]
    ensemble = Ensemble([each.without_line() for each in members])
    return ensemble.with_line(join_lines(models))


def _list_members(model: Model) -> Sequence[Tagger]:
    if isinstance(model, Ensemble):
        return model.members
    if isinstance(model, Tagger):
        return [model]
    raise ConfigError(f"expected taggers, got {show_value(model)}")


def join_lines(models: Iterable[Model]) -> Line:
    """Join the lines of models: each provider once, and the first tokenizer."""
    providers: dict[str, Model] = {}
    tokenizer = None
    for model in models:
        for each in model.line.providers:
            providers.setdefault(each.spec.to_json(), each)
        tokenizer = tokenizer or model.line.tokenizer
    line = Line(tokenizer, tuple(providers.values()))
    line.check()
    return line
