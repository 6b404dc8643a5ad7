"""Inference: tables, masks and sessions of a tagger; from words to the labels that it decides on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.arguments import check_methods
from tagloom.corpus import Corpus
from tagloom.corpus.corpus import CodeArray
from tagloom.corpus.schemes import match_labels
from tagloom.errors import ConfigError
from tagloom.features import Batch, DocumentFunction, FeatureEncoder, Resource, Vocabulary
from tagloom.features.attributes import DocumentAttribute, SentenceFunction, WordFunction
from tagloom.structures import Chain, Constraint
from tagloom.structures.chain import NO_CONSTRAINTS
from tagloom.structures.consistency import SpanClasses
from tagloom.structures.global_features import PreparedFeatures
from tagloom.structures.sequences import DOCUMENTS, JOINED, Sequences
from tagloom.systems.options import MOST_CANDIDATES, check_threads, check_whole_number
from tagloom.systems.tagger.candidates import find_ranked_lists
from tagloom.systems.tagger.decode import (
    build_history_search,
    choose_decoder,
    choose_threshold,
    divide_weights,
    require_sequences,
)
from tagloom.systems.tagger.documents import EncodedDocuments, NonlocalParts, Total
from tagloom.systems.tagger.parameters import NO_WEIGHTS, HashArray, Parameters, WeightArray
from tagloom.systems.tagger.rerank.reranker import Reranker, select_batch_columns
from tagloom.systems.tagger.session import Session
from tagloom.systems.tagger.spec import TaggerSpec
from tagloom.systems.tagger.writer import LabelWriter

NO_GOLD: CodeArray = np.zeros(0, np.int32)
NO_ROWS: NDArray[np.uint32] = np.zeros(0, np.uint32)
#: The name of a decoder, and its settings where it goes from label to label.
_Decoding = tuple[str, _core.SearchSettings | None]


@check_methods()
class Inference:
    """What a tagger tags with: tables, masks, sessions. Frozen; shared freely by threads."""

    def __init__(
        self,
        spec: TaggerSpec,
        parameters: Parameters,
        resources: Mapping[str, Resource] | None = None,
        functions: Mapping[str, Callable[..., object]] | None = None,
    ) -> None:
        self.spec = spec
        self.parameters = parameters
        self.resources = dict(resources or {})
        self.functions = dict(functions or {})  # the user's own, by name
        self.structure = Chain(parameters.labels, spec.decided, *spec.order)
        vocabulary = _vocabulary(spec, self.resources, functions or {})
        self.encoder: FeatureEncoder = FeatureEncoder(spec.templates, vocabulary)
        self._nodes = _table(parameters.node_keys, spec.buckets)
        self._edges = _table(parameters.edge_keys, spec.buckets if spec.templates.edges else 0)
        pairs = parameters.edge_offsets, parameters.edge_pairs
        self.chain = self.structure.compile(len(self._nodes), spec.templates.transitions, *pairs)  # layout of weights
        if len(parameters.edge_offsets) != len(self._edges) + 1 or len(parameters.weights) != self.chain.size:
            raise ValueError("the weights do not fit the feature tables")
        if len(parameters.second_weights) not in (0, self.chain.size):
            raise ValueError("the second weights do not fit the feature tables")
        if self.is_precise and not np.array_equal(parameters.exact_weights.astype(np.float32), parameters.weights):
            raise ValueError("the weights are not the exact ones in single precision")
        if (spec.tag_dictionary > 0) != (parameters.tag_dictionary is not None):
            raise ValueError("the tag dictionary does not fit the spec")
        self.total = _total(spec, parameters, functions or {})
        self.reranker = self._own_reranker()
        self._sessions: list[Session] = []
        self._writer = LabelWriter(parameters.labels, spec.decided, spec.written)
        self._searches: dict[tuple[str | None, int | None, int | None, float | None], _Decoding] = {}

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels the model decides on."""
        return self.parameters.labels

    @property
    def is_precise(self) -> bool:
        """Whether the weights are known in double precision."""
        return len(self.parameters.exact_weights) > 0

    @property
    def weights(self) -> WeightArray:
        """The weights, in the precision in which they are known."""
        return self.parameters.exact_weights if self.is_precise else self.parameters.weights

    @cached_property
    def _exact(self) -> tuple[NDArray[np.float64], float]:
        """The weights, and the largest of them, if they are known in double precision."""
        weights = self.parameters.exact_weights
        return weights, float(np.abs(weights).max(initial=0))

    @cached_property
    def probability_weights(self) -> WeightArray:
        """The weights that marginals and posterior decoding are computed with.

        The score of a chain is linear in its weights, so P(labels | tokens) at a temperature T, which is proportional
        to exp(score / T), is that of a chain with all weights divided by T. They are computed once; threads that come
        first at the same time compute the same array.
        """
        temperature = self.spec.temperature
        return self.weights if temperature in (None, 1.0) else divide_weights(self.weights, temperature)

    def _own_reranker(self) -> Reranker | None:
        spec, parameters = self.spec.reranker, self.parameters.reranker
        if (spec is None) != (parameters is None):
            raise ValueError("the re-ranker does not fit the spec")
        if spec is None or parameters is None:
            return None
        functions: dict[str, DocumentFunction | None] = {name: self.functions.get(name) for name in spec.functions}  # type: ignore[misc]
        return Reranker(spec, parameters, self.encoder.vocabulary, self.labels, self.spec.decided, functions)

    def batch_sequences(self, corpus: Corpus) -> tuple[Batch, Sequences]:
        """Encode the words of a corpus, and cut it into what the model labels as one."""
        batch = self.encoder.batch(corpus)
        if corpus.has_documents:
            return self._layout(batch, Sequences.of_documents(corpus))
        return batch, Sequences.of_sentences(batch.sentences)

    def _layout(self, batch: Batch, documents: Sequences) -> tuple[Batch, Sequences]:
        """Arrange the sentences of a batch as in training: apart, in documents, or joined."""
        if self.spec.sequences == JOINED:
            return replace(batch, sentences=documents.offsets, documents=None), Sequences.of_sentences(
                documents.offsets
            )
        if self.spec.sequences == DOCUMENTS:
            return batch, documents
        return batch, Sequences.of_sentences(batch.sentences)

    def _decode(
        self,
        session: Session,
        batch: Batch,
        flags: NDArray[np.uint8],
        threads: int,
        decoder: str | None = None,
        sequences: Sequences | None = None,
        *,
        candidates: int | None = None,
        depth: int | None = None,
        beam: int | None = None,
        threshold: float | None = None,
    ) -> CodeArray:
        check_threads(threads)
        decoder, search = self._choose(decoder, depth, beam, threshold)
        if candidates is not None and decoder not in ("rescored", "reranked"):
            if self.reranker is None:
                self._candidates(candidates)
            raise ConfigError(f"candidates: decoder {decoder!r} chooses among none; leave it out")
        allowed = self._allowed(batch, flags)
        if decoder == "reranked":
            return self._chosen(session, self._documents(session, batch, sequences), allowed, threads, candidates)
        if decoder == "rescored":
            total, own = self._candidates(candidates), self.parameters
            weights = own.weights, own.second_weights, own.nonlocal_weights
            scores: NDArray[np.floating]
            labels, scores = self._documents(session, batch, sequences).decode(total, weights, allowed, threads)
        elif decoder == "posterior":
            data = self._encode(session, batch)
            decode = data.decode_posterior_exact if self.is_precise else data.decode_posterior
            labels, scores = decode(self.probability_weights, allowed, threads)
        elif decoder == "spans":
            data, least = self._encode(session, batch), choose_threshold(self.spec, threshold)
            decode_spans = data.decode_spans_exact if self.is_precise else data.decode_spans
            labels, scores = decode_spans(self.probability_weights, *self._roles, least, allowed, threads)
        elif batch.rows is not None:
            found, exact = (self.parameters.weights, batch.rows), self._exact
            labels, scores = _core.decode_items(self.chain, *found, allowed, threads, search, *exact)
        elif self.is_precise and search is None:
            labels, scores = self._encode(session, batch).decode_exact(self.weights, allowed, threads)
        else:
            labels, scores = _core.decode_words(
                self.chain, self.parameters.weights, session.store, batch.codes, batch.sentences,
                self._nodes, self._edges, allowed, threads, search,
            )  # fmt: skip
        if len(flags):
            require_sequences(scores, self.spec.scheme)
        return labels

    @cached_property
    def _roles(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """The class of every label, and whether it always begins or ends a span."""
        return SpanClasses.of(self.labels, self.spec.decided).roles

    def _choose(
        self, decoder: str | None, depth: int | None = None, beam: int | None = None, threshold: float | None = None
    ) -> _Decoding:
        """The decoder by its name, and how it goes from label to label; looked up once for every choice."""
        key = decoder, depth, beam, threshold
        try:
            found = self._searches.get(key)
        except TypeError:  # a value that cannot be a key cannot be a choice either, which is refused below
            found = None
        if found is None:
            name = choose_decoder(self.spec, decoder, depth, beam, threshold)
            search = build_history_search(self.spec, name, depth, beam)
            found = self._searches[key] = name, None if search is None else search.core()
        return found

    def _chosen(
        self,
        session: Session,
        documents: EncodedDocuments,
        allowed: NDArray[np.uint8],
        threads: int,
        candidates: int | None,
    ) -> CodeArray:
        """Decode by the choice of the re-ranker."""
        assert self.reranker is not None
        n = self.reranker.spec.candidates if candidates is None else candidates
        check_whole_number("candidates", n, 1, MOST_CANDIDATES)
        lists = find_ranked_lists(self, documents, n, allowed, threads)
        return self.reranker.choose(self._prepare(session, documents), lists, threads)

    def _prepare(self, session: Session, documents: EncodedDocuments) -> PreparedFeatures:
        assert self.reranker is not None
        features = self.reranker.features
        if session.global_store is None:
            session.global_store = features.encoder.new_store()
        batch = select_batch_columns(documents.batch, self.encoder.columns, features.columns)
        return features.prepare(batch, documents.sequences, session.global_store)

    def _candidates(self, candidates: int | None) -> Total:
        """How to choose among so many candidates; None: as many as the model was trained for."""
        if self.total is None:
            what = "decoder 'rescored'" if candidates is None else "candidates"
            raise ConfigError(f"{what}: this model has no features of documents (see learner nonlocal-perceptron)")
        if candidates is None:
            return self.total
        check_whole_number("candidates", candidates, 1, MOST_CANDIDATES)
        return replace(self.total, candidates=candidates)

    def encode_corpus(self, corpus: Corpus) -> tuple[Session, EncodedDocuments, NDArray[np.uint8]]:
        """Encode a corpus, cut into what the model labels as one; also flag labels that tokens may take (none: any)."""
        session, batch, sequences = self._open(corpus)
        return session, self._documents(session, batch, sequences), self._allowed(batch)

    def encode_chains(self, corpus: Corpus) -> tuple[_core.ChainData, NDArray[np.uint8]]:
        """Encode a corpus in chains that have marginals: sentences, or joined documents; flags as above."""
        session, batch, _ = self._open(corpus)
        return self._encode(session, batch), self._allowed(batch)

    def _open(self, corpus: Corpus) -> tuple[Session, Batch, Sequences]:
        """Open a session for the words of a corpus."""
        batch, sequences = self.batch_sequences(corpus)
        session = self._new_session()
        self.encoder.prepare(session.store, batch)
        return session, batch, sequences

    def _read(self, session: Session, sentences: Sequence[object]) -> Batch:
        """Read sentences; the features of feature dicts are looked up at once where nothing else needs their names."""
        if self._finds_items:
            return Batch.of_rows(self.encoder.find_rows(self._nodes, sentences))
        return session.read(sentences)

    def _label_items(self, sequences: object, threads: int, decoding: _Decoding) -> list[list[str]]:
        """Label feature dicts in one go."""
        check_threads(threads)
        rows, search = self.encoder.find_rows(self._nodes, sequences), decoding[1]
        own = self.parameters.weights, rows, self._writer.labels
        return _core.label_items(self.chain, *own, threads, search, *self._exact)

    @cached_property
    def _finds_items(self) -> bool:
        has_names = self.encoder.item_seed is None or self.spec.normal_form or self.spec.tag_dictionary
        return not (has_names or self.total or self.reranker)

    def _encode(self, session: Session, batch: Batch, gold: CodeArray = NO_GOLD) -> _core.ChainData:
        """Look up the features of a batch."""
        if batch.rows is not None:
            no_edges = np.zeros(len(batch.codes[0]) + 1, np.int64), NO_ROWS, NO_WEIGHTS
            return _core.ChainData(self.chain, *batch.rows.arrays(), *no_edges, batch.sentences, gold)
        nodes, edges = _core.encode(session.store, batch.codes, batch.sentences, self._nodes, self._edges)
        return _core.ChainData(self.chain, *nodes, *edges, batch.sentences, gold)

    def _documents(self, session: Session, batch: Batch, sequences: Sequences | None = None) -> EncodedDocuments:
        """Encode a batch; every sentence is a document unless sequences are given."""
        data = self._encode(session, batch)
        if sequences is None:
            return EncodedDocuments(data, self.encoder, batch, Sequences.of_sentences(batch.sentences))
        return EncodedDocuments(sequences.cut(data), self.encoder, batch, sequences)

    def _allowed(self, batch: Batch, given: NDArray[np.uint8] = NO_CONSTRAINTS) -> NDArray[np.uint8]:
        """Flags of the labels that tokens may take, by the tag dictionary inside the user's; empty: any label."""
        dictionary = self.parameters.tag_dictionary
        if dictionary is None:
            return given
        return dictionary.flags(self.chain, self.encoder.words(batch), batch.sentences, given)

    def _flags(self, constraints: Sequence[Sequence[Constraint]] | None, batch: Batch) -> NDArray[np.uint8]:
        if constraints is None:
            return NO_CONSTRAINTS
        lengths = np.diff(batch.sentences).tolist()
        if not isinstance(constraints, Sequence) or len(constraints) != len(lengths):
            raise ConfigError(f"constraints: expected a list a sentence, {len(lengths)} in all")
        for number, (given, length) in enumerate(zip(constraints, lengths), 1):
            if isinstance(given, str) or not isinstance(given, Sequence) or len(given) != length:
                raise ConfigError(f"constraints of sentence {number}: expected a list of {length}, one per token")
        return self.structure.constraint_flags(constraints, self._written)

    @property
    def label_numbers(self) -> dict[str, list[int]]:
        """The numbers of the labels that may be written as a label of the training data, by that label."""
        return self._written or {label: [number] for number, label in enumerate(self.labels)}

    @cached_property
    def _written(self) -> dict[str, list[int]]:
        """The numbers of the labels that are written as a label of the training data, where its scheme is another."""
        decided, written = self.spec.decided, self.spec.written
        return (
            {}
            if decided is None or written is None or decided == written
            else (match_labels(self.structure.labels, decided, written))
        )

    def _session(self) -> _Loan:
        """Borrow a session that nobody else uses."""
        return _Loan(self)

    def _new_session(self) -> Session:
        return Session(self.encoder, self.spec.normal_form)


class _Loan:
    """A session while it is borrowed; list.pop and list.append are atomic, so threads need no lock."""

    __slots__ = ("_owner", "_session")

    def __init__(self, owner: Inference) -> None:
        self._owner = owner

    def __enter__(self) -> Session:
        try:
            self._session = self._owner._sessions.pop()
        except IndexError:
            self._session = self._owner._new_session()
        return self._session

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None and not self._session.is_full:  # a session whose use failed is not handed on
            self._owner._sessions.append(self._session)


def _total(spec: TaggerSpec, parameters: Parameters, functions: Mapping[str, Callable[..., object]]) -> Total | None:
    """How the model chooses among candidates; None: it has no features of documents."""
    if not (spec.document_features or spec.document_functions):
        return None
    if spec.search is not None:
        raise ValueError("a history-based model has no features of documents")
    names = _core.StringTable()
    names.intern_all(list(parameters.nonlocal_names))
    own: dict[str, DocumentFunction | None] = {name: functions.get(name) for name in spec.document_functions}  # type: ignore[misc]
    classes = SpanClasses.of(parameters.labels, spec.decided)
    parts = NonlocalParts(spec.document_features, own, classes, parameters.labels, names)
    if len(parameters.nonlocal_weights) > len(parts.feature_names()):
        raise ValueError("the weights do not fit the features of documents")
    return Total(parts, len(parameters.second_weights) > 0, spec.candidates)


def _table(keys: HashArray, buckets: int) -> _core.FeatureTable:
    return _core.FeatureTable.hashed(buckets) if buckets else _core.FeatureTable(keys)


def _vocabulary(
    spec: TaggerSpec, resources: Mapping[str, Resource], functions: Mapping[str, Callable[..., object]]
) -> Vocabulary:
    words: dict[str, WordFunction | None] = {name: functions.get(name) for name in spec.word_functions}  # type: ignore[misc]
    sentences: dict[str, SentenceFunction | None] = {name: functions.get(name) for name in spec.sentence_functions}  # type: ignore[misc]
    documents: dict[str, DocumentAttribute | None] = {name: functions.get(name) for name in spec.document_attributes}  # type: ignore[misc]
    return Vocabulary(spec.columns, frozenset(spec.bags), words, sentences, resources, documents)
