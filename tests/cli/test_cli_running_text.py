"""Running text on the command line: tokenizers, output formats with offsets, provided columns, text that is bad."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import tagloom as library
from tests.cli.outcome import Tagloom
from tests.cli.test_cli_trees import conllu

Make = Callable[..., Path]

NER = [
    (["Barack", "Obama", "visited", "Paris", "."], [(0, 2, "PER"), (3, 4, "LOC")]),
    (["He", "does", "n't", "like", "Berlin", "."], [(4, 5, "LOC")]),
    (["Angela", "Merkel", "left", "London", "."], [(0, 2, "PER"), (3, 4, "LOC")]),
]
TEXT = "Barack Obama visited Paris. He doesn't like Berlin.\n\tAngela Merkel left London.\n"
TREES = conllu(
    "the/DET/2/det dog/NOUN/3/nsubj sleeps/VERB/0/root ./PUNCT/3/punct",
    "a/DET/2/det cat/NOUN/3/nsubj barks/VERB/0/root ./PUNCT/3/punct",
)
TREES = re.sub(r"(\tVERB\t.*\t)_\n", r"\1SpaceAfter=No\n", TREES)


@pytest.fixture(scope="module")
def ner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ner") / "ner.tagloom"
    library.train(NER * 4, dev=NER, epochs=5).save(path)
    return path


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("treebank") / "bank.conllu"
    path.write_text(TREES * 4)
    return path


@pytest.fixture(scope="module")
def pipeline(treebank: Path) -> Path:
    path = treebank.with_name("en.pipeline")
    library.train(treebank, system="pipeline", folds=2).save(path)
    return path


@pytest.fixture(scope="module")
def tokenizer(treebank: Path) -> Path:
    path = treebank.with_name("en.tokenizer")
    library.train(treebank, system="tokenizer").save(path)
    return path


def list_words(columns: str) -> list[str]:
    return [line.split()[0] for line in columns.splitlines() if line]


def test_the_tokenizer_of_the_model_cuts(tagloom: Tagloom, ner: Path) -> None:
    result = tagloom("tag", ner, stdin=TEXT)
    assert " ".join(list_words(result.out)[:11]) == "Barack Obama visited Paris . He does n't like Berlin ."
    assert result.out.count("\n\n") == 3
    assert "Paris B-LOC\n" in result.out
    assert "guessed plain text (tokenizer ptb: form)" in result.err
    assert tagloom("tag", ner, "--text", stdin=TEXT).out == result.out
    assert tagloom("tag", ner, "--format", "text", stdin=TEXT).out == result.out


def test_another_tokenizer(tagloom: Tagloom, ner: Path, tokenizer: Path, pipeline: Path) -> None:
    found = tagloom("tag", ner, "--tokenizer", "whitespace", stdin="Barack Obama visited Paris.\nYes .\n").out
    assert list_words(found) == ["Barack", "Obama", "visited", "Paris.", "Yes", "."]
    assert found.count("\n\n") == 2
    for path in (tokenizer, pipeline):
        assert list_words(tagloom("tag", ner, "--tokenizer", path, stdin="the dog sleeps.\n").out)[-1] == "."


def test_lines_and_paragraphs(tagloom: Tagloom, ner: Path) -> None:
    lines = tagloom("tag", ner, "--to", "jsonl", stdin="no end\nof a line\n").out.splitlines()
    assert [json.loads(line)["text"] for line in lines] == ["no end", "of a line"]
    wrapped = "no end\nof a line\r\n \nnext\n\n\n"
    found = [json.loads(line) for line in tagloom("tag", ner, "--to", "jsonl", stdin=wrapped).out.splitlines()]
    assert [each["text"] for each in found] == ["no end\nof a line", "next"]
    assert [len(each["sentences"]) for each in found] == [1, 1]


def test_jsonl_has_offsets(tagloom: Tagloom, ner: Path) -> None:
    result = tagloom("tag", ner, "--to", "jsonl", "--confidence", stdin=TEXT)
    records = [json.loads(line) for line in result.out.splitlines()]
    assert [record["text"] for record in records] == TEXT.splitlines()
    assert [len(record["sentences"]) for record in records] == [2, 1]
    for record in records:
        library.text.Annotation.from_dict(record)
        for each in (*record["tokens"], *record["spans"]):
            assert record["text"][each["start"] : each["end"]] == each["text"]
            assert 0 <= each["score"] <= 1
    spans = [(span["text"], span["label"]) for record in records for span in record["spans"]]
    assert ("Barack Obama", "PER") in spans
    assert ("London", "LOC") in spans


def test_conllu_keeps_the_text(tagloom: Tagloom, ner: Path, corpus_file: Make) -> None:
    result = tagloom("tag", ner, "--to", "conllu", stdin=TEXT)
    assert re.findall(r"# sent_id = (\d+)", result.out) == ["1", "2", "3"]
    corpus = library.read(corpus_file(result.out, "x.conllu"))
    assert library.corpus.restore_text(corpus).text == TEXT
    assert "label=B-LOC|SpaceAfter=No" in result.out


def test_brat_and_html(tagloom: Tagloom, ner: Path, corpus_file: Make, tmp_path: Path) -> None:
    text = corpus_file(TEXT, "doc.txt")
    result = tagloom("tag", ner, text, "--to", "brat", "-o", tmp_path / "doc.ann")
    assert "brat reads" not in result.err
    for line in (tmp_path / "doc.ann").read_text().splitlines():
        _, place, shown = line.split("\t")
        _, start, end = place.split()
        assert TEXT[int(start) : int(end)] == shown
    other = tagloom("tag", ner, text, "--to", "brat", "-o", tmp_path / "x.ann")
    assert f"{tmp_path}/x.ann: brat reads the text from {tmp_path}/x.txt; put a copy of the input there" in other.err
    page = tagloom("tag", ner, text, "--to", "html").out
    assert page.startswith("<!doctype html>")
    assert page.rstrip().endswith("</html>")
    assert page.count("<article") == 2
    assert "London<b>LOC</b>" in page
    assert tagloom("tag", ner, "--to", "html", stdin="").error.startswith("<stdin>: no tokens found")


def test_batches_go_on_with_ids_and_offsets(tagloom: Tagloom, ner: Path, corpus_file: Make) -> None:
    """More than one batch: the first one ends after some 64 KB."""
    text = "".join(f"É{number}: Barack Obama visited Paris.\r\n" for number in range(9000))
    path = corpus_file("", "long.txt")
    path.write_bytes(text.encode())
    lines = tagloom("tag", ner, path, "--text", "--to", "brat").out.splitlines()
    assert len(lines) >= 9000
    assert [line.split("\t")[0] for line in lines] == [f"T{number}" for number in range(1, len(lines) + 1)]
    for line in lines:
        _, place, shown = line.split("\t")
        _, start, end = place.split()
        assert text[int(start) : int(end)] == shown
    ids = re.findall(r"# sent_id = (\d+)", tagloom("tag", ner, path, "--text", "--to", "conllu").out)
    assert ids == [str(number) for number in range(1, len(ids) + 1)]
    assert len(tagloom("tag", ner, path, "--text", "--to", "jsonl").out.splitlines()) == 9000


def test_other_formats_for_other_inputs(tagloom: Tagloom, ner: Path) -> None:
    columns = "Barack\nObama\nleft\nParis\n\n"
    record = json.loads(tagloom("tag", ner, "--to", "jsonl", stdin=columns).out)
    assert record["tokens"] == ["Barack", "Obama", "left", "Paris"]
    assert len(record["tags"]) == 4
    assert tagloom("tag", ner, "--to", "conllu", stdin=columns).out.startswith("1\tBarack\t_")
    assert "Barack Obama<b>PER</b>" in tagloom("tag", ner, "--to", "html", stdin=columns).out
    assert tagloom("tag", ner, "--to", "conll", stdin='{"tokens": ["Paris"]}\n').out == "Paris O\n\n"
    assert "<stdin> is not running text" in tagloom("tag", ner, "--to", "brat", stdin=columns).error


def test_records_with_text(tagloom: Tagloom, ner: Path) -> None:
    text = "Barack Obama visited Paris. He doesn't like Berlin."
    record = json.loads(tagloom("tag", ner, stdin=json.dumps({"text": text, "id": 7})).out)
    assert list(record) == ["text", "id", "tokens", "offsets", "sentences", "tags", "spans"]
    assert [text[start:end] for start, end in record["offsets"]] == record["tokens"]
    assert record["sentences"] == [[0, 5], [5, 11]]
    assert [text[start:end] for start, end, _ in record["spans"]] == ["Barack Obama", "Paris", "Berlin"]
    tokens = json.loads(tagloom("tag", ner, stdin='{"text": "To  Paris", "tokens": ["To", "Paris"]}').out)
    assert (tokens["offsets"], "sentences" in tokens) == ([[0, 2], [4, 9]], False)
    lists = json.loads(tagloom("tag", ner, "--nbest", 2, stdin=json.dumps({"text": text})).out)["nbest"]
    assert [len(each) for each in lists] == [2, 2]


def test_a_pipeline_writes_a_treebank(tagloom: Tagloom, pipeline: Path, tokenizer: Path, corpus_file: Make) -> None:
    text = corpus_file("the dog barks. a cat sleeps.\n", "raw.txt")
    found = tagloom("tag", pipeline, text).out
    rows = [line.split("\t") for line in found.splitlines() if line[:1].isdigit()]
    assert " ".join(row[1] for row in rows) == "the dog barks . a cat sleeps ."
    assert (rows[0][3], rows[0][6:8]) == ("DET", ["2", "det"])
    bare = tagloom("tag", tokenizer, text).out
    assert re.findall("# text = (.*)", bare) == re.findall("# text = (.*)", found)
    assert json.loads(tagloom("tag", tokenizer, text, "--to", "jsonl").out)["tokens"][2]["text"] == "barks"
    drawn = tagloom("draw", pipeline, "the dog barks. a cat sleeps.").out
    assert drawn.count("nsubj") == 2
    assert (
        "--svg draws one sentence, the text has 2"
        in tagloom("draw", pipeline, "the dog barks. a cat sleeps.", "--svg", "-").error
    )


def test_eval_of_text(tagloom: Tagloom, pipeline: Path, tokenizer: Path, treebank: Path, ner: Path) -> None:
    report = tagloom("eval", pipeline, treebank, "--json").json
    assert (report["kind"], report["metric"]) == ("text", "las")
    assert tagloom("eval", pipeline, treebank, "--text", "--json").json["scores"] == report["scores"]
    report = tagloom("eval", tokenizer, treebank, "--json").json
    assert (report["metric"], list(report["scores"])) == ("tokens", ["tokens", "sentences", "words"])
    assert "Tokens 100.00 of 32 tokens" in tagloom("eval", tokenizer, treebank).out
    error = tagloom("eval", ner, treebank, "--text").error
    assert error == "a tagger of label makes no column of a treebank, so text has nothing to score"


@pytest.fixture(scope="module")
def tagged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tagged") / "train.txt"
    rows = ["the DT O\ndog NN B-X\nsleeps VB O\n", "a DT O\ncat NN B-X\nbarks VB O\n"]
    path.write_text("\n".join(rows * 5) + "\n")
    return path


def test_provided_columns(tagloom: Tagloom, tagged: Path, tmp_path: Path) -> None:
    model, columns = tmp_path / "m", ["--columns", "form pos label"]
    bare = tagloom("train", tagged, "-o", model, *columns, "--templates", "chunking")
    said = "the model reads pos beside form, which text does not have: train with --provide pos"
    assert said in bare.err.splitlines()
    assert "missing column: pos" in tagloom("tag", model, stdin="the dog sleeps\n").error
    given = ["--templates", "chunking", "--provide", "pos", "--tokenizer", "ptb"]
    provided = tagloom("train", tagged, "-o", model, *columns, *given, "--test", tagged)
    assert (provided.code, said in provided.err) == (0, False)
    assert library.load(model).tokenizer.name == "ptb"
    assert tagloom("tag", model, stdin="the dog sleeps\n").out == "the DT O\ndog NN B-X\nsleeps VB O\n\n"
    own = tagloom("tag", model, "--columns", "form pos", stdin="the NN\ndog NN\nsleeps VB\n\n")
    note = "--columns: pos as in the input, not as the model would predict"
    assert note in own.err.splitlines()
    assert [len(line.split()) for line in own.out.splitlines()] == [3, 3, 3, 0]
    assert note in tagloom("eval", model, tagged, *columns).err
    assert note not in tagloom("eval", model, tagged).err


def test_provided_by_a_model(tagloom: Tagloom, tagged: Path, tmp_path: Path) -> None:
    pos, model = tmp_path / "pos", tmp_path / "m"
    assert tagloom("train", tagged, "-o", pos, "--columns", "form pos label", "--label", "pos").code == 0
    train = ("train", tagged, "-o", model, "--columns", "form pos label", "--templates", "chunking")
    assert tagloom(*train, "--provide", f"pos={pos}").code == 0
    assert tagloom("tag", model, stdin="the dog sleeps\n").out.startswith("the DT O\n")
    for given, message in (
        ("x", "train.txt 'x' (known: form, label, pos)"),
        (f"chunk={pos}", "provide: chunk: the model adds pos; name one of its columns"),
        ("pos=", "--provide pos=: expected NAME or NAME=MODEL"),
        ("pos=nothing", "nothing: no such model file"),
    ):
        assert message in tagloom(*train, "--provide", given).error
    assert "pos is given twice" in tagloom(*train, "--provide", "pos", "--provide", "pos").error


def test_options_of_parts(tagloom: Tagloom, treebank: Path, tmp_path: Path) -> None:
    model = tmp_path / "m"
    parts = ["--set", "upos.epochs=2", "--set", "feats.epochs=1", "--set", "trees.depth=0"]
    train = ("train", treebank, "-o", model, "--system", "pipeline", "--folds", 2, "--parts", "upos,trees")
    assert tagloom(*train, *parts).code == 0
    assert len(library.load(model).models[0].spec.history) == 2
    assert "unknown setting 'epoch'" in tagloom(*train, "--set", "upos.epoch=2").error
    assert "unknown setting" in tagloom(*train, "--set", "pos.epochs=2").error
    assert "--set upos.epochs=x: expected a whole number" in tagloom(*train, "--set", "upos.epochs=x").error


def test_training_from_records_with_text(tagloom: Tagloom, corpus_file: Make, tmp_path: Path) -> None:
    records = [{"text": "I don't know New York's mayor. Yes!", "spans": [[13, 21, "LOC"]]}] * 4
    path, model = corpus_file("\n".join(map(json.dumps, records)), "train.jsonl"), tmp_path / "m"
    assert tagloom("train", path, "-o", model).code == 0
    assert library.load(model).tokenizer.name == "unicode"
    assert tagloom("train", path, "-o", model, "--tokenizer", "ptb").code == 0
    assert library.load(model).tokenizer.name == "ptb"
    found = tagloom("tag", model, "--text", stdin="I don't know New York's mayor.\n").out
    assert list_words(found) == ["I", "do", "n't", "know", "New", "York", "'s", "mayor", "."]
    assert tagloom("eval", model, path, "--json").json["f1"] == 100


def test_explain_cuts_text(tagloom: Tagloom, ner: Path) -> None:
    rows = tagloom("explain", ner, "He doesn't like Paris.").out.splitlines()
    assert [row.split()[0] for row in rows[1:]] == ["He", "does", "n't", "like", "Paris", "."]
    assert tagloom("explain", ner, "  ").error == "expected a sentence, found nothing"


@pytest.mark.parametrize(
    ("arguments", "stdin", "message"),
    [
        (["--text"], "", "<stdin>: no tokens found, the file is empty"),
        (["--text"], " \n\t\n", "<stdin>: no tokens found, the file has only blank lines"),
        (["--text"], "a\0b", "<stdin>:1: NUL byte, expected UTF-8 text; convert the file if it is UTF-16"),
        ([], '{"text": "a \\ud800"}', "<stdin>:1: a \\u escape is half of a surrogate pair"),
        ([], '{"text": "He left", "tokens": ["He", "lift"]}', "<stdin>:1: token 2 is 'lift', but the text continues"),
        ([], '{"text": "a b", "tokens": [{"text": "b", "start": 0, "end": 1}]}', "<stdin>:1: token 1 is 'b', but the"),
        (["--tokenizer", "ptp"], "a\n", "unknown tokenizer 'ptp'; did you mean 'ptb'?"),
        (["--tokenizer", "{ner}"], "a\n", "tokenizer: expected a name, a function or a model that cuts text, got"),
        (["--tokenizer", "{text}"], "a\n", "{text}: damaged or not a model file"),
        (["--to", "json"], "a\n", "unknown output format (--to) 'json'; did you mean 'jsonl'?"),
        (["--to", "html", "--nbest", "2"], "a\n", "--nbest: does not go with --to html; leave one of them out"),
        (["--text", "--format", "conll"], "a\n", "--text: does not go with --format conll; leave one of them out"),
    ],
)
def test_bad_text_is_one_line(
    tagloom: Tagloom, ner: Path, corpus_file: Make, arguments: list[str], stdin: str, message: str
) -> None:
    names = {"ner": ner, "text": corpus_file("a\n")}
    given = [each.format(**names) for each in arguments]
    assert message.replace("{text}", str(names["text"])) in tagloom("tag", ner, *given, stdin=stdin).error


def test_bytes_that_are_not_utf8(tagloom: Tagloom, ner: Path, tmp_path: Path) -> None:
    for bad in (b"\xff", b"\xed\xa0\x80"):
        (tmp_path / "bad.txt").write_bytes(b"a b\nc " + bad + b" d\n")
        assert tagloom("tag", ner, "--text", tmp_path / "bad.txt").error == f"{tmp_path}/bad.txt:2: not valid UTF-8"
    assert "got the lone surrogate '\\udcff' at offset 2" in tagloom("explain", ner, "a \udcff").error


def test_control_characters_have_right_offsets(tagloom: Tagloom, ner: Path) -> None:
    text = "Paris\x01\x02 is\x1b[31m in\u2028Bonn\x0c\ufeff.\u0301 😀"
    record = json.loads(tagloom("tag", ner, "--text", "--to", "jsonl", stdin=f"{text}\n").out)
    assert record["text"] == text
    assert all(text[token["start"] : token["end"]] == token["text"] for token in record["tokens"])


def test_a_text_without_a_blank(tagloom: Tagloom, ner: Path, tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text("a" * 2_000_000)
    start = time.perf_counter()
    found = tagloom("tag", ner, tmp_path / "long.txt")
    assert (found.code, len(list_words(found.out))) == (0, 1)
    assert time.perf_counter() - start < 20


@pytest.mark.skipif(os.name == "nt", reason="terminals of Unix")
@pytest.mark.parametrize("plain", [False, True])
def test_colours_on_a_terminal(ner: Path, plain: bool) -> None:
    import pty

    main, side = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", **({"NO_COLOR": "1"} if plain else {})}
    command = [sys.executable, "-m", "tagloom.cli", "tag", str(ner), "--text"]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=side, stderr=subprocess.DEVNULL, env=environment, text=True
    )
    os.close(side)
    process.communicate("He left Paris\x1b[2J now.\n", timeout=60)
    shown = b""
    while True:
        try:
            piece = os.read(main, 4096)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.close(main)
    assert b"Paris" in shown
    assert b"LOC" in shown
    assert b"\x1b[2J" not in shown
    assert (b"\x1b[38" in shown or b"\x1b[1;38" in shown) is not plain


@pytest.mark.parametrize(
    ("name", "content", "is_text"),
    [
        ("a.txt", "Obama left\nMerkel stayed\nBerlin slept\n", True),
        ("a.txt", "Obama left.\nMerkel stayed.\n\nBerlin slept.\n", True),
        ("a.txt", "Obama B-PER\nleft O\n. O\n", False),
        ("a.txt", "Obama noun\nleft verb\nParis noun\nwith prep\nMerkel noun\nslept verb\n", False),
        ("a.txt", "Obama\tleft\nMerkel\tstayed\nBerlin\tslept\n", False),
        ("a.conll", "Obama left\nMerkel stayed\nBerlin slept\n", False),
    ],
)
def test_a_txt_file_is_text_unless_it_has_columns(
    tagloom: Tagloom, ner: Path, tmp_path: Path, name: str, content: str, is_text: bool
) -> None:
    (tmp_path / name).write_text(content)
    done = tagloom("tag", str(ner), str(tmp_path / name))
    assert done.code == 0, done.err
    assert len(done.out.split("\n")[0].split()) == (2 if is_text else 3)
    assert done.out.split()[:1] == ["Obama"]
