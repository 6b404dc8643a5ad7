"""The line before a model: a tokenizer that cuts text, and models that provide the columns it reads, in one file.

A tagger of entities that reads part-of-speech tags carries the tagger of these tags; a parser does the same. In
training, provided columns are jackknifed, so that the model learns from tags with the errors that it will meet in use.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tagloom.corpus import Corpus
from tagloom.corpus.layers import LABELS, PROBABILITIES, TAGS, Layer
from tagloom.errors import ConfigError
from tagloom.schema import limits

if TYPE_CHECKING:
    from tagloom.corpus import Column
    from tagloom.systems.base import Model, Reads
    from tagloom.text import Tokenizer


@dataclass(frozen=True)
class Line:
    """What comes before a model."""

    tokenizer: Tokenizer | None = None
    providers: tuple[Model, ...] = ()  # without lines of their own; each may read what those before it provide

    @classmethod
    def join(cls, models: Iterable[Model], tokenizer: Tokenizer | None = None) -> Line:
        """Build a line of models, each after the models of its own line; the same model is taken once."""
        providers: dict[str, Model] = {}  # equal specs are equal trainings
        for model in models:
            for each in (*model.line.providers, model.without_line()):
                providers.setdefault(each.spec.to_json(), each)
            tokenizer = tokenizer or model.line.tokenizer
        line = cls(tokenizer, tuple(providers.values()))
        line.check()
        return line

    def check(self) -> None:
        """Raise :class:`ConfigError` if two models provide the same column."""
        owners: dict[str, Model] = {}
        for model in self.providers:
            for layer in model.own_layers:
                if layer.column in owners:
                    raise ConfigError(f"column {layer.column!r} is provided by two models; leave one of them out")
                owners[layer.column] = model
        if len(self.providers) > limits.MOST_PROVIDERS:
            raise ConfigError(f"{len(self.providers)} models in one line, at most {limits.MOST_PROVIDERS} are possible")

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The columns that the models provide, without those that only models read."""
        return tuple(
            replace(layer, kind=TAGS) if layer.kind == LABELS and layer.scheme is None else layer
            for model in self.providers
            for layer in model.own_layers
            if layer.kind != PROBABILITIES
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns that the models provide."""
        return tuple(layer.column for model in self.providers for layer in model.own_layers)

    def extend_reads(self, own: Reads) -> Reads:
        """Say what the whole line reads from a corpus, for a model that reads ``own`` itself."""
        if not self.providers:
            return own
        provided: set[str] = set()
        needed: dict[str, None] = {}
        for reads, layers in [*((each.own_reads, each.own_layers) for each in self.providers), (own, ())]:
            needed |= dict.fromkeys(name for name in reads.columns if name not in provided)
            provided |= {layer.column for layer in layers}
        whole = own.whole_documents or any(each.own_reads.whole_documents for each in self.providers)
        columns = tuple(sorted(needed, key=_order_like(own.layouts[0])))
        reduced = [tuple(name for name in names if name not in provided) for names in own.layouts]
        named = [tuple(columns), *(columns + tuple(name for name in own.gold if name not in columns),)]
        layouts = tuple(dict.fromkeys([*own.layouts, *reduced, *named]))
        return replace(own, columns=columns, layouts=layouts, bags=own.bags - provided, whole_documents=whole)

    def provide_columns(self, corpus: Corpus, threads: int = 1) -> dict[str, Column]:
        """Predict the columns of all models; each sees a corpus as it was read, with those of the models before it."""
        found: dict[str, Column] = {}
        for model in self.providers:
            columns = model.predict_columns(corpus, threads=threads)
            for name, column in columns.items():
                corpus = corpus.with_column(name, column)
            found |= columns
        return found

    def provide(self, corpus: Corpus, threads: int = 1) -> Corpus:
        """Return a corpus with the provided columns, in the place of those that it has."""
        for name, column in self.provide_columns(corpus, threads).items():
            corpus = corpus.with_column(name, column)
        return corpus

    def drop_columns(self, names: Sequence[str]) -> Line:
        """Return the line without the models that provide some of these columns."""
        kept = [model for model in self.providers if not {layer.column for layer in model.own_layers} & set(names)]
        return replace(self, providers=tuple(kept))


def _order_like(names: Sequence[str]) -> Any:
    places = {name: place for place, name in enumerate(names)}
    return lambda name: places.get(name, len(places))


@dataclass(frozen=True)
class Provision:
    """A column that is to be predicted: by a model that is there, or by one that is trained on the data's own column.

    Attributes:
        column: Name of the column.
        model: The model that predicts it; None to train one.
        options: Options of training it.
        folds: Number of folds of jackknifing.
        noun: What the progress calls the column.
        label: The column that is learned, if the provided column holds the probabilities of its labels: a first stage.
    """

    column: str
    model: Model | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    folds: int = 10
    noun: str = "tags"
    label: str | None = None
