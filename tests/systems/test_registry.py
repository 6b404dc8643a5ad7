"""The registry: names of systems, and systems of the user's own."""

from __future__ import annotations

from dataclasses import replace

import pytest

import tagloom
from tagloom.experiments.compare import compare_learners
from tagloom.systems.registry import SYSTEMS, get_system, register_system


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_row_fits_its_model(name: str) -> None:
    row = get_system(name)
    assert (row.name, row.load_model().system, row.load_options().noun) == (name, name, row.noun)
    assert issubclass(row.load_model(), tagloom.Model)


def test_an_unknown_system_is_refused_everywhere() -> None:
    data = [(["a"], ["X"])]
    calls = [
        lambda: get_system("pharses"),
        lambda: tagloom.train(data, system="pharses"),
        lambda: compare_learners(data, data, system="pharses"),
        lambda: tagloom.tune(data, data, {"epochs": [1]}, system="pharses"),
        lambda: tagloom.jackknife(data, system="pharses"),
    ]
    for call in calls:
        with pytest.raises(tagloom.ConfigError) as error:
            call()
        expected = (
            "unknown system 'pharses'; did you mean 'phrases'? "
            "(known: ensemble, parser, phrases, pipeline, segments, tagger, tokenizer)"
        )
        assert str(error.value) == expected


def test_a_system_is_registered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(tagloom.ConfigError, match="system 'tagger' is registered already; choose another name"):
        register_system(get_system("tagger"))
    monkeypatch.delitem(SYSTEMS, "mine", raising=False)  # put back as it was at the end
    own = replace(get_system("tagger"), name="mine", noun="tagger of mine")
    try:
        register_system(own)
        assert tagloom.train([(["a"], ["X"])], system="mine").tag(["a"]) == ["X"]
        with pytest.raises(tagloom.ConfigError, match="system 'mine' is registered already"):
            register_system(own)
    finally:
        SYSTEMS.pop("mine", None)


def test_systems_of_installed_packages_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import EntryPoint

    point = EntryPoint("majority", "tests.systems.majority:MAJORITY", "tagloom.systems")
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [point] if group == point.group else [])
    known = dict(SYSTEMS)
    try:
        SYSTEMS.pop("majority", None)
        assert get_system("majority").noun == "majority tagger"
    finally:
        SYSTEMS.clear()
        SYSTEMS.update(known)
