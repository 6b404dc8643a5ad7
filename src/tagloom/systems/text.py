"""Text in, annotations out: what a model makes of running text, whatever its system.

The tokenizer of the model cuts the text, the models of its line predict their columns, and everything is put back at
its place in the text. Many texts are cut one by one and predicted together, because most of the work is per batch.
"""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from tagloom.corpus import Column, Corpus, from_feature_dicts, read, restore_text, rows_to_corpus
from tagloom.corpus.layers import HEADS, RELATIONS
from tagloom.corpus.normalise import list_word_columns
from tagloom.corpus.running_text import Predictions, annotate_segment, join_segments
from tagloom.errors import ConfigError, show_value
from tagloom.systems import base
from tagloom.systems.options import check_threads
from tagloom.text import Annotation, Segmentation

if TYPE_CHECKING:
    from tagloom.evaluate import TextScore
    from tagloom.systems.base import Model

_BATCH_CHARACTERS = 1 << 17  # of texts that are predicted together


def annotate_texts(
    model: Model, texts: Sequence[str], *, threads: int = 1, confidence: bool = False, **search: Any
) -> list[Annotation]:
    """Annotate texts, all of them as one batch."""
    check_threads(threads)
    model.check_search(search)
    segments = cut_texts(model, texts)
    return annotate_segments(model, segments, threads=threads, confidence=confidence, **search)


def cut_texts(model: Model, texts: Sequence[str]) -> list[Segmentation]:
    """Cut texts into the sentences and tokens that annotations of a model have."""
    require_words(model)
    for text in texts:
        if not isinstance(text, str):
            raise ConfigError(f"text: expected a str, got {show_value(text)}; pass token lists to annotate or tag_many")
    tokenizer: Any = model if model.segments_text else model.tokenizer
    return [tokenizer.segment(text) for text in texts]


def annotate_segments(
    model: Model, segments: Sequence[Segmentation], *, threads: int = 1, confidence: bool = False, **search: Any
) -> list[Annotation]:
    """Annotate texts that ``cut_texts`` has cut, all of them as one batch; every text is a document."""
    if model.segments_text and confidence:
        raise ConfigError(f"confidence: a {model.noun} that cuts text has no such output; leave it out")
    if model.segments_text:
        return [annotate_segment(each) for each in segments]
    corpus = join_segments(segments, model.main)
    found = _predict(model, corpus, threads, confidence, search)
    starts = corpus.sentences[corpus.documents].tolist()
    bounds = itertools.pairwise(starts)
    return [annotate_segment(each, **found.select(*ends)) for each, ends in zip(segments, bounds, strict=True)]


def require_words(model: Model) -> None:
    """Raise ConfigError if a model reads feature dicts, which are made from words but are none."""
    if model.reads.bags:
        raise ConfigError(
            f"this {model.noun} reads feature dicts (column {' '.join(model.reads.bags)}), not text or words; "
            "make them as for its training, and pass them to tag, tag_many or annotate"
        )


def pipe_texts(
    model: Model, texts: Iterable[str], *, threads: int = 1, confidence: bool = False, **search: Any
) -> Iterator[Annotation]:
    """Annotate a stream of texts, in its order; no more than one batch is held."""
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += 1 + (len(text) if isinstance(text, str) else 0)  # empty texts are held, too
        if size >= _BATCH_CHARACTERS:
            yield from annotate_texts(model, batch, threads=threads, confidence=confidence, **search)
            batch, size = [], 0
    if batch:
        yield from annotate_texts(model, batch, threads=threads, confidence=confidence, **search)


def annotate_sentences(
    model: Model, sentences: Sequence[Sequence[object]], *, threads: int = 1, confidence: bool = False, **search: Any
) -> list[Annotation]:
    """Annotate tokens that come without a text, all sentences as one batch: one annotation per sentence.

    The words of a sentence are joined by blanks, and feature dicts are written as words: their names with bars between.
    """
    corpus = open_tokens(model, sentences)
    found = _predict(model, corpus, threads, confidence, search)
    words = write_tokens(model, sentences, corpus)
    bounds = itertools.pairwise(corpus.sentences.tolist())
    return [Annotation.from_words([words[start:stop]], **found.select(start, stop)) for start, stop in bounds]


def open_tokens(model: Model, sentences: Sequence[Sequence[object]]) -> Corpus:
    """Build a corpus of tokens as a model reads them: words, rows of words, or feature dicts."""
    return from_feature_dicts(sentences) if model.reads.bags else rows_to_corpus(sentences, model.columns)


def write_tokens(model: Model, sentences: Sequence[Sequence[object]], corpus: Corpus | None = None) -> list[str]:
    """Write the tokens of sentences as words; ``corpus`` is what ``open_tokens`` makes of them, if it is there."""
    if model.reads.bags:
        return ["|".join(map(str, token)) for tokens in sentences for token in cast("Any", tokens)]
    return (corpus or open_tokens(model, sentences)).column(model.main).texts()


def annotation_to_corpus(annotation: Annotation, source: str = "<text>") -> Corpus:
    """Read an annotation as a treebank, with its multiword tokens and the white space of its text."""
    stream = io.BytesIO(annotation.to_conllu().encode("utf-8", "replace"))
    return replace(read(stream, "conllu"), source=source)


def score_text(model: Model, corpus: Corpus, *, threads: int = 1, **search: Any) -> TextScore:
    """Score what a model makes of the text of a treebank, counted as in the CoNLL-2018 shared task.

    Raises:
        ConfigError: The model makes nothing that a treebank has.
    """
    from tagloom.evaluate import score_treebank

    found, made = make_treebank(model, corpus, threads=threads, **search)
    return score_treebank(corpus, found, made).with_signature(model.spec.signature)


def make_treebank(model: Model, corpus: Corpus, *, threads: int = 1, **search: Any) -> tuple[Corpus, list[str]]:
    """Let a model make a treebank of the text of another one.

    Returns:
        The treebank, and the columns of CoNLL-U that the model makes.

    Raises:
        ConfigError: The model makes nothing that a treebank has.
    """
    made = list_treebank_columns(model)
    if not made and base.TEXT not in model.capabilities:
        names = " ".join(layer.column for layer in model.layers)
        raise ConfigError(f"a {model.noun} of {names} makes no column of a treebank, so text has nothing to score")
    text = restore_text(corpus, list_word_columns(corpus.names)[0]).text
    return annotation_to_corpus(model(text, threads=threads, **search)), made


def list_treebank_columns(model: Model) -> list[str]:
    """List the columns of CoNLL-U that a model makes of text; tags of other names are written as XPOS."""
    places = {HEADS: "head", RELATIONS: "deprel"}
    names = [places.get(layer.kind, layer.column) for layer in model.layers]
    return list(dict.fromkeys("xpos" if name in ("pos", "tag") else name for name in names if name in _SCORED))


_SCORED = ("upos", "xpos", "pos", "tag", "feats", "lemma", "head", "deprel")


def _predict(model: Model, corpus: Corpus, threads: int, confidence: bool, search: Mapping[str, Any]) -> Predictions:
    predicted, scores = predict_scored(model, corpus, threads=threads, confidence=confidence, **search)
    return Predictions.read(corpus, predicted, model.layers, scores)


def predict_scored(
    model: Model, corpus: Corpus, *, threads: int = 1, confidence: bool = False, **search: Any
) -> tuple[dict[str, Column], NDArray[np.float64] | None]:
    """Predict the columns of a model and its line, on request with the confidence in every label of its own: [N]."""
    if confidence:
        model.require(base.CONFIDENCE, "confidence")
    if corpus.token_count == 0:
        return {layer.column: Column.from_strings([]) for layer in model.layers}, None
    if not confidence:
        return model.predict_columns(corpus, threads=threads, **search), None
    provided = model.line.provide_columns(corpus, threads)
    for name, column in provided.items():
        corpus = corpus.with_column(name, column)
    alone: Any = model.without_line()
    labels, probabilities = alone.confidences(corpus, threads, **search)
    return {**provided, model.layers[-1].column: labels}, probabilities.astype(np.float64)
