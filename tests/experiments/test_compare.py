"""compare_learners: the same as single trainings, whatever the number of jobs; interrupts; bad options."""

from __future__ import annotations

import functools
import itertools
import threading
import time
from collections import Counter

import pytest

import tagloom
from tagloom.errors import ConfigError, DataError
from tagloom.experiments.compare import Comparison, compare_learners
from tagloom.learners import LEARNERS
from tagloom.systems import Progress
from tagloom.systems.options import list_options
from tagloom.systems.tagger.encode import EncodedCorpus
from tagloom.systems.tagger.options import TaggerOptions
from tests.systems.toy import TAGGED, news_split

PAIR = ["perceptron", "averaged-perceptron"]


@functools.cache
def compared(jobs: int | None, with_dev: bool = False) -> Comparison:
    train, test = news_split()
    dev = test.slice(0, 20) if with_dev else None
    return compare_learners(
        train, test.slice(20, 50), PAIR, dev=dev, jobs=jobs, epochs=6, patience=2, settings={"perceptron": {"seed": 7}}
    )


def timeless(comparison: Comparison) -> dict[str, object]:
    """A comparison without what differs from run to run."""
    values = comparison.to_dict()
    del values["encode_seconds"], values["jobs"]
    for run in values["runs"]:
        del run["seconds"], run["seconds_per_epoch"]
        for point in run["curve"]:
            del point["seconds"]
    return values


@pytest.mark.parametrize("with_dev", [False, True])
def test_results_do_not_depend_on_jobs(with_dev: bool):
    alone = timeless(compared(1, with_dev))
    assert alone == timeless(compared(2, with_dev)) == timeless(compared(None, with_dev))
    assert [run["learner"] for run in alone["runs"]] == PAIR


@pytest.mark.parametrize("with_dev", [False, True])
def test_every_run_is_what_training_alone_gives(with_dev: bool, tmp_path):
    train, test = news_split()
    dev, test = (test.slice(0, 20) if with_dev else None), test.slice(20, 50)
    for run in compared(2, with_dev).runs:
        seed = 7 if run.learner == "perceptron" else 1
        model = tagloom.train(train, dev=dev, learner=run.learner, seed=seed, epochs=6, patience=2)
        model.save(tmp_path / "model")
        assert run.score.to_dict() == model.evaluate(test).to_dict()
        assert tuple(point.record for point in run.curve) == model.spec.history
        assert run.best_epoch == model.spec.best_epoch
        assert run.model_bytes == (tmp_path / "model").stat().st_size
        assert run.active_features == (model.parameters.weights != 0).sum()
        assert run.options["seed"] == seed


def test_the_curve_ends_in_the_final_score_and_passes_through_the_kept_one():
    for run in compared(2).runs:
        assert run.best_epoch == run.epochs
        assert run.curve[-1].score == run.score.value
    for run in compared(2, True).runs:
        assert run.curve[run.best_epoch - 1].score == run.score.value
        dev = [point.record.dev_score for point in run.curve]
        assert run.best_epoch == dev.index(max(dev)) + 1


def test_the_corpus_is_encoded_once(monkeypatch: pytest.MonkeyPatch):
    calls: Counter[str] = Counter()
    encode, encode_other = EncodedCorpus.encode.__func__, EncodedCorpus.encode_other

    def counted(cls, *arguments):
        calls["train"] += 1
        return encode(cls, *arguments)

    def counted_other(self, *arguments):
        calls["other"] += 1
        return encode_other(self, *arguments)

    monkeypatch.setattr(EncodedCorpus, "encode", classmethod(counted))
    monkeypatch.setattr(EncodedCorpus, "encode_other", counted_other)
    compare_learners(TAGGED, TAGGED, dev=TAGGED)
    assert calls == {"train": 1, "other": 4}  # test and dev, and again for weights with label triples


def test_seconds_are_those_of_learning_alone(monkeypatch: pytest.MonkeyPatch):
    """However slow scoring is, the curve does not show it."""
    train, test = news_split()
    call = tagloom.systems.tagger.learn.WeightScorer.__call__

    def slow(self, weights, total=None):
        time.sleep(0.05)
        return call(self, weights, total)

    monkeypatch.setattr(tagloom.systems.tagger.learn.WeightScorer, "__call__", slow)
    started = time.perf_counter()
    (run,) = compare_learners(train, test, ["perceptron"], epochs=10).runs
    assert run.seconds < time.perf_counter() - started - 0.05 * run.epochs
    seconds = [point.seconds for point in run.curve]
    assert all(early < late for early, late in itertools.pairwise(seconds))
    assert run.seconds_per_epoch == run.seconds / run.epochs


def test_all_is_every_learner_and_names_may_be_joined_by_commas():
    sentences = [(["a", "b"], ["A", "B"])] * 2
    assert [run.learner for run in compare_learners(sentences, sentences, epochs=1).runs] == list(LEARNERS)
    joined = compare_learners(sentences, sentences, ", ".join(PAIR), epochs=1)
    assert [run.learner for run in joined.runs] == PAIR


@pytest.mark.parametrize(
    ("learners", "options", "message"),
    [
        ("perceptrn", {}, r"unknown learner 'perceptrn'; did you mean 'perceptron'\? \(known: .*averaged-perceptron"),
        ([], {}, "at least one .known: "),
        ("", {}, "unknown learner ''"),
        ("perceptron,perceptron", {}, "'perceptron' is named twice"),
        (PAIR, {"learner": "perceptron"}, "names of its learners as 'learners'"),
        (PAIR, {"epoch": 3}, "unknown option of a tagger 'epoch'"),
        (PAIR, {"jobs": 0}, "jobs: expected"),
        (PAIR, {"settings": {"perceptron": {"epochs": 0}}}, "epochs: expected"),
        (PAIR, {"settings": {"perceptron": {"cutoff": 2}}}, "perceptron.cutoff: all learners share their features"),
        (["perceptron"], {"settings": {"averaged-perceptron": {}}}, "not compared here .compared: perceptron"),
    ],
)
def test_bad_options_are_refused_before_any_work(learners: object, options: dict[str, object], message: str):
    with pytest.raises(ConfigError, match=message) as raised:
        compare_learners("/no/such/file", "/no/such/file", learners, **options)
    assert "\n" not in str(raised.value)


def test_test_data_needs_tokens_and_columns():
    train, _ = news_split()
    with pytest.raises(DataError, match="no tokens"):
        compare_learners(train, [])
    with pytest.raises(ConfigError, match="unknown column"):
        compare_learners(train, TAGGED)


def test_options_that_shape_features_are_shared():
    shared = {name for name, option in list_options(TaggerOptions).items() if option.row.shapes_features}
    assert shared > {"templates", "label", "scheme", "cutoff", "resources"}
    assert not shared & {"C", "learner", "epochs", "patience", "seed", "threads", "names"}


def test_progress_of_each_learner_in_order_and_never_two_at_once():
    told: dict[str | None, list[str]] = {}
    busy = threading.Lock()

    def note(learner: str | None, progress: Progress) -> None:
        assert busy.acquire(blocking=False)
        told.setdefault(learner, []).append(progress.phase)
        assert progress.phase != "epoch" or ", test " in progress.message
        busy.release()

    runs = compare_learners(TAGGED, TAGGED, PAIR, templates="words", jobs=2, on_progress=note).runs
    assert told == {None: ["encoded"]} | {run.learner: ["started", *["epoch"] * run.epochs, "finished"] for run in runs}


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_keeps_what_the_learners_reached(jobs: int):
    train, test = news_split()

    def interrupt(learner: str | None, progress: Progress) -> None:
        if learner == "perceptron" and progress.record is not None and progress.record.epoch == 3:
            raise KeyboardInterrupt

    comparison = compare_learners(train, test, PAIR, jobs=jobs, epochs=1_000_000, label="pos", on_progress=interrupt)
    assert comparison.interrupted
    first = comparison.runs[0]
    assert (first.learner, first.interrupted, first.epochs) == ("perceptron", True, 3)
    assert first.score.value == first.curve[-1].score
    assert {run.learner for run in comparison.runs} | set(comparison.unfinished) == set(PAIR)


def test_an_interrupt_before_any_pass_has_nothing_to_report():
    def interrupt(learner: str | None, progress: Progress) -> None:
        if progress.phase == "started":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare_learners(TAGGED, TAGGED, PAIR, on_progress=interrupt)


def test_an_error_of_one_learner_ends_the_comparison():
    train, test = news_split()

    def fail(learner: str | None, progress: Progress) -> None:
        if learner == "perceptron" and progress.phase == "epoch":
            raise ConfigError("no more")

    with pytest.raises(ConfigError, match="no more"):
        compare_learners(train, test, PAIR, jobs=2, epochs=1_000_000, label="pos", on_progress=fail)


def test_costs_that_do_not_fit_are_refused_before_any_learner_runs():
    told: list[str | None] = []
    with pytest.raises(ConfigError, match="unknown label 'X'"):
        compare_learners(
            TAGGED, TAGGED, ["perceptron", "pa"], settings={"pa": {"cost": {"X": {"NN": 2.0}}}},
            on_progress=lambda name, _: told.append(name),
        )  # fmt: skip
    assert told == []


def test_files_are_normalised_as_in_training(tmp_path):
    (tmp_path / "t").write_text("\uff11 N\na D\n\n", encoding="utf-8")
    (tmp_path / "u").write_text("1 N\na D\n\n", encoding="utf-8")
    kinds = {"columns": "form label", "templates": "form[0]", "epochs": 3}
    (run,) = compare_learners(tmp_path / "t", tmp_path / "u", "perceptron", normalise="NFKC", **kinds).runs
    assert run.score.value == 100


def test_learners_that_are_no_names_are_refused():
    with pytest.raises(ConfigError, match=r"learners: expected .* a Learner each, got \[3\]"):
        compare_learners(TAGGED, TAGGED, [3])
