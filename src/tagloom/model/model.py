"""Model: frozen weights, feature tables and spec; tags, scores, explains, saves. Shared freely by threads."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus import Column, Corpus
from tagloom.corpus.corpus import CodeArray, IntArray
from tagloom.corpus.schemes import cuts_text
from tagloom.errors import ConfigError
from tagloom.features import Batch, DocumentFunction, FeatureEncoder, Resource, Vocabulary
from tagloom.features.attributes import SentenceFunction, WordFunction
from tagloom.model.candidates import Candidate, nbest, ranked_lists, texts_of
from tagloom.model.decoders import chosen_decoder, history_search, require_probabilities
from tagloom.model.documents import EncodedDocuments, NonlocalParts, Total
from tagloom.model.explain import Explanation, explain_batch
from tagloom.model.labels import gold_scheme, written_labels
from tagloom.model.names import FeatureNames
from tagloom.model.numbers import MOST_CANDIDATES, check_threads, check_whole_number
from tagloom.model.posterior import encoded, label_codes, require_sequences
from tagloom.model.reranking.choice import RankedCandidate, ranked_candidates
from tagloom.model.reranking.reranker import RankerParameters, Reranker, prepare
from tagloom.model.reranking.spec import RerankerSpec
from tagloom.model.session import Session
from tagloom.model.spec import ModelSpec
from tagloom.structures import Chain, Constraint
from tagloom.structures.chain import NO_CONSTRAINTS
from tagloom.structures.consistency import SpanClasses
from tagloom.structures.global_features import PreparedFeatures
from tagloom.structures.sequences import DOCUMENTS, JOINED, Sequences
from tagloom.structures.tag_dictionary import TagDictionary

if TYPE_CHECKING:
    from tagloom.evaluate import Score
    from tagloom.model.training import Data

HashArray = NDArray[np.uint64]
NO_WEIGHTS: NDArray[np.float32] = np.zeros(0, np.float32)


@dataclass(frozen=True)
class Parameters:
    """The arrays of a model: what learning produced."""

    labels: tuple[str, ...]
    weights: NDArray[np.float32]  # node rows [F][stride], transitions [L][stride], edge weights, triples
    node_keys: HashArray  # [F]; empty with feature hashing
    edge_keys: HashArray  # [E]
    edge_offsets: IntArray  # [E + 1]
    edge_pairs: NDArray[np.uint32]
    known_words: HashArray  # hashes of the training words, ascending
    tag_dictionary: TagDictionary | None = None  # of the labels that frequent words may take
    node_names: FeatureNames | None = None  # [F]; None: stripped
    edge_names: FeatureNames | None = None
    # Weights that choose among candidates, where others find them (re-ranking 2).
    second_weights: NDArray[np.float32] = field(default_factory=lambda: NO_WEIGHTS)
    # Of the native non-local features, then of those of functions.
    nonlocal_weights: NDArray[np.float32] = field(default_factory=lambda: NO_WEIGHTS)
    nonlocal_names: tuple[str, ...] = ()  # of the latter
    reranker: RankerParameters | None = None  # of what chooses among candidates, if something does


class HashedWords:
    """A set of words known by their hashes; serves where a scorer asks ``word in lexicon``."""

    def __init__(self, hashes: HashArray) -> None:
        self._hashes = frozenset(hashes.tolist())

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and _core.hash_string(word) in self._hashes

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return len(self._hashes)


class Model:
    """A trained model. Make one with :func:`tagloom.train` or :func:`tagloom.load`."""

    def __init__(
        self,
        spec: ModelSpec,
        parameters: Parameters,
        resources: Mapping[str, Resource] | None = None,
        functions: Mapping[str, Callable[..., object]] | None = None,
    ) -> None:
        self.spec = spec
        self.parameters = parameters
        self.resources = dict(resources or {})
        self.functions = dict(functions or {})  # the user's own, by name
        self.structure = Chain(parameters.labels, spec.decided, *spec.order)
        self.encoder = FeatureEncoder(spec.templates, _vocabulary(spec, self.resources, functions or {}))
        self._nodes = _table(parameters.node_keys, spec.buckets)
        self._edges = _table(parameters.edge_keys, spec.buckets if spec.templates.edges else 0)
        self._chain = self.structure.compile(
            len(self._nodes), spec.templates.transitions, parameters.edge_offsets, parameters.edge_pairs
        )
        if len(parameters.edge_offsets) != len(self._edges) + 1 or len(parameters.weights) != self._chain.size:
            raise ValueError("the weights do not fit the feature tables")
        if len(parameters.second_weights) not in (0, self._chain.size):
            raise ValueError("the second weights do not fit the feature tables")
        if (spec.tag_dictionary > 0) != (parameters.tag_dictionary is not None):
            raise ValueError("the tag dictionary does not fit the spec")
        self.total = _total(spec, parameters, functions or {})
        self.reranker = self._own_reranker()
        self._sessions: list[Session] = []

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels the model decides on."""
        return self.parameters.labels

    @property
    def chain(self) -> _core.Chain:
        """The layout of the weights."""
        return self._chain

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the templates look at."""
        return self.encoder.columns

    @property
    def main(self) -> str:
        """The column of the words."""
        return self.encoder.main

    def __repr__(self) -> str:
        return f"<tagloom.Model {self.spec.signature}: {len(self.labels)} labels, {len(self._nodes)} features>"

    def _own_reranker(self) -> Reranker | None:
        spec, parameters = self.spec.reranker, self.parameters.reranker
        if spec is None or parameters is None:
            if spec is not None or parameters is not None:
                raise ValueError("the re-ranker does not fit the spec")
            return None
        functions: dict[str, DocumentFunction | None] = {name: self.functions.get(name) for name in spec.functions}  # type: ignore[misc]
        return Reranker(spec, parameters, self.encoder.vocabulary, self.labels, self.spec.decided, functions)

    def with_reranker(
        self, spec: RerankerSpec, parameters: RankerParameters, functions: Mapping[str, DocumentFunction]
    ) -> Model:
        """This tagger with something that chooses among its candidates."""
        own = replace(self.spec, reranker=spec), replace(self.parameters, reranker=parameters)
        return Model(*own, self.resources, {**self.functions, **functions})

    def without_reranker(self) -> Model:
        """The tagger alone."""
        if self.reranker is None:
            return self
        own = replace(self.spec, reranker=None), replace(self.parameters, reranker=None)
        functions = {name: each for name, each in self.functions.items() if name not in self.reranker.spec.functions}
        return Model(*own, self.resources, functions)

    # -- tagging -----------------------------------------------------------------------------------------------------

    def tag(
        self,
        tokens: Sequence[object],
        constraints: Sequence[Constraint] | None = None,
        *,
        decoder: str | None = None,
        depth: int | None = None,
        beam: int | None = None,
    ) -> list[str]:
        """Labels of one sentence: words, rows of words where the model reads several columns, or a dict of columns.

        ``constraints`` has, for every token, None, the label it must take, or the labels it may take. ``decoder`` is
        "viterbi", the best label sequence, "posterior", the one with the most labels expected to be right, "rescored",
        the best of some candidates by non-local features: the default of models that have such features; "lookahead"
        or "beam", label by label: the default of history-based models; "reranked", the re-ranker's choice: the default
        of models that have one. ``depth`` and ``beam`` are those of the two searches, the model's own if None.
        """
        constrained = None if constraints is None else [constraints]
        return self.tag_many([tokens], constraints=constrained, decoder=decoder, depth=depth, beam=beam)[0]

    def tag_many(
        self,
        sentences: Sequence[Sequence[object]],
        *,
        threads: int = 1,
        constraints: Sequence[Sequence[Constraint]] | None = None,
        decoder: str | None = None,
        depth: int | None = None,
        beam: int | None = None,
    ) -> list[list[str]]:
        """Labels of many sentences; the work is shared by ``threads``, the result is the same for any number."""
        with self._session() as session:
            batch = session.read(sentences)
            flags = NO_CONSTRAINTS if constraints is None else self._flags(constraints, batch)
            labels = self._decode(session, batch, flags, threads, decoder, depth=depth, beam=beam)
        column = self.written(labels, batch.sentences)
        return _core.label_lists(column.codes, batch.sentences, column.strings.strings())

    def tag_document(
        self, sentences: Sequence[Sequence[object]], *, threads: int = 1, candidates: int | None = None
    ) -> list[list[str]]:
        """Labels of the sentences of one document, decided together where the model has features of documents."""
        with self._session() as session:
            batch = session.read(sentences)
            bounds = np.array([0, len(batch.sentences) - 1], np.int64)
            layout = self._layout(batch, Sequences.grouped(batch.sentences, bounds))
            self.encoder.prepare(session.store, layout[0])  # attributes of sentences look at them as they are now
            labels = self._decode(session, layout[0], NO_CONSTRAINTS, threads, None, layout[1], candidates=candidates)
        column = self.written(labels, batch.sentences)
        return _core.label_lists(column.codes, batch.sentences, column.strings.strings())

    def tag_corpus(
        self,
        corpus: Corpus,
        threads: int = 1,
        *,
        decoder: str | None = None,
        candidates: int | None = None,
        depth: int | None = None,
        beam: int | None = None,
    ) -> Column:
        """The label column of a corpus; its documents are decided as wholes by models with features of documents.

        ``candidates`` is the number of labellings of a sequence to choose from; the model's own if None. ``depth`` and
        ``beam`` as in ``tag``.
        """
        batch, sequences = self.laid_out(corpus)
        session = Session(self.encoder)
        self.encoder.prepare(session.store, batch)
        numbers = {"candidates": candidates, "depth": depth, "beam": beam}
        labels = self._decode(session, batch, NO_CONSTRAINTS, threads, decoder, sequences, **numbers)
        return self.written(labels, batch.sentences)

    def laid_out(self, corpus: Corpus) -> tuple[Batch, Sequences]:
        """The words of a corpus, and what of it the model labels as one."""
        batch = self.encoder.batch(corpus)
        if corpus.has_documents:
            return self._layout(batch, Sequences.of_documents(corpus))
        return batch, Sequences.of_sentences(batch.sentences)

    def _layout(self, batch: Batch, documents: Sequences) -> tuple[Batch, Sequences]:
        """The sentences of a batch as the model was trained on them: apart, in documents, or joined."""
        if self.spec.sequences == JOINED:
            return replace(batch, sentences=documents.offsets), Sequences.of_sentences(documents.offsets)
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
    ) -> CodeArray:
        check_threads(threads)
        decoder = chosen_decoder(self.spec, decoder, depth, beam)
        if candidates is not None and decoder not in ("rescored", "reranked"):
            if self.reranker is None:
                self._candidates(candidates)
            raise ConfigError(f"candidates: decoder {decoder!r} chooses among none; leave it out")
        allowed = self._allowed(batch, flags)
        if decoder == "reranked":
            return self._chosen(session, self._documents(session, batch, sequences), allowed, threads, candidates)
        if decoder == "rescored":
            total = self._candidates(candidates)
            parameters = self.parameters
            weights = parameters.weights, parameters.second_weights, parameters.nonlocal_weights
            labels, totals = self._documents(session, batch, sequences).decode(total, weights, allowed, threads)
            scores: NDArray[np.floating] = totals
        elif decoder == "posterior":
            data = encoded(session, batch, self._chain, (self._nodes, self._edges))
            labels, scores = data.decode_posterior(self.parameters.weights, allowed, threads)
        else:
            search = history_search(self.spec, decoder, depth, beam)
            labels, scores = _core.decode_words(
                self._chain, self.parameters.weights, session.store, batch.codes, batch.sentences,
                self._nodes, self._edges, allowed, threads, None if search is None else search.core(),
            )  # fmt: skip
        if len(flags):
            require_sequences(scores, self.spec.scheme)
        return labels

    def _chosen(
        self,
        session: Session,
        documents: EncodedDocuments,
        allowed: NDArray[np.uint8],
        threads: int,
        candidates: int | None,
    ) -> CodeArray:
        """The labels that the re-ranker chooses."""
        assert self.reranker is not None
        n = self.reranker.spec.candidates if candidates is None else candidates
        check_whole_number("candidates", n, 1, MOST_CANDIDATES)
        lists = ranked_lists(self, documents, n, allowed, threads)
        return self.reranker.choose(self._prepared(session, documents), lists, threads)

    def _prepared(self, session: Session, documents: EncodedDocuments) -> PreparedFeatures:
        assert self.reranker is not None
        if session.global_store is None:
            session.global_store = self.reranker.features.encoder.new_store()
        features = self.reranker.features
        return prepare(features, documents.batch, self.columns, documents.sequences, session.global_store)

    def _candidates(self, candidates: int | None) -> Total:
        """How to choose among so many candidates; None: as many as the model was trained for."""
        if self.total is None:
            what = "decoder 'rescored'" if candidates is None else "candidates"
            raise ConfigError(f"{what}: this model has no features of documents (see learner nonlocal-perceptron)")
        if candidates is None:
            return self.total
        check_whole_number("candidates", candidates, 1, MOST_CANDIDATES)
        return replace(self.total, candidates=candidates)

    def _documents(self, session: Session, batch: Batch, sequences: Sequences | None = None) -> EncodedDocuments:
        """A batch in the features of the model; every sentence is a document unless sequences are given."""
        data = encoded(session, batch, self._chain, (self._nodes, self._edges))
        if sequences is None:
            return EncodedDocuments(data, self.encoder, batch, Sequences.of_sentences(batch.sentences))
        return EncodedDocuments(sequences.cut(data), self.encoder, batch, sequences)

    def _allowed(self, batch: Batch, given: NDArray[np.uint8] = NO_CONSTRAINTS) -> NDArray[np.uint8]:
        """Flags of the labels that tokens may take, by the tag dictionary inside the user's; empty: any label."""
        dictionary = self.parameters.tag_dictionary
        if dictionary is None:
            return given
        return dictionary.flags(self._chain, self.encoder.words(batch), batch.sentences, given)

    def _flags(self, constraints: Sequence[Sequence[Constraint]], batch: Batch) -> NDArray[np.uint8]:
        lengths = np.diff(batch.sentences).tolist()
        if not isinstance(constraints, Sequence) or len(constraints) != len(lengths):
            raise ConfigError(f"constraints: expected a list a sentence, {len(lengths)} in all")
        for number, (given, length) in enumerate(zip(constraints, lengths), 1):
            if isinstance(given, str) or not isinstance(given, Sequence) or len(given) != length:
                raise ConfigError(f"constraints of sentence {number}: expected a list of {length}, one a token")
        return self.structure.constraint_flags(constraints)

    def written(self, labels: CodeArray, sentences: IntArray) -> Column:
        """Labels the model decided on, as it writes them."""
        strings = _core.StringTable()
        strings.intern_all(self.labels)
        return written_labels(Column(labels, strings), sentences, self.spec.decided, self.spec.written)

    @contextmanager
    def _session(self) -> Iterator[Session]:
        """A session nobody else uses now; list.pop and list.append are atomic, so threads need no lock."""
        try:
            session = self._sessions.pop()
        except IndexError:
            session = Session(self.encoder)
        yield session  # a session whose use failed is not handed on
        if not session.is_full:
            self._sessions.append(session)

    # -- candidates ---------------------------------------------------------------------------------------------------

    def nbest(
        self, tokens: Sequence[object], n: int, constraints: Sequence[Constraint] | None = None
    ) -> list[Candidate]:
        """The n best label sequences of one sentence, best first, with their scores; fewer if no more exist.

        Probabilities come with learners that have a likelihood. Equal scores are in the order of the labels' numbers,
        read from the last token backwards. With features of documents, the n best by local features are in the order of
        their total scores. The order of a history-based model is by total score, too, not by how it would decide; where
        it scores other labels than pairs of a label and the one before, or decisions have probabilities (maxent), these
        are the best hypotheses of a beam of n or of the model's own width. With a re-ranker,
        scores and order are its, and there are no more than it chooses from.
        """
        with self._session() as session:
            batch = session.read([tokens])
            flags = NO_CONSTRAINTS if constraints is None else self._flags([constraints], batch)
            return self._nbest(session, self._documents(session, batch), n, self._allowed(batch, flags), 1)[0]

    def nbest_corpus(self, corpus: Corpus, n: int, threads: int = 1) -> list[list[Candidate]]:
        """The n best of every sentence of a corpus; of every document, if that is what the model labels as one."""
        check_threads(threads)
        session, documents, flags = self._encoded(corpus)
        return self._nbest(session, documents, n, flags, threads)

    def encoded_corpus(self, corpus: Corpus) -> tuple[EncodedDocuments, NDArray[np.uint8]]:
        """A corpus in the features of the model, cut into what it labels as one; flags of the labels tokens may take.

        Empty flags: any label.
        """
        _, documents, flags = self._encoded(corpus)
        return documents, flags

    def _encoded(self, corpus: Corpus) -> tuple[Session, EncodedDocuments, NDArray[np.uint8]]:
        batch, sequences = self.laid_out(corpus)
        session = Session(self.encoder)
        self.encoder.prepare(session.store, batch)
        return session, self._documents(session, batch, sequences), self._allowed(batch)

    def _nbest(
        self, session: Session, documents: EncodedDocuments, n: int, flags: NDArray[np.uint8], threads: int
    ) -> list[list[Candidate]]:
        if self.reranker is None:
            return nbest(self, documents, n, flags, threads)
        check_whole_number("n", n, 1, MOST_CANDIDATES)
        found = ranked_lists(self, documents, self.reranker.spec.candidates, flags, threads)
        ranked = self.reranker.ranked(self._prepared(session, documents), found, threads)
        return [each[:n] for each in texts_of(self, documents, ranked, None)]

    def explain_choice(self, tokens: Sequence[object]) -> list[RankedCandidate]:
        """The candidates of one sentence as the re-ranker orders them, with what its features say of each."""
        if self.reranker is None:
            raise ConfigError("explain_choice: this model has no re-ranker (see tagloom.rerank)")
        with self._session() as session:
            batch = session.read([tokens])
            documents = self._documents(session, batch)
            found = ranked_lists(self, documents, self.reranker.spec.candidates, self._allowed(batch), 1)
            texts = texts_of(self, documents, found, None)[0]
            return ranked_candidates(self.reranker, self._prepared(session, documents), found, texts)

    def nonlocal_weights(self) -> dict[str, float]:
        """The weights of features of documents that are not zero, by name."""
        names = [] if self.total is None else self.total.parts.feature_names()
        pairs = zip(names, self.parameters.nonlocal_weights.tolist())
        return {name: weight for name, weight in pairs if weight != 0}

    # -- probabilities ------------------------------------------------------------------------------------------------

    def marginals(
        self, tokens: Sequence[object], constraints: Sequence[Constraint] | None = None
    ) -> NDArray[np.float32]:
        """P(label | tokens) of every token, [T][L] in the order of ``labels``; each row sums to one.

        Calibrated for learners with a likelihood (dca, sgd, adf, madf, sgd-l1, lbfgs, owlqn, maxent, maxent-gis,
        maxent-sgd); of the others, the scores read as log probabilities.
        """
        require_probabilities(self.spec, "marginals")
        with self._session() as session:
            batch = session.read([tokens])
            flags = NO_CONSTRAINTS if constraints is None else self._flags([constraints], batch)
            data = encoded(session, batch, self._chain, (self._nodes, self._edges))
            found, log_z = self._marginals(data, self._allowed(batch, flags), 1)
        if len(flags):
            require_sequences(log_z, self.spec.scheme)
        return found.reshape(-1, len(self.labels))

    def _marginals(
        self, data: _core.ChainData, allowed: NDArray[np.uint8], threads: int
    ) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """P(label | sentence) of all tokens, flattened, and log Z of sentences; minus infinity: nothing is allowed."""
        weights, search = self.parameters.weights, self.spec.search
        if search is None or not search.normalised:
            return data.marginals(weights, allowed, threads)
        found = data.history_marginals(weights, search.core(), allowed, threads)
        return found, np.array([0.0 if found.any() or not len(found) else -math.inf])

    def confidences(
        self,
        corpus: Corpus,
        threads: int = 1,
        *,
        decoder: str | None = None,
        candidates: int | None = None,
        depth: int | None = None,
        beam: int | None = None,
    ) -> tuple[Column, NDArray[np.float32]]:
        """The label column of a corpus, and P(label | sentence) of each of its labels, by local features."""
        require_probabilities(self.spec, "confidences")
        session = Session(self.encoder)
        batch, sequences = self.laid_out(corpus)
        self.encoder.prepare(session.store, batch)
        numbers = {"candidates": candidates, "depth": depth, "beam": beam}
        labels = self._decode(session, batch, NO_CONSTRAINTS, threads, decoder, sequences, **numbers)
        data = encoded(session, batch, self._chain, (self._nodes, self._edges))
        found, _ = self._marginals(data, self._allowed(batch), threads)
        chosen = found.reshape(-1, len(self.labels))[np.arange(len(labels)), labels]
        return self.written(labels, batch.sentences), chosen

    def probability(self, tokens: Sequence[object], labels: Sequence[str]) -> float:
        """P(labels | tokens) of a whole sentence; labels as the model writes them."""
        require_probabilities(self.spec, "probabilities")
        with self._session() as session:
            batch = session.read([tokens])
            gold = label_codes(self, labels, batch)
            data = encoded(session, batch, self._chain, (self._nodes, self._edges), gold)
            if not len(gold):
                return 1.0
            return math.exp(self._log_probability(data, batch, gold))

    def _log_probability(self, data: _core.ChainData, batch: Batch, labels: CodeArray) -> float:
        """Of the labels of one sentence."""
        weights, search = self.parameters.weights, self.spec.search
        if search is not None and search.normalised:
            return float(data.history_log_probabilities(weights, search.core(), self._allowed(batch), 1)[0])
        return float(data.log_probabilities(weights, 1)[0]) + self._gain(data, batch, labels)

    def _gain(self, data: _core.ChainData, batch: Batch, labels: CodeArray) -> float:
        """What a tag dictionary adds to log P(labels | tokens): log Z of all sequences over that of those it leaves."""
        allowed = self._allowed(batch)
        if not len(allowed):
            return 0.0
        if not allowed.reshape(len(labels), -1)[np.arange(len(labels)), labels].all():
            return -math.inf
        log_z = [data.marginals(self.parameters.weights, flags, 1)[1][0] for flags in (NO_CONSTRAINTS, allowed)]
        return float(log_z[0] - log_z[1])

    # -- looking inside ----------------------------------------------------------------------------------------------

    def evaluate(
        self,
        corpus: Corpus,
        *,
        rule: str = "conlleval",
        threads: int = 1,
        candidates: int | None = None,
        depth: int | None = None,
        beam: int | None = None,
    ) -> Score:
        """Score the model's labels against the corpus's own, with signature; other options as in ``tag_corpus``."""
        from tagloom.evaluate import score  # here, because tagging needs none of it

        gold = corpus.column(self.spec.label)
        predicted = self.tag_corpus(corpus, threads, candidates=candidates, depth=depth, beam=beam)
        seen = self._seen(corpus.column(self.encoder.main))
        scheme = gold_scheme(gold, corpus.sentences, self.spec.written)
        result = score(gold, predicted, corpus.sentences, rule=rule, scheme=scheme, **seen)
        return result.signed(self._used(candidates, depth, beam).signature)

    def _used(self, candidates: int | None, depth: int | None, beam: int | None) -> ModelSpec:
        """The spec with the search and the numbers that labels were found by."""
        spec, decoder = self.spec, chosen_decoder(self.spec, None, depth, beam)
        if decoder == "reranked" and spec.reranker is not None:
            n = spec.reranker.candidates if candidates is None else candidates
            return replace(spec, reranker=replace(spec.reranker, candidates=n))
        n = spec.candidates if candidates is None else candidates
        return replace(spec, candidates=n, search=history_search(spec, decoder, depth, beam), reranker=None)

    def _seen(self, forms: Column) -> dict[str, Any]:
        """What tells a scorer known words from unknown ones."""
        words = self.parameters.known_words
        if forms.is_bag:
            return {}
        if cuts_text(self.labels, self.spec.decided):
            return {"forms": forms, "lexicon": HashedWords(words)}
        return {"known": np.isin(forms.strings.hashes(), words)[forms.codes]}

    def explain(self, tokens: Sequence[object]) -> list[Explanation]:
        """For every token: which features spoke for which label, and by how much."""
        with self._session() as session:
            batch = session.read([tokens])
            labels = self._decode(session, batch, NO_CONSTRAINTS, 1)
            described = self.encoder.describe(session.store, batch, 0)
        tables, backwards = (self._nodes, self._edges), self.structure.is_backwards
        allowed = self.structure.replacements(labels)
        return explain_batch(self._chain, self.parameters, *tables, labels, described, allowed, backwards=backwards)

    def partial_fit(self, sentences: Data, **options: object) -> Model:
        """A new model that has learned from more data; this one stays as it is, because models are frozen.

        ``sentences`` is what :func:`tagloom.train` takes as data, with features and labels old and new. One pass,
        unless ``epochs`` says more; ``options`` are those of :func:`tagloom.train`.
        """
        from tagloom.model.training import train

        return train(sentences, start=self, **{"epochs": 1, **options})  # type: ignore[arg-type]

    def save(self, path: str | os.PathLike[str], *, names: bool = True) -> None:
        """Write one safetensors file; ``names=False`` leaves out the texts of the features (``inspect`` needs them)."""
        from tagloom.model.file import save_model

        save_model(self, path, names=names)


def _total(spec: ModelSpec, parameters: Parameters, functions: Mapping[str, Callable[..., object]]) -> Total | None:
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
    spec: ModelSpec, resources: Mapping[str, Resource], functions: Mapping[str, Callable[..., object]]
) -> Vocabulary:
    words: dict[str, WordFunction | None] = {name: functions.get(name) for name in spec.word_functions}  # type: ignore[misc]
    sentences: dict[str, SentenceFunction | None] = {name: functions.get(name) for name in spec.sentence_functions}  # type: ignore[misc]
    return Vocabulary(spec.columns, frozenset(spec.bags), words, sentences, resources)
