"""Models: training, tagging, explaining, saving and loading."""

from typing import TYPE_CHECKING

from tagloom._lazy import lazy_names

if TYPE_CHECKING:
    from tagloom.model.candidates import Candidate as Candidate
    from tagloom.model.candidates import candidate_lists as candidate_lists
    from tagloom.model.comparing import compare_learners as compare_learners
    from tagloom.model.comparison import Comparison as Comparison
    from tagloom.model.comparison import Run as Run
    from tagloom.model.explain import Contribution as Contribution
    from tagloom.model.explain import Explanation as Explanation
    from tagloom.model.file import load as load
    from tagloom.model.file import load_parser as load_parser
    from tagloom.model.file import load_phrases as load_phrases
    from tagloom.model.file import open_model as open_model
    from tagloom.model.jackknifed_candidates import JackknifedCandidates as JackknifedCandidates
    from tagloom.model.jackknifed_tags import Jackknifed as Jackknifed
    from tagloom.model.jackknifed_tags import jackknife as jackknife
    from tagloom.model.learning import Progress as Progress
    from tagloom.model.model import Model as Model
    from tagloom.model.oracle import OracleReport as OracleReport
    from tagloom.model.oracle import oracle_report as oracle_report
    from tagloom.model.parameters import Parameters as Parameters
    from tagloom.model.parsing.parser import Parse as Parse
    from tagloom.model.parsing.parser import Parser as Parser
    from tagloom.model.parsing.training import train_parser as train_parser
    from tagloom.model.phrases.chunker import PhraseChunker as PhraseChunker
    from tagloom.model.phrases.explain import PhraseExplanation as PhraseExplanation
    from tagloom.model.phrases.training import train_phrases as train_phrases
    from tagloom.model.reranking.choice import RankedCandidate as RankedCandidate
    from tagloom.model.reranking.training import rerank as rerank
    from tagloom.model.spec import EpochRecord as EpochRecord
    from tagloom.model.spec import ModelSpec as ModelSpec
    from tagloom.model.training import train as train
    from tagloom.model.trials import Trial as Trial
    from tagloom.model.trials import Tuning as Tuning
    from tagloom.model.tuning import tune as tune

__getattr__, __all__ = lazy_names(
    __name__,
    {
        "tagloom.model.candidates": ("Candidate", "candidate_lists"),
        "tagloom.model.comparing": ("compare_learners",),
        "tagloom.model.comparison": ("Comparison", "Run"),
        "tagloom.model.explain": ("Contribution", "Explanation"),
        "tagloom.model.file": ("load", "load_parser", "load_phrases", "open_model"),
        "tagloom.model.jackknifed_candidates": ("JackknifedCandidates",),
        "tagloom.model.jackknifed_tags": ("Jackknifed", "jackknife"),
        "tagloom.model.model": ("Model",),
        "tagloom.model.parameters": ("Parameters",),
        "tagloom.model.oracle": ("OracleReport", "oracle_report"),
        "tagloom.model.parsing.parser": ("Parse", "Parser"),
        "tagloom.model.parsing.training": ("train_parser",),
        "tagloom.model.phrases.chunker": ("PhraseChunker",),
        "tagloom.model.phrases.explain": ("PhraseExplanation",),
        "tagloom.model.phrases.training": ("train_phrases",),
        "tagloom.model.reranking.choice": ("RankedCandidate",),
        "tagloom.model.reranking.training": ("rerank",),
        "tagloom.model.spec": ("EpochRecord", "ModelSpec"),
        "tagloom.model.learning": ("Progress",),
        "tagloom.model.training": ("train",),
        "tagloom.model.trials": ("Trial", "Tuning"),
        "tagloom.model.tuning": ("tune",),
    },
)
