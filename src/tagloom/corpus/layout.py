"""How the columns of a file lie on its lines: names, separator and comment prefix, given by the user or measured."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tagloom.arguments import is_iterable
from tagloom.corpus.normalise import NormalForm
from tagloom.errors import ConfigError, DataError, show_value
from tagloom.text import Tokenizer

Names: TypeAlias = tuple[str, ...]
ColumnNames: TypeAlias = str | Sequence[str] | None  # as users pass them

DOCUMENT_LINE = re.compile(r"-DOCSTART-(?=[ \t]|$)|###MEDLINE:")

SAMPLE_BYTES, _SAMPLE_LINES, _FEWEST_LINES = 1 << 16, 1000, 3
_FIELD = re.compile(r"[^ \t]+")
_DEFAULT_NAMES: dict[int, Names] = {
    1: ("form",),
    2: ("form", "label"),
    3: ("form", "pos", "label"),
    4: ("form", "pos", "chunk", "label"),
    5: ("form", "lemma", "pos", "chunk", "label"),
}


@dataclass(frozen=True)
class Layout:
    """What is known about the lines of a file; None stands for what the content must show."""

    columns: Names | None = None
    separator: str | None = None  # a blank or a tab
    comment: str | None = None  # prefix of comment lines, "" for none
    normal_form: NormalForm | None = None  # of the words; None leaves them as they are
    fields: Names | None = None  # the fields of a record that the columns are read from
    tokenizer: Tokenizer | None = None  # cuts running text; None: at blanks, one sentence per line
    has_paragraphs: bool = False  # running text is cut at blank lines, not at every line end


@dataclass(frozen=True)
class Shape:
    """What a sample of lines shows when it is read as columns."""

    separator: str  # "\t", or " " for runs of blanks
    width: int  # fields on most token lines
    share: float  # part of the token lines that has this many fields
    comment: str  # prefix of comment lines, "" for none
    first: int  # number of the first token line, 0 for none
    tokens: tuple[str, ...]  # the token lines


def split_names(columns: ColumnNames) -> Names | None:
    """Get the names that a user has passed, a string being split at blanks, and check that they differ."""
    if columns is None:
        return None
    names = tuple(columns.split()) if isinstance(columns, str) else _check_names(columns)
    if not names or len(set(names)) != len(names):
        raise ConfigError(f"columns need names that differ, got: {' '.join(names) or 'none'}")
    return names


def _check_names(columns: object) -> Names:
    names = tuple(columns) if is_iterable(columns) else ()
    if not is_iterable(columns) or not all(isinstance(name, str) for name in names):
        raise ConfigError(f"columns: expected names of columns, got {show_value(columns)}")
    return names


def choose_names(width: int) -> Names:
    """Name columns that nobody has named: the first is ``form``, the last ``label``.

    >>> choose_names(3), choose_names(6)
    (('form', 'pos', 'label'), ('form', 'column2', 'column3', 'column4', 'column5', 'label'))
    """
    middle = (f"column{number}" for number in range(2, width))
    return _DEFAULT_NAMES.get(width) or ("form", *middle, "label")


def check_width(names: Names, found: int, where: str) -> None:
    """Raise DataError if the number of names is not the number of columns."""
    if len(names) != found:
        raise DataError(f"{where}: {len(names)} columns named ({' '.join(names)}), found {found}")


def sample_lines(data: bytes) -> list[str]:
    """Decode the whole lines among the first 64 KB, at most 1,000; the first three lines if they are longer."""
    head = data[: max(SAMPLE_BYTES, _find_line_end(data, _FEWEST_LINES))]
    if len(data) > len(head):
        head = head[: head.rfind(b"\n") + 1] or head
    lines = head.decode(errors="replace").split("\n", _SAMPLE_LINES)[:_SAMPLE_LINES]
    return [line.removesuffix("\r") for line in lines]


def _find_line_end(data: bytes, count: int) -> int:
    """Get the offset after so many lines; that of the last whole line if there are fewer."""
    end = 0
    for _ in range(count):
        following = data.find(b"\n", end) + 1
        if not following:
            break
        end = following
    return end


def measure(lines: Sequence[str], layout: Layout) -> Shape:
    """Read sample lines as columns; what the layout leaves open is what most of the lines have.

    The separator is a tab if most token lines have one. Lines that start with ``#`` and have another number of fields
    than the token lines are comments.
    """
    numbered = [(n, line) for n, line in enumerate(lines, 1) if line.strip(" \t") and not DOCUMENT_LINE.match(line)]
    if layout.comment:
        numbered = [(n, line) for n, line in numbered if not line.startswith(layout.comment)]
    plain = [line for _, line in numbered if not line.startswith("#")] or [line for _, line in numbered]
    separator = layout.separator or ("\t" if 2 * sum("\t" in line for line in plain) > len(plain) else " ")
    counts = Counter(_count_fields(line, separator) for line in plain)
    width = max(counts, key=lambda count: counts[count], default=0)
    comment = _comment_prefix(plain, numbered, separator, width) if layout.comment is None else layout.comment
    tokens = [(n, line) for n, line in numbered if not (comment and line.startswith(comment))]
    return Shape(
        separator,
        width,
        counts[width] / max(len(plain), 1),
        comment,
        tokens[0][0] if tokens else 0,
        tuple(line for _, line in tokens),
    )


def _count_fields(line: str, separator: str) -> int:
    return line.count("\t") + 1 if separator == "\t" else len(_FIELD.findall(line))


def _comment_prefix(plain: Sequence[str], numbered: Sequence[tuple[int, str]], separator: str, width: int) -> str:
    if len(plain) == len(numbered):
        return ""
    misfits = [line for _, line in numbered if line.startswith("#") and _count_fields(line, separator) != width]
    if not misfits:
        return ""
    # "# " spares tokens such as a hash tag; "#" only if the file has comments without a blank.
    return "# " if all(line.startswith("# ") for line in misfits) else "#"
