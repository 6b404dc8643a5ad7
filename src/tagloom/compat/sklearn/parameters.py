"""Parameters of the estimators: the options of a system, which are declared once, as a signature.

scikit-learn reads the names of parameters from the signature of a constructor. ``keywords.pyi`` has them with their
types, for editors and type checkers.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping

from tagloom.errors import unknown_name
from tagloom.systems.options import Option, list_options
from tagloom.systems.registry import get_system

#: Parameters that are not options of a system.
SHARED: Mapping[str, object] = {"columns": None, "normalise": None, "scoring": "token_accuracy"}
_FIXED = frozenset({"label"})  # y is the column of labels


@functools.cache
def list_training_options(system: str) -> Mapping[str, Option]:
    """List the options of training a system that are parameters of its estimator."""
    found = list_options(get_system(system).load_options())
    return {name: option for name, option in found.items() if name not in _FIXED}


@functools.cache
def list_search_options(system: str) -> Mapping[str, Option]:
    """List the options of using a system that are parameters; those of the same name as one of training are not."""
    found = list_options(get_system(system).load_model().search_options)
    return {name: option for name, option in found.items() if name not in list_training_options(system)}


def list_parameters(system: str) -> dict[str, object]:
    """List the parameters of an estimator with their defaults. None stands for an empty mapping."""
    options = {**list_training_options(system), **list_search_options(system)}
    defaults = {name: option.default for name, option in options.items()}
    return {**SHARED, **{name: None if isinstance(value, Mapping) else value for name, value in defaults.items()}}


def build_signature(system: str) -> inspect.Signature:
    """Build the signature of a constructor."""
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    keywords = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
        for name, default in list_parameters(system).items()
    ]
    return inspect.Signature([own, *keywords])


def complete_parameters(cls: type, system: str, given: Mapping[str, object]) -> dict[str, object]:
    """Add the defaults to parameters; raises TypeError for a name that is none, as Python does."""
    known = list_parameters(system)
    for name in given:
        if name not in known:
            raise TypeError(f"{cls.__name__}: {unknown_name('parameter', name, known)}")
    return {**known, **given}
