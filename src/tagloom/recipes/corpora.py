"""Corpora that several papers share: where their files lie, and how they are read. The fields of a ``Dataset``."""

from __future__ import annotations

from typing import Any

CONLL_2000: dict[str, Any] = {
    "train": "conll2000/train.txt",
    "test": "conll2000/test.txt",
    "format": "conll",
    "columns": "form pos chunk",
}
CONLL_2003_ENGLISH: dict[str, Any] = {
    "train": "conll2003-en/eng.train",
    "dev": "conll2003-en/eng.testa",
    "test": "conll2003-en/eng.testb",
    "format": "conll",
    "columns": "form pos chunk ner",
}
