"""``tagloom rerank``: a tagger that chooses among its candidates by features of whole labellings, as one model file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any

import tagloom
from tagloom.cli.console import build_warning, log
from tagloom.cli.inputs import read_corpora, require_writable
from tagloom.cli.jackknife import report_lists
from tagloom.cli.options import list_rerank_options, read_given
from tagloom.cli.parameters import Columns, Format, Json, ModelFile, argument, option
from tagloom.cli.progress import Clock, show_trials
from tagloom.cli.train import TrainingRun
from tagloom.errors import ConfigError
from tagloom.systems import OracleReport
from tagloom.systems.base import RERANK
from tagloom.systems.file import load
from tagloom.systems.learning import Progress
from tagloom.systems.registry import get_system
from tagloom.systems.tagger.rerank.train import ListsFound


def rerank(
    model_file: ModelFile,
    train_file: Annotated[str, argument("TRAIN", "Corpus that MODEL was trained on.")],
    output: Annotated[str, option("MODEL2", "Model file to write.", "--output", "-o")],
    dev: Annotated[
        str | None, option("FILE", "Corpus to choose the best round or pass and the best of several numbers.")
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
    model, clock, notes = load(model_file), Clock(), list[str]()
    if RERANK not in model.capabilities:
        raise ConfigError(f"{model_file}: a {model.noun} has no labellings to choose from; name the model of a tagger")
    with clock.phase("read"):
        files = {"train": train_file, "dev": dev}
        corpora = read_corpora(files, format_name, columns, notes, model, model.spec.normal_form)
    run = _RerankRun(get_system(model.system), corpora, options, clock, notes, model=model)
    run.learn_and_save(output)
    run.put(output, json)


@dataclass
class _RerankRun(TrainingRun):
    """A re-ranking of ``model`` with the options of ``tagloom.rerank``; then the model has the re-ranker."""

    lists: dict[str, OracleReport] = field(default_factory=dict)

    def learn_and_save(self, output: str) -> None:
        self.model = self.learn()
        with self.clock.phase("save"):
            self.model.save(output)
        self.evaluate()
        log(f"saved {output}: {self._summarise()}")

    def learn(self) -> Any:
        tagger, train = self.model, self.corpora["train"]
        if tagger.reranker is not None:
            self.notes.append("the model has a re-ranker already: the new one takes its place")
        with self.clock.phase("train"), show_trials(self.notes) as show:

            def tell(fold: str | None, progress: Progress) -> None:
                self._keep(progress)
                show(fold, progress)

            try:
                return tagloom.rerank(tagger, train, dev=self.corpora.get("dev"), on_progress=tell, **self.options)
            except KeyboardInterrupt:
                kept = self.options.get("cache") is not None
                log(f"interrupted; nothing is saved{'; finished folds are kept: the same command continues' * kept}")
                raise

    def _keep(self, progress: Progress) -> None:
        if isinstance(progress, ListsFound) and progress.report is not None:
            self.lists[progress.part] = progress.report
        self.interrupted |= progress.phase == "interrupted"

    def evaluate(self) -> None:
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
