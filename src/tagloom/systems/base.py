"""The contract: what every trained model can be asked, and what every training provides.

A system is a subclass of :class:`Model`, a subclass of :class:`Training`, a dataclass of options, and one row of the
registry. Everything else (command line, experiments, recipes, adapters) knows systems only through this module.
"""

from __future__ import annotations

import copy
import functools
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar, cast

from tagloom.arguments import check_methods
from tagloom.corpus import Column, Corpus
from tagloom.corpus.layers import Layer
from tagloom.corpus.naming import match_names
from tagloom.errors import ConfigError, DataError
from tagloom.features import Resource
from tagloom.systems.line import Line, Provision
from tagloom.systems.options import SearchOptions, TrainingOptions, check_threads
from tagloom.systems.parts import PartFiles
from tagloom.systems.spec import Spec

if TYPE_CHECKING:
    from tagloom.corpus.normalise import NormalForm
    from tagloom.evaluate import Score, Signature
    from tagloom.features.tensors import Tensors
    from tagloom.learners import Pass
    from tagloom.schema import Layout
    from tagloom.systems.alternatives import Step
    from tagloom.systems.learning import Learned, Progress, Report
    from tagloom.systems.tables import Description, Explanation, Weights
    from tagloom.text import Annotation, Tokenizer

Functions = Mapping[str, Callable[..., object]]
ModelT = TypeVar("ModelT", bound="Model")
TrainingT = TypeVar("TrainingT", bound="Training[Any]")

#: Capabilities, which commands and experiments ask for instead of asking for a type.
NBEST = "nbest"  # has nbest and nbest_corpus
CONFIDENCE = "confidence"  # has confidences
MARGINALS = "marginals"  # has labels, marginals_corpus: the probabilities of all of them, and as_stage
START = "start"  # a training can begin from such a model
CLUSTER = "cluster"  # a training can run on the workers of a cluster
LEARNERS = "learners"  # is trained by one of several learners
RERANK = "rerank"  # its candidates can be re-ranked
TEXT = "text"  # is scored on what it makes of the text of a treebank, not on the tokens of gold

NO_PARTS = PartFiles()  # parts of a training that are not kept

#: How running text must be cut for a model.
WORDS, CHARACTERS = "words", "characters"


@dataclass(frozen=True)
class Reads:
    """What a model reads from a corpus."""

    columns: tuple[str, ...]  # that it needs
    gold: tuple[str, ...]  # columns that it is scored against
    layouts: tuple[tuple[str, ...], ...]  # how the columns of a file without names may be called, by their number
    unit: str | None = None  # WORDS or CHARACTERS where running text must be cut so; None: as the file looks
    bags: frozenset[str] = frozenset()  # columns that hold several attributes of a token instead of one text
    whole_documents: bool = False  # documents must not be parted, because features or labels depend on all of them
    labels_documents: bool = False  # documents are labelled as wholes: candidates are those of documents

    def adopt(self, corpus: Corpus, *, gold: bool = False) -> Corpus:
        """Give a corpus the column names that the model knows: by their names; if names are missing, by their number.

        Columns are known by their names; if the data does not name them, by their number. With ``gold``, the columns
        that the model is scored against are needed, too.
        """
        needed = (*self.columns, *self.gold) if gold else self.columns
        if (adopted := match_names(corpus, needed, self.layouts)) is not None:
            return self.check_kinds(adopted)
        missing = [name for name in needed if name not in corpus.names]
        raise DataError(
            f"{corpus.source}: missing column{'s' * (len(missing) > 1)}: {' '.join(missing)} (the model reads "
            f"{' '.join(needed)}, found {' '.join(corpus.names) or 'none'}); add or name the columns"
        )

    def check_kinds(self, corpus: Corpus) -> Corpus:
        """Return the corpus; refuse words where the model reads attributes, and the other way round."""
        for name in self.columns:
            if corpus.column(name).is_bag == (name in self.bags):
                continue
            found, expected = ("one word", "a bag of attributes") if name in self.bags else ("attributes", "one word")
            hint = "pass feature dicts or a file in CRFsuite's format" if name in self.bags else "pass words"
            raise DataError(
                f"{corpus.source}: column {name!r} holds {found} per token, but the model reads {expected}; {hint}"
            )
        return corpus


class _Annotator(ABC):
    """What a model and a training both know about the output."""

    @property
    @abstractmethod
    def main(self) -> str:
        """The column of the words."""

    @property
    @abstractmethod
    def own_layers(self) -> tuple[Layer, ...]:
        """The columns that the model itself adds to a corpus."""

    line: Line = Line()

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The columns that are added to a corpus: those that its line provides, and its own."""
        return (*self.line.layers, *self.own_layers)


@check_methods()
class Model(_Annotator):
    """A trained model of any system. Models are frozen and shared freely by threads.

    Make one with :func:`tagloom.train`, or open its file with :func:`tagloom.load`.
    """

    system: ClassVar[str]  # its name in the registry
    search_options: ClassVar[type[SearchOptions]] = SearchOptions
    capabilities: ClassVar[frozenset[str]] = frozenset()
    describe_options: ClassVar[frozenset[str]] = frozenset()  # keywords that describe() takes
    layout: ClassVar[Layout | None] = None  # schema of its arrays; None: from_tensors checks them

    spec: Spec
    resources: dict[str, Resource]

    # -- what a system must provide ----------------------------------------------------------------------------------

    @property
    @abstractmethod
    def own_reads(self) -> Reads:
        """What the model itself reads from a corpus, provided columns included."""

    @abstractmethod
    def predict(self, corpus: Corpus, threads: int, **search: Any) -> dict[str, Column]:
        """Predict the columns of ``own_layers`` for a corpus with the columns that the model itself reads.

        The corpus is in the normal form of the model, and the options of the search are checked.
        """

    @abstractmethod
    def evaluate(self, data: Any, *, threads: int = 1, **options: Any) -> Score:
        """Score the model's output against the gold columns of some data."""

    @abstractmethod
    def explain(self, tokens: Sequence[object]) -> Explanation:
        """Explain the output for one sentence: what was chosen over what, and which features decided it."""

    @abstractmethod
    def describe(self, **options: Any) -> Description:
        """Describe what the model was made of and from."""

    @abstractmethod
    def to_tensors(self, *, names: bool = True) -> Tensors:
        """Convert everything but the spec and the resources to arrays."""

    @classmethod
    @abstractmethod
    def from_tensors(
        cls: type[ModelT], spec: str, tensors: Tensors, resources: dict[str, Resource], functions: Functions | None
    ) -> ModelT:
        """Build a model from the JSON of its spec and from arrays, which fit ``layout``.

        Raises:
            ValueError: They do not fit each other.
            TagloomError: They say something that no training says.
        """

    def read_training_options(self) -> dict[str, Any] | None:
        """Read the options that train a model of the same kind on other data; None if the model does not tell."""
        return None

    def read_gold_labels(self, corpus: Corpus) -> Column | None:
        """Read the gold labels of a corpus in the form in which the model decides; None if it decides on no labels."""
        return None

    def summarise_weights(self, top: int = 20) -> Weights | None:
        """List the ``top`` weights of every label; None if the model does not keep the names of its features."""
        return None

    @property
    def explained_layers(self) -> tuple[Layer, ...]:
        """The layers that explanations speak of: those of the model itself."""
        return self.own_layers

    @property
    def known_words(self) -> Container[str] | None:
        """The words of the training data, in the normal form of the model; None if it does not tell.

        A model that does not keep them asks the models of its line.
        """
        return next((each.known_words for each in self.line.providers if each.known_words is not None), None)

    def check_labels(self, corpus: Corpus) -> list[str]:
        """List notes about gold annotation in a corpus that the model can never give."""
        return []

    @property
    def sizes(self) -> Mapping[str, int]:
        """Counts by name: features, labels and the like."""
        return self.describe().sizes

    @property
    def confidence_note(self) -> str:
        """Which kind of probability ``confidences`` returns, in one line; empty if there is nothing to say."""
        return ""

    @property
    def has_probabilities(self) -> bool:
        """Whether ``confidences`` and ``marginals_corpus`` of this model do not refuse."""
        return CONFIDENCE in self.capabilities

    @property
    def own_inventory(self) -> Mapping[str, Sequence[str]]:
        """The values that its own columns can have, by column; for labels that write spans, the types of the spans.

        Columns with values that are not listed, such as heads and lemmas, are left out.
        """
        return {}

    @property
    def inventory(self) -> dict[str, Sequence[str]]:
        """The values that the columns of ``layers`` can have, as ``own_inventory`` lists them."""
        known = {name: values for each in self.line.providers for name, values in each.own_inventory.items()}
        known.update(self.own_inventory)
        return {layer.column: known[layer.column] for layer in self.layers if layer.column in known}

    @property
    def segments_text(self) -> bool:
        """Whether the model cuts text into tokens itself, by a method ``segment(text)``."""
        return False

    @property
    def is_tokenizer(self) -> bool:
        """Whether tokens are all that the model makes; a tagger that cuts text also labels characters."""
        return self.segments_text and not self.layers

    # -- what all systems share --------------------------------------------------------------------------------------

    @property
    def reads(self) -> Reads:
        """What the model and its line read from a corpus."""
        return self.line.extend_reads(self.own_reads)

    def with_line(self: ModelT, line: Line) -> ModelT:
        """Return the same model with another tokenizer and other providers."""
        model = copy.copy(self)
        model.line = line
        return model

    def without_line(self: ModelT) -> ModelT:
        """Return the model alone, which reads all its columns from the data."""
        return cast("ModelT", self._alone)

    @functools.cached_property
    def _alone(self) -> Model:
        """The model alone, always the same, so that what it computes once is not computed again."""
        return self if self.line == Line() else self.with_line(Line())

    def without_providers(self: ModelT, *columns: str) -> ModelT:
        """Return a model that reads these columns from the data instead of predicting them; all if none is named."""
        names = columns or tuple(layer.column for layer in self.line.layers)
        return self.with_line(self.line.drop_columns(names))

    @property
    def tokenizer(self) -> Tokenizer:
        """What cuts text into sentences and tokens for this model: those that it reads, or those that it makes."""
        if self.is_tokenizer:
            return cast("Tokenizer", self)
        if self.line.tokenizer is not None:
            return self.line.tokenizer
        from tagloom.text import get_tokenizer

        return get_tokenizer("character" if self.reads.unit == CHARACTERS else "unicode")

    def __call__(
        self, text: str | Sequence[object], *, threads: int = 1, confidence: bool = False, **search: Any
    ) -> Annotation:
        """Annotate a text, or one sentence of tokens.

        Args:
            text: Running text, which the tokenizer of the model cuts into sentences and tokens; or the tokens of one
                sentence, as for :meth:`annotate`.
            threads: Number of threads. Does not change the result.
            confidence: Give tokens and spans a score: the probability of the label, for a span the least one of its
                tokens.
            **search: Options of the search, see :attr:`search_options`.

        Returns:
            The text with tokens, their character offsets, and everything that the models of the line found.
        """
        from tagloom.systems.text import annotate_sentences, annotate_texts, require_words

        if isinstance(text, str):
            return annotate_texts(self, [text], threads=threads, confidence=confidence, **search)[0]
        require_words(self)
        return annotate_sentences(self, [text], threads=threads, confidence=confidence, **search)[0]

    def pipe(
        self, texts: Iterable[str], *, threads: int = 1, confidence: bool = False, **search: Any
    ) -> Iterator[Annotation]:
        """Annotate a stream of texts: one annotation per text, in their order, with bounded memory."""
        from tagloom.systems.text import pipe_texts

        if isinstance(texts, (str, bytes)):
            raise ConfigError(f"pipe: texts: expected several texts, got one; call this {self.noun} with it instead")
        return pipe_texts(self, texts, threads=threads, confidence=confidence, **search)

    def explain_line(self, tokens: Sequence[object]) -> dict[str, Explanation]:
        """Explain the output of every model of the line and of this one, by the names of the columns that they add."""
        found = self._explain_providers(tokens) if self.line.providers else {}
        return {**found, " ".join(layer.column for layer in self.own_layers): self.explain(tokens)}

    def _explain_providers(self, tokens: Sequence[object]) -> dict[str, Explanation]:
        from tagloom.corpus import rows_to_corpus  # here, because opening a model needs no reader

        corpus = self.line.provide(rows_to_corpus([tokens], self.columns))
        return {
            " ".join(layer.column for layer in each.own_layers): each.explain(
                list(zip(*(corpus.sentence(0, name) for name in each.columns)))
            )
            for each in self.line.providers
        }

    def spans(self, tokens: Sequence[object]) -> list[tuple[int, int, str]]:
        """Find the spans of one sentence: first token, one past the last, label."""
        if not any(layer.scheme is not None for layer in self.own_layers):
            raise ConfigError(f"spans: this {self.noun} does not label spans; use annotate")
        name = self.own_layers[-1].column
        return [(each.first, each.last, each.label) for each in self(tokens).spans if each.layer == name]

    @property
    def noun(self) -> str:
        """What the model is called: "tagger", "parser" ..."""
        from tagloom.systems.registry import get_system

        return get_system(self.system).noun

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that a corpus must have."""
        return self.reads.columns

    def __repr__(self) -> str:
        """Show the signature."""
        return f"<tagloom {self.noun} {self.spec.signature}>"

    def annotate(self, data: Any, *, threads: int = 1, **search: Any) -> Corpus:
        """Add the model's output to some data.

        Args:
            data: Anything that :func:`tagloom.train` takes as data, with or without gold columns.
            threads: Number of threads. Does not change the result.
            **search: Options of the search, see :attr:`search_options`.

        Returns:
            The data as a corpus, with the predicted columns in their places.
        """
        corpus = self.open_corpus(data)
        for name, column in self.predict_columns(corpus, threads=threads, **search).items():
            corpus = corpus.with_column(name, column)
        return corpus

    def predict_columns(self, corpus: Corpus, *, threads: int = 1, **search: Any) -> dict[str, Column]:
        """Predict the columns of ``layers`` for a corpus as it was read, in any normal form."""
        check_threads(threads)
        self.check_search(search)
        provided = self.line.provide_columns(corpus, threads)
        for name, column in provided.items():
            corpus = corpus.with_column(name, column)
        shown = {layer.column for layer in self.layers}
        provided = {name: column for name, column in provided.items() if name in shown}
        form = self.spec.normal_form
        if form is None:
            return {**provided, **self.predict(corpus, threads, **search)}
        from tagloom.corpus.normalise import Recut

        recut = Recut.of(corpus, form)  # type: ignore[arg-type]
        found = self.predict(recut.corpus, threads, **search)
        if recut.corpus.token_count != corpus.token_count and any(layer.kind == "heads" for layer in self.own_layers):
            raise ConfigError(f"{corpus.source}: {form} changes the number of characters; convert the text first")
        return {**provided, **{name: recut.restore(column) for name, column in found.items()}}

    def check_search(self, search: Mapping[str, object]) -> None:
        """Raise :class:`ConfigError` for options of the search that the system does not have."""
        self.search_options.parse({name: value for name, value in search.items() if value is not None})

    def open_corpus(self, data: Any, *, gold: bool = False) -> Corpus:
        """Convert any data to a corpus with the columns that the model reads, as the data has them."""
        from tagloom.systems.data import to_corpus

        return self.reads.adopt(to_corpus(data, attributes=bool(self.reads.bags)), gold=gold)

    def open_provided(self, data: Any, *, gold: bool = False, threads: int = 1) -> Corpus:
        """Do the same with provided columns, in the normal form of the model: what ``predict`` takes."""
        return self.normalise(self.line.provide(self.open_corpus(data, gold=gold), threads))

    def open_sentences(self, sentences: Sequence[Sequence[object]], threads: int = 1) -> Corpus:
        """Convert sentences to what ``predict`` takes: words, rows of words, dicts of columns, or feature dicts."""
        from tagloom.corpus import from_feature_dicts, rows_to_corpus  # here, because opening a model needs no reader

        if self.reads.bags:
            return self.normalise(from_feature_dicts(sentences))
        return self.normalise(self.line.provide(rows_to_corpus(sentences, self.columns), threads))

    def normalise(self, corpus: Corpus) -> Corpus:
        """Convert a corpus to the normal form of the model."""
        from tagloom.corpus.normalise import normalise_corpus

        form: NormalForm | None = self.spec.normal_form  # type: ignore[assignment]
        return corpus if form is None else normalise_corpus(corpus, form)

    def require(self, capability: str, purpose: str) -> None:
        """Raise :class:`ConfigError` unless the system has a capability; ``purpose`` is what the user asked for."""
        if capability not in self.capabilities:
            raise ConfigError(f"{purpose}: a {self.noun} has no such output; leave it out")

    def to_bytes(self, *, names: bool = True) -> bytes:
        """Convert to the bytes of a model file."""
        from tagloom.systems.file import model_to_pieces

        return b"".join(model_to_pieces(self, names=names))

    def save(self, path: str | os.PathLike[str], *, names: bool = True) -> None:
        """Write one safetensors file.

        Args:
            path: File to write. An older file of this name survives unless the new one is complete.
            names: Keep the texts of the features, which ``inspect`` shows.
        """
        from tagloom.corpus.replace import replace_file
        from tagloom.systems.file import model_to_pieces

        replace_file(path, *model_to_pieces(self, names=names))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the bytes of a model file; your own functions, if there are any, are pickled beside them."""
        from tagloom.systems.file import restore_model

        return restore_model, (self.to_bytes(), getattr(self, "functions", None) or None)

    def __copy__(self: ModelT) -> ModelT:
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        return other

    def __deepcopy__(self: ModelT, memo: object) -> ModelT:
        return self  # models are frozen


class Passes(Protocol):
    """A learner at work: passes from the first on, or from where it was when its state was kept."""

    def restore(self, tensors: Tensors) -> None:
        """Take back a state that was kept."""

    def passes(self, seed: int, done: int = 0) -> Iterator[Pass]:
        """Iterate over passes, from the one after ``done`` on."""


class Scorer(Protocol):
    """Scores weights on held-out data that was encoded once."""

    def __call__(self, weights: Any, total: Any = None) -> float:
        """Return the value of the score; ``total`` says how candidates are chosen, if they are."""

    def score(self, weights: Any, total: Any = None) -> Score:
        """Return the score with all its counts."""


class Training(_Annotator, Generic[ModelT]):
    """A training that is ready to learn: its data is checked and encoded. Read by threads, never changed."""

    unit: ClassVar[str] = "tokens"  # what may be in error
    scores_columns: ClassVar[bool] = True  # False: models are scored on text, and ``score_columns`` refuses
    options: TrainingOptions
    data: str = ""  # checksum of the training data as it came, if columns of it are predicted
    notes: Sequence[str] = ()  # on options that were chosen from the data
    on_cluster: bool = False  # the learner works on the workers of the Ray cluster that is connected

    @classmethod
    def prepare(
        cls: type[TrainingT], corpus: Corpus, options: Any, *, provide: Sequence[Provision] = (),
        tokenizer: Tokenizer | None = None, dev: Corpus | None = None, start: Any = None,
        normal_form: str | None = None, report: Report = lambda _: None, parts: PartFiles = NO_PARTS,
    ) -> TrainingT:  # fmt: skip
        """Plan a training, with predicted columns in the place of those that a line will provide in use.

        Without a ``tokenizer``, the models have that of ``start``, or the one that fits the tokens of the corpus.
        Finished models of the line are kept in ``parts``.
        """
        from tagloom.systems.provide import build_line, check_provisions, guess_tokenizer

        line, read = Line(), corpus
        notes: Sequence[str] = ()
        if start is not None and start.line.providers:
            line, read = start.line, start.line.provide(corpus, options.threads)
        elif start is None:
            check_provisions(corpus, provide, cls.list_targets(corpus, options), options.noun)
            provisions = [*provide, *cls.list_provisions(corpus, options)]
            line, read = build_line(corpus, provisions, normal_form, options.threads, report, parts)
            options, notes = cls.complete_options(read, options, line.columns)
        training = cls.plan(read, options, start=start, normal_form=normal_form, report=report)
        cutter = tokenizer or line.tokenizer or (None if start is None else start.line.tokenizer)
        training.line = replace(line, tokenizer=cutter or guess_tokenizer(corpus))
        training.data, training.notes = corpus.checksum() if line.providers else "", notes
        return training

    @property
    def can_diverge(self) -> bool:
        """Whether steps can be so large that weights grow beyond all numbers."""
        return False

    def describe_divergence(self, epoch: int) -> str:
        """Say that weights grew beyond all numbers in a pass, and what to try."""
        return f"training diverged in pass {epoch}: weights are no longer finite numbers"

    @classmethod
    def complete_options(cls, corpus: Corpus, options: Any, provided: Sequence[str] = ()) -> tuple[Any, Sequence[str]]:
        """Choose from the data what the user does not state; return complete options, and a note on each choice.

        ``provided`` are columns that the model will predict itself.
        """
        return options, ()

    @classmethod
    def list_alternatives(cls, corpus: Corpus, options: Any) -> Sequence[Step]:
        """List what is worth trying in the place of the defaults, where the user states nothing."""
        return ()

    @classmethod
    def list_targets(cls, corpus: Corpus, options: Any) -> tuple[str, ...]:
        """List the columns that are learned, which nothing can provide."""
        return ()

    @classmethod
    def list_provisions(cls, corpus: Corpus, options: Any) -> list[Provision]:
        """List the columns that models of this system have predicted in any case; refuse what :meth:`plan` would."""
        return []

    @classmethod
    @abstractmethod
    def plan(
        cls: type[TrainingT], corpus: Corpus, options: Any, *,
        start: Any = None, normal_form: str | None = None, report: Report = lambda _: None,
    ) -> TrainingT:  # fmt: skip
        """Check and encode the data. What is wrong is refused before the long work."""

    @classmethod
    def check_gold(cls, corpus: Corpus, options: Any, trained_on: Corpus) -> None:
        """Refuse a corpus that could not be scored, before the long work."""

    @property
    @abstractmethod
    def summary(self) -> str:
        """The sizes of the encoded data in one line."""

    @abstractmethod
    def begin(self, total: Any) -> Passes:
        """Build the learner with the weights that it begins from; ``total`` is what :attr:`total` was at first."""

    def build_scorer(self, corpus: Corpus) -> Scorer:
        """Encode held-out data once, with provided columns, to score weights on it."""
        return self.encode_gold(self.line.provide(corpus, self.options.threads))

    @abstractmethod
    def encode_gold(self, corpus: Corpus) -> Scorer:
        """Encode held-out data with all columns that the model itself reads."""

    @abstractmethod
    def check_weights(self, weights: Any, total: Any = None) -> None:
        """Raise ValueError if weights of a checkpoint do not fit."""

    @abstractmethod
    def identify(self, dev: Corpus | None) -> dict[str, str]:
        """List everything that decides what is learned, by name: equal identities learn equal weights."""

    def build_model(self, learned: Learned) -> ModelT:
        """Build the model of what was learned, with its line; a tokenizer needs no other before it."""
        model = self.freeze(learned)
        return model.with_line(replace(self.line, tokenizer=None) if model.is_tokenizer else self.line)

    @abstractmethod
    def freeze(self, learned: Learned) -> ModelT:
        """Build the model itself of what was learned."""

    def calibrate(self, model: ModelT, learned: Learned, dev: Corpus | None, report: Report) -> ModelT:
        """Return the model with confidences that were calibrated on held-out data, if its system has such.

        ``learned`` is what :meth:`freeze` built the model from.
        """
        return model

    @property
    @abstractmethod
    def signature(self) -> Signature:
        """The signature of the models to come, without the pass that will be kept."""

    @classmethod
    def require_columns(cls, noun: str, purpose: str) -> None:
        """Raise :class:`ConfigError` if models are scored on text; ``purpose`` is what the user asked for."""
        if not cls.scores_columns:
            raise ConfigError(f"{purpose}: a {noun} is scored on text, not on columns; score it with evaluate")

    @abstractmethod
    def score_columns(self, corpus: Corpus, predicted: Mapping[str, Column]) -> Score:
        """Score predicted columns against the gold columns of a corpus."""

    @property
    def fixed_options(self) -> dict[str, object]:
        """Options that were resolved on this data, and must hold for parts of it, too."""
        return {}

    @property
    @abstractmethod
    def sizes(self) -> dict[str, int]:
        """The numbers of features and labels, or what a system has in their place."""

    @property
    def total(self) -> Any:
        """How candidates are chosen, if they are; made anew for every run."""
        return None

    def share(self, options: Any) -> Training[ModelT]:
        """Plan another training on the same features; options that shape the features must agree."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, options=options)
        return other

    def list_notes(self, corpora: Sequence[Corpus]) -> list[Progress]:
        """List what is to be said about the data before the training begins."""
        from tagloom.systems.learning import Progress

        return [Progress("note", note) for note in self.notes]
