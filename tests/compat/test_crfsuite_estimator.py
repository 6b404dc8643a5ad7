"""CRF, the estimator of sklearn-crfsuite, with and without scikit-learn; metrics and scorers."""

from __future__ import annotations

import copy
import pickle
import pickletools
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tagloom.compat.crfsuite import CRF, Trainer, metrics
from tests.compat.sequences import make_sequences

XS, YS = make_sequences(30)
ALGORITHMS = ("lbfgs", "l2sgd", "ap", "pa", "arow")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_predictions_agree_with_each_other(algorithm: str):
    pytest.importorskip("sklearn")
    crf = CRF(algorithm, max_iterations=20).fit(XS, YS)
    labels = crf.predict(XS)
    assert [list(each) for each in labels] == [crf.predict_single(x) for x in XS]
    marginals = crf.predict_marginals(XS)
    for x, rows in zip(XS, marginals):
        assert list(rows) == crf.predict_marginals_single(x)
        for row in rows:
            assert sum(row.values()) == pytest.approx(1, abs=1e-9)
    assert crf.score(XS, YS) == np.mean([a == b for x, y in zip(labels, YS) for a, b in zip(x, y)])
    assert crf.score(XS, YS) > 0.8


@pytest.mark.parametrize("threads", [1, 2])
def test_a_pickle_holds_the_file_of_the_model_and_no_code(threads: int):
    crf = CRF(c1=0.1, threads=threads).fit(XS, YS)
    data = pickle.dumps(crf)
    again = pickle.loads(data)
    assert crf._model.to_bytes() in data
    assert again._model.to_bytes() == crf._model.to_bytes()
    assert again.get_params() == crf.get_params()
    assert [list(y) for y in again.predict(XS)] == [list(y) for y in crf.predict(XS)]
    assert again.training_log_.iterations == crf.training_log_.iterations
    copied = copy.deepcopy(crf)
    assert copied._model.to_bytes() == crf._model.to_bytes()
    globals_ = {str(argument) for code, argument, _ in pickletools.genops(data) if code.name == "GLOBAL"}
    assert not [name for name in globals_ if name.startswith(("builtins eval", "os ", "posix "))]


def test_a_file_is_written_and_opened(tmp_path: Path):
    path = tmp_path / "model"
    crf = CRF(model_filename=path).fit(XS, YS)
    other = CRF(model_filename=path)
    assert [list(y) for y in other.predict(XS)] == [list(y) for y in crf.predict(XS)]
    assert (other.size_, other.classes_) == (crf.size_, crf.classes_) == (path.stat().st_size, crf.classes_)


def test_what_was_learned_is_shown():
    crf = CRF(c1=0.5, all_possible_transitions=True, max_iterations=30)
    names = (
        "tagger_",
        "classes_",
        "size_",
        "num_attributes_",
        "attributes_",
        "state_features_",
        "transition_features_",
    )
    assert [getattr(crf, name) for name in names] == [None] * len(names)
    crf.fit(XS, YS)
    assert set(crf.classes_) == {"A", "B", "C"}
    assert len(crf.attributes_) == crf.num_attributes_ == len({attribute for attribute, _ in crf.state_features_})
    assert all(isinstance(weight, float) and weight != 0 for weight in crf.state_features_.values())
    before = crf.state_features_
    crf.set_params(c1=5.0).fit(XS, YS)
    assert len(crf.state_features_) < len(before)


def test_arguments_reach_the_learner():
    class Listener(Trainer):
        seen: dict[str, Any] = {}  # noqa: RUF012

        def train_model(self, holdout: int = -1) -> Any:
            type(self).seen = self.get_params()
            return super().train_model(holdout)

    given = {"c1": 0.25, "c2": 0.5, "min_freq": 2, "num_memories": 3, "linesearch": "Backtracking", "period": 4}
    CRF("lbfgs", **given, all_possible_states=True, trainer_cls=Listener).fit(XS, YS)
    expected = {"c1": 0.25, "feature.minfreq": 2.0, "feature.possible_states": True, "num_memories": 3, "period": 4}
    assert expected.items() <= Listener.seen.items()
    CRF("pa", pa_type=2, c=0.3, error_sensitive=False, trainer_cls=Listener).fit(XS, YS)
    assert {"type": 2, "c": 0.3, "error_sensitive": False}.items() <= Listener.seen.items()
    with pytest.raises(ValueError, match="unknown parameter of arow 'c2'"):
        CRF("arow", c2=1).fit(XS, YS)


def test_a_trainer_of_the_user_sees_every_sequence():
    class Counting(Trainer):
        count = 0

        def append(self, *given: Any, **options: Any) -> None:
            type(self).count += 1
            super().append(*given, **options)

    CRF(trainer_cls=Counting).fit(XS, YS)
    assert Counting.count == len(XS)


def test_held_out_data_is_logged(capsys: pytest.CaptureFixture[str]):
    crf = CRF(verbose=True, max_iterations=3).fit(XS[:20], YS[:20], XS[20:], YS[20:])
    assert capsys.readouterr().out.count("F1=") == len(crf.training_log_.iterations)
    assert "avg_f1" in crf.training_log_.last_iteration
    with pytest.raises(ValueError, match="both X_dev and y_dev"):
        CRF().fit(XS, YS, XS)


@pytest.mark.parametrize(
    ("xs", "ys", "message"),
    [
        ([], [], "at least one sequence"),
        (XS, YS[:3], "30 sequences, 3 lists of labels"),
        (XS[:1], [["A"] * 99], "99 labels"),
        ([["a b"]], [["A"]], "expected"),
        ([3], [["A"]], "expected"),
    ],
    ids=["empty", "few", "long", "text", "number"],
)
def test_bad_data_is_refused_in_one_line(xs: Any, ys: Any, message: str):
    with pytest.raises(ValueError, match=message) as error:
        CRF().fit(xs, ys)
    assert "\n" not in str(error.value)


def test_prediction_before_fit_is_refused():
    with pytest.raises(ValueError, match="not fitted"):
        CRF().predict(XS)


# -- scikit-learn ------------------------------------------------------------------------------------------------------


def test_searches_of_scikit_learn_take_it():
    selection = pytest.importorskip("sklearn.model_selection")
    from sklearn.base import clone
    from sklearn.metrics import make_scorer
    from sklearn.pipeline import Pipeline

    from tagloom.compat.crfsuite import scorers

    pipeline = Pipeline([("crf", CRF(max_iterations=5))])
    scoring = make_scorer(metrics.flat_f1_score, average="weighted", labels=["A", "B"])
    search = selection.GridSearchCV(pipeline, {"crf__c1": [0.0, 0.5], "crf__c2": [0.1]}, scoring=scoring, cv=3)
    search.fit(XS, YS)
    assert search.best_score_ > 0.7
    assert selection.cross_val_score(CRF(), XS, YS, cv=3, scoring=scorers.sequence_accuracy).shape == (3,)
    twin = clone(search.best_estimator_["crf"])
    assert twin.get_params() == search.best_estimator_["crf"].get_params()
    assert twin.tagger_ is None


def test_metrics_are_those_of_flat_lists():
    reference = pytest.importorskip("sklearn.metrics")
    gold, found = [["x", "z", "y"], ["x", "x"]], [["y", "z", "y"], ["x", "y"]]
    flat = metrics.flatten(gold), metrics.flatten(found)
    assert metrics.flat_accuracy_score(gold, found) == reference.accuracy_score(*flat)
    for name in ("precision", "recall", "f1"):
        ours = getattr(metrics, f"flat_{name}_score")(gold, found, average="micro")
        assert ours == getattr(reference, f"{name}_score")(*flat, average="micro")
    assert metrics.flat_fbeta_score(gold, found, beta=2, average="macro") == reference.fbeta_score(
        *flat, beta=2, average="macro"
    )
    assert "weighted avg" in metrics.flat_classification_report(gold, found, labels=["x", "y"], digits=3)
    assert metrics.sequence_accuracy_score(gold, gold) == 1
    assert metrics.sequence_accuracy_score([], []) == 0


def test_everything_but_metrics_works_without_scikit_learn():
    code = """
import sys
sys.modules["sklearn"] = None
from tagloom.compat.crfsuite import CRF, metrics
crf = CRF(c2=0.1).fit([[{"a": "b"}, {"a": "c"}]], [["X", "Y"]])
print(crf.predict([[{"a": "b"}]]).tolist(), crf.get_params()["c2"], crf.set_params(c2=3).c2)
print(metrics.sequence_accuracy_score([["a"]], [["a"]]))
for call in (lambda: crf.set_params(c3=3), lambda: crf.score([], []), lambda: CRF().predict([]), lambda: crf.scorers):
    try:
        call()
    except Exception as error:
        print(f"{type(error).__name__}: {error}"[:90])
try:
    from tagloom.compat.crfsuite import scorers
except Exception as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert lines[:2] == ["[['X']] 0.1 3", "1.0"]
    assert lines[2].startswith("ValueError: unknown parameter 'c3'")
    assert lines[3] == 'ConfigError: flat_accuracy_score needs scikit-learn: pip install "tagloom[sklearn]"'
    assert lines[4].startswith("ValueError: this CRF is not fitted")
    assert lines[-1] == 'scorers need scikit-learn: pip install "tagloom[sklearn]"'
