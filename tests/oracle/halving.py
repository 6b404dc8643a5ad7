"""Successive halving in plain words: from the whole curve of every trial to the passes it would have made."""

from __future__ import annotations

import math


def passes_made(curves: list[list[float]], most_passes: list[int], keep: float) -> tuple[list[int], list[str]]:
    """Passes and status of every trial; a curve has the scores of a trial that nobody stops."""
    passes = [len(curve) for curve in curves]
    status = ["finished"] * len(curves)
    running = list(range(len(curves)))
    for part in (8, 4, 2):
        if keep == 1 or min(most_passes) < 2 * part or len(running) == 1:
            continue
        at = {trial: math.ceil(most_passes[trial] / part) for trial in running}
        order = sorted(running, key=lambda trial: -max(curves[trial][: at[trial]]))  # stable: ties to the first
        places = max(1, math.ceil(round(keep * len(running), 6)))
        for trial in order[places:]:
            if len(curves[trial]) > at[trial]:
                passes[trial], status[trial] = at[trial], "stopped"
        running = sorted(order[:places])
    return passes, status
