"""Writes src/tagloom/systems/keywords.pyi: the options of every system, and of re-ranking, as typed keywords.

Options are declared once, in the options module of each system. An editor and mypy cannot run code, so what they read
is generated from there; ``make lint`` compares the file with what this script prints.
"""

from __future__ import annotations

import ast
import inspect
import sys
from dataclasses import fields, is_dataclass
from typing import Any

from tagloom.systems.ensemble.options import EnsembleOptions
from tagloom.systems.options import TrainingOptions
from tagloom.systems.parser.options import ParserOptions
from tagloom.systems.phrases.options import PhraseOptions
from tagloom.systems.pipeline.options import PipelineOptions
from tagloom.systems.segments.options import SegmentOptions
from tagloom.systems.tagger.options import TaggerOptions
from tagloom.systems.tagger.rerank.options import RerankOptions
from tagloom.systems.tokenizer.options import TokenizerOptions

HEADER = '''"""Keywords of :func:`tagloom.train` by system and of :func:`tagloom.rerank`, for editors and type checkers.

Generated from the options of the systems: run ``make stubs`` after changing one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from tagloom.features import DocumentFunction, Source, TemplateSet
    from tagloom.features.attributes import DocumentAttribute, SentenceFunction, WordFunction
    from tagloom.features.global_templates import GlobalTemplateSet
    from tagloom.features.segment_templates import SegmentTemplateSet
    from tagloom.features.state_templates import StateTemplateSet
    from tagloom.learners import Costs, Learner
    from tagloom.systems.base import Model
    from tagloom.systems.data import Data
    from tagloom.systems.learning import Report
    from tagloom.systems.tagger.model import Tagger


class SharedKeywords(TypedDict, total=False):
    """Keywords that every system has."""

    dev: Data | None
    columns: str | Sequence[str] | None
    format: str | None
    normalise: str | None
    on_progress: Report | None
    checkpoint: str | os.PathLike[str] | None
    keep_checkpoint: bool
    ray: bool | str | None
    provide: str | Sequence[str] | Mapping[str, Model | str | os.PathLike[str] | Mapping[str, object] | None] | None
    tokenizer: str | os.PathLike[str] | Model | Callable[[str], object] | None
'''
SYSTEMS = {
    "TaggerKeywords": (TaggerOptions, "taggers", {"start": "Tagger | str | os.PathLike[str] | None"}),
    "ParserKeywords": (ParserOptions, "parsers", {}),
    "PhraseKeywords": (PhraseOptions, "phrase chunkers", {}),
    "SegmentKeywords": (SegmentOptions, "segment taggers", {}),
    "TokenizerKeywords": (TokenizerOptions, "tokenizers", {}),
    "PipelineKeywords": (PipelineOptions, "pipelines", {}),
    "EnsembleKeywords": (EnsembleOptions, "ensembles", {}),
    "RerankKeywords": (RerankOptions, "re-rankers", {}),
}


def read_annotations(cls: type[Any]) -> dict[str, str]:
    """Read the annotations of a class from its source, without what ``Annotated`` adds."""
    tree = ast.parse(inspect.getsource(cls))
    found = {}
    aliases = {
        "Templates": "str | os.PathLike[str] | TemplateSet | None",
        "Resources": "Mapping[str, Source]",
        "Epochs": "int | None",
        "Seed": "int",
        "Threads": "int",
    }
    for node in tree.body[0].body:  # type: ignore[attr-defined]
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            kind = node.annotation
            if isinstance(kind, ast.Subscript) and isinstance(kind.value, ast.Name) and kind.value.id == "Annotated":
                kind = kind.slice.elts[0]  # type: ignore[attr-defined]
            text = ast.unparse(kind)
            found[node.target.id] = aliases.get(text, text)
    return found


def read_all_annotations(options: type[Any]) -> dict[str, str]:
    """Read the annotations of a class of options, with those that it has from others."""
    known: dict[str, str] = {}
    for cls in reversed(options.__mro__):
        if is_dataclass(cls):
            known |= read_annotations(cls)
    return known


def main() -> None:
    """Print the module."""
    parts = [HEADER]
    for name, (options, noun, extra) in SYSTEMS.items():
        known = read_all_annotations(options)
        lines = [f"    {each.name}: {known[each.name]}" for each in fields(options)]
        lines += [f"    {key}: {kind}" for key, kind in extra.items()]
        base = "SharedKeywords" if issubclass(options, TrainingOptions) else "TypedDict"
        head = f'class {name}({base}, total=False):\n    """Keywords of training {noun}."""\n'
        parts.append("\n".join([head, *lines]) + "\n")
    sys.stdout.write("\n\n".join(parts))


if __name__ == "__main__":
    main()
