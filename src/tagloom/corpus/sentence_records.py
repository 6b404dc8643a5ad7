"""Single sentences of a corpus as JSONL records with a text, its tokens, and what a model predicts for it.

A record is training data: what it predicts stands where a reader of JSONL looks for labels. Spans stand in ``spans``
only, and other labels in ``tags`` only, so that whoever corrects a record has one place to change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from tagloom.corpus.corpus import Column, Corpus
from tagloom.corpus.formats.format import CONTINUES_DOCUMENT
from tagloom.corpus.formats.jsonl import DOCUMENT_KEYS, LABEL_KEYS, find_record
from tagloom.corpus.formats.offsets import Place, locate
from tagloom.corpus.formats.surface import RestoredText, restore_text
from tagloom.corpus.layers import HEADS, LABELS, RELATIONS, Layer
from tagloom.corpus.running_text import get_running_text
from tagloom.corpus.spans import decode_spans
from tagloom.errors import DataError

#: Keys of records that were read which say nothing about single sentences, or are about an annotation that is ignored.
_DROPPED = frozenset({"text", "data", "answer", "score", "heads", "relations", *LABEL_KEYS})
_KEYS = {HEADS: "heads", RELATIONS: "relations"}


class SentenceRecords:
    """Builds records of the sentences of a corpus.

    Args:
        corpus: The corpus, with what its format keeps beside the tokens.
        main: The column of the words.
        columns: The columns that a record shows beside the words.
        joint: What stands between words where the corpus does not tell.
        first_document: The number of documents before the corpus.
    """

    def __init__(
        self, corpus: Corpus, main: str, columns: Sequence[str] = (), *, joint: str = " ", first_document: int = 0
    ) -> None:
        self.corpus, self.main, self.joint = corpus, main, joint
        self.columns = [name for name in columns if name != main]
        self.first_document = first_document - bool(corpus.extras.get(CONTINUES_DOCUMENT))

    def build(self, number: int, predicted: Mapping[str, Sequence[str]], layers: Sequence[Layer]) -> dict[str, Any]:
        """Build the record of a sentence; ``predicted`` has one string per token of it for every layer."""
        words = self.corpus.sentence(number, self.main)
        text, places = self.place_words(number, words)
        record = {**self.list_keys(number), **({} if text is None else {"text": text}), "tokens": words}
        record |= {name: self.corpus.sentence(number, name) for name in self.columns}
        for layer in layers:
            for key, values in write_layer(predicted[layer.column], layer, places).items():
                record[layer.column if key in record else key] = values  # a second labelling goes by its column
        return record

    def list_keys(self, number: int) -> dict[str, Any]:
        """List what is known of a sentence beside its text: its document, and other keys of its JSONL record."""
        found = find_record(self.corpus, number)
        keys: dict[str, Any] = {}
        if found is not None:
            content = found[0].content
            keys = {key: each for key, each in content.items() if key not in _DROPPED and not isinstance(each, list)}
        if self.corpus.has_documents and keys.keys().isdisjoint(DOCUMENT_KEYS):
            document = int(np.searchsorted(self.corpus.documents, number, side="right")) - 1
            keys["doc"] = self.first_document + document
        return keys

    def place_words(self, number: int, words: Sequence[str]) -> tuple[str | None, list[Place]]:
        """Find the text of a sentence and the places of its words.

        Words that the text does not show, such as those of multiword tokens, are joined instead. Words that no text can
        show have no text; they are counted.
        """
        for text in (self._find_text(number), self.joint.join(words)):
            try:
                return text, locate(words, text, "")
            except DataError:
                continue
        return None, [(place, place + 1) for place in range(len(words))]

    def _find_text(self, number: int) -> str:
        """Find the text from the first word to the last, as the corpus has it."""
        first, last = self.corpus.span(number)
        running = get_running_text(self.corpus)
        if running is not None:
            cut = running.segment
            return cut.text[cut.starts[first] : cut.ends[last - 1]]
        found = find_record(self.corpus, number)
        if found is not None and found[0].has_text:
            record, sentence = found
            places, start = record.places(), int(self.corpus.sentences[sentence])
            text: str = record.content[record.text_key]
            return text[places[first - start][0] : places[last - 1 - start][1]]
        return self._restored.sentence(number) if self.joint == " " else ""

    @cached_property
    def _restored(self) -> RestoredText:
        return restore_text(self.corpus, self.main)


def write_layer(values: Sequence[str], layer: Layer, places: Sequence[Place]) -> dict[str, Any]:
    """Write the values of one layer of a sentence under their key."""
    if layer.kind == LABELS and layer.scheme is not None:
        column = Column.from_strings(values)
        bounds = np.array([0, len(values)], np.int64)
        spans = decode_spans(column.strings.strings(), column.codes, bounds, layer.scheme).tuples()
        if all(category for *_, category in spans):  # spans without a category are words, which labels cut
            return {"spans": [[places[start][0], places[stop - 1][1], category] for _, start, stop, category in spans]}
    if layer.kind == HEADS:
        return {_KEYS[HEADS]: [int(value) for value in values]}
    return {_KEYS.get(layer.kind, "tags"): list(values)}
