"""``tagloom train``: from a corpus file to a model file, with scores."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from tagloom.cli.console import build_warning, log, put, put_json
from tagloom.cli.inputs import open_tokenizer, read_corpora, require_writable
from tagloom.cli.options import Chosen, read_options
from tagloom.cli.parameters import (
    Columns,
    Format,
    Json,
    Normalise,
    Ray,
    Settings,
    TokenizerName,
    TrainFiles,
    option,
    select_given,
)
from tagloom.cli.progress import Clock, Watch, show_training
from tagloom.cli.settings import read_provided
from tagloom.corpus import Corpus
from tagloom.errors import ConfigError
from tagloom.evaluate import Score
from tagloom.experiments.effort import BUDGET, choose_options
from tagloom.systems import train as training
from tagloom.systems.alternatives import list_settings
from tagloom.systems.base import START, Model
from tagloom.systems.file import load
from tagloom.systems.memory import describe_limit, limit_options
from tagloom.systems.options import parse_duration
from tagloom.systems.parts import remove_checkpoint
from tagloom.systems.registry import DEFAULT_SYSTEM, System

_NORMAL, _HIGH = "normal", "high"  # efforts
_HEADLINE = ("f1", "precision", "recall", "accuracy", "uas", "las")  # scores on top of the report


def train(
    train_files: TrainFiles,
    output: Annotated[str, option("MODEL", "Model file to write.", "--output", "-o")],
    dev: Annotated[str | None, option("FILE", "Corpus that decides when to stop and which pass to keep.")] = None,
    test: Annotated[str | None, option("FILE", "Corpus to report a score on.")] = None,
    system: str = DEFAULT_SYSTEM,
    columns: Columns = None,
    format_name: Format = None,
    normalise: Normalise = None,
    start: Annotated[
        str | None,
        option("MODEL", "Model to begin from. Features and labels that are new in TRAIN are added. Taggers only."),
    ] = None,
    checkpoint: Annotated[
        str | None,
        option(
            "FILE", "File that is written after every pass, so that the same command continues after it was killed."
        ),
    ] = None,
    ray: Ray = None,
    provide: Annotated[
        list[str] | None,
        option(
            "NAME[=MODEL]",
            "Column that the model will predict itself in use, so that it needs text only: learned from the column in "
            "TRAIN (and jackknifed), or by a model file. Repeatable.",
        ),
    ] = None,
    tokenizer: TokenizerName = None,
    effort: Annotated[
        str,
        option(
            "normal|high",
            "high: try template sets, learners and label schemes on DEV, or on a tenth of TRAIN, and train with the "
            "best. Options that you state are not tried.",
        ),
    ] = _NORMAL,
    budget: Annotated[str, option("TIME", "Time for --effort high, such as 10m, 90s or 2h.")] = BUDGET,
    set_: Settings = None,
    json: Json = False,
    **given: Any,
) -> None:
    """Train a model.

    Several files are learned from as one, also if their formats differ: with
    the columns that all have, and span labels in the scheme of the first.
    Ctrl-C ends training and saves the best model so far (exit code 130).

    \b
    Examples:
      tagloom train train.txt --dev dev.txt --test test.txt -o pos.tagloom
      tagloom train train.txt -o best.tagloom --effort high --budget 30m
      tagloom train train.txt -o chunks.tagloom \\
          --columns "form pos chunk" --templates chunking
      tagloom train train.txt -o ner.tagloom --scheme BIOES \\
          --templates ner-extended \\
          --resource brown=clusters.txt --resource gazetteer=lists/
      tagloom train train.txt -o ner.tagloom --columns "form pos ner" \\
          --provide pos --tokenizer ptb
      tagloom train en-train.conllu -o en.pipeline --system pipeline \\
          --set upos.epochs=5
      tagloom train en-train.conllu --dev en-dev.conllu -o en.parser \\
          --system parser --depth 2
      tagloom train train.txt --dev dev.txt -o names.tagloom \\
          --system phrases --degree 2
      tagloom train train.txt corrected.jsonl -o newer.tagloom
      tagloom train corrected.jsonl --start old.tagloom -o newer.tagloom
    """
    require_writable(output, [*train_files, dev, test])
    if checkpoint is not None:
        _require_checkpoint(checkpoint, output, [*train_files, dev, test, start])
    if effort not in (_NORMAL, _HIGH):
        raise ConfigError(f"--effort {effort}: expected {_NORMAL} or {_HIGH}")
    chosen = read_options(system, given, set_)
    if effort == _HIGH:
        _check_effort(budget, start=start, provide=provide, checkpoint=checkpoint, tokenizer=tokenizer, ray=ray)
    first = None if start is None else _open_start(start, chosen.row)
    form = normalise or (None if first is None else first.spec.normal_form)
    cutter, provisions = open_tokenizer(tokenizer), read_provided(provide)
    clock, notes = Clock(), list[str]()
    options, on_disk = _plan_memory(chosen, first, train_files, notes)
    with clock.phase("read"):
        files = {"train": train_files, "dev": dev, "test": test}
        corpora = read_corpora(
            files, format_name, columns, notes, first, form, cutter, ["train"] if on_disk else [], options.get("label")
        )
    if effort == _HIGH:
        words = _list_words(train_files, output, dev, test, columns, format_name, normalise, chosen.words)
        options = {**options, **_choose(chosen.row, corpora, options, budget, words)}
    others = select_given(
        start=first, checkpoint=checkpoint, normalise=form, provide=provisions, tokenizer=cutter, ray=ray
    )
    run = TrainingRun(chosen.row, corpora, {**options, **others}, clock, notes)
    run.learn_and_save(output)
    if checkpoint is not None and not run.interrupted:  # the model is safe
        log(*map(build_warning, filter(None, [remove_checkpoint(Path(checkpoint))])))
    run.put(output, json)


def _check_effort(budget: str, **others: object) -> None:
    """Refuse what trials cannot have, and a budget that is none."""
    parse_duration("--budget", budget)
    if stated := [name for name, value in others.items() if value]:
        raise ConfigError(f"--effort {_HIGH} does not go with --{stated[0]}; leave one of them out")


def _choose(
    row: System, corpora: Mapping[str, Corpus], options: Mapping[str, Any], budget: str, words: Sequence[str]
) -> Mapping[str, Any]:
    """Try alternatives, show them, and return the best with the command that states them."""
    found = choose_options(
        corpora["train"], dev=corpora.get("dev"), system=row.name, budget=budget, on_trial=log, **options
    )
    chosen = [word for setting in list_settings(found.options) for word in ("--set", setting)]
    log(str(found), "", shlex.join([*words, *chosen]))
    if found.is_interrupted:
        log("interrupted: training with the best options so far")
    return found.options


def _list_words(
    files: Sequence[str],
    output: str,
    dev: str | None,
    test: str | None,
    columns: str | None,
    form: str | None,
    normalise: str | None,
    stated: Sequence[str],
) -> list[str]:
    """List the words of the command without effort."""
    flags = {"--dev": dev, "--test": test, "--columns": columns, "--format": form, "--normalise": normalise}
    given = [word for flag, value in flags.items() if value is not None for word in (flag, value)]
    return ["tagloom", "train", *files, "-o", output, *given, *stated]


def _open_start(path: str, row: System) -> Model:
    if START not in row.load_model().capabilities:
        raise ConfigError(f"--start: a {row.noun} cannot begin from another model; leave it out")
    model: Model = load(path, system=row.name)
    return model


def _plan_memory(chosen: Chosen, first: Any, paths: list[str], notes: list[str]) -> tuple[dict[str, Any], bool]:
    """Return the options, with a limit of memory if the file is too large, and whether to keep the data on disk."""
    given = dict(chosen.options)
    options = chosen.row.load_options().parse(given) if first is None else first.continue_options(given)
    limited, limits = limit_options(options, paths)
    if limits:
        notes.append(describe_limit(paths, **limits))
    return {**given, **limits}, limited.keeps_data_on_disk


def _require_checkpoint(path: str, output: str, inputs: list[str | None]) -> None:
    require_writable(path, inputs)
    if Path(path).resolve() == Path(output).resolve():
        raise ConfigError(f"{path}: is the model to write, too; choose another name for the checkpoint")


@dataclass
class TrainingRun:
    """A training with its progress shown, its scores and its report."""

    row: System
    corpora: Mapping[str, Corpus]  # by part: train, dev, test
    options: Mapping[str, Any]  # of ``tagloom.train``
    clock: Clock = field(default_factory=Clock)
    notes: list[str] = field(default_factory=list)  # about the input
    scores: dict[str, Score] = field(default_factory=dict)  # by part
    interrupted: bool = False
    model: Any = None  # the one that was learned

    def learn(self) -> Any:
        """Train the model."""
        self._check_test()
        with self.clock.phase("train"), show_training() as show:
            watch = Watch(show, self.notes)
            try:
                self.model = training.train(
                    self.corpora["train"], system=self.row, dev=self.corpora.get("dev"), on_progress=watch,
                    keep_checkpoint="checkpoint" in self.options, **self.options
                )  # fmt: skip
            except KeyboardInterrupt:
                log("interrupted before the end of the first pass; nothing is saved")
                raise
        self.clock.split("train", "encode", watch.encode_seconds)
        self.interrupted = watch.interrupted
        return self.model

    def _check_test(self) -> None:
        """Refuse, before hours of work, a corpus that could not be scored; training looks at the other ones."""
        if "test" in self.corpora and "start" not in self.options:
            shared = ("checkpoint", "normalise", "provide", "ray", "tokenizer")
            known = {name: value for name, value in self.options.items() if name not in shared}
            options = self.row.load_options().parse(known)
            self.row.load_training().check_gold(self.corpora["test"], options, self.corpora["train"])

    def learn_and_save(self, output: str) -> None:
        """Train, write the model, then score it."""
        model = self.learn()
        with self.clock.phase("save"):
            model.save(output)
        passes = f"{len(model.spec.history)} passes, kept pass {model.spec.best_epoch}"
        sizes = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in model.sizes.items())
        log(f"saved {output}: {sizes}, {passes}", *_note_columns(model))
        if not self.interrupted:
            self.evaluate()

    def evaluate(self) -> None:
        """Score the model on development and test data."""
        with self.clock.phase("evaluate"):
            for part in ("dev", "test"):
                if part in self.corpora:
                    log(*map(build_warning, self.model.check_labels(self.corpora[part])))
                    self.scores[part] = self.model.evaluate(self.corpora[part], threads=self.options.get("threads", 1))

    def report(self) -> dict[str, object]:
        """Build the report as plain values."""
        spec = self.model.spec
        parts = {part: score.to_dict() for part, score in self.scores.items()}
        last = list(parts.values())[-1] if parts else {}
        signatures = [spec.signature, *(score.signature for score in self.scores.values())]
        return {
            **{name: last[name] for name in _HEADLINE if name in last},
            **parts,
            "seconds": self.clock.seconds(),
            "epochs": len(spec.history),
            "best_epoch": spec.best_epoch,
            **self.model.sizes,
            "interrupted": self.interrupted,
            "signature": str(signatures[-1]),
        }

    def put(self, output: str, json: bool) -> None:
        """Print the report, or the scores; an interrupt decides the exit code."""
        if json:
            put_json({"model": output, "model_bytes": Path(output).stat().st_size, **self.report()})
        else:
            put_scores(self.scores)
        if self.interrupted:
            raise typer.Exit(130)


def _note_columns(model: Model) -> list[str]:
    """List a note if a model reads columns that text does not have."""
    names = [name for name in model.columns if name != model.main and name not in model.reads.bags]
    if not names:
        return []
    flags = " ".join(f"--provide {name}" for name in names)
    return [f"the model reads {' '.join(names)} beside {model.main}, which text does not have: train with {flags}"]


def put_scores(scores: Mapping[str, Score]) -> None:
    """Print scores, each after the name of its part."""
    for part, score in scores.items():
        put(f"{part}\n{score}")
