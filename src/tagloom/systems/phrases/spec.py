"""PhraseSpec: every choice behind a phrase chunker, as one frozen value that is written into its file as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from tagloom.corpus.schemes import Scheme, scheme_named
from tagloom.evaluate import Signature
from tagloom.features import TemplateSet
from tagloom.files.records import EpochRecord
from tagloom.structures.sequences import SENTENCES
from tagloom.systems.phrases.options import DUAL, FORMS, LONGEST, MOST_DEGREE, MOST_PRIMAL, PRIMAL, WIDEST
from tagloom.systems.tagger.spec import MADE, template_set

SYSTEM = "phrases"
_SETS = ("templates", "around", "inside")
_TUPLES = ("columns", "word_functions", "sentence_functions")


@dataclass(frozen=True)
class PhraseSpec:
    """What a chunker was made of and from. Categories, vectors and word lists stand beside it, as arrays."""

    templates: TemplateSet  # of words
    around: TemplateSet  # predicates of words
    inside: TemplateSet
    columns: tuple[str, ...]  # of the corpus, without the label
    label: str
    written_scheme: str  # of the labels it reads and writes
    degree: int
    form: str
    window: int  # L_p
    longest: int  # words of a phrase
    cutoff: int
    phrase_cutoff: int
    seed: int
    data: str  # checksum of the training corpus
    version: str  # of the library
    system: str = SYSTEM
    word_functions: tuple[str, ...] = ()
    sentence_functions: tuple[str, ...] = ()
    resources: dict[str, list[str]] = field(default_factory=dict)  # name -> names of its lists
    made_resources: dict[str, str] = field(default_factory=dict)  # of training data: name -> one of MADE
    epochs: int = 0
    history: tuple[EpochRecord, ...] = ()
    best_epoch: int = 0

    @property
    def is_dual(self) -> bool:
        return self.form == DUAL

    @property
    def written(self) -> Scheme:
        return scheme_named(self.written_scheme)

    @property
    def sequences(self) -> str:
        """What is labelled as one."""
        return SENTENCES

    @property
    def signature(self) -> Signature:
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

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> PhraseSpec:
        """The inverse of ``to_json``; raises a built-in error or ConfigError on anything else."""
        values: dict[str, Any] = json.loads(text)
        for name in _SETS:
            values[name] = template_set(values[name])
        values["history"] = tuple(EpochRecord(**record) for record in values["history"])
        for name in _TUPLES:
            if not isinstance(values[name], list):
                raise TypeError(f"{name} are no list")
            values[name] = tuple(values[name])
        spec = cls(**values)
        spec.check()
        return spec

    def check(self) -> None:
        """Raise ValueError on values that no training gives."""
        texts = [*self.columns, *self.word_functions, *self.sentence_functions, self.label, self.written_scheme]
        if not all(isinstance(text, str) for text in texts) or not self.columns:
            raise ValueError("names are texts")
        limits = {"degree": (1, MOST_DEGREE), "window": (0, WIDEST), "longest": (1, LONGEST)}
        for name, (least, most) in limits.items():
            number = getattr(self, name)
            if type(number) is not int or not least <= number <= most:
                raise ValueError(f"{name} is {number!r:.20}")
        if self.form not in FORMS or (self.form == PRIMAL and self.degree > MOST_PRIMAL) or self.system != SYSTEM:
            raise ValueError("unknown form or system")
        if not set(self.made_resources) <= set(self.resources) or not set(self.made_resources.values()) <= set(MADE):
            raise ValueError("made resources do not fit")
        scheme_named(self.written_scheme)
