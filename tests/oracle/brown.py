"""Brown clusters (Brown et al. 1992): the average mutual information of the whole text for every possible merge."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence

Classes = dict[str, int]  # word -> number of its class; words that are added, by rank; others are in REST
REST, BOUNDARY = -1, -2


def amount(count: int) -> int:
    """n log2 n as a whole number of units of 2^-24, so that equal sums are equal."""
    return round(count * math.log2(count) * 2**24) if count > 1 else 0


def list_bigrams(sentences: Sequence[Sequence[str]]) -> Counter[tuple[str | None, str | None]]:
    """Count pairs of neighbours; None is the boundary."""
    line: list[str | None] = [None]
    for sentence in sentences:
        line += [*sentence, None]
    return Counter(itertools.pairwise(line))


def rank_words(sentences: Sequence[Sequence[str]], min_count: int) -> list[str]:
    """List the words by falling frequency."""
    counts = Counter(itertools.chain.from_iterable(sentences))
    return sorted((word for word in counts if counts[word] >= min_count), key=lambda word: (-counts[word], word))


def information(bigrams: Counter[tuple[str | None, str | None]], classes: Classes) -> int:
    """Average mutual information of neighbouring classes, times the number of bigrams (Brown et al., equation 9).

    With n log n for counts, marginals and the total: sum of n(a, b) log (n(a, b) N / l(a) r(b)).
    """
    pairs, left, right = Counter[tuple[int, int]](), Counter[int](), Counter[int]()
    for (first, second), count in bigrams.items():
        a, b = (BOUNDARY if word is None else classes.get(word, REST) for word in (first, second))
        pairs[a, b] += count
        left[a] += count
        right[b] += count
    marginals = sum(map(amount, left.values())) + sum(map(amount, right.values()))
    return sum(map(amount, pairs.values())) - marginals + amount(sum(bigrams.values()))


def find_best_merge(bigrams: Counter[tuple[str | None, str | None]], classes: Classes) -> tuple[int, int, int]:
    """Find the pair of classes whose merge loses the least: the lower number, the higher one, and the loss."""
    before = information(bigrams, classes)
    found = []
    for low, high in itertools.combinations(sorted(set(classes.values())), 2):
        merged = {word: low if number == high else number for word, number in classes.items()}
        found.append((before - information(bigrams, merged), high, low))
    loss, high, low = min(found)
    return low, high, loss


def list_merges(sentences: Sequence[Sequence[str]], clusters: int, min_count: int = 1) -> list[tuple[int, int, int]]:
    """List all merges as (into, from, loss); classes have the rank of their most frequent word."""
    bigrams, words = list_bigrams(sentences), rank_words(sentences, min_count)
    classes = {word: rank for rank, word in enumerate(words[:clusters])}
    merges = []
    waiting = list(enumerate(words))[clusters:]
    while waiting or len(set(classes.values())) > 1:
        if waiting:
            rank, word = waiting.pop(0)
            classes[word] = rank
        into, other, loss = find_best_merge(bigrams, classes)
        merges.append((into, other, loss))
        classes = {word: into if number == other else number for word, number in classes.items()}
    return merges


def find_paths(sentences: Sequence[Sequence[str]], clusters: int, min_count: int = 1) -> dict[str, str]:
    """Give every word the bit string of its cluster: the branches of the tree of the last merges, 0 for the lower."""
    words = rank_words(sentences, min_count)
    groups: dict[int, dict[int, str]] = {rank: {rank: ""} for rank in range(len(words))}  # words below, and their paths
    merges = list_merges(sentences, clusters, min_count)
    for number, (into, other, _) in enumerate(merges):
        is_in_tree = number >= len(words) - min(clusters, len(words))
        low = {word: ("0" if is_in_tree else "") + path for word, path in groups[into].items()}
        high = {word: ("1" if is_in_tree else "") + path for word, path in groups.pop(other).items()}
        groups[into] = low | high
    return {words[rank]: path or "0" for group in groups.values() for rank, path in group.items()}
