"""Files with right checksums and a header that makes no sense: refused, or loaded without harm."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest
from safetensors.numpy import save

import tagloom
from tagloom.errors import ModelFileError
from tagloom.systems.file import MODEL_FILE
from tests.systems.forgery import Change, assert_refused, forge, use


def spec(**values: object) -> Change:
    return lambda _, header: header["spec"].update(values)


def part(**values: object) -> Change:
    """The change of the first part of the first template."""
    return lambda _, header: header["spec"]["templates"]["templates"][0]["parts"][0].update(values)


@pytest.mark.parametrize(
    "change",
    [
        spec(seed=5, label="x", learner="mine", version="5"),
        spec(columns=["form", "more"]),
        spec(resources={name: [] for name in ("brown", "gazetteer", "lexicon", "category", "statistics")}),
        spec(word_functions=["form"]),
        spec(history=[]),
    ],
)
def test_odd_choices_do_no_harm(source: Path, tmp_path: Path, change: Change):
    use(tagloom.load(forge(source, tmp_path / "model", change)))


@pytest.mark.parametrize(
    "change",
    [
        spec(seed="one"),
        spec(seed=True),
        spec(label=["x"]),
        spec(learner=None),
        spec(version=5),
        spec(temperature=0.0),
        spec(epochs=1.0),
        spec(templates=None),
        spec(templates={}),
        spec(columns=[]),
        spec(columns=5),
        spec(scheme="IOB9"),
        spec(scheme="BMES"),
        spec(written_scheme=5),
        spec(buckets=-1),
        spec(buckets=3),
        spec(buckets=2**32),
        spec(buckets="many"),
        spec(history=[{"epoch": 1}]),
        spec(history=5),
        spec(surprise=1),
        spec(resources={}),
        spec(resources={"brown": [], "gazetteer": [], "lexicon": []}),
        spec(resources=[]),
        part(offset=65),
        part(offset=-(2**31)),
        part(offset=2**40),
        part(offset="0"),
        part(name="nothing"),
        part(name=5),
        part(name="prefix"),
        part(name="prefix", number=-3),
        part(name="prefix", number=2**70),
        part(column="nowhere"),
        lambda _, header: header["spec"].pop("label"),
        lambda _, header: header["spec"]["templates"].update(transitions="yes"),
        lambda _, header: header["spec"]["templates"]["templates"].append(5),
        lambda _, header: header.update(spec=None),
        lambda _, header: header.update(format_version="1"),
        lambda _, header: header.update(format_version=None),
        lambda _, header: header.pop("format_version"),
        lambda _, header: header.pop("library_version") and header.update(format_version=MODEL_FILE.version + 1),
    ],
)
def test_specs_that_mean_nothing_are_refused(source: Path, tmp_path: Path, change: Change):
    assert_refused(source, tmp_path / "model", change)


@pytest.mark.parametrize(
    "text",
    ["[]", "5", "null", '"x"', "{}", "[" * 100_000, '{"format_version": 8}', '{"format_version": 8, "checksums": [1]}',
     '{"format_version": 8, "checksums": {}}', '{"format_version": 8, "checksums": {}, "spec": "[[[["}'],
    ids=lambda text: text[:40],
)  # fmt: skip
def test_headers_that_mean_nothing_are_refused(tmp_path: Path, text: str):
    (tmp_path / "model").write_bytes(save({}, {"tagloom": f"{zlib.crc32(text.encode()):08x}{text}"}))
    with pytest.raises(ModelFileError) as error:
        tagloom.load(tmp_path / "model")
    assert "\n" not in str(error.value)
