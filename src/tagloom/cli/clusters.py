"""``tagloom clusters``: clusters of words, from raw text or from dense vectors."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import tagloom
from tagloom.cli.console import log
from tagloom.cli.inputs import open_tokenizer, require_writable
from tagloom.cli.parameters import Columns, Format, Normalise, Threads, TokenizerName, argument, option, select_given
from tagloom.cli.progress import show_parts
from tagloom.errors import ConfigError
from tagloom.features.clusters import brown, kmeans
from tagloom.features.clusters.word_clusters import WordClusters
from tagloom.systems.learning import Progress


def clusters(
    texts: Annotated[
        list[str] | None, argument("[TEXT...]", "Raw text, or a corpus whose labels are ignored; stdin if -.")
    ] = None,
    vectors: Annotated[
        str | None,
        option("FILE", "Make k-means clusters of these vectors instead: word2vec (text or binary), GloVe, or .npy."),
    ] = None,
    output: Annotated[str, option("FILE", "File of clusters to write; stdout if -.", "--output", "-o")] = "-",
    count: Annotated[
        int | None,
        option(
            "N",
            f"Number of clusters. Default: {brown.CLUSTERS}, or {kmeans.CLUSTERS} of vectors.",
            "--clusters",
            "-c",
            show_default=False,
        ),
    ] = None,
    min_count: Annotated[
        int | None, option("N", "Text only. Least number of occurrences of a word that gets a cluster. Default: 1.")
    ] = None,
    passes: Annotated[
        int | None, option("N", f"Vectors only. Most passes of k-means. Default: {kmeans.PASSES}.")
    ] = None,
    seed: Annotated[int | None, option("N", "Vectors only. Draws the first centroids. Default: 1.")] = None,
    threads: Threads = 1,
    columns: Columns = None,
    format_name: Format = None,
    normalise: Normalise = None,
    tokenizer: TokenizerName = None,
) -> None:
    """Make clusters of words from raw text, or from dense vectors.

    Writes one word per line: the bit string of its cluster, a tab, the word,
    and, for text, a tab and its count. A training reads the file with
    --resource brown=FILE: brown4 is the first 4 bits, brown the whole cluster.
    Running text is cut into words by --tokenizer, unicode by default; use
    whitespace for text with blanks between words, one sentence per line.
    Text gives Brown clusters: words with the same neighbours come together.
    Vectors give k-means clusters, whose centroids are joined into a tree.
    Files may be compressed by gzip or xz.

    \b
    Examples:
      tagloom clusters raw.txt -o clusters.txt
      tagloom clusters news.txt.xz train.conll -c 320 --min-count 3 -o clusters.txt
      tagloom clusters --vectors vectors.bin -c 500 -o clusters.txt
      tagloom train train.conll --templates ner-extended \\
          --resource brown=clusters.txt -o ner.tagloom
    """
    require_writable(output, [*(texts or []), vectors])
    given = select_given(clusters=count)
    if vectors is None:
        if not texts:
            raise ConfigError("expected a text, or --vectors FILE; see tagloom clusters --help")
        _refuse("vectors", select_given(passes=passes, seed=seed))
        notes: list[str] = []
        with _show_progress() as show:
            found = tagloom.cluster_words(
                texts, **given, **select_given(min_count=min_count, tokenizer=open_tokenizer(tokenizer)),
                format=format_name, columns=columns, normalise=normalise, threads=threads, on_guess=notes.append,
                on_progress=show,
            )  # fmt: skip
    else:
        if texts:
            raise ConfigError(f"--vectors {vectors}: expected no text beside it, got {texts[0]}; leave one of both out")
        _refuse("text", select_given(min_count=min_count, columns=columns, format=format_name, normalise=normalise,
                                     tokenizer=tokenizer))  # fmt: skip
        notes = []
        with _show_progress() as show:
            found = tagloom.cluster_vectors(
                vectors, **given, **select_given(passes=passes, seed=seed), threads=threads, on_progress=show
            )
    found.save(output)
    log(*dict.fromkeys(notes), _describe(found))


def _refuse(owner: str, given: dict[str, object]) -> None:
    """Refuse options that only the other kind of clusters has."""
    for name in given:
        raise ConfigError(f"--{name.replace('_', '-')} is for clusters of {owner}; leave it out")


@contextmanager
def _show_progress() -> Iterator[Callable[[int, int], None] | None]:
    """Yield a function that shows the progress on a terminal; None if there is none."""
    if not sys.stderr.isatty():
        yield None
        return
    with show_parts(()) as show:
        yield lambda done, total: show(Progress("part", f"step {done:,} of {total:,}"))


def _describe(found: WordClusters) -> str:
    return f"{len(found):,} words in {found.cluster_count:,} clusters"
