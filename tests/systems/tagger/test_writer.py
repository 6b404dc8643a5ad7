"""Labels in the scheme that a tagger writes: neighbour by neighbour as all at once."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tagloom.corpus import SCHEMES, Column
from tagloom.corpus.spans import convert_labels
from tagloom.systems.tagger.writer import LabelWriter

NAMES = ("IOB2", "BIOES", "BILOU", "IOB1")


@st.composite
def labelled(draw: st.DrawFn) -> tuple[str, str, list[list[str]]]:
    """Two schemes, and sentences of labels in the first, well formed or not."""
    decided, written = draw(st.sampled_from(NAMES)), draw(st.sampled_from(NAMES))
    scheme = SCHEMES[decided]
    prefixes = sorted({scheme.begin, scheme.inside, scheme.end, scheme.single})
    labels = [scheme.outside, *(f"{prefix}-{kind}" for prefix in prefixes for kind in ("PER", "LOC"))]
    sentences = draw(st.lists(st.lists(st.sampled_from(labels), max_size=8), min_size=1, max_size=5))
    return decided, written, sentences


@given(labelled())
def test_neighbours_decide_how_a_label_is_written(case: tuple[str, str, list[list[str]]]) -> None:
    decided, written, sentences = SCHEMES[case[0]], SCHEMES[case[1]], case[2]
    flat = [label for sentence in sentences for label in sentence]
    names = sorted({*flat, decided.outside})
    codes = np.array([names.index(label) for label in flat], np.int32)
    offsets = np.cumsum([0, *map(len, sentences)])
    expected = flat
    if decided != written:
        expected = convert_labels(Column.from_strings(flat), offsets, decided, written).texts()
    writer = LabelWriter(names, decided, written)
    assert writer.write_column(codes, offsets).texts() == expected
    assert [label for labels in writer.write_lists(codes, offsets) for label in labels] == expected
    assert list(map(len, writer.write_lists(codes, offsets))) == list(map(len, sentences))


def test_plain_tags_are_written_as_they_are() -> None:
    writer = LabelWriter(["NN", "VB"], None, None)
    assert writer.write_lists(np.array([0, 1, 1], np.int32), np.array([0, 2, 3])) == [["NN", "VB"], ["VB"]]
