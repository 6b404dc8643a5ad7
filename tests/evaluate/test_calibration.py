"""The expected calibration error against one counted bin by bin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom.errors import ConfigError
from tagloom.evaluate import expected_calibration_error


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=60), st.integers(1, 20))
def test_it_is_the_mean_gap_of_all_bins(decisions: list[tuple[float, bool]], bins: int):
    members: dict[int, list[tuple[float, bool]]] = {}
    for chance, right in decisions:
        members.setdefault(min(int(chance * bins), bins - 1), []).append((chance, right))
    gaps = [abs(sum(chance - right for chance, right in each)) / len(decisions) for each in members.values()]
    found = expected_calibration_error([chance for chance, _ in decisions], [right for _, right in decisions], bins)
    assert found == pytest.approx(sum(gaps), abs=1e-9)


def test_certain_and_right_is_perfect_and_certain_and_wrong_the_worst():
    assert expected_calibration_error(np.ones(5, np.float32), np.ones(5, bool)) == 0
    assert expected_calibration_error(np.ones(5), np.zeros(5, bool)) == 1
    with pytest.raises(ConfigError, match="is_right: expected one value per confidence, 2 in all, got 1"):
        expected_calibration_error([0.5, 0.5], [True])
