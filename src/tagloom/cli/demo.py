"""``tagloom demo``: train on the bundled sample, score, and show a tagged sentence."""

from __future__ import annotations

from rich.text import Text

from tagloom.cli.console import log, put_json, put_rich
from tagloom.cli.parameters import Json
from tagloom.cli.progress import Clock
from tagloom.cli.train import TrainingRun, put_scores
from tagloom.datasets import indonesian_pos
from tagloom.systems.registry import DEFAULT_SYSTEM, get_system

_COLOURS = (
    "green", "yellow", "blue", "magenta", "cyan", "red", "bright_green", "bright_yellow", "bright_blue",
    "bright_magenta", "bright_cyan", "bright_red", "dark_orange", "purple", "turquoise2", "gold3", "deep_pink2"
)  # fmt: skip
_SENTENCE = 1  # of the test part: short, with many different tags


def demo(json: Json = False) -> None:
    """Train a part-of-speech tagger on bundled Indonesian news, score it, show a sentence."""
    clock = Clock()
    with clock.phase("read"):
        split = indonesian_pos()
    corpora = {"train": split.train, "dev": split.dev, "test": split.test}
    run = TrainingRun(get_system(DEFAULT_SYSTEM), corpora, {"templates": "pos"}, clock)
    model = run.learn()
    run.evaluate()
    words = split.test.sentence(_SENTENCE, "form")
    tags = model.tag(words)
    if json:
        put_json({**run.report(), "sentence": {"tokens": words, "tags": tags}})
        return
    put_scores({"test": run.scores["test"]})
    put_rich(_colour(words, tags, model.labels))
    log("next: tagloom train --help")


def _colour(words: list[str], tags: list[str], labels: tuple[str, ...]) -> Text:
    """Write ``word/TAG`` with one colour per label."""
    from rich.text import Text

    styles = {label: _COLOURS[number % len(_COLOURS)] for number, label in enumerate(labels)}
    tokens = [Text.assemble(word, (f"/{tag}", styles[tag])) for word, tag in zip(words, tags)]
    return Text(" ").join(tokens)
