"""``--set key=value``, ``--grid name=values``, ``--resource name=PATH``: pairs, typed by the option they set."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import MISSING, fields
from decimal import Decimal
from pathlib import Path
from typing import Any

from tagloom.errors import ConfigError, unknown_name

_NUMBERS = {"int": (int, "a whole number"), "float": (float, "a number")}
_NUMBER = r"-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?"
_RANGE = re.compile(rf"(?P<first>{_NUMBER})\.\.(?P<last>{_NUMBER})(?P<step>[x+])(?P<by>{_NUMBER})")
_MOST_VALUES, _LARGEST = 10_000, Decimal("1e100")
_TAGGER = "tagger."
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def pairs(texts: Sequence[str], option: str, form: str) -> dict[str, str]:
    """``["a=1", "b=2"]`` as a dict."""
    split = [text.partition("=") for text in texts]
    for text, (name, equals, _) in zip(texts, split):
        if not name or not equals:
            raise ConfigError(f"{option} {text}: expected {form}")
    return {name: value for name, _, value in split}


def resource_sources(texts: Sequence[str]) -> dict[str, str | dict[str, list[str]]]:
    """``name=PATH`` for a resource, ``name:LIST=PATH`` for one of its lists, which several files may form."""
    whole: dict[str, str] = {}
    by_list: dict[str, dict[str, list[str]]] = {}
    form = "name=PATH or name:LIST=PATH"
    for text in texts:
        (name, path), *_ = pairs([text], "--resource", form).items()
        resource, colon, entry = name.partition(":")
        if colon and not (resource and entry):
            raise ConfigError(f"--resource {text}: expected {form}")
        if colon:
            by_list.setdefault(resource, {}).setdefault(entry, []).append(path)
        else:
            whole[resource] = path
    for name in sorted(whole.keys() & by_list.keys()):
        raise ConfigError(f"--resource {name}: given as a whole and by list; choose one")
    return {**whole, **by_list}


def numbers(option: str, text: str | None) -> float | list[float] | None:
    """``0.5`` as a number, ``0.1,0.5`` as several; None if nothing was given."""
    if text is None:
        return None
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        raise ConfigError(f"{option} {text}: expected a number, or several joined by commas") from None
    return values if len(values) > 1 else values[0]


def typed_settings(texts: Sequence[str], option: str = "--set", of: type[Any] | None = None) -> dict[str, object]:
    """Values for fields of some options, by default those of a tagger, of the type of the field."""
    from tagloom.systems.tagger.options import Options

    types = {field.name: str(field.type) for field in fields(of or Options) if field.default is not MISSING}
    chosen = pairs(texts, option, "key=value")
    for name in chosen:
        if name not in types:
            raise unknown_name("setting", name, types)
    return {name: _typed(option, name, text, types[name].split(" | ")[0]) for name, text in chosen.items()}


def parser_settings(texts: Sequence[str]) -> dict[str, object]:
    """``key=value`` for the parser, and ``tagger.key=value`` for the tagger that it is trained with."""
    from tagloom.systems.parser.options import ParserOptions

    named = pairs(texts, "--set", "key=value or tagger.key=value")
    tagger = {name.removeprefix(_TAGGER): value for name, value in named.items() if name.startswith(_TAGGER)}
    own = [f"{name}={value}" for name, value in named.items() if not name.startswith(_TAGGER)]
    chosen = typed_settings(own, of=ParserOptions)
    if tagger:
        chosen["tagger"] = typed_settings([f"{name}={value}" for name, value in tagger.items()], f"--set {_TAGGER}*")
    return chosen


def phrase_settings(texts: Sequence[str]) -> dict[str, object]:
    """``key=value`` for a phrase chunker."""
    from tagloom.systems.phrases.options import PhraseOptions

    return typed_settings(texts, of=PhraseOptions)


def typed_grid(texts: Sequence[str]) -> dict[str, list[object]]:
    """``["C=1,10", "cutoff=1..3+1"]`` as values by option: lists, A..BxF (times F) and A..B+S (plus S)."""
    grid: dict[str, list[object]] = {}
    for text in texts:
        ((name, listed),) = pairs([text], "--grid", "name=value,value...").items()
        if name in grid:
            raise ConfigError(f"--grid {text}: {name} is given twice; list its values in one --grid")
        words = [word for part in listed.split(",") for word in _range(name, part.strip())]
        grid[name] = [typed_settings([f"{name}={word}"], "--grid")[name] for word in words] if listed.strip() else []
    return grid


def _range(name: str, text: str) -> list[str]:
    """The numbers of ``A..BxF`` or ``A..B+S`` as texts; any other text is itself."""
    found = _RANGE.fullmatch(text)
    if found is None:
        return [text]
    first, last, by = (Decimal(found[part]) for part in ("first", "last", "by"))
    grows = by > 1 and first > 0 if found["step"] == "x" else by > 0
    if not grows or first > last or max(last, by) > _LARGEST:
        raise ConfigError(f"--grid {name}={text}: expected a range that grows, such as 0.01..10x10 or 1..9+2")
    values = [first]
    while (value := values[-1] * by if found["step"] == "x" else values[-1] + by) <= last:
        values.append(value)
        if len(values) > _MOST_VALUES:
            raise ConfigError(f"--grid {name}={text}: more than {_MOST_VALUES:,} values; take larger steps")
    return [_shortest(value) for value in values]


def _shortest(value: Decimal) -> str:
    """Without zeros at the end; whole numbers as such."""
    return str(int(value)) if value == value.to_integral_value() and abs(value) < 10**15 else f"{float(value):.12g}"


def settings_by_learner(texts: Sequence[str]) -> tuple[dict[str, object], dict[str, dict[str, object]]]:
    """``key=value`` for all learners, and ``learner.key=value`` for single ones."""
    for_all: dict[str, object] = {}
    for_one: dict[str, dict[str, object]] = {}
    for name, value in pairs(texts, "--set", "key=value or learner.key=value").items():
        learner, dot, key = name.rpartition(".")
        target = for_one.setdefault(learner, {}) if dot else for_all
        target.update(typed_settings([f"{key}={value}"]))
    return for_all, for_one


def _typed(option: str, name: str, text: str, kind: str) -> object:
    """The text as the kind of value that stands first in the field's annotation."""
    if kind == "bool":
        if text.lower() not in _TRUTH:
            raise ConfigError(f"{option} {name}={text}: expected true or false")
        return _TRUTH[text.lower()]
    if kind in _NUMBERS:
        number, words = _NUMBERS[kind]
        try:
            return number(text)
        except ValueError:
            raise ConfigError(f"{option} {name}={text}: expected {words}") from None
    return _costs(text) if kind == "Costs" else text


def _costs(path: str) -> object:
    """A JSON file: rows of numbers, or costs by the names of the labels."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise ConfigError(f"{path}: expected JSON: rows of costs, or costs by gold and other label") from None
