"""What a model holds, as python-crfsuite shows it: weights by names, and as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from tagloom.corpus.feature_dicts import ATTRIBUTES
from tagloom.systems.tagger.model import Tagger as Model
from tagloom.systems.tagger.parameters import WeightViews

_PREFIX = f"{ATTRIBUTES}[0]="  # of the names of features


@dataclass
class ParsedDump:
    """The weights of a model. Weights of zero are left out, and numbers of the header are text."""

    header: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)  # name -> number
    attributes: dict[str, str] = field(default_factory=dict)  # name -> number
    transitions: dict[tuple[str, str], float] = field(default_factory=dict)
    state_features: dict[tuple[str, str], float] = field(default_factory=dict)


def describe_model(model: Model, size: int) -> ParsedDump:
    """List what a model holds; ``size`` is the number of bytes of its file."""
    views, labels, attributes = WeightViews(model.chain, model.parameters.weights), model.labels, list_attributes(model)
    rows, columns = np.nonzero(views.nodes)
    pairs = np.argwhere(views.transitions)
    weights = views.nodes[rows, columns].astype(np.float64).tolist()
    return ParsedDump(
        {"magic": "tagloom", "size": str(size), "type": "FOMC", "version": str(model.spec.version),
         "num_features": str(len(rows) + len(pairs)), "num_labels": str(len(labels)),
         "num_attrs": str(len(attributes))},
        {label: str(number) for number, label in enumerate(labels)},
        {name: str(number) for number, name in enumerate(attributes)},
        {(labels[p], labels[y]): float(views.transitions[p, y]) for p, y in pairs.tolist()},
        {(attributes[f], labels[y]): weight for f, y, weight in zip(rows.tolist(), columns.tolist(), weights)},
    )  # fmt: skip


def list_attributes(model: Model) -> list[str]:
    """List the names of the attributes that have weights."""
    names = model.parameters.node_names
    if names is None:
        raise RuntimeError("the model was saved without the names of its features")
    text, ends = names.texts()
    data = text.tobytes()
    bounds = ends.tolist()
    return [data[a:b].decode().removeprefix(_PREFIX) for a, b in zip(bounds, bounds[1:])]


def write_dump(dump: ParsedDump) -> Iterator[str]:
    """Write the lines of a dump in the layout of ``crfsuite dump``."""
    yield from _write_block("FILEHEADER", [f"  {name}: {value}" for name, value in dump.header.items()])
    yield from _write_block("LABELS", [f"  {number:>5}: {name}" for name, number in dump.labels.items()])
    yield from _write_block("ATTRIBUTES", [f"  {number:>5}: {name}" for name, number in dump.attributes.items()])
    for number, (title, weights) in enumerate(
        (("STATE_FEATURES", dump.state_features), ("TRANSITIONS", dump.transitions))
    ):
        rows = [f"  ({number}) {source} --> {target}: {weight:f}" for (source, target), weight in weights.items()]
        yield from _write_block(title, rows)


def _write_block(title: str, rows: list[str]) -> Iterator[str]:
    yield f"{title} = {{\n"
    yield from (f"{row}\n" for row in rows)
    yield "}\n\n"
