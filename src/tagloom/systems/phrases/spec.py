"""PhraseSpec: every choice behind a phrase chunker, as one frozen value that is written into its file as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from tagloom.corpus.schemes import SCHEMES, Scheme, get_scheme
from tagloom.evaluate import Signature
from tagloom.features.stored_templates import Templates
from tagloom.schema import Field, Misfit
from tagloom.systems.phrases.options import DUAL, FORMS, LONGEST, MOST_DEGREE, MOST_PRIMAL, PRIMAL, WIDEST
from tagloom.systems.spec import Spec


@dataclass(frozen=True, kw_only=True, repr=False)
class PhraseSpec(Spec):
    """What a chunker was made of and from. Categories, vectors and word lists stand beside it, as arrays."""

    system: ClassVar[str] = "phrases"

    templates: Templates
    around: Templates
    inside: Templates
    label: Annotated[str, Field("Name of the label column.")]
    written_scheme: Annotated[str, Field("Scheme of the labels that it reads and writes.", choices=tuple(SCHEMES))]
    degree: Annotated[int, Field("Degree of the polynomial kernel.", 1, MOST_DEGREE)]
    form: Annotated[str, Field("Form of the perceptrons in training; primal up to degree 2.", choices=FORMS)]
    window: Annotated[int, Field("Words around a phrase that its features see.", 0, WIDEST)]
    longest: Annotated[int, Field("Most words of a phrase.", 1, LONGEST)]
    cutoff: Annotated[int, Field("Times that a feature of words had to occur.", low=0)]
    phrase_cutoff: Annotated[int, Field("Times that a feature of phrases had to occur.", low=0)]

    @property
    def is_dual(self) -> bool:
        """Whether the perceptrons have the dual form."""
        return self.form == DUAL

    @property
    def written(self) -> Scheme:
        """The scheme of the labels."""
        return get_scheme(self.written_scheme)

    @property
    def signature(self) -> Signature:
        """The line that goes with every score of the model."""
        numbers = {"degree": self.degree, "window": self.window, "longest": self.longest,
                   "cutoff": self.cutoff, "phrase_cutoff": self.phrase_cutoff}  # fmt: skip
        return Signature(
            system=self.system,
            learner=",".join(["voted-perceptron", *(f"{name}={number}" for name, number in numbers.items())]),
            passes=self.best_epoch or None,
            templates=self.templates.name,
            seed=self.seed,
            data=self.data,
            version=self.version,
        )

    def check(self) -> None:
        """Raise :class:`Misfit` for values that do not fit each other."""
        super().check()
        if self.form == PRIMAL and self.degree > MOST_PRIMAL:
            raise Misfit("spec.form", f"{DUAL} above degree {MOST_PRIMAL}", self.form)
