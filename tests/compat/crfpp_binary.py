"""Binary models of CRF++, written as CRF++ 0.58 reads them: a header, labels, templates, a double array, weights."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

import numpy as np

_BLOCK = 257  # places of one node: the end of a key, or one of 256 bytes


def build_double_array(numbers: Mapping[bytes, int]) -> bytes:
    """A trie as units (base, check), every node in a block of its own; the value of a key is -base - 1 at its end."""
    nodes: list[dict[int, int]] = [{}]  # place in the block -> number of the node, or the value at place 0
    for key, value in numbers.items():
        node = 0
        for byte in key:
            if byte + 1 not in nodes[node]:
                nodes[node][byte + 1] = len(nodes)
                nodes.append({})
            node = nodes[node][byte + 1]
        nodes[node][0] = value
    units = np.zeros((1 + _BLOCK * len(nodes), 2), np.int32)
    units[0, 0] = 1
    for number, places in enumerate(nodes):
        base = 1 + _BLOCK * number
        for place, found in places.items():
            units[base + place] = (-found - 1 if place == 0 else 1 + _BLOCK * found, base)
    return units.tobytes()


def build_model(
    labels: Sequence[str], template: Sequence[str], features: Mapping[str, int], weights: np.ndarray
) -> bytes:
    names = b"".join(label.encode() + b"\0" for label in labels)
    lines = b"".join(line.encode() + b"\0" for line in template)
    lines += b"\0" * (-(len(names) + len(lines)) % 4)
    array = build_double_array({text.encode(): number for text, number in sorted(features.items())})
    header = struct.pack("<IidIII", 100, 0, 1.0, len(weights), 2, len(array))
    sizes = [struct.pack("<I", len(part)) + part for part in (names, lines)]
    return header + b"".join(sizes) + array + weights.astype("<f4").tobytes()
