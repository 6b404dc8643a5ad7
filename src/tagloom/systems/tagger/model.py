"""Tagger: frozen weights, feature tables and spec; tags, scores, explains, saves. Shared freely by threads."""

from __future__ import annotations

import functools
import math
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.arguments import check_methods
from tagloom.corpus import Column, Corpus
from tagloom.corpus.corpus import CodeArray, IntArray
from tagloom.corpus.layers import LABELS, PROBABILITIES, Layer
from tagloom.corpus.schemes import cuts_text, split_labels
from tagloom.errors import ConfigError
from tagloom.features import Batch, DocumentFunction, Resource
from tagloom.structures import Constraint
from tagloom.structures.chain import NO_CONSTRAINTS
from tagloom.structures.edit_scripts import decode_scripts, encode_scripts
from tagloom.structures.sequences import SENTENCES, Sequences
from tagloom.systems.base import (
    CHARACTERS,
    CLUSTER,
    CONFIDENCE,
    LEARNERS,
    MARGINALS,
    NBEST,
    RERANK,
    START,
    Functions,
    Model,
    Reads,
)
from tagloom.systems.labels import find_gold_scheme
from tagloom.systems.options import MOST_CANDIDATES, check_threads, check_whole_number
from tagloom.systems.tagger.candidates import Candidate, compute_probabilities, find_ranked_lists, write_candidates
from tagloom.systems.tagger.decode import (
    TaggerSearch,
    build_history_search,
    choose_decoder,
    choose_threshold,
    encode_labels,
    has_likelihood,
    is_calibrated,
    is_first_order,
    is_normalised,
    require_probabilities,
    require_sequences,
)
from tagloom.systems.tagger.documents import EncodedDocuments
from tagloom.systems.tagger.explain import TaggerExplanation, explain_labels
from tagloom.systems.tagger.inference import Inference
from tagloom.systems.tagger.layout import TAGGER
from tagloom.systems.tagger.parameters import HashArray, WeightArray
from tagloom.systems.tagger.rerank.reranker import RankedCandidate, RankerParameters, rank_candidates
from tagloom.systems.tagger.rerank.spec import RerankerSpec
from tagloom.systems.tagger.session import Session
from tagloom.systems.tagger.spec import TaggerSpec
from tagloom.systems.tagger.stages import write_certain, write_probabilities

if TYPE_CHECKING:
    from tagloom.evaluate import Score, Signature
    from tagloom.features.tensors import Tensors
    from tagloom.systems.data import Data
    from tagloom.systems.learning import Report
    from tagloom.systems.tables import Description, Weights
    from tagloom.systems.tagger.options import TaggerOptions
    from tagloom.text import Segmentation


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


@check_methods("tag", "tag_many")
class Tagger(Inference, Model):
    """A trained tagger. Make one with :func:`tagloom.train` or :func:`tagloom.load`."""

    system = "tagger"
    layout = TAGGER
    search_options = TaggerSearch
    spec: TaggerSpec
    capabilities = frozenset({NBEST, CONFIDENCE, MARGINALS, START, LEARNERS, RERANK, CLUSTER})
    describe_options = frozenset({"top", "label"})

    def __repr__(self) -> str:
        """Show signature and sizes."""
        return f"<tagloom.Tagger {self.spec.signature}: {len(self.labels)} labels, {len(self._nodes)} features>"

    @property
    def own_reads(self) -> Reads:
        """All columns of the training data, or those in use; with or without label."""
        columns, own, label = self.spec.columns, self.encoder.columns, self.spec.label
        layouts = (columns, (*columns, label), own, (*own, label))
        labels_documents = self.spec.sequences != SENTENCES
        return Reads(
            own, (label,), layouts, CHARACTERS if self.is_segmenter else None, frozenset(self.spec.bags),
            labels_documents or self._sees_documents, labels_documents,
        )  # fmt: skip

    @property
    def _sees_documents(self) -> bool:
        """Whether attributes look at whole documents, those of a re-ranker included."""
        ranker = self.reranker
        return self.encoder.sees_documents or (ranker is not None and ranker.features.encoder.sees_documents)

    @functools.cached_property
    def is_segmenter(self) -> bool:
        """Whether the tagger cuts characters into words."""
        return cuts_text(self.labels, self.spec.decided)

    @property
    def segments_text(self) -> bool:
        """Whether the tagger cuts text into words: labels of word boundaries, and characters are all that it reads."""
        return self.is_segmenter and self.columns == (self.main,)

    @property
    def name(self) -> str:
        """What messages call it as a tokenizer."""
        return "learned"

    def segment(self, text: str, *, threads: int = 1) -> Segmentation:
        """Cut a text into words, if the tagger labels word boundaries; one sentence per line, no word goes over blanks.

        Raises:
            ConfigError: The labels of the tagger are not word boundaries, or it reads more than characters.
        """
        if not self.segments_text:
            raise ConfigError("segment: this tagger does not cut text; name a tokenizer")
        from tagloom.systems.tagger.segment import segment_text

        return segment_text(self, self.spec.written, text, threads)

    @property
    def main(self) -> str:
        """The column of the words."""
        return self.encoder.main

    @property
    def own_layers(self) -> tuple[Layer, ...]:
        """One column of labels."""
        if self.spec.provides is not None:
            return (Layer(self.spec.provides, PROBABILITIES),)
        return (Layer(self.spec.label, LABELS, self.spec.written),)

    @functools.cached_property
    def own_inventory(self) -> Mapping[str, Sequence[str]]:
        """The labels, or the types of spans; none for edit scripts, which write any lemma."""
        decided = self.spec.decided
        if self.spec.codec is not None or self.is_segmenter:
            return {}
        names = self.labels if decided is None else split_labels(self.labels, decided.roles).type_names
        return {self.spec.label: tuple(names)}

    def with_reranker(
        self, spec: RerankerSpec, parameters: RankerParameters, functions: Mapping[str, DocumentFunction]
    ) -> Tagger:
        """Return this tagger with a re-ranker that chooses among its candidates."""
        own = replace(self.spec, reranker=spec), replace(self.parameters, reranker=parameters)
        return Tagger(*own, self.resources, {**self.functions, **functions}).with_line(self.line)

    def without_reranker(self) -> Tagger:
        """Return the tagger without its re-ranker."""
        if self.reranker is None:
            return self
        own = replace(self.spec, reranker=None), replace(self.parameters, reranker=None)
        functions = {name: each for name, each in self.functions.items() if name not in self.reranker.spec.functions}
        return Tagger(*own, self.resources, functions).with_line(self.line)

    def as_stage(self, column: str, folds: int) -> Tagger:
        """Return the tagger as a first stage, which provides the probabilities of its labels as a column.

        A tagger without probabilities provides the labels that it chooses, each with probability 1.
        """
        spec = replace(self.spec, provides=column, provides_folds=folds)
        return Tagger(spec, self.parameters, self.resources, self.functions).with_line(self.line)

    def _take(
        self, session: Session, sentences: Sequence[Sequence[object]], *, together: bool = False, named: bool = False
    ) -> tuple[Session, Batch]:
        """Read sentences, with the columns of the line; return the batch and the session that holds its words.

        ``together``: they are one document. ``named``: features must have names.
        """
        if not self._reads_stage:
            rows = self._add_provided(sentences)
            return session, session.read(rows) if named else self._read(session, rows)
        from tagloom.corpus.objects import rows_to_corpus

        corpus = rows_to_corpus(sentences, self.columns)
        if together:
            bounds = np.array([0, len(corpus)], np.int64)
            corpus = replace(corpus, documents=bounds, has_documents=True)
        own, batch, _ = self._open(self.normalise(self.line.provide(corpus)))
        return own, batch

    @property
    def _reads_stage(self) -> bool:
        """Whether some column is a bag that the line provides."""
        return bool(set(self.spec.bags) & set(self.line.columns))

    def _add_provided(self, sentences: Sequence[Sequence[object]]) -> Sequence[Sequence[object]]:
        """Add the columns that the line provides to the tokens of sentences."""
        if not self.line.providers:
            return sentences
        from tagloom.corpus.objects import rows_to_corpus  # here, because tagging words needs no reader

        corpus = self.line.provide(rows_to_corpus(sentences, self.columns))
        names = self.encoder.columns
        return [list(zip(*(corpus.sentence(number, name) for name in names))) for number in range(len(corpus))]

    # -- tagging -----------------------------------------------------------------------------------------------------

    def tag(
        self,
        tokens: Sequence[object],
        constraints: Sequence[Constraint] | None = None,
        *,
        decoder: str | None = None,
        depth: int | None = None,
        beam: int | None = None,
        threshold: float | None = None,
    ) -> list[str]:
        """Tag one sentence.

        Args:
            tokens: Words, rows of words if the model reads several columns, a dict of columns, or feature dicts.
            constraints: For every token None, the label that it must take, or the labels that it may take, in the
                scheme of the training data or in that of the model.
            decoder: "viterbi" finds the best label sequence; "posterior" the one with the most labels expected to be
                right, by the marginals at the model's temperature; "spans" the spans that are probable enough, see
                ``threshold``; "rescored" the best candidate by non-local features; "lookahead" and "beam" decide label
                by label; "reranked" takes the re-ranker's choice. Default: what the model was trained for.
            depth: Number of labels that "lookahead" looks ahead; the model's own if None.
            beam: Number of hypotheses of "beam"; the model's own if None.
            threshold: Least probability of the spans that "spans" takes; the model's own if None. Half of the F1 that
                you expect is a good value.
        """
        constrained = None if constraints is None else [constraints]
        search = {"decoder": decoder, "depth": depth, "beam": beam, "threshold": threshold}
        return self.tag_many([tokens], constraints=constrained, **search)[0]  # type: ignore[arg-type]

    def tag_many(
        self,
        sentences: Sequence[Sequence[object]],
        *,
        threads: int = 1,
        constraints: Sequence[Sequence[Constraint]] | None = None,
        decoder: str | None = None,
        depth: int | None = None,
        beam: int | None = None,
        threshold: float | None = None,
    ) -> list[list[str]]:
        """Tag many sentences; the number of threads does not change the result."""
        if self.spec.codec is not None and constraints is None:
            corpus = self.open_sentences(sentences, threads)
            search = {"decoder": decoder, "depth": depth, "beam": beam, "threshold": threshold}
            column = self.predict(corpus, threads, **search)[self.spec.label]
            return _core.label_lists(column.codes, corpus.sentences, column.strings.strings())
        is_found = self._finds_items and not self._reads_stage
        if is_found and constraints is None and not self._writer.converts:
            decoding = self._choose(decoder, depth, beam, threshold)
            if decoding[0] in ("viterbi", "lookahead", "beam"):
                return self._label_items(sentences, threads, decoding)
        with self._session() as session:
            session, batch = self._take(session, sentences)
            flags = self._flags(constraints, batch)
            labels = self._decode(session, batch, flags, threads, decoder, depth=depth, beam=beam, threshold=threshold)
        return self._writer.write_lists(labels, batch.sentences)

    def tag_document(
        self, sentences: Sequence[Sequence[object]], *, threads: int = 1, candidates: int | None = None
    ) -> list[list[str]]:
        """Tag the sentences of one document; models with features of documents decide on them together."""
        with self._session() as session:
            session, batch = self._take(session, sentences, together=True)
            bounds = np.array([0, len(batch.sentences) - 1], np.int64)
            batch = replace(batch, documents=bounds)
            layout = self._layout(batch, Sequences.group(batch.sentences, bounds))
            self.encoder.prepare(session.store, layout[0])  # attributes look at sentences and documents as they are now
            labels = self._decode(session, layout[0], NO_CONSTRAINTS, threads, None, layout[1], candidates=candidates)
        return self._writer.write_lists(labels, batch.sentences)

    def tag_corpus(self, data: Data, threads: int = 1, **search: Any) -> Column:
        """Tag a corpus; models with features of documents decide on documents as wholes.

        Args:
            data: Anything that :func:`tagloom.train` takes as data.
            threads: Number of threads. Does not change the result.
            **search: Options of the search: decoder, candidates, depth, beam, threshold.

        Returns:
            The column of labels.
        """
        return self.predict_columns(self.open_corpus(data), threads=threads, **search)[self.spec.label]

    def predict(self, corpus: Corpus, threads: int, **search: Any) -> dict[str, Column]:
        """Predict the column of labels, or, as a first stage, that of their probabilities."""
        session, batch, sequences = self._open(corpus)
        if self.spec.provides is not None and self.has_probabilities:
            found, _ = self._marginals(self._encode(session, batch), self._allowed(batch), threads, True)
            return {self.spec.provides: write_probabilities(self.labels, found.reshape(-1, len(self.labels)))}
        labels = self._decode(session, batch, NO_CONSTRAINTS, threads, sequences=sequences, **search)
        if self.spec.provides is not None:
            return {self.spec.provides: write_certain(self.labels, labels)}
        return {self.spec.label: self._write_column(labels, batch.sentences, corpus)}

    def _write_column(self, labels: CodeArray, sentences: IntArray, corpus: Corpus) -> Column:
        """Write labels in the scheme of the training data; edit scripts as the lemmas that they make."""
        column = self._writer.write_column(labels, sentences)
        return column if self.spec.codec is None else decode_scripts(corpus.column(self.main), column)

    # -- candidates ---------------------------------------------------------------------------------------------------

    def nbest(
        self, tokens: Sequence[object], n: int, constraints: Sequence[Constraint] | None = None
    ) -> list[Candidate]:
        """Find the n best label sequences of one sentence, best first, or all if fewer exist.

        Candidates of learners with a likelihood, and of calibrated models, have probabilities. Equal scores are ordered
        by the numbers of the labels, read from the last token backwards. With features of documents, the n best by
        local features are ordered by their total scores. History-based models that do not score pairs of neighbouring
        labels, or whose decisions have probabilities (maxent), give the best hypotheses of a beam. With a re-ranker,
        scores and order are its own, and there are at most as many candidates as it chooses from.
        """
        with self._session() as session:
            session, batch = self._take(session, [tokens])
            flags = self._flags(None if constraints is None else [constraints], batch)
            return self._nbest(session, self._documents(session, batch), n, self._allowed(batch, flags), 1)[0]

    def nbest_corpus(self, data: Data, n: int, threads: int = 1) -> list[list[Candidate]]:
        """Find the n best of every sentence of a corpus, or of every document, if the model labels documents."""
        check_threads(threads)
        session, documents, flags = self.encode_corpus(self.open_provided(data, threads=threads))
        return self._nbest(session, documents, n, flags, threads)

    def _nbest(
        self, session: Session, documents: EncodedDocuments, n: int, flags: NDArray[np.uint8], threads: int
    ) -> list[list[Candidate]]:
        offsets, probabilities = (documents.batch.sentences, documents.sequences.offsets), None
        check_whole_number("n", n, 1, MOST_CANDIDATES)
        if self.reranker is None:
            found = find_ranked_lists(self, documents, n, flags, threads)
            probabilities = compute_probabilities(self, documents, found, flags, threads)
        else:
            found = find_ranked_lists(self, documents, self.reranker.spec.candidates, flags, threads)
            found = self.reranker.rank(self._prepare(session, documents), found, threads)
        return [each[:n] for each in write_candidates(self._writer, found, *offsets, probabilities)]

    def explain_choice(self, tokens: Sequence[object]) -> list[RankedCandidate]:
        """List the candidates of one sentence in the order of the re-ranker, with the weights of their features."""
        if self.reranker is None:
            raise ConfigError("explain_choice: this model has no re-ranker (see tagloom.rerank)")
        with self._session() as session:
            session, batch = self._take(session, [tokens])
            documents = self._documents(session, batch)
            found = find_ranked_lists(self, documents, self.reranker.spec.candidates, self._allowed(batch), 1)
            texts = write_candidates(self._writer, found, batch.sentences, documents.sequences.offsets)[0]
            return rank_candidates(self.reranker, self._prepare(session, documents), found, texts)

    def nonlocal_weights(self) -> dict[str, float]:
        """Return the weights of features of documents, by name, without zeros."""
        names = [] if self.total is None else self.total.parts.feature_names()
        pairs = zip(names, self.parameters.nonlocal_weights.tolist())
        return {name: weight for name, weight in pairs if weight != 0}

    # -- probabilities ------------------------------------------------------------------------------------------------

    @property
    def confidence_note(self) -> str:
        """What the confidences are: probabilities of a likelihood, calibrated scores, or neither."""
        spec = self.spec
        if is_normalised(spec):
            return f"probabilities of a MaxEnt tagger ({spec.learner})"
        if not is_first_order(spec):
            return ""
        what = f"probabilities of a CRF ({spec.learner})" if has_likelihood(spec) else f"scores of {spec.learner}"
        if spec.temperature == 1:
            return f"{what}, read as log probabilities"
        if spec.temperature is not None:
            return f"{what}, calibrated on held-out data (temperature {spec.temperature:.4g})"
        return what if has_likelihood(spec) else f"{what}, not calibrated"

    @property
    def has_probabilities(self) -> bool:
        """Whether decisions or label pairs are scored, with a likelihood or a temperature."""
        return is_normalised(self.spec) or (is_first_order(self.spec) and is_calibrated(self.spec))

    def calibrate(self, data: Data, *, threads: int = 1) -> Tagger:
        """Calibrate the confidences on some data; this model stays as it is.

        P(labels | tokens) becomes proportional to exp(score / T). The temperature T is that of the highest likelihood
        of the labels of the data. Neither the weights nor the labels that the model gives are changed, except by the
        decoder "posterior", which is defined by the probabilities.

        Training with development data does the same for learners without a likelihood.

        Args:
            data: Anything that :func:`tagloom.train` takes as data, with labels. The model must not have been trained
                on it, because it makes too few mistakes there. A few hundred sentences are enough; of more than 12,000
                tokens, as many are drawn by the seed of the model.
            threads: Number of threads. Does not change the result.

        Returns:
            A model with the temperature.

        Raises:
            ConfigError: If the probabilities of the model are not defined by its scores of whole sentences.
        """
        check_threads(threads)
        if is_normalised(self.spec):
            raise ConfigError(f"calibrate: {self.spec.learner} gives probabilities of decisions, which need none")
        require_probabilities(self.spec, "calibrate", calibrated=False)
        from tagloom.systems.tagger.calibrate import find_temperature

        corpus = self.open_provided(data, gold=True, threads=threads)
        if self.spec.codec is not None:
            scripts = encode_scripts(corpus.column(self.main), corpus.column(self.spec.label))
            corpus = corpus.with_column(self.spec.label, scripts)
        return self.with_temperature(find_temperature(self, corpus, threads))

    def with_temperature(self, temperature: float) -> Tagger:
        """Build the same tagger with another temperature."""
        spec = replace(self.spec, temperature=float(temperature))  # NumPy's numbers are not written as JSON
        return Tagger(spec, self.parameters, self.resources, self.functions).with_line(self.line)

    def marginals(
        self, tokens: Sequence[object], constraints: Sequence[Constraint] | None = None, *, calibrated: bool = True
    ) -> NDArray[np.float32]:
        """Compute P(label | tokens) of every token.

        Learners with a likelihood (dca, sgd, adf, madf, sgd-l1, lbfgs, owlqn) and MaxEnt taggers have such
        probabilities. The scores of the others become probabilities by a temperature, see :meth:`calibrate`; a model
        without one is refused.

        Args:
            tokens: One sentence, see :meth:`tag`.
            constraints: Labels that tokens must or may take, see :meth:`tag`.
            calibrated: False reads the scores as log probabilities, without any temperature. For the most part, margin
                learners are then far too sure.

        Returns:
            An array [T][L], with labels in the order of ``labels``. Each row sums to one.
        """
        require_probabilities(self.spec, "marginals", calibrated=calibrated)
        with self._session() as session:
            session, batch = self._take(session, [tokens])
            flags = self._flags(None if constraints is None else [constraints], batch)
            found, log_z = self._marginals(self._encode(session, batch), self._allowed(batch, flags), 1, calibrated)
        if len(flags):
            require_sequences(log_z, self.spec.scheme)
        return found.reshape(-1, len(self.labels))

    def marginals_corpus(self, data: Data, threads: int = 1, *, calibrated: bool = True) -> WeightArray:
        """Compute P(label | sentence) of every token of a corpus, by local features.

        Args:
            data: See :meth:`tag_corpus`.
            threads: Number of threads. Does not change the result.
            calibrated: See :meth:`marginals`.

        Returns:
            An array [N][L], with labels in the order of ``labels``. Each row sums to one.
        """
        require_probabilities(self.spec, "marginals", calibrated=calibrated)
        check_threads(threads)
        corpus = self.open_provided(data, threads=threads)
        session, batch, _ = self._open(corpus)
        found, _ = self._marginals(self._encode(session, batch), self._allowed(batch), threads, calibrated)
        return found.reshape(-1, len(self.labels))

    def _scale_weights(self, calibrated: bool) -> WeightArray:
        return self.probability_weights if calibrated else self.weights

    def _marginals(
        self, data: _core.ChainData, allowed: NDArray[np.uint8], threads: int, calibrated: bool
    ) -> tuple[WeightArray, NDArray[np.float64]]:
        """P(label | sentence) of all tokens, flattened, and log Z of sentences; minus infinity: nothing is allowed.

        Sums of single-precision products may end some 1e-5 above one, which is no probability.
        """
        found, log_z = self._sum_up(data, allowed, threads, calibrated)
        return np.minimum(found, 1, out=found), log_z

    def _sum_up(
        self, data: _core.ChainData, allowed: NDArray[np.uint8], threads: int, calibrated: bool
    ) -> tuple[WeightArray, NDArray[np.float64]]:
        """Compute marginals as the core rounds them."""
        weights, search = self._scale_weights(calibrated), self.spec.search
        if search is None or not search.normalised:
            return (data.marginals_exact if self.is_precise else data.marginals)(weights, allowed, threads)
        found = data.history_marginals(weights, search.core(), allowed, threads)
        return found, np.array([0.0 if found.any() or not len(found) else -math.inf])

    def confidences(
        self, data: Data, threads: int = 1, *, calibrated: bool = True, **search: Any
    ) -> tuple[Column, NDArray[np.float32]]:
        """Tag a corpus; also return P(label | sentence) of each of its labels, by local features.

        :attr:`confidence_note` says what the probabilities are.

        Args:
            data: See :meth:`tag_corpus`.
            threads: Number of threads. Does not change the result.
            calibrated: See :meth:`marginals`.
            **search: See :meth:`tag_corpus`.
        """
        require_probabilities(self.spec, "confidences", calibrated=calibrated)
        check_threads(threads)
        self.check_search(search)
        corpus = self.open_provided(data, threads=threads)
        session, batch, sequences = self._open(corpus)
        labels = self._decode(session, batch, NO_CONSTRAINTS, threads, sequences=sequences, **search)
        found, _ = self._marginals(self._encode(session, batch), self._allowed(batch), threads, calibrated)
        chosen = found.reshape(-1, len(self.labels))[np.arange(len(labels)), labels]
        return self._write_column(labels, batch.sentences, corpus), chosen

    def probability(self, tokens: Sequence[object], labels: Sequence[str], *, calibrated: bool = True) -> float:
        """Compute P(labels | tokens) of a whole sentence.

        Args:
            tokens: One sentence, see :meth:`tag`.
            labels: One label per token, as the model writes them.
            calibrated: See :meth:`marginals`.
        """
        require_probabilities(self.spec, "probabilities", calibrated=calibrated)
        with self._session() as session:
            session, batch = self._take(session, [tokens])
            gold = encode_labels(self, labels, batch)
            data = self._encode(session, batch, gold)
            if not len(gold):
                return 1.0
            return math.exp(self._log_probability(data, batch, gold, self._scale_weights(calibrated)))

    def _log_probability(self, data: _core.ChainData, batch: Batch, labels: CodeArray, weights: WeightArray) -> float:
        """Compute log P(labels | tokens) of one sentence, among the label sequences that a tag dictionary leaves."""
        search, allowed = self.spec.search, self._allowed(batch)
        if search is not None and search.normalised:
            return float(data.history_log_probabilities(weights, search.core(), allowed, 1)[0])
        found = float((data.log_probabilities_exact if self.is_precise else data.log_probabilities)(weights, 1)[0])
        if not len(allowed):
            return found
        if not allowed.reshape(len(labels), -1)[np.arange(len(labels)), labels].all():
            return -math.inf
        sum_up = data.marginals_exact if self.is_precise else data.marginals
        log_z = [sum_up(weights, flags, 1)[1][0] for flags in (NO_CONSTRAINTS, allowed)]
        return found + float(log_z[0] - log_z[1])

    # -- looking inside ----------------------------------------------------------------------------------------------

    def evaluate(self, data: Data, *, rule: str = "conlleval", threads: int = 1, **search: Any) -> Score:
        """Score the tagger's labels against those of some data.

        Args:
            data: Anything that :func:`tagloom.train` takes as data, with labels.
            rule: "conlleval", "strict" or "accuracy", see :func:`tagloom.score`.
            threads: Number of threads. Does not change the result.
            **search: Options of the search: decoder, candidates, depth, beam, threshold.
        """
        from tagloom.evaluate import score  # here, because tagging needs none of it

        corpus = self.open_provided(data, gold=True, threads=threads)
        check_threads(threads)
        self.check_search(search)
        gold = corpus.column(self.spec.label)
        predicted = self.predict(corpus, threads, **search)[self.spec.label]
        seen = self.mark_seen(corpus.column(self.encoder.main))
        scheme = find_gold_scheme(gold, corpus.sentences, self.spec.written)
        result = score(gold, predicted, corpus.sentences, rule=rule, scheme=scheme, **seen)
        return result.with_signature(self._sign(**search))

    def _sign(
        self,
        decoder: str | None = None,
        candidates: int | None = None,
        depth: int | None = None,
        beam: int | None = None,
        threshold: float | None = None,
    ) -> Signature:
        """Sign a score with the search that found the labels, and with a decoder that nothing else in it tells."""
        spec, chosen = self.spec, choose_decoder(self.spec, decoder, depth, beam, threshold)
        if chosen == "reranked" and spec.reranker is not None:
            n = spec.reranker.candidates if candidates is None else candidates
            used = replace(spec, reranker=replace(spec.reranker, candidates=n))
        else:
            n, search = (
                spec.candidates if candidates is None else candidates,
                build_history_search(spec, chosen, depth, beam),
            )
            least = choose_threshold(spec, threshold) if chosen == "spans" else None
            used = replace(spec, candidates=n, search=search, threshold=least, reranker=None)
        plain = choose_decoder(replace(spec, threshold=None), None, None, None)
        is_told = used.signature.search is not None or chosen == plain
        return used.signature if is_told else replace(used.signature, search=chosen)

    def mark_seen(self, forms: Column) -> dict[str, Any]:
        """What tells a scorer known words from unknown ones."""
        words = self.parameters.known_words
        if forms.is_bag:
            return {}
        if self.is_segmenter:
            return {"forms": forms, "lexicon": HashedWords(words)}
        return {"known": np.isin(forms.strings.hashes(), words)[forms.codes]}

    def explain(self, tokens: Sequence[object]) -> TaggerExplanation:
        """Explain every label of one sentence, and the choice of the re-ranker, if there is one."""
        tokens = list(tokens) if isinstance(tokens, Iterator) else tokens  # they are read more than once
        with self._session() as session:
            session, batch = self._take(session, [tokens], named=True)
            labels = self._decode(session, batch, NO_CONSTRAINTS, 1)
            described = self.encoder.describe(session.store, batch, 0)
        found = explain_labels(self, (self._nodes, self._edges), labels, described)
        ranked = () if self.reranker is None else tuple(self.explain_choice(tokens))
        return TaggerExplanation(tuple(_list_words(tokens, self.columns)), tuple(found), ranked)

    def describe(self, **options: Any) -> Description:
        """Describe what the tagger was made of, with its heaviest weights.

        Args:
            **options: ``top``, how many weights of every kind to show, and ``label``, to show those of one label.
        """
        from tagloom.systems.tagger.describe import describe_tagger

        return describe_tagger(self, **options)

    @property
    def sizes(self) -> dict[str, int]:
        """The numbers of labels, features, weights and known words."""
        from tagloom.systems.tagger.describe import list_sizes

        return list_sizes(self)

    def read_gold_labels(self, corpus: Corpus) -> Column | None:
        """Read the gold labels of a corpus in the scheme in which the tagger decides."""
        from tagloom.systems.tagger.describe import read_decided_labels

        return None if self.spec.codec is not None else read_decided_labels(self, corpus)

    def summarise_weights(self, top: int = 20) -> Weights | None:
        """List the heaviest features of every label, and all weights of label pairs."""
        from tagloom.systems.tagger.describe import summarise_weights

        return summarise_weights(self, top)

    @property
    def known_words(self) -> Container[str] | None:
        """The words of the training data, known by their hashes; those of a segmenter are the words it cut."""
        return None if self.main in self.spec.bags else HashedWords(self.parameters.known_words)

    def read_training_options(self) -> dict[str, Any] | None:
        """Read the options of the training; None if it began from another model, which the file does not hold."""
        from tagloom.systems.tagger.warm_start import read_training_options

        return None if self.spec.start is not None else read_training_options(self)

    def check_labels(self, corpus: Corpus) -> list[str]:
        """List labels of a corpus that did not occur in the training data."""
        from tagloom.systems.tagger.describe import list_unseen_labels

        return list_unseen_labels(self, corpus)

    # -- files and further training ------------------------------------------------------------------------------------

    def to_tensors(self, *, names: bool = True) -> Tensors:
        """Convert weights, feature tables and labels to arrays."""
        from tagloom.systems.tagger.file import tagger_to_tensors

        return tagger_to_tensors(self, names=names)

    @classmethod
    def from_tensors(
        cls, spec: str, tensors: Tensors, resources: dict[str, Resource], functions: Functions | None
    ) -> Tagger:
        """Build a tagger from its spec and arrays."""
        from tagloom.systems.tagger.file import read_parameters

        return cls(TaggerSpec.from_json(spec), read_parameters(tensors), resources, functions)

    def prepare_start(self, report: Report) -> Tagger:
        """Return the model that a training begins from: this one without its re-ranker."""
        from tagloom.systems.learning import Progress

        if self.reranker is not None:  # it knows the candidates of the old weights
            report(Progress("note", "start: the re-ranker of the start model is not taken over; see tagloom rerank"))
        return self.without_reranker()

    def continue_options(self, given: Mapping[str, object]) -> TaggerOptions:
        """Build the options of a training that begins from this model, with its own where none are given."""
        from tagloom.systems.tagger.options import TaggerOptions
        from tagloom.systems.tagger.warm_start import inherit_options, require_start

        chosen = TaggerOptions.parse(inherit_options(given, self))
        require_start(chosen, self)
        return chosen

    def require_same(self, options: TaggerOptions, given: Mapping[str, object]) -> TaggerOptions:
        """Refuse options that contradict this model, and take over those that shape its features."""
        from tagloom.systems.tagger.warm_start import continue_options

        return continue_options(options, given, self)

    def partial_fit(self, data: Data, **options: Any) -> Tagger:
        """Train a new model that has learned from more data; this one stays as it is.

        Args:
            data: What :func:`tagloom.train` takes as data, with features and labels old and new.
            **options: Options of :func:`tagloom.train`. One pass is made unless ``epochs`` says otherwise.
        """
        from tagloom.systems.train import train

        model: Tagger = train(data, start=self, **{"epochs": 1, **options})
        return model


def _list_words(tokens: Any, columns: Sequence[str]) -> Iterator[str]:
    """Write tokens as a person does: the word, its columns joined by slashes, or its attributes."""
    rows = zip(*(tokens[name] for name in columns), strict=True) if isinstance(tokens, Mapping) else tokens
    for token in rows:
        is_row = isinstance(token, Sequence) and not isinstance(token, str)
        yield "/".join(map(str, token)) if is_row else str(token)
