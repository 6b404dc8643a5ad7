"""What a name in a template refers to: function, resource, column or built-in attribute, in that order."""

from __future__ import annotations

import pytest

from tagloom.corpus import Corpus
from tagloom.errors import ConfigError
from tagloom.features import AttributeSpec, FeatureEncoder, Statistics, Vocabulary, load_templates, parse_templates
from tests.features.vocabulary import bag_column, clusters, lexicon


def constant(_: object) -> str:
    return "v"


def resolve(text: str, vocabulary: Vocabulary) -> AttributeSpec:
    return vocabulary.resolve(parse_templates(text, "t").templates[0].parts[0])


def kind(text: str, vocabulary: Vocabulary) -> tuple[str, str, int, str]:
    spec = resolve(text, vocabulary)
    assert spec.text == text.partition("[")[0]
    return spec.kind, spec.name, spec.number, spec.column


def test_functions_come_before_resources_columns_and_built_ins() -> None:
    columns = ("word", "brown4", "lower")
    resources = {"brown": clusters()}
    bare = Vocabulary(columns)
    assert kind("lower[0]", bare) == ("native", "form", 0, "lower")
    assert kind("brown4[0]", bare) == ("native", "form", 0, "brown4")
    assert kind("upper[0]", Vocabulary(columns, word_functions={"upper": constant})) == ("word", "upper", 0, "word")
    with_resource = Vocabulary(columns, resources=resources)
    assert kind("brown4[0]", with_resource) == ("lookup", "brown", 4, "word")
    of_sentence = Vocabulary(columns, sentence_functions={"brown4": constant, "lower": constant}, resources=resources)
    assert kind("brown4[0]", of_sentence) == ("sentence", "brown4", 0, "word")
    assert kind("lower[0]", of_sentence) == ("sentence", "lower", 0, "word")
    of_word = Vocabulary(columns, word_functions={"lower": constant}, sentence_functions={"lower": constant})
    assert kind("lower[0]", of_word) == ("word", "lower", 0, "word")


def test_resources_under_names_of_their_own() -> None:
    resources = {"brown": clusters(), "brown:rcv1": clusters(), "lexicon:2": lexicon(), "gazetteer:web-x": lexicon()}
    vocabulary = Vocabulary(("word", "lemma"), word_functions={"brown4": constant}, resources=resources)
    assert kind("brown4[0]", vocabulary) == ("word", "brown4", 0, "word")
    for text, name in {
        "brown4:rcv1": "brown:rcv1", "brown:rcv1(lemma)": "brown:rcv1", "brown_folded12:rcv1": "brown:rcv1",
        "brown_folded": "brown", "lexicon_end6:2": "lexicon:2", "gazetteer_bioes:web-x(lemma)": "gazetteer:web-x",
    }.items():  # fmt: skip
        assert resolve(f"{text}[0]", vocabulary).resource == name
    assert resolve("brown4[0]", vocabulary).resource == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("brown4:web[0]", "unknown resource in template brown4:web[0]: 'brown:web'; did you mean 'brown:x1'?"),
        ("casing:x1[0]", "unknown resource in template casing:x1[0]: 'casing:x1'"),
        ("lower:x1[0]", "unknown attribute over a resource in template lower:x1[0]: 'lower'"),
        ("brown4[0]", "unknown attribute or column in template brown4[0]: 'brown' (known: "),
        ("lexicon_end:x1[0]", "template lexicon_end:x1[0]: lexicon_end needs a number, such as lexicon_end3"),
        ("brown1001:x1[0]", "template brown1001:x1[0]: expected a number of at most 1000"),
    ],
)
def test_named_resources_that_are_not_there(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        resolve(text, Vocabulary(("word", "pos"), resources={"lexicon:x1": lexicon(), "brown:x1": clusters()}))
    assert str(caught.value).startswith(message)
    if text == "brown4[0]":
        assert str(caught.value).endswith("or brown=train to make them of TRAIN, or write brown:x1 for the "
                                          "resource brown:x1")  # fmt: skip


def test_form_is_the_first_column_unless_one_has_that_name() -> None:
    assert kind("form[0]", Vocabulary(("word", "pos"))) == ("native", "form", 0, "word")
    assert kind("lower[0]", Vocabulary(("word", "pos"))) == ("native", "lower", 0, "word")
    assert kind("form(pos)[0]", Vocabulary(("word", "pos"))) == ("native", "form", 0, "pos")
    assert kind("form[0]", Vocabulary(("id", "form"))) == ("native", "form", 0, "form")
    assert kind("lower[0]", Vocabulary(("id", "form"))) == ("native", "lower", 0, "form")
    assert kind("form(#0)[0]", Vocabulary(("id", "form"))) == ("native", "form", 0, "id")
    assert FeatureEncoder(load_templates("bias\n"), Vocabulary(("id", "form"))).columns == ("form",)


@pytest.mark.parametrize("name", ["x2", "x02", "x0", "prefix3", "a1b2", "x-1", "x_1", "été"])
def test_columns_may_be_called_anything_that_the_language_can_write(name: str) -> None:
    vocabulary = Vocabulary(("word", name))
    assert kind(f"{name}[0]", vocabulary) == ("native", "form", 0, name)
    assert kind(f"suffix2({name})[0]", vocabulary) == ("native", "suffix", 2, name)
    assert kind("prefix2[0]", vocabulary) == ("native", "prefix", 2, "word")


def test_functions_and_resources_of_another_column() -> None:
    vocabulary = Vocabulary(
        ("word", "lemma"),
        word_functions={"f2": constant},
        sentence_functions={"g": constant},
        resources={"brown": clusters(), "lexicon": lexicon()},
    )
    assert kind("f2(lemma)[0]", vocabulary) == ("word", "f2", 0, "lemma")
    assert kind("g(lemma)[0]", vocabulary) == ("sentence", "g", 0, "lemma")
    assert kind("brown(lemma)[0]", vocabulary) == ("lookup", "brown", 0, "lemma")
    assert kind("lexicon(lemma)[0]", vocabulary) == ("matched", "lexicon", 0, "lemma")
    assert kind("form(#1)[0]", vocabulary) == ("native", "form", 0, "lemma")


def test_an_encoder_asks_only_for_the_columns_it_looks_at() -> None:
    vocabulary = Vocabulary(("word", "pos", "lemma"))
    assert FeatureEncoder(load_templates("lemma[0] form[0]\n"), vocabulary).columns == ("word", "lemma")
    assert FeatureEncoder(load_templates("pos[0]\n"), vocabulary).columns == ("pos",)
    assert FeatureEncoder(load_templates("bias\n"), vocabulary).columns == ("word",)


def test_a_corpus_without_the_column_is_refused() -> None:
    encoder = FeatureEncoder(load_templates("pos[0]\n"), Vocabulary(("form", "pos")))
    with pytest.raises(ConfigError, match="unknown column of news 'pos'"):
        encoder.batch(Corpus.from_columns({"form": ["a"], "tag": ["b"]}, [1], source="news"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lowr[0]", "unknown attribute or column in template lowr[0]: 'lowr'; did you mean 'lower'? (known: "),
        ("poss[-1]", "unknown attribute or column in template poss[-1]: 'poss'; did you mean 'pos'? (known: "),
        ("lower(ps)[0]", "unknown column in template lower(ps)[0]: 'ps'; did you mean 'pos'? (known: pos, word)"),
        ("lower(#2)[0]", "template lower(#2)[0]: expected one of the 2 columns without the label"),
        ("pos(word)[0]", "unknown attribute or column in template pos(word)[0]: 'pos' (known: bikel, "),
        ("prefix[0]", "template prefix[0]: prefix needs a number, such as prefix3"),
        ("ngram0[0]", "template ngram0[0]: ngram needs a number, such as ngram3"),
        ("lower2[0]", "template lower2[0]: lower takes no number"),
        ("lexicon2[0]", "template lexicon2[0]: lexicon takes no number"),
        ("same[0]", "template same[0]: same needs a number, such as same3"),
        ("lexicon_begin[0]", "template lexicon_begin[0]: lexicon_begin needs a number, such as lexicon_begin3"),
        ("av_left2[0]", "unknown attribute or column in template av_left2[0]: 'av_left' (known: bikel, "),
        ("suffix1001[0]", "template suffix1001[0]: expected a number of at most 1000"),
        ("ngram99999999999999999999[0]", "template ngram99999999999999999999[0]: expected a number of at most 1000"),
    ],
)
def test_names_that_mean_nothing(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        resolve(text, Vocabulary(("word", "pos"), resources={"lexicon": lexicon()}))
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "resource"),
    [("brown4", "brown"), ("gazetteer", "gazetteer"), ("lexicon", "lexicon"), ("lexicon_end6", "lexicon"),
     ("category2", "category"), ("entities", "entities"), ("av_left2", "statistics"), ("mi", "statistics"),
     ("vector", "vectors")],
)  # fmt: skip
def test_a_resource_that_was_not_given(name: str, resource: str) -> None:
    with pytest.raises(ConfigError, match=rf"; pass [\w ]+: --resource {resource}=F"):
        resolve(f"{name}[0]", Vocabulary(("word",)))


@pytest.mark.parametrize("number", ["", "1", "5"])
def test_varieties_are_of_two_to_four_characters(number: str) -> None:
    with pytest.raises(ConfigError, match=r"template av_left\d?\[0\]: .*av_left2"):
        resolve(f"av_left{number}[0]", Vocabulary(("word",), resources={"statistics": Statistics.count(["ab"])}))


@pytest.mark.parametrize("text", ["lower[0]", "prefix2(bag)[0]", "f[0]", "g[0]", "brown4[0]"])
def test_a_bag_has_no_words_that_attributes_could_be_of(text: str) -> None:
    vocabulary = Vocabulary(
        ("bag",), frozenset({"bag"}), {"f": constant}, {"g": constant}, resources={"brown": clusters()}
    )
    assert kind("form[0]", vocabulary) == kind("bag[0]", vocabulary) == ("bag", "form", 0, "bag")
    with pytest.raises(ConfigError, match=r"'bag' has several strings per token; use bag\[0\] instead"):
        resolve(text, vocabulary)


def test_a_bag_of_which_no_scales_are_known_counts_each_string_once() -> None:
    bag = bag_column([[("p", 2.0), ("q", 2.0)], []])
    corpus = Corpus.from_columns({"bag": type(bag)(bag.codes, bag.strings, bag.offsets)}, [2])
    encoder = FeatureEncoder(load_templates("bag[0]\n"), Vocabulary(("bag",), frozenset({"bag"})))
    store, batch = encoder.new_store(), encoder.batch(corpus)
    encoder.prepare(store, batch)
    described = encoder.describe(store, batch, 0)
    assert [[(f.name, f.value) for f in token] for token in described] == [[("bag[0]=p", 1.0), ("bag[0]=q", 1.0)], []]
