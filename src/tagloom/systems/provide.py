"""Columns that are provided in training: jackknifed from the data's own, or predicted by a model that is there."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from tagloom.arguments import is_iterable
from tagloom.corpus import Column, Corpus
from tagloom.corpus.layers import PROBABILITIES
from tagloom.corpus.normalise import list_word_columns
from tagloom.corpus.running_text import get_cutter
from tagloom.errors import ConfigError, DataError, show_value, unknown_name
from tagloom.evaluate import score
from tagloom.files.cache import FoldFiles
from tagloom.files.checkpoint import compute_checksum
from tagloom.systems.base import MARGINALS, NO_PARTS, Model
from tagloom.systems.jackknife import (
    DOCUMENTS,
    SENTENCES,
    Procedure,
    build_procedure,
    cut_into_folds,
    join_columns,
    run_folds,
)
from tagloom.systems.learning import Progress, Report
from tagloom.systems.line import Line, Provision
from tagloom.systems.parallel import Pool
from tagloom.systems.parts import PartFiles
from tagloom.systems.registry import get_system
from tagloom.systems.tagger.options import TaggerOptions
from tagloom.text import FunctionTokenizer, Tokenizer, get_tokenizer, list_tokenizers


def read_provisions(provide: Any, seed: int) -> list[Provision]:
    """Read the option ``provide``: names of columns, or models by name of the column."""
    if provide is None:
        return []
    names = [provide] if isinstance(provide, str) else provide
    if not is_iterable(names):
        raise ConfigError(f"provide: expected names of columns, got {show_value(provide)}")
    listed = list(names)
    for column in listed:
        if not isinstance(column, str) or not column:
            raise ConfigError(f"provide: expected names of columns, got {show_value(column)}")
    given = names if isinstance(names, Mapping) else dict.fromkeys(listed)
    return [_read_provision(column, value, seed) for column, value in given.items()]


def check_provisions(corpus: Corpus, provisions: Sequence[Provision], targets: Sequence[str], noun: str) -> None:
    """Refuse what cannot be provided, before the first model is trained."""
    for each in provisions:
        names = [each.column] if each.model is None else [layer.column for layer in each.model.layers]
        learned = [name for name in names if name in targets]
        if learned:
            raise ConfigError(f"provide: {learned[0]} is what the {noun} learns; leave it out")
        if each.model is None:
            corpus.column(each.column)
            TaggerOptions.parse({**each.options, "label": each.column})


def _read_provision(column: str, value: Any, seed: int) -> Provision:
    if value is None:
        return Provision(column, options={"seed": seed}, noun=column)
    if isinstance(value, Mapping):
        return Provision(column, options={"seed": seed, **value}, noun=column)
    model = value
    if isinstance(value, (str, os.PathLike)):
        from tagloom.systems.file import load

        model = load(value)
    if not isinstance(model, Model):
        raise ConfigError(f"provide: {column}: expected a model, its file, or options, got {show_value(value)}")
    names = [layer.column for layer in model.layers]
    if column not in names:
        raise ConfigError(f"provide: {column}: the model adds {' '.join(names) or 'nothing'}; name one of its columns")
    return Provision(column, model)


def choose_tokenizer(tokenizer: Any) -> Tokenizer:
    """Return the tokenizer that was named: a rule, a function, or a model that cuts text."""
    if isinstance(tokenizer, str) and tokenizer in list_tokenizers():
        return get_tokenizer(tokenizer)
    if isinstance(tokenizer, Tokenizer) and not isinstance(tokenizer, Model):
        return tokenizer
    if callable(tokenizer) and not isinstance(tokenizer, Model):
        return FunctionTokenizer(tokenizer, getattr(tokenizer, "__name__", "tokenizer"))
    model = tokenizer
    if isinstance(tokenizer, (str, os.PathLike)):
        from tagloom.systems.file import load

        if not Path(tokenizer).exists():
            raise unknown_name("tokenizer", str(tokenizer), list_tokenizers())
        model = load(tokenizer)
    if isinstance(model, Model) and not model.segments_text and isinstance(model.line.tokenizer, Model):
        model = model.line.tokenizer  # that of a pipeline
    if not isinstance(model, Model) or not model.segments_text:
        found = f"{tokenizer}, a {model.noun}" if isinstance(model, Model) else f"{show_value(tokenizer)}"
        raise ConfigError(f"tokenizer: expected a name, a function or a model that cuts text, got {found}")
    if model.line.providers:
        raise ConfigError("tokenizer: expected a model that reads text alone, got one with models of its own")
    return cast("Tokenizer", model.without_line())


_CLITICS = ("n't", "'s", "'re", "'ve", "'ll")
_CLITIC_SHARE = 2000  # tokens among which one such clitic is expected where English is written in the way of the PTB


def guess_tokenizer(corpus: Corpus) -> Tokenizer | None:
    """Choose the tokenizer that fits the tokens of a corpus: English clitics speak for ``ptb``.

    Text that was cut by a tokenizer keeps that one. None where tokens are no words of a text: attributes, or single
    characters, for which a model chooses by itself.
    """
    if (cutter := get_cutter(corpus)) is not None:
        return cutter
    words = corpus.column(list_word_columns(corpus.names)[0])
    if words.is_bag:
        return None
    counts = np.bincount(words.codes, minlength=len(words.strings))
    lengths = np.array([len(text) for text in words.strings.strings()], np.int64)
    if corpus.token_count and not np.any(counts[lengths > 1]):
        return get_tokenizer("character")
    clitics = sum(int(counts[code]) for code in map(words.strings.find, _CLITICS) if code >= 0)
    return get_tokenizer("ptb" if clitics * _CLITIC_SHARE > corpus.token_count else "unicode")


def build_line(
    corpus: Corpus, provisions: Sequence[Provision], normal_form: str | None, threads: int, report: Report,
    parts: PartFiles = NO_PARTS,
) -> tuple[Line, Corpus]:  # fmt: skip
    """Train or take the models of a line; return it, and the training corpus with the columns that it predicts."""
    models: list[Model] = []
    for provision in provisions:
        if provision.column in {layer.column for layer in Line.join(models).layers}:
            continue
        if provision.model is None:
            model, corpus = _jackknife(corpus, provision, Line.join(models), normal_form, threads, report, parts)
        else:
            model, corpus = _apply(corpus, provision.model, threads, report)
        models.append(model)
    return Line.join(models), corpus


def _apply(corpus: Corpus, model: Model, threads: int, report: Report) -> tuple[Model, Corpus]:
    names = [layer.column for layer in model.layers]
    report(Progress("tagging", f"{' '.join(names)}: predicted by {model.spec.signature}"))
    annotated = model.annotate(model.reads.adopt(corpus), threads=threads)
    for name in names:
        corpus = corpus.with_column(name, annotated.column(name))
    return model, corpus


def _jackknife(
    corpus: Corpus, provision: Provision, line: Line, normal_form: str | None, threads: int, report: Report,
    parts: PartFiles,
) -> tuple[Model, Corpus]:  # fmt: skip
    from tagloom.systems.train import run_training

    column, label = provision.column, provision.label or provision.column
    options = {"seed": 1, **provision.options, "label": label}
    words = corpus if provision.label else _select(corpus, column, line.columns)
    report(Progress("tagging", f"{provision.noun}: training a tagger of the column {label}"))
    model = run_training(
        get_system("tagger"), words, None, TaggerOptions.parse(options), normal_form=normal_form,
        report=_raise_interrupt, parts=parts,
    )  # fmt: skip
    model = _finish(provision, model)
    folds = parts.open_folds()
    identity = {} if folds is None else {"model": compute_checksum([np.frombuffer(model.to_bytes(), np.uint8)])}
    procedure = build_procedure("tagger", (), options, identity, lambda fitted: _finish(provision, fitted))
    predicted = _predict_folds(words, provision, procedure, options, threads, folds, report)
    return model, corpus.with_column(column, predicted)


def _finish(provision: Provision, model: Model) -> Model:
    """Return a model that provides the column of a provision."""
    if provision.label is None:
        return model
    model.require(MARGINALS, "stages")
    stage: Model = model.as_stage(provision.column, provision.folds)  # type: ignore[attr-defined]
    return stage


def _predict_folds(
    words: Corpus, provision: Provision, procedure: Procedure[Model], options: Mapping[str, Any], threads: int,
    files: FoldFiles | None, report: Report,
) -> Column:  # fmt: skip
    """Predict a column by models that learn from the other folds."""
    column, noun, folds = provision.column, provision.noun, min(provision.folds, len(words))
    report(Progress("tagging", f"{noun}: jackknifing the column {column} in {folds} folds"))
    by = DOCUMENTS if words.has_documents and len(words.documents) - 1 >= folds else SENTENCES
    cut = cut_into_folds(words, folds, by, options["seed"])
    jobs = Pool().count_jobs(threads, options.get("threads", 1), len(cut))

    def report_fold(name: str | None, progress: Progress) -> None:
        if progress.phase == "finished":
            report(Progress("tagging", f"{noun}: {name}, {progress.message}", seconds=progress.seconds))

    predicted = join_columns(
        words, run_folds(words, cut, procedure, jobs=jobs, files=files, on_progress=report_fold)
    )[column]  # fmt: skip
    if predicted.is_bag:
        return predicted
    right = score(words.column(column), predicted, words.sentences).value
    report(Progress("tagging", f"{noun}: {right:.2f} of the training data's are right when jackknifed"))
    return predicted


def provide_unseen(corpus: Corpus, line: Line, threads: int, report: Report) -> Corpus:
    """Return a corpus with the columns of a line as its models predict them in text that they have not seen.

    A model that was trained on this corpus has seen it: then models like it predict its column by jackknifing, as in
    the training of the line. Other models are applied as they are.
    """
    provided: list[str] = []
    for model in line.providers:
        options = _find_options(corpus, model, provided)
        names = [layer.column for layer in model.own_layers]
        if options is None:
            columns: Mapping[str, Column] = model.predict_columns(corpus, threads=threads)
        else:
            provision, words = _repeat(corpus, model, provided)
            procedure = build_procedure(model.system, (), options, {}, functools.partial(_finish, provision))
            columns = {names[0]: _predict_folds(words, provision, procedure, options, threads, None, report)}
        for name, column in columns.items():
            corpus = corpus.with_column(name, column)
        provided += names
    return corpus


def _repeat(corpus: Corpus, model: Model, provided: Sequence[str]) -> tuple[Provision, Corpus]:
    """Return the provision of a model that was trained on a corpus, and what it has seen of that corpus."""
    layer = model.own_layers[0]
    if layer.kind != PROBABILITIES:
        return Provision(layer.column, noun=layer.column), _select(corpus, layer.column, provided)
    spec: Any = model.spec
    return Provision(layer.column, None, {}, spec.provides_folds, "first stage", spec.label), corpus


def _find_options(corpus: Corpus, model: Model, provided: Sequence[str]) -> dict[str, Any] | None:
    """Return the options that a model was trained with, if it was trained on this corpus; None otherwise."""
    layers = model.own_layers
    is_stage = len(layers) == 1 and layers[0].kind == PROBABILITIES
    if len(layers) != 1 or not (is_stage or layers[0].column in corpus.columns):
        return None
    if _repeat(corpus, model, provided)[1].checksum() != model.spec.data:
        return None
    return model.read_training_options()


def _raise_interrupt(progress: Progress) -> None:
    """End the whole training on Ctrl-C: a line needs models that were trained to their end."""
    if progress.phase == "interrupted":
        raise KeyboardInterrupt


def _select(corpus: Corpus, column: str, provided: Sequence[str]) -> Corpus:
    """Select words, what is provided already and the column to learn, so that no feature can see anything else."""
    main = list_word_columns(corpus.names)[0]
    if len(corpus) < 2:
        raise DataError(
            f"{corpus.source}: {len(corpus)} sentence, too few to predict {column}; add some, or leave it out"
        )
    columns = {name: corpus.column(name) for name in dict.fromkeys((main, *provided, column))}
    return Corpus(columns, corpus.sentences, corpus.documents, corpus.has_documents, corpus.source)
