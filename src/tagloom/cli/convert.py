"""``tagloom convert``: corpora from one format and label scheme to another."""

from __future__ import annotations

from typing import Annotated

from tagloom.cli.console import log
from tagloom.cli.inputs import require_writable
from tagloom.cli.parameters import Columns, Normalise, argument, flag, option, select_given
from tagloom.corpus import Corpus, open_writer, restore_text, write
from tagloom.corpus.formats import find_format
from tagloom.corpus.io import format_for
from tagloom.corpus.schemes import detect_scheme, get_scheme
from tagloom.corpus.spans import convert_labels
from tagloom.errors import ConfigError
from tagloom.systems.inputs import Input


def convert(
    source: Annotated[str, argument("IN", "Corpus to read; stdin if -.")],
    target: Annotated[str, argument("OUT", "File to write; stdout if -.")],
    from_format: Annotated[
        str | None, option("FORMAT", "Format of IN. Default: guessed from the content.", "--from")
    ] = None,
    to_format: Annotated[
        str | None, option("FORMAT", "Format of OUT. Default: told by its name (x.jsonl), or the format of IN.", "--to")
    ] = None,
    columns: Columns = None,
    normalise: Normalise = None,
    keep: Annotated[str | None, option("NAMES", "Columns to write, in this order. Default: all.")] = None,
    scheme: Annotated[
        str | None, option("NAME", "Label scheme to write: IOB1, IOB2, BIOES, BILOU, BMES or SCN.")
    ] = None,
    label: Annotated[str | None, option("NAME", "Column of the labels. Default: label, or the last.")] = None,
    text: Annotated[
        bool, flag("--text", "Write the running text of a treebank, with its white space and paragraphs.")
    ] = False,
) -> None:
    """Convert a corpus: format, columns, label scheme.

    Formats: conll, conllu, segmented, characters, slashed, crfsuite, jsonl,
    spacy (DocBin), text. Formats that hold a word and a label, or words only, drop the rest.
    An OUT that ends in .gz or .xz is compressed.

    \b
    Examples:
      tagloom convert train.conll train.jsonl
      tagloom convert train.txt train.bioes.txt --scheme BIOES
      tagloom convert en.conllu - --to slashed --keep "form xpos"
      tagloom convert en.conllu en.txt --text
      tagloom convert train.conll train.spacy
    """
    require_writable(target)
    notes: list[str] = []
    corpus = Input(source, from_format, columns, notes, normalise).read()
    if text:
        _write_text(corpus, target, **select_given(to=to_format, keep=keep, scheme=scheme, label=label))
        log(*notes)
        return
    name = label or corpus.label
    if scheme is not None:
        corpus = _convert_labels(corpus, name, scheme)
    written = to_format or format_for(corpus, target)
    write(corpus, target, written, keep or _choose_columns(written, corpus, name))
    log(*notes)


def _write_text(corpus: Corpus, target: str, **given: str) -> None:
    for name in given:
        raise ConfigError(f"--{name}: --text writes running text, which has no columns; leave one of both out")
    with open_writer(target) as writer:
        writer.write(restore_text(corpus).text)


def _convert_labels(corpus: Corpus, label: str, scheme: str) -> Corpus:
    wanted, column = get_scheme(scheme), corpus.column(label)
    found = None if column.is_bag else detect_scheme(column.strings.strings(), column.codes, corpus.sentences)
    if found is None:
        raise ConfigError(f"{corpus.source}: column {label!r} holds no spans: scheme {scheme!r} cannot apply")
    return corpus.with_column(label, convert_labels(column, corpus.sentences, found, wanted))


def _choose_columns(format_name: str, corpus: Corpus, label: str) -> list[str] | None:
    """Choose the columns for formats that hold one or two: the words, and their labels; None for all."""
    width = find_format(format_name).width
    form = "form" if "form" in corpus.columns else corpus.names[0]
    return None if width is None else [form, label][:width]
