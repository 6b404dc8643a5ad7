"""Spans of labels and labels of spans, against the spelled-out schemes and the published counts of real corpora."""

from __future__ import annotations

import itertools
import lzma
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom._core import parse_columns
from tagloom.corpus.corpus import Column
from tagloom.corpus.schemes import BIOES, IOB1, IOB2, SCHEMES, Scheme, check_labels, detect_scheme
from tagloom.corpus.spans import Spans, boundaries, convert_labels, decode_spans, label_spans
from tagloom.errors import DataError
from tests.oracle import spans as oracle

TYPES = ["X", "some-type", "Y.NAM"]

schemes = pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)


def offsets_of(sentences: list[list[str]]) -> np.ndarray:
    return np.cumsum([0, *map(len, sentences)])


def column_of(sentences: list[list[str]]) -> Column:
    return Column.from_strings(itertools.chain.from_iterable(sentences))


def read(sentences: list[list[str]], scheme: Scheme, strict: bool = False) -> list[list[oracle.Span]]:
    """Spans of each sentence, counted from its first token."""
    column, offsets = column_of(sentences), offsets_of(sentences)
    spans = decode_spans(column.strings.strings(), column.codes, offsets, scheme, strict=strict)
    found: list[list[oracle.Span]] = [[] for _ in sentences]
    for sentence, start, stop, kind in spans.tuples():
        found[sentence].append((start - int(offsets[sentence]), stop - int(offsets[sentence]), kind))
    return found


def labelled(scheme: Scheme) -> st.SearchStrategy[list[list[str]]]:
    """Sentences with any labels of the scheme, in any order."""
    labels = st.sampled_from(oracle.inventory(scheme.name, TYPES))
    return st.lists(st.lists(labels, max_size=8), max_size=5)


@st.composite
def spans_of_text(draw: st.DrawFn) -> tuple[list[list[oracle.Span]], list[int]]:
    """Disjoint spans of some sentences, and the lengths of these."""
    spans: list[list[oracle.Span]] = []
    pieces = st.lists(st.tuples(st.integers(1, 4), st.sampled_from([*TYPES, "", None])), max_size=6)
    texts = draw(st.lists(pieces, max_size=4))
    for text in texts:
        ends = list(itertools.accumulate(length for length, _ in text))
        spans.append([(end - length, end, kind) for end, (length, kind) in zip(ends, text) if kind is not None])
    return spans, [sum(length for length, _ in text) for text in texts]


def columnar(sentences: list[list[oracle.Span]], lengths: list[int]) -> Spans:
    rows = [(i, *span) for i, spans in enumerate(sentences) for span in spans]
    offsets = np.cumsum([0, *lengths])
    types = sorted({kind for *_, kind in rows})
    sentence = np.array([row[0] for row in rows], dtype=np.int32)
    start, stop = (offsets[sentence] + np.array([row[i] for row in rows], dtype=np.int64) for i in (1, 2))
    return Spans(sentence, start, stop, np.array([types.index(row[3]) for row in rows], dtype=np.int32), types)


@schemes
@given(data=st.data())
def test_lenient_reading_is_conllevals(scheme: Scheme, data: st.DataObject):
    sentences = data.draw(labelled(scheme))
    assert read(sentences, scheme) == [oracle.read_lenient(sentence, scheme.name) for sentence in sentences]


@schemes
@given(data=st.data())
def test_strict_reading_finds_what_is_written_in_full(scheme: Scheme, data: st.DataObject):
    sentences = data.draw(labelled(scheme))
    assert read(sentences, scheme, strict=True) == [oracle.read_strict(s, scheme.name) for s in sentences]


@schemes
@given(text=spans_of_text())
def test_labels_are_written_as_spelled_out_and_read_back(
    scheme: Scheme, text: tuple[list[list[oracle.Span]], list[int]]
):
    sentences, lengths = text
    names, codes = label_spans(columnar(sentences, lengths), sum(lengths), scheme)
    expected = [oracle.write(spans, length, scheme.name) for spans, length in zip(sentences, lengths)]
    assert [names[code] for code in codes] == list(itertools.chain.from_iterable(expected))
    check_labels(names, codes, offsets_of(expected), scheme)
    assert read(expected, scheme) == read(expected, scheme, strict=True) == sentences


@given(text=spans_of_text(), pair=st.tuples(*[st.sampled_from(list(SCHEMES.values()))] * 2))
def test_conversion_keeps_spans(text: tuple[list[list[oracle.Span]], list[int]], pair: tuple[Scheme, Scheme]):
    sentences, lengths = text
    source, target = ([oracle.write(s, n, row.name) for s, n in zip(sentences, lengths)] for row in pair)
    converted = convert_labels(column_of(source), offsets_of(source), *pair)
    assert converted.texts() == column_of(target).texts()


@given(text=spans_of_text(), pair=st.tuples(*[st.sampled_from(list(SCHEMES.values()))] * 2))
def test_boundaries_are_spans_without_types(
    text: tuple[list[list[oracle.Span]], list[int]], pair: tuple[Scheme, Scheme]
):
    sentences, lengths = text
    source = [oracle.write(s, n, pair[0].name) for s, n in zip(sentences, lengths)]
    found = boundaries(column_of(source), offsets_of(source), *pair)
    spans = decode_spans(found.strings.strings(), found.codes, offsets_of(source), pair[1], strict=True)
    expected = columnar(sentences, lengths)
    assert (spans.start.tolist(), spans.stop.tolist()) == (expected.start.tolist(), expected.stop.tolist())
    assert {kind for *_, kind in spans.tuples()} <= {""}


@given(text=spans_of_text(), scheme=st.sampled_from(list(SCHEMES.values())))
def test_the_detected_scheme_reads_the_same_spans(text: tuple[list[list[oracle.Span]], list[int]], scheme: Scheme):
    sentences = [oracle.write(spans, length, scheme.name) for spans, length in zip(*text)]
    column = column_of(sentences)
    found = detect_scheme(column.strings.strings(), column.codes, offsets_of(sentences))
    assert found is None or read(sentences, found, strict=True) == text[0]


def test_brackets_and_dots_are_read_as_by_conlleval():
    assert read([["[-X", "]-X", ".", "I-X", "I-X"]], IOB2) == [[(0, 1, "X"), (1, 2, "X"), (3, 5, "X")]]


def test_foreign_labels_are_refused_and_unused_ones_are_not():
    with pytest.raises(DataError, match="label 'NN' does not belong to any label scheme"):
        read([["B-X", "NN"]], IOB2)
    with pytest.raises(DataError, match="label 'E-X' does not belong to IOB2"):
        read([["B-X", "E-X"]], IOB2, strict=True)
    assert len(decode_spans(["O", "NN"], np.zeros(3, np.int32), np.array([0, 3]), IOB2)) == 0


def spans_at(*bounds: tuple[int, int]) -> Spans:
    start, stop = np.array(bounds).T
    zeros = np.zeros(len(bounds), dtype=np.int32)
    return Spans(zeros, start, stop, zeros, ["X"])


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ([(0, 3), (2, 4)], "span 0:3 (X) and span 2:4 (X) overlap"),
        ([(2, 4), (0, 3)], "span 0:3 (X) and span 2:4 (X) overlap"),
        ([(0, 4), (1, 2)], "span 0:4 (X) and span 1:2 (X) overlap"),
        ([(1, 1)], "span 1:1 (X) is empty or out of range: expected 0 <= start < stop <= 4"),
        ([(3, 5)], "span 3:5 (X) is empty or out of range"),
        ([(-1, 2)], "span -1:2 (X) is empty or out of range"),
    ],
)
def test_spans_that_labels_cannot_write_are_refused(bounds: list[tuple[int, int]], message: str):
    with pytest.raises(DataError) as caught:
        label_spans(spans_at(*bounds), 4, BIOES)
    assert message in str(caught.value)


def test_spans_may_come_in_any_order():
    names, codes = label_spans(spans_at((2, 3), (0, 2)), 4, IOB1)
    assert [names[code] for code in codes] == ["I-X", "I-X", "B-X", "O"]


def test_a_bag_of_attributes_is_no_column_of_labels():
    bag = Column(np.zeros(2, np.int32), Column.from_strings(["O"]).strings, offsets=np.array([0, 2]))
    with pytest.raises(DataError, match="one label per token"):
        convert_labels(bag, np.array([0, 1]), IOB2, BIOES)


def corpus_bytes(path: Path) -> bytes:
    if not path.exists():
        pytest.skip(f"no {path}; set TAGLOOM_DATA")
    return lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()


def corpus_labels(path: Path, columns: int, separator: str) -> tuple[Column, np.ndarray]:
    parsed = parse_columns(corpus_bytes(path), columns, separator, "")
    assert isinstance(parsed, dict)
    return Column(*parsed["columns"][-1]), parsed["sentences"]


def per(*counts: int, names: str = "LOC MISC ORG PER") -> dict[str, int]:
    return dict(zip(names.split(), counts, strict=True))


CONLL_2000_TEST = per(
    12422, 4811, 4658, 866, 535, 438, 106, 9, 5, 2, names="NP PP VP ADVP SBAR ADJP PRT CONJP LST INTJ"
)
WEIBO_TYPES = "GPE.NAM LOC.NAM ORG.NAM PER.NAM GPE.NOM LOC.NOM ORG.NOM PER.NOM"


@pytest.mark.parametrize(
    ("path", "columns", "separator", "scheme", "counts"),
    [
        ("conll2003-en/eng.train.xz", 4, " ", IOB1, per(7140, 3438, 6321, 6600)),
        ("conll2003-en/eng.testa", 4, " ", IOB1, per(1837, 922, 1341, 1842)),
        ("conll2003-en/eng.testb", 4, " ", IOB1, per(1668, 702, 1661, 1617)),
        ("conll2002-nl/ned.train.xz", 3, " ", IOB2, per(3208, 3338, 2082, 4716)),
        ("conll2002-nl/ned.testb", 3, " ", IOB2, per(774, 1187, 882, 1098)),
        ("conll2000/test.txt", 3, " ", IOB2, CONLL_2000_TEST),
        ("europarl-ner-de/test.tsv", 5, "\t", IOB1, per(147, 225, 84, 75)),
        (
            "weibo-ner/weiboNER_2nd_conll.train",
            2,
            "\t",
            IOB2,
            per(205, 56, 183, 578, 8, 51, 42, 772, names=WEIBO_TYPES),
        ),
        ("weibo-ner/weiboNER_2nd_conll.test", 2, "\t", IOB2, per(47, 19, 39, 113, 2, 9, 17, 172, names=WEIBO_TYPES)),
    ],
)
def test_real_corpora_have_their_published_spans(
    data_dir: Path, path: str, columns: int, separator: str, scheme: Scheme, counts: dict
):
    labels, sentences = corpus_labels(data_dir / path, columns, separator)
    names = labels.strings.strings()
    assert detect_scheme(names, labels.codes, sentences) == scheme
    spans = decode_spans(names, labels.codes, sentences, scheme)
    assert Counter(kind for *_, kind in spans.tuples()) == counts
    converted = convert_labels(labels, sentences, scheme, BIOES)
    check_labels(converted.strings.strings(), converted.codes, sentences, BIOES)
    assert decode_spans(converted.strings.strings(), converted.codes, sentences, BIOES).tuples() == spans.tuples()


@pytest.mark.parametrize("path", ["conll2000/test.txt", "conll2003-en/eng.testb"])
def test_part_of_speech_columns_are_no_scheme(data_dir: Path, path: str):
    parsed = parse_columns(corpus_bytes(data_dir / path), 3 if "2000" in path else 4, " ", "")
    assert isinstance(parsed, dict)
    tags = Column(*parsed["columns"][1])
    assert detect_scheme(tags.strings.strings(), tags.codes, parsed["sentences"]) is None
