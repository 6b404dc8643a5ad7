"""``tagloom tag``: labels for a corpus or for plain text, in the format of the input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tagloom.cli.console import log
from tagloom.cli.inputs import Input
from tagloom.cli.options import Columns, Format, ModelFile, Normalise, Threads
from tagloom.cli.outputs import require_writable

if TYPE_CHECKING:
    from tagloom.corpus import Column, Corpus
    from tagloom.model import Model


def tag(
    model_file: ModelFile,
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="Corpus or text to tag; stdin if - or left out.")] = "-",
    format_name: Format = None,
    columns: Columns = None,
    normalise: Normalise = None,
    threads: Threads = 1,
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="File to write; stdout if -.")] = "-",
) -> None:
    """Tag a corpus or plain text.

    Column files keep their columns and get the label as the last one.
    CoNLL-U gets it in its own column, or in MISC.
    JSONL keeps all keys and gets "tags".
    Text, a sentence a line, becomes columns: word and label.
    A model that cuts words turns unsegmented text into words.
    With --normalise the model reads normalised words; the text is written
    as it was.

    \b
    Examples:
      tagloom tag chunks.tagloom test.txt -o tagged.txt
      echo "The dog sleeps ." | tagloom tag pos.tagloom
      tagloom tag pos.tagloom test.txt | tagloom eval -
    """
    from tagloom.corpus.files import store
    from tagloom.model import load

    require_writable(output)
    model = load(model_file)
    notes: list[str] = []
    store(output, tagged_text(model, Input.load(file, format_name, columns, notes), threads, normalise))
    log(*notes)


def tagged_text(model: Model, source: Input, threads: int = 1, normalise: str | None = None) -> str:
    """The input with the model's labels, as text; the model may read it in a normal form."""
    from tagloom.cli.tagged import writer_for

    corpus = source.read_for(model)
    return writer_for(model, corpus)(model, corpus, _predicted(model, corpus, threads, normalise), source.data)


def _predicted(model: Model, corpus: Corpus, threads: int, normalise: str | None) -> Column:
    if normalise is None:
        return model.tag_corpus(corpus, threads)
    from tagloom.corpus.normalising import Recut, normal_form

    recut = Recut.of(corpus, normal_form(normalise))
    return recut.restored(model.tag_corpus(recut.corpus, threads))
