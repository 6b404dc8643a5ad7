"""The table of corpus formats. A new format is one module with one row; nothing outside this package names a format."""

from __future__ import annotations

from collections.abc import Mapping

from tagloom.arguments import check_arguments
from tagloom.corpus.corpus import Corpus
from tagloom.corpus.formats.characters import CHARACTERS
from tagloom.corpus.formats.conll import CONLL
from tagloom.corpus.formats.conllu import CONLLU
from tagloom.corpus.formats.crfsuite import CRFSUITE
from tagloom.corpus.formats.format import FORMAT, Format
from tagloom.corpus.formats.jsonl import JSONL
from tagloom.corpus.formats.segmented import SEGMENTED
from tagloom.corpus.formats.slashed import SLASHED
from tagloom.corpus.formats.spacy import SPACY
from tagloom.corpus.formats.text import TEXT
from tagloom.errors import unknown_name

__all__ = [
    "CHARACTERS",
    "COLUMNS",
    "CONLL",
    "CONLLU",
    "CRFSUITE",
    "FORMATS",
    "JSONL",
    "MARKS",
    "SEGMENTED",
    "SLASHED",
    "SPACY",
    "TEXT",
    "WORDS",
    "Format",
    "find_format",
    "get_format",
]

#: The formats by name.
FORMATS: Mapping[str, Format] = {
    row.name: row for row in (CONLL, CONLLU, SEGMENTED, CHARACTERS, SLASHED, CRFSUITE, JSONL, SPACY, TEXT)
}

COLUMNS = CONLL  # the format of corpora that have no other one, and of text that turns out to be columns
MARKS = tuple(row.mark for row in FORMATS.values() if row.mark is not None)  # of binary formats
WORDS = TEXT  # how a line of text is read by models of words; models of characters read it as CHARACTERS


def find_format(name: str) -> Format:
    """Get the format of that name; raise ConfigError, with the nearest name, if there is none."""
    try:
        return FORMATS[name]
    except KeyError:
        raise unknown_name("format", name, FORMATS) from None


@check_arguments
def get_format(corpus: Corpus) -> Format:
    """Get the format that a corpus was read from; ``COLUMNS`` if it was built in memory."""
    return FORMATS[str(corpus.extras.get(FORMAT, COLUMNS.name))]
