"""Taggers: one label per token, decided over the whole sentence or document."""
