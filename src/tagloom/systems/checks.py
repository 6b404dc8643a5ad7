"""Checks of whole numbers that users pass."""

from __future__ import annotations

from tagloom.errors import ConfigError

MOST_CANDIDATES = 100_000
MOST_THREADS = 1024


def check_whole_number(name: str, value: object, least: int, most: int | None = None) -> None:
    """Raise :class:`ConfigError` for anything but a whole number in range."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least or (most is not None and value > most):
        limit = f"of {least} or more" if most is None else f"from {least} to {most}"
        raise ConfigError(f"{name}: expected a whole number {limit}, got {value!r}")


def check_threads(threads: object) -> None:
    """Raise :class:`ConfigError` for anything but a number of threads."""
    check_whole_number("threads", threads, 1, MOST_THREADS)
