"""Brown clusters (Brown et al. 1992) of the words of raw text; the core has the algorithm (clusters/brown.hpp)."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Sequence

import numpy as np

from tagloom._core import MAX_CLUSTERS, BrownClustering
from tagloom.arguments import check_arguments
from tagloom.corpus import Corpus, read_batches
from tagloom.errors import ConfigError, DataError
from tagloom.features.clusters.bigrams import BigramCounter, Bigrams
from tagloom.features.clusters.word_clusters import WordClusters, build_paths, is_writable
from tagloom.text import Tokenizer

CLUSTERS = 1000
TOKENIZER = "unicode"
_MOST_BIGRAMS = 2**32 - 1
_STEPS = 32  # of the core between two looks at Ctrl-C
Report = Callable[[int, int], None]
#: A path, or sentences in memory.
Text = str | os.PathLike[str] | Corpus


@check_arguments
def cluster_words(
    text: Text | Sequence[Text],
    clusters: int = CLUSTERS,
    *,
    min_count: int = 1,
    format: str | None = None,  # noqa: A002
    columns: str | None = None,
    normalise: str | None = None,
    tokenizer: str | Tokenizer = TOKENIZER,
    threads: int = 1,
    on_guess: Callable[[str], None] | None = None,
    on_progress: Report | None = None,
) -> WordClusters:
    """Make Brown clusters of the words of raw text: words with the same neighbours come into one cluster.

    The words are added in the order of their frequency to a window of ``clusters + 1`` clusters, of which two are
    merged after every word: those whose merge loses the least average mutual information of neighbouring clusters. At
    the end the clusters are merged into a binary tree. Words that are equally good are taken in the order of frequency,
    and then of their characters, so that the same text always gives the same clusters.

    Args:
        text: A file of running text or of any format that tagloom reads, a corpus, or several of these.
        clusters: Number of clusters, from 1 to 10,000.
        min_count: Least number of occurrences of a word that gets a cluster. All rarer words are one context of the
            others.
        format: Name of the format of files; None to guess it.
        columns: Names of their columns. Clusters are of the column ``form``, or the first.
        normalise: Unicode normal form of the words of files: ``NFKC`` or ``NFC``.
        tokenizer: What cuts running text into sentences and words, or its name: ``unicode``, ``ptb``, ``whitespace``
            (words between blanks, one sentence per line), or ``character``.
        threads: Number of threads. Does not change the result.
        on_guess: Called with a note about every guessed format.
        on_progress: Called with the number of steps done, and of all steps.

    Returns:
        The words with the bit strings of their clusters.

    Raises:
        DataError: A file cannot be read, or no word occurs often enough.

    Examples:
        >>> import tagloom
        >>> corpus = tagloom.from_sentences([line.split() for line in ["the dog ran", "a cat ran"] * 3])
        >>> print(tagloom.cluster_words(corpus, clusters=3).to_text().expandtabs(), end="")
        00      ran     6
        01      a       3
        01      the     3
        1       cat     3
        1       dog     3
    """
    check_clusters(clusters)
    if min_count < 1:
        raise ConfigError(f"min_count: expected 1 or more, got {min_count}")
    check_threads(threads)
    counter = BigramCounter()
    name = "<text>"
    for item in [text] if isinstance(text, (str, os.PathLike, Corpus)) else text:
        name = item.source if isinstance(item, Corpus) else os.fspath(item)
        batches = iter([item]) if isinstance(item, Corpus) else read_batches(
            item, format, columns, normalise=normalise, tokenizer=tokenizer, on_guess=on_guess
        )  # fmt: skip
        for batch in batches:
            counter.add(batch)
    if not counter.tokens:
        raise DataError(f"{name}: no words found")
    bigrams = counter.finish(min_count, map(is_writable, itertools.islice(counter.numbers, 1, None)))
    if not bigrams.words:
        raise DataError(f"{name}: no word occurs {min_count:,} times or more; lower min_count")
    return cluster_bigrams(bigrams, clusters, threads, on_progress)


def check_clusters(clusters: int) -> None:
    """Refuse a number of clusters that is out of range."""
    if not 1 <= clusters <= MAX_CLUSTERS:
        raise ConfigError(f"clusters: expected 1 to {MAX_CLUSTERS:,}, got {clusters}")


def check_threads(threads: int) -> None:
    """Refuse a number of threads that is out of range."""
    if not 1 <= threads <= 4096:
        raise ConfigError(f"threads: expected 1 to 4096, got {threads}")


def cluster_bigrams(bigrams: Bigrams, clusters: int, threads: int, on_progress: Report | None = None) -> WordClusters:
    """Cluster words whose bigrams are counted."""
    total = int(bigrams.bigram_counts.sum())
    if total > _MOST_BIGRAMS:
        raise DataError(f"the text has {total:,} bigrams, expected at most {_MOST_BIGRAMS:,}; take a part of it")
    words, clusters = len(bigrams.words), min(clusters, len(bigrams.words))
    core = BrownClustering(bigrams.left, bigrams.right, bigrams.bigram_counts.astype(np.uint32), words, clusters)
    steps = core.run(0)
    left = steps
    while left:
        left = core.run(_STEPS, threads)
        if on_progress is not None:
            on_progress(steps - left, steps)
    into, other, _ = core.merges()
    in_window = words - clusters  # merges that only put words together; the others make the tree
    paths = build_paths(into[in_window:], other[in_window:], clusters)
    owner = list(range(words))
    for first, second in zip(into[:in_window].tolist(), other[:in_window].tolist()):
        owner[second] = first
    for word in range(words):  # the owner of a word is more frequent
        owner[word] = owner[owner[word]]
    return WordClusters.build(bigrams.words, [paths[cluster] for cluster in owner], bigrams.counts.tolist())
