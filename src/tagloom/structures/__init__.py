"""Structures: which outputs exist and which parts they are scored by."""

from tagloom.structures.chain import Chain, Constraint

__all__ = ["Chain", "Constraint"]
