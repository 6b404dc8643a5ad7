"""The connection to a Ray cluster, or to workers that Ray starts on this machine."""

from __future__ import annotations

import logging
import os
from typing import Any

from tagloom.errors import ConfigError, show_value

#: The address that stands for the cluster of RAY_ADDRESS or, if that is not set, for workers on this machine.
HERE = "here"
_LOCAL = "local"
#: How often a worker that died is started again, and its work done again.
RETRIES = 5


def import_ray() -> Any:
    """Import Ray, which an extra brings."""
    try:
        import ray
    except ImportError:
        raise ConfigError('ray: Ray is not installed: pip install "tagloom[ray]"') from None
    return ray


def connect(where: bool | str) -> Any:
    """Connect to Ray, unless this process is connected already, and return its module.

    Args:
        where: The address of a cluster, as ``ray.init`` takes it; True or "here" for the cluster that RAY_ADDRESS names
            or, without it, for workers on this machine.

    Raises:
        ConfigError: Ray is not installed, or there is no cluster at this address.
    """
    if where is not True and (not isinstance(where, str) or not where):
        raise ConfigError(f"ray: expected the address of a cluster or True, got {show_value(where)}")
    ray = import_ray()
    if not ray.is_initialized():
        address = os.environ.get("RAY_ADDRESS") or _LOCAL if where in (True, HERE) else where
        own = {"include_dashboard": False} if address == _LOCAL else {}  # a running cluster has decided that
        try:
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **own)
        except (ConnectionError, ValueError, RuntimeError) as error:
            reason = " ".join(str(error).split())
            raise ConfigError(f"ray: cannot connect to {address}: {reason}") from None
    return ray


def count_cores() -> int:
    """Count the cores of the cluster that is connected."""
    return max(1, int(import_ray().cluster_resources().get("CPU", 1)))


def build_death(error: Exception) -> ConfigError:
    """Build the error for a worker that died more often than it is started again."""
    reason = " ".join(str(error).split())[:200]
    return ConfigError(f"ray: a worker died {RETRIES + 1} times, perhaps for lack of memory: {reason}")
