"""Unicode normalisation (UAX #15) of the words of a corpus: NFC or NFKC, which also makes full-width digits plain ones.

White space keeps its place: blanks inside a token stay as they are, and those that NFKC would bring in (U+00A8 is a
blank with a mark in NFKC) are left out. So the number of tokens stays the same, except where tokens are characters:
those are cut after normalisation, and ``Recut`` knows where each character of the original text went.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from tagloom._core import StringTable
from tagloom.corpus.corpus import Column, Corpus, IntArray, distinct_strings
from tagloom.errors import unknown_name

if TYPE_CHECKING:
    from collections.abc import Sequence

NormalForm: TypeAlias = Literal["NFC", "NFKC"]
NORMAL_FORMS: tuple[NormalForm, ...] = ("NFC", "NFKC")

_BETWEEN_BLANKS = re.compile(r"\S+")
_WORD_COLUMNS = ("form", "lemma")
_JAMO = range(0x1100, 0x1200)  # Hangul letters compose without being marks


def normal_form(name: str) -> NormalForm:
    """Return the name itself; raise ConfigError if it is not one of ``NORMAL_FORMS``."""
    if name not in NORMAL_FORMS:
        raise unknown_name("normal form", name, NORMAL_FORMS)
    return name


def normalise_text(text: str, form: NormalForm) -> str:
    """Normalise a text, without adding blanks.

    >>> normalise_text("１９９８年 Ａ", "NFKC")
    '1998年 A'
    """
    if unicodedata.is_normalized(form, text):
        return text
    return _BETWEEN_BLANKS.sub(lambda piece: "".join(unicodedata.normalize(form, piece[0]).split()), text)


def normalise_corpus(corpus: Corpus, form: NormalForm) -> Corpus:
    """Normalise the words of a corpus: form and lemma, or the first column, or the attributes of a bag."""
    bags = [name for name, column in corpus.columns.items() if column.is_bag]
    names = bags or list_word_columns(corpus.names)
    changed = {name: _normalise_column(corpus.columns[name], form) for name in names}
    return replace(corpus, columns={**corpus.columns, **changed})


def list_word_columns(names: Sequence[str]) -> list[str]:
    """List the columns that hold words: form and lemma, or the first one."""
    return [name for name in _WORD_COLUMNS if name in names] or list(names[:1])


def _normalise_column(column: Column, form: NormalForm) -> Column:
    strings = StringTable()
    numbers = strings.intern_all([normalise_text(text, form) for text in column.strings.strings()])
    return replace(column, codes=numbers[column.codes], strings=strings)


@dataclass(frozen=True)
class Recut:
    """A corpus in a normal form, and for every token of the original the token that stands for it."""

    corpus: Corpus
    places: IntArray  # [tokens of the original]

    @classmethod
    def of(cls, corpus: Corpus, form: NormalForm) -> Recut:
        """Normalise a corpus; tokens that are characters are cut again, all others keep their number."""
        from tagloom.corpus.formats import get_format  # here, because formats normalise their words themselves

        if not get_format(corpus).has_character_tokens:
            return cls(normalise_corpus(corpus, form), np.arange(corpus.token_count))
        name = corpus.names[0]
        sentences = [list(clusters("".join(tokens))) for tokens in corpus.iter_sentences(name)]
        pieces = [[normalise_text(cluster, form) for cluster in sentence] for sentence in sentences]
        before, after = (list(itertools.chain.from_iterable(side)) for side in (sentences, pieces))
        lengths = [sum(map(len, sentence)) for sentence in pieces]
        cut = Corpus.from_columns({name: "".join(after)}, lengths, source=corpus.source)
        return cls(replace(cut, extras=corpus.extras), _places(before, after))

    def restore(self, column: Column) -> Column:
        """Turn a column of the corpus in normal form into one of the original."""
        return Column(column.codes[self.places], column.strings)


def _places(before: Sequence[str], after: Sequence[str]) -> IntArray:
    """Map character i of a cluster to character i of its normal form, or to the last one of a shorter form."""
    old, new = (np.fromiter(map(len, texts), np.int64, len(texts)) for texts in (before, after))
    within = np.arange(old.sum()) - np.repeat(np.cumsum(old) - old, old)
    places: IntArray = np.repeat(np.cumsum(new) - new, old) + np.minimum(within, np.repeat(new - 1, old))
    return places


def clusters(text: str) -> Iterator[str]:
    r"""Cut a text into pieces that normalisation treats alone: a character and what may combine with it.

    >>> [len(piece) for piece in clusters("e\u0301t\u00e9")]
    [2, 1, 1]
    """
    starts = [i for i, c in enumerate(text) if i == 0 or not _combines(c)]
    return (text[start:stop] for start, stop in itertools.pairwise([*starts, len(text)]))


@lru_cache(maxsize=1 << 16)
def _combines(character: str) -> bool:
    """Check whether normalisation may join it to the character before: a mark or a Hangul letter, perhaps composed."""
    first = unicodedata.normalize("NFKD", character).lstrip()[:1] or character
    return unicodedata.category(first)[0] == "M" or ord(first) in _JAMO


def normalise_words(words: Iterable[str], form: NormalForm | None) -> list[str]:
    """Normalise words, each distinct one once; None leaves them as they are."""
    if form is None:
        return list(words)
    distinct, codes = distinct_strings(words)
    normal = [normalise_text(word, form) for word in distinct]
    return [normal[code] for code in codes.tolist()]
