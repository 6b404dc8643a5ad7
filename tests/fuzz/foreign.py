"""Model files of CRFsuite with bytes that were changed: opened, and used for everything that a model can do."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pycrfsuite

from tests.fuzz.forged import SECONDS, observe_uses
from tests.fuzz.models import list_uses
from tests.fuzz.mutate import mutate, shrink_text
from tests.fuzz.outcome import Outcome, Target

_NUMBERS = [0, 1, 2, 3, 12, 24, 48, 255, 65536, 2**31 - 1, 2**31, 2**32 - 8, 2**32 - 1]
_PIECES = [
    *(number.to_bytes(4, "little") for number in _NUMBERS), b"", b"\0", b"\xff", b"lCRF", b"FOMC", b"CQDB", b"LFRF",
    b"AFRF", b"FEAT", b"w=dog", b"\x00\x00\x00\x00\x00\x00\xf8\x7f", b"\x00\x00\x00\x00\x00\x00\xf0\x7f", b"\xc3\x28",
]  # fmt: skip


@cache
def _train() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        trainer = pycrfsuite.Trainer(verbose=False)
        trainer.append([{"w=dog": 1.0, "length": 0.5}, {"w=barks": 1.0}], ["N", "V"])
        trainer.append([{"w=cat": 2.0}, {"w=sleeps": 1.0, "last": 1.0}], ["N", "V"])
        trainer.train(f"{folder}/model")
        return Path(folder, "model").read_bytes()


def _prepare() -> None:
    with tempfile.TemporaryDirectory() as folder:
        outcome = _run(_train(), Path(folder))
    if outcome.failed:
        raise RuntimeError(f"a model of CRFsuite does not work: {outcome.detail}")


def _make(rng: random.Random) -> bytes:
    """Change some bytes; most files say the length that they have, as readers check it first."""
    data = mutate(rng, _train(), _PIECES, 4)[:100_000]
    return data[:4] + len(data).to_bytes(4, "little") + data[8:] if rng.random() < 0.7 else data


def _run(data: bytes, folder: Path = Path()) -> Outcome:
    file = folder / "forged.crfsuite"
    file.write_bytes(data)
    return observe_uses(list_uses(file), len(data))


def _shrink(data: bytes) -> Iterator[bytes]:
    return shrink_text(data)


TARGET = Target(_make, _run, bytes, _prepare, _shrink, seconds=SECONDS)
