"""Morphological features of UD, attribute by attribute: ``Case=Nom|Number=Sing`` as two columns, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tagloom.corpus import Column, Corpus
from tagloom.corpus.corpus import spread
from tagloom.corpus.trees import NOTHING

FEATS = "feats"


def name_column(attribute: str) -> str:
    """Return the name of the column of an attribute."""
    return f"{FEATS}:{attribute}"


def list_attributes(column: Column) -> list[str]:
    """List the attributes that occur, in the order of UD: by their names, without regard to case."""
    found = {name for text in column.strings.strings() for name in _split(text)}
    return sorted(found, key=lambda name: (name.lower(), name))


def split_feats(corpus: Corpus, attributes: Sequence[str]) -> Corpus:
    """Add one column per attribute, with ``_`` where a word does not have it."""
    feats = corpus.column(FEATS)
    values = [_split(text) for text in feats.strings.strings()]
    for name in attributes:
        corpus = corpus.with_column(
            name_column(name), spread([each.get(name, NOTHING) for each in values], feats.codes)
        )
    return corpus


def join_feats(corpus: Corpus, attributes: Sequence[str]) -> Column:
    """Join the columns of attributes."""
    columns = [corpus.column(name_column(name)).texts() for name in attributes]
    rows = zip(*columns) if columns else [()] * corpus.token_count
    return Column.from_strings(
        "|".join(f"{name}={value}" for name, value in zip(attributes, row) if value != NOTHING) or NOTHING
        for row in rows
    )


def _split(text: str) -> Mapping[str, str]:
    return dict(entry.partition("=")[::2] for entry in text.split("|") if "=" in entry)
