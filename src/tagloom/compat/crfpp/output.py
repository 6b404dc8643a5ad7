"""What ``crf_test`` does: column files with the labels of a model, in the layouts of CRF++.

Every line has the columns of the input and the label, with tabs between them, and an empty line ends a sentence. With
``verbose`` 1, ``# P`` before a sentence is the probability of its labels, and every label has its marginal probability;
with 2, all labels follow with theirs. With ``nbest``, each of the n best labellings follows a line ``# RANK P``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tagloom.arguments import check_arguments
from tagloom.compat.crfpp.rows import Rows, stream_rows
from tagloom.corpus import Corpus
from tagloom.corpus.streams import Source
from tagloom.errors import ConfigError
from tagloom.systems.options import MOST_CANDIDATES, check_whole_number
from tagloom.systems.tagger.model import Tagger


@check_arguments
def annotate(
    model: Tagger, source: Source, *, nbest: int = 0, verbose: int = 0, cost_factor: float = 1.0, threads: int = 1
) -> Iterator[str]:
    """Write a column file with the labels of a model, sentence by sentence, as ``crf_test`` does.

    Args:
        model: A tagger.
        source: Column file, or ``-`` for stdin. It has the columns that the model reads; others may follow.
        nbest: Write the n best labellings of every sentence; 0 for the best one, without its rank.
        verbose: 1 for probabilities, 2 for those of all labels, too.
        cost_factor: Number that scores are multiplied with before they become probabilities.
        threads: Number of threads. Does not change the result.

    Returns:
        The text of every sentence.
    """
    check_whole_number("nbest", nbest, 0, MOST_CANDIDATES)
    check_whole_number("verbose", verbose, 0, 2**31 - 1)
    if not 0 < cost_factor < 1e9:
        raise ConfigError(f"cost-factor: expected a number above 0, got {cost_factor:g}")
    scaled = model.with_temperature((model.spec.temperature or 1.0) / cost_factor)
    annotator = _Annotator(scaled, nbest, verbose, threads)
    return (text for rows in stream_rows(source) for text in annotator.write(rows))


@dataclass(frozen=True)
class _Labelling:
    """One labelling of a sentence: what stands before it, and its labels."""

    head: str
    labels: Sequence[str]


@dataclass(frozen=True)
class _Annotator:
    """A model, and how its output is written."""

    model: Tagger
    nbest: int
    verbose: int
    threads: int

    def __post_init__(self) -> None:
        spec = self.model.spec
        if self.verbose and spec.scheme != spec.written_scheme:
            raise ConfigError(
                f"verbose: this model decides on {spec.scheme} labels and writes {spec.written_scheme}; train it with "
                "crfpp-learn, or with --scheme none"
            )

    @cached_property
    def columns(self) -> list[tuple[int, str]]:
        """Number and name of the columns that the model reads."""
        names = self.model.spec.columns
        return [(names.index(name), name) for name in self.model.reads.columns]

    @cached_property
    def order(self) -> list[tuple[int, str]]:
        """Number and name of every label, in the order of CRF++: by their bytes."""
        return sorted(enumerate(self.model.labels), key=lambda pair: pair[1].encode())

    def write(self, rows: Rows) -> Iterator[str]:
        """Write sentences."""
        corpus = self.model.open_provided(rows.to_corpus(self.columns), threads=self.threads)
        needs_scores = self.nbest > 0 or self.verbose > 0
        found = self._find_scored(corpus) if needs_scores else (None, self._find_best(corpus))
        texts, start = ["\t".join(row) for row in rows.fields], 0
        for labellings, length in zip(found[1], rows.lengths):
            yield "".join(self._write_labelling(each, texts, start, found[0]) for each in labellings)
            start += length

    def _find_best(self, corpus: Corpus) -> Iterator[list[_Labelling]]:
        labels, start = self.model.predict_columns(corpus, threads=self.threads)[self.model.spec.label].texts(), 0
        for stop in corpus.sentences[1:].tolist():
            yield [_Labelling("", labels[start:stop])]
            start = stop

    def _find_scored(self, corpus: Corpus) -> tuple[Any, Iterator[list[_Labelling]]]:
        """Find the best labellings with their probabilities, and the marginals [N][L] of all labels."""
        from tagloom.systems.tagger.decode import require_probabilities

        model = self.model
        require_probabilities(model.spec, "probabilities", calibrated=True)
        data, flags = model.encode_chains(corpus)
        marginals, log_z = data.marginals(model.probability_weights, flags, self.threads)
        lists = model.nbest_corpus(corpus, max(self.nbest, 1), self.threads)
        labellings = (
            [_Labelling(self._write_head(rank, each.score, z), each.labels) for rank, each in enumerate(candidates)]
            for candidates, z in zip(lists, log_z.tolist())
        )
        return marginals.clip(max=1).reshape(-1, len(model.labels)), labellings  # sums are rounded

    def _write_head(self, rank: int, score: float, log_z: float) -> str:
        probability = min(math.exp(score / (self.model.spec.temperature or 1.0) - log_z), 1.0)
        return f"# {f'{rank} ' if self.nbest else ''}{probability:f}\n"

    def _write_labelling(self, labelling: _Labelling, texts: Sequence[str], start: int, marginals: Any) -> str:
        labels = labelling.labels
        if self.verbose:
            chances = marginals[start : start + len(labels)].tolist()
            labels = [self._write_label(*pair) for pair in zip(labels, chances)]
        lines = [f"{texts[start + t]}\t{label}\n" for t, label in enumerate(labels)]
        return labelling.head + "".join(lines) + "\n"

    def _write_label(self, label: str, chances: Sequence[float]) -> str:
        chosen = f"{label}/{chances[self._numbers[label]]:f}"
        if self.verbose < 2:
            return chosen
        return chosen + "".join(f"\t{name}/{chances[number]:f}" for number, name in self.order)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {label: number for number, label in enumerate(self.model.labels)}
