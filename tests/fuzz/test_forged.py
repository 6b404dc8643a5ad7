"""Forged files of all systems with right checksums: refused in one line, or used without harm.

No built-in error may get out, nor be caught by the net that is there for systems of others. ``make fuzz`` runs many
more cases, with the net.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

import tagloom
from tagloom.systems.verify import verify_file
from tests.fuzz import checkpoints, models
from tests.fuzz.bases import CHECKPOINT, FUNCTIONS, MODELS, begin_training, list_trainings, train_model
from tests.fuzz.containers import put_together, take_apart
from tests.fuzz.forged import draw_case

linux = pytest.mark.skipif(sys.platform != "linux", reason="memory is measured as Linux counts it")
_MODELS, _CHECKPOINTS = 25, 6  # cases of every model and of every training


@pytest.fixture(autouse=True)
def _without_net(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("file", "learning"):
        monkeypatch.setattr(f"tagloom.systems.{module}.LAST_NET", ())


@linux
@pytest.mark.parametrize("name", MODELS)
def test_forged_models_are_refused_or_used(name: str, tmp_path: Path) -> None:
    rng = random.Random(name)
    for _ in range(_MODELS):
        case = draw_case(rng, name, train_model(name))
        outcome = models.run_case(case, tmp_path)
        assert not outcome.failed, f"{case}: {outcome}"


@linux
@pytest.mark.parametrize("name", list_trainings())
def test_forged_checkpoints_are_refused_or_continued(name: str, tmp_path: Path) -> None:
    rng = random.Random(name)
    files = begin_training(name).files
    for number in range(_CHECKPOINTS):
        place = number % len(files)
        case = draw_case(rng, f"{name}/{place}", list(files.values())[place])
        outcome = checkpoints.run_case(case, tmp_path)
        assert not outcome.failed, f"{case}: {outcome}"


@pytest.mark.parametrize("name", MODELS)
def test_files_that_nobody_changed_are_what_they_were(name: str, tmp_path: Path) -> None:
    data = put_together(take_apart(train_model(name)))
    (tmp_path / "model").write_bytes(data)
    model = tagloom.load(tmp_path / "model", functions=FUNCTIONS)
    assert model.to_bytes() == train_model(name)
    found = verify_file(tmp_path / "model")
    assert (found.kind, found.system, found.bytes) == ("model", model.system, len(data))
    assert found.parameters > 0


@pytest.mark.parametrize("name", list_trainings())
def test_checkpoints_that_nobody_changed_are_continued(name: str, tmp_path: Path) -> None:
    run = begin_training(name)
    for file, data in run.files.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_bytes(put_together(take_apart(data)))
    assert verify_file(tmp_path / CHECKPOINT).kind == "checkpoint"
    told: list[str] = []
    tagloom.train(
        run.data, **run.options, checkpoint=tmp_path / CHECKPOINT, on_progress=lambda each: told.append(each.phase)
    )
    assert "resumed" in told
