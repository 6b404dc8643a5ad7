"""Draw all figures under docs/ again, from the numbers that are committed beside them. Nothing is trained."""

from __future__ import annotations

import json
from pathlib import Path

from bench.documents.__main__ import draw as draw_documents
from bench.rivals.plot import draw as draw_rivals
from bench.rivals.tasks import TASKS
from bench.suggest.__main__ import draw as draw_suggest
from tagloom.recipes.page import redraw
from tagloom.recipes.recipe import PAPERS, get_recipe

DOCS = Path(__file__).parents[1] / "docs"


def main() -> None:
    """Write the figures."""
    for key in PAPERS:
        redraw(get_recipe(key), DOCS / "papers")
    numbers = json.loads((DOCS / "results" / "documents.json").read_text("utf-8"))
    (DOCS / "results" / "documents.svg").write_bytes(draw_documents(numbers["f1"]))
    numbers = json.loads((DOCS / "results" / "suggest.json").read_text("utf-8"))
    (DOCS / "results" / "suggest.svg").write_bytes(draw_suggest(numbers))
    lines = (DOCS / "benchmarks" / "rivals.jsonl").read_text("utf-8").splitlines()
    (DOCS / "benchmarks" / "rivals.svg").write_bytes(
        draw_rivals(list(TASKS.values()), list(map(json.loads, lines[1:])))
    )


if __name__ == "__main__":
    main()
