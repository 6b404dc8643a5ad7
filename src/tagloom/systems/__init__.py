"""Systems: everything that is trained, behind one contract."""

from typing import TYPE_CHECKING

from tagloom._lazy import lazy_names

if TYPE_CHECKING:
    from tagloom.files.checkpoint import EpochRecord as EpochRecord
    from tagloom.systems.base import Model as Model
    from tagloom.systems.file import load as load
    from tagloom.systems.learning import Progress as Progress
    from tagloom.systems.parser.model import Parse as Parse
    from tagloom.systems.parser.model import Parser as Parser
    from tagloom.systems.phrases.explain import PhraseExplanation as PhraseExplanation
    from tagloom.systems.phrases.model import PhraseChunker as PhraseChunker
    from tagloom.systems.registry import SYSTEMS as SYSTEMS
    from tagloom.systems.registry import System as System
    from tagloom.systems.registry import get_system as get_system
    from tagloom.systems.registry import register_system as register_system
    from tagloom.systems.segments.explain import SegmentExplanation as SegmentExplanation
    from tagloom.systems.segments.model import SegmentModel as SegmentModel
    from tagloom.systems.tagger.candidates import Candidate as Candidate
    from tagloom.systems.tagger.candidates import find_candidate_lists as find_candidate_lists
    from tagloom.systems.tagger.explain import Contribution as Contribution
    from tagloom.systems.tagger.explain import TaggerExplanation as TaggerExplanation
    from tagloom.systems.tagger.explain import TokenExplanation as TokenExplanation
    from tagloom.systems.tagger.model import Tagger as Tagger
    from tagloom.systems.tagger.parameters import Parameters as Parameters
    from tagloom.systems.tagger.rerank.lists import JackknifedCandidates as JackknifedCandidates
    from tagloom.systems.tagger.rerank.lists import OracleReport as OracleReport
    from tagloom.systems.tagger.rerank.lists import report_oracle as report_oracle
    from tagloom.systems.tagger.rerank.reranker import RankedCandidate as RankedCandidate
    from tagloom.systems.tagger.rerank.train import rerank as rerank
    from tagloom.systems.tagger.spec import TaggerSpec as TaggerSpec

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "tagloom.files.checkpoint": ("EpochRecord",),
        "tagloom.systems.base": ("Model",),
        "tagloom.systems.file": ("load",),
        "tagloom.systems.learning": ("Progress",),
        "tagloom.systems.parser.model": ("Parse", "Parser"),
        "tagloom.systems.phrases.explain": ("PhraseExplanation",),
        "tagloom.systems.phrases.model": ("PhraseChunker",),
        "tagloom.systems.segments.explain": ("SegmentExplanation",),
        "tagloom.systems.segments.model": ("SegmentModel",),
        "tagloom.systems.registry": ("SYSTEMS", "System", "get_system", "register_system"),
        "tagloom.systems.tagger.candidates": ("Candidate", "find_candidate_lists"),
        "tagloom.systems.tagger.explain": ("Contribution", "TaggerExplanation", "TokenExplanation"),
        "tagloom.systems.tagger.model": ("Tagger",),
        "tagloom.systems.tagger.parameters": ("Parameters",),
        "tagloom.systems.tagger.rerank.reranker": ("RankedCandidate",),
        "tagloom.systems.tagger.rerank.lists": ("JackknifedCandidates", "OracleReport", "report_oracle"),
        "tagloom.systems.tagger.rerank.train": ("rerank",),
        "tagloom.systems.tagger.spec": ("TaggerSpec",),
    },
)
