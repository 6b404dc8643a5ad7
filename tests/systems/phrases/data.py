"""Small data for phrase chunkers."""

from __future__ import annotations

from functools import cache
from typing import Any

from tagloom.corpus import Corpus
from tagloom.datasets import newswire
from tagloom.systems import PhraseChunker
from tagloom.systems.train import train

OPTIONS: dict[str, Any] = {"cutoff": 1, "epochs": 3, "label": "ner"}


@cache
def news(sentences: int = 40, seed: int = 1) -> Corpus:
    """Words, tags and entities."""
    whole = newswire(5, seed=seed).slice(0, sentences)
    columns = {name: whole.columns[name] for name in ("form", "pos", "ner")}
    return Corpus(columns, whole.sentences, whole.documents, whole.has_documents, whole.source)


@cache
def chunker(degree: int = 2, form: str | None = None, **options: Any) -> PhraseChunker:
    return train(news(), system="phrases", degree=degree, form=form, **{**OPTIONS, **options})


def rows(corpus: Corpus, number: int) -> list[tuple[str, str]]:
    """A sentence as a chunker of ``news`` reads it."""
    return list(zip(corpus.sentence(number, "form"), corpus.sentence(number, "pos"), strict=True))
