"""Errors that are those of tagloom and, for users of scikit-learn, also ValueErrors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tagloom.errors import ConfigError, DataError


class SampleError(DataError, ValueError):
    """X or y cannot be read as sequences and their labels."""


class ParameterError(ConfigError, ValueError):
    """A parameter has no legal value, or does not go with the others."""


@contextmanager
def as_value_errors() -> Iterator[None]:
    """Raise the errors of tagloom as ValueErrors."""
    try:
        yield
    except ValueError:
        raise
    except DataError as error:
        raise SampleError(str(error)) from None
    except ConfigError as error:
        raise ParameterError(str(error)) from None
