"""Candidates and features of documents on the command line: --nbest, --candidates, --sequences, --document-features."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import tagloom as library
from tagloom.datasets import newswire
from tests.cli.outcome import Files, Tagloom

Make = Callable[..., Path]
SENTENCES = [(["the", "dog", "barks"], ["DT", "NN", "VB"]), (["a", "cat", "sleeps"], ["DT", "NN", "VB"])]


@pytest.fixture(scope="module")
def crf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "crf.tagloom"
    library.train(SENTENCES * 3, learner="lbfgs").save(path)
    return path


@pytest.fixture(scope="module")
def segmenter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("segmenter")
    (folder / "train").write_text("你好  世界\n大家  好\n" * 3, encoding="utf-8")
    library.train(folder / "train", format="segmented").save(folder / "model")
    return folder / "model"


@pytest.fixture(scope="module")
def of_documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "documents.tagloom"
    options = {"learner": "nonlocal-perceptron", "templates": "ner-basic", "label": "ner", "epochs": 3, "n": 5}
    library.train(newswire(12, seed=1), **options).save(path)
    return path


def news(folder: Path, form: str = "conll") -> Path:
    path = folder / f"news.{form}"
    columns = {"conll": "form pos", "jsonl": "form pos"}[form]
    library.write(newswire(3, seed=9), path, form, columns)
    return path


# -- n-best ------------------------------------------------------------------------------------------------------------


def test_columns_as_crfpp_writes_them(tagloom: Tagloom, crf: Path) -> None:
    expected = ""
    for words in (["the", "dog"], ["cat"]):
        for rank, found in enumerate(library.load(crf).nbest(words, 3)):
            expected += f"# {rank} {found.score:.4f} {found.probability:.6g}\n"
            expected += "".join(f"{word}\tX\t{label}\n" for word, label in zip(words, found.labels)) + "\n"
    assert tagloom("tag", crf, "--nbest", 3, stdin="the\tX\ndog\tX\n\ncat\tX\n\n").out == expected


def test_the_first_candidate_is_the_best_sequence(tagloom: Tagloom, files: Files) -> None:
    plain = tagloom("tag", files.model, files.test).out
    lines = tagloom("tag", files.model, files.test, "--nbest", 1).out.splitlines(keepends=True)
    assert "".join(line for line in lines if not line.startswith("# ")) == plain


def test_output_reads_back_as_a_sentence_a_candidate(tagloom: Tagloom, files: Files) -> None:
    text = tagloom("tag", files.model, files.test, "--nbest", 2).out
    assert tagloom("eval", "-", stdin=text).code == 0
    copies, once = library.read(io.BytesIO(text.encode())), library.read(files.test)
    assert (len(copies), copies.token_count) == (2 * len(once), 2 * once.token_count)


def test_comments_stand_before_every_copy(tagloom: Tagloom, crf: Path) -> None:
    lines = tagloom("tag", crf, "--nbest", 2, stdin="# 7\nthe\tX\ndog\tY\n\n# 8\na\tX\ncat\tY\n\n").out.splitlines()
    assert [line for line in lines if line in ("# 7", "# 8")] == ["# 7", "# 7", "# 8", "# 8"]


def test_conllu_has_a_comment_and_one_newdoc(tagloom: Tagloom, crf: Path) -> None:
    text = "# newdoc\n# sent_id = 1\n1-2\tthedog\t_\t_\t_\t_\t_\t_\t_\t_\n"
    text += "".join(f"{i}\t{word}\t_\t_\t_\t_\t0\t_\t_\t_\n" for i, word in enumerate(("the", "dog"), 1)) + "\n"
    lines = tagloom("tag", crf, "--nbest", 2, stdin=text).out.splitlines()
    assert [line.split()[:4] for line in lines if "nbest" in line] == [
        ["#", "nbest", "=", "0"],
        ["#", "nbest", "=", "1"],
    ]
    assert [lines.count(line) for line in ("# newdoc", "# sent_id = 1")] == [1, 2]
    assert sum(line.startswith("1-2\t") for line in lines) == 2


def test_jsonl_gets_a_list(tagloom: Tagloom, crf: Path) -> None:
    (line,) = tagloom("tag", crf, "--nbest", 4, stdin='{"id": 5, "tokens": ["the", "dog"]}\n').out.splitlines()
    record = json.loads(line)
    found = library.load(crf).nbest(["the", "dog"], 4)
    assert record["nbest"] == [{"tags": c.labels, "score": c.score, "probability": c.probability} for c in found]
    assert (record["id"], record["tags"]) == (5, found[0].labels)


def test_fewer_where_fewer_exist_and_no_probability_without_a_likelihood(tagloom: Tagloom, tmp_path: Path) -> None:
    library.train(SENTENCES).save(tmp_path / "m")
    heads = [line.split() for line in tagloom("tag", tmp_path / "m", "--nbest", 100, stdin="dog\n").out.splitlines()]
    assert [len(head) for head in heads if head[:1] == ["#"]] == [3, 3, 3]


def test_a_model_of_documents_ranks_documents(tagloom: Tagloom, of_documents: Path, tmp_path: Path) -> None:
    lines = tagloom("tag", of_documents, news(tmp_path), "--nbest", 3).out.splitlines()
    assert [line.split()[1] for line in lines if line.startswith("# ")] == ["0", "1", "2"] * 3
    assert sum(line.startswith("-DOCSTART-") for line in lines) == 9
    corpus = library.read(news(tmp_path), columns="form pos")
    lists = library.load(of_documents).nbest_corpus(corpus, 3)
    labels = [line.split()[-1] for line in lines if line and line[:1] != "#" and not line.startswith("-DOCSTART-")]
    assert labels == [label for one in lists for candidate in one for label in candidate.labels]
    records = tagloom("tag", of_documents, news(tmp_path, "jsonl"), "--nbest", 3).out.splitlines()
    first = [label for line in records for label in json.loads(line)["nbest"][0]["tags"]]
    assert first == [label for one in lists for label in one[0].labels]


@pytest.mark.parametrize("n", [0, -1, 100_001])
def test_n_has_a_range(tagloom: Tagloom, crf: Path, n: int) -> None:
    message = f"--nbest: expected a whole number from 1 to 100000, got {n}"
    assert tagloom("tag", crf, "--nbest", n, stdin="the dog\n").error == message


@pytest.mark.parametrize("other", [("--confidence",), ("--decoder", "viterbi"), ("--candidates", "5")])
def test_nbest_goes_alone(tagloom: Tagloom, crf: Path, other: tuple[str, ...]) -> None:
    error = tagloom("tag", crf, "--nbest", 2, *other, stdin="the dog\n").error
    assert error == f"--nbest: does not go with {other[0]}; leave one of them out"


def test_words_have_no_place_for_candidates(tagloom: Tagloom, segmenter: Path) -> None:
    error = tagloom("tag", segmenter, "--nbest", 2, stdin="你好世界\n").error
    assert error == "text cut into words has no place for several labellings; tag columns or JSONL"


# -- features of documents ---------------------------------------------------------------------------------------------


def test_candidates_of_tag_and_eval(tagloom: Tagloom, of_documents: Path, tmp_path: Path) -> None:
    library.write(newswire(3, seed=9), tmp_path / "gold.txt", "conll", "form pos ner")
    local = tagloom("tag", of_documents, news(tmp_path), "--decoder", "viterbi").out
    assert tagloom("tag", of_documents, news(tmp_path), "--candidates", 1).out == local
    own = tagloom("tag", of_documents, news(tmp_path))
    assert tagloom("tag", of_documents, news(tmp_path), "--candidates", 100).out == own.out
    assert tagloom("tag", of_documents, news(tmp_path), "--decoder", "rescored").out == own.out
    assert "no document boundaries" not in own.err
    score = tagloom("eval", of_documents, tmp_path / "gold.txt", "--candidates", 7, "--json").json
    assert "n=7" in score["signature"]


def test_candidates_need_features_of_documents(tagloom: Tagloom, crf: Path, of_documents: Path, files: Files) -> None:
    assert "has no features of documents" in tagloom("tag", crf, "--candidates", 5, stdin="the dog\n").error
    assert "has no features of documents" in tagloom("tag", crf, "--decoder", "rescored", stdin="the dog\n").error
    error = tagloom("tag", of_documents, "--candidates", 5, "--decoder", "viterbi", stdin="the DT\ndog NN\n").error
    assert error == "candidates: decoder 'viterbi' chooses among none; leave it out"
    error = tagloom("tag", of_documents, "--candidates", 0, stdin="the DT\ndog NN\n").error
    assert error == "candidates: expected a whole number from 1 to 100000, got 0"
    assert "no model tags here" in tagloom("eval", files.test, files.test, "--candidates", 5).error


def test_missing_documents_are_told(tagloom: Tagloom, of_documents: Path, tmp_path: Path) -> None:
    note = "no document boundaries; every sentence is a document of its own"
    result = tagloom("tag", of_documents, stdin="the DT\ndog NN\n\na DT\ncat NN\n\n")
    assert f"<stdin>: {note}" in result.err.splitlines()
    lines = "He PRP O\nleft VBD O\n\nAnn NNP B-PER\nleft VBD O\n\n"
    (tmp_path / "train").write_text(lines * 3)
    command = ("train", tmp_path / "train", "-o", tmp_path / "m", "--epochs", 2, "--columns", "form pos ner")
    assert f"{tmp_path}/train: {note}" in tagloom(*command, "--learner", "nonlocal-perceptron").err.splitlines()
    assert note not in tagloom(*command).err
    pair = ("--learners", "perceptron,nonlocal-perceptron", "--epochs", 2, "--columns", "form pos ner")
    (tmp_path / "test").write_text(lines)
    compared = tagloom("compare", tmp_path / "train", "--test", tmp_path / "test", *pair)
    assert compared.err.count(note) == 2
    grid = ("--learner", "nonlocal-perceptron", "--grid", "C=1,10", "--epochs", 2, "--columns", "form pos ner")
    assert tagloom("tune", tmp_path / "train", "--dev", tmp_path / "test", *grid).err.count(note) == 2


def test_training_options(tagloom: Tagloom, tmp_path: Path) -> None:
    library.write(newswire(4, seed=2), tmp_path / "train", "conll", "form pos ner")
    command = ("train", tmp_path / "train", "-o", tmp_path / "m", "--columns", "form pos ner", "--epochs", 2)
    settings = ("n=3", "bpm=1", "C=5", "C_local=2", "tolerance=0", "local_update=conservative", "candidates=30",
                "update_order=local-first")  # fmt: skip
    chosen = [text for setting in settings for text in ("--set", setting)]
    documents = ("--learner", "nonlocal-perceptron", "--document-features")
    assert tagloom(*command, *documents, "phrase,conjunction", *chosen).code == 0
    spec = library.load(tmp_path / "m").spec
    assert (spec.document_features, spec.candidates, spec.sequences) == (("phrase", "conjunction"), 30, "documents")
    assert spec.settings["n"] == 3
    assert "expected document features or document functions" in tagloom(*command, *documents, "none").error
    assert tagloom(*command, "--learner", "margin-perceptron", "--sequences", "joined").code == 0
    assert library.load(tmp_path / "m").spec.sequences == "joined"
    assert "unknown sequences 'texts'" in tagloom(*command, "--sequences", "texts").error
    assert "phrases" in tagloom(*command, *documents, "phrases").error
    assert "n: expected" in tagloom(*command, "--learner", "nonlocal-perceptron", "--set", "n=0").error
    assert "whole number" in tagloom(*command, "--learner", "nonlocal-perceptron", "--set", "n=1.5").error
    assert "C: expected" in tagloom(*command, "--learner", "nonlocal-perceptron", "--set", "C=-1").error


def test_learners_of_documents_beside_others(tagloom: Tagloom, tmp_path: Path) -> None:
    """Compared side by side they see documents as they do when trained alone."""
    library.write(newswire(8, seed=2), tmp_path / "train", "conll", "form pos ner")
    library.write(newswire(3, seed=3), tmp_path / "test", "conll", "form pos ner")
    shared = ("--test", tmp_path / "test", "--columns", "form pos ner", "--epochs", 3, "--json")
    compared = tagloom("compare", tmp_path / "train", *shared, "--learners", "perceptron,nonlocal-perceptron").json
    alone = tagloom("train", tmp_path / "train", "-o", tmp_path / "m", *shared, "--learner", "nonlocal-perceptron").json
    run = next(run for run in compared["runs"] if run["learner"] == "nonlocal-perceptron")
    assert (run["score"], run["signature"]) == (alone["f1"], alone["signature"])


def test_inspect_shows_features_of_documents(tagloom: Tagloom, of_documents: Path) -> None:
    model = library.load(of_documents)
    weights = model.nonlocal_weights()
    shown = tagloom("inspect", of_documents, "--top", 2)
    assert "sequences: documents\ncandidates: 100\ndocument features: phrase, subphrase, " in shown.out
    heaviest = max(weights, key=lambda name: abs(weights[name]))
    assert f"{weights[heaviest]:+.2f}  {heaviest}" in shown.out
    assert len(tagloom("inspect", of_documents, "--top", 2, "--json").json["details"]["top_document_features"]) == 2
