"""Coverage-guided fuzzing of readers and templates with Atheris: ``python -m tests.fuzz.guided TARGET --seconds N``.

Atheris watches which lines of Python an input reaches, and varies the inputs that reach new ones. What is done with an
input is what the targets ``corpora`` and ``templates`` do.
"""

from __future__ import annotations

import argparse
import gc
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType
from typing import Any

from tests.fuzz.records import write_record

_TARGETS = {
    "corpora": "bytes to the readers of every format, by coverage",
    "templates": "texts to the parsers of templates, by coverage",
}
_LONGEST, _MEGABYTES, _SECONDS = 2000, 4096, 10


def main() -> int:
    """Run one target in a process of its own, which Atheris ends."""
    options = _parse_options()
    if options.inside:
        return _fuzz(options)
    if find_spec("atheris") is None:
        sys.exit("atheris is not installed: run pip install atheris, or make fuzz")
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.guided", *sys.argv[1:], "--inside"],
        stderr=subprocess.PIPE, text=True, errors="replace", check=False,
    )  # fmt: skip
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / f"guided-{options.target}.log").write_text(done.stderr)
    runs = int(next(iter(re.findall(r"Done (\d+) runs", done.stderr)), 0))
    failed = int(done.returncode != 0)
    print(f"guided {options.target} seed {options.seed}: {runs:,} cases, {failed} failed")  # noqa: T201
    if options.records is not None:
        file, what = options.records / f"guided-{options.target}.json", _TARGETS[options.target]
        outcomes = {"ok": runs, "crash": failed}
        write_record(file, f"guided {options.target}", what, outcomes, time.monotonic() - begun, seed=options.seed)
    return failed


def _fuzz(options: argparse.Namespace) -> int:
    import atheris

    from tests.fuzz.targets import open_target

    target, make = open_target(options.target), _MAKERS[options.target]()
    target.run(make(b""))  # imports what is imported late
    for function in _list_functions():
        atheris.instrument_func(function)

    def feed(data: bytes) -> None:
        outcome = target.run(make(data))
        if outcome.failed:
            raise RuntimeError(f"{outcome.kind}: {outcome.place}\n{outcome.detail}")

    corpus = (options.output / "corpus" / f"guided-{options.target}").resolve()
    corpus.mkdir(parents=True, exist_ok=True)
    atheris.Setup(
        [sys.argv[0], f"-max_total_time={options.seconds}", f"-seed={options.seed}", f"-max_len={_LONGEST}",
         f"-timeout={_SECONDS}", f"-rss_limit_mb={_MEGABYTES}", f"-artifact_prefix={options.output}/{options.target}-",
         str(corpus)],
        feed,
    )  # fmt: skip
    atheris.Fuzz()
    return os.EX_OK


def _list_functions() -> list[FunctionType]:
    """List the functions of the package, whichever way it was imported."""
    functions = (each for each in gc.get_objects() if isinstance(each, FunctionType))
    return [each for each in functions if (each.__module__ or "").startswith("tagloom")]


def _make_corpora() -> Callable[[bytes], Any]:
    from tests.fuzz.corpora import FORMATS, Case

    names = [None, *FORMATS]
    return lambda data: Case(names[data[0] % len(names)] if data else None, data[1:], None, "conll")


def _make_templates() -> Callable[[bytes], Any]:
    from tests.fuzz.templates import LANGUAGES, Case

    names = list(LANGUAGES)
    return lambda data: Case(names[data[0] % len(names) if data else 0], data[1:].decode(errors="replace"))


_MAKERS: dict[str, Callable[[], Callable[[bytes], Any]]] = {"corpora": _make_corpora, "templates": _make_templates}


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.fuzz.guided", description="Fuzz a part of tagloom by coverage.")
    parser.add_argument("target", choices=_TARGETS)
    parser.add_argument("--seconds", type=int, default=10, help="time to run")
    parser.add_argument("--seed", type=int, default=1, help="seed of the inputs")
    parser.add_argument("--output", type=Path, default=Path("build/fuzz"), help="folder of inputs and findings")
    parser.add_argument("--records", type=Path, help="folder for a record of the run")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
