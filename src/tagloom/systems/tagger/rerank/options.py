"""Options of re-ranking: the choices of ``tagloom.rerank`` and of the command line."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Any, ClassVar

from tagloom.errors import ConfigError
from tagloom.features import DocumentFunction, Source
from tagloom.features.global_templates import GlobalTemplateSet
from tagloom.learners.ranking import RankingSettings, list_numbers
from tagloom.structures.rankers import METHODS
from tagloom.systems.options import FEATURES, MOST_CANDIDATES, SETTINGS, Options, Row, Seed, Threads

_BETAS = (0.2, 0.5, 1.0, 2.0)  # tried if development data can choose
_MARGINS = (1.0, 10.0, 30.0)  # likewise
_PASSES = {"voted": 5}  # most passes, likewise; voting on development data is slow
_MORE_PASSES = 10  # most passes of the other methods
_ROUNDS = 10_000  # of boosting, without development data to choose when to stop


@dataclass(frozen=True, kw_only=True, repr=False)
class RerankOptions(Options):
    """Options of training a re-ranker. The settings of its method are among them."""

    noun: ClassVar[str] = "re-ranker"

    method: Annotated[str, Row(
        "voted: all vectors of a perceptron vote; averaged: the mean of these vectors; margin: the mean of a "
        "perceptron that also learns where it wins narrowly; boosting: one feature per round.", choices=METHODS,
        metavar="NAME",
    )] = "margin"  # fmt: skip
    candidates: Annotated[int, Row(
        "Number of labellings of a sentence, or document, to choose from.", low=2, high=MOST_CANDIDATES, metavar="N",
    )] = 20  # fmt: skip
    templates: Annotated[str | os.PathLike[str] | GlobalTemplateSet | None, Row(
        "Global templates: collins-2002, entities (fewer features, of typed entities), or a file of your own. In "
        "Python also None, for functions only.", expects="a name, a file or template text", metavar="NAME|FILE",
        panel=FEATURES,
    )] = "collins-2002"  # fmt: skip
    functions: Annotated[Mapping[str, DocumentFunction] | None, Row(
        "Your own features by name: f(sentence, labels) returns strings.", expects="functions by name", panel=FEATURES,
        flag="",
    )] = None  # fmt: skip
    cutoff: Annotated[int, Row(
        "Drop features that occur in fewer training sequences.", low=1, metavar="N", panel=FEATURES,
    )] = 5  # fmt: skip
    names: Annotated[bool, Row("Keep the texts of the global features in the model.", panel=FEATURES)] = True
    resources: Annotated[Mapping[str, Source] | None, Row(
        "File or folder by name that only the global templates need, as in training a tagger. lowercased is built "
        "from the training data unless given. Repeatable.", expects="files by name", metavar="NAME=PATH",
        panel=FEATURES, flag="--resource",
    )] = None  # fmt: skip
    folds: Annotated[int, Row(
        "Number of parts of the training data, each tagged by a model of the others.", low=2, metavar="N",
    )] = 5  # fmt: skip
    by: Annotated[str | None, Row(
        "What folds are made of: documents, drawn by the seed, or sentences, in stretches. Default: documents, if "
        "there are any.", expects="documents or sentences", metavar="NAME",
    )] = None  # fmt: skip
    jobs: Annotated[int | None, Row(
        "Folds at the same time. Default: as many as there are cores.", low=1, metavar="N",
    )] = None  # fmt: skip
    cache: Annotated[str | os.PathLike[str] | None, Row(
        "Folder that keeps finished folds, so that a killed run can continue.", expects="the path of a folder",
        metavar="DIR",
    )] = None  # fmt: skip
    seed: Seed = 1
    threads: Threads = 1
    beta: Annotated[float | Sequence[float] | None, Row(
        "All methods but boosting. Factor of the tagger's score; development data chooses among several. Default: "
        "0.2,0.5,1,2 with development data, otherwise 0.2.", metavar="X[,X...]", panel=SETTINGS,
    )] = None  # fmt: skip
    passes: Annotated[int | None, Row(
        "All methods but boosting. Most passes. Default: 10 with development data (voted: 5), otherwise 1.",
        metavar="N", panel=SETTINGS,
    )] = None  # fmt: skip
    C: Annotated[float | Sequence[float] | None, Row(
        "Method margin only. By how much the best candidate must win. Default: 1,10,30 with development data, "
        "otherwise 1.", metavar="X[,X...]", panel=SETTINGS,
    )] = None  # fmt: skip
    rounds: Annotated[int | None, Row(
        "Boosting only. Most rounds. Default: 100,000 with development data, which chooses the best, otherwise 10,000.",
        metavar="N", panel=SETTINGS,
    )] = None  # fmt: skip
    smoothing: Annotated[float | Sequence[float] | None, Row(
        "Boosting only. Smoothing of the update. Default: 0.001.", metavar="X[,X...]", panel=SETTINGS,
    )] = None  # fmt: skip

    def choose_settings(self, *, has_dev: bool) -> RankingSettings:
        """Choose the settings of the method: those that are given, and defaults that depend on development data."""
        names = [each.name for each in fields(RankingSettings) if each.name != "method"]
        given = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        known = list_numbers(self.method)
        for name in given:
            if name not in known:
                raise ConfigError(f"{name}: {self.method} has {' and '.join(known)}, not this; leave it out")
        defaults: dict[str, Any] = {"rounds": _ROUNDS}
        if has_dev:
            defaults = {"beta": _BETAS, "C": _MARGINS, "passes": _PASSES.get(self.method, _MORE_PASSES)}
        chosen = RankingSettings(method=self.method, **{**defaults, **given})
        if not has_dev:
            chosen.require_one()
        return chosen
