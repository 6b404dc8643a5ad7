"""Model files: one safetensors file for every system, every part with a checksum."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn, cast, overload

import numpy as np

from tagloom._core import StringTable
from tagloom.arguments import check_arguments
from tagloom.corpus.layers import PROBABILITIES
from tagloom.errors import ConfigError, ModelFileError, TagloomError
from tagloom.features import restore_resource
from tagloom.features.resources import KINDS, get_kind, is_name
from tagloom.files.container import Container, Header
from tagloom.files.container import select_tensors as select_tensors
from tagloom.schema import Array, Field, Layout, Misfit, Text, limits, parse_json, read_value
from tagloom.systems.base import Functions, Model
from tagloom.systems.line import Line
from tagloom.systems.registry import get_system
from tagloom.text import FunctionTokenizer, get_tokenizer

if TYPE_CHECKING:
    from tagloom.features.tensors import Tensors
    from tagloom.systems.ensemble.model import Ensemble
    from tagloom.systems.parser.model import Parser
    from tagloom.systems.phrases.model import PhraseChunker
    from tagloom.systems.pipeline.model import Pipeline
    from tagloom.systems.segments.model import SegmentModel
    from tagloom.systems.tagger.model import Tagger
    from tagloom.systems.tokenizer.model import LearnedTokenizer
    from tagloom.text import Tokenizer

FilePath = str | os.PathLike[str]


@dataclass(frozen=True, kw_only=True)
class ModelHeader(Header):
    """What the header of a model file says."""

    system: Annotated[str, Field("Name of the system in the registry.", length=100)]
    spec: Annotated[str, Field("The spec of the system, as JSON.", length=limits.LARGEST_HEADER)]
    tokenizer: Annotated[
        str | None,
        Field("Name of the tokenizer of rules, or `function:` and the name of the user's; missing if there is none.",
              may_miss=True),
    ] = None  # fmt: skip


MODEL_FILE = Container("tagloom", "model", 10, "restore it or train again", ModelHeader)
#: What files of systems of others may raise that have no layout. Those of this library raise Misfit, TagloomError, or
#: the ValueError with which the core refuses arrays that do not fit each other.
LAST_NET: tuple[type[Exception], ...] = (LookupError, TypeError, AttributeError, ArithmeticError, RuntimeError)


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
    path: FilePath, *, system: Literal["segments"], functions: Functions | None = None, mmap: bool = False
) -> SegmentModel: ...
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
    path: FilePath, *, system: Literal["ensemble"], functions: Functions | None = None, mmap: bool = False
) -> Ensemble: ...
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
    model = _read_foreign(file) or build_model(file, *MODEL_FILE.read(file, mapped=mmap), functions)
    return model if system is None else _require_system(file, model, system)


#: Model files of other tools, by their first bytes: the module whose ``read_tagger`` makes a model of them.
FOREIGN = {b"lCRF": "tagloom.systems.tagger.crfsuite"}


def read_head(file: Path) -> bytes:
    """Read the first bytes of a file, which tell model files of other tools; none if it cannot be read."""
    try:
        with file.open("rb") as stream:
            return stream.read(max(map(len, FOREIGN)))
    except (OSError, ValueError):
        return b""  # whoever opens it as a file of tagloom says what is wrong


def _read_foreign(file: Path) -> Model | None:
    """Read the model file of another tool; None if it is none."""
    head = read_head(file)
    if head not in FOREIGN:
        return None
    return cast(Model, import_module(FOREIGN[head]).read_tagger(file, file.read_bytes()))


def model_to_pieces(model: Model, *, names: bool = True) -> list[bytes | memoryview]:
    """Convert a model to the bytes of its file, in pieces that follow each other."""
    tensors = dict(model.to_tensors(names=names))
    for name, resource in model.resources.items():
        tensors |= {f"resource.{name}.{key}": array for key, array in resource.to_tensors().items()}
    header = {"library_version": model.spec.version, "system": model.system, "spec": model.spec.to_json()}
    try:
        check_tensors(model.layout, model.resources, tensors)
    except Misfit as error:
        raise ModelFileError(f"cannot write a model: {error}; train it again") from None
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


def _build_line(header: ModelHeader, tensors: Tensors, functions: Functions | None) -> Line:
    found = select_tensors(tensors, _LINE)
    models = {name: _build_within(name, found[name], functions) for name in sorted(found)}
    tokenizer = models.pop(_TOKENIZER, None)
    if tokenizer is not None and (header.tokenizer is not None or not tokenizer.segments_text):
        raise Misfit(f"tensor {_LINE}{_TOKENIZER}", "one tokenizer", Text("a model that does not cut text, or another"))
    for number, name in enumerate(models):
        if name != f"{number:02}":
            raise Misfit("tensors", f"{_LINE}{number:02}", f"{_LINE}{name}")
    line = Line(cast("Tokenizer | None", tokenizer) or _find_tokenizer(header, functions), tuple(models.values()))
    line.check()
    return line


def _build_within(name: str, data: Any, functions: Functions | None) -> Model:
    model: Model = open_within(f"{_LINE}{name}", data, functions)
    if model.line != Line():
        raise Misfit(f"tensor {_LINE}{name}", "a model without a line", Text("one with a line of its own"))
    return model


def open_within(name: str, data: Any, functions: Functions | None, system: str | None = None) -> Any:
    """Build the model whose file stands in an array; raises ValueError, because only its owner knows the file."""
    try:
        header, tensors = MODEL_FILE.from_bytes(Path(f"tensor {name}"), data.tobytes())
        if system not in (None, header.system):  # refused first, so that files do not nest without end
            raise Misfit("system", system, header.system)
        model = _assemble_model(header, tensors, functions)
        if not name.startswith(_LINE):
            _check_output(model)
    except ModelFileError as error:
        raise ValueError(str(error).removesuffix(f"; {MODEL_FILE.remedy}")) from None
    except (ValueError, TagloomError) as error:
        raise ValueError(f"tensor {name}: {error}") from None
    return model


def is_file_within(name: str) -> bool:
    """Whether an array of a model file holds the file of another model."""
    return name.startswith((_LINE, "member.")) or name in ("tagger", "sentences")


def _find_tokenizer(header: ModelHeader, functions: Functions | None) -> Tokenizer | None:
    name = header.tokenizer
    if name is None or not name.startswith(_FUNCTION):
        return None if name is None else get_tokenizer(name)
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
    model = build_model(file, *MODEL_FILE.from_bytes(file, data), functions)
    return model if system is None else _require_system(file, model, system)


def restore_model(data: bytes, functions: Functions | None = None) -> Model:
    """Build a model of any system from the bytes of its file; what a pickled model calls."""
    file = Path("pickled model")
    return build_model(file, *MODEL_FILE.from_bytes(file, data), functions)


def _require_system(file: Path, model: Model, system: str) -> Model:
    if model.system != get_system(system).name:
        raise ModelFileError(f"{file}: expected a {get_system(system).noun}, got a {model.noun}")
    return model


def build_model(file: Path, header: ModelHeader, tensors: Tensors, functions: Functions | None) -> Model:
    """Build a model from what its file holds; raises ModelFileError if something does not fit."""
    try:
        model = _assemble_model(header, tensors, functions)
        _check_output(model)
        return model
    except (ValueError, TagloomError) as error:
        raise MODEL_FILE.refuse(file, error) from None
    except LAST_NET as error:
        raise MODEL_FILE.refuse(file, error) from None


def _assemble_model(header: ModelHeader, tensors: Tensors, functions: Functions | None) -> Model:
    """Build a model; raises ValueError or TagloomError if something does not fit."""
    kind = _find_model_class(header.system)
    lists = read_resource_lists(header)
    check_tensors(kind.layout, lists, tensors)
    resources = {
        name: restore_resource(name, select_tensors(tensors, f"{_RESOURCE}{name}."), own) for name, own in lists.items()
    }
    model = kind.from_tensors(header.spec, tensors, resources, functions)
    model = model.with_line(_build_line(header, tensors, functions))
    if model.main not in model.reads.columns:
        raise Misfit("spec.columns", "a column of words that the line does not provide", model.main)
    _check_bags(model)
    return model


def _check_output(model: Model) -> None:
    """Refuse a model with an output that only the next stage of a line can read."""
    for layer in model.own_layers:
        if layer.kind == PROBABILITIES:
            raise Misfit("spec.provides", "null for a model that is not in a line", layer.column)


def _check_bags(model: Model) -> None:
    """Refuse a line in which a model reads words where another one provides bags, or the other way round."""
    is_bag: dict[str, bool] = {}
    for each in (*model.line.providers, model):
        reads = each.own_reads
        for name in reads.columns:
            if name in is_bag and is_bag[name] != (name in reads.bags):
                raise Misfit("spec.bags", "the columns that hold bags, as the line provides them", name)
        is_bag |= {layer.column: layer.kind == PROBABILITIES for layer in each.own_layers}


def _find_model_class(system: str) -> type[Model]:
    try:
        return get_system(system).load_model()
    except ConfigError:
        raise Misfit("system", "the name of a registered system", system) from None


# -- the schema of the arrays ------------------------------------------------------------------------------------------

_RESOURCE = "resource."
#: The models of the line, in the order in which they work, and the tokenizer.
LINE_LAYOUT = Layout(
    tuple(
        Array(f"{_LINE}{name}", "U8", "", text, is_needed=False)
        for name, text in {
            **{f"{number:02}": "The file of a model that provides columns." for number in range(limits.MOST_PROVIDERS)},
            _TOKENIZER: "The file of a learned tokenizer.",
        }.items()
    )
)


def read_resource_lists(header: ModelHeader) -> dict[str, list[str]]:
    """Read the resources of a model and the names of their lists; raises :class:`Misfit` for unknown ones."""
    spec = read_value(dict[str, Any], parse_json(header.spec, "spec"), "spec")
    lists: dict[str, list[str]] = read_value(dict[str, list[str]], spec.get("resources"), "spec.resources")
    for name in lists:
        if not is_name(name):
            raise Misfit("spec.resources", f"names that begin with some of {', '.join(KINDS)}", name)
    return lists


def check_tensors(layout: Layout | None, resources: Iterable[str], tensors: Tensors) -> None:
    """Raise :class:`Misfit` unless the arrays of a model, its resources and its line fit their schemas."""
    own = Layout(()) if layout is None else layout
    shared = [Layout((get_kind(name).type.layout,), f"{_RESOURCE}{name}.") for name in resources]
    known = tensors if layout is not None else {n: a for n, a in tensors.items() if n.startswith((_RESOURCE, _LINE))}
    line = (LINE_LAYOUT,) if any(name.startswith(_LINE) for name in tensors) else ()
    Layout((own, *shared, *line)).check_all(known)


def pack_names(name: str, texts: Iterable[str]) -> Tensors:
    """Convert distinct texts to two arrays."""
    table = StringTable()
    table.intern_all(list(texts))
    text, ends = table.to_blob()
    return {f"{name}.text": text, f"{name}.ends": ends}


def unpack_names(name: str, tensors: Tensors) -> tuple[str, ...]:
    """Invert ``pack_names``; raises ValueError for bytes that are not UTF-8, or a text that occurs twice."""
    return tuple(StringTable.from_blob(tensors[f"{name}.text"], tensors[f"{name}.ends"]).strings())
