"""Errors and the version: python-crfsuite's names for what went wrong."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tagloom._version import __version__
from tagloom.errors import TagloomError

#: Stands where python-crfsuite has the version of the C library.
CRFSUITE_VERSION = f"tagloom {__version__}"


class CRFSuiteError(Exception):
    """A training that failed. ``code`` is 0; the message says why."""

    def __init__(self, message: object, code: int = 0) -> None:
        super().__init__(str(message))
        self.code = code


@contextmanager
def raise_as(kind: type[Exception]) -> Iterator[None]:
    """Raise tagloom's errors as the exception that users of python-crfsuite catch, with the same line."""
    try:
        yield
    except TagloomError as error:
        raise kind(str(error)) from None
