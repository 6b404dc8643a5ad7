"""Jackknifing: a corpus, annotated by models that have not seen it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from tagloom.arguments import check_arguments
from tagloom.corpus import Column, Corpus
from tagloom.corpus.layers import Layer
from tagloom.errors import ConfigError
from tagloom.evaluate import Score
from tagloom.features.tensors import Tensors
from tagloom.files.cache import FoldFiles, open_folder
from tagloom.systems.base import NBEST, Model
from tagloom.systems.data import Data, read_training_data
from tagloom.systems.jackknife import (
    DOCUMENTS,
    SENTENCES,
    FoldReport,
    Procedure,
    build_procedure,
    cut_into_folds,
    join_columns,
    run_folds,
)
from tagloom.systems.learning import Progress
from tagloom.systems.options import MOST_CANDIDATES, check_whole_number
from tagloom.systems.parallel import open_pool
from tagloom.systems.registry import get_system
from tagloom.systems.tagger.candidates import Candidate
from tagloom.systems.tagger.rerank.lists import JackknifedCandidates, Listing


@dataclass(frozen=True)
class Jackknifed:
    """A corpus, and its annotation by models that have not seen it.

    Attributes:
        corpus: The corpus as it was read, with gold columns.
        columns: The predicted columns by name.
        score: Score of the prediction.
        folds: Number of folds.
        by: What the folds are made of: "documents" or "sentences".
        layers: What the predicted columns hold.
        main: The column of the words.
        lists: Lists of candidates, if they were asked for.
    """

    corpus: Corpus
    columns: Mapping[str, Column]
    score: Score
    folds: int
    by: str
    layers: tuple[Layer, ...]
    main: str
    lists: JackknifedCandidates | None = None

    def __repr__(self) -> str:
        return f"<Jackknifed {' '.join(self.columns)} of {self.folds} folds by {self.by}: {self.score!r}>"

    @property
    def tags(self) -> Column:
        """The last predicted column; for taggers and phrase chunkers, the labels."""
        return list(self.columns.values())[-1]

    @property
    def annotated(self) -> Corpus:
        """The corpus with the predicted columns in place of the gold ones."""
        corpus = self.corpus
        for name, column in self.columns.items():
            corpus = corpus.with_column(name, column)
        return corpus

    @cached_property
    def candidates(self) -> list[list[Candidate]]:
        """The best labellings of every sentence, or of every document, by models that have not seen it."""
        return self._listed.candidates()

    @property
    def oracle(self) -> Score:
        """The score of the best candidate of every list."""
        return self._listed.oracle

    @property
    def _listed(self) -> JackknifedCandidates:
        if self.lists is None:
            raise ConfigError("there are no candidates: ask for them with jackknife(..., nbest=20)")
        return self.lists


@check_arguments
def jackknife(
    data: Data,
    *,
    system: str = "tagger",
    nbest: int | None = None,
    folds: int = 10,
    by: str | None = None,
    jobs: int | None = None,
    ray: bool | str | None = None,
    cache: str | os.PathLike[str] | None = None,
    columns: str | Sequence[str] | None = None,
    format: str | None = None,  # noqa: A002
    normalise: str | None = None,
    on_progress: FoldReport | None = None,
    **options: Any,
) -> Jackknifed:
    """Annotate a training corpus as if it were unseen: every fold by a model that was trained on the others.

    Ctrl-C ends every training after its current pass and raises KeyboardInterrupt.

    Args:
        data: As for :func:`tagloom.train`.
        system: As for :func:`tagloom.train`.
        nbest: Also find this many best labellings of every sentence, or document, as ``candidates``; ``oracle`` is
            the score of the best of them, and ``lists`` has them as arrays. Taggers only.
        folds: Number of parts that the corpus is cut into.
        by: "documents", drawn by the seed, or "sentences", in stretches. By default documents, if the corpus has any.
        jobs: Number of folds at the same time; as many as there are cores if None. Does not change the result.
        ray: Run the folds on the workers of a Ray cluster: its address, or True for workers on this machine. They must
            see the same ``cache``. Does not change the result.
        cache: Folder with one file per finished fold. If the call is killed, the same call continues from there; a
            damaged file counts as missing.
        columns: As for :func:`tagloom.train`.
        format: As for :func:`tagloom.train`.
        normalise: As for :func:`tagloom.train`.
        on_progress: Function that is called with the name of a fold and its :class:`Progress`.
        **options: Options of the system.

    Examples:
        >>> sentences = [(["the", "dog"], ["DT", "NN"]), (["a", "cat"], ["DT", "NN"]), (["the", "cat"], ["DT", "NN"])]
        >>> found = jackknife(sentences, folds=3)
        >>> found.tags.texts(), found.score.value
        (['DT', 'NN', 'DT', 'NN', 'DT', 'NN'], 100.0)
    """
    row = get_system(system)
    chosen = row.load_options().parse(options)
    row.load_training().require_columns(row.noun, "jackknife")
    if nbest is not None:
        if NBEST not in row.load_model().capabilities:
            raise ConfigError(f"nbest: a {row.noun} has no candidates; leave it out")
        check_whole_number("nbest", nbest, 1, MOST_CANDIDATES)
    pool = open_pool(ray, on_progress)
    corpus = read_training_data(data, columns, format, normalise)
    files = None if cache is None else FoldFiles.open(open_folder(cache, "cache"))
    training: Any = row.load_training().prepare(corpus, chosen, normal_form=normalise)
    options = {**options, **training.fixed_options}
    listing = None if nbest is None else Listing.of_training(training, options, nbest)
    if listing is None:
        by = by or (DOCUMENTS if corpus.has_documents else SENTENCES)
        parts = cut_into_folds(corpus, folds, by, chosen.seed)
    else:
        by, parts = listing.folds(corpus, folds, by)
    jobs = pool.count_jobs(jobs, chosen.threads, len(parts))
    for note in training.list_notes([corpus]):
        pool.tell(None, note)
    sizes = f"{len(corpus):,} sentences, {training.sizes['labels']} labels, {folds} folds of {by}"
    pool.tell(None, Progress("encoded", sizes))
    identity = {} if files is None else training.identify(None)
    procedure = build_procedure(system, training.layers, options, identity)
    if listing is not None:
        procedure = _with_lists(procedure, listing)
    found = run_folds(corpus, parts, procedure, jobs=jobs, files=files, pool=pool, threads=chosen.threads)
    predicted = join_columns(corpus, found)
    scored = training.score_columns(corpus, predicted)
    signed = scored.with_signature(replace(training.signature, folds=f"{folds} of {by}"))
    lists = None if listing is None else listing.joined(corpus, found, by)
    return Jackknifed(corpus, predicted, signed, folds, by, training.layers, training.main, lists)


def _with_lists(procedure: Procedure[Model], listing: Listing) -> Procedure[Any]:
    """Find the candidates of every fold together with its columns."""
    check_columns = procedure.check
    assert check_columns is not None

    def apply(model: Any, corpus: Corpus) -> Tensors:
        return {**procedure.apply(model, corpus), **listing.apply(model, corpus)}

    def check(arrays: Tensors, corpus: Corpus) -> None:
        columns = {name: array for name, array in arrays.items() if name.endswith((".codes", ".text", ".ends"))}
        check_columns(columns, corpus)
        listing.check({name: array for name, array in arrays.items() if name not in columns}, corpus)

    return Procedure(listing.fit, apply, {**procedure.identity, "applied": f"predict, {listing.n} best"}, check)
