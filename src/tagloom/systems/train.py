"""Training, the same for every system: read the data, plan, learn, freeze."""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from tagloom.arguments import check_arguments
from tagloom.corpus import Corpus
from tagloom.corpus.spans import decode_spans
from tagloom.errors import ConfigError, show_value
from tagloom.files.checkpoint import Checkpoint
from tagloom.systems.base import CLUSTER, START, Model, Training
from tagloom.systems.data import Data, read_training_data
from tagloom.systems.learning import Learning, Progress, Report
from tagloom.systems.line import Provision
from tagloom.systems.memory import describe_limit, limit_options
from tagloom.systems.options import list_options
from tagloom.systems.parts import PartFiles, remove_checkpoint
from tagloom.systems.registry import SYSTEMS, System, get_system

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from tagloom.systems.ensemble.model import Ensemble
    from tagloom.systems.keywords import (
        EnsembleKeywords,
        ParserKeywords,
        PhraseKeywords,
        PipelineKeywords,
        SegmentKeywords,
        TaggerKeywords,
        TokenizerKeywords,
    )
    from tagloom.systems.parser.model import Parser
    from tagloom.systems.phrases.model import PhraseChunker
    from tagloom.systems.pipeline.model import Pipeline
    from tagloom.systems.segments.model import SegmentModel
    from tagloom.systems.tagger.model import Tagger
    from tagloom.systems.tokenizer.model import LearnedTokenizer
    from tagloom.text import Tokenizer


@overload
def train(data: Data, *, system: Literal["tagger"] = ..., **options: Unpack[TaggerKeywords]) -> Tagger: ...
@overload
def train(data: Data, *, system: Literal["parser"], **options: Unpack[ParserKeywords]) -> Parser: ...
@overload
def train(data: Data, *, system: Literal["phrases"], **options: Unpack[PhraseKeywords]) -> PhraseChunker: ...
@overload
def train(data: Data, *, system: Literal["segments"], **options: Unpack[SegmentKeywords]) -> SegmentModel: ...
@overload
def train(data: Data, *, system: Literal["tokenizer"], **options: Unpack[TokenizerKeywords]) -> LearnedTokenizer: ...
@overload
def train(data: Data, *, system: Literal["pipeline"], **options: Unpack[PipelineKeywords]) -> Pipeline: ...
@overload
def train(data: Data, *, system: Literal["ensemble"], **options: Unpack[EnsembleKeywords]) -> Ensemble | Tagger: ...
@overload
def train(data: Data, *, system: System, **options: Any) -> Any: ...
@check_arguments
def train(
    data: Data,
    *,
    system: str | System = "tagger",
    dev: Data | None = None,
    columns: str | Sequence[str] | None = None,
    format: str | None = None,  # noqa: A002
    normalise: str | None = None,
    on_progress: Report | None = None,
    start: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    keep_checkpoint: bool = False,
    provide: Any = None,
    tokenizer: Any = None,
    ray: bool | str | None = None,
    **options: Any,
) -> Any:
    """Train a model.

    Ctrl-C ends training after the current stretch and returns the best model so far.

    Args:
        data: What to learn from: a path (the format is guessed unless named), a :class:`Corpus`, a list of (words,
            labels) or of (words, spans) pairs, a dict of columns, a Hugging Face data set, a pandas data frame. A list
            of paths and corpora is learned from as one: with the columns that all have, and span labels in the scheme
            of the first.
        system: "tagger" (one label per token), "parser" (dependency trees), "phrases" (chunks and entities as
            wholes), "segments" (the same by a semi-Markov CRF), "tokenizer" (tokens and sentences of text), "pipeline"
            (all that a treebank holds, from text) or "ensemble" (several taggers that decide together), or a system
            that you registered, or its name.
        dev: Held-out data of the same kinds. It decides which pass is kept and when to stop, and confidences are
            calibrated on it.
        columns: Names of the columns of files, such as ``"form pos chunk"``.
        format: Format of files; guessed if None.
        normalise: Unicode normal form, NFC or NFKC, of the words. The model keeps it and applies it in use.
        on_progress: Function that is called with a :class:`Progress` after every pass.
        start: A model, or its file, to begin from. Its features, labels and weights are taken over, and what is new in
            the data is added. Options that are not given are those of this model. Taggers only.
        checkpoint: File that holds the training after every pass. The same call continues from it after it was
            killed, and ends with the same model. Models that are trained first, such as the parts of a pipeline, are
            kept in a folder beside it, with ``.parts`` added to its name. Both are removed at the end.
        keep_checkpoint: Do not remove the checkpoint at the end.
        provide: Columns that the model will predict itself in use, so that it needs nothing but words: names of
            columns, each learned from the data's own column and jackknifed in training; or a dict with a model, its
            file, or options of training it by the name of the column, such as ``{"pos": "pos.tagloom"}``.
        tokenizer: How the model cuts text: the name of a tokenizer (``unicode``, ``ptb``, ``whitespace``,
            ``character``), a function of a text, or a model that cuts text, or its file. Data with a text and no tokens
            is cut by it, too, by default by ``unicode``. The default for other data is the one that fits its tokens.
        ray: Learn on the workers of a Ray cluster: its address, or True for workers on this machine. Batch learners sum
            the gradients of shards there, and online learners with ``mix=N`` train their N shards there. Taggers only.
        **options: Options of the system, listed in docs/options.md and by ``tagloom train --help``.

    Returns:
        The model. Same seed and same data give byte-identical model files, for any number of threads.

    Examples:
        >>> sentences = [(["the", "dog"], ["DT", "NN"]), (["a", "cat"], ["DT", "NN"])]
        >>> model = train(sentences, epochs=5)
        >>> model.tag(["the", "cat"])
        ['DT', 'NN']
        >>> chunker = train([(["in", "Bonn", "today"], [(1, 2, "LOC")])], system="phrases", cutoff=1)
        >>> chunker.spans(["in", "Bonn", "today"])
        [(1, 2, 'LOC')]
        >>> treebank = Corpus.from_columns(
        ...     {"form": "the dog barks a cat sleeps".split(), "pos": "DT NN VBZ DT NN VBZ".split(),
        ...      "head": "2 3 0 2 3 0".split()}, [3, 3])
        >>> parser = train(treebank, system="parser", tags="gold", depth=1)
        >>> parser.parse([("the", "DT"), ("cat", "NN"), ("barks", "VBZ")]).heads
        (2, 3, 0)
    """
    row = system if isinstance(system, System) else get_system(system)
    report = on_progress or (lambda _: None)
    path = _check_checkpoint(checkpoint)
    first = None if start is None else _open_start(row, start, report)
    chosen = row.load_options()
    checked = chosen.parse(options) if first is None else first.continue_options(options)
    form = _check_form(normalise, first)
    on_cluster = _connect(row, ray)
    from tagloom.systems.provide import choose_tokenizer, read_provisions  # here, because it trains, too

    provisions = read_provisions(provide, checked.seed)
    if provisions and first is not None:
        raise ConfigError(
            "provide: a training that begins from a model has the columns that this one provides; leave it out"
        )
    cutter = None if tokenizer is None else choose_tokenizer(tokenizer)
    cutter = cutter or (None if first is None else first.line.tokenizer)
    checked, limits = limit_options(checked, data)
    if limits:
        report(Progress("note", describe_limit(data, **limits)))
    given, label = (columns, format, form, cutter), getattr(checked, "label", None)
    corpus = read_training_data(data, *given, on_disk=checked.keeps_data_on_disk, label=label, start=first)
    held_out = None if dev is None else read_training_data(dev, *given, label=label, start=first)
    if first is not None:
        checked = first.require_same(checked, options)
    return run_training(
        row, corpus, held_out, checked, provide=provisions, tokenizer=cutter, start=first, normal_form=form,
        report=report, checkpoint=path, keep_checkpoint=keep_checkpoint, on_cluster=on_cluster,
    )  # fmt: skip


def run_training(
    row: System, corpus: Corpus, dev: Corpus | None, options: Any, *,
    provide: Sequence[Provision] = (), tokenizer: Tokenizer | None = None, start: Model | None = None,
    normal_form: str | None = None, report: Report = lambda _: None, checkpoint: Path | None = None,
    keep_checkpoint: bool = False, parts: PartFiles | None = None, on_cluster: bool = False,
) -> Model:  # fmt: skip
    """Plan, learn and freeze, with everything checked and read.

    A training that is part of another one names its ``parts``, where finished models are kept and found again.
    """
    started = time.perf_counter()
    training_class = row.load_training()
    if dev is not None:
        training_class.check_gold(dev, options, corpus)
    training: Training[Any] = training_class.prepare(
        corpus, options, provide=provide, tokenizer=tokenizer, dev=dev, start=start, normal_form=normal_form,
        report=report, parts=parts or PartFiles.beside(checkpoint),
    )  # fmt: skip
    training.on_cluster = on_cluster
    identity = {} if parts is None and checkpoint is None else training.identify(dev)
    if parts is not None:
        if (finished := parts.load(identity)) is not None:
            return finished
        checkpoint = parts.find_checkpoint(identity)
    for note in training.list_notes([each for each in (corpus, dev) if each is not None]):
        report(note)
    encoded = time.perf_counter() - started
    kept = None if checkpoint is None else Checkpoint(checkpoint, identity)
    scorer = None if dev is None else training.build_scorer(dev)
    learning = Learning(training, scorer, report, started, checkpoint=kept)
    report(Progress("encoded", training.summary, epochs=training.options.most_epochs, seconds=encoded))
    learned = learning.run()
    model: Model = training.calibrate(training.build_model(learned), learned, dev, report)
    if dev is None:
        _warn_if_empty(model, corpus, report)
    if learned.interrupted:
        return model
    if parts is not None:
        parts.store(identity, model)
    if checkpoint is not None and not keep_checkpoint and (left := remove_checkpoint(checkpoint)) is not None:
        report(Progress("note", left))
    return model


_SAMPLE = 200  # sentences of the training data on which a model must find a span


def _warn_if_empty(model: Model, corpus: Corpus, report: Report) -> None:
    """Report a note if a model finds no span where it has learned from spans; development data tells more."""
    layer = model.own_layers[-1] if model.own_layers else None
    if layer is None or layer.scheme is None or layer.column not in corpus.columns:
        return
    sample = corpus.slice(0, _SAMPLE)
    gold, predicted = (
        decode_spans(column.strings.strings(), column.codes, sample.sentences, layer.scheme)
        for column in (sample.column(layer.column), model.predict_columns(sample)[layer.column])
    )
    if len(gold) and not len(predicted):
        text = (
            f"the model finds no span in the first {len(sample):,} sentences of the training data, which have "
            f"{len(gold):,}; train on more data, weaken regularization (c1, c2), or choose another learner"
        )
        report(Progress("note", text))


def _check_checkpoint(path: object) -> Path | None:
    if path is None:
        return None
    if not isinstance(path, (str, os.PathLike)):
        raise ConfigError(f"checkpoint: expected the path of a file, got {path!r}")
    return Path(path)


def _check_form(name: str | None, start: Model | None) -> str | None:
    """Return the normal form of a training: the one that was named, or that of the model to begin from."""
    from tagloom.corpus.normalise import normal_form

    chosen = None if name is None else normal_form(name)
    if start is None or name is None or chosen == start.spec.normal_form:
        return chosen if start is None else start.spec.normal_form
    raise ConfigError(
        f"normalise: {name} is not what the start model was trained with ({start.spec.normal_form or 'none'}); "
        "leave it out, or train without start"
    )


def _connect(row: System, ray: bool | str | None) -> bool:
    """Connect to a cluster if the user names one; return whether there is one."""
    if ray is None or ray is False:
        return False
    if CLUSTER not in row.load_model().capabilities:
        raise ConfigError(f"ray: a {row.noun} trains on one machine only; leave it out")
    from tagloom.cluster.connection import connect

    connect(ray)
    return True


def _open_start(row: System, start: object, report: Callable[[Progress], None]) -> Any:
    if START not in row.load_model().capabilities:
        raise ConfigError(f"start: a {row.noun} cannot begin from another model; leave it out")
    return open_model(start, "start", row.name).prepare_start(report)


def open_model(model: object, name: str, system: str) -> Any:
    """Return a model as it is, or open its file."""
    if isinstance(model, Model):
        if model.system != system:
            raise ConfigError(f"{name}: expected a {get_system(system).noun}, got a {model.noun}")
        return model
    if not isinstance(model, (str, os.PathLike)):
        raise ConfigError(f"{name}: expected a model or the path of a model file, got {show_value(model)}")
    from tagloom.systems.file import load

    return load(model, system=system)


def _build_signature() -> inspect.Signature:
    """List the options of all systems, so that interactive shells complete them."""
    own = inspect.signature(train)
    shared = [each for each in own.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
    names = {each.name for each in shared}
    options: dict[str, inspect.Parameter] = {}
    for row in SYSTEMS.values():
        for name, option in list_options(row.load_options()).items():
            if name not in names:
                keyword = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option.default)
                options.setdefault(name, keyword)
    return own.replace(parameters=[*shared, *options.values()])


train.__signature__ = _build_signature()  # type: ignore[attr-defined]
