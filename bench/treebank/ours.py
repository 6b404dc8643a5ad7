"""One command of tagloom in a process of its own: `python -m bench.treebank.ours USAGE train FILE ...`."""

from __future__ import annotations

import sys
import time

from bench.usage import write_usage


def main(usage_file: str, *arguments: str) -> None:
    started = time.time()
    from tagloom import __version__
    from tagloom.cli.main import run

    code = run(list(arguments))
    if code:
        sys.exit(code)
    write_usage(usage_file, started, version=__version__)


if __name__ == "__main__":
    main(*sys.argv[1:])
