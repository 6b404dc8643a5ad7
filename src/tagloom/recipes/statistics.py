"""Statistics of an encoded corpus: the columns of He and Wang's Table 4."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

import tagloom._core as _core
from tagloom.systems.tagger.encode import Encoded

Statistic = Callable[[Encoded, int], float]


def largest_relative_frequency(encoded: Encoded) -> float:
    """The largest #φ(x, y) / #tokens of Eq. 15: how often the commonest feature stands with its commonest label."""
    batch, collected, labels = encoded.batch, encoded.collected, encoded.chain.labels
    tables = collected.table(False), collected.table(True)
    (offsets, rows, _), _ = _core.encode(encoded.store, batch.codes, batch.sentences, *tables)
    gold = np.repeat(encoded.task.gold.column.codes, np.diff(offsets))  # of every entry of `rows`
    frequency = np.bincount(rows, minlength=1)
    # No pair is commoner than its feature: only features above the best pair of the commonest one can beat it.
    best = np.bincount(gold[rows == frequency.argmax()], minlength=1).max()
    rivals = frequency >= best
    mine = rivals[rows]
    pairs = (np.cumsum(rivals) - 1)[rows[mine]] * labels + gold[mine]
    return float(np.bincount(pairs, minlength=1).max() / len(encoded.task.gold.column))


def _bigram_features(encoded: Encoded) -> int:
    """Edge features; the label pairs alone are one of them."""
    return len(encoded.edge_offsets) - 1 + int(encoded.task.encoder.templates.transitions)


#: By the name of the column; the second argument is the cut-off the corpus was encoded with.
STATISTICS: Mapping[str, Statistic] = {
    "tokens": lambda encoded, _: encoded.task.corpus.token_count,
    "unigram features": lambda encoded, _: encoded.chain.node_rows,
    "bigram features": lambda encoded, _: _bigram_features(encoded),
    "labels": lambda encoded, _: encoded.chain.labels,
    "cutoff": lambda _, cutoff: cutoff,
    "max relative frequency": lambda encoded, _: largest_relative_frequency(encoded),
}
