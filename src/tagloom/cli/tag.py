"""``tagloom tag``: labels for a corpus or for plain text, in the format of the input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from tagloom.cli.console import log
from tagloom.cli.inputs import Input
from tagloom.cli.options import Columns, Format, ModelFile, Normalise, Threads
from tagloom.cli.outputs import require_writable
from tagloom.errors import ConfigError

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
    decoder: Annotated[
        str, typer.Option(metavar="NAME", help="viterbi: the best sequence; posterior: the most labels expected right.")
    ] = "viterbi",
    confidence: Annotated[
        bool, typer.Option("--confidence", help="Also write the probability of every label (0 to 1), before it.")
    ] = False,
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="File to write; stdout if -.")] = "-",
) -> None:
    """Tag a corpus or plain text.

    Column files keep their columns and get the label as the last one.
    CoNLL-U gets it in its own column, or in MISC.
    JSONL keeps all keys and gets "tags".
    Text, a sentence a line, becomes columns: word and label.
    A model that cuts words turns unsegmented text into words.
    --confidence comes as a column before the label, as Confidence= in MISC,
    as a list in JSONL.
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
    source = Input.load(file, format_name, columns, notes)
    store(output, Tagging(model, threads, normalise, decoder, confidence).text(source))
    log(*notes)


@dataclass(frozen=True)
class Tagging:
    """How a corpus is to be tagged and written."""

    model: Model
    threads: int = 1
    normalise: str | None = None  # the normal form in which the model reads the text
    decoder: str = "viterbi"
    confidence: bool = False

    def text(self, source: Input) -> str:
        """The input with the model's labels, as text."""
        from tagloom.cli.tagged import with_confidence, writer_for

        corpus = source.read_for(self.model)
        predicted, probabilities = self._predicted(corpus)
        if self.confidence:
            corpus = with_confidence(self.model, corpus, probabilities)
        return writer_for(self.model, corpus)(self.model, corpus, predicted, source.data)

    def _predicted(self, corpus: Corpus) -> tuple[Column, Sequence[float]]:
        if self.normalise is None:
            return self._labels(corpus)
        from tagloom.corpus.normalising import Recut, normal_form

        recut = Recut.of(corpus, normal_form(self.normalise))
        if self.confidence and recut.corpus.token_count != corpus.token_count:
            raise ConfigError("--confidence: normalising changes the number of characters; convert the text first")
        labels, probabilities = self._labels(recut.corpus)
        return recut.restored(labels), probabilities

    def _labels(self, corpus: Corpus) -> tuple[Column, Sequence[float]]:
        if self.confidence:
            labels, probabilities = self.model.confidences(corpus, self.threads, decoder=self.decoder)
            return labels, probabilities.tolist()
        return self.model.tag_corpus(corpus, self.threads, decoder=self.decoder), ()
