"""PhraseSpec: every choice behind a phrase chunker, as one frozen value that is written into its file as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from tagloom.corpus.schemes import Scheme, get_scheme
from tagloom.evaluate import Signature
from tagloom.features import TemplateSet
from tagloom.systems.phrases.options import DUAL, FORMS, LONGEST, MOST_DEGREE, MOST_PRIMAL, PRIMAL, WIDEST
from tagloom.systems.spec import Spec, restore_shared, restore_templates

_SETS = ("templates", "around", "inside")


@dataclass(frozen=True, kw_only=True, repr=False)
class PhraseSpec(Spec):
    """What a chunker was made of and from. Categories, vectors and word lists stand beside it, as arrays."""

    system: ClassVar[str] = "phrases"

    templates: TemplateSet  # of words
    around: TemplateSet  # predicates of words
    inside: TemplateSet
    label: str
    written_scheme: str  # of the labels it reads and writes
    degree: int
    form: str
    window: int  # L_p
    longest: int  # words of a phrase
    cutoff: int
    phrase_cutoff: int

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

    @classmethod
    def from_values(cls, values: dict[str, Any]) -> PhraseSpec:
        """Build from plain values; raises a built-in error or ConfigError where they make no sense."""
        return cls(**{**restore_shared(values), **{name: restore_templates(values[name]) for name in _SETS}})

    def check(self) -> None:
        """Raise ValueError on values that no training gives."""
        super().check()
        if not isinstance(self.label, str):
            raise TypeError("names must be texts")
        limits = {"degree": (1, MOST_DEGREE), "window": (0, WIDEST), "longest": (1, LONGEST)}
        for name, (least, most) in limits.items():
            number = getattr(self, name)
            if type(number) is not int or not least <= number <= most:
                raise ValueError(f"{name} is {number!r:.20}")
        if self.form not in FORMS or (self.form == PRIMAL and self.degree > MOST_PRIMAL):
            raise ValueError("unknown form")
        get_scheme(self.written_scheme)
