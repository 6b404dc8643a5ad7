"""Text in, annotations out: calls, streams, spans, scores, segmenters and functions as tokenizers."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tagloom
from tagloom.text import Annotation
from tests.strategies import unhurried
from tests.systems.test_line import ner_model, pos_model
from tests.systems.tokenizer.toy import bank, tokenizer
from tests.systems.toy import TAGGED

TEXT = "Barack Obama visited Paris.  He left\non Monday!\n\nNo one knew."
CHINESE = [("我 爱 北京 天安门", "S S BE BME"), ("他 在 北京 工作", "S S BE BE"), ("工作 在 天安门", "BE S BME")]


@functools.cache
def segmenter() -> tagloom.Tagger:
    pairs = [(list(text.replace(" ", "")), list(labels.replace(" ", ""))) for text, labels in CHINESE]
    return tagloom.train(pairs * 4, epochs=10)


def check_places(annotation: Annotation, text: str) -> None:
    """Tokens stand at their places, in order, and cover everything but blanks."""
    assert annotation.text == text
    last = 0
    for token in annotation.tokens:
        assert text[token.start : token.end] == token.text
        assert not text[last : token.start].strip()
        last = token.end
    assert not text[last:].strip()


def list_models() -> list[Any]:
    return [ner_model(), pos_model(), tokenizer(), segmenter()]


@unhurried
@given(st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from(" \n.aB我１ﬁ"), max_size=40))
def test_every_character_is_in_one_token(text: str) -> None:
    for model in list_models():
        check_places(model(text), text)


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\t \n"])
def test_blank_text_is_empty(text: str) -> None:
    for model in list_models():
        found = model(text)
        assert (len(found.tokens), list(found.sents), found.spans) == (0, [], ())
        assert next(iter(model.pipe([text]))).text == text
    assert len(ner_model()([]).tokens) == 0


def test_text_and_its_tokens_agree() -> None:
    found = ner_model()(TEXT)
    check_places(found, TEXT)
    words = [[token.text for token in sentence.tokens] for sentence in found.sents]
    assert list(found.column("ner")) == [label for labels in ner_model().tag_many(words) for label in labels]
    one = ner_model()(words[0])
    assert list(one.column("ner")) == ner_model().tag(words[0])
    assert list(one.column("pos")) == list(found.column("pos"))[: len(words[0])]
    assert one.text == " ".join(words[0])


def test_spans_have_places_and_the_least_score_of_their_tokens() -> None:
    words = [word for word, label in zip(*_entity_sentence()) if label is not None]
    text = " ".join(words)
    found = ner_model()(text, confidence=True)
    spans = found.spans_of("ner")
    assert spans
    for span in spans:
        assert text[span.start : span.end] == " ".join(token.text for token in found.tokens[span.first : span.last])
        assert span.score == min(token.score for token in found.tokens[span.first : span.last])
        assert 0 < span.score <= 1
    assert [(each.first, each.last, each.label) for each in spans] == ner_model().spans(words)
    assert all(token.score is None for token in ner_model()(text).tokens)
    with pytest.raises(tagloom.ConfigError, match="does not label spans"):
        pos_model().spans(words)


def _entity_sentence() -> tuple[list[str], list[str]]:
    from tests.systems.test_line import small

    corpus = small()
    for number in range(len(corpus)):
        words = corpus.sentence(number, "form")
        if ner_model().spans(words) and [t.text for t in ner_model()(" ".join(words)).tokens] == words:
            return words, corpus.sentence(number, "ner")
    raise AssertionError("no sentence with an entity")


def test_wrong_input_is_one_line() -> None:
    calls = [
        lambda: list(ner_model().pipe([TEXT, 5])),  # type: ignore[list-item]
        lambda: list(ner_model().pipe([["a", "b"]])),  # type: ignore[list-item]
        lambda: ner_model()(TEXT, threads=0),
        lambda: ner_model()(TEXT, no_such=1),
        lambda: tokenizer()(TEXT, no_such=1),
        lambda: tokenizer()(TEXT, confidence=True),
        lambda: segmenter()("我爱", confidence=True),
        lambda: pos_model()("lone \ud800 surrogate"),
        lambda: pos_model().segment("text"),
    ]
    for call in calls:
        with pytest.raises(tagloom.TagloomError) as error:
            call()
        assert "\n" not in str(error.value)


def test_learned_tokenizers_take_lone_surrogates() -> None:
    found = tokenizer()("a\ud800 b")
    assert [(token.start, token.end) for token in found.tokens][-1] == (3, 4)


# -- streams -----------------------------------------------------------------------------------------------------------


class Counted:
    """A stream that counts how many texts were taken from it."""

    def __init__(self, texts: list[str]) -> None:
        self.texts, self.taken = texts, 0

    def __iter__(self) -> Iterator[str]:
        for text in self.texts:
            self.taken += 1
            yield text


def test_streams_keep_their_order() -> None:
    texts = [f"Ada left number {number}. Bob came." for number in range(50)]
    texts[7] = texts[9] = ""
    for model in list_models():
        found = list(model.pipe(iter(texts), threads=2))
        assert [each.text for each in found] == texts
        assert found == [model(text) for text in texts]


@pytest.mark.parametrize(("length", "most"), [(1 << 12, 40), (1 << 18, 1)])
def test_no_more_than_a_batch_is_taken_ahead(length: int, most: int) -> None:
    source = Counted(["word " * (length // 5)] * 120)
    stream = pos_model().pipe(source)
    assert source.taken == 0
    for number in range(4):
        next(stream)
        assert source.taken <= number + most


def test_empty_texts_fill_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tagloom.systems.text._BATCH_CHARACTERS", 1000)
    source = Counted([""] * 1500)
    next(pos_model().pipe(source))
    assert source.taken == 1000


# -- segmenters --------------------------------------------------------------------------------------------------------


def test_a_segmenter_makes_words() -> None:
    text = "我爱北京\n他在 天安门工作"
    found = segmenter()(text)
    check_places(found, text)
    words = [token.text for token in found.tokens]
    assert {"北京", "天安门", "工作"} <= set(words)
    assert [sentence.text for sentence in found.sents] == text.split("\n")
    assert segmenter().segments_text
    assert not segmenter().is_tokenizer
    labels = segmenter().tag(list("我爱北京"))
    assert labels == ["S", "S", "B", "E"]


@unhurried
@given(st.text("我爱北京天安门他在工作 \n１", max_size=30))
def test_words_are_cut_by_the_labels_of_their_characters(text: str) -> None:
    found = segmenter().segment(text)
    begins = set(found.starts.tolist())
    for line_start, line in _lines(text):
        solid = [place for place, c in enumerate(line) if not c.isspace()]
        labels = segmenter().tag([line[place] for place in solid]) if solid else []
        for place, label in zip(solid, labels):
            after_blank = place == 0 or line[place - 1].isspace()
            assert ((line_start + place) in begins) == (label in "BS" or after_blank)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    place = 0
    for line in text.split("\n"):
        yield place, line
        place += len(line) + 1


def test_a_segmenter_is_the_tokenizer_of_another_model(tmp_path: Path) -> None:
    segmenter().save(tmp_path / "words.tagloom")
    tagged = [(["我", "爱", "北京"], ["PN", "VV", "NR"]), (["他", "在", "天安门"], ["PN", "P", "NR"])]
    models = [tagloom.train(tagged, tokenizer=each, epochs=5) for each in (segmenter(), tmp_path / "words.tagloom")]
    assert models[0].to_bytes() == models[1].to_bytes()
    models[0].save(tmp_path / "pos.tagloom")
    model = tagloom.load(tmp_path / "pos.tagloom")
    found = model("我爱天安门")
    check_places(found, "我爱天安门")
    assert [(token.text, token["label"]) for token in found.tokens] == [("我", "PN"), ("爱", "VV"), ("天安门", "NR")]


def test_a_segmenter_of_a_normal_form_keeps_the_places_of_the_text() -> None:
    pairs = [(list("1990年我爱"), list("BMMMESS")), (list("我1990年"), list("SBMMME"))]
    model = tagloom.train(pairs * 4, epochs=10, normalise="NFKC")
    for text in ("我１９９０年", "我1990年"):
        found = model(text)
        check_places(found, text)
        assert [token.start for token in found.tokens] == [0, 1]


# -- functions ---------------------------------------------------------------------------------------------------------


def ptb(text: str) -> list[str]:
    """A function with the name of a tokenizer of rules."""
    return text.replace("-", " ").split()


def test_a_function_is_named_in_the_file_and_given_again(tmp_path: Path) -> None:
    model = tagloom.train(TAGGED, tokenizer=ptb, epochs=2)
    assert [token.text for token in model("the-dog barks").tokens] == ["the", "dog", "barks"]
    model.save(tmp_path / "m")
    again = tagloom.load(tmp_path / "m", functions={"ptb": ptb})
    assert again("the-dog barks") == model("the-dog barks")
    assert again.to_bytes() == model.to_bytes()
    without = tagloom.load(tmp_path / "m")
    assert without.tag(["the", "dog"]) == model.tag(["the", "dog"])
    assert list(without(["the", "dog"]).column("label")) == model.tag(["the", "dog"])
    assert without.to_bytes() == model.to_bytes()
    with pytest.raises(tagloom.ConfigError) as error:
        without("the dog")
    assert str(error.value) == (
        "the model cuts text by a function 'ptb' of its user; pass it as functions={'ptb': ...} to load, or name "
        "another tokenizer"
    )


def test_a_function_that_makes_other_tokens_is_one_line() -> None:
    model = tagloom.train(TAGGED, tokenizer=lambda text: ["not", "there"], epochs=1)
    with pytest.raises(tagloom.DataError) as error:
        model("the dog")
    assert "'not', is not in the text" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("pbt", "unknown tokenizer 'pbt'; did you mean 'ptb'?"),
        (5, "tokenizer: expected a name, a function or a model that cuts text, got 5"),
    ],
)
def test_unknown_tokenizers_are_one_line(given: Any, message: str) -> None:
    with pytest.raises(tagloom.ConfigError) as error:
        tagloom.train(TAGGED, tokenizer=given)
    assert str(error.value).startswith(message)


def test_a_model_that_cuts_no_text_is_no_tokenizer() -> None:
    with pytest.raises(tagloom.ConfigError, match="expected a name, a function or a model that cuts text"):
        tagloom.train(TAGGED, tokenizer=pos_model())


def test_tokenizers_fit_the_data() -> None:
    def name(data: Any) -> str:
        return tagloom.train(data, epochs=1).tokenizer.name

    assert name(TAGGED) == "unicode"
    assert name([(["do", "n't"], ["VB", "RB"])]) == "ptb"
    assert name([(list("我爱你"), ["A", "B", "C"])]) == "character"


def test_the_learned_tokenizer_learns() -> None:
    text = "The cats sleep here. The dog doesn't bark.\nDogs bark here."
    found = tokenizer()(text)
    assert [sentence.text for sentence in found.sents] == [
        "The cats sleep here.", "The dog doesn't bark.", "Dogs bark here.",
    ]  # fmt: skip
    assert "doesn't" not in list(found.words)
    assert list(found.words)[7:9] == ["does", "n't"]
    assert found.multiwords.tolist() == [[7, 9]]
    score = tokenizer().evaluate(bank())
    assert score.value > 95
