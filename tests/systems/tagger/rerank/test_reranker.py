"""Reranked models: what they choose against plain sums and votes, and all ways of tagging."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import tagloom
from tagloom.errors import ConfigError, TagloomError
from tagloom.features import Document
from tagloom.learners.ranking import METHODS
from tagloom.systems.tagger.rerank import reranker as reranking
from tests.oracle import global_features
from tests.oracle import spans as schemes
from tests.systems.tagger.rerank.reranked import (
    BASES,
    LOWERCASED,
    OF_SENTENCES,
    QUICK,
    agreeing,
    agreeing_model,
    agreeing_tagger,
    base,
    ends,
    reranked,
    sentences_of,
    tagged,
    words_of,
)
from tests.systems.toy import news_split

# -- the choice against plain computation ------------------------------------------------------------------------------


def features(words: list[str], written: list[str], scheme: str | None) -> set[str]:
    """Of a labelling as models write it, which is IOB2; they decide on the labels of the scheme."""
    found = schemes.read_lenient(written, "IOB2")
    labels = schemes.write(found, len(words), scheme or "IOB2")
    spans = [(start, stop - 1, kind) for start, stop, kind in found]
    return global_features.features(words, labels, spans, LOWERCASED)


def vectors(model: tagloom.Tagger) -> Iterator[tuple[float, dict[str, float], int]]:
    """Weight of the score, weights by the text of their feature, and votes."""
    parameters = model.parameters.reranker
    assert parameters is not None
    assert parameters.names is not None
    tensors = parameters.ranker.to_tensors()
    texts = [parameters.names[row] for row in range(len(parameters.keys))]
    if "weights" in tensors:
        yield float(tensors["base"][0]), dict(zip(texts, tensors["weights"].tolist())), 1
        return
    weights = dict.fromkeys(texts, 0.0)
    changes: dict[int, list[tuple[str, int]]] = {}
    for row, text in enumerate(texts):
        for event in tensors["events"][tensors["offsets"][row] : tensors["offsets"][row + 1]].tolist():
            changes.setdefault(event >> 1, []).append((text, 1 - 2 * (event & 1)))
    for update, (weight, votes) in enumerate(zip(tensors["base"].tolist(), tensors["votes"].tolist())):
        for text, change in changes.get(update, ()):
            weights[text] += change
        yield weight, dict(weights), votes


def plain_values(model: tagloom.Tagger, words: list[str]) -> tuple[list[list[str]], list[float]]:
    """Candidates of the tagger, and what the ranker thinks of each: F, or the share of votes."""
    assert model.reranker is not None
    found = model.without_reranker().nbest(words, model.reranker.spec.candidates)
    holding = [features(words, candidate.labels, model.spec.scheme) for candidate in found]
    values, everything = [0.0] * len(found), 0
    is_voted = model.reranker.spec.method == "voted"
    for weight, weights, votes in vectors(model):
        sums = [weight * c.score + sum(weights.get(text, 0.0) for text in on) for c, on in zip(found, holding)]
        everything += votes
        if is_voted:
            values[max(range(len(sums)), key=lambda k: (sums[k], -k))] += votes
        else:
            values = sums
    return [candidate.labels for candidate in found], [v / everything for v in values] if is_voted else values


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["perceptron", "bioes", "crf", "maxent"])
def test_the_choice_is_the_argmax_of_a_plain_computation(name: str, method: str) -> None:
    model, corpus = reranked(name, method), news_split()[1].slice(0, 5)
    for words, labels in zip(words_of(corpus), sentences_of(tagged(model, corpus), corpus)):
        candidates, values = plain_values(model, words)
        assert values[candidates.index(labels)] == pytest.approx(max(values), abs=1e-9)
        ranked = model.nbest(words, len(candidates))
        assert [each.score for each in ranked] == pytest.approx(sorted(values, reverse=True), abs=1e-9)
        assert sorted(each.labels for each in ranked) == sorted(candidates)
        for each in ranked:
            assert values[candidates.index(each.labels)] == pytest.approx(each.score, abs=1e-9)
        assert ranked[0].labels == labels


@pytest.mark.parametrize("method", METHODS)
def test_what_speaks_for_the_winner_adds_up_to_its_lead(method: str) -> None:
    model = reranked("perceptron", method)
    for words in words_of(news_split()[1])[:5]:
        choice = model.explain_choice(words)
        assert choice[0].candidate.labels == model.tag(words)
        assert [each.value for each in choice] == sorted((each.value for each in choice), reverse=True)
        for other in choice[1:]:
            against = choice[0].against(other)
            assert list(against.values()) == sorted(against.values(), key=lambda value: -abs(value))
            if method != "voted":
                assert sum(against.values()) == pytest.approx(choice[0].value - other.value, abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", BASES)
def test_the_score_on_development_data_is_the_one_that_was_chosen_by(name: str, method: str) -> None:
    """Spans of candidates are counted as the scorer counts those of the labels that come out."""
    model, dev = reranked(name, method), news_split()[1]
    assert model.spec.reranker is not None
    score = model.evaluate(dev)
    assert model.spec.reranker.dev_score == pytest.approx(score.value, abs=1e-9)
    assert str(score.signature).startswith(str(model.spec.signature))
    if method == "boosting":  # begins with the tagger's order
        assert score.value >= base(name).evaluate(dev, **searched(name)).value


def searched(name: str) -> dict[str, int]:
    """The search that finds what comes first in the lists."""
    return {"lookahead": {"beam": 6}, "documents": {"candidates": 6}}.get(name, {})


# -- a case that needs a feature of the whole --------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_agreement_at_a_distance_is_learned(method: str) -> None:
    test = agreeing(30, 2)
    before = [agreeing_tagger().tag(words) == labels for words, labels in test]
    after = [agreeing_model(method).tag(words) == labels for words, labels in test]
    assert sum(before) < 25
    assert all(after)


def test_functions_must_be_given_when_the_model_is_loaded(tmp_path: Path) -> None:
    model = agreeing_model()
    model.save(tmp_path / "model")
    loaded = tagloom.load(tmp_path / "model", functions={"ends": ends})
    assert [loaded.tag(words) for words, _ in agreeing(9, 4)] == [model.tag(words) for words, _ in agreeing(9, 4)]
    with pytest.raises(ConfigError) as error:
        tagloom.load(tmp_path / "model").tag(["p", "m", "k"])
    assert str(error.value) == "the model needs its function 'ends': load it with functions={'ends': ...}"
    words, labels = agreeing(1, 4)[0]
    assert len(tagloom.load(tmp_path / "model").without_reranker().tag(words)) == len(labels)


def test_functions_that_fail_are_named() -> None:
    def wrong(document: Document, labels: Sequence[str]) -> list[str]:
        raise KeyError("x")

    for function in (wrong, lambda document, labels: 5, lambda document, labels: [5]):
        with pytest.raises(TagloomError, match="global function 'wrong', sequence 1") as error:
            tagloom.rerank(agreeing_tagger(), agreeing(9, 1), templates=None, functions={"wrong": function}, folds=2)
        assert "\n" not in str(error.value)


# -- all ways of tagging -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["voted", "boosting"])
@pytest.mark.parametrize("name", BASES)
def test_all_ways_of_tagging_agree(name: str, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model, corpus = reranked(name, method), news_split()[1]
    expected = tagged(model)
    assert tagged(model, threads=2) == expected
    assert tagged(model, decoder="reranked", candidates=QUICK["candidates"]) == expected
    for stretch in (1, 3):
        monkeypatch.setattr(reranking, "_STRETCH", stretch)
        assert tagged(model) == expected
        assert tagged(model, threads=2) == expected
    if name in OF_SENTENCES:
        words, labels = words_of(corpus), sentences_of(expected, corpus)
        assert model.tag_many(words) == model.tag_many(words, threads=2) == labels
        assert [model.tag(each) for each in words] == labels
        assert [each[0].labels for each in model.nbest_corpus(corpus, 6, threads=2)] == labels
        assert [model.nbest(each, 2)[0].labels for each in words] == labels
    else:
        assert [label for each in model.nbest_corpus(corpus, 6) for label in each[0].labels] == expected


def test_stretches_have_the_values_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = news_split()[1]
    whole = reranked().nbest_corpus(corpus, 6)
    monkeypatch.setattr(reranking, "_STRETCH", 4)
    assert reranked().nbest_corpus(corpus, 6, threads=2) == whole


def test_empty_sentences_and_texts() -> None:
    model = reranked()
    assert model.tag([]) == []
    assert model.tag_many([]) == []
    assert model.tag_many([[], ["Paris"], []]) == [[], model.tag(["Paris"]), []]
    assert [each.labels for each in model.nbest([], 3)] == [[]]
    assert model.tag_document([["Paris"], []]) == [model.tag(["Paris"]), []]
    assert [each.candidate.labels for each in model.explain_choice([])] == [[]]


def test_constraints_of_the_user_hold() -> None:
    model = reranked()
    for words in words_of(news_split()[1])[:10]:
        constraints = [None, ["B-PER", "O"], *[None] * (len(words) - 2)]
        labels = model.tag(words, constraints)
        assert labels[1] in ("B-PER", "O")
        assert model.nbest(words, 6, constraints)[0].labels == labels
        only = ["O"] * len(words)  # a list of one candidate
        assert model.tag(words, only) == only
        assert [each.labels for each in model.nbest(words, 6, only)] == [only]
    with pytest.raises(ConfigError) as error:
        model.tag(["a", "b"], ["O", "I-PER"])
    assert "\n" not in str(error.value)


def test_other_decoders_are_those_of_the_tagger() -> None:
    assert tagged(reranked(), decoder="viterbi") == tagged(base())
    assert tagged(reranked(), candidates=1) == tagged(base())
    for number in (0, "5", 2.0, True):
        with pytest.raises(ConfigError, match="candidates: expected"):
            tagged(reranked(), candidates=number)
    with pytest.raises(ConfigError, match="no re-ranker"):
        tagged(base(), decoder="reranked")
    with pytest.raises(ConfigError, match="no re-ranker"):
        base().explain_choice(["a"])


def test_confidences_and_explanations_are_of_the_labels_that_are_chosen() -> None:
    model, corpus = reranked("crf"), news_split()[1]
    column, confidences = model.confidences(corpus)
    assert column.texts() == tagged(model)
    assert ((confidences >= 0) & (confidences <= 1)).all()
    words = corpus.sentence(0, "form")
    assert [each.label for each in model.explain(words)] == model.tag(words)


def test_signatures_say_how_labels_were_found() -> None:
    dev = news_split()[1]
    assert ",n=6," in str(reranked().evaluate(dev).signature)
    assert ",n=3," in str(reranked().evaluate(dev, candidates=3).signature)
    assert "reranker" not in str(reranked("lookahead").evaluate(dev, beam=2).signature)
