"""Sequences: the units that a model labels as a whole.

They are sentences; documents, whose sentences are connected only by non-local features; or joined documents, each of
which is one long sentence, so that features and spans may cross the borders of its sentences.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus import Corpus
from tagloom.corpus.corpus import IntArray
from tagloom.features.masking import repeat_offsets, repeat_tokens

SENTENCES, DOCUMENTS, JOINED = "sentences", "documents", "joined"
SEQUENCES = {
    SENTENCES: "every sentence by itself",
    DOCUMENTS: "the sentences of a document together; local features do not cross sentence borders",
    JOINED: "every document as one long sentence",
}
NO_BREAKS: NDArray[np.uint8] = np.zeros(0, np.uint8)


@dataclass(frozen=True)
class Sequences:
    """Where sequences begin, and which tokens begin a sentence inside a sequence."""

    offsets: IntArray  # [D + 1] first token of each sequence
    breaks: NDArray[np.uint8]  # [N] 1 where a sentence begins inside a sequence; or empty

    def __repr__(self) -> str:
        return f"Sequences({len(self):,} sequences, {int(self.offsets[-1]):,} tokens)"

    @classmethod
    def of_sentences(cls, sentences: IntArray) -> Sequences:
        """One sequence per sentence; ``sentences`` are offsets into the tokens."""
        return cls(sentences, NO_BREAKS)

    @classmethod
    def of_documents(cls, corpus: Corpus) -> Sequences:
        """One sequence per document; one per sentence if the corpus has no documents."""
        if not corpus.has_documents:
            return cls.of_sentences(corpus.sentences)
        return cls.group(corpus.sentences, corpus.documents)

    @classmethod
    def group(cls, sentences: IntArray, documents: IntArray) -> Sequences:
        """One sequence per group of sentences; ``documents`` are offsets into the sentences."""
        offsets = np.ascontiguousarray(sentences[documents])
        breaks = np.zeros(int(sentences[-1]) + 1, np.uint8)  # one more place, for the end of the text
        breaks[sentences] = 1
        breaks[offsets] = 0
        return cls(offsets, breaks[:-1])

    def repeat(self, copies: int) -> Sequences:
        """Return the sequences when every sequence is followed by its copies."""
        breaks = repeat_tokens(self.breaks, self.offsets, copies) if len(self.breaks) else self.breaks
        return Sequences(repeat_offsets(self.offsets, copies), breaks)

    def cut(self, data: _core.ChainData) -> _core.ChainData:
        """Divide the tokens of ``data`` into these sequences."""
        return data.joined(self.offsets, self.breaks)

    def __len__(self) -> int:
        return len(self.offsets) - 1


def build_sequences(corpus: Corpus, kind: str) -> Sequences:
    """Build the sequences of a corpus; joined documents must have been joined before."""
    return Sequences.of_documents(corpus) if kind == DOCUMENTS else Sequences.of_sentences(corpus.sentences)


def join_documents(corpus: Corpus) -> Corpus:
    """Join every document to one sentence; a corpus without documents stays the same."""
    if not corpus.has_documents:
        return corpus
    sentences = np.ascontiguousarray(corpus.sentences[corpus.documents])
    return replace(corpus, sentences=sentences, documents=np.arange(len(sentences), dtype=np.int64), extras={})
