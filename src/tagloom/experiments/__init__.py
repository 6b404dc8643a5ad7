"""Experiments with many trainings: comparing learners, tuning options, jackknifing."""
