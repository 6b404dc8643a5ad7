"""Reading a corpus: from a path or stream, in a named format or in the one its content looks like."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tagloom.corpus.corpus import Corpus
from tagloom.corpus.files import Source, load
from tagloom.corpus.formats import FORMATS, format_named
from tagloom.corpus.guess import guess_format
from tagloom.corpus.layout import Layout, Names, check_width, column_names
from tagloom.corpus.normalise import normal_form, normalised
from tagloom.errors import ConfigError, DataError


def read(
    source: Source,
    format: str | None = None,  # noqa: A002
    columns: str | Sequence[str] | None = None,
    *,
    separator: str | None = None,
    comment: str | None = None,
    normalise: str | None = None,
    on_guess: Callable[[str], None] | None = None,
) -> Corpus:
    """Read a corpus from a path (``-``: stdin) or stream, plain, gzip or xz.

    ``format`` is a name of ``FORMATS``; without it the content decides, and ``on_guess`` is told in one line.
    ``columns`` names the columns (``"form pos chunk"``). ``separator`` (a blank or a tab) and ``comment`` (the prefix
    of comment lines, empty for none) are for column files; left out, they are found in the content. ``normalise``
    (NFC or NFKC) is the Unicode normal form to put words into; NFKC makes full-width digits and letters plain ones.

    >>> import io
    >>> corpus = read(io.StringIO("He PRP\\nleft VBD\\n\\nYes UH\\n"), columns="form pos", on_guess=print)
    <stream>: guessed CoNLL columns (space-separated, 2 columns: form pos)
    >>> corpus.sentence(0, "pos")
    ['PRP', 'VBD']
    """
    if separator not in (None, " ", "\t"):
        raise ConfigError(f"separator must be a blank or a tab, got {separator!r}")
    form = None if normalise is None else normal_form(normalise)
    layout = Layout(column_names(columns), separator, comment, form)
    known = None if format is None else format_named(format)
    name, data = load(source)
    _require_content(name, data)
    chosen = known or FORMATS[_guessed(name, data, layout, on_guess)]
    corpus = chosen.read(data, name, layout)
    if corpus.token_count == 0:
        raise DataError(f"{name}: no tokens found")
    named = replace(_named(corpus, layout.columns), extras={**corpus.extras, "format": chosen.name})
    return named if form is None else normalised(named, form)


def _require_content(name: str, data: bytes) -> None:
    if not data.strip():
        raise DataError(f"{name}: no tokens found, the file {'has only blank lines' if data else 'is empty'}")


def _guessed(name: str, data: bytes, layout: Layout, on_guess: Callable[[str], None] | None) -> str:
    found = guess_format(data, layout)
    if on_guess is not None:
        names = " ".join(layout.columns or found.columns)
        on_guess(
            f"{name}: guessed {FORMATS[found.format].description} ({': '.join(filter(None, [found.reason, names]))})"
        )
    return found.format


def _named(corpus: Corpus, names: Names | None) -> Corpus:
    if names is None or corpus.names == list(names):
        return corpus
    check_width(names, len(corpus.names), corpus.source)
    return corpus.renamed(names)
