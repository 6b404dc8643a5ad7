"""History-based models: both directions, label triples, their decoders, their files, and what does not fit them."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tagloom
from tagloom import _core
from tagloom.corpus import Corpus
from tagloom.errors import ConfigError
from tagloom.structures.chain import NO_CONSTRAINTS
from tagloom.systems import Model
from tagloom.systems.tagger.session import Session
from tests.files.test_checkpoint import Stopped, stop_after
from tests.systems.forgery import Change, assert_refused, forge, use
from tests.systems.tagger.test_start import Weights, named_weights
from tests.systems.toy import TAGGED, all_rows, news, news_split, weights

TEMPLATES = "form[{-1..1}]\npos[0]\npos[-1] pos[0] / edge\n/ edge\n"
OPTIONS: dict[str, Any] = {"templates": TEMPLATES, "scheme": "BIOES", "epochs": 3, "C": 2}
ORDERS = [("left-to-right", 1), ("left-to-right", 2), ("right-to-left", 1), ("right-to-left", 2)]
orders = pytest.mark.parametrize(("direction", "history"), ORDERS)
OTHER_ORDERS = ORDERS[1:]


@functools.cache
def model(direction: str, history: int, depth: int = 1) -> Model:
    """An entity tagger with edge features that decides on BIOES and writes IOB2."""
    order = {"direction": direction, "history": history, "depth": depth}
    return tagloom.train(news(), learner="lookahead-perceptron", **OPTIONS, **order)


def error_of(call: Any, *arguments: Any, **options: Any) -> str:
    with pytest.raises(ConfigError) as error:
        call(*arguments, **options)
    assert "\n" not in str(error.value)
    return str(error.value)


# -- learning --------------------------------------------------------------------------------------------------------


def mirrored(sentences: list[tuple[list[str], list[str]]]) -> list[tuple[list[str], list[str]]]:
    return [(words[::-1], labels[::-1]) for words, labels in sentences]


def triples(model: Model) -> Weights:
    chain, labels = model.chain, model.labels
    block = model.parameters.weights[chain.triple_begin :].reshape(len(labels), len(labels), chain.stride)
    places = zip(*map(np.ndarray.tolist, np.nonzero(block)))
    return {("", labels[b], labels[p], labels[y]): float(block[p, y, b]) for p, y, b in places}


@pytest.mark.parametrize("learner", ["lookahead-perceptron", "beam-perceptron"])
@pytest.mark.parametrize("history", [1, 2])
def test_right_to_left_is_left_to_right_of_the_mirrored_corpus(learner: str, history: int):
    corpus = news().slice(0, 60)
    tags = sorted(set(corpus.column("pos").texts()))
    same_numbers = [([tag], [tag]) for tag in tags]  # labels are numbered as they come
    sentences = [*same_numbers, *((corpus.sentence(i, "form"), corpus.sentence(i, "pos")) for i in range(60))]
    options = {"templates": "form[0]\nsuffix2[0]\nform[0] / edge\n/ edge\n", "learner": learner, "epochs": 3}
    options |= {"history": history}
    backwards = tagloom.train(sentences, direction="right-to-left", **options)
    forwards = tagloom.train(mirrored(sentences), **options)
    assert named_weights(backwards) == pytest.approx(named_weights(forwards))
    if history == 2:
        assert triples(backwards) == pytest.approx(triples(forwards))
        assert triples(backwards)
    for words, _ in sentences:
        assert backwards.tag(words) == forwards.tag(words[::-1])[::-1]


@orders
@pytest.mark.parametrize("learner", ["lookahead-perceptron", "beam-perceptron"])
def test_the_score_of_development_is_that_of_the_model(learner: str, direction: str, history: int):
    train, dev = news_split()
    order = {"direction": direction, "history": history, "epochs": 3, "threads": 2}
    trained = tagloom.train(train, dev=dev, learner=learner, templates=TEMPLATES, **order)
    best = max(record.dev_score for record in trained.spec.history)
    assert best == trained.evaluate(dev).value
    alone = tagloom.train(train, dev=dev, learner=learner, templates=TEMPLATES, **{**order, "threads": 1})
    assert (weights(alone), alone.spec) == (weights(trained), trained.spec)


def test_a_killed_training_goes_on_to_the_same_bytes(tmp_path: Path):
    train, dev = news_split()
    options = {**OPTIONS, "dev": dev, "learner": "lookahead-perceptron", "direction": "right-to-left", "history": 2}
    with pytest.raises(Stopped):
        tagloom.train(train, checkpoint=tmp_path / "kept", on_progress=stop_after(2), **options)
    message = error_of(tagloom.train, train, checkpoint=tmp_path / "kept", **{**options, "history": 1})
    assert "history 2 there, 1 here" in message
    message = error_of(tagloom.train, train, checkpoint=tmp_path / "kept", **{**options, "depth": 2})
    assert "depth None there, 2 here" in message
    tagloom.train(train, checkpoint=tmp_path / "kept", **options).save(tmp_path / "resumed")
    tagloom.train(train, **options).save(tmp_path / "whole")
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole").read_bytes()


def test_memory_of_triples_is_told_before_it_is_taken_and_too_many_labels_are_refused():
    told: list[Any] = []
    tagloom.train(TAGGED, learner="beam-perceptron", history=2, epochs=1, on_progress=told.append)
    assert "label triples 0.0 MB" in next(each.message for each in told if each.phase == "encoded")
    many = [([f"w{i}"], [f"t{i}"]) for i in range(513)]
    message = error_of(tagloom.train, many, learner="beam-perceptron", history=2)
    assert (
        message == "history: expected at most 512 labels for history=2, got 513 with 135,005,697 triples; use history=1"
    )


# -- decoders --------------------------------------------------------------------------------------------------------


def test_a_long_lookahead_and_a_wide_beam_are_viterbi():
    chain = model("left-to-right", 1)
    rows = all_rows(news())[:40]
    expected = chain.tag_many(rows, decoder="viterbi")
    assert chain.tag_many(rows, depth=1000) == expected
    assert chain.tag_many(rows, beam=500) == expected
    assert chain.tag_many(rows, depth=0) != expected  # BIOES needs to look ahead


@orders
def test_a_model_decides_with_its_own_search(direction: str, history: int):
    rows = all_rows(news())
    for depth in (0, 2):
        own = model(direction, history, depth)
        assert own.tag_many(rows) == own.tag_many(rows, decoder="lookahead") == own.tag_many(rows, depth=depth)
        assert own.tag_many(rows, decoder="beam") == own.tag_many(rows, beam=8, threads=2)
        column = own.tag_corpus(news(), depth=1)
        assert column.texts() == [label for labels in own.tag_many(rows, depth=1) for label in labels]


def test_any_chain_can_be_decided_label_by_label():
    chain = tagloom.train(TAGGED, learner="averaged-perceptron")
    assert chain.spec.search is None
    words = TAGGED[0][0]
    assert chain.tag(words) == chain.tag(words, depth=5) == chain.tag(words, decoder="beam")


@orders
def test_constraints_hold(direction: str, history: int):
    own = model(direction, history)
    for rows in all_rows(news())[:30]:
        constraints: list[Any] = [None] * len(rows)
        constraints[len(rows) // 2] = "S-PER"
        for search in ({"depth": 0}, {"depth": 3}, {"beam": 4}):
            assert own.tag(rows, constraints, **search)[len(rows) // 2] == "B-PER"
    message = error_of(own.tag, rows, ["E-PER", *constraints[1:]])
    assert message == "sentence 1: no label sequence of BIOES meets the constraints"


def test_depth_and_beam_are_checked():
    own = model("left-to-right", 1)
    rows = all_rows(news())[0]
    assert error_of(own.tag, rows, depth=-1) == "depth: expected a whole number from 0 to 1,000, got -1"
    assert error_of(own.tag, rows, depth=True) == "depth: expected a whole number from 0 to 1,000, got True"
    assert error_of(own.tag, rows, beam=0) == "beam: expected a whole number from 1 to 100,000, got 0"
    assert error_of(own.tag, rows, beam="8") == "beam: expected a whole number from 1 to 100,000, got '8'"
    assert error_of(own.tag, rows, depth=1, beam=8).startswith(
        "depth: goes with decoder 'lookahead', got decoder 'beam'"
    )
    assert error_of(own.tag, rows, decoder="viterbi", depth=1).startswith("depth: goes with decoder 'lookahead'")
    assert error_of(own.tag, rows, decoder="lookahead", beam=1).startswith("beam: goes with decoder 'beam'")
    assert "unknown decoder 'lookback'" in error_of(own.tag, rows, decoder="lookback")


@pytest.mark.parametrize(("direction", "history"), OTHER_ORDERS)
def test_what_is_defined_by_pairs_of_neighbours_is_refused(direction: str, history: int):
    own, rows = model(direction, history), all_rows(news())[0]
    labels = "one label" if history == 1 else "two labels"
    reason = f": this model tags {direction} with {labels} of history; only the decoders lookahead and beam fit it"
    assert error_of(own.tag, rows, decoder="viterbi") == "decoder 'viterbi'" + reason
    assert error_of(own.tag, rows, decoder="posterior") == "decoder 'posterior'" + reason
    reason = (
        f": this model tags {direction} with {labels} of history and has no probabilities; for calibrated ones, train "
        "with the learner maxent, or from left to right with history=1 and development data"
    )
    assert error_of(own.marginals, rows) == "marginals" + reason
    assert error_of(own.confidences, news()) == "confidences" + reason
    assert error_of(own.probability, rows, own.tag(rows)) == "probabilities" + reason


@pytest.mark.parametrize(("direction", "history"), OTHER_ORDERS)
def test_its_n_best_are_the_hypotheses_of_a_beam(direction: str, history: int):
    own, rows = model(direction, history), all_rows(news())[0]
    found = own.nbest(rows, 5)
    assert found[0].labels == own.tag(rows, beam=8)
    scores = [each.score for each in found]
    assert scores == sorted(scores, reverse=True)
    assert len({tuple(each.labels) for each in own.nbest(rows, 30)}) == 30
    assert all(each.probability is None for each in found)  # it has no likelihood
    assert own.nbest_corpus(news(), 2, threads=2)[0] == found[:2]


def test_a_first_order_model_has_the_searches_of_a_chain():
    own, rows = model("left-to-right", 1), all_rows(news())[0]
    candidates = own.nbest(rows, 3)
    assert candidates[0].labels == own.tag(rows, decoder="viterbi")
    assert [c.probability for c in candidates] == [None] * 3  # it has no likelihood
    assert own.marginals(rows, calibrated=False).sum(axis=1) == pytest.approx(1, abs=1e-4)
    assert len(own.calibrate(news()).confidences(news())[1]) == news().token_count


def test_scores_say_how_they_came_about():
    own = model("right-to-left", 2)
    settings = "lookahead-perceptron,C=2,depth=1,direction=right-to-left,history=2"
    score = own.evaluate(news())
    assert f"|learner:{settings}|" in str(score.signature)
    assert "|search:depth=1|" in str(score.signature)
    assert "|search:depth=4|" in str(own.evaluate(news(), depth=4).signature)
    assert "|search:beam=2|" in str(own.evaluate(news(), beam=2).signature)
    assert own.evaluate(news(), depth=1).value == score.value
    assert "search" not in str(tagloom.train(TAGGED, learner="averaged-perceptron").spec.signature)


# -- looking inside --------------------------------------------------------------------------------------------------


@orders
def test_explanations_add_up_to_the_score_of_the_sentence(direction: str, history: int):
    own = model(direction, history, 0)
    rows = all_rows(news())[:40]
    session = Session(own.encoder)
    batch = session.read(rows)
    _, scores = _core.decode_words(
        own.chain, own.parameters.weights, session.store, batch.codes, batch.sentences, own._nodes, own._edges,
        NO_CONSTRAINTS, 1, own.spec.search.core(),
    )  # fmt: skip
    for sentence, score in zip(rows, scores.tolist()):
        explained = own.explain(sentence)
        assert sum(float(e.scores[e.labels.index(e.label)]) for e in explained) == pytest.approx(score, abs=1e-3)


@orders
def test_explanations_name_the_labels_decided_before(direction: str, history: int):
    sentences = [(["a", "b", "c"], ["X", "Y", "Z"]), (["b", "b", "b"], ["Y", "Y", "Y"])]
    order = {"direction": direction, "history": history, "depth": 0}
    own = tagloom.train(sentences, templates="form[0]\n/ edge\n", learner="lookahead-perceptron", **order)
    names = [{c.feature for c in token.contributions} for token in own.explain(["a", "b", "c"])]
    last, middle, first = names if direction == "right-to-left" else names[::-1]
    one, two, sign = ("Z", "Y", "") if direction == "right-to-left" else ("X", "Y", "-")
    assert not any(name.startswith("label") for name in first)
    assert f"label[{sign}1]={one}" in middle
    assert f"label[{sign}1]={two}" in last
    assert (f"label[{sign}2]={one} label[{sign}1]={two}" in last) == (history == 2)


# -- start -----------------------------------------------------------------------------------------------------------


@orders
def test_a_start_model_is_taken_over_with_its_direction_and_history(direction: str, history: int):
    first = tagloom.train(TAGGED, learner="lookahead-perceptron", direction=direction, history=history, C=5)
    more = [*TAGGED, (["dogs", "!"], ["NNS", "."])]
    again = tagloom.train(more, start=first, averaging="none", epochs=1)
    assert (again.spec.order, again.spec.settings["C"]) == ((direction, history), 5)
    assert again.tag(["dogs", "!"]) == ["NNS", "."]
    assert first.partial_fit(TAGGED).spec.order == (direction, history)
    other = tagloom.train(TAGGED, start=first, learner="beam-perceptron", epochs=1)
    assert other.spec.order == (direction, history)


def test_weights_of_triples_are_those_of_the_start_model_where_nothing_moves():
    options = {"learner": "lookahead-perceptron", "history": 2, "C": 0, "averaging": "none"}
    first = tagloom.train(TAGGED, **options)
    assert triples(first)
    again = tagloom.train([*TAGGED, (["!"], ["."])], start=first, epochs=1)  # a label more: another layout
    assert triples(again) == triples(first)


def test_starts_that_contradict_are_refused():
    plain, backwards = (
        tagloom.train(TAGGED),
        tagloom.train(TAGGED, learner="beam-perceptron", direction="right-to-left"),
    )
    second = tagloom.train(TAGGED, learner="beam-perceptron", history=2)
    assert error_of(tagloom.train, TAGGED, start=backwards, direction="left-to-right") == (
        "direction: left-to-right is not what the start model was made with (right-to-left); leave it out, or train "
        "without start"
    )
    assert error_of(tagloom.train, TAGGED, start=second, history=1).startswith("history: 1 is not what")
    assert error_of(tagloom.train, TAGGED, start=plain, learner="lookahead-perceptron", history=2).startswith(
        "history: 2 is not what the start model was made with (1)"
    )
    assert error_of(tagloom.train, TAGGED, start=second, learner="pa") == (
        "start: learner 'pa' has no 'history', the start model was made with 2; continue with beam-perceptron, "
        "or train without start"
    )
    chain = tagloom.train(TAGGED, start=plain, learner="lookahead-perceptron")  # the same weights, another learner
    assert tagloom.train(TAGGED, start=chain, learner="pa").spec.search is None


# -- files -----------------------------------------------------------------------------------------------------------


@orders
def test_files_keep_everything(tmp_path: Path, direction: str, history: int):
    own = model(direction, history)
    own.save(tmp_path / "model")
    loaded = tagloom.load(tmp_path / "model")
    assert (loaded.spec, weights(loaded)) == (own.spec, weights(own))
    assert loaded.tag_many(all_rows(news())) == own.tag_many(all_rows(news()))
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


def searched(**values: object) -> Change:
    return lambda _, header: header["spec"]["search"].update(values)


@pytest.mark.parametrize(
    "change",
    [
        searched(depth=-1),
        searched(depth=1001),
        searched(depth=1.5),
        searched(depth=None),
        searched(depth="1"),
        searched(depth=2**70),
        searched(beam=8),
        searched(depth=None, beam=0),
        searched(depth=None, beam=10**9),
        searched(history=1),
        searched(history=3),
        searched(history=True),
        searched(direction="down"),
        searched(direction=["left-to-right"]),
        searched(surprise=1),
        lambda _, header: header["spec"].update(search=5),
        lambda _, header: header["spec"].update(search=[]),
        lambda _, header: header["spec"].update(search=None),  # triples without a search that knows them
        lambda _, header: header["spec"].update(document_features=["phrase"]),
        lambda tensors, _: tensors.update({"weights.count": tensors["weights.count"] - 1}),
    ],
)
def test_searches_that_mean_nothing_are_refused(tmp_path: Path, change: Change):
    tagloom.train([(["a", "b"], ["X", "Y"]), (["b", "c"], ["Y", "Z"])], learner="beam-perceptron", history=2).save(
        tmp_path / "source"
    )
    forged = lambda tensors, header: (header["spec"]["search"].update(depth=1, beam=None), change(tensors, header))  # noqa: E731
    assert_refused(tmp_path / "source", tmp_path / "model", forged)


@pytest.mark.parametrize("change", [searched(direction="right-to-left"), searched(depth=1000), searched(depth=0)])
def test_other_searches_do_no_harm(tmp_path: Path, change: Change):
    data = [(["a", "b"], ["X", "Y"]), (["b", "c"], ["Y", "Z"])]
    tagloom.train(data, learner="lookahead-perceptron", history=2).save(tmp_path / "source")
    use(tagloom.load(forge(tmp_path / "source", tmp_path / "model", change)))


# -- comparing and tuning ---------------------------------------------------------------------------------------------


def test_learners_of_all_orders_are_compared_on_one_encoded_corpus():
    train, test = news_split()
    settings = {
        "lookahead-perceptron": {"direction": "right-to-left", "history": 2, "depth": 2},
        "beam-perceptron": {"beam": 2},
    }
    names = ["averaged-perceptron", "lookahead-perceptron", "beam-perceptron"]
    shared = {"templates": TEMPLATES, "epochs": 2}
    comparison = tagloom.compare_learners(train, test, names, settings=settings, jobs=2, **shared)
    for run in comparison.runs:
        alone = tagloom.train(train, learner=run.learner, **shared, **settings.get(run.learner, {})).evaluate(test)
        assert (run.score.value, str(run.score.signature)) == (alone.value, str(alone.signature))
        assert run.curve[-1].score == alone.value


def test_a_grid_over_direction_history_and_depth():
    train, dev = news_split()
    grid = {"direction": ["left-to-right", "right-to-left"], "history": [1, 2], "depth": [0, 1], "C": [0, 5]}
    options = {"learner": "lookahead-perceptron", "templates": TEMPLATES, "epochs": 2}
    tuning = tagloom.tune(train, dev, grid, keep=1, jobs=2, **options)
    assert len(tuning.trials) == 16
    for trial in tuning.trials[::5]:
        alone = tagloom.train(train, dev=dev, **options, **trial.options)
        assert trial.score == max(record.dev_score for record in alone.spec.history)


# -- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"learner": "averaged-perceptron", "direction": "right-to-left"},
            "learner 'averaged-perceptron' has no 'direction'; it takes: averaging",
        ),
        (
            {"learner": "lbfgs", "history": 2},
            "learner 'lbfgs' has no 'history'; it takes: c2, label_cutoff, memories, node_labels, period",
        ),
        ({"learner": "lookahead-perceptron", "beam": 8}, "learner 'lookahead-perceptron' has no 'beam'; it takes: "),
        ({"learner": "beam-perceptron", "depth": 1}, "learner 'beam-perceptron' has no 'depth'; it takes: "),
        ({"learner": "beam-perceptron", "direction": "up"}, "unknown direction 'up'"),
        ({"learner": "beam-perceptron", "update": "late"}, "unknown update 'late'"),
        ({"learner": "beam-perceptron", "history": 3}, "history: expected a whole number from 1 to 2, got 3"),
        (
            {"learner": "lookahead-perceptron", "depth": 1001},
            "depth: expected a whole number from 0 to 1,000, got 1001",
        ),
        ({"learner": "lookahead-perceptron", "C": -1}, "C: expected a number of 0 or more, at most 1e+12, got -1"),
        (
            {"learner": "beam-perceptron", "sequences": "documents"},
            "learner 'beam-perceptron' learns from sentences: sequences must be",
        ),
    ],
)
def test_options_that_do_not_go_together_are_refused(options: dict[str, Any], message: str):
    assert error_of(tagloom.train, TAGGED, **options).startswith(message)


def test_documents_may_be_joined():
    joined: Corpus = news()
    own = tagloom.train(joined, learner="lookahead-perceptron", sequences="joined", epochs=1, templates=TEMPLATES)
    assert len(own.tag_corpus(joined)) == joined.token_count
