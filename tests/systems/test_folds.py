"""Folds: every sentence in one of them, and any procedure over them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tagloom
from tagloom.corpus import Corpus
from tagloom.files.cache import FoldFiles
from tagloom.systems.jackknife import HeldOut, Procedure, cut_into_folds, run_folds
from tests.systems.toy import crfsuite_corpus, news

FAST: dict[str, Any] = {"label": "ner", "templates": "form[0]\npos[0]\n/ edge\n", "epochs": 3}


def texts(found: list[HeldOut]) -> list[list[float]]:
    return [fold.arrays["numbers"].tolist() for fold in found]


@given(st.lists(st.integers(1, 4), min_size=2, max_size=12), st.integers(0, 5), st.data())
def test_folds_part_the_corpus(documents: list[int], seed: int, data: st.DataObject) -> None:
    count = sum(documents)
    corpus = Corpus.from_columns({"form": ["a"] * count}, [1] * count, documents)
    for by, units in (("documents", len(documents)), ("sentences", count)):
        folds = data.draw(st.integers(2, units))
        parts = cut_into_folds(corpus, folds, by, seed)
        assert sorted(np.concatenate(parts).tolist()) == list(range(count))
        assert all((np.diff(part) > 0).all() for part in parts)
        again = cut_into_folds(corpus, folds, by, seed)
        assert len(parts) == folds
        assert all((a == b).all() for a, b in zip(parts, again, strict=True))
        if by == "sentences":
            assert all(part[-1] - part[0] == len(part) - 1 for part in parts)
        else:
            owners = [{int(np.searchsorted(corpus.documents, n, "right")) for n in part} for part in parts]
            assert sum(map(len, owners)) == len(documents)


def test_lists_of_candidates_come_by_the_same_way(tmp_path: Path) -> None:
    """What re-ranking needs: the n best of every sentence by a model that has not seen it, with their scores."""
    corpus = news()

    def fit(part: Corpus, report: Any) -> tagloom.Tagger:
        return tagloom.train(part, on_progress=report, **FAST)

    def apply(model: tagloom.Tagger, part: Corpus) -> dict[str, Any]:
        lists = model.nbest_corpus(part, 3)
        return {
            "first": np.cumsum([0, *map(len, lists)], dtype=np.int64),
            "numbers": np.array([candidate.score for each in lists for candidate in each]),
        }

    def check(arrays: Any, part: Corpus) -> None:
        if len(arrays["first"]) != len(part) + 1:
            raise ValueError("another number of lists")

    procedure = Procedure(fit, apply, {"data": corpus.checksum(), "applied": "3 best"}, check)
    parts = cut_into_folds(corpus, 3, "documents", 1)
    files = FoldFiles.open(tmp_path)
    found = run_folds(corpus, parts, procedure, jobs=2, files=files)
    for part, fold in zip(parts, found, strict=True):
        assert fold.sentences is part
        assert fold.arrays["first"][-1] == len(fold.arrays["numbers"])
        assert len(fold.arrays["first"]) == len(part) + 1
    assert texts(found) == texts(run_folds(corpus, parts, procedure, files=files))


def test_an_error_of_one_fold_is_told_and_ends_the_others() -> None:
    def fit(part: Corpus, report: Any) -> Corpus:
        if part.columns["form"].texts()[0] != "a":  # the first fold is held out
            raise tagloom.DataError("fold is wrong")
        return part

    corpus = Corpus.from_columns({"form": list("abcdef")}, [1] * 6)
    parts = cut_into_folds(corpus, 3, "sentences", 1)
    with pytest.raises(tagloom.DataError, match="fold is wrong"):
        run_folds(corpus, parts, Procedure(fit, lambda *_: {}), jobs=1)


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=3), min_size=1, max_size=8), st.data())
def test_a_selection_has_the_sentences_that_were_chosen(sentences: list[list[str]], data: st.DataObject) -> None:
    bounds = sorted(data.draw(st.lists(st.integers(0, len(sentences)), max_size=3)))
    sizes = np.diff([0, *bounds, len(sentences)]).tolist()
    words = [word for sentence in sentences for word in sentence]
    corpus = Corpus.from_columns({"form": words}, list(map(len, sentences)), sizes)
    chosen = np.array([n for n in range(len(sentences)) if data.draw(st.booleans())], np.int64)
    found = corpus.select(chosen).check()
    assert list(found.iter_sentences("form")) == [sentences[n] for n in chosen]
    owner = np.repeat(np.arange(len(sizes)), sizes)
    kept = [[n for n in chosen if owner[n] == number] for number in range(len(sizes))]
    assert np.diff(found.documents).tolist() == [len(mine) for mine in kept if mine]


def test_a_selection_of_bags() -> None:
    corpus = crfsuite_corpus()
    bag = next(name for name, column in corpus.columns.items() if column.is_bag)
    found, expected = corpus.select(np.array([1])).columns[bag], corpus.slice(1, 2).columns[bag]
    assert found.codes.tolist() == expected.codes.tolist()
    assert found.offsets is not None
    assert expected.offsets is not None
    assert found.offsets.tolist() == expected.offsets.tolist()
    assert found.values is not None
    assert expected.values is not None
    assert found.values.tolist() == expected.values.tolist()
