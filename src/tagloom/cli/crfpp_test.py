"""``tagloom crfpp-test``: the arguments and options of ``crf_test``."""

from __future__ import annotations

from typing import Annotated, Any

from tagloom.cli.inputs import require_writable
from tagloom.cli.parameters import Threads, argument, option
from tagloom.compat.crfpp import annotate
from tagloom.corpus import open_writer
from tagloom.systems.file import load


def crfpp_test(
    files: Annotated[list[str] | None, argument("FILE...", "Column files to tag; stdin if - or left out.")] = None,
    model_file: Annotated[str, option("FILE", "Model file.", "-m", "--model")] = ...,  # type: ignore[assignment]
    nbest: Annotated[int, option("INT", "Write the n best labellings of every sentence.", "-n", "--nbest", min=0)] = 0,
    verbose: Annotated[
        int, option("INT", "1: also write probabilities; 2: those of all labels, too.", "-v", "--verbose", min=0)
    ] = 0,
    cost_factor: Annotated[
        float, option("FLOAT", "Factor of the scores in probabilities.", "-c", "--cost-factor")
    ] = 1.0,
    output: Annotated[str, option("FILE", "File to write; stdout if -.", "-o", "--output")] = "-",
    threads: Threads = 1,
) -> None:
    """Tag column files as crf_test of CRF++ does.

    Every line is written with its label as the last column. Columns that the
    model does not read, such as the label to compare with, are written, too.

    \b
    Examples:
      tagloom crfpp-test -m model test.txt
      tagloom crfpp-test -m model -v1 test.txt
      tagloom crfpp-test -m model -n 20 test.txt -o nbest.txt
    """
    sources = files or ["-"]
    require_writable(output, [model_file, *(name for name in sources if name != "-")])
    model: Any = load(model_file, system="tagger")
    with open_writer(output) as writer:
        for source in sources:
            for text in annotate(
                model, source, nbest=nbest, verbose=verbose, cost_factor=cost_factor, threads=threads
            ):  # fmt: skip
                writer.write(text)
