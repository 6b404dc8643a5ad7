"""Model files that were cut, scratched or never were model files: one clear line, and never a wrong model."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save

import tagloom
from tagloom.errors import ModelFileError


@pytest.fixture(scope="module")
def intact(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a small model."""
    path = tmp_path_factory.mktemp("intact") / "model"
    tagloom.train([(["a", "b"], ["X", "Y"])], templates="form[0]\nform[0] / edge\n", epochs=1).save(path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def victim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file that damaged bytes are written to."""
    return tmp_path_factory.mktemp("damaged") / "model"


def assert_refused(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    with pytest.raises(ModelFileError) as error:
        tagloom.load(path)
    message = str(error.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    assert len(message) < 400
    return message


def test_a_cut_file_is_refused_wherever_it_is_cut(intact: bytes, victim: Path):
    for length in range(0, len(intact), 7):
        assert_refused(victim, intact[:length])


def test_a_cut_file_is_told_with_its_sizes_and_a_remedy(intact: bytes, victim: Path):
    remedy = "copy it again, or else restore it or train again"
    header = 8 + int.from_bytes(intact[:8], "little")
    for length in (header, len(intact) - 1):
        expected = f"{victim}: cut off: the file has {length:,} bytes, and should have {len(intact):,}; {remedy}"
        assert assert_refused(victim, intact[:length]) == expected
    for length in (8, 9, header - 1):
        expected = f"{victim}: cut off: the file has {length:,} bytes, and its header alone needs {header:,}; {remedy}"
        assert assert_refused(victim, intact[:length]) == expected
    assert "file: expected at least 8 bytes, found 7" in assert_refused(victim, intact[:7])
    assert f"expected {len(intact):,} bytes, found {len(intact) + 1}" in assert_refused(victim, intact + b"\0")


def flipped(data: bytes, byte: int, bit: int) -> bytes:
    return data[:byte] + bytes([data[byte] ^ 1 << bit]) + data[byte + 1 :]


def test_a_flipped_bit_is_noticed_in_every_part(intact: bytes, victim: Path):
    for byte in range(0, len(intact), 7):
        assert_refused(victim, flipped(intact, byte, byte % 8))


@given(data=st.data(), bit=st.integers(0, 7))
def test_any_flipped_bit_is_noticed(intact: bytes, victim: Path, data: st.DataObject, bit: int):
    assert_refused(victim, flipped(intact, data.draw(st.integers(0, len(intact) - 1)), bit))


@given(data=st.data(), extra=st.binary(min_size=1, max_size=20))
def test_inserted_bytes_are_noticed(intact: bytes, victim: Path, data: st.DataObject, extra: bytes):
    place = data.draw(st.integers(0, len(intact)))
    assert_refused(victim, intact[:place] + extra + intact[place:])


@given(data=st.binary(max_size=300))
def test_random_bytes_are_no_model(victim: Path, data: bytes):
    assert_refused(victim, data)


@given(size=st.integers(0, 2**64 - 1), text=st.binary(max_size=50))
def test_wild_header_sizes_are_refused(victim: Path, size: int, text: bytes):
    assert_refused(victim, size.to_bytes(8, "little") + text)


def test_an_empty_file_is_refused(victim: Path):
    assert "damaged or not a model file" in assert_refused(victim, b"")


def test_foreign_safetensors_are_told_apart(victim: Path):
    foreign = {"weights": np.zeros(3, np.float32)}
    assert "a safetensors file, but not a tagloom model" in assert_refused(victim, save(foreign))
    assert "not a tagloom model" in assert_refused(victim, save(foreign, {"format": "pt"}))


@pytest.mark.parametrize(("version", "remedy"), [(9, "restore it or train again"), (11, "upgrade tagloom")])
def test_other_versions_of_the_format_are_refused(victim: Path, version: int, remedy: str):
    text = f'{{"format_version": {version}, "library_version": "9.0.0", "something": "else"}}'
    message = assert_refused(victim, save({}, {"tagloom": f"{zlib.crc32(text.encode()):08x}{text}"}))
    assert f"written by tagloom 9.0.0 in format {version}; this version reads format 10: {remedy}" in message


@pytest.mark.parametrize("name", ["missing", "", "a" * 5000, "missing/model", "nul\0byte"])
def test_what_is_no_file_is_refused(tmp_path: Path, name: str):
    with pytest.raises(ModelFileError, match=r"no such model file|not a model file|cannot be read: file name too long"):
        tagloom.load(tmp_path / name)
