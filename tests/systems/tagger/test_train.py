"""Training: the data and the choices it accepts."""

from __future__ import annotations

from pathlib import Path

import pytest

import tagloom
from tagloom.corpus import Corpus, from_sentences, to_string, write
from tagloom.errors import ConfigError, DataError
from tagloom.learners import Learner
from tests.systems.toy import TAGGED, crfsuite_corpus, news, weights


def tagged_corpus() -> Corpus:
    return from_sentences([words for words, _ in TAGGED], [tags for _, tags in TAGGED])


# -- data ------------------------------------------------------------------------------------------------------------


def test_pairs_corpus_and_file_give_the_same_model(tmp_path: Path):
    path = tmp_path / "train.txt"
    write(tagged_corpus(), path, "conll")
    sources = (TAGGED, tagged_corpus(), path, str(path))
    models = [
        tagloom.train(source, columns="form label" if isinstance(source, (str, Path)) else None) for source in sources
    ]
    assert len({weights(model) for model in models}) == 1
    assert all(model.tag(words) == tags for model in models for words, tags in TAGGED)


def test_columns_and_format_name_what_the_file_holds(tmp_path: Path):
    path = tmp_path / "train.txt"
    path.write_text(to_string(news(), "conll"), encoding="utf-8")
    model = tagloom.train(path, columns="word tag entity", format="conll", label="tag", epochs=1)
    assert (model.spec.columns, model.spec.label) == (("word", "entity"), "tag")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "no tokens"),
        ([([], [])], "no tokens"),
        (5, "expected a path, an open file, a Corpus, a list of sentences.*; got 5"),
        ([1, 2], "sentence 1: expected a list of tokens, got 1"),
        ([(["a"], ["X"], "more")], "token 3 is 'more', expected 1 fields"),
        ([(["a", "b"], ["X"])], "sentence 1 has 2 tokens, but 1 tags"),
        ([(["a"], [5])], r"expected a span \(start, stop, category\), got 5"),
        ([(["\ud800"], ["X"])], "valid Unicode"),
        ([("a b", "X Y")], "one column, 'form', and no labels"),
        ("no-such-file.txt", "no-such-file.txt: no such file"),
    ],
)
def test_data_of_no_use_is_refused_in_one_line(data: object, message: str):
    with pytest.raises(DataError, match=message) as error:
        tagloom.train(data)
    assert "\n" not in str(error.value)


# -- choices ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epochs": 0}, "epochs: expected a whole number of 1 or more, got 0"),
        ({"epochs": "3"}, "epochs: .* got '3'"),
        ({"epochs": 1.5}, "epochs"),
        ({"patience": 0}, "patience"),
        ({"seed": -1}, "seed"),
        ({"threads": 0}, "threads: expected a whole number from 1 to"),
        ({"threads": 2**70}, "threads"),
        ({"cutoff": 0}, "cutoff"),
        ({"cutoff": 2**32}, "cutoff"),
        ({"buckets": -1}, "buckets"),
        ({"buckets": 2**32}, "buckets"),
        ({"edge_pairs": "some"}, r"unknown edge_pairs 'some'; did you mean 'seen'\? \(known: all, seen\)"),
        ({"learner": "percepton"}, "unknown learner 'percepton'; did you mean 'perceptron'"),
        ({"learner": 5}, "learner: expected a name or a Learner, got 5"),
        ({"templates": "chunkin"}, "did you mean 'chunking'"),
        ({"templates": 5}, "templates: expected"),
        ({"templates": "from[0]"}, "did you mean 'form'"),
        ({"templates": "pos[0]"}, "unknown attribute or column"),
        ({"label": "tag"}, "unknown column of <memory> 'tag'"),
        ({"label": 5}, "label: expected the name of a column, got 5"),
        ({"scheme": "BIOES"}, "plain tags"),
        ({"scheme": 5}, "scheme: expected"),
        ({"attributes": 5}, "attributes: expected functions by name"),
        ({"sentence_attributes": [len]}, "sentence_attributes: expected"),
        ({"resources": "brown.txt"}, "resources: expected files by name"),
        ({"resources": {"browne": "x"}}, "unknown resource 'browne'; did you mean 'brown'"),
        ({"epoch": 3}, "unknown option of a tagger 'epoch'; did you mean 'epochs'"),
        ({"attributes": {"f": lambda word: 5}, "templates": "f[0]"}, "attribute 'f' returned 5"),
        ({"sentence_attributes": {"f": lambda words: []}, "templates": "f[0]"}, "expected 3 values .* got 0"),
    ],
)
def test_a_bad_choice_is_refused_in_one_line(options: dict, message: str):
    with pytest.raises(ConfigError, match=message) as error:
        tagloom.train(TAGGED, **options)
    assert "\n" not in str(error.value)


def test_the_label_is_the_last_column_unless_named():
    assert tagloom.train(news(), epochs=1).spec.label == "ner"
    assert tagloom.train(news(), epochs=1, label="pos").spec.label == "pos"
    assert tagloom.train(crfsuite_corpus(), epochs=1).spec.label == "label"


def test_words_are_needed_beside_labels():
    with pytest.raises(DataError, match="one column, 'form', and no labels"):
        tagloom.train(from_sentences([["a", "b"]]))


def test_attributes_are_no_labels():
    with pytest.raises(ConfigError, match="column 'attributes' holds attributes, not labels"):
        tagloom.train(crfsuite_corpus(), label="attributes")


def test_a_learner_of_ones_own_parts_is_taken():
    mine = Learner("mine", opponent="best", step="unit", averaging="none")
    named = tagloom.train(TAGGED, learner="perceptron", epochs=2)
    assert weights(tagloom.train(TAGGED, learner=mine, epochs=2)) == weights(named)
    assert weights(named) != weights(tagloom.train(TAGGED, learner="averaged-perceptron", epochs=2))


def test_the_cutoff_drops_rare_features():
    data = [(["often", "rare"], ["X", "Y"]), (["often", "often"], ["Y", "X"])]
    kept = {
        cutoff: feature_names(tagloom.train(data, templates="form[0]\n", cutoff=cutoff, epochs=1)) for cutoff in (1, 2)
    }
    assert kept == {1: {"form[0]=often", "form[0]=rare"}, 2: {"form[0]=often"}}
    assert tagloom.train(data, cutoff=10).tag(["rare", "often"])  # nothing is left but transitions


def feature_names(model: tagloom.Tagger) -> set[str]:
    names = model.parameters.node_names
    return {names[row] for row in range(len(names))}


def test_features_are_hashed_into_so_many_rows():
    hashed = tagloom.train(TAGGED, buckets=64, templates="form[{-1..0}]\nform[0] / edge\n/ edge\n")
    assert len(hashed.parameters.weights) >= 64 * 8
    assert hashed.parameters.node_names is None
    assert [hashed.tag(words) for words, _ in TAGGED] == [tags for _, tags in TAGGED]
    assert tagloom.train(TAGGED, buckets=1).tag(["the", "dog"])  # every feature in one row


def test_all_edge_pairs_or_only_those_seen():
    sizes = {}
    for pairs in ("seen", "all"):
        model = tagloom.train(
            TAGGED, templates="form[0]\nbias / edge\n", edge_pairs=pairs, epochs=1, learner="perceptron"
        )
        sizes[pairs] = len(model.parameters.edge_pairs)
        assert model.tag(["the", "dog"])
    assert sizes["seen"] <= sizes["all"]
