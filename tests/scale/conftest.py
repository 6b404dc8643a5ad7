"""The workers of this machine, for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def cluster() -> Iterator[None]:
    ray = pytest.importorskip("ray", reason="Ray is not installed: make test-ray")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_worker_niceness", "0")  # as fast as this process, whatever else the machine does
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
        yield
        ray.shutdown()
