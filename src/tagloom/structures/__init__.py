"""Structures: which outputs are possible, and by which parts they are scored."""

from tagloom.structures.chain import Chain, Constraint

__all__ = ["Chain", "Constraint"]
