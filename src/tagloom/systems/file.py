"""Model files: one safetensors file for every system, every part with a checksum."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn, cast, overload

import numpy as np

from tagloom._core import StringTable
from tagloom.arguments import check_arguments
from tagloom.errors import ConfigError, ModelFileError, TagloomError, show_value
from tagloom.features import Resource, restore_resource
from tagloom.files.container import Container, short
from tagloom.files.container import select_tensors as select_tensors
from tagloom.systems.base import Functions, Model
from tagloom.systems.line import MOST_PROVIDERS, Line
from tagloom.systems.registry import get_system
from tagloom.text import FunctionTokenizer, get_tokenizer

if TYPE_CHECKING:
    from tagloom.features.tensors import Tensors
    from tagloom.systems.parser.model import Parser
    from tagloom.systems.phrases.model import PhraseChunker
    from tagloom.systems.pipeline.model import Pipeline
    from tagloom.systems.tagger.model import Tagger
    from tagloom.systems.tokenizer.model import LearnedTokenizer
    from tagloom.text import Tokenizer

FilePath = str | os.PathLike[str]
MODEL_FILE = Container("tagloom", "model", version=9, remedy="restore it or train again")
#: What may be wrong with values that were not written by this library; checksums are right at that point.
_UNFIT = (LookupError, TypeError, ValueError, AttributeError, RecursionError, RuntimeError, TagloomError)


@overload
def load(
    path: FilePath, *, system: Literal["tagger"], functions: Functions | None = None, mmap: bool = False
) -> Tagger: ...
@overload
def load(
    path: FilePath, *, system: Literal["parser"], functions: Functions | None = None, mmap: bool = False
) -> Parser: ...
@overload
def load(
    path: FilePath, *, system: Literal["phrases"], functions: Functions | None = None, mmap: bool = False
) -> PhraseChunker: ...
@overload
def load(
    path: FilePath, *, system: Literal["tokenizer"], functions: Functions | None = None, mmap: bool = False
) -> LearnedTokenizer: ...
@overload
def load(
    path: FilePath, *, system: Literal["pipeline"], functions: Functions | None = None, mmap: bool = False
) -> Pipeline: ...
@overload
def load(
    path: FilePath, *, system: str | None = None, functions: Functions | None = None, mmap: bool = False
) -> Any: ...
@check_arguments
def load(path: FilePath, *, system: str | None = None, functions: Functions | None = None, mmap: bool = False) -> Any:
    """Open a model file of any system, or one of CRFsuite.

    Args:
        path: File that :func:`tagloom.train` or ``tagloom train`` made. It is checked and copied into memory. A
            model of CRFsuite becomes a tagger of feature dicts.
        system: Name of the system that the file must hold; any if None.
        functions: Your own functions by name, if the model was trained with any.
        mmap: Map the file instead, so that processes share its memory. Replace such a file by another one (as
            ``model.save`` does); never write into it or cut it while it is in use, because that ends the process.

    Raises:
        ModelFileError: The file is missing, damaged, of another version, or holds another system.
    """
    file = Path(path)
    model = _read_foreign(file) or _build_model(file, *MODEL_FILE.read(file, mapped=mmap), functions)
    return model if system is None else _require_system(file, model, system)


#: Model files of other tools, by their first bytes: the module whose ``read_tagger`` makes a model of them.
FOREIGN = {b"lCRF": "tagloom.systems.tagger.crfsuite"}


def _read_foreign(file: Path) -> Model | None:
    """Read the model file of another tool; None if it is none."""
    try:
        with file.open("rb") as stream:
            head = stream.read(max(map(len, FOREIGN)))
            if head not in FOREIGN:
                return None
            data = head + stream.read()
    except (OSError, ValueError):
        return None  # whoever opens it as a file of tagloom says what is wrong
    reader = import_module(FOREIGN[head])
    return cast(Model, reader.read_tagger(file, data))


def model_to_pieces(model: Model, *, names: bool = True) -> list[bytes | memoryview]:
    """Convert a model to the bytes of its file, in pieces that follow each other."""
    tensors = dict(model.to_tensors(names=names))
    for name, resource in model.resources.items():
        tensors |= {f"resource.{name}.{key}": array for key, array in resource.to_tensors().items()}
    header = {"library_version": model.spec.version, "system": model.system, "spec": model.spec.to_json()}
    return MODEL_FILE.to_pieces({**header, **_name_tokenizer(model.line)}, tensors | _line_to_tensors(model.line))


# -- the line before a model: models within the file -------------------------------------------------------------------

_LINE = "line."
_TOKENIZER = "tokenizer"
_FUNCTION = "function:"


def _name_tokenizer(line: Line) -> dict[str, str]:
    tokenizer = line.tokenizer
    if tokenizer is None or isinstance(tokenizer, Model):
        return {}
    return {_TOKENIZER: _FUNCTION * isinstance(tokenizer, FunctionTokenizer) + tokenizer.name}


def _line_to_tensors(line: Line) -> Tensors:
    models: dict[str, Model] = {f"{_LINE}{number:02}": model for number, model in enumerate(line.providers)}
    if isinstance(line.tokenizer, Model):
        models[_LINE + _TOKENIZER] = line.tokenizer
    return {name: np.frombuffer(model.to_bytes(), np.uint8) for name, model in models.items()}


def _build_line(header: dict[str, Any], tensors: Tensors, functions: Functions | None) -> Line:
    found = select_tensors(tensors, _LINE)
    if len(found) > MOST_PROVIDERS:
        raise ValueError(f"{len(found)} models in the line")
    models = {name: _build_within(name, found[name], functions) for name in sorted(found)}
    tokenizer = models.pop(_TOKENIZER, None)
    if tokenizer is not None and not tokenizer.segments_text:
        raise ValueError("the tokenizer does not cut text")
    line = Line(cast("Tokenizer | None", tokenizer) or _find_tokenizer(header, functions), tuple(models.values()))
    line.check()
    return line


def _build_within(name: str, data: Any, functions: Functions | None) -> Model:
    if data.ndim != 1 or data.dtype != np.uint8:
        raise ValueError(f"tensor {_LINE}{name} has the wrong type or shape")
    try:
        file = Path(f"model {name} of its line")
        model = _build_model(file, *MODEL_FILE.from_bytes(file, data.tobytes()), functions)
    except ModelFileError as error:
        raise ValueError(str(error)) from None  # whoever opens the file knows its name
    if model.line != Line():
        raise ValueError(f"model {name} of its line has a line of its own")
    return model


def _find_tokenizer(header: dict[str, Any], functions: Functions | None) -> Tokenizer | None:
    name = header.get(_TOKENIZER)
    if name is None:
        return None
    if not isinstance(name, str):
        raise TypeError("the tokenizer has no name")
    if not name.startswith(_FUNCTION):
        return get_tokenizer(name)
    own = name.removeprefix(_FUNCTION)
    return FunctionTokenizer(cast("Any", (functions or {}).get(own) or _refuse_text(own)), own)


def _refuse_text(name: str) -> Callable[[str], NoReturn]:
    """Build what stands for a function that was not passed: tokens are welcome, text is not."""

    def refuse(text: str) -> NoReturn:
        raise ConfigError(
            f"the model cuts text by a function {name!r} of its user; pass it as functions={{{name!r}: ...}} to load, "
            "or name another tokenizer"
        )

    return refuse


def model_from_bytes(file: Path, data: bytes, functions: Functions | None = None, system: str | None = None) -> Any:
    """Build a model from the bytes of a model file that stands inside ``file``; any if no system is named."""
    model = _build_model(file, *MODEL_FILE.from_bytes(file, data), functions)
    return model if system is None else _require_system(file, model, system)


def restore_model(data: bytes, functions: Functions | None = None) -> Model:
    """Build a model of any system from the bytes of its file; what a pickled model calls."""
    file = Path("pickled model")
    return _build_model(file, *MODEL_FILE.from_bytes(file, data), functions)


def _require_system(file: Path, model: Model, system: str) -> Model:
    if model.system != get_system(system).name:
        raise ModelFileError(f"{file}: expected a {get_system(system).noun}, got a {model.noun}")
    return model


def _build_model(file: Path, header: dict[str, Any], tensors: Tensors, functions: Functions | None) -> Model:
    try:
        name = header["system"]
        try:
            row = get_system(name)
        except ConfigError:
            raise ModelFileError(
                f"{file}: a model of system {show_value(name, 40)}, which is not registered here"
            ) from None
        resources: dict[str, Resource] = {
            resource: restore_resource(resource, select_tensors(tensors, f"resource.{resource}."), lists)
            for resource, lists in json.loads(header["spec"])["resources"].items()
        }
        model = row.load_model().from_tensors(header["spec"], tensors, resources, functions)
        model = model.with_line(_build_line(header, tensors, functions))
        if model.main not in model.reads.columns:
            raise ValueError("its line provides the words")
        return model
    except ModelFileError:
        raise
    except _UNFIT as error:
        raise ModelFileError(f"{file}: not a usable model: {short(error)}; train it again") from None


def pack_names(name: str, texts: Iterable[str]) -> Tensors:
    """Convert distinct texts to two arrays."""
    table = StringTable()
    table.intern_all(list(texts))
    text, ends = table.to_blob()
    return {f"{name}.text": text, f"{name}.ends": ends}


def unpack_names(name: str, tensors: Tensors) -> tuple[str, ...]:
    """Invert ``pack_names``; raises a built-in error if the arrays do not fit."""
    return tuple(StringTable.from_blob(tensors[f"{name}.text"], tensors[f"{name}.ends"]).strings())


def check_tensor(tensors: Tensors, name: str, dtype: Any) -> Any:
    """Return an array; raises ValueError if it does not have one dimension and the right type."""
    array = tensors[name]
    if array.ndim != 1 or array.dtype != dtype:
        raise ValueError(f"tensor {name!r} has the wrong type or shape")
    return array
