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
    from tagloom.features import load_templates as load_templates
    from tagloom.features import template_set_names as template_set_names
    from tagloom.learners import LEARNERS as LEARNERS
    from tagloom.model import Explanation as Explanation
    from tagloom.model import Model as Model
    from tagloom.model import Parser as Parser
    from tagloom.model import Progress as Progress
    from tagloom.model import compare_learners as compare_learners
    from tagloom.model import jackknife as jackknife
    from tagloom.model import load as load
    from tagloom.model import load_parser as load_parser
    from tagloom.model import load_phrases as load_phrases
    from tagloom.model import rerank as rerank
    from tagloom.model import train as train
    from tagloom.model import train_parser as train_parser
    from tagloom.model import train_phrases as train_phrases
    from tagloom.model import tune as tune

__getattr__, __all__ = lazy_names(
    __name__,
    {
        "tagloom.corpus": ("Column", "Corpus", "from_hf", "from_sentences", "read", "write"),
        "tagloom.datasets": (),
        "tagloom.errors": ("ConfigError", "DataError", "ModelFileError", "TagloomError"),
        "tagloom.evaluate": ("Score", "compare", "score"),
        "tagloom.features": ("load_templates", "template_set_names"),
        "tagloom.learners": ("LEARNERS",),
        "tagloom.model": (
            "Explanation",
            "Model",
            "Parser",
            "Progress",
            "compare_learners",
            "jackknife",
            "load",
            "load_parser",
            "load_phrases",
            "rerank",
            "train",
            "train_parser",
            "train_phrases",
            "tune",
        ),
    },
)
