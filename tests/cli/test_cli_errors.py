"""Bad input: one line on stderr, exit code 2, and nothing overwritten."""

from __future__ import annotations

import errno
import json
import os
import zlib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

import tagloom as library
from tagloom.corpus import streams
from tests.cli.outcome import Files, Tagloom

Make = Callable[..., Path]

# -- corpora and names -------------------------------------------------------------------------------------------------


@pytest.fixture
def old_model(tmp_path: Path) -> Path:
    """A file that no failing command may touch."""
    path = tmp_path / "model"
    path.write_bytes(b"the old model")
    return path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "{}: no tokens found, the file is empty"),
        ("\n\n", "{}: no tokens found, the file has only blank lines"),
        ("a DT X\nb NN X\n\nc NN X\nd NN\n\n", "{}:5: expected 3 columns (form pos label), found 2"),
        ("a b\n", "{}: read as text with one column, so there are no labels; fix the file, or pass --format"),
        ("a X\nb \x00 X\n", "{}:2: NUL byte, expected UTF-8 text; convert the file if it is UTF-16"),
    ],
)
def test_bad_corpora(tagloom: Tagloom, corpus_file: Make, old_model: Path, text: str, message: str) -> None:
    path = corpus_file(text)
    assert tagloom("train", path, "-o", old_model).error == message.format(path)
    assert old_model.read_bytes() == b"the old model"


@pytest.mark.parametrize("command", [("train", "{}", "-o", "x"), ("eval", "{}", "-"), ("tag", "{}"), ("inspect", "{}")])
def test_missing_file(tagloom: Tagloom, tmp_path: Path, command: tuple[str, ...]) -> None:
    missing = str(tmp_path / "missing")
    assert tagloom(*(part.format(missing) for part in command)).error.startswith(f"{missing}: no such ")


@pytest.mark.parametrize("part", ["--dev", "--test"])
def test_missing_other_file(tagloom: Tagloom, files: Files, tmp_path: Path, part: str) -> None:
    arguments = ("train", files.train, "-o", tmp_path / "m", part, "missing.txt")
    assert tagloom(*arguments).error == "missing.txt: no such file"


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        (("--label", "chunks"), "unknown column of {}: 'chunks'; did you mean 'chunk'?"),
        (("--templates", "chunkin"), "did you mean 'chunking'?"),
        (("--templates", "forn[0]"), "did you mean 'form'?"),
        (("--templates", "suffix2(po)[0]"), "did you mean 'pos'?"),
        (("--learner", "averaged-perceptrom"), "did you mean 'averaged-perceptron'?"),
        (("--scheme", "BIOE"), "did you mean 'BIOES'?"),
        (("--format", "conl"), "did you mean 'conll'?"),
        (("--resource", "browm=x"), "did you mean 'brown'?"),
        (("--epochs", "0"), "epochs: expected a whole number of 1 or more, got 0"),
        (("--columns", "form pos"), "2 columns named (form pos), found 3"),
    ],
)
def test_unknown_names(tagloom: Tagloom, files: Files, old_model: Path, options: tuple[str, ...], hint: str) -> None:
    columns = () if "--columns" in options else ("--columns", "form pos chunk")
    error = tagloom("train", files.train, "-o", old_model, *columns, *options).error
    assert hint.removeprefix("unknown column of {}: ") in error
    assert old_model.read_bytes() == b"the old model"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("trian",), "no such command 'trian'"),
        (("train",), "missing argument"),
        (("tag", "m", "--frmat", "x"), "no such option: --frmat"),
        (("explain", "m", "x", "--top", "many"), "invalid value for '--top'"),
    ],
)
def test_usage(tagloom: Tagloom, arguments: tuple[str, ...], message: str) -> None:
    error = tagloom(*arguments).error
    assert error.startswith(message)
    assert " --help" in error


# -- model files -------------------------------------------------------------------------------------------------------


def _newer(data: bytes) -> bytes:
    """The same model as if a later version had written it, with checksums that fit."""
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    inner = json.loads(header["__metadata__"]["tagloom"][8:])
    text = json.dumps({**inner, "format_version": 99})
    header["__metadata__"]["tagloom"] = f"{zlib.crc32(text.encode()):08x}{text}"
    encoded = json.dumps(header).encode()
    encoded += b" " * (-len(encoded) % 8)  # arrays are aligned
    return len(encoded).to_bytes(8, "little") + encoded + data[8 + size :]


def _foreign(data: bytes) -> bytes:
    encoded = b'{"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}'
    return len(encoded).to_bytes(8, "little") + encoded + b"\0"


DAMAGES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "truncated": (lambda data: data[: len(data) // 2], "damaged"),
    "short": (lambda data: data[:5], "damaged or not a model file"),
    "flipped in the tensors": (lambda data: data[:-100] + bytes([data[-100] ^ 4]) + data[-99:], "checksum"),
    "flipped in the header": (lambda data: data.replace(b'IOB2', b'IOB1', 1), "damaged"),
    "foreign text": (lambda data: b"the DT\ndog NN\n", "not a model file"),
    "foreign tensors": (_foreign, "not a tagloom model"),
    "newer": (_newer, "upgrade tagloom"),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("command", [("tag",), ("inspect",), ("explain", "a/b")])
def test_damaged_models(tagloom: Tagloom, files: Files, tmp_path: Path, damage: str, command: tuple[str, ...]) -> None:
    change, message = DAMAGES[damage]
    path = tmp_path / "bad"
    path.write_bytes(change(files.model.read_bytes()))
    name, *rest = command
    error = tagloom(name, path, *rest, stdin="the DT\n").error
    assert error.startswith(f"{path}: ")
    assert message in error


@pytest.mark.parametrize("damage", ["truncated", "flipped in the tensors", "newer", "foreign tensors"])
def test_eval_knows_a_damaged_model_for_one(tagloom: Tagloom, files: Files, tmp_path: Path, damage: str) -> None:
    change, message = DAMAGES[damage]
    (tmp_path / "bad").write_bytes(change(files.model.read_bytes()))
    assert message in tagloom("eval", tmp_path / "bad", files.test).error


# -- output ------------------------------------------------------------------------------------------------------------


def test_unwritable_output_is_found_before_the_work(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("x")
    cases = {tmp_path / "no" / "m": "no such directory", tmp_path: "is a directory", blocked / "m": "no such directory"}
    for path, reason in cases.items():
        # The corpus is missing too: the output is looked at first.
        assert tagloom("train", "missing", "-o", path).error.startswith(f"{path}: cannot write: {reason}")
        assert tagloom("tag", files.model, "missing", "-o", path).error.startswith(f"{path}: cannot write: {reason}")
        assert tagloom("convert", "missing", path).error.startswith(f"{path}: cannot write: {reason}")
    assert blocked.read_text() == "x"


def test_permissions(tagloom: Tagloom, files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked of the system, which lets root do anything: hence the answer is made up."""
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert tagloom("train", files.train, "-o", tmp_path / "m").error.endswith("cannot write: permission denied")


@pytest.mark.skipif(getattr(os, "geteuid", int)() == 0, reason="root may write everywhere")
def test_permissions_of_the_system(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert tagloom("train", files.train, "-o", tmp_path / "m").error.endswith("cannot write: permission denied")


def test_the_input_is_never_the_output(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(files.train)
    before = files.train.read_bytes()
    for path in (files.train, tmp_path / "link"):
        assert "is an input, too" in tagloom("train", files.train, "-o", path).error
    assert files.train.read_bytes() == before


def test_disk_full_while_saving(
    tagloom: Tagloom, files: Files, old_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(streams.os, "fsync", fail)
    result = tagloom("train", files.train, "-o", old_model, "--epochs", 1)
    assert (result.code, result.out) == (2, "")
    assert result.err.splitlines()[-1] == f"tagloom: error: {old_model}: cannot write: no space left on device"
    assert [path.name for path in old_model.parent.iterdir()] == ["model"]
    assert old_model.read_bytes() == b"the old model"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_full_device(tagloom: Tagloom, files: Files) -> None:
    result = tagloom("train", files.train, "-o", "/dev/full", "--epochs", 1)
    assert result.code == 2
    assert result.err.splitlines()[-1] == "tagloom: error: /dev/full: cannot write: no space left on device"
    assert tagloom("tag", files.model, files.test, "-o", "/dev/full").error.endswith("no space left on device")


# -- bugs, --debug, Ctrl-C ---------------------------------------------------------------------------------------------


def _raising(error: BaseException) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


def test_a_bug_exits_1_with_a_hint(tagloom: Tagloom, files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library.Model, "predict_columns", _raising(ZeroDivisionError("two\nlines")))
    result = tagloom("tag", files.model, files.test)
    assert (result.code, result.out) == (1, "")
    assert result.err == "tagloom: bug: ZeroDivisionError('two\\nlines'); run again with --debug to see where\n"


@pytest.mark.parametrize("place", [0, 1, 3])
def test_debug_shows_the_stack(tagloom: Tagloom, place: int) -> None:
    arguments = ["train", "missing", "-o", "x"]
    result = tagloom(*arguments[:place], "--debug", *arguments[place:])
    assert result.code == 2
    assert result.err.startswith("Traceback")
    assert result.err.splitlines()[-1] == "tagloom: error: missing: no such file"


def test_debug_after_the_end_of_the_options_is_an_argument(tagloom: Tagloom) -> None:
    assert tagloom("templates", "--", "--debug").error.startswith("unknown template set or file '--debug'")


def test_no_memory(tagloom: Tagloom, files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library.Model, "predict_columns", _raising(MemoryError()))
    assert tagloom("tag", files.model, files.test).error.startswith("not enough memory; ")


def test_ctrl_c_while_tagging(tagloom: Tagloom, files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library.Model, "predict_columns", _raising(KeyboardInterrupt()))
    result = tagloom("tag", files.model, files.test)
    assert (result.code, result.out, result.err) == (130, "", "")


def test_ctrl_c_before_the_first_pass(
    tagloom: Tagloom, files: Files, old_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    training = import_module("tagloom.systems.train")
    monkeypatch.setattr(training, "train", _raising(KeyboardInterrupt()))
    result = tagloom("train", files.train, "-o", old_model)
    assert (result.code, result.out) == (130, "")
    assert result.err == "interrupted before the end of the first pass; nothing is saved\n"
    assert old_model.read_bytes() == b"the old model"
