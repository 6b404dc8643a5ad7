"""A plain encoder: the features of every token, listed from Python strings and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from tagloom.features import Part, Template, TemplateSet

Values = list[tuple[str, float]]
Sentence = Mapping[str, Sequence[Any]]  # column -> what it holds for every token
Attribute = Callable[[Sentence], list[Values]]  # the values of every token


@dataclass(frozen=True)
class Fired:
    """A feature at a token: its identity is the template's seed and the values of its parts."""

    name: str
    seed: str
    values: tuple[str, ...]
    weight: np.float32
    edge: bool

    @property
    def identity(self) -> tuple[str, tuple[str, ...]]:
        return self.seed, self.values


def of_word(column: str, function: Callable[[str], Any]) -> Attribute:
    """An attribute from a function of the word, which may return whatever a user's function may."""
    return lambda sentence: [values_of(function(word)) for word in sentence[column]]


def values_of(returned: str | Iterable[str] | Mapping[str, float] | None) -> Values:
    if returned is None:
        return []
    if isinstance(returned, str):
        return [(returned, 1.0)]
    return list(returned.items()) if isinstance(returned, Mapping) else [(text, 1.0) for text in returned]


def encode(
    templates: TemplateSet,
    attributes: Mapping[str, Attribute],
    sentence: Sentence,
    is_masked: Callable[[str, int], bool] = lambda attribute, token: False,
) -> list[list[Fired]]:
    """The features of every token of a sentence, in the order of the templates; none that looks at a masked value."""
    length = len(next(iter(sentence.values())))
    used = {part.attribute for template in templates.templates for part in template.parts}
    values = {name: attributes[name](sentence) for name in used}

    def at(part: Part, token: int) -> Values:
        position = token + part.offset
        if position < 0:
            return [(f"_B{position}", 1.0)]
        if position < length and is_masked(part.attribute, position):
            return []
        return values[part.attribute][position] if position < length else [(f"_B+{position - length + 1}", 1.0)]

    def fired(token: int) -> Iterator[Fired]:
        for template in templates.templates:
            for choice in product(*(at(part, token) for part in template.parts)):
                yield _feature(template, choice)

    return [list(fired(token)) for token in range(length)]


def _feature(template: Template, choice: Sequence[tuple[str, float]]) -> Fired:
    named = [f"{template.prefix}{part}={text}" for part, (text, _) in zip(template.parts, choice)]
    weight = np.float32(1.0)
    for _, factor in choice:
        weight = weight * np.float32(factor)
    return Fired(" ".join(named) or "bias", template.seed, tuple(text for text, _ in choice), weight, template.edge)


def frequent(tokens: Iterable[Iterable[Fired]], cutoff: int) -> list[tuple[str, tuple[str, ...]]]:
    """The features that occur often enough, the most frequent first, then in order of appearance."""
    counts = Counter(feature.identity for features in tokens for feature in features)
    return [identity for identity, count in counts.most_common() if count >= cutoff]
