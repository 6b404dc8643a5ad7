"""People's Daily of January 1998 with 103 labels: the tag, joined with the length of the word for the most frequent."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tagloom.corpus import Corpus, read

LABELS = 103


def read_long_labels(path: Path) -> Corpus:
    """Read the corpus; tags are joined with lengths, the most frequent first, until there are enough labels."""
    corpus = read(path, "slashed")
    label = corpus.label
    words, tags = corpus.column(corpus.names[0]).texts(), corpus.column(label).texts()
    long = [f"{tag}{min(len(word), 6)}" for word, tag in zip(words, tags, strict=True)]
    kept: set[str] = set()
    left = Counter(tag for tag, _ in {(tag, name) for tag, name in zip(tags, long, strict=True)})  # long labels per tag
    for (name, tag), _ in Counter(zip(long, tags, strict=True)).most_common():
        if len(kept) + sum(count > 0 for count in left.values()) >= LABELS:
            break
        kept.add(name)
        left[tag] -= 1
    return corpus.with_column(label, [a if a in kept else b for a, b in zip(long, tags, strict=True)])
