"""``tagloom verify``: whether model files and checkpoints are whole and fit their schemas."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from tagloom.cli.console import hide_controls, log, put, put_json
from tagloom.cli.parameters import argument, flag
from tagloom.errors import TagloomError
from tagloom.systems.verify import VerifiedFile, verify_file


def verify(
    files: Annotated[list[str], argument("FILE...", "Model files, checkpoints, or model files of CRFsuite.")],
    json: Annotated[bool, flag("--json", "Print a list with one JSON object per file instead of text.")] = False,
) -> None:
    """Check model files and checkpoints completely.

    Prints one line per file: what it is, its system, format, size, number of
    parameters, and that its checksums are right. A file that is damaged, or
    holds anything that tagloom does not write, is reported on stderr, and the
    exit code is 2. Nothing in a file is run.

    \b
    Examples:
      tagloom verify ner.tagloom
      tagloom verify models/* --json
    """
    found = {path: _check(path) for path in files}
    if json:
        put_json([_report(path, each) for path, each in found.items()])
    for each in found.values():
        if isinstance(each, TagloomError):
            log(f"tagloom: error: {each}")
        elif not json:
            put(hide_controls(str(each)))
    if any(isinstance(each, TagloomError) for each in found.values()):
        raise typer.Exit(2)


def _check(path: str) -> VerifiedFile | TagloomError:
    try:
        return verify_file(path)
    except TagloomError as error:
        return error


def _report(path: str, found: VerifiedFile | TagloomError) -> dict[str, object]:
    if isinstance(found, TagloomError):
        return {"path": path, "ok": False, "error": str(found)}
    return {"ok": True, **asdict(found)}
