"""``tagloom tag``: labels, or trees, for a corpus or for plain text, in the format of the input, as it arrives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tagloom.cli.console import log
from tagloom.cli.inputs import Input, note_undivided, require_writable
from tagloom.cli.options import Columns, Format, ModelFile, Threads, read_search
from tagloom.errors import ConfigError

if TYPE_CHECKING:
    from tagloom.corpus import Corpus


def tag(
    model_file: ModelFile,
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="Corpus or text to tag; stdin if - or left out.")] = "-",
    format_name: Format = None,
    columns: Columns = None,
    threads: Threads = 1,
    confidence: Annotated[
        bool, typer.Option("--confidence", help="Also write the probability of every label (0 to 1), before it.")
    ] = False,
    nbest: Annotated[
        int | None,
        typer.Option(metavar="N", help="Write the N best labellings with their scores (1 to 100,000), best first."),
    ] = None,
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="File to write; stdout if -.")] = "-",
    **given: Any,
) -> None:
    """Tag, or parse, a corpus or plain text.

    Input is read and written piece by piece: memory does not grow with it, and
    what comes through a pipe is written as soon as a sentence is complete (plain
    text: with --format text).
    Column files keep their columns and get the label as the last one.
    CoNLL-U gets it in its own column, or in MISC.
    JSONL keeps all keys and gets "tags", and "spans" where labels write spans:
    of characters if there is a "text", otherwise of tokens.
    Text with one sentence per line becomes columns: word and label.
    A model that cuts words turns unsegmented text into words.
    A parser writes heads and relations in their columns of CoNLL-U, which text
    becomes, too; as last columns of column files; as "heads" and "relations" of
    JSONL. Tags that it predicts stand before them.
    --confidence comes as a column before the label, as Confidence= in MISC,
    as a list in JSONL.
    --nbest writes every sentence N times, each after a line
    "# RANK SCORE [PROBABILITY]" (RANK from 0; CoNLL-U: "# nbest = ..."), and
    JSONL gets a list "nbest". Models of documents rank whole documents. A model
    with a re-ranker writes the order and the scores of its re-ranker.
    A model that was trained with --normalise reads normalised words; the text
    is written as it was.

    \b
    Examples:
      tagloom tag chunks.tagloom test.txt -o tagged.txt
      echo "The dog sleeps ." | tagloom tag pos.tagloom
      tagloom tag pos.tagloom test.txt | tagloom eval -
      tagloom tag ner.tagloom test.txt --nbest 5
      echo "The dog sleeps ." | tagloom tag en.parser
    """
    from tagloom.corpus import open_writer
    from tagloom.systems.file import load

    require_writable(output, [model_file, None if file == "-" else file])
    if nbest is not None:
        _require_nbest(nbest, [f"--{name}" for name in given] + ["--confidence"] * confidence)
    model = load(model_file)
    annotator = _Annotator(model, threads, read_search(given, model, model_file), confidence, nbest)
    source = Input(file, format_name, columns)
    has_documents, told = False, 0
    name = file
    with open_writer(output) as writer:
        for number, batch in enumerate(source.stream_for(model)):
            writer.write(annotator.annotate(batch))
            has_documents, name = has_documents or batch.has_documents, batch.source
            if number == 0:  # the input can be read and tagged, so notes about it can be printed
                log(*source.notes, *annotator.list_notes())
                told = len(source.notes)
    log(*source.notes[told:], *note_undivided(model, name, has_documents=has_documents))


def _require_nbest(n: int, others: list[str]) -> None:
    from tagloom.systems.options import MOST_CANDIDATES, check_whole_number

    check_whole_number("--nbest", n, 1, MOST_CANDIDATES)
    for option in others:
        raise ConfigError(f"--nbest: does not go with {option}; leave one of them out")


@dataclass(frozen=True)
class _Annotator:
    """A model, and how its output is written."""

    model: Any
    threads: int
    search: dict[str, object]
    confidence: bool
    nbest: int | None

    def __post_init__(self) -> None:
        from tagloom.systems import base

        if self.confidence:
            self.model.require(base.CONFIDENCE, "--confidence")
        if self.nbest is not None:
            self.model.require(base.NBEST, "--nbest")

    def annotate(self, batch: Corpus) -> str:
        """Write a batch with the output of the model."""
        from tagloom.corpus.formats import get_format

        row, model = get_format(batch), self.model
        if self.nbest is not None:
            lists = model.nbest_corpus(batch, self.nbest, self.threads)
            by_document = model.reads.whole_documents and batch.has_documents
            return row.annotate_nbest(batch, lists, model.layers[-1], model.main, by_document=by_document)
        if self.confidence:
            return self._annotate_with_confidence(batch)
        predicted = model.predict_columns(batch, threads=self.threads, **self.search)
        return row.annotate(batch, predicted, model.layers, model.main)

    def _annotate_with_confidence(self, batch: Corpus) -> str:
        from tagloom.corpus import Column
        from tagloom.corpus.formats import get_format
        from tagloom.corpus.layers import CONFIDENCE, Layer

        labels, probabilities = self.model.confidences(batch, self.threads, **self.search)
        label = self.model.layers[-1]
        layer = Layer("probability" if label.column == "confidence" else "confidence", CONFIDENCE)
        texts = Column.from_strings(f"{probability:.4f}" for probability in probabilities.tolist())
        predicted = {layer.column: texts, label.column: labels}
        return get_format(batch).annotate(batch, predicted, [layer, label], self.model.main)

    def list_notes(self) -> list[str]:
        """List what a reader of the output must know."""
        from tagloom.corpus.schemes import IOB1

        notes = [
            f"column {layer.column!r} is written in IOB1, the label scheme of the training data"
            for layer in self.model.layers
            if layer.scheme == IOB1
        ]
        note = self.model.confidence_note if self.confidence else ""
        return [*([f"confidence: {note}"] if note else []), *notes]
