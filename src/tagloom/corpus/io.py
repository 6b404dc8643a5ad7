"""Reading and writing corpora, whole or as a stream of batches, in a named format or the one the content shows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from tagloom.corpus.batches import BATCH_BYTES, no_tokens, read_in_batches
from tagloom.corpus.compression import COMPRESSIONS
from tagloom.corpus.corpus import Corpus
from tagloom.corpus.formats import FORMATS, find_format, get_format
from tagloom.corpus.layout import ColumnNames, split_names
from tagloom.corpus.request import Adapt, Request
from tagloom.corpus.streams import Piece, Source, Target, load, store
from tagloom.corpus.streams import open_writer as open_writer
from tagloom.errors import DataError


def read(
    source: Source,
    format: str | None = None,  # noqa: A002
    columns: ColumnNames = None,
    *,
    separator: str | None = None,
    comment: str | None = None,
    normalise: str | None = None,
    on_guess: Callable[[str], None] | None = None,
    adapt: Adapt | None = None,
) -> Corpus:
    r"""Read a corpus.

    Args:
        source: A path (``-``: stdin) or stream; plain, gzip or xz.
        format: A name of ``FORMATS``. Without it the content decides.
        columns: Names of the columns, such as ``"form pos chunk"``.
        separator: Separator of column files, a blank or a tab. Found in the content by default.
        comment: Prefix of comment lines of column files, empty for none. Found in the content by default.
        normalise: Unicode normal form of the words, NFC or NFKC; NFKC makes full-width digits and letters plain ones.
        on_guess: Gets one line that says which format was guessed.
        adapt: Gets the format and the beginning of the text, and returns the format and the columns to read.

    Raises:
        DataError: The text cannot be read; the message has the file and the line.
        ConfigError: An argument is not legal.

    >>> import io
    >>> corpus = read(io.StringIO("He PRP\nleft VBD\n\nYes UH\n"), columns="form pos", on_guess=print)
    <stream>: guessed CoNLL columns (space-separated, 2 columns: form pos)
    >>> corpus.sentence(0, "pos")
    ['PRP', 'VBD']
    """
    request = Request.check(format, columns, separator, comment, normalise, on_guess, adapt)
    name, data = load(source)
    if not data.strip():
        raise no_tokens(name, has_bytes=bool(data))
    piece = Piece(data, name)
    corpus = request.settle(piece, request.choose(data)).read(piece)
    if corpus.token_count == 0:
        raise DataError(f"{name}: no tokens found")
    return corpus


def read_batches(
    source: Source,
    format: str | None = None,  # noqa: A002
    columns: ColumnNames = None,
    *,
    separator: str | None = None,
    comment: str | None = None,
    normalise: str | None = None,
    on_guess: Callable[[str], None] | None = None,
    adapt: Adapt | None = None,
    batch_bytes: int = BATCH_BYTES,
    whole_documents: bool = False,
) -> Iterator[Corpus]:
    """Read a corpus as a stream of batches of sentences, in memory that does not depend on the size of the input.

    Format, columns, separator and comments are decided once: from the first 64 KB, from all of a shorter input, or, if
    a pipe holds no more, from what it has given up to a blank line. From a pipe complete sentences are given out as
    soon as they have arrived. All batches after one another are what ``read`` returns; the last one may have comments
    only and no sentence.

    Args:
        source: As for ``read``, and so are the arguments up to ``adapt``.
        format: As for ``read``.
        columns: As for ``read``.
        separator: As for ``read``.
        comment: As for ``read``.
        normalise: As for ``read``.
        on_guess: As for ``read``.
        adapt: As for ``read``.
        batch_bytes: Size of a batch in bytes of text; the first one is smaller. 1 MB holds some 50,000 tokens.
        whole_documents: Whether a document must never be parted, where the text marks documents. Sentences before the
            first mark belong to no marked document.

    Yields:
        Corpora with the same columns, messages about which have the line of the file.
    """
    request = Request.check(format, columns, separator, comment, normalise, on_guess, adapt)
    return read_in_batches(source, request, batch_bytes, whole_documents=whole_documents)


def write(
    corpus: Corpus,
    target: Target,
    format: str | None = None,  # noqa: A002
    columns: ColumnNames = None,
) -> None:
    """Write a corpus. A file that exists is replaced only by a complete one.

    Args:
        corpus: What to write.
        target: A path (``-``: stdout; compressed if it ends in ``.gz`` or ``.xz``) or stream.
        format: A name of ``FORMATS``. By default the name of the file decides (``x.jsonl``, ``x.conllu.gz``), or the
            format that the corpus was read from.
        columns: The columns to write, in this order. All by default.
    """
    store(target, to_string(corpus, format or format_for(corpus, target), columns))


def to_string(corpus: Corpus, format: str, columns: ColumnNames = None) -> str:  # noqa: A002
    r"""Get the corpus as text.

    >>> to_string(Corpus.from_columns({"form": ["He", "left"], "label": ["PRP", "VBD"]}, [2]), "slashed")
    'He/PRP left/VBD\n'
    """
    return find_format(format).write(corpus, split_names(columns))


def format_for(corpus: Corpus, target: Target) -> str:
    """Get the format in which a corpus is written to a target if the user names none."""
    if isinstance(target, (str, os.PathLike)):
        path = Path(target)
        name = (path.with_suffix("") if path.suffix in COMPRESSIONS else path).suffix[1:]
        if name in FORMATS:
            return name
    return get_format(corpus).name
