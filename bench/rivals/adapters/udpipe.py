"""UDPipe 1: its tagger with guessed morphology, and its parser, with all options empty."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.rivals.adapters.adapter import Adapter, Rows, Tagger
from bench.rivals.tasks import Files, Row, Task, read_sentences

METHOD, DEFAULT, NONE = "morphodita_parsito", "", "none"


def build_sentence(rows: Sequence[Row], write: Any) -> Any:
    """Build a sentence of UDPipe; ``write`` fills its words."""
    from ufal import udpipe

    sentence = udpipe.Sentence()
    for row in rows:
        write(sentence.addWord(""), row)
    return sentence


def read_all(task: Task, path: Path) -> Any:
    """Read a file of the task."""
    from ufal import udpipe

    def write_tag(word: Any, row: Row) -> None:
        word.form, word.upostag = row

    def write_tree(word: Any, row: Row) -> None:
        word.form, word.upostag, word.feats, word.deprel = row[1], row[3], row[5], row[7]

    sentences = udpipe.Sentences()
    for rows in read_sentences(path):
        sentence = build_sentence(rows, write_tag if task.name == "pos" else write_tree)
        if task.name == "parsing":
            for number, row in enumerate(rows, 1):
                sentence.setHead(number, int(row[6]), row[7])
        sentences.push_back(sentence)
    return sentences


@dataclass(frozen=True)
class UdpipeTagger(Tagger):
    """A model with a tagger or a parser."""

    model: Any
    parses: bool

    def tag(self, sentence: Rows) -> list[str]:
        from ufal import udpipe

        def write(word: Any, row: Row) -> None:
            word.form = row[0]
            if self.parses:
                word.upostag, word.feats = row[1], row[2]

        built, error = build_sentence(sentence, write), udpipe.ProcessingError()
        (self.model.parse if self.parses else self.model.tag)(built, DEFAULT, error)
        if error.occurred():
            sys.exit(f"UDPipe says: {error.message}")
        words = list(built.words)[1:]
        return [f"{word.head}\t{word.deprel}" if self.parses else word.upostag for word in words]


class Udpipe(Adapter):
    """``ufal.udpipe.Trainer``; one of tokenizer, tagger and parser is trained, the others are left out."""

    def train(self, task: Task, files: Files, model: Path) -> dict[str, Any]:
        from ufal import udpipe

        error = udpipe.ProcessingError()
        sides = read_all(task, files.train), read_all(task, files.dev)
        tagger, parser = (DEFAULT, NONE) if task.name == "pos" else (NONE, DEFAULT)
        trained = udpipe.Trainer.train(METHOD, *sides, NONE, tagger, parser, error)
        if error.occurred():
            sys.exit(f"UDPipe says: {error.message}")
        model.write_bytes(bytes(bytearray(trained)))
        return {}

    def open(self, task: Task, model: Path) -> UdpipeTagger:
        from ufal import udpipe

        return UdpipeTagger(udpipe.Model.load(str(model)), task.name == "parsing")


ADAPTERS = [
    Udpipe("UDPipe 1", ("pos", "parsing"), "defaults; reads UFeats, too, in parsing", "ufal.udpipe",
           limits={"pos": 3000, "parsing": 1000}),
]  # fmt: skip
