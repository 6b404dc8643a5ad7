"""What a type checker says about the options and the models of every system: ``make lint`` runs mypy on this file.

A line that is ignored must have the error that it names, or mypy reports an unused comment.
"""

from __future__ import annotations

import tagloom

data = [(["a"], ["X"])]


def use() -> None:
    """Call what is right and what is wrong."""
    tagloom.train(data, epochs=5).tag(["a"])
    tagloom.train(data, system="parser", tags="gold").parse(["a"])
    tagloom.train(data, system="phrases", cutoff=1).spans(["a"])
    tagloom.load("model", system="parser").parse(["a"])
    tagloom.train(data, epoch=5)  # type: ignore[call-overload]
    tagloom.train(data, system="parser", degree=2)  # type: ignore[call-overload]
    tagloom.train(data, epochs="five")  # type: ignore[call-overload]
    tagloom.train(data, system="phrases").parse(["a"])  # type: ignore[attr-defined]
