"""Vowpal Wabbit and CRFsuite beside tagloom: one pass over 10^6 and 10^7 generated tokens, with the same features."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from bench.rivals.adapters.adapter import Adapter
from bench.scale import rival_tools
from bench.scale.keeper import Keeper
from bench.scale.process import ProcessError, Record, run_module
from bench.scale.text import write_corpus

SIZES = (1_000_000, 10_000_000)
LIMIT_SECONDS, LIMIT_GIGABYTES = 15 * 60, 20
TEST_TOKENS, TEST_SEED = 20_000, 6


def measure_rivals(keeper: Keeper, largest: int) -> list[Record]:
    """Measure every tool on every size; a tool that is not here, or reaches a limit, has a row that says so."""
    test = keeper.folder / "test.conll"
    if not test.exists():
        write_corpus(test, TEST_TOKENS, TEST_SEED)
    return [
        _measure(keeper, adapter, size, test)
        for size in [each for each in SIZES if each <= largest]
        for adapter in rival_tools.ADAPTERS
    ]


def _measure(keeper: Keeper, adapter: Adapter, size: int, test: Path) -> Record:
    text, tokens = keeper.make_text(size)
    row: Record = {"tool": adapter.name, "settings": adapter.settings, "version": adapter.version, "tokens": tokens}
    if (reason := adapter.find_reason()) is not None:
        return {**row, "note": reason}
    arguments = [adapter.name, str(text), str(test), str(keeper.folder / "rival-model")]
    return {**row, **keeper.measure(f"{adapter.name}, {size}", partial(_run, arguments))}


def _run(arguments: Sequence[str]) -> Record:
    try:
        return run_module(rival_tools.__name__, arguments, LIMIT_SECONDS, LIMIT_GIGABYTES)
    except ProcessError as error:
        return {"note": str(error)}
