"""Ensembles: taggers that decide together, by the mean of their probabilities, in one file."""
