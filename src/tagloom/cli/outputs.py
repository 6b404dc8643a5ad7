"""What ``tagloom tag`` writes: streams of results in, pieces of content out, in the format that the user names."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeAlias, cast

from tagloom.corpus.formats import COLUMNS, find_format, get_format
from tagloom.corpus.streams import Content
from tagloom.errors import ConfigError, unknown_name
from tagloom.systems.annotator import Result
from tagloom.text import Annotation

#: Formats of corpora that can be written for any input.
FORMATS = ("conll", "jsonl", "conllu", "spacy")
BRAT, HTML = "brat", "html"
OUTPUTS = (*FORMATS, BRAT, HTML)


Writer: TypeAlias = Callable[[Iterator[Result]], Iterator[Content]]


def check_output(name: str | None) -> None:
    """Raise ConfigError unless the name is one of ``OUTPUTS``."""
    if name is not None and name not in OUTPUTS:
        raise unknown_name("output format (--to)", name, OUTPUTS)


def choose_writer(name: str | None, output: str, title: str) -> Writer:
    """Choose what turns results into text.

    Args:
        name: Name of the output format; None for the format of the input, or for colours on a terminal.
        output: The file to write; stdout if ``-``.
        title: Title of a page.
    """
    if name == BRAT:
        return _write_standoff
    if name == HTML:
        return lambda results: _write_page(results, title)
    if name is None and output == "-" and sys.stdout.isatty():
        return _show
    row = None if name is None else find_format(name)
    join = None if row is None else row.join
    if join is not None:
        return lambda results: iter([join(cast("bytes", result.write(row)) for result in results)])
    return lambda results: (result.write(row) for result in results)


def note_standoff(output: str, source: str) -> list[str]:
    """List a note if brat would not find the text beside the annotations."""
    text = Path(output).with_suffix(".txt")
    if output == "-" or (source != "-" and Path(source).resolve() == text.resolve()):
        return []
    return [f"{output}: brat reads the text from {text}; put a copy of the input there"]


def _write_standoff(results: Iterator[Result]) -> Iterator[str]:
    from tagloom.text.export.brat import StandoffWriter

    writer = StandoffWriter()
    for result in results:
        if not result.has_text:
            raise ConfigError(
                f"--to {BRAT}: {result.batch.source} is not running text, which standoff annotation is about; "
                "pass text, or choose another format"
            )
        yield writer.write(result.annotate())


def _write_page(results: Iterator[Result], title: str) -> Iterator[str]:
    from tagloom.text import iter_html_page

    return iter_html_page(_iterate(_peek(results)), title)


def _show(results: Iterator[Result]) -> Iterator[Content]:
    """Write for a terminal: text with colours, binary formats as columns, others as they are."""
    from tagloom.cli.colours import colour_annotation

    for result in results:
        if result.has_text:
            yield from map(colour_annotation, result.iterate())
        else:
            yield result.write(COLUMNS if get_format(result.batch).is_binary else None)


def _peek(results: Iterator[Result]) -> Iterator[Result]:
    """Get the first result before anything is written, so that an error about the input stands alone."""
    first = list(itertools.islice(results, 1))
    return itertools.chain(first, results)


def _iterate(results: Iterable[Result]) -> Iterator[Annotation]:
    return itertools.chain.from_iterable(result.iterate() for result in results)
