"""Annotations as tables: rows per token, pandas data frames, columns of text, and data sets of Hugging Face."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tagloom.errors import ConfigError, DataError
from tagloom.text.annotation import Annotation, require_free_names

_ROW_KEYS = ("sentence", "token", "start", "end", "score")
_SEPARATORS = re.compile(r"[\t\r\n\0]")


def build_rows(annotation: Annotation) -> list[dict[str, Any]]:
    """Return one dictionary per token; sentences are counted from 0."""
    require_free_names(annotation, _ROW_KEYS, "rows")
    numbers = [sentence.index for sentence in annotation.sents for _ in range(len(sentence))]
    lists = [numbers, annotation.words, annotation.starts.tolist(), annotation.ends.tolist()]
    lists += annotation.columns.values()
    keys = [*_ROW_KEYS[:4], *annotation.columns]
    if annotation.scores is not None:
        lists.append(annotation.scores.tolist())
        keys.append("score")
    return [dict(zip(keys, row)) for row in zip(*lists)]


def build_frame(annotation: Annotation) -> Any:
    """Return the rows as a pandas data frame."""
    try:
        import pandas
    except ImportError:
        raise ConfigError("a data frame needs pandas: pip install pandas") from None
    names = [*_ROW_KEYS[:4], *annotation.columns, *(["score"] if annotation.scores is not None else [])]
    try:
        return pandas.DataFrame(build_rows(annotation), columns=names)
    except UnicodeEncodeError:
        raise DataError("a data frame holds text of valid Unicode; found half of a surrogate pair") from None


def build_huggingface(annotation: Annotation) -> dict[str, list[Any]]:
    """Return lists with one entry per sentence.

    ``tokens`` and ``offsets`` are those of the tokens; every column has its own key. Layers of spans are IOB2 labels:
    ``ner_tags`` is the last one, others are called ``LAYER_tags``. Layers with overlaps are left out.
    """
    places = list(zip(annotation.starts.tolist(), annotation.ends.tolist()))
    table: dict[str, Sequence[Any]] = {"tokens": annotation.words, "offsets": [list(place) for place in places]}
    entities = annotation.get_entity_layer()
    for layer in annotation.layers:
        if not layer.has_overlaps():
            name = "ner_tags" if layer is entities else f"{layer.name}_tags"
            table[name] = layer.to_labels(len(annotation))
    require_free_names(annotation, table, "the Hugging Face dictionary")
    table |= annotation.columns
    sentences = list(annotation.sents)
    return {name: [list(values[each.first : each.last]) for each in sentences] for name, values in table.items()}


def write_conll(annotation: Annotation, columns: Sequence[str] | None) -> str:
    """Return lines of columns, with blanks between them, or with tabs where a value has a blank."""
    chosen = list(annotation.columns) if columns is None else columns
    lists = [clean_values(values) for values in (annotation.words, *map(annotation.column, chosen))]
    separator = "\t" if any(" " in value for values in lists for value in values) else " "
    rows = list(map(separator.join, zip(*lists)))
    blocks = ("\n".join(rows[each.first : each.last]) for each in annotation.sents if len(each))
    return "".join(f"{block}\n\n" for block in blocks)


def clean_values(values: Sequence[str]) -> list[str]:
    """Replace what would end a field or a line by a blank, and nothing by an underscore."""
    return [_SEPARATORS.sub(" ", value).strip(" ") or "_" for value in values]
