"""Non-local features that the core counts: consistency of the spans of a document (kazama-torisawa-2007, section 5).

==================== ====================================================================================
phrase               classes of two consecutive occurrences of a phrase
subphrase            class of a span, and of an occurrence of a part of it elsewhere ("Jordan", "Mike Jordan")
phrase-majority      class of an occurrence of a phrase, and the majority class of its other occurrences
subphrase-majority   class of a span, and the majority class of the longer spans that contain its words
conjunction          classes of neighbours in a list: "in U.S., EU, and Japan"
==================== ====================================================================================

Instead of having a class, an occurrence may be outside of all spans (O), inside a longer span, or cut by a span.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus.corpus import CodeArray
from tagloom.corpus.schemes import Role, Scheme, split_known_labels
from tagloom.errors import unknown_name
from tagloom.features import DocumentRows

FAMILIES = ("phrase", "subphrase", "phrase-majority", "subphrase-majority", "conjunction")  # in the order of the core
#: Words between the members of a list.
JOINING_WORDS = frozenset([",", "and", "or", "&", "/", "und", "oder", "et", "ou", "y", "o", "e", "en"])
_JOINING, _CAPITALISED = 1, 2  # TokenFlag of the core
_OUTSIDE = ("O", "inside", "cut")


def check_families(names: Sequence[str]) -> tuple[str, ...]:
    """Check the names of families, and return them in the order of the core, each once."""
    for name in names:
        if name not in FAMILIES:
            raise unknown_name("document feature", str(name), FAMILIES)
    return tuple(name for name in FAMILIES if name in names)


@dataclass(frozen=True)
class SpanClasses:
    """What labels say about spans: the class of each label, and whether it always begins or ends a span.

    Plain tags count as spans of one token, and each tag is a class.
    """

    names: tuple[str, ...]  # of the classes; the first is outside
    of_label: tuple[int, ...]  # [L] class, 0: outside
    begins: tuple[int, ...]  # [L] 1 if the label always begins a span
    ends: tuple[int, ...]  # [L] 1 if the label always ends a span

    def __repr__(self) -> str:
        return f"SpanClasses({len(self.names)} classes of {len(self.of_label)} labels)"

    @classmethod
    def of(cls, labels: Sequence[str], scheme: Scheme | None) -> SpanClasses:
        """Build the classes of labels in a scheme; None stands for plain tags."""
        if scheme is None:
            count = len(labels)
            return cls(("O", *labels), tuple(range(1, count + 1)), (1,) * count, (1,) * count)
        parts = split_known_labels(labels, np.arange(len(labels), dtype=np.int32), scheme.roles, scheme.name)
        kinds = [label.partition("-")[2] if role != Role.OUTSIDE else None for label, role in zip(labels, parts.roles)]
        names = sorted({kind for kind in kinds if kind is not None})
        starts, stops = (Role.BEGIN, Role.SINGLE), (Role.END, Role.SINGLE) if scheme.closed else ()
        return cls(
            ("O", *names),
            tuple(0 if kind is None else 1 + names.index(kind) for kind in kinds),
            tuple(int(role in starts) for role in parts.roles),
            tuple(int(role in stops) for role in parts.roles),
        )

    @property
    def roles(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Classes, begins and ends, as the core takes them."""
        return self.of_label, self.begins, self.ends

    def feature_names(self) -> list[str]:
        """The names of all rows of the core: family and two classes."""
        statuses = [*self.names, *_OUTSIDE[1:]]
        return [f"{family}={a}|{b}" for family in FAMILIES for a in statuses for b in statuses]


def document_features(
    data: _core.ChainData, classes: SpanClasses, families: Sequence[str],
    words: tuple[CodeArray, _core.StringTable], rows: DocumentRows | None,
) -> _core.NonlocalFeatures:  # fmt: skip
    """Build the features of the sequences of ``data``; ``words`` are the numbers of the words, and their table."""
    codes, table = words
    wanted = [family in families for family in FAMILIES]
    flags = _word_flags(codes, table) if any(wanted) else np.zeros(0, np.uint8)
    return _core.NonlocalFeatures(data, codes, flags, *classes.roles, wanted, rows)


def _word_flags(codes: CodeArray, table: _core.StringTable) -> NDArray[np.uint8]:
    """[N] flags of tokens: whether it joins the members of a list, and whether it can be part of a name."""
    used, index = np.unique(codes, return_inverse=True)
    words = [table[code] for code in used.tolist()]
    joining = np.array([word in JOINING_WORDS for word in words], np.uint8) * _JOINING
    capitalised = np.array([not word[:1].islower() for word in words], np.uint8) * _CAPITALISED
    return (joining | capitalised)[index]
