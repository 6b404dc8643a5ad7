"""The slow truth of suggestions: one sentence at a time, everything in memory, plain numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any


def combine(values: Sequence[float], how: str) -> float:
    """Combine the measures of the tokens of one sentence."""
    if how == "max":
        return max(values)
    return sum(values) / len(values) ** {"sum": 0, "root": 0.5, "mean": 1}[how]


def least_confident(model: Any, words: Sequence[str]) -> list[float]:
    """Compute 1 - P(label) of the labels of one sentence."""
    names = list(model.labels)
    best = model.nbest(words, 1)[0].labels
    return [1 - float(row[names.index(label)]) for row, label in zip(model.marginals(words), best, strict=True)]


def margin(model: Any, words: Sequence[str], how: str) -> float:
    """Compute the margin of one sentence."""
    best = [each.score for each in model.nbest(words, 2)]
    found = 1 / (1 + best[0] - best[1]) if len(best) > 1 else 0.0
    return found / len(words) ** {"sum": 0, "root": 0.5, "mean": 1}[how]


def entropy(probabilities: Sequence[float]) -> float:
    """Compute the entropy of some probabilities."""
    return -sum(p * math.log(p) for p in probabilities if p > 0)


def entropies(model: Any, words: Sequence[str]) -> list[float]:
    """Compute the entropy of every token."""
    return [entropy([float(p) for p in row]) for row in model.marginals(words)]


def votes(models: Sequence[Any], words: Sequence[str]) -> list[float]:
    """Compute the entropy of the votes for every token."""
    counts = map(Counter, zip(*(model.tag(words) for model in models), strict=True))
    return [entropy([count / len(models) for count in each.values()]) / math.log(len(models)) for each in counts]


def divergences(models: Sequence[Any], words: Sequence[str]) -> list[float]:
    """Compute the mean KL divergence of the models to their mean, for every token."""
    by_model = [[dict(zip(model.labels, map(float, row))) for row in model.marginals(words)] for model in models]
    found = []
    for token in zip(*by_model, strict=True):
        names = {name for each in token for name in each}
        mean = {name: sum(each.get(name, 0.0) for each in token) / len(token) for name in names}
        found.append(sum(_diverge(each, mean) for each in token) / len(token))
    return found


def _diverge(p: Mapping[str, float], q: Mapping[str, float]) -> float:
    return sum(value * math.log(value / q[name]) for name, value in p.items() if value > 0)


def rank(
    sentences: Sequence[tuple[float, int, int, int]], most: int | None, tokens: int | None
) -> list[tuple[float, int]]:
    """Sort (score, tie, key, length) and take from the top; return scores and keys."""
    best: dict[int, tuple[float, int, int]] = {}
    for score, tie, key, length in sentences:
        if length and (tokens is None or length <= tokens) and (key not in best or score > best[key][0]):
            best[key] = score, tie, length
    taken: list[tuple[float, int]] = []
    total = 0
    for key, (score, _, length) in sorted(best.items(), key=lambda pair: (-pair[1][0], pair[1][1])):
        total += length
        if (most is not None and len(taken) == most) or (tokens is not None and total > tokens):
            break
        taken.append((score, key))
    return taken


def list_gains(
    sentences: Sequence[Sequence[str]], uncertain: Sequence[float], chosen: Sequence[int], tokens: int | None
) -> dict[int, float]:
    """Compute the products of uncertainty and distance to the nearest chosen sentence, of all that still fit."""
    bags = [Counter(word.casefold() for word in words) for words in sentences]
    seen = Counter(word for bag in bags for word in bag)
    vectors = [{w: n * math.log(1 + len(bags) / seen[w]) for w, n in bag.items()} for bag in bags]
    left = math.inf if tokens is None else tokens - sum(len(sentences[number]) for number in chosen)
    return {
        n: uncertain[n] * min([1.0, *(1 - _cosine(vectors[n], vectors[m]) for m in chosen)])
        for n in range(len(bags))
        if n not in chosen and len(sentences[n]) <= left
    }


def _cosine(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    norms = [math.sqrt(sum(value**2 for value in each.values())) for each in (a, b)]
    return sum(value * b.get(word, 0.0) for word, value in a.items()) / (norms[0] * norms[1])
