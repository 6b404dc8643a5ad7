"""What ``--json`` tells of lists of candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tagloom.systems import OracleReport


def lists_to_dict(report: OracleReport) -> dict[str, object]:
    """How many lists there are, how many of them hold gold, nothing, or one candidate; first and best candidates."""
    return {
        "lists": report.lists,
        "with_gold": report.with_gold,
        "without_gold": report.lists - report.with_gold,
        "empty": report.empty,
        "single": report.single,
        "first": report.first.to_dict(),
        "oracle": report.oracle.to_dict(),
    }
