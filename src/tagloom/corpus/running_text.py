"""Running text as a corpus: the parts that a tokenizer has cut, and annotations of them with what models predict."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagloom._core import StringTable
from tagloom.corpus.corpus import Column, Corpus, IntArray
from tagloom.corpus.layers import CONFIDENCE, HEADS, LABELS, RELATIONS, Layer
from tagloom.corpus.spans import decode_spans
from tagloom.text import Annotation, Segmentation, SpanLayer, Tokenizer

FloatArray = NDArray[np.float64]

# Keys of Corpus.extras.
TOKENIZER = "tokenizer"  # what has cut the text of the corpus, for the models that are trained on it
_TEXT = "running_text"

_BLANK_LINE = "\n\n"


@dataclass(frozen=True)
class RunningText:
    """The text of a corpus, and how it was cut.

    Attributes:
        segment: All of the text, with line ends as they came, its tokens and sentences.
        parts: The places of the lines or paragraphs that hold tokens; no sentence goes beyond one.
        sentences: The sentence that each part starts with, and the number of sentences: [parts + 1].
    """

    segment: Segmentation
    parts: tuple[tuple[int, int], ...]
    sentences: IntArray


def cut_text(text: str, parts: Iterable[tuple[int, int]], tokenizer: Tokenizer, main: str, source: str) -> Corpus:
    """Cut the parts of a text that stand at some places into sentences and tokens."""
    places = list(parts)
    starts = np.array([start for start, _ in places], np.int64)
    pieces = [text[start:end] for start, end in places]
    if getattr(tokenizer, "ends_at_blank_lines", False):  # all parts at once, which is faster
        cut = tokenizer.segment(_BLANK_LINE.join(pieces))
        lengths = [len(piece) + len(_BLANK_LINE) for piece in pieces]
        firsts = np.cumsum([0, *lengths])[:-1]
    else:
        cut, firsts = _join_pieces([tokenizer.segment(piece) for piece in pieces])
    owners = np.searchsorted(firsts, cut.starts, side="right") - 1  # [N] the part of each token
    moved = (starts - firsts)[owners] if len(owners) else np.zeros(0, np.int64)
    segment = replace(cut, text=text, starts=cut.starts + moved, ends=cut.ends + moved)
    used, sentences = np.unique(owners[cut.sentences[:-1]], return_index=True)
    running = RunningText(
        segment, tuple(places[part] for part in used.tolist()), np.append(sentences, len(cut.sentences) - 1)
    )
    documents = np.array([0, len(cut.sentences) - 1], np.int64)
    extras = {_TEXT: running, TOKENIZER: tokenizer}
    return Corpus({main: Column(cut.codes, cut.strings)}, cut.sentences, documents, source=source, extras=extras)


def _join_pieces(cuts: Sequence[Segmentation]) -> tuple[Segmentation, IntArray]:
    """Join texts that were cut one by one; return also where each begins."""
    corpus = join_segments(cuts, "form")
    firsts = np.cumsum([0, *(len(cut.text) for cut in cuts)])
    tokens = np.cumsum([0, *map(len, cuts)]).tolist()
    column = corpus.column("form")
    joined = Segmentation(
        "".join(cut.text for cut in cuts), column.codes, column.strings,
        _join(cut.starts + first for cut, first in zip(cuts, firsts.tolist())),
        _join(cut.ends + first for cut, first in zip(cuts, firsts.tolist())), corpus.sentences,
        tuple((a + token, b + token) for cut, token in zip(cuts, tokens) for a, b in cut.multiwords),
    )  # fmt: skip
    return joined, firsts[:-1]


def join_segments(segments: Sequence[Segmentation], main: str, source: str = "<text>") -> Corpus:
    """Join the tokens of several texts into one corpus, with one document per text."""
    strings = StringTable()
    codes = [strings.intern_all(each.strings.strings())[each.codes] for each in segments if len(each.codes)]
    lengths = np.concatenate([np.zeros(0, np.int64), *(np.diff(each.sentences) for each in segments)])
    sentences = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    documents = np.concatenate([[0], np.cumsum([len(each.sentences) - 1 for each in segments])]).astype(np.int64)
    column = Column(np.concatenate(codes) if codes else np.zeros(0, np.int32), strings)
    return Corpus({main: column}, sentences, documents, has_documents=True, source=source)


def get_running_text(corpus: Corpus) -> RunningText | None:
    """Get the text that a corpus was cut from; None if it was read as tokens."""
    found = corpus.extras.get(_TEXT)
    return found if isinstance(found, RunningText) else None


def get_cutter(corpus: Corpus) -> Tokenizer | None:
    """Get the tokenizer that has cut the text of a corpus; None if it was read as tokens."""
    found = corpus.extras.get(TOKENIZER)
    return found if isinstance(found, Tokenizer) else None


# -- annotations -------------------------------------------------------------------------------------------------------


def build_annotation(corpus: Corpus, predicted: Mapping[str, Column], layers: Sequence[Layer], main: str) -> Annotation:
    """Build one annotation of a whole corpus: of its text, or of its words joined by blanks."""
    found = Predictions.read(corpus, predicted, layers)
    running = get_running_text(corpus)
    if running is None:
        return Annotation.from_words(corpus.iter_sentences(main), **found.select(0, corpus.token_count))
    return annotate_segment(running.segment, **found.select(0, corpus.token_count))


def iter_part_annotations(
    corpus: Corpus, predicted: Mapping[str, Column], layers: Sequence[Layer]
) -> Iterator[Annotation]:
    """Iterate over one annotation per part of the text of a corpus."""
    running = get_running_text(corpus)
    assert running is not None
    found, cut = Predictions.read(corpus, predicted, layers), running.segment
    words, multiwords = cut.words, np.array(cut.multiwords, np.int64).reshape(-1, 2)
    for (start, end), (first, last) in zip(running.parts, itertools.pairwise(running.sentences.tolist())):
        sentences = cut.sentences[first : last + 1]
        begin, stop = int(sentences[0]), int(sentences[-1])
        low, high = np.searchsorted(multiwords[:, 0], [begin, stop]).tolist()
        yield Annotation(
            cut.text[start:end], cut.starts[begin:stop] - start, cut.ends[begin:stop] - start, sentences - begin,
            words=words[begin:stop], multiwords=multiwords[low:high] - begin, **found.select(begin, stop),
        )  # fmt: skip


def annotate_segment(segment: Segmentation, **fields: Any) -> Annotation:
    """Build the annotation of a text that was cut, with what was found in it."""
    words = segment.words if segment.multiwords else None  # those that the text shows are cut from it
    return Annotation(
        segment.text, segment.starts, segment.ends, segment.sentences, words=words, multiwords=segment.multiwords,
        **fields,
    )  # fmt: skip


@dataclass(frozen=True)
class Predictions:
    """What models predict for a corpus, ready to be cut into annotations."""

    columns: Mapping[str, list[str]]  # [N] by name
    layers: Sequence[Layer]
    spans: Mapping[str, tuple[IntArray, IntArray, list[str], FloatArray | None]]  # by column
    scores: FloatArray | None  # [N]

    @classmethod
    def read(
        cls, corpus: Corpus, predicted: Mapping[str, Column], layers: Sequence[Layer], scores: FloatArray | None = None
    ) -> Predictions:
        """Read predicted columns.

        Scores of tokens, which spans of the last layer get, too, may stand in a column of confidences instead.
        """
        sure = next((layer for layer in layers if layer.kind == CONFIDENCE), None)
        if sure is not None:
            scores = np.array(predicted[sure.column].texts(), np.float64)
        layers = [layer for layer in layers if layer.kind != CONFIDENCE]
        columns = {layer.column: predicted[layer.column].texts() for layer in layers}
        spans = {
            layer.column: _decode(predicted[layer.column], corpus, layer, scores if layer == layers[-1] else None)
            for layer in layers
            if layer.kind == LABELS and layer.scheme is not None
        }
        return cls(columns, layers, spans, scores)

    def select(self, start: int, stop: int) -> dict[str, Any]:
        """Select the fields of an annotation of the tokens ``start:stop``."""
        kinds = {layer.kind: layer.column for layer in self.layers}
        layers = []
        for name, (first, last, labels, scores) in self.spans.items():
            low, high = np.searchsorted(first, [start, stop]).tolist()
            own = None if scores is None else scores[low:high]
            layers.append(SpanLayer(name, first[low:high] - start, last[low:high] - start, labels[low:high], own))
        return {
            "columns": {name: texts[start:stop] for name, texts in self.columns.items()},
            "layers": layers,
            "heads": kinds.get(HEADS),
            "relations": kinds.get(RELATIONS),
            "scores": None if self.scores is None else self.scores[start:stop],
        }


def _decode(
    column: Column, corpus: Corpus, layer: Layer, scores: FloatArray | None
) -> tuple[IntArray, IntArray, list[str], FloatArray | None]:
    """Decode the spans of a column; the score of a span is the least one of its tokens, which bounds it from above."""
    assert layer.scheme is not None
    found = decode_spans(column.strings.strings(), column.codes, corpus.sentences, layer.scheme)
    labels = [found.types[code] for code in found.type.tolist()]
    if scores is None or not len(found.start):
        return found.start, found.stop, labels, None
    bounds = np.stack([found.start, found.stop], axis=1).ravel()
    least = np.minimum.reduceat(np.append(scores, 1.0), bounds)[::2]
    return found.start, found.stop, labels, least


def _join(arrays: Iterable[IntArray]) -> IntArray:
    return np.concatenate([np.zeros(0, np.int64), *arrays])
