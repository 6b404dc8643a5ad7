"""Soak: models that serve new words without end keep their resident memory.

Every case calls one model again and again, each time with words that it has never met. The resident memory rises while
the caches fill, and must not rise after the first intervals.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tagloom
from tagloom.corpus import Corpus
from tagloom.datasets import newswire

INTERVALS = 10
_WARM_UP = 3  # intervals in which caches may fill
_SLACK = 1.15  # of the most memory during the warm-up, for what the allocator does not give back
_SAMPLES = 200  # per interval
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Case:
    """What is called, and how many times: ``serve`` takes a number that makes its words new."""

    name: str
    unit: str
    calls: int
    units_per_call: int
    open: Callable[[], Callable[[int], Any]]

    def list_bounds(self, scale: float) -> list[tuple[int, int]]:
        """List the first and the last call of each interval."""
        calls = max(INTERVALS, round(self.calls * scale))
        return list(itertools.pairwise(calls * number // INTERVALS for number in range(INTERVALS + 1)))


def measure_memory() -> float:
    """Measure the resident memory of this process in MB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE / 1e6


def run_interval(serve: Callable[[int], Any], first: int, last: int) -> float:
    """Serve the calls of an interval and return the most resident memory that was seen."""
    step, most = max(1, (last - first) // _SAMPLES), 0.0
    for number in range(first, last):
        serve(number)
        if number % step == 0:
            most = max(most, measure_memory())
    return most


def is_flat(peaks: list[float]) -> bool:
    """Check that no interval after the warm-up takes more memory than the warm-up did."""
    return max(peaks[_WARM_UP:]) <= _SLACK * max(peaks[:_WARM_UP])


def run_case(case: Case, scale: float, tell: Callable[[str], None]) -> bool:
    """Run one case in this process, tell the memory of every interval, and return whether it is flat."""
    serve, begun = case.open(), time.perf_counter()
    peaks = [run_interval(serve, *bounds) for bounds in case.list_bounds(scale)]
    served = case.list_bounds(scale)[-1][1] * case.units_per_call
    verdict = "flat" if is_flat(peaks) else "GROWS"
    shown = " ".join(f"{peak:.0f}" for peak in peaks)
    seconds = time.perf_counter() - begun
    tell(f"{case.name}: {served:,} {case.unit}, most MB in each tenth: {shown}: {verdict} ({seconds:.0f} s)")
    return is_flat(peaks)


def run_in_child(case: Case, scale: float, tell: Callable[[str], None]) -> bool:
    """Run one case in a process of its own, so that it does not inherit memory from the case before."""
    child = os.fork()
    if child == 0:
        os._exit(0 if run_case(case, scale, tell) else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


# -- what is served ----------------------------------------------------------------------------------------------------


def _select(*names: str) -> Corpus:
    made = newswire(5, seed=2)
    return Corpus({name: made.column(name) for name in names}, made.sentences, made.documents, made.has_documents)


def _words(number: int) -> list[str]:
    return [f"the{number:x}", "old", f"Dog-{number}", "barks"]


def _text(number: int) -> str:
    return f"The{number:x} old Dog{number} barks."


def _train_tagger(**options: Any) -> Any:
    return tagloom.train(_select("form", "pos"), epochs=3, **options)


def _tag_sentences() -> Callable[[int], Any]:
    model = _train_tagger()
    return lambda number: model.tag(_words(number))


def _tag_batches() -> Callable[[int], Any]:
    model = _train_tagger()
    return lambda number: model.tag_many([_words(100 * number + each) for each in range(100)])


def _tag_long_tokens() -> Callable[[int], Any]:
    model = _train_tagger()
    return lambda number: model.tag([f"{number:x}" + "y" * 2048 for number in range(10 * number, 10 * number + 10)])


def _tag_normalised() -> Callable[[int], Any]:
    model = _train_tagger(normalise="NFKC")
    return lambda number: model.tag([*_words(number), f"{number}é" * 200])


def _tag_feature_dicts() -> Callable[[int], Any]:
    items = [[{"w": "a", "n": str(each)}, {"w": f"b{each}"}] for each in range(20)]
    model = tagloom.train([(each, ["X", "Y"]) for each in items], epochs=3)
    return lambda number: model.tag([{"w": f"a{number}", f"n{number}": "1"}, {"w": "b"}])


def _mark_confidence() -> Callable[[int], Any]:
    model = _train_tagger(learner="sgd")
    return lambda number: model.marginals(_words(number))


def _rerank() -> Callable[[int], Any]:
    data = _select("form", "ner")
    model = tagloom.rerank(tagloom.train(data, epochs=3), data, templates="entities", folds=2, cutoff=1)
    return lambda number: model.tag(_words(number))


def _annotate_texts() -> Callable[[int], Any]:
    model = _train_tagger()
    return lambda number: model(_text(number))


def _pipe_texts() -> Callable[[int], Any]:
    model = _train_tagger()
    results: Iterator[Any] = model.pipe(map(_text, itertools.count()))
    return lambda _: next(results)


def _parse() -> Callable[[int], Any]:
    options = {"epochs": 2, "tag_folds": 2, "tagger": {"epochs": 1}, "depth": 1}
    model: Any = tagloom.train(_select("form", "pos", "head"), system="parser", **options)
    return lambda number: model.parse(_words(number))


def _chunk() -> Callable[[int], Any]:
    model: Any = tagloom.train(_select("form", "ner"), system="phrases", epochs=2, cutoff=1)
    return lambda number: model.spans(_words(number))


CASES = (
    Case("tag", "sentences of new words", 10**7, 1, _tag_sentences),
    Case("tag_many", "sentences of new words", 20_000, 100, _tag_batches),
    Case("tag of long tokens", "tokens of 2 KB", 10**5, 10, _tag_long_tokens),
    Case("tag with normalisation", "sentences of new words", 300_000, 1, _tag_normalised),
    Case("tag of feature dicts", "sentences of new attributes", 10**6, 1, _tag_feature_dicts),
    Case("marginals", "sentences of new words", 10**6, 1, _mark_confidence),
    Case("tag with a re-ranker", "sentences of new words", 10**6, 1, _rerank),
    Case("model(text)", "texts of new words", 200_000, 1, _annotate_texts),
    Case("pipe", "texts of new words", 10**6, 1, _pipe_texts),
    Case("parse", "sentences of new words", 100_000, 1, _parse),
    Case("spans of phrases", "sentences of new words", 100_000, 1, _chunk),
)
