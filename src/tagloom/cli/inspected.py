"""What ``tagloom inspect`` shows of a parser."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tagloom.cli.console import put, put_json, put_rich, table
from tagloom.cli.inspect import put_history

if TYPE_CHECKING:
    from tagloom.systems import Parser


def put_parser(parser: Parser, path: str, json: bool) -> None:
    """Facts, passes, and how many features every template has."""
    if json:
        put_json(_report(parser, path))
        return
    put("\n".join(f"{name}: {fact}" for name, fact in _facts(parser, path).items()))
    put_history(parser.spec.history, parser.spec.best_epoch)
    rows = [(template, f"{count:,}") for template, count in _templates(parser).items()]
    put_rich(table(("template", "features"), rows, right=["features"]))


def _sizes(parser: Parser, path: str) -> dict[str, int]:
    parameters = parser.parameters
    return {
        "bytes": Path(path).stat().st_size,
        "relations": len(parameters.relations),
        "features": len(parameters.keys),
        "weights": len(parameters.weights),
    }


def _templates(parser: Parser) -> dict[str, int]:
    """Features by template."""
    counts = np.diff(parser.parameters.ends).tolist()
    return dict(zip(map(str, parser.spec.templates.templates), counts, strict=True))


def _facts(parser: Parser, path: str) -> dict[str, object]:
    spec = parser.spec
    facts: dict[str, object] = {
        "signature": spec.signature,
        "reads": " ".join(parser.columns),
        "writes": " ".join(_written(parser)),
        "size": ", ".join(f"{count:,} {name}" for name, count in _sizes(parser, path).items()),
        "relations": " ".join(parser.parameters.relations) or "none",
        "root": spec.root or "none",
        "decides": ", ".join(f"{name}={number}" for name, number in spec.search.items()),
        "non-projective trees": spec.non_projective,
        "tags": spec.tag + (" as they stand" if parser.tagger is None else f" by {parser.tagger.spec.signature}"),
    }
    for name in spec.resources:
        facts[f"resource {name}"] = " ".join(spec.resources[name]) or "included"
    return facts


def _written(parser: Parser) -> list[str]:
    spec = parser.spec
    tags = [] if parser.tagger is None else [spec.tag]
    return [*tags, spec.head, *([spec.relation] if spec.has_relations else [])]


def _report(parser: Parser, path: str) -> dict[str, object]:
    spec = asdict(parser.spec)
    history = spec.pop("history")
    return {
        "model": path,
        "signature": str(parser.spec.signature),
        "sizes": _sizes(parser, path),
        "relations": list(parser.parameters.relations),
        "spec": {**spec, "templates": str(parser.spec.templates).splitlines()},
        "tagger": None if parser.tagger is None else str(parser.tagger.spec.signature),
        "history": history,
        "features": _templates(parser),
    }
