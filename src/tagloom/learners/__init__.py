"""Learners: compositions of opponent, step and averaging, and the loop that runs them."""

from tagloom.learners.learner import LEARNERS, Learner, learner_named
from tagloom.learners.online import Pass, train_online

__all__ = ["LEARNERS", "Learner", "Pass", "learner_named", "train_online"]
