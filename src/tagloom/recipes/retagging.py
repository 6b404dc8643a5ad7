"""Part-of-speech and chunk tags of our own, in the place of those that a corpus came with.

Kazama and Torisawa 2007, Table 5, have the tags of TagChunk for those of CoNLL-2003. Here a tagger learns from the
sample of the Penn Treebank, and a chunker from CoNLL-2000, re-tagged by that tagger: the chunker sees the tags that it
will see in use. (Last tenth of CoNLL-2000's training data, chunks on our tags: F1 93.2 trained so, 92.5 trained on the
tags that come with it.) None of the text is that of CoNLL-2003, so training and test text are tagged equally well.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tagloom.corpus import Column, Corpus, read
from tagloom.corpus.schemes import IOB2, detect_scheme
from tagloom.corpus.spans import convert_labels
from tagloom.recipes.locating import located
from tagloom.systems import Model, train

POS, CHUNKS = "ptb-sample/wsj_sample.pos.tsv", "conll2000/train.txt"
SOURCES = (POS, CHUNKS)  # all files that decide what the taggers learn

# How CoNLL-2003 writes marks that the treebank writes in its own way.
_MARKS = {"-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "``": '"', "''": '"'}
_BRACKET_TAGS = {"-LRB-": "(", "-RRB-": ")"}


@dataclass(frozen=True)
class Taggers:
    """A part-of-speech tagger that reads words, and a chunker (IOB2) that reads words and its tags."""

    pos: Model
    chunks: Model

    @classmethod
    def train(cls, data: Path) -> Taggers:
        """From the corpora in the folder of the data."""
        treebank = _plain_marks(read(located(data, POS), "conll", "form pos"))
        pos = train(treebank, label="pos", templates="pos", epochs=10, seed=1)
        chunked = _plain_marks(read(located(data, CHUNKS), "conll", "form pos chunk"))
        retagged = chunked.with_column("pos", pos.tag_corpus(chunked))
        return cls(pos, train(retagged, label="chunk", templates="chunking", epochs=10, seed=1))

    def retag(self, corpus: Corpus) -> Corpus:
        """The corpus with columns pos and chunk of ours; chunks in the scheme of its own, if it has any."""
        tagged = corpus.with_column("pos", self.pos.tag_corpus(corpus))
        chunks = self.chunks.tag_corpus(tagged)
        return tagged.with_column("chunk", _like(chunks, corpus))


@lru_cache(maxsize=1)
def taggers(data: Path) -> Taggers:
    """Those of a folder of data: trained once, in a few seconds, always the same."""
    return Taggers.train(data)


def _plain_marks(corpus: Corpus) -> Corpus:
    forms, tags = corpus.column("form").texts(), corpus.column("pos").texts()
    plain = corpus.with_column("form", [_MARKS.get(form, form) for form in forms])
    return plain.with_column("pos", [_BRACKET_TAGS.get(tag, tag) for tag in tags])


def _like(chunks: Column, corpus: Corpus) -> Column:
    old = corpus.columns.get("chunk")
    scheme = None if old is None else detect_scheme(old.strings.strings(), old.codes, corpus.sentences)
    return chunks if scheme in (None, IOB2) else convert_labels(chunks, corpus.sentences, IOB2, scheme)
