"""tagloom: fast linear models of structured output.

>>> import tagloom
>>> model = tagloom.train([(["the", "dog"], ["DT", "NN"]), (["a", "cat"], ["DT", "NN"])])
>>> model.tag(["a", "dog"])
['DT', 'NN']
"""

from typing import TYPE_CHECKING

from tagloom._lazy import lazy_names
from tagloom._version import __version__ as __version__

if TYPE_CHECKING:
    from tagloom import datasets as datasets
    from tagloom import report as report
    from tagloom.corpus import Column as Column
    from tagloom.corpus import Corpus as Corpus
    from tagloom.corpus import from_hf as from_hf
    from tagloom.corpus import from_sentences as from_sentences
    from tagloom.corpus import read as read
    from tagloom.corpus import write as write
    from tagloom.errors import ConfigError as ConfigError
    from tagloom.errors import DataError as DataError
    from tagloom.errors import ModelFileError as ModelFileError
    from tagloom.errors import TagloomError as TagloomError
    from tagloom.evaluate import Score as Score
    from tagloom.evaluate import compare as compare
    from tagloom.evaluate import score as score
    from tagloom.experiments.active.suggest import suggest as suggest
    from tagloom.experiments.compare import compare_learners as compare_learners
    from tagloom.experiments.effort import choose_options as choose_options
    from tagloom.experiments.jackknife import jackknife as jackknife
    from tagloom.experiments.tune import tune as tune
    from tagloom.features import list_template_sets as list_template_sets
    from tagloom.features import load_templates as load_templates
    from tagloom.features.clusters.brown import cluster_words as cluster_words
    from tagloom.features.clusters.kmeans import cluster_vectors as cluster_vectors
    from tagloom.learners import LEARNERS as LEARNERS
    from tagloom.systems.base import Model as Model
    from tagloom.systems.ensemble.average import average_taggers as average_taggers
    from tagloom.systems.ensemble.join import join_taggers as join_taggers
    from tagloom.systems.file import load as load
    from tagloom.systems.learning import Progress as Progress
    from tagloom.systems.parser.model import Parser as Parser
    from tagloom.systems.phrases.model import PhraseChunker as PhraseChunker
    from tagloom.systems.registry import SYSTEMS as SYSTEMS
    from tagloom.systems.registry import System as System
    from tagloom.systems.registry import register_system as register_system
    from tagloom.systems.tagger.model import Tagger as Tagger
    from tagloom.systems.tagger.rerank.train import rerank as rerank
    from tagloom.systems.train import train as train

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "tagloom.corpus": ("Column", "Corpus", "from_hf", "from_sentences", "read", "write"),
        "tagloom.datasets": (),
        "tagloom.errors": ("ConfigError", "DataError", "ModelFileError", "TagloomError"),
        "tagloom.evaluate": ("Score", "compare", "score"),
        "tagloom.experiments.active.suggest": ("suggest",),
        "tagloom.experiments.compare": ("compare_learners",),
        "tagloom.experiments.effort": ("choose_options",),
        "tagloom.experiments.jackknife": ("jackknife",),
        "tagloom.experiments.tune": ("tune",),
        "tagloom.features": ("load_templates", "list_template_sets"),
        "tagloom.features.clusters.brown": ("cluster_words",),
        "tagloom.features.clusters.kmeans": ("cluster_vectors",),
        "tagloom.learners": ("LEARNERS",),
        "tagloom.report": (),
        "tagloom.systems.base": ("Model",),
        "tagloom.systems.ensemble.average": ("average_taggers",),
        "tagloom.systems.ensemble.join": ("join_taggers",),
        "tagloom.systems.file": ("load",),
        "tagloom.systems.learning": ("Progress",),
        "tagloom.systems.parser.model": ("Parser",),
        "tagloom.systems.phrases.model": ("PhraseChunker",),
        "tagloom.systems.registry": ("SYSTEMS", "System", "register_system"),
        "tagloom.systems.tagger.model": ("Tagger",),
        "tagloom.systems.tagger.rerank.train": ("rerank",),
        "tagloom.systems.train": ("train",),
        "tagloom.testing": (),
    },
)
