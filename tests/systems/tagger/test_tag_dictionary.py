"""Tag dictionaries: frequent words take only labels that they were seen with, however the model decides."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tagloom
from tagloom.errors import ConfigError
from tagloom.systems.tagger.encode import EncodedCorpus, identify_training
from tagloom.systems.tagger.learn import WeightScorer
from tagloom.systems.tagger.options import TaggerOptions
from tagloom.systems.tagger.task import Task
from tests.oracle import tag_dictionary as oracle
from tests.systems.forgery import Tensors, assert_refused
from tests.systems.toy import TAGGED, crfsuite_corpus, news, news_split

#: "saw" is a verb three times; what stands before it alone would make it a noun after "the".
SAWS = [(["I", "saw", "it"], ["PRP", "VBD", "PRP"])] * 3 + [
    (["the", "dog"], ["DT", "NN"]),
    (["the", "man"], ["DT", "NN"]),
] * 4
CONTEXT = "form[-1]\n/ edge\n"  # no feature of the word itself, so that the dictionary decides
LEARNERS = ("averaged-perceptron", "sgd")


def saws(**options: Any) -> tagloom.Tagger:
    return tagloom.train(SAWS, templates=CONTEXT, **{"tag_dictionary": 3, **options})


def entities(**options: Any) -> tagloom.Tagger:
    return tagloom.train(news(), label="ner", templates="form[0]\nshape[{-1..1}]\n/ edge", epochs=2, **options)


@pytest.mark.parametrize("decoder", ["viterbi", "posterior"])
@pytest.mark.parametrize("learner", LEARNERS)
def test_a_frequent_word_takes_a_label_it_was_seen_with(learner: str, decoder: str):
    assert saws(learner=learner, tag_dictionary=0).tag(["the", "saw"], decoder=decoder)[1] == "NN"
    assert saws(learner=learner).tag(["the", "saw"], decoder=decoder)[1] == "VBD"
    assert saws(learner=learner, tag_dictionary=4).tag(["the", "saw"], decoder=decoder)[1] == "NN"  # seen three times


def test_the_words_and_their_labels_are_those_counted():
    model = saws()
    known = oracle.counted(SAWS, 3)
    dictionary = model.parameters.tag_dictionary
    assert dictionary is not None
    found = {
        word: {label for label, flag in zip(model.labels, row) if flag}
        for word in known
        for row in [dictionary.seen()[dictionary.words.tolist().index(tagloom._core.hash_string(word))]]
    }
    assert (len(dictionary), found) == (len(known), known)


def test_the_users_constraints_win():
    model = saws()
    assert model.tag(["the", "saw"], [None, ["NN", "VBD"]])[1] == "VBD"  # both hold
    assert model.tag(["the", "saw"], [None, "NN"])[1] == "NN"  # nothing is left of the dictionary
    assert model.nbest(["the", "saw"], 5, [None, "NN"])[0].labels[1] == "NN"


@pytest.mark.parametrize("learner", LEARNERS)
def test_the_n_best_are_those_it_leaves(learner: str):
    model = saws(learner=learner)
    candidates = model.nbest(["the", "saw", "new"], 1000)
    assert len(candidates) == len(model.labels)  # of the last word
    assert {tuple(c.labels[:2]) for c in candidates} == {("DT", "VBD")}
    assert model.nbest_corpus(tagloom.from_sentences([["the", "saw", "new"]]), 1000)[0] == candidates


def test_probabilities_are_of_what_it_leaves():
    model, words = saws(learner="sgd"), ["the", "saw", "new"]
    sequences = list(itertools.product(model.labels, repeat=3))
    chances = {labels: model.probability(words, labels) for labels in sequences}
    assert sum(chances.values()) == pytest.approx(1, abs=1e-4)
    assert {labels[:2] for labels, chance in chances.items() if chance} == {("DT", "VBD")}
    for candidate in model.nbest(words, 1000):
        assert candidate.probability == pytest.approx(chances[tuple(candidate.labels)], rel=1e-3)
    marginals = model.marginals(words)
    for t, (y, label) in itertools.product(range(3), enumerate(model.labels)):
        expected = math.fsum(chance for labels, chance in chances.items() if labels[t] == label)
        assert marginals[t, y] == pytest.approx(expected, abs=1e-4)
    _, sure = model.confidences(tagloom.from_sentences([words]))
    assert sure.tolist()[:2] == pytest.approx([1, 1])


def test_rescored_candidates_obey_it():
    model = tagloom.train(
        news(), label="ner", templates="form[-1]\n/ edge", learner="nonlocal-perceptron", epochs=1, tag_dictionary=5,
        candidates=4,
    )  # fmt: skip
    assert_obeys(model)


@pytest.mark.parametrize("options", [{}, {"scheme": "BIOES"}, {"sequences": "joined"}])
def test_entities_obey_it_where_a_legal_sequence_is_left(options: dict[str, str]):
    assert_obeys(entities(tag_dictionary=2, **options))


def assert_obeys(model: tagloom.Tagger) -> None:
    """The training text has a legal sequence, its own, so that every word that is listed obeys."""
    dictionary = model.parameters.tag_dictionary
    assert dictionary is not None
    batch, sequences = model.batch_sequences(news())
    session = tagloom.systems.tagger.session.Session(model.encoder)
    model.encoder.prepare(session.store, batch)
    labels = model._decode(session, batch, np.zeros(0, np.uint8), 1, sequences=sequences)
    table, codes = model.encoder.words(batch)
    place = np.searchsorted(dictionary.words, table.hashes()[codes])
    listed = np.isin(table.hashes()[codes], dictionary.words)
    assert listed.sum() > 100
    assert dictionary.seen()[place[listed], labels[listed]].all()


def test_a_sentence_without_a_legal_sequence_is_free():
    data = [(["Al", "Smith"], ["B-PER", "E-PER"]), (["no"], ["O"])]
    free, held = (tagloom.train(data, tag_dictionary=least) for least in (0, 1))
    assert held.tag(["Smith", "Al"]) == free.tag(["Smith", "Al"])  # E-PER cannot begin
    assert held.tag(["Smith"]) == free.tag(["Smith"])
    assert held.tag_many([["Al", "Smith"], [], ["Smith"]])[0] == ["B-PER", "E-PER"]
    with pytest.raises(ConfigError, match="no label sequence"):
        held.tag(["Al", "Smith"], ["E-PER", None])


def test_development_scores_are_those_of_the_model():
    train, dev = news_split()
    model = tagloom.train(train, dev=dev, label="pos", templates="form[-1]\n/ edge", epochs=3, tag_dictionary=2)
    best = max(record.dev_score for record in model.spec.history)
    assert model.evaluate(dev).value == pytest.approx(best)
    assert "tag_dictionary:2" in str(model.evaluate(dev).signature)
    plain = tagloom.train(train, dev=dev, label="pos", templates="form[-1]\n/ edge", epochs=3)
    assert plain.evaluate(dev).value < best
    assert "tag_dictionary" not in str(plain.spec.signature)


def test_learning_itself_is_not_changed():
    assert saws(epochs=2).parameters.weights.tobytes() == saws(epochs=2, tag_dictionary=0).parameters.weights.tobytes()


def test_files_keep_it(tmp_path: Path):
    model = entities(tag_dictionary=2)
    model.save(tmp_path / "model")
    again = tagloom.load(tmp_path / "model")
    assert again.spec.tag_dictionary == 2
    assert again.tag_corpus(news()).texts() == model.tag_corpus(news()).texts()
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


def test_damaged_arrays_are_refused(tmp_path: Path):
    entities(tag_dictionary=2).save(tmp_path / "model")

    def put(name: str, change: Any):
        def forged(tensors: Tensors, _: dict[str, Any]) -> None:
            tensors[f"tag_dictionary.{name}"] = change(tensors[f"tag_dictionary.{name}"])

        return forged

    changes = [
        put("words", lambda old: old[:-1]),
        put("words", lambda old: old[::-1].copy()),
        put("words", lambda old: old.astype(np.int64)),
        put("words", lambda old: old.astype(np.float32)),
        put("bits", lambda old: old[:-1]),
        put("bits", lambda old: old * 0),
        put("bits", lambda old: old | 128),
        put("bits", lambda old: old.astype(np.uint32)),
        put("bits", lambda old: old[:0]),
        lambda tensors, _: tensors.pop("tag_dictionary.words"),
        lambda tensors, _: tensors.pop("tag_dictionary.bits"),
        lambda _, header: header["spec"].update(tag_dictionary=0),
        lambda _, header: header["spec"].update(tag_dictionary=-1),
        lambda _, header: header["spec"].update(tag_dictionary="2"),
        lambda _, header: header["spec"].update(tag_dictionary=None),
    ]
    for change in changes:
        assert_refused(tmp_path / "model", tmp_path / "forged", change)


def test_a_warm_start_goes_on_with_it():
    first = saws()
    more = first.partial_fit([(["the", "saw", "ran"], ["DT", "NN", "VBD"])] * 3 + [(["rare"], ["JJ"])])
    assert more.spec.tag_dictionary == 3
    dictionary = more.parameters.tag_dictionary
    assert dictionary is not None
    old, new = ({*each.parameters.tag_dictionary.words.tolist()} for each in (first, more))
    assert new - old == {tagloom._core.hash_string("ran")}
    labels = {label for c in more.nbest(["saw"], 100) for label in c.labels}
    assert labels == {"VBD", "NN"}  # those of then and those of now
    assert "JJ" in more.labels


def test_a_word_whose_old_labels_are_not_known_stays_free():
    first = tagloom.train([*TAGGED, (["bank"], ["NN"])], tag_dictionary=3)
    more = first.partial_fit([(["bank"], ["VBP"])] * 5)
    assert {label for c in more.nbest(["bank"], 100) for label in c.labels} == set(more.labels)
    dropped = first.partial_fit([(["bank"], ["VBP"])], tag_dictionary=0)
    assert dropped.parameters.tag_dictionary is None


def test_the_identity_of_a_training_knows_it():
    train, dev = news_split()
    identities = []
    for least in (0, 2, 3):
        options = TaggerOptions(label="ner", templates="form[0]", tag_dictionary=least)
        encoded = EncodedCorpus.encode(Task.plan(train, options), options)
        identities.append(identify_training(encoded, options, dev))
        assert (len(WeightScorer(encoded, dev, 1).allowed) > 0) == (least > 0)
    for one, other in itertools.combinations(identities, 2):
        assert {name for name in one if one[name] != other[name]} == {"tag_dictionary", "dictionary"}


@pytest.mark.parametrize("least", [-1, 1.5, True, "2", None])
def test_no_number_of_times(least: object):
    with pytest.raises(ConfigError, match="tag_dictionary"):
        tagloom.train(TAGGED, tag_dictionary=least)


def test_bags_of_attributes_have_none():
    with pytest.raises(ConfigError, match="holds attributes, not words"):
        tagloom.train(crfsuite_corpus(), tag_dictionary=1)
