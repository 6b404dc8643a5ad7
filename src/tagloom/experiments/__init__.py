"""Experiments over trainings: comparing learners, tuning options."""
