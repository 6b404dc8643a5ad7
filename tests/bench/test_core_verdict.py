"""The check of the micro benchmarks on timings that were made up."""

from __future__ import annotations

import pytest

verdict = pytest.importorskip("bench.core.verdict", reason="the benchmarks are not part of the package")

#: How much the machine slows both cores down, round by round.
LOADS = (1.0, 1.1, 3.0, 2.9, 1.0, 1.4, 1.0)


@pytest.mark.parametrize(("factor", "text"), [(1.25, "slower"), (1.15, ""), (1.0, ""), (0.9, ""), (0.7, "faster")])
def test_a_case_is_judged_by_its_base_in_the_same_round(factor: float, text: str) -> None:
    pairs = [(0.010 * load, 0.010 * load * factor) for load in LOADS]
    found = verdict.judge("Viterbi", pairs)
    assert found.ratio == pytest.approx(factor)
    assert found.text == text
    assert found.is_slower is (text == "slower")


def test_single_rounds_that_were_disturbed_do_not_count() -> None:
    pairs = [(0.010, 0.010)] * 5 + [(0.010, 0.050)] * 2
    assert not verdict.judge("Viterbi", pairs).is_slower


def test_a_case_that_the_base_cannot_run_is_new() -> None:
    found = verdict.judge_all({"Viterbi": [(0.01, 0.02)]}, {"later": [0.3, 0.1, 0.2]})
    assert [each.text for each in found] == ["slower", "new"]
    assert found[1].now == 0.2
    table = verdict.build_table(found, "abc123")
    assert "| Viterbi | 10.000 | 20.000 | 2.00 | slower |" in table
    assert "| later |  | 200.000 |  | new |" in table


def test_a_case_without_rounds_is_refused() -> None:
    with pytest.raises(ValueError, match="no rounds"):
        verdict.judge("Viterbi", [])
