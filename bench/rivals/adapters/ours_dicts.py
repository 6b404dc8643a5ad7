"""tagloom from feature dicts: in the shape of python-crfsuite, and with the model files of CRFsuite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from bench.rivals.adapters.adapter import Adapter, FeatureTagger, Rows, Tagger
from bench.rivals.adapters.ours import read_own_version
from bench.rivals.tasks import Files, Task, stream_sentences

TASKS = ("chunking", "ner")


class OwnCompat(Adapter):
    """``tagloom.compat.crfsuite`` in the place of ``pycrfsuite``."""

    @property
    def version(self) -> str:
        return read_own_version()

    def train(self, task: Task, files: Files, model: Path) -> dict[str, Any]:
        from tagloom.compat import crfsuite

        trainer = crfsuite.Trainer(verbose=False)
        extract = task.features.extract_dicts
        for sentence in stream_sentences(files.train):
            trainer.append(extract(sentence), [row[-1] for row in sentence])
        trainer.train(str(model))
        return {}

    def open(self, task: Task, model: Path) -> Tagger:
        from tagloom.compat import crfsuite

        tagger = crfsuite.Tagger()
        tagger.open(str(model))
        return FeatureTagger(task.features.extract_dicts, tagger.tag)


@dataclass(frozen=True)
class FileTagger(Tagger):
    """A tagger of tagloom that was opened from a file of CRFsuite."""

    task: Task
    model: Any
    splits: ClassVar[bool] = True

    def tag(self, sentence: Rows) -> list[str]:
        return self.model.tag(self.task.features.extract_dicts(sentence))  # type: ignore[no-any-return]

    def tag_all(self, sentences: Sequence[Rows]) -> list[list[str]]:
        return self.model.tag_many(self.extract_all(sentences))  # type: ignore[no-any-return]

    def extract_all(self, sentences: Sequence[Rows]) -> Any:
        return [self.task.features.extract_dicts(sentence) for sentence in sentences]

    def tag_extracted(self, features: Any) -> object:
        return self.model.tag_many(features)


class OtherFile(OwnCompat):
    """A file that python-crfsuite wrote, which ``tagloom.load`` opens."""

    def train(self, task: Task, files: Files, model: Path) -> dict[str, Any]:
        raise NotImplementedError("python-crfsuite trains the model")

    def open(self, task: Task, model: Path) -> Tagger:
        import tagloom

        return FileTagger(task, tagloom.load(model))


ADAPTERS = [
    OwnCompat("tagloom, feature dicts", TASKS, "compat.crfsuite, defaults", "tagloom", features=True, is_ours=True),
    OtherFile("tagloom, .crfsuite file", TASKS, "model of python-crfsuite", "tagloom", features=True,
              is_ours=True, opens="python-crfsuite"),
]  # fmt: skip
