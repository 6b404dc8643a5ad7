"""Small files and short texts that were made to exhaust time or memory: each is refused, or does no harm."""

from __future__ import annotations

import functools
import gzip
import json
import lzma
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tagloom
import tagloom._core as _core
from tagloom.errors import ConfigError, DataError, ModelFileError
from tagloom.features.global_templates import parse_global_templates
from tagloom.features.templates import parse_templates
from tagloom.schema import limits
from tagloom.systems.tagger.session import Session
from tests.reliability.crafted_words import craft_words
from tests.systems.forgery import Change, forge

SENTENCES = [(["Ada", "saw", "Bonn"], ["B-PER", "O", "B-LOC"]), (["in", "Bonn"], ["O", "B-LOC"])]
PHRASES = [(["Ada", "saw", "Bonn"], [(0, 1, "PER"), (2, 3, "LOC")]), (["in", "Bonn"], [(1, 2, "LOC")])]


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Fail if the block takes more processor time."""
    begun = time.process_time()
    yield
    assert time.process_time() - begun < seconds


# -- hashes that were chosen to collide --------------------------------------------------------------------------------


def test_words_with_colliding_hashes_take_linear_time() -> None:
    words = craft_words(30_000, 32)
    assert len({_core.hash_string(word) & 0xFFFFFFFF for word in words}) == 1
    table = _core.StringTable()
    with at_most(1):
        codes = table.intern_all(words)
    assert codes.tolist() == list(range(len(words)))
    assert table.strings() == words
    assert all(table.find(word) == place for place, word in enumerate(words[:500]))
    assert table.find("unknown") == -1
    assert table.intern("unknown") == len(words)


def test_a_text_of_colliding_words_is_tagged() -> None:
    model = tagloom.train(SENTENCES, epochs=2)
    words = craft_words(10_000, 32)
    with at_most(5):
        assert len(model.tag(words)) == len(words)


@pytest.mark.parametrize(
    "keys", [np.arange(4000) << 32, np.arange(20_000)], ids=["equal low bits", "one after another"]
)
def test_feature_keys_that_collide_are_refused(keys: Any) -> None:
    with at_most(1), pytest.raises(ValueError, match="keys collide more often than hashes do"):
        _core.FeatureTable(keys.astype(np.uint64))


def test_feature_keys_of_hashes_are_taken() -> None:
    keys = np.unique(np.random.default_rng(1).integers(0, 1 << 63, 300_000, dtype=np.uint64))
    assert len(_core.FeatureTable(keys)) == len(keys)


def test_a_model_with_colliding_keys_is_refused(tmp_path: Path) -> None:
    tagloom.train(SENTENCES, epochs=2, templates="form[0]").save(tmp_path / "model")

    def collide(tensors: dict[str, Any], _: dict[str, Any]) -> None:
        count = 100_000
        tensors["node_keys"] = np.arange(1, count + 1, dtype=np.uint64) << np.uint64(32)

    with at_most(2), pytest.raises(ModelFileError) as error:
        tagloom.load(forge(tmp_path / "model", tmp_path / "forged", collide))
    assert "\n" not in str(error.value)


# -- phrase chunkers that are small on disk only -----------------------------------------------------------------------


def widen_instance(tensors: dict[str, Any], header: dict[str, Any]) -> None:
    """One instance of the filters has 20,000 features, which are 200 million pairs."""
    count = 20_000
    tensors["word_keys"] = np.unique(np.random.default_rng(1).integers(1, 1 << 63, count, dtype=np.uint64))
    tensors["filters.lengths"] = np.array([count], np.uint16)
    tensors["filters.steps"] = np.array([0] + [1] * (count - 1), np.uint8)
    tensors["filters.uses"] = np.array([1], np.uint16)
    tensors["filters.functions"] = np.array([0], np.uint16)
    tensors["filters.amounts"] = np.array([1], np.int64)
    header["spec"]["form"] = "primal"


def multiply_categories(tensors: dict[str, Any], header: dict[str, Any]) -> None:
    """Many categories times many features, most without a weight."""
    names = [f"{number:04x}" for number in range(20_000)]
    tensors["categories.text"] = np.frombuffer("".join(names).encode(), np.uint8)
    tensors["categories.ends"] = np.arange(0, 4 * len(names) + 1, 4, dtype=np.int64)
    tensors["scorers.decisions"] = np.ones(len(names), np.int64)
    tensors["phrase_keys"] = np.unique(np.random.default_rng(1).integers(1, 1 << 63, 50_000, dtype=np.uint64))


def multiply_uses(tensors: dict[str, Any], header: dict[str, Any]) -> None:
    """One long instance that every one of many categories uses."""
    multiply_categories(tensors, header)
    count = 50_000
    tensors["scorers.lengths"] = np.array([count], np.uint16)
    tensors["scorers.steps"] = np.array([0] + [1] * (count - 1), np.uint8)
    tensors["scorers.uses"] = np.array([20_000], np.uint16)
    tensors["scorers.functions"] = np.arange(20_000, dtype=np.uint16)
    tensors["scorers.amounts"] = np.ones(20_000, np.int64)


def forge_chunker(folder: Path, change: Change) -> Path:
    chunker = tagloom.train(PHRASES, system="phrases", cutoff=1, degree=2, form="primal")
    chunker.save(folder / "model")
    return forge(folder / "model", folder / "forged", change)


def test_a_chunker_with_a_long_instance_is_opened_in_its_dual_form(tmp_path: Path) -> None:
    forged = forge_chunker(tmp_path, widen_instance)
    with at_most(2):
        tagloom.load(forged).spans(["Ada", "saw", "Bonn"])


@pytest.mark.parametrize("change", [multiply_categories, multiply_uses])
def test_chunkers_that_are_larger_in_memory_than_on_disk_are_refused(tmp_path: Path, change: Change) -> None:
    forged = forge_chunker(tmp_path, change)
    with at_most(2), pytest.raises(ModelFileError, match="used by too many functions"):
        tagloom.load(forged)


def test_a_chunker_of_primal_form_finds_the_same_phrases_when_it_is_opened(tmp_path: Path) -> None:
    models = [
        tagloom.train(PHRASES * 3, system="phrases", cutoff=1, degree=2, form=form) for form in ("primal", "dual")
    ]
    models[0].save(tmp_path / "model")
    sentences = [["Ada", "saw", "Ada"], ["in", "Ada"], ["Bonn"]]
    found = [[each.spans(words) for words in sentences] for each in (*models, tagloom.load(tmp_path / "model"))]
    assert found[0] == found[1] == found[2]


# -- products of lists -------------------------------------------------------------------------------------------------


def test_products_of_lists_are_bounded(tmp_path: Path) -> None:
    for number in range(64):
        (tmp_path / f"list{number:02}").write_text("Bonn\n")
    with at_most(2), pytest.raises(ConfigError, match=r"64 x 64 x 64 values per token, more than 4,096 features"):
        tagloom.train(
            SENTENCES, templates="gazetteer[0] gazetteer[0] gazetteer[0]", resources={"gazetteer": tmp_path}, epochs=1
        )


# -- input -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("compress", [gzip.compress, functools.partial(lzma.compress, preset=0)])
def test_a_compressed_file_that_expands_without_end_is_refused(tmp_path: Path, compress: Any) -> None:
    (tmp_path / "bomb").write_bytes(compress(b"a O\n" * 18_000_000))
    with at_most(5), pytest.raises(DataError, match="expands to more than 200 times its size") as error:
        tagloom.read(tmp_path / "bomb")
    assert "\n" not in str(error.value)


def test_a_small_compressed_file_may_be_repetitive(tmp_path: Path) -> None:
    (tmp_path / "small.gz").write_bytes(gzip.compress(b"a O\n\n" * 100_000))
    assert len(tagloom.read(tmp_path / "small.gz")) == 100_000


@pytest.mark.parametrize("text", ["a" + "1" * 20_000, "form[" + "1" * 20_000 + "]", "form[{1..." + "9" * 5000 + "}]"])
def test_templates_with_long_numbers_are_refused(text: str) -> None:
    with at_most(1), pytest.raises(ConfigError) as error:
        tagloom.train(SENTENCES, templates=text)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 500


def test_a_session_of_long_words_is_replaced() -> None:
    model = tagloom.train(SENTENCES, epochs=1, templates="form[0]\nprefix3[0]")
    session = Session(model.encoder)
    session.read([["x" * (1 << 20)] + [f"{number}" + "y" * (1 << 20) for number in range(140)]])
    assert session.is_full
    fresh = Session(model.encoder)
    fresh.read([["a", "b"]])
    assert not fresh.is_full


# -- objects that change while they are read ---------------------------------------------------------------------------


class Row:
    """A row of words whose items clear the list that holds it."""

    def __init__(self, owner: list[Any]) -> None:
        self.owner = owner

    def __len__(self) -> int:
        return 2

    def __getitem__(self, place: int) -> str:
        if place >= 2:
            raise IndexError
        self.owner.clear()
        return "word"


def test_lists_that_change_while_they_are_read_do_no_harm() -> None:
    tables = [_core.StringTable(), _core.StringTable()]
    sentence: list[Any] = []
    sentence += [Row(sentence) for _ in range(1000)]
    codes, offsets = _core.intern_sentences(tables, [sentence])
    assert len(codes[0]) == offsets[-1] == 1
    sentences: list[Any] = []
    sentences += [[Row(sentences)] for _ in range(1000)]
    _, offsets = _core.intern_sentences(tables, sentences)
    assert offsets.tolist() == [0, 1]


# -- weights that are no numbers ---------------------------------------------------------------------------------------


DIVERGING = [
    (["a", "b", "c"], ["X", "Y", "X"]), (["b", "a"], ["X", "X"]), (["c", "a", "b"], ["Y", "X", "Y"])
] * 30  # fmt: skip


@pytest.mark.parametrize("learner", ["sgd-l1", "adf", "madf"])
def test_training_that_diverges_at_once_is_an_error(learner: str) -> None:
    message = rf"{learner} diverged in pass 1 \(rate 1e\+12\); lower the rate, or leave it out; nothing is learned"
    with pytest.raises(ConfigError, match=message):
        tagloom.train(DIVERGING, learner=learner, rate=1e12, epochs=30)


@pytest.mark.parametrize("has_dev", [False, True])
def test_the_last_finite_model_is_kept(monkeypatch: pytest.MonkeyPatch, has_dev: bool) -> None:
    dev = {"dev": DIVERGING[:5]} if has_dev else {}
    expected = tagloom.train(DIVERGING, learner="sgd", epochs=2, rate=0.1, **dev)  # type: ignore[arg-type]
    checks: list[int] = []

    def fail_third(weights: Any) -> Any:
        checks.append(1)
        return np.array(len(checks) < 3)

    notes: list[str] = []
    monkeypatch.setattr("tagloom.systems.learning.is_finite", fail_third)
    model = tagloom.train(
        DIVERGING, learner="sgd", epochs=9, rate=0.1, on_progress=lambda each: notes.append(each.message), **dev
    )  # type: ignore[arg-type]
    assert np.array_equal(model.parameters.weights, expected.parameters.weights)
    assert any(re.match(r"sgd diverged in pass 3 \(rate 0.1\).*the model of pass \d is kept", note) for note in notes)


def test_weights_that_are_not_finite_are_neither_written_nor_read(tmp_path: Path) -> None:
    model = tagloom.train(SENTENCES, epochs=2)
    model.save(tmp_path / "model")

    def spoil(tensors: dict[str, Any], _: dict[str, Any]) -> None:
        name = "weights" if "weights" in tensors else "weights.values"
        tensors[name] = tensors[name].copy()
        tensors[name][0] = np.nan

    with pytest.raises(ModelFileError, match="has numbers that are not finite"):
        tagloom.load(forge(tmp_path / "model", tmp_path / "forged", spoil))
    before = (tmp_path / "model").read_bytes()
    weights = model.parameters.weights.copy()
    weights[0] = np.inf
    object.__setattr__(model.parameters, "weights", weights)
    with pytest.raises(ModelFileError, match="cannot write a model"):
        model.save(tmp_path / "model")
    assert (tmp_path / "model").read_bytes() == before


def test_a_file_that_is_cut_or_overwritten_leaves_an_open_model_alone(tmp_path: Path) -> None:
    model = tagloom.train(SENTENCES, epochs=2)
    model.save(tmp_path / "model")
    opened = tagloom.load(tmp_path / "model")
    with (tmp_path / "model").open("r+b") as stream:
        stream.truncate(100)
    assert opened.tag(["Ada", "saw", "Bonn"]) == model.tag(["Ada", "saw", "Bonn"])
    assert json.loads(json.dumps(opened.spec.to_json()))


# -- model files that grow in memory -----------------------------------------------------------------------------------


def test_packed_weights_that_grow_beyond_their_file_are_refused(tmp_path: Path) -> None:
    tagloom.train(SENTENCES, epochs=2, templates="form[0]").save(tmp_path / "model")

    def grow(tensors: dict[str, Any], _: dict[str, Any]) -> None:
        tensors.pop("weights", None)
        tensors["weights.mask"] = np.zeros(20_000_000, np.uint8)  # 640 MB of zeros
        tensors["weights.values"] = np.zeros(0, np.float32)
        tensors["weights.count"] = np.array([160_000_000])

    forged = forge(tmp_path / "model", tmp_path / "forged", grow)
    with at_most(2), pytest.raises(ModelFileError, match="weights of at most 14 times the file"):
        tagloom.load(forged)


def test_a_header_that_is_too_long_is_refused(tmp_path: Path) -> None:
    size = limits.LARGEST_HEADER + 1
    (tmp_path / "model").write_bytes(size.to_bytes(8, "little") + b"[" * size)
    with at_most(1), pytest.raises(ModelFileError, match="header: expected a length of at most 16,777,216 bytes"):
        tagloom.load(tmp_path / "model")


# -- templates that grow -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "brown" + "{1..9}" * 10 + "[0]",
        "form[0] " * 2_000 + "suffix{1..2000}[0]",
        "suffix{1..4}" + "0" * 600_000 + "[0]",
    ],
    ids=["braces", "long line", "digits"],
)
def test_braces_that_expand_without_end_are_refused(text: str) -> None:
    with at_most(1), pytest.raises(ConfigError, match="the braces expand to more than"):
        parse_templates(text, "bomb")


def test_blanks_in_global_templates_are_read_in_linear_time() -> None:
    with at_most(1), pytest.raises(ConfigError, match="bomb:1"):
        parse_global_templates("PF =" + " " * 5_000 + "x" + " " * 5_000 + "/" + " " * 5_000 + "y", "bomb")
