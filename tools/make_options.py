"""Writes docs/options.md: options of systems and of re-ranking, from their rows. ``make lint`` compares the file."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from tagloom.systems.options import DATA, FEATURES, LEARNING, SETTINGS, Option, list_options
from tagloom.systems.registry import SYSTEMS
from tagloom.systems.tagger.rerank.options import RerankOptions

HEADER = """# Options of training

These are the keywords of `tagloom.train(data, system=...)` and the options of `tagloom train --system ...`. The last
section lists those of `tagloom.rerank` and `tagloom rerank`. This page is generated from the options in the code: run
`make stubs` after changing one.
"""


PANELS = (DATA, FEATURES, LEARNING, SETTINGS)


def escape(text: str) -> str:
    """Escape what would end a cell of a table."""
    return text.replace("|", "\\|")


def describe_default(option: Option) -> str:
    """Describe the default of an option, where it is a value."""
    if option.default is None or (isinstance(option.default, Mapping) and not option.default):
        return ""
    return f" Default: `{option.default}`."


def describe_range(option: Option) -> str:
    """Describe which values an option takes."""
    row = option.row
    if row.low is not None and row.high is not None:
        return f" From {row.low:,} to {row.high:,}."
    return "" if row.low is None else f" At least {row.low:,}."


def main() -> None:
    """Print the page."""
    parts = [HEADER]
    sections = [(system.name, system.help, system.load_options()) for system in SYSTEMS.values()]
    sections.append(
        ("rerank", "re-ranking of the candidates of a tagger, see [re-ranking](reranking.md)", RerankOptions)
    )
    for name, text, options in sections:
        parts.append(f"## {name}\n\n{text[:1].upper()}{text[1:]}.\n")
        panels: dict[str, list[Option]] = {}
        for option in list_options(options).values():
            panels.setdefault(option.row.panel, []).append(option)
        for panel in (each for each in PANELS if each in panels):
            rows = [
                f"| `{option.name}` | {f'`{option.flag}`' if option.flag else ''} "
                f"| {escape(option.row.help)}{describe_range(option)}{describe_default(option)} |"
                for option in panels[panel]
            ]
            parts.append("\n".join([f"### {panel}\n", "| keyword | option | meaning |", "|---|---|---|", *rows]) + "\n")
    sys.stdout.write("\n".join(parts))


if __name__ == "__main__":
    main()
