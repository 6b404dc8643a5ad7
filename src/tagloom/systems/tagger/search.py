"""Options of tagging. They stand apart from those of training, because tagging needs no learner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from tagloom.systems.checks import MOST_CANDIDATES
from tagloom.systems.options import SEARCH, Row, SearchOptions

DECODERS = ("viterbi", "posterior", "rescored", "lookahead", "beam", "reranked")


@dataclass(frozen=True, kw_only=True)
class TaggerSearch(SearchOptions):
    """Options of tagging: how a tagger decides."""

    noun: ClassVar[str] = "tagger"

    decoder: Annotated[
        str | None,
        Row(
            "viterbi: the best sequence; posterior: the most labels expected to be right; rescored: the best candidate "
            "by features of documents; lookahead, beam: label by label; reranked: the choice of a re-ranker. "
            "Default: what the model was trained for.",
            choices=DECODERS, metavar="NAME", panel=SEARCH,
        ),
    ] = None  # fmt: skip
    candidates: Annotated[
        int | None,
        Row("Number of labellings that features of documents, or a re-ranker, choose from. Default: the model's.",
            low=1, high=MOST_CANDIDATES, metavar="N", panel=SEARCH),
    ] = None  # fmt: skip
    depth: Annotated[
        int | None, Row("Number of labels to look ahead. Default: the model's.", low=0, metavar="N", panel=SEARCH)
    ] = None
    beam: Annotated[
        int | None, Row("Number of hypotheses of a beam. Default: the model's.", low=1, metavar="N", panel=SEARCH)
    ] = None
