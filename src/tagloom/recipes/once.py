"""Things that are costly to make, made once by whichever thread first needs them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Made = TypeVar("Made")


class Once(Generic[Made]):
    """Things by their key. Threads that need one in the making wait for it; others go on."""

    def __init__(self) -> None:
        self.made: dict[str, Made] = {}
        self.locks: dict[str, threading.Lock] = {}
        self.lock = threading.Lock()

    def get(self, key: str, make: Callable[[], Made]) -> Made:
        with self.lock:
            mine = self.locks.setdefault(key, threading.Lock())
        with mine:
            if key not in self.made:
                self.made[key] = make()
            return self.made[key]
