"""The task of all tools: CoNLL-2000 chunking with the nineteen features of the template set `chunking`."""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from pathlib import Path

Sentence = list[tuple[str, str, str]]  # form, pos, chunk


def read_sentences(path: Path) -> Iterator[Sentence]:
    """Read sentences as users of python-crfsuite do."""
    with lzma.open(path, "rt", encoding="utf-8") if path.suffix == ".xz" else path.open(encoding="utf-8") as lines:
        sentence: Sentence = []
        for line in lines:
            fields = line.split()
            if fields:
                sentence.append((fields[0], fields[1], fields[2]))
            elif sentence:
                yield sentence
                sentence = []
        if sentence:
            yield sentence


def extract_token(words: list[str], tags: list[str], t: int) -> list[str]:
    """Return features as strings of the words and tags around token t."""
    w = [words[i] if 0 <= i < len(words) else "_B" for i in range(t - 2, t + 3)]
    p = [tags[i] if 0 <= i < len(tags) else "_B" for i in range(t - 2, t + 3)]
    return [
        f"w-2={w[0]}", f"w-1={w[1]}", f"w0={w[2]}", f"w1={w[3]}", f"w2={w[4]}",
        f"w-1w0={w[1]}|{w[2]}", f"w0w1={w[2]}|{w[3]}",
        f"p-2={p[0]}", f"p-1={p[1]}", f"p0={p[2]}", f"p1={p[3]}", f"p2={p[4]}",
        f"p-2p-1={p[0]}|{p[1]}", f"p-1p0={p[1]}|{p[2]}", f"p0p1={p[2]}|{p[3]}", f"p1p2={p[3]}|{p[4]}",
        f"p-2p-1p0={p[0]}|{p[1]}|{p[2]}", f"p-1p0p1={p[1]}|{p[2]}|{p[3]}", f"p0p1p2={p[2]}|{p[3]}|{p[4]}",
    ]  # fmt: skip


def extract_features(words: list[str], tags: list[str]) -> list[list[str]]:
    """Return the features of every token."""
    return [extract_token(words, tags, t) for t in range(len(words))]
