"""Schemas of the arrays of a file: names, types, lengths that agree, and ranges of their values.

A length is a number, a dimension such as ``F`` (the first array that names it decides), or a dimension and one, such as
``E + 1``. A dimension in lower case belongs to one layout, one in upper case to the whole file. The core checks what
only it knows, such as whether weights fit the chain that they are for.
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagloom._core import is_utf8
from tagloom.schema.misfit import Misfit, Text

#: Names of types of numbers, as safetensors writes them -> NumPy's.
TYPES = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "U64": "<u8", "I64": "<i8", "U32": "<u4", "U16": "<u2", "I32": "<i4",
         "U8": "|u1"}  # fmt: skip
#: Types of numbers that are as narrow as they can be.
COUNTS = "U8 U16 U32"
_LENGTH = re.compile(r"(?P<name>[A-Za-z])(?P<more> \+ 1)?|(?P<number>[0-9]+)")

Arrays = Mapping[str, NDArray[Any]]
#: Lengths by the name of their dimension; the last map is that of the whole file.
Sizes = ChainMap[str, int]
_Check = Callable[[], None]


@dataclass(frozen=True)
class Array:
    """One array of a file."""

    name: str
    types: str  # one or several of TYPES, separated by blanks
    length: str  # "" for any
    help: str
    low: float | None = None  # least value
    high: float | None = None  # largest value
    below: str = ""  # number or dimension that all values are below
    sums_to: str = ""  # dimension that the values add up to
    cuts: str = ""  # dimension that the values cut into ranges: from 0, never falling, up to its length
    increases: bool = False  # every value is larger than the one before it
    is_needed: bool = True

    def measure(self, arrays: Arrays, prefix: str, sizes: Sizes) -> Iterator[tuple[str, _Check]]:
        """Check type and length; yield the name of the array, if it is there, and the check of its values."""
        name = prefix + self.name
        array = arrays.get(name)
        if array is None:
            if self.is_needed:
                raise Misfit(f"tensor {name}", "an array", Text("none"))
            return
        if array.dtype.str not in self._dtypes:
            raise Misfit(f"tensor {name}", f"numbers of type {' or '.join(self.types.split())}", Text(array.dtype.name))
        if self.length:
            self._check_length(name, len(array), sizes)
        yield name, lambda: self._check_values(name, array, sizes)

    @cached_property
    def _dtypes(self) -> tuple[str, ...]:
        return tuple(TYPES[kind] for kind in self.types.split())

    def _check_length(self, name: str, count: int, sizes: Sizes) -> None:
        match = _LENGTH.fullmatch(self.length)
        assert match is not None
        more = 1 if match["more"] else 0
        if match["number"] is not None:
            expected = int(match["number"])
        else:
            owner = sizes if match["name"].islower() else sizes.maps[-1]
            expected = owner.setdefault(match["name"], count - more) + more
        if count != expected or count < more:
            raise Misfit(f"tensor {name}", f"{max(expected, more):,} numbers", Text(f"{count:,}"))

    def _check_values(self, name: str, array: NDArray[Any], sizes: Sizes) -> None:
        if self.sums_to:
            total = sizes[self.sums_to]
            self._expect(name, int(array.sum(dtype=np.uint64)) == total, f"a sum of {total:,}")
        if self.cuts:
            whole = len(array) > 0 and array[0] == 0 and array[-1] == sizes[self.cuts]
            self._expect(name, whole and not (array[1:] < array[:-1]).any(),
                         f"numbers that rise from 0 to {sizes[self.cuts]:,}")  # fmt: skip
        if self.increases:
            self._expect(name, not (array[1:] <= array[:-1]).any(), "increasing numbers")
        if not len(array):
            return
        if self.below:
            end = int(self.below) if self.below.isdigit() else sizes[self.below]
            self._expect(name, array.min() >= 0 and array.max() < end, f"numbers from 0 to {end - 1:,}")
        if self.low is not None:
            self._expect(name, array.min() >= self.low, f"numbers of {self.low:g} or more")
        if self.high is not None:
            self._expect(name, array.max() <= self.high, f"numbers of at most {self.high:g}")

    @staticmethod
    def _expect(name: str, holds: object, what: str) -> None:
        if not holds:
            raise Misfit(f"tensor {name}", what, Text("others"))


@dataclass(frozen=True)
class Layout:
    """Arrays that belong together: all of them are there or, if they are not needed, none."""

    members: tuple[Array | Layout | OneOf, ...]
    prefix: str = ""  # of their names
    is_needed: bool = True
    check: Callable[[Arrays, str], None] | None = None  # of the arrays together, and their prefix; raises Misfit

    def measure(self, arrays: Arrays, prefix: str, sizes: Sizes) -> Iterator[tuple[str, _Check]]:
        """Check types and lengths; yield the names of the arrays that are there, and the checks of their values."""
        prefix += self.prefix
        if not self.is_needed and not any(prefix + name in arrays for name in self.names):
            return
        own = sizes.new_child()
        found = [each for member in self.members for each in member.measure(arrays, prefix, own)]
        yield from found
        check = self.check
        if check is not None:
            yield found[0][0], lambda: check(arrays, prefix)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the arrays after the prefix."""
        return tuple(name for member in self.members for name in _list_names(member))

    def check_all(self, arrays: Arrays, others: tuple[str, ...] = ()) -> None:
        """Raise :class:`Misfit` unless the arrays fit, and there are no others but those with some prefixes."""
        found = list(self.measure(arrays, "", ChainMap()))
        for _, check in found:  # after all lengths are known
            check()
        known = {name for name, _ in found}
        for name in arrays:
            if name not in known and not name.startswith(others or ("\0",)):
                raise Misfit("tensors", "those of this kind of file", Text(f"another one, {ascii(name)[:60]}"))


@dataclass(frozen=True)
class OneOf:
    """Several ways to keep the same thing, of which a file has one."""

    layouts: tuple[Layout, ...]

    def measure(self, arrays: Arrays, prefix: str, sizes: Sizes) -> Iterator[tuple[str, _Check]]:
        """Check the layout whose first array is there; without any, the first one."""
        for layout in self.layouts:
            if prefix + layout.prefix + layout.names[0] in arrays:
                return layout.measure(arrays, prefix, sizes)
        return self.layouts[0].measure(arrays, prefix, sizes)


def _list_names(member: Array | Layout | OneOf) -> Iterator[str]:
    if isinstance(member, Array):
        yield member.name
        return
    for layout in (member,) if isinstance(member, Layout) else member.layouts:
        yield from (layout.prefix + name for name in layout.names)


def describe_strings(
    prefix: str, length: str, what: str, *, is_needed: bool = True, ends: str = ".ends", text: str = ".text"
) -> Layout:
    """Describe a string table: UTF-8 bytes of distinct strings, and where each ends. The core checks the bytes."""
    return Layout(
        (
            Array(text, "U8", "t", f"{what}: UTF-8, one after the other, no string twice."),
            Array(ends, "I64", f"{length} + 1", "Where each begins and ends in the bytes.", cuts="t"),
        ),
        prefix,
        is_needed,
    )


def check_parts(arrays: Arrays, prefix: str) -> None:
    """Raise :class:`Misfit` unless texts that are cut by ``lengths`` are UTF-8, each on its own."""
    text = arrays[f"{prefix}text"]
    if text.max(initial=0) < 0x80:  # ASCII, as most texts are
        return
    lengths = arrays[f"{prefix}lengths"].astype(np.int64)
    begins = (np.cumsum(lengths) - lengths)[lengths > 0]
    if not is_utf8(text) or ((text[begins] & 0xC0) == 0x80).any():
        raise Misfit(f"tensor {prefix}text", "valid UTF-8", Text("other bytes"))


def describe_names(prefix: str, length: str, what: str) -> Layout:
    """Describe the texts of features, whose parts are kept once each; they may be left out."""
    return Layout(
        (
            Array("text", "U8", "t", f"{what}: their distinct parts, UTF-8, one after the other."),
            Array("lengths", COUNTS, "p", "Bytes of every part.", sums_to="t"),
            Array("parts", COUNTS, "n", "The parts of all texts, one text after the other.", below="p"),
            Array("counts", COUNTS, length, "Parts of every text.", sums_to="n"),
        ),
        prefix,
        is_needed=False,
        check=check_parts,
    )
