"""tagloom: fast linear models of structured output.

>>> import tagloom
>>> model = tagloom.train([(["the", "dog"], ["DT", "NN"]), (["a", "cat"], ["DT", "NN"])])
>>> model.tag(["a", "dog"])
['DT', 'NN']
"""

from tagloom._version import __version__
from tagloom.corpus import Column, Corpus, from_hf, from_sentences, read, write
from tagloom.errors import ConfigError, DataError, ModelFileError, TagloomError
from tagloom.evaluate import Score, compare, score
from tagloom.features import load_templates, template_set_names
from tagloom.learners import LEARNERS
from tagloom.model import Explanation, Model, Progress, load_model, train

load = load_model

__all__ = [
    "LEARNERS",
    "Column",
    "ConfigError",
    "Corpus",
    "DataError",
    "Explanation",
    "Model",
    "ModelFileError",
    "Progress",
    "Score",
    "TagloomError",
    "__version__",
    "compare",
    "from_hf",
    "from_sentences",
    "load",
    "load_templates",
    "read",
    "score",
    "template_set_names",
    "train",
    "write",
]
