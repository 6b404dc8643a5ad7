"""Bytes in and out: paths, streams, stdin; UTF-8 checks; writing by rename."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import IO, TypeAlias

from tagloom.errors import DataError

Source: TypeAlias = str | os.PathLike[str] | IO[bytes] | IO[str]
Target: TypeAlias = Source

_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")


def load(source: Source) -> tuple[str, bytes]:
    """The name of a source for messages, and its text as UTF-8 bytes: decompressed, no BOM, no NUL."""
    from tagloom.corpus.compression import decompressed  # here, because loading a model needs none of it

    name, raw = _read(source)
    return name, _checked(name, decompressed(name, raw))


def decode_lines(data: bytes, source: str) -> list[str]:
    """The lines of a text, without line ends (``\\n`` or ``\\r\\n``)."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise DataError(f"{_line(source, data, error.start)}: not valid UTF-8") from None
    return text.replace("\r\n", "\n").removesuffix("\r").split("\n")


def store(target: Target, text: str) -> None:
    """Write a text as UTF-8 to a path (``-``: stdout; ``.gz``, ``.xz``: compressed) or a text or binary stream."""
    if target == "-":
        target = getattr(sys.stdout, "buffer", sys.stdout)
    # Readers drop one BOM; a text that begins with U+FEFF gets a second one, so that its own survives.
    text = "\ufeff" + text if text.startswith("\ufeff") else text
    if isinstance(target, (str, os.PathLike)):
        from tagloom.corpus.compression import COMPRESSIONS

        compress = COMPRESSIONS.get(Path(target).suffix, bytes)
        replace_file(target, compress(text.encode()))
    else:
        target.write(text if hasattr(target, "encoding") else text.encode())  # type: ignore[arg-type]


def replace_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Write beside the path under another name, then rename: a failure leaves the old file as it was."""
    target = Path(path)
    try:
        if target.exists() and not target.is_file():  # a device or pipe is written to, never replaced
            target.write_bytes(data)
        else:
            _write_and_rename(target.resolve(), data)
    except (OSError, ValueError) as error:
        raise DataError(f"{os.fspath(path)}: cannot write: {_reason(error, missing='no such directory')}") from None


def _write_and_rename(target: Path, data: bytes) -> None:
    temporary = target.with_name(f".tagloom-{os.urandom(6).hex()}.tmp")
    try:
        with temporary.open("xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())  # a full disk must be noticed before the old file is gone
        if target.exists():
            temporary.chmod(target.stat().st_mode & 0o7777)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _read(source: Source) -> tuple[str, bytes]:
    if source == "-":
        return "<stdin>", _read_stream("<stdin>", getattr(sys.stdin, "buffer", sys.stdin))
    if not isinstance(source, (str, os.PathLike)):
        name = str(getattr(source, "name", "<stream>"))
        return name, _read_stream(name, source)
    name = os.fspath(source)
    try:
        return name, Path(source).read_bytes()
    except (OSError, ValueError) as error:
        raise DataError(f"{name}: {_reason(error)}") from None


def _read_stream(name: str, stream: IO[bytes] | IO[str]) -> bytes:
    try:
        content = stream.read()
        return content.encode() if isinstance(content, str) else content
    except UnicodeError:
        raise DataError(f"{name}: not valid UTF-8") from None


def _checked(name: str, data: bytes) -> bytes:
    if data.startswith(_UTF16_BOMS):
        raise DataError(f"{name}: UTF-16 text, expected UTF-8; convert it (iconv -f UTF-16 -t UTF-8)")
    nul = data.find(b"\0")
    if nul >= 0:
        raise DataError(f"{_line(name, data, nul)}: NUL byte, expected UTF-8 text; convert the file if it is UTF-16")
    return data.removeprefix(_BOM)


def _line(name: str, data: bytes, position: int) -> str:
    return f"{name}:{data.count(10, 0, position) + 1}"


def _reason(error: Exception, missing: str = "no such file") -> str:
    if isinstance(error, FileNotFoundError):
        return missing
    if isinstance(error, IsADirectoryError):
        return "is a directory, expected a file"
    return str(getattr(error, "strerror", None) or error).lower()
