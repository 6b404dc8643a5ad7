"""tagloom: averaged perceptron, ten passes, as `tagloom train --templates chunking` does it."""

from __future__ import annotations

from pathlib import Path

import tagloom


def train(train_file: Path, model_file: Path) -> dict[str, float]:
    marks: list[float] = []
    model = tagloom.train(
        train_file, templates="chunking", epochs=10, on_progress=lambda progress: marks.append(progress.seconds)
    )
    model.save(model_file)
    return {"epoch": (marks[-1] - marks[0]) / (len(marks) - 1)}


class Tagger:
    def __init__(self, model_file: Path) -> None:
        self.model = tagloom.load(model_file)

    def tag(self, sentences: list[list[tuple[str, str]]]) -> list[list[str]]:
        return self.model.tag_many(sentences)
