"""The schema of the arrays of an ensemble."""

from __future__ import annotations

from tagloom.schema import Array, Layout, limits

#: What the names of arrays begin with that hold the files of taggers.
MEMBER = "member."


def name_member(number: int) -> str:
    """Name the array of a member."""
    return f"{MEMBER}{number:02}"


ENSEMBLE = Layout(
    tuple(
        Array(name_member(number), "U8", "", "The file of a tagger.", is_needed=number == 0)
        for number in range(limits.MOST_MEMBERS)
    )
)
