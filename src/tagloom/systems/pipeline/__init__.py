"""Pipelines: everything that a treebank holds, from raw text, by the models of one line in one file."""
