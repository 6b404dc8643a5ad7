"""CRF++'s commands: its options, its objectives, its layouts, its ways to read; and one line for every mistake."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tagloom
from tagloom.cli.main import run
from tagloom.compat.crfpp import annotate, choose_options, convert_model, learn
from tagloom.errors import ConfigError, DataError
from tests.cli.outcome import Outcome, Tagloom
from tests.compat.crfpp_binary import build_model
from tests.oracle.crfpp import Objective

TEMPLATE = ["U00:%x[-1,0]", "U01:%x[0,0]", "U02:%x[0,1]/%x[1,1]", "B", "B01:%x[0,1]"]
SENTENCES = [
    [("The", "DT", "B"), ("dog", "NN", "I"), ("barks", "VB", "O")],
    [("Dogs", "NN", "B"), ("bark", "VB", "O")],
    [("a", "DT", "B"), ("bark", "NN", "I"), ("and", "CC", "O"), ("run", "VB", "O")],
    [("Yes", "UH", "O")],
]
UNSEEN = [("The", "DT"), ("bark", "NN"), ("runs", "VB")]


def to_text(sentences: Any, separator: str = " ") -> str:
    return "".join("".join(f"{separator.join(row)}\n" for row in sentence) + "\n" for sentence in sentences)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "template").write_text("# Unigram\n" + "\n".join(TEMPLATE) + "\n")
    (tmp_path / "train").write_text(to_text(SENTENCES))
    (tmp_path / "test").write_text(to_text([UNSEEN, *SENTENCES]))
    return tmp_path


@pytest.fixture
def crfpp(files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Tagloom:
    monkeypatch.chdir(files)

    def call(*arguments: object) -> Outcome:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        return Outcome(code, *capsys.readouterr())

    return call


@pytest.fixture
def model(files: Path) -> tagloom.Tagger:
    return learn(files / "template", files / "train", eta=1e-6)


def blocks(text: str) -> list[list[str]]:
    assert text.endswith("\n\n")
    return [block.split("\n") for block in text[:-2].split("\n\n")]


# -- learning ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("algorithm", "cost", "freq"), [("CRF", 1.0, 1), ("CRF-L2", 4.0, 2), ("crf-l1", 3.0, 1)])
def test_the_optimum_is_that_of_crfpp(files: Path, algorithm: str, cost: float, freq: int) -> None:
    model = learn(files / "template", files / "train", algorithm=algorithm, cost=cost, freq=freq, eta=1e-9)
    objective = Objective(TEMPLATE, SENTENCES, freq)
    weights = objective.minimise(cost, l1=algorithm == "crf-l1")
    for sentence in SENTENCES if algorithm == "crf-l1" else [UNSEEN, *SENTENCES]:
        for labels, probability in objective.distribution(weights, sentence).items():
            tokens = [row[:2] for row in sentence]
            assert model.probability(tokens, list(labels)) == pytest.approx(probability, abs=2e-3)


def test_every_feature_has_weights_for_all_labels(files: Path) -> None:
    """Also for labels that it never occurs with; U features at every token, B features at all but the first."""
    model = learn(files / "template", files / "train", eta=1e-6)
    objective = Objective(TEMPLATE, SENTENCES)
    count = np.count_nonzero(model.parameters.weights)
    assert count == pytest.approx(len(objective.index), abs=len(objective.index) * 0.05)


def test_frequency_counts_tokens(files: Path) -> None:
    (files / "template").write_text("U01:%x[0,0]\n")
    assert learn(files / "template", files / "train", freq=2).sizes["features"] == 1  # bark


def test_options_of_other_names() -> None:
    options = choose_options(cost=2.0, maxiter=7, algorithm="CRF-L1", threads=3)
    assert {name: options[name] for name in ("learner", "c1", "c2", "epochs", "threads", "scheme")} == {
        "learner": "owlqn", "c1": 0.5, "c2": 0.0, "epochs": 7, "threads": 3, "scheme": "none",
    }  # fmt: skip
    assert choose_options(algorithm="mira", cost=0.5)["C"] == 0.5
    assert choose_options(threads=0)["threads"] >= 1
    assert choose_options(freq=0)["cutoff"] == 1


def test_eta_ends_training(files: Path) -> None:
    passes = [len(learn(files / "template", files / "train", eta=eta).spec.history) for eta in (0.1, 1e-3, 1e-6)]
    assert passes[0] < passes[1] < passes[2]
    assert len(learn(files / "template", files / "train", maxiter=2).spec.history) == 2


def test_labels_may_follow_in_any_order(files: Path) -> None:
    """No scheme is read into the labels: I after O is as legal as anything."""
    (files / "train").write_text("a DT O\nb NN I-X\n\nc NN I-X\nd VB O\n\n" * 3 + "e NN B-X\nf VB I-X\n\n")
    model = learn(files / "template", files / "train")
    assert model.tag([("a", "DT"), ("b", "NN")]) == ["O", "I-X"]
    assert model.spec.scheme is None
    again = tagloom.train(files / "train", columns="form pos label", start=model, scheme="none", epochs=2)
    assert again.spec.scheme is None
    with pytest.raises(ConfigError, match="scheme"):
        tagloom.train(files / "train", columns="form pos label", start=model, scheme="BIOES")


def test_mira_is_learned_by_passive_aggressive_updates(crfpp: Tagloom) -> None:
    outcome = crfpp("crfpp-learn", "-a", "MIRA", "-m3", "template", "train", "model")
    assert outcome.code == 0
    assert "-a MIRA: learned by averaged passive-aggressive updates (learner pa), at most 3 passes" in outcome.err
    assert tagloom.load("model").spec.learner == "pa"
    outcome = crfpp("crfpp-test", "-m", "model", "-v1", "test")
    assert re.match(r"# [01]\.\d{6}\nThe\tDT\tB/", outcome.out)


# -- text models -------------------------------------------------------------------------------------------------------


def number_features(objective: Objective) -> dict[str, int]:
    """The number of the first weight of every feature."""
    first: dict[str, int] = {}
    for (text, *_), number in objective.index.items():
        first.setdefault(text, number)
    return first


def to_text_model(objective: Objective, weights: np.ndarray, factor: float = 1.0) -> str:
    """What crf_learn -t writes."""
    header = ["version: 100", f"cost-factor: {factor:g}", f"maxid: {len(weights)}", "xsize: 2"]
    features = [f"{number} {text}" for text, number in sorted(number_features(objective).items())]
    numbers = [f"{weight:.16f}" for weight in weights]
    return "\n".join([*header, "", *objective.labels, "", *objective.template, "", *features, "", *numbers]) + "\n"


MIXED_TEMPLATE = [*TEMPLATE, "U03", "U:%x[0,0]|%x[1,0]", "U:%x[0,1]", "B02"]
SLASHES = [*SENTENCES, [("1/2", "/", "B"), ("/", "a/b", "I"), ("_B-1", "NN", "O")]]


@pytest.mark.parametrize("factor", [1.0, 2.5])
def test_text_models_are_converted(crfpp: Tagloom, factor: float) -> None:
    objective = Objective(MIXED_TEMPLATE, SLASHES)
    weights = np.random.default_rng(5).normal(size=len(objective.index))
    Path("model.txt").write_text(to_text_model(objective, weights, factor))
    assert crfpp("crfpp-learn", "-C", "model.txt", "model").out == "Done!\n"
    model = tagloom.load("model")
    for sentence in [UNSEEN, *SLASHES]:
        tokens = [row[:2] for row in sentence]
        for labels, probability in objective.distribution(factor * weights, sentence).items():
            assert model.probability(tokens, list(labels)) == pytest.approx(probability, rel=1e-4, abs=1e-7)
    Path("test").write_text(to_text(SLASHES))
    assert len(blocks(crfpp("crfpp-test", "-m", "model", "-v2", "-n2", "test").out)) == 10
    assert "U01:1/2" in crfpp("inspect", "model", "--top", "500").out


def test_crfpp_itself_gives_the_same_probabilities(files: Path) -> None:
    """CRF++'s own decoder, from the package pycrfpp, with the same weights in its binary format."""
    pycrfpp = pytest.importorskip("pycrfpp")
    objective = Objective(MIXED_TEMPLATE, SLASHES)
    weights = np.random.default_rng(6).normal(size=len(objective.index))
    (files / "model.txt").write_text(to_text_model(objective, weights))
    model = convert_model(files / "model.txt")
    (files / "binary").write_bytes(build_model(objective.labels, MIXED_TEMPLATE, number_features(objective), weights))
    tagger = pycrfpp.Tagger(f"-m {files / 'binary'} -v 2 -n 2")
    (files / "test").write_text(to_text([UNSEEN, *SLASHES]))
    texts = annotate(model, files / "test", verbose=2)
    for block, sentence in zip((text.split("\n") for text in texts), [UNSEEN, *SLASHES], strict=True):
        tagger.clear()
        for row in sentence:
            tagger.add(" ".join(row[:2]))
        assert tagger.parse()
        assert float(block[0].split()[1]) == pytest.approx(tagger.prob(), abs=1e-5)
        for token, line in enumerate(block[1:-2]):
            chosen, *others = line.split("\t")[-4:]
            assert chosen.split("/")[0] == tagger.y2(token)
            found = [float(text.rpartition("/")[2]) for text in others]
            assert found == pytest.approx([tagger.prob(token, label) for label in range(3)], abs=1e-5)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("maxid", "most", "not a text model of CRF++; write one with crf_learn -t"),
        ("xsize: 2", "xsize: two", "expected a number after xsize:, found 'two'"),
        ("xsize: 2", "xsize: 1", "xsize is 1, but the template names 2 columns"),
        ("\nI\n", "\nB\n", "expected labels that differ"),
        ("0 U00:", "x U00:", "expected numbers of features and weights"),
        ("0 U00:", "-1 U00:", "are missing; the file is not complete"),
        ("0 U00:", "99999 U00:", "are missing; the file is not complete"),
        ("B01:%x[0,1]\n", "B01:%y[0,1]\n", "expected macros of the form"),
    ],
)
def test_damaged_text_models_are_refused(files: Path, old: str, new: str, message: str) -> None:
    objective = Objective(TEMPLATE, SENTENCES)
    text = to_text_model(objective, np.ones(len(objective.index)))
    assert old in text
    (files / "model.txt").write_text(text.replace(old, new, 1))
    with pytest.raises((ConfigError, DataError), match=re.escape(message)):
        convert_model(files / "model.txt")


# -- layouts -----------------------------------------------------------------------------------------------------------


def test_golden_layouts(crfpp: Tagloom) -> None:
    """With C near zero, all labellings are equally probable."""
    Path("train").write_text("a x A\nb y B\n\n")
    Path("template").write_text("U00:%x[0,0]\n")
    assert crfpp("crfpp-learn", "-c", "1e-9", "template", "train", "model").code == 0
    Path("test").write_text("a x\tA\n\n\n\nb   y ? more\n")
    plain = crfpp("crfpp-test", "-m", "model", "test").out
    assert re.sub("[AB]$", "?", plain, flags=re.M) == "a\tx\tA\t?\n\nb\ty\t?\tmore\t?\n\n"
    verbose = crfpp("crfpp-test", "-m", "model", "-v", "1", "test").out
    assert re.sub("[AB]/", "?/", verbose) == (
        "# 0.500000\na\tx\tA\t?/0.500000\n\n# 0.500000\nb\ty\t?\tmore\t?/0.500000\n\n"
    )
    all_labels = crfpp("crfpp-test", "-m", "model", "-v2", "test").out
    assert re.sub("\t[AB]/", "\t?/", all_labels, count=1).startswith(
        "# 0.500000\na\tx\tA\t?/0.500000\tA/0.500000\tB/0.500000\n\n"
    )
    best = crfpp("crfpp-test", "-m", "model", "-n", "3", "test").out
    assert re.sub("\t[AB]$", "\t?", best, flags=re.M) == (
        "# 0 0.500000\na\tx\tA\t?\n\n# 1 0.500000\na\tx\tA\t?\n\n"
        "# 0 0.500000\nb\ty\t?\tmore\t?\n\n# 1 0.500000\nb\ty\t?\tmore\t?\n\n"
    )


def test_plain_output_has_the_columns_and_the_label(model: tagloom.Tagger, files: Path) -> None:
    found = blocks("".join(annotate(model, files / "test")))
    assert len(found) == 5
    for block, sentence in zip(found, [UNSEEN, *SENTENCES]):
        assert block == [
            "\t".join([*row, label])
            for row, label in zip(sentence, model.tag([row[:2] for row in sentence]), strict=True)
        ]


def test_probabilities_are_those_of_the_model(model: tagloom.Tagger, files: Path) -> None:
    for block, sentence in zip(blocks("".join(annotate(model, files / "test", verbose=2))), [UNSEEN, *SENTENCES]):
        tokens = [row[:2] for row in sentence]
        labels, marginals = model.tag(tokens), model.marginals(tokens)
        assert float(block[0].removeprefix("# ")) == pytest.approx(model.probability(tokens, labels), abs=2e-6)
        for line, label, chances in zip(block[1:], labels, marginals, strict=True):
            fields = line.split("\t")[-1 - len(model.labels) :]
            chosen, *others = [(name, float(value)) for name, value in (field.split("/") for field in fields)]
            assert [name for name, _ in others] == sorted(model.labels)
            assert chosen == (label, dict(others)[label])
            assert sum(value for _, value in others) == pytest.approx(1.0, abs=5e-6)
            for name, value in others:
                assert value == pytest.approx(chances[model.labels.index(name)], abs=2e-6)


def test_candidates_come_best_first_and_differ(model: tagloom.Tagger, files: Path) -> None:
    (files / "one").write_text(to_text([UNSEEN]))
    found = blocks("".join(annotate(model, files / "one", nbest=30, verbose=1)))
    assert len(found) == 27  # all there are
    assert [block[0].split()[:2] for block in found] == [["#", str(rank)] for rank in range(27)]
    chances = [float(block[0].split()[2]) for block in found]
    assert chances == sorted(chances, reverse=True)
    assert sum(chances) == pytest.approx(1.0, abs=3e-5)
    labellings = [tuple(line.split("\t")[-1].split("/")[0] for line in block[1:]) for block in found]
    assert len(set(labellings)) == 27
    assert list(labellings[0]) == model.tag(UNSEEN)


def test_the_cost_factor_sharpens(model: tagloom.Tagger, files: Path) -> None:
    def first(factor: float) -> float:
        return float(next(iter(annotate(model, files / "test", verbose=1, cost_factor=factor))).split()[1])

    assert first(0.001) == pytest.approx(1 / 27, rel=0.02)
    assert first(0.001) < first(1.0) < first(5.0) <= 1.0
    assert first(1.0) == pytest.approx(model.probability(UNSEEN, model.tag(UNSEEN)), abs=2e-6)


# -- reading -----------------------------------------------------------------------------------------------------------


def test_lines_are_read_as_crfpp_reads_them(model: tagloom.Tagger, files: Path) -> None:
    """A blank at the beginning of a line ends a sentence; # and -DOCSTART- are words; other blanks are no blanks."""
    (files / "odd").write_bytes("# SYM\r\n-DOCSTART- X\n x y\n\n\n \t\n\u3000a NN".encode())
    text = "".join(annotate(model, files / "odd"))
    rows = [line.split("\t")[:-1] for block in blocks(text) for line in block]
    assert rows == [["#", "SYM"], ["-DOCSTART-", "X"], ["\u3000a", "NN"]]
    assert text.count("\n\n") == 2


def test_long_files_are_written_as_they_are_read(model: tagloom.Tagger, files: Path) -> None:
    class Stream:
        name = "pipe"
        pieces: Iterator[bytes] = iter([b"The DT\ndo", b"g NN\n", b"\na DT\n\n", b"x NN"])

        def read1(self, size: int) -> bytes:
            return next(self.pieces, b"")

        read = read1

    texts = annotate(model, Stream())  # type: ignore[arg-type]
    assert next(texts).startswith("The\tDT\t")
    assert [text.split("\t")[0] for text in texts] == ["a", "x"]


def test_stdin_and_several_files(crfpp: Tagloom, monkeypatch: pytest.MonkeyPatch) -> None:
    crfpp("crfpp-learn", "template", "train", "model")
    once = crfpp("crfpp-test", "-m", "model", "test").out
    assert crfpp("crfpp-test", "-m", "model", "test", "test").out == once * 2
    with Path("test").open() as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        assert crfpp("crfpp-test", "-m", "model").out == once
    assert crfpp("crfpp-test", "-m", "model", "-o", "out", "test").out == ""
    assert Path("out").read_text() == once


def test_models_of_tagloom_train_work_too(crfpp: Tagloom) -> None:
    tagloom.train("train", columns="form pos label", templates="chunking").save("model")
    assert crfpp("crfpp-test", "-m", "model", "test").out.startswith("The\tDT\tB\n")


def test_patterns_of_wapiti(crfpp: Tagloom) -> None:
    Path("template").write_text('*\nu:w=%X[0,0]\n*:up=%t[0,0,"^\\u"]\nu:last=%m[0,0,".$"]\nu:pos=%x[0,1]\n')
    assert crfpp("crfpp-learn", "template", "train", "model").code == 0
    assert crfpp("crfpp-test", "-m", "model", "test").out.startswith("The\tDT\tB\nbark\tNN\tI\n")


# -- commands ----------------------------------------------------------------------------------------------------------


def test_progress_and_notes(crfpp: Tagloom) -> None:
    outcome = crfpp("crfpp-learn", "-t", "-H", "10", "-p", "2", "-f1", "-e", "0.001", "template", "train", "model")
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert lines[-1] == "Done!"
    assert re.fullmatch(r"iter=0 err=\d+ loss=\d+\.\d{5}", lines[0])
    assert "-t: no text model is written; tagloom inspect model shows the weights" in outcome.err
    assert "-H: ignored; it has no counterpart, and does not change what is learned" in outcome.err


def test_threads_do_not_change_the_model(crfpp: Tagloom) -> None:
    for threads in "12":
        assert crfpp("crfpp-learn", "-p", threads, "template", "train", f"model{threads}").code == 0
    assert Path("model1").read_bytes() == Path("model2").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["template", "train"],
         "expected a template, a training file and a model file; see tagloom crfpp-learn --help"),
        (["none", "train", "model"], "none: no such file"),
        (["template", "none", "model"], "none: no such file"),
        (["empty", "train", "model"], "empty: no templates found; write lines such as U00:%x[0,0]"),
        (["train", "train", "model"], "train:1: expected a CRF++ line such as U00:%x[0,0] or B, found 'The DT B'"),
        (["wide", "train", "model"],
         "wide: %x[1,2] names a column that train does not have: without the label it has 2, counted from 0"),
        (["template", "ragged", "model"], "ragged:4: expected 3 columns as in line 1, found 2"),
        (["template", "narrow", "model"], "narrow:1: expected 2 columns or more, the last one being the label"),
        (["template", "empty", "model"], "empty: no tokens found"),
        (["template", "bytes", "model"], "bytes:2: not valid UTF-8"),
        (["template", "train", "no/model"], "no/model: cannot write: no such directory"),
        (["template", "train", "train"], "train: is an input, too; choose another name for the output"),
        (["-C", "train", "model"], "train: not a text model of CRF++; write one with crf_learn -t"),
        (["-C", "train"], "-C: expected a text model of CRF++ and a model file; see tagloom crfpp-learn --help"),
        (["-a", "SVM", "template", "train", "model"], "unknown algorithm 'SVM' (known: CRF, CRF-L1, MIRA)"),
        (["-c", "0", "template", "train", "model"], "cost: expected a number above 0, got 0"),
        (["-c", "nan", "template", "train", "model"], "learn: cost: expected a number, got nan"),
        (["-e", "0", "template", "train", "model"], "eta: expected a number above 0 and below 1, got 0"),
        (["--install-aliases", "none"], "none: no such directory; make it, or name another one"),
    ],
)  # fmt: skip
def test_mistakes_in_learning_are_one_line(crfpp: Tagloom, arguments: list[str], message: str) -> None:
    Path("empty").write_text("\n# nothing\n" if arguments[0] == "empty" else "\n")
    Path("wide").write_text("U00:%x[0,0]\nU01:%x[1,2]\n")
    Path("ragged").write_text("a b c\na b c\n\na b\n")
    Path("narrow").write_text("a\n")
    Path("bytes").write_bytes(b"a b\n\xff c\n")
    assert crfpp("crfpp-learn", *arguments).error == message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "none", "test"], "none: no such"),
        (["-m", "model", "none"], "none: no such"),
        (["-m", "train", "test"], "train: damaged or not a model file"),
        (["-m", "model", "narrow"], "narrow:2: expected 2 or more columns, which the model reads, found 1"),
        (["-m", "model", "-c", "0", "test"], "cost-factor: expected a number above 0, got 0"),
        (["-m", "model", "-n", "100001", "test"], "nbest: expected a whole number from 0 to 100000, got 100001"),
        (["-m", "spans", "-v1", "test"],
         "verbose: this model decides on BIOES labels and writes IOB2; train it with crfpp-learn, "
         "or with --scheme none"),
    ],
)  # fmt: skip
def test_mistakes_in_testing_are_one_line(crfpp: Tagloom, arguments: list[str], message: str) -> None:
    learn("template", "train", maxiter=2).save("model")
    spans = [([("a", "b"), ("c", "d")], ["B-X", "I-X"]), ([("e", "f")], ["O"])]
    if "spans" in arguments:
        rows = [(*token, label) for tokens, labels in spans for token, label in zip(tokens, labels)]
        Path("spans.txt").write_text(to_text([rows[:2], rows[2:]] * 2))
        tagloom.train("spans.txt", columns="form pos label", templates="chunking", scheme="BIOES").save("spans")
    Path("narrow").write_text("a b\na\n")
    assert message in crfpp("crfpp-test", *arguments).error


def test_missing_model_option(crfpp: Tagloom) -> None:
    assert "-m" in crfpp("crfpp-test", "test").error


def test_python_errors(files: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        learn(files / "template", files / "none")
    with pytest.raises(ConfigError, match="unknown algorithm"):
        learn(files / "template", files / "train", algorithm="x")


def test_version_and_help(crfpp: Tagloom) -> None:
    assert crfpp("crfpp-learn", "-v").out.startswith("tagloom ")
    for command in ("crfpp-learn", "crfpp-test"):
        assert "CRF++" in crfpp(command, "-h").out


def test_aliases_on_request(crfpp: Tagloom, files: Path) -> None:
    (files / "bin").mkdir()
    outcome = crfpp("crfpp-learn", "--install-aliases", "bin")
    assert (outcome.code, outcome.err) == (0, "wrote crf_learn and crf_test in bin\n")
    assert crfpp("crfpp-learn", "--install-aliases", "bin").code == 0  # again: its own files are replaced
    subprocess.run([files / "bin" / "crf_learn", "template", "train", "model"], check=True, capture_output=True)
    tagged = subprocess.run([files / "bin" / "crf_test", "-m", "model", "test"], check=True, capture_output=True)
    assert tagged.stdout.decode() == crfpp("crfpp-test", "-m", "model", "test").out
    (files / "bin" / "crf_test").write_text("#!/bin/sh\necho mine\n")
    message = crfpp("crfpp-learn", "--install-aliases", "bin").error
    assert message == "bin/crf_test: another command is there; remove it, or name another directory"
