"""PhraseOptions: the choices of training a phrase chunker, with their defaults and checks."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from tagloom.errors import ConfigError, unknown_name
from tagloom.features import Source, TemplateSet
from tagloom.features.attributes import SentenceFunction, WordFunction
from tagloom.systems.numbers import MOST_THREADS, check_whole_number

DUAL, PRIMAL = "dual", "primal"
FORMS = {
    DUAL: "any degree: an index of the training instances that moved a perceptron",
    PRIMAL: "degrees 1 and 2: a weight for every feature, and for every pair of features that occurs",
}
MOST_DEGREE = 5
MOST_PRIMAL = 2  # degree
LONGEST = 1000  # words of a phrase
WIDEST = 100  # words on a side of a phrase
_UINT32 = 2**32 - 1

Templates = str | os.PathLike[str] | TemplateSet | None

# name: least, most
_WHOLE_NUMBERS: Mapping[str, tuple[int, int | None]] = {
    "degree": (1, MOST_DEGREE),
    "epochs": (1, None),
    "patience": (1, None),
    "window": (0, WIDEST),
    "cutoff": (1, _UINT32),
    "seed": (0, None),
    "threads": (1, MOST_THREADS),
}
_MAY_BE_NONE: Mapping[str, tuple[int, int | None]] = {"longest": (1, LONGEST), "phrase_cutoff": (1, _UINT32)}
_TEMPLATES = ("templates", "around", "inside")
# name: its types, in words
_TYPES: Mapping[str, tuple[tuple[type, ...], str]] = {
    **dict.fromkeys(_TEMPLATES, ((str, os.PathLike, TemplateSet, type(None)), "a name, a file or template text")),
    "label": ((str, type(None)), "the name of a column"),
    "scheme": ((str, type(None)), "the name of a label scheme"),
    "attributes": ((Mapping,), "functions by name"),
    "sentence_attributes": ((Mapping,), "functions by name"),
    "resources": ((Mapping, type(None)), "files by name"),
}


@dataclass(frozen=True)
class PhraseOptions:
    """What :func:`tagloom.train_phrases` takes by keyword.

    degree: of the polynomial kernel (x · x' + 1)^degree, 1 to 5. form: "dual" or "primal" (degrees 1 and 2): the same
        scores, computed otherwise; primal at degree 1, else dual, if None.
    templates: features of words, for the filters. around, inside: predicates of one word each ([0]), of the words
        beside a phrase with their places, and of the words in it without; chosen from the columns if None.
    window: words on either side of a phrase that ``around`` looks at. longest: words of a phrase; if None, as many as
        the longest of the training data has.
    cutoff: drop features of words seen less often; phrase_cutoff: of phrases, the same if None.
    resources: by name, as for :func:`tagloom.train`; if None, functional words of the training data, and lists of its
        phrases where these cover less than half of the words, as entities do (``{}`` for none). Of such lists the
        training data sees a random 40 %.
    label, scheme: column of the labels, and the scheme that writes phrases in it; detected if None.
    """

    degree: int = 2
    form: str | None = None
    epochs: int = 5
    patience: int = 5
    longest: int | None = None
    window: int = 3
    cutoff: int = 5
    phrase_cutoff: int | None = None
    seed: int = 1
    threads: int = 1
    templates: Templates = None
    around: Templates = None
    inside: Templates = None
    label: str | None = None
    scheme: str | None = None
    attributes: Mapping[str, WordFunction] = field(default_factory=dict)
    sentence_attributes: Mapping[str, SentenceFunction] = field(default_factory=dict)
    resources: Mapping[str, Source] | None = None

    def __post_init__(self) -> None:
        for name, limits in _WHOLE_NUMBERS.items():
            check_whole_number(name, getattr(self, name), *limits)
        for name, limits in _MAY_BE_NONE.items():
            if getattr(self, name) is not None:
                check_whole_number(name, getattr(self, name), *limits)
        for name, (types, expected) in _TYPES.items():
            if not isinstance(getattr(self, name), types):
                raise ConfigError(f"{name}: expected {expected}, got {getattr(self, name)!r}")
        if self.form is not None and str(self.form) not in FORMS:
            raise unknown_name("form of the perceptrons", str(self.form), FORMS)
        if self.form == PRIMAL and self.degree > MOST_PRIMAL:
            raise ConfigError(f"form: degree {self.degree} has no primal form; leave it out, or take degree 1 or 2")

    @property
    def is_dual(self) -> bool:
        return self.degree > 1 if self.form is None else self.form == DUAL

    @property
    def least_of_phrases(self) -> int:
        return self.cutoff if self.phrase_cutoff is None else self.phrase_cutoff

    @property
    def most_epochs(self) -> int:
        return self.epochs


def checked_phrase_options(options: Mapping[str, object]) -> PhraseOptions:
    unknown = set(options) - set(PhraseOptions.__dataclass_fields__)
    if unknown:
        raise unknown_name("option of a phrase chunker", min(unknown), PhraseOptions.__dataclass_fields__)
    return PhraseOptions(**options)  # type: ignore[arg-type]
