"""Files of parsers: cut, scratched, or with right checksums and wrong arrays: refused in one line, or without harm."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tagloom
from tagloom.errors import ModelFileError, TagloomError
from tagloom.systems import Parser, load
from tests.strategies import unhurried
from tests.systems.forgery import Change, forge, scratched
from tests.systems.tagger.test_crafted import array
from tests.treebank import treebank

TEMPLATES = "s0.form\ns0.tag s1.tag\ns0.brown\n"


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A parser with a tagger and a resource."""
    folder = tmp_path_factory.mktemp("parser")
    (folder / "brown").write_text("0010\tdog\t5\n11\tthe\t9\n")
    parser = tagloom.train(
        treebank(12), system="parser", templates=TEMPLATES, epochs=2, tag_folds=2,
        resources={"brown": folder / "brown"}, tagger={"templates": "form[0]", "epochs": 1, "names": False},
    )  # fmt: skip
    parser.save(folder / "parser")
    return folder / "parser"


def refused(path: Path) -> str:
    with pytest.raises(ModelFileError) as error:
        load(path)
    message = str(error.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    assert len(message) < 400
    return message


def use(parser: Any) -> None:
    """Whatever a parser can be used for, or an error of one line."""
    assert isinstance(parser, Parser)
    try:
        for found in parser.parse_many([["the", "dog", "new"], [], ["a"]]):
            assert len(found.heads) == len(found.forms)
        parser.explain(["the", "dog", "saw", "a", "man"])
        parser.evaluate(treebank(2))
        str(parser.spec.signature)
    except TagloomError as error:
        assert "\n" not in str(error)  # noqa: PT017


def spec(**values: object) -> Change:
    return lambda _, header: header["spec"].update(values)


def test_an_unchanged_forgery_is_the_parser(source: Path, tmp_path: Path) -> None:
    use(load(forge(source, tmp_path / "parser", lambda tensors, header: None)))


def test_damaged_bytes_are_noticed(source: Path, tmp_path: Path) -> None:
    data, victim = source.read_bytes(), tmp_path / "parser"
    for place in range(0, len(data), max(1, len(data) // 150)):
        victim.write_bytes(data[:place])
        refused(victim)
        victim.write_bytes(data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :])
        refused(victim)
        victim.write_bytes(data[:place] + b"xy" + data[place:])
        refused(victim)


@pytest.mark.parametrize(
    "change",
    [
        array("keys", lambda old: old[:-1]),
        array("keys", lambda old: [*old[:-1], old[0]]),
        array("keys", lambda old: old, np.int64),
        array("keys", []),
        array("ends", lambda old: old[::-1]),
        array("ends", lambda old: [*old, old[-1]]),
        array("ends", lambda old: [-1, *old[1:]]),
        array("ends", lambda old: [*old[:-1], 2**40]),
        array("ends", lambda old: [old[0], old[2], old[1], *old[3:]]),
        array("ends", lambda old: old, np.int32),
        array("ends", []),
        array("counts", lambda old: old[:-1]),
        array("counts", lambda old: old + 1),
        array("counts", lambda old: old * 0 + 65535),
        array("counts", lambda old: old, np.uint32),
        array("actions", lambda old: old + 1000),
        array("actions", lambda old: [65535, *old[1:]]),
        array("actions", lambda old: old[:-1]),
        array("actions", lambda old: old, np.int16),
        array("weights", lambda old: old[:-1]),
        array("weights", lambda old: [*old, 0]),
        array("weights", lambda old: old, np.float64),
        array("weights", lambda old: old * np.nan),
        array("weights", lambda old: old + np.inf),
        array("weights", lambda old: [-np.inf, *old[1:]]),
        array("weights", lambda old: old * 0 - 3e38),
        array("weights", []),
        array("relations.ends", lambda old: old[::-1]),
        array("relations.ends", lambda old: [*old[:-1], old[-1] + 9]),
        array("relations.ends", lambda old: old[:2]),  # fewer relations than actions
        array("relations.ends", []),
        array("relations.text", lambda old: old * 0 + 255),
        array("line.00", lambda old: old[:-1]),
        array("line.00", lambda old: old * 0),
        array("line.00", []),
        array("line.00", lambda old: old[::-1]),
        array("line.00", lambda old: old, np.uint16),
        array("line.00", [0, 0, 0, 0, 0, 0, 0, 128, 123]),
        array("resource.brown.value_ids", lambda old: old + 99),
        array("resource.brown.word_ends", lambda old: old[::-1]),
    ],
)
def test_arrays_that_do_not_fit_are_refused(source: Path, tmp_path: Path, change: Change) -> None:
    refused(forge(source, tmp_path / "parser", change))


@pytest.mark.parametrize("name", ["keys", "ends", "counts", "actions", "weights", "relations.text", "relations.ends",
                                  "resource.brown.words"])  # fmt: skip
def test_missing_arrays_are_refused(source: Path, tmp_path: Path, name: str) -> None:
    refused(forge(source, tmp_path / "parser", lambda tensors, _: tensors.pop(name)))


@pytest.mark.parametrize(
    "change",
    [
        array("weights", lambda old: old * 0 - 1e28),
        array("weights", lambda old: old * 1e20),
        array("actions", lambda old: old * 0),
        array("keys", lambda old: np.arange(len(old)), np.uint64),
        array("relations.text", lambda old: old * 0 + ord("|")),
        spec(tags="gold"),  # with a tagger: its tags are read
        lambda tensors, _: tensors.pop("line.00"),  # without it, tags are read from the data
    ],
)
def test_odd_arrays_do_no_harm(source: Path, tmp_path: Path, change: Change) -> None:
    path = forge(source, tmp_path / "parser", change)
    try:
        parser = load(path)
    except ModelFileError as error:
        assert "\n" not in str(error)  # noqa: PT017
    else:
        use(parser)


TEXT = {"name": "x", "text": "s0.form\n"}


@pytest.mark.parametrize(
    "change",
    [
        spec(templates=None),
        spec(templates={"name": "x"}),
        spec(templates={"name": "x", "text": ""}),
        spec(templates={"name": "x", "text": "s9.form\n"}),
        spec(templates={"name": "x", "text": "s0.nothing\n"}),
        spec(templates={"name": "x", "text": "s0.form\n" * 2 + "q0.form q1.form\n"}),  # another number of templates
        spec(templates={"name": "x", "text": "\n".join(f"s0.prefix{n}" for n in range(1, 400))}),
        spec(templates={"name": "x", "text": "s0.form{1..100000000}\n"}),
        spec(columns=[]),
        spec(columns=[1, 2]),
        spec(columns=None),
        spec(columns=["upos"]),
        spec(tag="pos"),
        spec(tag=5),
        spec(tags="none"),
        spec(head=None),
        spec(relation=["x"]),
        spec(root=None),
        spec(root=0),
        spec(root=[]),
        spec(system="chain"),
        spec(search={}),
        spec(search=None),
        spec(search=[1]),
        spec(search={"depth": -1}),
        spec(search={"depth": 10**9}),
        spec(search={"depth": 17}),
        spec(search={"depth": 1.5}),
        spec(search={"depth": True}),
        spec(search={"depth": None}),
        spec(search={"beam": 0}),
        spec(search={"beam": 10**9}),
        spec(search={"depth": 1, "beam": 1}),
        spec(search={"width": 1}),
        spec(settings=[1]),
        spec(settings={"C": [1]}),
        spec(non_projective="x"),
        spec(non_projective=None),
        spec(word_functions=[["x"]]),
        spec(word_functions=5),
        spec(resources={"brown": 5}),
        spec(resources={"other": []}),
        spec(resources=[]),
        spec(history=[{}]),
        spec(history=5),
        spec(more=1),
        lambda _, header: header["spec"].pop("tag"),
        lambda _, header: header.update(spec="{"),
        lambda _, header: header.update(spec=[]),
        lambda _, header: header.update(spec=None),
        lambda _, header: header.update(system="chain"),
    ],
)
def test_specs_that_make_no_sense_are_refused(source: Path, tmp_path: Path, change: Change) -> None:
    refused(forge(source, tmp_path / "parser", change))


def test_a_text_that_is_no_json_is_refused(source: Path, tmp_path: Path) -> None:
    import json
    import zlib

    from safetensors import safe_open
    from safetensors.numpy import load_file, save

    with safe_open(source, framework="numpy") as opened:
        header = json.loads(opened.metadata()["tagloom"][8:])
    for text in ("", "{", "[1]", "null", "[" * 100_000, '{"templates": {}}'):
        whole = json.dumps({**header, "spec": text})
        path = tmp_path / "parser"
        path.write_bytes(save(load_file(source), {"tagloom": f"{zlib.crc32(whole.encode()):08x}{whole}"}))
        refused(path)


@pytest.mark.parametrize(
    "change",
    [
        spec(seed=2**62, version="x", data="", best_epoch=9),
        spec(learner="x", settings={"x": "y"}),
        spec(search={"beam": 3}),
        spec(history=[]),
        spec(resources={"brown": []}),
        spec(head="h", relation="r"),
        spec(root="x|y"),
    ],
)
def test_odd_specs_do_no_harm(source: Path, tmp_path: Path, change: Change) -> None:
    use(load(forge(source, tmp_path / "parser", change)))


ARRAYS = ["keys", "ends", "counts", "actions", "weights", "relations.text", "relations.ends", "resource.brown.words"]


@unhurried
@given(name=st.sampled_from(ARRAYS), data=st.data())
def test_random_bytes_in_any_array_are_refused_or_do_no_harm(source: Path, name: str, data: st.DataObject) -> None:
    try:
        parser = load(forge(source, source.with_name("scratched"), scratched(name, data)))
    except ModelFileError as error:
        assert "\n" not in str(error)  # noqa: PT017
    else:
        use(parser)


def test_another_system_is_refused_if_one_is_named(source: Path, tmp_path: Path) -> None:
    tagloom.train([(["a"], ["X"])], templates="form[0]", epochs=1).save(tmp_path / "tagger")
    with pytest.raises(ModelFileError, match="parser: expected a tagger, got a parser"):
        tagloom.load(source, system="tagger")
    with pytest.raises(ModelFileError, match="tagger: expected a parser, got a tagger"):
        tagloom.load(tmp_path / "tagger", system="parser")
