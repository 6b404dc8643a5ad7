"""Pipeline: a line of models that together make a treebank of text. It has no weights of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from tagloom.arguments import check_methods
from tagloom.corpus import Column, Corpus
from tagloom.corpus.layers import TAGS, Layer
from tagloom.errors import ConfigError
from tagloom.evaluate import Signature
from tagloom.features import Resource
from tagloom.schema import Field, Layout, limits
from tagloom.systems.base import TEXT, WORDS, Functions, Model, Reads
from tagloom.systems.pipeline.feats import FEATS, join_feats, name_column
from tagloom.systems.spec import Spec
from tagloom.systems.tables import Description, Explanation, Table

if TYPE_CHECKING:
    from tagloom.evaluate import TextScore
    from tagloom.features.tensors import Tensors


@dataclass(frozen=True, kw_only=True)
class PipelineSpec(Spec):
    """What a pipeline was made of and from; its models have specs of their own."""

    system: ClassVar[str] = "pipeline"

    parts: Annotated[tuple[str, ...], Field("What the pipeline does, in order.", most=limits.MOST_PROVIDERS + 1)]
    attributes: Annotated[
        tuple[str, ...],
        Field("Morphological attributes that have a tagger of their own.", most=limits.MOST_PROVIDERS),
    ] = ()

    @property
    def signature(self) -> Signature:
        """The line that goes with every score of the model."""
        return Signature(
            system=",".join([self.system, *self.parts]), seed=self.seed, data=self.data, version=self.version
        )


@check_methods()
class Pipeline(Model):
    """A trained pipeline. Make one with ``tagloom.train(..., system="pipeline")`` or :func:`tagloom.load`."""

    system = "pipeline"
    layout = Layout(())  # all that it has is its line
    capabilities = frozenset({TEXT})
    spec: PipelineSpec

    def __init__(self, spec: PipelineSpec) -> None:
        self.spec, self.resources = spec, {}

    @property
    def models(self) -> tuple[Model, ...]:
        """The models, in the order in which they work; the tokenizer is not among them."""
        return self.line.providers

    @property
    def main(self) -> str:
        """The column of the words."""
        return self.spec.columns[0]

    @property
    def own_reads(self) -> Reads:
        """Words; it is scored against all columns that its models add."""
        names = (self.main,)
        gold = tuple(layer.column for layer in self.layers)
        return Reads(names, gold, (names, (*names, *gold)), WORDS)

    @property
    def own_layers(self) -> tuple[Layer, ...]:
        """None beside those of its models, but for morphological features that it joins."""
        return (Layer(FEATS, TAGS),) if self.spec.attributes else ()

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The columns that its models add; those of single attributes are joined."""
        hidden = set(map(name_column, self.spec.attributes))
        return tuple(layer for layer in super().layers if layer.column not in hidden)

    def predict_columns(self, corpus: Corpus, *, threads: int = 1, **search: Any) -> dict[str, Column]:
        """Predict the columns of ``layers``; those of single attributes are not shown."""
        found = super().predict_columns(corpus, threads=threads, **search)
        return {layer.column: found[layer.column] for layer in self.layers}

    def predict(self, corpus: Corpus, threads: int, **search: Any) -> dict[str, Column]:
        """Join morphological features that were predicted one by one."""
        return {FEATS: join_feats(corpus, self.spec.attributes)} if self.spec.attributes else {}

    def evaluate(self, data: Any, *, threads: int = 1, **options: Any) -> TextScore:
        """Score what the pipeline makes of the text of some data, counted as in the CoNLL-2018 shared task."""
        from tagloom.systems.text import score_text

        return score_text(self, self.open_corpus(data, gold=True), threads=threads, **options)

    @property
    def explained_layers(self) -> tuple[Layer, ...]:
        """Those of the last model of the line."""
        return self.models[-1].own_layers if self.models else ()

    def explain(self, tokens: Sequence[object]) -> Explanation:
        """Explain the output of the last model of the line."""
        if not self.models:
            raise ConfigError("explain: the pipeline has a tokenizer only; explain that")
        last = self.models[-1]
        corpus = self.open_sentences([tokens])
        return last.explain(list(zip(*(corpus.sentence(0, name) for name in last.columns))))

    def explain_line(self, tokens: Sequence[object]) -> dict[str, Explanation]:
        """Explain the output of every model, by the names of the columns that they add."""
        return self._explain_providers(tokens)

    def describe(self, **options: Any) -> Description:
        """List the models with their signatures and sizes."""
        models: dict[str, Any] = {} if self.line.tokenizer is None else {"tokens": self.line.tokenizer}
        models |= {" ".join(layer.column for layer in each.own_layers): each for each in self.models}
        rows, sizes = [], {}
        for name, model in models.items():
            if isinstance(model, Model):
                sizes[name.replace(" ", "_")] = len(model.to_bytes())
                rows.append((name, model.noun, str(model.spec.signature), f"{sizes[name.replace(' ', '_')]:,}"))
            else:
                rows.append((name, "tokenizer", model.name, ""))
        table = Table(("adds", "model", "signature", "bytes"), rows, ["bytes"])
        facts = {"writes": " ".join(layer.column for layer in self.layers), "models": f"{len(models)}"}
        return Description(facts, {"models": len(models), **sizes}, [table], {"models": [list(row) for row in rows]})

    def to_tensors(self, *, names: bool = True) -> Tensors:
        """Convert nothing: the line is written with every model."""
        return {}

    @classmethod
    def from_tensors(
        cls, spec: str, tensors: Tensors, resources: dict[str, Resource], functions: Functions | None
    ) -> Pipeline:
        """Build a pipeline from its spec."""
        return cls(PipelineSpec.from_json(spec))
