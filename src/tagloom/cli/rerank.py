"""``tagloom rerank``: a tagger that chooses among its candidates by features of whole labellings, as one model file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tagloom.cli.clock import Clock
from tagloom.cli.console import log, put_json
from tagloom.cli.learning_options import (
    FoldCache,
    FoldJobs,
    FoldUnit,
    LearningThreads,
    Resources,
    Seed,
    given,
)
from tagloom.cli.lists import lists_to_dict
from tagloom.cli.options import Columns, Format, Json, ModelFile, Normalise
from tagloom.cli.outputs import require_writable
from tagloom.cli.progress import shown_trials
from tagloom.cli.settings import numbers, resource_sources
from tagloom.cli.training import put_scores, read_corpora
from tagloom.cli.unseen import unseen_note
from tagloom.errors import ConfigError

if TYPE_CHECKING:
    from tagloom.corpus import Corpus
    from tagloom.evaluate import Score
    from tagloom.systems import Model, OracleReport, Progress

_LEARNING = "Learning"


def rerank(
    model_file: ModelFile,
    train_file: Annotated[
        str, typer.Argument(metavar="TRAIN", help="Corpus that MODEL was trained on.", show_default=False)
    ],
    output: Annotated[str, typer.Option("--output", "-o", metavar="MODEL2", help="Model file to write.")],
    dev: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Corpus that decides how many rounds or passes, and which numbers, to keep."),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="voted: all vectors of a perceptron vote; averaged: their mean; margin: the mean of one that also "
            "learns where it wins narrowly; boosting: one feature a round.",
        ),
    ] = "margin",
    candidates: Annotated[
        int, typer.Option(metavar="N", help="Labellings of a sentence, or document, to choose from.")
    ] = 20,
    folds: Annotated[int, typer.Option(metavar="N", help="Parts of TRAIN, each tagged by a model of the others.")] = 5,
    by: FoldUnit = None,
    jobs: FoldJobs = None,
    cache: FoldCache = None,
    columns: Columns = None,
    format_name: Format = None,
    normalise: Normalise = None,
    templates: Annotated[
        str,
        typer.Option(
            metavar="NAME|FILE",
            help="Global templates: collins-2002, entities (typed entities, fewer), or a file of your own.",
            rich_help_panel=_LEARNING,
        ),
    ] = "collins-2002",
    cutoff: Annotated[
        int,
        typer.Option(metavar="N", help="Drop features of fewer sentences of TRAIN.", rich_help_panel=_LEARNING),
    ] = 5,
    resource: Resources = None,
    beta: Annotated[
        str | None,
        typer.Option(
            metavar="X[,X...]",
            help="What the tagger's score is multiplied by, of all but boosting; of several the best on DEV. "
            "Default: 0.2,0.5,1,2 with DEV, else 0.2.",
            rich_help_panel=_LEARNING,
        ),
    ] = None,
    passes: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Most passes, of all but boosting. Default: 10 with DEV (voted 5), else 1.",
            rich_help_panel=_LEARNING,
        ),
    ] = None,
    margin: Annotated[
        str | None,
        typer.Option(
            "--C",
            metavar="X[,X...]",
            help="Of margin: by how much the best candidate must win. Default: 1,10,30 with DEV, else 1.",
            rich_help_panel=_LEARNING,
        ),
    ] = None,
    rounds: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Most rounds of boosting. Default: 100,000 with DEV, which chooses the best, else 10,000.",
            rich_help_panel=_LEARNING,
        ),
    ] = None,
    smoothing: Annotated[
        str | None,
        typer.Option(metavar="X[,X...]", help="Of boosting. Default: 0.001.", rich_help_panel=_LEARNING),
    ] = None,
    seed: Seed = None,
    threads: LearningThreads = None,
    no_names: Annotated[
        bool,
        typer.Option(
            "--no-names", help="Leave the names of global features out of the file.", rich_help_panel=_LEARNING
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Make a tagger choose among its N best labellings by features of the whole.

    Every fold of TRAIN is tagged by a tagger like MODEL that learned from the
    others; a re-ranker learns from these lists. MODEL2 holds both: tag, eval,
    inspect and explain take it as any model. TRAIN must have no labels that
    MODEL does not know. Features of your own functions are for Python
    (tagloom.rerank).
    The model does not depend on --jobs and --threads. Ctrl-C during the folds
    writes nothing, and with --cache the same command goes on; later it saves
    the best re-ranker so far, if there is one (exit code 130).

    \b
    Examples:
      tagloom rerank ner.tagloom train.txt --dev dev.txt -o better.tagloom
      tagloom rerank ner.tagloom train.txt --dev dev.txt -o better.tagloom \\
          --method boosting --templates entities --cache folds/
    """
    require_writable(output, [model_file, train_file, dev])
    options = given(
        method=method, candidates=candidates, folds=folds, by=by, jobs=jobs, cache=cache, cutoff=cutoff, seed=seed,
        threads=threads, passes=passes, rounds=rounds, beta=numbers("--beta", beta), C=numbers("--C", margin),
        smoothing=numbers("--smoothing", smoothing),
    )  # fmt: skip
    options |= {"templates": _named(templates), "resources": resource_sources(resource or []), "names": not no_names}
    tagger, clock, notes = _tagger(model_file), Clock(), list[str]()
    files = {"train": train_file, "dev": dev}
    run = _Run(read_corpora(files, format_name, columns, clock, notes, tagger, normalise), options, clock, notes)
    size = run.learn_and_save(tagger, output)
    if json:
        put_json({"model": output, "model_bytes": size, **run.report()})
    else:
        put_scores(run.scores)
    if run.interrupted:
        raise typer.Exit(130)


def _named(templates: str) -> str:
    if templates == "none":
        raise ConfigError("--templates none: features of functions alone are for Python; name a set or a file")
    return templates


def _tagger(path: str) -> Model:
    from tagloom.systems import Model, open_model

    model = open_model(path)
    if not isinstance(model, Model):
        noun = "parser" if model.spec.system == "parser" else "phrase chunker"
        raise ConfigError(f"{path}: a {noun} has no labellings to choose from; name the model of a tagger")
    return model


@dataclass
class _Run:
    """One re-ranking: the corpora by part, the options of ``tagloom.rerank``, and what came of them."""

    corpora: Mapping[str, Corpus]
    options: Mapping[str, Any]
    clock: Clock
    notes: list[str]
    lists: dict[str, OracleReport] = field(default_factory=dict)
    scores: dict[str, Score] = field(default_factory=dict)
    interrupted: bool = False
    model: Any = None

    def learn_and_save(self, tagger: Model, output: str) -> int:
        """Learn, write the model, then score it; returns the size of the file."""
        with self.clock.phase("train"):
            self.model = self._learned(tagger)
        with self.clock.phase("save"):
            self.model.save(output)
        self._evaluate()
        log(f"saved {output}: {self._summary()}")
        return Path(output).stat().st_size

    def _learned(self, tagger: Model) -> Model:
        from tagloom.systems import rerank

        if tagger.reranker is not None:
            self.notes.append("the model has a re-ranker already: the new one takes its place")
        with shown_trials(self.notes) as show:

            def told(fold: str | None, progress: Progress) -> None:
                self._keep(progress)
                show(fold, progress)

            try:
                return rerank(tagger, self.corpora["train"], dev=self.corpora.get("dev"), on_progress=told,
                              **self.options)  # fmt: skip
            except KeyboardInterrupt:
                kept = self.options.get("cache") is not None
                log(f"interrupted; nothing is saved{'; finished folds are kept: the same command goes on' * kept}")
                raise

    def _keep(self, progress: Progress) -> None:
        from tagloom.systems.tagger.rerank.train import ListsFound

        if isinstance(progress, ListsFound) and progress.report is not None:
            self.lists[progress.part] = progress.report
        self.interrupted |= progress.phase == "interrupted"

    def _evaluate(self) -> None:
        """The development scores of the tagger alone, and of the model."""
        dev = self.corpora.get("dev")
        if dev is None:
            return
        log(*unseen_note(self.model, dev))
        threads = self.options.get("threads", 1)
        with self.clock.phase("evaluate"):
            self.scores["dev, tagger alone"] = self.model.without_reranker().evaluate(dev, threads=threads)
            self.scores["dev, reranked"] = self.model.evaluate(dev, threads=threads)

    def _summary(self) -> str:
        spec, count = self.model.spec.reranker, len(self.model.parameters.reranker.keys)
        text = f"{spec.described()}, {count:,} global features"
        if not self.scores:
            return text
        before, after = self.scores.values()
        gain = "" if after.value > before.value else ": no gain"
        return f"{text}; dev {after.metric} {before.value:.2f} of the tagger alone, {after.value:.2f} reranked{gain}"

    def report(self) -> dict[str, object]:
        """Everything as numbers."""
        spec, scores = self.model.spec.reranker, list(self.scores.values())
        dev = dict(zip(("tagger", "reranked"), (score.to_dict() for score in scores)))
        return {
            "method": spec.method,
            "settings": spec.settings,
            "round": spec.round,
            "candidates": spec.candidates,
            "templates": spec.templates.name,
            "cutoff": spec.cutoff,
            "folds": spec.folds,
            "features": len(self.model.parameters.reranker.keys),
            **({"dev": dev} if dev else {}),
            "lists": {part: lists_to_dict(report) for part, report in self.lists.items()},
            "seconds": self.clock.seconds(),
            "interrupted": self.interrupted,
            "signature": str(scores[-1].signature if scores else self.model.spec.signature),
        }
