"""``tagloom tag``: labels, or trees, for a corpus or for plain text, in the format of the input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tagloom.cli.console import log
from tagloom.cli.inputs import Input, undivided_note
from tagloom.cli.options import Beam, Candidates, Columns, Depth, Format, ModelFile, Normalise, Threads
from tagloom.cli.outputs import require_writable
from tagloom.errors import ConfigError

if TYPE_CHECKING:
    from tagloom.cli.recognised import Recognising
    from tagloom.corpus import Column, Corpus
    from tagloom.corpus.normalise import Recut
    from tagloom.systems import Model


def tag(
    model_file: ModelFile,
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="Corpus or text to tag; stdin if - or left out.")] = "-",
    format_name: Format = None,
    columns: Columns = None,
    normalise: Normalise = None,
    threads: Threads = 1,
    decoder: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="viterbi: the best sequence; posterior: the most labels expected right; rescored: the best candidate "
            "by features of documents, the default of models that have them; lookahead, beam: label by label, the "
            "default of history-based models; reranked: what a re-ranker chooses, the default of models that have one.",
        ),
    ] = None,
    candidates: Candidates = None,
    depth: Depth = None,
    beam: Beam = None,
    confidence: Annotated[
        bool, typer.Option("--confidence", help="Also write the probability of every label (0 to 1), before it.")
    ] = False,
    nbest: Annotated[
        int | None,
        typer.Option(metavar="N", help="Write the N best labellings with their scores (1 to 100,000), best first."),
    ] = None,
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="File to write; stdout if -.")] = "-",
) -> None:
    """Tag, or parse, a corpus or plain text.

    Column files keep their columns and get the label as the last one.
    CoNLL-U gets it in its own column, or in MISC.
    JSONL keeps all keys and gets "tags".
    Text, a sentence a line, becomes columns: word and label.
    A model that cuts words turns unsegmented text into words.
    --confidence comes as a column before the label, as Confidence= in MISC,
    as a list in JSONL.
    --nbest writes every sentence N times, each after a line
    "# RANK SCORE [PROBABILITY]" (RANK from 0; CoNLL-U: "# nbest = ..."), JSONL
    gets a list "nbest". Models of documents rank whole documents. Probabilities
    come from CRFs. Of a reranked model order and scores are its re-ranker's.
    Read again, every copy is a sentence.
    A parser writes trees: heads and relations in their columns of CoNLL-U,
    which text becomes, too; as last columns of column files; as "heads" and
    "relations" of JSONL. Tags that it predicts stand before them.
    A phrase chunker writes labels like a tagger; JSONL gets "spans", too: of
    characters where there is a "text", else of tokens.
    With --normalise the model reads normalised words; the text is written
    as it was.

    \b
    Examples:
      tagloom tag chunks.tagloom test.txt -o tagged.txt
      echo "The dog sleeps ." | tagloom tag pos.tagloom
      tagloom tag pos.tagloom test.txt | tagloom eval -
      tagloom tag ner.tagloom test.txt --nbest 5
      echo "The dog sleeps ." | tagloom tag en.parser
    """
    from tagloom.corpus.streams import store
    from tagloom.systems import Model, Parser, open_model

    require_writable(output, [model_file, None if file == "-" else file])
    of_labels = {"--confidence": confidence, "--decoder": decoder, "--candidates": candidates}
    if nbest is not None:
        _require_nbest(nbest, {**of_labels, "--depth": depth, "--beam": beam})
    model = open_model(model_file)
    notes: list[str] = []
    search: dict[str, Any] = {"depth": depth, "beam": beam}
    if isinstance(model, Parser):
        from tagloom.cli.parsed import Parsing

        _refuse(model_file, "parser", {"--nbest": nbest, **of_labels})
        work: Parsing | Recognising | Tagging = Parsing(model, threads, normalise, search)
    elif not isinstance(model, Model):
        from tagloom.cli.recognised import Recognising

        others = {f"--{name}": value for name, value in search.items()}
        _refuse(model_file, "phrase chunker", {"--nbest": nbest, **of_labels, **others})
        work = Recognising(model, threads, normalise)
    else:
        search |= {"decoder": decoder, "candidates": candidates}
        work = Tagging(model, threads, normalise, search, confidence, nbest)
    store(output, work.text(Input.load(file, format_name, columns, notes)))
    log(*notes)


def _refuse(path: str, noun: str, options: dict[str, object]) -> None:
    for option, value in options.items():
        if value is not None and value is not False:
            raise ConfigError(f"{option} is for labels, {path} is a {noun}; leave it out")


def _require_nbest(n: int, others: dict[str, object]) -> None:
    from tagloom.systems.checks import MOST_CANDIDATES, check_whole_number

    check_whole_number("--nbest", n, 1, MOST_CANDIDATES)
    for option, value in others.items():
        if value is not None and value is not False:
            raise ConfigError(f"--nbest: does not go with {option}; leave one of them out")


@dataclass(frozen=True)
class Tagging:
    """How a corpus is to be tagged and written."""

    model: Model
    threads: int = 1
    normalise: str | None = None  # the normal form in which the model reads the text
    search: Mapping[str, Any] = field(default_factory=dict)  # decoder, candidates, depth, beam; None: the model's own
    confidence: bool = False
    nbest: int | None = None

    def text(self, source: Input) -> str:
        """The input with the model's labels, as text."""
        from tagloom.cli.tagged import with_confidence, writer_for

        corpus = source.read_for(self.model)
        source.notes.extend(undivided_note(self.model, corpus))
        if self.nbest is not None:
            return self._nbest(corpus, self.nbest, source.data)
        predicted, probabilities = self._predicted(corpus)
        if self.confidence:
            corpus = with_confidence(self.model, corpus, probabilities)
        return writer_for(self.model, corpus)(self.model, corpus, predicted, source.data)

    def _nbest(self, corpus: Corpus, n: int, data: bytes) -> str:
        from tagloom.cli.nbest import nbest_text, require_place

        require_place(self.model, corpus)
        read = corpus if self.normalise is None else self._recut(corpus, self.normalise, "--nbest").corpus
        return nbest_text(self.model, corpus, self.model.nbest_corpus(read, n, self.threads), data)

    def _recut(self, corpus: Corpus, normalise: str, option: str | None) -> Recut:
        """The text as the model reads it; with an option that needs it, token for token."""
        from tagloom.corpus.normalise import Recut, normal_form

        recut = Recut.of(corpus, normal_form(normalise))
        if option is not None and recut.corpus.token_count != corpus.token_count:
            raise ConfigError(f"{option}: normalising changes the number of characters; convert the text first")
        return recut

    def _predicted(self, corpus: Corpus) -> tuple[Column, Sequence[float]]:
        if self.normalise is None:
            return self._labels(corpus)
        recut = self._recut(corpus, self.normalise, "--confidence" if self.confidence else None)
        labels, probabilities = self._labels(recut.corpus)
        return recut.restored(labels), probabilities

    def _labels(self, corpus: Corpus) -> tuple[Column, Sequence[float]]:
        if self.confidence:
            labels, found = self.model.confidences(corpus, self.threads, **self.search)
            return labels, found.tolist()
        return self.model.tag_corpus(corpus, self.threads, **self.search), ()
