"""Same seed, same data: the weights of every learner and system are those of the committed checksums."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.golden.trainings import DEPEND_ON_MACHINE, TRAININGS, checksum_weights, describe_machine

GOLDEN = json.loads(Path(__file__).with_name("weights.json").read_text("utf-8"))


def test_every_training_has_a_checksum() -> None:
    assert list(GOLDEN["weights"]) == list(TRAININGS)


@pytest.mark.parametrize("name", TRAININGS)
def test_weights_are_the_committed_ones(name: str) -> None:
    if name in DEPEND_ON_MACHINE and describe_machine() != GOLDEN["machine"]:
        pytest.skip(f"checksums are of {GOLDEN['machine']}, this is {describe_machine()}")
    assert f"{checksum_weights(TRAININGS[name]().parameters):08x}" == GOLDEN["weights"][name]
