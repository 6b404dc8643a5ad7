"""The tags that a parser reads: their column, and how they are predicted."""

from __future__ import annotations

import numpy as np

from tagloom.corpus import Corpus
from tagloom.corpus.trees import NOTHING
from tagloom.errors import ConfigError, DataError
from tagloom.systems.line import Provision
from tagloom.systems.parser.options import ParserOptions

_FOLDS = 10
_TAG_COLUMNS = ("upos", "pos", "xpos")
#: The tagger of a parser, unless options say otherwise (chosen on the development data of UD English EWT).
TAGGER = {"templates": "pos-affixes", "learner": "lookahead-perceptron", "depth": 2, "C": 40.0, "epochs": 15}


def find_tag_column(corpus: Corpus, options: ParserOptions) -> str:
    """Find the column of the tags."""
    names = [name for name in _TAG_COLUMNS if name in corpus.columns] if options.tag is None else [options.tag]
    if not names:
        raise ConfigError(
            f"{corpus.source}: a parser needs a column of part-of-speech tags ({', '.join(_TAG_COLUMNS)}), found: "
            f"{' '.join(corpus.names)}; name it with tag"
        )
    found = next((name for name in names if _is_filled(corpus, name)), None)
    if found is None:
        raise DataError(f"{corpus.source}: {' and '.join(names)}: no tags, {NOTHING!r} only; name a column with tag")
    return found


def _is_filled(corpus: Corpus, name: str) -> bool:
    """Tell whether a column holds more than placeholders."""
    column = corpus.column(name)
    return column.is_bag or bool(np.any(column.codes != column.strings.find(NOTHING)))


def provide_tags(corpus: Corpus, tag: str, options: ParserOptions) -> Provision:
    """Say how the tags of a parser are predicted."""
    if len(corpus) < 2:
        raise DataError(f"{corpus.source}: {len(corpus)} sentence, too few to predict tags; pass tags='gold'")
    learning = {
        **({} if "learner" in options.tagger else TAGGER), "seed": options.seed, "attributes": options.attributes,
        "sentence_attributes": options.sentence_attributes,
        "document_attributes": options.document_attributes, **options.tagger,
    }  # fmt: skip
    return Provision(tag, options=learning, folds=options.tag_folds or _FOLDS)
