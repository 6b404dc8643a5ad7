"""Tables of Arrow as lines of JSON and back: rows are records as in JSONL, and are read and written by its code.

A row has ``tokens``, or a ``text``, as a record of JSONL has. Arrow wants one type per column: spans, which JSONL
writes as lists of two numbers and a label, become structs.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from typing import Any

from tagloom.errors import ConfigError


def import_arrow() -> Any:
    """Import Arrow, which the extra brings."""
    try:
        import pyarrow
    except ImportError:
        raise ConfigError('parquet needs pyarrow: pip install "tagloom[ray]"') from None
    return pyarrow


def table_to_lines(table: Any) -> bytes:
    """Write every row as a line of JSON."""
    lines = [json.dumps(row, ensure_ascii=False, default=str) for row in table.to_pylist()]
    return "".join(f"{line}\n" for line in lines).encode()


def lines_to_table(lines: Iterable[str], schema: Any = None) -> Any:
    """Build a table of lines of JSON; columns of ``schema`` keep their types."""
    arrow = import_arrow()
    rows = [json.loads(line) for line in lines]
    for row in rows:
        if "spans" in row:
            row["spans"] = [_to_struct(span) for span in row["spans"]]
    names = dict.fromkeys(name for row in rows for name in row)
    known = _list_types(arrow) | ({} if schema is None else {field.name: field.type for field in schema})
    columns = {name: arrow.array([row.get(name) for row in rows], known.get(name)) for name in names}
    return arrow.table(columns)


def _to_struct(span: Any) -> Any:
    return dict(zip(("start", "end", "label"), span, strict=True)) if isinstance(span, list) else span


def _list_types(arrow: Any) -> dict[str, Any]:
    """List the types of what models add: an empty list would not show them."""
    strings, numbers = arrow.list_(arrow.string()), arrow.list_(arrow.int64())
    span = arrow.struct([("start", arrow.int64()), ("end", arrow.int64()), ("label", arrow.string())])
    return {
        "tokens": strings, "tags": strings, "relations": strings, "heads": numbers, "offsets": arrow.list_(numbers),
        "sentences": arrow.list_(numbers), "confidence": arrow.list_(arrow.float64()), "spans": arrow.list_(span),
    }  # fmt: skip


def write_table(table: Any) -> bytes:
    """Write the bytes of a parquet file."""
    import_arrow()
    from pyarrow import parquet

    buffer = io.BytesIO()
    parquet.write_table(table, buffer)
    return buffer.getvalue()


def read_row_group(path: str, number: int) -> Any:
    """Read a row group of a parquet file."""
    import_arrow()
    from pyarrow import parquet

    return parquet.ParquetFile(path).read_row_group(number)


def count_row_groups(path: str) -> int:
    """Count the row groups of a parquet file."""
    import_arrow()
    from pyarrow import ArrowInvalid, parquet

    try:
        return int(parquet.ParquetFile(path).num_row_groups)
    except (ArrowInvalid, OSError) as error:
        raise ConfigError(f"{path}: not a parquet file that can be read: {error}") from None
