"""Rows of several seeds: where the option ``seed`` is a tuple, a row is the mean of its seeds, with its spread."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tagloom.recipes.recipe import Experiment, Measurement, Options, Tell, Workbench


def run_seeds(bench: Workbench, experiment: Experiment, tell: Tell) -> Measurement:
    """Measure one cell with every seed of the experiment."""
    seeds = experiment.options.get("seed")
    if not isinstance(seeds, tuple):
        return bench.run(experiment, tell)
    measured = []
    for number, seed in enumerate(seeds):
        one = replace(experiment, options=choose_seed(experiment.options, number))
        measured.append(bench.run(one, lambda text, seed=seed: tell(f"seed {seed}, {text}")))  # type: ignore[misc]
    return join_seeds(experiment.metric, measured)


def choose_seed(options: Options, number: int) -> dict[str, Any]:
    """Return the options with one of their seeds; also those of the system that they are compared with."""
    chosen: dict[str, Any] = {
        name: choose_seed(each, number) if isinstance(each, Mapping) else each for name, each in options.items()
    }
    seeds = chosen.get("seed")
    return {**chosen, "seed": seeds[number]} if isinstance(seeds, tuple) else chosen


def join_seeds(metric: str, measured: Sequence[Measurement]) -> Measurement:
    """Join the measurements of several seeds: mean and standard deviation, for p values the median.

    Seconds have no spread, because they depend on the machine, and neither has what is the same for all seeds. The
    curve is that of the first seed.
    """
    values, seconds = [each.ours for each in measured], sum(each.seconds for each in measured)
    spread = None
    if metric.startswith("p,"):
        ours = statistics.median(values)
    elif len(set(values)) == 1:
        ours = values[0]
    else:
        ours = statistics.fmean(values)
        spread = None if "seconds" in metric else statistics.stdev(values)
    return Measurement(ours, seconds, measured[0].curve, spread)
