"""``tagloom tag``: labels, spans or trees for a corpus or for running text, as it arrives."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from tagloom.cli.console import log
from tagloom.cli.inputs import note_undivided, open_tokenizer, prefer_columns, require_writable
from tagloom.cli.options import read_search
from tagloom.cli.outputs import BRAT, HTML, Writer, check_output, choose_writer, note_standoff
from tagloom.cli.parameters import Columns, Format, ModelFile, Ray, Threads, TokenizerName, argument, flag, option
from tagloom.cli.progress import show_parts
from tagloom.corpus import Corpus, open_writer
from tagloom.corpus.formats import WORDS
from tagloom.corpus.streams import Content
from tagloom.errors import ConfigError
from tagloom.systems import base
from tagloom.systems.annotator import Annotator
from tagloom.systems.file import load
from tagloom.systems.inputs import Input
from tagloom.systems.options import MOST_CANDIDATES, check_whole_number

TEXT = WORDS.name


def tag(
    model_file: ModelFile,
    file: Annotated[str, argument("FILE|-", "Corpus or text to tag; stdin if - or left out.")] = "-",
    format_name: Format = None,
    columns: Columns = None,
    threads: Threads = 1,
    confidence: Annotated[
        bool, flag("--confidence", "Also write the probability of every label (0 to 1), before it.")
    ] = False,
    nbest: Annotated[
        int | None, option("N", "Write the N best labellings with their scores (1 to 100,000), best first.")
    ] = None,
    text: Annotated[
        bool,
        flag("--text", "The input is running text, as with --format text. Default on a terminal, and for most .txt."),
    ] = False,
    tokenizer: TokenizerName = None,
    to: Annotated[
        str | None,
        option("NAME", "Format of the output: conll, jsonl, conllu, spacy, brat or html. Default: that of the input."),
    ] = None,
    output: Annotated[str, option("FILE", "File to write; stdout if -.", "--output", "-o")] = "-",
    ray: Ray = None,
    **given: Any,
) -> None:
    """Tag, or parse, a corpus or running text.

    Input is read and written piece by piece: memory does not grow with it, and
    what comes through a pipe is written as soon as a sentence is complete.
    Running text is cut by the tokenizer of the model, line by line, or by
    paragraphs if its beginning has blank lines; --tokenizer whitespace takes
    text that is tokenised already, with one sentence per line.
    Text becomes columns: word and label. It becomes CoNLL-U if the model makes
    trees, several columns of CoNLL-U, or tokens only. On a terminal it is shown
    in colours (not if NO_COLOR is set).
    --to jsonl writes one object per line or paragraph of text, with sentences,
    tokens and spans and the characters at which they begin and end.
    --to brat writes standoff annotation: name the output like the text, with
    .ann for .txt. --to html writes one page that needs no other file.
    Column files keep their columns and get the label as the last one.
    CoNLL-U gets it in its own column, or in MISC.
    JSONL keeps all keys and gets "tags", and "spans" where labels write spans:
    of characters if there is a "text", otherwise of tokens. Records with a
    "text" get the "offsets" of their tokens, too.
    A model that cuts words turns unsegmented text into words.
    A parser writes heads and relations in their columns of CoNLL-U; as last
    columns of column files; as "heads" and "relations" of JSONL. Columns that
    models within the file provide stand before them, unless --columns names
    them: those are read.
    --confidence comes as a column before the label, as Confidence= in MISC,
    as a list in JSONL, as score of tokens and spans.
    --nbest writes every sentence N times, each after a line
    "# RANK SCORE [PROBABILITY]" (RANK from 0; CoNLL-U: "# nbest = ..."), and
    JSONL gets a list "nbest". Models of documents rank whole documents. A model
    with a re-ranker writes the order and the scores of its re-ranker.
    A model that was trained with --normalise reads normalised words; the text
    is written as it was.
    --ray tags parts of FILE on several workers, which must see it. Finished
    parts are kept in a folder beside the output, its name with .parts added,
    until all are there: the same command goes on.

    \b
    Examples:
      tagloom tag chunks.tagloom test.txt -o tagged.txt
      echo "The dog sleeps." | tagloom tag pos.tagloom
      tagloom tag ner.tagloom letter.txt --to jsonl -o letter.jsonl
      tagloom tag ner.tagloom letter.txt --to html -o letter.html
      tagloom tag pos.tagloom test.txt | tagloom eval -
      tagloom tag ner.tagloom test.txt --nbest 5
      tagloom tag en.pipeline raw.txt --to conllu -o en.conllu
    """
    require_writable(output, [model_file, None if file == "-" else file])
    if nbest is not None:
        check_whole_number("--nbest", nbest, 1, MOST_CANDIDATES)
        for other in [*(f"--{name}" for name in given), *["--confidence"] * confidence]:
            raise ConfigError(f"--nbest: does not go with {other}; leave one of them out")
    check_output(to)
    if text and format_name not in (None, TEXT):
        raise ConfigError(f"--text: does not go with --format {format_name}; leave one of them out")
    notes: list[str] = []
    model = prefer_columns(load(model_file), columns, notes)
    annotator = Annotator(model, threads, read_search(given, model, model_file), confidence, nbest, to)
    _check(annotator)
    is_typed = file == "-" and sys.stdin is not None and sys.stdin.isatty()
    if text or (format_name is None and (is_typed or model.is_tokenizer)):
        format_name = TEXT
    source = Input(file, format_name, columns, notes, tokenizer=open_tokenizer(tokenizer), keeps_text=to is not None)
    if ray is not None:
        _tag_on_cluster(annotator, source, output, ray)
        return
    with open_writer(output) as writer:
        for piece in _write(annotator, source, choose_writer(to, output, file)):
            writer.write(piece)
    log(*(note_standoff(output, file) if to == BRAT else []))


def _tag_on_cluster(annotator: Annotator, source: Input, output: str, ray: str) -> None:
    """Tag parts of a file into a folder beside the output, and join them."""
    if "-" in (source.path, output):
        raise ConfigError("--ray: workers read and write files; name them, and the output with -o")
    from tagloom.scale.tagging import join_parts, tag_files

    with show_parts(source.notes) as show:
        found = tag_files(annotator, source, Path(f"{output}.parts"), ray, show)
    join_parts(found, output)


def _check(annotator: Annotator) -> None:
    """Refuse what the model cannot do."""
    model, to = annotator.model, annotator.to
    if model.reads.bags and to not in (None, "conll"):
        raise ConfigError(f"--to {to}: this model reads attributes, which are no words; leave it out")
    if annotator.confidence:
        model.require(base.CONFIDENCE, "--confidence")
    if annotator.nbest is not None:
        model.require(base.NBEST, "--nbest")
        if to in (BRAT, HTML):
            raise ConfigError(f"--nbest: does not go with --to {to}; leave one of them out")


def _write(annotator: Annotator, source: Input, writer: Writer) -> Iterator[Content]:
    """Write everything that the model makes of the input, with notes on stderr."""
    batches = _watch(annotator, source)
    if annotator.nbest is None:
        return writer(annotator.annotate(batch) for batch in batches)
    return map(annotator.write, batches)


def _watch(annotator: Annotator, source: Input) -> Iterator[Corpus]:
    """Read batches; notes follow when the first one has been written."""
    has_documents, name, told = False, source.path, 0
    for number, batch in enumerate(source.stream_for(annotator.model)):
        yield batch
        has_documents, name = has_documents or batch.has_documents, batch.source
        if number == 0:  # the input can be read and tagged, so notes about it can be printed
            log(*source.notes, *annotator.list_notes())
            told = len(source.notes)
    log(*source.notes[told:], *note_undivided(annotator.model, name, has_documents=has_documents))
