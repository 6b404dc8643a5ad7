"""Unsegmented text, the input of a segmenter: one sentence per line, one token per character, blanks dropped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tagloom.corpus.corpus import Column, Corpus
from tagloom.corpus.formats.conll import annotate_columns, annotate_columns_nbest
from tagloom.corpus.formats.format import Format, choose_columns, get_texts, join_lines, split_sentences
from tagloom.corpus.formats.segmented import write_segmented
from tagloom.corpus.formats.text import FORBIDDEN
from tagloom.corpus.layers import LABELS, Labelling, Layer
from tagloom.corpus.layout import Layout, Names
from tagloom.corpus.normalise import normalise_words
from tagloom.corpus.schemes import BMES, cuts_text
from tagloom.corpus.streams import Piece
from tagloom.errors import ConfigError


def read_characters(piece: Piece, layout: Layout) -> Corpus:
    """Read characters."""
    lines = ["".join(line.split()) for line in normalise_words(piece.lines(), layout.normal_form)]
    lengths = [len(text) for text in lines if text]
    return Corpus.from_columns({"form": "".join(lines)}, lengths, source=piece.source)


def write_characters(corpus: Corpus, columns: Names | None) -> str:
    """Write tokens with nothing between them."""
    (name,) = choose_columns(corpus, columns, CHARACTERS.name, limit=1)
    return join_lines(map("".join, split_sentences(corpus, get_texts(corpus, name, FORBIDDEN, CHARACTERS.name))))


def annotate_characters(corpus: Corpus, predicted: Mapping[str, Column], layers: Sequence[Layer], main: str) -> str:
    """Write words if the labels cut text into words, otherwise columns."""
    cutting = [each for each in layers if _cuts_words(each, predicted[each.column].strings.strings())]
    if not cutting:
        return annotate_columns(corpus, predicted, layers, main)
    if len(layers) > 1:
        other = next(layer for layer in layers if layer is not cutting[0])
        raise ConfigError(f"text cut into words has no place for {other.kind}; tag columns or JSONL")
    return write_segmented(Corpus(
        {"form": corpus.column(main), "label": predicted[cutting[0].column]},
        corpus.sentences, corpus.documents, source=corpus.source,
    ), None)  # fmt: skip


def annotate_characters_nbest(
    corpus: Corpus, lists: Sequence[Sequence[Labelling]], layer: Layer, main: str, *, by_document: bool = False
) -> str:
    """Write columns; refuse labels that cut text into words."""
    if _cuts_words(layer, {label for one in lists for labelling in one for label in labelling.labels}):
        raise ConfigError("text cut into words has no place for several labellings; tag columns or JSONL")
    return annotate_columns_nbest(corpus, lists, layer, main, by_document=by_document)


def _cuts_words(layer: Layer, labels: Iterable[str]) -> bool:
    return layer.kind == LABELS and layer.scheme == BMES and cuts_text(list(labels), layer.scheme)


CHARACTERS = Format(
    "characters",
    "unsegmented text",
    read_characters,
    write_characters,
    annotate_characters,
    annotate_characters_nbest,
    has_character_tokens=True,
    width=1,
)
