"""Saving that fails: one clear line, the old model untouched, nothing left behind."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

import tagloom
from tagloom.errors import TagloomError
from tests.systems.toy import entity_model, tagger


def no_space(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "model"
    tagger().save(path)
    return path


@pytest.mark.parametrize("call", ["os.fsync", "pathlib.Path.replace", "pathlib.Path.open"])
def test_a_full_disk_leaves_the_old_model(saved: Path, monkeypatch: pytest.MonkeyPatch, call: str):
    before = saved.read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr(call, no_space)
        with pytest.raises(TagloomError, match=f"{saved}: cannot write: no space left on device") as error:
            entity_model().save(saved)
    assert "\n" not in str(error.value)
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]
    assert tagloom.load(saved).spec == tagger().spec


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_device_is_said_to_be_full():
    with pytest.raises(TagloomError, match="/dev/full: cannot write: no space left on device"):
        tagger().save("/dev/full")


@pytest.mark.parametrize(
    ("name", "reason"),
    [("missing/model", "no such directory"), ("model/inside", "not a directory"), ("", "is a directory")],
)
def test_a_path_that_cannot_be_written_is_refused(saved: Path, name: str, reason: str):
    before = saved.read_bytes()
    with pytest.raises(TagloomError, match=f"cannot write: {reason}"):
        entity_model().save(saved.parent / name)
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_refused(saved: Path):
    saved.parent.chmod(0o500)
    try:
        with pytest.raises(TagloomError, match="cannot write: permission denied"):
            entity_model().save(saved)
        assert tagloom.load(saved).spec == tagger().spec
    finally:
        saved.parent.chmod(0o700)


def test_saving_replaces_the_old_model_and_keeps_its_mode(saved: Path):
    saved.chmod(0o640)
    entity_model().save(saved)
    assert tagloom.load(saved).spec == entity_model().spec
    assert saved.stat().st_mode & 0o777 == 0o640
    assert list(saved.parent.iterdir()) == [saved]
