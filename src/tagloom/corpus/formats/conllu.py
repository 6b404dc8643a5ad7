"""CoNLL-U (https://universaldependencies.org/format.html): words as tokens, everything else kept for writing.

Words with an integer id become tokens. Comments, multiword ranges (``1-2``) and empty nodes (``1.1``) stand in
``Corpus.extras["conllu"]``, so that a file that is read and written again has the same bytes. ``# newdoc`` begins a
document.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tagloom.corpus.corpus import FIRST_LINES, Column, Corpus, IntArray
from tagloom.corpus.formats.conll import parse, to_corpus
from tagloom.corpus.layout import Layout, Names
from tagloom.corpus.writable import block_text, by_sentence, chosen, writable_texts
from tagloom.errors import DataError, unknown_name

CONLLU_COLUMNS: Names = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")

_WORD_ID = re.compile(r"[1-9][0-9]{0,8}")
_OTHER_ID = re.compile(r"[0-9]+[-.][0-9]+")
_NEWDOC = re.compile(r"#\s*newdoc\b")
_FORBIDDEN = re.compile(r"[\t\r\n\0]|^$")


@dataclass(frozen=True)
class TreebankLines:
    """The lines of a CoNLL-U file that are no words."""

    comments: tuple[tuple[int, str], ...] = ()  # (sentence that follows, line)
    rows: tuple[tuple[int, int, str], ...] = ()  # (sentence, its words before the line, line)


def read_conllu(data: bytes, source: str, layout: Layout) -> Corpus:
    parsed = parse(data, CONLLU_COLUMNS, "\t", "#", source)
    every = to_corpus(parsed, CONLLU_COLUMNS, source)
    words = _word_rows(every, parsed["sentence_lines"])
    before = np.concatenate([[0], np.cumsum(words)])  # [rows + 1] words before each row
    comments = tuple(parsed["comments"])
    starts = sorted({sentence for sentence, line in comments if _NEWDOC.match(line) and sentence < len(every)})
    return replace(
        every,
        columns={name: Column(c.codes[words], c.strings) for name, c in every.columns.items()},
        sentences=before[every.sentences],
        documents=np.unique(np.asarray([0, *starts, len(every)], dtype=np.int64)),
        has_documents=bool(starts),
        extras={
            "conllu": TreebankLines(comments, tuple(_other_rows(every, words, before))),
            FIRST_LINES: parsed["sentence_lines"],
        },
    )


def _word_rows(every: Corpus, first_lines: IntArray) -> NDArray[np.bool_]:
    """Which rows are words; the ids of a sentence's words must count from 1."""
    ids = every.column("id")
    numbers = np.array([_number(text) for text in ids.strings.strings()], dtype=np.int64)[ids.codes]
    words: NDArray[np.bool_] = numbers > 0
    before = np.concatenate([[0], np.cumsum(words)])
    sentence = np.repeat(np.arange(len(every)), np.diff(every.sentences))
    expected = before[1:] - before[every.sentences[sentence]]
    wrong = np.flatnonzero((numbers < 0) | (words & (numbers != expected)))
    if len(wrong):
        row = int(wrong[0])
        line = first_lines[sentence[row]] + row - every.sentences[sentence[row]]
        number = int(expected[row]) + (not words[row])
        raise DataError(f"{every.source}:{line}: expected word id {number}, found {ids.texts(row, row + 1)[0]!r}")
    empty = np.flatnonzero(np.diff(before[every.sentences]) == 0)
    if len(empty):
        raise DataError(f"{every.source}:{first_lines[empty[0]]}: the sentence has no word with an integer id")
    return words


def _number(text: str) -> int:
    """The id of a word; 0 for a multiword range or an empty node, -1 for what is no id."""
    if _WORD_ID.fullmatch(text):
        return int(text)
    return 0 if _OTHER_ID.fullmatch(text) else -1


def _other_rows(every: Corpus, words: NDArray[np.bool_], before: IntArray) -> Iterator[tuple[int, int, str]]:
    rows = np.flatnonzero(~words)
    owners = np.searchsorted(every.sentences, rows, side="right") - 1
    for row, sentence in zip(rows.tolist(), owners.tolist()):
        line = "\t".join(column.texts(row, row + 1)[0] for column in every.columns.values())
        yield sentence, int(before[row] - before[every.sentences[sentence]]), line


def write_conllu(corpus: Corpus, columns: Names | None) -> str:
    """Ten columns: ids are counted, a column the corpus lacks is ``_``."""
    names = chosen(corpus, columns, "conllu")
    for name in names:
        if name not in CONLLU_COLUMNS:
            raise unknown_name("CoNLL-U column", name, CONLLU_COLUMNS)
    missing = ["_"] * corpus.token_count
    texts = [
        writable_texts(corpus, name, _FORBIDDEN, "conllu") if name in names else missing for name in CONLLU_COLUMNS[1:]
    ]
    ids = [str(i) for length in np.diff(corpus.sentences).tolist() for i in range(1, length + 1)]
    rows = list(map("\t".join, zip(ids, *texts)))
    kept = corpus.extras.get("conllu")
    lines = kept if isinstance(kept, TreebankLines) else TreebankLines(tuple(_newdocs(corpus)))
    return block_text(_with_other_rows(by_sentence(corpus, rows), lines), _heads(lines))


def _newdocs(corpus: Corpus) -> Iterator[tuple[int, str]]:
    if corpus.has_documents:
        yield from ((start, "# newdoc") for start, _ in corpus.document_spans())


def _heads(lines: TreebankLines) -> dict[int, str]:
    heads: dict[int, str] = defaultdict(str)
    for sentence, comment in lines.comments:
        heads[sentence] += comment + "\n"
    return heads


def _with_other_rows(sentences: Iterable[list[str]], lines: TreebankLines) -> Iterator[list[str]]:
    others: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for sentence, before, line in lines.rows:
        others[sentence].append((before, line))
    for number, rows in enumerate(sentences):
        for before, line in reversed(others[number]):  # from the back: places before it stay where they are
            rows.insert(before, line)
        yield rows
