"""Learner = opponent x step x averaging. Each part names a part of the core; a learner's published name is one row."""

from __future__ import annotations

from dataclasses import dataclass

from tagloom.errors import ConfigError, unknown_name

OPPONENTS = {"best": "the best sequence under the current weights"}
STEPS = {"unit": "always one"}
AVERAGINGS = {"none": "the last weights", "lazy": "the mean of the weights after every example"}

#: Which parts fit together: step -> opponents.
LEGAL = {"unit": ("best",)}


@dataclass(frozen=True)
class Learner:
    """How a model learns: what gold is compared with, how far to move, which weights to keep."""

    name: str
    opponent: str
    step: str
    averaging: str

    def __post_init__(self) -> None:
        for kind, value, known in (
            ("opponent", self.opponent, OPPONENTS),
            ("step", self.step, STEPS),
            ("averaging", self.averaging, AVERAGINGS),
        ):
            if value not in known:
                raise unknown_name(kind, value, known)
        if self.opponent not in LEGAL[self.step]:
            partners = ", ".join(LEGAL[self.step])
            raise ConfigError(f"step {self.step!r} does not go with opponent {self.opponent!r} (legal: {partners})")


LEARNERS = {
    learner.name: learner
    for learner in (
        # Collins 2002, "Discriminative training methods for hidden Markov models", Figure 1 and section 2.3.
        Learner("perceptron", opponent="best", step="unit", averaging="none"),
        Learner("averaged-perceptron", opponent="best", step="unit", averaging="lazy"),
    )
}


def learner_named(name: str | Learner) -> Learner:
    """A learner by its published name."""
    if isinstance(name, Learner):
        return name
    if name not in LEARNERS:
        raise unknown_name("learner", name, LEARNERS)
    return LEARNERS[name]
