"""SegmentModel: frozen weights and feature tables that find segments. Shared freely by threads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.arguments import check_methods
from tagloom.corpus import Column, Corpus
from tagloom.corpus.corpus import CodeArray
from tagloom.corpus.layers import LABELS, Layer
from tagloom.corpus.spans import Spans, decode_spans
from tagloom.errors import ConfigError
from tagloom.features import Resource
from tagloom.structures import Chain
from tagloom.structures.chain import NO_CONSTRAINTS
from tagloom.systems.base import CONFIDENCE, MARGINALS, Functions, Model, Reads
from tagloom.systems.labels import find_gold_scheme
from tagloom.systems.options import check_threads
from tagloom.systems.segments.encode import SegmentEncoder, SegmentTables, find_roles
from tagloom.systems.segments.layout import SEGMENTS
from tagloom.systems.segments.spec import SegmentSpec
from tagloom.systems.tables import Description, tabulate_history
from tagloom.systems.tagger.model import HashedWords
from tagloom.systems.tagger.writer import LabelWriter

if TYPE_CHECKING:
    from tagloom.evaluate import Score
    from tagloom.features.tensors import Tensors
    from tagloom.systems.data import Data
    from tagloom.systems.segments.explain import SegmentExplanation

#: Options that the spec has under the same name.
_SAME = ("templates", "segment_templates", "label", "scheme", "longest", "learner", "cutoff", "segment_cutoff",
         "seed")  # fmt: skip


@dataclass(frozen=True)
class SegmentParameters:
    """The arrays of a segment tagger: what learning produced."""

    labels: tuple[str, ...]
    weights: NDArray[np.float32]
    node_keys: NDArray[np.uint64]
    segment_keys: NDArray[np.uint64]
    known_words: NDArray[np.uint64]


@check_methods()
class SegmentModel(Model):
    """A trained segment tagger. Make one with ``tagloom.train(..., system="segments")`` or :func:`tagloom.load`."""

    system = "segments"
    layout = SEGMENTS
    spec: SegmentSpec
    capabilities = frozenset({CONFIDENCE, MARGINALS})

    def __init__(
        self, spec: SegmentSpec, parameters: SegmentParameters, resources: Mapping[str, Resource] | None = None,
        functions: Functions | None = None,
    ) -> None:  # fmt: skip
        self.spec, self.parameters = spec, parameters
        self.resources, self.functions = dict(resources or {}), dict(functions or {})
        vocabulary = spec.build_vocabulary(self.resources, functions)
        self.encoder = SegmentEncoder(spec.templates, spec.segment_templates, vocabulary)
        self.types, roles = find_roles(parameters.labels, spec.decided)
        tables = _core.FeatureTable(parameters.node_keys), _core.FeatureTable(parameters.segment_keys)
        structure = Chain(parameters.labels, spec.decided)
        chain = structure.compile(sum(map(len, tables)), self.encoder.tokens.templates.transitions)
        if len(parameters.weights) != chain.size:
            raise ValueError("the weights do not fit the feature tables")
        self.tables = SegmentTables(chain, *tables, roles, spec.longest)
        self._writer = LabelWriter(parameters.labels, spec.decided, spec.written)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels in which tokens are scored."""
        return self.parameters.labels

    @property
    def own_reads(self) -> Reads:
        """All columns of the training data, or those in use; with or without label."""
        columns, own, label = self.spec.columns, self.encoder.columns, self.spec.label
        return Reads(own, (label,), (columns, (*columns, label), own, (*own, label)))

    @property
    def main(self) -> str:
        """The column of the words."""
        return self.encoder.main

    @property
    def own_layers(self) -> tuple[Layer, ...]:
        """One column of labels, which write the segments."""
        return (Layer(self.spec.label, LABELS, self.spec.written),)

    @property
    def own_inventory(self) -> Mapping[str, Sequence[str]]:
        """The types of segments."""
        return {self.spec.label: self.types}

    @property
    def known_words(self) -> Container[str] | None:
        """The words of the training data, known by their hashes."""
        return HashedWords(self.parameters.known_words)

    def __repr__(self) -> str:
        """Show signature and types."""
        return f"<tagloom.SegmentModel {self.spec.signature}: {' '.join(self.types)}>"

    # -- finding segments ---------------------------------------------------------------------------------------------

    def tag(self, tokens: Sequence[object]) -> list[str]:
        """Write the segments of one sentence as labels."""
        return self.tag_many([tokens])[0]

    def tag_many(self, sentences: Sequence[Sequence[object]], *, threads: int = 1) -> list[list[str]]:
        """Write the segments of many sentences as labels."""
        corpus = self.open_sentences(sentences)
        column = self.predict(corpus, threads)[self.spec.label]
        return _core.label_lists(column.codes, corpus.sentences, column.strings.strings())

    def tag_corpus(self, data: Data, threads: int = 1) -> Column:
        """Write the segments of a corpus as a column of labels."""
        return self.predict_columns(self.open_corpus(data), threads=threads)[self.spec.label]

    def predict(self, corpus: Corpus, threads: int, **search: Any) -> dict[str, Column]:
        """Predict the column of labels."""
        codes = self._decode(self._encode(corpus, threads), threads)
        return {self.spec.label: self._writer.write_column(codes, corpus.sentences)}

    def _encode(self, corpus: Corpus, threads: int = 1) -> _core.ChainData:
        """Encode a corpus in the features of the model."""
        check_threads(threads)
        return self.tables.encode(self.encoder, corpus, threads)

    def _decode(self, data: _core.ChainData, threads: int = 1) -> CodeArray:
        """Find the best segments of encoded sentences, as codes of labels."""
        codes, _ = data.decode_allowed(self.parameters.weights, NO_CONSTRAINTS, threads)
        return codes

    # -- probabilities ------------------------------------------------------------------------------------------------

    @property
    def has_probabilities(self) -> bool:
        """Whether the learner has maximised a likelihood, so that the scores are log probabilities."""
        return self.spec.has_likelihood

    def _require_probabilities(self, what: str) -> None:
        if not self.has_probabilities:
            raise ConfigError(
                f"{what}: the scores of {self.spec.learner} are not probabilities; train with a learner such as sgd"
            )

    def marginals(self, tokens: Sequence[object], *, calibrated: bool = True) -> NDArray[np.float32]:
        """Compute P(label | tokens) of every token of one sentence: an array [T][L] in the order of ``labels``.

        ``calibrated`` changes nothing: these probabilities need no calibration.
        """
        self._require_probabilities("marginals")
        return self._find_marginals(self.open_sentences([tokens]), 1)

    def marginals_corpus(self, data: Data, threads: int = 1) -> NDArray[np.float32]:
        """Compute P(label | sentence) of every token of a corpus: an array [N][L] in the order of ``labels``."""
        self._require_probabilities("marginals")
        check_threads(threads)
        return self._find_marginals(self.open_provided(data, threads=threads), threads)

    def _find_marginals(self, corpus: Corpus, threads: int) -> NDArray[np.float32]:
        found, _ = self._encode(corpus, threads).marginals(self.parameters.weights, NO_CONSTRAINTS, threads)
        return found.reshape(-1, len(self.labels))

    def confidences(self, data: Data, threads: int = 1, **search: Any) -> tuple[Column, NDArray[np.float32]]:
        """Tag a corpus; also return P(label | sentence) of each of its labels."""
        self._require_probabilities("confidences")
        check_threads(threads)
        self.check_search(search)
        corpus = self.open_provided(data, threads=threads)
        encoded = self._encode(corpus, threads)
        codes = self._decode(encoded, threads)
        found, _ = encoded.marginals(self.parameters.weights, NO_CONSTRAINTS, threads)
        chosen = found.reshape(-1, len(self.labels))[np.arange(len(codes)), codes]
        return self._writer.write_column(codes, corpus.sentences), chosen

    # -- looking inside -----------------------------------------------------------------------------------------------

    def evaluate(self, data: Data, *, rule: str = "conlleval", threads: int = 1, **search: Any) -> Score:
        """Score the segments against those of the labels of some data.

        Args:
            data: Anything that :func:`tagloom.train` takes as data, with labels or spans.
            rule: "conlleval", "strict" or "accuracy", see :func:`tagloom.score`.
            threads: Number of threads. Does not change the result.
            **search: No options: a segment tagger has none.
        """
        from tagloom.evaluate import score  # here, because finding segments needs none of it

        self.check_search(search)
        corpus = self.open_provided(data, gold=True, threads=threads)
        gold = corpus.column(self.spec.label)
        scheme = find_gold_scheme(gold, corpus.sentences, self.spec.written)
        predicted = self.predict(corpus, threads)[self.spec.label]
        forms = corpus.column(self.main)
        known = np.isin(forms.strings.hashes(), self.parameters.known_words)[forms.codes]
        result = score(gold, predicted, corpus.sentences, rule=rule, scheme=scheme, known=known)
        return result.with_signature(self.spec.signature)

    def explain(self, tokens: Sequence[object]) -> SegmentExplanation:
        """Explain one sentence: every segment, the best other reading of its tokens, and the features that decided."""
        from tagloom.systems.segments.explain import explain_segments

        return explain_segments(self, self.open_sentences([tokens]))

    def describe(self, **options: Any) -> Description:
        """Describe what the model was made of."""
        return _describe_model(self, **options)

    def read_training_options(self) -> dict[str, Any] | None:
        """Read the options of the training."""
        from tagloom.systems.resources import require_functions, reuse_resources

        spec, vocabulary = self.spec, self.encoder.vocabulary
        return {
            **spec.settings,
            **({"cost": spec.costs} if spec.costs else {}),
            **{name: getattr(spec, name) for name in _SAME},
            "epochs": spec.trained_epochs,
            "attributes": require_functions(vocabulary.word_functions),
            "sentence_attributes": require_functions(vocabulary.sentence_functions),
            "resources": reuse_resources(self, {}),
        }

    def check_labels(self, corpus: Corpus) -> list[str]:
        """List types of segments in a corpus that did not occur in the training data."""
        gold = corpus.column(self.spec.label)
        scheme = find_gold_scheme(gold, corpus.sentences, self.spec.written)
        if scheme is None:
            return []
        spans = decode_spans(gold.strings.strings(), gold.codes, corpus.sentences, scheme)
        counts = Counter(name for *_, name in spans.tuples() if name not in self.types)
        if not counts:
            return []
        names = ", ".join(f"{name} {count}" for name, count in counts.most_common())
        return [f"{corpus.source}: segments of types never seen in training, and how many: {names}"]

    def find_spans(self, corpus: Corpus, threads: int = 1) -> Spans:
        """Find the segments of a corpus; places are counted through the corpus."""
        codes = self._decode(self._encode(corpus, threads), threads)
        return decode_spans(list(self.labels), codes, corpus.sentences, self.spec.decided)

    # -- files ---------------------------------------------------------------------------------------------------------

    def to_tensors(self, *, names: bool = True) -> Tensors:
        """Convert weights, feature tables and labels to arrays."""
        from tagloom.systems.file import pack_names

        arrays = {name: getattr(self.parameters, name) for name in ("node_keys", "segment_keys", "known_words")}
        return {**pack_names("labels", self.labels), **arrays, "weights": self.parameters.weights}

    @classmethod
    def from_tensors(
        cls, spec: str, tensors: Tensors, resources: dict[str, Resource], functions: Functions | None
    ) -> SegmentModel:
        """Build a model from its spec and arrays."""
        from tagloom.systems.file import unpack_names

        names = "weights", "node_keys", "segment_keys", "known_words"
        parameters = SegmentParameters(unpack_names("labels", tensors), **{name: tensors[name] for name in names})
        return cls(SegmentSpec.from_json(spec), parameters, resources, functions)


def _describe_model(model: SegmentModel) -> Description:
    spec, parameters = model.spec, model.parameters
    facts = {
        "writes": f"{spec.label} in {spec.written_scheme}",
        "scheme": spec.scheme,
        "types": " ".join(model.types),
        "templates": "; ".join(str(spec.templates).splitlines()),
        "segment templates": "; ".join(str(spec.segment_templates).splitlines()),
        "segments": f"{spec.longest} tokens at most have features of their own",
    }
    sizes = {
        "labels": len(parameters.labels),
        "types": len(model.types),
        "token_features": len(parameters.node_keys),
        "segment_features": len(parameters.segment_keys),
        "weights": len(parameters.weights),
        "known_words": len(parameters.known_words),
    }
    details = {"labels": list(parameters.labels), "types": list(model.types)}
    return Description(facts, sizes, [tabulate_history(spec.history, spec.best_epoch)], details)
