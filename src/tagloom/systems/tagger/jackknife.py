"""Tags of a training corpus as a tagger gives them on unseen text: jackknifing with the options of a training."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from tagloom._core import StringTable
from tagloom.corpus import Column, Corpus
from tagloom.corpus.schemes import Scheme
from tagloom.corpus.spans import convert_labels
from tagloom.errors import ConfigError
from tagloom.evaluate import Score, score
from tagloom.features.tensors import Tensors
from tagloom.files.fold_files import FoldFiles
from tagloom.learners import cost_matrix
from tagloom.systems.folds import (
    DOCUMENTS,
    SENTENCES,
    FoldReport,
    HeldOut,
    Procedure,
    cut_into_folds,
    jackknifed,
)
from tagloom.systems.labels import gold_scheme
from tagloom.systems.learning import Learned, Report
from tagloom.systems.numbers import MOST_CANDIDATES, check_whole_number
from tagloom.systems.parallel import jobs_for
from tagloom.systems.tagger.candidates import Candidate
from tagloom.systems.tagger.model import Model
from tagloom.systems.tagger.rerank.lists import JackknifedCandidates, Listing, announce, folder_of, whole_identity
from tagloom.systems.tagger.task import Task
from tagloom.systems.tagger.train import Data, checked_options, model_spec, read_data, train

_NOTHING = Learned(np.zeros(0, np.float32), (), 0)  # a signature of models of other data has no pass


@dataclass(frozen=True)
class Jackknifed:
    """A corpus, and its labels by models that have not seen them."""

    corpus: Corpus  # as it was read, with gold labels
    label: str
    tags: Column
    score: Score  # of the tags
    folds: int
    by: str  # what the folds are made of, "documents" or "sentences"
    main: str  # the column of the words
    lists: JackknifedCandidates | None = None  # if they were asked for

    @property
    def tagged(self) -> Corpus:
        """The corpus with the predicted labels in the place of the gold ones."""
        return self.corpus.with_column(self.label, self.tags)

    @cached_property
    def candidates(self) -> list[list[Candidate]]:
        """The best labellings of every sentence, or of every document, by models that have not seen it."""
        return self._listed.candidates()

    @property
    def oracle(self) -> Score:
        """Of the best candidate of every list."""
        return self._listed.oracle

    @property
    def _listed(self) -> JackknifedCandidates:
        if self.lists is None:
            raise ConfigError("there are no candidates: ask for them with jackknife(..., nbest=20)")
        return self.lists


def jackknife(
    data: Data,
    *,
    nbest: int | None = None,
    folds: int = 10,
    by: str | None = None,
    jobs: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    columns: str | Sequence[str] | None = None,
    format: str | None = None,  # noqa: A002
    normalise: str | None = None,
    on_progress: FoldReport | None = None,
    **options: Any,
) -> Jackknifed:
    """Tag a training corpus as if it were unseen: every fold by a model that is trained on the others.

    data, columns, format, normalise, options: as for :func:`tagloom.train`.
    nbest: also give the best labellings of every sentence, so many, as ``candidates``, and the score of the best of
        them, ``oracle``; ``lists`` has them as arrays. Of documents, if the models label documents.
    folds: parts of the corpus. by: "documents", drawn by the seed, or "sentences", in stretches; documents if None and
        the corpus has any.
    jobs: folds at the same time; as many as there are cores if None. The tags do not depend on it.
    cache: a folder with a file for every fold that was finished. Called again after it was killed, the same
        jackknifing computes only the folds that are missing; a damaged file counts as missing.

    Ctrl-C ends every training after its current pass and raises KeyboardInterrupt.

    >>> sentences = [(["the", "dog"], ["DT", "NN"]), (["a", "cat"], ["DT", "NN"]), (["the", "cat"], ["DT", "NN"])]
    >>> found = jackknife(sentences, folds=3)
    >>> found.tags.texts(), found.score.value
    (['DT', 'NN', 'DT', 'NN', 'DT', 'NN'], 100.0)
    """
    chosen = checked_options(options)
    if nbest is not None:
        check_whole_number("nbest", nbest, 1, MOST_CANDIDATES)
    corpus = read_data(data, columns, format, normalise)
    task = Task.plan(corpus, chosen)
    cost_matrix(chosen.cost, task.structure.labels)  # refused before the long work
    spec = model_spec(task, chosen.chosen_learner, chosen, _NOTHING)
    listing = None
    if nbest is None:
        by = by or (DOCUMENTS if corpus.has_documents else SENTENCES)
        parts = cut_into_folds(corpus, folds, by, chosen.seed)
    else:
        fixed = {**options, "label": spec.label, "scheme": spec.scheme, "templates": spec.templates}
        listing = Listing(spec, tuple(task.structure.labels), fixed, nbest)
        by, parts = listing.folds(corpus, folds, by)
    jobs = jobs_for(jobs, chosen.threads, len(parts))
    files = None if cache is None else FoldFiles.open(folder_of(cache))
    announce(task, corpus, f"{folds} folds of {by}", on_progress)
    identity = {} if files is None else whole_identity(task, chosen)
    procedure = tagging(task.label, task.gold.written, options, identity)
    if listing is not None:
        procedure = _with_lists(procedure, listing)
    found = jackknifed(corpus, parts, procedure, jobs=jobs, files=files, on_progress=on_progress)
    tags = joined_tags(corpus, found)
    scored = score(
        corpus.column(task.label), tags, corpus.sentences,
        scheme=gold_scheme(corpus.column(task.label), corpus.sentences, task.gold.written),
    ).signed(replace(spec.signature, folds=f"{folds} of {by}"))  # fmt: skip
    lists = None if listing is None else listing.joined(corpus, found, by)
    return Jackknifed(corpus, task.label, tags, scored, folds, by, task.encoder.main, lists)


def _with_lists(tagger: Procedure[Model], listing: Listing) -> Procedure[Model]:
    """The tags and the candidates of every fold."""

    def apply(model: Model, corpus: Corpus) -> Tensors:
        return {**tagger.apply(model, corpus), **listing.apply(model, corpus)}

    return Procedure(listing.fit, apply, {**tagger.identity, "applied": f"tag_corpus, {listing.n} best"})


def tagging(label: str, written: Scheme | None, options: dict[str, Any], identity: dict[str, str]) -> Procedure[Model]:
    """Train with some options and tag. A fold may show another scheme of labels than ``written``, that of the whole."""

    def fit(corpus: Corpus, report: Report) -> Model:
        return train(corpus, on_progress=report, **{**options, "label": label})

    def apply(model: Model, corpus: Corpus) -> Tensors:
        tags = model.tag_corpus(corpus, options.get("threads", 1))
        shown = model.spec.written
        if shown is not None and written is not None and shown != written:
            tags = convert_labels(tags, corpus.sentences, shown, written)
        text, ends = tags.strings.to_blob()
        return {"codes": tags.codes, "labels.text": text, "labels.ends": ends}

    return Procedure(fit, apply, {**identity, "applied": "tag_corpus"})


def joined_tags(corpus: Corpus, found: Sequence[HeldOut]) -> Column:
    """The tags of all folds as one column."""
    strings, codes = StringTable(), np.zeros(corpus.token_count, np.int32)
    for fold in found:
        labels = StringTable.from_blob(fold.arrays["labels.text"], fold.arrays["labels.ends"]).strings()
        codes[corpus.tokens_of(fold.sentences)] = strings.intern_all(labels)[fold.arrays["codes"]]
    return Column(codes, strings)
