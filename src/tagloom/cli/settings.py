"""``--set key=value`` and ``--resource name=PATH``: pairs from the command line, typed by the option they set."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import MISSING, fields
from pathlib import Path

from tagloom.errors import ConfigError, unknown_name

_NUMBERS = {"int": (int, "a whole number"), "float": (float, "a number")}
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


def typed_settings(texts: Sequence[str]) -> dict[str, object]:
    """Values for fields of ``tagloom.model.options.Options``, of the type of the field."""
    from tagloom.model.options import Options

    types = {field.name: str(field.type) for field in fields(Options) if field.default is not MISSING}
    chosen = pairs(texts, "--set", "key=value")
    for name in chosen:
        if name not in types:
            raise unknown_name("setting", name, types)
    return {name: _typed(name, text, types[name].split(" | ")[0]) for name, text in chosen.items()}


def settings_by_learner(texts: Sequence[str]) -> tuple[dict[str, object], dict[str, dict[str, object]]]:
    """``key=value`` for all learners, and ``learner.key=value`` for single ones."""
    for_all: dict[str, object] = {}
    for_one: dict[str, dict[str, object]] = {}
    for name, value in pairs(texts, "--set", "key=value or learner.key=value").items():
        learner, dot, key = name.rpartition(".")
        target = for_one.setdefault(learner, {}) if dot else for_all
        target.update(typed_settings([f"{key}={value}"]))
    return for_all, for_one


def _typed(name: str, text: str, kind: str) -> object:
    """The text as the kind of value that stands first in the field's annotation."""
    if kind == "bool":
        if text.lower() not in _TRUTH:
            raise ConfigError(f"--set {name}={text}: expected true or false")
        return _TRUTH[text.lower()]
    if kind in _NUMBERS:
        number, words = _NUMBERS[kind]
        try:
            return number(text)
        except ValueError:
            raise ConfigError(f"--set {name}={text}: expected {words}") from None
    return _costs(text) if kind == "Costs" else text


def _costs(path: str) -> object:
    """A JSON file: rows of numbers, or costs by the names of the labels."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise ConfigError(f"{path}: expected JSON: rows of costs, or costs by gold and other label") from None
