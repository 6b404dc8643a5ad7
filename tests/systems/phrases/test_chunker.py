"""Phrase chunkers in use: one sentence as in a batch, spans as labels, threads, explanations as the core decides."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tagloom
import tagloom._core as _core
from tagloom.corpus import Corpus, rows_to_corpus
from tagloom.errors import ConfigError, DataError
from tagloom.learners.voted import VotedVectors
from tagloom.systems.phrases.encode import labels_of
from tagloom.systems.phrases.explain import BEATEN, CHOSEN, NOT_WORTH_IT, PhraseWords
from tagloom.systems.train import train
from tests.systems.phrases.data import OPTIONS, chunker, news, rows


def test_one_sentence_is_as_in_a_batch() -> None:
    test, found = news(15, 5), chunker()
    sentences = [rows(test, number) for number in range(len(test))]
    labels = list(test.with_column("ner", found.tag_corpus(test)).iter_sentences("ner"))
    assert [found.tag(sentence) for sentence in sentences] == labels == found.tag_many(sentences, threads=2)
    assert [found.spans(sentence) for sentence in sentences] == found.spans_many(sentences)


def test_spans_and_labels_say_the_same() -> None:
    test, found = news(15, 5), chunker()
    spans = found.spans_corpus(test)
    assert labels_of(spans, test.token_count, found.spec.written).texts() == found.tag_corpus(test).texts()
    assert len(spans) > 0
    assert np.all(spans.start < spans.stop)
    assert np.all(spans.stop[:-1] <= spans.start[1:])
    assert int((spans.stop - spans.start).max()) <= found.spec.longest


def test_nothing_and_the_unknown() -> None:
    found = chunker()
    assert found.tag([]) == found.spans([]) == []
    assert found.tag_many([]) == []
    assert found.tag_many([[], [], [("Xqz", "ZZZ")], []])[::2][0] == []
    assert len(found.tag([("Xqz", "ZZZ")] * 50)) == 50
    explained = found.explain([])
    assert explained.words == explained.phrases == ()


def test_sentences_without_phrases_and_without_words_are_learned_from() -> None:
    data = [(["in", "Bonn"], [(1, 2, "LOC")]), ([], []), (["he", "left"], []), (["in", "Rome"], [(1, 2, "LOC")])]
    found = train(data, system="phrases", cutoff=1)
    assert found.spans_many([["in", "Bonn"], [], ["he", "left"]]) == [[(1, 2, "LOC")], [], []]


def test_columns_may_come_by_name() -> None:
    found, words = chunker(), rows(news(), 4)
    forms, tags = [list(column) for column in zip(*words)]
    assert found.tag({"pos": tags, "form": forms}) == found.tag(words)  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", ["a string", ["a string"], [[1]], [["word"]], 5, [{"form": ["a"]}],
                                 [{"form": ["a"], "pos": []}]])  # fmt: skip
def test_what_is_no_sentence_is_refused(bad: Any) -> None:
    with pytest.raises(DataError) as error:
        chunker().tag_many(bad)
    assert "\n" not in str(error.value)


def test_a_corpus_without_the_columns_is_refused() -> None:
    with pytest.raises(DataError, match="missing column: pos "):
        chunker().tag_corpus(Corpus.from_columns({"form": ["a"]}, [1]))
    with pytest.raises(ConfigError, match="threads"):
        chunker().tag_corpus(news(), threads=0)


def test_threads_share_a_chunker() -> None:
    found, test = chunker(), news(15, 5)
    sentences = [rows(test, number) for number in range(len(test))]
    expected = [(found.spans(words), found.explain(words)) for words in sentences[:12]]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda words: (found.spans(words), found.explain(words)), sentences[:12])) == expected


def test_functions_and_resources_of_the_users(tmp_path: Path) -> None:
    (tmp_path / "towns").write_text("Bonn\nNew York\n")
    data = [(["in", "Bonn"], [(1, 2, "LOC")]), (["in", "New", "York"], [(1, 3, "LOC")])]
    options: dict[str, Any] = {"attributes": {"upper": str.upper}, "resources": {"gazetteer": tmp_path / "towns"}}
    found = train(data, system="phrases", cutoff=1, templates="upper[0]\ngazetteer[0]\nform[-1]\n", **options)
    found.save(tmp_path / "model")
    again = tagloom.load(tmp_path / "model", functions={"upper": str.upper})
    assert again.spans(["in", "Bonn"]) == found.spans(["in", "Bonn"]) == [(1, 2, "LOC")]
    with pytest.raises(ConfigError, match="load it with functions="):
        tagloom.load(tmp_path / "model").tag(["in"])


def test_training_entities_are_a_gazetteer() -> None:
    found = train(
        news(), system="phrases", templates="form[0]\ngazetteer[0]\n", resources={"gazetteer": "train"}, **OPTIONS
    )
    assert found.spec.built_resources == {"gazetteer": "whole"}
    assert found.spec.resources == {"gazetteer": list(found.categories)}


# -- votes -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("degree", [1, 2, 4])
def test_frozen_votes_are_those_of_training(degree: int) -> None:
    draw = np.random.default_rng(degree)
    learned = _core.Perceptrons(12, 3, degree, True)
    pool = [np.flatnonzero(draw.random(12) < 0.4).astype(np.uint32) for _ in range(8)]
    for _ in range(200):
        for function in range(3):
            learned.decide(function)
        if draw.random() < 0.5:
            learned.add(pool[draw.integers(8)], int(draw.integers(3)), int(draw.choice([-1, 1])))
    frozen = VotedVectors.of(learned)
    assert len(frozen.offsets) <= 9
    kinds = [frozen, frozen.linear()] if degree == 1 else [frozen]
    for x in [*pool, np.zeros(0, np.uint32), np.arange(12, dtype=np.uint32)]:
        for each in kinds:
            made = each.perceptrons(12, degree, dual=degree > 1)
            assert np.array_equal(made.scores(x, True), learned.scores(x, True))
    pruned, used = frozen.prune()
    assert np.array_equal(used[pruned.rows], frozen.rows)


# -- explanations ------------------------------------------------------------------------------------------------------


def test_features_in_words_are_those_of_the_core() -> None:
    corpus, found = news(), chunker()
    for number in range(6):
        one = rows_to_corpus([rows(corpus, number)], found.columns)
        seen, length = PhraseWords(found.encoder, one, found.categories), one.token_count
        ours: dict[int, int] = {}
        for s in range(length):
            for e in range(s, min(length, s + 4)):
                for _, key in seen.features(s, e, ()):
                    ours[key] = ours.get(key, 0) + 1
        flags, none = np.ones(length, np.uint8), np.full(length, -1, np.int32)
        keys, times = found.encoder.encode(one, found.recognition.words).count(flags, flags, none, 4)
        assert ours == dict(zip(keys.tolist(), times.tolist(), strict=True))


@pytest.mark.parametrize(("degree", "form"), [(1, "primal"), (2, "dual"), (2, "primal"), (3, "dual")])
def test_explanations_choose_what_the_chunker_chooses(degree: int, form: str) -> None:
    found, test, verdicts = chunker(degree, form, epochs=1), news(15, 5), set[str]()
    for number in range(len(test)):
        words = rows(test, number)
        explained = found.explain(words)
        assert explained.spans == found.spans(words)
        assert [word.word for word in explained.words] == [word for word, _ in words]
        verdicts |= {phrase.verdict for phrase in explained.phrases}
        for phrase in explained.phrases:
            assert explained.words[phrase.start].begins
            assert all(word.continues for word in explained.words[phrase.start + 1 : phrase.stop])
            assert [score for _, score in phrase.scores] == sorted((s for _, s in phrase.scores), reverse=True)
            assert {category for category, _ in phrase.scores} == set(found.categories)
            assert (phrase.verdict != BEATEN) or phrase.overlapping
    assert verdicts <= {CHOSEN, BEATEN, NOT_WORTH_IT}
    assert CHOSEN in verdicts


def test_contributions_of_degree_1_add_up_to_the_margin_over_the_bias() -> None:
    found, test = chunker(1), news(15, 5)
    bias = found.recognition.scorers.scores(np.zeros(0, np.uint32), True) / found.parameters.scorers.decisions
    names = list(found.categories)
    seen = 0
    for number in range(len(test)):
        for phrase in found.explain(rows(test, number)).phrases:
            if phrase.is_chosen:
                (best, high), (rival, low) = phrase.scores[:2]
                rest = bias[names.index(best)] - bias[names.index(rival)]
                assert sum(said for _, said in phrase.contributions) + rest == pytest.approx(high - low)
                seen += 1
    assert seen > 3
