"""X and y as users of scikit-learn have them, as corpora; and results in the shape of X."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus import Column, Corpus, from_feature_dicts, from_sentences, to_corpus
from tagloom.corpus.layout import ColumnNames, choose_names, split_names
from tagloom.corpus.objects import has_lists, is_list, names_words, split_frame
from tagloom.errors import ConfigError, DataError, show_value

LABEL = "label"  # the column of y
_EXPECTED = "expected a list of sequences (of words, tuples or feature dicts) or a data frame"


@dataclass(frozen=True)
class Samples:
    """Sequences as a corpus. A sample is a sequence, or, in a data frame with one row per token, a token."""

    corpus: Corpus
    by_token: bool = False

    def cut(self, values: Any) -> list[Any]:
        """Cut one value per token into one part per sequence."""
        return [values[start:stop] for start, stop in itertools.pairwise(self.corpus.sentences.tolist())]

    def arrange(self, values: Any) -> NDArray[Any]:
        """Arrange one value per token as X is: an array of values, or an array of one list per sequence."""
        return np.asarray(values) if self.by_token else to_object_array(self.cut(values))

    def cut_column(self, column: Column) -> list[list[str]]:
        """Cut a column into one list of strings per sequence."""
        return _core.label_lists(column.codes, self.corpus.sentences, column.strings.strings())

    def with_labels(self, labels: Labels) -> Corpus:
        """Return the corpus with a column of labels."""
        return self.corpus.with_column(LABEL, Column.from_strings(map(str, labels.values)))


def to_object_array(items: Sequence[Any]) -> NDArray[np.object_]:
    """Build a flat array of objects, which scikit-learn can index and join, whatever the objects are."""
    array = np.empty(len(items), object)
    for number, item in enumerate(items):
        array[number] = item
    return array


def read_samples(X: Any, columns: ColumnNames = None, *, has_features: bool = False) -> Samples:  # noqa: N803
    """Read X.

    Args:
        X: Sequences of words, of tuples with one field per column, or of feature dicts; or a data frame, with one row
            per token and a sentence id, or with lists in its cells.
        columns: Names of the columns of tuples; of data frames, which columns to take.
        has_features: Read sequences without any token as sequences of feature dicts.
    """
    if LABEL in (split_names(columns) or ()):
        raise ConfigError(f"columns: {LABEL!r} is the name of y; choose another name")
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        return _read_frame(X, columns, has_features)
    return Samples(_read_sequences(list_sequences(X), columns, has_features))


def list_sequences(X: Any) -> list[Any]:  # noqa: N803
    """Turn X into a list of lists of tokens; arrays and other sequences become lists."""
    if not is_list(X) or not hasattr(X, "__len__"):
        raise DataError(f"X: {_EXPECTED}, got {show_value(X)}")
    if hasattr(X, "toarray"):  # a sparse matrix
        raise DataError(f"X: {_EXPECTED}, got {type(X).__name__}")
    if hasattr(X, "to_pandas"):
        raise DataError("X: a data frame of another library; pass X.to_pandas()")
    return [_list_tokens(number, sequence) for number, sequence in enumerate(X, 1)]


def _list_tokens(number: int, sequence: Any) -> Any:
    if isinstance(sequence, list):
        return sequence
    if is_list(sequence):
        return sequence.tolist() if hasattr(sequence, "tolist") else list(sequence)
    if not isinstance(sequence, (str, Mapping)) and callable(getattr(sequence, "items", None)):
        return list(sequence.items())  # an ItemSequence of python-crfsuite
    raise DataError(f"X: sequence {number}: expected a list of tokens, got {show_value(sequence)}")


_KINDS: Mapping[str, tuple[type, ...]] = {
    "a word": (str,),
    "a tuple": (tuple,),
    "a feature dict": (Mapping, list, Set),
}


def _read_sequences(sequences: list[list[Any]], columns: ColumnNames, has_features: bool) -> Corpus:
    kind = _find_kind(sequences, "a feature dict" if has_features else "a word")
    if kind == "a feature dict":
        return from_feature_dicts(sequences)
    width = next(map(len, itertools.chain.from_iterable(sequences)), 1) if kind == "a tuple" else 1
    names = split_names(columns) or choose_names(width + 1)[:-1]
    if not any(sequences):  # nothing shows how many columns there are
        return Corpus.from_columns(dict.fromkeys(names, ()), [0] * len(sequences))
    return from_sentences(sequences, columns=names)


def _find_kind(sequences: list[list[Any]], default: str) -> str:
    """Tell what the tokens are; raises DataError for the first one that is something else."""
    kinds = {type(token) for sequence in sequences for token in sequence}
    first = next(itertools.chain.from_iterable(sequences), None)
    kind = default if not kinds else next((name for name, own in _KINDS.items() if isinstance(first, own)), None)
    if kind is not None and all(issubclass(each, _KINDS[kind]) for each in kinds):
        return kind
    for number, sequence in enumerate(sequences, 1):
        for position, token in enumerate(sequence, 1):
            if kind is None or not isinstance(token, _KINDS[kind]):
                expected = f"{kind} like the first token" if kind else " or ".join(_KINDS)
                raise DataError(f"X: sequence {number}, token {position}: expected {expected}, got {show_value(token)}")
    raise AssertionError("every token is of its kind")


# -- data frames -------------------------------------------------------------------------------------------------------


def _read_frame(frame: Any, columns: ColumnNames, has_features: bool) -> Samples:
    if has_lists(frame):
        cells = {str(name): values for name in frame.columns if all(map(is_list, values := frame[name].tolist()))}
        if any(len(tokens) for values in cells.values() for tokens in values):
            has_features = any(map(_holds_features, cells.values()))
        return Samples(from_feature_dicts(_join_features(cells)) if has_features else to_corpus(frame, columns))
    tokens = split_frame(frame)
    if columns is not None or any(map(names_words, tokens.cells)):
        _check_cells(tokens.cells, columns)
        return Samples(to_corpus(frame, columns), by_token=True)
    rows = [dict(zip(tokens.cells, cells)) for cells in zip(*tokens.cells.values())]
    return Samples(from_feature_dicts(tokens.cut(rows)), by_token=True)


def _holds_features(values: list[Any]) -> bool:
    """Check lists for feature dicts."""
    return isinstance(next(itertools.chain.from_iterable(values), None), _KINDS["a feature dict"])


def _join_features(cells: Mapping[str, list[Any]]) -> list[list[Any]]:
    """Join the features of several columns: those of each under its name, if there are several."""
    if len(cells) == 1:
        return next(iter(cells.values()))
    joined = []
    for number, lists in enumerate(zip(*cells.values()), 1):
        if len(set(map(len, lists))) > 1:
            lengths = ", ".join(f"{name} {len(each)}" for name, each in zip(cells, lists))
            raise DataError(f"X: sequence {number}: the columns differ in length: {lengths}")
        joined.append([dict(zip(cells, tokens)) for tokens in zip(*lists)])
    return joined


def _check_cells(cells: Mapping[str, list[Any]], columns: ColumnNames) -> None:
    """Refuse numbers beside words: templates read texts, so that the numbers would be left out."""
    for name, values in cells.items():
        if columns is None and values and isinstance(values[0], (bool, float)) and values[0] == values[0]:
            raise DataError(
                f"X: column {name!r} holds numbers such as {values[0]!r}, which templates do not read; name the "
                "columns to read with columns=..., or pass feature dicts"
            )


# -- labels ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Labels:
    """The labels of all tokens: strings, whole numbers or truth values."""

    values: list[Any]


def read_labels(y: Any, samples: Samples) -> Labels:
    """Read y, one list of labels per sequence of X, or one label per row; raises DataError if lengths differ."""
    if not is_list(y) or not hasattr(y, "__len__"):
        raise DataError(f"y: expected labels of the tokens of X, got {show_value(y)}")
    flat = list(y) if samples.by_token else _join_labels(list(y), np.diff(samples.corpus.sentences).tolist())
    if len(flat) != samples.corpus.token_count:
        raise DataError(f"X has {samples.corpus.token_count} rows, y has {len(flat)} labels; pass one label per row")
    return Labels(check_labels(flat))


def _join_labels(lists: list[Any], lengths: list[int]) -> list[Any]:
    if len(lists) != len(lengths):
        raise DataError(f"X has {len(lengths)} sequences, y has {len(lists)}; pass one list of labels per sequence")
    flat: list[Any] = []
    for number, (labels, length) in enumerate(zip(lists, lengths), 1):
        if not is_list(labels):
            raise DataError(f"y: sequence {number}: expected a list of labels, got {show_value(labels)}")
        own = list(labels)
        if len(own) != length:
            raise DataError(f"sequence {number}: {length} tokens in X, but {len(own)} labels in y")
        flat += own
    return flat


def check_labels(labels: Any, name: str = "y") -> list[Any]:
    """Check that labels are of one type: strings, whole numbers or truth values; those of numpy become Python's."""
    if not is_list(labels):
        raise DataError(f"{name}: expected a list of labels, got {show_value(labels)}")
    plain = [label.item() if isinstance(label, np.generic) else label for label in labels]
    kinds = {type(label) for label in plain}
    if len(kinds) < 2 and kinds <= {str, int, bool}:
        return plain
    if kinds == {float} and all(map(float.is_integer, plain)):
        return [label + 0.0 for label in plain]  # -0.0 is 0.0
    first = type(plain[0]) if type(plain[0]) in (str, int, bool) else None
    wrong = next(label for label in plain if type(label) is not first)
    raise DataError(
        f"{name}: Unknown label type: expected strings or whole numbers, all of one type; got {show_value(wrong)}"
    )
