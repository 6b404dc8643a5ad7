"""Reranking: a tagger finds candidates, a ranker chooses among them by features of whole labellings (collins-2002)."""
