"""Text models of CRF++, which ``crf_learn -t`` writes, as taggers.

The file has five sections, with an empty line after each of the first four: a header (``xsize: 2``), labels, template
lines, features (``ID TEXT``, where ID is the number of the first weight), and weights. A feature ``U05:a/b/c`` may come
from ``a`` and ``b/c`` or from ``a/b`` and ``c``; in CRF++ they are the same.
"""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom._version import __version__
from tagloom.arguments import check_arguments
from tagloom.corpus.layout import choose_names
from tagloom.corpus.streams import Piece, load
from tagloom.errors import DataError, show_value
from tagloom.features.crfpp import parse_crfpp
from tagloom.features.templates import Template, TemplateSet
from tagloom.structures.chain import Chain

if TYPE_CHECKING:
    from tagloom.systems.tagger.model import Tagger
    from tagloom.systems.tagger.names import FeatureNames
    from tagloom.systems.tagger.parameters import Parameters

_SECTIONS = ("header", "labels", "templates", "features", "weights")
_MACRO = re.compile(r"%x\[[^\]]*\]")
_MOST_READINGS = 10_000  # of one feature


@dataclass(frozen=True)
class TextModel:
    """The sections of a text model."""

    source: str
    header: Mapping[str, str]
    labels: tuple[str, ...]
    lines: tuple[str, ...]  # of the template
    features: Mapping[str, int]  # text -> number of the first weight
    weights: NDArray[np.float64]

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> TextModel:
        """Read a file; raises DataError if it is no text model."""
        name, data = load(path)
        sections: list[list[str]] = [[]]
        for line in Piece(data, name).lines():
            if line or len(sections) == len(_SECTIONS):
                sections[-1].append(line)
            else:
                sections.append([])
        if len(sections) < len(_SECTIONS) or not any(line.startswith("maxid:") for line in sections[0]):
            raise DataError(f"{name}: not a text model of CRF++; write one with crf_learn -t")
        header, labels, lines, features, weights = sections
        try:
            values = np.array([line for line in weights if line], np.float64)
            numbers = {text: int(number) for number, _, text in (line.partition(" ") for line in features)}
        except ValueError as error:
            raise DataError(f"{name}: expected numbers of features and weights ({error})") from None
        pairs = (line.partition(":")[::2] for line in header)
        return cls(name, {key: value.strip() for key, value in pairs}, tuple(labels), tuple(lines), numbers, values)

    def get_number(self, key: str, default: str = "") -> float:
        """Get a number of the header."""
        text = self.header.get(key, default)
        try:
            return float(text)
        except ValueError:
            raise DataError(f"{self.source}: expected a number after {key}:, found {text!r}") from None

    def get_weights(self, text: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Get the weights of a feature: one for every label, or for every label pair (previous, next)."""
        first = self.features[text]
        found = self.weights[first : first + int(np.prod(shape))] if first >= 0 else self.weights[:0]
        if found.size != np.prod(shape) or not np.isfinite(found).all():
            raise DataError(f"{self.source}: the weights of feature {text!r} are missing; the file is not complete")
        return found.reshape(shape) * self.get_number("cost-factor", "1")


@check_arguments
def convert_model(path: str | os.PathLike[str]) -> Tagger:
    """Build a tagger from a text model: the same scores, up to single precision.

    Raises:
        DataError: The file is no text model of CRF++.
    """
    from tagloom.systems.tagger.model import Tagger
    from tagloom.systems.tagger.spec import TaggerSpec

    text = TextModel.read(path)
    templates = parse_crfpp("\n".join(text.lines), "template")
    *columns, label = choose_names(_count_columns(text, templates) + 1)
    checksum = f"{zlib.crc32(text.weights.tobytes()):08x}"
    spec = TaggerSpec(
        columns=tuple(columns), seed=1, data=checksum, version=__version__, templates=templates, label=label,
        scheme=None, written_scheme=None, learner="lbfgs", edge_pairs="all",
    )  # fmt: skip
    return Tagger(spec, _build_parameters(text, templates))


def _count_columns(text: TextModel, templates: TemplateSet) -> int:
    named = [int((part.column or "#0")[1:]) + 1 for each in templates.templates for part in each.parts]
    count = int(text.get_number("xsize"))
    if not max(named, default=1) <= count <= 1000:
        raise DataError(f"{text.source}: xsize is {count}, but the template names {max(named, default=1)} columns")
    return count


def _build_parameters(text: TextModel, templates: TemplateSet) -> Parameters:
    from tagloom.systems.tagger.parameters import Parameters, WeightViews

    count = len(text.labels)
    if not count or len(set(text.labels)) != count:
        raise DataError(f"{text.source}: expected labels that differ")
    nodes, edges, plain = _find_keys(text)
    offsets = np.arange(len(edges) + 1, dtype=np.int64) * count**2
    pairs = np.tile(np.arange(count**2, dtype=np.uint32), len(edges))
    chain = Chain(text.labels).compile(len(nodes), templates.transitions, offsets, pairs)
    weights = np.zeros(chain.size, np.float32)
    views = WeightViews(chain, weights)
    for row, feature in enumerate(nodes.values()):
        views.nodes[row] = text.get_weights(feature, (count,))
    for feature in plain:
        views.transitions[:] += text.get_weights(feature, (count, count))
    for row, feature in enumerate(edges.values()):
        views.edges[row * count**2 : (row + 1) * count**2] = text.get_weights(feature, (count**2,))
    return Parameters(
        labels=text.labels,
        weights=weights,
        node_keys=np.array(list(nodes), np.uint64),
        edge_keys=np.array(list(edges), np.uint64),
        edge_offsets=offsets,
        edge_pairs=pairs,
        known_words=np.zeros(0, np.uint64),
        node_names=_join_names(nodes.values()),
        edge_names=_join_names(edges.values()),
    )


def _join_names(texts: Iterable[str]) -> FeatureNames:
    from tagloom.systems.tagger.names import FeatureNames

    encoded = [text.encode() for text in texts]
    ends = np.concatenate([[0], np.cumsum([len(text) for text in encoded])]).astype(np.int64)
    return FeatureNames.from_texts(np.frombuffer(b"".join(encoded), np.uint8), ends)


def _find_keys(text: TextModel) -> tuple[dict[int, str], dict[int, str], list[str]]:
    """Find the keys of node and edge features with their texts, and the features of all label pairs."""
    nodes: dict[int, str] = {}
    edges: dict[int, str] = {}
    plain: list[str] = []
    lines = [(_MACRO.split(line), parse_crfpp(line, "template").templates) for line in dict.fromkeys(text.lines)]
    for feature in text.features:
        for literals, templates in lines:
            if not templates and literals == [feature]:
                plain.append(feature)
            for template in templates:
                keys = edges if template.edge else nodes
                keys.update(dict.fromkeys(_list_keys(text, template, literals, feature), feature))
    return nodes, edges, plain


def _list_keys(text: TextModel, template: Template, literals: Sequence[str], feature: str) -> Iterator[int]:
    for number, values in enumerate(_list_readings(literals, feature)):
        if number == _MOST_READINGS:
            raise DataError(
                f"{text.source}: feature {show_value(feature, 80)} has more than {_MOST_READINGS:,} readings"
            )
        yield _core.feature_key(template.seed, values)


def _list_readings(literals: Sequence[str], text: str) -> Iterator[list[str]]:
    """List the values between literal texts, in all ways that make up a text.

    >>> list(_list_readings(["U05:", "/", ""], "U05:a/b/c"))
    [['a', 'b/c'], ['a/b', 'c']]
    """
    first, *rest = literals
    if not text.startswith(first):
        return
    text = text.removeprefix(first)
    if not rest:
        yield from [[]] if not text else []
        return
    for stop in range(1, len(text) + 1):
        if len(rest) > 1 or stop == len(text) - len(rest[0]):
            for values in _list_readings(rest, text[stop:]):
                yield [text[:stop], *values]
