"""What the taggers of an ensemble must agree in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tagloom.errors import ConfigError
from tagloom.schema import limits

if TYPE_CHECKING:
    from tagloom.systems.tagger.model import Tagger

#: What must be equal, by what messages call it.
_EQUAL: dict[str, Callable[[Tagger], object]] = {
    "column of labels": lambda each: each.spec.label,
    "label scheme": lambda each: each.spec.scheme,
    "written label scheme": lambda each: each.spec.written_scheme,
    "set of labels": lambda each: " ".join(sorted(each.labels)),
    "codec": lambda each: each.spec.codec,
    "normal form": lambda each: each.spec.normal_form,
    "sequences": lambda each: each.spec.sequences,
    "set of columns": lambda each: " ".join(sorted(each.encoder.columns)),
    "set of bags": lambda each: " ".join(sorted(each.spec.bags)),
}


def check_equal(models: Sequence[Tagger], what: dict[str, Callable[[Tagger], object]]) -> None:
    """Raise :class:`ConfigError` unless all taggers agree in some properties."""
    for name, find in what.items():
        values = [find(each) for each in models]
        for number, value in enumerate(values):
            if value != values[0]:
                raise ConfigError(
                    f"tagger {number + 1}: another {name} than tagger 1 ({_show(value)}, "
                    f"{_show(values[0])}); take taggers that were trained alike"
                )


def check_members(members: Sequence[Tagger]) -> None:
    """Raise :class:`ConfigError` unless taggers can decide together."""
    if not 0 < len(members) <= limits.MOST_MEMBERS:
        raise ConfigError(f"expected 1 to {limits.MOST_MEMBERS} taggers, got {len(members)}")
    check_equal(members, _EQUAL)
    for number, each in enumerate(members, 1):
        if each.total is not None or each.reranker is not None:
            raise ConfigError(
                f"tagger {number}: it chooses among candidates by features that have no part in its probabilities; "
                "leave it out"
            )
        if not each.has_probabilities:
            raise ConfigError(
                f"tagger {number}: the scores of {each.spec.learner} are no probabilities; train it with the learner "
                "sgd, or with development data, or call calibrate"
            )


def _show(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
