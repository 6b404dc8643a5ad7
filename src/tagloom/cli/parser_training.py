"""One training run of a parser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from tagloom.cli.progress import Watch
from tagloom.cli.training import TrainingRun

if TYPE_CHECKING:
    from tagloom.corpus import Corpus


@dataclass
class ParserRun(TrainingRun):
    """The same with the options of ``tagloom.train_parser``."""

    headline: ClassVar[Sequence[str]] = ("uas", "las")

    def _trained(self, watch: Watch) -> Any:
        from tagloom.systems import train_parser

        self._require_trees("test")
        return train_parser(self.corpora["train"], dev=self.corpora.get("dev"), on_progress=watch, **self.options)

    def _require_trees(self, part: str) -> None:
        """Refuse, before hours of work, a corpus that could not be scored; training looks at its own."""
        from tagloom.corpus.trees import HEAD, RELATION, trees_of

        if part in self.corpora:
            relation = self.options.get("relation", RELATION) if self.options.get("relations", True) else None
            trees_of(self.corpora[part], self.options.get("head", HEAD), relation)

    def _notes_on(self, corpus: Corpus) -> list[str]:
        return []

    def sizes(self) -> dict[str, int]:
        return {"features": len(self.model.parameters.keys), "relations": len(self.model.parameters.relations)}
