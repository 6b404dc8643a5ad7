"""Reranking (collins-2002): a tagger finds candidates, and a ranker chooses among them by features of labellings."""
