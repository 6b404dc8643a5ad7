"""``tagloom suggest``: the sentences of a pool that are worth annotating next."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import tagloom
from tagloom.cli.console import log
from tagloom.cli.inputs import open_tokenizer, require_writable
from tagloom.cli.parameters import Columns, Format, Threads, TokenizerName, argument, option
from tagloom.cli.progress import show_parts
from tagloom.corpus.streams import store
from tagloom.errors import unknown_name
from tagloom.experiments.active.strategies import STRATEGIES
from tagloom.experiments.active.suggest import CANDIDATES, SENTENCES, Suggestions
from tagloom.experiments.active.uncertainty import COMBINATIONS
from tagloom.systems.learning import Progress

JSONL, TEXT = "jsonl", "text"


def suggest(
    model_files: Annotated[list[str], argument("MODEL...", "Model file, or several that are compared.")],
    pool: Annotated[str, argument("POOL|-", "Corpus or text to suggest from; stdin if -. Labels in it are ignored.")],
    number: Annotated[
        int | None,
        option("N", f"Most sentences to suggest. Default: {SENTENCES}, unless --tokens is given.", "--number", "-n"),
    ] = None,
    tokens: Annotated[
        int | None, option("N", "Most tokens to suggest, in whole sentences; longer sentences than this are left out.")
    ] = None,
    strategy: Annotated[
        str | None,
        option(
            "NAME",
            f"{', '.join(STRATEGIES)}. Default: disagreement of several models; of one, least-confident if it has "
            "probabilities, otherwise margin.",
        ),
    ] = None,
    by: Annotated[
        str | None,
        option(
            "NAME",
            "disagreement: vote (default) or divergence (of probabilities). diverse: least-confident, margin, entropy, "
            "vote or divergence.",
        ),
    ] = None,
    combine: Annotated[
        str | None,
        option(
            "NAME",
            f"How the measures of tokens become one of the sentence: {', '.join(COMBINATIONS)}. Default: root, or mean "
            "with --tokens; margin: sum, or root with --tokens.",
        ),
    ] = None,
    candidates: Annotated[
        int, option("N", "diverse: how many times as many sentences to choose from, the most uncertain ones.")
    ] = CANDIDATES,
    exclude: Annotated[
        list[str] | None,
        option("FILE", "Corpus whose sentences are not suggested, such as what was annotated before. Repeatable."),
    ] = None,
    output: Annotated[str, option("FILE", "JSONL file to write; stdout if -.", "--output", "-o")] = "-",
    to: Annotated[
        str, option("NAME", f"Format of the output: {JSONL}, or {TEXT} (one sentence per line, without labels).")
    ] = JSONL,
    seed: Annotated[int, option("N", "Decides among equal scores, and what random draws.")] = 1,
    threads: Threads = 1,
    columns: Columns = None,
    format_name: Format = None,
    tokenizer: TokenizerName = None,
) -> None:
    """Suggest sentences of a pool to annotate next.

    Writes one JSON object per sentence, the most promising first: its "text"
    and "tokens", what the model makes of it as "spans" (of characters) or
    "tags", the "confidence" in every label, a "score", its number in the pool
    as "sentence", its document, and other keys of the records of a JSONL pool.
    Correct the spans or tags, and train with the file.
    The pool is read piece by piece and may be of any size. Sentences that
    stand in it more than once are suggested once.

    \b
    Strategies:
      least-confident  the labels of the model have low probabilities
      margin           the second best labelling comes close to the best
      entropy          many labels are probable
      disagreement     several models give different labels
      diverse          uncertain sentences that differ from each other
      random           by chance

    \b
    Examples:
      tagloom suggest ner.tagloom pool.txt -n 100 -o todo.jsonl
      tagloom suggest ner.tagloom pool.txt --tokens 2000 --strategy diverse \\
          --exclude done.jsonl -o todo.jsonl
      tagloom suggest a.tagloom b.tagloom c.tagloom pool.txt -o todo.jsonl
      tagloom train train.txt done.jsonl -o newer.tagloom
      tagloom train done.jsonl --start ner.tagloom -o newer.tagloom
    """
    if to not in (JSONL, TEXT):
        raise unknown_name("output format (--to)", to, (JSONL, TEXT))
    excluded = exclude or []
    require_writable(output, [*model_files, None if pool == "-" else pool, *excluded])
    with _show_progress() as show:
        found = tagloom.suggest(
            model_files, pool, number, tokens=tokens, strategy=strategy, by=by, combine=combine, candidates=candidates,
            exclude=excluded or None, seed=seed, threads=threads, columns=columns, format=format_name,
            tokenizer=open_tokenizer(tokenizer), on_progress=show,
        )  # fmt: skip
    store(output, found.to_text() if to == TEXT else found.to_jsonl())
    log(*found.notes, _describe(found))


@contextmanager
def _show_progress() -> Iterator[Callable[[int, int], None] | None]:
    """Yield a function that shows the progress on a terminal; None if there is none."""
    if not sys.stderr.isatty():
        yield None
        return
    with show_parts(()) as show:
        yield lambda sentences, tokens: show(Progress("part", f"{sentences:,} sentences, {tokens:,} tokens"))


def _describe(found: Suggestions) -> str:
    chosen = f"{len(found):,} of {found.sentences:,} sentences, {found.suggested_tokens:,} of {found.tokens:,} tokens"
    return f"suggested {chosen} by {found.strategy}"
