"""The reference of the command line, from the commands themselves: usage, help text, arguments and options."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

import typer
from typer.main import get_command

from tagloom.cli.app import COMMANDS, build_app

_OWN = "Options"  # the panel of options that belong to the command itself


def write_commands() -> str:
    """Write one section per command."""
    training = _load("train").params
    return "\n".join(line for name in COMMANDS for line in _write_command(name, [] if name == "train" else training))


def _load(name: str) -> Any:
    return get_command(build_app([name])).commands[name]  # type: ignore[attr-defined]


def _write_command(name: str, training: Sequence[Any]) -> Iterator[str]:
    command = _load(name)
    context = typer.Context(command, info_name=f"tagloom {name}")
    text, _, examples = (command.help or "").partition("\b\nExamples:\n")
    yield f"\n(cli-{name})=\n## `tagloom {name}`\n"
    yield f"```text\n{' '.join(command.get_usage(context).split()).removeprefix('Usage: ')}\n```\n"
    yield _write_text(text)
    if examples:
        yield "```bash\n" + "\n".join(line[2:] for line in examples.rstrip().splitlines()) + "\n```\n"
    yield from _write_parameters(command, {_identify(option) for option in training if _panel(option) != _OWN})


def _write_text(text: str) -> str:
    """Write a help text; paragraphs that begin with a backspace keep their lines."""
    paragraphs = [part.strip("\n") for part in text.split("\n\n") if part.strip()]
    return "\n\n".join(map(_write_paragraph, paragraphs)) + "\n"


def _write_paragraph(text: str) -> str:
    if text.startswith("\b"):
        return "```text\n" + text.removeprefix("\b\n") + "\n```"
    return escape(" ".join(text.split()))


def _write_parameters(command: Any, training: set[tuple[str, ...]]) -> Iterator[str]:
    """Write tables of arguments and options; those that ``train`` has are named once, there."""
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    options = [each for each in command.params if each.param_type_name == "option"]
    own = [option for option in options if _identify(option) not in training]
    yield from _write_table("argument", ((f"`{each.metavar or each.name.upper()}`", each) for each in arguments))
    for panel, group in groupby(sorted(own, key=lambda option: _panel(option) != _OWN), key=_panel):
        yield "" if panel == _OWN else f"\n**{panel}**\n"
        yield from _write_table("option", ((_name_option(each), each) for each in group))
    if len(own) < len(options):
        yield "\nAll options of training can be used, too; they are those of [`tagloom train`](#cli-train).\n"


def _identify(option: Any) -> tuple[str, ...]:
    return (*option.opts, option.help or "")


def _panel(option: Any) -> str:
    return str(getattr(option, "rich_help_panel", None) or _OWN)


def _write_table(head: str, rows: Iterable[tuple[str, Any]]) -> Iterator[str]:
    lines = [f"| {name} | {escape(_write_help(parameter))} |" for name, parameter in rows]
    if lines:
        yield "\n".join([f"\n| {head} | meaning |", "|---|---|", *lines, ""])


def _write_help(parameter: Any) -> str:
    text, default = " ".join((parameter.help or "").replace(r"\[", "[").split()), parameter.default
    is_shown = parameter.show_default and isinstance(default, (str, int, float)) and not isinstance(default, bool)
    return f"{text} Default: {default}." if is_shown and "Default:" not in text else text


def _name_option(option: Any) -> str:
    names = ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])
    return names if option.is_flag or not option.metavar else f"{names} `{option.metavar}`".replace("|", r"\|")


def escape(text: str) -> str:
    """Protect what Markdown would read as markup in a line of plain text, and write options as code."""
    protected = re.sub(r"([\\|*_<`\[\]$])", r"\\\1", text)
    return re.sub(r"(?<![\w-])--?[a-zA-Z][\w-]*", r"`\g<0>`", protected)
