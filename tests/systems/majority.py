"""A toy system: every word takes the label it had most often in training. Its own file, and one row."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from tagloom._core import StringTable
from tagloom._version import __version__
from tagloom.corpus import Column, Corpus
from tagloom.corpus.layers import LABELS, Layer
from tagloom.evaluate import Score, Signature, score
from tagloom.systems.base import Model, Reads, Training
from tagloom.systems.learning import Learned
from tagloom.systems.options import Row, TrainingOptions
from tagloom.systems.registry import System
from tagloom.systems.single_pass import ModelScorer, SinglePass
from tagloom.systems.spec import Spec
from tagloom.systems.tables import Decision, Description, Table


@dataclass(frozen=True, kw_only=True)
class MajorityOptions(TrainingOptions):
    noun: ClassVar[str] = "majority tagger"
    least: Annotated[int, Row("Least number of times that a word must occur.", low=1, metavar="N")] = 1

    @property
    def most_epochs(self) -> int:
        return 1


@dataclass(frozen=True, kw_only=True)
class MajoritySpec(Spec):
    system: ClassVar[str] = "majority"
    label: str

    @property
    def signature(self) -> Signature:
        return Signature(system=self.system, seed=self.seed, data=self.data, version=self.version)


@dataclass(frozen=True)
class Lookup:
    words: tuple[str, ...]
    labels: tuple[str, ...]

    def to_parts(self, top: int | None = None) -> list[Table]:
        return [Table(("word", "label"), list(zip(self.words, self.labels)))]

    def to_dict(self, top: int | None = None) -> dict[str, object]:
        return {"words": self.words, "labels": self.labels}

    def list_decisions(self, top: int | None = None, gold: Sequence[str] | None = None) -> list[Decision]:
        return [Decision(place, place + 1, label) for place, label in enumerate(self.labels)]


class MajorityTagger(Model):
    system = "majority"
    spec: MajoritySpec

    def __init__(self, spec: MajoritySpec, labels: Mapping[str, str], default: str) -> None:
        self.spec, self.labels, self.default, self.resources = spec, dict(labels), default, {}

    @property
    def own_reads(self) -> Reads:
        names = (self.main,)
        return Reads(names, (self.spec.label,), (names, (*names, self.spec.label)))

    @property
    def main(self) -> str:
        return self.spec.columns[0]

    @property
    def own_layers(self) -> tuple[Layer, ...]:
        return (Layer(self.spec.label, LABELS),)

    def predict(self, corpus: Corpus, threads: int, **search: Any) -> dict[str, Column]:
        words = corpus.column(self.main).texts()
        return {self.spec.label: Column.from_strings([self.labels.get(word, self.default) for word in words])}

    def evaluate(self, data: Any, *, threads: int = 1, **options: Any) -> Score:
        corpus = self.open_corpus(data, gold=True)
        predicted = self.predict(corpus, threads)[self.spec.label]
        return score(corpus.column(self.spec.label), predicted, corpus.sentences).with_signature(self.spec.signature)

    def explain(self, tokens: Sequence[object]) -> Lookup:
        words = tuple(map(str, tokens))
        return Lookup(words, tuple(self.labels.get(word, self.default) for word in words))

    def describe(self, **options: Any) -> Description:
        return Description({"writes": self.spec.label}, {"words": len(self.labels)})

    def to_tensors(self, *, names: bool = True) -> dict[str, Any]:
        tables = [StringTable() for _ in range(3)]
        texts = (list(self.labels), list(self.labels.values()), [self.default])
        codes = [table.intern_all(each) for table, each in zip(tables, texts)]
        blobs = {f"{n}.{part}": array for n, table in enumerate(tables) for part, array in zip("te", table.to_blob())}
        return {**blobs, "codes": codes[1]}

    @classmethod
    def from_tensors(cls, spec: str, tensors: Any, resources: Any, functions: Any) -> MajorityTagger:
        words, labels, default = (
            StringTable.from_blob(tensors[f"{n}.t"], tensors[f"{n}.e"]).strings() for n in range(3)
        )
        chosen = [labels[code] for code in tensors["codes"].tolist()]
        return cls(MajoritySpec.from_json(spec), dict(zip(words, chosen, strict=True)), default[0])


class MajorityTraining(Training[MajorityTagger]):
    def __init__(self, corpus: Corpus, options: MajorityOptions, normal_form: str | None) -> None:
        self.corpus, self.options, self.normal_form, self.label = corpus, options, normal_form, corpus.label

    @classmethod
    def plan(cls, corpus: Corpus, options: Any, *, start: Any = None, normal_form: str | None = None,
             report: Any = None) -> MajorityTraining:  # fmt: skip
        return cls(corpus, options, normal_form)

    @property
    def summary(self) -> str:
        return f"{self.corpus.token_count:,} tokens"

    def begin(self, total: Any) -> Any:
        return SinglePass()

    def encode_gold(self, corpus: Corpus) -> Any:
        return ModelScorer(self.freeze(Learned(None, (), 0)), corpus)

    def check_weights(self, weights: Any, total: Any = None) -> None:
        pass

    def identify(self, dev: Corpus | None) -> dict[str, str]:
        return {"system": "majority", "data": self.corpus.checksum(), "least": str(self.options.least)}  # type: ignore[attr-defined]

    @property
    def main(self) -> str:
        return self.corpus.names[0]

    @property
    def own_layers(self) -> tuple[Layer, ...]:
        return (Layer(self.label, LABELS),)

    @property
    def sizes(self) -> dict[str, int]:
        return {"features": len(self.corpus.column(self.main).strings), "labels": 1}

    @property
    def signature(self) -> Signature:
        return self._spec(()).signature

    def score_columns(self, corpus: Corpus, predicted: Mapping[str, Column]) -> Score:
        return score(corpus.column(self.label), predicted[self.label], corpus.sentences)

    def _spec(self, history: Any) -> MajoritySpec:
        return MajoritySpec(columns=(self.main,), seed=self.options.seed, data=self.corpus.checksum(),
                            version=__version__, label=self.label, normal_form=self.normal_form,
                            history=tuple(history), best_epoch=len(history))  # fmt: skip

    def freeze(self, learned: Any) -> MajorityTagger:
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        pairs = list(zip(self.corpus.column(self.main).texts(), self.corpus.column(self.label).texts()))
        for word, label in pairs:
            counts[word][label] += 1
        default = Counter(label for _, label in pairs).most_common(1)[0][0]
        least = self.options.least  # type: ignore[attr-defined]
        labels = {word: each.most_common(1)[0][0] for word, each in counts.items() if sum(each.values()) >= least}
        return MajorityTagger(self._spec(learned.history), labels, default)


MAJORITY = System(
    "majority",
    "majority tagger",
    "the most frequent label of every word",
    lambda: MajorityOptions,
    lambda: MajorityTraining,
    lambda: MajorityTagger,
)
