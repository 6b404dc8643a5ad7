"""Ensemble: taggers that decide together. Its probabilities are the means of theirs.

A labelling is chosen among those that the label scheme allows: that of the largest sum of mean probabilities, which is
the largest number of labels that are expected to be right; or that of their largest product.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.arguments import check_methods
from tagloom.corpus import Column, Corpus
from tagloom.corpus.corpus import CodeArray, IntArray
from tagloom.corpus.layers import Layer
from tagloom.evaluate import Signature
from tagloom.features import Resource
from tagloom.schema import Field, Misfit, Text, limits
from tagloom.structures import Chain
from tagloom.structures.candidates import CandidateLists
from tagloom.structures.chain import NO_CONSTRAINTS
from tagloom.structures.edit_scripts import decode_scripts
from tagloom.structures.sequences import JOINED, Sequences, join_documents
from tagloom.systems.base import CONFIDENCE, MARGINALS, NBEST, Functions, Model, Reads
from tagloom.systems.ensemble.explain import EnsembleExplanation
from tagloom.systems.ensemble.layout import ENSEMBLE, name_member
from tagloom.systems.ensemble.members import check_members
from tagloom.systems.ensemble.search import POSTERIOR, EnsembleSearch
from tagloom.systems.labels import find_gold_scheme
from tagloom.systems.options import check_threads
from tagloom.systems.spec import Spec
from tagloom.systems.tables import Description, Table
from tagloom.systems.tagger.candidates import Candidate, require_room, write_candidates
from tagloom.systems.tagger.model import Tagger
from tagloom.systems.tagger.parameters import WeightViews
from tagloom.systems.tagger.writer import LabelWriter

if TYPE_CHECKING:
    from tagloom.evaluate import Score
    from tagloom.features.tensors import Tensors
    from tagloom.text import Segmentation

Probabilities = NDArray[np.float32]
_LEAST = np.float32(1e-30)  # of a probability whose logarithm is taken


@dataclass(frozen=True, kw_only=True)
class EnsembleSpec(Spec):
    """What an ensemble was made of and from; the specs of its taggers stand in their own files."""

    system: ClassVar[str] = "ensemble"

    label: Annotated[str, Field("Name of the label column.")]
    learner: Annotated[str, Field("Learners of the taggers, with their settings.", length=limits.LONGEST_TEXT)]
    templates: Annotated[str, Field("Names of their template sets.", length=limits.LONGEST_TEXT)]
    members: Annotated[int, Field("Number of taggers.", 1, limits.MOST_MEMBERS)]

    @property
    def signature(self) -> Signature:
        """The line that goes with every score of the model."""
        return Signature(
            system=f"{self.system},{self.members}", learner=self.learner, templates=self.templates, seed=self.seed,
            data=self.data, version=self.version,
        )  # fmt: skip

    @classmethod
    def describe_members(cls, members: Sequence[Tagger]) -> EnsembleSpec:
        """Write down what taggers are made of."""
        specs = [each.spec for each in members]
        data = list(dict.fromkeys(each.data for each in specs))
        signatures = [each.signature for each in specs]
        return cls(
            columns=specs[0].columns,
            seed=specs[0].seed,
            data=data[0] if len(data) == 1 else f"{zlib.crc32(' '.join(data).encode()):08x}",
            version=specs[0].version,
            normal_form=specs[0].normal_form,
            label=specs[0].label,
            learner="+".join(dict.fromkeys(str(each.learner) for each in signatures)),
            templates="+".join(dict.fromkeys(str(each.templates) for each in signatures)),
            members=len(members),
        )


@check_methods()
class Ensemble(Model):
    """Taggers that decide together.

    Make one with ``tagloom.train(..., system="ensemble")``, :func:`tagloom.join_taggers` or :func:`tagloom.load`.
    """

    system = "ensemble"
    layout = ENSEMBLE
    search_options = EnsembleSearch
    capabilities = frozenset({NBEST, CONFIDENCE, MARGINALS})
    spec: EnsembleSpec

    def __init__(self, members: Sequence[Tagger], spec: EnsembleSpec | None = None) -> None:
        """Join taggers without lines."""
        check_members(members)
        self.members, self.resources = tuple(members), {}
        self.spec = EnsembleSpec.describe_members(members) if spec is None else spec
        #: The labels that are decided on.
        self.labels = members[0].labels
        self.functions: dict[str, Callable[..., object]] = {}  # the user's own, by name
        for each in members:
            self.functions |= each.functions
        #: For every tagger, the numbers that it gives to the labels.
        self._numbers = [np.array([each.labels.index(label) for label in self.labels]) for each in members]
        own = members[0].spec
        self._writer = LabelWriter(self.labels, own.decided, own.written)
        # A chain whose features are the labels themselves: the score of a labelling is the sum of what its labels have.
        self._chain = Chain(self.labels, own.decided).compile(len(self.labels), transitions=False)
        self._weights = np.zeros(self._chain.size, np.float32)
        WeightViews(self._chain, self._weights).nodes[:] = np.eye(len(self.labels), dtype=np.float32)

    @property
    def _first(self) -> Tagger:
        return self.members[0]

    @property
    def main(self) -> str:
        """The column of the words."""
        return self._first.main

    @property
    def own_reads(self) -> Reads:
        """What its taggers read."""
        return self._first.own_reads

    @property
    def own_layers(self) -> tuple[Layer, ...]:
        """One column of labels."""
        return self._first.own_layers

    @property
    def own_inventory(self) -> Mapping[str, Sequence[str]]:
        """That of its taggers."""
        return self._first.own_inventory

    @property
    def segments_text(self) -> bool:
        """Whether labels of word boundaries cut text."""
        return self._first.segments_text

    @property
    def name(self) -> str:
        """What messages call it as a tokenizer."""
        return self._first.name

    def segment(self, text: str, *, threads: int = 1) -> Segmentation:
        """Cut a text into words, if the taggers label word boundaries."""
        from tagloom.systems.tagger.segment import segment_text

        if not self.segments_text:
            return self._first.segment(text, threads=threads)  # which refuses
        return segment_text(self, self._first.spec.written, text, threads)

    # -- tagging ------------------------------------------------------------------------------------------------------

    def predict(self, corpus: Corpus, threads: int, **search: Any) -> dict[str, Column]:
        """Predict the column of labels."""
        codes = self._decode(corpus, self._average(corpus, threads), threads, **search)
        return {self.spec.label: self._write_column(codes, corpus)}

    def tag(self, tokens: Sequence[object], **search: Any) -> list[str]:
        """Tag one sentence, see :meth:`Tagger.tag`."""
        self.check_search(search)
        return self.predict(self.open_sentences([tokens]), 1, **search)[self.spec.label].texts()

    def _average(self, corpus: Corpus, threads: int, *, calibrated: bool = True) -> Probabilities:
        """Compute the mean of the marginals of all taggers: [N][L]."""
        total: Probabilities = np.zeros((corpus.token_count, len(self.labels)), np.float32)
        for each, numbers in zip(self.members, self._numbers):
            total += each.marginals_corpus(corpus, threads, calibrated=calibrated)[:, numbers]
        total /= np.float32(len(self.members))
        return total

    def _encode(self, corpus: Corpus, mean: Probabilities, decoder: str | None) -> _core.ChainData:
        """Encode mean probabilities as the features of a chain."""
        tokens, count = mean.shape
        values = mean if (decoder or POSTERIOR) == POSTERIOR else np.log(np.maximum(mean, _LEAST))
        offsets = np.arange(tokens + 1, dtype=np.int64) * count
        rows = np.tile(np.arange(count, dtype=np.uint32), tokens)
        nothing = np.zeros(tokens + 1, np.int64), np.zeros(0, np.uint32), np.zeros(0, np.float32)
        sentences, gold = self._sequences(corpus), np.zeros(0, np.int32)
        nodes = offsets, rows, np.ascontiguousarray(values).ravel()
        return _core.ChainData(self._chain, *nodes, *nothing, sentences, gold)

    def _sequences(self, corpus: Corpus) -> IntArray:
        """The offsets of what is labelled as one: sentences, or joined documents."""
        joined = join_documents(corpus) if self._first.spec.sequences == JOINED else corpus
        return Sequences.of_sentences(joined.sentences).offsets

    def _decode(self, corpus: Corpus, mean: Probabilities, threads: int, decoder: str | None = None) -> CodeArray:
        data = self._encode(corpus, mean, decoder)
        codes, _ = data.decode_allowed(self._weights, NO_CONSTRAINTS, threads)
        return codes

    def _write_column(self, codes: CodeArray, corpus: Corpus) -> Column:
        column = self._writer.write_column(codes, self._sequences(corpus))
        return column if self._first.spec.codec is None else decode_scripts(corpus.column(self.main), column)

    # -- probabilities ------------------------------------------------------------------------------------------------

    @property
    def confidence_note(self) -> str:
        """What the confidences are."""
        return f"means of {len(self.members)}: {self._first.confidence_note}"

    def marginals(self, tokens: Sequence[object], *, calibrated: bool = True) -> Probabilities:
        """Compute the mean probability of every label at every token of a sentence."""
        return self._average(self.open_sentences([tokens]), 1, calibrated=calibrated)

    def marginals_corpus(self, data: Any, threads: int = 1, *, calibrated: bool = True) -> Probabilities:
        """Compute the mean probability of every label at every token of a corpus.

        Args:
            data: Anything that :func:`tagloom.train` takes as data.
            threads: Number of threads. Does not change the result.
            calibrated: False reads the scores of the taggers as log probabilities, without their temperatures.

        Returns:
            An array [N][L], with labels in the order of ``labels``.
        """
        check_threads(threads)
        return self._average(self.open_provided(data, threads=threads), threads, calibrated=calibrated)

    def confidences(
        self, data: Any, threads: int = 1, *, calibrated: bool = True, **search: Any
    ) -> tuple[Column, Probabilities]:
        """Tag a corpus; also return the mean probability of each of its labels."""
        check_threads(threads)
        self.check_search(search)
        corpus = self.open_provided(data, threads=threads)
        mean = self._average(corpus, threads)
        codes = self._decode(corpus, mean, threads, **search)
        mean = mean if calibrated else self._average(corpus, threads, calibrated=False)
        return self._write_column(codes, corpus), np.minimum(mean[np.arange(len(codes)), codes], 1)

    def nbest_corpus(self, data: Any, n: int, threads: int = 1) -> list[list[Candidate]]:
        """Find the n best labellings of every sentence; their scores are sums of mean probabilities."""
        check_threads(threads)
        corpus = self.open_provided(data, threads=threads)
        require_room(n, corpus.token_count)
        encoded = self._encode(corpus, self._average(corpus, threads), None)
        lists = CandidateLists(*encoded.nbest(self._weights, NO_CONSTRAINTS, n, threads))
        sequences = self._sequences(corpus)
        return write_candidates(self._writer, lists, sequences, sequences)

    def nbest(self, tokens: Sequence[object], n: int) -> list[Candidate]:
        """Find the n best labellings of one sentence."""
        return self.without_line().nbest_corpus(self.open_sentences([tokens]), n)[0]

    # -- looking inside -----------------------------------------------------------------------------------------------

    def evaluate(self, data: Any, *, rule: str = "conlleval", threads: int = 1, **search: Any) -> Score:
        """Score the labels against those of some data, see :meth:`Tagger.evaluate`."""
        from tagloom.evaluate import score  # here, because tagging needs none of it

        corpus = self.open_provided(data, gold=True, threads=threads)
        check_threads(threads)
        self.check_search(search)
        gold = corpus.column(self.spec.label)
        predicted = self.predict(corpus, threads, **search)[self.spec.label]
        scheme = find_gold_scheme(gold, corpus.sentences, self._first.spec.written)
        seen = self._first.mark_seen(corpus.column(self.main))
        result = score(gold, predicted, corpus.sentences, rule=rule, scheme=scheme, **seen)
        return result.with_signature(self.spec.signature)

    def explain(self, tokens: Sequence[object]) -> EnsembleExplanation:
        """Explain the labels of one sentence by the votes of the taggers, and each vote by its features."""
        corpus = self.open_sentences([tokens])
        mean = self._average(corpus, 1)
        codes = self._decode(corpus, mean, 1)
        found = []
        for each in self.members:
            rows = tokens if each.spec.bags else list(zip(*(corpus.sentence(0, name) for name in each.columns)))
            found.append(each.explain(rows))
        return EnsembleExplanation(
            found[0].words,
            tuple(self.labels[code] for code in codes.tolist()),
            tuple(mean[np.arange(len(codes)), codes].tolist()),
            tuple(found),
        )

    def describe(self, **options: Any) -> Description:
        """List the taggers with their signatures and sizes."""
        rows = [(str(number), str(each.spec.signature), f"{each.sizes['features']:,}")
                for number, each in enumerate(self.members, 1)]  # fmt: skip
        facts = {"writes": self.spec.label, "labels": " ".join(self.labels), "taggers": str(len(self.members)),
                 "confidences": self.confidence_note}  # fmt: skip
        sizes = {"taggers": len(self.members), "labels": len(self.labels),
                 "features": sum(each.sizes["features"] for each in self.members)}  # fmt: skip
        table = Table(("tagger", "signature", "features"), rows, ["tagger", "features"])
        return Description(facts, sizes, [table], {"members": [list(row) for row in rows]})

    @property
    def known_words(self) -> Container[str] | None:
        """The words of the training data of the first tagger."""
        return self._first.known_words

    def read_gold_labels(self, corpus: Corpus) -> Column | None:
        """Read the gold labels of a corpus in the scheme in which the taggers decide."""
        return self._first.read_gold_labels(corpus)

    def check_labels(self, corpus: Corpus) -> list[str]:
        """List labels of a corpus that no tagger can give."""
        return self._first.check_labels(corpus)

    # -- files --------------------------------------------------------------------------------------------------------

    def to_tensors(self, *, names: bool = True) -> Tensors:
        """Convert the taggers to the bytes of their files."""
        return {
            name_member(number): np.frombuffer(each.to_bytes(names=names), np.uint8)
            for number, each in enumerate(self.members)
        }

    @classmethod
    def from_tensors(
        cls, spec: str, tensors: Tensors, resources: dict[str, Resource], functions: Functions | None
    ) -> Ensemble:
        """Build an ensemble from the files of its taggers."""
        from tagloom.systems.file import open_within
        from tagloom.systems.line import Line

        own = EnsembleSpec.from_json(spec)
        found = [name for name in map(name_member, range(limits.MOST_MEMBERS)) if name in tensors]
        if found != [name_member(number) for number in range(own.members)]:
            raise Misfit("tensors", f"{own.members} taggers", Text(f"{len(found)}, or others"))
        members: list[Tagger] = [open_within(name, tensors[name], functions, "tagger") for name in found]
        for name, each in zip(found, members):
            if each.line != Line():
                raise Misfit(f"tensor {name}", "a tagger without a line", Text("one with a line of its own"))
        model = cls(members, own)
        if own != EnsembleSpec.describe_members(members):
            raise Misfit("spec", "what the taggers were made of", Text("something else"))
        return model
