"""Attributes of a token in its sentence, against the plain truth; and their resources, saved and restored."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom.corpus import Corpus
from tagloom.errors import ConfigError, DataError
from tagloom.features import (
    Categories,
    FeatureEncoder,
    Phrases,
    Resource,
    Statistics,
    Vocabulary,
    load_resource,
    load_templates,
    restore_resource,
)
from tagloom.features.matched import MATCHED
from tests.features.vocabulary import MATCHED_TRUTH, clusters
from tests.oracle import attributes as oracle
from tests.oracle.statistics import RawText
from tests.strategies import unhurried

CHARACTERS = st.sampled_from("ab中İ")
WORDS = st.lists(st.text(CHARACTERS, min_size=1, max_size=5), max_size=8)
SENTENCES = st.lists(st.lists(CHARACTERS | st.just("ab"), max_size=12), min_size=1, max_size=3)
CODE = st.sampled_from(["Af10B05#", "Af10B06=", "Ae13A10=", "Hg", "A", "地名A"])
CODES = st.lists(CODE, min_size=1, max_size=3, unique=True)


def values(text: str, sentences: Sequence[Sequence[str]], resource: Resource | None = None) -> list[list[list[str]]]:
    """The values of an attribute for every token of every sentence; the resource as it is restored from a file."""
    name = next((row.resource for row in MATCHED.values() if text.rstrip("0123456789") == row.name), None)
    resources = {}
    if name is not None and resource is not None:
        resources[name] = restore_resource(name, resource.to_tensors(), list(resource.names))
    flat = [word for sentence in sentences for word in sentence]
    corpus = Corpus.from_columns({"form": flat}, [len(sentence) for sentence in sentences])
    encoder = FeatureEncoder(load_templates(f"{text}[0]\n"), Vocabulary(("form",), resources=resources))
    store, batch = encoder.new_store(), encoder.batch(corpus)
    encoder.prepare(store, batch)
    spans = (range(*corpus.span(index)) for index in range(len(corpus)))
    return [[[value for value, _ in store.values(0, token)] for token in span] for span in spans]


def test_every_attribute_has_its_plain_truth_and_a_help_line() -> None:
    own = {row.name for row in MATCHED.values() if row.of_stage} | {"gazetteer", "lexicon"}  # have tests of their own
    assert set(MATCHED) - (set(MATCHED_TRUTH) - {"gazetteer:x1"}) == own
    assert all(row.help and "\n" not in row.help for row in MATCHED.values())


@given(sentences=SENTENCES, distance=st.integers(1, 4))
@unhurried
def test_tokens_that_are_the_same(sentences: list[list[str]], distance: int) -> None:
    assert values(f"same{distance}", sentences) == [oracle.same(sentence, distance) for sentence in sentences]


def test_the_same_character_by_hand() -> None:
    (found,) = values("same2", [list("试一试看看")])
    assert found == [["yes"], [], [], [], []]


@given(words=WORDS, sentences=SENTENCES, limit=st.integers(1, 6))
@unhurried
def test_words_that_begin_and_end_at_a_character(words: list[str], sentences: list[list[str]], limit: int) -> None:
    lexicon = Phrases.lexicon(words)
    for side, end in (("begin", False), ("end", True)):
        expected = [oracle.words_at(sentence, words, limit, end) for sentence in sentences]
        assert values(f"lexicon_{side}{limit}", sentences, lexicon) == expected
        lengths = [[[str(len(found[-1]))] if found else [] for found in sentence] for sentence in expected]
        assert values(f"lexicon_{side}_length{limit}", sentences, lexicon) == lengths


@given(words=WORDS, sentences=SENTENCES)
@unhurried
def test_backward_maximum_matching(words: list[str], sentences: list[list[str]]) -> None:
    expected = [[[label] for label in oracle.lexicon(sentence, words, backward=True)] for sentence in sentences]
    assert values("lexicon_backward", sentences, Phrases.lexicon(words)) == expected


def test_forward_and_backward_differ() -> None:
    lexicon = Phrases.lexicon(["研究", "研究生", "生命", "起源"])
    text = [list("研究生命起源")]
    assert [label for (label,) in values("lexicon", text, lexicon)[0]] == list("BMESBE")
    assert [label for (label,) in values("lexicon_backward", text, lexicon)[0]] == list("BEBEBE")


@given(
    codes=st.dictionaries(st.text(CHARACTERS, min_size=1, max_size=4), CODES, max_size=6),
    sentences=SENTENCES,
    n=st.sampled_from([0, 1, 2, 4, 5, 7, 20]),
)
@unhurried
def test_categories_of_the_word_around_a_character(
    codes: dict[str, list[str]], sentences: list[list[str]], n: int
) -> None:
    lexicon, number = Categories.build(codes), n or ""
    for name, backward in (("", False), ("_backward", True)):
        expected = [oracle.categories(sentence, codes, n, backward) for sentence in sentences]
        assert values(f"category{name}{number}", sentences, lexicon) == expected
        cut = [[[label] for label in oracle.lexicon(sentence, codes, backward)] for sentence in sentences]
        assert values(f"category_cut{name}", sentences, lexicon) == cut
        sizes = [[[size] for size in oracle.sizes(sentence, codes, backward)] for sentence in sentences]
        assert values(f"category_size{name}", sentences, lexicon) == sizes


def test_a_category_lexicon_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "cilin.txt"
    path.write_text("Af10B05# 省长 市长\n\nAe13A10# 教授 讲师\nHg05A01= 讲课 教授\n", encoding="utf-8")
    lexicon = load_resource("category", path)
    (found,) = values("category2", [list("市长教授他")], lexicon)
    assert found == [["Af"], ["Af"], ["Ae", "Hg"], ["Ae", "Hg"], []]
    assert values("category2", [["市长", "教授", "他"]], lexicon) == [[["Af"], ["Ae", "Hg"], []]]
    path.write_text("Af10B05# 省长\nAe13A10#\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        load_resource("category", path)
    assert str(caught.value) == f"{path}:2: expected a code and its words, found 'Ae13A10#'"


def test_entity_lists_match_characters(tmp_path: Path) -> None:
    (tmp_path / "org.txt").write_text("北京大学\n北京\n", encoding="utf-8")
    (tmp_path / "loc.txt").write_text("北京\nNew York\n", encoding="utf-8")
    lists = load_resource("entities", tmp_path)
    (found,) = values("entities", [list("在北京大学")], lists)
    assert found == [[], ["B-loc", "B-org"], ["I-loc", "I-org"], ["I-org"], ["I-org"]]
    (found,) = values("entities", [list("NewYork")], lists)
    assert found == [["B-loc"], *[["I-loc"]] * 6]


@given(lines=st.lists(st.text(CHARACTERS | st.sampled_from(" \u3000"), max_size=10), max_size=6), sentences=SENTENCES)
@unhurried
def test_accessor_variety_and_mutual_information(lines: list[str], sentences: list[list[str]]) -> None:
    text, statistics = RawText(lines), Statistics.count(lines)
    for n in (2, 3, 4):
        assert values(f"av_left{n}", sentences, statistics) == [text.av_left(tokens, n) for tokens in sentences]
        assert values(f"av_right{n}", sentences, statistics) == [text.av_right(tokens, n) for tokens in sentences]
    assert values("mi", sentences, statistics) == [text.mi(tokens) for tokens in sentences]


def test_statistics_by_hand() -> None:
    """ab stands after the beginning of a line, b, x and y, so its left variety is 4, of level 2."""
    statistics = Statistics.count(["abc", "xab", "yabab"])
    (left,), (right,) = values("av_left2", [list("abc")], statistics), values("av_right2", [list("abc")], statistics)
    assert (left, right) == ([["2"], [], []], [[], ["1"], []])  # right: c, the end of a line, a
    (information,) = values("mi", [list("abc")], statistics)
    assert information == [["1"], [], []]  # log2 (4/8) / (4/11 · 4/11) = 1.9


def test_statistics_of_a_folder_and_of_nothing(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no text found"):
        load_resource("statistics", tmp_path)
    (tmp_path / "one.txt").write_text("ab c\nxab\n", encoding="utf-8")
    (tmp_path / "two.txt").write_text("yabab\n", encoding="utf-8")
    assert values("mi", [list("abc")], load_resource("statistics", tmp_path)) == [[["1"], [], []]]


def test_a_resource_of_another_kind() -> None:
    with pytest.raises(ConfigError, match="resource 'lexicon': expected Phrases, got Clusters"):
        load_resource("lexicon", clusters())
