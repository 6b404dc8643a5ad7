"""Readers on random bytes: a corpus or a DataError, nothing else."""

from __future__ import annotations

import gzip
import io
import lzma

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tagloom.corpus import FORMATS, Corpus, read, to_string
from tagloom.errors import ConfigError, DataError

PIECES = [
    b"\n", b"\n\n", b"\r", b"\r\n", b" ", b"\t", b"/", b":", b"\\", b"#", b"-", b".", b"1", b"2", b"1-2", b"_", b"O",
    b"-DOCSTART-", b"###MEDLINE:", b"# newdoc", b"1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n",
    b'{"tokens": ["a"], "tags": ["O"]}\n', b'{"text": "a b", "spans": [[0, 1, "X"]]}\n', b'{"', b"]", b"}", b"\\ud800",
    b"w=a", b"nan", b"\0", b"\xff\xfe",
    b"\xef\xbb\xbf", b"\x1f\x8b\x08", b"\xfd7zXZ\0", b"\xc3", b"\xa9", "中国".encode(), "\u3000".encode(),
    b"\x85", b"\x1c",
]  # fmt: skip
SOUP = st.lists(st.one_of(st.sampled_from(PIECES), st.binary(max_size=3)), max_size=30).map(b"".join)


@pytest.mark.parametrize("format_name", [None, *FORMATS])
@given(st.one_of(SOUP, SOUP.map(gzip.compress), SOUP.map(lzma.compress), st.binary()))
@example(b"[" * 100_000)
@example(b'{"tokens": ' + b"[" * 100_000)
@example(b'{"tokens": ' + b"1" * 5000 + b"}")
def test_a_corpus_or_a_data_error(format_name: str | None, data: bytes) -> None:
    try:
        corpus = read(io.BytesIO(data), format_name)
    except DataError as error:
        message = str(error)
    else:
        _check(corpus)
        message = ""
    assert "\n" not in message


def _check(corpus: Corpus) -> None:
    assert corpus.check() is corpus
    assert corpus.token_count > 0
    assert corpus.documents[0] == corpus.sentences[0] == 0


@pytest.mark.parametrize("format_name", FORMATS)
@given(SOUP)
def test_what_is_read_can_be_written_and_read_again(format_name: str, data: bytes) -> None:
    try:
        corpus = read(io.BytesIO(data), format_name)
        text = to_string(corpus, format_name)
    except (DataError, ConfigError):
        return
    again = read(io.BytesIO(b"\xef\xbb\xbf" + text.encode()), format_name, corpus.names)
    assert to_string(again, format_name) == text
