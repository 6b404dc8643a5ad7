"""Run notebooks without Jupyter, and store what their cells print and show: `make notebooks`.

The code of a notebook runs in one namespace, in the folder of the notebook. What is printed is stored, and the last
expression of a cell, as HTML if it has some.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Cell = dict[str, Any]


def run_notebook(path: Path) -> dict[str, Any]:
    """Run all code cells of a notebook, and return it with their outputs."""
    notebook: dict[str, Any] = json.loads(path.read_text("utf-8"))
    namespace: dict[str, Any] = {"__name__": "__main__"}
    with _enter(path.parent):
        for number, cell in enumerate(notebook["cells"], start=1):
            if cell["cell_type"] == "code":
                cell["outputs"] = list(_run_cell("".join(cell["source"]), f"{path.name}, cell {number}", namespace))
    return notebook


@contextlib.contextmanager
def _enter(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _run_cell(source: str, name: str, namespace: dict[str, Any]) -> Iterator[dict[str, Any]]:
    tree, printed, value = ast.parse(source, name), io.StringIO(), None
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, name, "exec"), namespace)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), name, "eval"), namespace)  # type: ignore[attr-defined]
    if text := printed.getvalue():
        yield {"name": "stdout", "output_type": "stream", "text": text.splitlines(keepends=True)}
    if value is not None:
        yield {"data": _show(value), "execution_count": None, "metadata": {}, "output_type": "execute_result"}


def _show(value: Any) -> dict[str, list[str]]:
    shown = {"text/plain": repr(value).splitlines(keepends=True)}
    if hasattr(value, "_repr_html_"):
        shown["text/html"] = value._repr_html_().splitlines(keepends=True)
    return shown


def write_notebook(path: Path, notebook: dict[str, Any]) -> None:
    """Write a notebook as Jupyter does."""
    path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n", "utf-8")


def main() -> None:
    """Run the notebooks that are named, and store their outputs."""
    for path in map(Path, sys.argv[1:]):
        write_notebook(path, run_notebook(path.resolve()))
        sys.stdout.write(f"ran {path}\n")


if __name__ == "__main__":
    main()
