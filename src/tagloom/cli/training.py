"""One training run as the command line sees it: learn with progress shown, score, report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tagloom.cli.clock import Clock
from tagloom.cli.console import log, put
from tagloom.cli.inputs import Input
from tagloom.cli.progress import Watch, shown
from tagloom.cli.unseen import unseen_note
from tagloom.errors import DataError

if TYPE_CHECKING:
    from tagloom.corpus import Corpus
    from tagloom.evaluate import Score
    from tagloom.model import Model


def read_corpora(
    files: Mapping[str, str | None],
    format_name: str | None,
    columns: str | None,
    clock: Clock,
    notes: list[str],
    start: Model | None = None,
    normalise: str | None = None,
) -> dict[str, Corpus]:
    """The corpora by part, of the files that were named; with the columns of a model that training begins from."""
    with clock.phase("read"):
        inputs = {
            part: Input.load(name, format_name, columns, notes, normalise)
            for part, name in files.items()
            if name is not None
        }
        return {
            part: labelled(given.read() if start is None else given.read_for(start, gold=True))
            for part, given in inputs.items()
        }


def labelled(corpus: Corpus) -> Corpus:
    if len(corpus.names) < 2:
        raise DataError(
            f"{corpus.source}: read as {corpus.extras['format']} with one column, so there are no labels; "
            "mend the file or name its --format"
        )
    return corpus


@dataclass
class TrainingRun:
    """The corpora by part (train, dev, test), the options of ``tagloom.train``, and what came of them."""

    corpora: Mapping[str, Corpus]
    options: Mapping[str, Any]
    clock: Clock
    notes: list[str] = field(default_factory=list)  # what reading has to tell
    scores: dict[str, Score] = field(default_factory=dict)
    interrupted: bool = False
    model: Model | None = None

    def learn(self) -> Model:
        from tagloom.model import train

        with self.clock.phase("train"), shown() as show:
            watch = Watch(show, self.notes)
            try:
                self.model = train(
                    self.corpora["train"], dev=self.corpora.get("dev"), on_progress=watch, **self.options
                )
            except KeyboardInterrupt:
                log("interrupted before the end of the first pass; nothing is saved")
                raise
        self.clock.split("train", "encode", watch.encode_seconds)
        self.interrupted = watch.interrupted
        return self.model

    def evaluate(self) -> None:
        assert self.model is not None
        with self.clock.phase("evaluate"):
            for part in ("dev", "test"):
                if part in self.corpora:
                    log(*unseen_note(self.model, self.corpora[part]))
                    self.scores[part] = self.model.evaluate(self.corpora[part], threads=self.options.get("threads", 1))

    def report(self) -> dict[str, object]:
        """Everything as numbers."""
        assert self.model is not None
        spec = self.model.spec
        last = list(self.scores.values())[-1:]
        return {
            **_score_report(self.scores),
            "seconds": self.clock.seconds(),
            "epochs": len(spec.history),
            "best_epoch": spec.best_epoch,
            "features": feature_count(self.model),
            "labels": len(self.model.labels),
            "interrupted": self.interrupted,
            "signature": str(last[0].signature if last else spec.signature),
        }


def put_scores(scores: Mapping[str, Score]) -> None:
    for part, score in scores.items():
        put(f"{part}\n{score}")


def feature_count(model: Model) -> int:
    """Rows of the weight table, those of edge templates included."""
    parameters = model.parameters
    return (model.spec.buckets or len(parameters.node_keys)) + len(parameters.edge_offsets) - 1


def _score_report(scores: Mapping[str, Score]) -> dict[str, object]:
    """The scores by part, and the four numbers of the last part on top."""
    if not scores:
        return {}
    parts = {part: score.to_dict() for part, score in scores.items()}
    last = list(parts.values())[-1]
    return {**{name: last[name] for name in ("f1", "precision", "recall", "accuracy")}, **parts}
