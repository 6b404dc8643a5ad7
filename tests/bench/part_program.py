"""A program for the test of parts: writes how often it ran, or fails."""

from __future__ import annotations

import sys
from pathlib import Path


def main(usage: str, word: str, target: str) -> None:
    if word == "fail":
        sys.exit("nothing works today")
    Path(target).write_text(word, "utf-8")
    count = Path(target).parents[1] / "count.txt"
    runs = int(count.read_text("utf-8")) + 1 if count.exists() else 1
    count.write_text(str(runs), "utf-8")
    Path(usage).write_text(f'{{"runs": {runs}}}', "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
