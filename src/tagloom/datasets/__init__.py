"""Data that comes with tagloom: a real sample, and documents made by rule."""

from tagloom.datasets.documents import newswire, newswire_split
from tagloom.datasets.indonesian import indonesian_pos
from tagloom.datasets.split import Split

__all__ = ["Split", "indonesian_pos", "newswire", "newswire_split"]
