"""Files of reranked models: the same model again, old files, forged and cut ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tagloom
from tagloom.errors import TagloomError
from tagloom.learners.ranking import METHODS
from tests.systems.forgery import assert_refused, forge, use
from tests.systems.tagger.rerank.reranked import (
    QUICK,
    agreeing_model,
    base,
    reranked,
)
from tests.systems.toy import news_split


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("names", [True, False])
def test_files_hold_the_same_model(method: str, names: bool, tmp_path: Path) -> None:
    model = reranked("bioes", method)
    model.save(tmp_path / "model", names=names)
    loaded = tagloom.load(tmp_path / "model")
    assert loaded.spec == model.spec
    corpus = news_split()[1]
    assert loaded.nbest_corpus(corpus, 6) == model.nbest_corpus(corpus, 6)  # scores as well, to the last bit
    assert loaded.explain_choice(corpus.sentence(3, "form")) == model.explain_choice(corpus.sentence(3, "form"))
    assert (loaded.parameters.reranker.names is not None) == names  # type: ignore[union-attr]
    loaded.save(tmp_path / "again", names=names)
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


def test_without_its_re_ranker_a_model_is_the_tagger(tmp_path: Path) -> None:
    model = tagloom.rerank(base(), news_split()[0], templates="entities", **QUICK)
    model.without_reranker().save(tmp_path / "one")
    base().save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert agreeing_model().without_reranker().functions == {}


@pytest.fixture(scope="module", params=["voted", "boosting"])
def reranked_file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = [(["a", "b", "c"], ["B-X", "I-X", "O"]), (["c", "a"], ["O", "B-Y"]), (["b", "a"], ["O", "B-X"])]
    path = tmp_path_factory.mktemp("reranked") / "model"
    tagloom.rerank(tagloom.train(data, epochs=2), data, method=request.param, folds=2, cutoff=1, jobs=1).save(path)
    return path


def own(**values: object) -> Any:
    return lambda _, header: header["spec"]["reranker"].update(values)


def array(name: str, change: Any) -> Any:
    return lambda tensors, _: tensors.update({f"reranker.{name}": change(tensors[f"reranker.{name}"])})


@pytest.mark.parametrize(
    "change",
    [
        own(method="magic"), own(method=["voted"]), own(method=None), own(candidates=0), own(candidates="20"),
        own(candidates=10**9), own(candidates=True), own(templates={}), own(templates=5), own(templates=None),
        own(functions=5), own(functions=[5]), own(settings=5), own(settings={"beta": "x"}), own(curve=5),
        own(curve=[[1]]), own(curve=[5]), own(surprise=1), own(cutoff="5"), own(folds=None), own(round="x"),
        own(dev_score="x"), own(data=5), own(curve=[["x", 1.0, None]]), own(functions=["WE"]),
        lambda _, header: header["spec"].update(reranker=None),
        lambda _, header: header["spec"].update(reranker=5),
        lambda _, header: header["spec"]["reranker"].pop("method"),
        lambda _, header: header["spec"]["resources"].pop("lowercased"),
        lambda tensors, _: tensors.pop("reranker.keys"),
        lambda tensors, _: tensors.pop("reranker.ranker.base"),
        array("keys", lambda keys: keys[1:]),
        array("keys", lambda keys: keys.astype(np.int64)),
        array("keys", lambda keys: np.repeat(keys[:1], len(keys))),
        array("keys", lambda keys: keys[::-1].copy()),
        array("ranker.base", lambda base: base * np.nan),
        array("ranker.base", lambda base: base.astype(np.float32)),
        array("names.lengths", lambda lengths: lengths[1:]),
        array("names.text", lambda text: text[1:]),
        lambda tensors, _: tensors.pop("reranker.names.parts"),
    ],
)  # fmt: skip
def test_crafted_files_are_refused(reranked_file: Path, tmp_path: Path, change: Any) -> None:
    assert_refused(reranked_file, tmp_path / "model", change)


@pytest.mark.parametrize(
    "change",
    [
        own(settings={}), own(curve=[]), own(functions=["f"]), own(candidates=100_000), own(dev_score=None),
        array("keys", lambda keys: np.arange(len(keys), dtype=np.uint64)),
    ],
)  # fmt: skip
def test_odd_files_do_no_harm(reranked_file: Path, tmp_path: Path, change: Any) -> None:
    use(tagloom.load(forge(reranked_file, tmp_path / "model", change)))


def test_cut_files_are_refused(reranked_file: Path, tmp_path: Path) -> None:
    data = reranked_file.read_bytes()
    for length in range(0, len(data), max(1, len(data) // 150)):
        (tmp_path / "cut").write_bytes(data[:length])
        with pytest.raises(TagloomError) as error:
            tagloom.load(tmp_path / "cut")
        assert "\n" not in str(error.value)
