"""Comparison: the results of several learners on the same data, as numbers. ``compare_learners`` returns one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import PurePath

from tagloom._version import __version__
from tagloom.corpus import Corpus
from tagloom.evaluate import Score
from tagloom.files.records import EpochRecord

Plain = str | int | float | bool | None


@dataclass(frozen=True)
class Part:
    """A corpus of the comparison."""

    name: str  # of the file, without its folder
    sentences: int
    tokens: int

    @classmethod
    def of(cls, corpus: Corpus) -> Part:
        """Describe a corpus."""
        return cls(PurePath(corpus.source).name, len(corpus), corpus.token_count)


@dataclass(frozen=True)
class Point:
    """One point of a learning curve: a learner after one pass."""

    record: EpochRecord
    seconds: float  # of learning so far
    score: float  # on test data

    def to_dict(self) -> dict[str, object]:
        """Convert to plain values."""
        return {**asdict(self.record), "seconds": self.seconds, "score": self.score}


@dataclass(frozen=True)
class Run:
    """The result of one learner: the score of its model, and the learning curve."""

    learner: str
    options: Mapping[str, Plain]  # of learning; options of features are shared
    score: Score  # on test data, with signature
    curve: tuple[Point, ...]
    best_epoch: int  # the pass that was kept: chosen on development data, otherwise the last one
    active_features: int  # number of nonzero weights
    model_bytes: int
    interrupted: bool = False

    @property
    def epochs(self) -> int:
        """The number of passes."""
        return len(self.curve)

    @property
    def seconds(self) -> float:
        """Seconds of learning, without encoding and scoring."""
        return self.curve[-1].seconds

    @property
    def seconds_per_epoch(self) -> float:
        """Seconds of learning per pass."""
        return self.seconds / self.epochs

    def to_dict(self) -> dict[str, object]:
        """Convert to plain values."""
        return {
            "learner": self.learner,
            "score": self.score.value,
            "epochs": self.epochs,
            "best_epoch": self.best_epoch,
            "seconds": self.seconds,
            "seconds_per_epoch": self.seconds_per_epoch,
            "active_features": self.active_features,
            "model_bytes": self.model_bytes,
            "interrupted": self.interrupted,
            "signature": str(self.score.signature),
            "options": dict(self.options),
            "test": self.score.to_dict(),
            "curve": [point.to_dict() for point in self.curve],
        }


@dataclass(frozen=True)
class Comparison:
    """The results of several learners. Scores do not depend on ``jobs``, but seconds do."""

    runs: tuple[Run, ...]  # in the order of the request
    parts: Mapping[str, Part]  # train, test, dev
    templates: str
    features: int
    labels: int
    encode_seconds: float
    jobs: int  # number of learners that ran at the same time
    unfinished: tuple[str, ...] = ()  # learners that were interrupted before their first pass ended

    @property
    def metric(self) -> str:
        """The name of the metric."""
        return self.runs[0].score.metric

    @property
    def interrupted(self) -> bool:
        """Whether any learner was interrupted."""
        return bool(self.unfinished) or any(run.interrupted for run in self.runs)

    def best(self) -> Run:
        """Return the run with the best score."""
        return max(self.runs, key=lambda run: run.score.value)

    def to_dict(self) -> dict[str, object]:
        """Convert to plain values for JSON; nothing is rounded."""
        return {
            "version": __version__,
            "metric": self.metric,
            **{name: asdict(part) for name, part in self.parts.items()},
            "templates": self.templates,
            "features": self.features,
            "labels": self.labels,
            "encode_seconds": self.encode_seconds,
            "jobs": self.jobs,
            "interrupted": self.interrupted,
            "unfinished": list(self.unfinished),
            "runs": [run.to_dict() for run in self.runs],
        }
