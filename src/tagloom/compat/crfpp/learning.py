"""What ``crf_learn`` does: from a template and a column file to a model.

CRF++ minimises the sum of -log P plus |w|^2 / 2C (``CRF``) or |w| / C (``CRF-L1``), with one weight for every feature
and label, or label pair, whether they occur together or not. Our objective has c2 |w|^2 and c1 |w|, so that c2 = 1 / 2C
and c1 = 1 / C have the same optimum.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tagloom.arguments import check_arguments
from tagloom.compat.crfpp.rows import read_rows
from tagloom.corpus import Corpus
from tagloom.corpus.streams import load
from tagloom.errors import ConfigError, DataError, unknown_name
from tagloom.features.crfpp import parse_crfpp
from tagloom.features.templates import TemplateSet
from tagloom.features.wapiti import looks_like_wapiti, parse_wapiti
from tagloom.systems.labels import NO_SCHEME

if TYPE_CHECKING:
    from tagloom.systems.learning import Report
    from tagloom.systems.tagger.model import Tagger

CRF, CRF_L1, MIRA = "CRF", "CRF-L1", "MIRA"
#: Names of -a, of which CRF++ knows one twice -> the algorithm.
ALGORITHMS = {"crf": CRF, "crf-l2": CRF, "crf-l1": CRF_L1, "mira": MIRA}


@check_arguments
def learn(
    template: str | os.PathLike[str],
    train_file: str | os.PathLike[str],
    *,
    freq: int = 1,
    maxiter: int | None = None,
    cost: float = 1.0,
    eta: float = 0.0001,
    algorithm: str = CRF,
    threads: int = 1,
    on_progress: Report | None = None,
) -> Tagger:
    """Train a tagger as ``crf_learn`` does.

    Args:
        template: Template file of CRF++, or pattern file of Wapiti.
        train_file: Column file; the last column is the label.
        freq: Drop features that occur less often.
        maxiter: Most iterations. Default: 100,000 for CRF and CRF-L1, 10 for MIRA.
        cost: C. The larger it is, the closer the model fits the training data.
        eta: Training ends after three iterations in which the objective changes by less than this fraction.
        algorithm: "CRF", "CRF-L1" or "MIRA". MIRA is learned by passive-aggressive updates, see docs/crfpp.md.
        threads: Number of threads; 0 for all cores. Does not change the result.
        on_progress: Function that is called with a :class:`tagloom.Progress` after every iteration.

    Returns:
        The model.
    """
    from tagloom.systems.train import train  # here, because annotating does without it

    options = choose_options(freq=freq, maxiter=maxiter, cost=cost, eta=eta, algorithm=algorithm, threads=threads)
    templates = read_template(template)
    corpus = read_rows(train_file).to_training_corpus()
    require_columns(templates, corpus)
    model: Tagger = train(corpus, templates=templates, on_progress=on_progress, **options)
    return model


@check_arguments
def choose_options(
    *, freq: int = 1, maxiter: int | None = None, cost: float = 1.0, eta: float = 0.0001, algorithm: str = CRF,
    threads: int = 1,
) -> dict[str, Any]:  # fmt: skip
    """Translate the options of ``crf_learn`` to those of ``tagloom.train``.

    >>> options = choose_options(cost=4.0, freq=3)
    >>> options["learner"], options["c2"], options["cutoff"]
    ('lbfgs', 0.125, 3)
    """
    if algorithm.lower() not in ALGORITHMS:
        raise unknown_name("algorithm", algorithm, (CRF, CRF_L1, MIRA))
    if not 1e-12 <= cost <= 1e12:
        raise ConfigError(f"cost: expected a number above 0, got {cost:g}")
    if not 0 < eta < 1:
        raise ConfigError(f"eta: expected a number above 0 and below 1, got {eta:g}")
    shared = {"scheme": NO_SCHEME, "codec": "none", "cutoff": max(freq, 1), "edge_pairs": "all", "seed": 1,
              "threads": threads or os.cpu_count() or 1}  # fmt: skip
    chosen = ALGORITHMS[algorithm.lower()]
    if chosen == MIRA:
        return {**shared, "learner": "pa", "C": cost, **({} if maxiter is None else {"epochs": maxiter})}
    penalty = {"learner": "lbfgs", "c2": 1 / (2 * cost)} if chosen == CRF else {
        "learner": "owlqn", "c1": 1 / cost, "c2": 0.0}  # fmt: skip
    return {**shared, **penalty, "node_labels": "all", "epochs": maxiter or 100_000, "period": 3, "tolerance": eta}


def read_template(path: str | os.PathLike[str]) -> TemplateSet:
    """Read a template file of CRF++ or a pattern file of Wapiti, which is found out from its lines."""
    name, data = load(path)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise DataError(f"{name}: not valid UTF-8") from None
    return (parse_wapiti if looks_like_wapiti(text) else parse_crfpp)(text, Path(path).name)


def require_columns(templates: TemplateSet, corpus: Corpus) -> None:
    """Refuse templates that look at a column which the data does not have."""
    count = len(corpus.names) - 1
    for part in (part for template in templates.templates for part in template.parts):
        if int((part.column or "#0")[1:]) >= count:
            raise ConfigError(
                f"{templates.name}: {part.macro} names a column that {corpus.source} does not have: without the label "
                f"it has {count}, counted from 0"
            )
