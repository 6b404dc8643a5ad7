"""Makes weights.json beside it: checksums of the weights that every training of ``trainings`` learns.

Run it only where a change is meant to change what is learned: ``python -m tests.golden.make_weights``.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.golden.trainings import TRAININGS, checksum_weights, describe_machine

if __name__ == "__main__":
    table = {name: f"{checksum_weights(make().parameters):08x}" for name, make in TRAININGS.items()}
    Path(__file__).with_name("weights.json").write_text(
        json.dumps({"machine": describe_machine(), "weights": table}, indent=1) + "\n", "utf-8"
    )
