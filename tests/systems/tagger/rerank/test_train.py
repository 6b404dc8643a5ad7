"""Making reranked models: determinism, resources, odd data, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tagloom
from tagloom.corpus import Corpus
from tagloom.errors import ConfigError, DataError, TagloomError
from tests.systems.tagger.rerank.reranked import (
    FAST,
    QUICK,
    agreeing,
    agreeing_model,
    base,
    ends,
    reranked,
    short,
    tagged,
    words_of,
)
from tests.systems.toy import TAGGED, bag_model, crfsuite_corpus, news_split


@pytest.mark.parametrize("method", ["voted", "boosting"])
def test_the_same_file_for_any_number_of_jobs_and_threads(method: str, tmp_path: Path) -> None:
    train, dev = news_split()
    for number, (jobs, threads) in enumerate([(1, 1), (2, 1), (1, 2), (1, 1)]):
        cache = tmp_path / "cache" if number == 3 else None
        options = {**QUICK, **short(method), "jobs": jobs, "threads": threads, "cache": cache}
        tagloom.rerank(base(), train, dev=dev, method=method, **options).save(tmp_path / str(number))
    files = {(tmp_path / str(number)).read_bytes() for number in range(4)}
    assert len(files) == 1


def test_reranking_again_replaces_the_re_ranker(tmp_path: Path) -> None:
    train = news_split()[0]
    once = tagloom.rerank(base(), train, templates="entities", **QUICK)
    again = tagloom.rerank(reranked(), train, templates="entities", **QUICK)
    assert again.spec.reranker == once.spec.reranker
    assert tagged(again) == tagged(once)
    agreed = tagloom.rerank(agreeing_model(), agreeing(40, 1), method="averaged", templates=None,
                            functions={"other": ends}, folds=2, jobs=1)  # fmt: skip
    assert set(agreed.functions) == {"other"}
    once.save(tmp_path / "model")
    assert tagged(tagloom.rerank(tmp_path / "model", train, templates="entities", **QUICK)) == tagged(once)


def test_the_list_of_lowercased_words(tmp_path: Path) -> None:
    """Made of the data, the tagger's own, or given; the same list gives the same choice."""
    train = news_split()[0]
    made = tagloom.rerank(base(), train, **QUICK)
    assert made.spec.built_resources == {"lowercased": "whole"}
    forms = train.column("form").texts()
    lower = {word.lower() for word in forms if forms.count(word.lower()) > forms.count(word.capitalize())}
    words = sorted(lower)
    (tmp_path / "words").write_text("\n".join(words), encoding="utf-8")
    from_file = tagloom.rerank(base(), train, **QUICK, resources={"lowercased": tmp_path / "words"})
    assert tagged(from_file) == tagged(made)
    has_it = tagloom.train(train, **{**FAST, "templates": FAST["templates"] + "lowercased[0]\n"},
                           resources={"lowercased": "train"})  # fmt: skip
    theirs = tagloom.rerank(has_it, train, **QUICK)
    assert theirs.resources.keys() == has_it.resources.keys()
    with pytest.raises(ConfigError, match="the tagger has one already"):
        tagloom.rerank(has_it, train, **QUICK, resources={"lowercased": tmp_path / "words"})


def test_data_with_sentences_of_nothing() -> None:
    train = news_split()[0].slice(0, 30)
    rows = [(words, train.sentence(i, "ner")) for i, words in enumerate(words_of(train))]
    rows[3:3] = [([], []), (["Paris"], ["O"])]
    tagger = tagloom.train(rows, **{**FAST, "label": None})
    model = tagloom.rerank(tagger, rows, dev=rows, **QUICK)
    assert model.tag_many([words for words, _ in rows])[3] == []


def test_gold_that_no_list_has() -> None:
    """Candidates of two: in most lists none is right; and a development label that nobody has seen."""
    train = news_split()[0]
    strange = Corpus.from_columns(
        {"form": ["Paris", "sleeps", "well"], "pos": ["A", "B", "C"], "ner": ["B-PLANET", "O", "O"]}, [2, 1]
    )
    model = tagloom.rerank(base(), train, dev=strange, **{**QUICK, "candidates": 2})
    assert model.spec.reranker is not None
    assert model.spec.reranker.dev_score == pytest.approx(model.evaluate(strange).value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": 5}, "model: expected a Tagger or a path, got 5"),
        ({"method": "votd"}, "unknown method 'votd'; did you mean 'voted'?"),
        ({"method": np.zeros((2, 2))}, "unknown method array"),
        ({"candidates": 1}, "candidates: expected a whole number from 2"),
        ({"candidates": np.zeros((2, 2))}, "candidates: expected"),
        ({"templates": 5}, "templates: expected a name, a file or template text, got 5"),
        ({"templates": "nope"}, "unknown set of global templates"),
        ({"templates": None}, "expected global templates or functions, got none"),
        ({"templates": "x = pos[start]"}, "column 'pos' is none that the tagger reads (form)"),
        ({"functions": 5}, "functions: expected functions by name, got 5"),
        ({"functions": [ends]}, "functions: expected functions by name, got [<function"),
        ({"functions": {"f": 5}}, "global function 'f': expected a function, got 5"),
        ({"functions": {5: ends}}, "functions: expected functions by name, got the name 5"),
        ({"functions": {"": ends}}, "functions: expected functions by name, got the name ''"),
        ({"functions": {"WE": ends}}, "function 'WE': a global template has the same name"),
        ({"cutoff": 0}, "cutoff: expected"),
        ({"folds": 1}, "folds: expected"),
        ({"folds": 10**6}, "too few for 1000000 folds"),
        ({"by": "pages"}, "unknown unit of folds 'pages'"),
        ({"jobs": 0}, "jobs: expected"),
        ({"cache": 5}, "cache: expected the path of a folder"),
        ({"threads": "2"}, "threads: expected"),
        ({"seed": -1}, "seed: expected"),
        ({"names": "no"}, "names: expected True or False, got 'no'"),
        ({"resources": 5}, "resources: expected files by name, got 5"),
        ({"resources": {"lowercased": 5}}, "resource 'lowercased': expected the path of a file, got 5"),
        ({"resources": {"lowcased": "x"}}, "unknown resource 'lowcased'; did you mean 'lowercased'?"),
        ({"on_progress": 5}, "on_progress: expected a function"),
        ({"beta": -1}, "beta: expected a number"),
        ({"beta": (0.1, 0.2)}, "several values need development data"),
        ({"method": "boosting", "rounds": 0}, "rounds: expected"),
        ({"passes": 0}, "passes: expected"),
        ({"method": "boosting", "smoothing": 2}, "smoothing: expected"),
        ({"method": "margin", "C": "1"}, "C: expected"),
        ({"rounds": 5}, "rounds: margin has beta and C and passes, not this; leave it out"),
        ({"betta": 1}, "unknown option of a re-ranker 'betta'; did you mean 'beta'?"),
    ],
)
def test_bad_options_are_refused_in_one_line(options: dict[str, Any], message: str) -> None:
    given_options = {"model": base(), "data": news_split()[0], **QUICK, **options}
    with pytest.raises(ConfigError) as error:
        tagloom.rerank(**given_options)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("data", [5, None, [], [5], np.zeros((2, 2)), [(["a"], ["B-PLANET"])] * 4])
def test_bad_data_are_refused_in_one_line(data: Any) -> None:
    for options in ({"data": data}, {"data": news_split()[0], "dev": data}):
        if options.get("dev", data) is None or ("dev" in options and isinstance(data, list) and len(data) == 4):
            continue  # no development data; labels that only they have
        with pytest.raises(DataError) as error:
            tagloom.rerank(base(), **{**QUICK, **options})
        assert "\n" not in str(error.value)


def test_a_cutoff_that_leaves_no_feature_is_refused() -> None:
    with pytest.raises(DataError, match="no global feature occurs in 1000 sequences; lower the cutoff"):
        tagloom.rerank(base(), news_split()[0], **{**QUICK, "cutoff": 1000})


def test_names_that_the_tagger_has_are_refused() -> None:
    tagger = tagloom.train(TAGGED, templates="form[0]\nlength[0]\n", attributes={"length": len_of})
    with pytest.raises(ConfigError, match="the tagger has a function called so"):
        tagloom.rerank(tagger, TAGGED, templates=None, functions={"length": ends}, folds=2)


def len_of(word: str) -> str:
    return str(len(word))


def test_taggers_of_bags_are_reranked_by_functions_or_refused() -> None:
    with pytest.raises(TagloomError) as error:
        tagloom.rerank(bag_model(), crfsuite_corpus(), folds=2)
    assert "\n" not in str(error.value)
