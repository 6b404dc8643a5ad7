"""Suggestions: the order of the slow truth, from any source, with any number of threads, and ready for training."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tagloom
from tagloom.corpus import Corpus, from_sentences, write
from tagloom.experiments.active import pool as pools
from tagloom.experiments.active.strategies import STRATEGIES
from tagloom.experiments.active.suggest import Suggestions
from tests.oracle import active as oracle

NEWS = tagloom.datasets.newswire(14, seed=3)
SEEN, UNSEEN = NEWS.slice(0, 40), NEWS.slice(40, len(NEWS))
WORDS = list(dict.fromkeys(map(tuple, UNSEEN.iter_sentences("form"))))  # distinct sentences
FAST: dict[str, Any] = {"label": "ner", "templates": "form[{-1..1}]\nsuffix2[0]\n/ edge\n", "scheme": "data"}


def train(seed: int = 1, **options: Any) -> Any:
    return tagloom.train(SEEN, **{**FAST, "learner": "crf", "epochs": 2, "seed": seed, **options})


@pytest.fixture(scope="module")
def model() -> Any:
    return train()


@pytest.fixture(scope="module")
def committee(model: Any) -> list[Any]:
    return [model, train(2, epochs=1), train(3, learner="adf", epochs=1)]


def list_pairs(found: Suggestions) -> list[tuple[float, tuple[str, ...]]]:
    return [(each.score, tuple(each.words)) for each in found]


# -- the order ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("combine", ["sum", "root", "mean", "max"])
@pytest.mark.parametrize("strategy", ["least-confident", "margin", "entropy", "vote", "divergence"])
def test_the_order_is_that_of_the_slow_truth(model: Any, committee: list[Any], strategy: str, combine: str) -> None:
    if (strategy, combine) == ("margin", "max"):
        pytest.skip("margins are of sentences")
    slow = {
        "least-confident": lambda words: oracle.combine(oracle.least_confident(model, words), combine),
        "margin": lambda words: oracle.margin(model, words, combine),
        "entropy": lambda words: oracle.combine(oracle.entropies(model, words), combine),
        "vote": lambda words: oracle.combine(oracle.votes(committee, words), combine),
        "divergence": lambda words: oracle.combine(oracle.divergences(committee, words), combine),
    }[strategy]
    expected = sorted(((slow(words), words) for words in WORDS), reverse=True)
    chosen = (
        {"strategy": "disagreement", "by": strategy} if strategy in ("vote", "divergence") else {"strategy": strategy}
    )
    models = committee if strategy in ("vote", "divergence") else model
    found = tagloom.suggest(models, UNSEEN, len(WORDS), combine=combine, **chosen)
    assert [each.score for each in found] == pytest.approx([score for score, _ in expected], abs=2e-5)
    scores = {words: score for score, words in expected}
    assert [each.score for each in found] == pytest.approx([scores[tuple(each.words)] for each in found], abs=2e-5)
    assert {tuple(each.words) for each in found} == set(WORDS)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_threads_and_parts_do_not_change_the_result(
    model: Any, committee: list[Any], strategy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = committee if strategy == "disagreement" else model
    found = tagloom.suggest(models, UNSEEN, 12, strategy=strategy)
    assert len(found) == 12
    for threads in (2, 3):
        assert tagloom.suggest(models, UNSEEN, 12, strategy=strategy, threads=threads).to_jsonl() == found.to_jsonl()
    monkeypatch.setattr(pools, "_PART_TOKENS", 50)
    assert tagloom.suggest(models, UNSEEN, 12, strategy=strategy).to_jsonl() == found.to_jsonl()


def stream_in_pieces(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    from tagloom.systems import inputs

    monkeypatch.setattr(inputs, "BATCH_BYTES", size)
    monkeypatch.setattr("tagloom.corpus.io._CHUNK_BYTES", size)


@pytest.mark.parametrize("strategy", ["least-confident", "margin", "diverse", "random"])
def test_a_stream_gives_what_the_corpus_in_memory_gives(
    model: Any, strategy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "pool.conll"
    write(UNSEEN, path, "conll")
    expected = tagloom.suggest(model, tagloom.read(path, columns="form pos chunk ner head"), 9, strategy=strategy)
    stream_in_pieces(monkeypatch, 600)
    streamed = tagloom.suggest(model, path, 9, strategy=strategy, columns="form pos chunk ner head")
    assert streamed.to_jsonl() == expected.to_jsonl()
    assert (streamed.sentences, streamed.tokens) == (len(UNSEEN), UNSEEN.token_count)


def test_ties_are_broken_by_the_seed(model: Any) -> None:
    pool = [[f"word{number}"] for number in range(50)]  # unknown words with equal features have equal scores
    picks = {seed: list_pairs(tagloom.suggest(model, pool, 5, seed=seed)) for seed in (1, 1, 2)}
    assert picks[1] != picks[2]
    assert picks[1] == list_pairs(tagloom.suggest(model, list(reversed(pool)), 5))  # not by the place in the pool


def test_random_draws_by_the_seed(model: Any) -> None:
    first, again, other = (tagloom.suggest(model, UNSEEN, 10, strategy="random", seed=seed) for seed in (1, 1, 2))
    assert first.to_jsonl() == again.to_jsonl() != other.to_jsonl()


# -- the pool ----------------------------------------------------------------------------------------------------------


def test_duplicates_are_suggested_once(model: Any) -> None:
    twice = from_sentences([*UNSEEN.iter_sentences("form"), *UNSEEN.iter_sentences("form")])
    found = tagloom.suggest(model, twice, 1000)
    assert len(found) == len(WORDS) == len({tuple(each.words) for each in found})
    assert list_pairs(found) == list_pairs(tagloom.suggest(model, from_sentences(map(list, WORDS)), 1000))


def test_labels_in_the_pool_are_ignored(model: Any) -> None:
    without = from_sentences(UNSEEN.iter_sentences("form"))
    assert list_pairs(tagloom.suggest(model, UNSEEN, 5)) == list_pairs(tagloom.suggest(model, without, 5))


def test_excluded_sentences_are_not_suggested(model: Any, tmp_path: Path) -> None:
    whole = tagloom.suggest(model, UNSEEN, 10)
    Suggestions(whole.found[:3], "", 0, 0).save(tmp_path / "done.jsonl")
    Suggestions(whole.found[3:5], "", 0, 0).save(tmp_path / "more.jsonl")
    rest = tagloom.suggest(model, UNSEEN, 5, exclude=[tmp_path / "done.jsonl", tmp_path / "more.jsonl"])
    assert list_pairs(rest) == list_pairs(whole)[5:]
    assert list_pairs(tagloom.suggest(model, UNSEEN, 7, exclude=tmp_path / "done.jsonl")) == list_pairs(whole)[3:]
    assert list_pairs(tagloom.suggest(model, UNSEEN, 9, exclude=[whole[0].words])) == list_pairs(whole)[1:]


def test_a_budget_of_tokens_is_kept(model: Any) -> None:
    ranked = tagloom.suggest(model, UNSEEN, 1000, combine="mean")
    found = tagloom.suggest(model, UNSEEN, tokens=60)
    assert found.suggested_tokens <= 60
    assert found.strategy == ranked.strategy == "least-confident (mean)"
    assert list_pairs(found) == [each for each in list_pairs(ranked) if len(each[1]) <= 60][: len(found)]
    following = list_pairs(ranked)[len(found)][1]
    assert found.suggested_tokens + len(following) > 60
    assert len(tagloom.suggest(model, UNSEEN, 2, tokens=60)) == 2
    assert tagloom.suggest(model, UNSEEN, tokens=60, strategy="diverse").suggested_tokens <= 60


def test_texts_are_cut_and_each_is_a_document(model: Any) -> None:
    texts = ["Ann Miller left Bonn.  She was  tired.", "", "Nobody knows."]
    found = tagloom.suggest(model, iter(texts), 10, tokenizer="unicode")
    assert sorted((each.record["doc"], each.record["text"]) for each in found) == [
        (0, "Ann Miller left Bonn."), (0, "She was  tired."), (1, "Nobody knows."),
    ]  # fmt: skip


def test_a_pool_can_be_larger_than_memory(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "_BATCH_CHARACTERS", 1 << 15)

    def generate(count: int) -> Iterator[str]:
        random = np.random.default_rng(1)
        for _ in range(count):
            yield " ".join(f"word{number}" for number in random.integers(0, 50, 12).tolist())

    def measure(count: int) -> int:
        tracemalloc.start()
        found = tagloom.suggest(model, generate(count), 10)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert (found.sentences, len(found)) == (count, 10)
        return most

    measure(100)  # what is imported and built once
    assert measure(6000) < 1.2 * measure(2000)


def test_documents_stay_whole_for_models_of_documents() -> None:
    model = tagloom.train(SEEN, **FAST, learner="nonlocal-perceptron", epochs=1)
    found = tagloom.suggest(model, UNSEEN, 4)
    assert found.strategy == "margin (sum)"  # scores of this learner are no probabilities
    starts = UNSEEN.documents
    for each in found:
        number = each.record["sentence"] - 1
        assert each.record["doc"] == np.searchsorted(starts, number, side="right") - 1


# -- records -----------------------------------------------------------------------------------------------------------


def test_records_hold_what_the_model_makes_of_the_sentence(model: Any) -> None:
    found = tagloom.suggest(model, UNSEEN, 6, strategy="margin")
    for each in found:
        record = each.record
        assert record["tokens"] == UNSEEN.sentence(record["sentence"] - 1, "form")
        spans = [[record["text"][start:end], label] for start, end, label in record["spans"]]
        annotation = model(record["tokens"], confidence=True)
        assert spans == [[span.text, span.label] for span in annotation.spans]
        assert record["confidence"] == pytest.approx(annotation.scores.tolist(), abs=1e-4)
        assert record["score"] == pytest.approx(each.score, abs=1e-6)
        assert "tags" not in record  # one place to correct


def test_records_are_training_data(model: Any, tmp_path: Path) -> None:
    found = tagloom.suggest(model, UNSEEN, 20)
    found.save(tmp_path / "todo.jsonl")
    read = tagloom.read(tmp_path / "todo.jsonl")
    assert list(read.iter_sentences("form")) == [each.words for each in found]
    assert read.column("label").texts() == model.tag_corpus(read).texts()
    newer = tagloom.train(tmp_path / "todo.jsonl", start=model, epochs=1)
    assert newer.labels == model.labels
    assert tagloom.train(found.records, epochs=1, templates="words").labels


def test_tags_are_written_as_tags() -> None:
    tagger = tagloom.train(SEEN, label="pos", learner="crf", epochs=1, templates="pos")
    record = tagloom.suggest(tagger, UNSEEN, 1)[0].record
    assert record["tags"] == tagger.tag(record["tokens"])
    assert "spans" not in record


def test_other_columns_that_the_model_reads_are_kept(tmp_path: Path) -> None:
    chunker = tagloom.train(SEEN, label="chunk", learner="crf", epochs=1, templates="form[0]\npos[0]\n/ edge\n")
    found = tagloom.suggest(chunker, UNSEEN, 3)
    record = found[0].record
    assert record["pos"] == UNSEEN.sentence(record["sentence"] - 1, "pos")
    found.save(tmp_path / "todo.jsonl")
    for data in (tmp_path / "todo.jsonl", found.records, [tmp_path / "todo.jsonl", SEEN]):
        assert tagloom.train(data, start=chunker, epochs=1).labels == chunker.labels


def test_keys_of_a_jsonl_pool_are_kept_and_its_labels_dropped(model: Any, tmp_path: Path) -> None:
    path = tmp_path / "pool.jsonl.gz"
    records = [
        {"id": "a1", "text": "Ann left. Bo  stayed.", "spans": [[0, 3, "PER"]], "meta": {"page": 3}, "doc": "x"},
        {"id": "a2", "tokens": ["No", "text"], "tags": ["O", "O"], "answer": "accept", "doc": "x"},
        {"id": "a3", "tokens": ["Ignored"], "tags": ["O"], "answer": "reject", "doc": "x"},
    ]
    path.write_bytes(gzip.compress("".join(json.dumps(each) + "\n" for each in records).encode()))
    found = {each.record["text"]: each.record for each in tagloom.suggest(model, path, tokenizer="unicode")}
    assert found.keys() == {"Ann left.", "Bo  stayed.", "No text"}
    first = found["Bo  stayed."]
    assert (first["id"], first["meta"], first["doc"], first["tokens"]) == (
        "a1",
        {"page": 3},
        "x",
        ["Bo", "stayed", "."],
    )
    assert "answer" not in found["No text"]


@pytest.mark.parametrize("format_name", ["conll", "conllu", "jsonl", "text", "slashed"])
def test_any_format_is_a_pool(model: Any, format_name: str, tmp_path: Path) -> None:
    path = tmp_path / f"pool.{format_name}"
    written = from_sentences(UNSEEN.iter_sentences("form")) if format_name == "conllu" else UNSEEN
    write(written, path, format_name, {"text": "form", "slashed": "form pos"}.get(format_name))
    columns = "form pos chunk ner head" if format_name == "conll" else None
    found = tagloom.suggest(model, path, 8, tokenizer="whitespace", columns=columns)
    assert list_pairs(found) == list_pairs(tagloom.suggest(model, UNSEEN, 8))


def test_text_of_a_treebank_is_restored() -> None:
    treebank = Corpus.from_columns({"form": ["So", "be", "it", "."], "misc": ["_", "_", "SpaceAfter=No", "_"]}, [4])
    assert tagloom.suggest(train(), treebank, 1)[0].record["text"] == "So be it."


def test_words_that_no_text_can_show_have_none() -> None:
    record = tagloom.suggest(train(), from_sentences([["a", " b"]]), 1)[0].record
    assert "text" not in record
    assert record["tokens"] == ["a", " b"]


def test_characters_are_joined_without_blanks() -> None:
    data = [(list("天气很好"), ["B", "E", "S", "S"]), (list("他很好"), ["S", "S", "S"])]
    segmenter = tagloom.train(data, learner="crf", epochs=1, templates="words")
    record = tagloom.suggest(segmenter, ["他天好"], 1)[0].record
    assert (record["text"], record["tokens"]) == ("他天好", ["他", "天", "好"])
    assert len(record["tags"]) == 3


# -- what does not fit -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": 0}, "n: expected a whole number"),
        ({"tokens": 0}, "tokens: expected a whole number"),
        ({"strategy": "guess"}, "unknown strategy 'guess' .known: disagreement, diverse"),
        ({"strategy": "margins"}, "did you mean 'margin'"),
        ({"combine": "median"}, "unknown combination"),
        ({"strategy": "margin", "combine": "max"}, "margin measures whole sentences, which have no max"),
        ({"by": "vote"}, "by: strategy 'least-confident' has no such choice"),
        ({"strategy": "diverse", "by": "length"}, "unknown measure of strategy 'diverse'"),
        ({"strategy": "random", "combine": "sum"}, "combine: strategy 'random' has no such choice"),
        ({"strategy": "disagreement"}, "vote compares several models, got one"),
        ({"candidates": 0}, "candidates: expected"),
        ({"seed": -1}, "seed: expected"),
        ({"threads": 0}, "threads: expected"),
        ({"exclude": "missing.jsonl"}, "missing.jsonl: no such file"),
    ],
)
def test_wrong_options_are_refused_in_one_line(model: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises((tagloom.TagloomError, OSError), match=message) as caught:
        tagloom.suggest(model, UNSEEN, **options)
    assert "\n" not in str(caught.value)


def test_models_that_do_not_fit_are_refused(committee: list[Any], model: Any) -> None:
    phrases = tagloom.train(SEEN, system="phrases", label="ner", epochs=1)
    perceptron = train(learner="averaged-perceptron")
    tagger = tagloom.train(SEEN, label="pos", learner="crf", epochs=1, templates="pos")
    with pytest.raises(tagloom.ConfigError, match="a phrase chunker has no confidences; name several models"):
        tagloom.suggest(phrases, UNSEEN)
    with pytest.raises(tagloom.ConfigError, match="no probabilities; train it with development data, or choose margin"):
        tagloom.suggest(perceptron, UNSEEN, strategy="least-confident")
    with pytest.raises(tagloom.ConfigError, match="looks at one model, got 3"):
        tagloom.suggest(committee, UNSEEN, strategy="entropy")
    with pytest.raises(tagloom.ConfigError, match="models must add the same columns, got ner and pos"):
        tagloom.suggest([model, tagger], UNSEEN)
    with pytest.raises(tagloom.ConfigError, match="different schemes, IOB2 and BIOES"):
        tagloom.suggest([model, train(scheme="BIOES")], UNSEEN, strategy="disagreement", by="divergence")
    with pytest.raises(tagloom.ConfigError, match="model: expected a model"):
        tagloom.suggest([], UNSEEN)
    assert tagloom.suggest(perceptron, UNSEEN, 1).strategy == "margin (sum)"


def test_votes_need_no_capability() -> None:
    chunkers = [tagloom.train(SEEN, system="phrases", label="ner", epochs=each) for each in (1, 3)]
    found = tagloom.suggest(chunkers, UNSEEN, 3)
    assert found.strategy == "disagreement (vote, root)"
    assert "spans" in found[0].record
    parsers = [tagloom.train(SEEN, system="parser", tags="gold", epochs=each, depth=0) for each in (1, 2)]
    record = tagloom.suggest(parsers, UNSEEN, 1)[0].record
    assert len(record["heads"]) == len(record["tokens"])
