"""``tagloom inspect``: what a model was made of, and its heaviest weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tagloom.cli.console import put, put_json, put_rich, table
from tagloom.cli.learning_options import given
from tagloom.cli.options import Json, ModelFile
from tagloom.errors import ConfigError

if TYPE_CHECKING:
    from tagloom.cli.weights import WeightTables
    from tagloom.systems import EpochRecord, Model


def inspect(
    model_file: ModelFile,
    top: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Features of every label, and transitions, to show [5].")
    ] = None,
    label: Annotated[str | None, typer.Option(metavar="L", help="Show the features of this label only.")] = None,
    json: Json = False,
) -> None:
    """Show what a model was made of, how training went, and the heaviest weights.

    Of a reranked model also its re-ranker, with the heaviest global features.
    Of a parser, instead of weights: its templates, with the number of features
    that each of them has. Of a phrase chunker: its categories and sizes.

    \b
    Examples:
      tagloom inspect ner.tagloom --label B-PER --top 20
    """
    from tagloom.cli.reranked import put_global_features
    from tagloom.cli.weights import WeightTables
    from tagloom.systems import Model, Parser, open_model

    model = open_model(model_file)
    if not isinstance(model, Model):
        from tagloom.cli.inspected import put_parser
        from tagloom.cli.recognised import put_chunker

        noun = "parser" if isinstance(model, Parser) else "phrase chunker"
        for option in given(top=top, label=label):
            raise ConfigError(f"--{option} is for labels, {model_file} is a {noun}; leave it out")
        if isinstance(model, Parser):
            put_parser(model, model_file, json)
        else:
            put_chunker(model, model_file, json)
        return
    tables, top = WeightTables(model), 5 if top is None else top
    labels = model.labels if label is None else (tables.checked(label),)
    if json:
        put_json(_report(model, tables, labels, top, model_file))
        return
    put(_facts(model, model_file))
    put_history(model.spec.history, model.spec.best_epoch)
    _put_weights(tables, labels, top)
    if label is None:
        put_global_features(model, top)


def _sizes(model: Model, path: str) -> dict[str, int]:
    parameters = model.parameters
    return {
        "bytes": Path(path).stat().st_size,
        "labels": len(model.labels),
        "features": model.spec.buckets or len(parameters.node_keys),
        "edge_features": len(parameters.edge_offsets) - 1,
        "weights": len(parameters.weights),
        "known_words": len(parameters.known_words),
        **({} if parameters.reranker is None else {"global_features": len(parameters.reranker.keys)}),
    }


def _report(model: Model, tables: WeightTables, labels: tuple[str, ...], top: int, path: str) -> dict[str, object]:
    from tagloom.cli.reranked import top_global_features

    spec = asdict(replace(model.spec, reranker=None))
    history = spec.pop("history")
    if model.spec.reranker is not None:
        spec["reranker"] = model.spec.reranker.to_json()
    return {
        "model": path,
        "signature": str(model.spec.signature),
        "sizes": _sizes(model, path),
        "labels": list(model.labels),
        "spec": {**spec, "templates": str(model.spec.templates).splitlines()},
        "history": history,
        "top_features": {label: tables.top_features(label, top) for label in labels},
        "top_transitions": tables.top_transitions(top),
        "top_triples": tables.top_triples(top),
        "top_edges": tables.top_edges(top),
        "top_document_features": tables.top_document_features(top),
        "top_global_features": top_global_features(model, top),
    }


def _facts(model: Model, path: str) -> str:
    from tagloom.cli.reranked import reranker_facts

    spec = model.spec
    sizes = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in _sizes(model, path).items())
    written = f", written as {spec.written_scheme}" if spec.written_scheme != spec.scheme else ""
    facts = {
        "signature": spec.signature,
        "reads": " ".join(model.columns),
        "writes": spec.label,
        "scheme": f"{spec.scheme}{written}" if spec.scheme else "plain tags",
        "size": sizes,
        "labels": " ".join(model.labels),
        "templates": "; ".join(str(spec.templates).splitlines()),
    }
    if spec.search is not None:
        facts["decides"] = f"{spec.search.direction}, {spec.search}, history={spec.search.history}"
    facts |= _document_facts(model) | reranker_facts(model)
    dictionary = model.parameters.tag_dictionary
    if dictionary is not None:
        facts["tag dictionary"] = f"{len(dictionary):,} words seen {spec.tag_dictionary:,} times or more"
    if spec.start is not None:
        facts["started from"] = spec.start
    for name in spec.resources:
        facts[f"resource {name}"] = " ".join(spec.resources[name]) or "included"
    return "\n".join(f"{name}: {fact}" for name, fact in facts.items())


def _document_facts(model: Model) -> dict[str, str]:
    """What the model labels as one, and how it chooses among labellings of that."""
    spec = model.spec
    if model.total is None:
        return {} if spec.sequences == "sentences" else {"sequences": spec.sequences}
    names = ", ".join([*spec.document_features, *spec.document_functions])
    return {"sequences": spec.sequences, "candidates": f"{spec.candidates:,}", "document features": names}


def put_history(history: Sequence[EpochRecord], best_epoch: int, errors: str = "tokens in error") -> None:
    """What every pass did; the one whose weights were kept has a star."""
    rows = [
        (
            f"{record.epoch}{' *' if record.epoch == best_epoch else ''}",
            f"{record.updates:,}",
            f"{record.token_errors:,}",
            "" if record.dev_score is None else f"{record.dev_score:.2f}",
        )
        for record in history
    ]
    put_rich(table(("pass", "updates", errors, "dev score"), rows, right=[errors, *_NUMBERS]))


_NUMBERS = ("updates", "tokens in error", "dev score", "weight")


def _put_weights(tables: WeightTables, labels: tuple[str, ...], top: int) -> None:
    if not tables.has_names:
        put("features have no names in this model: trained with names=false or buckets")
    for label in labels:
        rows = [(label, f"{weight:+.2f}", name) for name, weight in tables.top_features(label, top)]
        put_rich(table(("label", "weight", "feature"), rows, right=_NUMBERS))
    transitions = [(before, after, f"{weight:+.2f}") for before, after, weight in tables.top_transitions(top)]
    put_rich(table(("label before", "label", "weight"), transitions, right=_NUMBERS))
    triples = [(*labels_, f"{weight:+.2f}") for *labels_, weight in tables.top_triples(top)]
    if triples:
        put_rich(table(("before that", "label before", "label", "weight"), triples, right=_NUMBERS))
    edges = [(f"{before} {after}", f"{weight:+.2f}", name) for name, before, after, weight in tables.top_edges(top)]
    if edges:
        put_rich(table(("label pair", "weight", "feature"), edges, right=_NUMBERS))
    documents = [(f"{weight:+.2f}", name) for name, weight in tables.top_document_features(top)]
    if documents:
        put_rich(table(("weight", "feature of documents"), documents, right=_NUMBERS))
