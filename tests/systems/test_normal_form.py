"""The normal form of a training is kept by the model and applied in use, whatever the words come in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tagloom
from tagloom.corpus import Corpus, from_sentences
from tests.systems.toy import crfsuite_corpus
from tests.treebank import treebank

_WIDE = {code: code + 0xFEE0 for code in range(ord("!"), ord("~") + 1)}


def wide(text: str) -> str:
    """The text in full-width characters, which NFKC makes plain ones."""
    return text.translate(_WIDE)


def widen(corpus: Corpus) -> Corpus:
    return corpus.with_column("form", [wide(text) for text in corpus.column("form").texts()])


def numbers() -> Corpus:
    """Plain tags."""
    pairs = [(["in", "1998", "he"], ["IN", "CD", "PRP"]), (["he", "saw", "12"], ["PRP", "VBD", "CD"]),
             (["12", "in", "7"], ["CD", "IN", "CD"])]  # fmt: skip
    return from_sentences([words for words, _ in pairs], [tags for _, tags in pairs])


def entities() -> Corpus:
    pairs = [(["in", "Bonn", "1998"], ["O", "B-LOC", "B-DATE"]), (["Ada", "saw", "Bonn"], ["B-PER", "O", "B-LOC"]),
             (["in", "12", "AD"], ["O", "B-DATE", "I-DATE"])]  # fmt: skip
    return from_sentences([words for words, _ in pairs], [tags for _, tags in pairs])


CASES: dict[str, tuple[Callable[[], Corpus], dict[str, Any]]] = {
    "tagger": (numbers, {"epochs": 5}),
    "phrases": (entities, {"system": "phrases", "cutoff": 1, "epochs": 3}),
    "parser": (lambda: treebank(12), {"system": "parser", "epochs": 2, "tag_folds": 2, "tagger": {"epochs": 1}}),
    "parser of gold tags": (lambda: treebank(12), {"system": "parser", "epochs": 2, "tags": "gold"}),
}


def sentences_of(corpus: Corpus, model: Any) -> list[list[Any]]:
    """Sentences as a model reads them."""
    columns = [list(corpus.iter_sentences(name)) for name in model.columns]
    return [list(words[0]) if len(words) == 1 else list(zip(*words)) for words in zip(*columns)]


def used(model: Any, sentences: list[list[Any]]) -> list[Any]:
    """What a model makes of sentences, without the words themselves."""
    if model.system == "parser":
        many, one = model.parse_many(sentences), [model.parse(sentence) for sentence in sentences]
        assert many == one
        found = [(parse.tags, parse.heads, parse.relations) for parse in many]
        return [*found, *([step.contributions for step in model.explain(each)] for each in sentences)]
    assert model.tag_many(sentences) == [model.tag(sentence) for sentence in sentences]
    if model.system == "phrases":
        return [*model.tag_many(sentences), *model.spans_many(sentences), *(model.explain(s).spans for s in sentences)]
    return [*model.tag_many(sentences), *([token.top() for token in model.explain(s)] for s in sentences)]


@pytest.mark.parametrize("case", CASES)
def test_words_in_any_form_are_the_same_words(case: str, tmp_path: Path) -> None:
    make, options = CASES[case]
    plain = make()
    model = tagloom.train(widen(plain), normalise="NFKC", **options)
    assert model.to_bytes() == tagloom.train(plain, normalise="NFKC", **options).to_bytes()
    model.save(tmp_path / "model")
    for each in (model, tagloom.load(tmp_path / "model")):
        assert each.spec.normal_form == "NFKC"
        assert used(each, sentences_of(widen(plain), each)) == used(each, sentences_of(plain, each))
        assert each.evaluate(widen(plain)).to_dict() == each.evaluate(plain).to_dict()
        annotated, expected = each.annotate(widen(plain)), each.annotate(plain)
        assert annotated.column("form").texts() == widen(plain).column("form").texts()  # words stay as they are
        for layer in each.layers:
            assert annotated.column(layer.column).texts() == expected.column(layer.column).texts()


@pytest.mark.parametrize("case", CASES)
def test_without_a_normal_form_words_are_taken_as_they_are(case: str) -> None:
    make, options = CASES[case]
    model = tagloom.train(make(), **options)
    assert model.spec.normal_form is None
    assert used(model, sentences_of(widen(make()), model)) != used(model, sentences_of(make(), model))


def test_a_parse_has_the_words_that_were_given() -> None:
    make, options = CASES["parser"]
    model = tagloom.train(make(), normalise="NFKC", **options)
    words = [wide("the"), wide("dog")]
    assert model.parse(words).forms == tuple(words)


def test_files_and_pairs_are_normalised_alike(tmp_path: Path) -> None:
    pairs = [(["１２", "in"], ["CD", "IN"]), (["in", "７"], ["IN", "CD"])]
    (tmp_path / "file").write_text("１２ CD\nin IN\n\nin IN\n７ CD\n", encoding="utf-8")
    options: dict[str, Any] = {"normalise": "NFKC", "epochs": 2}
    assert tagloom.train(pairs, **options).to_bytes() == tagloom.train(tmp_path / "file", **options).to_bytes()


def test_bags_of_attributes_are_normalised() -> None:
    model = tagloom.train(crfsuite_corpus(), normalise="NFKC", epochs=5)
    assert model.tag([[wide("w=dog")], {wide("w=barks"): 2.0}]) == model.tag([["w=dog"], {"w=barks": 2.0}])
    assert model.tag([[wide("w=barks")]]) == ["V"]


def test_all_columns_of_words_are_normalised_and_no_others() -> None:
    words, labels = ["a", "1", "2"], ["D", "N", "N"]
    corpus = Corpus.from_columns({"form": words, "lemma": words, "pos": ["X", "Ｘ", "Ｘ"], "label": labels}, [1, 2])
    model = tagloom.train(corpus, normalise="NFKC", templates="form[0]\nlemma[0]\npos[0]\n", epochs=3)
    wide_rows = [[(wide("a"), wide("a"), "X")], [(wide("1"), wide("1"), "Ｘ"), (wide("2"), wide("2"), "Ｘ")]]
    plain_rows = [[("a", "a", "X")], [("1", "1", "Ｘ"), ("2", "2", "Ｘ")]]
    tops = [[[t.top() for t in model.explain(rows)] for rows in each] for each in (wide_rows, plain_rows)]
    assert tops[0] == tops[1]
    names = {c.feature for token in model.explain(plain_rows[1]) for c in token.contributions}
    assert "pos[0]=Ｘ" in names


def test_a_training_goes_on_in_the_form_of_its_start() -> None:
    plain, start = numbers(), tagloom.train(numbers(), normalise="NFKC", epochs=2)
    more = tagloom.train(widen(plain), start=start, epochs=1)
    assert more.spec.normal_form == "NFKC"
    assert more.to_bytes() == tagloom.train(plain, start=start, epochs=1, normalise="NFKC").to_bytes()
    message = r"normalise: NFC is not what the start model was trained with \(NFKC\)"
    with pytest.raises(tagloom.ConfigError, match=message):
        tagloom.train(plain, start=start, normalise="NFC")
    with pytest.raises(tagloom.ConfigError, match=r"normalise: NFKC is not .* \(none\)"):
        tagloom.train(plain, start=tagloom.train(plain, epochs=1), normalise="NFKC")


@pytest.mark.parametrize("system", ["tagger", "parser", "phrases"])
def test_an_unknown_form_is_refused(system: str) -> None:
    with pytest.raises(tagloom.ConfigError, match="unknown normal form 'NFKD'"):
        tagloom.train(entities(), system=system, normalise="NFKD")
