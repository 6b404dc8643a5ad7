"""``tagloom rerank``: a tagger that chooses among its candidates by features of whole labellings, as one model file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tagloom.cli.console import build_warning, log, put_json
from tagloom.cli.inputs import read_corpora, require_writable
from tagloom.cli.jackknife import report_lists
from tagloom.cli.options import Columns, Format, Json, ModelFile, list_rerank_options, read_given
from tagloom.cli.progress import Clock, show_trials
from tagloom.cli.train import put_scores
from tagloom.errors import ConfigError

if TYPE_CHECKING:
    from tagloom.corpus import Corpus
    from tagloom.evaluate import Score
    from tagloom.systems import OracleReport
    from tagloom.systems.learning import Progress


def rerank(
    model_file: ModelFile,
    train_file: Annotated[
        str, typer.Argument(metavar="TRAIN", help="Corpus that MODEL was trained on.", show_default=False)
    ],
    output: Annotated[str, typer.Option("--output", "-o", metavar="MODEL2", help="Model file to write.")],
    dev: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Corpus to choose the best round or pass and the best of several numbers."),
    ] = None,
    columns: Columns = None,
    format_name: Format = None,
    json: Json = False,
    **given: Any,
) -> None:
    """Train a re-ranker: it chooses among the N best labellings of a tagger by features of whole labellings.

    Every fold of TRAIN is tagged by a tagger like MODEL that learned from the
    others, and a re-ranker learns from these lists. MODEL2 holds both: tag,
    eval, inspect and explain take it like any model. TRAIN must have no labels
    that MODEL does not know. Your own functions can be features only in Python
    (tagloom.rerank).
    The model does not depend on --jobs and --threads. Ctrl-C during the folds
    writes nothing, and with --cache the same command continues; later it saves
    the best re-ranker so far, if there is one (exit code 130).

    \b
    Examples:
      tagloom rerank ner.tagloom train.txt --dev dev.txt -o better.tagloom
      tagloom rerank ner.tagloom train.txt --dev dev.txt -o better.tagloom \\
          --method boosting --templates entities --cache folds/
    """
    require_writable(output, [model_file, train_file, dev])
    if given.get("templates") == "none":
        raise ConfigError("--templates none: your own functions can be features only in Python; name a set or a file")
    options = read_given(list_rerank_options()["tagger"], given)
    model, clock, notes = _open(model_file), Clock(), list[str]()
    with clock.phase("read"):
        files = {"train": train_file, "dev": dev}
        corpora = read_corpora(files, format_name, columns, notes, model, model.spec.normal_form)
    run = _Run(corpora, options, clock, notes)
    size = run.learn_and_save(model, output)
    if json:
        put_json({"model": output, "model_bytes": size, **run.report()})
    else:
        put_scores(run.scores)
    if run.interrupted:
        raise typer.Exit(130)


def _open(path: str) -> Any:
    from tagloom.systems.base import RERANK
    from tagloom.systems.file import load

    model = load(path)
    if RERANK not in model.capabilities:
        raise ConfigError(f"{path}: a {model.noun} has no labellings to choose from; name the model of a tagger")
    return model


@dataclass
class _Run:
    """A re-ranking: the corpora by part, the options of ``tagloom.rerank``, its scores and its report."""

    corpora: Mapping[str, Corpus]
    options: Mapping[str, Any]
    clock: Clock
    notes: list[str]
    lists: dict[str, OracleReport] = field(default_factory=dict)
    scores: dict[str, Score] = field(default_factory=dict)
    interrupted: bool = False
    model: Any = None

    def learn_and_save(self, tagger: Any, output: str) -> int:
        """Learn, write the model, then score it; return the size of the file."""
        with self.clock.phase("train"):
            self.model = self._learn(tagger)
        with self.clock.phase("save"):
            self.model.save(output)
        self._evaluate()
        log(f"saved {output}: {self._summarise()}")
        return Path(output).stat().st_size

    def _learn(self, tagger: Any) -> Any:
        from tagloom.systems.tagger.rerank.train import rerank

        if tagger.reranker is not None:
            self.notes.append("the model has a re-ranker already: the new one takes its place")
        with show_trials(self.notes) as show:

            def tell(fold: str | None, progress: Progress) -> None:
                self._keep(progress)
                show(fold, progress)

            try:
                return rerank(tagger, self.corpora["train"], dev=self.corpora.get("dev"), on_progress=tell,
                              **self.options)  # fmt: skip
            except KeyboardInterrupt:
                kept = self.options.get("cache") is not None
                log(f"interrupted; nothing is saved{'; finished folds are kept: the same command continues' * kept}")
                raise

    def _keep(self, progress: Progress) -> None:
        from tagloom.systems.tagger.rerank.train import ListsFound

        if isinstance(progress, ListsFound) and progress.report is not None:
            self.lists[progress.part] = progress.report
        self.interrupted |= progress.phase == "interrupted"

    def _evaluate(self) -> None:
        """Score the tagger alone and the model on development data."""
        dev = self.corpora.get("dev")
        if dev is None:
            return
        log(*map(build_warning, self.model.check_labels(dev)))
        threads = self.options.get("threads", 1)
        with self.clock.phase("evaluate"):
            self.scores["dev, tagger alone"] = self.model.without_reranker().evaluate(dev, threads=threads)
            self.scores["dev, reranked"] = self.model.evaluate(dev, threads=threads)

    def _summarise(self) -> str:
        spec, count = self.model.spec.reranker, len(self.model.parameters.reranker.keys)
        text = f"{spec.described()}, {count:,} global features"
        if not self.scores:
            return text
        before, after = self.scores.values()
        gain = "" if after.value > before.value else ": no gain"
        return f"{text}; dev {after.metric} {before.value:.2f} of the tagger alone, {after.value:.2f} reranked{gain}"

    def report(self) -> dict[str, object]:
        """Build the report as plain values."""
        spec, scores = self.model.spec.reranker, list(self.scores.values())
        dev = dict(zip(("tagger", "reranked"), (score.to_dict() for score in scores)))
        return {
            **{name: getattr(spec, name) for name in ("method", "settings", "round", "candidates", "cutoff", "folds")},
            "templates": spec.templates.name,
            "features": len(self.model.parameters.reranker.keys),
            **({"dev": dev} if dev else {}),
            "lists": {part: report_lists(report) for part, report in self.lists.items()},
            "seconds": self.clock.seconds(),
            "interrupted": self.interrupted,
            "signature": str(scores[-1].signature if scores else self.model.spec.signature),
        }
