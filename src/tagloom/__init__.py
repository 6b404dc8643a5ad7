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
    from tagloom.experiments.compare import compare_learners as compare_learners
    from tagloom.experiments.tune import tune as tune
    from tagloom.features import load_templates as load_templates
    from tagloom.features import template_set_names as template_set_names
    from tagloom.learners import LEARNERS as LEARNERS
    from tagloom.systems import Explanation as Explanation
    from tagloom.systems import Model as Model
    from tagloom.systems import Parser as Parser
    from tagloom.systems import Progress as Progress
    from tagloom.systems import jackknife as jackknife
    from tagloom.systems import load as load
    from tagloom.systems import load_parser as load_parser
    from tagloom.systems import load_phrases as load_phrases
    from tagloom.systems import rerank as rerank
    from tagloom.systems import train as train
    from tagloom.systems import train_parser as train_parser
    from tagloom.systems import train_phrases as train_phrases

__getattr__, __all__ = lazy_names(
    __name__,
    {
        "tagloom.corpus": ("Column", "Corpus", "from_hf", "from_sentences", "read", "write"),
        "tagloom.datasets": (),
        "tagloom.errors": ("ConfigError", "DataError", "ModelFileError", "TagloomError"),
        "tagloom.evaluate": ("Score", "compare", "score"),
        "tagloom.experiments.compare": ("compare_learners",),
        "tagloom.experiments.tune": ("tune",),
        "tagloom.features": ("load_templates", "template_set_names"),
        "tagloom.learners": ("LEARNERS",),
        "tagloom.systems": (
            "Explanation",
            "Model",
            "Parser",
            "Progress",
            "jackknife",
            "load",
            "load_parser",
            "load_phrases",
            "rerank",
            "train",
            "train_parser",
            "train_phrases",
        ),
    },
)
