"""Makes conll18.json beside it: pairs of treebanks of the same text, and what the script of CoNLL 2018 counts.

Usage: python -m tests.golden.make_conll18 path/to/conll18_ud_eval.py

The script comes with trankit 1.1.2 (trankit/utils/scorers). Only its counts are kept here.
"""

from __future__ import annotations

import importlib.util
import io
import json
import sys
from pathlib import Path
from typing import Any

from tests.golden.treebank_pairs import draw_pair

PAIRS = 20


def load(script: str) -> Any:
    spec = importlib.util.spec_from_file_location("conll18_ud_eval", script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def count(script: Any, gold: str, system: str) -> dict[str, list[int]]:
    """Correct, predicted and gold units, and aligned words, of every score."""
    found = script.evaluate(*(script.load_conllu(io.StringIO(text)) for text in (gold, system)))
    return {
        name.lower(): [row.correct, row.system_total, row.gold_total, row.aligned_total] for name, row in found.items()
    }


def main(path: str) -> None:
    script = load(path)
    cases = []
    for seed in range(PAIRS):
        gold, system = draw_pair(seed)
        cases.append({"gold": gold, "system": system, "counts": count(script, gold, system)})
    Path(__file__).with_name("conll18.json").write_text(json.dumps(cases, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
