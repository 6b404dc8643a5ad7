"""Tokenizers: every character that is not blank is in one token, native and plain versions agree, time is linear."""

from __future__ import annotations

import re
import time
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tagloom._core import StringTable, find_word_breaks, tokenize
from tagloom.errors import ConfigError, DataError
from tagloom.text import FunctionTokenizer, Segmentation, Tokenizer, get_tokenizer, list_tokenizers
from tagloom.text.tokenizers import align_tokens
from tests.oracle import tokens as oracle
from tests.text.texts import texts

RULES = ["unicode", "ptb", "whitespace", "character"]


def cut(text: str, rules: str = "ptb") -> list[list[str]]:
    return get_tokenizer(rules).segment(text).split_sentences()


@pytest.mark.parametrize("rules", RULES)
@given(text=texts())
def test_tokens_cover_the_text(rules: str, text: str) -> None:
    found = get_tokenizer(rules).segment(text)
    assert [text[start:end] for start, end in found.spans] == found.words
    assert all(a[1] <= b[0] for a, b in pairwise(found.spans))
    covered = {i for start, end in found.spans for i in range(start, end)}
    assert covered == {i for i, c in enumerate(text) if not c.isspace()}
    assert found.sentences[0] == 0
    assert found.sentences[-1] == len(found)
    assert (np.diff(found.sentences) > 0).all()


@pytest.mark.parametrize("rules", RULES)
@settings(max_examples=400)
@given(text=texts())
@example("x.y@z..w U.S.. A. B. I. etc. The")
def test_native_equals_plain(rules: str, text: str) -> None:
    found = get_tokenizer(rules).segment(text)
    assert (found.spans, found.sentences.tolist()) == oracle.tokenize(text, rules)


@settings(max_examples=400)
@given(st.text(st.sampled_from("a1א'\".,:;_カ \r\n\u0301\u00ad\u200d👩🇩-") | st.characters(exclude_categories=["Cs"])))
def test_word_breaks_are_those_of_uax29(text: str) -> None:
    assert find_word_breaks(text).tolist() == oracle.find_word_breaks(text)


@pytest.mark.parametrize("rules", RULES)
@given(text=texts())
def test_paragraphs_are_cut_alone(rules: str, text: str) -> None:
    alone = cut(text, rules)
    assert cut(f"{text}\n\n{text}", rules) == alone + alone


@given(texts())
def test_whitespace_and_character_cut_as_the_formats_do(text: str) -> None:
    lines = [line.split() for line in text.split("\n") if line.split()]
    assert cut(text, "whitespace") == lines
    assert cut(text, "character") == [list("".join(words)) for words in lines]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mr. Smith, a U.S. citizen, doesn't smoke.", "Mr. Smith , a U.S. citizen , doesn't smoke ."),
        ("See http://a.b/c_(d), or (www.x.org).", "See http://a.b/c_(d) , or ( www.x.org ) ."),
        ("Mail a.b@c.org, @me, #tag, #1", "Mail a.b@c.org , @me , #tag , # 1"),
        ("3.5 of 1,000 is 10% at 5:30 on 1/2", "3.5 of 1,000 is 10 % at 5:30 on 1/2"),
        ("Wait... what?! No -- yes", "Wait ... what ?! No -- yes"),
        ("z.B. e.g. well-known", "z.B. e.g. well - known"),
        ("東京タワー。", "東 京 タ ワ ー 。"),
        ("👩\u200d👧👍🏽🇩🇪🇫🇷", "👩\u200d👧 👍🏽 🇩🇪 🇫🇷"),
        ("한국어 שלום", "한국어 שלום"),
        ("C++ and .5 :-)", "C++ and .5 :-)"),
        ("a\x00b", "a \x00 b"),
    ],
)
def test_unicode(text: str, expected: str) -> None:
    assert get_tokenizer("unicode").segment(text).words == expected.split(" ")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I don't, we're, you'll, he'd've", "I do n't , we 're , you 'll , he 'd 've"),
        ("They cannot; I'm gonna, wanna", "They can not ; I 'm gon na , wan na"),
        ("dogs' tails, the U.S.'s and Bush’s", "dogs ' tails , the U.S. 's and Bush ’s"),
        ('He said "no" (twice).', 'He said " no " ( twice ) .'),
        ("$500, US$6, C$ 7 and 10%", "$ 500 , US$ 6 , C$ 7 and 10 %"),
        ("al-Ani lost 6-2 on 1996-08-22 -- a U.S.-led", "al-Ani lost 6-2 on 1996-08-22 -- a U.S.-led"),
        ("Inc. vs. Corp. of St. Paul v Lt. A. Smith", "Inc. vs. Corp. of St. Paul v Lt. A. Smith"),
        ("He said no.", "He said no ."),
        ("See No. 5 and p. 7", "See No. 5 and p. 7"),
        ("AT&T and/or O'Brien's 10.5", "AT&T and/or O'Brien 's 10.5"),
        ("in the '90s, the 60's, 'em", "in the '90s , the 60's , 'em"),
        ("at 5pm... or 5:30 p.m. today", "at 5 pm ... or 5:30 p.m. today"),
        ("the end.The next, won.but example.com", "the end . The next , won . but example.com"),
        ("Dr.Smith", "Dr. Smith"),
    ],
)
def test_ptb(text: str, expected: str) -> None:
    assert get_tokenizer("ptb").segment(text).words == expected.split(" ")


@pytest.mark.parametrize("rules", ["unicode", "ptb"])
@pytest.mark.parametrize(
    "text",
    [
        "One.| Two!| Three?| Four...| Five",
        'He said "Stop!" and left.| "Why?"| "Because."',
        "Dr. J. Smith of Acme Inc. paid $3.5.| Fine.",
        "He works in the U.S.| He likes it there.",
        "It costs 5.| 6 is more.",
        "It ended.| (See below.)| Next.",
        "He came at 5 p.m. and left.",
        "No end\nof the line.|\nBut here.",
        "No mark|\n\nThen a paragraph",
        "東京です。|はい！|「いいえ。」|では",
        "1. First item.| 2. Second item.",
        "version 2. is lower",
        "See example.org. and b.c.",
    ],
)
def test_sentences(rules: str, text: str) -> None:
    whole = text.replace("|", "")
    found = get_tokenizer(rules).segment(whole)
    bounds = [(found.spans[a][0], found.spans[b - 1][1]) for a, b in pairwise(found.sentences.tolist())]
    assert [whole[a:b] for a, b in bounds] == [part.strip() for part in text.split("|")]


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("text", ["", " ", "\n\n \t", "\u3000"])
def test_nothing_to_cut(rules: str, text: str) -> None:
    found = get_tokenizer(rules).segment(text)
    assert (len(found), found.words, found.sentences.tolist()) == (0, [], [0])


@pytest.mark.parametrize("rules", RULES)
def test_astral_characters_count_once(rules: str) -> None:
    assert get_tokenizer(rules).segment("𝒳 👍 x").spans == [(0, 1), (2, 3), (4, 5)]


@pytest.mark.parametrize("rules", RULES)
def test_lone_surrogate(rules: str) -> None:
    with pytest.raises(DataError, match=r"lone surrogate '\\ud800' at offset 2"):
        get_tokenizer(rules).segment("ab\ud800c")


def test_text_must_be_a_string() -> None:
    with pytest.raises(DataError, match="expected text as str, got bytes"):
        get_tokenizer("ptb").segment(b"ab")  # type: ignore[arg-type]


def test_unknown_names() -> None:
    with pytest.raises(ConfigError, match="unknown tokenizer 'unicod'; did you mean 'unicode'"):
        get_tokenizer("unicod")
    with pytest.raises(ValueError, match="unknown tokenizer"):
        tokenize("a", "unicod", StringTable())


def test_names() -> None:
    assert list_tokenizers() == RULES
    assert all(isinstance(get_tokenizer(name), Tokenizer) and get_tokenizer(name).name == name for name in RULES)


def test_one_table_takes_the_forms_of_many_texts() -> None:
    table = StringTable()
    first, *_ = tokenize("to be", "ptb", table)
    second, *_ = tokenize("not to be", "ptb", table)
    assert (first.tolist(), second.tolist(), table.strings()) == ([0, 1], [2, 0, 1], ["to", "be", "not"])


def test_segmentation_prints_short() -> None:
    assert repr(get_tokenizer("ptb").segment("It's. " * 20)) == (
        "Segmentation(\"It's. It's. It's. It's. It's. It's. I...\", sentences=20, words=60)"
    )


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize(
    "unit",
    ["a", ".", "@", "1", "a@", "a.", "Aa.", "a's", "'", "a-", "http://", "www.", "a.com/", "#a", "a\u0301", ".\u0301",
     "(", ":", "A. ", "🇩", "👩\u200d", "中", "U.S.", "-a.b@", "(:", "'a", "\x00", "a\n"],
)  # fmt: skip
def test_time_is_linear(rules: str, unit: str) -> None:
    def measure(size: int) -> float:
        text = unit * (size // len(unit))
        start = time.process_time()
        get_tokenizer(rules).segment(text)
        return time.process_time() - start

    assert measure(400_000) < 30 * max(measure(40_000), 0.005)


class TestFunctionTokenizer:
    def test_words(self) -> None:
        found = FunctionTokenizer(lambda text: re.findall(r"\w+", text), "words").segment("Ah, a  bee.")
        assert isinstance(found, Segmentation)
        assert (found.words, found.spans) == (["Ah", "a", "bee"], [(0, 2), (4, 5), (7, 10)])
        assert found.sentences.tolist() == [0, 3]

    def test_places(self) -> None:
        found = FunctionTokenizer(lambda text: [(0, 1), (1, 3)]).segment("abc")
        assert (found.words, found.sentences.tolist()) == (["a", "bc"], [0, 2])

    @pytest.mark.parametrize("sentences", [[["a"], [], ["b", "c"]], [[(0, 1)], [(2, 3), (4, 5)]], (("a",), ("b", "c"))])
    def test_sentences(self, sentences: list[list[str]]) -> None:
        found = FunctionTokenizer(lambda text: sentences).segment("a b c")
        assert (found.split_sentences(), found.spans) == ([["a"], ["b", "c"]], [(0, 1), (2, 3), (4, 5)])

    def test_generators(self) -> None:
        found = FunctionTokenizer(lambda text: (word for word in text.split())).segment("a b")
        assert found.words == ["a", "b"]

    def test_nothing(self) -> None:
        found = FunctionTokenizer(lambda text: []).segment("a")
        assert (found.words, found.sentences.tolist()) == ([], [0])

    @pytest.mark.parametrize(
        ("tokens", "message"),
        [
            (["a", "x"], r"token 2, 'x', is not in the text from offset 1 on, where it goes on with 'b c'"),
            (["b", "a"], "token 2, 'a', is not in the text from offset 3 on"),
            ([""], "token 1: expected a string that is not empty, got ''"),
            (["a", 5], "token 2: expected a string that is not empty, got 5"),
            ([5], "token 1: expected a string that is not empty, got 5|expected"),
            ([(0, 1), (0, 3)], "token 2 from 0 to 3: expected a start of at least 1"),
            ([(2, 3), (0, 1)], "token 2 from 0 to 1: expected a start of at least 3"),
            ([(0, 9)], "token 1 from 0 to 9: expected 0 <= start < end <= 5"),
            ([(-1, 1)], "token 1 from -1 to 1: expected 0 <= start"),
            ([(1, 1)], "token 1 from 1 to 1: expected 0 <= start < end"),
            ([(0, 1), (2.0, 3)], "expected"),
            ([["a"], "b"], "expected a list of tokens for sentence 2, got 'b'"),
        ],
    )
    def test_errors_are_one_line(self, tokens: list[object], message: str) -> None:
        with pytest.raises(DataError, match=message) as caught:
            FunctionTokenizer(lambda text: tokens, "mine").segment("a b c")  # type: ignore[arg-type,return-value]
        assert str(caught.value).startswith("tokenizer 'mine': ")
        assert "\n" not in str(caught.value)


@given(texts())
def test_tokens_are_aligned_with_their_text(text: str) -> None:
    found = get_tokenizer("ptb").segment(text)
    starts, ends = align_tokens(text, found.words)
    assert list(zip(starts.tolist(), ends.tolist())) == found.spans
