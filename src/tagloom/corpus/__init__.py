"""Corpora: columns of tokens in memory, readers and writers, label schemes, spans, trees."""

from typing import TYPE_CHECKING

from tagloom._lazy import lazy_names

if TYPE_CHECKING:
    from tagloom.corpus.corpus import Column as Column
    from tagloom.corpus.corpus import Corpus as Corpus
    from tagloom.corpus.formats import FORMATS as FORMATS
    from tagloom.corpus.formats import Format as Format
    from tagloom.corpus.guess import Guess as Guess
    from tagloom.corpus.guess import guess_format as guess_format
    from tagloom.corpus.objects import from_hf as from_hf
    from tagloom.corpus.objects import from_sentences as from_sentences
    from tagloom.corpus.reading import read as read
    from tagloom.corpus.schemes import (
        SCHEMES as SCHEMES,
    )
    from tagloom.corpus.schemes import (
        Scheme as Scheme,
    )
    from tagloom.corpus.schemes import (
        allowed_transitions as allowed_transitions,
    )
    from tagloom.corpus.schemes import (
        check_labels as check_labels,
    )
    from tagloom.corpus.schemes import (
        detect_scheme as detect_scheme,
    )
    from tagloom.corpus.schemes import (
        scheme_named as scheme_named,
    )
    from tagloom.corpus.spans import (
        Spans as Spans,
    )
    from tagloom.corpus.spans import (
        convert_labels as convert_labels,
    )
    from tagloom.corpus.spans import (
        labels_from_spans as labels_from_spans,
    )
    from tagloom.corpus.spans import (
        spans_from_labels as spans_from_labels,
    )
    from tagloom.corpus.trees import Trees as Trees
    from tagloom.corpus.trees import trees_of as trees_of
    from tagloom.corpus.trees import with_trees as with_trees
    from tagloom.corpus.writing import to_string as to_string
    from tagloom.corpus.writing import write as write

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "tagloom.corpus.corpus": ("Column", "Corpus"),
        "tagloom.corpus.formats": ("FORMATS", "Format"),
        "tagloom.corpus.guess": ("Guess", "guess_format"),
        "tagloom.corpus.objects": ("from_hf", "from_sentences"),
        "tagloom.corpus.reading": ("read",),
        "tagloom.corpus.schemes": (
            "SCHEMES",
            "Scheme",
            "allowed_transitions",
            "check_labels",
            "detect_scheme",
            "scheme_named",
        ),
        "tagloom.corpus.spans": ("Spans", "convert_labels", "labels_from_spans", "spans_from_labels"),
        "tagloom.corpus.trees": ("Trees", "trees_of", "with_trees"),
        "tagloom.corpus.writing": ("to_string", "write"),
    },
)
