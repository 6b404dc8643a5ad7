"""People's Daily of January 1998 with 103 labels: the tag, for the commonest tags joined with the word's length."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tagloom.corpus import Corpus, read

LABELS = 103


def labels_103(path: Path) -> Corpus:
    corpus = read(path, "slashed")
    label = corpus.label
    words, tags = corpus.column(corpus.names[0]).texts(), corpus.column(label).texts()
    long = [f"{tag}{min(len(word), 6)}" for word, tag in zip(words, tags, strict=True)]
    common = Counter(long).most_common()
    kept: set[str] = set()
    for name, _ in common:  # as many long names as give LABELS in all
        if len(kept | set(tags)) >= LABELS:
            break
        kept.add(name)
    return corpus.with_column(label, [a if a in kept else b for a, b in zip(long, tags, strict=True)])
