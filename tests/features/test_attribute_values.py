"""Built-in attributes of a word: by hand, and against the plain truth over words of any script."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tagloom._core import attribute_functions, attribute_values
from tests.oracle import attributes as oracle
from tests.strategies import CORE_UNICODE, ODD_WORDS, texts, unhurried, words

NUMBERED = {name: numbered for name, numbered, _ in attribute_functions()}


def test_every_built_in_attribute_has_its_plain_truth_and_a_help_line() -> None:
    rows = attribute_functions()
    assert [name for name, _, _ in rows] == list(oracle.BUILT_IN)
    assert all(text and "\n" not in text for _, _, text in rows)


@pytest.mark.parametrize("name", oracle.BUILT_IN)
@given(word=words(), n=st.integers(1, 9))
@example(word="", n=1)
@unhurried
def test_values_are_those_of_the_plain_truth(name: str, word: str, n: int) -> None:
    assert attribute_values(name, n, word) == oracle.BUILT_IN[name](word, n)


@pytest.mark.parametrize("name", oracle.BUILT_IN)
def test_values_of_odd_words(name: str) -> None:
    for word in ODD_WORDS:
        for n in range(1, len(word) + 2 if NUMBERED[name] else 2):
            assert attribute_values(name, n, word) == oracle.BUILT_IN[name](word, n), (word, n)


@pytest.mark.skipif(unicodedata.unidata_version != CORE_UNICODE, reason=f"the tables follow Unicode {CORE_UNICODE}")
def test_every_character_has_the_class_and_the_lower_case_that_python_gives_it() -> None:
    every = map(chr, range(sys.maxunicode + 1))
    assigned = "".join(c for c in every if unicodedata.category(c) not in ("Cn", "Co", "Cs"))
    marks = [c for c, kind in zip(assigned, oracle.classes(assigned)) if kind == "P"]
    assert [c for c in assigned if attribute_values("punctuation", 0, c)] == marks
    for name in ("shape", "normal"):
        (found,), (expected,) = attribute_values(name, 0, assigned), oracle.BUILT_IN[name](assigned, 0)
        assert [(c, a, b) for c, a, b in zip(assigned, found, expected) if a != b] == []


@given(word=texts(), n=st.integers(1, 9))
@unhurried
def test_affixes_and_ngrams_are_parts_of_the_word(word: str, n: int) -> None:
    grams = attribute_values("ngram", n, word)
    assert attribute_values("prefix", n, word) == grams[:1]
    assert all(word.endswith(suffix) and suffix in grams for suffix in attribute_values("suffix", n, word))
    assert len(set(grams)) == len(grams)


BIKEL_FORMS = {
    "2d": "90 ٣٤",
    "4d": "1990 １９９０",
    "d&a": "A8956-67 1990s 3日",
    "d&-": "09-96 1-1/2",
    "d&/": "11/9/89 1/2,5",
    "d&,": "23,000.00 1,5",
    "d&.": "1.00 .5",
    "n": "456789 7 123 $5",
    "cp": "M. É.",
    "ac": "BBN I ÅÄÖ",
    "ic": "Sally U.S. McCoy AT&T",
    "l": "can été",
    "other": ", iPhone well-known 日本",
}


@pytest.mark.parametrize(("form", "examples"), BIKEL_FORMS.items())
def test_bikel_word_forms(form: str, examples: str) -> None:
    for word in examples.split():
        assert attribute_values("bikel", 0, word) == [form], word


WORD_FORMS = """
    90 2d          1990 4d       A8956-67 d&a,d&-,ic     1990s d&a    09-96 d&-      11/9/89 d&/    1-1/2 d&-,d&/
    23,000.00 d&,,d&.            456789 n      $5 n      M. ic,cp     BBN ic,ac      I ic,ac        Sally ic
    U.S. ic        can l         été l         3日 d&a     É. ic,cp     ٣٤ 2d          F16 d&a,ic
"""


def test_word_forms() -> None:
    items = WORD_FORMS.split()
    for word, forms in zip(items[::2], items[1::2], strict=True):
        # d&, holds the comma that parts the others
        assert ",".join(attribute_values("word_form", 0, word)) == forms, word
    assert [attribute_values("word_form", 0, word) for word in (",", "iPhone", "well-known", "日本", "")] == [[]] * 5


@given(word=words())
@unhurried
def test_the_form_of_a_word_is_among_all_its_forms(word: str) -> None:
    (first,), forms = attribute_values("bikel", 0, word), attribute_values("word_form", 0, word)
    assert forms == [] if first == "other" else first in forms


SHAPES = """
    Anna Aaaa Aa        USA AAA A      McDonald AaAaaaaa AaAa   F-16s A-00a A-0a   ... ... .
    日本go xxaa xa       ǅon Aaa Aa     x² a² a²                 ٣ 0 0              ᾈα Aa Aa
"""


def test_shapes() -> None:
    items = SHAPES.split()
    for word, shape, short in zip(items[::3], items[1::3], items[2::3], strict=True):
        assert attribute_values("shape", 0, word) == [shape]
        assert attribute_values("short_shape", 0, word) == [short]


CASES = {
    "lower": "anna 3rd x²",
    "title": "Anna A F16 ǅon",
    "upper": "USA U.S. AT&T",
    "mixed": "iPhone McCoy eBay AT&t",
    "none": "日本 1990 , ½",
}
DIGITS = {"all": "1990 ٣٤ 7", "letters": "3rd F16 3日 d-1", "marks": "1,5 $5 11/9", "none": "anna ½ Ⅷ , 日"}


@pytest.mark.parametrize(("attribute", "table"), [("case", CASES), ("digits", DIGITS)])
def test_case_and_digit_classes(attribute: str, table: dict[str, str]) -> None:
    for value, examples in table.items():
        for word in examples.split():
            assert attribute_values(attribute, 0, word) == [value], word


@pytest.mark.parametrize(
    ("name", "n", "word", "values"),
    [
        ("lower", 0, "ΟΔΟΣ", ["οδοσ"]),
        ("lower", 0, "İⅧ", ["iⅷ"]),
        ("normal", 0, "F-16", ["f-00"]),
        ("prefix", 2, "日本語", ["日本"]),
        ("suffix", 2, "日本語", ["本語"]),
        ("prefix", 3, "ab", []),
        ("suffix", 3, "ab", []),
        ("ngram", 2, "banana", ["ba", "an", "na"]),
        ("ngram", 3, "ab", []),
        ("length", 0, "日本語", ["3"]),
        ("hyphen", 0, "well-known", ["yes"]),
        ("hyphen", 0, "well–known", []),
        ("punctuation", 0, "?!€", ["yes"]),
        ("punctuation", 0, "?a", []),
        ("punctuation", 0, "", []),
    ],
)
def test_other_attributes(name: str, n: int, word: str, values: list[str]) -> None:
    assert attribute_values(name, n, word) == values
