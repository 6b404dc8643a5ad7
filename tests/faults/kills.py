"""Kills: trainings that are killed at random moments, and continued, end with the bytes of an undisturbed one.

Two of three kills happen just before or just after a call that changes a file, the others at a random time.
"""

from __future__ import annotations

import random
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tagloom.cli.main import run as run_command
from tests.faults.children import Child
from tests.faults.commands import TRAININGS, fill_in
from tests.faults.shim import Mode, Shim

_OLD = b"an older file of this name"
_MOST_KILLS = 12  # of one training, before it may end


class FaultError(Exception):
    """A promise that was not kept."""


@dataclass
class Killer:
    """One training that is killed and continued again and again."""

    name: str
    data: Path
    out: Path
    shim: Shim
    random: random.Random
    kills: Counter[str] = field(default_factory=Counter)  # by moment
    trainings: int = 0  # that were killed at least once, and ended
    resumed: int = 0  # kills that left something to continue from
    expected: bytes = b""
    calls: int = 0  # that change files, of an undisturbed training
    seconds: float = 0.0

    @property
    def messages(self) -> Path:
        """The file that takes what the training tells."""
        return self.out.with_name("messages")

    def start(self, mode: Mode = Mode.COUNT, chosen: int = 0) -> Child:
        """Start the training, or continue it."""
        arguments = fill_in(TRAININGS[self.name], self.data, self.out)
        count = self.out.with_name("count")

        def act() -> int:
            self.shim.arm(self.out, mode, chosen)
            code = run_command(arguments)
            count.write_text(str(self.shim.disarm()))
            return code

        return Child.start(act, self.messages)

    def measure(self) -> None:
        """Train undisturbed, for the bytes to expect, the number of calls and the seconds."""
        self._clear()
        begun = time.monotonic()
        self._require(self.start().wait() == 0, "an undisturbed training failed")
        self.seconds = time.monotonic() - begun
        self.expected = (self.out / "model").read_bytes()
        self.calls = int(self.out.with_name("count").read_text())

    def run(self, kills: int) -> None:
        """Kill trainings so many times."""
        self.measure()
        while self.kills.total() < kills:
            self._clear()
            (self.out / "model").write_bytes(_OLD)
            self._run_one(kills)

    def _run_one(self, kills: int) -> None:
        """Run one training to its end."""
        killed, code = 0, -signal.SIGKILL
        while code == -signal.SIGKILL and killed < _MOST_KILLS and self.kills.total() < kills:
            moment = self.random.choice(("time", "before a call", "after a call"))
            code = self._disturb(moment)
            if code == -signal.SIGKILL:
                killed += 1
                self.kills[moment] += 1
                self._check_killed()
        if code == -signal.SIGKILL:
            code = self.start().wait()
        self._require(code == 0, f"exit code {code}")
        self._check_finished()
        self.trainings += killed > 0

    def _disturb(self, moment: str) -> int:
        if moment == "time":
            return self.start().kill_after(self.random.uniform(0, 1.1 * self.seconds))
        mode = Mode.KILL_BEFORE if moment == "before a call" else Mode.KILL_AFTER
        return self.start(mode, self.random.randint(1, self.calls)).wait()

    def _check_killed(self) -> None:
        """The model is the old file or the new one, and never a part."""
        self._require((self.out / "model").read_bytes() in (_OLD, self.expected), "the model is neither old nor new")
        kept = [file for file in self.out.rglob("*") if file.is_file() and not file.name.endswith(".tmp")]
        self.resumed += len(kept) > 1

    def _check_finished(self) -> None:
        """The bytes are those of the undisturbed training, and nothing is left but what it leaves."""
        self._require((self.out / "model").read_bytes() == self.expected, "the model differs")
        left = [file.name for file in self.out.rglob("*") if file.name.endswith(".tmp")]
        left += [file.name for file in self.out.iterdir() if file.name.startswith("state")]
        self._require(not left, f"files are left: {' '.join(left)}")

    def _require(self, kept: bool, complaint: str) -> None:
        if not kept:
            raise FaultError(f"{self.name}: {complaint}; {self.messages.read_text()[-500:]}")

    def _clear(self) -> None:
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir()


def run_kills(name: str, kills: int, data: Path, out: Path, shim: Shim, tell: Callable[[str], None]) -> bool:
    """Kill the trainings of one system, and tell the counts."""
    killer = Killer(name, data, out, shim, random.Random(f"{name} {kills}"))
    try:
        killer.run(kills)
    except FaultError as error:
        tell(f"FAILED {error}")
        return False
    moments = ", ".join(f"{count} {moment}" for moment, count in sorted(killer.kills.items()))
    tell(
        f"{name}: {killer.kills.total()} kills ({moments}), {killer.resumed} with something to continue from; "
        f"{killer.trainings} trainings, all with the bytes of an undisturbed one, nothing left"
    )
    return True
