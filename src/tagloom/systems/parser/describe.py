"""What a parser tells about itself: facts, sizes, passes, and how many features every template has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tagloom.systems.tables import Description, Table, tabulate_history

if TYPE_CHECKING:
    from tagloom.systems.parser.model import Parser


def describe_parser(parser: Parser) -> Description:
    """Describe a parser."""
    spec, parameters = parser.spec, parser.parameters
    counts = np.diff(parameters.ends).tolist()
    features = dict(zip(map(str, spec.templates.templates), counts, strict=True))
    facts = {
        "writes": " ".join(layer.column for layer in parser.layers),
        "relations": " ".join(parameters.relations) or "none",
        "root": spec.root or "none",
        "decides": ", ".join(f"{name}={number}" for name, number in spec.search.items()),
        "non-projective trees": spec.non_projective,
        "tags": spec.tag + (" as they stand" if parser.tagger is None else f" by {parser.tagger.spec.signature}"),
    }
    sizes = {
        "relations": len(parameters.relations),
        "features": len(parameters.keys),
        "weights": len(parameters.weights),
    }
    rows = [(template, f"{count:,}") for template, count in features.items()]
    details = {
        "relations": list(parameters.relations),
        "tagger": None if parser.tagger is None else str(parser.tagger.spec.signature),
        "features": features,
    }
    parts = [tabulate_history(spec.history, spec.best_epoch), Table(("template", "features"), rows, ["features"])]
    return Description(facts, sizes, parts, details)
