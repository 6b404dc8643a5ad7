"""Learners: combinations of opponent, step and averaging, and the loops that run them.

The names are imported when they are first used, because a program that only loads and tags needs none of the training.
"""

from typing import TYPE_CHECKING

from tagloom._lazy import lazy_names

if TYPE_CHECKING:
    from tagloom.learners.history import get_search as get_search
    from tagloom.learners.learner import ALIASES as ALIASES
    from tagloom.learners.learner import LEARNERS as LEARNERS
    from tagloom.learners.learner import Learner as Learner
    from tagloom.learners.learner import get_learner as get_learner
    from tagloom.learners.online import Pass as Pass
    from tagloom.learners.online import State as State
    from tagloom.learners.online import Tensors as Tensors
    from tagloom.learners.settings import SETTINGS as SETTINGS
    from tagloom.learners.settings import Costs as Costs
    from tagloom.learners.settings import SettingRow as SettingRow
    from tagloom.learners.settings import Settings as Settings
    from tagloom.learners.settings import build_cost_matrix as build_cost_matrix
    from tagloom.learners.settings import name_costs as name_costs
    from tagloom.learners.training import Training as Training
    from tagloom.learners.training import begin_training as begin_training

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "tagloom.learners.history": ("get_search",),
        "tagloom.learners.learner": ("ALIASES", "LEARNERS", "Learner", "get_learner"),
        "tagloom.learners.online": ("Pass", "State", "Tensors"),
        "tagloom.learners.settings": ("SETTINGS", "Costs", "SettingRow", "Settings", "build_cost_matrix", "name_costs"),
        "tagloom.learners.training": ("Training", "begin_training"),
    },
)
