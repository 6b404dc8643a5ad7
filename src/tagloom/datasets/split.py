"""A corpus in three parts."""

from __future__ import annotations

from dataclasses import dataclass

from tagloom.arguments import check_methods
from tagloom.corpus import Corpus


@check_methods()
@dataclass(frozen=True)
class Split:
    """What to train on, what to tune on, what to report."""

    train: Corpus
    dev: Corpus
    test: Corpus

    @classmethod
    def at(cls, corpus: Corpus, dev: int, test: int) -> Split:
        """Cut a corpus before the sentences ``dev`` and ``test``."""
        return cls(corpus.slice(0, dev), corpus.slice(dev, test), corpus.slice(test, len(corpus)))

    def __repr__(self) -> str:
        parts = {"train": self.train, "dev": self.dev, "test": self.test}
        sizes = ", ".join(f"{name} {len(part):,} sentences" for name, part in parts.items())
        return f"<Split: {sizes}, columns {' '.join(self.train.names)}>"
