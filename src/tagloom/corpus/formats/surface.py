"""The text that a treebank was made from: tokens with the white space between them, and their places in the text.

A token is a word, or a multiword range of CoNLL-U (``3-4  don't``) that stands in the text for its words. The column
``misc`` says what follows a token: nothing with ``SpaceAfter=No``, the characters of ``SpacesAfter`` where a tool has
kept them, otherwise one blank. Documents and paragraphs (``# newdoc``, ``# newpar``) begin after a blank line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate, chain

import numpy as np

from tagloom.arguments import check_arguments, check_methods
from tagloom.corpus.corpus import Corpus, IntArray, place
from tagloom.corpus.formats.conllu import CONLLU_COLUMNS, get_lines
from tagloom.errors import ConfigError, DataError, show_value

PARAGRAPH = "\n\n"

_MULTIWORD = re.compile(r"([0-9]+)-([0-9]+)")
_NEWPAR = re.compile(r"#\s*newpar\b")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))")
_ESCAPED = {"s": " ", "t": "\t", "n": "\n", "r": "\r", "p": "|", "\\": "\\"}
_FORM, _MISC = (CONLLU_COLUMNS.index(name) for name in ("form", "misc"))


@check_methods()
@dataclass(frozen=True)
class RestoredText:
    """A text, its tokens as ranges of characters, and the words of the corpus that each token stands for."""

    text: str
    starts: IntArray  # [T] first character of each token
    ends: IntArray  # [T] after its last character
    words: IntArray  # [T + 1] token t stands for the words ``words[t]:words[t + 1]`` of the corpus
    sentences: IntArray  # [S + 1] token offsets

    def __len__(self) -> int:
        return len(self.starts)

    def __repr__(self) -> str:
        size = f"{len(self.text):,} characters, {len(self):,} tokens, {int(self.words[-1]):,} words"
        return f"<RestoredText: {size}, {len(self.sentences) - 1:,} sentences>"

    def tokens(self) -> list[str]:
        """List the tokens as they stand in the text."""
        return [self.text[start:end] for start, end in zip(self.starts.tolist(), self.ends.tolist())]

    def sentence(self, index: int) -> str:
        """Get the text of one sentence, from its first token to its last."""
        count = len(self.sentences) - 1
        if not 0 <= index < count:
            raise ConfigError(f"expected one of the {count} sentences, got number {show_value(index)}")
        first, last = self.sentences[index : index + 2].tolist()
        return self.text[self.starts[first] : self.ends[last - 1]] if last > first else ""


@check_arguments
def restore_text(corpus: Corpus, column: str = "form") -> RestoredText:
    r"""Restore the text of a corpus, with the place of every token in it.

    Args:
        corpus: A corpus; one that was read from CoNLL-U has its multiword tokens, paragraphs and white space. The words
            of others are separated by blanks, their sentences too.
        column: The column of the words.

    Raises:
        DataError: A multiword range does not fit the words of its sentence.

    Examples:
        >>> columns = {"form": ["So", "be", "it", "."], "misc": ["_", "_", "SpaceAfter=No", "_"]}
        >>> restored = restore_text(Corpus.from_columns(columns, [4]))
        >>> restored.text, restored.starts.tolist()
        ('So be it.\n', [0, 3, 6, 8])
    """
    if corpus.column(column).is_bag:
        raise DataError(f"{corpus.source}: column {column!r} holds several strings per token, expected words")
    words, forms, spaces = _join_words(corpus, column)
    sentences = np.searchsorted(words, corpus.sentences)
    _end_paragraphs(spaces, sentences, _find_paragraphs(corpus))
    ends = np.fromiter(accumulate(map(len, chain.from_iterable(zip(forms, spaces)))), np.int64, 2 * len(forms))
    starts = np.concatenate([np.zeros(1, np.int64), ends[1::2]])[:-1]
    text = "".join(chain.from_iterable(zip(forms, spaces)))
    return RestoredText(text, starts, ends[::2], words, sentences)


def _join_words(corpus: Corpus, column: str) -> tuple[IntArray, list[str], list[str]]:
    """Get the first word of every token and the number of words [T + 1], the tokens, and the space after each."""
    forms, spaces = corpus.column(column).texts(), _list_spaces(corpus)
    ranges = _find_multiwords(corpus)
    if not ranges:
        return np.arange(len(forms) + 1), forms, spaces
    starts_token = np.ones(len(forms) + 1, dtype=np.bool_)
    for start, (stop, form, misc) in ranges.items():
        starts_token[start + 1 : stop] = False
        forms[start], spaces[start] = form, _read_space(misc)
    words = np.flatnonzero(starts_token)
    kept = words[:-1].tolist()
    return words, [forms[word] for word in kept], [spaces[word] for word in kept]


def _find_multiwords(corpus: Corpus) -> Mapping[int, tuple[int, str, str]]:
    """Find the multiword ranges: first word, counted over the corpus, to the word after the last, form and misc."""
    found: dict[int, tuple[int, str, str]] = {}
    end = 0
    for sentence, before, line in get_lines(corpus).rows:
        cells = line.split("\t")
        match = _MULTIWORD.fullmatch(cells[0])
        if match is None:
            continue
        first, after = corpus.span(sentence)
        start, stop = first + int(match[1]) - 1, first + int(match[2])
        if start != first + before or not end <= start < stop <= after:
            raise DataError(
                f"{place(corpus, min(first + before, after - 1))}: multiword token {cells[0]} does not fit the "
                f"{after - first} words of its sentence; number its first and last word, ranges must not overlap"
            )
        found[start], end = (stop, cells[_FORM], cells[_MISC]), stop
    return found


def _list_spaces(corpus: Corpus) -> list[str]:
    if "misc" not in corpus.columns or corpus.columns["misc"].is_bag:
        return [" "] * corpus.token_count
    misc = corpus.columns["misc"]
    spaces = [_read_space(text) for text in misc.strings.strings()]
    return [spaces[code] for code in misc.codes.tolist()]


def _read_space(misc: str) -> str:
    """Get the white space after a token."""
    if "Space" not in misc:
        return " "
    entries = dict(entry.partition("=")[::2] for entry in misc.split("|"))
    if entries.get("SpaceAfter") == "No":
        return ""
    spaces = _ESCAPE.sub(_unescape, entries.get("SpacesAfter", " "))
    return spaces if not spaces.strip() else " "


def _unescape(match: re.Match[str]) -> str:
    return chr(int(match[1], 16)) if match[1] else _ESCAPED.get(match[2], match[0])


def _find_paragraphs(corpus: Corpus) -> Iterator[int]:
    """Find the sentences that begin a document or a paragraph."""
    if corpus.has_documents:
        yield from corpus.documents[:-1].tolist()
    yield from (sentence for sentence, comment in get_lines(corpus).comments if _NEWPAR.match(comment))


def _end_paragraphs(spaces: list[str], sentences: IntArray, paragraphs: Iterator[int]) -> None:
    """Put a blank line before every paragraph, and the end of a line behind the last token."""
    for first in {int(sentences[sentence]) for sentence in paragraphs if sentence < len(sentences)}:
        if first and PARAGRAPH not in spaces[first - 1]:
            spaces[first - 1] = PARAGRAPH
    if spaces and not spaces[-1].endswith("\n"):
        spaces[-1] = "\n"
