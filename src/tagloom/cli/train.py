"""``tagloom train``: from a corpus file to a model file, with scores."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

import typer

from tagloom.cli.clock import Clock
from tagloom.cli.console import log, put, put_json
from tagloom.cli.inputs import Input, default_label, words_first
from tagloom.cli.options import Columns, Format, Json
from tagloom.cli.outputs import require_writable
from tagloom.cli.progress import Watch, shown
from tagloom.cli.settings import pairs, typed_settings
from tagloom.cli.unseen import unseen_note

if TYPE_CHECKING:
    from tagloom.corpus import Corpus
    from tagloom.evaluate import Score
    from tagloom.model import Model

_DATA, _LEARNING, _OUTPUT = "Data", "Learning", "Output"


def train(
    train_file: Annotated[str, typer.Argument(metavar="TRAIN", help="Corpus to learn from.", show_default=False)],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="MODEL", help="Model file to write.", rich_help_panel=_OUTPUT)
    ],
    dev: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Corpus that decides when to stop and which pass to keep."),
    ] = None,
    test: Annotated[str | None, typer.Option(metavar="FILE", help="Corpus to report a score on.")] = None,
    columns: Columns = None,
    format_name: Format = None,
    label: Annotated[
        str | None, typer.Option(metavar="NAME", help="Column to learn. Default: label, or the last; CoNLL-U: upos.")
    ] = None,
    templates: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help="Shipped set (see tagloom templates) or template file, CRF++ files too. Default: by the columns.",
            rich_help_panel=_LEARNING,
        ),
    ] = None,
    resource: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=PATH",
            help="File or folder for the attributes brown, gazetteer, lexicon. Repeatable.",
            rich_help_panel=_LEARNING,
        ),
    ] = None,
    learner: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="averaged-perceptron (default) or perceptron.", rich_help_panel=_LEARNING),
    ] = None,
    scheme: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Label scheme to decide on, such as BIOES. The model writes the scheme of TRAIN all the same.",
            rich_help_panel=_LEARNING,
        ),
    ] = None,
    epochs: Annotated[
        int | None,
        typer.Option(metavar="N", help="Most passes over the data. Default: 10.", rich_help_panel=_LEARNING),
    ] = None,
    patience: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="With --dev, stop after N passes without gain. Default: 5.", rich_help_panel=_LEARNING
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", help="Fixes the order of the examples. Default: 1.", rich_help_panel=_LEARNING),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(metavar="N", help="Threads. The model is the same. Default: 1.", rich_help_panel=_LEARNING),
    ] = None,
    cutoff: Annotated[
        int | None,
        typer.Option(metavar="N", help="Drop features seen less often. Default: 1.", rich_help_panel=_LEARNING),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Any other option of tagloom.train, such as buckets=1000000 or names=false. Repeatable.",
            rich_help_panel=_LEARNING,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Train a model.

    Ctrl-C ends training after the current pass and saves the best model so far (exit code 130).

    \b
    tagloom train train.txt --dev dev.txt --test test.txt -o pos.tagloom
    tagloom train train.txt -o chunks.tagloom --columns "form pos chunk" --templates chunking
    tagloom train train.txt -o ner.tagloom --templates ner-extended --scheme BIOES \\
        --resource brown=clusters.txt --resource gazetteer=lists/
    """
    require_writable(output, [train_file, dev, test])
    options = {
        "templates": templates, "learner": learner, "scheme": scheme, "label": label, "epochs": epochs,
        "patience": patience, "seed": seed, "threads": threads, "cutoff": cutoff,
    }  # fmt: skip
    chosen = {name: value for name, value in options.items() if value is not None} | typed_settings(set_ or [])
    chosen["resources"] = pairs(resource or [], "--resource", "name=PATH")
    files = {"train": train_file, "dev": dev, "test": test}
    run = _Run({part: name for part, name in files.items() if name is not None}, format_name, columns, chosen)
    model = run.learn()
    run.save(model, output)
    if not run.interrupted:
        run.evaluate(model)
    if json:
        put_json(run.report(model, output))
    else:
        put_scores(run.scores)
    if run.interrupted:
        raise typer.Exit(130)


@dataclass
class _Run:
    """One training run: its files and options, and what came of it."""

    files: Mapping[str, str]
    format_name: str | None
    columns: str | None
    options: dict[str, object]
    clock: Clock = field(default_factory=Clock)
    corpora: dict[str, Corpus] = field(default_factory=dict)
    scores: dict[str, Score] = field(default_factory=dict)
    interrupted: bool = False

    def learn(self) -> Model:
        from tagloom.model import train

        notes: list[str] = []
        with self.clock.phase("read"):
            for part, name in self.files.items():
                self.corpora[part] = words_first(Input.load(name, self.format_name, self.columns, notes).read())
        self.options.setdefault("label", default_label(self.corpora["train"]))
        with self.clock.phase("train"), shown() as show:
            watch = Watch(show, notes)
            model = train(self.corpora["train"], dev=self.corpora.get("dev"), on_progress=watch, **self.options)
        self.clock.split("train", "encode", watch.encode_seconds)
        self.interrupted = watch.interrupted
        return model

    def save(self, model: Model, output: str) -> None:
        with self.clock.phase("save"):
            model.save(output)
        passes = f"{len(model.spec.history)} passes, kept pass {model.spec.best_epoch}"
        log(f"saved {output}: {feature_count(model):,} features, {len(model.labels)} labels, {passes}")

    def evaluate(self, model: Model) -> None:
        threads = self.options.get("threads", 1)
        assert isinstance(threads, int)
        with self.clock.phase("evaluate"):
            for part in ("dev", "test"):
                if part in self.corpora:
                    log(*unseen_note(model, self.corpora[part]))
                    self.scores[part] = model.evaluate(self.corpora[part], threads=threads)

    def report(self, model: Model, output: str) -> dict[str, object]:
        return {
            "model": output,
            **score_report(self.scores),
            "seconds": self.clock.seconds(),
            "epochs": len(model.spec.history),
            "best_epoch": model.spec.best_epoch,
            "features": feature_count(model),
            "labels": len(model.labels),
            "model_bytes": os.path.getsize(output),
            "interrupted": self.interrupted,
            "signature": signature(self.scores, model),
        }


def put_scores(scores: Mapping[str, Score]) -> None:
    for part, score in scores.items():
        put(f"{part}\n{score}")


def score_report(scores: Mapping[str, Score]) -> dict[str, object]:
    """The scores by part, and the four numbers of the last part on top."""
    if not scores:
        return {}
    parts = {part: score.to_dict() for part, score in scores.items()}
    last = list(parts.values())[-1]
    return {**{name: last[name] for name in ("f1", "precision", "recall", "accuracy")}, **parts}


def signature(scores: Mapping[str, Score], model: Model) -> str:
    last = list(scores.values())[-1:]
    return str(last[0].signature if last else model.spec.signature)


def feature_count(model: Model) -> int:
    """Rows of the weight table, those of edge templates included."""
    parameters = model.parameters
    return (model.spec.buckets or len(parameters.node_keys)) + len(parameters.edge_offsets) - 1
