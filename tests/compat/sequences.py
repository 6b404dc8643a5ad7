"""Small sequences of feature dicts for tests: labels follow words and neighbours, with some noise."""

from __future__ import annotations

from typing import Any

import numpy as np

Sequences = tuple[list[list[dict[str, Any]]], list[list[str]]]


def make_sequences(count: int = 40, seed: int = 3) -> Sequences:
    """Draw sequences over three labels; features are strings, flags and numbers."""
    rng = np.random.default_rng(seed)
    xs, ys = [], []
    for _ in range(count):
        words = [f"w{number}" for number in rng.integers(0, 15, rng.integers(1, 9))]
        labels = ["ABC"[(int(word[1:]) + (rng.random() < 0.2)) % 3] for word in words]
        xs.append([_describe(words, t) for t in range(len(words))])
        ys.append(labels)
    return xs, ys


def _describe(words: list[str], t: int) -> dict[str, Any]:
    features: dict[str, Any] = {"word": words[t], "bias": 1.0, "even": int(words[t][1:]) % 2 == 0}
    if t > 0:
        features["before"] = {"word": words[t - 1], "size": int(words[t - 1][1:]) / 10}
    return features
