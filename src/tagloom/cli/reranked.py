"""The re-ranker of a model: why it chose a labelling, what it was made of, its heaviest weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tagloom.cli.console import put, put_rich, table

if TYPE_CHECKING:
    from tagloom.systems import Model, RankedCandidate

_CANDIDATES = 5  # in the table
_DIFFERENCES = 10  # features in which the winner differs from the runner-up

# -- explain ---------------------------------------------------------------------------------------------------------


def put_choice(ranked: Sequence[RankedCandidate], top: int | None) -> None:
    """The best candidates, and what spoke for the first of them and against the second."""
    rows = [
        (f"{rank}", f"{each.value:.4g}", f"{each.base_score:.2f}", " ".join(each.candidate.labels))
        for rank, each in enumerate(ranked[:_CANDIDATES], 1)
    ]
    put_rich(table(("rank", "value", "tagger", "labelling"), rows, right=["rank", "value", "tagger"]))
    if len(ranked) < 2:
        put("one candidate: there was nothing to choose\n\n")
        return
    found = list(ranked[0].against(ranked[1]).items())[: _DIFFERENCES if top is None else top]
    put_rich(
        table(("weight", "for 1, against 2"), [(f"{weight:+.3f}", name) for name, weight in found], right=["weight"])
    )
    put("\n")


def choice_to_list(ranked: Sequence[RankedCandidate], top: int | None) -> list[dict[str, object]]:
    """All candidates, best first; those after the first with what spoke against them."""
    count = _DIFFERENCES if top is None else top
    return [
        {
            "labels": each.candidate.labels,
            "value": each.value,
            "tagger_score": each.base_score,
            "against_it": [
                {"name": name, "weight": weight} for name, weight in list(ranked[0].against(each).items())[:count]
            ],
        }
        for each in ranked
    ]


# -- inspect ---------------------------------------------------------------------------------------------------------


def reranker_facts(model: Model) -> dict[str, str]:
    spec, parameters = model.spec.reranker, model.parameters.reranker
    if spec is None or parameters is None:
        return {}
    score = "" if spec.dev_score is None else f", dev score {spec.dev_score:.2f}"
    facts = {
        "re-ranker": f"{spec.described()}{score}; {spec.candidates:,} candidates, {spec.folds} folds, "
        f"{len(parameters.keys):,} global features, cutoff {spec.cutoff}"
    }
    if spec.templates is not None:
        facts["global templates"] = "; ".join(str(spec.templates).splitlines())
    if spec.functions:
        facts["global functions"] = " ".join(spec.functions)
    return facts


def top_global_features(model: Model, count: int) -> list[tuple[str, float]]:
    """The heaviest features of whole labellings; of a voted re-ranker by the mean of its vectors."""
    parameters = model.parameters.reranker
    if parameters is None:
        return []
    weights, base = parameters.ranker.mean_weights()
    order = np.argsort(-np.abs(weights), kind="stable")[:count].tolist()
    names = parameters.names
    found = [(names[row] if names else f"row {row}", float(weights[row])) for row in order if weights[row] != 0]
    return [("score of the tagger", base), *found]


def put_global_features(model: Model, count: int) -> None:
    rows = [(f"{weight:+.3f}", name) for name, weight in top_global_features(model, count)]
    if rows:
        put_rich(table(("weight", "feature of whole labellings"), rows, right=["weight"]))
