"""Checkpoints: a killed training goes on to the same bytes; files of other trainings are refused and kept."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save

import tagloom
from tagloom.errors import ConfigError, ModelFileError, TagloomError
from tagloom.learners import LEARNERS, Learner
from tagloom.systems import Progress
from tests.systems.toy import TAGGED, news_split, tagger, weights

OPTIONS: dict[str, Any] = {"label": "pos", "templates": "form[0]\nsuffix2[0]\nform[0] / edge\n/ edge\n", "epochs": 5}

# Trains each learner in a process of its own, which kills itself after the second pass.
KILLED = """
import os, signal, sys
import tagloom
from tests.files.test_checkpoint import OPTIONS
from tests.systems.toy import news_split

def kill(progress):
    if progress.record is not None and progress.record.epoch == 2:
        os.kill(os.getpid(), signal.SIGKILL)

train, dev = news_split()
tagloom.train(train, dev=dev, **OPTIONS)  # imports what all children need
for learner in tagloom.LEARNERS:
    for part in (None, dev):
        child = os.fork()
        if child == 0:
            path = os.path.join(sys.argv[1], f"{learner}-{part is not None}")
            tagloom.train(train, dev=part, learner=learner, checkpoint=path, on_progress=kill, **OPTIONS)
            os._exit(0)
        print(learner, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the checkpoints of trainings that were killed between their passes."""
    folder = tmp_path_factory.mktemp("killed")
    done = subprocess.run([sys.executable, "-c", KILLED, str(folder)], capture_output=True, text=True)
    ends = [line.split() for line in done.stdout.splitlines()]
    assert ends == [[name, str(-signal.SIGKILL)] for name in LEARNERS for _ in range(2)], done.stderr
    return folder


@pytest.mark.parametrize("with_dev", [False, True])
@pytest.mark.parametrize("learner", LEARNERS)
def test_a_killed_training_ends_with_the_same_bytes(killed: Path, tmp_path: Path, learner: str, with_dev: bool):
    train, dev = news_split()
    checkpoint, told = killed / f"{learner}-{with_dev}", []
    options = {"dev": dev if with_dev else None, "learner": learner, **OPTIONS}
    assert checkpoint.exists()
    resumed = tagloom.train(train, checkpoint=checkpoint, on_progress=told.append, threads=2, **options)
    following = 2 if learner == "reranking-2" else 3  # that one has nothing left to learn after its second pass
    assert [(p.phase, p.record and p.record.epoch) for p in told[1:3]] == [("resumed", None), ("epoch", following)]
    resumed.save(tmp_path / "resumed")
    tagloom.train(train, **options).save(tmp_path / "whole")
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole").read_bytes()
    assert not checkpoint.exists()


def stop_after(epoch: int) -> Callable[[Progress], None]:
    """Ends a training as an error would: the checkpoint stays."""

    def stop(progress: Progress) -> None:
        if progress.record is not None and progress.record.epoch == epoch:
            raise Stopped

    return stop


class Stopped(Exception):  # noqa: N818
    """Not an error of the library."""


def interrupted(path: Path, data: object = None, epoch: int = 1, **options: object) -> bytes:
    """A checkpoint of a training that stopped; its bytes."""
    with pytest.raises(Stopped):
        tagloom.train(
            news_split()[0] if data is None else data,
            checkpoint=path,
            on_progress=stop_after(epoch),
            **OPTIONS | options,
        )
    return path.read_bytes()


def test_a_training_may_be_stopped_again_and_again(tmp_path: Path):
    train, dev = news_split()
    for epoch in (1, 2, 4):
        interrupted(tmp_path / "checkpoint", dev=dev, epoch=epoch)
    resumed = tagloom.train(train, dev=dev, checkpoint=tmp_path / "checkpoint", **OPTIONS)
    whole = tagloom.train(train, dev=dev, **OPTIONS)
    assert (weights(resumed), resumed.spec) == (weights(whole), whole.spec)


def test_early_stopping_goes_on_counting(tmp_path: Path):
    train, dev = news_split()
    options = {**OPTIONS, "epochs": 30, "patience": 2}
    whole = tagloom.train(train, dev=dev, **options)
    with pytest.raises(Stopped):
        tagloom.train(
            train, dev=dev, checkpoint=tmp_path / "c", on_progress=stop_after(len(whole.spec.history) - 1), **options
        )
    resumed = tagloom.train(train, dev=dev, checkpoint=tmp_path / "c", **options)
    assert (weights(resumed), resumed.spec) == (weights(whole), whole.spec)


@pytest.mark.parametrize("learner", ["lbfgs", "owlqn"])
def test_a_batch_training_stopped_at_its_end_makes_no_further_pass(tmp_path: Path, learner: str):
    data = [(["a", "dog", "barks"], ["DT", "NN", "VBZ"]), (["dogs", "bark"], ["NNS", "VBP"])]
    whole = tagloom.train(data, learner=learner)
    last = len(whole.spec.history)
    for epoch in (last - 1, last):
        with pytest.raises(Stopped):
            tagloom.train(data, learner=learner, checkpoint=tmp_path / "c", on_progress=stop_after(epoch))
        resumed = tagloom.train(data, learner=learner, checkpoint=tmp_path / "c")
        assert (weights(resumed), resumed.spec) == (weights(whole), whole.spec)


@pytest.mark.parametrize("learner", ["averaged-perceptron", "lbfgs"])
def test_a_warm_start_goes_on_too(tmp_path: Path, learner: str):
    start = tagloom.train(news_split()[1], **OPTIONS)
    options = {"start": start, "epochs": 4, "learner": learner}
    with pytest.raises(Stopped):
        tagloom.train(news_split()[0], checkpoint=tmp_path / "c", on_progress=stop_after(2), **options)
    resumed = tagloom.train(news_split()[0], checkpoint=tmp_path / "c", **options)
    whole = tagloom.train(news_split()[0], **options)
    assert (weights(resumed), resumed.spec) == (weights(whole), whole.spec)


def test_ctrl_c_keeps_the_checkpoint(tmp_path: Path):
    def interrupt(progress: Progress) -> None:
        if progress.record is not None and progress.record.epoch == 2:
            raise KeyboardInterrupt

    train = news_split()[0]
    so_far = tagloom.train(train, checkpoint=tmp_path / "c", on_progress=interrupt, **OPTIONS)
    assert len(so_far.spec.history) == 2
    assert weights(tagloom.train(train, checkpoint=tmp_path / "c", **OPTIONS)) == weights(
        tagloom.train(train, **OPTIONS)
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epochs": 6}, "epochs 5 there, 6 here"),
        ({"seed": 2}, "seed 1 there, 2 here"),
        ({"cutoff": 2}, "cutoff 1 there, 2 here; features"),
        ({"learner": "perceptron"}, "learner .* there, .* here"),
        ({"learner": Learner("averaged-perceptron", "best", "unit", "none")}, "learner "),
        ({"label": "ner"}, "label pos there, ner here"),
        ({"templates": "form[0]\n"}, "templates .* there, form.0. here"),
        ({"data": lambda: news_split()[1]}, "data [0-9a-f]{12} there, [0-9a-f]{12} here"),
        ({"dev": lambda: news_split()[1]}, "dev none there, [0-9a-f]{12} here"),
        ({"start": lambda: tagger(), "data": TAGGED, "label": None, "templates": None}, "data "),
    ],
)
def test_another_training_is_refused_and_the_file_kept(tmp_path: Path, change: dict[str, Any], message: str):
    before = interrupted(tmp_path / "checkpoint")
    made = {name: value() if callable(value) else value for name, value in change.items()}
    options = {"data": news_split()[0], **OPTIONS, **made}
    with pytest.raises(ConfigError, match=f"a checkpoint of another training .*{message}") as error:
        tagloom.train(checkpoint=tmp_path / "checkpoint", **options)
    assert "\n" not in str(error.value)
    assert "delete this one" in str(error.value)
    assert len(str(error.value)) < 500
    assert (tmp_path / "checkpoint").read_bytes() == before


def test_another_version_of_the_library_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    interrupted(tmp_path / "checkpoint")
    monkeypatch.setattr("tagloom.systems.tagger.encode.__version__", "9.9.9")
    with pytest.raises(ConfigError, match=r"tagloom .* there, 9\.9\.9 here"):
        tagloom.train(news_split()[0], checkpoint=tmp_path / "checkpoint", **OPTIONS)


# -- damage ----------------------------------------------------------------------------------------------------------


def assert_refused(path: Path, data: bytes, **options: object) -> str:
    path.write_bytes(data)
    with pytest.raises(TagloomError) as error:
        tagloom.train(news_split()[0], checkpoint=path, **OPTIONS | options)
    assert path.read_bytes() == data
    assert "\n" not in str(error.value)
    return str(error.value)


def test_damaged_files_are_refused_and_kept(tmp_path: Path):
    path = tmp_path / "checkpoint"
    intact = interrupted(path)
    for place in range(0, len(intact), len(intact) // 40):
        assert_refused(path, intact[:place])
        assert_refused(path, intact[:place] + bytes([intact[place] ^ 16]) + intact[place + 1 :])


def test_other_files_are_refused_and_kept(tmp_path: Path):
    tagger().save(tmp_path / "model")
    assert "not a tagloom checkpoint" in assert_refused(tmp_path / "c", (tmp_path / "model").read_bytes())
    assert "not a checkpoint file" in assert_refused(tmp_path / "c", b"the only copy of my thesis")
    with pytest.raises(ModelFileError, match="no such checkpoint file"):
        tagloom.train(TAGGED, checkpoint=tmp_path)


def forged(path: Path, change: Callable[[dict[str, Any], dict[str, np.ndarray]], object]) -> bytes:
    """The checkpoint after a change, with checksums that fit."""
    with safe_open(path, framework="numpy") as opened:
        header = json.loads(opened.metadata()["tagloom-checkpoint"][8:])
    tensors = load_file(path)
    change(header, tensors)
    header["checksums"] = {name: zlib.crc32(array.tobytes()) for name, array in tensors.items()}
    text = json.dumps(header)
    return save(tensors, {"tagloom-checkpoint": f"{zlib.crc32(text.encode()):08x}{text}"})


@pytest.mark.parametrize(
    "change",
    [
        lambda header, tensors: tensors.pop("state.weights"),
        lambda header, tensors: tensors.pop("best.weights"),
        lambda header, tensors: tensors.update({"state.weights": np.zeros(3, np.float32)}),
        lambda header, tensors: tensors.update({"best.weights": np.zeros(3, np.float32)}),
        lambda header, tensors: tensors.update({"state.numbers": np.zeros(2)}),
        lambda header, tensors: header.pop("history"),
        lambda header, tensors: header.update(history=[{"pass": 1}]),
        lambda header, tensors: header.update(best=3),
        lambda header, tensors: header.update(epoch="one"),
        lambda header, tensors: header.update(epoch=7),
        lambda header, tensors: header.update(epoch=-1),
        lambda header, tensors: header.update(training=None),
        lambda header, tensors: header.update(training={"data": 3}),
        lambda header, tensors: header.update(format_version=99),
    ],
)
def test_crafted_files_are_refused_in_one_line(tmp_path: Path, change: Callable[..., object]):
    path = tmp_path / "checkpoint"
    interrupted(path, dev=news_split()[1])
    assert_refused(path, forged(path, change), dev=news_split()[1])


def test_what_is_no_path_is_refused():
    with pytest.raises(ConfigError, match="checkpoint: expected a path or None, got 3"):
        tagloom.train(TAGGED, checkpoint=3)  # type: ignore[arg-type]


def test_a_folder_that_is_not_there_is_told(tmp_path: Path):
    with pytest.raises(TagloomError, match="no such directory"):
        tagloom.train(TAGGED, checkpoint=tmp_path / "missing" / "checkpoint")
