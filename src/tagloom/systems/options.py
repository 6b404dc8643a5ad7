"""Options, each declared once.

An option is a field of a frozen dataclass whose annotation carries a :class:`Row`::

    epochs: Annotated[int | None, Row("Most passes over the data.", low=1)] = None

The type, the default and the row are all there is to say about it. The check of values, the keywords that an editor
completes (``keywords.pyi``), the ``--option`` of the command line with its help text and the table in the documentation
are made from them.
"""

from __future__ import annotations

import functools
import json
import math
import re
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeVar, cast, get_args, get_origin

from tagloom.errors import ConfigError, show_value, unknown_name
from tagloom.features import Source
from tagloom.features.attributes import DocumentAttribute, SentenceFunction, WordFunction
from tagloom.schema import limits

MOST_CANDIDATES = limits.MOST_CANDIDATES
MOST_THREADS = 1024


def check_whole_number(name: str, value: object, least: int, most: int | None = None) -> None:
    """Raise :class:`ConfigError` for anything but a whole number in range."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least or (most is not None and value > most):
        limit = f"of {least} or more" if most is None else f"from {least} to {most}"
        raise ConfigError(f"{name}: expected a whole number {limit}, got {show_value(value)}")


_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_SIZE = re.compile(r"\s*([0-9]{1,15}(?:\.[0-9]{1,9})?)\s*([kmgt]?)i?b?\s*", re.IGNORECASE)
_LEAST_MEMORY = 10**6
_DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?) ?([smh]?)")
_SECONDS = {"s": 1, "m": 60, "h": 3600}
_LONGEST_DURATION = 365 * 24 * 3600


def parse_size(name: str, value: str | int) -> int:
    """Parse a number of bytes, such as ``"2GB"`` or 2000000000.

    >>> parse_size("memory", "1.5 GB")
    1500000000
    """
    found = _SIZE.fullmatch(str(value)) if not isinstance(value, bool) else None
    size = int(float(found[1]) * _UNITS[found[2].lower()]) if found else 0
    if size < _LEAST_MEMORY:
        raise ConfigError(f"{name}: expected a size of 1 MB or more, such as 2GB, got {show_value(value)}")
    return size


def parse_duration(name: str, value: str | float) -> float:
    """Parse a number of seconds, such as ``"10m"``, ``"90s"``, ``"1.5h"`` or 90.

    >>> parse_duration("budget", "1.5 m")
    90.0
    """
    found = _DURATION.fullmatch(str(value)) if not isinstance(value, bool) else None
    seconds = float(found[1]) * _SECONDS[found[2] or "s"] if found else 0.0
    if not 0 < seconds <= _LONGEST_DURATION:
        raise ConfigError(f"{name}: expected a time such as 10m, 90s or 1.5h, got {show_value(value)}")
    return seconds


def check_threads(threads: object) -> None:
    """Raise :class:`ConfigError` for anything but a number of threads."""
    check_whole_number("threads", threads, 1, MOST_THREADS)


#: Groups of options in help texts and in the documentation.
DATA, FEATURES, LEARNING, SETTINGS, SEARCH = "Data", "Features", "Learning", "Settings of learners", "Search"

_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
OptionsT = TypeVar("OptionsT", bound="Options")


@dataclass(frozen=True)
class Row:
    """What there is to say about an option beside its name, type and default."""

    help: str  # one or two sentences for the command line and the documentation
    low: int | None = None  # least value of a number
    high: int | None = None  # largest value of a number
    choices: Sequence[str] | Mapping[str, str] = ()  # accepted names; if empty, any value of the right type
    expects: str = ""  # the accepted values in words, for error messages
    metavar: str = ""  # what stands for the value in help texts
    panel: str = LEARNING  # group of the option in help texts
    #: Name of the option on the command line, if it is not the name of the field. Empty for none; ``--set NAME=VALUE``
    #: works for every option that can be written as text.
    flag: str | None = None
    shapes_features: bool = False  # trainings must agree in this option to share an encoded corpus
    changes_model: bool = True  # the option can change what is learned
    #: Of an option that holds options of other systems: names of systems by part. On the command line, ``--set
    #: PART.NAME=VALUE``.
    parts: Mapping[str, str] = field(default_factory=dict)
    holds: str = ""  # name of the system whose options the option holds, if it is not called like that system


#: What the rows of options have in common whose value is the name of a column, or a template set.
COLUMN = {"expects": "the name of a column", "metavar": "NAME", "panel": DATA, "shapes_features": True}
TEMPLATES = {"expects": "a name, a file or template text", "metavar": "NAME|FILE", "panel": FEATURES,
             "shapes_features": True}  # fmt: skip


@dataclass(frozen=True)
class Option:
    """One option of a system: a field of its options, taken apart."""

    name: str
    kinds: tuple[Any, ...]  # the members of its union, without None
    accepts_none: bool
    default: object
    row: Row

    @property
    def flag(self) -> str:
        """Its name on the command line; empty if it has none."""
        return f"--{self.name.replace('_', '-')}" if self.row.flag is None else self.row.flag

    @property
    def kind(self) -> Any:
        """The type of a value that is written as text."""
        return _origin(self.kinds[0])

    def check(self, value: object) -> None:
        """Raise :class:`ConfigError` unless ``value`` has the right type and lies in the range of the row."""
        row = self.row
        if (row.panel == SETTINGS and self.kind is not str) or (value is None and self.accepts_none):
            return  # the numbers of a learner are checked by the learner that they are for
        if self.kind is int:
            check_whole_number(self.name, value, 0 if row.low is None else row.low, row.high)
        elif self.kinds == (float,):
            _check_number(self.name, value, row.low, row.high)
        elif row.choices:
            if not isinstance(value, str) or value not in row.choices:
                raise unknown_name(self.name, value, row.choices)
        elif not isinstance(value, tuple(map(_origin, self.kinds))):
            raise ConfigError(f"{self.name}: expected {row.expects or _in_words(self.kinds)}, got {show_value(value)}")

    def parse(self, text: str, where: str) -> object:
        """Read a value that is written as text, such as that of ``--set``; ``where`` begins an error message."""
        if self.kind is bool:
            if text.lower() not in _TRUTH:
                raise ConfigError(f"{where}: expected true or false")
            return _TRUTH[text.lower()]
        if self.kind in (int, float):
            takes_several = Sequence in map(_origin, self.kinds)
            try:
                numbers = [self.kind(part) for part in (text.split(",") if takes_several else [text])]
            except ValueError:
                several = ", or several numbers joined by commas" * takes_several
                raise ConfigError(f"{where}: expected a {'whole ' * (self.kind is int)}number{several}") from None
            return numbers if len(numbers) > 1 else numbers[0]
        if str in self.kinds:
            return text
        if self.kind is Sequence:  # costs of labels
            return _read_json(text)
        raise ConfigError(f"{where}: this option cannot be written as text; pass it to tagloom.train in Python")


def _check_number(name: str, value: object, low: int | None, high: int | None) -> None:
    """Raise :class:`ConfigError` unless ``value`` is a finite number in a range."""
    least, most = -math.inf if low is None else low, math.inf if high is None else high
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    if not is_number or not least <= cast(float, value) <= most:
        limits = "" if low is None else f" of {low:,} or more" if high is None else f" from {low:,} to {high:,}"
        raise ConfigError(f"{name}: expected a number{limits}, got {show_value(value)}")


def _origin(kind: Any) -> Any:
    return get_origin(kind) or kind


def _in_words(kinds: Iterable[Any]) -> str:
    names = {bool: "True or False", str: "a text", float: "a number", Mapping: "values by name"}
    return " or ".join(dict.fromkeys(names.get(_origin(kind), str(kind)) for kind in kinds))


def _read_json(path: str) -> object:
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise ConfigError(f"{path}: expected JSON: rows of costs, or costs by gold and other label") from None


def list_options(cls: Any) -> Mapping[str, Option]:
    """List the options that a dataclass declares, by name."""
    return _read_options(cls)


@functools.cache
def _read_options(cls: Any) -> Mapping[str, Option]:
    hints = typing.get_type_hints(cls, include_extras=True)
    settings = {} if all(get_origin(hints[each.name]) is Annotated for each in fields(cls)) else _list_settings()
    found = {}
    for each in fields(cls):
        hint, row = hints[each.name], settings.get(each.name)
        if get_origin(hint) is Annotated:
            hint, *extras = get_args(hint)
            row = next(extra for extra in extras if isinstance(extra, Row))
        members = get_args(hint) if get_origin(hint) in (typing.Union, types.UnionType) else (hint,)
        default = each.default if each.default_factory is MISSING else each.default_factory()
        kinds = tuple(member for member in members if member is not type(None))
        assert row is not None, f"option {each.name} has no row"
        found[each.name] = Option(each.name, kinds, type(None) in members, default, row)
    return found


def _list_settings() -> dict[str, Row]:
    """Rows of the settings of learners, which are declared with the learners and checked by them."""
    from tagloom.learners.settings import SETTINGS as ROWS  # here, because options of a search need no learner

    metavars = {int: "N", float: "X", str: "NAME", dict: "FILE"}
    return {
        name: Row(
            f"{row.help} Default: {row.default}.", choices=row.choices, metavar=metavars[row.type], panel=SETTINGS
        )
        for name, row in ROWS.items()
    }


class Options:
    """Base of dataclasses of options: checks every value by its row."""

    noun: ClassVar[str] = "model"  # what the options are of, in messages

    @classmethod
    def parse(cls: type[OptionsT], values: Mapping[str, object]) -> OptionsT:
        """Build checked options from values by name."""
        known = list_options(cls)
        for name in sorted(values):
            if name not in known:
                raise unknown_name(f"option of a {cls.noun}", name, known)
        return cls(**values)

    def __post_init__(self) -> None:
        """Check every value."""
        for name, option in list_options(type(self)).items():
            option.check(getattr(self, name))
        self.check()

    def __repr__(self) -> str:
        """Show the values that are not the defaults."""
        given = ((name, getattr(self, name), option.default) for name, option in list_options(type(self)).items())
        changed = (f"{name}={show_value(value)}" for name, value, default in given if value is not default != value)
        return f"{type(self).__name__}({', '.join(changed)})"

    def check(self) -> None:
        """Check what is not a matter of one option alone."""

    def list_deciding(self, resolved: Iterable[str] = ()) -> dict[str, object]:
        """List the values that can change what is learned, for the identity of a training.

        The identity holds the options ``resolved`` in another form, such as loaded templates.
        """
        names = [name for name, option in list_options(type(self)).items() if option.row.changes_model]
        return {name: getattr(self, name) for name in names if name not in set(resolved)}


Seed = Annotated[int, Row("Fixes every random choice.", low=0, high=limits.LARGEST_SEED, metavar="N")]
Threads = Annotated[
    int,
    Row("Number of threads. Does not change the result.", low=1, high=MOST_THREADS, metavar="N", changes_model=False),
]
#: Resources of systems that have none unless some are named.
Resources = Annotated[
    Mapping[str, Source],
    Row(
        "File or folder by kind: brown, gazetteer, gazetteer_folded, entities, lexicon, lowercased, functional, "
        "category, statistics or casing; KIND:NAME=PATH for several of a kind; NAME.LIST=FILE for one list of a "
        "resource. The value train builds a resource from the training data. Repeatable.",
        expects="files by name", metavar="NAME=PATH", panel=FEATURES, flag="--resource", shapes_features=True,
    ),
]  # fmt: skip


@dataclass(frozen=True, kw_only=True, repr=False)
class TrainingOptions(Options):
    """Options of training that every system has."""

    epochs: Annotated[int | None, Row("Most passes over the data.", low=1, metavar="N")] = None
    patience: Annotated[
        int, Row("With development data, stop after this many passes without a better score.", low=1, metavar="N")
    ] = 5
    seed: Seed = 1
    threads: Threads = 1
    attributes: Annotated[
        Mapping[str, WordFunction],
        Row("Your own attributes of words: functions by name.", expects="functions by name", panel=FEATURES, flag="",
            shapes_features=True),
    ] = field(default_factory=dict)  # fmt: skip
    sentence_attributes: Annotated[
        Mapping[str, SentenceFunction],
        Row("Your own attributes of tokens in their sentence: functions of all words of a sentence, by name.",
            expects="functions by name", panel=FEATURES, flag="", shapes_features=True),
    ] = field(default_factory=dict)  # fmt: skip
    document_attributes: Annotated[
        Mapping[str, DocumentAttribute],
        Row("Your own attributes of tokens in their document: functions of all sentences of a document, by name.",
            expects="functions by name", panel=FEATURES, flag="", shapes_features=True),
    ] = field(default_factory=dict)  # fmt: skip

    @property
    def most_epochs(self) -> int:
        """The number of passes after which training ends at the latest."""
        raise NotImplementedError

    @property
    def keeps_data_on_disk(self) -> bool:
        """Whether the training data is read into temporary files, because memory is limited."""
        return False

    def limit_memory(self: OptionsT, size: int) -> OptionsT | None:
        """Return the options with memory limited to so many bytes; None if the training needs all data in memory."""
        return None

    @property
    def feature_seed(self) -> int | None:
        """The seed, if random choices shape the features; else None."""
        return None

    @property
    def layout(self) -> tuple[object, ...]:
        """What else trainings must agree in to share an encoded corpus as it is."""
        return ()


@dataclass(frozen=True, kw_only=True, repr=False)
class SearchOptions(Options):
    """Options of using a model: how it searches for its output. A system without any has this class itself."""
