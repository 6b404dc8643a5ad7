"""Warm start: a training that goes on from another model, with features and labels old and new."""

from __future__ import annotations

import functools
import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tagloom
from tagloom.corpus import from_sentences
from tagloom.errors import ConfigError, DataError, TagloomError
from tagloom.features.encoder import Feature
from tagloom.systems import Model
from tests.systems.toy import TAGGED, all_rows, bag_model, crfsuite_corpus, entity_model, news, size, tagger, weights

NEW = [(["the", "dog", "sleeps", "!"], ["DT", "NN", "VBZ", "."]), (["!", "dogs"], [".", "NNS"])]
TEMPLATES = "form[{-1..0}]\nsuffix1[0]\nform[0] / edge\n/ edge\n"

Weights = dict[tuple[str, ...], float]


def named_weights(model: Model) -> Weights:
    """Weights other than zero by (feature, label), (label, label) and (feature, label, label): the plain truth."""
    parameters, chain, labels = model.parameters, model.chain, model.labels
    count, found = len(labels), {}
    nodes = parameters.weights[: chain.transition_begin].reshape(-1, chain.stride)[:, :count]
    for row, label in zip(*np.nonzero(nodes)):
        found[parameters.node_names[int(row)], labels[label]] = float(nodes[row, label])
    pairs = parameters.weights[chain.transition_begin : chain.edge_begin].reshape(-1, chain.stride)[:, :count]
    for before, label in zip(*np.nonzero(pairs)):
        found["", labels[before], labels[label]] = float(pairs[before, label])
    for row, (begin, end) in enumerate(itertools.pairwise(parameters.edge_offsets.tolist())):
        for place in range(begin, end):
            before, label = divmod(int(parameters.edge_pairs[place]), count)
            name = parameters.edge_names[row]
            found[name, labels[before], labels[label]] = float(parameters.weights[chain.edge_begin + place])
    return found


def described(model: Model, words: list[str]) -> list[list[Feature]]:
    store, batch = model.encoder.new_store(), model.encoder.batch(from_sentences([words]))
    model.encoder.prepare(store, batch)
    return model.encoder.describe(store, batch, 0)


def parts(tokens: list[list[Feature]], labels: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The parts of a labelled sentence."""
    found: list[tuple[str, ...]] = []
    for t, features in enumerate(tokens):
        found += [(f.name, labels[t]) for f in features if not f.edge]
        if t > 0:
            found.append(("", labels[t - 1], labels[t]))
            found += [(f.name, labels[t - 1], labels[t]) for f in features if f.edge]
    return found


@functools.cache
def small_model() -> Model:
    return tagloom.train(TAGGED, templates=TEMPLATES, epochs=2)


@given(tags=st.lists(st.sampled_from(["DT", "NN", "VBZ", "X", "Y"]), min_size=3, max_size=3))
def test_one_step_is_the_perceptrons_from_the_old_weights(tags: list[str]):
    """Collins 2002, Figure 1: w + phi(gold) - phi(best), with w of the start model; best found by enumeration."""
    start = small_model()
    words = ["the", "new", "barks"]
    grown = start.partial_fit([(words, tags)], learner="perceptron")
    expected, old = dict(named_weights(start)), named_weights(start)
    assert grown.labels == (*start.labels, *sorted(set(tags) - set(start.labels), key=tags.index))
    tokens = described(start, words)
    seen = set(parts(tokens, tuple(tags)))  # edge features own a weight only for the pairs seen with them
    sequences = itertools.product(grown.labels, repeat=3)
    best = max(sequences, key=lambda labels: sum(old.get(part, 0.0) for part in parts(tokens, labels)))
    for sign, labels in ((1, tuple(tags)), (-1, best)):
        for part in parts(tokens, labels):
            owned = len(part) == 2 or part[0] == "" or part in old or part in seen
            expected[part] = expected.get(part, 0.0) + sign * owned
    found = named_weights(grown)
    assert found.keys() == {part for part, weight in expected.items() if weight}
    assert all(found[part] == pytest.approx(expected[part], abs=1e-5) for part in found)


def test_what_is_right_already_stays_as_it_is():
    start = tagger()
    again = tagloom.train(TAGGED, start=start, learner="perceptron")
    assert [record.updates for record in again.spec.history] == [0]
    assert (again.labels, weights(again)) == (start.labels, weights(start))
    assert named_weights(again) == named_weights(start)
    assert np.array_equal(again.parameters.known_words, start.parameters.known_words)


def test_new_features_and_labels_are_learned_and_old_ones_kept():
    start = tagger()
    before = named_weights(start)
    grown = tagloom.train(NEW, start=start)
    assert grown.labels == (*start.labels, ".")
    assert [grown.tag(words) for words, _ in NEW] == [tags for _, tags in NEW]
    after = named_weights(grown)
    assert {part for part in before if "cat" in part[0] or "bark" in part[0]} <= after.keys()
    assert any("!" in part[0] for part in after)
    assert set(start.parameters.known_words.tolist()) < set(grown.parameters.known_words.tolist())
    assert named_weights(start) == before


def test_the_signature_tells_the_start():
    start = tagger()
    grown = start.partial_fit(NEW)
    assert grown.spec.start == str(start.spec.signature)
    assert "|start:" in str(grown.spec.signature)
    assert "|start:" not in str(start.spec.signature)
    assert grown.partial_fit(NEW).spec.signature != grown.spec.signature
    assert len(grown.spec.history) == 1


def test_a_start_may_be_a_file_and_the_result_be_saved(tmp_path: Path):
    tagger().save(tmp_path / "start")
    one, other = tagloom.train(NEW, start=tmp_path / "start"), tagloom.train(NEW, start=tagger())
    one.save(tmp_path / "one")
    other.save(tmp_path / "other")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()
    assert tagloom.load(tmp_path / "one").spec == one.spec


def test_the_dev_score_sees_features_that_only_the_start_model_has():
    grown = tagloom.train([(["a", "b"], ["DT", "NN"])], start=tagger(), dev=TAGGED, epochs=1, learner="perceptron")
    (record,) = grown.spec.history
    assert record.dev_score == pytest.approx(grown.evaluate(from_sentences(*map(list, zip(*TAGGED)))).accuracy)
    assert record.dev_score > 50


def test_features_the_start_model_knows_are_not_cut_off():
    start = tagloom.train(TAGGED, templates="form[0]\n", epochs=5)
    grown = start.partial_fit([(["barks", "unheard"], ["NN", "NN"])], cutoff=2, learner="perceptron")
    changed = {part for part, weight in named_weights(grown).items() if named_weights(start).get(part) != weight}
    assert ("form[0]=barks", "NN") in changed
    assert not any("unheard" in part[0] for part in named_weights(grown))


# -- schemes, columns, functions, resources --------------------------------------------------------------------------


def test_spans_go_on_in_the_scheme_of_the_start_model():
    start = tagloom.train([(["Bonn", "is", "old"], ["B-LOC", "O", "O"])], scheme="BIOES")
    for tags in (["B-PER", "I-PER", "O"], ["B-PER", "E-PER", "O"]):
        grown = tagloom.train([(["Ada", "Lovelace", "slept"], tags)], start=start, epochs=5)
        assert (grown.spec.scheme, grown.spec.written_scheme) == ("BIOES", "IOB2")
        assert grown.labels[: len(start.labels)] == start.labels
        assert {"B-PER", "E-PER"} < set(grown.labels)
        assert grown.tag(["Ada", "Lovelace", "slept"]) == ["B-PER", "I-PER", "O"]
    assert start.partial_fit([(["rain"], ["O"])]).labels == start.labels
    with pytest.raises(DataError, match="holds plain tags, the start model decides on spans in BIOES"):
        start.partial_fit([(["the", "dog"], ["DT", "NN"])])


def test_columns_functions_and_edges_are_taken_over():
    start = entity_model()
    later = news().slice(0, 30)
    grown = tagloom.train(later, start=start, epochs=1)
    assert grown.encoder.vocabulary.word_functions == {"size": size}
    assert len(named_weights(start).keys() - named_weights(grown).keys()) < 0.2 * len(named_weights(start))
    assert grown.tag_many(all_rows(news()))
    swapped = from_sentences(
        [[(pos, form, ner) for form, pos, ner in zip(*(later.sentence(i, c) for c in later.names))] for i in range(30)],
        columns="pos form ner",
    )
    assert weights(tagloom.train(swapped, start=start, epochs=1)) == weights(grown)
    unnamed = from_sentences([list(zip(*(later.sentence(i, c) for c in later.names))) for i in range(30)])
    assert unnamed.names == ["form", "pos", "label"]
    assert weights(tagloom.train(unnamed, start=start, epochs=1)) == weights(grown)
    with pytest.raises(DataError, match="missing columns: form pos ner"):
        tagloom.train(later.rename(["a", "b", "c"]), start=start)
    with pytest.raises(DataError, match="missing columns: form pos ner"):
        tagloom.train(from_sentences([[("a", "O")]], columns="a b"), start=start)


def test_functions_of_a_loaded_start_model_are_given_anew(tmp_path: Path):
    entity_model().save(tmp_path / "model")
    later = news().slice(0, 20)
    expected = weights(tagloom.train(later, start=entity_model(), epochs=1))
    assert weights(tagloom.train(later, start=tmp_path / "model", attributes={"size": size}, epochs=1)) == expected
    with pytest.raises(ConfigError, match="uses the attribute function 'size'"):
        tagloom.train(later, start=tmp_path / "model")
    with pytest.raises(ConfigError, match="unknown attribute function of the start model 'other'"):
        tagloom.train(later, start=entity_model(), attributes={"other": size})


def test_resources_are_taken_over(tmp_path: Path):
    (tmp_path / "clusters").write_text("001\tthe\n010\tdog\n", encoding="utf-8")
    (tmp_path / "others").write_text("001\tthe\n011\tdog\n", encoding="utf-8")
    start = tagloom.train(TAGGED, templates="brown2[0]\n", resources={"brown": tmp_path / "clusters"})
    grown = start.partial_fit(NEW, resources={"brown": tmp_path / "clusters"})
    assert grown.resources.keys() == {"brown"}
    with pytest.raises(ConfigError, match="resources: brown is not what the start model was made with"):
        start.partial_fit(NEW, resources={"brown": tmp_path / "others"})


def test_bags_of_attributes_go_on():
    grown = bag_model().partial_fit(crfsuite_corpus())
    assert grown.labels == bag_model().labels
    with pytest.raises(DataError, match="holds one word per token, but the model reads a bag of attributes"):
        bag_model().partial_fit(TAGGED)


@pytest.mark.parametrize("templates", ["form[{-1..0}]\n/ edge\n", TEMPLATES])
def test_hashed_rows_are_the_same(templates: str):
    start = tagloom.train(TAGGED, buckets=64, templates=templates)
    grown = tagloom.train(NEW, start=start, epochs=20)
    assert grown.spec.buckets == 64
    assert [grown.tag(words) for words, _ in NEW] == [tags for _, tags in NEW]
    same = tagloom.train(TAGGED, start=start, learner="perceptron")
    assert weights(same) == weights(start)


def test_a_start_model_without_names_gives_one_without(tmp_path: Path):
    tagger().save(tmp_path / "stripped", names=False)
    grown = tagloom.train(NEW, start=tmp_path / "stripped")
    assert grown.parameters.node_names is None
    assert weights(grown) == weights(tagloom.train(NEW, start=tagger()))
    with pytest.raises(ConfigError, match="names: the start model was saved without"):
        tagloom.train(NEW, start=tmp_path / "stripped", names=True)


# -- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"templates": "form[0]\n"}, "templates: "),
        ({"scheme": "BIOES"}, "scheme: BIOES is not what the start model was made with .plain tags."),
        ({"buckets": 10}, "buckets: 10 is not .* .0."),
        ({"label": "pos"}, "label: pos is not .* .label."),
        ({"resources": {"brown": "missing"}}, "resources: brown is not"),
        ({"epochs": 0}, "epochs"),
        ({"strat": 0}, "unknown option"),
    ],
)
def test_contradicting_options_are_refused_in_one_line(options: dict[str, object], message: str):
    with pytest.raises(TagloomError, match=message) as error:
        tagloom.train(NEW, start=tagger(), **options)
    assert "\n" not in str(error.value)


def test_options_that_agree_are_taken():
    start = tagger()
    same = {"templates": "words", "buckets": 0, "label": "label"}
    assert weights(tagloom.train(NEW, start=start, **same)) == weights(tagloom.train(NEW, start=start))


def test_learner_and_seed_are_the_start_models_unless_given():
    start = tagloom.train(TAGGED, learner="perceptron", seed=7, cutoff=2)
    spec = start.partial_fit(NEW).spec
    assert (spec.learner, spec.seed, spec.cutoff) == ("perceptron", 7, 2)
    assert start.partial_fit(NEW, seed=8, learner="averaged-perceptron").spec.seed == 8


def test_what_is_no_model_is_refused():
    with pytest.raises(ConfigError, match="start: expected a model or the path"):
        tagloom.train(NEW, start=3)  # type: ignore[arg-type]
    with pytest.raises(TagloomError, match="no such model file"):
        tagloom.train(NEW, start="missing")


def test_settings_are_those_of_the_start_models_learner():
    start = tagloom.train(TAGGED, learner="lbfgs", c2=0.25)
    assert start.partial_fit(NEW).spec.settings == {"c2": 0.25}
    assert start.partial_fit(NEW, learner="lbfgs").spec.settings == {"c2": 0.25}
    assert start.partial_fit(NEW, c2=0.5).spec.settings == {"c2": 0.5}
    assert start.partial_fit(NEW, learner="pa", C=0.1).spec.settings == {"C": 0.1}
    with pytest.raises(ConfigError, match="learner 'lbfgs' has no 'C'"):
        start.partial_fit(NEW, C=0.1)


@pytest.mark.parametrize("learner", ["lbfgs", "owlqn"])
@pytest.mark.parametrize("node_labels", ["seen", "all"])
def test_batch_learners_keep_features_that_the_new_data_does_not_show(learner: str, node_labels: str):
    start = tagloom.train(TAGGED, templates="form[0]")
    grown = tagloom.train([(["fish"], ["NN"])], start=start, learner=learner, node_labels=node_labels)
    for words, tags in TAGGED:
        assert grown.tag(words) == start.tag(words) == tags


def test_costs_are_kept_with_the_model_and_told_by_its_signature(tmp_path: Path):
    start = tagloom.train(TAGGED, learner="pa", cost={"NN": {"DT": 3.0}})
    start.save(tmp_path / "model")
    again = tagloom.load(tmp_path / "model")
    assert again.spec.costs == {"NN": {"DT": 3.0}}
    assert again.partial_fit(NEW).spec.costs == {"NN": {"DT": 3.0}}
    assert again.partial_fit(NEW, cost=None).spec.costs == {}
    assert again.partial_fit(NEW, learner="madf").spec.costs == {}
    plain = tagloom.train(TAGGED, learner="pa")
    assert str(start.spec.signature) != str(plain.spec.signature)
    labels = start.labels
    matrix = 1.0 - np.eye(len(labels))
    matrix[labels.index("NN"), labels.index("DT")] = 3.0
    same = tagloom.train(TAGGED, learner="pa", cost=matrix)
    assert (weights(same), same.spec) == (weights(start), start.spec)


def test_a_line_cannot_be_added_to_a_start_model() -> None:
    start = tagloom.train([(["the", "dog"], ["DT", "NN"])], epochs=1)
    with pytest.raises(ConfigError, match="provide: a training that begins from a model has the columns"):
        tagloom.train([(["the", "dog"], ["DT", "NN"])], start=start, provide="pos")
