"""The scikit-learn estimators: parameters, further training, copies, and scikit-learn's own tools."""

from __future__ import annotations

import copy
import inspect
import io
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn")

import sklearn
from sklearn.base import clone, is_classifier
from sklearn.model_selection import (
    GridSearchCV,
    RandomizedSearchCV,
    cross_val_predict,
    cross_validate,
    learning_curve,
)
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline

import tagloom
from tagloom.compat.sklearn import (
    METRICS,
    SCORERS,
    ChainClassifier,
    ParameterError,
    SampleError,
    TokenFeatures,
    token_accuracy,
)
from tagloom.compat.sklearn.parameters import list_parameters
from tagloom.systems.options import list_options
from tagloom.systems.tagger.options import TaggerOptions
from tests.compat.sklearn_sequences import (
    CRF,
    FAST,
    SAMPLE,
    X_NEWS,
    X_TEST,
    X_TRAIN,
    Y_NEWS,
    Y_TEST,
    Y_TRAIN,
    object_array,
)


@pytest.fixture(scope="module")
def tagger() -> ChainClassifier:
    return ChainClassifier(**FAST).fit(X_TRAIN, Y_TRAIN)


# -- parameters --------------------------------------------------------------------------------------------------------


def test_every_option_of_a_tagger_is_a_parameter_but_the_column_of_y() -> None:
    found = inspect.signature(ChainClassifier).parameters
    assert {*list_options(TaggerOptions)} - {*found} == {"label"}
    assert {*found} - {*list_options(TaggerOptions)} == {"columns", "normalise", "scoring", "decoder"}
    assert all(each.kind is inspect.Parameter.KEYWORD_ONLY for each in found.values())
    assert {name: each.default for name, each in found.items()} == list_parameters("tagger")


def test_parameters_are_stored_untouched_and_cloned() -> None:
    functions = {"vowels": len}
    estimator = ChainClassifier(C=0.5, templates="pos", attributes=functions)
    assert estimator.attributes is functions
    assert estimator.get_params()["C"] == 0.5
    assert estimator.get_params()["epochs"] is None
    assert clone(estimator).get_params() == estimator.get_params()
    assert clone(estimator.set_params(C=2.0, epochs=4)).C == 2.0
    assert repr(ChainClassifier(C=2.0)) == "ChainClassifier(C=2.0)"
    assert "ChainClassifier" in ChainClassifier(C=2.0)._repr_html_()


def test_nothing_is_checked_before_fit() -> None:
    estimator = ChainClassifier(learner="adma", epochs=-1).set_params(scoring=3)
    with pytest.raises(ParameterError, match="epochs: expected a whole number of 1 or more, got -1"):
        estimator.fit(X_TRAIN, Y_TRAIN)
    with pytest.raises(ParameterError, match="unknown learner 'adma'; did you mean"):
        estimator.set_params(epochs=1).fit(X_TRAIN, Y_TRAIN)


def test_unknown_parameters_are_refused_with_the_nearest_name() -> None:
    with pytest.raises(TypeError, match="ChainClassifier: unknown parameter 'epoch'; did you mean 'epochs'"):
        ChainClassifier(epoch=3)
    with pytest.raises(ValueError, match="Invalid parameter 'epoch'"):
        ChainClassifier().set_params(epoch=3)


# -- more data ---------------------------------------------------------------------------------------------------------


def test_partial_fit_goes_on_from_the_model() -> None:
    estimator, model = ChainClassifier(learner="averaged-perceptron"), None
    for start in range(0, 150, 50):
        part = SAMPLE.train.slice(start, start + 50)
        estimator.partial_fit(X_TRAIN[start : start + 50], Y_TRAIN[start : start + 50])
        model = tagloom.train(part, learner="averaged-perceptron", epochs=1, start=model)
    assert model is not None
    assert estimator.model_.to_bytes() == model.to_bytes()
    assert estimator.classes_.tolist() == sorted({label for labels in Y_TRAIN for label in labels})
    assert estimator.score(X_TEST, Y_TEST) > 0.6


def test_partial_fit_knows_labels_before_they_come() -> None:
    classes = sorted({label for labels in Y_TRAIN for label in labels})
    estimator = ChainClassifier(learner="sgd").partial_fit(X_TRAIN[:3], Y_TRAIN[:3], classes=classes)
    assert estimator.classes_.tolist() == classes
    found = estimator.predict_proba(X_TEST)[0]
    assert found.shape[1] == len(classes) > len(estimator.model_.labels)
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-5)
    estimator.partial_fit(X_TRAIN, Y_TRAIN)
    assert estimator.classes_.tolist() == sorted(estimator.model_.labels) == classes
    estimator.partial_fit([["x"]], [["NEW"]])
    assert "NEW" in estimator.classes_
    with pytest.raises(SampleError, match="y has labels that are not in classes: 'OLD'"):
        estimator.partial_fit([["x"]], [["OLD"]], classes=["NEW"])
    with pytest.raises(SampleError, match="classes: expected a list of labels, got 3"):
        estimator.partial_fit([["x"]], [["NEW"]], classes=3)
    with pytest.raises(SampleError, match="y: Unknown label type: expected strings or whole numbers, all of one type"):
        estimator.partial_fit([["x"]], [[1]])


def test_partial_fit_may_begin_without_spans() -> None:
    estimator = ChainClassifier(learner="averaged-perceptron")
    estimator.partial_fit([["in", "the", "house"]], [["O", "O", "O"]], classes=["O", "B-LOC", "I-LOC"])
    for _ in range(5):
        estimator.partial_fit([["in", "New", "York"], ["in", "Bonn"]], [["O", "B-LOC", "I-LOC"], ["O", "B-LOC"]])
    assert estimator.predict_spans([["in", "New", "York"]]).tolist() == [[(1, 3, "LOC")]]
    assert set(estimator.model_.labels) == {"O", "B-LOC", "E-LOC", "S-LOC"}
    assert estimator.classes_.tolist() == ["B-LOC", "I-LOC", "O"]


def test_fit_forgets_what_was_learned_before() -> None:
    estimator = ChainClassifier(**FAST).fit(X_TEST, Y_TEST)
    first = estimator.model_.to_bytes()
    assert estimator.fit(X_TRAIN, Y_TRAIN).fit(X_TEST, Y_TEST).model_.to_bytes() == first


# -- copies ------------------------------------------------------------------------------------------------------------


class WatchedUnpickler(pickle.Unpickler):
    """Notes what a pickle calls."""

    def __init__(self, stream: io.BytesIO) -> None:
        super().__init__(stream)
        self.called: set[str] = set()

    def find_class(self, module: str, name: str) -> Any:
        self.called.add(f"{module}.{name}")
        return super().find_class(module, name)


def test_pickles_hold_the_bytes_of_the_model_and_no_code(tagger: ChainClassifier) -> None:
    data = pickle.dumps(tagger)
    assert tagger.model_.to_bytes() in data
    unpickler = WatchedUnpickler(io.BytesIO(data))
    again = unpickler.load()
    own = {name for name in unpickler.called if not name.startswith("numpy.")}
    assert own == {"tagloom.compat.sklearn.chain.ChainClassifier", "tagloom.systems.file.restore_model"}
    assert again.get_params() == tagger.get_params()
    assert again.predict(X_TEST).tolist() == tagger.predict(X_TEST).tolist()
    assert again.classes_.tolist() == tagger.classes_.tolist()


def count_vowels(word: str) -> str:
    return str(sum(letter in "aeiou" for letter in word))


def test_copies_keep_functions_of_the_user() -> None:
    joblib = pytest.importorskip("joblib")
    options = {"attributes": {"vowels": count_vowels}, "templates": "vowels[0]\nform[0]", **FAST}
    fitted = ChainClassifier(**options).fit(X_TRAIN, Y_TRAIN)
    expected = fitted.predict(X_TEST).tolist()
    stream = io.BytesIO()
    joblib.dump(fitted, stream)
    stream.seek(0)
    for other in (copy.deepcopy(fitted), copy.copy(fitted), pickle.loads(pickle.dumps(fitted)), joblib.load(stream)):
        assert other.predict(X_TEST).tolist() == expected
        assert other.model_.to_bytes() == fitted.model_.to_bytes()


# -- tools of scikit-learn ---------------------------------------------------------------------------------------------


def test_estimators_are_no_classifiers_of_tables() -> None:
    """A classifier of tables would get its folds by the classes of y, which sequences of labels are not."""
    assert not is_classifier(ChainClassifier())
    tags = ChainClassifier().__sklearn_tags__()
    assert tags.target_tags.required
    assert not tags.input_tags.two_d_array
    assert tags.input_tags.one_d_array
    assert tags.input_tags.string
    assert tags.input_tags.dict


def test_grid_search_over_a_pipeline() -> None:
    pipeline = Pipeline([("features", TokenFeatures()), ("tagger", ChainClassifier(learner="lbfgs", epochs=10))])
    grid = {"features__window": [0, 1], "tagger__c2": [0.1, 10.0]}
    scoring = {name: SCORERS[name] for name in ("token_accuracy", "flat_f1")}
    search = GridSearchCV(pipeline, grid, cv=2, scoring=scoring, refit="token_accuracy")
    search.fit(X_TRAIN[:80], Y_TRAIN[:80])
    means = search.cv_results_["mean_test_token_accuracy"]
    assert len(means) == 4
    assert search.cv_results_["mean_test_flat_f1"].max() > 0.6
    assert search.best_score_ == means.max() > means.min()
    assert search.best_params_["tagger__c2"] == 0.1
    assert search.predict(X_TEST).shape == (len(X_TEST),)
    assert search.score(X_TEST, Y_TEST) == token_accuracy(Y_TEST, search.predict(X_TEST)) > 0.6
    assert search.predict_proba(X_TEST[:1])[0].shape == (len(X_TEST[0]), len(search.classes_))


def test_randomized_search_over_options() -> None:
    choices = {"C": [0.1, 1.0, 10.0], "templates": ["pos", "pos-affixes"], "learner": ["pa", "margin-perceptron"]}
    search = RandomizedSearchCV(ChainClassifier(epochs=2), choices, n_iter=3, cv=2, random_state=1)
    search.fit(object_array(X_TRAIN[:60]), object_array(Y_TRAIN[:60]))
    assert set(search.best_params_) == set(choices)
    assert search.best_estimator_.model_.spec.learner == search.best_params_["learner"]


def test_pipelines_transform_development_data() -> None:
    if not hasattr(sklearn.utils, "Tags"):
        pytest.skip("transform_input is newer than this scikit-learn")
    with sklearn.config_context(enable_metadata_routing=True):
        tagger = ChainClassifier(**FAST).set_fit_request(X_dev=True, y_dev=True)
        pipeline = Pipeline([("features", TokenFeatures()), ("tagger", tagger)], transform_input=["X_dev"])
        pipeline.fit(X_TRAIN, Y_TRAIN, X_dev=X_TEST, y_dev=Y_TEST)
    assert pipeline["tagger"].model_.spec.temperature is not None  # calibrated on development data


def test_unions_of_features() -> None:
    pytest.importorskip("pandas")
    parts = [("words", TokenFeatures(["lower"], window=0)), ("shapes", TokenFeatures(["shape"], window=1))]
    union = FeatureUnion(parts).set_output(transform="pandas")
    pipeline = make_pipeline(union, ChainClassifier(**CRF)).fit(X_TRAIN, Y_TRAIN)
    assert pipeline.score(X_TRAIN, Y_TRAIN) > 0.8


def test_learning_curves_go_on_from_models() -> None:
    estimator = ChainClassifier(learner="averaged-perceptron")
    found = learning_curve(estimator, X_TRAIN, Y_TRAIN, cv=2, train_sizes=[0.2, 1.0], exploit_incremental_learning=True)
    assert (found[2][1] > found[2][0]).all()


def test_cross_validation() -> None:
    found = cross_val_predict(ChainClassifier(**FAST), X_TRAIN, Y_TRAIN, cv=3)
    assert [len(labels) for labels in found] == list(map(len, X_TRAIN))
    assert token_accuracy(Y_TRAIN, found) > 0.6
    equal = [words[:4] for words in X_TRAIN if len(words) >= 4], [labels[:4] for labels in Y_TRAIN if len(labels) >= 4]
    assert cross_val_predict(ChainClassifier(**FAST), *equal, cv=2).shape == (len(equal[0]),)
    results = cross_validate(ChainClassifier(**FAST), X_NEWS, Y_NEWS, cv=2, scoring=SCORERS, return_estimator=True)
    assert {f"test_{name}" for name in METRICS} <= results.keys()
    assert (results["test_span_f1"] > 0.3).all()


def test_searches_run_in_parallel() -> None:
    joblib = pytest.importorskip("joblib")
    search = GridSearchCV(ChainClassifier(**FAST), {"epochs": [1, 2]}, cv=2, n_jobs=2)
    with joblib.parallel_config(backend="threading"):  # processes start slowly; copies are tested above
        assert search.fit(X_TRAIN[:40], Y_TRAIN[:40]).best_score_ > 0.3


# -- imports -----------------------------------------------------------------------------------------------------------


def test_import_without_scikit_learn_says_what_to_install() -> None:
    code = "import sys; sys.modules['sklearn'] = None; import tagloom; import tagloom.compat.sklearn"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    line = found.stderr.strip().splitlines()[-1]
    assert line == 'ImportError: tagloom.compat.sklearn needs scikit-learn: pip install "tagloom[sklearn]"'


def test_tagloom_does_not_import_scikit_learn() -> None:
    code = "import sys, tagloom; tagloom.train([(['a'], ['X'])]); print('sklearn' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
