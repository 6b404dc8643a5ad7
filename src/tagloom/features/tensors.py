"""Arrays as model files hold them."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

Tensors = dict[str, NDArray[Any]]
