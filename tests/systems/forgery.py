"""Forged model files: the model as it was but for one change, with checksums that fit."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.numpy import load_file, save

import tagloom
from tagloom.errors import ModelFileError, TagloomError

Tensors = dict[str, np.ndarray]
Change = Callable[[Tensors, dict[str, Any]], object]


def forge(source: Path, target: Path, change: Change) -> Path:
    """Write the model again after a change of its arrays and header; all checksums fit."""
    with safe_open(source, framework="numpy") as opened:
        header = json.loads(opened.metadata()["tagloom"][8:])
    header["spec"] = json.loads(header["spec"])
    tensors = load_file(source)
    change(tensors, header)
    header["spec"] = json.dumps(header["spec"])
    header["checksums"] = {name: zlib.crc32(array.tobytes()) for name, array in tensors.items()}
    text = json.dumps(header)
    target.write_bytes(save(tensors, {"tagloom": f"{zlib.crc32(text.encode()):08x}{text}"}))
    return target


def scratched(name: str, data: st.DataObject) -> Change:
    """The change of some bytes of one array to random ones."""

    def scratch(tensors: Tensors, _: dict[str, Any]) -> None:
        raw = bytearray(tensors[name].tobytes())
        for place in data.draw(st.lists(st.integers(0, len(raw) - 1), min_size=1, max_size=8)):
            raw[place] = data.draw(st.integers(0, 255))
        tensors[name] = np.frombuffer(bytes(raw), tensors[name].dtype)

    return scratch


def use(model: tagloom.Tagger) -> None:
    """Whatever a model can be used for; labels are its own, or an error is one line."""
    try:
        for labels in model.tag_many([["a", "b", "c", "new"], [], ["b"]]):
            assert all(isinstance(label, str) for label in labels)
        model.explain(["a", "b"])
    except TagloomError as error:
        assert "\n" not in str(error)  # noqa: PT017


def assert_refused(source: Path, target: Path, change: Change) -> None:
    with pytest.raises(ModelFileError) as error:
        tagloom.load(forge(source, target, change))
    assert "\n" not in str(error.value)
