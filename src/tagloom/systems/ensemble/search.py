"""Options of the search of ensembles; apart from those of training, which models in use do without."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from tagloom.systems.options import SEARCH, Row, SearchOptions

POSTERIOR, VITERBI = ENSEMBLE_DECODERS = ("posterior", "viterbi")


@dataclass(frozen=True, kw_only=True, repr=False)
class EnsembleSearch(SearchOptions):
    """Options of tagging: how an ensemble decides."""

    noun: ClassVar[str] = "ensemble"

    decoder: Annotated[str | None, Row(
        "posterior: the labels with the largest sum of mean probabilities; viterbi: with their largest product. "
        "Default: posterior.", choices=ENSEMBLE_DECODERS, metavar="NAME", panel=SEARCH,
    )] = None  # fmt: skip
