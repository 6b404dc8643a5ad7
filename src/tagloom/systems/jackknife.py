"""What models of any system make of text that they have not seen: the columns of a whole training corpus.

For every fold a model learns from the others and is applied to it. Its output has the errors that it will make in use:
a parser that reads predicted tags learns from such tags (Collins 2000).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tagloom._core import StringTable
from tagloom.corpus import Column, Corpus
from tagloom.corpus.corpus import IntArray, ranges
from tagloom.corpus.layers import Layer
from tagloom.errors import ConfigError, unknown_name
from tagloom.features.tensors import Tensors
from tagloom.files.cache import FoldFiles
from tagloom.files.checkpoint import compute_checksum
from tagloom.learners.margin import split_folds
from tagloom.schema import Array, Layout
from tagloom.systems.base import Model
from tagloom.systems.labels import convert_scheme
from tagloom.systems.learning import Progress, Report
from tagloom.systems.options import check_whole_number
from tagloom.systems.parallel import Pool, PoolReport, Watch
from tagloom.systems.registry import get_system
from tagloom.systems.train import train

Fitted = TypeVar("Fitted")
#: Called while folds run, with the name of the fold (None for all) and its progress; never by two threads at once.
FoldReport = PoolReport

DOCUMENTS, SENTENCES = "documents", "sentences"
FOLD_UNITS = (DOCUMENTS, SENTENCES)


def cut_into_folds(corpus: Corpus, folds: int, by: str, seed: int) -> list[IntArray]:
    """Cut a corpus into folds; return the numbers of the sentences of every fold, ascending.

    by: "documents" are drawn by the seed, because the parts of a corpus may differ; "sentences" are taken in stretches,
        because those that stand side by side share words and names.
    """
    if by not in FOLD_UNITS:
        raise unknown_name("unit of folds", by, FOLD_UNITS)
    units = len(corpus.documents) - 1 if by == DOCUMENTS else len(corpus)
    check_whole_number("folds", folds, 2)
    if folds > units:
        hint = "; cut it by sentences" if by == DOCUMENTS and len(corpus) >= folds else ""
        raise ConfigError(f"folds: {corpus.source} has {units} {by}, too few for {folds} folds{hint}")
    if by == SENTENCES:
        return [part.astype(np.int64) for part in np.array_split(np.arange(len(corpus)), folds)]
    owner = np.repeat(np.arange(units), np.diff(corpus.documents))  # of every sentence
    return [np.flatnonzero(np.isin(owner, drawn)).astype(np.int64) for drawn in split_folds(units, folds, seed)]


@dataclass(frozen=True)
class Procedure(Generic[Fitted]):
    """How a model is fitted to the other folds and applied to one; the identity names all that decides both.

    ``apply`` gives one-dimensional arrays of numbers, by name: what a file can hold.
    """

    fit: Callable[[Corpus, Report], Fitted]
    apply: Callable[[Fitted, Corpus], Tensors]
    identity: Mapping[str, str] = field(default_factory=dict)  # needed for files only
    #: Raises ValueError for arrays of a file that ``apply`` does not give for a part of the corpus. Needed for files.
    check: Callable[[Tensors, Corpus], None] | None = None


@dataclass(frozen=True)
class HeldOut:
    """The output for one fold of a model of the other folds."""

    sentences: IntArray  # of the fold, as numbers in the corpus
    arrays: Tensors


class _Fold(NamedTuple):
    name: str
    sentences: IntArray


def run_folds(
    corpus: Corpus, parts: Sequence[IntArray], procedure: Procedure[Fitted], *,
    jobs: int = 1, files: FoldFiles | None = None, on_progress: FoldReport | None = None, pool: Pool | None = None,
    threads: int = 1,
) -> list[HeldOut]:  # fmt: skip
    """Apply to every part a model of the others, ``jobs`` of them at the same time, in threads or in a ``pool``.

    With ``files`` a part that was finished before is read, not computed again. Ctrl-C ends all models after their
    current pass; what was finished until then is kept.
    """
    pool = pool or Pool(on_progress)
    pool.tell(None, Progress("rung", f"{jobs} fold{'s' * (jobs > 1)} at a time", epochs=len(parts)))
    folds = [_Fold(f"fold {number}", part) for number, part in enumerate(parts, 1)]
    run = _Run(corpus, procedure, files)
    done = [each for each in pool.run(run, folds, jobs, threads) if each is not None]
    if len(done) < len(folds):
        raise KeyboardInterrupt
    return done


@dataclass(frozen=True)
class _Run(Generic[Fitted]):
    corpus: Corpus
    procedure: Procedure[Fitted]
    files: FoldFiles | None

    def __call__(self, fold: _Fold, watch: Watch) -> HeldOut:
        started, held_out = time.perf_counter(), f"{len(fold.sentences)} {compute_checksum([fold.sentences])}"
        identity = {**self.procedure.identity, "held out": held_out}
        watch.tell(fold.name, Progress("started", "learning"))
        kept = None if self.files is None else self._load(self.files, identity, fold)
        arrays = self._compute(fold, watch) if kept is None else kept
        if self.files is not None and kept is None:
            self.files.store(identity, arrays)
        seconds = time.perf_counter() - started
        how = f"finished in {seconds:.1f} s" if kept is None else "read from the cache"
        watch.tell(fold.name, Progress("finished", f"{len(fold.sentences):,} sentences, {how}", seconds=seconds))
        return HeldOut(fold.sentences, arrays)

    def _load(self, files: FoldFiles, identity: Mapping[str, str], fold: _Fold) -> Tensors | None:
        """Load the arrays of a fold; those that do not fit count as missing."""
        check = self.procedure.check
        if check is None:
            raise ValueError("a procedure without a check cannot use files")
        return files.load(identity, lambda arrays: check(arrays, self.corpus.select(fold.sentences)))

    def _compute(self, fold: _Fold, watch: Watch) -> Tensors:
        others = np.setdiff1d(np.arange(len(self.corpus)), fold.sentences, assume_unique=True)
        fitted = self.procedure.fit(self.corpus.select(others), lambda progress: _report(fold, progress, watch))
        return self.procedure.apply(fitted, self.corpus.select(fold.sentences))


def _report(fold: _Fold, progress: Progress, watch: Watch) -> None:
    """Report passes; raise KeyboardInterrupt when all must stop, because an unfinished model is of no use."""
    if watch.is_stopped or progress.phase == "interrupted":
        raise KeyboardInterrupt
    if progress.phase == "epoch":
        watch.tell(fold.name, progress)


def build_procedure(
    system: str, layers: Sequence[Layer], options: Mapping[str, Any], identity: Mapping[str, str],
    finish: Callable[[Model], Model] = lambda model: model,
) -> Procedure[Model]:  # fmt: skip
    """Build the procedure that trains with some options, the same for all folds, and annotates.

    ``layers`` are what models of the whole corpus add, because the labels of a fold may show another scheme;
    ``identity`` is what decides the training on the whole corpus; ``finish`` is applied to every model.
    """
    row = get_system(system)
    schemes = {layer.column: layer.scheme for layer in layers}

    def fit(corpus: Corpus, report: Report) -> Model:
        model: Model = train(corpus, system=row, on_progress=report, **options)
        return finish(model)

    def apply(model: Model, corpus: Corpus) -> Tensors:
        tensors: Tensors = {}
        columns = model.predict_columns(corpus, threads=options.get("threads", 1))  # those of its line, too
        own = {layer.column: layer.scheme for layer in model.layers}
        for name, found in columns.items():
            column = found
            if not found.is_bag:
                column = convert_scheme(found, corpus.sentences, own.get(name), schemes.get(name))
            tensors |= {f"{name}.{part}": array for part, array in _list_arrays(column).items()}
        return tensors

    def check(arrays: Tensors, corpus: Corpus) -> None:
        names = dict.fromkeys([*schemes, *(key.removesuffix(".codes") for key in arrays if key.endswith(".codes"))])
        layouts = [_describe_column(name, corpus.token_count, f"{name}.offsets" in arrays) for name in names]
        Layout(tuple(layouts)).check_all(arrays)
        for name in names:
            StringTable.from_blob(arrays[f"{name}.text"], arrays[f"{name}.ends"])

    return Procedure(fit, apply, {**identity, "applied": "predict"}, check)


def _list_arrays(column: Column) -> Tensors:
    """List the arrays of a column; those of a bag have offsets and values."""
    text, ends = column.strings.to_blob()
    arrays: Tensors = {"codes": column.codes, "text": text, "ends": ends}
    if column.offsets is not None:
        arrays |= {"offsets": column.offsets, "values": _list_values(column)}
    return arrays


def _list_values(bag: Column) -> NDArray[np.float32]:
    return np.ones(len(bag.codes), np.float32) if bag.values is None else bag.values


def _describe_column(name: str, tokens: int, is_bag: bool) -> Layout:
    if is_bag:
        return Layout(
            (
                Array("text", "U8", "t", "Distinct labels: UTF-8, one after the other."),
                Array("ends", "I64", "k + 1", "Where each begins and ends in the bytes.", cuts="t"),
                Array("offsets", "I64", str(tokens + 1), "Where the labels of each token begin and end.", cuts="e"),
                Array("codes", "I32", "e", "The labels of the tokens.", below="k"),
                Array("values", "F32", "e", "The probability of each.", low=0, high=1),
            ),
            f"{name}.",
        )
    return Layout(
        (
            Array("text", "U8", "t", "Distinct labels: UTF-8, one after the other."),
            Array("ends", "I64", "k + 1", "Where each begins and ends in the bytes.", cuts="t"),
            Array("codes", "I32", str(tokens), "The label of every token.", below="k"),
        ),
        f"{name}.",
    )


def join_columns(corpus: Corpus, found: Sequence[HeldOut]) -> dict[str, Column]:
    """Join the predicted columns of all folds."""
    names = [key.removesuffix(".codes") for key in found[0].arrays if key.endswith(".codes")]
    bags = [name for name in names if f"{name}.offsets" in found[0].arrays]
    names = [name for name in names if name not in bags]
    joined = {name: Column(np.zeros(corpus.token_count, np.int32), StringTable()) for name in names}
    for fold in found:
        tokens = corpus.tokens_of(fold.sentences)
        for name, column in joined.items():
            texts = StringTable.from_blob(fold.arrays[f"{name}.text"], fold.arrays[f"{name}.ends"]).strings()
            column.codes[tokens] = column.strings.intern_all(texts)[fold.arrays[f"{name}.codes"]]
    return {**joined, **{name: _join_bags(corpus, found, name) for name in bags}}


def _join_bags(corpus: Corpus, found: Sequence[HeldOut], name: str) -> Column:
    """Join the columns of all folds that hold several strings per token."""
    counts, table = np.zeros(corpus.token_count, np.int64), StringTable()
    for fold in found:
        counts[corpus.tokens_of(fold.sentences)] = np.diff(fold.arrays[f"{name}.offsets"])
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    codes, values = np.zeros(int(offsets[-1]), np.int32), np.zeros(int(offsets[-1]), np.float32)
    for fold in found:
        tokens = corpus.tokens_of(fold.sentences)
        places = ranges(offsets[tokens], counts[tokens])
        texts = StringTable.from_blob(fold.arrays[f"{name}.text"], fold.arrays[f"{name}.ends"]).strings()
        codes[places] = np.asarray(table.intern_all(texts))[fold.arrays[f"{name}.codes"]]
        values[places] = fold.arrays[f"{name}.values"]
    return Column(codes, table, offsets, values)
