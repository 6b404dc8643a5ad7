"""Corpora of every format: mutated, compressed, or without a name; read, and written in any format."""

from __future__ import annotations

import functools
import gzip
import io
import lzma
import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tagloom.corpus import FORMATS, Corpus, read, write
from tagloom.datasets import newswire
from tagloom.errors import TagloomError
from tests.fuzz.mutate import mutate, shrink_text, soup
from tests.fuzz.outcome import BrokenPromiseError, Outcome, Target, observe

_PIECES = [
    b"\n", b"\n\n", b"\r", b"\r\n", b" ", b"\t", b"/", b":", b"\\", b"#", b"-", b".", b"1", b"2", b"1-2", b"1.1", b"_",
    b"O", b"B-X", b"-DOCSTART-", b"###MEDLINE:", b"# newdoc", b"# text = a b\n", b"1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n",
    b"0\t_\t_\t_\t_\t_\t2\tx\t_\tSpaceAfter=No\n", b'{"tokens": ["a"], "tags": ["O"]}\n', b'{"text": "a b"}\n',
    b'{"text": "a b", "spans": [[0, 1, "X"]]}\n', b'{"', b"]", b"}", b"[", b"null", b"1e999", b"NaN", b"\\ud800",
    b"9" * 5000, b"-1", b"w=a:2.5", b"nan", b"inf", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1f\x8b\x08", b"\xfd7zXZ\0",
    b"\xc3", b"\xa9", "中国".encode(), "\u3000".encode(), "\u2028".encode(), b"\x85", b"\x1c", b"x" * 70_000,
]  # fmt: skip
_COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {"": bytes, "gz": gzip.compress, "xz": lzma.compress}
_SEEDS: dict[str, list[bytes]] = {}


class Case(NamedTuple):
    """Bytes of a corpus, how they are read, and what is written."""

    format: str | None
    data: bytes
    columns: str | None
    output: str


def _prepare() -> None:
    corpus = newswire(2, seed=1).slice(0, 6)
    for name, row in FORMATS.items():
        for columns in ("form", "form pos", "form pos ner", None, "form pos head"):
            out = io.BytesIO()
            try:
                write(corpus, out, name, columns)
            except TagloomError:
                continue
            _SEEDS.setdefault(name, []).append(out.getvalue())
        if not row.is_binary:
            _SEEDS.setdefault(name, []).append(b"a b\nc\n")
    _SEEDS["crfsuite"].append(b"X\tw=a\tb:2\nY\tw=c\\:d\n\nX\tw=a\n")
    _SEEDS["conllu"].append(
        b"# newdoc\n# text = vamonos al\n1-2\tvamonos\t_\t_\t_\t_\t_\t_\t_\t_\n"
        b"1\tvamos\tir\tVERB\tV\tA=B\t0\troot\t_\t_\n2\tnos\t_\tPRON\t_\t_\t1\tobj\t_\t_\n"
        b"2.1\te\t_\t_\t_\t_\t_\t_\t_\t_\n3\tal\t_\tADP\t_\t_\t1\tx\t_\tSpaceAfter=No\n\n"
    )


def _make(rng: random.Random) -> Case:
    name = rng.choice(list(FORMATS))
    data = soup(rng, _PIECES) if rng.random() < 0.3 else mutate(rng, rng.choice(_SEEDS[name]), _PIECES, 4)
    data = data[:200_000]
    compress = _COMPRESSIONS[rng.choice(["", "", "", "gz", "xz"])]
    if compress is not bytes:
        data = mutate(rng, compress(data), _PIECES, 1) if rng.random() < 0.3 else compress(data)
    columns = rng.choice([*[None] * 6, "form", "form label", "form pos label", "a b c d e"])
    return Case(rng.choice([name, name, None]), data, columns, rng.choice([*[name] * 5, *FORMATS]))


def _run(case: Case) -> Outcome:
    return observe(functools.partial(_use, case))


def _use(case: Case) -> None:
    corpus = read(io.BytesIO(case.data), case.format, case.columns)
    if corpus.check().token_count == 0:
        raise BrokenPromiseError("a corpus without tokens was read")
    repr(corpus)
    written = _write(corpus, case.output)
    again = read(io.BytesIO(written), case.output, None if FORMATS[case.output].names_columns else corpus.names)
    if _list_words(again) != _list_words(corpus) and _keeps_words(corpus, case.output):
        raise BrokenPromiseError(f"words are not read back from {case.output} as they were written")


def _write(corpus: Corpus, name: str) -> bytes:
    out = io.BytesIO()
    write(corpus, out, name)
    return out.getvalue()


def _keeps_words(corpus: Corpus, name: str) -> bool:
    """Whether tokens stay what they are: text is cut anew, characters are words, and bags have no words."""
    row = FORMATS[name]
    return not (row.is_running_text or row.has_character_tokens or row.is_binary or name == "crfsuite") and all(
        len(part) > 0 for part in _list_words(corpus)
    )


def _list_words(corpus: Corpus) -> list[list[str]]:
    column = next((each for each in corpus.names if not corpus.column(each).is_bag), None)
    return [] if column is None else list(corpus.iter_sentences("form" if "form" in corpus.names else column))


def _shrink(case: Case) -> Iterator[Case]:
    return (case._replace(data=data) for data in shrink_text(case.data))


TARGET = Target(_make, _run, prepare=_prepare, shrink=_shrink, memory=8 << 30)
