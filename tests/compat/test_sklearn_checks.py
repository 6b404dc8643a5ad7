"""scikit-learn's own checks of estimators.

They know tables only: of an estimator whose tags say that X is no table, ``check_estimator`` runs one check and skips
the others. So they run twice: those that need no data on the estimators themselves, and all of them on a
``ChainClassifier`` whose sequences are single rows of tables (``rows.py``).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sklearn", minversion="1.8")

from sklearn.exceptions import SkipTestWarning
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

from tagloom.compat.sklearn import ChainClassifier, PhraseClassifier, TokenFeatures
from tests.compat.rows import RowClassifier

PAGE = Path(__file__).parents[2] / "docs" / "sklearn.md"
_COLUMNS = "Features have names, and a token may have any of them: there is no number of columns to check."
_ITEMS = "X is a list of sequences. What is no list of tokens is refused with a message about tokens."
_VALUES = "The value is refused, with a message that names the token and the attribute."
_SPARSE = "X is a list of sequences. A sparse matrix is refused with a message about sequences."
#: Checks that do not apply to sequences, and why.
NOT_APPLICABLE = {
    "check_n_features_in": _COLUMNS,
    "check_n_features_in_after_fitting": _COLUMNS,
    "check_estimators_partial_fit_n_features": _COLUMNS,
    "check_classifiers_train": _COLUMNS,
    "check_estimators_empty_data_messages": "A token may have no features at all. Data without tokens is refused.",
    "check_fit1d": _ITEMS,
    "check_fit2d_predict1d": _ITEMS,
    "check_complex_data": _VALUES,
    "check_estimators_nan_inf": _VALUES,
    "check_estimator_sparse_tag": _SPARSE,
    "check_estimator_sparse_array": _SPARSE,
    "check_estimator_sparse_matrix": _SPARSE,
    "check_supervised_y_2d": "y is one list of labels per sequence. There is no column of labels to be unravelled.",
}
WITHOUT_DATA = (
    "check_estimator_cloneable",
    "check_estimator_tags_renamed",
    "check_valid_tag_types",
    "check_estimator_repr",
    "check_no_attributes_set_in_init",
    "check_do_not_raise_errors_in_init_or_set_params",
    "check_mixin_order",
    "check_parameters_default_constructible",
    "check_get_params_invariance",
    "check_set_params",
)


@pytest.mark.parametrize("name", WITHOUT_DATA)
@pytest.mark.parametrize("estimator", [ChainClassifier(), PhraseClassifier(), TokenFeatures()], ids=lambda e: str(e))
def test_checks_without_data(estimator: Any, name: str) -> None:
    getattr(estimator_checks, name)(type(estimator).__name__, estimator)


@pytest.mark.parametrize("estimator", [ChainClassifier(), PhraseClassifier(), TokenFeatures()], ids=lambda e: str(e))
def test_check_estimator_skips_what_needs_tables(estimator: Any) -> None:
    with pytest.warns(SkipTestWarning, match="Can't test estimator"):
        results = check_estimator(estimator)
    assert [(each["check_name"], each["status"]) for each in results] == [("check_estimator_cloneable", "passed")]


@parametrize_with_checks(
    [RowClassifier(learner="lbfgs", epochs=20)],
    expected_failed_checks=lambda _: NOT_APPLICABLE,
    xfail_strict=True,
)
def test_checks_of_rows(estimator: Any, check: Any) -> None:
    check(estimator)


def test_documentation_lists_the_same_checks() -> None:
    rows = re.findall(r"^\| `(check_\w+)`", PAGE.read_text("utf-8"), re.M)
    assert sorted(rows) == sorted(NOT_APPLICABLE)
    text = PAGE.read_text("utf-8")
    assert all(f"| `{name}` | {reason} |" in text for name, reason in NOT_APPLICABLE.items())
