"""Corpora as data sets of Hugging Face: the way back from ``tagloom.annotate`` to ``datasets``."""

from __future__ import annotations

from typing import Any

from tagloom.corpus import Column, Corpus
from tagloom.corpus.naming import FORM
from tagloom.corpus.trees import HEAD
from tagloom.errors import ConfigError, DataError

# What data sets usually call columns; others keep their names.
_NAMES = {FORM: "tokens", "label": "ner_tags", "ner": "ner_tags", "pos": "pos_tags", "chunk": "chunk_tags"}
_MOST_CLASSES = 1000  # a column with more distinct strings, such as lemmas, is text


def to_columns(corpus: Corpus) -> dict[str, list[list[Any]]]:
    """Convert a corpus to a dict of columns with one list per sentence, as ``datasets.Dataset.from_dict`` takes it.

    Columns that the data had under another name get it back. Heads are numbers.

    >>> to_columns(Corpus.from_columns({"form": ["He", "left"], "label": ["O", "O"]}, [2]))
    {'tokens': [['He', 'left']], 'ner_tags': [['O', 'O']]}
    """
    found = {}
    for name, key in _choose_keys(corpus).items():
        lists = list(corpus.iter_sentences(name))
        found[key] = [list(map(int, each)) for each in lists] if name == HEAD else lists
    return found


def _choose_keys(corpus: Corpus) -> dict[str, str]:
    keys = {name: corpus.other_names.get(name) or _NAMES.get(name, name) for name in corpus.names}
    for name, column in corpus.columns.items():
        if column.is_bag:
            raise DataError(f"{corpus.source}: column {name!r} holds several strings per token, expected one")
    repeated = {key for key in keys.values() if list(keys.values()).count(key) > 1}
    return {name: name if key in repeated else key for name, key in keys.items()}


def to_dataset(corpus: Corpus, *, classes: bool = True) -> Any:
    """Convert a corpus to a ``datasets.Dataset`` with one row per sentence.

    Args:
        corpus: The corpus, such as the result of ``model.annotate(dataset)``.
        classes: Write labels as numbers of a ``ClassLabel``, which knows their names; otherwise as strings.

    Raises:
        ConfigError: ``datasets`` is not installed.
    """
    try:
        import datasets
    except ImportError:
        raise ConfigError('a data set needs datasets: pip install "tagloom[huggingface]"') from None
    table, features = to_columns(corpus), dict[str, Any]()
    for name, key in _choose_keys(corpus).items():
        column = corpus.column(name)
        kind: Any = datasets.Value("int64" if name == HEAD else "string")
        if classes and name not in (FORM, HEAD, corpus.names[0]) and _is_closed(column):
            names = column.strings.strings()
            numbers = {text: number for number, text in enumerate(names)}
            kind, table[key] = datasets.ClassLabel(names=names), [[numbers[text] for text in row] for row in table[key]]
        features[key] = datasets.Sequence(kind)
    return datasets.Dataset.from_dict(table, features=datasets.Features(features))


def _is_closed(column: Column) -> bool:
    """Check whether a column holds labels of a closed set, not texts such as lemmas."""
    return len(column.strings) <= min(_MOST_CLASSES, max(len(column) // 2, 2))
