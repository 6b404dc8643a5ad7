"""Model files: what is saved comes back, mapped and not copied, and nothing in it is code."""

from __future__ import annotations

import itertools
import mmap
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from safetensors import safe_open

import tagloom
from tagloom.corpus import from_sentences
from tagloom.errors import ConfigError
from tagloom.files.packing import pack_weights, unpack_weights
from tagloom.systems.tagger.names import FeatureNames
from tests.systems.toy import TAGGED, all_rows, bag_model, entity_model, news, size, tagger

ARRAYS = ("weights", "node_keys", "edge_keys", "edge_offsets", "edge_pairs", "known_words")


def round_trip(model: tagloom.Tagger, tmp_path: Path, **options: object) -> tagloom.Tagger:
    path = tmp_path / "model.tagloom"
    model.save(path)
    return tagloom.load(path, **options)


def test_a_loaded_model_is_the_model_that_was_saved(tmp_path: Path):
    model = entity_model()
    again = round_trip(model, tmp_path, functions={"size": size})
    assert again.spec == model.spec
    assert again.labels == model.labels
    for name in ARRAYS:
        saved, loaded = getattr(model.parameters, name), getattr(again.parameters, name)
        assert (loaded.dtype, loaded.tobytes()) == (saved.dtype, saved.tobytes())
    for name in ("node_names", "edge_names"):
        saved, loaded = getattr(model.parameters, name), getattr(again.parameters, name)
        assert [loaded[i] for i in range(len(loaded))] == [saved[i] for i in range(len(saved))]
    sentences = all_rows(news())
    assert again.tag_many(sentences) == model.tag_many(sentences)
    assert str(again.evaluate(news())) == str(model.evaluate(news()))
    assert [e.top() for e in again.explain(sentences[0])] == [e.top() for e in model.explain(sentences[0])]


def test_saving_again_gives_the_same_bytes(tmp_path: Path):
    again = round_trip(entity_model(), tmp_path)
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model.tagloom").read_bytes()


WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5)
EXAMPLES = st.lists(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=4), min_size=1, max_size=4)


@given(sentences=EXAMPLES, buckets=st.sampled_from([0, 0, 7]))
def test_any_words_and_labels_survive(tmp_path_factory: pytest.TempPathFactory, sentences: list, buckets: int):
    corpus = from_sentences(sentences)
    model = tagloom.train(corpus, epochs=2, buckets=buckets, templates="form[{-1..0}]\nform[0] / edge\n/ edge\n")
    again = round_trip(model, tmp_path_factory.mktemp("models"))
    words = list(corpus.iter_sentences("form"))
    assert again.spec == model.spec
    assert again.labels == model.labels
    assert again.tag_many(words) == model.tag_many(words)


def test_arrays_are_mapped_from_the_file_on_request(tmp_path: Path):
    copied = round_trip(entity_model(), tmp_path).parameters
    entity_model().save(tmp_path / "mapped")
    parameters = tagloom.load(tmp_path / "mapped", mmap=True).parameters
    for name in ARRAYS:
        assert not getattr(parameters, name).flags.writeable
        assert not getattr(copied, name).flags.writeable
    assert memory_of(copied.node_keys) is None
    assert isinstance(memory_of(parameters.node_keys), mmap.mmap)
    assert isinstance(memory_of(parameters.edge_pairs), mmap.mmap)


def test_weights_are_packed_only_where_it_helps(tmp_path: Path):
    """Weights of which few are zero are kept as they are, and mapped."""
    sparse, full = entity_model(), with_weights(entity_model(), lambda old: old + 1)
    for model, is_packed in ((sparse, True), (full, False)):
        model.save(tmp_path / "model")
        with safe_open(tmp_path / "model", framework="numpy") as opened:
            assert ("weights.mask" in opened.keys()) == is_packed  # noqa: SIM118
            assert ("weights" in opened.keys()) != is_packed  # noqa: SIM118
        again = tagloom.load(tmp_path / "model", mmap=True).parameters.weights
        assert isinstance(memory_of(again), mmap.mmap) != is_packed
        assert again.tobytes() == model.parameters.weights.tobytes()
        assert not again.flags.writeable


def with_weights(model: tagloom.Tagger, change: Callable[[np.ndarray], np.ndarray]) -> tagloom.Tagger:
    parameters = replace(model.parameters, weights=change(model.parameters.weights))
    return tagloom.Tagger(model.spec, parameters, model.resources)


@given(weights=arrays(np.float32, st.integers(0, 70), elements=st.sampled_from([0, -0.0, 1, -2.5, np.nan, np.inf])))
def test_packed_weights_come_back_bit_by_bit(weights: np.ndarray):
    packed = pack_weights(weights)
    assert len(packed["mask"]) == -(-len(weights) // 8)
    assert unpack_weights(packed).tobytes() == weights.tobytes()


@given(names=st.lists(st.text(st.sampled_from("ab \u00e4=\n"), max_size=6), max_size=8), data=st.data())
def test_names_share_parts_and_come_back(names: list[str], data: st.DataObject):
    blobs = [name.encode() for name in names]
    text = np.frombuffer(b"".join(blobs), np.uint8)
    ends = np.array([0, *itertools.accumulate(map(len, blobs))], np.int64)
    stored = FeatureNames.from_texts(text, ends).to_tensors()
    again = FeatureNames.from_tensors(stored)
    assert [again[row] for row in range(len(again))] == names
    rows = data.draw(st.lists(st.integers(0, len(names) - 1), max_size=9)) if names else []
    taken = again.take(np.array(rows, np.uint32)) + FeatureNames.from_texts(text, ends)
    assert [taken[row] for row in range(len(taken))] == [names[row] for row in rows] + names
    assert {key: array.tobytes() for key, array in again.to_tensors().items()} == {
        key: array.tobytes() for key, array in stored.items()
    }


def memory_of(array: object) -> object:
    while isinstance(array, (np.ndarray, memoryview)):
        array = array.base if isinstance(array, np.ndarray) else array.obj
    return array


def test_a_model_outlives_the_file_it_was_loaded_from(tmp_path: Path):
    again = round_trip(tagger(), tmp_path)
    entity_model().save(tmp_path / "model.tagloom")  # over its own file
    (tmp_path / "model.tagloom").unlink()
    assert [again.tag(words) for words, _ in TAGGED] == [tags for _, tags in TAGGED]


def test_the_file_is_plain_safetensors_without_code(tmp_path: Path):
    entity_model().save(tmp_path / "model")
    with safe_open(tmp_path / "model", framework="numpy") as opened:
        assert set(opened.metadata()) == {"tagloom"}
        used = entity_model().parameters.weights != 0
        assert opened.get_tensor("weights.values").tobytes() == entity_model().parameters.weights[used].tobytes()
    data = (tmp_path / "model").read_bytes()
    assert b"pickle" not in data
    assert __name__.encode() not in data  # functions are kept by name, never by where they stand


def test_names_of_features_can_be_left_out(tmp_path: Path):
    tagger().save(tmp_path / "full")
    tagger().save(tmp_path / "stripped", names=False)
    full, stripped = (tagloom.load(tmp_path / name) for name in ("full", "stripped"))
    assert (tmp_path / "stripped").stat().st_size < (tmp_path / "full").stat().st_size
    assert len(full.parameters.node_names) == len(full.parameters.node_keys)
    assert stripped.parameters.node_names is stripped.parameters.edge_names is None
    words = [words for words, _ in TAGGED]
    assert stripped.tag_many(words) == full.tag_many(words)
    assert [e.top() for e in stripped.explain(words[0])] == [e.top() for e in full.explain(words[0])]
    assert tagloom.train(TAGGED, names=False).parameters.node_names is None


def test_names_of_features_are_in_the_order_of_their_rows():
    model = tagloom.train(TAGGED, templates="form[0]\n", epochs=2)
    names = model.parameters.node_names
    for row in range(len(names)):
        _, _, word = names[row].partition("=")
        (token,) = model.explain([word])
        assert token.scores.tolist() == model.parameters.weights[row * 8 : row * 8 + len(model.labels)].tolist()


def test_bags_of_attributes_come_back(tmp_path: Path):
    again = round_trip(bag_model(), tmp_path)
    assert again.tag([["w=dog"], {"w=barks": 2.0}]) == bag_model().tag([["w=dog"], {"w=barks": 2.0}])


# -- resources and functions -----------------------------------------------------------------------------------------


@pytest.fixture
def resources(tmp_path: Path) -> dict[str, Path]:
    (tmp_path / "clusters.txt").write_text("0010\tdog\n0011\tcat\n1100\tbarks\n", encoding="utf-8")
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "animals.txt").write_text("dog\nbig cat\n", encoding="utf-8")
    (tmp_path / "lists" / "Places.txt").write_text("New York\nBonn\n", encoding="utf-8")
    return {"brown": tmp_path / "clusters.txt", "gazetteer": tmp_path / "lists"}


def test_a_model_carries_its_resources(tmp_path: Path, resources: dict[str, Path]):
    model = tagloom.train(TAGGED, resources=resources, templates="brown{2,4}[0]\ngazetteer[{-1..0}]\nform[0]\n/ edge\n")
    model.save(tmp_path / "model")
    resources["brown"].unlink()
    again = tagloom.load(tmp_path / "model")
    assert again.resources.keys() == {"brown", "gazetteer"}
    assert again.spec.resources["gazetteer"] == ["Places", "animals"]
    names = {c.feature for e in again.explain(["the", "dog", "barks"]) for c in e.contributions}
    assert {"brown2[0]=00", "brown4[0]=0010", "gazetteer[0]=B-animals"} <= names
    sentences = [["the", "big", "cat", "barks"], ["New", "York"], ["unseen"]]
    assert again.tag_many(sentences) == model.tag_many(sentences)


def test_a_model_carries_its_lexicon(tmp_path: Path):
    (tmp_path / "words.txt").write_text("ab\nabc\n", encoding="utf-8")
    data = [(list("abcab"), list("BMEBE")), (list("cab"), list("SBE"))]
    options = {"templates": "lexicon[0]\n/ edge\n", "resources": {"lexicon": tmp_path / "words.txt"}}
    model = tagloom.train(data, epochs=10, **options)
    again = round_trip(model, tmp_path)
    assert [again.tag(text) for text, _ in data] == [model.tag(text) for text, _ in data] == [tags for _, tags in data]


def last_letter(word: str) -> str:
    return word[-1:]


def word_before(words: list[str]) -> list[str | None]:
    return [None, *words[:-1]]


def test_functions_are_asked_for_only_when_needed(tmp_path: Path):
    model = tagloom.train(
        TAGGED,
        templates="last[0]\nbefore[0]\nform[0]\n",
        attributes={"last": last_letter},
        sentence_attributes={"before": word_before},
    )
    words = [words for words, _ in TAGGED]
    without = round_trip(model, tmp_path)
    assert without.labels == model.labels
    with pytest.raises(ConfigError, match=r"uses the attribute function 'last': load it with functions=") as error:
        without.tag(words[0])
    assert "\n" not in str(error.value)
    with pytest.raises(ConfigError, match="'before'"):
        tagloom.load(tmp_path / "model.tagloom", functions={"last": last_letter}).tag(words[0])
    functions = {"last": last_letter, "before": word_before}
    assert tagloom.load(tmp_path / "model.tagloom", functions=functions).tag_many(words) == model.tag_many(words)


def test_a_model_is_saved_under_any_kind_of_path(tmp_path: Path):
    tagger().save(str(tmp_path / "text"))
    tagger().save(tmp_path / "模型")
    assert tagloom.load(str(tmp_path / "text")).spec == tagloom.load(tmp_path / "模型").spec
