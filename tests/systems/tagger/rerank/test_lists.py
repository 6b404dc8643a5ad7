"""Candidate lists by jackknifing: who found them, in which numbers, their oracle, files of folds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tagloom
from tagloom.corpus import Column, Corpus, from_sentences
from tagloom.corpus.spans import convert_labels
from tagloom.experiments.jackknife import jackknife
from tagloom.files.cache import FOLD_FILE
from tagloom.structures.candidates import CandidateLists, labels_of
from tagloom.systems import Candidate, find_candidate_lists, report_oracle
from tagloom.systems.jackknife import cut_into_folds
from tagloom.systems.tagger.rerank import lists as rerank_lists
from tagloom.systems.tagger.rerank.lists import JackknifedCandidates, jackknife_candidates
from tests.oracle.candidates import best_candidate
from tests.systems.toy import news, news_split

FAST: dict[str, Any] = {"label": "ner", "templates": "form[0]\nshape[0]\n/ edge\n",
                        "learner": "averaged-perceptron", "scheme": "data", "epochs": 3}  # fmt: skip
NESTED = [("ner", "BIOES"), ("ner", "data"), ("pos", "data")]


def tagger(corpus: Corpus | None = None, **options: Any) -> tagloom.Tagger:
    return tagloom.train(corpus or news(), **{**FAST, **options})


def same(one: CandidateLists, other: CandidateLists) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in CandidateLists.__annotations__)


def named(lists: CandidateLists, labels: tuple[str, ...], sequence: int) -> list[tuple[list[str], float]]:
    lengths, codes, scores = lists.of(sequence)
    ends = np.cumsum(lengths).tolist()
    return [([labels[code] for code in codes[end - length : end].tolist()], score)
            for length, end, score in zip(lengths.tolist(), ends, scores.tolist(), strict=True)]  # fmt: skip


@pytest.fixture
def trainings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Sentences of every training."""
    seen: list[int] = []
    train = rerank_lists.train

    def counted(corpus: Corpus, *arguments: Any, **given: Any) -> Any:
        seen.append(len(corpus))
        return train(corpus, *arguments, **given)

    monkeypatch.setattr(rerank_lists, "train", counted)
    return seen


# -- lists of one model ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("label", "scheme"), NESTED)
def test_arrays_are_the_nbest_of_the_model(label: str, scheme: str | None) -> None:
    corpus, model = news(), tagger(label=label, scheme=scheme)
    lists = find_candidate_lists(model, corpus, 4, threads=2)
    expected = model.nbest_corpus(corpus, 4)
    assert [len(each) for each in expected] == np.diff(lists.first).tolist()
    assert lists.scores.tolist() == [candidate.score for each in expected for candidate in each]
    written = model._writer.write_column(lists.labels, lists.begins).texts()
    assert written == [text for each in expected for candidate in each for text in candidate.labels]
    assert set(lists.labels.tolist()) <= set(range(len(model.labels)))


def test_features_of_documents_decide_the_order() -> None:
    corpus, model = news(), tagger(learner="nonlocal-perceptron", n=4, C=1)
    lists, expected = find_candidate_lists(model, corpus, 3), model.nbest_corpus(corpus, 3)
    assert len(lists) == len(corpus.documents) - 1 == len(expected)
    assert lists.scores.tolist() == [candidate.score for each in expected for candidate in each]
    for number in range(len(lists)):
        assert (np.diff(lists.of(number)[2]) <= 0).all()


def test_label_triples_have_the_lists_of_a_beam() -> None:
    corpus, model = news(), tagger(learner="lookahead-perceptron", history=2)
    lists, expected = find_candidate_lists(model, corpus, 2), model.nbest_corpus(corpus, 2)
    assert lists.scores.tolist() == [candidate.score for each in expected for candidate in each]
    assert len(jackknife_candidates(model, corpus, n=2).lists) == len(corpus)


# -- lists of unseen text ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("label", "scheme"), NESTED)
def test_every_list_is_of_a_model_that_has_not_seen_the_sentence(label: str, scheme: str | None) -> None:
    corpus, model = news(), tagger(label=label, scheme=scheme)
    found = jackknife_candidates(model, corpus, n=3, folds=4)
    assert found.labels == model.labels
    for part in cut_into_folds(corpus, 4, "documents", 1):
        others = np.setdiff1d(np.arange(len(corpus)), part)
        unseen = tagger(corpus.select(others), label=label, scheme=scheme)
        lists = find_candidate_lists(unseen, corpus.select(part), 3)
        for place, sentence in enumerate(part.tolist()):
            assert named(found.lists, model.labels, sentence) == named(lists, unseen.labels, place)


@pytest.mark.parametrize("sequences", ["documents", "joined"])
def test_documents(sequences: str) -> None:
    corpus = news()
    model = tagger(learner="margin-perceptron", sequences=sequences, scheme="BIOES")
    found = jackknife_candidates(model, corpus, n=3, folds=4)
    assert len(found.lists) == len(corpus.documents) - 1
    for part in cut_into_folds(corpus, 4, "documents", 1):
        others = np.setdiff1d(np.arange(len(corpus)), part)
        unseen = tagger(corpus.select(others), learner="margin-perceptron", sequences=sequences, scheme="BIOES")
        lists = find_candidate_lists(unseen, corpus.select(part), 3)
        numbers = sorted({int(np.searchsorted(corpus.documents, n, "right")) - 1 for n in part})
        for place, document in enumerate(numbers):
            assert named(found.lists, model.labels, document) == named(lists, unseen.labels, place)
    texts = [candidate.labels for each in found.candidates() for candidate in each]
    assert [len(labels) for labels in texts] == np.diff(found.lists.begins).tolist()
    _check_report(found, model)
    with pytest.raises(tagloom.ConfigError, match="by: the models label documents as one"):
        jackknife_candidates(model, corpus, by="sentences")


def test_jobs_and_threads_decide_nothing() -> None:
    model = tagger()
    one, two = (jackknife_candidates(model, news(), n=4, folds=5, jobs=k, threads=k) for k in (1, 2))
    assert same(one.lists, two.lists)


def test_a_fold_may_lack_a_label_and_number_the_others_otherwise() -> None:
    pairs = [(["a", "b"], ["X", "Y"]), (["b", "c"], ["Y", "Z"]), (["c", "b"], ["Z", "Y"])]
    words, labels = zip(*pairs, strict=True)
    corpus = from_sentences(list(words), tags=list(labels))
    model = tagloom.train(corpus, epochs=5)
    found = jackknife_candidates(model, corpus, n=9, folds=3)
    inventories = set()
    for number in range(3):
        unseen = tagloom.train(corpus.select(np.setdiff1d(np.arange(3), [number])), epochs=5)
        assert found.candidates()[number] == unseen.nbest_corpus(corpus.select(np.array([number])), 9)[0]
        inventories.add(unseen.labels)
    assert (model.labels, inventories) == (("X", "Y", "Z"), {("X", "Y", "Z"), ("Y", "Z")})


def test_a_fold_without_spans() -> None:
    pairs = [(["a", "b"], ["O", "O"]), (["Ann", "b"], ["B-PER", "O"]), (["b", "c"], ["O", "O"])]
    words, labels = zip(*pairs, strict=True)
    corpus = from_sentences(list(words), tags=list(labels))
    for scheme in (None, "BIOES", "SCN"):
        found = jackknife_candidates(tagloom.train(corpus, scheme=scheme), corpus, n=2, folds=3)
        assert found.candidates()[1] == [Candidate(["O", "O"], found.lists.of(1)[2][0])]
        assert found.report.single == 1


def test_labels_that_the_model_does_not_know() -> None:
    corpus = news()
    some = corpus.with_column("ner", [text.replace("LOC", "PLACE") for text in corpus.column("ner").texts()])
    with pytest.raises(tagloom.DataError, match="label 'B-PLACE' of column 'ner' is none of the model's"):
        jackknife_candidates(tagger(), some)
    lists = find_candidate_lists(tagger(), some, 2)  # in a report they are errors
    assert report_oracle(some, tagger(), lists).with_gold < report_oracle(corpus, tagger(), lists).with_gold


# -- oracle ------------------------------------------------------------------------------------------------------------


def _check_report(found: JackknifedCandidates, model: tagloom.Tagger) -> None:
    """Against plain loops over lists in words."""
    corpus, report, spec = found.corpus, found.report, model.spec
    gold = decided = corpus.column(spec.label)
    if spec.written is not None and spec.decided is not None:
        decided = convert_labels(gold, corpus.sentences, spec.written, spec.decided)
    offsets = corpus.sentences if spec.sequences == "sentences" else corpus.sentences[corpus.documents]
    best: list[str] = []
    first: list[str] = []
    with_gold = 0
    for number, candidates in enumerate(found.candidates()):
        mine = decided.texts()[offsets[number] : offsets[number + 1]]
        told = named(found.lists, model.labels, number)
        best += candidates[best_candidate(told, mine) or 0].labels
        first += candidates[0].labels
        with_gold += mine in [labels for labels, _ in told]
    assert (report.with_gold, report.lists, report.empty) == (with_gold, len(found.lists), 0)
    for texts, given in ((best, report.oracle), (first, report.first)):
        assert given.value == tagloom.score(gold, Column.from_strings(texts), corpus.sentences).value
    assert report.first.value <= report.oracle.value


@pytest.mark.parametrize(("label", "scheme"), NESTED)
def test_the_report_is_that_of_a_plain_loop(label: str, scheme: str | None) -> None:
    model = tagger(label=label, scheme=scheme)
    found = jackknife_candidates(model, news(), n=3, folds=4)
    _check_report(found, model)
    assert (found.oracle, found.first) == (found.report.oracle, found.report.first)
    assert "|folds:4 of documents|candidate:oracle of 3|" in str(found.oracle.signature)
    assert f"of the best {found.oracle.value:.2f}; 148 lists, " in str(found.report)


def test_a_report_on_other_data() -> None:
    """The first candidates are what the model tags."""
    train, dev = news_split()
    model = tagger(train)
    report = report_oracle(dev, model, find_candidate_lists(model, dev, 5))
    assert report.first.value == model.evaluate(dev).value < report.oracle.value


def test_one_candidate_each() -> None:
    found = jackknife_candidates(tagger(), news(), n=1, folds=4)
    assert np.diff(found.lists.first).tolist() == [1] * len(news())
    assert found.report.single == len(news())
    assert found.oracle.value == found.first.value == jackknife(news(), folds=4, **FAST).score.value


@pytest.mark.parametrize("label", ["pos", "ner"])
def test_empty_lists_are_errors(label: str) -> None:
    corpus, model = news(), tagger(label=label)
    lists = find_candidate_lists(model, corpus, 2)
    counts = np.diff(lists.first)
    keep = np.arange(len(lists)) % 2 == 0
    candidates = np.flatnonzero(np.repeat(keep, counts))
    some = CandidateLists(
        np.concatenate([[0], np.cumsum(np.where(keep, counts, 0))]),
        np.concatenate([[0], np.cumsum(np.diff(lists.begins)[candidates])]),
        labels_of(lists, candidates), lists.scores[candidates],
    )  # fmt: skip
    report = report_oracle(corpus, model, some)
    assert report.empty == (~keep).sum()
    assert report.oracle.value < report_oracle(corpus, model, lists).oracle.value


def test_sentences_and_documents_without_tokens() -> None:
    """A fold may be nothing but a document without sentences."""
    corpus = Corpus.from_columns({"form": ["a", "b"] * 3, "label": ["X", "Y"] * 3}, [2, 0, 2, 2], [1, 0, 2, 1])
    for options in ({}, {"learner": "margin-perceptron", "sequences": "documents"}):
        model = tagloom.train(corpus, epochs=3, **options)
        for folds in (2, 4):
            found = jackknife_candidates(model, corpus, n=3, folds=folds)
            assert [len(each[0].labels) for each in found.candidates()] == [2, 0, 2, 2]
            assert found.candidates()[1] == [Candidate([], 0.0)]
            assert (found.report.single, found.report.empty) == (1, 0)


# -- files -------------------------------------------------------------------------------------------------------------


def test_finished_folds_are_read_and_damaged_ones_computed_again(tmp_path: Path, trainings: list[int]) -> None:
    model = tagger()
    trainings.clear()
    first = jackknife_candidates(model, news(), n=3, folds=4, cache=tmp_path)
    assert len(trainings) == 4
    file, *_ = sorted(tmp_path.iterdir())
    _, arrays = FOLD_FILE.read(file)
    assert {name: array.dtype for name, array in arrays.items()} == {
        "counts": np.uint8, "labels": np.uint8, "scores": np.float64
    }  # fmt: skip
    whole = file.read_bytes()
    file.write_bytes(whole[:-5])
    again = jackknife_candidates(model, news(), n=3, folds=4, cache=tmp_path)
    assert len(trainings) == 5
    assert file.read_bytes() == whole
    assert same(first.lists, again.lists)
    assert again.lists.labels.dtype == np.int32


Change = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize(
    "change",
    [
        lambda arrays: arrays.pop("scores"),
        lambda arrays: arrays.update(more=np.zeros(1)),
        lambda arrays: arrays.update(labels=arrays["labels"].astype(np.float64)),
        lambda arrays: arrays.update(labels=np.full_like(arrays["labels"], 200)),
        lambda arrays: arrays.update(labels=arrays["labels"][:-1]),
        lambda arrays: arrays.update(counts=np.full_like(arrays["counts"], 4)),
        lambda arrays: arrays.update(counts=arrays["counts"][:-1]),
        lambda arrays: arrays.update(scores=arrays["scores"][:-1]),
    ],
)
def test_forged_folds_are_computed_again(tmp_path: Path, trainings: list[int], change: Change) -> None:
    model, corpus = tagger(), news().slice(0, 20)
    first = jackknife_candidates(model, corpus, n=3, folds=2, cache=tmp_path)
    file, *_ = sorted(tmp_path.iterdir())
    whole = file.read_bytes()
    header, arrays = FOLD_FILE.read(file)
    change(arrays)
    FOLD_FILE.write(file, {"library_version": header.library_version, "training": header.training}, arrays)
    trainings.clear()
    again = jackknife_candidates(model, corpus, n=3, folds=2, cache=tmp_path)
    assert len(trainings) == 1
    assert file.read_bytes() == whole
    assert same(first.lists, again.lists)


def test_a_killed_run_goes_on(tmp_path: Path, trainings: list[int]) -> None:
    model = tagger()
    whole = jackknife_candidates(model, news(), n=3, folds=5)
    trainings.clear()

    def stop(name: str | None, progress: tagloom.Progress) -> None:
        if name == "fold 3" and progress.phase == "epoch":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        jackknife_candidates(model, news(), n=3, folds=5, cache=tmp_path, jobs=1, on_progress=stop)
    assert (len(list(tmp_path.iterdir())), len(trainings)) == (2, 3)
    resumed = jackknife_candidates(model, news(), n=3, folds=5, cache=tmp_path)
    assert len(trainings) == 6
    assert same(resumed.lists, whole.lists)


def test_what_decides_the_lists_tells_folds_apart(tmp_path: Path) -> None:
    other = news().with_column("pos", ["X"] * news().token_count)
    calls: list[tuple[tagloom.Tagger, Corpus, dict[str, Any]]] = [
        (tagger(), news(), {}), (tagger(), news(), {"n": 3}), (tagger(), news(), {"folds": 3}), (tagger(), other, {}),
        (tagger(seed=2), news(), {}), (tagger(epochs=2), news(), {}), (tagger(scheme="BIOES"), news(), {}),
        (tagger(edge_pairs="all", templates="pos[0] / edge\n"), news(), {}),
        (tagger(templates="pos[0] / edge\n"), news(), {}),
    ]  # fmt: skip
    files = 0
    for model, corpus, given in calls:
        jackknife_candidates(model, corpus, cache=tmp_path, **{"n": 2, "folds": 2, **given})
        files += given.get("folds", 2)
        assert len(list(tmp_path.iterdir())) == files
    jackknife_candidates(tagger(), news(), n=2, folds=2, cache=tmp_path, threads=2)
    jackknife(news(), folds=2, cache=tmp_path, nbest=2, **FAST)  # has tags, too
    assert len(list(tmp_path.iterdir())) == files + 2


# -- surface -----------------------------------------------------------------------------------------------------------


def test_jackknife_gives_tags_and_lists() -> None:
    plain = jackknife(news(), folds=4, **FAST)
    found = jackknife(news(), folds=4, nbest=3, **FAST)
    assert found.tags.texts() == plain.tags.texts()
    assert found.score.value == plain.score.value
    assert found.lists is not None
    assert same(found.lists.lists, jackknife_candidates(tagger(), news(), n=3, folds=4).lists)
    assert [text for each in found.candidates for text in each[0].labels] == found.tags.texts()
    assert found.oracle.value > found.score.value
    with pytest.raises(tagloom.ConfigError, match=r"there are no candidates: ask for them with .*nbest=20"):
        _ = plain.candidates


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": 0}, "n: expected a whole number from 1"),
        ({"n": 90_000}, "n: 90,000 candidates of .* tokens take too much memory"),
        ({"folds": 1}, "folds: expected a whole number of 2 or more, got 1"),
        ({"by": "words"}, "unknown unit of folds 'words'"),
        ({"jobs": 0}, "jobs: expected"),
        ({"threads": 0}, "threads: expected"),
        ({"cache": 3}, "cache: expected the path of a folder, got 3"),
    ],
)
def test_wrong_input_is_one_line(options: dict[str, Any], message: str) -> None:
    corpus = news()
    while options.get("n") == 90_000 and corpus.token_count < 6_000:
        corpus = Corpus.from_columns(
            {name: column.texts() * 2 for name, column in corpus.columns.items()},
            np.diff(corpus.sentences).tolist() * 2,
        )
    with pytest.raises(tagloom.ConfigError, match=message):
        jackknife_candidates(tagger(), corpus, **options)
    with pytest.raises(tagloom.ConfigError, match="nbest: expected a whole number from 1"):
        jackknife(news(), nbest=0)
