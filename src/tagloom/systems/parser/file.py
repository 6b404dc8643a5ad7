"""The arrays of a parser as a model file holds them; its tagger is a file within the file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tagloom._core import StringTable
from tagloom.errors import ModelFileError
from tagloom.features.tensors import check_weights
from tagloom.systems.base import Functions
from tagloom.systems.file import check_tensor, model_from_bytes
from tagloom.systems.parser.model import ParserParameters

if TYPE_CHECKING:
    from tagloom.features.tensors import Tensors
    from tagloom.systems.parser.model import Parser
    from tagloom.systems.tagger.model import Tagger

_ARRAYS = {"keys": np.uint64, "ends": np.int64, "counts": np.uint16, "actions": np.uint16, "weights": np.float32}


def parser_to_tensors(parser: Parser) -> Tensors:
    """Convert everything but the spec and the resources to arrays."""
    parameters = parser.parameters
    tensors: dict[str, Any] = {name: getattr(parameters, name) for name in _ARRAYS}
    names = StringTable()
    names.intern_all(list(parameters.relations))
    tensors["relations.text"], tensors["relations.ends"] = names.to_blob()
    if parser.tagger is not None:
        tensors["tagger"] = np.frombuffer(parser.tagger.to_bytes(), np.uint8)
    return tensors


def read_parameters(tensors: Tensors) -> ParserParameters:
    """Build the arrays of a parser; raises a built-in error if they do not fit."""
    arrays = {name: check_tensor(tensors, name, dtype) for name, dtype in _ARRAYS.items()}
    check_weights(arrays["weights"])
    names = StringTable.from_blob(tensors["relations.text"], tensors["relations.ends"]).strings()
    return ParserParameters(relations=tuple(names), **arrays)


def read_tagger(tensors: Tensors, functions: Functions | None) -> Tagger | None:
    """Open the tagger within the file of a parser, if there is one."""
    if "tagger" not in tensors:
        return None
    try:
        tagger: Tagger = model_from_bytes(Path("its tagger"), tensors["tagger"].tobytes(), functions, "tagger")
    except ModelFileError as error:
        raise ValueError(str(error)) from None  # whoever opens the file of the parser knows its name
    return tagger
