"""The entry to scoring: what is counted, in which scheme it is read, and what it looks like."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tagloom.corpus.corpus import Column
from tagloom.corpus.schemes import IOB1, IOB2, SCHEMES, SCN
from tagloom.corpus.spans import convert_labels
from tagloom.errors import ConfigError, DataError
from tagloom.evaluate import Score, SegmentationScore, Signature, SpanScore, TagScore, score
from tests.oracle import spans as oracle


def column(labels: str) -> Column:
    return Column.from_strings(labels.split())


def score_one(gold: str, predicted: str, **options: object) -> Score:
    """The score of one sentence."""
    return score(column(gold), column(predicted), np.array([0, len(gold.split())]), **options)


def test_gold_labels_decide_what_is_counted():
    assert isinstance(score_one("B-X O", "O O"), SpanScore)
    assert isinstance(score_one("DT NN", "DT NN"), TagScore)
    assert isinstance(score_one("B E S", "B E S"), SegmentationScore)
    assert isinstance(score_one("B-NN E-NN S-VV", "B-NN E-NN S-VV"), SpanScore)
    assert isinstance(score_one("B I B", "B I I"), SegmentationScore)
    assert isinstance(score_one("B I O", "B I I"), SpanScore)


def test_accuracy_can_be_asked_for_labels_of_a_scheme():
    result = score_one("B-X I-X O", "B-X O O", rule="accuracy")
    assert isinstance(result, TagScore)
    assert (result.accuracy, result.rule) == (pytest.approx(200 / 3), "accuracy")


def test_spans_predicted_where_gold_has_none_are_wrong():
    assert score_one("O O O", "B-X I-X O").overall.predicted == 1


def test_nothing_to_find_and_nothing_found_is_zero():
    result = score_one("O O", "O O", scheme="IOB2")
    assert (result.overall.precision, result.overall.recall, result.overall.f1, result.accuracy) == (0, 0, 0, 100)


def test_strict_drops_what_conlleval_counts():
    arguments = "B-X I-X O B-Y", "I-X I-X O B-Y"
    assert score_one(*arguments).overall.correct == 2
    assert score_one(*arguments, rule="strict").overall.correct == 1


@given(
    pairs=st.lists(st.tuples(*[st.sampled_from(oracle.inventory("IOB2", ["X", "Y"]))] * 2), max_size=12),
    schemes=st.tuples(*[st.sampled_from(list(SCHEMES.values()))] * 2),
    rule=st.sampled_from(["conlleval", "strict"]),
)
def test_spans_are_compared_whatever_the_schemes(pairs: list[tuple[str, str]], schemes: tuple, rule: str):
    # Against strict IOB2, predictions in IOB1 are errors.
    assume((*schemes, rule) != (IOB2, IOB1, "strict"))
    gold, predicted = (Column.from_strings(side) for side in zip(*pairs, ("B-X", "B-X")))
    sentences = np.array([0, len(gold)])
    sides = [convert_labels(side, sentences, IOB2, scheme) for side, scheme in zip((gold, predicted), schemes)]
    result = score(*sides, sentences, scheme=schemes[0], rule=rule)
    assert result.counts.by_kind() == score(gold, predicted, sentences, scheme=IOB2).counts.by_kind()


def test_labels_of_another_scheme_are_converted_for_the_accuracy():
    assert score_one("B-X I-X O B-Y", "B-X E-X O S-Y").accuracy == 100
    assert score_one("I-X I-X O I-Y", "S-X C-X N S-Y").accuracy == 100
    # Where the prefixes are gold's, labels are compared as they stand, as by conlleval.
    assert score_one("I-X I-X O I-Y", "B-X I-X O B-Y").accuracy == 50
    assert score_one("I-X I-X O I-Y", "B-X I-X O B-Y").overall.f1 == 100


def test_ill_formed_predictions_are_read_in_the_scheme_of_gold():
    assert score_one("B-X O B-X", "I-X O I-X", rule="strict").overall.predicted == 0
    assert score_one("I-X O I-X", "B-X O B-X", rule="strict").overall.correct == 2
    assert score_one("S-X O B-X E-X", "S-X O E-X E-X", rule="strict").overall.correct == 1


def test_known_and_unknown_tokens():
    gold, predicted, forms = "DT NN VB NN", "DT NN NN JJ", column("the cat sleeps purr")
    result = score_one(gold, predicted, known={"the", "sleeps", "cat"}, forms=forms)
    assert (result.accuracy, result.known, result.unknown) == (50, pytest.approx(200 / 3), 0)
    masked = score_one(gold, predicted, known=np.array([True, True, True, False]))
    assert masked.to_dict() == result.to_dict()
    everything = score_one(gold, predicted, known=np.ones(4, dtype=np.bool_))
    assert (everything.known, everything.unknown) == (50, None)
    spans = score_one("B-X O", "B-X B-X", known=np.array([True, False]))
    assert (spans.known, spans.unknown) == (100, 0)


def test_segmentation_with_lexicon():
    # 中国 | 人 | 喜欢 | 茶 against 中国人 | 喜欢 | 茶
    result = score_one(
        "B E S B E S", "B M E B E S", forms=column("中 国 人 喜 欢 茶"), lexicon={"中国", "喜欢", "中国人"}
    )
    assert isinstance(result, SegmentationScore)
    assert (result.overall.correct, result.overall.predicted, result.overall.gold) == (2, 3, 4)
    assert (result.oov_recall, result.iv_recall, result.oov_rate) == (50, 50, 50)
    assert "recall 50.00 of 2 words out of vocabulary" in str(result)
    plain = score_one("B E S B E S", "B M E B E S")
    assert (plain.overall, plain.oov_recall, plain.oov_rate) == (result.overall, None, None)


@given(st.lists(st.tuples(st.sampled_from(["a", "b", "cc"]), *[st.sampled_from("BMES")] * 2), min_size=1, max_size=12))
def test_words_in_and_out_of_the_lexicon_are_all_words(tokens: list[tuple[str, str, str]]):
    characters, gold, predicted = (Column.from_strings(side) for side in zip(*tokens))
    sentences = np.array([0, len(tokens)])
    lexicon = {"a", "cc", "ab", "acc"}
    result = score(gold, predicted, sentences, scheme="BMES", forms=characters, lexicon=lexicon)
    words = ["".join(characters.texts(*span[:2])) for span in oracle.read_lenient(gold.texts(), "BMES")]
    assert result.overall == score(gold, predicted, sentences, scheme="BMES").overall
    assert result.oov_rate == pytest.approx(100 * np.mean([word not in lexicon for word in words]))


def test_print_and_dictionary_carry_the_signature():
    signature = Signature(system="chain", learner="averaged-perceptron", seed=1, data="3f2a", version="0.1.0")
    result = score_one("B-X I-X O B-Y", "B-X I-X O O").with_signature(signature)
    line = "tagloom:0.1.0|system:chain|learner:averaged-perceptron|seed:1|data:3f2a|rule:conlleval"
    assert str(result).splitlines()[-1] == str(result.signature) == result.to_dict()["signature"] == line
    assert json.loads(json.dumps(result.to_dict()))["f1"] == pytest.approx(200 / 3)
    assert result.to_dict()["types"]["Y"]["recall"] == 0


def test_tags_have_the_same_keys_as_spans():
    values = score_one("DT NN", "DT VB").to_dict()
    assert [values[key] for key in ("precision", "recall", "f1", "accuracy")] == [50] * 4
    assert values["rule"] == "accuracy"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"rule": "conleval"}, ConfigError, "unknown scoring rule 'conleval'; did you mean 'conlleval'?"),
        ({"scheme": "IOB3"}, ConfigError, "unknown label scheme 'IOB3'"),
        ({"known": {"a"}}, ConfigError, "pass forms"),
        ({"known": np.array([True])}, ConfigError, "known: expected a mask of 2 booleans"),
        ({"lexicon": {"a"}}, ConfigError, "a lexicon needs the characters"),
        ({"scheme": SCN, "rule": "strict"}, DataError, "label 'B' does not belong to SCN"),
    ],
)
def test_wrong_options(options: dict, error: type[Exception], message: str):
    with pytest.raises(error) as caught:
        score_one("B I", "B I", **options)
    assert message in str(caught.value)


def test_columns_must_be_parallel():
    with pytest.raises(DataError, match="gold has 2 tokens, predicted 1, forms 2, the sentences 2"):
        score_one("O O", "O")
    with pytest.raises(DataError, match="forms 1, the sentences 2"):
        score_one("O O", "O O", forms=column("a"))
    bag = Column(np.zeros(2, np.int32), column("O").strings, offsets=np.array([0, 2]))
    with pytest.raises(DataError, match="one string per token"):
        score(bag, bag, np.array([0, 1]))


def test_a_scheme_may_be_given_as_object():
    assert score_one("I-X O", "I-X O", scheme=IOB1).overall.correct == 1
