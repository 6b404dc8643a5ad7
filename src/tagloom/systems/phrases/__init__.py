"""Phrase chunkers: word filters propose phrases, scorers of every category choose among them (carreras-2003)."""
