"""Columns of a corpus under the names that somebody else, such as a model, knows them by."""

from __future__ import annotations

from collections.abc import Sequence

from tagloom.corpus.corpus import Corpus
from tagloom.corpus.layout import Names

FORM, LABEL = "form", "label"  # the words, and what is to be learned, where the data does not say it otherwise


def match_names(corpus: Corpus, needed: Sequence[str], layouts: Sequence[Names]) -> Corpus | None:
    """Rename columns so that the needed ones are there; None if they cannot be found.

    Names that the data gives to its columns are kept: only columns that tagloom has named get other names.

    Args:
        corpus: Any corpus.
        needed: Names that the corpus must have; the first is that of the words.
        layouts: Names of all columns, by their number, for data whose columns have no names.

    >>> corpus = Corpus.from_columns({"form": ["He"], "label": ["PRP"]}, [1])
    >>> match_names(corpus, ["form", "pos"], [("form", "pos")]) is None
    True
    """
    missing = [name for name in needed if name not in corpus.columns]
    if not missing:
        return corpus
    if corpus.is_unnamed:
        fitting = (names for names in layouts if len(names) == len(corpus.names) and set(needed) <= set(names))
        return next(map(corpus.rename, fitting), None)
    renamed: dict[str, str] = {}
    for ours, theirs in corpus.other_names.items():
        same = [name for name in missing if theirs in (name, f"{name}_tags") or (ours, name) == (FORM, needed[0])]
        if same and ours not in needed:
            renamed[ours] = same[0]
            missing.remove(same[0])
    if len(missing) == 1 and LABEL not in needed and corpus.other_names.get(LABEL, LABEL) is None:
        renamed[LABEL] = missing.pop()  # the data has one labelling, and calls it no more than "tags"
    return None if missing else corpus.rename([renamed.get(name, name) for name in corpus.names])
