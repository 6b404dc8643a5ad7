"""The packages that the extra ``serve`` brings."""

from __future__ import annotations

from importlib.util import find_spec

from tagloom.errors import ConfigError

_PACKAGES = ("httptools", "msgspec", "starlette", "uvicorn")


def require_packages() -> None:
    """Raise ConfigError unless everything that a server needs is installed."""
    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if missing:
        raise ConfigError(f'serve: {" and ".join(missing)} missing: pip install "tagloom[serve]"')
