"""Files that are replaced as wholes: everything that tagloom writes takes this way.

A file is written under another name in the same folder, forced to the disk, and renamed. Whatever fails, and whenever
the process is killed, there is the old file or the new one, never a part.
"""

from __future__ import annotations

import errno
import os
import platform
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path

from tagloom.errors import DataError


def replace_file(path: str | os.PathLike[str], *pieces: bytes | memoryview) -> None:
    """Write a file beside the path, then rename it: a failure leaves the old file as it was."""
    with Replacement(path) as replacement:
        for piece in pieces:
            replacement.write(piece)


def remove_file(path: Path) -> None:
    """Delete a file, if there is one."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise DataError(f"{path}: cannot remove this file: {find_reason(error)}") from None


def make_folder(folder: str | os.PathLike[str], purpose: str | None = None) -> Path:
    """Return a folder, made if it is not there; the purpose is told if that fails."""
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = "is a file, expected a folder" if path.is_file() else find_reason(error)
        wish = "" if purpose is None else f" for {purpose}"
        raise DataError(f"{os.fspath(folder)}: cannot make this folder{wish}: {reason}") from None
    return path


class Replacement:
    """A binary stream whose content takes the place of a file when all of it is written.

    Only its own failures become errors about the path; those of the block that writes to it are passed on.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._name = os.fspath(path)
        with self._explain_errors():
            path = Path(path)
            self.is_device = path.exists() and not path.is_file()  # a device or pipe is written to, never replaced
            self._target = path if self.is_device else path.resolve()
            self._temporary = self._target.with_name(_name_temporary())
            if not self.is_device:
                _remove_abandoned(self._target.parent)
            self._stream = path.open("wb") if self.is_device else self._temporary.open("xb")

    def write(self, data: bytes | memoryview) -> int:
        """Write a piece of the content."""
        with self._explain_errors():
            return self._stream.write(data)

    def flush(self) -> None:
        """Hand what was written to the system."""
        with self._explain_errors():
            self._stream.flush()

    def __enter__(self) -> Replacement:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._discard()
            return
        try:
            with self._explain_errors():
                self._finish()
        except BaseException:
            self._discard()
            raise

    def _finish(self) -> None:
        with self._stream:
            self._stream.flush()
            if not self.is_device:
                os.fsync(self._stream.fileno())  # a full disk must be noticed before the old file is gone
        if not self.is_device:
            if self._target.exists():
                self._temporary.chmod(self._target.stat().st_mode & 0o7777)
            self._temporary.replace(self._target)
            _sync_folder(self._target.parent)

    def _discard(self) -> None:
        """Close and remove what was written; there is an error to tell already, and these are no news."""
        with suppress(OSError):
            self._stream.close()
        if not self.is_device:
            with suppress(OSError):
                self._temporary.unlink(missing_ok=True)

    @contextmanager
    def _explain_errors(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError) as error:
            reason = find_reason(error, missing="no such directory")
            raise DataError(f"{self._name}: cannot write: {reason}") from None


def find_reason(error: Exception, missing: str = "no such file") -> str:
    """Say in a few words why a file cannot be opened, read or written."""
    if isinstance(error, FileNotFoundError):
        return missing
    if isinstance(error, IsADirectoryError):
        return "is a directory, expected a file"
    return str(getattr(error, "strerror", None) or error).lower()


# -- temporary files ---------------------------------------------------------------------------------------------------

_TEMPORARY = re.compile(r"\.tagloom-(?P<host>[0-9a-f]{8})-(?P<process>[0-9]{1,10})-[0-9a-f]{12}\.tmp")


@lru_cache(maxsize=1)
def _identify_host() -> str:
    """Return what tells machines apart that share a folder: a number of a process means nothing on another one."""
    return f"{zlib.crc32(platform.node().encode()):08x}"


def _name_temporary() -> str:
    return f".tagloom-{_identify_host()}-{os.getpid()}-{os.urandom(6).hex()}.tmp"


def _remove_abandoned(folder: Path) -> None:
    """Remove what processes of this machine that no longer run have left in a folder."""
    with suppress(OSError):
        for file in folder.glob(".tagloom-*.tmp"):
            match = _TEMPORARY.fullmatch(file.name)
            if match and match["host"] == _identify_host() and not _is_running(int(match["process"])):
                file.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    if os.name == "nt":
        return True  # there is no harmless signal to ask with
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


#: Errors of systems where a folder cannot be opened or forced to the disk. Any other one means that the disk is broken.
_UNSUPPORTED = {errno.EINVAL, errno.EBADF, errno.EACCES, errno.EPERM, errno.EISDIR, errno.ENOTSUP, errno.EOPNOTSUPP}


def _sync_folder(folder: Path) -> None:
    """Make sure that a renamed file has its new name after a loss of power, where the system can."""
    try:
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
