"""Corpora from whatever a user has: paths and streams, lists of sentences, records, data sets, data frames, documents.

Data sets, data frames and documents of spaCy are known by what they can do, so none of the libraries is imported.
"""

from __future__ import annotations

import itertools
import operator
import os
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set, Sized
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import tagloom._core as _core
from tagloom.arguments import check_arguments, is_iterable
from tagloom.corpus.corpus import Column, Corpus
from tagloom.corpus.feature_dicts import from_feature_dicts
from tagloom.corpus.formats.jsonl import JsonRecord, build_from_records, settle_record
from tagloom.corpus.io import read
from tagloom.corpus.layout import ColumnNames, Layout, check_width, choose_names, split_names
from tagloom.corpus.normalise import normal_form, normalise_corpus
from tagloom.corpus.spans import check_spans, encode_spans
from tagloom.errors import ConfigError, DataError, show_value, unknown_name
from tagloom.text import Tokenizer

MEMORY = "<memory>"


@check_arguments
def from_sentences(
    sentences: Iterable[Sequence[str] | Sequence[Sequence[str]]],
    tags: Iterable[Sequence[str]] | None = None,
    columns: ColumnNames = None,
) -> Corpus:
    """Build a corpus from lists of words, of (word, ..., label) tuples, or of words with parallel lists of tags.

    >>> from_sentences([["He", "left"], ["Yes"]]).names
    ['form']
    >>> from_sentences([[("He", "PRP"), ("left", "VBD")]]).sentence(0, "label")
    ['PRP', 'VBD']
    >>> from_sentences([["He", "left"]], tags=[["O", "O"]], columns="form ner").names
    ['form', 'ner']
    """
    rows: list[Any] = [_check_sentence(number, row) for number, row in enumerate(sentences, 1)]
    lengths = list(map(len, rows))
    flat = list(itertools.chain.from_iterable(rows))
    fields: list[Any] = _transpose(flat) if tags is None else [flat, check_parallel(lengths, tags, "tags")]
    names = split_names(columns) or choose_names(len(fields))
    check_width(names, len(fields), MEMORY)
    corpus = Corpus.from_columns(dict(zip(names, fields)), lengths)
    return corpus if columns is not None else replace(corpus, other_names=dict.fromkeys(names))


def _check_sentence(number: int, row: object) -> Sized:
    if isinstance(row, str):
        raise DataError(f"{MEMORY}: sentence {number} is a string, expected a list of tokens; split it first")
    if isinstance(row, bytes) or not is_iterable(row):
        raise DataError(f"{MEMORY}: sentence {number}: expected a list of tokens, got {show_value(row)}")
    return row if isinstance(row, Sized) else list(row)


def _transpose(flat: list[Any]) -> list[Any]:
    """Turn tokens that are strings, or tuples of one length, into columns."""
    if not flat or isinstance(flat[0], str):
        return [flat]
    if not isinstance(flat[0], Sequence):
        raise DataError(f"{MEMORY}: token 1 is {show_value(flat[0])}, expected a word or a tuple of strings")
    width = len(flat[0])
    for number, token in enumerate(flat, 1):
        if isinstance(token, str) or not isinstance(token, Sequence) or len(token) != width:
            raise DataError(f"{MEMORY}: token {number} is {token!r}, expected {width} fields like the first token")
    return list(zip(*flat))


def check_parallel(lengths: Sequence[int], tags: Iterable[Sequence[str]], what: str) -> list[str]:
    """Join lists that have one string per token; raise DataError if one has another length than its sentence."""
    lists = list(tags)
    if len(lists) != len(lengths):
        raise DataError(f"{MEMORY}: {len(lengths)} sentences, but {len(lists)} lists of {what}")
    for number, (row, length) in enumerate(zip(lists, lengths), 1):
        if len(row) != length:
            raise DataError(f"{MEMORY}: sentence {number} has {length} tokens, but {len(row)} {what}")
    return list(itertools.chain.from_iterable(lists))


def are_pairs(items: list[Any]) -> bool:
    """Tell pairs of words and labels from sentences of two tokens: a token is a tuple, and a sentence a list."""
    if not items:
        return False
    if isinstance(items[0], tuple) and _has_two_parts(items[0]) and is_list(items[0][0]):
        return True
    if not all(_has_two_parts(item) and is_list(item[0]) for item in items):
        return False
    return not any(isinstance(item, list) and isinstance(item[0], tuple) for item in items)


def _has_two_parts(item: Any) -> bool:
    return isinstance(item, Sequence) and not isinstance(item, str) and len(item) == 2


def from_pairs(pairs: list[Any], columns: ColumnNames) -> Corpus:
    """Build a corpus from pairs of words and labels, or of words and spans; empty lists beside words are spans."""
    for number, pair in enumerate(pairs, 1):
        if not _has_two_parts(pair) or not all(map(is_list, pair)):
            where = f"{MEMORY}: sentence {number}"
            raise DataError(
                f"{where}: expected (words, labels) or (words, spans) like the first, got {show_value(pair)}"
            )
    lists = [[part if isinstance(part, Sequence) else list(part) for part in pair] for pair in pairs]
    if holds_items([words for words, _ in lists]) and columns is None:
        return from_feature_dicts([items for items, _ in lists], [labels for _, labels in lists])
    is_empty = any(words for words, _ in lists) and not any(labels for _, labels in lists)
    if is_empty or any(not isinstance(label, str) for _, labels in lists for label in labels):
        return from_spans([(words, spans) for words, spans in lists], columns)
    return from_sentences([words for words, _ in lists], [labels for _, labels in lists], columns)


def holds_items(sentences: Iterable[Any], kinds: type | tuple[type, ...] = (Mapping, list, Set)) -> bool:
    """Tell feature dicts and lists of attributes from words and rows, by the first token; a row is a tuple."""
    first = next((token for tokens in sentences if isinstance(tokens, Sequence) for token in tokens[:1]), None)
    return isinstance(first, kinds)


@check_arguments
def from_spans(pairs: Iterable[tuple[Sequence[str], Iterable[Any]]], columns: ColumnNames = None) -> Corpus:
    """Build a corpus from pairs of words and spans (start, stop, category): columns form and label, in IOB2.

    >>> from_spans([(["in", "New", "York"], [(1, 3, "LOC")])]).sentence(0, "label")
    ['O', 'B-LOC', 'I-LOC']
    """
    sentences, tags = [], []
    for number, pair in enumerate(pairs, 1):
        match pair:
            case [words, spans] if isinstance(words, Sequence) and not isinstance(words, str):
                sentences.append(words)
            case _:
                raise DataError(f"{MEMORY}: sentence {number}: expected words and spans, got {show_value(pair)}")
        tags.append(encode_spans(check_spans(spans, len(words), f"{MEMORY}: sentence {number}"), len(words)))
    return from_sentences(sentences, tags, columns)


@check_arguments
def rows_to_corpus(sentences: Any, names: Sequence[str]) -> Corpus:
    """Build a corpus with the columns that a model reads.

    Args:
        sentences: Lists of words, of rows if there are several columns, or mappings from column to words.
        names: The columns.

    >>> rows_to_corpus([["He", "left"], []], ["form"]).sentences.tolist()
    [0, 2, 2]
    """
    if isinstance(sentences, (str, bytes)) or not is_iterable(sentences):
        raise DataError(f"expected a list of sentences, got {show_value(sentences)}")
    rows = [_read_rows(number, sentence, names) for number, sentence in enumerate(sentences, 1)]
    tables = [_core.StringTable() for _ in names]
    try:
        codes, offsets = _core.intern_sentences(tables, rows)
    except ValueError as error:
        raise DataError(f"{error} (this model reads: {' '.join(names)})") from None
    columns = {name: Column(code, table) for name, code, table in zip(names, codes, tables, strict=True)}
    return Corpus(columns, offsets, np.array([0, len(offsets) - 1], np.int64))


def _read_rows(number: int, sentence: Any, names: Sequence[str]) -> Any:
    if not isinstance(sentence, Mapping):
        return sentence if isinstance(sentence, (Sized, str)) or not is_iterable(sentence) else list(sentence)
    for name in names:
        if name not in sentence:
            raise DataError(f"sentence {number}: this model reads the columns {' '.join(names)}; missing: {name}")
        if not is_list(sentence[name]):
            raise DataError(f"sentence {number}: expected a list of words as column {name!r}")
    columns = [list(sentence[name]) for name in names]
    if len(set(map(len, columns))) > 1:
        lengths = ", ".join(f"{name} {len(column)}" for name, column in zip(names, columns, strict=True))
        raise DataError(f"sentence {number}: the columns differ in length: {lengths}")
    return columns[0] if len(names) == 1 else list(zip(*columns, strict=True))


def is_list(value: object) -> bool:
    """Check for a list of any kind, but not a string, a mapping or an array without dimensions."""
    return is_iterable(value) and not isinstance(value, (str, bytes, Mapping))


# Names that others give to our columns.
_FORMS = ("form", "tokens", "words", "word", "token", "text")
_LABELS = ("label", "ner_tags", "tags", "labels", "ner", "tag")
_OTHER_NAMES = {"pos_tags": "pos", "chunk_tags": "chunk"}
_ANY_LABELS = ("tags", "labels", "tag")  # do not say what the labels are about
_TAG_COLUMNS = (*_LABELS, *_OTHER_NAMES, *_OTHER_NAMES.values(), "upos", "xpos")  # numbers in them are those of classes
_SENTENCE_IDS = ("sentence_id", "sent_id", "sentence", "sentence #", "sentence_idx")
_DOCUMENT_IDS = ("document_id", "doc_id", "document", "doc")


def are_records(data: object) -> bool:
    """Tell a list of records with tokens or a text, like the lines of a JSONL file, from other data."""
    if not isinstance(data, (list, tuple)) or not data or not all(isinstance(item, Mapping) for item in data):
        return False
    return bool({"tokens", "text"} & data[0].keys()) and "ner_tags" not in data[0]


def from_records(records: list[Mapping[str, Any]], columns: ColumnNames, tokenizer: Tokenizer | None = None) -> Corpus:
    """Build a corpus from records like the lines of a JSONL file, or like the rows of a data set."""
    parsed = [
        JsonRecord(f"{MEMORY}: record {number}", {key: _to_plain(value) for key, value in record.items()})
        for number, record in enumerate(records, 1)
    ]
    kept = [record for record in parsed if not record.is_refused]
    first = (kept or parsed)[0]
    has_classes = any(_has_numbers(first.content.get(key)) for key in _LABELS)
    if has_classes or "ner_tags" in first.content or not {"tokens", first.text_key} & first.content.keys():
        rows = [record.content for record in kept]
        return build_from_columns({key: _get_field(rows, key) for key in first.content}, columns)
    layout = Layout(split_names(columns), tokenizer=tokenizer)
    corpus = build_from_records(kept, MEMORY, settle_record(first, layout))
    return corpus if columns is None else replace(corpus, other_names={})


def _to_plain(value: Any) -> Any:
    """Turn tuples and arrays into lists, as JSON has them."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return list(value) if isinstance(value, tuple) else value


def _has_numbers(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(type(each) is int for each in value)


def build_from_columns(
    data: Mapping[str, Any], columns: ColumnNames, features: Any = None, places: Sequence[Sequence[str]] | None = None
) -> Corpus:
    """Build a corpus from columns with one list per sentence; others, such as ids, are left out.

    ``columns`` says which to take, by the names of the data or ours; ``features`` is what a data set knows about its
    columns, such as the names of classes; ``places`` says where every word stands, for messages.
    """
    lists = {str(name): list(values) for name, values in data.items() if is_list(values)}
    lists = {name: values for name, values in lists.items() if all(map(is_list, values))}
    wanted = split_names(columns)
    form = next((name for name in (*_FORMS, *(wanted or ())[:1]) if name in lists), None)
    if form is None:
        raise DataError(
            f"{MEMORY}: expected a column of words, such as 'form' or 'tokens', with one list per sentence; "
            f"found: {' '.join(map(str, data)) or 'nothing'}"
        )
    lengths = list(map(len, lists[form]))
    known = features or {}
    names = _choose_columns(lists, form, known) if wanted is None else _select(lists, wanted, form)
    built = {
        name: check_parallel(
            lengths, _describe_cells(key, known.get(key), places).read(lists[key]), f"strings of {key!r}"
        )
        for name, key in names.items()
    }
    corpus = Corpus.from_columns(built, lengths)
    if wanted is not None:
        return corpus
    other_names = {name: None if key in _ANY_LABELS else key for name, key in names.items() if name != key}
    texts = [name for name, key in names.items() if not _holds_integers(lists[key]) or key in _TAG_COLUMNS]
    label = texts[-1] if len(texts) > 1 and texts[-1] != corpus.names[-1] else None  # numbers of words are no labels
    return replace(corpus, default_label=label, other_names=other_names)


def _describe_cells(name: str, feature: Any, places: Sequence[Sequence[str]] | None) -> _Cells:
    classes = _class_names(feature)
    return _Cells(name, classes, classes is not None or name in _TAG_COLUMNS, places)


def _choose_columns(lists: Mapping[str, list[Any]], form: str, features: Mapping[str, Any]) -> dict[str, str]:
    """Choose columns by their names: words first, the label last, between them all with one text per word."""
    label = next((name for name in _LABELS if name in lists), None)
    lengths = list(map(len, lists[form]))
    parallel = [name for name, values in lists.items() if list(map(len, values)) == lengths]
    known = [name for name in parallel if _class_names(features.get(name)) or _holds_texts(lists[name], name)]
    others = [name for name in known if name not in (form, label)]
    last = {} if label is None else {"label": label}
    return {"form": form, **{_OTHER_NAMES.get(name, name): name for name in others}, **last}


def _select(lists: Mapping[str, list[Any]], wanted: Sequence[str], form: str) -> dict[str, str]:
    """Find the columns that the user names, by the names of the data or by ours."""
    label = next((name for name in _LABELS if name in lists), "")
    ours = {"form": form, "label": label, **{ours: theirs for theirs, ours in _OTHER_NAMES.items()}}
    chosen = {name: name if name in lists else ours.get(name, name) for name in wanted}
    for name, key in chosen.items():
        if key not in lists:
            raise unknown_name("column", name, lists)
    return chosen


def _holds_texts(values: list[Any], name: str) -> bool:
    """Check whether a column holds strings, or whole numbers that are not those of classes, such as heads."""
    return isinstance(_find_value(values), str) or (_holds_integers(values) and name not in _TAG_COLUMNS)


def _holds_integers(values: list[Any]) -> bool:
    first = _find_value(values)
    return isinstance(first, (int, np.integer)) and not isinstance(first, bool)


def _find_value(values: list[Any]) -> Any:
    """Get the first value of a column; None if all are missing."""
    cells = [each for row in values for each in row]
    return next((each for each in cells if not _is_missing(each)), None) if cells else ""


def _is_missing(value: Any) -> bool:
    """Check for None and for what data frames have in its place: NaN, NA and NaT."""
    is_nan = isinstance(value, (float, np.floating)) and value != value
    return value is None or is_nan or type(value).__name__ in ("NAType", "NaTType")


@dataclass(frozen=True)
class _Cells:
    """How the cells of a column become strings."""

    name: str
    classes: list[str] | None = None  # names of the numbers in it
    has_classes: bool = False  # numbers are those of classes
    places: Sequence[Sequence[str]] | None = None  # where every word stands, for messages

    def read(self, rows: Iterable[Any]) -> list[list[str]]:
        """Turn numbers of classes into names, and other numbers into text."""
        rows = [list(row) for row in rows]
        kinds = {type(cell) for row in rows for cell in row}
        if kinds <= {str}:
            return rows
        return [
            [self._write(cell, len(kinds) > 1, sentence, word) for word, cell in enumerate(row)]
            for sentence, row in enumerate(rows)
        ]

    def _write(self, cell: Any, is_mixed: bool, sentence: int, word: int) -> str:
        if _is_missing(cell):
            place = f"sentence {sentence + 1}, word {word + 1}" if self.places is None else self.places[sentence][word]
            raise DataError(f"{MEMORY}: {place}: no value in column {self.name!r}, found {cell}; fill it in")
        if self.has_classes:
            return _name_tag(cell, self.classes)
        return _write_cell(cell, is_mixed=is_mixed)


def _write_cell(cell: Any, *, is_mixed: bool) -> str:
    """Write a cell as text; a column of mixed types may have whole numbers as floats."""
    if isinstance(cell, (float, np.floating)):
        return str(int(cell)) if is_mixed and float(cell).is_integer() else str(float(cell))
    if isinstance(cell, (str, int, np.integer)) and not isinstance(cell, bool):
        return str(cell)
    raise DataError(f"{MEMORY}: expected strings or numbers; found {show_value(cell)}")


@check_arguments
def from_hf(
    data: Mapping[str, Any] | Iterable[Mapping[str, Any]],
    names: Any = None,
    *,
    tokens: str = "tokens",
    tags: str | None = "ner_tags",
) -> Corpus:
    """Build a corpus from a dict of lists, a list of row dicts, or a ``datasets.Dataset``.

    Args:
        data: The data.
        names: Names of integer tags: a list, or a feature such as ``features["ner_tags"]``. By default those that the
            data set has itself.
        tokens: Field of the words.
        tags: Field of the tags; None to take the words only.

    >>> from_hf({"tokens": [["Bonn"]], "ner_tags": [[1]]}, names=["O", "B-LOC"]).sentence(0, "label")
    ['B-LOC']
    """
    features = getattr(data, "features", None) or {}
    rows = data if isinstance(data, Mapping) else list(data)
    sentences = [_check_sentence(number, row) for number, row in enumerate(_get_field(rows, tokens), 1)]
    words = _Cells(tokens).read(sentences)
    if tags is None:
        return from_sentences(words)
    classes = _class_names(features.get(tags) if names is None else names)
    return from_sentences(words, _Cells(tags, classes, has_classes=True).read(_get_field(rows, tags)))


def _get_field(rows: Mapping[str, Any] | list[Mapping[str, Any]], name: str) -> list[Any]:
    if not isinstance(rows, Mapping) and (wrong := [row for row in rows if not isinstance(row, Mapping)]):
        raise DataError(f"expected rows that are dicts, got {show_value(wrong[0])}")
    try:
        found = rows[name] if isinstance(rows, Mapping) else [row[name] for row in rows]
    except KeyError:
        raise unknown_name("field", name, rows if isinstance(rows, Mapping) else rows[0]) from None
    if not is_iterable(found):
        raise DataError(f"field {name!r}: expected a list with one entry per sentence, got {show_value(found)}")
    return list(found)


def _class_names(names: Any) -> list[str] | None:
    """Get the names of integer classes: a list, a ClassLabel (``.names``) or a list of them (``.feature.names``)."""
    if isinstance(names, list) and len(names) == 1 and hasattr(names[0], "names"):
        names = names[0]
    names = getattr(names, "feature", names)
    names = getattr(names, "names", names)
    return list(names) if isinstance(names, (list, tuple)) else None


def _name_tag(tag: Any, classes: list[str] | None) -> str:
    if isinstance(tag, str):
        return tag
    try:
        number = operator.index(tag)
    except TypeError:
        raise DataError(f"{MEMORY}: expected strings, or numbers of classes; found {show_value(tag)}") from None
    if classes is None:
        raise ConfigError("integer tags need names: use from_hf(data, names=...) with a list or the dataset's features")
    if not 0 <= number < len(classes):
        raise DataError(f"{MEMORY}: tag {number} has no name, expected 0 to {len(classes) - 1}")
    return classes[number]


def from_frame(frame: Any, columns: ColumnNames) -> Corpus:
    """Build a corpus from a data frame: a row is a token, or a sentence with lists in its cells."""
    if has_lists(frame):
        return build_from_columns(_list_cells(frame), columns)
    tokens = split_frame(frame)
    known = (*_FORMS, *_LABELS)
    lowered = {name.lower() if name.lower() in known else name: values for name, values in tokens.cells.items()}
    cut = {name: tokens.cut(values) for name, values in lowered.items()}
    corpus = build_from_columns(cut, columns, places=tokens.cut(tokens.rows))
    if tokens.documents is None:
        return corpus
    return replace(corpus, documents=np.cumsum([0, *tokens.documents], dtype=np.int64), has_documents=True)


def has_lists(frame: Any) -> bool:
    """Check whether the rows of a data frame are sentences, with lists in their cells."""
    return any(values and is_list(values[0]) for values in _list_cells(frame).values())


def _list_cells(frame: Any) -> dict[str, list[Any]]:
    return {str(name): frame[name].tolist() for name in frame.columns}


def names_words(name: str) -> bool:
    """Tell whether a column of this name holds the words of tokens."""
    return name.lower() in _FORMS


@dataclass(frozen=True)
class FrameTokens:
    """A data frame with one row per token, cut into sentences."""

    cells: dict[str, list[Any]]  # by column, without the ids of sentences and documents
    bounds: list[tuple[int, int]]  # first row of every sentence, and one past the last
    rows: list[str]  # what messages call the rows
    documents: list[int] | None  # number of sentences of every document, if documents have ids

    def cut(self, values: list[Any]) -> list[list[Any]]:
        """Cut one value per row into one list per sentence."""
        return [values[start:stop] for start, stop in self.bounds]


def split_frame(frame: Any) -> FrameTokens:
    """Cut a data frame with one row per token into sentences, by the ids in it."""
    data = _list_cells(frame)
    sentence, document = (_find_name(data, known) for known in (_SENTENCE_IDS, _DOCUMENT_IDS))
    if sentence is None:
        raise DataError(
            f"{MEMORY}: expected a data frame with one row per token and a column {' or '.join(_SENTENCE_IDS[:3])}, "
            f"or with lists in its cells; found the columns {' '.join(data)}"
        )
    rows = [f"row {label}" for label in frame.index.tolist()]
    keys = [_fill_down(data.pop(name)) for name in (document, sentence) if name is not None]
    bounds = _find_sentences(list(zip(*keys, strict=True)), rows, sentence)
    runs = itertools.groupby(keys[0][start] for start, _ in bounds)
    documents = None if document is None else [len(list(run)) for _, run in runs]
    return FrameTokens(data, bounds, rows, documents)


def _find_name(data: Iterable[str], known: Sequence[str]) -> str | None:
    return next((name for name in data if name.lower() in known), None)


def _fill_down(values: list[Any]) -> list[Any]:
    """Replace missing values by those before them: only the first row of a sentence may have its id."""
    last: Any = None
    return [last := last if _is_missing(value) else value for value in values]


def _find_sentences(keys: list[Hashable], rows: list[str], name: str) -> list[tuple[int, int]]:
    """Find the range of rows of every sentence; an id must not come back after other sentences.

    Such ids may be those of a sentence whose rows were shuffled, or of another sentence: nothing tells which.
    """
    starts = [at for at in range(len(keys)) if at == 0 or keys[at] != keys[at - 1]]
    seen: set[Hashable] = set()
    for start in starts:
        if keys[start] in seen:
            raise DataError(
                f"{MEMORY}: {rows[start]}: a sentence before the last one has the same {name!r}; sort the rows by "
                "sentence, or give every sentence an id of its own"
            )
        seen.add(keys[start])
    return list(itertools.pairwise([*starts, len(keys)]))


_ACCEPTED = (
    "a path, an open file, a Corpus, a list of sentences, of (words, labels) or (words, spans) pairs or of records, "
    "feature dicts, a dict of columns, a Hugging Face Dataset, a pandas DataFrame or a list of spaCy Docs"
)


@check_arguments
def to_corpus(
    data: Any,
    columns: ColumnNames = None,
    format: str | None = None,  # noqa: A002
    normalise: str | None = None,
    tokenizer: Tokenizer | None = None,
    *,
    attributes: bool = False,
) -> Corpus:
    """Turn data into a corpus.

    Args:
        data: A path, an open stream, a Corpus; sentences as lists of words or of (word, ..., label) tuples; pairs of
            words and labels, or of words and spans (start, stop, category); records like the lines of a JSONL file;
            a dict of columns with one list per sentence; a Hugging Face ``Dataset``, also one that is a stream; a
            pandas ``DataFrame`` with one row per token and a column such as ``sentence_id``, or with one row per
            sentence and lists in its cells; documents of spaCy; sentences of feature dicts, or pairs of feature dicts
            or lists of attributes and labels (see ``from_feature_dicts``). Lists may be iterators, which are consumed.
        columns: Names of the columns. Of dicts, data sets and data frames: which columns to take.
        format: Format of a path or stream; found in the content by default.
        normalise: Unicode normal form of the words, NFC or NFKC.
        tokenizer: What cuts running text, and records that have a text and no tokens; see ``read``.
        attributes: Whether tokens that are lists are lists of attributes rather than rows of columns.

    Returns:
        The corpus; without labels if the data has none.

    Raises:
        DataError: The data is of another kind, or its parts do not fit together.

    >>> to_corpus([(["He", "left"], ["PRP", "VBD"])]).sentence(0, "label")
    ['PRP', 'VBD']
    >>> to_corpus([(["in", "Bonn"], [(1, 2, "LOC")])]).sentence(0, "label")
    ['O', 'B-LOC']
    >>> to_corpus({"form": [["He", "left"], ["Yes"]]})
    <Corpus <memory>: 2 sentences, 3 tokens, columns form>
    """
    if isinstance(data, (str, os.PathLike)) or hasattr(data, "read"):
        return read(data, format, columns, normalise=normalise, tokenizer=tokenizer)
    corpus = _from_objects(data, columns, tokenizer, attributes)
    return corpus if normalise is None else normalise_corpus(corpus, normal_form(normalise))


def _read_data_set(data: Any) -> dict[str, list[Any]]:
    """Get the columns of a data set of Hugging Face; one that is a stream is read once."""
    if hasattr(data, "__len__"):
        return {name: list(data[name]) for name in data.column_names}
    rows = list(data)
    names = data.column_names or dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _from_objects(data: Any, columns: ColumnNames, tokenizer: Tokenizer | None, attributes: bool) -> Corpus:
    if isinstance(data, Corpus):
        return data
    if hasattr(data, "iloc") and hasattr(data, "columns"):
        return from_frame(data, columns)
    if hasattr(data, "column_names") and hasattr(data, "features"):
        return build_from_columns(_read_data_set(data), columns, data.features or {})
    if isinstance(data, Mapping):
        splits = [name for name, value in data.items() if hasattr(value, "column_names") or hasattr(value, "iloc")]
        if splits:
            raise DataError(f"expected one data set, got a dict of them; choose one, such as data[{splits[0]!r}]")
        return build_from_columns(data, columns)
    is_single = isinstance(data, (bytes, bytearray, memoryview)) or getattr(data, "ndim", 1) == 0
    if is_single or not is_iterable(data):
        raise DataError(f"expected {_ACCEPTED}; got {show_value(data)}")
    items = list(data)
    if items and all(hasattr(item, "to_array") and hasattr(item, "vocab") for item in items):
        from tagloom.corpus.spacy_docs import from_docs  # here, because few have such data

        return from_docs(items, split_names(columns))
    if items and all(isinstance(item, Mapping) for item in items):
        return from_records(items, columns, tokenizer)
    if attributes:
        return _from_items(items)
    if are_pairs(items):
        return from_pairs(items, columns)
    if columns is None and holds_items(items, Mapping):
        return from_feature_dicts(items)
    return from_sentences(items, columns=columns)


def _from_items(items: list[Any]) -> Corpus:
    """Build a corpus from sentences of feature dicts or lists of attributes, or from pairs of such and labels."""
    if items and all(map(_is_labelled, items)):
        return from_feature_dicts([item[0] for item in items], [item[1] for item in items])
    return from_feature_dicts(items)


def _is_labelled(item: Any) -> bool:
    """Tell a pair of items and labels from a sentence of two items: labels are strings, items are not."""
    if not (_has_two_parts(item) and is_list(item[1]) and all(isinstance(label, str) for label in item[1])):
        return False
    return isinstance(item, tuple) or holds_items(item[:1])
