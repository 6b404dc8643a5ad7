"""Unicode normal forms: every format, words that stay whole, and the way back to the original text."""

from __future__ import annotations

import io
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tagloom.corpus import Corpus, read, to_string
from tagloom.corpus.normalise import NORMAL_FORMS, NormalForm, Recut, clusters, normalise_text
from tagloom.errors import ConfigError
from tests.strategies import unhurried

FORMS = st.sampled_from(NORMAL_FORMS)
# Full-width and compatibility characters, marks, Hangul letters, half-width katakana, a blank with a mark.
ODD = st.sampled_from("１Ａ，½…㈱ﷺｶﾞe\u0301\u0323中a\u1112\u1161\u11ab한ﾡￂ\u00a8\u0dd9\u0dcf\u0dca")
TEXT = st.text(ODD | st.characters(exclude_categories=["Cs", "Zs", "Zl", "Zp", "Cc"]), min_size=1, max_size=8)
WORD = TEXT.filter(lambda text: not any(map(str.isspace, text)))


def plain(word: str, form: NormalForm) -> str:
    return "".join(unicodedata.normalize(form, word).split())


def again(text: str, format_name: str, form: str | None) -> Corpus:
    return read(io.BytesIO(text.encode()), format_name, normalise=form)


def test_no_character_turns_into_blanks_alone() -> None:
    every = (chr(i) for i in range(sys.maxunicode + 1) if not 0xD800 <= i < 0xE000)
    assert [c for c in every if not c.isspace() and not unicodedata.normalize("NFKC", c).strip()] == []


@pytest.mark.parametrize(
    ("format_name", "text", "column", "expected"),
    [
        ("conll", "１９ ＮＮ Ｏ\nＡ ＮＮ Ｏ\n", "form", ["19", "A"]),
        ("conll", "１９ ＮＮ Ｏ\nＡ ＮＮ Ｏ\n", "label", ["Ｏ", "Ｏ"]),
        ("conllu", "1\tＡ\tａ\tＮ\t_\t_\t0\troot\t_\t_\n", "form", ["A"]),
        ("conllu", "1\tＡ\tａ\tＮ\t_\t_\t0\troot\t_\t_\n", "lemma", ["a"]),
        ("conllu", "1\tＡ\tａ\tＮ\t_\t_\t0\troot\t_\t_\n", "upos", ["Ｎ"]),
        ("slashed", "１９９８年/ｔ 　/w\n", "form", ["1998年", "　"]),
        ("slashed", "１９９８年/ｔ 　/w\n", "label", ["ｔ", "w"]),
        ("jsonl", '{"tokens": ["Ａ Ｂ", "½"], "tags": ["Ｏ", "O"]}\n', "form", ["A B", "1⁄2"]),
        ("jsonl", '{"text": "Ａ ½", "spans": [[2, 3, "Ｎ"]]}\n', "label", ["O", "B-Ｎ"]),
        ("text", "Ａ ㈱\n", "form", ["A", "(株)"]),
        ("segmented", "１½ 年\n", "form", list("11⁄2年")),
        ("segmented", "１½ 年\n", "label", list("BMMES")),
        ("characters", "１½ 年\n", "form", list("11⁄2年")),
    ],
)
def test_words_are_normalised_and_labels_are_not(format_name: str, text: str, column: str, expected: list[str]) -> None:
    assert again(text, format_name, "NFKC").column(column).texts() == expected


def test_attributes_that_become_equal_share_a_number() -> None:
    corpus = again("Ｏ\tw=Ａ:2\tx\nO\tw=A\n", "crfsuite", "NFKC")
    bag = corpus.column("attributes")
    assert [bag.strings[code] for code in bag.codes.tolist()] == ["w=A", "x", "w=A"]
    assert bag.codes[0] == bag.codes[2]
    assert corpus.column("label").texts() == ["Ｏ", "O"]


def test_nfc_composes_and_leaves_width_alone() -> None:
    assert again("e\u0301 Ａ\n", "text", "NFC").column("form").texts() == ["é", "Ａ"]


def test_an_unknown_form() -> None:
    with pytest.raises(ConfigError, match=r"unknown normal form 'NFKD'; did you mean 'NFKC'\? \(known: NFC, NFKC\)"):
        again("a", "text", "NFKD")


@given(lines=st.lists(st.lists(WORD, min_size=1, max_size=4), min_size=1, max_size=3), form=FORMS)
@unhurried
def test_segmented_words_stay_whole(lines: list[list[str]], form: NormalForm) -> None:
    text = "".join("  ".join(words) + "\n" for words in lines)
    expected = "".join("  ".join(plain(word, form) for word in words) + "\n" for words in lines)
    assert to_string(again(text, "segmented", form), "segmented") == expected


@given(text=WORD, form=FORMS)
@example(text="e\u0323\u0301", form="NFC")
@example(text="ｶﾞ\u3099", form="NFKC")
@example(text="\u1112\u1161\u11ab", form="NFC")
@unhurried
def test_pieces_normalise_as_the_whole_text_does(text: str, form: NormalForm) -> None:
    pieces = list(clusters(text))
    assert "".join(pieces) == text
    assert "".join(unicodedata.normalize(form, piece) for piece in pieces) == unicodedata.normalize(form, text)


@given(words=st.lists(WORD, min_size=1, max_size=5), form=FORMS)
@unhurried
def test_words_cut_in_normalised_text_are_cut_in_the_original(words: list[str], form: NormalForm) -> None:
    """A cut between two characters of the normal form is one of the original, if the original has that place."""
    words = ["中" + word for word in words]  # no mark stands at the beginning of a word
    original = again("".join(words), "characters", None)
    recut = Recut.of(original, form)
    gold = again("  ".join(words), "segmented", form)
    assert recut.corpus.column("form").texts() == gold.column("form").texts()
    restored = original.with_column("label", recut.restore(gold.column("label")))
    assert to_string(restored, "segmented") == "  ".join(words) + "\n"


@given(words=st.lists(WORD, min_size=1, max_size=4), form=FORMS)
@unhurried
def test_other_tokens_keep_their_number(words: list[str], form: NormalForm) -> None:
    original = again(" ".join(words), "text", None)
    recut = Recut.of(original, form)
    assert recut.corpus.column("form").texts() == [normalise_text(word, form) for word in words]
    assert recut.restore(recut.corpus.column("form")).texts() == recut.corpus.column("form").texts()


def test_people_s_daily_in_plain_digits(data_dir: Path) -> None:
    file = data_dir / "sighan2005" / "pku_test_gold.utf8"
    if not file.exists():
        pytest.skip("no SIGHAN 2005 data")
    corpus = read(file, "segmented", normalise="NFKC")
    assert set(corpus.column("form").strings.strings()).isdisjoint("０１２３４５６７８９，：")
