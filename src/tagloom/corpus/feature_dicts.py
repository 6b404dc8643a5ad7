"""Corpora from feature dicts, the input of python-crfsuite and sklearn-crfsuite: tokens come with their attributes.

A sequence is a list of items, and an item stands for one token. It is a dict, or any other collection of strings:

===============================  ==============================
``["a", "b"]``                   ``a`` and ``b``, each with 1.0
``{"a": 0.5}``                   ``a`` with 0.5
``{"a": True, "b": False}``      ``a`` with 1.0, ``b`` with 0.0
``{"a": "x"}``                   ``a:x`` with 1.0
``{"a": ["x", "y"]}``            ``a:x`` and ``a:y``, with 1.0
``{"a": {"b": 2, "c": "x"}}``    ``a:b`` with 2.0, ``a:c:x`` with 1.0
===============================  ==============================
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any

import numpy as np

from tagloom.corpus.corpus import Column, Corpus
from tagloom.errors import DataError

LABEL, ATTRIBUTES = "label", "attributes"

_MOST_LEVELS = 100  # of dicts in dicts
_LARGEST_VALUE = float(np.finfo(np.float32).max)


def from_feature_dicts(sequences: Iterable[Any], labels: Iterable[Sequence[str]] | None = None) -> Corpus:
    """Build a corpus from sequences of feature dicts.

    Args:
        sequences: One list of items per sentence. An item is a dict, or a collection of strings. Objects with a method
            ``items()`` that returns a list of items, such as ``ItemSequence``, are sequences, too.
        labels: One list of labels per sentence, if there are any.

    Returns:
        A corpus with the bag column ``attributes``, and with the column ``label`` before it if there are labels.

    Raises:
        DataError: Something has another type, a value is not a finite number, or the lengths differ.

    >>> corpus = from_feature_dicts([[{"word": "He", "bias": 1}, ["word:left"]]], [["PRP", "VBD"]])
    >>> corpus.names, corpus.column("attributes").strings.strings()
    (['label', 'attributes'], ['word:He', 'bias', 'word:left'])
    """
    names: list[str] = []
    values: list[float] = []
    ends, lengths = [0], []
    for number, sequence in enumerate(_check_list(sequences), 1):
        items = _list_items(number, sequence)
        for position, item in enumerate(items, 1):
            try:
                pairs = list(_weigh_attributes(item))
            except (TypeError, ValueError, OverflowError) as error:
                raise DataError(f"sentence {number}, token {position}: {error}") from None
            names += [name for name, _ in pairs]
            values += [value for _, value in pairs]
            ends.append(len(names))
        lengths.append(len(items))
    column = Column.from_strings(names)
    bag = Column(column.codes, column.strings, np.array(ends, np.int64), np.array(values, np.float32))
    columns: dict[str, Column] = {} if labels is None else {LABEL: _read_labels(labels, lengths)}
    return Corpus.from_columns({**columns, ATTRIBUTES: bag}, lengths)


def _check_list(sequences: Any) -> Iterable[Any]:
    if isinstance(sequences, (str, bytes, Mapping)) or not isinstance(sequences, Iterable):
        raise DataError(f"expected a list of sentences, each a list of feature dicts; got {sequences!r:.60}")
    return sequences


def _list_items(number: int, sequence: Any) -> list[Any]:
    if isinstance(sequence, (str, bytes, Mapping)):
        raise DataError(f"sentence {number}: expected a list of feature dicts, got {sequence!r:.60}")
    if not isinstance(sequence, Iterable):
        if not callable(getattr(sequence, "items", None)):
            raise DataError(f"sentence {number}: expected a list of feature dicts, got {sequence!r:.60}")
        sequence = sequence.items()
    return list(sequence)


def _weigh_attributes(item: Any, level: int = 1) -> Iterator[tuple[str, float]]:
    """Iterate over the attributes of one item and their values."""
    if isinstance(item, (str, bytes)) or not isinstance(item, Iterable):
        raise TypeError(f"expected a feature dict or a list of attributes, got {item!r:.60}")
    if level > _MOST_LEVELS:
        raise ValueError(f"dicts in dicts: expected at most {_MOST_LEVELS} levels")
    if not isinstance(item, Mapping):
        yield from ((_to_text(name), 1.0) for name in item)
        return
    for key, value in item.items():
        name = _to_text(key)
        if isinstance(value, (str, bytes)):
            yield f"{name}:{_to_text(value)}", 1.0
        elif isinstance(value, (Mapping, list, tuple, Set)):
            yield from ((f"{name}:{inner}", weight) for inner, weight in _weigh_attributes(value, level + 1))
        else:
            yield name, _to_number(name, value)


def _to_text(name: Any) -> str:
    if not isinstance(name, (str, bytes)):
        raise TypeError(f"expected the name of an attribute, got {name!r:.60}")
    try:
        text = name.decode() if isinstance(name, bytes) else str(name)
        text.encode()
    except UnicodeError:
        raise ValueError(f"expected the name of an attribute in valid Unicode, got {name!r:.60}") from None
    return text


def _to_number(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"attribute {name!r:.60}: expected a number, a string or a list, got {value!r:.60}") from None
    if not abs(number) <= _LARGEST_VALUE:  # refuses nan as well
        raise ValueError(f"attribute {name!r:.60}: expected a finite number, got {value!r:.60}")
    return number


def _read_labels(labels: Iterable[Sequence[str]], lengths: Sequence[int]) -> Column:
    lists = [list(each) if isinstance(each, Iterable) else [] for each in _check_list(labels)]
    if len(lists) != len(lengths):
        raise DataError(f"{len(lengths)} sentences of feature dicts, but {len(lists)} lists of labels")
    for number, (own, length) in enumerate(zip(lists, lengths), 1):
        if len(own) != length:
            raise DataError(f"sentence {number}: {length} tokens, but {len(own)} labels")
    return Column.from_strings(itertools.chain.from_iterable(lists))
