"""The format of a text, guessed from its first lines (64 KB, 1,000 lines).

A binary format is known by its first bytes. For text, the first test that agrees decides:

1. JSONL: the first line opens an object with a quoted key.
2. CoNLL-U: ten fields between tabs, the first of them an id (``3``, ``1-2``, ``1.1``).
3. CRFsuite: tabs; lines differ in their number of fields, or most fields after the first look like ``name=value``.
4. Columns with tabs: two or more fields between tabs.
5. Slashed text: nearly all words have a slash inside.
6. Columns with blanks: most lines have the same number of fields, two or more. Lines must also stand together like
   the tokens of sentences: several lines before a blank line, or three or more, or a document line. A single line is
   a sentence, not a token, unless the user has named as many columns.
7. One column: one field per line, lines together as above, but not more than a sentence can have (a list of words is
   not a corpus); Chinese lines as short as words.
8. Mostly Chinese or Japanese characters: segmented text if the lines have blanks and what stands between them is as
   short as words, otherwise unsegmented text.
9. Otherwise plain text, or columns if the user has named several of them.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from functools import cached_property

from tagloom.arguments import check_arguments, check_methods
from tagloom.corpus.formats import CHARACTERS, CONLL, CONLLU, CRFSUITE, FORMATS, JSONL, SEGMENTED, SLASHED, TEXT
from tagloom.corpus.formats.conllu import CONLLU_COLUMNS
from tagloom.corpus.layout import DOCUMENT_LINE, Layout, Names, Shape, choose_names, measure, sample_lines

_JSON_OBJECT = re.compile(r'\{\s*"[^"]*"\s*:')
_CONLLU_ID = re.compile(r"[0-9]+([-.][0-9]+)?\t")
_ATTRIBUTE = re.compile(r"[^=]+=.|.*[^\\]:[-+.0-9eE]+$")
_SLASHED = re.compile(r".+/[^/]+")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_MOST, _NEARLY_ALL = 0.7, 0.9
_LONGEST_MEAN_WORD = 4  # characters; words of Chinese corpora have 1.6 on average, unsegmented lines some 40
_LONGEST_SENTENCE = 500  # tokens
_LABEL = re.compile(r"[^a-z]*|[BIESLUM]-.*")  # NN, O, B-loc, 3, $, _: what ends the lines of columns, not of text
_UNKNOWN = Layout()


@check_methods()
@dataclass(frozen=True)
class Guess:
    """A format, the layout of its lines, and the reason for the guess."""

    format: str
    separator: str | None
    columns: Names  # default names; () where only the content can tell
    reason: str


@check_arguments
def guess_format(data: bytes, layout: Layout = _UNKNOWN) -> Guess:
    r"""Guess the format of a text from its content and what is known about its layout.

    >>> guess_format(b"He PRP O\nleft VBD O\n\nYes UH O\n")
    Guess(format='conll', separator=' ', columns=('form', 'pos', 'label'), reason='space-separated, 3 columns')
    >>> guess_format(b"He left .\n").format, guess_format(b"He/PRP left/VBD ./.\n").format
    ('text', 'slashed')
    """
    for row in FORMATS.values():
        if row.mark is not None and data.startswith(row.mark):
            return Guess(row.name, None, (), "binary")
    lines = sample_lines(data)
    sample = _Sample(lines, measure(lines, layout), len(layout.columns or ()))
    return next(found for test in _TESTS if (found := test(sample)))


def could_be_sentences(data: bytes) -> bool:
    r"""Tell whether the lines of columns between blanks could be sentences with equal numbers of words as well.

    Then their last words are neither like labels nor do they come back.

    >>> could_be_sentences(b"He left\nShe came\n"), could_be_sentences(b"He PRP\nleft VBD\n")
    (True, False)
    """
    shape = measure(sample_lines(data), _UNKNOWN)
    last = [line.split()[-1] for line in shape.tokens if line.strip()]
    if shape.separator == "\t" or shape.width < 2 or not last:
        return False
    like_labels = sum(1 for text in last if _LABEL.fullmatch(text)) / len(last)
    return like_labels < 0.5 < len(set(last)) / len(last)


@dataclass(frozen=True)
class _Sample:
    lines: list[str]
    shape: Shape  # the lines read as columns
    named: int  # columns that the user has named; 0 for none

    @cached_property
    def words(self) -> list[str]:
        return [word for line in self.shape.tokens for word in line.split()]

    @cached_property
    def blocks(self) -> list[int]:
        """Lengths of the runs of lines between blank lines and document lines."""
        is_token = [bool(line.strip(" \t")) and not DOCUMENT_LINE.match(line) for line in self.lines]
        return [len(list(run)) for token, run in itertools.groupby(is_token) if token]

    @property
    def stands_in_blocks(self) -> bool:
        has_blank_line = not all(line.strip(" \t") for line in self.lines[:-1])
        has_document_line = any(map(DOCUMENT_LINE.match, self.lines))
        return has_document_line or max(self.blocks, default=0) > (1 if has_blank_line else 2)

    @cached_property
    def is_chinese(self) -> bool:
        letters = sum(map(str.isalpha, itertools.chain.from_iterable(self.words)))
        return 2 * sum(len(_CJK.findall(word)) for word in self.words) > letters

    @cached_property
    def has_short_words(self) -> bool:
        return sum(map(len, self.words)) <= _LONGEST_MEAN_WORD * len(self.words)


def _part(pattern: re.Pattern[str], texts: list[str] | tuple[str, ...]) -> float:
    """Get the share of the texts whose beginning the pattern matches."""
    return sum(1 for text in texts if pattern.match(text)) / max(len(texts), 1)


def _jsonl(sample: _Sample) -> Guess | None:
    first = next((line for line in sample.lines if line.strip()), "")
    return Guess(JSONL.name, None, (), "one object per line") if _JSON_OBJECT.match(first.strip()) else None


def _conllu(sample: _Sample) -> Guess | None:
    shape = sample.shape
    if shape.separator == "\t" and shape.width == len(CONLLU_COLUMNS) and _part(_CONLLU_ID, shape.tokens) > _NEARLY_ALL:
        return Guess(CONLLU.name, "\t", CONLLU_COLUMNS, "tab-separated, 10 columns")
    return None


def _crfsuite(sample: _Sample) -> Guess | None:
    shape = sample.shape
    if shape.separator != "\t":
        return None
    fields = [field for line in shape.tokens for field in line.split("\t")[1:] if field]
    # Two columns are never attributes: a corpus of words and morphological features (Case=Nom) looks the same.
    if shape.share < _MOST or (shape.width > 2 and _part(_ATTRIBUTE, fields) > 0.5):
        return Guess(CRFSUITE.name, "\t", ("label", "attributes"), "tab-separated")
    return None


def _guess_tabbed_columns(sample: _Sample) -> Guess | None:
    return _columns(sample) if sample.shape.separator == "\t" and sample.shape.width > 1 else None


def _guess_slashed(sample: _Sample) -> Guess | None:
    if sample.words and _part(_SLASHED, sample.words) > _NEARLY_ALL:
        return Guess(SLASHED.name, " ", ("form", "label"), "a slash in each word")
    return None


def _guess_spaced_columns(sample: _Sample) -> Guess | None:
    shape = sample.shape
    like_tokens = sample.stands_in_blocks or sample.named == shape.width
    return _columns(sample) if shape.width > 1 and shape.share > _MOST and like_tokens else None


def _one_column(sample: _Sample) -> Guess | None:
    if sample.shape.width != 1 or sample.shape.share <= _NEARLY_ALL or not sample.stands_in_blocks:
        return None
    if max(sample.blocks) > _LONGEST_SENTENCE or (sample.is_chinese and not sample.has_short_words):
        return None
    return _columns(sample)


def _columns(sample: _Sample) -> Guess:
    shape = sample.shape
    separator = "tab" if shape.separator == "\t" else "space"
    count = f"{shape.width} columns" if shape.width > 1 else "1 column"
    return Guess(CONLL.name, shape.separator, choose_names(shape.width), f"{separator}-separated, {count}")


def _chinese(sample: _Sample) -> Guess | None:
    if not sample.is_chinese:
        return None
    if sample.has_short_words and len(sample.words) > len(sample.shape.tokens):
        return Guess(SEGMENTED.name, " ", ("form", "label"), "words between blanks, one token per character")
    return Guess(CHARACTERS.name, None, ("form",), "no blanks between words, one token per character")


def _text(sample: _Sample) -> Guess:
    if sample.named > 1:  # running text has one column: these are columns, and the reader will say what is wrong
        return _columns(sample)
    return Guess(TEXT.name, " ", ("form",), "one sentence per line")


_TESTS = (
    _jsonl,
    _conllu,
    _crfsuite,
    _guess_tabbed_columns,
    _guess_slashed,
    _guess_spaced_columns,
    _one_column,
    _chinese,
    _text,
)
