"""Sequences: what a model labels as one. Sentences; documents, whose sentences share only what non-local features see;
or documents joined to one long sentence each, over whose borders features and spans may reach."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus import Corpus
from tagloom.corpus.corpus import IntArray

SENTENCES, DOCUMENTS, JOINED = "sentences", "documents", "joined"
SEQUENCES = {
    SENTENCES: "every sentence by itself",
    DOCUMENTS: "the sentences of a document together; nothing local reaches over their borders",
    JOINED: "every document as one long sentence",
}
NO_BREAKS: NDArray[np.uint8] = np.zeros(0, np.uint8)


@dataclass(frozen=True)
class Sequences:
    """Where sequences begin, and which tokens begin a sentence inside one."""

    offsets: IntArray  # [D + 1] tokens
    breaks: NDArray[np.uint8]  # [N], or empty

    @classmethod
    def of_sentences(cls, sentences: IntArray) -> Sequences:
        return cls(sentences, NO_BREAKS)

    @classmethod
    def of_documents(cls, corpus: Corpus) -> Sequences:
        """The documents of a corpus; its sentences, if it has no documents."""
        if not corpus.has_documents:
            return cls.of_sentences(corpus.sentences)
        return cls.grouped(corpus.sentences, corpus.documents)

    @classmethod
    def grouped(cls, sentences: IntArray, documents: IntArray) -> Sequences:
        """``documents`` are offsets into the sentences."""
        offsets = np.ascontiguousarray(sentences[documents])
        breaks = np.zeros(int(sentences[-1]) + 1, np.uint8)  # one place more, for what ends the text
        breaks[sentences] = 1
        breaks[offsets] = 0
        return cls(offsets, breaks[:-1])

    def cut(self, data: _core.ChainData) -> _core.ChainData:
        """The same tokens as these sequences."""
        return data.joined(self.offsets, self.breaks)

    def __len__(self) -> int:
        return len(self.offsets) - 1


def sequences_of(corpus: Corpus, kind: str) -> Sequences:
    """The sequences of a corpus whose documents are joined already, if they are to be."""
    return Sequences.of_documents(corpus) if kind == DOCUMENTS else Sequences.of_sentences(corpus.sentences)


def joined_documents(corpus: Corpus) -> Corpus:
    """Every document as one sentence; a corpus without documents stays as it is."""
    if not corpus.has_documents:
        return corpus
    sentences = np.ascontiguousarray(corpus.sentences[corpus.documents])
    return replace(corpus, sentences=sentences, documents=np.arange(len(sentences), dtype=np.int64), extras={})
