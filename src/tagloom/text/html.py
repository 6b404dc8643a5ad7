"""Annotations as HTML: coloured spans in the running text, tags under words, trees as SVG.

Everything that comes from the text is escaped. There are no scripts, no ids, and no references to anything outside. The
colour of a label depends on the label only.
"""

from __future__ import annotations

import functools
import itertools
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from importlib import resources

from tagloom.arguments import check_arguments
from tagloom.errors import ConfigError, show_value
from tagloom.text.annotation import Annotation, Sentence, Span
from tagloom.text.summary import choose_tags
from tagloom.text.tree_as_svg import Palette, draw_tree_svg

_PAGE_COLOURS = Palette("var(--ink)", "var(--faint)", "var(--arc)", "var(--paper)")
_MOST_NOTEBOOK_TOKENS = 1000
_MOST_NOTEBOOK_TREES = 20
_MOST_TREE_WORDS = 300  # a drawing of more is wider than anybody scrolls
_LINE_ENDS = re.compile(r"[\r\n]+")
_NOT_HTML = re.compile("[^\t\n\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# Hues of common labels lie far apart; other labels get one by their checksum.
_HUES = {
    **dict.fromkeys(("PER", "PERSON", "protein"), 212),
    **dict.fromkeys(("LOC", "LOCATION", "cell_line"), 145),
    **dict.fromkeys(("ORG", "ORGANIZATION", "DNA"), 28),
    **dict.fromkeys(("MISC", "cell_type"), 285),
    **dict.fromkeys(("GPE", "RNA"), 178),
    **dict.fromkeys(("DATE", "TIME"), 335),
    "NP": 240,
    "VP": 50,
    "PP": 95,
    "ADVP": 310,
    "ADJP": 195,
    "SBAR": 0,
}


def render_annotation(annotation: Annotation) -> str:
    """Return a part of a page with its own style."""
    return _wrap(annotation, annotation.sents, "")


def render_notebook(annotation: Annotation) -> str:
    """Return what a notebook shows: the first sentences, up to about a thousand tokens or twenty trees."""
    ends = annotation.sentences[1:]
    shown = max(int((ends <= _MOST_NOTEBOOK_TOKENS).sum()), 1)
    if annotation.heads is not None:
        shown = min(shown, _MOST_NOTEBOOK_TREES)
    rest = len(ends) - shown
    note = f"… {rest:,} more sentences; to_html() shows all of them" if rest > 0 else ""
    return _wrap(annotation, itertools.islice(annotation.sents, shown), note)


@check_arguments
def iter_html_page(annotations: Iterable[Annotation], title: str = "tagloom") -> Iterator[str]:
    """Iterate over the parts of a whole page, one annotation after another, so that a page can be written as it grows.

    Args:
        annotations: The annotations to show.
        title: Title of the page.
    """
    yield (
        f'<!doctype html>\n<html>\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{escape_html(title)}</title>\n'
        f"<style>\n{_read_asset('page.css')}{_read_asset('annotation.css')}</style>\n</head>\n<body>\n<main>\n"
    )
    for annotation in annotations:
        if not isinstance(annotation, Annotation):
            raise ConfigError(f"annotations: expected annotations, got {show_value(annotation)}")
        yield f'<article class="tagloom">\n{_render_body(annotation, annotation.sents)}</article>\n'
    yield "</main>\n</body>\n</html>\n"


def choose_hue(label: str) -> int:
    """Choose the hue of a label, in degrees: the same in every text.

    >>> choose_hue("PER"), choose_hue("PER") == choose_hue("LOC")
    (212, False)
    """
    return _HUES.get(label, zlib.crc32(label.encode("utf-8", "replace")) % 360)


def _wrap(annotation: Annotation, sentences: Iterable[Sentence], note: str) -> str:
    body = _render_body(annotation, sentences) + (f'<div class="note">{escape_html(note)}</div>\n' if note else "")
    return f'<div class="tagloom">\n<style>\n{_read_asset("annotation.css")}</style>\n{body}</div>\n'


@functools.cache
def _read_asset(name: str) -> str:
    return resources.files("tagloom.text").joinpath(name).read_text("utf-8")


def _render_body(annotation: Annotation, sentences: Iterable[Sentence]) -> str:
    flat = not _find_overlap(annotation.spans)
    column = None if annotation.layers or annotation.heads is not None else choose_tags(annotation)
    parts = []
    if len(annotation.layers) > 1:
        names = ", ".join(layer.name for layer in annotation.layers)
        parts.append(f'<div class="note">{escape_html(f"Layers from top to bottom: {names}")}</div>\n')
    if not len(annotation):
        parts.append(f'<div class="sentence" dir="auto">{escape_html(annotation.text.strip())}</div>\n')
        parts.append('<div class="note">no tokens</div>\n')
    at = 0
    for sentence in sentences:
        before = annotation.text[at : sentence.start].strip()  # what no token covers
        at = sentence.end
        if before:
            parts.append(f'<div class="sentence" dir="auto">{escape_html(before)}</div>\n')
        if len(sentence):
            parts.append(_render_sentence(sentence, column, flat=flat))
        if sentence.last == len(annotation) and (after := annotation.text[at:].strip()):
            parts.append(f'<div class="sentence" dir="auto">{escape_html(after)}</div>\n')
    return "".join(parts)


def _render_sentence(sentence: Sentence, column: str | None, *, flat: bool) -> str:
    parts = []
    tree = sentence.annotation.heads is not None
    if sentence.annotation.layers or not tree:
        if column is not None:
            shown = _render_tags(sentence, column)
        else:
            shown = _render_marks(sentence) if flat else _render_groups(sentence)
        kind = "sentence" if flat else "sentence layers"
        parts.append(f'<div class="{kind}" dir="auto">{shown}</div>\n')
    if tree:
        parts.append(_render_tree(sentence))
    return "".join(parts)


def _render_tree(sentence: Sentence) -> str:
    tree = sentence.build_tree() if len(sentence) <= _MOST_TREE_WORDS else None
    if tree is None:
        return f'<div class="note">A tree of {len(sentence):,} words is too wide to draw.</div>\n'
    return f'<div class="tree">{draw_tree_svg(tree, _PAGE_COLOURS).rstrip()}</div>\n'


def _render_marks(sentence: Sentence) -> str:
    """Running text with marks; spans do not overlap."""
    text, at, parts = sentence.annotation.text, sentence.start, []
    for span in sentence.spans:
        style = f'style="--hue: {choose_hue(span.label)}" title="{_describe(span)}"'
        parts.append(escape_html(text[at : span.start]))
        parts.append(f"<mark {style}>{escape_html(span.text)}<b>{escape_html(span.label)}</b></mark>")
        at = span.end
    return "".join([*parts, escape_html(text[at : max(at, sentence.end)])])


def _render_tags(sentence: Sentence, column: str) -> str:
    """Words with tags below them."""
    annotation = sentence.annotation
    parts, at = [], sentence.start
    for token in sentence.tokens:
        parts.append(escape_html(annotation.text[at : token.start]))
        parts.append(f'<span class="word">{escape_html(token.text)}<small>{escape_html(token[column])}</small></span>')
        at = token.end
    return "".join(parts)


def _render_groups(sentence: Sentence) -> str:
    """Running text where spans that share tokens are drawn below them, the layers one below the other."""
    text, at, parts = sentence.annotation.text, sentence.start, []
    rows = _assign_rows(sentence)
    for spans in _group_spans(sentence.spans):
        parts.append(escape_html(text[at : spans[0].start]))
        parts.append(_render_group(sentence.annotation, spans, rows))
        at = max(span.end for span in spans)
    return "".join([*parts, escape_html(text[at : max(at, sentence.end)])])


def _group_spans(spans: Sequence[Span]) -> Iterator[list[Span]]:
    """Join spans that share tokens; they are in the order of the text."""
    group: list[Span] = []
    end = 0
    for span in spans:
        if group and span.first >= end:
            yield group
            group = []
        end = max(span.last, end) if group else span.last
        group.append(span)
    if group:
        yield group


def _render_group(annotation: Annotation, spans: Sequence[Span], rows: Mapping[Span, int]) -> str:
    """A grid with a column per token in the first row, and the spans below the tokens that they cover."""
    first, last = spans[0].first, max(span.last for span in spans)
    cells = []
    for token in range(first, last):
        start, end = int(annotation.starts[token]), int(annotation.ends[token])
        following = int(annotation.starts[token + 1]) if token + 1 < last else end
        hidden = token > first and start < annotation.ends[token - 1]  # the surface is in the cell before
        # What follows a token belongs to its cell.
        shown = "" if hidden else annotation.text[start : max(end, following)]
        cells.append(f"<span>{escape_html(_LINE_ENDS.sub(' ', shown))}</span>")
    for span in spans:
        place = f"grid-row: {rows[span] + 2}; grid-column: {span.first - first + 1} / {span.last - first + 1}"
        style = f'style="--hue: {choose_hue(span.label)}; {place}" title="{_describe(span)}"'
        cells.append(f"<i {style}>{escape_html(span.label)}</i>")
    return f'<span class="group">{"".join(cells)}</span>'


def _assign_rows(sentence: Sentence) -> dict[Span, int]:
    """Give every layer its own rows in the sentence, and spans of a layer that overlap different ones of them."""
    found: dict[Span, int] = {}
    base = 0
    for layer in sentence.annotation.layers:
        rows: list[list[Span]] = []
        # Shorter spans first, so that they are nearer to the words.
        spans = [span for span in sentence.spans if span.layer == layer.name]
        for span in sorted(spans, key=lambda span: (span.last - span.first, span.first)):
            row = 1 + max((row for row, taken in enumerate(rows) if _touch_any(span, taken)), default=-1)
            rows += [[]] if row == len(rows) else []
            rows[row].append(span)
            found[span] = base + row
        base += len(rows)
    return found


def _touch_any(span: Span, others: Sequence[Span]) -> bool:
    return any(span.first < other.last and other.first < span.last for other in others)


def _find_overlap(spans: Sequence[Span]) -> bool:
    end = 0
    for span in spans:
        if span.first < end:
            return True
        end = span.last
    return False


def _describe(span: Span) -> str:
    score = "" if span.score is None else f", {span.score:.3g}"
    return escape_html(f"{span.layer}: {span.label} {span.start}:{span.end}{score}")


def escape_html(text: str) -> str:
    """Escape a text for HTML; characters that HTML cannot hold are replaced."""
    return escape(_NOT_HTML.sub("\ufffd", text))
