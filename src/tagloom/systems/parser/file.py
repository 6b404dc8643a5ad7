"""The file of a parser: a model file whose tensors are those of the parser, and its tagger as a file within it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tagloom._core import StringTable
from tagloom.corpus.streams import replace_file
from tagloom.errors import ModelFileError, TagloomError
from tagloom.features import restore_resource
from tagloom.files.container import short
from tagloom.learners.parsing import check_weights
from tagloom.systems.parser.model import Parser, ParserParameters
from tagloom.systems.parser.spec import ParserSpec

if TYPE_CHECKING:
    from tagloom.features.tensors import Tensors

_DTYPES = {"keys": np.uint64, "ends": np.int64, "counts": np.uint16, "actions": np.uint16, "weights": np.float32}


def save_parser(parser: Parser, path: str | os.PathLike[str]) -> None:
    """Write beside the path, then rename: whatever goes wrong, an older model of that name survives."""
    replace_file(path, parser_bytes(parser))


def parser_bytes(parser: Parser) -> bytes:
    """What the file of a parser holds."""
    from tagloom.systems.tagger.file import MODEL_FILE, model_bytes  # which opens the files of parsers, too

    parameters = parser.parameters
    tensors: dict[str, Any] = {name: getattr(parameters, name) for name in _DTYPES}
    names = StringTable()
    names.intern_all(list(parameters.relations))
    tensors["relations.text"], tensors["relations.ends"] = names.to_blob()
    if parser.tagger is not None:
        tensors["tagger"] = np.frombuffer(model_bytes(parser.tagger), np.uint8)
    for name, resource in parser.resources.items():
        tensors |= {f"resource.{name}.{key}": array for key, array in resource.to_tensors().items()}
    header = {"library_version": parser.spec.version, "system": "parser", "spec": parser.spec.to_json()}
    return MODEL_FILE.to_bytes(header, tensors)


def parser_from(
    file: Path, header: dict[str, Any], tensors: Tensors, functions: Mapping[str, Callable[..., object]] | None
) -> Parser:
    """The parser of a file that was opened and checked."""
    from tagloom.systems.tagger.file import model_from_bytes

    try:
        spec = ParserSpec.from_json(header["spec"])
        arrays = {name: _array(tensors, name) for name in _DTYPES}
        check_weights(arrays["weights"])
        names = StringTable.from_blob(tensors["relations.text"], tensors["relations.ends"]).strings()
        tagger = model_from_bytes(file, tensors["tagger"].tobytes(), functions) if "tagger" in tensors else None
        resources = {
            name: restore_resource(name, _below(tensors, f"resource.{name}."), lists)
            for name, lists in spec.resources.items()
        }
        return Parser(spec, ParserParameters(relations=tuple(names), **arrays), tagger, resources, functions)
    except ModelFileError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError, TagloomError) as error:
        raise ModelFileError(f"{file}: not a usable model: {short(error)}; train it again") from None


def _array(tensors: Tensors, name: str) -> Any:
    array = tensors[name]
    if array.ndim != 1 or array.dtype != _DTYPES[name]:
        raise ValueError(f"tensor {name!r} has the wrong type or shape")
    return array


def _below(tensors: Tensors, prefix: str) -> Tensors:
    return {key.removeprefix(prefix): array for key, array in tensors.items() if key.startswith(prefix)}
