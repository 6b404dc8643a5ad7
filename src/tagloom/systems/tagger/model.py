"""Model: frozen weights, feature tables and spec; tags, scores, explains, saves. Shared freely by threads."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus import Column, Corpus
from tagloom.corpus.corpus import CodeArray
from tagloom.corpus.schemes import cuts_text
from tagloom.errors import ConfigError
from tagloom.features import Batch, DocumentFunction
from tagloom.structures import Constraint
from tagloom.structures.chain import NO_CONSTRAINTS
from tagloom.structures.sequences import Sequences
from tagloom.systems.labels import gold_scheme
from tagloom.systems.numbers import MOST_CANDIDATES, check_threads, check_whole_number
from tagloom.systems.tagger.candidates import Candidate, nbest, ranked_lists, texts_of
from tagloom.systems.tagger.decode import chosen_decoder, history_search, require_probabilities
from tagloom.systems.tagger.documents import EncodedDocuments
from tagloom.systems.tagger.explain import Explanation, explain_batch
from tagloom.systems.tagger.inference import Tagger
from tagloom.systems.tagger.parameters import HashArray
from tagloom.systems.tagger.posterior import encoded, label_codes, require_sequences
from tagloom.systems.tagger.rerank.choice import RankedCandidate, ranked_candidates
from tagloom.systems.tagger.rerank.reranker import RankerParameters
from tagloom.systems.tagger.rerank.spec import RerankerSpec
from tagloom.systems.tagger.session import Session
from tagloom.systems.tagger.spec import ModelSpec

if TYPE_CHECKING:
    from tagloom.evaluate import Score
    from tagloom.systems.tagger.train import Data


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


class Model(Tagger):
    """A trained model. Make one with :func:`tagloom.train` or :func:`tagloom.load`."""

    def __repr__(self) -> str:
        return f"<tagloom.Model {self.spec.signature}: {len(self.labels)} labels, {len(self._nodes)} features>"

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
        from tagloom.systems.tagger.train import train

        return train(sentences, start=self, **{"epochs": 1, **options})  # type: ignore[arg-type]

    def save(self, path: str | os.PathLike[str], *, names: bool = True) -> None:
        """Write one safetensors file; ``names=False`` leaves out the texts of the features (``inspect`` needs them)."""
        from tagloom.systems.tagger.file import save_model

        save_model(self, path, names=names)
