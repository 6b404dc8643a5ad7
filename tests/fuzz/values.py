"""Values of every type that a caller may pass, by names that a kept case can be read by."""

from __future__ import annotations

import collections
import datetime
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

import tagloom
from tagloom.datasets import newswire


class OwnError(Exception):
    """An exception of the caller's own objects, which passes through."""


def _raise(*_: object, **__: object) -> NoReturn:
    raise OwnError


class _NoLength(list[str]):
    __len__ = _raise


class _NoIterator(list[str]):
    __iter__ = _raise


class _NoItems(Sequence[str]):
    __getitem__ = _raise  # type: ignore[assignment]

    def __len__(self) -> int:
        return 2


class _NoRepr:
    __repr__ = _raise


class _NoEquality:
    __eq__ = _raise
    __hash__ = None  # type: ignore[assignment]


class _Text(str):
    __slots__ = ()


class _Whole(int):
    pass


class _Columns(Mapping[str, Any]):
    def __getitem__(self, name: str) -> list[str]:
        return {"form": ["a", "b"], "label": ["X", "Y"]}[name]

    def __len__(self) -> int:
        return 2

    def __iter__(self) -> Iterator[str]:
        return iter(("form", "label"))


def _nest(depth: int) -> list[Any]:
    nested: list[Any] = []
    for _ in range(depth):
        nested = [nested]
    return nested


def _loop() -> list[Any]:
    loop: list[Any] = []
    loop.append(loop)
    return loop


def _close() -> io.BytesIO:
    stream = io.BytesIO(b"a\tX\n")
    stream.close()
    return stream


_WORDS, _TAGS = ["The", "cat", "left"], ["DT", "NN", "VBD"]
_CONLL = "The\tDT\ncat\tNN\n\nIt\tPRP\nleft\tVBD\n"
_CORPUS = newswire(1, seed=1).slice(0, 4)
_COLUMN = _CORPUS.column("pos")

VALUES: dict[str, Callable[[], Any]] = {
    "None": lambda: None, "True": lambda: True, "False": lambda: False, "Ellipsis": lambda: ...,
    "0": lambda: 0, "1": lambda: 1, "2": lambda: 2, "3": lambda: 3, "-1": lambda: -1, "-5": lambda: -5,
    "2**31": lambda: 2**31, "2**63": lambda: 2**63, "-2**63": lambda: -(2**63), "2**64": lambda: 2**64,
    "10**5000": lambda: 10**5000, "-10**5000": lambda: -(10**5000),
    "0.5": lambda: 0.5, "-1.5": lambda: -1.5, "1e300": lambda: 1e300, "nan": lambda: float("nan"),
    "inf": lambda: float("inf"), "-inf": lambda: float("-inf"), "1j": lambda: 1j, "Decimal": lambda: Decimal("0.1"),
    "Decimal nan": lambda: Decimal("sNaN"), "Fraction": lambda: Fraction(1, 3), "int64": lambda: np.int64(2),
    "float32": lambda: np.float32("nan"), "bool_": lambda: np.bool_(True), "whole": lambda: _Whole(2),
    "empty text": lambda: "", "a": lambda: "a", "form": lambda: "form", "pos": lambda: "pos", "label": lambda: "label",
    "blank": lambda: " ", "sentence": lambda: "The cat left. It rained.\n\nNo.", "two": lambda: "2",
    "surrogate": lambda: "\ud800", "low surrogate": lambda: "a\udc80b", "nul": lambda: "a\0b",
    "lines": lambda: "a\nb\r\nc",
    "long": lambda: "x" * 10_000, "text": lambda: _Text("form"), "markup": lambda: "<b>&\x1b[31m",
    "chinese": lambda: "中文",
    "pos tags": lambda: "DT", "conll": lambda: "conll", "BIO": lambda: "IOB2", "tagger": lambda: "tagger",
    "template": lambda: "form[0]\nform[-1] form[0] / edge\n/ edge\n", "perceptron": lambda: "perceptron",
    "bytes": lambda: b"a\xff", "empty bytes": lambda: b"", "bytearray": lambda: bytearray(b"ab"),
    "memoryview": lambda: memoryview(b"ab"),
    "[]": list, "()": tuple, "{}": dict, "set()": set, "frozenset": lambda: frozenset("ab"),
    "[1, None]": lambda: [1, None], "['a', 1]": lambda: ["a", 1], "[None]": lambda: [None], "['']": lambda: [""],
    "['surrogate']": lambda: ["\ud800"], "[bytes]": lambda: [b"a", b"b"], "[nan]": lambda: [float("nan"), 1.0],
    "words": lambda: list(_WORDS), "tags": lambda: list(_TAGS), "tuple": lambda: tuple(_WORDS),
    "rows": lambda: list(zip(_WORDS, _TAGS)), "row lists": lambda: [["a", "b"], ["c"]],
    "sentences": lambda: [list(_WORDS), ["It", "left"]], "tag lists": lambda: [list(_TAGS), ["PRP", "VBD"]],
    "tagged": lambda: [list(zip(_WORDS, _TAGS))], "pairs": lambda: [(list(_WORDS), list(_TAGS))] * 2,
    "bad pairs": lambda: [(list(_WORDS), ["DT"])], "odd pairs": lambda: [(list(_WORDS), [1, 2.5, None])],
    "spans": lambda: [(list(_WORDS), [(0, 2, "X")])], "bad spans": lambda: [(list(_WORDS), [(2, 1, "X")])],
    "span": lambda: [(0, 1, "X")], "odd span": lambda: [(float("nan"), 10**5000, None)],
    "numbers": lambda: [1, 2, 3], "negative": lambda: [-1, -2], "huge": lambda: [10**5000, 2**70],
    "features": lambda: [[{"w": "a", "b": 1.0, "c": True}, ["x", "y"]]], "items": lambda: [{"w": "a"}, {"w": "b"}],
    "bad features": lambda: [[{1: 2, None: object()}]], "nan features": lambda: [[{"a": float("nan")}]],
    "columns": lambda: {"form": list(_WORDS), "label": list(_TAGS)}, "column lists": lambda: {"form": [list(_WORDS)]},
    "uneven": lambda: {"form": ["a"], "label": []}, "{1: 2}": lambda: {1: 2}, "{None: []}": lambda: {None: []},
    "{'a': 1}": lambda: {"a": 1}, "{'a': function}": lambda: {"a": len}, "functions": lambda: {"up": str.upper},
    "bad function": lambda: {"up": lambda word: object()}, "mapping": _Columns, "grid": lambda: {"epochs": [1, 2]},
    "counter": lambda: collections.Counter("abc"), "deque": lambda: collections.deque(["a", "b"]),
    "generator": lambda: (word for word in _WORDS), "iterator": lambda: iter([list(_WORDS)]), "range": lambda: range(3),
    "keys": lambda: {"a": 1}.keys(), "map": lambda: map(str, range(3)), "nested": lambda: _nest(5000), "loop": _loop,
    "empty lists": lambda: [[], []], "empty pairs": lambda: [([], [])], "many": lambda: ["w"] * 100,
    "ints": lambda: np.array([0, 2, 3]), "codes": lambda: np.array([0, 1, 0], np.int32), "floats": lambda: np.ones(3),
    "nans": lambda: np.full(3, np.nan), "objects": lambda: np.array(["a", None], object), "array": lambda: np.array(3),
    "matrix": lambda: np.zeros((2, 2)), "strings": lambda: np.array(["a", "b"]),
    "dates": lambda: np.array(["2020"], "M8[D]"),
    "empty array": lambda: np.zeros(0, np.int64), "bools": lambda: np.array([True, False, True]),
    "bounds": lambda: _CORPUS.sentences, "wild": lambda: np.array([0, 10**12, -7]),
    "object": object, "type": lambda: int, "class": lambda: tagloom.Corpus, "len": lambda: len, "str": lambda: str,
    "lambda": lambda: lambda *args, **keywords: None, "raises": lambda: _raise, "error": lambda: ValueError("x"),
    "module": lambda: tagloom, "date": lambda: datetime.date(2020, 1, 1), "not implemented": lambda: NotImplemented,
    "no length": lambda: _NoLength(["a", "b"]), "no iterator": lambda: _NoIterator(["a"]), "no items": _NoItems,
    "no repr": _NoRepr, "no equality": _NoEquality,
    "missing": lambda: "missing.conll", "folder": lambda: Path(), "path": lambda: Path("out.tagloom"),
    "root": lambda: "/",
    "nul path": lambda: Path("a\0b"), "long path": lambda: Path("x" * 5000), "null": lambda: "/dev/null",
    "stream": lambda: io.BytesIO(_CONLL.encode()), "text stream": lambda: io.StringIO(_CONLL), "closed": _close,
    "corpus": lambda: _CORPUS, "column": lambda: _COLUMN, "empty corpus": lambda: _CORPUS.slice(0, 0),
    "parsed": lambda: tagloom.from_sentences([_WORDS]), "system": lambda: tagloom.SYSTEMS["tagger"],
    "learner": lambda: tagloom.LEARNERS["dca"],
}  # fmt: skip

#: What parameters of some names ask for, so that calls come past the first check.
_ASKED = [
    ("data train test dev corpus gold",
     ["corpus", "pairs", "spans", "columns", "features", "tagged", "sentences", "empty corpus", "parsed", "missing"]),
    ("tokens sentence words",
     ["words", "rows", "items", "tuple", "columns", "generator", "[]", "[1, None]", "many"]),
    ("sentences X sequences", ["sentences", "tagged", "features", "empty lists", "bounds", "iterator"]),
    ("tags labels y y_true y_pred", ["tag lists", "tags", "empty lists", "span"]),
    ("path source target folder file",
     ["path", "missing", "folder", "null", "stream", "text stream", "closed", "surrogate", "nul path", "long path",
      "corpus", "template"]),
    ("text texts",
     ["sentence", "chinese", "markup", "surrogate", "nul", "empty text", "long", "lines", "words"]),
    ("n threads index start stop seed samples documents top depth",
     ["0", "1", "2", "3", "-1", "2**63", "10**5000", "0.5", "nan", "two"]),
    ("name column label main layer", ["form", "pos", "label", "a", "text", "empty text", "surrogate"]),
    ("columns names", ["words", "form", "['']", "columns", "[]"]),
    ("predicted forms", ["column"]),
    ("format", ["conll", "a", "empty text"]),
    ("scheme", ["BIO", "a"]),
    ("system", ["tagger", "system", "a"]),
    ("learner learners", ["perceptron", "learner", "words", "a"]),
    ("grid", ["grid", "{}", "{1: 2}"]),
    ("templates", ["template", "form", "a"]),
    ("constraints", ["tags", "[None]", "[1, None]", "row lists", "words"]),
    ("functions", ["functions", "bad function", "{'a': 1}"]),
]  # fmt: skip
FITTING = {name: values for names, values in _ASKED for name in names.split()}

#: Names of options for functions that take any.
OPTIONS = [
    "threads", "epochs", "decoder", "depth", "beam", "candidates", "confidence", "templates", "learner", "seed",
    "label", "scheme", "cutoff", "attributes", "resources", "rate", "C", "folds", "unknown", "top", "codec",
    "averaging", "provide",
]  # fmt: skip
