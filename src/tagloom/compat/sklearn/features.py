"""TokenFeatures: words become feature dicts, as a step of a pipeline whose window and attributes can be searched."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from tagloom._core import attribute_values
from tagloom.compat.sklearn.errors import as_value_errors
from tagloom.compat.sklearn.samples import Samples, read_samples, to_object_array
from tagloom.errors import ConfigError, DataError, show_value
from tagloom.features.attributes import AttributeSpec, Vocabulary
from tagloom.features.templates import ATTRIBUTE, Part
from tagloom.systems.options import check_whole_number

Features = dict[str, Any]
FeatureFunction = Callable[[Sequence[Any], int], Mapping[str, Any]]
_WIDEST = 100  # words on a side


class TokenFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turns sequences of words, or of tuples, into sequences of feature dicts.

    A token has its own features, and those of its neighbours as dicts under their distances, such as ``-1``. Taggers
    that read words compute such features much faster, see ``templates`` of ``ChainClassifier``; this step is for
    features of your own, and for other estimators.

    Args:
        attributes: Names of attributes of words, see docs/features.md.
        window: Number of neighbours on either side whose features are added.
        function: A function of all tokens of a sequence and a position, which returns further features of this token.
        columns: Names of the columns of tuples, such as ``"form pos"``. Fields after the first are features.

    Examples:
        >>> TokenFeatures(["lower", "suffix2"], window=1).fit_transform([["The", "dog"]])[0][1]
        {'lower': 'dog', 'suffix2': 'og', '-1': {'lower': 'the', 'suffix2': 'he'}}
    """

    def __init__(
        self, attributes: Sequence[str] = ("form", "lower", "shape", "prefix3", "suffix3"), *, window: int = 1,
        function: FeatureFunction | None = None, columns: str | Sequence[str] | None = None,
    ) -> None:  # fmt: skip
        self.attributes = attributes
        self.window = window
        self.function = function
        self.columns = columns

    def __sklearn_tags__(self) -> Any:
        """Say that X is sequences, not a table, and that nothing is learned."""
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array, tags.input_tags.two_d_array = True, False
        tags.input_tags.string, tags.requires_fit = True, False
        tags.transformer_tags.preserves_dtype = []
        return tags

    @as_value_errors()
    def fit(self, X: Any, y: Any = None) -> TokenFeatures:  # noqa: N803
        """Check the parameters; nothing is learned."""
        self._list_attributes()
        return self

    @as_value_errors()
    def transform(self, X: Any) -> NDArray[np.object_]:  # noqa: N803
        """Return an array with one list of feature dicts per sequence."""
        attributes = self._list_attributes()
        samples = self._read(X)
        describe = functools.cache(functools.partial(_describe_word, attributes))
        names = samples.corpus.names
        return to_object_array([self._describe(dict(zip(names, each)), describe) for each in _list_columns(samples)])

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Name the column of ``set_output(transform="pandas")``, whose cells are lists of feature dicts."""
        return np.array(["features"], object)

    def _list_attributes(self) -> list[tuple[str, AttributeSpec]]:
        check_whole_number("window", self.window, 0, _WIDEST)
        if isinstance(self.attributes, str) or not isinstance(self.attributes, Sequence):
            raise ConfigError(f"attributes: expected a list of names, got {show_value(self.attributes)}")
        return [(str(name), _find_attribute(name)) for name in self.attributes]

    def _read(self, X: Any) -> Samples:  # noqa: N803
        samples = read_samples(X, self.columns)
        if samples.by_token:
            raise DataError("X: expected one sequence per sample, got one row per token; collect the rows of sentences")
        if any(column.is_bag for column in samples.corpus.columns.values()):
            raise DataError("X: expected words or tuples, got feature dicts")
        return samples

    def _describe(self, columns: Mapping[str, list[str]], describe: Callable[[str], Features]) -> list[Features]:
        """Describe the tokens of one sequence."""
        (_, words), *others = columns.items()
        tokens: list[Features] = [dict(describe(word)) for word in words]
        for name, cells in others:
            for token, cell in zip(tokens, cells):
                token[name] = cell
        if self.function is not None:
            rows = words if not others else list(zip(*columns.values()))
            for position, token in enumerate(tokens):
                token.update(self.function(rows, position))
        return [_add_neighbours(tokens, position, self.window) for position in range(len(tokens))]


def _list_columns(samples: Samples) -> list[tuple[list[str], ...]]:
    return list(zip(*(samples.cut_column(column) for column in samples.corpus.columns.values())))


def _find_attribute(name: Any) -> AttributeSpec:
    match = re.fullmatch(ATTRIBUTE, name) if isinstance(name, str) else None
    if match is None:
        raise ConfigError(f"attributes: expected a name such as lower or suffix3, got {show_value(name)}")
    spec = Vocabulary(("form",)).resolve(Part.from_match(match))
    if spec.kind != "native":
        raise ConfigError(f"attributes: {name!r} is no attribute of a word alone; use templates of ChainClassifier")
    return spec


def _describe_word(attributes: list[tuple[str, AttributeSpec]], word: str) -> Features:
    values = ((name, attribute_values(spec.name, spec.number, word)) for name, spec in attributes)
    return {name: found[0] if len(found) == 1 else found for name, found in values if found}


def _add_neighbours(tokens: list[Features], position: int, window: int) -> Features:
    """Add the features of neighbours, which are shared by all that are near them."""
    near = {f"{offset:+d}": position + offset for offset in range(-window, window + 1) if offset}
    return {**tokens[position], **{key: tokens[at] for key, at in near.items() if 0 <= at < len(tokens)}}
