"""Model files of CRFsuite as taggers: ``.crfsuite`` files that CRFsuite, python-crfsuite or sklearn-crfsuite made."""

from __future__ import annotations

import os
from pathlib import Path

from tagloom.errors import ModelFileError
from tagloom.systems.tagger.crfsuite import read_tagger
from tagloom.systems.tagger.model import Tagger


def read_crfsuite_model(source: str | os.PathLike[str] | bytes) -> Tagger:
    """Read a model of CRFsuite; :func:`tagloom.load` does the same for a path.

    The tagger gives the labels and marginals that CRFsuite gives: its weights keep their double precision, also in the
    file that :meth:`save` writes.

    Args:
        source: Path of the file, or its bytes.

    Raises:
        ModelFileError: The file is missing, damaged, or of another kind.
    """
    if isinstance(source, (bytes, bytearray, memoryview)):
        return read_tagger(Path("<bytes>"), bytes(source))
    try:
        data = Path(source).read_bytes()
    except OSError as error:
        raise ModelFileError(f"{source}: cannot read: {error.strerror}") from None
    return read_tagger(Path(source), data)
