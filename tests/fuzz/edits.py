"""Edits of files that were taken apart. An edit is plain data, so that a case can be kept, read and shortened.

An edit is ``[kind, *arguments]``. One of kind ``in`` edits the file that stands in an array. What an edit names may be
gone, by an edit before it or because models have changed: then it changes nothing.
"""

from __future__ import annotations

import random
from contextlib import suppress
from typing import Any

import numpy as np

from tests.fuzz.array_edits import ARRAY_MOVES, LAYOUT_MOVES
from tests.fuzz.containers import Parts, put_together, take_apart
from tests.fuzz.header_edits import HEADER_MOVES

Edit = list[Any]
_MOVES = {**HEADER_MOVES, **ARRAY_MOVES, **LAYOUT_MOVES}
#: What happens where the thing that an edit names is gone or broken.
_GONE = (LookupError, TypeError, ValueError, OverflowError, AttributeError, RecursionError)


def draw_edit(rng: random.Random, parts: Parts) -> Edit:
    """Draw an edit that changes something in these parts; files within files are edited like others."""
    inner = [name for name, tensor in parts.tensors.items() if tensor.data[8:23] == b'{"__metadata__"']
    if inner and rng.random() < 0.6:
        name = rng.choice(inner)
        with suppress(*_GONE):
            return ["in", name, draw_edit(rng, take_apart(parts.tensors[name].data))]
    groups = (HEADER_MOVES, ARRAY_MOVES, LAYOUT_MOVES) if parts.tensors else (HEADER_MOVES, LAYOUT_MOVES)
    group = rng.choices(groups, (10, 10, 1)[-len(groups) :])[0]
    kind = rng.choices(list(group), [move.weight for move in group.values()])[0]
    return [kind, *group[kind].draw(rng, parts)]


def apply_edit(parts: Parts, edit: Edit) -> None:
    """Change the parts of a file."""
    kind, *arguments = edit
    with suppress(*_GONE):
        if kind == "in":
            _edit_inside(parts, *arguments)
        else:
            _MOVES[kind].apply(parts, *arguments)


def _edit_inside(parts: Parts, name: str, edit: Edit) -> None:
    tensor = parts.tensors[name]
    inner = take_apart(tensor.data)
    apply_edit(inner, edit)
    tensor.array = np.frombuffer(put_together(inner), np.uint8)
