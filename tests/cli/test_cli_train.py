"""tagloom train: what it writes, prints and takes as options."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import tagloom as library
from tests.cli.outcome import Files, Tagloom


def test_json_is_one_object_with_scores_seconds_and_signature(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    output = tmp_path / "m"
    result = tagloom("train", files.train, "--dev", files.dev, "--test", files.test, "-o", output, "--json",
                     "--columns", "form pos chunk", "--templates", "chunking", "--epochs", 3)  # fmt: skip
    assert result.code == 0
    report = result.json
    model = library.load(output)
    score = model.evaluate(library.read(files.test, columns="form pos chunk"))
    assert report["f1"] == report["test"]["f1"] == score.overall.f1
    assert {"precision", "recall", "accuracy", "dev"} <= set(report)
    assert list(report["seconds"]) == ["read", "encode", "train", "save", "evaluate", "total"]
    assert sum(report["seconds"].values()) - report["seconds"]["total"] <= report["seconds"]["total"]
    assert report["signature"] == str(score.signature)
    assert report["model"] == str(output)
    assert report["model_bytes"] == output.stat().st_size
    assert report["epochs"] == len(model.spec.history) <= 3
    assert (report["best_epoch"], report["labels"]) == (model.spec.best_epoch, len(model.labels))
    assert report["features"] == len(model.parameters.node_keys)


def test_what_is_chosen_is_told_on_stderr(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    call = ("train", files.train, "-o", tmp_path / "m", "--columns", "form pos chunk", "--epochs", 1)
    lines = tagloom(*call).err.splitlines()
    told = "learner: averaged-perceptron, BIOES; chosen from the data: span labels of most words, 3 columns"
    assert f"features: chunking (reads form pos); {told}" in lines
    assert (
        "the model reads pos: text to tag must have it, too; with --provide pos the model predicts pos itself" in lines
    )
    stated = ("--templates", "chunking", "--learner", "crf", "--scheme", "data")
    result = tagloom(*call, *stated, "--json")
    assert "chosen from the data" not in result.err
    assert "|learner:sgd|" in result.json["signature"]


def test_a_tag_dictionary(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    output = tmp_path / "m"
    result = tagloom("train", files.train, "-o", output, "--epochs", 1, "--set", "tag_dictionary=2", "--json")
    assert "|tag_dictionary:2|" in result.json["signature"]
    words = len(library.load(output).parameters.tag_dictionary)
    assert words > 0
    assert f"tag dictionary: {words:,} words seen 2 times or more" in tagloom("inspect", output).out
    wrong = tagloom("train", files.train, "-o", output, "--set", "tag_dictionary=-1")
    assert (wrong.code, wrong.error.count("tag_dictionary: expected a whole number from 0")) == (2, 1)


def test_without_json_the_score_tables_go_to_stdout(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    result = tagloom("train", files.train, "--dev", files.dev, "-o", tmp_path / "m", "--epochs", 2, "--label", "label")
    assert result.out.startswith("dev\n")
    assert result.out.splitlines()[-1].startswith("tagloom:")
    assert f"{files.train}: guessed CoNLL columns" in result.err
    assert "pass 1: " in result.err


def test_scores_of_dev_stand_on_top_without_test(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    report = tagloom("train", files.train, "--dev", files.dev, "-o", tmp_path / "m", "--epochs", 1, "--json").json
    assert report["f1"] == report["dev"]["f1"]
    assert "test" not in report


def test_same_bytes_as_the_python_interface(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    options = {"epochs": 2, "seed": 5, "cutoff": 2, "learner": "perceptron", "templates": "chunking", "scheme": "BIOES"}
    columns = "form pos chunk"
    library.train(files.train, columns=columns, buckets=5000, **options).save(tmp_path / "api")
    flags = [text for name, value in options.items() for text in (f"--{name}", value)]
    result = tagloom(
        "train", files.train, "-o", tmp_path / "cli", "--columns", columns, *flags, "--set", "buckets=5000"
    )
    assert result.code == 0
    assert (tmp_path / "cli").read_bytes() == (tmp_path / "api").read_bytes()


def test_set_is_typed_by_the_option(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    tagloom("train", files.train, "-o", tmp_path / "m", "--set", "epochs=1", "--set", "names=false")
    model = library.load(tmp_path / "m")
    assert len(model.spec.history) == 1
    assert model.parameters.node_names is None


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("epoch=3", "unknown setting 'epoch'; did you mean 'epochs'?"),
        ("epochs=many", "--set epochs=many: expected a whole number"),
        ("names=perhaps", "--set names=perhaps: expected true or false"),
        ("epochs", "--set epochs: expected KEY=VALUE"),
        ("resources=x", "--set resources=x: write --resource NAME=PATH instead"),
    ],
)
def test_bad_settings(tagloom: Tagloom, files: Files, tmp_path: Path, setting: str, message: str) -> None:
    assert tagloom("train", files.train, "-o", tmp_path / "m", "--set", setting).error.startswith(message)


def test_resources_reach_the_templates(
    tagloom: Tagloom, files: Files, tmp_path: Path, corpus_file: Callable[..., Path]
) -> None:
    clusters = corpus_file("0101\tsaid\n0110\tthe\n", "clusters.txt")
    arguments = ("train", files.train, "-o", tmp_path / "m", "--epochs", 1, "--templates", "form[0]\nbrown2[0]")
    assert tagloom(*arguments, "--resource", f"brown={clusters}").code == 0
    assert set(library.load(tmp_path / "m").resources) == {"brown"}
    assert "--resource brown=FILE" in tagloom(*arguments).error
    assert tagloom(*arguments, "--resource", "brown").error == (
        "--resource brown: expected KIND=PATH, KIND:NAME=PATH, or .LIST before = for one list"
    )
    assert tagloom(*arguments, "--resource", "brown=/no/such").error.startswith("/no/such: no such file")


def test_gazetteers_by_class(tagloom: Tagloom, files: Files, tmp_path: Path, corpus_file: Callable[..., Path]) -> None:
    lists = {name: corpus_file("the\nsaid\n", name) for name in ("firms", "clubs", "people")}
    arguments = ("train", files.train, "-o", tmp_path / "m", "--epochs", 1, "--templates", "gazetteer[0]")
    classes = {"firms": "ORG", "people": "PER", "clubs": "ORG"}
    given = [text for name, entry in classes.items() for text in ("--resource", f"gazetteer.{entry}={lists[name]}")]
    assert tagloom(*arguments, *given).code == 0
    assert library.load(tmp_path / "m").spec.resources == {"gazetteer": ["ORG", "PER"]}


def test_conllu_learns_upos_from_words(tagloom: Tagloom, tmp_path: Path, corpus_file: Callable[..., Path]) -> None:
    rows = [("1", "dogs", "NOUN"), ("2", "bark", "VERB")]
    text = "".join(f"{i}\t{form}\t_\t{tag}\t_\t_\t0\t_\t_\t_\n" for i, form, tag in rows) + "\n"
    path = corpus_file(text * 3, "x.conllu")
    tagloom("train", path, "-o", tmp_path / "m", "--templates", "suffix3[0]")
    model = library.load(tmp_path / "m")
    assert (model.spec.label, model.columns) == ("upos", ("form",))
    assert tagloom("tag", tmp_path / "m", path).out == text * 3


def test_a_training_starts_from_a_model(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    result = tagloom("train", files.dev, "--start", files.model, "-o", tmp_path / "cli", "--epochs", 2, "--test",
                     files.test, "--json")  # fmt: skip
    assert result.code == 0
    assert "columns taken as the model's: form pos chunk" in result.err
    model = library.train(files.dev, columns="form pos chunk", start=files.model, epochs=2)
    model.save(tmp_path / "api")
    assert (tmp_path / "cli").read_bytes() == (tmp_path / "api").read_bytes()
    assert "|start:" in result.json["signature"]
    assert f"started from: {model.spec.start}" in tagloom("inspect", tmp_path / "cli").out


def test_a_start_model_may_be_replaced(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    (tmp_path / "m").write_bytes(files.model.read_bytes())
    assert tagloom("train", files.dev, "--start", tmp_path / "m", "-o", tmp_path / "m", "--epochs", 1).code == 0
    assert library.load(tmp_path / "m").spec.start == str(library.load(files.model).spec.signature)


def test_contradictions_of_start_and_checkpoint_are_one_line(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    def error(*more: object) -> str:
        return tagloom("train", files.dev, "-o", tmp_path / "m", *more).error

    assert "templates: words is not what the start model was made with (chunking)" in error(
        "--start", files.model, "--templates", "words"
    )
    assert "no such model file" in error("--start", tmp_path / "missing")
    assert "is the model to write, too" in error("--checkpoint", tmp_path / "m")
    assert "is an input, too" in error("--checkpoint", files.dev)
    assert "no such directory" in error("--checkpoint", tmp_path / "missing" / "c")
    assert "not a tagloom checkpoint" in error("--checkpoint", files.model)
