"""One training run as the command line sees it: learn with progress shown, score, report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from tagloom.cli.clock import Clock
from tagloom.cli.console import log, put
from tagloom.cli.inputs import Input
from tagloom.cli.progress import Watch, shown
from tagloom.cli.unseen import unseen_note
from tagloom.errors import DataError

if TYPE_CHECKING:
    from tagloom.corpus import Corpus
    from tagloom.evaluate import Score
    from tagloom.systems import Model


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
    model: Any = None  # the one that was learned

    headline: ClassVar[Sequence[str]] = ("f1", "precision", "recall", "accuracy")  # scores on top of the report

    def learn(self) -> Any:
        with self.clock.phase("train"), shown() as show:
            watch = Watch(show, self.notes)
            try:
                self.model = self._trained(watch)
            except KeyboardInterrupt:
                log("interrupted before the end of the first pass; nothing is saved")
                raise
        self.clock.split("train", "encode", watch.encode_seconds)
        self.interrupted = watch.interrupted
        return self.model

    def _trained(self, watch: Watch) -> Any:
        from tagloom.systems import train

        return train(self.corpora["train"], dev=self.corpora.get("dev"), on_progress=watch, **self.options)

    def evaluate(self) -> None:
        with self.clock.phase("evaluate"):
            for part in ("dev", "test"):
                if part in self.corpora:
                    log(*self._notes_on(self.corpora[part]))
                    self.scores[part] = self.model.evaluate(self.corpora[part], threads=self.options.get("threads", 1))

    def _notes_on(self, corpus: Corpus) -> list[str]:
        return unseen_note(self.model, corpus)

    def sizes(self) -> dict[str, int]:
        """What was learned, in numbers."""
        return {"features": feature_count(self.model), "labels": len(self.model.labels)}

    def report(self) -> dict[str, object]:
        """Everything as numbers."""
        spec = self.model.spec
        last = list(self.scores.values())[-1:]
        return {
            **_score_report(self.scores, self.headline),
            "seconds": self.clock.seconds(),
            "epochs": len(spec.history),
            "best_epoch": spec.best_epoch,
            **self.sizes(),
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


def _score_report(scores: Mapping[str, Score], headline: Sequence[str]) -> dict[str, object]:
    """The scores by part, and the first numbers of the last part on top."""
    if not scores:
        return {}
    parts = {part: score.to_dict() for part, score in scores.items()}
    last = list(parts.values())[-1]
    return {**{name: last[name] for name in headline if name in last}, **parts}
