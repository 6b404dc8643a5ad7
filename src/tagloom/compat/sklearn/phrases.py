"""PhraseClassifier: chunks and entities as wholes, by a phrase chunker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tagloom.compat.sklearn.base import SequenceEstimator
from tagloom.compat.sklearn.parameters import build_signature

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from tagloom.compat.sklearn.keywords import PhraseParameters
    from tagloom.systems.phrases.model import PhraseChunker


class PhraseClassifier(SequenceEstimator):
    """Recognises phrases as wholes, with features of phrases: chunks, entities.

    X is words or tuples, and y labels that write phrases, such as IOB2. The parameters are the options of phrase
    chunkers, listed in docs/options.md, and those below.

    Args:
        columns: Names of the columns of tuples, such as ``"form pos"``; of data frames, which columns to read.
        normalise: Unicode normal form of the words, NFC or NFKC.
        scoring: What ``score`` returns: a name in ``METRICS``, such as "span_f1", or a function of labels.
        **parameters: Options of phrase chunkers.

    Attributes:
        model_: The :class:`tagloom.PhraseChunker`.
        classes_: The labels, ascending.

    Examples:
        >>> classifier = PhraseClassifier(cutoff=1, scoring="span_f1")
        >>> classifier.fit([["in", "Bonn", "today"]], [["O", "B-LOC", "O"]]).predict_spans([["in", "Bonn", "today"]])
        array([list([(1, 2, 'LOC')])], dtype=object)
    """

    system = "phrases"
    model_: PhraseChunker

    def __init__(self, **parameters: Unpack[PhraseParameters]) -> None:
        self._store(parameters)


PhraseClassifier.__init__.__signature__ = build_signature("phrases")  # type: ignore[attr-defined]
