"""CoNLL-U (https://universaldependencies.org/format.html): words as tokens, everything else kept for writing.

Words with an integer id become tokens. Comments, multiword ranges (``1-2``) and empty nodes (``1.1``) are kept in
``Corpus.extras``, so that a file that is read and written again has the same bytes. ``# newdoc`` begins a document.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tagloom.corpus.corpus import FIRST_LINES, FIRST_SENTENCE, OTHER_LINES, Column, Corpus, IntArray
from tagloom.corpus.formats.conll import build_corpus, parse
from tagloom.corpus.formats.format import (
    Comments,
    DocumentMarks,
    Format,
    choose_columns,
    find_block_end,
    get_texts,
    join_blocks,
    join_comments,
    split_sentences,
)
from tagloom.corpus.formats.nbest import NEWDOC, Copies, Rows, group_by_sentence
from tagloom.corpus.layers import CONFIDENCE, HEADS, RELATIONS, TAGS, Labelling, Layer
from tagloom.corpus.layout import Layout, Names
from tagloom.corpus.running_text import build_annotation, get_running_text
from tagloom.corpus.streams import Piece
from tagloom.errors import DataError, unknown_name

CONLLU_COLUMNS: Names = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")

_OTHER_TAGS = "xpos"  # the place of tags whose column CoNLL-U does not know
_NOTHING = "_"
_WORD_ID = re.compile(r"[1-9][0-9]{0,8}")
_OTHER_ID = re.compile(r"[0-9]+[-.][0-9]+")
_NEWDOC_LINE = re.compile(rb"#\s*newdoc\b")
_FORBIDDEN = re.compile(r"[\t\r\n\0]|^$")
_LINES = "conllu"  # key of Corpus.extras


@dataclass(frozen=True)
class TreebankLines:
    """The lines of a CoNLL-U file that hold no word."""

    comments: Comments = ()
    rows: Rows = ()


def read_conllu(piece: Piece, layout: Layout) -> Corpus:
    """Read ten columns; rows that hold no word are kept aside."""
    parsed = parse(piece, CONLLU_COLUMNS, "\t", "#")
    every = build_corpus(parsed, CONLLU_COLUMNS, piece.source)
    words = _word_rows(every, parsed["sentence_lines"])
    before = np.concatenate([[0], np.cumsum(words)])  # [rows + 1] words before each row
    comments = tuple(parsed["comments"])
    others = tuple(_other_rows(every, words, before))
    starts = sorted({sentence for sentence, line in comments if NEWDOC.match(line) and sentence < len(every)})
    return replace(
        every,
        columns={name: Column(c.codes[words], c.strings) for name, c in every.columns.items()},
        sentences=before[every.sentences],
        documents=np.unique(np.asarray([0, *starts, len(every)], dtype=np.int64)),
        has_documents=bool(starts),
        extras={_LINES: TreebankLines(comments, others), FIRST_LINES: parsed["sentence_lines"], OTHER_LINES: others},
    )


def find_last_document(data: bytes) -> int:
    """Get the offset of the sentence that the last ``# newdoc`` stands before, -1 if there is none."""
    at = data.rfind(b"newdoc")
    while at >= 0:
        line = data.rfind(b"\n", 0, at) + 1
        if _NEWDOC_LINE.match(data, line):
            while line and data[data.rfind(b"\n", 0, line - 1) + 1 : line].strip():
                line = data.rfind(b"\n", 0, line - 1) + 1
            return line
        at = data.rfind(b"newdoc", 0, at)
    return -1


def start_document(_before: bytes, data: bytes) -> bool:
    """Check whether ``# newdoc`` stands before the first word."""
    at = 0
    while at < len(data):
        end = data.find(b"\n", at) + 1 or len(data)
        if _NEWDOC_LINE.match(data, at):
            return True
        if data[at:end].strip() and data[at] != ord("#"):
            return False
        at = end
    return False


def _word_rows(every: Corpus, first_lines: IntArray) -> NDArray[np.bool_]:
    """Find the rows that are words; the ids of the words of a sentence must count from 1."""
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
    """Get the id of a word; 0 for a multiword range or an empty node, -1 for anything else."""
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
    """Write ten columns: ids are counted, a column that the corpus does not have is ``_``."""
    names = choose_columns(corpus, columns, CONLLU.name)
    for name in names:
        if name not in CONLLU_COLUMNS:
            raise unknown_name("CoNLL-U column", name, CONLLU_COLUMNS)
    missing = [_NOTHING] * corpus.token_count
    texts = [
        get_texts(corpus, name, _FORBIDDEN, CONLLU.name) if name in names else missing for name in CONLLU_COLUMNS[1:]
    ]
    ids = [str(i) for length in np.diff(corpus.sentences).tolist() for i in range(1, length + 1)]
    rows = list(map("\t".join, zip(ids, *texts)))
    lines = get_lines(corpus)
    return join_blocks(_insert_other_rows(split_sentences(corpus, rows), lines), join_comments(lines.comments))


def join_treebank_lines(corpora: Sequence[Corpus]) -> dict[str, object]:
    """Join the lines that hold no word, as extras of the corpora one after the other; none if no corpus has any."""
    if not any(_LINES in corpus.extras for corpus in corpora):
        return {}
    comments: list[tuple[int, str]] = []
    rows: list[tuple[int, int, str]] = []
    first = 0
    for corpus in corpora:
        lines = get_lines(corpus)
        comments += [(first + sentence, line) for sentence, line in lines.comments]
        rows += [(first + sentence, before, line) for sentence, before, line in lines.rows]
        first += len(corpus)
    return {_LINES: TreebankLines(tuple(comments), tuple(rows))}


def get_lines(corpus: Corpus) -> TreebankLines:
    """Get the lines that hold no word; of a corpus that was not read from CoNLL-U, the starts of its documents."""
    kept = corpus.extras.get(_LINES)
    if isinstance(kept, TreebankLines):
        return kept
    starts = corpus.documents[:-1].tolist() if corpus.has_documents else []
    return TreebankLines(tuple((start, "# newdoc") for start in starts))


def _insert_other_rows(sentences: Iterable[list[str]], lines: TreebankLines) -> Iterator[list[str]]:
    others = group_by_sentence(lines.rows)
    for number, rows in enumerate(sentences):
        for before, line in reversed(others[number]):  # from the back: places before it stay where they are
            rows.insert(before, line)
        yield rows


def annotate_treebank(corpus: Corpus, predicted: Mapping[str, Column], layers: Sequence[Layer], main: str) -> str:
    """Write CoNLL-U with every layer in its column, and what has none in MISC.

    A corpus that was cut from running text is written with its text, its white space and its multiword tokens.
    """
    if get_running_text(corpus) is not None:
        first = int(str(corpus.extras.get(FIRST_SENTENCE, 0))) + 1
        return build_annotation(corpus, predicted, layers, main).to_conllu(first)
    corpus = corpus.with_column("form", corpus.column(main))
    for layer in layers:
        name = _column_of(layer)
        column: Column | Iterable[str] = predicted[layer.column]
        if name is None:
            key = "Confidence" if layer.kind == CONFIDENCE else layer.column
            name, column = "misc", _add_to_misc(corpus, key, predicted[layer.column].texts())
        corpus = corpus.with_column(name, column)
    kinds = {layer.kind for layer in layers}
    if HEADS in kinds and RELATIONS not in kinds:
        corpus = corpus.with_column("deprel", [_NOTHING] * corpus.token_count)
    return write_conllu(corpus, tuple(name for name in corpus.names if name in CONLLU_COLUMNS))


def _column_of(layer: Layer) -> str | None:
    if layer.kind in (HEADS, RELATIONS):
        return {HEADS: "head", RELATIONS: "deprel"}[layer.kind]
    if layer.kind != CONFIDENCE and layer.column in CONLLU_COLUMNS:
        return layer.column
    return _OTHER_TAGS if layer.kind == TAGS else None


def _add_to_misc(corpus: Corpus, key: str, texts: Iterable[str]) -> list[str]:
    misc = corpus.columns["misc"].texts() if "misc" in corpus.columns else [_NOTHING] * corpus.token_count
    entries = (f"{key}={text}" for text in texts)
    return [entry if before == _NOTHING else f"{before}|{entry}" for before, entry in zip(misc, entries, strict=True)]


def annotate_treebank_nbest(
    corpus: Corpus, lists: Sequence[Sequence[Labelling]], layer: Layer, main: str, *, by_document: bool = False
) -> str:
    """Write every labelling after a comment ``# nbest = RANK SCORE [PROBABILITY]``, the best being 0."""
    copies, lines = Copies.build(corpus, lists, by_document=by_document), get_lines(corpus)
    copied = TreebankLines(copies.copy_comments(lines.comments, "# nbest = "), copies.copy_rows(lines.rows))
    return annotate_treebank(copies.copy_corpus(corpus, {_LINES: copied}), {layer.column: copies.labels}, [layer], main)


CONLLU = Format(
    "conllu",
    "CoNLL-U",
    read_conllu,
    write_conllu,
    annotate_treebank,
    annotate_treebank_nbest,
    find_end=find_block_end,
    names_columns=True,
    documents=DocumentMarks(find_last_document, start_document),
    has_trees=True,
    default_label="upos",
)
