"""Arrays as model files hold them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Tensors = dict[str, NDArray[Any]]
