"""Learners: compositions of opponent, step and averaging, and the loops that run them."""

from tagloom.learners.history import search_of
from tagloom.learners.learner import LEARNERS, Learner, learner_named
from tagloom.learners.online import Pass, State, Tensors
from tagloom.learners.settings import Costs, Settings, cost_matrix, costs_by_name
from tagloom.learners.training import Training, begin_training

__all__ = [
    "LEARNERS",
    "Costs",
    "Learner",
    "Pass",
    "Settings",
    "State",
    "Tensors",
    "Training",
    "begin_training",
    "cost_matrix",
    "costs_by_name",
    "learner_named",
    "search_of",
]
