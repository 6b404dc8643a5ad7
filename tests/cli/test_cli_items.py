"""Models of attributes on the command line: trained from CRFsuite's data files, or made by CRFsuite itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.outcome import Tagloom

DATA = "A\tw=a:2\tx\nB\tw=b\n\nA\tw=a\n\nB\tw=b\tx\nA\tw=a\n\n"
TAGGED = "A A\nB B\n\nA A\n\nB B\nA A\n\n"
OTHERS = {
    "words.conll": "a A\nb B\n\na A\n\n",
    "one-column.conll": "a\nb\n\na\n\nb\n",
    "records.jsonl": '{"tokens": ["a", "b"], "tags": ["A", "B"]}\n',
    "text.txt": "Some text is here. And more of it.\n",
    "treebank.conllu": "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n",
}


@pytest.fixture(params=["tagloom", "crfsuite"])
def model(request: pytest.FixtureRequest, tagloom: Tagloom, tmp_path: Path) -> Path:
    """A model of attributes, trained by tagloom or by python-crfsuite."""
    (tmp_path / "train.crfsuite").write_text(DATA)
    path = tmp_path / f"model.{request.param}"
    if request.param == "tagloom":
        assert tagloom("train", tmp_path / "train.crfsuite", "-o", path, "--learner", "crf").code == 0
        return path
    trainer = pytest.importorskip("pycrfsuite").Trainer(verbose=False)
    trainer.append([{"w=a": 2, "x": 1}, {"w=b": 1}], ["A", "B"])
    trainer.append([["w=a"]], ["A"])
    trainer.append([["w=b", "x"], ["w=a"]], ["B", "A"])
    trainer.train(str(path))
    return path


def test_data_files_of_crfsuite_are_tagged_and_scored(tagloom: Tagloom, model: Path) -> None:
    data = model.with_name("train.crfsuite")
    assert tagloom("tag", model, data).out == TAGGED
    assert tagloom("tag", model, data, "--to", "conll").out == TAGGED
    assert tagloom("tag", model, "-", "--format", "crfsuite", stdin=DATA).out == TAGGED
    assert tagloom("eval", model, data, "--json").json["accuracy"] == 100
    confidences = tagloom("tag", model, data, "--confidence").out.split("\n")[0].split()
    assert confidences[0] == confidences[2] == "A"
    assert 0.5 < float(confidences[1]) <= 1
    assert "# 1 " in tagloom("tag", model, data, "--nbest", 2).out


def test_models_are_inspected_and_explained(tagloom: Tagloom, model: Path) -> None:
    assert "attributes[0]=w=a" in tagloom("inspect", model).out
    explained = tagloom("explain", model, "w=a|x w=b")
    assert explained.code == 0
    assert [line.split()[1] for line in explained.out.splitlines()[-2:]] == ["A", "B"]


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("command", ["tag", "eval"])
def test_other_inputs_are_refused_in_one_line(tagloom: Tagloom, model: Path, name: str, command: str) -> None:
    path = model.with_name(name)
    path.write_text(OTHERS[name])
    result = tagloom(command, model, path)
    assert result.code == 2
    assert result.out == ""
    assert result.err.count("\n") == 1
    assert "attributes" in result.err
    assert "bug" not in result.err


@pytest.mark.parametrize("to", ["jsonl", "conllu", "html", "brat"])
def test_formats_that_need_words_are_refused(tagloom: Tagloom, model: Path, to: str) -> None:
    result = tagloom("tag", model, model.with_name("train.crfsuite"), "--to", to)
    assert (result.code, result.out) == (2, "")
    assert "attributes, which are no words" in result.err


def test_damaged_models_of_crfsuite_are_refused(tagloom: Tagloom, tmp_path: Path) -> None:
    (tmp_path / "model.crfsuite").write_bytes(b"lCRF" + bytes(100))
    result = tagloom("tag", tmp_path / "model.crfsuite", stdin=DATA)
    assert result.code == 2
    assert "damaged or not a usable CRFsuite model" in result.err
