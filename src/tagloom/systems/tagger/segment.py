"""Word segmentation of running text: a tagger of characters as a tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tagloom._core import StringTable
from tagloom.corpus.running_text import join_segments
from tagloom.corpus.spans import decode_spans
from tagloom.text import Segmentation, get_tokenizer

if TYPE_CHECKING:
    from tagloom.corpus.schemes import Scheme
    from tagloom.systems.ensemble.model import Ensemble
    from tagloom.systems.tagger.model import Tagger


def segment_text(tagger: Tagger | Ensemble, scheme: Scheme | None, text: str, threads: int) -> Segmentation:
    """Cut a text into characters, label them, and join them to words; what blanks part is never one word."""
    characters = get_tokenizer("character").segment(text)
    if not len(characters):
        return characters
    corpus = join_segments([characters], tagger.main)
    labels = tagger.predict_columns(corpus, threads=threads)[tagger.spec.label]
    assert scheme is not None  # of every tagger that cuts text
    begins = np.zeros(len(characters), np.bool_)
    begins[decode_spans(labels.strings.strings(), labels.codes, corpus.sentences, scheme).start] = True
    begins[1:] |= characters.starts[1:] != characters.ends[:-1]
    begins[characters.sentences[:-1]] = True
    where = np.flatnonzero(begins)
    starts, ends = characters.starts[where], characters.ends[np.append(where[1:], len(begins)) - 1]
    strings = StringTable()
    codes = strings.intern_all([text[start:end] for start, end in zip(starts.tolist(), ends.tolist())])
    return Segmentation(text, codes, strings, starts, ends, np.searchsorted(where, characters.sentences))
