"""The line before a model: providers in order, jackknifed training, words alone in use, and files that hold it all."""

from __future__ import annotations

import functools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tagloom
from tagloom.corpus import Column, Corpus
from tagloom.schema.limits import MOST_PROVIDERS
from tagloom.systems.line import Line, Provision
from tagloom.systems.provide import build_line, provide_unseen
from tagloom.text import get_tokenizer
from tests.systems.forgery import Change, forge
from tests.systems.tokenizer.toy import tokenizer
from tests.systems.toy import news
from tests.treebank import treebank

TEMPLATES = "form[{-1..1}]\npos[{-1..1}]\n/ edge\n"
QUICK: dict[str, Any] = {"templates": "form[0]\nsuffix2[0]\n", "learner": "perceptron", "epochs": 2}


def small() -> Corpus:
    return news().slice(0, 60)


def words_only(corpus: Corpus, *more: str) -> Corpus:
    columns = {name: corpus.column(name) for name in ("form", *more)}
    return Corpus(columns, corpus.sentences, corpus.documents, corpus.has_documents, corpus.source)


@functools.cache
def pos_model() -> tagloom.Tagger:
    return tagloom.train(words_only(small(), "pos"), label="pos", **QUICK)


@functools.cache
def ner_model() -> tagloom.Tagger:
    """Entities from words and tags that its own tagger predicts."""
    return tagloom.train(
        small(), label="ner", templates=TEMPLATES, learner="averaged-perceptron", scheme="BIOES", epochs=3,
        provide={"pos": QUICK}, dev=news().slice(60, 80),
    )  # fmt: skip


def train_ner(**options: Any) -> tagloom.Tagger:
    return tagloom.train(small(), label="ner", templates=TEMPLATES, learner="perceptron", epochs=2, **options)


# -- lines -------------------------------------------------------------------------------------------------------------


def test_models_are_taken_once_and_after_what_they_read() -> None:
    ner, pos = ner_model(), pos_model()
    line = Line.join([ner, ner])
    assert [layer.column for layer in line.layers] == ["pos", "ner"]
    assert all(not each.line.providers for each in line.providers)
    assert len(Line.join([pos, pos]).providers) == 1
    assert line.tokenizer is ner.line.tokenizer
    assert Line.join([ner], get_tokenizer("whitespace")).tokenizer == get_tokenizer("whitespace")


def test_two_models_of_one_column_are_refused() -> None:
    other = tagloom.train(words_only(small(), "pos"), label="pos", **{**QUICK, "seed": 7})
    with pytest.raises(tagloom.ConfigError, match=r"^column 'pos' is provided by two models; leave one of them out$"):
        Line.join([pos_model(), other])


def test_columns_are_dropped_with_their_models() -> None:
    line = Line.join([ner_model()])
    assert [layer.column for layer in line.drop_columns(["pos"]).layers] == ["ner"]
    assert line.drop_columns(["nothing"]) == line
    model = ner_model()
    assert model.columns == ("form",)
    assert model.without_providers().columns == ("form", "pos")
    assert model.without_providers("pos").columns == ("form", "pos")
    assert model.without_providers("pos").line.tokenizer == model.line.tokenizer
    assert model.without_line().line == Line()
    assert model.columns == ("form",)  # as it was


def test_a_line_reads_what_nothing_provides() -> None:
    reads = ner_model().reads
    assert reads.columns == ("form",)
    assert reads.gold == ("ner",)
    own = ner_model().own_reads
    assert own.columns == ("form", "pos")
    assert set(own.layouts) <= set(reads.layouts)
    assert ("form",) in reads.layouts
    assert ("form", "ner") in reads.layouts
    assert tuple(reads.adopt(words_only(small())).names) == ("form",)
    assert Line().extend_reads(own) is own


# -- training ----------------------------------------------------------------------------------------------------------


def test_training_reads_jackknifed_tags() -> None:
    seen: list[Corpus] = []
    gold = small().column("pos").texts()

    class Spy(tagloom.SYSTEMS["tagger"].load_training()):  # type: ignore[misc]
        @classmethod
        def plan(cls, corpus: Corpus, options: Any, **others: Any) -> Any:
            seen.append(corpus)
            return super().plan(corpus, options, **others)

    row = replace(tagloom.SYSTEMS["tagger"], load_training=lambda: Spy)
    options = {"label": "ner", "templates": TEMPLATES, "learner": "perceptron", "epochs": 1}
    tagloom.train(small(), system=row, provide={"pos": QUICK}, **options)
    read = seen[-1].column("pos").texts()
    expected = tagloom.jackknife(words_only(small(), "pos"), label="pos", folds=10, by="sentences", **QUICK)
    assert read != gold
    assert read == expected.columns["pos"].texts()


def test_the_data_of_a_line_is_the_data_that_came() -> None:
    assert ner_model().spec.data == small().checksum()
    chunker = tagloom.train(small(), system="phrases", label="ner", cutoff=1, epochs=1, provide={"pos": QUICK})
    assert chunker.spec.data == small().checksum()
    assert chunker.columns == ("form",)
    assert isinstance(chunker.spans(["Bonn"]), list)


def test_models_are_given_by_file_or_as_they_are(tmp_path: Path) -> None:
    pos_model().save(tmp_path / "pos")
    given = [train_ner(provide={"pos": model}).to_bytes() for model in (pos_model(), tmp_path / "pos")]
    assert given[0] == given[1]
    model = tagloom.train(small(), label="ner", templates=TEMPLATES, epochs=1, provide={"pos": pos_model()})
    assert model.line.providers[0].to_bytes() == pos_model().without_line().to_bytes()


@pytest.mark.parametrize(
    ("provide", "message"),
    [
        (5, "provide: expected names of columns"),
        ([""], "provide: expected names of columns, got ''"),
        ({"pos": 5}, "provide: pos: expected a model, its file, or options, got 5"),
        ({"pos": "no/such/file"}, "no/such/file: "),
        ({"pos": {"no_such": 1}}, "unknown option of a tagger 'no_such'"),
        ("chunk", "unknown column of "),
        (["nothing"], "unknown column of "),
        ("ner", "provide: ner is what the tagger learns; leave it out"),
        (["pos", "nothing"], "unknown column of "),
    ],
)
def test_what_cannot_be_provided_is_one_line(provide: Any, message: str) -> None:
    with pytest.raises(tagloom.TagloomError) as error:
        train_ner(provide=provide)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_a_model_of_another_column_is_refused() -> None:
    with pytest.raises(tagloom.ConfigError) as error:
        train_ner(provide={"chunk": pos_model()})
    assert str(error.value) == "provide: chunk: the model adds pos; name one of its columns"


def test_threads_and_checkpoints_change_nothing(tmp_path: Path) -> None:
    options: dict[str, Any] = {"provide": {"pos": QUICK}}
    one = train_ner(**options).to_bytes()
    assert train_ner(**options, threads=2).to_bytes() == one
    path = tmp_path / "checkpoint"
    assert train_ner(**options, checkpoint=path, keep_checkpoint=True).to_bytes() == one
    assert path.exists()
    assert train_ner(**options, checkpoint=path).to_bytes() == one
    assert not path.exists()


# -- use: words are enough ---------------------------------------------------------------------------------------------

SENTENCES = [small().sentence(number, "form") for number in range(4)]


def with_tags(sentence: list[str]) -> list[tuple[str, str]]:
    return list(zip(sentence, pos_of(sentence)))


def pos_of(sentence: list[str]) -> list[str]:
    found: list[str] = ner_model().line.providers[0].tag(sentence)  # type: ignore[attr-defined]
    return found


def test_words_are_enough_in_use() -> None:
    model, alone = ner_model(), ner_model().without_providers()
    for sentence in SENTENCES:
        tagged = with_tags(sentence)
        assert model.tag(sentence) == alone.tag(tagged)
        assert model.nbest(sentence, 3) == alone.nbest(tagged, 3)
        assert model.marginals(sentence).tolist() == alone.marginals(tagged).tolist()
        assert model.explain(sentence).to_dict()["tokens"] == [
            {**token, "token": word} if "token" in token else token
            for token, word in zip(alone.explain(tagged).to_dict()["tokens"], sentence)
        ]
        labels = model.tag(sentence)
        assert model.probability(sentence, labels) == alone.probability(tagged, labels)
    expected = alone.tag_many([with_tags(each) for each in SENTENCES])
    assert model.tag_many(SENTENCES, threads=2) == expected
    assert model.tag_document(SENTENCES) == expected


def test_corpora_of_words_are_enough() -> None:
    model, alone = ner_model(), ner_model().without_providers()
    bare = words_only(small())
    tagged = bare.with_column("pos", model.line.provide(bare).column("pos"))
    annotated = model.annotate(bare)
    assert tuple(annotated.names) == ("form", "pos", "ner")
    assert annotated.column("ner").texts() == alone.annotate(tagged).column("ner").texts()
    assert model.annotate(small()).column("ner").texts() == annotated.column("ner").texts()  # gold tags are not read
    gold = words_only(small(), "ner")
    assert model.evaluate(gold).to_dict() == alone.evaluate(tagged.with_column("ner", gold.column("ner"))).to_dict()
    column, scores = model.confidences(bare)
    assert column.texts() == annotated.column("ner").texts()
    assert scores.tolist() == alone.confidences(tagged)[1].tolist()
    assert model.nbest_corpus(bare, 2) == alone.nbest_corpus(tagged, 2)
    calibrated = model.calibrate(gold)
    assert calibrated.line == model.line
    assert (
        calibrated.spec.temperature == alone.calibrate(tagged.with_column("ner", gold.column("ner"))).spec.temperature
    )


def test_a_training_goes_on_with_the_line_of_its_start() -> None:
    model = ner_model().partial_fit(words_only(small().slice(0, 20), "ner"))
    assert model.columns == ("form",)
    assert [each.to_bytes() for each in model.line.providers] == [
        each.to_bytes() for each in ner_model().line.providers
    ]
    assert model.line.tokenizer == ner_model().line.tokenizer
    assert model.spec.start is not None


def test_a_reranker_learns_from_tags_that_its_tagger_has_not_seen() -> None:
    model, told = ner_model(), list[str]()
    unseen = provide_unseen(small(), model.line, 1, lambda progress: told.append(progress.message))
    jackknifed, _ = model.line.providers[0], small().column("pos")
    options = {**QUICK, "seed": model.spec.seed, "label": "pos"}
    line, expected = build_line(small(), [Provision("pos", options=options, noun="pos")], None, 1, lambda _: None)
    assert line.providers[0].to_bytes() == jackknifed.to_bytes()
    assert unseen.column("pos").texts() == expected.column("pos").texts()
    assert unseen.column("pos").texts() != model.line.provide(small()).column("pos").texts()
    assert any("jackknifing the column pos in 10 folds" in message for message in told)


def test_a_tagger_of_other_data_is_applied_to_what_is_reranked() -> None:
    model, other = ner_model(), news().slice(60, 80)
    unseen = provide_unseen(other, model.line, 1, lambda _: None)
    assert unseen.column("pos").texts() == model.line.provide(other).column("pos").texts()


def test_candidates_are_reranked_with_the_line() -> None:
    gold = words_only(small(), "ner")
    reranked = tagloom.rerank(ner_model(), gold, candidates=3, method="averaged", passes=1, folds=2)
    assert reranked.columns == ("form",)
    assert len(reranked.tag(SENTENCES[0])) == len(SENTENCES[0])
    assert reranked.without_reranker().line == ner_model().line


def test_full_width_and_plain_words_agree() -> None:
    model = tagloom.train(
        small(), label="ner", templates=TEMPLATES, learner="perceptron", epochs=2, normalise="NFKC",
        provide={"pos": QUICK},
    )  # fmt: skip
    assert [each.spec.normal_form for each in model.line.providers] == ["NFKC"]
    for sentence in SENTENCES:
        wide = ["".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in word) for word in sentence]
        assert model.tag(wide) == model.tag(sentence)
        found, plain = (model.annotate(from_words([each])) for each in (wide, sentence))
        assert [found.column(name).texts() for name in ("pos", "ner")] == [
            plain.column(name).texts() for name in ("pos", "ner")
        ]
        assert found.column("form").texts() == wide
        assert [token.text for token in model(wide).tokens] == wide


def from_words(sentences: list[list[str]]) -> Corpus:
    words = [word for sentence in sentences for word in sentence]
    return Corpus.from_columns({"form": words}, list(map(len, sentences)))


# -- files -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("line") / "ner"
    ner_model().with_line(Line(tokenizer(), ner_model().line.providers)).save(path)
    return path


def test_a_line_comes_back_from_its_file(source: Path) -> None:
    model = tagloom.load(source)
    assert model.to_bytes() == source.read_bytes()
    assert model.tag(SENTENCES[0]) == ner_model().tag(SENTENCES[0])
    assert model.line.tokenizer.to_bytes() == tokenizer().to_bytes()


def put(name: str, data: Any) -> Change:
    def change(tensors: dict[str, np.ndarray], _: Any) -> None:
        tensors[name] = data() if callable(data) else data

    return change


def to_array(model: Any) -> np.ndarray:
    return np.frombuffer(model.to_bytes(), np.uint8)


def crowd(tensors: dict[str, np.ndarray], _: Any) -> None:
    for number in range(MOST_PROVIDERS + 2):
        tensors[f"line.{number:02}"] = tensors["line.00"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("line.01", lambda: to_array(ner_model())), "one with a line of its own"),
        (put("line.01", lambda: to_array(pos_model().without_line())), "column 'pos' is provided by two models"),
        (crowd, "another one, 'line.32'"),
        (put("line.tokenizer", lambda: to_array(pos_model().without_line())), "a model that does not cut text"),
        (put("line.00", np.zeros(8, np.float32)), "expected numbers of type U8, found float32"),
        (put("line.00", np.zeros((2, 4), np.uint8)), "one dimension"),
        (put("line.00", np.zeros(8, np.uint8)), "not a"),
        (put("line.00", np.zeros(0, np.uint8)), ""),
        (put("line.tokenizer", np.zeros(8, np.uint8)), "not a"),
        (
            lambda tensors, header: (tensors.pop("line.tokenizer"), header.update(tokenizer=5)),
            "tokenizer: expected a text, found 5",
        ),
        (lambda tensors, header: (tensors.pop("line.tokenizer"), header.update(tokenizer="pbt")), "unknown tokenizer"),
    ],
)
def test_forged_lines_are_one_line(source: Path, tmp_path: Path, change: Change, message: str) -> None:
    with pytest.raises(tagloom.ModelFileError) as error:
        tagloom.load(forge(source, tmp_path / "model", change))
    assert message in str(error.value)
    assert str(error.value).startswith(str(tmp_path / "model"))
    assert "\n" not in str(error.value)


# -- a parser in a line ------------------------------------------------------------------------------------------------


def test_a_parser_provides_heads_with_its_own_tags() -> None:
    parser = tagloom.train(treebank(12), system="parser", epochs=2, tag_folds=2, tagger={"epochs": 1, "depth": 1})
    assert parser.tagger is parser.line.providers[0]
    assert Line.join([parser]).providers[0] is parser.tagger
    corpus = treebank(4)
    found = Line.join([parser]).provide(words_only(corpus))
    annotated = parser.annotate(words_only(corpus))
    for name in ("upos", "head", "deprel"):
        assert found.column(name).texts() == annotated.column(name).texts()
    gold = parser.without_providers()
    assert gold.columns == ("form", "upos")
    assert gold.tagger is None


def test_columns_of_strings_have_no_effect_on_lines() -> None:
    assert isinstance(Line().provide(small()), Corpus)
    assert Line().provide_columns(small()) == {}
    assert isinstance(ner_model().line.provide_columns(words_only(small()))["pos"], Column)
