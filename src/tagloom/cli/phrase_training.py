"""One training run of a phrase chunker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tagloom.cli.progress import Watch
from tagloom.cli.training import TrainingRun

if TYPE_CHECKING:
    from tagloom.corpus import Corpus


@dataclass
class PhraseRun(TrainingRun):
    """The same with the options of ``tagloom.train_phrases``."""

    def _trained(self, watch: Watch) -> Any:
        from tagloom.systems import train_phrases

        self._require_phrases("test")
        return train_phrases(self.corpora["train"], dev=self.corpora.get("dev"), on_progress=watch, **self.options)

    def _require_phrases(self, part: str) -> None:
        """Refuse, before long work, a corpus that could not be scored; training looks at its own."""
        if part in self.corpora:
            self.corpora[part].column(self.options.get("label") or self.corpora["train"].label)

    def _notes_on(self, corpus: Corpus) -> list[str]:
        from tagloom.cli.unseen import unseen_categories

        return unseen_categories(self.model, corpus)

    def sizes(self) -> dict[str, int]:
        from tagloom.cli.recognised import sizes

        return sizes(self.model)
