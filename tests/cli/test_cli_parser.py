"""Parsers on the command line: train, tag, eval, explain, inspect, draw; and what is refused, in one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import tagloom as library
from tagloom.cli.main import run
from tagloom.corpus import read, to_string
from tests.cli.outcome import Files, Tagloom
from tests.treebank import conllu, treebank

Make = Callable[..., Path]
SENTENCE = "the dog saw a cat ."


@dataclass(frozen=True)
class Bank:
    """Treebanks as CoNLL-U, a parser with a tagger, and one that reads gold tags."""

    train: Path
    dev: Path
    test: Path
    parser: Path
    gold: Path


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Bank:
    folder = tmp_path_factory.mktemp("bank")
    names = ("train.conllu", "dev.conllu", "test.conllu", "en.parser", "gold.parser")
    made = Bank(*(folder / name for name in names))
    for seed, (path, size) in enumerate([(made.train, 60), (made.dev, 10), (made.test, 15)], 1):
        path.write_text(conllu(size, seed, crossing=0.1))
    common = ["train", str(made.train), "--system", "parser", "--epochs", "4"]
    assert run([*common, "-o", str(made.parser), "--set", "tag_folds=2", "--depth", "1"]) == 0
    assert run([*common, "-o", str(made.gold), "--tags", "gold", "--templates", "huang-sagae"]) == 0
    return made


# -- train -----------------------------------------------------------------------------------------------------------


def test_train_reports(tagloom: Tagloom, bank: Bank, tmp_path: Path) -> None:
    output = tmp_path / "p"
    result = tagloom("train", bank.train, "--system", "parser", "--dev", bank.dev, "--test", bank.test, "-o", output,
                     "--set", "tag_folds=2", "--set", "tagger.epochs=3", "--epochs", 3, "--json")  # fmt: skip
    report = result.json
    assert report["uas"] == report["test"]["uas"] > 80
    assert report["las"] == report["test"]["las"] > 80
    assert (report["model"], report["model_bytes"]) == (str(output), output.stat().st_size)
    assert (report["epochs"], report["interrupted"]) == (3, False)
    assert {"features", "relations", "seconds", "best_epoch", "dev"} <= report.keys()
    assert report["signature"].endswith("|rule:attachment")
    lines = result.err.splitlines()
    assert "tags: jackknifing the column upos in 2 folds" in lines
    assert any("trees are not projective; they are lifted" in line for line in lines)
    assert any(line.startswith("pass 3: ") and ", dev " in line for line in lines)
    assert lines[-1].startswith(f"saved {output}: ")
    parser = library.load(output)
    assert parser.tagger is not None
    assert len(parser.tagger.spec.history) <= 3
    text = tagloom("train", bank.train, "--system", "parser", "--test", bank.test, "-o", output, "--tags", "gold",
                   "--epochs", 1)  # fmt: skip
    assert text.out.startswith("test\n")
    assert "LAS " in text.out


@pytest.mark.parametrize(
    ("options", "holds"),
    [
        (["--learner", "beam-perceptron", "--beam", "3"], lambda spec: spec.search == {"beam": 3}),
        (["--depth", "2"], lambda spec: spec.search == {"depth": 2}),
        (["--set", "relations=false"], lambda spec: not spec.has_relations),
        (["--set", "non_projective=skip"], lambda spec: spec.non_projective == "skip"),
        (["--templates", "huang-sagae"], lambda spec: spec.templates.name == "huang-sagae"),
        (["--tag", "form"], lambda spec: spec.tag == "form"),
        (["--set", "C=5"], lambda spec: spec.settings["C"] == 5),
        (["--seed", "7"], lambda spec: spec.seed == 7),
    ],
)
def test_train_options(
    tagloom: Tagloom, bank: Bank, tmp_path: Path, options: list[str], holds: Callable[[Any], bool]
) -> None:
    arguments = ("train", bank.train, "--system", "parser", "--tags", "gold", "--epochs", 1, "-o", tmp_path / "p")
    assert tagloom(*arguments, *options).code == 0
    assert holds(library.load(tmp_path / "p").spec)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--label", "upos"],
            "--label is for taggers, phrase chunkers, segment taggers and ensembles, a parser has none; leave it out",
        ),
        (["--scheme", "BIOES"], "--scheme is for taggers"),
        (["--sequences", "documents"], "--sequences is for taggers"),
        (["--document-features", "phrase"], "--document-features is for taggers"),
        (["--direction", "left-to-right"], "--direction is for taggers"),
        (["--history", "2"], "--history is for taggers"),
        (["--cutoff", "2"], "--cutoff is for taggers"),
        (["--start", "m"], "--start: a parser cannot begin from another model"),
        (
            ["--set", "label=upos"],
            "--label is for taggers, phrase chunkers, segment taggers and ensembles, a parser has none",
        ),
        (["--set", "tag_folds=x"], "--set tag_folds=x: expected a whole number"),
        (["--set", "relations=maybe"], "--set relations=maybe: expected true or false"),
        (["--set", "tagger.epochs=x"], "--set tagger.epochs=x: expected a whole number"),
        (["--set", "tagger.epoch=1"], "unknown setting 'epoch'; did you mean 'epochs'?"),
        (["--set", "tagger=1"], "--set tagger=1: this option cannot be written as text"),
        (["--set", "tagger.folds=3"], "tagger: 'folds' is set by tag_folds of the parser"),
        (["--set", "tagger.epochs=3", "--tags", "gold"], "tagger: with tags='gold' no tagger is trained"),
        (["--set", "depth"], "--set depth: expected KEY=VALUE"),
        (
            ["--set", "direction=x"],
            "--direction is for taggers, segment taggers and ensembles, a parser has none; leave it out",
        ),
        (["--tags", "silver"], "unknown tags 'silver'"),
        (["--tag", "pos"], "unknown column"),
        (["--learner", "crff"], "unknown learner 'crff'"),
        (["--learner", "sgd"], "learner 'sgd' does not parse"),
        (["--learner", "lookahead-perceptron", "--beam", "2"], "beam"),
        (["--templates", "pos"], "unknown set of state templates or file 'pos'"),
        (["--resource", "brown=missing"], "missing"),
        (["--columns", "form head"], ""),
    ],
)
def test_train_refuses_in_one_line(
    tagloom: Tagloom, bank: Bank, tmp_path: Path, options: list[str], message: str
) -> None:
    result = tagloom("train", bank.train, "--system", "parser", "-o", tmp_path / "p", *options)
    assert message in result.error
    assert not (tmp_path / "p").exists()


def test_a_test_without_trees_is_refused_before_training(tagloom: Tagloom, bank: Bank, tmp_path: Path) -> None:
    (tmp_path / "test.conllu").write_text("1\tHi\t_\tINTJ\t_\t_\t_\t_\t_\t_\n\n")
    result = tagloom(
        "train", bank.train, "--system", "parser", "-o", tmp_path / "p", "--test", tmp_path / "test.conllu"
    )
    assert "test.conllu:1: head of 'Hi' is missing" in result.error
    assert not (tmp_path / "p").exists()


def test_taggers_have_none_of_the_parsers_options(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    for options in (["--tags", "gold"], ["--tag", "pos"]):
        assert tagloom("train", files.train, "-o", tmp_path / "m", *options).error.startswith(
            f"{options[0]} is for parsers; add --system parser"
        )
    error = tagloom("train", files.train, "-o", tmp_path / "m", "--set", "tag_folds=2").error
    assert error == "--tag-folds is for parsers; add --system parser, or leave it out"
    assert "unknown system 'parse'; did you mean 'parser'?" in tagloom(
        "train", files.train, "-o", tmp_path / "m", "--system", "parse"
    ).error  # fmt: skip


ROWS = ["1\tHe\t_\tPRON\t_\t_\t2\tnsubj\t_\t_", "2\tleft\t_\tVERB\t_\t_\t0\troot\t_\t_",
        "3\tthem\t_\tPRON\t_\t_\t2\tobj\t_\t_"]  # fmt: skip


def with_heads(*heads: str) -> str:
    fields = [row.split("\t") for row in ROWS]
    rows = ["\t".join([*row[:6], head, *row[7:]]) for row, head in zip(fields, heads, strict=True)]
    return "# a comment\n" + "\n".join(rows) + "\n\n"


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        (("3", "0", "1"), "{}:6: cycle of heads 'He' -> 'them' -> 'He'; let one of them lead to the root"),
        (("0", "0", "2"), "{}:7: second root 'left', 'He' on line 6 is one already; keep one head 0"),
        (("2", "_", "2"), "{}:7: head of 'left' is missing"),
        (("2", "0", "9"), "{}:8: head 9 of 'them' is out of range, expected 0 (root) to 3"),
        (("2", "0", "x"), "{}:8: head 'x' of 'them' is not a number"),
        (("2", "0", "3"), "{}:8: 'them' is its own head"),
        (("2", "3", "2"), "{}:6: the sentence that begins here has no root"),
    ],
)
def test_trees_that_are_none(
    tagloom: Tagloom, bank: Bank, corpus_file: Make, tmp_path: Path, heads: tuple[str, ...], message: str
) -> None:
    good = "\n".join(ROWS) + "\n\n"
    bad = corpus_file(good + with_heads(*heads), "bad.conllu")
    expected = message.format(bad)
    common = ("--system", "parser", "-o", tmp_path / "p")
    assert tagloom("train", bad, *common).error.startswith(expected)
    assert tagloom("train", bank.train, "--dev", bad, *common).error.startswith(expected)
    assert tagloom("eval", bank.parser, bad).error.startswith(expected)
    assert tagloom("tag", bank.parser, bad).code == 0  # which does not look at trees


def test_data_that_teaches_nothing(tagloom: Tagloom, bank: Bank, corpus_file: Make, tmp_path: Path) -> None:
    common = ("--system", "parser", "-o", tmp_path / "p")
    crossing = corpus_file(conllu(5, crossing=1.0), "crossing.conllu")
    assert tagloom("train", crossing, *common, "--set", "non_projective=skip").error == (
        f"{crossing}: no tree to learn from: all are non-projective; pass non_projective='lift'"
    )
    plain = corpus_file("He PRP\nleft VBD\n\n" * 3, "plain.txt")
    assert "unknown column of" in tagloom("train", bank.train, "--dev", plain, *common).error
    assert "a parser needs a column of part-of-speech tags" in tagloom(
        "train", corpus_file("He 2\nleft 0\n\n" * 3), *common, "--columns", "form head"
    ).error  # fmt: skip
    words = corpus_file("He left .\nShe came .\n", "words.txt")
    assert "read as text with one column" in tagloom("train", words, *common).error
    assert "unknown column" in tagloom("train", plain, *common, "--columns", "form pos").error


# -- tag -------------------------------------------------------------------------------------------------------------


def test_trees_in_conllu(tagloom: Tagloom, bank: Bank, corpus_file: Make) -> None:
    text = (
        "# newdoc\n# text = the dog\n1-2\tthedog\t_\t_\t_\t_\t_\t_\t_\t_\n1\tthe\tx\tX\tY\tA=b\t_\t_\t_\tm=1\n"
        "2\tdog\t_\tX\t_\t_\t1\twrong\t_\t_\n2.1\te\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "3\tsleeps\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    )
    result = tagloom("tag", bank.parser, corpus_file(text, "in.conllu"))
    assert result.out.splitlines() == [
        "# newdoc", "# text = the dog", "1-2\tthedog\t_\t_\t_\t_\t_\t_\t_\t_", "1\tthe\tx\tDET\tY\tA=b\t2\tdet\t_\tm=1",
        "2\tdog\t_\tNOUN\t_\t_\t3\tnsubj\t_\t_", "2.1\te\t_\t_\t_\t_\t_\t_\t_\t_",
        "3\tsleeps\t_\tVERB\t_\t_\t0\troot\t_\t_", "",
    ]  # fmt: skip
    gold = tagloom("tag", bank.gold, corpus_file(text.replace("\tX\t", "\tDET\t"), "in.conllu"))
    assert [line.split("\t")[3] for line in gold.out.splitlines() if line[:1].isdigit()] == [
        "_", "DET", "DET", "_", "_"
    ]  # fmt: skip


def test_text_becomes_conllu(tagloom: Tagloom, bank: Bank) -> None:
    result = tagloom("tag", bank.parser, stdin=f"{SENTENCE}\n\nthe cat sleeps\n")
    rows = "1\tthe\t_\tDET\t_\t_\t2\tdet\t_\t_\n2\tdog\t_\tNOUN\t_\t_\t3\tnsubj\t_\t_\n"
    assert result.out.startswith(f"# sent_id = 1\n# text = {SENTENCE}\n{rows}")
    assert result.out.count("\troot\t") == 2
    for text in ("狗 看见 猫 。\n猫 睡\n", "狗看见猫\n"):  # words between blanks: a parser does not cut them
        found = tagloom("tag", bank.parser, "--tokenizer", "whitespace", stdin=text).out
        assert [line.split("\t")[1] for line in found.splitlines() if line[:1].isdigit()] == text.split()
    error = tagloom("tag", bank.gold, stdin=SENTENCE).error
    assert "missing column: upos (the model reads form upos, found form)" in error


def test_column_files_get_columns(tagloom: Tagloom, bank: Bank, corpus_file: Make) -> None:
    columns = corpus_file("the X\ndog X\nsleeps X\n\n" * 2, "columns.txt")
    assert tagloom("tag", bank.parser, columns).out == (
        "the X DET 2 det\ndog X NOUN 3 nsubj\nsleeps X VERB 0 root\n\n" * 2
    )
    taken = corpus_file("the a 1 x\ndog b 2 y\n\n" * 2, "taken.txt")
    named = tagloom("tag", bank.parser, taken, "--columns", "form upos head deprel").out
    assert named.startswith("the a 1 x ")  # the tags are those of the file
    assert len(named.splitlines()[0].split()) == 6
    gold = tagloom("tag", bank.gold, corpus_file("the DET\ndog NOUN\nsleeps VERB\n\n" * 2, "gold.txt"))
    assert gold.out.startswith("the DET 2 det\ndog NOUN 3 nsubj\nsleeps VERB 0 root\n")


def test_records_get_lists(tagloom: Tagloom, bank: Bank) -> None:
    line = json.dumps({"id": 7, "tokens": ["the", "dog", "sleeps"]})
    (found,) = map(json.loads, tagloom("tag", bank.parser, stdin=line + "\n").out.splitlines())
    assert found == {
        "id": 7, "tokens": ["the", "dog", "sleeps"], "tags": ["DET", "NOUN", "VERB"], "heads": [2, 3, 0],
        "relations": ["det", "nsubj", "root"],
    }  # fmt: skip
    drawn = tagloom("draw", "-", stdin=json.dumps(found)).out
    assert drawn == "  ╭─▸ 1 the    det   2\n╭─┴─▸ 2 dog    nsubj 3\n╰──── 3 sleeps root  0\n"
    assert tagloom("eval", bank.parser, "-", "--json", stdin=json.dumps(found)).json["las"] == 100
    broken = json.dumps({**found, "heads": [2, 3, True]})
    assert "expected a list of strings as 'heads'" in tagloom("eval", bank.parser, "-", stdin=broken).error
    gold = json.dumps({"tokens": ["the", "dog"], "upos": ["DET", "NOUN"]})
    assert json.loads(tagloom("tag", bank.gold, stdin=gold).out)["heads"] == [2, 0]


def test_search_of_tagging(tagloom: Tagloom, bank: Bank, tmp_path: Path) -> None:
    own = tagloom("tag", bank.parser, bank.test).out
    assert tagloom("tag", bank.parser, bank.test, "--depth", 1, "--threads", 3).out == own
    assert tagloom("tag", bank.parser, bank.test, "--beam", 1).out == tagloom(
        "tag", bank.parser, bank.test, "--depth", 0
    ).out  # fmt: skip
    assert tagloom("tag", bank.parser, bank.test, "-o", tmp_path / "out").code == 0
    assert (tmp_path / "out").read_text() == own
    for option in (["--nbest", "2"], ["--confidence"]):
        error = tagloom("tag", bank.parser, bank.test, *option).error
        assert error == f"{option[0]}: a parser has no such output; leave it out"
    for *option, owners in (["--decoder", "viterbi", "taggers and ensembles"], ["--candidates", "5", "taggers"]):
        assert tagloom("tag", bank.parser, bank.test, *option).error == (
            f"{option[0]} is for {owners}, {bank.parser} is a parser; leave it out"
        )
    assert (
        "depth, beam: expected one of them" in tagloom("tag", bank.parser, bank.test, "--depth", 1, "--beam", 2).error
    )
    assert "depth: expected a whole number" in tagloom("tag", bank.parser, bank.test, "--depth", -1).error


# -- eval ------------------------------------------------------------------------------------------------------------


def test_a_parser_scores_as_its_output_does(tagloom: Tagloom, bank: Bank, corpus_file: Make) -> None:
    report = tagloom("eval", bank.parser, bank.test, "--json").json
    written = corpus_file(tagloom("tag", bank.parser, bank.test).out, "out.conllu")
    other = tagloom("eval", bank.test, written, "--trees", "--json").json
    for name in ("uas", "las", "without_punctuation", "relations", "exact"):
        assert report[name] == other[name]
    assert tagloom("eval", bank.parser, bank.test, "--trees", "--json").json["las"] == report["las"]
    assert tagloom("eval", bank.test, bank.parser, "--json").json["las"] == report["las"]
    less = tagloom("eval", bank.parser, bank.test, "--punctuation", "unicode", "--universal", "--json").json
    assert less["rule"] == "attachment+without-unicode+universal"
    assert "|search:depth=0|" in tagloom("eval", bank.parser, bank.test, "--depth", 0, "--json").json["signature"]


def test_column_files_are_scored(tagloom: Tagloom, bank: Bank, corpus_file: Make) -> None:
    text = to_string(treebank(8, 9), "conll", ["form", "upos", "head", "deprel"])
    gold = corpus_file(text, "gold.txt")
    scored = tagloom("eval", bank.parser, gold, "--json")
    assert f"{gold}: columns taken as the model's: form upos head deprel\n" in scored.err
    named = ("--columns", "form upos head deprel")
    report = tagloom("eval", bank.parser, gold, "--json", *named).json
    parsed = corpus_file(tagloom("tag", bank.parser, gold, *named).out, "parsed.txt")
    assert tagloom("eval", gold, parsed, "--trees", "--json", *named).json["las"] == report["las"]
    assert scored.json["las"] == report["las"]


def test_two_parsers_are_compared(tagloom: Tagloom, bank: Bank, corpus_file: Make) -> None:
    found = tagloom("eval", bank.parser, bank.test, "--compare", bank.gold, "--json").json["comparison"]
    assert found["metric"] == "las"
    written = corpus_file(tagloom("tag", bank.gold, bank.test).out, "out.conllu")
    same = tagloom("eval", bank.parser, bank.test, "--compare", written, "--json").json["comparison"]
    assert same["difference"] == found["difference"]
    assert "p = " in tagloom("eval", bank.test, written, "--compare", bank.parser, "--bootstrap", 20).out


def test_eval_refuses_in_one_line(tagloom: Tagloom, bank: Bank, files: Files, corpus_file: Make) -> None:
    for option in (["--label", "upos"], ["--scheme", "IOB2"], ["--rule", "strict"]):
        assert tagloom("eval", bank.parser, bank.test, *option).error.startswith(f"{option[0]} is for labels, trees")
    assert "--candidates is for taggers, " in tagloom("eval", bank.parser, bank.test, "--candidates", 3).error
    assert "pass the corpus to score it on, too" in tagloom("eval", bank.parser).error
    assert "a tagger makes no trees" in tagloom("eval", bank.parser, bank.test, "--compare", files.model).error
    assert "a tagger makes no trees" in tagloom("eval", files.model, bank.test, "--compare", bank.parser).error
    assert "missing columns: head deprel (the model reads form head deprel, found form pos)" in tagloom(
        "eval", bank.parser, corpus_file("a b\nc d\n\n"), "--columns", "form pos"
    ).error  # fmt: skip
    assert "--conlleval is for spans" in tagloom("eval", bank.parser, bank.test, "--conlleval").error
    assert "missing columns: head deprel" in tagloom(
        "eval", bank.parser, corpus_file("a b\nc d\n\n")
    ).error  # fmt: skip


def test_relations_against_none(tagloom: Tagloom, bank: Bank, tmp_path: Path) -> None:
    bare = tmp_path / "bare.parser"
    tagloom("train", bank.train, "--system", "parser", "--tags", "gold", "--set", "relations=false", "-o", bare,
            "--epochs", 1)  # fmt: skip
    report = tagloom("eval", bare, bank.test, "--json").json
    assert "las" not in report
    result = tagloom("eval", bank.parser, bank.test, "--compare", bare)
    assert result.out.splitlines()[-1].startswith("uas ")
    assert set(tagloom("tag", bare, bank.test).out.split("\n")[0].split("\t")[7:8]) == {"_"}


# -- looking ---------------------------------------------------------------------------------------------------------


def test_explain(tagloom: Tagloom, bank: Bank) -> None:
    text = tagloom("explain", bank.parser, SENTENCE, "--top", 2).out.splitlines()
    assert text[0].split() == ["stack", "queue", "action", "rival", "margin", "because", "of"]
    assert len(text) == 2 * 6
    assert "nothing else is possible" in text[1]
    report = tagloom("explain", bank.parser, SENTENCE, "--json").json
    assert (report["tokens"], report["heads"][:3]) == (SENTENCE.split(), [2, 3, 0])
    assert [step["action"] for step in report["actions"]][:3] == ["shift", "shift", "left det"]
    assert report["actions"][2]["stack"] == ["the", "dog"]
    assert report["actions"][2]["margin"] > 0
    gold = tagloom("explain", bank.gold, "the/DET dog/NOUN sleeps/VERB", "--json").json
    assert gold["tags"] == ["DET", "NOUN", "VERB"]
    assert "expected form/upos, the columns that the model reads" in tagloom("explain", bank.gold, "the dog").error
    assert "expected a sentence, found nothing" in tagloom("explain", bank.parser, " ").error


def test_inspect(tagloom: Tagloom, bank: Bank) -> None:
    text = tagloom("inspect", bank.parser).out
    for line in ("reads: form", "writes: upos head deprel", "decides: depth=1", "root: root"):
        assert f"{line}\n" in text
    assert "pass" in text
    assert "s0.form" in text
    report = tagloom("inspect", bank.parser, "--json").json
    details = report["details"]
    assert sum(details["features"].values()) == report["sizes"]["features"]
    assert report["sizes"]["relations"] == len(details["relations"])
    assert details["tagger"].startswith("tagloom:")
    assert tagloom("inspect", bank.gold, "--json").json["details"]["tagger"] is None
    for option in (["--label", "x"], ["--top", "3"]):
        assert tagloom("inspect", bank.parser, *option).error.startswith(f"{option[0]} is for taggers")


def test_draw(tagloom: Tagloom, bank: Bank, files: Files, tmp_path: Path) -> None:
    drawn = tagloom("draw", bank.parser, "the dog sleeps").out
    assert drawn == "  ╭─▸ 1 the    DET  det   2\n╭─┴─▸ 2 dog    NOUN nsubj 3\n╰──── 3 sleeps VERB root  0\n"
    assert tagloom("draw", bank.parser, "the dog sleeps", "--svg", tmp_path / "t.svg").code == 0
    assert "the dog sleeps" in [each.text for each in ElementTree.parse(tmp_path / "t.svg").iter()]
    assert tagloom("draw", bank.gold, "the/DET dog/NOUN", "--ascii").code == 0
    assert tagloom("draw", bank.parser).error == f"{bank.parser} is a parser; pass the sentence to draw, too"
    assert "a tagger makes no trees; name a parser to draw a sentence" in tagloom("draw", files.model, "a b").error
    assert "is not a model: a sentence needs a parser" in tagloom("draw", bank.test, "a b").error
    for option in (["--sentence", "1"], ["--tags", "upos"], ["--columns", "form"], ["--format", "conllu"]):
        assert tagloom("draw", bank.parser, "a b", *option).error.startswith(f"{option[0]} is for files with trees")


def test_the_other_kind_of_model(tagloom: Tagloom, bank: Bank, files: Files, tmp_path: Path) -> None:
    error = tagloom("train", files.train, "--start", bank.parser, "-o", tmp_path / "m").error
    assert error == f"{bank.parser}: expected a tagger, got a parser"


def test_damaged_files(tagloom: Tagloom, bank: Bank, tmp_path: Path) -> None:
    data, path = bank.parser.read_bytes(), tmp_path / "damaged"
    cases = ((data[:-1], "cut off"), (data[:200], "cut off"), (data[:5000] + b"x" + data[5001:], "damaged"))
    for damaged, message in cases:
        path.write_bytes(damaged)
        for command in (("tag", path, bank.test), ("eval", path, bank.test), ("explain", path, "a"), ("inspect", path),
                        ("draw", path, "a")):  # fmt: skip
            assert tagloom(*command).error.startswith(f"{path}: {message}")


def test_what_is_written_is_read_again(tagloom: Tagloom, bank: Bank, corpus_file: Make, tmp_path: Path) -> None:
    """Trees of a parser can be learned from."""
    parsed = corpus_file(tagloom("tag", bank.parser, bank.test).out, "parsed.conllu")
    assert read(parsed).names == read(bank.test).names
    assert tagloom("train", parsed, "--system", "parser", "--tags", "gold", "-o", tmp_path / "p").code == 0


def test_tag_does_not_overwrite_what_it_reads(tagloom: Tagloom, bank: Bank) -> None:
    before = bank.test.read_bytes()
    assert "is an input, too" in tagloom("tag", bank.parser, bank.test, "-o", bank.test).error
    assert "is an input, too" in tagloom("tag", bank.parser, bank.test, "-o", bank.parser).error
    assert bank.test.read_bytes() == before
