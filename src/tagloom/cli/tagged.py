"""Tagged corpora as text: for every format of the input, where the label goes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, TypeAlias

from tagloom.cli.inputs import is_segmenter
from tagloom.corpus import Column, Corpus, to_string
from tagloom.corpus.formats.conllu import CONLLU_COLUMNS
from tagloom.corpus.streams import decode_lines
from tagloom.errors import ConfigError
from tagloom.systems import TaggerSpec


class Labeller(Protocol):
    """What writing must know of a model, or of the models of several folds."""

    @property
    def spec(self) -> TaggerSpec: ...

    @property
    def main(self) -> str:
        """The column of the words."""
        ...


Writer: TypeAlias = Callable[[Labeller, Corpus, Column, bytes], str]


def writer_for(model: Labeller, corpus: Corpus) -> Writer:
    """How to write a tagged corpus, by the format it was read in."""
    name = corpus.extras["format"]
    if name == "characters" and is_segmenter(model):
        return _words
    return {"jsonl": _records, "conllu": _treebank}.get(str(name), _columns)


def with_confidence(model: Labeller, corpus: Corpus, probabilities: Sequence[float]) -> Corpus:
    """The corpus with the probabilities of its labels where its format has a place for them."""
    texts = [f"{probability:.4f}" for probability in probabilities]
    if writer_for(model, corpus) is _words:
        raise ConfigError("--confidence: text cut into words has no place for it; tag columns or JSONL")
    if writer_for(model, corpus) is _treebank:
        return corpus.with_column(
            "misc", _added(corpus.column("misc").texts(), (f"Confidence={text}" for text in texts))
        )
    return corpus.with_column(unused_name("confidence", corpus), texts)


def _added(misc: Iterable[str], entries: Iterable[str]) -> list[str]:
    return [entry if before == "_" else f"{before}|{entry}" for before, entry in zip(misc, entries, strict=True)]


def _columns(model: Labeller, corpus: Corpus, predicted: Column, data: bytes) -> str:
    """All columns of the input that a line can hold, and the label."""
    kept = [name for name, column in corpus.columns.items() if not column.is_bag]
    label = unused_name(model.spec.label, corpus)
    return to_string(corpus.with_column(label, predicted), "conll", [*kept, label])


def unused_name(name: str, corpus: Corpus) -> str:
    """The name, or predicted-NAME where it is taken."""
    while name in corpus.columns:
        name = f"predicted-{name}"
    return name


def _words(model: Labeller, corpus: Corpus, predicted: Column, data: bytes) -> str:
    label = unused_name(model.spec.label, corpus)
    return to_string(corpus.with_column(label, predicted), "segmented", [model.main, label])


def _treebank(model: Labeller, corpus: Corpus, predicted: Column, data: bytes) -> str:
    if model.spec.label in CONLLU_COLUMNS:
        return to_string(corpus.with_column(model.spec.label, predicted), "conllu")
    labels = (f"{model.spec.label}={text}" for text in predicted.texts())
    return to_string(corpus.with_column("misc", _added(corpus.column("misc").texts(), labels)), "conllu")


def _records(model: Labeller, corpus: Corpus, predicted: Column, data: bytes) -> str:
    """The objects of the input with tags, and with the tokens that these belong to."""
    tagged = corpus.with_column("tags", predicted)
    records = (json.loads(line) for line in decode_lines(data, corpus.source) if line.strip(" \t\r"))
    rows = zip(records, corpus.iter_sentences(model.main), tagged.iter_sentences("tags"))
    written = [{**record, "tokens": tokens, "tags": tags} for record, tokens, tags in rows]
    if "confidence" in corpus.columns:
        for record, texts in zip(written, corpus.iter_sentences("confidence"), strict=True):
            record["confidence"] = [float(text) for text in texts]
    return "".join(json_lines(iter(written)))


def json_lines(records: Iterator[dict[str, object]]) -> Iterator[str]:
    for record in records:
        yield json.dumps(record, ensure_ascii=False) + "\n"
