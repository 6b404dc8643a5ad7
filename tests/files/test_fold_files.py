"""Files of folds: what they can hold."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tagloom.files.cache import FoldFiles


def test_files_take_flat_arrays_of_numbers_only(tmp_path: Path) -> None:
    files = FoldFiles.open(tmp_path)
    for array in (np.zeros((2, 2)), np.array([True]), np.array(["a"])):
        with pytest.raises(ValueError, match="one-dimensional arrays of numbers"):
            files.store({"data": "1"}, {"x": array})
