"""``tagloom crfpp-learn``: the arguments and options of ``crf_learn``."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from tagloom.cli.console import log, put
from tagloom.cli.inputs import require_writable
from tagloom.cli.parameters import argument, option
from tagloom.compat.crfpp import ALGORITHMS, convert_model, learn
from tagloom.compat.crfpp.learning import CRF, MIRA
from tagloom.corpus.replace import replace_file
from tagloom.errors import ConfigError
from tagloom.systems.learning import Progress

#: Names of CRF++ -> the commands that stand for them.
ALIASES = {"crf_learn": "crfpp-learn", "crf_test": "crfpp-test"}
_SHRINKING = 20  # default of CRF++
_MARK = "# Written by tagloom crfpp-learn --install-aliases."


def _print_version(wanted: bool) -> None:
    if wanted:
        from tagloom._version import __version__

        put(f"tagloom {__version__}, with the options of CRF++ 0.58")
        raise typer.Exit


def _install(folder: str | None) -> None:
    if folder is not None:
        install_aliases(Path(folder))
        raise typer.Exit


def crfpp_learn(
    template: Annotated[str | None, argument("TEMPLATE", "Template file of CRF++, or pattern file of Wapiti.")] = None,
    train_file: Annotated[str | None, argument("TRAIN", "Column file; the last column is the label.")] = None,
    model_file: Annotated[str | None, argument("MODEL", "Model file to write, for crfpp-test and tagloom tag.")] = None,
    freq: Annotated[int, option("INT", "Use features that occur at least this often.", "-f", "--freq", min=0)] = 1,
    maxiter: Annotated[
        int | None,
        option("INT", "Most iterations. Default: 100,000; for MIRA 10.", "-m", "--maxiter", min=1),
    ] = None,
    cost: Annotated[float, option("FLOAT", "C: the larger, the closer the fit to TRAIN.", "-c", "--cost")] = 1.0,
    eta: Annotated[
        float,
        option("FLOAT", "Stop when the objective changes by less than this fraction, three times.", "-e", "--eta"),
    ] = 0.0001,
    convert: Annotated[
        bool, typer.Option("-C", "--convert", help="Convert a text model of CRF++ instead: -C TEXT_MODEL MODEL.")
    ] = False,
    textmodel: Annotated[
        bool, typer.Option("-t", "--textmodel", help="Ignored: tagloom inspect shows the weights.")
    ] = False,
    algorithm: Annotated[
        str,
        option("NAME", "CRF (L2), CRF-L1, or MIRA, for which passive-aggressive updates stand.", "-a", "--algorithm"),
    ] = CRF,
    thread: Annotated[
        int, option("INT", "Number of threads; 0 for all cores. Does not change the result.", "-p", "--thread", min=0)
    ] = 0,
    shrinking_size: Annotated[
        int, option("INT", "Ignored: it only speeds CRF++'s MIRA up.", "-H", "--shrinking-size")
    ] = _SHRINKING,
    aliases: Annotated[
        str | None,
        option("DIR", "Write the commands crf_learn and crf_test, which call tagloom, into a folder, and exit.",
               "--install-aliases", callback=_install, is_eager=True),
    ] = None,
    version: Annotated[
        bool, typer.Option("-v", "--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:  # fmt: skip
    """Train a tagger as crf_learn of CRF++ does.

    TRAIN has one token per line, fields between blanks or tabs, and an empty
    line after a sentence. The objective is that of CRF++, with c2 = 1 / 2C.

    \b
    Examples:
      tagloom crfpp-learn template train.txt model
      tagloom crfpp-learn -f 3 -c 4.0 -p 2 template train.txt model
      tagloom crfpp-test -m model test.txt
      tagloom crfpp-learn --install-aliases ~/bin
    """
    if convert:
        _convert(template, train_file, model_file)
        return
    if template is None or train_file is None or model_file is None:
        raise ConfigError("expected a template, a training file and a model file; see tagloom crfpp-learn --help")
    require_writable(model_file, [template, train_file])
    log(*_list_notes(algorithm, maxiter, textmodel, shrinking_size, model_file))
    model = learn(
        template, train_file, freq=freq, maxiter=maxiter, cost=cost, eta=eta, algorithm=algorithm, threads=thread,
        on_progress=_show,
    )  # fmt: skip
    model.save(model_file)
    put("Done!")


def _convert(source: str | None, target: str | None, rest: str | None) -> None:
    if source is None or target is None or rest is not None:
        raise ConfigError("-C: expected a text model of CRF++ and a model file; see tagloom crfpp-learn --help")
    require_writable(target, [source])
    convert_model(source).save(target)
    put("Done!")


def _list_notes(algorithm: str, maxiter: int | None, textmodel: bool, shrinking: int, model: str) -> list[str]:
    """List the options that have no counterpart, and what stands for them."""
    notes = []
    if textmodel:
        notes.append(f"-t: no text model is written; tagloom inspect {model} shows the weights")
    if shrinking != _SHRINKING:
        notes.append("-H: ignored; it has no counterpart, and does not change what is learned")
    if ALGORITHMS.get(algorithm.lower()) == MIRA:
        passes = "10 passes; set -m for others" if maxiter is None else f"at most {maxiter} passes"
        notes.append(f"-a MIRA: learned by averaged passive-aggressive updates (learner pa), {passes}")
    return notes


def _show(progress: Progress) -> None:
    """Print an iteration as CRF++ does, with the numbers that there are."""
    record = progress.record
    if record is None:
        log(progress.message)
    else:
        put(f"iter={record.epoch - 1} err={record.token_errors} loss={record.loss:.5f}")


def install_aliases(folder: Path) -> None:
    """Write shell commands with the names of CRF++; a file that is not one of them is left alone."""
    if not folder.is_dir():
        raise ConfigError(f"{folder}: no such directory; make it, or name another one")
    for name in ALIASES:
        path = folder / name
        if path.exists() and _MARK not in path.read_text(encoding="utf-8", errors="replace"):
            raise ConfigError(f"{path}: another command is there; remove it, or name another directory")
    for name, command in ALIASES.items():
        call = f"exec {shlex.quote(sys.executable)} -m tagloom.cli {command}"
        replace_file(folder / name, f'#!/bin/sh\n{_MARK}\n{call} "$@"\n'.encode())
        (folder / name).chmod(0o755)
    log(f"wrote {' and '.join(ALIASES)} in {folder}")
