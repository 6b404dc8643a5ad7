"""Label schemes: legality by enumeration, detection by content, messages."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom.corpus.schemes import (
    BIOES,
    IOB1,
    IOB2,
    SCHEMES,
    SCN,
    Scheme,
    check_labels,
    detect_scheme,
    find_allowed_transitions,
    get_scheme,
)
from tagloom.errors import ConfigError, DataError
from tests.oracle import spans as oracle

PENN_TAGS = "CC CD DT EX FW IN JJ LS MD NN NNS NNP PDT POS PRP PRP$ RB RP SYM TO UH VB VBD WDT -LRB- -RRB- . , : `` $ #"
UNIVERSAL_TAGS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"


def columns(*sentences: str | list[str]) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Names, codes and offsets of labelled sentences."""
    rows = [sentence.split() if isinstance(sentence, str) else sentence for sentence in sentences]
    labels = list(itertools.chain.from_iterable(rows))
    names = list(dict.fromkeys(labels))
    codes = np.array([names.index(label) for label in labels], dtype=np.int32)
    return names, codes, np.cumsum([0, *map(len, rows)])


def detected(*sentences: str) -> str | None:
    scheme = detect_scheme(*columns(*sentences))
    return scheme.name if scheme else None


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)
@pytest.mark.parametrize("types", [["X", "Y"], [""]], ids=["typed", "bare"])
def test_transitions_allow_exactly_the_label_sequences_that_spans_are_written_as(scheme: Scheme, types: list[str]):
    names = oracle.inventory(scheme.name, types)
    allowed, start, end = find_allowed_transitions(names, scheme)
    for length in (1, 2, 3):
        for codes in itertools.product(range(len(names)), repeat=length):
            legal = start[codes[0]] and end[codes[-1]] and all(allowed[pair] for pair in itertools.pairwise(codes))
            assert legal == oracle.is_legal([names[code] for code in codes], scheme.name)


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)
@given(data=st.data())
def test_check_refuses_a_corpus_if_one_sentence_is_illegal(scheme: Scheme, data: st.DataObject):
    label = st.sampled_from(oracle.inventory(scheme.name, ["X", "a-b"]))
    sentences = data.draw(st.lists(st.lists(label, max_size=5), max_size=4))
    arguments = columns(*sentences)
    if all(oracle.is_legal(sentence, scheme.name) for sentence in sentences):
        check_labels(*arguments, scheme)
    else:
        with pytest.raises(DataError, match=f"sentence [1-4], token [1-5]: {scheme.name} forbids"):
            check_labels(*arguments, scheme)


def test_plain_tags_allow_every_transition():
    assert all(table.all() for table in find_allowed_transitions(["NN", "VB"], None))


@pytest.mark.parametrize(
    ("sentences", "scheme", "message"),
    [
        (["O O", "B-X O I-Y"], IOB2, "f: sentence 2, token 3: IOB2 forbids 'I-Y' after 'O' at the end of a sentence"),
        (["I-X", "B-X O"], IOB1, "f: sentence 2, token 1: IOB1 forbids 'B-X' at the start of a sentence;"),
        (["S-X B-X O"], BIOES, "f: sentence 1, token 3: BIOES forbids 'O' after 'B-X'"),
        (["N C"], SCN, "f: sentence 1, token 2: SCN forbids 'C' after 'N'"),
        (["O B-X", "NN O"], IOB2, "label 'NN' does not belong to IOB2"),
        (["O-X"], IOB2, "label 'O-X' does not belong to IOB2"),
    ],
)
def test_check_says_where_and_what(sentences: list[str], scheme: Scheme, message: str):
    with pytest.raises(DataError) as caught:
        check_labels(*columns(*sentences), scheme, source="f")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("sentences", "name"),
    [
        (["B-X I-X O B-Y"], "IOB2"),
        (["I-X I-X O I-Y"], "IOB1"),
        (["I-X B-X O", "I-Y O"], "IOB1"),
        (["O B-X O"], "IOB2"),
        (["B I I B I"], "IOB2"),
        (["B-X E-X O S-Y"], "BIOES"),
        (["O O S-X"], "BIOES"),
        (["B-X I-X L-X U-Y"], "BILOU"),
        (["B M E S S B E"], "BMES"),
        (["B E S"], "BMES"),
        (["B-NN E-NN S-VV"], "BMES"),
        (["O B-X M-X E-X"], "BMES"),
        (["S C C N S"], "SCN"),
        (["S-X C-X N"], "SCN"),
        (["B-some-type I-some-type O"], "IOB2"),
    ],
)
def test_detection(sentences: list[str], name: str):
    assert detected(*sentences) == name


def test_a_few_annotation_errors_do_not_hide_the_scheme():
    assert detected("B-X O B-Y I-Y", "I-X O B-Y") == "IOB2"
    assert detected("I-X O I-Y I-Y", "B-X O I-Y") == "IOB1"


@pytest.mark.parametrize("tags", [PENN_TAGS, UNIVERSAL_TAGS, "O O O", "B-X NN", "O-X O", "S", "", "N N"])
def test_plain_tags_are_no_scheme(tags: str):
    assert detected(tags) is None


def test_labels_that_do_not_occur_do_not_count_in_detection():
    names, codes, offsets = columns("B-X O")
    assert detect_scheme([*names, "NN"], codes, offsets) == IOB2


@pytest.mark.parametrize("codes", [[-1, 0], [0, 2]])
def test_codes_out_of_range_are_refused(codes: list[int]):
    with pytest.raises(DataError, match="codes: expected numbers from 0 to 1, got"):
        detect_scheme(["O", "B-PER"], np.array(codes, np.int32), np.array([0, 2]))


def test_schemes_by_name():
    assert get_scheme("iob2") is get_scheme("BIO") is IOB2
    with pytest.raises(ConfigError, match="unknown label scheme 'BIOS'; did you mean 'BIOES'"):
        get_scheme("BIOS")
