"""Forged files of all systems with right checksums: refused in one line, or used without harm.

A sample of all changes of every header and of every array. No built-in error may get out, nor be caught by the net that
is there for systems of others. ``list_mutations`` lists all changes, for longer runs.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import tagloom
from tagloom.systems.verify import verify_file
from tests.fuzz.mutators import Draft, Mutation, list_mutations
from tests.fuzz.samples import (
    FUNCTIONS,
    MODELS,
    TRAININGS,
    build_checkpoint,
    build_model_file,
    run_training,
    use_model,
)

_SECONDS = 5  # of processor time, on a slow machine; most take some milliseconds
_DEEPEST = 1  # files inside files that are changed here; deeper ones are the same systems


@pytest.fixture(autouse=True)
def _without_net(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("file", "learning"):
        monkeypatch.setattr(f"tagloom.systems.{module}.LAST_NET", ())


def select_mutations(draft: Draft, offset: int, every: int) -> Iterator[Mutation]:
    """Select some changes of every value and of every array, others for another offset."""
    own = (each for each in list_mutations(draft) if len(each.where) <= _DEEPEST)
    return itertools.islice(own, offset % every, None, every)


def assert_one_line(error: tagloom.TagloomError) -> None:
    assert "\n" not in str(error)
    assert len(str(error)) < 1000


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("name", MODELS)
def test_forged_models_are_refused_or_used(name: str, tmp_path: Path) -> None:
    draft = Draft.open(build_model_file(name))
    every = {"pipeline": 397, "tokenizer": 149, "boosting": 79, "voted": 61}.get(name, 29)
    for mutation in select_mutations(draft, len(name), every):
        (tmp_path / "model").write_bytes(mutation.forge(draft))
        begun = time.process_time()
        try:
            model = tagloom.load(tmp_path / "model", functions=FUNCTIONS)
        except tagloom.ModelFileError as error:
            assert_one_line(error)
            assert str(error).startswith(f"{tmp_path / 'model'}: "), mutation  # noqa: PT017
        else:
            use_model(model, tmp_path)
        assert time.process_time() - begun < _SECONDS, mutation


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("name", ["averaged-perceptron", "sgd-l1", "lbfgs", "documents", "lists", "parser", "phrases"])
def test_forged_checkpoints_are_refused_or_continued(name: str, tmp_path: Path) -> None:
    draft = Draft.open(build_checkpoint(name))
    for mutation in select_mutations(draft, len(name), 41):
        (tmp_path / "checkpoint").write_bytes(mutation.forge(draft))
        begun = time.process_time()
        try:
            run_training(name, tmp_path / "checkpoint")
        except tagloom.TagloomError as error:
            assert_one_line(error)
        assert time.process_time() - begun < _SECONDS, mutation


@pytest.mark.parametrize("name", MODELS)
def test_files_that_nobody_changed_are_what_they_were(name: str, tmp_path: Path) -> None:
    data = Draft.open(build_model_file(name)).to_bytes()
    (tmp_path / "model").write_bytes(data)
    model = tagloom.load(tmp_path / "model", functions=FUNCTIONS)
    assert model.to_bytes() == build_model_file(name)
    found = verify_file(tmp_path / "model")
    assert (found.kind, found.system, found.bytes) == ("model", model.system, len(data))
    assert found.parameters > 0


@pytest.mark.parametrize("name", TRAININGS)
def test_checkpoints_that_nobody_changed_are_continued(name: str, tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    path.write_bytes(Draft.open(build_checkpoint(name)).to_bytes())
    assert verify_file(path).kind == "checkpoint"
    told: list[str] = []
    run_training(name, path, lambda progress: told.append(progress.phase))
    assert "resumed" in told
