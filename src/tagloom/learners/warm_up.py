"""The start of a batch training: passes of SGD, which are worth many iterations while the weights are far off."""

from __future__ import annotations

from typing import Any

import tagloom._core as _core
from tagloom.learners.blocks import Blocks
from tagloom.learners.lbfgs import Vector
from tagloom.learners.learner import LEARNERS
from tagloom.learners.objective import SummedObjective
from tagloom.learners.online import OnlineTraining
from tagloom.learners.rates import search_rate


def warm_up(
    objective: SummedObjective, chain: _core.Chain, blocks: Blocks, *, c2: float, passes: int, seed: int, threads: int
) -> Vector:
    """Run passes of SGD with L2; after each of them, the weights that are no variables of the objective are dropped."""
    learner = LEARNERS["sgd"]
    numbers: dict[str, Any] = {"c2": c2, "rate": None}
    numbers["rate"] = search_rate(learner, numbers, blocks, seed, threads)
    training = OnlineTraining(learner, numbers, chain, blocks)
    x = objective.variables(training.state.mean())
    for epoch in range(1, passes + 1):
        training.run_pass(seed, epoch)
        x = objective.variables(training.state.mean())
        training.start(objective.weights(x))
    return x
