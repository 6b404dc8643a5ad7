"""``--set key=value`` and ``--resource name=PATH``: pairs from the command line, typed by the option they set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, fields

from tagloom.errors import ConfigError, unknown_name

_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def pairs(texts: Sequence[str], option: str, form: str) -> dict[str, str]:
    """``["a=1", "b=2"]`` as a dict."""
    split = [text.partition("=") for text in texts]
    for text, (name, equals, _) in zip(texts, split):
        if not name or not equals:
            raise ConfigError(f"{option} {text}: expected {form}")
    return {name: value for name, _, value in split}


def typed_settings(texts: Sequence[str]) -> dict[str, object]:
    """Values for fields of ``tagloom.model.options.Options``, of the type of the field's default."""
    from tagloom.model.options import Options

    defaults = {field.name: field.default for field in fields(Options) if field.default is not MISSING}
    chosen = pairs(texts, "--set", "key=value")
    for name in chosen:
        if name not in defaults:
            raise unknown_name("setting", name, defaults)
    return {name: _typed(name, text, defaults[name]) for name, text in chosen.items()}


def settings_by_learner(texts: Sequence[str]) -> tuple[dict[str, object], dict[str, dict[str, object]]]:
    """``key=value`` for all learners, and ``learner.key=value`` for single ones."""
    for_all: dict[str, object] = {}
    for_one: dict[str, dict[str, object]] = {}
    for name, value in pairs(texts, "--set", "key=value or learner.key=value").items():
        learner, dot, key = name.rpartition(".")
        target = for_one.setdefault(learner, {}) if dot else for_all
        target.update(typed_settings([f"{key}={value}"]))
    return for_all, for_one


def _typed(name: str, text: str, default: object) -> object:
    if isinstance(default, bool):
        if text.lower() not in _TRUTH:
            raise ConfigError(f"--set {name}={text}: expected true or false")
        return _TRUTH[text.lower()]
    if isinstance(default, (int, float)):
        try:
            return type(default)(text)
        except ValueError:
            kind = "a whole number" if isinstance(default, int) else "a number"
            raise ConfigError(f"--set {name}={text}: expected {kind}") from None
    return text
