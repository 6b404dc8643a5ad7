"""Writes src/tagloom/compat/sklearn/keywords.pyi: the parameters of the scikit-learn estimators, with their types.

The parameters are options of the systems, and what they are is read from there, as ``make_keywords.py`` does for the
keywords of ``tagloom.train``. ``make lint`` compares the file with what this script prints.
"""

from __future__ import annotations

import sys
from typing import Any

from make_keywords import read_all_annotations

from tagloom.compat.sklearn.parameters import list_parameters, list_search_options, list_training_options
from tagloom.systems.registry import get_system

HEADER = '''"""Parameters of the scikit-learn estimators, for editors and type checkers.

Generated from the options of the systems: run ``make stubs`` after changing one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from tagloom.features import DocumentFunction, Source, TemplateSet
    from tagloom.features.attributes import DocumentAttribute, SentenceFunction, WordFunction
    from tagloom.learners import Costs, Learner


class SharedParameters(TypedDict, total=False):
    """Parameters that every estimator has."""

    columns: str | Sequence[str] | None
    normalise: str | None
    scoring: str | Callable[[Any, Any], float]
'''
ESTIMATORS = {"ChainParameters": ("tagger", "ChainClassifier"), "PhraseParameters": ("phrases", "PhraseClassifier")}


def list_lines(system: str) -> list[str]:
    """Write one line per option; a mapping may be None, because a default must not be changeable."""
    row: Any = get_system(system)
    kinds = read_all_annotations(row.load_model().search_options) | read_all_annotations(row.load_options())
    defaults = list_parameters(system)
    lines = []
    for name in [*list_training_options(system), *list_search_options(system)]:
        is_open = defaults[name] is None and "None" not in kinds[name]
        lines.append(f"    {name}: {kinds[name]}{' | None' * is_open}")
    return lines


def main() -> None:
    """Print the module."""
    parts = [HEADER]
    for name, (system, estimator) in ESTIMATORS.items():
        head = f'class {name}(SharedParameters, total=False):\n    """Parameters of {estimator}."""\n'
        parts.append("\n".join([head, *list_lines(system)]) + "\n")
    sys.stdout.write("\n\n".join(parts))


if __name__ == "__main__":
    main()
