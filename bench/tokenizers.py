"""Tokenizers: words and sentences of UD English EWT, and speed on its text repeated to 50 MB.

Usage: python -m bench.tokenizers [dev|test ...]   (needs the corpora, see README)
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from tagloom._core import StringTable, tokenize
from tagloom.text import get_tokenizer, list_tokenizers
from tests.text.treebank import compare_treebank, read_documents

DATA = Path(os.environ.get("TAGLOOM_DATA") or Path(__file__).parents[2] / "shared" / "data")
EWT = "ud-en-ewt/en_ewt-ud-{}.conllu.xz"
MEGABYTES = 50


def print_words(part: str) -> None:
    score = compare_treebank(DATA / EWT.format(part), get_tokenizer("ptb"))
    special = score.special.total()
    print(f"EWT {part}: {score.words} words, {score.equal} equal to ptb ({score.equal / score.words:.2%})")
    print(f"  special cases: {special} {dict(score.special.most_common())}; other: {score.other.total()}")
    print(f"  outside of special cases: {score.equal / (score.words - special):.3%}")
    print(f"  sentences: F1 {score.sentence_f1:.2%}")
    print(f"  other, most frequent: {score.other.most_common(15)}")


def print_speed() -> None:
    once = "\n\n".join(document.text for document in read_documents(DATA / EWT.format("train")))
    text = once * (MEGABYTES * 1_000_000 // len(once.encode()) + 1)
    megabytes = len(text.encode()) / 1e6
    for rules in list_tokenizers():
        runs = []
        for _ in range(3):
            wall, cpu = time.perf_counter(), time.thread_time()
            codes, *_ = tokenize(text, rules, StringTable())
            runs.append((time.thread_time() - cpu, time.perf_counter() - wall))
        cpu, wall = min(runs)
        print(
            f"{rules}: {megabytes:.1f} MB, {len(codes)} tokens; {megabytes / cpu:.1f} MB per second of CPU time, "
            f"{megabytes / wall:.1f} by the clock (load {os.getloadavg()[0]:.1f})"
        )


if __name__ == "__main__":
    for name in sys.argv[1:] or ["dev"]:
        print_words(name)
    print_speed()
