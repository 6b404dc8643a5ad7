"""Hypothesis generators shared by the tests: words of any script, sentences, corpora, templates."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import replace

from hypothesis import settings
from hypothesis import strategies as st

from tagloom.corpus import Corpus
from tagloom.features import Part, Template, TemplateSet

#: For properties: a busy machine stalls now and then, which is no failure.
unhurried = settings(deadline=None)

#: Of the core's character tables. Another version of Python's may class characters younger than Unicode 3.2 otherwise.
CORE_UNICODE = "14.0.0"

#: Case without a simple pair, digits that are not ASCII, marks without width, boundary values, forms of Bikel's table.
ODD_WORDS = (
    "İstanbul", "ΟΔΟΣ", "οδος", "ǅ", "ǆ", "ﬁn", "straße", "STRASSE", "Ⅷ", "ⅷ", "x²", "½", "٣٤", "１９９０", "𝟘𝟙",
    "中文", "日", "e\u0301te\u0301", "👩\u200d👧", "\u200b", "\u00a0", "\ufeff", "\x00", " ", "a b", "_B-1", "_B+1",
    "#", "=", "%x[0,0]", "90", "1990", "A8956-67", "09-96", "11/9/89", "23,000.00", "1.00", "456789", "BBN", "M.",
    "Sally", "can", ",", "U.S.",
)  # fmt: skip


def characters() -> st.SearchStrategy[str]:
    """Any character that UTF-8 can write, as far as Python and the core agree on what it is."""
    anything = st.characters(exclude_categories=["Cs"])
    if unicodedata.unidata_version == CORE_UNICODE:
        return anything
    return anything.filter(lambda c: unicodedata.ucd_3_2_0.category(c) != "Cn")


def words() -> st.SearchStrategy[str]:
    """Words that recur often enough to be counted, odd ones, and any text."""
    return st.sampled_from(["a", "b", "the", "The"]) | st.sampled_from(ODD_WORDS) | texts()


def texts() -> st.SearchStrategy[str]:
    """Non-empty strings of any characters, of letters, digits and marks more often than of others."""
    return st.text(st.sampled_from("aZbé0-9.,/日") | characters(), min_size=1, max_size=8)


def sentences(word: st.SearchStrategy[str] | None = None, min_size: int = 1) -> st.SearchStrategy[list[str]]:
    return st.lists(words() if word is None else word, min_size=min_size, max_size=6)


@st.composite
def corpora(draw: st.DrawFn, columns: Mapping[str, st.SearchStrategy[str]], min_length: int = 1) -> Corpus:
    """Up to five sentences with one strategy of strings a column; ``min_length=0`` lets empty sentences in."""
    lengths = draw(st.lists(st.integers(min_length, 6), min_size=1, max_size=5))
    tokens = sum(lengths)
    drawn = {name: draw(st.lists(word, min_size=tokens, max_size=tokens)) for name, word in columns.items()}
    return Corpus.from_columns(drawn, lengths)


def parts(attributes: st.SearchStrategy[Part], reach: int = 3) -> st.SearchStrategy[Part]:
    """The attributes at any offset up to ``reach``."""
    return st.builds(lambda part, offset: replace(part, offset=offset), attributes, offsets(reach))


def offsets(reach: int) -> st.SearchStrategy[int]:
    return st.integers(-reach, reach)


def any_attributes() -> st.SearchStrategy[Part]:
    """Everything that the template language can write, known or not."""
    names = st.from_regex(r"[^\W\d][\w-]{0,5}(?<!\d)", fullmatch=True)
    columns = st.none() | st.from_regex(r"[\w#-]{1,6}", fullmatch=True)
    return st.builds(Part, names, st.just(0), st.none() | st.integers(0, 99), columns)


@st.composite
def template_sets(draw: st.DrawFn, part: st.SearchStrategy[Part]) -> TemplateSet:
    """Sets of distinct templates with at most three parts, of nodes and of edges."""
    made = st.builds(Template, st.lists(part, max_size=3).map(tuple), st.booleans())
    templates = draw(st.lists(made.filter(lambda t: t.parts or not t.edge), max_size=6, unique=True))
    transitions = draw(st.booleans()) if templates else True
    return TemplateSet("drawn", tuple(templates), transitions)


@st.composite
def tree_heads(draw: st.DrawFn, max_size: int = 9) -> list[int]:
    """Heads of the words of one sentence, from 1, 0 for the root: any tree, crossing arcs included."""
    order = draw(st.permutations(range(1, draw(st.integers(1, max_size)) + 1)))
    heads = [0] * len(order)
    for place, word in enumerate(order[1:], 1):
        heads[word - 1] = draw(st.sampled_from(order[:place]))
    return heads


@st.composite
def trees(draw: st.DrawFn, most: int = 8) -> tuple[int, ...]:
    """Heads of a projective tree of up to ``most`` words, counted from 1; 0 is the root's.

    A stretch of words has a root; what stands to its left and right is cut into stretches that depend on it.
    """
    heads = [0] * draw(st.integers(1, most))

    def fill(begin: int, end: int, head: int) -> None:
        root = draw(st.integers(begin, end - 1))
        heads[root] = head
        for first, last in ((begin, root), (root + 1, end)):
            at = first
            while at < last:
                cut = draw(st.integers(at + 1, last))
                fill(at, cut, root + 1)
                at = cut

    fill(0, len(heads), 0)
    return tuple(heads)
