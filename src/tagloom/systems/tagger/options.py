"""Options of taggers: the choices of a training, and those of a search."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Annotated, ClassVar

from tagloom.corpus.schemes import get_scheme
from tagloom.errors import ConfigError, show_value, unknown_name
from tagloom.features import MOST_COPIES, DocumentFunction, Masking, TemplateSet, load_templates
from tagloom.learners import ALIASES, LEARNERS, Learner, Settings, get_learner, get_search
from tagloom.structures.consistency import FAMILIES, check_families
from tagloom.structures.history import LEFT_TO_RIGHT, HistorySearch
from tagloom.structures.sequences import DOCUMENTS, SENTENCES, SEQUENCES
from tagloom.systems.labels import NO_SCHEME
from tagloom.systems.options import (
    DATA,
    FEATURES,
    MOST_CANDIDATES,
    Resources,
    Row,
    TrainingOptions,
    list_options,
    parse_size,
)
from tagloom.systems.resources import choose_seed

EDITS, NO_CODEC = CODECS = ("edits", "none")
OF_DATA = "data"  # the scheme of the training data
_LEMMA = "lemma"  # the column of CoNLL-U whose labels are made from words
_LEAST_BLOCK = 10_000  # tokens
#: Memory per token of a block: rows of features that are collected, renamed and learned from, in a tenth of the memory,
#: because weights and tables need the rest.
_BYTES_PER_TOKEN = 2000
#: Options of the first stage that are those of the whole training.
_OF_ALL_STAGES = ("stages", "stage1", "stage_folds", "label", "threads", "memory")
_UINT32 = 2**32 - 1  # counts and rows are 32 bits wide in the core


def _describe_epochs() -> str:
    """Write the default of ``epochs``: that of most learners, and the others with the learners that have them."""
    by_number: dict[int, list[str]] = {}
    for learner in LEARNERS.values():
        by_number.setdefault(learner.epochs, []).append(learner.name)
    most, *others = sorted(by_number.items(), key=lambda pair: -len(pair[1]))
    return "; ".join([str(most[0]), *(f"{number} ({', '.join(names)})" for number, names in others)])


#: Passes of a training whose learner has a default of its own.
Epochs = Annotated[int | None, Row(f"Most passes over the data. Default: {_describe_epochs()}.", low=1, metavar="N")]


@dataclass(frozen=True, kw_only=True, repr=False)
class TaggerOptions(TrainingOptions, Settings):
    """Options of training a tagger. The settings of its learner are among them."""

    noun: ClassVar[str] = "tagger"

    epochs: Epochs = None
    label: Annotated[str | None, Row(
        "Column to learn. Default: label, or the last column; in CoNLL-U upos.", expects="the name of a column",
        metavar="NAME", panel=DATA, shapes_features=True,
    )] = None  # fmt: skip
    scheme: Annotated[str | None, Row(
        "Label scheme to decide on, such as BIOES; data: that of the training data; none: plain tags, any of which may "
        "follow any. Default: BIOES for spans in IOB1 or IOB2, else data. The model always writes the scheme of the "
        "training data.",
        expects="the name of a label scheme", metavar="NAME", shapes_features=True,
    )] = None  # fmt: skip
    templates: Annotated[str | os.PathLike[str] | TemplateSet | None, Row(
        "Shipped template set (see tagloom templates), template file (CRF++ files too), or template text. Default: "
        "chosen from the labels and columns.", expects="a name, a file or template text", metavar="NAME|FILE",
        panel=FEATURES, shapes_features=True,
    )] = None  # fmt: skip
    resources: Resources = field(default_factory=dict)
    learner: Annotated[str | Learner | None, Row(
        f"Learner: {', '.join(LEARNERS)}; {', '.join(f'{name} ({of})' for name, of in ALIASES.items())}. See "
        "docs/learners.md. Default: chosen from the labels, see docs/defaults.md.", expects="a name or a Learner",
        metavar="NAME",
    )] = None  # fmt: skip
    cutoff: Annotated[int, Row(
        "Drop features that occur less often.", low=1, high=_UINT32, metavar="N", panel=FEATURES, shapes_features=True,
    )] = 1  # fmt: skip
    buckets: Annotated[int, Row(
        "Hash features into this many rows instead of a table; 0 for a table.", low=0, high=_UINT32, metavar="N",
        panel=FEATURES, shapes_features=True,
    )] = 0  # fmt: skip
    edge_pairs: Annotated[str, Row(
        "Label pairs that edge templates have weights for: seen in the training data, or all.",
        choices=("seen", "all"), metavar="NAME", panel=FEATURES, shapes_features=True,
    )] = "seen"  # fmt: skip
    names: Annotated[bool, Row(
        "Keep the texts of the features in the model, for inspect.", panel=FEATURES, changes_model=False,
    )] = True  # fmt: skip
    prune: Annotated[float, Row(
        "Leave features whose weights are all smaller than this out of the model, which becomes smaller.", low=0,
        metavar="W", panel=FEATURES,
    )] = 0.0  # fmt: skip
    tag_dictionary: Annotated[int, Row(
        "Words that occur at least this often take only labels they occur with, when the model tags; 0 for none.",
        low=0, high=_UINT32, metavar="N", panel=FEATURES, shapes_features=True,
    )] = 0  # fmt: skip
    dropout: Annotated[float, Row(
        "Probability with which the word, the clusters, the lists, your own attributes, the contexts and the first "
        "stage of a token are each masked in the training data, so that the model learns to do without them.", low=0,
        high=1, metavar="P",
        panel=FEATURES, shapes_features=True,
    )] = 0.0  # fmt: skip
    copies: Annotated[int, Row(
        "Number of copies of the training data, each masked by itself.", low=1, high=MOST_COPIES, metavar="N",
        panel=FEATURES, shapes_features=True,
    )] = 1  # fmt: skip
    codec: Annotated[
        str | None,
        Row("How labels are written: edits (scripts that make a lemma from its word) or none. Default: edits for a "
            "column named lemma.", choices=CODECS, metavar="NAME", panel=DATA, shapes_features=True),
    ] = None  # fmt: skip
    sequences: Annotated[str | None, Row(
        "What is labelled as one: sentences, documents, or joined (documents as long sentences). Default: documents "
        "for learners of documents, else sentences.", choices=SEQUENCES, metavar="NAME",
    )] = None  # fmt: skip
    document_features: Annotated[str | Sequence[str] | None, Row(
        "Non-local features, joined by commas: phrase, subphrase, phrase-majority, subphrase-majority, conjunction; "
        "or none. Default: all, for learners of documents.", expects="names", metavar="NAMES", panel=FEATURES,
    )] = None  # fmt: skip
    document_functions: Annotated[Mapping[str, DocumentFunction], Row(
        "Your own non-local features: functions of a document and its labels, by name.", expects="functions by name",
        panel=FEATURES, flag="",
    )] = field(default_factory=dict)  # fmt: skip
    candidates: Annotated[int, Row(
        "Number of labellings that non-local features choose from when the model tags.", low=1, high=MOST_CANDIDATES,
        metavar="N", flag="",
    )] = 100  # fmt: skip

    threshold: Annotated[float | None, Row(
        "Take every span that is more probable than this, instead of the spans of the best labelling; half of the F1 "
        "that you expect is a good value. Learners with probabilities. See docs/learners.md. Default: the best "
        "labelling.", low=0, high=1, metavar="P",
    )] = None  # fmt: skip

    stages: Annotated[int, Row(
        "2: a second stage reads what a first one predicts for the same mentions in the other sentences of the "
        "document. See docs/documents.md.", low=1, high=2, metavar="N", shapes_features=True,
    )] = 1  # fmt: skip
    stage1: Annotated[Mapping[str, object], Row(
        "Options of the first stage that differ from those of the second, by name. On the command line --set "
        "stage1.NAME=VALUE.", expects="options by name", flag="", shapes_features=True, holds="tagger",
    )] = field(default_factory=dict)  # fmt: skip
    stage_folds: Annotated[int, Row(
        "Folds of jackknifing the first stage.", low=2, high=1000, metavar="N", shapes_features=True,
    )] = 8  # fmt: skip

    memory: Annotated[str | int | None, Row(
        "Keep the training data in temporary files (in TMPDIR), and use about so much memory, such as 2GB. Default: "
        "all in memory, unless a file is too large for it.", expects="a size such as 2GB", metavar="SIZE", panel=DATA,
        changes_model=False,
    )] = None  # fmt: skip
    block: Annotated[int, Row(
        "Visit the sentences in shuffled blocks of about so many tokens; 0 for all in one. Default with memory: what "
        "fits.", low=0, metavar="N", panel=DATA,
    )] = 0  # fmt: skip
    calibration_folds: Annotated[int, Row(
        "Without development data: calibrate confidences on this many folds of the training data, each tagged by "
        "another model that learned from the others; 0 for not at all.", low=0, metavar="N",
    )] = 0  # fmt: skip

    def check(self) -> None:
        """Check names, the settings of the learner, and what learners of documents need."""
        if self.memory is not None:
            parse_size("memory", self.memory)
        if self.prune and self.buckets:
            raise ConfigError("prune: with buckets, features have no rows of their own; leave one of the options out")
        if self.calibration_folds == 1:
            raise ConfigError("calibration_folds: expected 2 or more, or 0 for none, got 1")
        if self.scheme not in (None, OF_DATA, NO_SCHEME):
            get_scheme(self.scheme)
        if self.templates is not None:
            load_templates(self.templates)
        self._check_stages()
        if self.learner is not None:  # else it is chosen when the data is there, and checked then
            self.settings.of(self.chosen_learner)
            self._check_documents()

    def _check_stages(self) -> None:
        for name in sorted(map(str, self.stage1)):
            if self.stages == 1:
                raise ConfigError("stage1: there is one stage; pass stages=2, or leave it out")
            if name in _OF_ALL_STAGES:
                raise ConfigError(f"stage1: {name!r} is the same for both stages; pass it as an option of its own")
            if name not in list_options(TaggerOptions):
                raise unknown_name("option of the first stage", name, list_options(TaggerOptions))
        if self.stages > 1 and self.memory is not None:
            raise ConfigError("memory: two stages need all data in memory; leave one of the options out")

    def _check_documents(self) -> None:
        learner = self.chosen_learner
        if self.chosen_sequences == DOCUMENTS and (learner.has_likelihood or learner.is_history_based):
            raise ConfigError(
                f"learner {learner.name!r} learns from sentences: sequences must be 'sentences' or 'joined', "
                "got 'documents'"
            )
        for name in ("document_features", "document_functions"):
            if getattr(self, name) and getattr(self, name) != "none" and not learner.sees_documents:
                raise ConfigError(
                    f"learner {learner.name!r} has no {name!r}; it goes with nonlocal-perceptron, "
                    "candidate-perceptron, reranking-1 and reranking-2"
                )
        if self.chosen_sequences == DOCUMENTS and not self.masking.is_off:
            raise ConfigError(
                f"learner {learner.name!r} learns from documents as wholes, which dropout and copies would multiply: "
                "leave them out, or set sequences to 'sentences' or 'joined'"
            )
        if learner.sees_documents and not self.families and not self.document_functions:
            raise ConfigError(f"learner {learner.name!r}: expected document features or document functions, got none")
        taken = {**dict.fromkeys(FAMILIES, "document feature"), **dict.fromkeys(self.attributes, "attribute"),
                 **dict.fromkeys(self.sentence_attributes, "sentence attribute"),
                 **dict.fromkeys(self.document_attributes, "document attribute")}  # fmt: skip
        for name in self.document_functions:
            if name in taken:
                raise ConfigError(f"document function {name!r}: a {taken[name]} is called so; choose another name")
        for name, function in self.document_functions.items():
            if function is None:
                raise ConfigError(f"the model needs its function {name!r}: load it with functions={{{name!r}: ...}}")
            if not callable(function):
                raise ConfigError(f"document function {name!r}: expected a function, got {show_value(function)}")
        check_families(self.families)

    def check_threshold(self, has_dev: bool) -> None:
        """Refuse a threshold of probabilities where there will be none; ``has_dev`` says whether scores become some."""
        if self.threshold is None:
            return
        learner = self.chosen_learner
        if self.order != (LEFT_TO_RIGHT, 1) or learner.is_history_based or learner.sees_documents:
            raise ConfigError(
                f"threshold: learner {learner.name!r} gives spans no probabilities; choose a learner such as sgd"
            )
        if not (learner.has_likelihood or has_dev or self.calibration_folds):
            raise ConfigError(
                f"threshold: the scores of {learner.name!r} are no probabilities; choose a learner such as sgd, or "
                "pass development data or calibration_folds"
            )

    @property
    def keeps_data_on_disk(self) -> bool:
        """Whether memory is limited."""
        return self.memory is not None

    def limit_memory(self, size: int) -> TaggerOptions | None:
        """Return the options with memory limited, if it is not, and if the learner can do with a part of the data."""
        if (
            self.stages > 1
            or self.keeps_data_on_disk
            or not self.chosen_learner.sees_parts
            or self.chosen_sequences == DOCUMENTS
        ):
            return None
        return replace(self, memory=size)

    def choose_block(self) -> int:
        """Return the tokens of a block: what the user states, or what fits into the memory."""
        if self.block or self.memory is None:
            return self.block
        return max(_LEAST_BLOCK, parse_size("memory", self.memory) // _BYTES_PER_TOKEN)

    def choose_codec(self, label: str) -> str | None:
        """Return the codec of a column of labels."""
        chosen = self.codec or (EDITS if label == _LEMMA else NO_CODEC)
        return None if chosen == NO_CODEC else chosen

    @property
    def chosen_scheme(self) -> str | None:
        """The scheme to decide on; None for that of the data."""
        return None if self.scheme == OF_DATA else self.scheme

    @property
    def chosen_sequences(self) -> str:
        """What is labelled as one."""
        return self.sequences or (DOCUMENTS if self.chosen_learner.sees_documents else SENTENCES)

    @property
    def search(self) -> HistorySearch | None:
        """How a history-based learner decides, in learning and in use."""
        learner = self.chosen_learner
        return get_search(learner, self.settings.of(learner)) if learner.is_history_based else None

    @property
    def order(self) -> tuple[str, int]:
        """Direction and history: which other labels a label is scored with."""
        search = self.search
        return (LEFT_TO_RIGHT, 1) if search is None else (search.direction, search.history)

    @property
    def masking(self) -> Masking:
        """How the training data is repeated and masked."""
        return Masking(self.dropout, self.copies, self.seed)

    @property
    def feature_seed(self) -> int | None:
        """The seed, if the training data is masked, or a share of training entities is drawn for it to see."""
        return self.seed if self.dropout else choose_seed(self.resources, self.seed)

    @property
    def layout(self) -> tuple[str, str, int]:
        """Sequences, direction and history: what trainings on the same features may still differ in."""
        return (self.chosen_sequences, *self.order)

    @property
    def families(self) -> tuple[str, ...]:
        """The native non-local features; all of them, unless the user says otherwise."""
        if not self.chosen_learner.sees_documents:
            return ()
        if self.document_features is None:
            return FAMILIES
        names = () if self.document_features == "none" else self.document_features
        return tuple(filter(None, map(str.strip, names.split(",")))) if isinstance(names, str) else tuple(names)

    @property
    def chosen_learner(self) -> Learner:
        """The learner with its averaging; while none is chosen, the simplest one."""
        return get_learner(self.learner or "averaged-perceptron").with_averaging(self.averaging)

    @property
    def settings(self) -> Settings:
        """The learner's part of the options."""
        return Settings(**{each.name: getattr(self, each.name) for each in fields(Settings)})

    @property
    def most_epochs(self) -> int:
        """The number of passes after which training ends at the latest."""
        return self.epochs or self.chosen_learner.epochs
