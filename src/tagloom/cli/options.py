"""Options of commands that are made from the options of all systems.

A command with ``**given`` takes the generated options: ``add_flags`` puts one flag per option name in its place. Only
options that the user gave reach the command, as texts; ``read_options`` checks and types them for the chosen system.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from tagloom.cli.settings import Nested, read_resources, read_settings
from tagloom.errors import ConfigError, unknown_name
from tagloom.systems.base import Model
from tagloom.systems.options import DATA, FEATURES, LEARNING, SEARCH, SETTINGS, Option, list_options
from tagloom.systems.registry import DEFAULT_SYSTEM, SYSTEMS, System, get_system

Command = Callable[..., None]
#: The options of every system by its name.
OptionsBySystem = Mapping[str, Mapping[str, Option]]


def list_training_options() -> OptionsBySystem:
    """List the options of training of every registered system."""
    return {name: list_options(row.load_options()) for name, row in SYSTEMS.items()}


def list_rerank_options() -> OptionsBySystem:
    """List the options of re-ranking, which is for taggers only and has a command of its own."""
    from tagloom.systems.tagger.rerank.options import RerankOptions  # tag and eval do without the options of taggers

    return {"tagger": list_options(RerankOptions)}


def list_search_options() -> OptionsBySystem:
    """List the options of the search of every registered system."""
    return {name: list_options(row.get_search_options()) for name, row in SYSTEMS.items()}


#: The options of systems that a command takes.
GENERATED: dict[str, Callable[[], OptionsBySystem]] = {
    **dict.fromkeys(("train", "compare", "tune", "jackknife"), list_training_options),
    **dict.fromkeys(("tag", "eval", "report"), list_search_options),
    "rerank": list_rerank_options,
}


@dataclass(frozen=True)
class Flag:
    """An option of one or several systems, as an option of a command."""

    name: str
    options: Mapping[str, Option]  # by system
    is_general: bool  # whether all systems that the command is for have it

    @property
    def first(self) -> Option:
        """The option of the first system that has it."""
        return next(iter(self.options.values()))

    def to_parameter(self) -> inspect.Parameter:
        """Build the parameter that typer reads."""
        first, kind, text = self.first, self.first.kind, _escape(self.write_help())
        names = f"{first.flag}/--no-{first.flag.removeprefix('--')}" if kind is bool else first.flag
        metavar = None if kind is bool else first.row.metavar or _METAVARS.get(kind, "NAME")
        info = typer.Option(names, metavar=metavar, help=text, rich_help_panel=first.row.panel, show_default=False)
        value: Any = {bool: bool | None, Mapping: list[str] | None}.get(kind, str | None)
        annotation = Annotated[value, info]
        return inspect.Parameter(self.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)

    def write_help(self) -> str:
        """Write what the option does, which systems have it, and in what these differ."""
        (_, first), *others = self.options.items()
        sentences = _list_sentences(first)
        only = [] if self.is_general else [f"{_name_systems(self.options).capitalize()} only."]
        differences = []
        for system, option in others:
            own = [sentence for sentence in _list_sentences(option) if sentence not in sentences]
            if own:
                text = " ".join(own).removeprefix(_DEFAULT)
                differences.append(f"{_name_systems([system]).capitalize()}: {_lower(text)}")
        return " ".join([*only, *sentences, *differences])


_METAVARS: Mapping[Any, str] = {int: "N", float: "X"}
_LARGEST_SHOWN = 1_000_000  # larger limits are those of the core, not of the user's problem
_DEFAULT = "Default: "
_SENTENCE = re.compile(r"(?<=\.) (?=[A-Z])")


def _list_sentences(option: Option) -> list[str]:
    """List what there is to say about an option: its help, its range and its default."""
    row, default = option.row, option.default
    sentences = _SENTENCE.split(row.help)
    if row.low is not None and row.high is not None and row.high <= _LARGEST_SHOWN:
        sentences.append(f"From {row.low:,} to {row.high:,}.")
    if default is not None and _DEFAULT not in row.help and not isinstance(default, Mapping):
        sentences.append(f"{_DEFAULT}{'yes' if default is True else 'no' if default is False else default}.")
    return sentences


def _lower(text: str) -> str:
    """Write a text as it stands after a colon; names and abbreviations keep their letters."""
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def _escape(text: str) -> str:
    """Protect brackets from being read as styles."""
    if "[" not in text:
        return text
    from rich.markup import escape

    return escape(text)


def _name_systems(systems: Iterable[str]) -> str:
    nouns = [f"{get_system(name).noun}s" for name in systems]
    return " and ".join(filter(None, [", ".join(nouns[:-1]), nouns[-1]]))


def collect_flags(by_system: OptionsBySystem) -> list[Flag]:
    """Collect one flag per name from the options of all systems, by panel; options without a flag are left out."""
    found: dict[str, dict[str, Option]] = {}
    for system, options in by_system.items():
        for name, option in options.items():
            if option.flag:
                found.setdefault(name, {})[system] = option
    places = {panel: place for place, panel in enumerate([DATA, FEATURES, LEARNING, SETTINGS, SEARCH])}
    flags = [Flag(name, options, len(options) == len(by_system)) for name, options in found.items()]
    return sorted(flags, key=lambda flag: places.get(flag.first.row.panel, len(places)))


def add_flags(command: Command, flags: Sequence[Flag] = ()) -> Command:
    """Put one parameter per flag in the place of ``**given``; flags that the command has itself are left out."""
    parameters = inspect.signature(command, eval_str=True).parameters.values()
    own = [each for each in parameters if each.kind is not inspect.Parameter.VAR_KEYWORD]
    taken = {name for each in own for name in _list_names(each)}
    chosen = [flag for flag in flags if flag.first.flag not in taken]
    generated = {flag.name for flag in chosen}

    @functools.wraps(command)
    def run(**values: Any) -> None:
        command(**{name: value for name, value in values.items() if name not in generated or value is not None})

    parts = [_complete(each).replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in own]
    parts += [flag.to_parameter() for flag in chosen]
    run.__signature__ = inspect.Signature(parts)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parts}
    return run


def _complete(parameter: inspect.Parameter) -> inspect.Parameter:
    """Give the parameter ``system`` its help text: the registered systems."""
    if parameter.name != "system":
        return parameter
    text = "; ".join(f"{row.name}: {row.help}" for row in SYSTEMS.values())
    info = typer.Option("--system", metavar="NAME", help=_escape(f"Kind of model. {text}."), show_default=True)
    return parameter.replace(annotation=Annotated[str, info])


def _list_names(parameter: inspect.Parameter) -> tuple[str, ...]:
    """List the names of an option of a command: those that it declares, or the one made from its parameter."""
    declared = getattr(parameter.annotation, "__metadata__", (None,))[0]
    names = tuple(getattr(declared, "param_decls", None) or ())
    return (*names, f"--{parameter.name.replace('_', '-')}", parameter.name)


# -- what the user gave ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Chosen:
    """The options of a training as the user chose them."""

    row: System
    options: dict[str, Any]  # by name, typed
    nested: Nested  # texts of ``--set NAME.KEY=VALUE`` whose NAME is no option of the system
    words: tuple[str, ...]  # the same choices as words of a command line


def read_options(
    system: str, given: Mapping[str, Any], settings: Sequence[str] | None, *, nested: bool = False
) -> Chosen:
    """Read the values of generated flags and the texts of ``--set``.

    With ``nested``, ``--set NAME.KEY=VALUE`` may have names that are no options of the system.
    """
    row, texts = get_system(system), settings or []
    options = list_options(row.load_options())
    for name in [*given, *(text.partition("=")[0] for text in texts)]:
        if name not in options and any(name in others for others in list_training_options().values()):
            raise _refuse_training_option(name, row)
    found = read_given(options, given)
    named, others = read_settings(texts, options)
    if others and not nested:
        name, values = next(iter(others.items()))
        raise unknown_name("setting", f"{name}.{next(iter(values))}", options)
    words = [word for name, value in given.items() for word in _write_given(options[name], value)]
    words += [word for text in texts for word in ("--set", text)]
    system_words = ["--system", system] if system != DEFAULT_SYSTEM else []
    return Chosen(row, {**found, **named}, others, (*system_words, *words))


def read_given(options: Mapping[str, Option], given: Mapping[str, Any]) -> dict[str, Any]:
    """Read the values of generated flags; each has the form that the first system with this option asks for."""
    return {name: _read_value(options[name], value) for name, value in given.items()}


def _read_value(option: Option, value: Any) -> object:
    texts = value if isinstance(value, list) else [str(value)]
    return read_resources(texts) if option.kind is Mapping else option.parse(texts[-1], f"{option.flag} {texts[-1]}")


def _write_given(option: Option, value: Any) -> list[str]:
    if option.kind is bool:
        return [option.flag if value else f"--no-{option.flag.removeprefix('--')}"]
    values = value if option.kind is Mapping else [value]
    return [word for text in values for word in (option.flag, text)]


def _refuse_training_option(name: str, row: System) -> ConfigError:
    flag, owners = _find_owners(name, list_training_options())
    if row.name == DEFAULT_SYSTEM:
        return ConfigError(f"{flag} is for {_name_systems(owners)}; add --system {owners[0]}, or leave it out")
    return ConfigError(f"{flag} is for {_name_systems(owners)}, a {row.noun} has none; leave it out")


def _find_owners(name: str, by_system: OptionsBySystem) -> tuple[str, list[str]]:
    owners = {system: options[name] for system, options in by_system.items() if name in options}
    return next(iter(owners.values())).flag or f"--set {name}", list(owners)


def read_search(given: Mapping[str, str], model: Model, path: str) -> dict[str, object]:
    """Read the options of a search for a model."""
    options = list_options(model.search_options)
    for name in given:
        if name not in options:
            flag, owners = _find_owners(name, list_search_options())
            raise refuse_for_model(flag, owners, model, path)
    return read_given(options, given)


def refuse_for_model(flag: str, owners: Iterable[str], model: Model, path: str) -> ConfigError:
    """Build the error for an option that only models of other systems have."""
    return ConfigError(f"{flag} is for {_name_systems(owners)}, {path} is a {model.noun}; leave it out")
