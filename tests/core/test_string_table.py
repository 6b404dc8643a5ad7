"""String tables beside a dict, their stored form, UTF-8 beside Python's decoder, and hashes that may never change."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tagloom import _core
from tagloom._core import StringTable

TEXTS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=12), max_size=200)


def table_of(texts: list[str]) -> StringTable:
    table = StringTable()
    table.intern_all(texts)
    return table


@given(texts=TEXTS)
def test_strings_are_numbered_by_first_appearance(texts: list[str]):
    table, numbers = StringTable(), {}
    expected = [numbers.setdefault(text, len(numbers)) for text in texts]
    assert table.intern_all(texts).tolist() == expected
    assert [table.intern(text) for text in texts] == expected
    assert table.strings() == list(numbers) == [table[i] for i in range(len(table))]
    assert all(text in table and table.find(text) == number for text, number in numbers.items())
    assert table.find("\0not there") == -1


def test_growth_keeps_every_string():
    texts = [str(number) for number in range(10_000)]
    table = table_of(texts)
    assert [table.find(text) for text in texts] == list(range(10_000))
    assert len(set(table.hashes().tolist())) == 10_000


@given(texts=TEXTS)
def test_stored_form_restores_the_table(texts: list[str]):
    table = table_of(texts)
    again = StringTable.from_blob(*table.to_blob())
    assert again.strings() == table.strings()
    assert again.hashes().tolist() == table.hashes().tolist() == [_core.hash_string(text) for text in table.strings()]


@pytest.mark.parametrize(
    ("blob", "offsets", "message"),
    [
        (b"ab", [], "do not span"),
        (b"ab", [0, 1], "do not span"),
        (b"ab", [1, 2], "do not span"),
        (b"ab", [0, 3], "do not span"),
        (b"ab", [0, 2, 1, 2], "not in order"),
        (b"ab", [0, 9, 2], "not in order"),
        (b"ab", [0, -1, 2], "not in order"),
        (b"aa", [0, 1, 2], "twice"),
        (b"", [0, 0, 0], "twice"),
        ("é".encode(), [0, 1, 2], "UTF-8"),
    ],
)
def test_damaged_stored_forms_are_refused(blob: bytes, offsets: list[int], message: str):
    with pytest.raises(ValueError, match=message):
        StringTable.from_blob(np.frombuffer(blob, np.uint8), np.array(offsets, np.int64))


def is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


# Lead and tail bytes at the edges of what RFC 3629 allows.
EDGES = bytes.fromhex("00 7f 80 8f 90 9f a0 bf c0 c1 c2 df e0 ed ef f0 f4 f5 ff")


@given(data=st.binary(max_size=12) | st.lists(st.sampled_from(EDGES), max_size=6).map(bytes))
@example(b"\xed\xa0\x80")  # a surrogate
@example(b"\xf4\x90\x80\x80")  # beyond U+10FFFF
@example(b"\xc0\xaf")  # overlong
def test_text_is_accepted_where_python_can_decode_it(data: bytes):
    offsets = np.array([0, len(data)], np.int64)
    if is_utf8(data):
        assert StringTable.from_blob(np.frombuffer(data, np.uint8), offsets)[0] == data.decode()
    else:
        with pytest.raises(ValueError, match="UTF-8"):
            StringTable.from_blob(np.frombuffer(data, np.uint8), offsets)


@pytest.mark.parametrize("number", [-1, 1, 2**31, 2**63 - 1])
def test_numbers_out_of_range_are_refused(number: int):
    with pytest.raises(IndexError):
        table_of(["a"])[number]


def test_what_is_no_text_is_refused():
    for value in (b"a", 5, None, "\ud800"):
        with pytest.raises((TypeError, RuntimeError)):
            table_of([value])


def test_hashes_are_part_of_the_model_file_and_never_change():
    golden = {
        "": 0xE9E0033E3BADAF36,
        "a": 0x19E478AEEA186F31,
        "abcdefgh": 0xA97FB580A1B4661E,
        "London": 0xED98277793780384,
        "日本語テキスト": 0xC3B490439FA049FB,
    }
    assert {text: _core.hash_string(text) for text in golden} == golden
    assert _core.mix(1, 2) != _core.mix(2, 1)
