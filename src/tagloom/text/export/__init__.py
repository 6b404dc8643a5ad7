"""Annotations in the forms of other tools: CoNLL-U, brat, spaCy, Hugging Face, pandas, columns."""
