"""Taggers of two stages: jackknifed training, one file, and the same labels however text comes."""

from __future__ import annotations

import functools
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tagloom
from tagloom.corpus import Corpus, read
from tagloom.corpus.io import read_batches
from tagloom.datasets import newswire
from tagloom.errors import ConfigError, DataError, ModelFileError
from tagloom.features import load_templates
from tagloom.features.matched import STAGE
from tagloom.systems.jackknife import cut_into_folds
from tagloom.systems.provide import provide_unseen
from tagloom.systems.tagger.options import TaggerOptions
from tagloom.systems.tagger.stages import complete_templates
from tagloom.systems.tagger.train import TaggerTraining
from tagloom.systems.verify import verify_file
from tests.systems.forgery import forge

TEMPLATES = "form[0]\nshort_shape[0]\nsuffix2[0]\n/ edge\n"
QUICK: dict[str, Any] = {
    "label": "ner", "templates": TEMPLATES, "learner": "sgd", "averaging": "lazy", "epochs": 2, "scheme": "BIOES",
}  # fmt: skip
STAGES: dict[str, Any] = {**QUICK, "stages": 2, "stage_folds": 3}


@functools.cache
def news() -> Corpus:
    corpus = newswire(12, seed=3)
    columns = {name: corpus.columns[name] for name in ("form", "pos", "ner")}
    return Corpus(columns, corpus.sentences, corpus.documents, corpus.has_documents)


@functools.cache
def model() -> tagloom.Tagger:
    return tagloom.train(news(), **STAGES)


def document(number: int) -> Corpus:
    first, last = news().documents[number : number + 2].tolist()
    return news().slice(first, last)


def words(corpus: Corpus) -> list[list[str]]:
    return [list(sentence) for sentence in corpus.iter_sentences("form")]


# -- training ----------------------------------------------------------------------------------------------------------


def test_a_first_stage_of_another_learner_has_none_of_the_settings() -> None:
    second = {"learner": "margin-perceptron", "averaging": None, "C": 30.0}
    trained = tagloom.train(news(), **{**STAGES, **second, "stage1": {"learner": "sgd", "c2": 2.0}})
    first = trained.line.providers[0]
    assert (first.spec.learner, trained.spec.learner) == ("sgd", "margin-perceptron")


def test_the_second_stage_learns_from_first_stages_that_have_not_seen_the_document() -> None:
    options = TaggerOptions.parse(STAGES)
    training = TaggerTraining.prepare(news(), options)
    column = training.encoded.task.corpus.column(STAGE)  # type: ignore[attr-defined]
    assert column.offsets is not None
    folds = cut_into_folds(news(), 3, "documents", 1)
    owner = np.searchsorted(news().documents, np.arange(len(news())), side="right")
    for fold in folds:
        others = np.setdiff1d(np.arange(len(news())), fold)
        assert not set(owner[fold]) & set(owner[others])
        first = tagloom.train(news().select(others), **QUICK).as_stage(STAGE, 3)
        own = news().select(fold)
        expected = first.predict_columns(own)[STAGE]
        assert expected.offsets is not None
        tokens = news().tokens_of(fold)
        for here, there in zip(tokens.tolist(), range(own.token_count)):
            span = slice(*column.offsets[here : here + 2])
            other = slice(*expected.offsets[there : there + 2])
            assert [column.strings[code] for code in column.codes[span]] == [
                expected.strings[code] for code in expected.codes[other]
            ]
            assert column.values is not None
            assert expected.values is not None
            assert column.values[span].tolist() == expected.values[other].tolist()


def test_threads_and_checkpoints_change_nothing(tmp_path: Path) -> None:
    threads = tagloom.train(news(), threads=2, **STAGES)
    assert threads.to_bytes() == model().to_bytes()
    kept = tmp_path / "kept"
    first = tagloom.train(news(), checkpoint=kept, keep_checkpoint=True, **STAGES)
    assert len(list(kept.with_name("kept.parts").glob("*.fold"))) == 3
    again = tagloom.train(news(), checkpoint=kept, **STAGES)
    assert first.to_bytes() == again.to_bytes() == model().to_bytes()
    assert not kept.exists()


def test_the_first_stage_may_have_other_options() -> None:
    found = tagloom.train(news(), **STAGES, stage1={"templates": "form[0]\n/ edge\n", "epochs": 1})
    (first,) = found.line.providers
    assert first.spec.templates.list_columns(["form", "pos"]) == ["form"]  # type: ignore[attr-defined]
    assert (first.spec.epochs, found.spec.epochs) == (1, 2)


def test_without_probabilities_the_first_stage_provides_its_labels() -> None:
    found = tagloom.train(news(), **{**STAGES, "learner": "perceptron", "averaging": None})
    (first,) = found.line.providers
    column = first.predict_columns(news())[STAGE]
    assert column.values is not None
    assert len(column.codes) == news().token_count
    assert set(column.values.tolist()) == {1.0}


def test_probabilities_of_the_first_stage() -> None:
    (first,) = model().line.providers
    column = first.predict_columns(document(0))[STAGE]
    assert column.offsets is not None
    assert column.values is not None
    assert column.values.min() >= 1e-3
    sums = np.add.reduceat(column.values, column.offsets[:-1])
    assert np.all((sums > 0.97) & (sums < 1.0001))


def test_the_model_can_be_trained_again_from_its_options() -> None:
    options = model().read_training_options()
    assert options is not None
    again = tagloom.train(news(), **options)
    assert again.parameters.weights.tolist() == model().parameters.weights.tolist()


def test_columns_of_unseen_text_are_jackknifed_again() -> None:
    training = TaggerTraining.prepare(news(), TaggerOptions.parse(STAGES))
    known = training.encoded.task.corpus.column(STAGE)  # type: ignore[attr-defined]
    found = provide_unseen(news(), model().line, 1, lambda _: None).column(STAGE)
    assert found.codes.tolist() == known.codes.tolist()
    assert found.values is not None
    assert known.values is not None
    assert found.values.tolist() == known.values.tolist()


def test_the_second_stage_goes_with_predicted_columns() -> None:
    tags = {"learner": "perceptron", "epochs": 1, "templates": "form[0]\n"}
    found = tagloom.train(
        news(), **{**STAGES, "templates": f"pos[0]\n{TEMPLATES}"}, provide={"pos": tags}, dev=document(0)
    )
    assert [each.own_layers[0].column for each in found.line.providers] == ["pos", STAGE]
    assert found.reads.columns == ("form",)
    assert [layer.column for layer in found.layers] == ["pos", "ner"]
    assert found.tag(["Bonn"]) in (["O"], *[[f"B-{name}"] for name in ("LOC", "MISC", "ORG", "PER")])


# -- templates ---------------------------------------------------------------------------------------------------------


def test_templates_of_the_second_stage_are_added_where_there_are_none() -> None:
    assert model().spec.templates.name == "templates+second-stage"
    own = load_templates("form[0]\nstage_word[0] if stage1\n/ edge\n")
    assert complete_templates(own) is own
    with pytest.raises(ConfigError, match="written as for CRF\\+\\+"):
        complete_templates(load_templates("U00:%x[0,0]\nB\n"))


def test_own_templates_of_the_second_stage() -> None:
    templates = f"stage_word[0] if stage1\nstage1[0] if stage1\n{TEMPLATES}"
    found = tagloom.train(news(), **{**STAGES, "templates": templates})
    assert str(found.spec.templates).startswith("stage_word[0]\nstage1[0]\n")
    (first,) = found.line.providers
    assert "stage" not in str(first.spec.templates)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stage1": {"epochs": 1}}, "stage1: there is one stage; pass stages=2"),
        ({"stages": 2, "stage1": {"label": "pos"}}, "stage1: 'label' is the same for both stages"),
        ({"stages": 2, "stage1": {"epoch": 1}}, "unknown option of the first stage 'epoch'"),
        ({"stages": 3}, "stages: expected a whole number from 1 to 2, got 3"),
        ({"stages": 2, "memory": "1GB"}, "memory: two stages need all data in memory"),
        ({"templates": "stage_word[0]\n"}, "stage_word is of the second stage; train with stages=2"),
        ({"stages": 2, "templates": "stage_word[0]\n"}, "write 'if stage1' after it"),
    ],
)
def test_what_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        tagloom.train(news(), **{**QUICK, **options})


def test_data_with_a_column_of_that_name_is_refused() -> None:
    corpus = news().with_column(STAGE, ["x"] * news().token_count)
    with pytest.raises(ConfigError, match="the data has a column 'stage1'"):
        tagloom.train(corpus, **STAGES)


def test_a_model_of_one_stage_cannot_become_one_of_two() -> None:
    with pytest.raises(ConfigError, match="the start model has one stage"):
        tagloom.train(news(), start=tagloom.train(news(), **QUICK), stages=2)
    more = model().partial_fit(document(0))
    assert more.line.providers == model().line.providers


# -- use ---------------------------------------------------------------------------------------------------------------


def test_documents_get_the_same_labels_however_they_come(tmp_path: Path) -> None:
    path = tmp_path / "two.tagloom"
    model().save(path)
    loaded = tagloom.load(path)
    assert loaded.to_bytes() == model().to_bytes()
    assert verify_file(path).system == "tagger"
    whole = loaded.annotate(news())
    assert whole.names == ["form", "pos", "ner"]
    for number in range(3):
        sentences = words(document(number))
        labels = loaded.tag_document(sentences)
        first = int(news().documents[number])
        assert labels == [list(whole.sentence(first + n, "ner")) for n in range(len(sentences))]
        text = "\n".join(" ".join(sentence) for sentence in sentences)
        assert [each.text for each in loaded.pipe([text])] == [text]
    assert loaded.tag_corpus(news(), threads=2).texts() == whole.column("ner").texts()


def test_single_sentences_are_documents_of_their_own() -> None:
    sentence = words(news())[0]
    alone = Corpus.from_columns({"form": sentence}, [len(sentence)])
    expected = list(model().annotate(alone).sentence(0, "ner"))
    assert model().tag(sentence) == model().tag_many([sentence, sentence])[1] == expected
    constrained = model().tag(sentence, ["O"] * len(sentence))
    assert constrained == ["O"] * len(sentence)
    assert model().nbest(sentence, 2)[0].labels == tuple(expected) or model().nbest(sentence, 2)[0].labels == expected
    found = model().marginals(sentence)
    assert found.shape == (len(sentence), len(model().labels))
    assert 0 < model().probability(sentence, expected) <= 1
    assert [each.label for each in model().explain(sentence)] == [each.label for each in model().explain(sentence)]
    assert list(model().explain_line(sentence)) == [STAGE, "ner"]


def test_the_size_of_batches_changes_nothing(tmp_path: Path) -> None:
    lines = []
    for number in range(6):
        lines.append("-DOCSTART- -X- O\n")
        part = document(number)
        for n in range(len(part)):
            rows = zip(*(part.sentence(n, name) for name in ("form", "pos", "ner")))
            lines.append("\n".join(" ".join(row) for row in rows) + "\n")
    text = "\n".join(lines)
    corpus = read(io.StringIO(text), columns="form pos ner")
    assert model().reads.whole_documents
    expected = model().tag_corpus(corpus).texts()
    path = tmp_path / "news.txt"
    path.write_text(text)
    for size in (200, 3000):
        batches = read_batches(path, columns="form pos ner", batch_bytes=size, whole_documents=True)
        assert [label for batch in batches for label in model().tag_corpus(batch).texts()] == expected


def test_models_that_see_documents_need_not_label_them_as_wholes() -> None:
    found = tagloom.train(news(), **{**QUICK, "templates": f"context[0]\n{TEMPLATES}"})
    assert found.reads.whole_documents
    assert not found.reads.labels_documents
    assert found.explain(words(news())[0])
    corpus = document(0)
    labels = found.tag_document(words(corpus))
    assert [label for sentence in labels for label in sentence] == found.tag_corpus(corpus).texts()


def test_functions_of_documents_in_a_model_file(tmp_path: Path) -> None:
    found = tagloom.train(
        news(), **{**STAGES, "templates": f"size[0]\n{TEMPLATES}"}, document_attributes={"size": count_sentences}
    )
    path = tmp_path / "own.tagloom"
    found.save(path)
    loaded = tagloom.load(path, functions={"size": count_sentences})
    assert loaded.tag_corpus(news()).texts() == found.tag_corpus(news()).texts()
    with pytest.raises(ConfigError, match="this model uses the attribute function 'size'"):
        tagloom.load(path).tag(["Bonn"])


def count_sentences(sentences: Sequence[Sequence[str]]) -> list[list[str]]:
    return [[str(min(len(sentences), 9))] * len(words) for words in sentences]


def test_a_first_stage_alone_is_no_model_file(tmp_path: Path) -> None:
    first = model().line.providers[0]
    first.save(tmp_path / "first.tagloom")
    with pytest.raises(ModelFileError, match=r"spec\.provides"):
        tagloom.load(tmp_path / "first.tagloom")


def test_a_line_that_provides_bags_to_a_reader_of_words_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "two.tagloom"
    tagloom.train(news(), **{**STAGES, "templates": "stage1[0] if stage1\nform[0]\n"}).save(path)
    forged = forge(path, tmp_path / "forged.tagloom", lambda _, header: header["spec"].update(bags=[]))
    with pytest.raises(ModelFileError, match=r"spec\.bags"):
        tagloom.load(forged)


def test_a_second_stage_without_its_first_reads_no_lists_of_words() -> None:
    alone = model().without_line()
    for sentence in ([["dog"], ["cat"]], [("dog", "NN", "O")], ["dog", "cat"]):
        with pytest.raises(DataError, match="of which stage1 holds several strings per token"):
            alone.tag(sentence)


def test_a_second_stage_of_nothing_but_the_first() -> None:
    found = tagloom.train(news(), **{**STAGES, "templates": "stage1[0] if stage1\nform[0] unless stage1\n"})
    assert len(found.tag(words(news())[0])) == len(words(news())[0])


def test_a_note_says_that_there_are_no_documents() -> None:
    corpus = Corpus(news().columns, news().sentences, np.array([0, len(news())], np.int64), False)
    notes: list[str] = []
    tagloom.train(corpus, **STAGES, on_progress=lambda progress: notes.append(progress.message))
    assert any("no document boundaries; every sentence is a document of its own" in note for note in notes)


def test_blocks_on_disk_hold_whole_documents() -> None:
    context = {**QUICK, "templates": f"context[0]\n{TEMPLATES}", "memory": "1GB", "block": 50}
    training = TaggerTraining.prepare(news(), TaggerOptions.parse(context))
    bounds = training.encoded.bounds  # type: ignore[attr-defined]
    assert len(bounds) > 3
    assert set(bounds.tolist()) <= set(news().documents.tolist())
    plain = TaggerTraining.prepare(news(), TaggerOptions.parse({**context, "memory": None}))
    assert plain.encoded.nodes.table.keys().tolist() == training.encoded.nodes.table.keys().tolist()  # type: ignore[attr-defined]
