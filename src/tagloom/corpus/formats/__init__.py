"""The table of corpus formats. A new format is one row: how it is called, read and written.

A reader gets the text as UTF-8 bytes, the source's name for messages and what the user said about the layout. A
writer gets the corpus and the names of the columns to write (None: all). Document bounds are kept by ``conll``,
``conllu`` and ``jsonl``; the other formats have no place for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tagloom.corpus.corpus import Corpus
from tagloom.corpus.formats.conll import read_conll, write_conll
from tagloom.corpus.formats.conllu import read_conllu, write_conllu
from tagloom.corpus.formats.crfsuite import read_crfsuite, write_crfsuite
from tagloom.corpus.formats.jsonl import read_jsonl, write_jsonl
from tagloom.corpus.formats.plain import read_text, write_text
from tagloom.corpus.formats.segmented import read_characters, read_segmented, write_characters, write_segmented
from tagloom.corpus.formats.slashed import read_slashed, write_slashed
from tagloom.corpus.layout import Layout, Names
from tagloom.errors import unknown_name


@dataclass(frozen=True)
class Format:
    """One way to lay out a corpus as text. A file whose name ends in ``.<name>`` is written in that format."""

    name: str
    description: str
    read: Callable[[bytes, str, Layout], Corpus]
    write: Callable[[Corpus, Names | None], str]


FORMATS: Mapping[str, Format] = {
    row.name: row
    for row in (
        Format("conll", "CoNLL columns", read_conll, write_conll),
        Format("conllu", "CoNLL-U", read_conllu, write_conllu),
        Format("segmented", "segmented text", read_segmented, write_segmented),
        Format("characters", "unsegmented text", read_characters, write_characters),
        Format("slashed", "word/TAG lines", read_slashed, write_slashed),
        Format("crfsuite", "CRFsuite attributes", read_crfsuite, write_crfsuite),
        Format("jsonl", "JSONL", read_jsonl, write_jsonl),
        Format("text", "plain text", read_text, write_text),
    )
}


def format_named(name: str) -> Format:
    try:
        return FORMATS[name]
    except KeyError:
        raise unknown_name("format", name, FORMATS) from None
