"""Sentences of a corpus with trees, as ``tagloom.text`` draws them."""

from __future__ import annotations

from tagloom.arguments import check_arguments
from tagloom.corpus import Corpus, Trees
from tagloom.text import SentenceTree
from tagloom.text.trees import TAG_COLUMNS


@check_arguments
def build_sentence_tree(corpus: Corpus, trees: Trees, index: int, tags: str | None = None) -> SentenceTree:
    """Build sentence ``index`` (from 0) of a corpus.

    Args:
        corpus: The words and tags.
        trees: The heads and relations.
        index: Number of the sentence, from 0.
        tags: Column of the tags; if None the first of upos, xpos, pos and tag that there is.
    """
    form = "form" if "form" in corpus.columns else corpus.names[0]
    column = tags or next((name for name in TAG_COLUMNS if name in corpus.columns), None)
    return SentenceTree.of(
        corpus.sentence(index, form),
        trees.heads_of(index),
        trees.relations_of(index) or (),
        corpus.sentence(index, column) if column else (),
    )
