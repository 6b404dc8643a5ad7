"""The installed command as a process: signals, pipes, start-up."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import tagloom as library
from tests.cli.outcome import Files

COMMAND = [sys.executable, "-c", "import sys; from tagloom.cli import main; sys.exit(main())"]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals and pipes of Unix")


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    """A corpus that no model learns: labels are drawn, so that every pass finds errors."""
    draw = random.Random(1)
    rows = [f"w{draw.randrange(50)} {draw.choice('AB')}\n" + "\n" * (draw.random() < 0.1) for _ in range(30_000)]
    path = tmp_path / "endless.txt"
    path.write_text("".join(rows))
    return path


@pytest.fixture
def endless_trees(tmp_path: Path) -> Path:
    """The same of trees: which word is the root, and relations, are drawn."""
    draw = random.Random(1)
    rows = []
    for _ in range(1500):
        root = draw.randrange(1, 9)
        heads = [0 if word == root else word + (1 if word < root else -1) for word in range(1, 9)]
        rows += [f"w{draw.randrange(50)} X {head} {draw.choice('ab')}\n" for head in heads] + ["\n"]
    path = tmp_path / "trees.txt"
    path.write_text("".join(rows))
    return path


def parser_arguments(trees: Path, output: Path, *more: str) -> list[str]:
    options = ["--system", "parser", "--tags", "gold", "--columns", "form pos head deprel"]
    return [*COMMAND, "train", str(trees), "-o", str(output), *options, *more]


def test_ctrl_c_saves_the_best_parser(endless_trees: Path, tmp_path: Path) -> None:
    arguments = parser_arguments(endless_trees, tmp_path / "p", "--epochs", "100000000", "--json")
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("pass 2"):
            process.send_signal(signal.SIGINT)
            break
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "interrupted after pass" in err
    assert "Traceback" not in err
    assert json.loads(out)["interrupted"] is True
    parser = library.load(tmp_path / "p")
    assert len(parser.parse([("w1", "X"), ("w2", "X")]).heads) == 2


def test_a_killed_training_of_a_parser_goes_on(endless_trees: Path, tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint"
    more = ("--epochs", "5", "--templates", "huang-sagae")
    killed = parser_arguments(endless_trees, tmp_path / "resumed", *more, "--checkpoint", str(checkpoint))
    process = subprocess.Popen(killed, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("pass 2"):
            process.kill()
            break
    process.stderr.close()
    assert process.wait(timeout=30) == -signal.SIGKILL
    done = subprocess.run(killed, capture_output=True, text=True, check=True)
    assert f"{checkpoint}: continuing after pass" in done.stderr
    subprocess.run(parser_arguments(endless_trees, tmp_path / "whole", *more), capture_output=True, check=True)
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole").read_bytes()
    assert not checkpoint.exists()


def test_ctrl_c_in_training_saves_the_best_model(endless: Path, tmp_path: Path) -> None:
    arguments = ["train", str(endless), "-o", str(tmp_path / "m"), "--epochs", "100000000", "--json"]
    process = subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("pass 3"):
            process.send_signal(signal.SIGINT)
            break
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "interrupted after pass" in err
    assert "Traceback" not in err
    report = json.loads(out)
    assert report["interrupted"] is True
    model = library.load(tmp_path / "m")
    assert len(model.spec.history) == report["epochs"] >= 3
    assert set(model.tag(["w1", "w2"])) <= {"A", "B"}


def test_ctrl_c_in_a_comparison_reports_what_was_reached(endless: Path, tmp_path: Path) -> None:
    arguments = ["compare", str(endless), "--test", str(endless), "-o", str(tmp_path / "out"), "--json",
                 "--learners", "perceptron,averaged-perceptron", "--jobs", "1", "--epochs", "100000000",
                 "--set", "perceptron.epochs=2"]  # fmt: skip
    process = subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("averaged-perceptron: pass 3"):
            process.send_signal(signal.SIGINT)
            break
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in err
    report = json.loads(out)
    first, second = report["runs"]
    assert (first["epochs"], first["interrupted"], second["interrupted"]) == (2, False, True)
    assert second["epochs"] >= 3
    assert json.loads((tmp_path / "out" / "comparison.json").read_text()) == report


def test_a_killed_training_goes_on_from_its_checkpoint(endless: Path, tmp_path: Path) -> None:
    def arguments(output: str, *more: str) -> list[str]:
        return [*COMMAND, "train", str(endless), "-o", str(tmp_path / output), "--epochs", "40", *more]

    checkpoint = tmp_path / "checkpoint"
    process = subprocess.Popen(arguments("resumed", "--checkpoint", str(checkpoint)), stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("pass 3"):
            process.kill()
            break
    process.stderr.close()
    assert process.wait(timeout=30) == -signal.SIGKILL
    assert not (tmp_path / "resumed").exists()
    done = subprocess.run(
        arguments("resumed", "--checkpoint", str(checkpoint)), capture_output=True, text=True, check=True
    )
    assert f"{checkpoint}: continuing after pass" in done.stderr
    assert "pass 1:" not in done.stderr
    subprocess.run(arguments("whole"), capture_output=True, check=True)
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole").read_bytes()
    assert not checkpoint.exists()


def test_closed_pipe_ends_quietly(files: Files) -> None:
    process = subprocess.Popen(
        [*COMMAND, "tag", str(files.model), str(files.test)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.close()  # as head does
    assert process.stderr is not None
    assert not [line for line in process.stderr if "guessed" not in line]
    process.stderr.close()
    assert process.wait(timeout=30) == -signal.SIGPIPE


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_stdout_on_a_full_disk() -> None:
    with Path("/dev/full").open("w") as full:
        result = subprocess.run([*COMMAND, "templates"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (result.returncode, result.stderr) == (2, "tagloom: error: cannot write output: no space left on device\n")


def test_utf8_in_any_locale() -> None:
    environment = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}
    result = subprocess.run(
        [*COMMAND, "convert", "-", "-", "--from", "text", "--to", "jsonl"], env=environment, input="你好 ä\n".encode(),
        capture_output=True, check=True,
    )  # fmt: skip
    assert json.loads(result.stdout.decode()) == {"tokens": ["你好", "ä"]}


def test_help_imports_nothing_heavy() -> None:
    """Commands import the library when they run: parsing a command line needs none of it."""
    code = "import sys; import tagloom; before = set(sys.modules); import tagloom.cli.app; " \
           "print(*sorted(set(sys.modules) - before))"  # fmt: skip
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(result.stdout.split())
    assert "tagloom.cli.app" in loaded
    assert not {"rich.table", "rich.progress", "tagloom.systems.options", "tagloom.corpus.io"} & loaded


def test_tagging_imports_no_other_system_and_no_training(files: Files) -> None:
    code = "import sys; from tagloom.cli.main import run; run(sys.argv[1:]); print(*sys.modules)"
    arguments = ["tag", str(files.model), str(files.test), "-o", os.devnull]
    result = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    loaded = set(result.stdout.split())
    assert "tagloom.systems.tagger.model" in loaded
    others = {"parser.model", "phrases.model", "tagger.train", "tagger.options", "train"}
    assert not {f"tagloom.systems.{name}" for name in others} & loaded


def test_a_bar_on_a_terminal_only(files: Files, tmp_path: Path) -> None:
    arguments = ["train", str(files.train), "-o", str(tmp_path / "m"), "--epochs", "2"]
    shown, _ = on_a_terminal(arguments, TERM="xterm")
    assert "\x1b[" in shown
    assert "2/2" in shown
    assert f"saved {tmp_path / 'm'}" in shown
    plain = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=True)
    assert "\x1b[" not in plain.stderr
    assert "pass 2: " in plain.stderr


def on_a_terminal(arguments: list[str], **environment: str) -> tuple[str, str]:
    """What a command shows on a terminal as its stderr, however much and however slowly; and its stdout."""
    import pty  # of Unix

    terminal, stderr = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *arguments], stderr=stderr, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment}
    )
    os.close(stderr)  # the terminal ends with the last process that has it
    shown = b""
    with contextlib.suppress(OSError):
        while part := os.read(terminal, 1 << 16):
            shown += part
    os.close(terminal)
    stdout, _ = process.communicate()
    assert process.returncode == 0
    return shown.decode(errors="replace"), stdout


def test_a_bar_of_trials_on_a_terminal(files: Files) -> None:
    arguments = ["tune", str(files.train), "--dev", str(files.dev), "--grid", "seed=1,2", "--epochs", "4"]
    arguments += ["--templates", "form[0]", "--columns", "form pos chunk"]
    shown, stdout = on_a_terminal(arguments)
    assert "1/1" in shown  # the last rung has one trial
    assert "stopped after pass 2" in shown
    assert "guessed CoNLL columns" in shown
    assert stdout.startswith("trial  seed  dev F1")
