"""Models: training, tagging, explaining, saving and loading."""

from typing import TYPE_CHECKING

from tagloom._lazy import lazy_names

if TYPE_CHECKING:
    from tagloom.files.records import EpochRecord as EpochRecord
    from tagloom.systems.learning import Progress as Progress
    from tagloom.systems.parser.model import Parse as Parse
    from tagloom.systems.parser.model import Parser as Parser
    from tagloom.systems.parser.train import train_parser as train_parser
    from tagloom.systems.phrases.explain import PhraseExplanation as PhraseExplanation
    from tagloom.systems.phrases.model import PhraseChunker as PhraseChunker
    from tagloom.systems.phrases.train import train_phrases as train_phrases
    from tagloom.systems.tagger.candidates import Candidate as Candidate
    from tagloom.systems.tagger.candidates import candidate_lists as candidate_lists
    from tagloom.systems.tagger.explain import Contribution as Contribution
    from tagloom.systems.tagger.explain import Explanation as Explanation
    from tagloom.systems.tagger.file import load as load
    from tagloom.systems.tagger.file import load_parser as load_parser
    from tagloom.systems.tagger.file import load_phrases as load_phrases
    from tagloom.systems.tagger.file import open_model as open_model
    from tagloom.systems.tagger.jackknife import Jackknifed as Jackknifed
    from tagloom.systems.tagger.jackknife import jackknife as jackknife
    from tagloom.systems.tagger.model import Model as Model
    from tagloom.systems.tagger.parameters import Parameters as Parameters
    from tagloom.systems.tagger.rerank.choice import RankedCandidate as RankedCandidate
    from tagloom.systems.tagger.rerank.lists import JackknifedCandidates as JackknifedCandidates
    from tagloom.systems.tagger.rerank.oracle import OracleReport as OracleReport
    from tagloom.systems.tagger.rerank.oracle import oracle_report as oracle_report
    from tagloom.systems.tagger.rerank.train import rerank as rerank
    from tagloom.systems.tagger.spec import ModelSpec as ModelSpec
    from tagloom.systems.tagger.train import train as train

__getattr__, __all__ = lazy_names(
    __name__,
    {
        "tagloom.systems.tagger.candidates": ("Candidate", "candidate_lists"),
        "tagloom.systems.tagger.explain": ("Contribution", "Explanation"),
        "tagloom.systems.tagger.file": ("load", "load_parser", "load_phrases", "open_model"),
        "tagloom.systems.tagger.rerank.lists": ("JackknifedCandidates",),
        "tagloom.systems.tagger.jackknife": ("Jackknifed", "jackknife"),
        "tagloom.systems.tagger.model": ("Model",),
        "tagloom.systems.tagger.parameters": ("Parameters",),
        "tagloom.systems.tagger.rerank.oracle": ("OracleReport", "oracle_report"),
        "tagloom.systems.parser.model": ("Parse", "Parser"),
        "tagloom.systems.parser.train": ("train_parser",),
        "tagloom.systems.phrases.model": ("PhraseChunker",),
        "tagloom.systems.phrases.explain": ("PhraseExplanation",),
        "tagloom.systems.phrases.train": ("train_phrases",),
        "tagloom.systems.tagger.rerank.choice": ("RankedCandidate",),
        "tagloom.systems.tagger.rerank.train": ("rerank",),
        "tagloom.files.records": ("EpochRecord",),
        "tagloom.systems.tagger.spec": ("ModelSpec",),
        "tagloom.systems.learning": ("Progress",),
        "tagloom.systems.tagger.train": ("train",),
    },
)
