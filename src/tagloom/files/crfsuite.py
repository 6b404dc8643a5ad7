"""Model files of CRFsuite (first-order Markov CRFs, ``lCRF``/``FOMC``): strings, features and weights, checked.

All numbers are little-endian. A header of 48 bytes names the offsets of five chunks: the features (type, source, label,
weight), two string tables (labels and attributes: "CQDB", constant databases whose backward array lists the record of
every number), and two lists of references from labels and attributes to their features. What does not fit together
is refused; memory stays within a small multiple of the size of the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAGIC = b"lCRF"

_HEADER, _CHUNK, _TABLE = 48, 12, 24  # bytes of the headers of the file, of a chunk and of a string table
_TYPE, _VERSION, _BYTE_ORDER = b"FOMC", 100, 0x62445371
_FEATURE = np.dtype([("type", "<u4"), ("source", "<u4"), ("label", "<u4"), ("weight", "<f8")])
_OF_ATTRIBUTE, _OF_LABEL = 0, 1  # types of features
_LEGACY_LABELS = 2  # beginning and end of the sequence, which have references but no features

NumberArray = NDArray[np.uint32]
IndexArray = NDArray[np.int64]


@dataclass(frozen=True)
class CrfsuiteModel:
    """What a model file of CRFsuite says."""

    labels: tuple[str, ...]
    attributes: tuple[str, ...]
    states: NDArray[Any]  # features of (attribute, label): source, label, weight
    transitions: NDArray[Any]  # features of (label, next label): source, label, weight


def parse_crfsuite(data: bytes) -> CrfsuiteModel:
    """Parse the bytes of a model file; raises ValueError if anything is out of place."""
    if data[:4] != MAGIC or len(data) < _HEADER:
        raise ValueError("no header of a CRFsuite model")
    size, kind, version, features, labels, attributes, *offsets = _read_header(data)
    if kind != _TYPE or version != _VERSION:
        raise ValueError(f"type {kind!r}, version {version}; expected {_TYPE!r}, {_VERSION}")
    if size != len(data):
        raise ValueError(f"{len(data):,} bytes, but its header says {size:,}")
    whole = _Bytes(data)
    found = _read_features(whole, offsets[0])
    if features not in (0, len(found)):  # CRFsuite itself writes 0
        raise ValueError("the header and the features differ in their number")
    strings = [_read_strings(whole, *place) for place in ((offsets[1], labels), (offsets[2], attributes))]
    if not strings[0]:
        raise ValueError("it has no labels")
    transitions = _follow(whole, offsets[3], b"LFRF", labels, found, _OF_LABEL)
    states = _follow(whole, offsets[4], b"AFRF", attributes, found, _OF_ATTRIBUTE)
    if len(states) + len(transitions) != len(found):
        raise ValueError("features that nothing refers to")
    if len(found) and not (found["label"].max() < labels and np.isfinite(found["weight"]).all()):
        raise ValueError("features of unknown labels or with weights that are not finite")
    return CrfsuiteModel(strings[0], strings[1], states, transitions)


def _read_header(data: bytes) -> tuple[Any, ...]:
    numbers = np.frombuffer(data, "<u4", _HEADER // 4).tolist()
    return numbers[1], data[8:12], *numbers[3:]


@dataclass(frozen=True)
class _Bytes:
    """The bytes of the file, of which parts are read that must lie inside."""

    data: bytes

    def read(self, offset: int, count: int, dtype: Any = "<u4") -> NDArray[Any]:
        if offset + count * np.dtype(dtype).itemsize > len(self.data):
            raise ValueError("parts of it lie beyond its end")
        return np.frombuffer(self.data, dtype, count, offset)

    def read_numbers(self, offsets: IndexArray) -> NumberArray:
        """Read one number at each of some places."""
        if len(offsets) and (offsets.min() < 0 or offsets.max() + 4 > len(self.data)):
            raise ValueError("parts of it lie beyond its end")
        places = offsets[:, None] + np.arange(4)
        bytes_: NDArray[np.uint8] = np.frombuffer(self.data, np.uint8)[places]
        return bytes_.view("<u4").ravel()

    def open_chunk(self, offset: int, name: bytes) -> int:
        """Check the header of a chunk and return how many entries it says it has."""
        if self.data[offset : offset + 4] != name:
            raise ValueError(f"no chunk {name.decode()} where it should be")
        return int(self.read(offset, _CHUNK // 4)[2])


def _read_features(whole: _Bytes, offset: int) -> NDArray[Any]:
    count = whole.open_chunk(offset, b"FEAT")
    return whole.read(offset + _CHUNK, count, _FEATURE)


def _read_strings(whole: _Bytes, offset: int, count: int) -> tuple[str, ...]:
    """Read the strings of a constant database in the order of their numbers."""
    if whole.data[offset : offset + 4] != b"CQDB":
        raise ValueError("no chunk CQDB where it should be")
    size, _, order, entries, backward = whole.read(offset, _TABLE // 4)[1:].tolist()
    if order != _BYTE_ORDER or entries != count or offset + size > len(whole.data):
        raise ValueError("a string table does not fit the header")
    records = offset + whole.read(offset + backward, count).astype(np.int64)
    lengths = whole.read_numbers(records + 4).astype(np.int64)
    if not np.array_equal(whole.read_numbers(records), np.arange(count)) or lengths.sum() > size:
        raise ValueError("the records of a string table are damaged")
    starts, stops = (records + 8).tolist(), (records + 8 + lengths).tolist()
    texts = tuple(_read_text(whole.data, start, stop) for start, stop in zip(starts, stops))
    if len(set(texts)) < count:
        raise ValueError("a string occurs twice in a table")
    return texts


def _read_text(data: bytes, start: int, stop: int) -> str:
    """Decode a string that ends with a zero byte."""
    text = data[start:stop]
    if len(text) != stop - start or text.find(0) != len(text) - 1:
        raise ValueError("a string does not end where it should")
    try:
        return text[:-1].decode()
    except UnicodeDecodeError:
        raise ValueError(f"{text[:-1]!r:.60} is not valid UTF-8") from None


def _follow(whole: _Bytes, offset: int, name: bytes, owners: int, features: NDArray[Any], kind: int) -> NDArray[Any]:
    """Follow the references of labels or attributes to their features, which must be their own and occur once."""
    extra = _LEGACY_LABELS if kind == _OF_LABEL else 0
    if whole.open_chunk(offset, name) not in (owners, owners + extra):
        raise ValueError(f"chunk {name.decode()} does not fit the header")
    places = whole.read(offset + _CHUNK, owners).astype(np.int64)
    counts = whole.read_numbers(places).astype(np.int64)
    total = int(counts.sum())
    if total > len(features):
        raise ValueError("more references than features")
    starts = np.repeat(places + 4 - 4 * (np.cumsum(counts) - counts), counts)
    numbers = whole.read_numbers(starts + 4 * np.arange(total))
    if total and numbers.max() >= len(features):
        raise ValueError("references to features that do not exist")
    found = features[numbers]
    if len(np.unique(numbers)) != total or not (found["type"] == kind).all():
        raise ValueError("references to wrong features")
    if not np.array_equal(found["source"], np.repeat(np.arange(owners), counts)):
        raise ValueError("references to features of others")
    return found
