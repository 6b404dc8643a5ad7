"""Training a parser: what it learns, what decides its bytes, checkpoints, Ctrl-C, options, refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tagloom
from tagloom.corpus import Corpus, read_trees
from tagloom.errors import ConfigError, DataError
from tagloom.systems import Parser, Progress
from tests.treebank import treebank

TRAIN, DEV, TEST = treebank(60, 1), treebank(15, 2), treebank(20, 3)
SMALL = "s{0..1}.form\ns0.tag s1.tag\ns0.tag s1.tag q0.tag\ns1.tag s1.lc.tag s0.tag\nq0.form\nq0.tag s0.tag\n"


#: Options of both kinds of tags.
TAGS: dict[str, dict[str, Any]] = {"gold": {"tags": "gold"}, "predicted": {"tags": "predicted", "tag_folds": 2}}


def trained(data: Corpus = TRAIN, **options: Any) -> Parser:
    chosen: dict[str, Any] = {"templates": SMALL, "tags": "gold", "epochs": 3, **options}
    return tagloom.train(data, system="parser", **chosen)


def saved(parser: Parser, path: Path) -> bytes:
    parser.save(path)
    return path.read_bytes()


def columns(corpus: Corpus, **texts: list[str]) -> Corpus:
    for name, column in texts.items():
        corpus = corpus.with_column(name, column)
    return corpus


@pytest.mark.parametrize(
    "options",
    [
        {"depth": 0},
        {"depth": 2},
        {"learner": "beam-perceptron"},
        {"learner": "beam-perceptron", "update": "early"},
        {"transitions": "arc-hybrid", "depth": 1},
        {"transitions": "arc-hybrid", "beam": 4},
        {"transitions": "arc-hybrid", "depth": 0, "exploration": 1},
    ],
)
def test_it_learns(options: dict[str, Any]) -> None:
    score = trained(epochs=8, templates="zhang-nivre", dev=DEV, **options).evaluate(TEST)
    assert score.uas > 93  # prepositional phrases are ambiguous
    assert score.to_dict()["las"] > 93


@pytest.mark.parametrize("tags", ["gold", "predicted"])
def test_bytes_do_not_depend_on_threads_and_survive_loading(tags: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {"dev": DEV, **TAGS[tags]}
    one = trained(**options)
    first = saved(one, tmp_path / "one")
    assert saved(trained(**options, threads=3), tmp_path / "three") == first
    again = tagloom.load(tmp_path / "one")
    assert saved(again, tmp_path / "again") == first
    for threads in (1, 2, 5):
        assert np.array_equal(again.parse_corpus(TEST, threads).heads, one.parse_corpus(TEST).heads)
    assert saved(trained(**options, seed=2), tmp_path / "other") != first


class KilledError(Exception):
    pass


@pytest.mark.parametrize("learner", ["lookahead-perceptron", "beam-perceptron"])
@pytest.mark.parametrize("tags", ["gold", "predicted"])
def test_a_killed_training_ends_in_the_same_bytes(tmp_path: Path, learner: str, tags: str) -> None:
    options: dict[str, Any] = {"learner": learner, **TAGS[tags], "dev": DEV, "epochs": 4}
    whole = saved(trained(**options), tmp_path / "whole")

    def stop(progress: Progress) -> None:
        if progress.record is not None and progress.record.epoch == 2:
            raise KilledError

    checkpoint = tmp_path / "checkpoint"
    with pytest.raises(KilledError):
        trained(**options, checkpoint=checkpoint, on_progress=stop)
    with pytest.raises(ConfigError, match="a checkpoint of another training"):
        trained(**{**options, "seed": 5}, checkpoint=checkpoint)
    told: list[Progress] = []
    resumed = trained(**options, checkpoint=checkpoint, on_progress=told.append)
    assert saved(resumed, tmp_path / "resumed") == whole
    assert [p.record.epoch for p in told if p.record] == [3, 4]
    assert not checkpoint.exists()


def test_ctrl_c_keeps_the_best_so_far() -> None:
    def stop(progress: Progress) -> None:
        phases.append(progress.phase)
        if progress.record is not None and progress.record.epoch == 2:
            raise KeyboardInterrupt

    phases: list[str] = []
    parser = trained(epochs=9, on_progress=stop)
    assert phases == ["encoded", "epoch", "epoch", "interrupted"]
    assert len(parser.spec.history) == 2
    assert parser.evaluate(TEST).uas > 80
    with pytest.raises(KeyboardInterrupt):  # in tagging: nothing is there to keep
        trained(tags="predicted", on_progress=lambda p: (_ for _ in ()).throw(KeyboardInterrupt))


def test_phases() -> None:
    told: list[Progress] = []
    trained(treebank(40, 1, crossing=0.3), tags="predicted", tag_folds=2, dev=DEV, epochs=1, on_progress=told.append)
    assert [p.phase for p in told] == ["tagging"] * 5 + ["note", "encoded", "epoch"]
    assert "trees are not projective; they are lifted" in told[5].message
    assert told[-1].record is not None
    assert told[-1].record.dev_score is not None


def test_predicted_tags_are_the_taggers() -> None:
    parser = trained(tags="predicted", tag_folds=3)
    assert parser.tagger is not None
    assert parser.columns == ("form",)
    wrong = columns(TEST, upos=["X"] * TEST.token_count)
    assert np.array_equal(parser.parse_corpus(wrong).heads, parser.parse_corpus(TEST).heads)
    tagged = parser.annotate(wrong)
    assert tagged.column("upos").texts() == parser.tagger.tag_corpus(TEST).texts()
    assert read_trees(tagged).heads.tolist() == parser.parse_corpus(TEST).heads.tolist()
    assert parser.parse(["the", "dog", "sleeps"]).tags == ("DET", "NOUN", "VERB")


def test_gold_tags_are_read() -> None:
    parser = trained()
    assert (parser.tagger, parser.columns) == (None, ("form", "upos"))
    found = parser.parse([("the", "DET"), ("dog", "NOUN"), ("sleeps", "VERB")])
    assert (found.heads, found.relations) == ((2, 3, 0), ("det", "nsubj", "root"))
    with pytest.raises(DataError, match=r"token 1: .* got one word \(this model reads: form upos\)"):
        parser.parse(["the", "dog"])
    with pytest.raises(DataError, match="missing column: upos"):
        parser.parse_corpus(Corpus.from_columns({"form": ["a"]}, [1]))


def test_options_of_the_tagger() -> None:
    parser = trained(tags="predicted", tag_folds=2, tagger={"epochs": 2, "learner": "perceptron"})
    assert parser.tagger is not None
    assert (parser.tagger.spec.learner, len(parser.tagger.spec.history)) == ("perceptron", 2)
    with pytest.raises(ConfigError, match="epoch"):
        trained(tags="predicted", tagger={"epoch": 2})


def test_the_column_of_tags() -> None:
    as_pos = treebank(30, 1, tag="pos")
    assert trained(as_pos).spec.tag == "pos"
    two = columns(TRAIN, mine=TRAIN.column("upos").texts(), upos=["X"] * TRAIN.token_count)
    assert trained(two, tag="mine").spec.tag == "mine"
    assert trained(two, tag="mine").evaluate(columns(TEST, mine=TEST.column("upos").texts())).uas > 80
    with pytest.raises(ConfigError, match=r"needs a column of part-of-speech tags \(upos, pos, xpos\), found: form"):
        trained(treebank(5, 1, tag="other"))
    with pytest.raises(ConfigError, match="unknown column"):
        trained(tag="mine")


def test_without_relations() -> None:
    parser = trained(relations=False)
    assert (parser.parameters.relations, parser.spec.root) == ((), None)
    assert parser.parse([("dog", "NOUN"), ("sleeps", "VERB")]).relations is None
    score = parser.evaluate(TEST)
    assert "las" not in score.to_dict()
    assert "system:parser,no-relations|" in str(score.signature)
    assert set(parser.annotate(TEST).column("deprel").texts()) == {"_"}  # not those of other heads
    bare = Corpus({name: TRAIN.column(name) for name in ("form", "upos", "head")}, TRAIN.sentences, TRAIN.documents)
    assert "deprel" not in trained(bare).annotate(bare).columns


def test_relations_of_any_name_and_the_roots() -> None:
    names = {"det": "a|b", "nsubj": "日本 語", "obj": "=", "root": "ROOT!", "punct": "", "case": "shift"}
    odd = [names.get(text, text) for text in TRAIN.column("deprel").texts()]
    parser = trained(columns(TRAIN, deprel=odd), non_projective="skip", epochs=5)
    assert parser.spec.root == "ROOT!"
    found = parser.parse([("the", "DET"), ("dog", "NOUN"), ("sleeps", "VERB"), (".", "PUNCT")])
    assert found.relations == ("a|b", "日本 語", "ROOT!", "")
    with pytest.raises(DataError, match=r"<memory>: relation 'a\|b' contains '\|', which marks lifted arcs"):
        trained(columns(TRAIN, deprel=odd))
    assert {step.action for step in parser.explain([("the", "DET"), ("dog", "NOUN")])} <= {
        "shift", *(f"{way} {name}".strip() for way in ("left", "right") for name in parser.parameters.relations)
    }  # fmt: skip


def test_non_projective_trees_are_skipped_or_lifted() -> None:
    crossing = treebank(80, 1, crossing=0.5)
    skipping, lifting = (trained(crossing, non_projective=how, epochs=10) for how in ("skip", "lift"))
    assert not any("|" in name for name in skipping.parameters.relations)
    assert any("|" in name for name in lifting.parameters.relations)
    found = lifting.annotate(crossing)
    assert not any("|" in name for name in found.column("deprel").texts())
    assert lifting.evaluate(crossing).uas > skipping.evaluate(crossing).uas + 2  # crossing arcs come back
    assert "system:parser,no-non-projective|" in str(skipping.spec.signature)
    with pytest.raises(DataError, match="no tree to learn from: all are non-projective; pass non_projective='lift'"):
        trained(treebank(5, 1, crossing=1.0), non_projective="skip")


def test_state_templates_read_resources_and_functions(tmp_path: Path) -> None:
    clusters = {"dog": "0010", "cat": "0011", "man": "010", "the": "11", "a": "10"}
    (tmp_path / "brown").write_text("".join(f"{path}\t{word}\t5\n" for word, path in clusters.items()))
    templates = "s0.brown2 s1.vowels\nq0.place s0.suffix2\ns0.tag s1.tag\ns0.brown\n"

    def vowels(word: str) -> str:
        return str(sum(letter in "aeiou" for letter in word))

    def place(words: list[str]) -> list[str]:
        return [str(number % 3) for number in range(len(words))]

    own = {"vowels": vowels, "place": place}
    parser = trained(
        templates=templates, attributes={"vowels": vowels}, sentence_attributes={"place": place},
        resources={"brown": tmp_path / "brown"},
    )  # fmt: skip
    saved(parser, tmp_path / "parser")
    again = tagloom.load(tmp_path / "parser", functions=own)
    assert again.parse_corpus(TEST).heads.tolist() == parser.parse_corpus(TEST).heads.tolist()
    names = {name.split("=")[0] for step in again.explain([("the", "DET"), ("dog", "NOUN")]) for name, _ in
             step.contributions}  # fmt: skip
    assert {"s0.brown2", "q0.place", "s0.tag", "s0.brown"} <= names
    with pytest.raises(ConfigError, match="load it with functions="):
        tagloom.load(tmp_path / "parser").parse([("the", "DET")])


def test_templates_that_read_relations() -> None:
    templates = "s0.lc.relation s0.tag\ns1.rc.relation s1.rc2.relation\ns0.tag s1.tag\ns0.vl s0.vr\ndistance\n"
    for relations in (True, False):
        parser = trained(templates=templates, relations=relations)
        assert parser.evaluate(TEST).uas > 50


HYBRID = SMALL + "q0.lc.tag q0.tag s0.tag\nq0.vl q0.tag\nq0.lc.relation s0.tag\ngap s0.tag q0.tag\n"


@pytest.mark.parametrize("search", [{"depth": 0, "exploration": 2}, {"depth": 1}, {"beam": 4}])
def test_arc_hybrid_is_explained_saved_and_trained_further(search: dict[str, int], tmp_path: Path) -> None:
    options: dict[str, Any] = {"templates": HYBRID, "transitions": "arc-hybrid", "epochs": 4, **search}
    parser = trained(**options)
    assert "system:parser,arc-hybrid|" in str(parser.spec.signature)
    first = saved(parser, tmp_path / "one")
    again = tagloom.load(tmp_path / "one")
    assert saved(again, tmp_path / "again") == first
    assert np.array_equal(again.parse_corpus(TEST, 2).heads, parser.parse_corpus(TEST).heads)
    assert again.read_training_options()["transitions"] == "arc-hybrid"
    steps = again.explain([("the", "DET"), ("dog", "NOUN"), ("sleeps", "VERB")])
    assert [step.action for step in steps] == ["shift", "left det", "shift", "left nsubj", "shift"]
    assert [step.word for step in steps] == [0, 0, 1, 1, 2]
    names = {name.split("=")[0] for step in steps for name, _ in step.contributions}
    assert {"gap", "q0.vl", "q0.lc.tag"} <= names
    if "depth" in search:  # what is said to contribute adds up to the margin, without lookahead
        scores = again.spec.search["depth"] == 0
        for step in steps:
            if scores and step.rival is not None:
                assert sum(weight for _, weight in step.contributions) == pytest.approx(step.margin, abs=1e-3)


def test_exploration_changes_what_is_learned() -> None:
    options: dict[str, Any] = {"transitions": "arc-hybrid", "depth": 0, "epochs": 4}
    never, late, early = (trained(**options, **each) for each in ({}, {"exploration": 9}, {"exploration": 0}))
    assert np.array_equal(never.parameters.weights, late.parameters.weights)
    assert not np.array_equal(never.parameters.weights, early.parameters.weights)


def test_defaults_depend_on_search_and_transitions() -> None:
    for search, learner, templates in (
        ({}, "beam-perceptron", "parsing"),
        ({"depth": 0}, "lookahead-perceptron", "parsing"),
        ({"depth": 1}, "lookahead-perceptron", "parsing"),
        ({"transitions": "arc-hybrid"}, "beam-perceptron", "parsing-hybrid"),
        ({"C": 5.0}, "lookahead-perceptron", "parsing"),
    ):
        spec = trained(templates=None, epochs=1, **search).spec
        assert (spec.learner, spec.templates.name) == (learner, templates)


def test_feats_are_read_if_a_template_names_them() -> None:
    with_feats = columns(TRAIN, feats=["Case=Nom" if token % 2 else "_" for token in range(TRAIN.token_count)])
    assert trained(with_feats).columns == ("form", "upos")
    reading = trained(with_feats, templates=SMALL + "s0.feats s1.feats\n")
    assert reading.columns == ("form", "upos", "feats")


def test_templates_without_words() -> None:
    parser = trained(templates="s0.tag s1.tag\ns0.tag q0.tag\ns1.tag s0.tag q0.tag\n")
    found = parser.parse([("the", "DET"), ("dog", "NOUN"), ("sleeps", "VERB")])
    assert (found.forms, found.heads) == (("the", "dog", "sleeps"), (2, 3, 0))
    assert trained(templates="distance\n").parse([("a", "DET"), ("b", "DET")]).heads in ((0, 1), (2, 0))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"templates": "zhang-nivr"}, "did you mean 'zhang-nivre'"),
        ({"templates": "s0.form\ns0.suffix\n"}, "suffix needs a number"),
        ({"templates": "s0.form\ns0.chunk\n"}, "unknown attribute or column in template"),
        ({"templates": "s0.deprel\n"}, "unknown attribute or column in template"),
        ({"templates": "s0.head\n"}, "unknown attribute or column in template"),
        ({"learner": "averaged-perceptron"}, "does not parse; choose lookahead-perceptron or beam-perceptron"),
        ({"learner": "crff"}, "unknown learner 'crff'"),
        ({"direction": "left-to-right"}, "unknown option of a parser 'direction'"),
        ({"history": 2}, "unknown option of a parser 'history'"),
        ({"learner": "lookahead-perceptron", "beam": 4}, "beam"),
        ({"transitions": "arc-eager"}, "unknown transitions 'arc-eager'"),
        ({"exploration": 1}, "exploration: a dynamic oracle needs transitions='arc-hybrid'"),
        ({"exploration": 1, "transitions": "arc-hybrid", "depth": 1}, "depth=0"),
        ({"templates": "q0.lc.tag\n"}, "words of the queue have children in arc-hybrid only"),
        ({"depth": -1}, "depth"),
        ({"depth": 17}, "depth: expected a whole number from 0 to 16 for a parser, got 17"),
        ({"tags": "silver"}, "unknown tags 'silver'"),
        ({"non_projective": "drop"}, "unknown non_projective 'drop' (known: lift, skip)"),
        ({"scheme": "BIO"}, "unknown option of a parser 'scheme'"),
        ({"templates": 3}, "templates: expected a name, a file or template text, got 3"),
        ({"head": ["head"]}, "head: expected the name of a column"),
        ({"tag": 3}, "tag: expected the name of a column"),
        ({"attributes": {"tag": len}}, "attribute 'tag': state templates have this name already"),
        ({"sentence_attributes": {"vl": len}}, "attribute 'vl': state templates have this name already"),
        ({"tag_folds": 1}, "tag_folds"),
        ({"tag_folds": 2, "tags": "gold"}, "tag_folds: with tags='gold' no tagger is trained"),
        ({"tagger": {"epochs": 2}, "tags": "gold"}, "tagger: with tags='gold' no tagger is trained"),
        ({"tagger": "pos"}, "tagger: expected options by name, got 'pos'"),
        ({"tagger": {"label": "xpos"}}, "tagger: 'label' is set by tag of the parser"),
        ({"tagger": {"folds": 3}}, "tagger: 'folds' is set by tag_folds of the parser"),
        ({"tagger": {"jobs": 2}}, "unknown option of the tagger 'jobs'"),
        ({"tags": ["gold"]}, "unknown tags"),
        ({"relations": "no"}, "relations: expected True or False, got 'no'"),
        ({"relation": "head"}, "relation: 'head' is the column of the heads"),
        ({"epochs": 0}, "epochs"),
        ({"head": "heads"}, "unknown column"),
        ({"relation": "relation"}, "unknown column"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, Any], message: str) -> None:
    told: list[Progress] = []
    with pytest.raises(ConfigError) as error:
        trained(tags=options.pop("tags", "predicted"), on_progress=told.append, **options)
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    assert not told  # refused before the work


def test_data_that_cannot_be_learned_from() -> None:
    with pytest.raises(DataError, match="1 sentence, too few to predict tags"):
        trained(treebank(1), tags="predicted")
    with pytest.raises(ConfigError, match="unknown column"):
        trained(dev=Corpus.from_columns({"form": ["a"], "upos": ["X"]}, [1]))
    many = columns(TRAIN, deprel=[f"r{token}" for token in range(TRAIN.token_count)])
    assert len(trained(many, epochs=1).parameters.relations) > 300
    large = treebank(400, 1)
    with pytest.raises(DataError, match="relations, a parser has at most 2,048"):
        trained(columns(large, deprel=[f"r{token}" for token in range(large.token_count)]))


def test_sentences_of_one_word_teach_nothing_and_do_no_harm() -> None:
    ones = Corpus.from_columns(
        {"form": ["Yes", "No"], "upos": ["INTJ"] * 2, "head": ["0"] * 2, "deprel": ["root"] * 2}, [1, 1]
    )
    found = trained(ones).parse([("Yes", "INTJ"), ("no", "INTJ")])
    assert sorted(found.heads)[0] == 0
    assert trained(ones).parse([("Yes", "INTJ")]).relations == ("root",)


def test_a_column_without_tags_is_not_taken() -> None:
    nothing = ["_"] * TRAIN.token_count
    both = TRAIN.with_column("xpos", TRAIN.column("upos")).with_column("upos", nothing)
    assert trained(both).spec.tag == "xpos"
    for data, options in ((both, {"tag": "upos"}), (TRAIN.with_column("upos", nothing), {})):
        with pytest.raises(DataError, match="upos: no tags, '_' only; name a column with tag"):
            trained(data, **options)


def test_fine_tags_and_clusters_are_provided_for_new_text(tmp_path: Path) -> None:
    fine = columns(TRAIN, xpos=[tag[:2] for tag in TRAIN.column("upos").texts()])
    clusters = {"dog": "0010", "cat": "0011", "man": "010", "the": "11", "a": "10"}
    (tmp_path / "brown").write_text("".join(f"{path}\t{word}\t5\n" for word, path in clusters.items()))
    parser = trained(
        fine, templates="parsing-extended", provide="xpos", tags="predicted", tag_folds=2, epochs=2,
        resources={"brown": tmp_path / "brown"}, tagger={"epochs": 1},
    )  # fmt: skip
    assert parser.columns == ("form",)
    assert parser.evaluate(columns(TEST, xpos=["?"] * TEST.token_count)).uas > 80
    with pytest.raises(ConfigError, match="xpos"):
        trained(templates="parsing-extended", resources={"brown": tmp_path / "brown"})
