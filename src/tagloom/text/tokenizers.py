"""Tokenizers: text in, tokens and sentences with their places in the text out. Rules by name, or a Python function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import index
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tagloom._core import StringTable, tokenize
from tagloom.arguments import check_arguments, check_methods, is_iterable
from tagloom.errors import DataError, unknown_name


@check_methods()
@dataclass(frozen=True, eq=False, repr=False)
class Segmentation:
    """A text cut into sentences and words.

    Offsets count code points, as indexing a ``str`` does: ``text[starts[i]:ends[i]]`` is the form of word ``i``.

    Attributes:
        text: The text as it came in.
        codes: Number of every word's form in ``strings``, [N].
        strings: The distinct forms.
        starts: Where every word begins in the text, [N].
        ends: Where every word ends in the text, [N].
        sentences: Offsets of the sentences in the words, [S + 1]; sentence ``i`` has the words from ``sentences[i]``
            up to ``sentences[i + 1]``.
        multiwords: Ranges of words that together are one surface token (French *du* is *de* + *le*). Each word of a
            range has the place of the whole surface token, unless the words cut it exactly.
    """

    text: str
    codes: NDArray[np.int32]
    strings: StringTable
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    sentences: NDArray[np.int64]
    multiwords: tuple[tuple[int, int], ...] = field(default=())

    def __len__(self) -> int:
        """Number of words."""
        return len(self.codes)

    def __repr__(self) -> str:
        start = self.text if len(self.text) <= 40 else self.text[:37] + "..."
        return f"Segmentation({start!r}, sentences={len(self.sentences) - 1}, words={len(self)})"

    @property
    def words(self) -> list[str]:
        """Forms of all words."""
        forms = self.strings.strings()
        return [forms[code] for code in self.codes.tolist()]

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Places of all words in the text, as (start, end)."""
        return list(zip(self.starts.tolist(), self.ends.tolist()))

    def split_sentences(self) -> list[list[str]]:
        """Forms of the words, sentence by sentence."""
        words = self.words
        return [words[begin:end] for begin, end in pairwise(self.sentences.tolist())]


@runtime_checkable
class Tokenizer(Protocol):
    """Anything that has a name and cuts text into words and sentences.

    A tokenizer may have an attribute ``ends_at_blank_lines``: if it is true, no sentence goes beyond a blank line and
    what stands behind it changes nothing before it, so that many texts can be cut at once, with blank lines between.
    """

    @property
    def name(self) -> str:
        """Name, for messages and model files."""

    def segment(self, text: str) -> Segmentation:
        """Cut a text into words and sentences."""


@dataclass(frozen=True)
class RuleTokenizer:
    """A tokenizer of the core, which knows its rules by name.

    Attributes:
        name: Name of the rules.
        help: What the rules do, in one line.
    """

    name: str
    help: str = field(default="", compare=False)
    ends_at_blank_lines: ClassVar[bool] = True

    def segment(self, text: str) -> Segmentation:
        """Cut a text into words and sentences.

        Raises:
            DataError: The text has a lone surrogate, which no encoding can write.
        """
        strings = StringTable()
        try:
            codes, starts, ends, sentences = tokenize(text, self.name, strings)
        except (TypeError, ValueError):
            _check_text(text)
            raise
        return Segmentation(text, codes, strings, starts, ends, sentences)


def _check_text(text: object) -> None:
    if not isinstance(text, str):
        raise DataError(f"expected text as str, got {type(text).__name__}; decode bytes first")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise DataError(
            f"text: expected Unicode characters, got the lone surrogate {text[error.start]!a} at offset {error.start};"
            " remove it, or decode the text with errors='replace'"
        ) from None


_ROWS = (
    RuleTokenizer("unicode", "words and sentences of Unicode (UAX #29); CJK by character, addresses whole"),
    RuleTokenizer("ptb", "English as in the Penn Treebank: clitics apart, hyphens inside words"),
    RuleTokenizer("whitespace", "tokens between blanks, one sentence per line"),
    RuleTokenizer("character", "one token per character that is not blank, one sentence per line"),
)

#: Tokenizers by name.
TOKENIZERS: dict[str, Tokenizer] = {row.name: row for row in _ROWS}


@check_arguments
def get_tokenizer(name: str) -> Tokenizer:
    """Find a tokenizer by its name.

    Raises:
        ConfigError: Nobody knows the name.

    Examples:
        >>> get_tokenizer("ptb").segment("Don't panic. It's 5.30 p.m.").split_sentences()
        [['Do', "n't", 'panic', '.'], ['It', "'s", '5.30', 'p.m', '.']]
    """
    if name not in TOKENIZERS:
        raise unknown_name("tokenizer", name, TOKENIZERS)
    return TOKENIZERS[name]


def list_tokenizers() -> list[str]:
    """Names of all tokenizers."""
    return list(TOKENIZERS)


#: What a function may return for a text: words, places, or one list of these per sentence.
Cut = Iterable[str] | Iterable[tuple[int, int]] | Iterable[Sequence[str]] | Iterable[Sequence[tuple[int, int]]]


@check_methods()
@dataclass(frozen=True)
class FunctionTokenizer:
    """A Python function as a tokenizer.

    The function takes the text and returns its tokens in order: strings that occur in the text, or (start, end) pairs;
    or one list of these per sentence. Without lists the text is one sentence.

    Attributes:
        function: The function.
        name: Name of the tokenizer, for messages and model files.

    Examples:
        >>> FunctionTokenizer(str.split, "blanks").segment("two  words").spans
        [(0, 3), (5, 10)]
    """

    function: Callable[[str], Cut]
    name: str = "function"

    def segment(self, text: str) -> Segmentation:
        """Cut a text into words and sentences.

        Raises:
            DataError: The tokens are not in the text, out of range, out of order, or overlap.
        """
        _check_text(text)
        where = f"tokenizer {self.name!r}"
        tokens, sentences = _flatten(list(self.function(text)), where)
        if tokens and not isinstance(tokens[0], str):
            starts, ends = _check_spans(text, tokens, where)
        else:
            starts, ends = align_tokens(text, tokens, where)
        strings = StringTable()
        codes = strings.intern_all([text[start:end] for start, end in zip(starts.tolist(), ends.tolist())])
        return Segmentation(text, codes, strings, starts, ends, np.array(sentences, np.int64))


def _flatten(items: list[object], where: str) -> tuple[list[object], list[int]]:
    """Tokens of all sentences, and the offsets of the sentences; empty sentences are dropped."""
    if not any(_is_sentence(item) for item in items):
        return items, [0, len(items)] if items else [0]
    tokens: list[object] = []
    offsets = [0]
    for number, item in enumerate(items, 1):
        if not is_iterable(item) or isinstance(item, str):
            raise DataError(f"{where}: expected a list of tokens for sentence {number}, got {item!r}")
        tokens.extend(item)
        if len(tokens) > offsets[-1]:
            offsets.append(len(tokens))
    return tokens, offsets


def _is_sentence(item: object) -> bool:
    """A list of tokens; a pair of two numbers is a token itself."""
    if isinstance(item, str) or not is_iterable(item):
        return False
    parts = list(item) if isinstance(item, Sequence) else None
    return parts is None or not (len(parts) == 2 and all(_is_integer(part) for part in parts))


def _is_integer(value: object) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, bool)


def _check_spans(text: str, spans: Sequence[object], where: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Places as arrays: integers within the text, not empty, in order and without overlap."""
    starts, ends = np.empty(len(spans), np.int64), np.empty(len(spans), np.int64)
    last = 0
    for i, span in enumerate(spans):
        if not (isinstance(span, Sequence) and len(span) == 2 and all(_is_integer(part) for part in span)):
            raise DataError(f"{where}: token {i + 1}: expected (start, end) as integers, got {span!r}")
        start, end = index(span[0]), index(span[1])
        place = f"{where}: token {i + 1} from {start} to {end}"
        if not 0 <= start < end <= len(text):
            raise DataError(f"{place}: expected 0 <= start < end <= {len(text)}, the length of the text")
        if start < last:
            raise DataError(f"{place}: expected a start of at least {last}, where the token before it ends")
        starts[i], ends[i], last = start, end, end
    return starts, ends


def align_tokens(
    text: str, tokens: Sequence[object], where: str = "tokens"
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find tokens in their text, from left to right.

    Args:
        text: The text.
        tokens: Forms in the order of the text. Each is found at the first place behind the one before it; parts of the
            text may be left out.
        where: Beginning of the error message.

    Returns:
        Starts and ends of the tokens in the text, in code points.

    Raises:
        DataError: A token is not in the rest of the text.

    Examples:
        >>> starts, ends = align_tokens("It's here.", ["It", "'s", "here", "."])
        >>> starts.tolist(), ends.tolist()
        ([0, 2, 5, 9], [2, 4, 9, 10])
    """
    starts, ends = np.empty(len(tokens), np.int64), np.empty(len(tokens), np.int64)
    at = 0
    for i, token in enumerate(tokens):
        if not isinstance(token, str) or not token:
            raise DataError(f"{where}: token {i + 1}: expected a string that is not empty, got {token!r}")
        start = text.find(token, at)
        if start < 0:
            found = text[at : at + 20].strip()
            raise DataError(
                f"{where}: token {i + 1}, {token!r}, is not in the text from offset {at} on, "
                f"where it goes on with {found!r}"
            )
        starts[i], ends[i] = start, start + len(token)
        at = start + len(token)
    return starts, ends
