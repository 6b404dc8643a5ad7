"""Parts of files: one after the other they are the file, and are read as the file is."""

from __future__ import annotations

from pathlib import Path

import pytest

import tagloom
from tagloom.corpus.io import Part, cut_into_parts, read_part, settle_source
from tagloom.corpus.request import Request
from tagloom.errors import DataError


def build_request() -> Request:
    return Request.check(None, None, None, None, None, None, None, None)


@pytest.mark.parametrize("size", [1, 7, 100, 1000, 10**6])
def test_parts_are_the_file(tmp_path: Path, size: int) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text("\ufeff" + "".join(f'{{"tokens": ["\ufeff{n}", "é"]}}\n' + "\n" * (n % 3) for n in range(40)))
    parts = cut_into_parts(path, settle_source(path, build_request()), size)
    data = path.read_bytes()
    assert b"".join(data[part.begin : part.end] for part in parts) == data
    assert all(data[: part.end].endswith(b"\n") for part in parts)
    found = [text for part in parts for batch in read_part(str(path), part, build_request())
             for text in batch.column("form").texts()]  # fmt: skip
    assert found == tagloom.read(path).column("form").texts()


def test_errors_name_the_line_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    good = '{"tokens": ["a"]}\n'
    path.write_text(good * 10 + "{\n" + good)
    with pytest.raises(DataError, match=r"in\.jsonl:11: expected one JSON object"):
        list(read_part(str(path), Part(5 * len(good), path.stat().st_size), build_request()))
