"""Corpora from tables: records, dicts of columns, Hugging Face data sets, data frames; no library is imported."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tagloom.corpus.corpus import Corpus
from tagloom.corpus.formats.jsonl import build_from_records, settle_record
from tagloom.corpus.formats.record import JsonRecord
from tagloom.corpus.layout import ColumnNames, Layout, split_names
from tagloom.corpus.sentences import MEMORY, check_parallel, from_sentences, is_list
from tagloom.errors import ConfigError, DataError, unknown_name

# Names that others give to our columns.
_FORMS = ("form", "tokens", "words", "word", "token", "text")
_LABELS = ("label", "ner_tags", "tags", "labels", "ner", "tag")
_OTHER_NAMES = {"pos_tags": "pos", "chunk_tags": "chunk"}
_SENTENCE_IDS = ("sentence_id", "sent_id", "sentence", "sentence #", "sentence_idx")


def from_records(records: list[Mapping[str, Any]], columns: ColumnNames) -> Corpus:
    """Build a corpus from records like the lines of a JSONL file, or like the rows of a data set."""
    first = {key: _to_plain(value) for key, value in records[0].items()}
    has_classes = any(_has_numbers(first.get(key)) for key in _LABELS)
    if has_classes or "ner_tags" in first or not {"tokens", "text"} & first.keys():
        return build_from_columns({key: _get_field(records, key) for key in first}, columns)
    parsed = [
        JsonRecord(f"{MEMORY}: record {number}", {key: _to_plain(value) for key, value in record.items()})
        for number, record in enumerate(records, 1)
    ]
    return build_from_records(parsed, MEMORY, settle_record(parsed[0], Layout(split_names(columns))))


def _to_plain(value: Any) -> Any:
    """Turn tuples and arrays into lists, as JSON has them."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return list(value) if isinstance(value, tuple) else value


def _has_numbers(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(type(each) is int for each in value)


def build_from_columns(data: Mapping[str, Any], columns: ColumnNames, features: Any = None) -> Corpus:
    """Build a corpus from columns with one list per sentence; others, such as ids, are left out.

    Args:
        data: The columns by name.
        columns: Which columns to take, by the names of the data or ours; all by default.
        features: What a data set knows about its columns, such as the names of classes.
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
        name: check_parallel(lengths, _resolve(lists[key], known.get(key)), f"strings of {key!r}")
        for name, key in names.items()
    }
    return Corpus.from_columns(built, lengths)


def _choose_columns(lists: Mapping[str, list[Any]], form: str, features: Mapping[str, Any]) -> dict[str, str]:
    """Choose columns by their names: words first, the label last, between them all with one string per word."""
    label = next((name for name in _LABELS if name in lists), None)
    lengths = list(map(len, lists[form]))
    others = [
        name
        for name, values in lists.items()
        if name not in (form, label)
        and list(map(len, values)) == lengths
        and (_class_names(features.get(name)) or _holds_strings(values))
    ]
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


def _holds_strings(values: list[Any]) -> bool:
    first = next((each for row in values for each in row), "")
    return isinstance(first, str)


def _resolve(rows: Iterable[Any], feature: Any) -> list[list[str]]:
    """Turn integer tags into strings by the names that the data set has for them."""
    classes = _class_names(feature)
    return [[_name_tag(tag, classes) for tag in row] for row in rows]


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
    sentences = _get_field(rows, tokens)
    if tags is None:
        return from_sentences(sentences)
    return from_sentences(sentences, _resolve(_get_field(rows, tags), features.get(tags) if names is None else names))


def _get_field(rows: Mapping[str, Any] | list[Mapping[str, Any]], name: str) -> list[Any]:
    try:
        return list(rows[name]) if isinstance(rows, Mapping) else [row[name] for row in rows]
    except KeyError:
        known = rows if isinstance(rows, Mapping) else rows[0]
        raise unknown_name("field", name, known) from None


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
        raise DataError(f"{MEMORY}: expected strings, or numbers of classes; found {tag!r:.60}") from None
    if classes is None:
        raise ConfigError("integer tags need names: use from_hf(data, names=...) with a list or the dataset's features")
    if not 0 <= number < len(classes):
        raise DataError(f"{MEMORY}: tag {number} has no name, expected 0 to {len(classes) - 1}")
    return classes[number]


def from_frame(frame: Any, columns: ColumnNames) -> Corpus:
    """Build a corpus from a data frame: a row is a token, or a sentence with lists in its cells."""
    data = {str(name): frame[name].tolist() for name in frame.columns}
    sentence = next((name for name in data if name.lower() in _SENTENCE_IDS), None)
    if any(values and is_list(values[0]) for values in data.values()):
        return build_from_columns(data, columns)
    if sentence is None:
        raise DataError(
            f"{MEMORY}: expected a data frame with one row per token and a column {' or '.join(_SENTENCE_IDS[:3])}, "
            f"or with lists in its cells; found the columns {' '.join(data)}"
        )
    lengths = _count_runs(data.pop(sentence))
    lowered = {name.lower() if name.lower() in (*_FORMS, *_LABELS) else name: values for name, values in data.items()}
    bounds = list(itertools.pairwise(itertools.accumulate(lengths, initial=0)))
    cut = {name: [values[start:stop] for start, stop in bounds] for name, values in lowered.items()}
    return build_from_columns(cut, columns)


def _count_runs(identities: list[Any]) -> list[int]:
    """Count the tokens of each sentence; a missing number belongs to the sentence before."""
    lengths: list[int] = []
    last: Any = None
    for identity in identities:
        is_missing = identity is None or identity != identity  # NaN differs from itself
        if not lengths or not (is_missing or identity == last):
            lengths.append(0)
            last = identity
        lengths[-1] += 1
    return lengths
