"""Files of phrase chunkers: the same chunker again; cut, scratched or crafted files are refused, or do no harm."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tagloom
from tagloom.errors import ModelFileError, TagloomError
from tagloom.learners.voted import VotedVectors
from tagloom.systems import PhraseChunker, load
from tagloom.systems.phrases.file import pack_vectors, unpack_vectors
from tagloom.systems.train import train
from tests.strategies import unhurried
from tests.systems.forgery import Change, forge, scratched
from tests.systems.phrases.data import chunker, news
from tests.systems.tagger.test_crafted import array

DATA = [(["in", "New", "York"], [(1, 3, "LOC")]), (["he", "saw", "Bonn"], [(2, 3, "LOC")]),
        (["Ada", "saw", "him"], [(0, 1, "PER")])]  # fmt: skip


@pytest.fixture(scope="module", params=[1, 2])
def source(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A chunker with a resource."""
    folder = tmp_path_factory.mktemp("phrases")
    (folder / "brown").write_text("0010\tBonn\t5\n11\tin\t9\n")
    found = train(
        DATA,
        system="phrases",
        cutoff=1,
        degree=request.param,
        templates="form[{-1..1}]\nbrown[0]\ncase[0]\n",
        around="form[0]\ncase[0]",
        inside="form[0]",
        resources={"brown": folder / "brown"},
    )
    found.save(folder / "model")
    return folder / "model"


def refused(path: Path) -> None:
    with pytest.raises(ModelFileError) as error:
        load(path)
    message = str(error.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    assert len(message) < 400


def use(found: Any) -> None:
    """Whatever a chunker can be used for, or an error of one line."""
    assert isinstance(found, PhraseChunker)
    try:
        assert [len(labels) for labels in found.tag_many([["in", "Bonn", "new"], [], ["a"]])] == [3, 0, 1]
        assert found.explain(["in", "New", "York"]).spans == found.spans(["in", "New", "York"])
        str(found.spec.signature)
    except TagloomError as error:
        assert "\n" not in str(error)  # noqa: PT017


def spec(**values: object) -> Change:
    return lambda _, header: header["spec"].update(values)


@pytest.mark.parametrize(("degree", "form"), [(1, "primal"), (1, "dual"), (2, "dual"), (2, "primal"), (3, "dual")])
def test_a_saved_chunker_is_the_same_again(tmp_path: Path, degree: int, form: str) -> None:
    found = chunker(degree, form)
    found.save(tmp_path / "model")
    again = tagloom.load(tmp_path / "model")
    assert again.spec == found.spec
    assert again.categories == found.categories
    assert again.tag_corpus(news(15, 5)).texts() == found.tag_corpus(news(15, 5)).texts()
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


def test_another_system_is_refused_if_one_is_named(source: Path, tmp_path: Path) -> None:
    tagloom.train([(["a"], ["X"])], templates="form[0]", epochs=1).save(tmp_path / "tagger")
    for system, noun in (("tagger", "tagger"), ("parser", "parser")):
        with pytest.raises(ModelFileError, match=f"model: expected a {noun}, got a phrase chunker"):
            tagloom.load(source, system=system)
    with pytest.raises(ModelFileError, match="tagger: expected a phrase chunker, got a tagger"):
        tagloom.load(tmp_path / "tagger", system="phrases")
    with pytest.raises(tagloom.ConfigError, match="unknown system 'phrase'; did you mean 'phrases'"):
        tagloom.load(source, system="phrase")


def test_an_unchanged_forgery_is_the_chunker(source: Path, tmp_path: Path) -> None:
    use(load(forge(source, tmp_path / "model", lambda tensors, header: None)))


def test_damaged_bytes_are_noticed(source: Path, tmp_path: Path) -> None:
    data, victim = source.read_bytes(), tmp_path / "model"
    for place in range(0, len(data), max(1, len(data) // 100)):
        victim.write_bytes(data[:place])
        refused(victim)
        victim.write_bytes(data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :])
        refused(victim)


@pytest.mark.parametrize(
    "change",
    [
        array("word_keys", lambda old: old[:-1]),
        array("word_keys", lambda old: [*old[:-1], old[0]]),
        array("word_keys", lambda old: old, np.int64),
        array("phrase_keys", []),
        array("categories.ends", lambda old: old[::-1]),
        array("categories.ends", lambda old: old[:2]),
        array("categories.text", lambda old: old * 0 + 255),
        array("filters.decisions", lambda old: old[:-1]),
        array("filters.decisions", lambda old: -old - 1),
        array("filters.decisions", lambda old: old * 0 + 2**62),
        array("filters.decisions", lambda old: old, np.int32),
        array("filters.lengths", lambda old: old + 1),
        array("filters.lengths", lambda old: old[:-1]),
        array("filters.lengths", lambda old: old, np.uint32),
        array("filters.steps", lambda old: old[:-1]),
        array("filters.steps", lambda old: old | 128),
        array("scorers.steps", lambda old: old * 0 + 127),
        array("scorers.steps", []),
        array("scorers.uses", lambda old: old + 1),
        array("scorers.uses", lambda old: old[:-1]),
        array("scorers.functions", lambda old: old + 100),
        array("scorers.functions", lambda old: old[:-1]),
        array("scorers.amounts", lambda old: old * 0),
        array("scorers.amounts", lambda old: old * 0 + 2**62),
        array("scorers.amounts", lambda old: old * 0 + np.iinfo(np.int64).min),
        array("scorers.amounts", lambda old: old, np.float64),
        array("scorers.amounts", lambda old: old[:-1]),
        array("resource.brown.value_ids", lambda old: old + 99),
    ],
)
def test_arrays_that_do_not_fit_are_refused(source: Path, tmp_path: Path, change: Change) -> None:
    refused(forge(source, tmp_path / "model", change))


@pytest.mark.parametrize("name", ["word_keys", "phrase_keys", "categories.text", "categories.ends", "filters.steps",
                                  "scorers.amounts", "scorers.decisions", "resource.brown.words"])  # fmt: skip
def test_missing_arrays_are_refused(source: Path, tmp_path: Path, name: str) -> None:
    refused(forge(source, tmp_path / "model", lambda tensors, _: tensors.pop(name)))


@pytest.mark.parametrize(
    "change",
    [
        *(spec(**{name: value}) for name in ("templates", "around", "inside", "columns", "written_scheme", "degree")
          for value in (None, 5.5, "x", [])),
        spec(columns=[1]),
        spec(degree=0),
        spec(degree=6),
        spec(degree=True),
        spec(degree=3, form="primal"),
        spec(form="x"),
        spec(form=None),
        spec(window=-1),
        spec(window=10**6),
        spec(longest=0),
        spec(longest=10**9),
        spec(system="chain"),
        spec(label=5),
        spec(word_functions=[["x"]]),
        spec(resources={"other": []}),
        spec(resources={"brown": 5}),
        spec(built_resources={"x": "whole"}),
        spec(history=[{}]),
        spec(more=1),
        lambda _, header: header["spec"].pop("label"),
        lambda _, header: header.update(spec=[]),
        lambda _, header: header.update(system="parser"),
        lambda _, header: header.update(system="chain"),
        lambda _, header: header.update(format_version=10**6),
    ],
)  # fmt: skip
def test_specs_that_make_no_sense_are_refused(source: Path, tmp_path: Path, change: Change) -> None:
    refused(forge(source, tmp_path / "model", change))


@pytest.mark.parametrize(
    "change",
    [
        spec(seed=2**62, version="x", data="", best_epoch=9, cutoff=0, history=[]),
        spec(degree=5, form="dual"),
        spec(longest=1000, window=100),
        spec(written_scheme="BMES"),
        array("scorers.amounts", lambda old: old * 0 + 2**52),
        array("scorers.amounts", lambda old: -old),
        array("filters.decisions", lambda old: old * 0),
        array("phrase_keys", lambda old: np.arange(len(old)), np.uint64),
    ],
)
def test_odd_files_do_no_harm(source: Path, tmp_path: Path, change: Change) -> None:
    use(load(forge(source, tmp_path / "model", change)))


ARRAYS = ["word_keys", "categories.text", "categories.ends", *(f"{kind}.{name}" for kind in ("filters", "scorers")
          for name in ("decisions", "lengths", "steps", "uses", "functions", "amounts"))]  # fmt: skip


@unhurried
@given(name=st.sampled_from(ARRAYS), data=st.data())
def test_random_bytes_in_any_array_are_refused_or_do_no_harm(source: Path, name: str, data: st.DataObject) -> None:
    try:
        found = load(forge(source, source.with_name("scratched"), scratched(name, data)))
    except ModelFileError as error:
        assert "\n" not in str(error)  # noqa: PT017
    else:
        use(found)


@st.composite
def vectors(draw: st.DrawFn) -> VotedVectors:
    rows = draw(st.lists(st.sets(st.integers(0, 2**32 - 1) | st.integers(0, 200), max_size=6), max_size=6))
    pairs = sorted(draw(st.sets(st.tuples(st.integers(0, len(rows) - 1), st.integers(0, 3))))) if rows else []
    amounts = [draw(st.integers(-(2**53) + 1, 2**53 - 1).filter(bool)) for _ in pairs]
    return VotedVectors(
        np.array(draw(st.lists(st.integers(0, 2**53 - 1), min_size=4, max_size=4)), np.int64),
        np.cumsum([0, *map(len, rows)]).astype(np.int64),
        np.array([row for each in rows for row in sorted(each)], np.uint32),
        np.array([pair[0] for pair in pairs], np.int64),
        np.array([pair[1] for pair in pairs], np.uint32),
        np.array(amounts, np.int64),
    )


@unhurried
@given(vectors())
def test_packed_vectors_come_back(given_: VotedVectors) -> None:
    found = unpack_vectors(pack_vectors(given_))
    for name, array_ in given_.to_tensors().items():
        assert np.array_equal(getattr(found, name), array_), name
        assert getattr(found, name).dtype == array_.dtype
