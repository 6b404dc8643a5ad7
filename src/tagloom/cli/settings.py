"""``KEY=VALUE`` on the command line: ``--set``, ``--grid`` and ``--resource``, read by the option that they set."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal

from tagloom.errors import ConfigError, unknown_name
from tagloom.systems.options import Option, list_options
from tagloom.systems.registry import SYSTEMS

_NUMBER = r"-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?"
_RANGE = re.compile(rf"(?P<first>{_NUMBER})\.\.(?P<last>{_NUMBER})(?P<step>[x+])(?P<by>{_NUMBER})")
_MOST_VALUES, _LARGEST = 10_000, Decimal("1e100")


def split_pair(text: str, flag: str, form: str) -> tuple[str, str]:
    """Split ``KEY=VALUE``."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise ConfigError(f"{flag} {text}: expected {form}")
    return name, value


def read_resources(texts: Sequence[str]) -> dict[str, str | dict[str, list[str]]]:
    """Read ``NAME=PATH`` for a resource, and ``NAME.LIST=PATH`` for one of its lists, which several files may form.

    NAME is that of a kind, or KIND:NAME for several resources of a kind.
    """
    whole: dict[str, str] = {}
    by_list: dict[str, dict[str, list[str]]] = {}
    form = "KIND=PATH, KIND:NAME=PATH, or .LIST before = for one list"
    for text in texts:
        name, path = split_pair(text, "--resource", form)
        resource, dot, entry = name.partition(".")
        if not resource or (dot and not entry):
            raise ConfigError(f"--resource {text}: expected {form}")
        if dot:
            by_list.setdefault(resource, {}).setdefault(entry, []).append(path)
        elif resource in whole:
            raise ConfigError(f"--resource {text}: {resource} is given twice; name one of them KIND:NAME")
        else:
            whole[resource] = path
    for name in sorted(whole.keys() & by_list.keys()):
        raise ConfigError(f"--resource {name}: given as a whole and by list; choose one")
    return {**whole, **by_list}


def read_provided(texts: Sequence[str] | None) -> dict[str, str | None] | None:
    """Read ``NAME`` for a column to learn, and ``NAME=MODEL`` for one that a model predicts."""
    found: dict[str, str | None] = {}
    for text in texts or ():
        name, equals, path = text.partition("=")
        if not name or (equals and not path):
            raise ConfigError(f"--provide {text}: expected NAME or NAME=MODEL")
        if name in found:
            raise ConfigError(f"--provide {text}: {name} is given twice; leave one of them out")
        found[name] = path or None
    return found or None


Nested = dict[str, dict[str, str]]


def read_settings(texts: Sequence[str], options: Mapping[str, Option]) -> tuple[dict[str, object], Nested]:
    """Read ``KEY=VALUE`` by the options of a system, and ``NAME.KEY=VALUE`` for options that hold options themselves.

    The texts of all other ``NAME.KEY=VALUE`` come second, by NAME and KEY.
    """
    found: dict[str, object] = {}
    nested: Nested = {}
    for text in texts:
        name, value = split_pair(text, "--set", "KEY=VALUE")
        owner, dot, key = name.rpartition(".")
        if dot:
            nested.setdefault(owner, {})[key] = value
        else:
            found[name] = read_value(f"--set {text}", name, value, options)
    for owner, option in options.items():
        values = {part: nested.pop(part) for part in option.row.parts if part in nested}
        if values:
            systems = {part: SYSTEMS[option.row.parts[part]] for part in values}
            found[owner] = {
                part: read_nested(part, texts, list_options(systems[part].load_options()))
                for part, texts in values.items()
            }
    for name in [name for name in nested if name in options]:
        system = options[name].row.holds or name  # an option that holds those of a system often has its name
        if system not in SYSTEMS:
            raise ConfigError(f"--set {name}.{next(iter(nested[name]))}: {name!r} holds no options; write {name}=VALUE")
        found[name] = read_nested(name, nested.pop(name), list_options(SYSTEMS[system].load_options()))
    return found, nested


def read_nested(name: str, values: Mapping[str, str], options: Mapping[str, Option]) -> dict[str, object]:
    """Read the values of ``NAME.KEY=VALUE`` by their keys."""
    return {key: read_value(f"--set {name}.{key}={text}", key, text, options) for key, text in values.items()}


def read_value(where: str, name: str, text: str, options: Mapping[str, Option]) -> object:
    """Read the value of one option, with a message that begins with ``where``."""
    if name not in options:
        raise unknown_name("setting", name, options)
    option = options[name]
    if option.kind is Mapping and option.flag:
        raise ConfigError(f"{where}: write {option.flag} {option.row.metavar} instead")
    return option.parse(text, where)


def read_grid(texts: Sequence[str], options: Mapping[str, Option]) -> dict[str, list[object]]:
    """Read ``C=1,10`` and ``cutoff=1..3+1`` as values by option: lists, A..BxF (times F) and A..B+S (plus S)."""
    grid: dict[str, list[object]] = {}
    for text in texts:
        name, listed = split_pair(text, "--grid", "NAME=VALUE,VALUE...")
        if name in grid:
            raise ConfigError(f"--grid {text}: {name} is given twice; list its values in one --grid")
        words = [word for part in listed.split(",") for word in _expand_range(name, part.strip())]
        words = words if listed.strip() else []
        grid[name] = [read_value(f"--grid {name}={word}", name, word, options) for word in words]
    return grid


def _expand_range(name: str, text: str) -> list[str]:
    """List the numbers of ``A..BxF`` or ``A..B+S`` as texts; any other text is itself."""
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
    return [_write_shortest(value) for value in values]


def _write_shortest(value: Decimal) -> str:
    """Write a number without zeros at the end, and whole numbers as such."""
    return str(int(value)) if value == value.to_integral_value() and abs(value) < 10**15 else f"{float(value):.12g}"
