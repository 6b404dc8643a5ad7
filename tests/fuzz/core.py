"""Runs the coverage-guided targets of the core: ``python -m tests.fuzz.core --seconds N``.

The programs stand in build/fuzz/core (``make fuzz`` builds them), the inputs that reach new code in build/fuzz/corpus.
Inputs that break a promise or a sanitizer's rule are kept as build/fuzz/NAME-crash-*.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from pathlib import Path

from tests.fuzz.records import write_record

#: What each target feeds; the programs have these names.
TARGETS = {
    "columns": "bytes to the parser of column text",
    "utf8": "bytes to the decoder of UTF-8",
    "tokens": "texts to the tokenizers and the sentence splitter",
    "tables": "strings and keys to the tables of strings, features and phrases",
    "features": "words, attributes, macros and templates to the encoder",
}
_SAMPLES = [
    b"He PRP B-NP\nsaw VBD B-VP\n\n-DOCSTART- -X- O\n\n# comment\n",
    b"\x08He\tPRP\nsaw\tVBD\n",
    "“It's 3.5 % (U.S.A.)…” e-mail: a@b.org https://x.io/?q=1 :-) 中文。 Dr. No can't. 👩‍👩‍👧".encode(),
    b"\x01form\xff\x05suffix\x03\xff^\\u.*\\d?$\xffword\xffWord-1\xff",
]
_LONGEST, _MEGABYTES, _SECONDS = 4096, 2048, 10


def main() -> int:
    """Run all targets, one after another."""
    options = _parse_options()
    failed = [name for name in TARGETS if not run(name, options)]
    return int(bool(failed))


def run(name: str, options: argparse.Namespace) -> bool:
    """Run one target; return whether nothing was found."""
    corpus = options.output / "corpus" / name
    _write_samples(corpus)
    begun = time.monotonic()
    done = subprocess.run(
        [options.output / "core" / name, f"-max_total_time={options.seconds}", f"-seed={options.seed}",
         f"-max_len={_LONGEST}", f"-timeout={_SECONDS}", f"-rss_limit_mb={_MEGABYTES}", "-print_final_stats=1",
         f"-artifact_prefix={options.output}/{name}-", corpus],
        stderr=subprocess.PIPE, text=True, errors="replace", check=False,
    )  # fmt: skip
    (options.output / f"{name}.log").write_text(done.stderr)
    runs = int(next(iter(re.findall(r"number_of_executed_units: (\d+)", done.stderr)), 0))
    print(f"core {name} seed {options.seed}: {runs:,} cases, {'0' if done.returncode == 0 else '1'} crash")  # noqa: T201
    if options.records is not None:
        outcomes = {"ok": runs - bool(done.returncode), "crash": int(bool(done.returncode))}
        seconds = time.monotonic() - begun
        write_record(
            options.records / f"core-{name}.json", name, TARGETS[name], outcomes, seconds, seed=options.seed,
            sanitized="address,undefined",
        )  # fmt: skip
    return done.returncode == 0


def _write_samples(corpus: Path) -> None:
    """Write inputs to begin from, unless earlier runs have left better ones."""
    corpus.mkdir(parents=True, exist_ok=True)
    for number, sample in enumerate(_SAMPLES):
        (corpus / f"sample{number}").write_bytes(sample)


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.fuzz.core", description="Fuzz the core of tagloom.")
    parser.add_argument("--seconds", type=int, default=10, help="time for each target")
    parser.add_argument("--seed", type=int, default=1, help="seed of all targets")
    parser.add_argument("--output", type=Path, default=Path("build/fuzz"), help="folder of programs and findings")
    parser.add_argument("--records", type=Path, help="folder for records of the runs")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
