"""Dense vectors: files of every kind, and what is wrong with others; models with vectors."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tagloom
from tagloom.errors import ConfigError, DataError
from tagloom.features import Vectors, load_resource, restore_resource
from tagloom.features.vector_files import read_vectors
from tests.strategies import unhurried

WORDS = ["the", "été", ". . .", "New"]
ROWS = np.array([[0.5, -1.25], [2.0, 0.0], [1e-3, 3.0], [-4.0, 1.0]], np.float32)


def text(words: list[str], rows: np.ndarray, separator: str = " ") -> str:
    return "".join(
        separator.join([word, *map(str, row)]) + "\n" for word, row in zip(words, rows.tolist(), strict=True)
    )


def binary(words: list[str], rows: np.ndarray, end: bytes = b"\n") -> bytes:
    records = [word.encode() + b" " + row.astype("<f4").tobytes() + end for word, row in zip(words, rows, strict=True)]
    return f"{len(words)} {rows.shape[1]}\n".encode() + b"".join(records)


def write_array(folder: Path, array: np.ndarray = ROWS, words: str = "the\nété\n. . .\nNew\n") -> Path:
    np.save(folder / "vectors.npy", array)
    (folder / "vectors.words").write_text(words)
    return folder / "vectors.npy"


def write(path: Path, data: str | bytes) -> Path:
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


@pytest.mark.parametrize(
    "data",
    [
        text(WORDS, ROWS),
        text(WORDS, ROWS).replace("\n", " \r\n"),
        "\ufeff" + text(WORDS, ROWS, "\t"),
        f"4 2\n{text(WORDS, ROWS)}",
        gzip.compress(text(WORDS, ROWS).encode(), mtime=0),
        text([*WORDS, "the"], np.concatenate([ROWS, ROWS[:1] * 7])),
        binary([word.replace(" ", "_") for word in WORDS], ROWS),
        binary([word.replace(" ", "_") for word in WORDS], ROWS, b""),
        b"5 2\n" + binary([word.replace(" ", "_") for word in WORDS], ROWS)[4:] + b"\xff\xfe " + b"\0" * 8,
    ],
)
def test_every_form_of_a_file(tmp_path: Path, data: str | bytes) -> None:
    found = read_vectors(write(tmp_path / "vectors", data))
    assert [word.replace("_", " ") for word in found.words.strings()] == WORDS
    assert found.matrix.tolist() == ROWS.tolist()


@pytest.mark.parametrize("array", [ROWS, ROWS.astype(np.float64), np.asfortranarray(ROWS)])
def test_arrays(tmp_path: Path, array: np.ndarray) -> None:
    found = read_vectors(write_array(tmp_path, array))
    assert found.words.strings() == WORDS
    assert found.matrix.tolist() == ROWS.tolist()


@given(st.lists(st.lists(st.floats(-1e6, 1e6, width=32), min_size=3, max_size=3), min_size=1, max_size=20))
@unhurried
def test_text_and_binary_files_say_the_same(tmp_path_factory: pytest.TempPathFactory, rows: list[list[float]]) -> None:
    folder, words = tmp_path_factory.getbasetemp(), [f"w{number}" for number in range(len(rows))]
    array = np.array(rows, np.float32)
    for data in (text(words, array), binary(words, array)):
        found = read_vectors(write(folder / "vectors", data))
        assert found.words.strings() == words
        assert found.matrix.tolist() == array.tolist()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("", ": no vectors found"),
        ("\n\n", ": no vectors found"),
        ("the\nof 1\n", ":1: expected 1 to 4,096 dimensions, found 0"),
        ("the 1 2\nof 1\n", ":2: expected a word and 2 numbers, found 'of 1'"),
        ("the 1 2\nof 1 x\n", ":2: expected a word and 2 numbers, found 'of 1 x'"),
        ("3 2\nthe 1 2\nof 1 2\n", ": expected 3 words as the header says, found 2; fetch the file again"),
        ("1 2\nthe 1 2\nof 1 2\n", ": expected 1 words as the header says, found 2; fetch the file again"),
        ("1 3\nthe 1 2\n", ":2: expected a word and 3 numbers, found 'the 1 2'"),
        ("the 1 nan\n", ":1: a number is not finite in the vector of 'the'; fix the file"),
        ("the 1 2\nof 1 -inf\n", ":2: a number is not finite in the vector of 'of'; fix the file"),
        ("the 1 1e39\n", ":1: a number is not finite in the vector of 'the'; fix the file"),
        ("9 5000\nthe 1\n", ":1: expected 1 to 4,096 dimensions, found 5,000"),
        ("9 0\nthe 1\n", ":1: expected 1 to 4,096 dimensions, found 0"),
        (f"the{' 1' * 4097}\n", ":1: expected 1 to 4,096 dimensions, found 4,097"),
        ("999999999999999999 4096\n", ": expected 999,999,999,999,999,999 words as the header says, found 0"),
        (b"the 1 2\n\xff 1 2\n", ":2: not valid UTF-8"),
        (b"999999999999 4096\nthe " + b"\0" * 16384, ": cut off in the vector of word 2 of 999,999,999,999"),
        (binary(["a", "b"], ROWS[:2])[:-3], ": cut off in the vector of word 2 of 2; fetch the file again"),
        (b"1" + binary(["a", "b"], ROWS[:2])[1:], ": more than the 1 words of the header; fetch the file again"),
        (b"1 1\na " + struct.pack("<f", float("nan")), ": word 1: a number is not finite in the vector of 'a'"),
        (gzip.compress(text(WORDS, ROWS).encode(), mtime=0)[:-9], ": the gzip data is damaged or cut off"),
    ],
)
def test_damaged_files(tmp_path: Path, data: str | bytes, message: str) -> None:
    path = write(tmp_path / "vectors", data)
    with pytest.raises(DataError) as caught:
        load_resource("vectors", path)
    assert str(caught.value).startswith(f"{path}{message}")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (
            lambda folder: write_array(folder, ROWS[:2]),
            r"vectors.words: expected 2 words, one per row of vectors.npy, found 4",
        ),
        (lambda folder: write_array(folder, ROWS[0]), r"found float32 of shape \(2,\)"),
        (lambda folder: write_array(folder, ROWS.astype(np.int64)), r"found int64 of shape \(4, 2\)"),
        (lambda folder: write_array(folder, np.array([[None]], object), "a\n"), "damaged or something else"),
        (lambda folder: write_array(folder, np.full((4, 2), np.inf)), "not finite in the vector of 'the'"),
        (lambda folder: write_array(folder, ROWS[:0], ""), "no vectors found"),
        (
            lambda folder: (write_array(folder), (folder / "vectors.words").unlink()),
            "expected its words, one per line, in",
        ),
        (lambda folder: write(folder / "vectors.npy", b"\x93NUMPY\x01\0\xff\xff"), "damaged or something else"),
        (
            lambda folder: write(folder / "vectors.npy", write_array(folder).read_bytes()[:-5]),
            "damaged or something else",
        ),
        (lambda folder: None, "no such file"),
    ],
)
def test_damaged_arrays(tmp_path: Path, spoil: Callable[[Path], object], message: str) -> None:
    spoil(tmp_path)
    with pytest.raises(DataError, match=message):
        read_vectors(tmp_path / "vectors.npy")


def test_numbers_are_scaled_and_kept_in_16_bits() -> None:
    vectors = Vectors.build(WORDS, ROWS)
    values = vectors.core.values()
    assert np.sqrt(np.square(values).mean()) == pytest.approx(0.1, rel=1e-3)
    assert np.allclose(values / values[0], ROWS.ravel() / ROWS[0, 0], rtol=2e-3)
    restored = restore_resource("vectors", vectors.to_tensors(), [])
    assert isinstance(restored, Vectors)
    assert restored.core.values().tolist() == values.tolist()
    assert restored.core.words().strings() == WORDS
    assert repr(restored) == "Vectors(4 words, 2 dimensions)"
    assert Vectors.build(["a"], [[0.0]]).core.values().tolist() == [0.0]
    for wrong in ([[1.0], [2.0]], [1.0], [["x"]], [[]]):
        with pytest.raises(ConfigError, match="vectors: expected"):
            Vectors.build(["a"], wrong)
    with pytest.raises(ConfigError, match="numbers of at most"):
        Vectors.build(["a"], [[1e6]], scale=None)


def test_a_model_learns_from_vectors(tmp_path: Path) -> None:
    """Words that were never seen have labels by their vectors, also in lower case, and after saving."""
    (tmp_path / "vectors.txt").write_text("cat 1 0\ndog 0.9 0.1\ncow 0.8 -0.1\nran 0 1\nsat 0.1 0.9\nhid -0.1 1\n")
    data = [(["cat", "ran"], ["N", "V"]), (["dog", "sat"], ["N", "V"])]
    resources = {"vectors": tmp_path / "vectors.txt"}
    model = tagloom.train(data, templates="vector[0]\nvector[-1]\n", resources=resources, epochs=20)
    model.save(tmp_path / "model")
    for each in (model, tagloom.load(tmp_path / "model")):
        assert each.tag(["Cow", "hid"]) == ["N", "V"]
    again = tagloom.train(data, templates="vector[0]\nvector[-1]\n", resources=resources, epochs=20, threads=2)
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()
