"""The shapes of python-crfsuite: trainers, taggers, items, logs, dumps, imports."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tagloom
from tagloom.compat.crfsuite import CRFSUITE_VERSION, CRFSuiteError, ItemSequence, Tagger, Trainer
from tests.compat.sequences import make_sequences

XS, YS = make_sequences(12)
ALGORITHMS = ("lbfgs", "l2sgd", "ap", "averaged-perceptron", "pa", "passive-aggressive", "arow")


def train(path: Path, algorithm: str = "lbfgs", **params: Any) -> str:
    trainer = Trainer(algorithm, params, verbose=False)
    for x, y in zip(XS, YS):
        trainer.append(x, y)
    trainer.train(path)
    return str(path)


# -- items -------------------------------------------------------------------------------------------------------------


def test_items_of_every_form_are_flattened():
    items = [{"a": 1, "b": True, "c": "x", "d": ["y", b"z"], "e": {"f": {"g": -0.1}}, b"h": b"i"}, ["j", "k"], set()]
    sequence = ItemSequence(items)
    flat = {"a": 1.0, "b": 1.0, "c:x": 1.0, "d:y": 1.0, "d:z": 1.0, "e:f:g": -0.1, "h:i": 1.0}
    assert sequence.items() == [flat, {"j": 1.0, "k": 1.0}, {}]
    assert (len(sequence), repr(sequence)) == (3, "<ItemSequence of size 3>")
    assert ItemSequence(sequence).items() == ItemSequence(sequence.items()).items() == sequence.items()


def test_items_do_not_change_with_what_they_were_made_of():
    item = {"a": 1.0}
    sequence, trainer = ItemSequence([item]), Trainer(verbose=False)
    trainer.append([item], ["X"])
    item["b"] = 2.0
    assert sequence.items() == [{"a": 1.0}]
    model = trainer.train_model()
    assert model is not None
    assert Tagger.of_model(model).info().attributes.keys() <= {"a"}


@pytest.mark.parametrize(
    "bad", ["foo", 3, {"a": 1}, [3], ["foo"], [{"a": None}], [{"a": float("nan")}], [[1]]], ids=str
)
def test_what_is_no_sequence_is_refused_in_one_line(bad: Any, tmp_path: Path):
    with pytest.raises(ValueError, match="expected") as error:
        ItemSequence(bad)
    assert "\n" not in str(error.value)
    with Tagger().open(train(tmp_path / "m")) as tagger, pytest.raises(ValueError, match="expected"):
        tagger.tag(bad)


# -- trainers ----------------------------------------------------------------------------------------------------------


def test_groups_are_held_out_and_scored():
    lines: list[str] = []

    class Listener(Trainer):
        def on_iteration(self, log: str, info: dict[str, Any]) -> None:
            lines.append(log)

    trainer = Listener("lbfgs", {"max_iterations": 3, "delta": 0.0}, verbose=True)
    for number, (x, y) in enumerate(zip(XS, YS)):
        trainer.append(x, y, number % 3)
    trainer.train("", holdout=2)
    last = trainer.logparser.last_iteration
    held_out = [y for number, y in enumerate(YS) if number % 3 == 2]
    assert sum(score.ref for score in last["scores"].values()) == sum(map(len, held_out))
    assert last["item_accuracy"].denominator <= sum(map(len, held_out))
    assert 0 <= last["avg_f1"] <= 1
    assert last["num"] == len(lines) == 3
    assert [info["num"] for info in trainer.logparser.iterations] == [1, 2, 3]


def test_held_out_sequences_teach_nothing():
    models = []
    for hold in (True, False):
        trainer = Trainer("lbfgs", verbose=False)
        for number, (x, y) in enumerate(zip(XS, YS)):
            if number % 3 != 2 or hold:
                trainer.append(x, y, number % 3)
        models.append(trainer.train_model(2 if hold else -1))
    assert models[0].parameters.weights.tobytes() == models[1].parameters.weights.tobytes()


def test_events_come_in_order(capsys: pytest.CaptureFixture[str]):
    trainer = Trainer("arow", {"max_iterations": 2})
    trainer.append(XS[0], YS[0])
    trainer.train("")
    names = list(dict.fromkeys(name for name, _, _ in trainer.logparser.events))
    assert names == ["start", "featgen_progress", "featgen_end", "prepared", "iteration", "optimization_end", "end"]
    assert "".join(trainer.logparser.log) == capsys.readouterr().out
    assert trainer.logparser.featgen_percent == 100
    assert trainer.logparser.featgen_num_features > 0


def test_a_trainer_without_sequences_says_so(tmp_path: Path):
    trainer = Trainer(verbose=False)
    trainer.train(tmp_path / "model")
    assert not (tmp_path / "model").exists()
    assert "prepare_error" in [name for name, _, _ in trainer.logparser.events]
    trainer.append([], [])
    trainer.train(tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_empty_sequences_are_no_harm(tmp_path: Path):
    trainer = Trainer(verbose=False)
    trainer.append([], [])
    trainer.append([{}, {"a": 1}], ["X", "Y"])
    trainer.train(tmp_path / "model")
    with Tagger().open(tmp_path / "model") as tagger:
        assert tagger.tag([]) == []
        assert tagger.tag([{}, {"a": 1}]) == ["X", "Y"]
        assert tagger.tag([{"unknown": 3}])[0] in ("X", "Y")


def test_clear_removes_the_sequences():
    trainer = Trainer(verbose=False)
    trainer.append(XS[0], YS[0])
    trainer.clear()
    assert trainer.train_model() is None


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_parameters_have_types_defaults_and_help(algorithm: str):
    trainer = Trainer(algorithm)
    before = trainer.get_params()
    trainer.set_params({name: str(int(value) if isinstance(value, bool) else value) for name, value in before.items()})
    assert trainer.get_params() == before
    assert all(trainer.help(name).endswith(".") for name in trainer.params())
    with pytest.raises(ValueError, match="did you mean 'max_iterations'"):
        trainer.set("max_iteration", 3)
    with pytest.raises(ValueError, match="expected a value of type int, got 'many'"):
        trainer.set("max_iterations", "many")


def test_features_stay_when_another_algorithm_is_selected():
    trainer = Trainer("lbfgs", {"feature.minfreq": 2, "c1": 3})
    trainer.select("PA")
    assert trainer.get("feature.minfreq") == 2
    with pytest.raises(ValueError, match="unknown parameter of passive-aggressive 'c1'"):
        trainer.get("c1")
    with pytest.raises(ValueError, match="type: expected 'crf1d'"):
        trainer.select("ap", "tree")


def test_errors_are_one_line():
    trainer = Trainer("lbfgs", {"c2": -1}, verbose=False)
    with pytest.raises(ValueError, match=r"one label per item: \d+ items, 1 labels"):
        trainer.append(XS[0] * 2, ["A"])
    trainer.append(XS[0], YS[0])
    with pytest.raises(CRFSuiteError, match="c2: expected a number of 0 or more"):
        trainer.train("")
    trainer = Trainer(verbose=False)
    trainer.append([{"a": object()}], ["X"])
    with pytest.raises(ValueError, match="sentence 1, token 1: attribute 'a'"):
        trainer.train("")


def test_threads_do_not_change_the_model():
    found = []
    for threads in (1, 3):
        trainer = Trainer("lbfgs", {"c1": 0.1}, verbose=False)
        trainer.threads = threads
        for x, y in zip(XS, YS):
            trainer.append(x, y)
        found.append(trainer.train_model().to_bytes())
    assert found[0] == found[1]


# -- taggers -----------------------------------------------------------------------------------------------------------


def test_a_tagger_labels_what_was_set(tmp_path: Path):
    with Tagger().open(train(tmp_path / "m", "ap")) as tagger:
        assert tagger.tag(XS[0]) == tagger.tag() == tagger.tag(iter(XS[0])) == tagger.tag(ItemSequence(XS[0]))
        tagger.set(XS[1])
        best = tagger.tag()
        assert len(best) == len(XS[1])
        assert 0 < tagger.probability(best) <= 1
        assert sum(tagger.marginal(label, 0) for label in tagger.labels()) == pytest.approx(1)
        for call in (lambda: tagger.probability(["A"] * 99), lambda: tagger.marginal("A", -1)):
            with pytest.raises(ValueError, match="expected"):
                call()
        with pytest.raises(RuntimeError, match="no label 'Z'"):
            tagger.marginal("Z", 0)
    with pytest.raises(RuntimeError, match="closed"):
        tagger.tag(XS[0])


def test_probabilities_of_all_labellings_sum_to_one(tmp_path: Path):
    with Tagger().open(train(tmp_path / "m")) as tagger:
        tagger.set(XS[0][:2])
        total = sum(tagger.probability([a, b]) for a in tagger.labels() for b in tagger.labels())
        assert total == pytest.approx(1, abs=1e-5)


def test_the_dump_holds_the_weights(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    with Tagger().open(train(tmp_path / "m")) as tagger:
        info = tagger.info()
        tagger.dump()
        text = capsys.readouterr().out
        tagger.dump(tmp_path / "dump")
        assert (tmp_path / "dump").read_text("utf-8") == text
        for (attribute, label), weight in info.state_features.items():
            assert f"  (0) {attribute} --> {label}: {weight:f}\n" in text
        for (label, after), weight in info.transitions.items():
            assert f"  (1) {label} --> {after}: {weight:f}\n" in text
        assert int(info.header["size"]) == os.path.getsize(tmp_path / "m")
        assert list(info.labels) == tagger.labels()


def test_other_models_are_refused(tmp_path: Path):
    tagloom.train([(["a"], ["X"])]).save(tmp_path / "words")
    with pytest.raises(ValueError, match="the model reads form; expected one of feature dicts"):
        Tagger().open(tmp_path / "words")
    with pytest.raises(FileNotFoundError):
        Tagger().open(tmp_path / "none")
    with pytest.raises(ValueError, match="no sequence"):
        tagger = Tagger()
        tagger.open(train(tmp_path / "m"))
        tagger.tag()


def test_a_model_of_tagloom_is_one_of_all(tmp_path: Path):
    """What Trainer writes is an ordinary model file."""
    model = tagloom.load(train(tmp_path / "m"))
    with Tagger().open(tmp_path / "m") as tagger:
        assert model.tag_many(XS) == [tagger.tag(x) for x in XS]


# -- imports -----------------------------------------------------------------------------------------------------------


def test_code_that_cannot_be_changed_finds_this_package():
    code = """
from tagloom.compat.crfsuite import replace_imports
replace_imports()
import pycrfsuite, sklearn_crfsuite
from sklearn_crfsuite import metrics
from sklearn_crfsuite.utils import flatten
from pycrfsuite._logparser import TrainLogParser
crf = sklearn_crfsuite.CRF().fit([[{"a": "b"}]], [["X"]])
print(pycrfsuite.Tagger.__module__, crf.predict_single([{"a": "b"}]), metrics.__name__)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "tagloom.compat.crfsuite.tagger ['X'] tagloom.compat.crfsuite.metrics\n"


def test_the_package_is_light():
    code = (
        "import sys, tagloom.compat.crfsuite; "
        "print([name for name in ('sklearn', 'numpy', 'pycrfsuite') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    assert CRFSUITE_VERSION.startswith("tagloom ")
