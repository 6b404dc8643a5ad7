"""The error of a file that holds something other than its schema allows."""

from __future__ import annotations


class Misfit(ValueError):  # noqa: N818
    """A value or an array that does not fit: where it stands, what was expected, and what was found.

    Whoever opens the file adds its name and what to do, and makes a ``ModelFileError`` of it.
    """

    def __init__(self, where: str, expected: str, found: object) -> None:
        self.where, self.expected, self.found = where, expected, found
        super().__init__(f"{where or 'header'}: expected {expected}, found {_shorten(found)}")

    def move_into(self, name: str) -> Misfit:
        """Return the same error, seen from outside of a field."""
        return Misfit(f"{name}.{self.where}" if self.where else name, self.expected, self.found)


def _shorten(found: object) -> str:
    """Write a value in at most sixty characters, however large it is."""
    if isinstance(found, Text):
        return str(found)
    if isinstance(found, (list, dict)):
        return f"{'a list' if isinstance(found, list) else 'an object'} of {len(found):,}"
    if isinstance(found, int) and found.bit_length() > 100:
        return "a number of more than 100 bits"
    if isinstance(found, str) and len(found) > 60:
        found = found[:57] + "..."
    return ascii(found) if isinstance(found, str) and not found.isprintable() else repr(found)


class Text(str):
    """What was found, in words."""

    __slots__ = ()
