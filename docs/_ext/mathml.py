"""Formulas as MathML, which browsers draw themselves: no script, no font and no network is needed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from docutils import nodes
from latex2mathml.converter import convert

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator


def write_formula(tex: str, *, is_block: bool) -> str:
    """Convert a formula; in a block, what max and min range over stands below them."""
    tex = tex.replace(r"\arg", r"\mathrm{arg}\,")
    if is_block:
        return convert(re.sub(r"\\(max|min)_", r"\\\1\\limits_", tex), display="block")
    return convert(tex)


def visit_inline(translator: HTML5Translator, node: nodes.math) -> None:
    """Write a formula within a line."""
    translator.body.append(write_formula(node.astext(), is_block=False))
    raise nodes.SkipNode


def visit_block(translator: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula on lines of its own; the block can scroll if the page is narrow."""
    formula = write_formula(node.astext(), is_block=True)
    translator.body.append(f'<div class="formula" tabindex="0" role="group" aria-label="Formula">{formula}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer as the one that is used."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
