"""spaCy: a blank pipeline with one component, trained on the CPU by the config that `spacy init config` writes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.rivals.adapters.adapter import Adapter, Rows, Tagger
from bench.rivals.tasks import Files, Row, Task, read_sentences

COMPONENTS = {"chunking": "ner", "ner": "ner", "pos": "tagger", "parsing": "parser"}
STEPS = 1000  # of 20,000: with all of them, one training takes most of an hour


def find_spans(labels: Sequence[str]) -> list[tuple[int, int, str]]:
    """List the spans of IOB2 labels: first token, token after the last, label."""
    spans: list[tuple[int, int, str]] = []
    for place, label in enumerate(labels):
        if label.startswith("B-"):
            spans.append((place, place + 1, label[2:]))
        elif label.startswith("I-") and spans and spans[-1][1] == place and spans[-1][2] == label[2:]:
            spans[-1] = (spans[-1][0], place + 1, label[2:])
    return spans


def build_doc(vocab: Any, task: Task, rows: Sequence[Row]) -> Any:
    """Build a document with gold annotation from a sentence."""
    from spacy.tokens import Doc, Span

    words = [row[1] if task.name == "parsing" else row[0] for row in rows]
    if task.name == "pos":
        return Doc(vocab, words=words, tags=[row[-1] for row in rows])
    if task.name == "parsing":
        heads = [int(row[6]) - 1 if row[6] != "0" else place for place, row in enumerate(rows)]
        deps = ["ROOT" if row[6] == "0" else row[7] for row in rows]
        return Doc(vocab, words=words, heads=heads, deps=deps, sent_starts=[place == 0 for place in range(len(rows))])
    doc = Doc(vocab, words=words)
    doc.ents = [Span(doc, first, end, label) for first, end, label in find_spans([row[-1] for row in rows])]
    return doc


def write_docs(vocab: Any, task: Task, source: Path, target: Path) -> None:
    from spacy.tokens import DocBin

    DocBin(docs=[build_doc(vocab, task, rows) for rows in read_sentences(source)]).to_disk(target)


@dataclass(frozen=True)
class SpacyTagger(Tagger):
    """A pipeline with one component; documents are built from tokens."""

    nlp: Any
    task: str

    def tag(self, sentence: Rows) -> list[str]:
        return self._read(self.nlp(self._build(sentence)))

    def tag_all(self, sentences: Sequence[Rows]) -> list[list[str]]:
        return [self._read(doc) for doc in self.nlp.pipe(map(self._build, sentences))]

    def _build(self, sentence: Rows) -> Any:
        from spacy.tokens import Doc

        return Doc(self.nlp.vocab, words=[row[0] for row in sentence])

    def _read(self, doc: Iterable[Any]) -> list[str]:
        if self.task == "pos":
            return [token.tag_ for token in doc]
        if self.task == "parsing":
            return ["0\troot" if token.head.i == token.i else f"{token.head.i + 1}\t{token.dep_}" for token in doc]
        return [f"{token.ent_iob_}-{token.ent_type_}" if token.ent_type_ else "O" for token in doc]


class Spacy(Adapter):
    """``init_config`` with ``optimize="efficiency"``, but fewer steps."""

    def train(self, task: Task, files: Files, model: Path) -> dict[str, Any]:
        import spacy
        from spacy.cli.init_config import init_config
        from spacy.training.initialize import init_nlp
        from spacy.training.loop import train

        (model / "out").mkdir(parents=True)
        vocab = spacy.blank("en").vocab
        config = init_config(lang="en", pipeline=[COMPONENTS[task.name]], optimize="efficiency")
        for name, source in (("train", files.train), ("dev", files.dev)):
            config["paths"][name] = str(model / f"{name}.spacy")
            write_docs(vocab, task, source, model / f"{name}.spacy")
        config["training"]["max_steps"] = min(STEPS, len(read_sentences(files.train)))
        nlp = init_nlp(config)
        train(nlp, model / "out")
        for name in ("train", "dev"):
            (model / f"{name}.spacy").unlink()
        return {}

    def open(self, task: Task, model: Path) -> SpacyTagger:
        import spacy

        return SpacyTagger(spacy.load(model / "out" / "model-best"), task.name)


ADAPTERS = [
    Spacy("spaCy", tuple(COMPONENTS), f"blank, efficiency, {STEPS:,} steps", "spacy",
          limits=dict.fromkeys(COMPONENTS, 3000)),
]  # fmt: skip
