"""tagloom.compat.crfsuite beside python-crfsuite: the same parameters give the same weights."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tagloom.compat import crfsuite
from tests.compat.sequences import make_sequences

pycrfsuite = pytest.importorskip("pycrfsuite")
XS, YS = make_sequences()


tagger_losses: dict[str, float] = {}  # the last objective of either package


def learn(package: Any, folder: Path, algorithm: str, params: dict[str, Any], count: int = len(XS)) -> Any:
    """Train with a package and open the model."""
    trainer = package.Trainer(algorithm, params, verbose=False)
    for x, y in zip(XS[:count], YS[:count]):
        trainer.append(x, y)
    path = str(folder / f"{package.__name__}.model")
    trainer.train(path)
    tagger = package.Tagger()
    tagger.open(path)
    tagger_losses[package.__name__] = trainer.logparser.last_iteration["loss"]
    return tagger


@pytest.fixture
def both(tmp_path: Path) -> Callable[..., tuple[Any, Any]]:
    """Train the same with either package."""
    return lambda *given, **options: tuple(
        learn(package, tmp_path, *given, **options) for package in (crfsuite, pycrfsuite)
    )


def weights(tagger: Any) -> dict[tuple[str, str, str], float]:
    info = tagger.info()
    states = {("state", *key): value for key, value in info.state_features.items()}
    return states | {("pair", *key): value for key, value in info.transitions.items()}


EXACT = {"delta": 1e-12, "epsilon": 1e-7, "max_iterations": 3000}


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"c2": 0.1},
        {"c2": 3.0, "feature.possible_states": True},
        {"feature.possible_transitions": True, "c2": 0.2},
        {"c1": 0.3, "c2": 0.1},
        {"c1": 1.0, "c2": 0.05, "feature.possible_states": True, "feature.possible_transitions": True},
    ],
    ids=str,
)
def test_lbfgs_finds_the_weights_that_crfsuite_finds(both: Callable[..., Any], params: dict[str, Any]):
    ours, theirs = both("lbfgs", {**params, **EXACT})
    mine, other = weights(ours), weights(theirs)
    assert tagger_losses[crfsuite.__name__] == pytest.approx(tagger_losses["pycrfsuite"], rel=1e-5)
    for key in mine.keys() | other.keys():  # ours are found in single precision
        assert mine.get(key, 0.0) == pytest.approx(other.get(key, 0.0), abs=1e-2)
    assert [ours.tag(x) for x in XS] == [theirs.tag(x) for x in XS]
    for x, y in zip(XS[:5], YS):
        ours.set(x)
        theirs.set(x)
        assert ours.probability(y) == pytest.approx(theirs.probability(y), abs=1e-3)
        for label in theirs.labels():
            assert ours.marginal(label, len(x) - 1) == pytest.approx(theirs.marginal(label, len(x) - 1), abs=1e-3)


@pytest.mark.parametrize("algorithm", ["lbfgs", "l2sgd", "ap", "pa", "arow"])
@pytest.mark.parametrize(
    "params",
    [{}, {"feature.possible_states": True}, {"feature.possible_transitions": True}, {"feature.minfreq": 3}],
    ids=str,
)
def test_the_same_weights_exist(both: Callable[..., Any], tmp_path: Path, algorithm: str, params: dict[str, Any]):
    """Weights of either package are among those that CRFsuite's L-BFGS without regularization has."""
    every = weights(learn(pycrfsuite, tmp_path, "lbfgs", {**params, "c2": 1e-9}))
    few = {"max_iterations": 20}
    ours, _ = both(algorithm, {**params, **few})
    unit = {key for key in weights(ours) if "size" not in key[1]}  # CRFsuite counts values, not occurrences
    assert unit <= every.keys()
    if not params:
        assert len(unit) < len(make_all(every))


def make_all(every: dict[tuple[str, str, str], float]) -> set[tuple[str, str, str]]:
    return {(kind, name, label) for kind, name, _ in every for label in "ABC"}


def test_all_states_and_all_transitions_have_weights_if_asked_for(both: Callable[..., Any]):
    params = {"feature.possible_states": True, "feature.possible_transitions": True, "c2": 0.01}
    ours, theirs = (weights(each) for each in both("lbfgs", params))
    assert ours.keys() == theirs.keys()
    seen, _ = both("lbfgs", {"c2": 0.01})
    assert weights(seen).keys() < ours.keys()


@pytest.mark.parametrize("passes", [1, 2, 5])
@pytest.mark.parametrize(
    ("algorithm", "params"),
    [
        ("pa", {"averaging": False}),
        ("pa", {"averaging": False, "type": 0}),
        ("pa", {"averaging": False, "type": 2, "c": 0.3}),
        ("pa", {"averaging": False, "error_sensitive": False, "c": 0.05}),
        ("arow", {}),
        ("arow", {"gamma": 0.3, "variance": 2.0}),
    ],
    ids=str,
)
def test_online_algorithms_learn_the_weights_of_crfsuite(
    both: Callable[..., Any], algorithm: str, params: dict[str, Any], passes: int
):
    """With one sequence there is no order of the sequences, which either package shuffles in its own way."""
    ours, theirs = (weights(each) for each in both(algorithm, {**params, "max_iterations": passes}, count=1))
    for key in ours.keys() | theirs.keys():
        assert ours.get(key, 0.0) == pytest.approx(theirs.get(key, 0.0), abs=2e-5)


@pytest.mark.parametrize(("algorithm", "passes"), [("ap", 1), ("ap", 4), ("pa", 3)])
def test_averages_are_those_of_crfsuite_without_its_vector_of_zeros(
    both: Callable[..., Any], algorithm: str, passes: int
):
    ours, theirs = (weights(each) for each in both(algorithm, {"max_iterations": passes}, count=1))
    for key in ours.keys() | theirs.keys():
        factor = (passes + 1) / passes  # CRFsuite counts the weights before the first sequence, too
        assert ours.get(key, 0.0) == pytest.approx(theirs.get(key, 0.0) * factor, abs=2e-5)


def test_sgd_reaches_the_objective_of_lbfgs(tmp_path: Path):
    values = []
    for algorithm in ("lbfgs", "l2sgd"):
        trainer = crfsuite.Trainer(algorithm, {"c2": 0.5}, verbose=False)
        for x, y in zip(XS, YS):
            trainer.append(x, y)
        model = trainer.train_model()
        assert model is not None
        values.append(model.tag_many(XS))
    agree = [a == b for one, other in zip(*values) for a, b in zip(one, other)]
    assert sum(agree) >= 0.97 * len(agree)


def test_files_of_crfsuite_are_opened(tmp_path: Path):
    theirs = learn(pycrfsuite, tmp_path, "lbfgs", {"c1": 0.1})
    path = tmp_path / "pycrfsuite.model"
    for open_ in (lambda tagger: tagger.open(path), lambda tagger: tagger.open_inmemory(path.read_bytes())):
        ours = crfsuite.Tagger()
        open_(ours)
        assert [ours.tag(x) for x in XS] == [theirs.tag(x) for x in XS]
        assert weights(ours) == pytest.approx(weights(theirs), abs=1e-6)
        assert set(ours.info().attributes) == set(theirs.info().attributes)
        ours.set(XS[0])
        theirs.set(XS[0])
        assert ours.marginal("A", 0) == pytest.approx(theirs.marginal("A", 0), abs=1e-6)
    assert crfsuite.CRF(model_filename=path).predict_single(XS[1]) == theirs.tag(XS[1])
