"""Calibration: the temperature at which a tagger's scores are log probabilities that held-out data agrees with.

P(labels | tokens) is proportional to exp(score / T). One number T is chosen by maximum likelihood, and the weights and
what is tagged stay as they are: temperature scaling (Guo et al. 2017, section 4.2), for the marginals of a chain.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tagloom.corpus import Corpus
from tagloom.corpus.corpus import CodeArray, IntArray, ranges
from tagloom.errors import ConfigError
from tagloom.learners.blocks import shuffle_order
from tagloom.structures.sequences import JOINED
from tagloom.systems.labels import convert_scheme, find_gold_scheme
from tagloom.systems.tagger.decode import divide_weights

if TYPE_CHECKING:
    from tagloom.systems.tagger.model import Tagger

_MOST_TOKENS = 12_000  # drawn from the data; temperatures of different draws differ by about two percent
_USUAL_SCORE = 7.5  # of the best labels of a CRF, per token, on CoNLL-2003; decides where the search begins
_STEP = math.log(2)  # of log T
_CLOSE_ENOUGH = 0.01  # in log T
_MOST_STEPS = 12
_LEAST = float(np.finfo(np.float32).tiny), 2.0**-24  # probabilities of gold and of other labels; marginals are float32
_GOLDEN = (3 - math.sqrt(5)) / 2

Point = tuple[float, float]  # log T and the loss


def find_temperature(model: Tagger, corpus: Corpus, threads: int = 1) -> float:
    """Find the temperature of the highest likelihood of gold labels, to four digits.

    The model scores pairs of neighbouring labels and has not seen the corpus; its seed draws some tokens.
    """
    sample = corpus.select(_draw_sentences(corpus, _needs_documents(model), model.spec.seed))
    loss = TokenLoss(model, sample, threads)
    log_temperature = minimise(lambda place: loss(math.exp(place)), math.log(loss.guess_temperature()))
    return float(f"{math.exp(log_temperature):.4g}")


def _needs_documents(model: Tagger) -> bool:
    """Tell whether marginals of a sentence depend on its document."""
    return model.spec.sequences == JOINED or model.encoder.sees_documents


def _draw_sentences(corpus: Corpus, by_documents: bool, seed: int) -> IntArray:
    """Draw sentences, or whole documents, until there are tokens enough; their numbers, ascending."""
    units = corpus.documents if by_documents and corpus.has_documents else np.arange(len(corpus) + 1, dtype=np.int64)
    order = shuffle_order(len(units) - 1, seed, 0)
    lengths = np.diff(corpus.sentences[units])[order]
    drawn = np.sort(order[np.cumsum(lengths) - lengths < _MOST_TOKENS])
    return ranges(units[drawn], np.diff(units)[drawn])


class TokenLoss:
    """The log loss of the marginals of gold labels, as a function of the temperature.

    The likelihood of whole label sequences would be another loss. Its temperatures are too low for confidences of
    tokens: on CoNLL-2003, where the averaged perceptron is calibrated on testa, the expected calibration error on testb
    is 0.7 % by sequences and 0.4 % by tokens (pa: 0.6 % and 0.3 %).

    As in Platt's scaling (1999, section 2.2), gold labels count as right with (N + 1) / (N + 2) of N tokens. Without
    that, a model that makes no mistake on the data would be most likely at temperature zero, as if it never made any.
    """

    def __init__(self, model: Tagger, corpus: Corpus, threads: int) -> None:
        gold = _find_gold(model, corpus)
        known = np.flatnonzero(gold >= 0)
        if not len(known):
            raise ConfigError(f"{corpus.source}: calibration needs tokens with labels that the model knows, found none")
        self._data, self._allowed = model.encode_chains(corpus)
        self._weights, self._threads = model.parameters.weights, threads
        self._places = known * len(model.labels) + gold[known]  # in [T][L]
        self._trust = (len(known) + 1) / (len(known) + 2)

    def guess_temperature(self) -> float:
        """Guess a temperature from the size of the scores, so that the search is short for any scale of weights."""
        labels, scores = self._data.decode_allowed(self._weights, self._allowed, self._threads)
        size = float(np.abs(scores[np.isfinite(scores)], dtype=np.float64).sum()) / len(labels)
        return min(max(size / _USUAL_SCORE, 1e-4), 1e5)

    def __call__(self, temperature: float) -> float:
        """Compute the loss per token."""
        marginals, _ = self._data.marginals(divide_weights(self._weights, temperature), self._allowed, self._threads)
        right: NDArray[np.float64] = marginals[self._places].astype(np.float64)
        gained = self._trust * np.log(np.maximum(right, _LEAST[0]))
        return -float(np.mean(gained + (1 - self._trust) * np.log(np.maximum(1 - right, _LEAST[1]))))


def _find_gold(model: Tagger, corpus: Corpus) -> CodeArray:
    """Return the gold labels as numbers of those that the model decides on; -1 for labels that it does not know."""
    column, decided = corpus.column(model.spec.label), model.spec.decided
    if column.is_bag:
        raise ConfigError(f"column {model.spec.label!r} holds attributes, not labels")
    if decided is not None:
        found = find_gold_scheme(column, corpus.sentences, model.spec.written)
        column = convert_scheme(column, corpus.sentences, found, decided)
    numbers = {label: number for number, label in enumerate(model.labels)}
    known = np.array([numbers.get(name, -1) for name in column.strings.strings()], np.int32)
    codes: CodeArray = known[column.codes]
    return codes


def minimise(loss: Callable[[float], float], start: float) -> float:
    """Find the least value of a function with one valley: steps until it rises, then Brent's method (1973).

    The step after three points is to the vertex of their parabola, or, where that lies outside or gains too little, a
    golden section. The result is within 0.01 of the minimum, unless that is too far from the start.
    """
    low, middle, high = _bracket(loss, start)
    last = before = high[0] - low[0]  # the lengths of the last step, and of the one before it
    for _ in range(_MOST_STEPS):
        right = high[0] - middle[0] > middle[0] - low[0]
        if high[0] - low[0] < 2.5 * _CLOSE_ENOUGH:
            break
        place = _find_vertex(low, middle, high)
        if place is None or abs(place - middle[0]) > before / 2:
            place = middle[0] + _GOLDEN * ((high if right else low)[0] - middle[0])
        elif abs(place - middle[0]) < _CLOSE_ENOUGH:  # look on the side that is less known
            place = middle[0] + (_CLOSE_ENOUGH if right else -_CLOSE_ENOUGH)
        before, last = last, abs(place - middle[0])
        point = place, loss(place)
        if point[1] < middle[1]:
            low, middle, high = (middle, point, high) if place > middle[0] else (low, point, middle)
        else:
            low, high = (low, point) if place > middle[0] else (point, high)
    return middle[0]


def _bracket(loss: Callable[[float], float], start: float) -> tuple[Point, Point, Point]:
    """Find three points, the one in the middle lowest, unless that is too far from the start."""
    before, best, step = (start + _STEP, loss(start + _STEP)), (start, loss(start)), -_STEP
    if before[1] < best[1]:
        before, best, step = best, before, _STEP
    for _ in range(_MOST_STEPS):
        point = best[0] + step, loss(best[0] + step)
        if point[1] >= best[1]:
            break
        before, best = best, point
    low, high = sorted((before, point))
    return low, best, high


def _find_vertex(low: Point, middle: Point, high: Point) -> float | None:
    """Return where the parabola through three points is lowest; None if that is not between the outer ones."""
    left, right = middle[0] - low[0], high[0] - middle[0]
    rise_left, rise_right = low[1] - middle[1], high[1] - middle[1]
    curve = left * rise_right + right * rise_left
    if curve <= 0:
        return None
    vertex = middle[0] + (right**2 * rise_left - left**2 * rise_right) / (2 * curve)
    return vertex if low[0] < vertex < high[0] else None
