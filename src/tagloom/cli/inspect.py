"""``tagloom inspect``: what a model was made of, and its heaviest weights."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from tagloom.cli.console import put_json, put_parts
from tagloom.cli.options import refuse_for_model
from tagloom.cli.parameters import Json, ModelFile, option, select_given
from tagloom.systems.base import Model
from tagloom.systems.file import load
from tagloom.systems.registry import SYSTEMS
from tagloom.systems.tables import Description


def inspect(
    model_file: ModelFile,
    top: Annotated[
        int | None,
        option("N", "Taggers only. Number of features of every label, and of transitions. Default: 5.", min=0),
    ] = None,
    label: Annotated[str | None, option("L", "Taggers only. Show the features of this label only.")] = None,
    json: Json = False,
) -> None:
    """Show what a model was made of, how training went, and the heaviest weights.

    A model with a re-ranker also shows the heaviest global features. A parser
    shows the number of features of every template, a phrase chunker its
    categories.

    \b
    Examples:
      tagloom inspect ner.tagloom --label B-PER --top 20
    """
    model = load(model_file)
    options = select_given(top=top, label=label)
    for name in options:
        if name not in model.describe_options:
            owners = [row.name for row in SYSTEMS.values() if name in row.load_model().describe_options]
            raise refuse_for_model(f"--{name}", owners, model, model_file)
    found: Description = model.describe(**options)
    sizes = {"bytes": Path(model_file).stat().st_size, **found.sizes}
    if json:
        put_json(_report(model, found, sizes, model_file))
        return
    facts = "\n".join(f"{name}: {fact}" for name, fact in _list_facts(model, found, sizes).items())
    put_parts([facts, *found.parts])


def _list_facts(model: Model, found: Description, sizes: Mapping[str, int]) -> dict[str, str]:
    """List the facts that all systems have, with those of the system between them."""
    spec = model.spec
    form = {} if spec.normal_form is None else {"normal form": spec.normal_form}
    return {
        "signature": str(spec.signature),
        "reads": " ".join(model.columns),
        **form,
        **found.facts,
        "size": ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in sizes.items()),
        **{f"resource {name}": " ".join(lists) or "included" for name, lists in spec.resources.items()},
    }


def _report(model: Model, found: Description, sizes: Mapping[str, int], path: str) -> dict[str, object]:
    spec = model.spec.to_values()
    history = spec.pop("history")
    return {
        "model": path,
        "signature": str(model.spec.signature),
        "sizes": sizes,
        "spec": spec,
        "history": history,
        "details": found.details,
    }
