"""Notebooks of ``examples`` as Markdown: their text, their code, and the outputs that were stored with them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parents[2] / "examples"


def write_notebook(name: str) -> str:
    """Write the cells of ``examples/NAME.ipynb``."""
    notebook = json.loads((EXAMPLES / f"{name}.ipynb").read_text("utf-8"))
    return "\n\n".join(part for cell in notebook["cells"] for part in _write_cell(cell))


def _write_cell(cell: dict[str, Any]) -> Iterator[str]:
    source = "".join(cell["source"]).strip("\n")
    if cell["cell_type"] == "markdown":
        yield source
        return
    yield f"```python\n{source}\n```"
    for output in cell["outputs"]:
        yield _write_output(output)


def _write_output(output: dict[str, Any]) -> str:
    """Write what a cell has printed, or what its last line is: HTML if there is some."""
    if output["output_type"] == "stream":
        return _fence("".join(output["text"]))
    data = output["data"]
    if "text/html" in data:
        return '```{raw} html\n<div class="notebook-output">\n' + "".join(data["text/html"]) + "\n</div>\n```"
    return _fence("".join(data["text/plain"]))


def _fence(text: str) -> str:
    return "```{code-block} text\n:class: output\n\n" + text.rstrip("\n") + "\n```"
