"""A real sample: Indonesian news with part-of-speech tags, from nlp-id (MIT licence, see ``data/README.md``)."""

from __future__ import annotations

import importlib.resources
from dataclasses import replace

from tagloom.corpus import read
from tagloom.datasets.split import Split


def indonesian_pos() -> Split:
    """2,000, 250 and 250 sentences with the columns form and label.

    >>> split = indonesian_pos()
    >>> len(split.train), len(split.dev), len(split.test)
    (2000, 250, 250)
    >>> split.train.sentence(2, "form")[:3], split.train.sentence(2, "label")[:3]
    (['Reruntuhan', 'bangunan', 'menimpa'], ['NN', 'NN', 'VB'])
    """
    data = importlib.resources.files("tagloom.datasets") / "data" / "idn-pos.tsv.xz"
    with data.open("rb") as stream:
        corpus = read(stream, format="conll", columns="form label", separator="\t", comment="")
    return Split.at(replace(corpus, source="indonesian_pos"), dev=2000, test=2250)
