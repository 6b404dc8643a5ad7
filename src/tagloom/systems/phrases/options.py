"""Options of training phrase chunkers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from tagloom.errors import ConfigError
from tagloom.features import Source, TemplateSet
from tagloom.systems.options import COLUMN, DATA, FEATURES, TEMPLATES, Row, TrainingOptions
from tagloom.systems.resources import choose_seed

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
_NUMBER = {"metavar": "N", "panel": FEATURES, "shapes_features": True}


@dataclass(frozen=True, kw_only=True, repr=False)
class PhraseOptions(TrainingOptions):
    """Options of training a phrase chunker."""

    noun: ClassVar[str] = "phrase chunker"

    epochs: Annotated[int, Row("Most passes over the data.", low=1, metavar="N")] = 5
    degree: Annotated[
        int, Row("Degree d of the polynomial kernel (x · x' + 1)^d.", low=1, high=MOST_DEGREE, metavar="N")
    ] = 2
    form: Annotated[
        str | None,
        Row("Form of the perceptrons, dual or primal (degrees 1 and 2): the same scores, computed in different ways. "
            "Default: primal at degree 1, else dual.", choices=FORMS, metavar="NAME"),
    ] = None  # fmt: skip
    label: Annotated[
        str | None, Row("Column of the labels that write the phrases. Default: label, or the last column.", **COLUMN)
    ] = None
    scheme: Annotated[
        str | None,
        Row("Label scheme of the training data. Default: detected.", expects="the name of a label scheme",
            metavar="NAME", panel=DATA, shapes_features=True),
    ] = None  # fmt: skip
    templates: Annotated[
        Templates, Row("Templates of words, for the filters. Default: chosen from the columns.", **TEMPLATES)
    ] = None
    around: Annotated[
        Templates, Row("Predicates of single words, [0], that are applied to the words beside a phrase.", **TEMPLATES)
    ] = None
    inside: Annotated[
        Templates, Row("Predicates of single words, [0], that are applied to the words inside a phrase.", **TEMPLATES)
    ] = None
    window: Annotated[
        int,
        Row("Number of words on either side of a phrase that its features look at.", low=0, high=WIDEST, **_NUMBER),
    ] = 3
    longest: Annotated[
        int | None,
        Row("Most words of a phrase. Default: as many as the longest phrase of the training data has.", low=1,
            high=LONGEST, metavar="N", shapes_features=True),
    ] = None  # fmt: skip
    cutoff: Annotated[int, Row("Drop features of words that occur less often.", low=1, high=_UINT32, **_NUMBER)] = 5
    phrase_cutoff: Annotated[
        int | None,
        Row("Drop features of phrases that occur less often. Default: the same as cutoff.", low=1, high=_UINT32,
            **_NUMBER),
    ] = None  # fmt: skip
    resources: Annotated[
        Mapping[str, Source] | None,
        Row(
            "Resources as for taggers. Default: functional words of the training data, and lists of its phrases where "
            "these cover less than half of the words, as entities do; {} for none. The training data sees a random "
            "40 % of such lists.",
            expects="files by name", metavar="NAME=PATH", panel=FEATURES, flag="--resource", shapes_features=True,
        ),
    ] = None  # fmt: skip

    def check(self) -> None:
        """Check that the degree has the form."""
        if self.form == PRIMAL and self.degree > MOST_PRIMAL:
            raise ConfigError(f"form: degree {self.degree} has no primal form; leave it out, or choose degree 1 or 2")

    @property
    def is_dual(self) -> bool:
        """Whether the perceptrons have the dual form."""
        return self.degree > 1 if self.form is None else self.form == DUAL

    @property
    def least_of_phrases(self) -> int:
        """The cutoff of features of phrases."""
        return self.cutoff if self.phrase_cutoff is None else self.phrase_cutoff

    @property
    def feature_seed(self) -> int | None:
        """The seed, if a share of training phrases is drawn for the training data to see, as it is by default."""
        return self.seed if self.resources is None else choose_seed(self.resources, self.seed)

    @property
    def most_epochs(self) -> int:
        """The number of passes after which training ends at the latest."""
        return self.epochs
