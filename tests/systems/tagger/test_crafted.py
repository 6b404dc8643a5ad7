"""Files with right checksums and wrong arrays, as only a program writes them: refused, or loaded without harm."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tagloom
from tagloom.errors import ModelFileError
from tests.systems.forgery import Change, Tensors, assert_refused, forge, scratched, use


def array(name: str, values: object, dtype: object = None) -> Change:
    """The change that puts other values into an array; a function changes those that are there."""

    def change(tensors: Tensors, _: dict[str, Any]) -> None:
        made = values(tensors[name]) if callable(values) else values
        tensors[name] = np.array(made, dtype or tensors[name].dtype)

    return change


def test_an_unchanged_forgery_is_the_model(source: Path, tmp_path: Path):
    forged = tagloom.load(forge(source, tmp_path / "model", lambda tensors, header: None))
    assert forged.spec == tagloom.load(source).spec
    use(forged)


@pytest.mark.parametrize(
    "change",
    [
        array("weights.mask", lambda old: old[:-1]),
        array("weights.mask", lambda old: [*old, 0]),
        array("weights.mask", []),
        array("weights.mask", lambda old: old | 1 << 6),
        array("weights.mask", lambda old: old * 0),
        array("weights.mask", lambda old: old, np.int32),
        array("weights.values", lambda old: old[:-1]),
        array("weights.values", lambda old: [*old, 1]),
        array("weights.values", []),
        array("weights.values", lambda old: old, np.int32),
        array("node_keys", lambda old: old[:-1]),
        array("node_keys", lambda old: [*old[:-1], old[0]]),
        array("node_keys", lambda old: old, np.int64),
        array("edge_keys", []),
        array("edge_keys", lambda old: [*old, 1]),
        array("edge_offsets", []),
        array("edge_offsets", lambda old: old[::-1]),
        array("edge_offsets", lambda old: [-1, *old[1:]]),
        array("edge_offsets", lambda old: [*old[:-1], 2**40]),
        array("edge_offsets", lambda old: old, np.int32),
        array("edge_pairs", lambda old: [2**32 - 1, *old[1:]]),
        array("edge_pairs", lambda old: old[1:]),
        array("edge_pairs", lambda old: old, np.int32),
        array("labels.ends", lambda old: old[::-1]),
        array("labels.ends", lambda old: [*old[:-1], old[-1] + 9]),
        array("labels.ends", lambda old: [old[0], old[2], old[1], *old[3:]]),
        array("labels.ends", [0]),
        array("labels.ends", []),
        array("labels.text", lambda old: old * 0 + 255),
        array("labels.text", lambda old: old * 0 + 65),
        array("node_names.counts", lambda old: old[:-1]),
        array("node_names.counts", lambda old: [*old, 0]),
        array("node_names.counts", lambda old: old + 1),
        array("node_names.counts", lambda old: old, np.int32),
        array("node_names.lengths", lambda old: old[:-1]),
        array("node_names.lengths", lambda old: [2**32 - 1, *old[1:]], np.uint32),
        array("node_names.lengths", lambda old: old, np.float32),
        array("node_names.parts", lambda old: old[:-1]),
        array("node_names.parts", lambda old: old + 99),
        array("node_names.parts", lambda old: old, np.int64),
        array("known_words", lambda old: old[::-1]),
        array("labels.ends", lambda old: old, np.int32),
        array("labels.text", lambda old: old, np.int32),
        array("resource.gazetteer.sets", lambda old: ~(old * 0)),
        array("resource.lexicon.sets", lambda old: ~(old * 0)),
        array("resource.statistics.mutual_levels", lambda old: old, np.int64),
        array("resource.statistics.left_keys", lambda old: old, np.float32),
        array("node_names.text", lambda old: old * 0 + 255),
        array("node_names.text", lambda old: old[:-1]),
        array("node_names.text", lambda old: old, np.uint16),
        array("resource.brown.value_ids", lambda old: old + 99),
        array("resource.brown.value_ids", lambda old: old - 99),
        array("resource.brown.value_ids", lambda old: old[1:]),
        array("resource.brown.word_ends", lambda old: old[::-1]),
        array("resource.gazetteer.set_ids", lambda old: old + 99),
        array("resource.gazetteer.keys", lambda old: old[1:]),
        array("resource.lexicon.keys", lambda old: old[1:]),
        array("resource.category.value_ids", lambda old: old + 99),
        array("resource.category.word_ends", lambda old: old[::-1]),
        array("resource.category.words", lambda old: old * 0 + 255),
        array("resource.category.values", lambda old: old * 0 + 32),
        array("resource.statistics.left_keys", lambda old: old[1:]),
        array("resource.statistics.right_levels", lambda old: old[1:]),
        array("resource.statistics.left_levels", lambda old: old + 128),
        array("resource.statistics.mutual_levels", lambda old: old - 1000),
    ],
)
def test_arrays_that_do_not_fit_are_refused(source: Path, tmp_path: Path, change: Change):
    assert_refused(source, tmp_path / "model", change)


@pytest.mark.parametrize(
    "change",
    [
        *(array("weights.count", [count]) for count in (0, -1, 1, 2**40)),
        array("weights.count", lambda old: old + 1),
        array("weights.count", lambda old: [*old, *old]),
        array("weights.count", []),
        array("weights.count", lambda old: old, np.int32),
        array("weights.count", lambda old: old, np.float64),
    ],
)
def test_a_wrong_number_of_weights_is_refused(source: Path, tmp_path: Path, change: Change):
    assert_refused(source, tmp_path / "model", change)


def test_bits_beyond_the_last_weight_are_refused(source: Path, tmp_path: Path):
    def change(tensors: Tensors, _: dict[str, Any]) -> None:
        assert tensors["weights.count"][0] % 8
        tensors["weights.mask"][-1] |= 1 << 7
        tensors["weights.values"] = np.append(tensors["weights.values"], np.float32(1))

    with pytest.raises(ModelFileError, match="bits beyond its end"):
        tagloom.load(forge(source, tmp_path / "model", change))


@pytest.mark.parametrize(
    "name",
    ["weights.mask", "weights.values", "weights.count", "labels.text", "edge_offsets", "resource.brown.words",
     "node_names.counts", "resource.statistics.mutual_keys", "resource.category.words"],
)  # fmt: skip
def test_missing_arrays_are_refused(source: Path, tmp_path: Path, name: str):
    assert_refused(source, tmp_path / "model", lambda tensors, _: tensors.pop(name))


@pytest.mark.parametrize(
    "change",
    [
        array("edge_pairs", lambda old: old[::-1]),
        array("known_words", []),
        array("resource.gazetteer.keys", lambda old: old * 0),
        array("resource.statistics.left_keys", lambda old: old * 0),
        array("resource.category.values", lambda old: np.where(old == ord("B"), 32, old)),
    ],
)
def test_odd_contents_do_no_harm(source: Path, tmp_path: Path, change: Change):
    use(tagloom.load(forge(source, tmp_path / "model", change)))


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_weights_that_are_not_finite_are_refused(source: Path, tmp_path: Path, number: float):
    assert_refused(source, tmp_path / "model", array("weights.values", lambda old: old * 0 + np.float32(number)))


def test_arrays_out_of_line_are_refused(source: Path, tmp_path: Path):
    """Arrays that do not start at a multiple of their item size."""
    data = source.read_bytes()
    size = int.from_bytes(data[:8], "little")
    (tmp_path / "model").write_bytes((size + 1).to_bytes(8, "little") + data[8 : 8 + size] + b" " + data[8 + size :])
    with pytest.raises(ModelFileError):
        tagloom.load(tmp_path / "model")


ARRAYS = ["weights.mask", "weights.values", "weights.count", "node_keys", "edge_keys", "edge_offsets", "edge_pairs",
          "known_words", "labels.text", "labels.ends", "node_names.text", "node_names.parts", "node_names.lengths",
          "node_names.counts", "resource.brown.words", "resource.brown.word_ends", "resource.brown.value_ids",
          "resource.gazetteer.keys", "resource.gazetteer.set_ids", "resource.lexicon.keys",
          "resource.category.words", "resource.category.word_ends", "resource.category.values",
          "resource.statistics.left_keys", "resource.statistics.mutual_levels"]  # fmt: skip


@given(name=st.sampled_from(ARRAYS), data=st.data())
def test_random_bytes_in_any_array_are_refused_or_do_no_harm(source: Path, name: str, data: st.DataObject):
    try:
        model = tagloom.load(forge(source, source.with_name("scratched"), scratched(name, data)))
    except ModelFileError as error:
        assert "\n" not in str(error)  # noqa: PT017
    else:
        use(model)
