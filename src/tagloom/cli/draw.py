"""``tagloom draw``: dependency trees as text or SVG."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable
from typing import Annotated

from tagloom.cli.console import hide_controls, log, put
from tagloom.cli.inputs import is_model_file, require_writable, split_sentences
from tagloom.cli.parameters import Columns, Format, argument, flag, option, select_given
from tagloom.corpus import Corpus, read_trees
from tagloom.corpus.layers import HEADS, RELATIONS, TAGS
from tagloom.corpus.objects import rows_to_corpus
from tagloom.corpus.streams import store
from tagloom.errors import ConfigError, DataError
from tagloom.report import build_sentence_tree
from tagloom.systems.file import load
from tagloom.systems.inputs import Input
from tagloom.text import SentenceTree, draw_tree_svg, draw_tree_text


def draw(
    source: Annotated[str, argument("FILE|PARSER", "Corpus with trees, such as CoNLL-U (stdin if -), or a parser.")],
    text: Annotated[
        str | None, argument("SENTENCE", "After a parser: the text to parse and draw; word/POS if it reads tags.")
    ] = None,
    sentence: Annotated[
        int | None, option("N", "Number of the sentence to draw, from 1. Default: all sentences.")
    ] = None,
    svg: Annotated[str | None, option("OUT", "Write one sentence as SVG to this file; stdout if -.")] = None,
    style: Annotated[
        str | None, option("NAME", "arcs or indented. Default: arcs, unless they are wider than the terminal.")
    ] = None,
    plain: Annotated[bool, flag("--ascii", "Draw with ASCII characters.")] = False,
    tags: Annotated[str | None, option("NAME", "Column of the tags to show. Default: upos, xpos, pos or tag.")] = None,
    format_name: Format = None,
    columns: Columns = None,
) -> None:
    """Draw dependency trees.

    Heads are read from the column head and relations from deprel, as in
    CoNLL-U; name the columns of other files with --columns.

    \b
    Examples:
      tagloom draw en.conllu --sentence 3
      tagloom draw en.conllu --sentence 3 --svg tree.svg
      tagloom draw wsj.dep.tsv --columns "form pos head" | less
      tagloom draw en.parser "The dog sleeps." --svg tree.svg
    """
    if svg is not None:
        require_writable(svg, [source])
    notes: list[str] = []
    if is_model_file(source):
        of_files = select_given(sentence=sentence, tags=tags, format=format_name, columns=columns)
        drawn = _parse(source, text, of_files)
        if svg is not None and len(drawn) > 1:
            raise ConfigError(f"--svg draws one sentence, the text has {len(drawn)}; pass one")
    else:
        if text is not None:
            raise ConfigError(
                f"{source} is not a model: a sentence needs a parser; choose a sentence with --sentence N"
            )
        corpus = Input(source, format_name, columns, notes).read()
        chosen, trees = _choose(corpus, sentence, svg), read_trees(corpus)
        drawn = [build_sentence_tree(corpus, trees, index, tags) for index in chosen]
    if svg is not None:
        store(svg, draw_tree_svg(drawn[0]))
    else:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        put(hide_controls("\n\n".join(draw_tree_text(tree, style, width=width, plain=plain) for tree in drawn)))
    log(*notes)


def _parse(path: str, text: str | None, of_files: Iterable[str]) -> list[SentenceTree]:
    """Parse the sentences of a text with a model that makes trees."""
    model = load(path)
    columns = {layer.kind: layer.column for layer in model.layers}
    if HEADS not in columns:
        raise ConfigError(f"{path}: a {model.noun} makes no trees; name a parser to draw a sentence")
    for name in of_files:
        raise ConfigError(f"--{name} is for files with trees, {path} is a {model.noun}; leave it out")
    if text is None:
        raise ConfigError(f"{path} is a {model.noun}; pass the sentence to draw, too")
    corpus = model.annotate(rows_to_corpus(split_sentences(model, text), model.columns))
    trees = read_trees(corpus, columns[HEADS], columns.get(RELATIONS))
    tags = next((layer.column for layer in model.layers if layer.kind == TAGS), None)
    return [build_sentence_tree(corpus, trees, number, tags) for number in range(len(corpus))]


def _choose(corpus: Corpus, sentence: int | None, svg: str | None) -> range:
    """Choose the sentences to draw, counted from 0."""
    if sentence is not None:
        if not 1 <= sentence <= len(corpus):
            raise DataError(f"{corpus.source}: no sentence {sentence}; it has sentences 1 to {len(corpus)}")
        return range(sentence - 1, sentence)
    if svg is not None and len(corpus) > 1:
        raise ConfigError(f"--svg draws one sentence, {corpus.source} has {len(corpus)}; choose with --sentence N")
    return range(len(corpus))
