"""Corpora: columns of tokens in memory, formats that are read and written, label schemes, spans, trees."""

from typing import TYPE_CHECKING

from tagloom._lazy import lazy_names

if TYPE_CHECKING:
    from tagloom.corpus.corpus import Column as Column
    from tagloom.corpus.corpus import Corpus as Corpus
    from tagloom.corpus.feature_dicts import from_feature_dicts as from_feature_dicts
    from tagloom.corpus.formats import FORMATS as FORMATS
    from tagloom.corpus.formats import Format as Format
    from tagloom.corpus.formats import get_format as get_format
    from tagloom.corpus.formats.surface import RestoredText as RestoredText
    from tagloom.corpus.formats.surface import restore_text as restore_text
    from tagloom.corpus.guess import Guess as Guess
    from tagloom.corpus.guess import guess_format as guess_format
    from tagloom.corpus.io import open_writer as open_writer
    from tagloom.corpus.io import read as read
    from tagloom.corpus.io import read_batches as read_batches
    from tagloom.corpus.io import to_string as to_string
    from tagloom.corpus.io import write as write
    from tagloom.corpus.layers import Layer as Layer
    from tagloom.corpus.objects import from_hf as from_hf
    from tagloom.corpus.objects import from_sentences as from_sentences
    from tagloom.corpus.objects import from_spans as from_spans
    from tagloom.corpus.objects import rows_to_corpus as rows_to_corpus
    from tagloom.corpus.objects import to_corpus as to_corpus
    from tagloom.corpus.schemes import SCHEMES as SCHEMES
    from tagloom.corpus.schemes import Scheme as Scheme
    from tagloom.corpus.schemes import check_labels as check_labels
    from tagloom.corpus.schemes import detect_scheme as detect_scheme
    from tagloom.corpus.schemes import find_allowed_transitions as find_allowed_transitions
    from tagloom.corpus.schemes import get_scheme as get_scheme
    from tagloom.corpus.spans import Spans as Spans
    from tagloom.corpus.spans import convert_labels as convert_labels
    from tagloom.corpus.spans import decode_spans as decode_spans
    from tagloom.corpus.spans import label_spans as label_spans
    from tagloom.corpus.trees import Trees as Trees
    from tagloom.corpus.trees import add_trees as add_trees
    from tagloom.corpus.trees import read_trees as read_trees

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "tagloom.corpus.corpus": ("Column", "Corpus"),
        "tagloom.corpus.feature_dicts": ("from_feature_dicts",),
        "tagloom.corpus.formats": ("FORMATS", "Format", "get_format"),
        "tagloom.corpus.formats.surface": ("RestoredText", "restore_text"),
        "tagloom.corpus.guess": ("Guess", "guess_format"),
        "tagloom.corpus.io": ("open_writer", "read", "read_batches", "to_string", "write"),
        "tagloom.corpus.layers": ("Layer",),
        "tagloom.corpus.schemes": (
            "SCHEMES",
            "Scheme",
            "find_allowed_transitions",
            "check_labels",
            "detect_scheme",
            "get_scheme",
        ),
        "tagloom.corpus.spans": ("Spans", "convert_labels", "label_spans", "decode_spans"),
        "tagloom.corpus.objects": ("from_hf", "from_sentences", "from_spans", "rows_to_corpus", "to_corpus"),
        "tagloom.corpus.trees": ("Trees", "read_trees", "add_trees"),
    },
)
