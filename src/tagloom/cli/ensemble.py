"""``tagloom ensemble``: taggers that were trained become one model file."""

from __future__ import annotations

from typing import Annotated

import tagloom
from tagloom.cli.console import log
from tagloom.cli.inputs import require_writable
from tagloom.cli.parameters import argument, flag, option
from tagloom.systems.base import MARGINALS, Model
from tagloom.systems.file import load


def ensemble(
    files: Annotated[list[str], argument("MODEL...", "Model files of taggers, with equal labels and columns.")],
    output: Annotated[str, option("MODEL2", "Model file to write.", "--output", "-o")],
    weights: Annotated[
        bool,
        flag(
            "--weights",
            "Average the weights instead: one tagger, as fast as each of them. They must have equal "
            "templates and resources.",
        ),
    ] = False,
) -> None:
    """Join taggers to one model, which decides by the mean of their probabilities.

    The taggers may differ in seeds, learners, templates and resources. Each
    needs probabilities: those of a learner such as sgd, or scores that were
    calibrated on development data. MODEL2 holds all of them, and is as slow as
    all of them. With --weights it is a single tagger with the mean of their
    weights.
    To train several seeds at once: tagloom train --system ensemble.

    \b
    Examples:
      tagloom ensemble one.tagloom two.tagloom -o both.tagloom
      tagloom ensemble one.tagloom two.tagloom --weights -o mean.tagloom
    """
    require_writable(output, files)
    models = [load(file) for file in files]
    joined: Model = tagloom.average_taggers(models) if weights else tagloom.join_taggers(models)
    joined.save(output)
    kept = "" if MARGINALS in joined.capabilities and joined.has_probabilities else ", without probabilities"
    log(f"wrote {output}: {joined.noun} of {len(models)} models, {joined.sizes['features']:,} features{kept}")
