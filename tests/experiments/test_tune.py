"""tune: halving as the oracle does it, the same for any number of jobs and kills; shared encoding; bad grids."""

from __future__ import annotations

import functools
import json
import math
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tagloom
from tagloom.errors import ConfigError, DataError
from tagloom.experiments import trials as trial_files
from tagloom.experiments.search import choose_survivors, rungs
from tagloom.experiments.trials import Trial, Tuning
from tagloom.experiments.tune import tune
from tagloom.learners import LEARNERS
from tagloom.systems import Progress
from tagloom.systems.tagger.encode import EncodedCorpus
from tests.oracle.halving import passes_made
from tests.systems.toy import TAGGED, news_split

GRID: dict[str, list[object]] = {"C": [1e-4, 0.001, 0.01, 1.0], "cutoff": [1, 3]}
OPTIONS: dict[str, Any] = {"learner": "pa", "label": "ner", "templates": "form[0]\nsuffix2[0]\n/ edge\n", "epochs": 9}


@functools.cache
def tuned(jobs: int | None = 2, keep: float = 0.5) -> Tuning:
    return tune(*news_split(), GRID, jobs=jobs, keep=keep, **OPTIONS)


def timeless(tuning: Tuning | dict[str, Any]) -> dict[str, Any]:
    """A tuning without what may differ from run to run."""
    values: dict[str, Any] = tuning.to_dict() if isinstance(tuning, Tuning) else dict(tuning)
    trials = [{name: value for name, value in trial.items() if name != "seconds"} for trial in values["trials"]]
    return {**{name: value for name, value in values.items() if name != "jobs"}, "trials": trials}


# -- halving ---------------------------------------------------------------------------------------------------------


@settings(max_examples=50)
@given(st.data())
def test_halving_is_what_the_oracle_does(data: st.DataObject):
    most = data.draw(st.lists(st.integers(1, 40), min_size=1, max_size=9))
    keep = data.draw(st.sampled_from([0.1, 0.3, 0.5, 0.55, 0.9, 1]))
    curves = [data.draw(st.lists(st.integers(0, 4).map(float), min_size=1, max_size=m)) for m in most]
    alive, made = list(range(len(most))), [0] * len(most)
    for rung in rungs(most, keep):
        share = rung if len(alive) > 1 else 1
        for trial in alive:
            made[trial] = min(math.ceil(share * most[trial]), len(curves[trial]))
        if share == 1:
            break
        kept = choose_survivors({trial: max(curves[trial][: made[trial]]) for trial in alive}, keep)
        alive = [trial for trial in alive if trial in kept]
    expected, status = passes_made(curves, most, keep)
    assert made == expected
    assert ["finished" if n == len(c) else "stopped" for n, c in zip(made, curves)] == status


def test_what_a_search_stops_is_what_the_oracle_stops():
    full = tuned(keep=1).trials
    assert {trial.status for trial in full} == {"finished"}
    for keep in (0.3, 0.5):
        passes, status = passes_made([list(trial.scores) for trial in full], [9] * len(full), keep)
        assert "stopped" in status
        for trial, whole, count, end in zip(tuned(keep=keep).trials, full, passes, status):
            assert (trial.status, trial.history) == (end, whole.history[:count])


def test_the_best_trial_is_never_one_that_was_stopped():
    tuning = tuned()
    assert tuning.best_trial.status == "finished"
    scores = [trial.score for trial in tuning.rank()]
    assert scores == sorted(scores, reverse=True)
    assert tuning.best_trial.score == max(scores)


def test_mixed_learners_are_judged_at_the_same_share_of_their_own_passes():
    grid = {"learner": ["lbfgs", "averaged-perceptron", "perceptron"]}
    trials = tune(*news_split(), grid, label="pos", templates="form[0]", patience=300).trials
    most = {name: LEARNERS[name].epochs for name in grid["learner"]}
    for trial in trials:
        judged = {-(-most[trial.options["learner"]] // part) for part in (8, 4, 2)}
        assert trial.status == "finished" or len(trial.history) in judged


# -- the same result, however it is found ----------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, None])
def test_results_do_not_depend_on_jobs(jobs: int | None):
    assert timeless(tuned(jobs)) == timeless(tuned(2))


def test_the_best_options_train_the_model_of_the_best_trial():
    train, dev = news_split()
    tuning = tuned()
    model = tagloom.train(train, dev=dev, **tuning.best)
    assert model.spec.history == tuning.best_trial.history
    assert model.spec.best_epoch == tuning.best_trial.best_epoch
    score = model.evaluate(dev)
    assert (score.value, score.metric) == (tuning.best_trial.score, tuning.metric)
    assert str(score.signature) == tuning.best_trial.signature
    assert tuning.signature.startswith(f"{score.signature}|dev:{dev.checksum()}|chosen:C=")


def test_every_encoding_is_made_once(monkeypatch: pytest.MonkeyPatch):
    calls: Counter[int] = Counter()
    encode = EncodedCorpus.encode.__func__

    def counted(cls, task, options):
        calls[options.cutoff] += 1
        return encode(cls, task, options)

    monkeypatch.setattr(EncodedCorpus, "encode", classmethod(counted))
    tune(*news_split(), GRID, **OPTIONS)
    assert calls == {1: 1, 3: 1}


KILLED = """
import os, signal, sys
from tests.experiments.test_tune import GRID, OPTIONS
from tests.systems.toy import news_split
from tagloom.experiments.tune import tune

left = int(sys.argv[2])
def kill(trial, progress):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

tune(*news_split(), GRID, folder=sys.argv[1], on_progress=kill, jobs=2, **OPTIONS)
"""


def test_a_killed_search_ends_with_the_same_result(tmp_path: Path):
    call = [sys.executable, "-c", KILLED, str(tmp_path / "trials"), "65"]
    done = subprocess.run(call, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert list((tmp_path / "trials").glob("*.checkpoint"))
    made: Counter[str] = Counter()
    again = tune(*news_split(), GRID, folder=tmp_path / "trials", on_progress=lambda _, p: made.update([p.phase]),
                 **OPTIONS)  # fmt: skip
    assert timeless(again) == timeless(tuned())
    assert 0 < made["epoch"] < sum(len(trial.history) for trial in tuned().trials)
    assert not list((tmp_path / "trials").glob("*.checkpoint"))


def test_with_a_checkpoint_after_every_pass_no_pass_is_made_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(trial_files, "_BETWEEN_CHECKPOINTS", 0.0)
    made: Counter[str] = Counter()

    def fail(trial: str | None, progress: Progress) -> None:
        made[progress.phase] += 1
        if made["epoch"] in (11, 30):
            made["epoch"] += 1  # fails once at each of them
            raise OSError("full")

    for _ in range(2):
        with pytest.raises(OSError, match="full"):
            tune(*news_split(), GRID, folder=tmp_path, jobs=1, on_progress=fail, **OPTIONS)
    again = tune(*news_split(), GRID, folder=tmp_path, jobs=1, on_progress=fail, **OPTIONS)
    assert timeless(again) == timeless(tuned())
    assert made["epoch"] - 2 == sum(len(trial.history) for trial in tuned().trials)


def passes_told(folder: Path, grid: dict[str, list[object]] = GRID, keep: float = 0.5) -> tuple[Tuning, int]:
    """A search in a folder, and how many passes it had to make."""
    made: Counter[str] = Counter()
    tuning = tune(*news_split(), grid, folder=folder, keep=keep, on_progress=lambda _, p: made.update([p.phase]),
                  **OPTIONS)  # fmt: skip
    return tuning, made["epoch"]


def test_a_folder_serves_other_searches_on_the_same_data(tmp_path: Path):
    """Its records say how trials went, not what became of them beside others."""
    some = {**GRID, "C": GRID["C"][:2]}
    assert passes_told(tmp_path, some)[1] == sum(len(t.history) for t in tune(*news_split(), some, **OPTIONS).trials)
    larger, _ = passes_told(tmp_path)
    assert timeless(larger) == timeless(tuned())
    assert passes_told(tmp_path)[1] == 0
    full, _ = passes_told(tmp_path, keep=1)
    assert timeless(full) == timeless(tuned(keep=1))
    for path in tmp_path.iterdir():
        path.write_text(path.read_text("utf-8")[:-9], encoding="utf-8")  # damaged: as if it were not there
    assert timeless(passes_told(tmp_path)[0]) == timeless(tuned())


def test_other_data_finds_nothing_in_the_folder(tmp_path: Path):
    train, dev = news_split()
    tune(train, dev, {"C": [0.1]}, folder=tmp_path, **OPTIONS)
    tune(train, dev.slice(0, 20), {"C": [0.1]}, folder=tmp_path, **OPTIONS)
    assert len(list(tmp_path.iterdir())) == 2


# -- interrupts, errors ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("after", [2, 30])
def test_an_interrupt_keeps_what_trials_reached_and_the_search_goes_on(tmp_path: Path, jobs: int, after: int):
    seen = Counter[str]()

    def interrupt(trial: str | None, progress: Progress) -> None:
        seen[progress.phase] += 1
        if progress.phase == "epoch" and seen["epoch"] == after:
            raise KeyboardInterrupt

    halted = tune(*news_split(), GRID, folder=tmp_path, jobs=jobs, on_progress=interrupt, **OPTIONS)
    assert halted.interrupted
    assert "unfinished" in {trial.status for trial in halted.trials}
    whole = {trial.number: trial for trial in tuned(keep=1).trials}
    for trial in halted.trials:
        assert trial.history == whole[trial.number].history[: len(trial.history)]
    assert halted.best_trial.score == max(trial.score for trial in halted.trials if trial.score is not None)
    json.dumps(halted.to_dict())
    assert timeless(tune(*news_split(), GRID, folder=tmp_path, **OPTIONS)) == timeless(tuned())


def test_an_interrupt_before_any_pass_has_nothing_to_report():
    def interrupt(trial: str | None, progress: Progress) -> None:
        if progress.phase == "started":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tune(TAGGED, TAGGED, {"seed": [1, 2]}, on_progress=interrupt)


def test_an_error_of_one_trial_ends_the_search():
    def fail(trial: str | None, progress: Progress) -> None:
        if progress.phase == "epoch":
            raise ConfigError("no more")

    with pytest.raises(ConfigError, match="no more"):
        tune(*news_split(), GRID, on_progress=fail, **OPTIONS)


def test_progress_is_never_told_twice_at_once():
    busy = threading.Lock()

    def note(trial: str | None, progress: Progress) -> None:
        assert busy.acquire(blocking=False)
        assert (trial is None) == (progress.phase in ("note", "rung", "encoded"))
        busy.release()

    tune(*news_split(), GRID, jobs=2, on_progress=note, **OPTIONS)


@pytest.mark.parametrize(
    ("grid", "options", "message"),
    [
        ({}, {}, "grid: expected values by option"),
        (3, {}, "grid: expected a dict, got 3"),
        ({"C": []}, {}, "grid: C: no values"),
        ({"C": 3}, {}, "grid: C: expected a list of values, got 3"),
        ({"learner": "pa"}, {}, "grid: learner: expected a list of values, got 'pa'"),
        ({"C": [1, 2, 1.0]}, {"learner": "pa"}, "grid: C: 1.0 is named twice"),
        ({"epoch": [1]}, {}, "unknown option in the grid 'epoch'; did you mean 'epochs'"),
        ({3: [1]}, {}, "unknown option in the grid 3"),
        ({"threads": [1, 2]}, {}, "threads cannot be tuned"),
        ({"label": ["pos", "ner"]}, {}, "label cannot be tuned"),
        ({"cost": [{"A": {"B": 1}}]}, {}, "grid: cost: expected numbers and names, got dict"),
        ({"seed": range(101), "cutoff": range(1, 101)}, {}, "grid: 10,100 trials, at most 10,000"),
        ({"C": [1]}, {"learner": "averaged-perceptron"}, "learner 'averaged-perceptron' has no 'C'"),
        ({"C": [-1]}, {"learner": "pa"}, "C: expected a number above 0"),
        ({"cutoff": [0]}, {}, "cutoff: expected"),
        ({"seed": [1]}, {"seed": 2}, "seed: given as an option and in the grid"),
        ({"seed": [1]}, {"epoch": 2}, "unknown option of a tagger 'epoch'"),
        ({"templates": ["words", "nothing"]}, {}, "nothing"),
        ({"scheme": ["BIOES", "X"]}, {}, "X"),
        ({"seed": [1]}, {"keep": 0}, "keep: expected a part of the trials"),
        ({"seed": [1]}, {"keep": "all"}, "keep: expected a number, got 'all'"),
        ({"seed": [1]}, {"jobs": 0}, "jobs: expected"),
    ],
)
def test_bad_grids_are_refused_before_any_work(grid: Any, options: dict[str, Any], message: str):
    with pytest.raises((ConfigError, DataError), match=message) as raised:
        tune("/no/such/file", "/no/such/file", grid, **options)
    assert "\n" not in str(raised.value)
    assert "/no/such/file" not in str(raised.value)


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="file: cannot make this folder for trials: is a file, expected a folder"):
        tune(TAGGED, TAGGED, {"seed": [1]}, folder=tmp_path / "file")
    with pytest.raises(ConfigError, match="folder: expected a path or None, got 3"):
        tune(TAGGED, TAGGED, {"seed": [1]}, folder=3)


def test_values_of_numpy_paths_and_learners(tmp_path: Path):
    (tmp_path / "t.templates").write_text("form[0]\n", encoding="utf-8")
    grid = {"learner": [LEARNERS["pa"]], "templates": [tmp_path / "t.templates"], "cutoff": np.arange(1, 3)}
    tuning = tune(TAGGED, TAGGED, grid, C=np.float64(0.5))
    first: Trial = tuning.trials[0]
    assert first.options == {"learner": "pa", "templates": str(tmp_path / "t.templates"), "cutoff": 1}
    assert tagloom.train(TAGGED, dev=TAGGED, **tuning.best).spec.learner == "pa"
    json.dumps(tuning.to_dict())
