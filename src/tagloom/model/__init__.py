"""Models: training, tagging, explaining, saving and loading."""

from tagloom.model.explain import Contribution, Explanation
from tagloom.model.file import load_model
from tagloom.model.model import Model, Parameters
from tagloom.model.spec import EpochRecord, ModelSpec
from tagloom.model.train import Progress, train

__all__ = [
    "Contribution",
    "EpochRecord",
    "Explanation",
    "Model",
    "ModelSpec",
    "Parameters",
    "Progress",
    "load_model",
    "train",
]
