"""What a fuzz target is, and what can come of one of its cases."""

from __future__ import annotations

import random
import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tagloom.errors import TagloomError

#: What may come of a case, best first. Everything after the first two is a failure.
OK, REFUSED, RAW, WRONG, SLOW, HEAVY, CRASH = KINDS = ("ok", "refused", "raw", "wrong", "slow", "heavy", "crash")


@dataclass(frozen=True)
class Outcome:
    """What came of a case.

    Attributes:
        kind: ``ok``; ``refused`` (a TagloomError of one line); ``raw`` (any other exception); ``wrong`` (a result that
            breaks a promise); ``slow``; ``heavy`` (too much memory); ``crash`` (the process died).
        place: What equal failures have in common: the exception and the line that raised it.
        detail: The traceback, or what else helps to find the cause.
    """

    kind: str
    place: str = ""
    detail: str = ""

    @property
    def failed(self) -> bool:
        """Whether this must not happen."""
        return self.kind not in (OK, REFUSED)


@dataclass(frozen=True)
class Target:
    """Something to be fuzzed.

    Attributes:
        make: Makes a case from a seeded generator. It draws from nothing else, so that a seed and a number name a case.
        run: Runs a case. :func:`observe` turns a call into an outcome.
        dump: The bytes by which a failing case is kept. The default is its ``repr``.
        prepare: Runs once, before the first case and before any fork: train models, import modules.
        shrink: Proposes smaller cases, the smallest first, while they fail in the same place.
        seconds: A case that takes ten times as much processor time is killed, with its process.
        memory: Limit of the address space of a process, in bytes. Sanitizers cannot work with one.
    """

    make: Callable[[random.Random], Any]
    run: Callable[[Any], Outcome]
    dump: Callable[[Any], bytes] = lambda case: repr(case).encode(errors="backslashreplace")
    prepare: Callable[[], None] = lambda: None
    shrink: Callable[[Any], Iterable[Any]] = lambda case: ()
    seconds: float = 2.0
    memory: int | None = None

    def make_case(self, seed: int, number: int) -> Any:
        """Make a case by its number. Cases of other numbers do not matter."""
        return self.make(random.Random(f"{seed}/{number}"))


class BrokenPromiseError(AssertionError):
    """Raised by a target when a result breaks a promise."""


def observe(call: Callable[[], object], seconds: float = 2.0, allowed: tuple[type[Exception], ...] = ()) -> Outcome:
    """Run a call and say what came of it.

    Args:
        call: What to run. It raises :class:`BrokenPromiseError` where its result is wrong.
        seconds: Processor time from which the call is slow.
        allowed: Exceptions beside TagloomError that count as a refusal.
    """
    start = time.process_time()
    try:
        call()
        outcome = Outcome(OK)
    except TagloomError as error:
        outcome = _judge_message(error)
    except allowed:
        outcome = Outcome(REFUSED)
    except BrokenPromiseError as error:
        outcome = Outcome(WRONG, _find_place(error), traceback.format_exc())
    except Exception as error:
        outcome = Outcome(RAW, _find_place(error), traceback.format_exc())
    spent = time.process_time() - start
    if spent > seconds and not outcome.failed:
        return Outcome(SLOW, f"{outcome.kind} after a long time", f"{spent:.1f} s")
    return outcome


def _judge_message(error: TagloomError) -> Outcome:
    """A refusal is one printable line that is short enough to be read."""
    message = str(error)
    try:
        message.encode()
    except UnicodeEncodeError:
        return Outcome(WRONG, f"message that cannot be printed, {_find_place(error)}", traceback.format_exc())
    if "\n" in message or len(message) > 4000:
        return Outcome(WRONG, f"message of several lines or pages, {_find_place(error)}", traceback.format_exc())
    return Outcome(REFUSED)


def _find_place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "/tagloom/" in frame.filename] or frames
    where = f"{own[-1].filename.rpartition('/tagloom/')[2]}:{own[-1].lineno}" if own else "unknown"
    return f"{type(error).__name__} at {where}"
