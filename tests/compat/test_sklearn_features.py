"""The scikit-learn transformer: features of words and of their neighbours."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("sklearn")

from sklearn.pipeline import make_pipeline

from tagloom.compat.sklearn import (
    ChainClassifier,
    ParameterError,
    SampleError,
    TokenFeatures,
)
from tests.compat.sklearn_sequences import (
    CRF,
    D_TEST,
    D_TRAIN,
    X_TEST,
    Y_TEST,
    Y_TRAIN,
    make_frame,
)


@pytest.fixture(scope="module")
def crf() -> ChainClassifier:
    return ChainClassifier(**CRF).fit(D_TRAIN, Y_TRAIN)


def test_token_features_look_at_neighbours() -> None:
    features = TokenFeatures(["lower", "suffix2", "hyphen"], window=1)
    own = [{"lower": "a-b", "suffix2": "-B", "hyphen": "yes"}, {"lower": "c"}, {"lower": "dd", "suffix2": "dd"}]
    (found,) = features.fit_transform([["A-B", "c", "dd"]])
    assert found == [{**own[0], "+1": own[1]}, {**own[1], "-1": own[0], "+1": own[2]}, {**own[2], "-1": own[1]}]
    assert features.set_params(window=0).transform([["A-B", "c", "dd"]])[0] == own


def test_token_features_of_rows_and_of_functions() -> None:
    rows = [[("The", "DT"), ("dog", "NN")]]
    (found,) = TokenFeatures(["form"], window=0).transform(rows)
    assert found == [{"form": "The", "pos": "DT"}, {"form": "dog", "pos": "NN"}]
    (found,) = TokenFeatures(["form"], window=0, columns="form xpos").transform(rows)
    assert found[1] == {"form": "dog", "xpos": "NN"}
    last = TokenFeatures((), window=0, function=lambda tokens, position: {"last": position == len(tokens) - 1})
    assert last.transform([["a", "b"]])[0] == [{"last": False}, {"last": True}]
    assert last.transform(rows)[0][1] == {"pos": "NN", "last": True}


def test_token_features_become_a_data_frame(crf: ChainClassifier) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"tokens": X_TEST}, index=range(100, 100 + len(X_TEST)))
    features = TokenFeatures().set_output(transform="pandas")
    found = features.fit_transform(frame)
    assert list(found.columns) == ["features"] == list(features.get_feature_names_out())
    assert list(found.index) == list(frame.index)
    assert found["features"].tolist() == TokenFeatures().transform(X_TEST).tolist()
    steps = make_pipeline(TokenFeatures(), ChainClassifier(**CRF)).set_output(transform="pandas")
    plain = make_pipeline(TokenFeatures(), ChainClassifier(**CRF))
    assert steps.fit(frame, Y_TEST).predict(frame).tolist() == plain.fit(X_TEST, Y_TEST).predict(X_TEST).tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"attributes": "lower"}, "attributes: expected a list of names, got 'lower'"),
        ({"attributes": ["lowr"]}, "lowr"),
        ({"attributes": ["two words"]}, "attributes: expected a name such as lower or suffix3, got 'two words'"),
        ({"attributes": [3]}, "attributes: expected a name such as lower or suffix3, got 3"),
        ({"attributes": ["suffix"]}, "suffix"),
        ({"window": -1}, "window: expected a whole number from 0 to 100, got -1"),
    ],
)
def test_token_features_refuse_other_parameters(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        TokenFeatures(**options).fit(X_TEST)


def test_token_features_refuse_other_data() -> None:
    frame, _ = make_frame()
    with pytest.raises(SampleError, match="expected one sequence per sample, got one row per token"):
        TokenFeatures().transform(frame)
    with pytest.raises(SampleError, match="expected words or tuples, got feature dicts"):
        TokenFeatures().transform(D_TEST)
