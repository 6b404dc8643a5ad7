"""The layout of files: the bytes are those of safetensors' own writer."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from safetensors.numpy import load, save

from tagloom.files.container import lay_out
from tagloom.schema.arrays import TYPES

TENSORS = st.dictionaries(
    st.text('abc.\u00e9_"\\', min_size=1, max_size=4),
    st.sampled_from(sorted(TYPES.values())).flatmap(
        lambda kind: arrays.arrays(np.dtype(kind), arrays.array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=5))
    ),
    max_size=6,
)


@given(TENSORS, st.text(max_size=10))
def test_files_have_the_bytes_that_safetensors_writes(tensors: dict[str, np.ndarray], text: str) -> None:
    contents = b"".join(lay_out(tensors, {"tagloom": text}))
    assert contents == save(tensors, {"tagloom": text})
    for name, array in load(contents).items():
        assert array.tobytes() == tensors[name].tobytes()
