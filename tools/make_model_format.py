"""Writes docs/model-format.md: every field, type and limit of model files, checkpoints and folds.

Fields and arrays are declared once, beside the code that reads them. The tables of the page are generated from there;
``make lint`` compares the file with what this script prints.
"""

from __future__ import annotations

import inspect
import re
import sys
import types
import typing
from collections.abc import Iterator
from dataclasses import is_dataclass
from typing import Any, get_args, get_origin

from tagloom.features.documents import DocumentRows
from tagloom.features.resources import KINDS
from tagloom.features.stored_templates import StoredTemplate, StoredTemplates, TemplateText
from tagloom.features.templates import Part
from tagloom.features.wapiti import MacroPart
from tagloom.files.cache import FoldHeader
from tagloom.files.checkpoint import BestPass, CheckpointHeader, EpochRecord
from tagloom.files.container import Header
from tagloom.learners.online import ONLINE_STATE
from tagloom.learners.parsing import ParserTraining
from tagloom.learners.phrases import PhraseTraining
from tagloom.learners.scored_lists import SCORE_STATE
from tagloom.schema import Array, Field, Layout, OneOf, limits, list_fields
from tagloom.schema.values import Entry, describe_scalar
from tagloom.structures.history import HistorySearch
from tagloom.systems.ensemble.layout import ENSEMBLE
from tagloom.systems.ensemble.model import EnsembleSpec
from tagloom.systems.file import LINE_LAYOUT, ModelHeader
from tagloom.systems.parser.layout import PARSER
from tagloom.systems.parser.spec import ParserSpec
from tagloom.systems.phrases.layout import PHRASES
from tagloom.systems.phrases.spec import PhraseSpec
from tagloom.systems.pipeline.model import PipelineSpec
from tagloom.systems.segments.layout import SEGMENTS
from tagloom.systems.segments.spec import SegmentSpec
from tagloom.systems.spec import Spec
from tagloom.systems.tagger.layout import TAGGER
from tagloom.systems.tagger.rerank.spec import RerankerSpec
from tagloom.systems.tagger.spec import TaggerSpec
from tagloom.systems.tokenizer.layout import TOKENIZER
from tagloom.systems.tokenizer.model import TokenizerSpec

INTRODUCTION = """# The format of model files

<!-- Generated from the schemas in the code: run `make stubs` after changing one. -->

A model is one [safetensors](https://github.com/huggingface/safetensors) file: eight bytes that give the length of a
JSON object, the JSON object, and arrays of numbers, which follow each other without gaps. Numbers are little-endian.
One metadata entry, `tagloom`, is a CRC-32 in eight hexadecimal digits, followed by a second JSON object, the header.
The header of a model has its spec as a text that is JSON once more. Checkpoints (`tagloom-checkpoint`) and finished
folds (`tagloom-fold`) are files of the same make under other entries.

## What is promised

Model files may come from strangers. Opening one, and using it on a sentence,

- runs no code from the file, writes no file, and opens no network connection;
- takes at most ten seconds, and memory of at most 20 times the size of the file plus 200 MB;
- ends with a model that can be used, or with one line (`ModelFileError`): the file, the field, what was expected, what
  was found, what to do. The command line exits with 2.

The time has one exception: that of a parser is exponential in `search.depth`. A depth that lets one decision look at
more than 2,097,152 sequences of actions is refused, but a smaller one may still be slow. Look at it with
`tagloom inspect`, and parse with a smaller `depth` or with a `beam`.

For this, a file is checked completely when it is opened: checksums, every field of the header, and every array against
the tables below. Types are exact (`true` is no number), all fields must be there and no others, numbers are finite, and
texts are valid Unicode. Headers and arrays are checked against the same tables when a model is saved.

Checksums find damage, not malice: anybody can compute them. A model can still have been trained to give wrong answers.
Attributes and features that are Python functions are never stored in a file; you pass them to `load`.

`tagloom verify FILE...` does these checks, prints one line per file, and exits with 2 if a file is bad:

```sh
tagloom verify ner.tagloom        # ner.tagloom: model, tagger, format 10, 10,815 bytes, 98 parameters, checksums right
tagloom verify models/* --json
```
"""

LIMITS = """## Limits

They are far above what trainings write, and are checked in training, too, where training could exceed them.

| limit | value | of |
|---|---|---|
"""
_LIMIT = re.compile(r"^([A-Z_]+) = ([^#]+?)(?:  # (.*))?$", re.M)


def write_limits() -> str:
    """Write the table of the limits, with the comments of their module."""
    rows = [(name, getattr(limits, name), text) for name, _, text in _LIMIT.findall(inspect.getsource(limits))]
    told = {"MOST_GROWTH": "memory of unpacked arrays, as a multiple of the bytes of the file",
            "SMALL": "bytes of unpacked arrays that any file may have"}  # fmt: skip
    return LIMITS + "".join(
        f"| `{name}` | {f'{value:,}' if isinstance(value, int) else f'{value:g}'} | {told.get(name, text)} |\n"
        for name, value, text in rows
    )


# -- fields ------------------------------------------------------------------------------------------------------------


def describe_kind(kind: Any, field: Field) -> str:
    """Say which JSON stands for a type."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(describe_kind(each, field) for each in inner)
    if kind is type(None):
        return "null"
    if origin is typing.Annotated:
        return describe_kind(inner[0], next(each for each in inner if isinstance(each, Field)))
    if origin is tuple and inner[-1] is not ...:
        return f"list of {', '.join(describe_kind(each, field) for each in inner)}"
    if origin in (tuple, list):
        return f"list of {_count(field)}: {describe_kind(inner[0], field)}"
    if origin is dict:
        return f"object of {_count(field)}: {describe_kind(inner[1], field)}"
    if is_dataclass(kind):
        return f"[{kind.__name__}](#{kind.__name__.lower()})"  # type: ignore[union-attr]
    if kind is str and field.choices:
        return " or ".join(f"`{each}`" for each in field.choices)
    if kind is str:
        return f"text (up to {field.length:,} characters)"
    return describe_scalar(kind, field).removeprefix("a ")


def _count(field: Field) -> str:
    return f"{field.least:,} to {field.most:,}" if field.least else f"up to {field.most:,}"


def write_fields(record: type[Any], without: type[Any] | None = None) -> str:
    """Write the table of the fields of a record, without those of its base."""
    known = set() if without is None else {entry.name for entry in list_fields(without)}
    rows = [_write_field(entry) for entry in list_fields(record) if entry.name not in known]
    return "| field | JSON | meaning |\n|---|---|---|\n" + "".join(rows)


def _write_field(entry: Entry) -> str:
    missing = " (may be missing)" if entry.field.may_miss else ""
    return f"| `{entry.name}` | {describe_kind(entry.kind, entry.field)}{missing} | {entry.field.help} |\n"


def write_record(record: type[Any]) -> str:
    """Write the section of a record inside a spec."""
    return f"### {record.__name__}\n\n{inspect.getdoc(record)}\n\n{write_fields(record)}"


# -- arrays ------------------------------------------------------------------------------------------------------------


def write_arrays(layout: Layout, prefix: str = "") -> str:
    """Write the table of the arrays of a layout."""
    rows = "".join(_write_array(array, name, note) for array, name, note in list_arrays(layout, prefix))
    return "| array | numbers | length | values | meaning |\n|---|---|---|---|---|\n" + rows


def list_arrays(layout: Layout, prefix: str = "", note: str = "") -> Iterator[tuple[Array, str, str]]:
    """List the arrays with their whole names, and whether they are optional."""
    prefix += layout.prefix
    note = note or ("optional" if not layout.is_needed else "")
    for member in layout.members:
        if isinstance(member, Array):
            yield member, prefix + member.name, note or ("optional" if not member.is_needed else "")
        elif isinstance(member, OneOf):
            for each in member.layouts:
                yield from list_arrays(each, prefix, note or "one of several ways")
        else:
            yield from list_arrays(member, prefix, note)


def _write_array(array: Array, name: str, note: str) -> str:
    values = [
        f"sum to {array.sums_to}" if array.sums_to else "",
        f"from 0 up to {array.cuts}" if array.cuts else "",
        "increase" if array.increases else "",
        f"below {array.below}" if array.below else "",
        f"{array.low:g} to {array.high:g}" if array.low is not None and array.high is not None else "",
        f"{array.low:g} or more" if array.low is not None and array.high is None else "",
    ]
    kinds = " or ".join(array.types.split())
    told = f" ({note})" if note else ""
    return (
        f"| `{name}`{told} | {kinds} | {array.length or 'any'} | {', '.join(filter(None, values))} | {array.help} |\n"
    )


SPECS = {"tagger": (TaggerSpec, TAGGER), "parser": (ParserSpec, PARSER), "phrases": (PhraseSpec, PHRASES),
         "segments": (SegmentSpec, SEGMENTS), "tokenizer": (TokenizerSpec, TOKENIZER),
         "pipeline": (PipelineSpec, None),
         "ensemble": (EnsembleSpec, ENSEMBLE)}  # fmt: skip
RECORDS = (EpochRecord, StoredTemplates, StoredTemplate, Part, MacroPart, TemplateText, HistorySearch, RerankerSpec)
STATES = {
    "Online learners, and learners of documents": ONLINE_STATE,
    "Learners of documents, if functions return strings": Layout((DocumentRows.layout,)),
    "`reranking-1`": SCORE_STATE,
    "Parsers": ParserTraining.layout,
    "Phrase chunkers": PhraseTraining.layout,
}


def write_page() -> Iterator[str]:
    """Write the page, section by section."""
    yield INTRODUCTION
    yield write_limits()
    yield f"## The header of every file\n\n{write_fields(Header)}"
    yield f"## The header of a model\n\nIn addition to the above:\n\n{write_fields(ModelHeader, Header)}"
    yield f"## The spec of every model\n\n{write_fields(Spec)}"
    for name, (spec, layout) in SPECS.items():
        yield f"## {name}\n\nFields of the spec, in addition to those of every model:\n\n{write_fields(spec, Spec)}"
        if layout is not None:
            yield write_arrays(layout)
    yield "## Records inside specs"
    yield from map(write_record, RECORDS)
    yield (
        "## Resources\n\nArrays of a resource begin with `resource.NAME.`, where NAME is KIND or KIND:NAME, such as "
        "`brown` or `brown:web`; the spec lists a model's resources."
    )
    for name, kind in KINDS.items():
        yield f"### {name}\n\n{write_arrays(kind.type.layout, f'resource.{name}.')}"
    yield (
        "## The line before a model\n\nThe models that provide columns are numbered from `line.00` on, at most "
        f"{limits.MOST_PROVIDERS}. Models inside the file of another one have no line of their own.\n\n"
        f"{write_arrays(Layout((LINE_LAYOUT.members[0], LINE_LAYOUT.members[-1])))}"
    )
    checkpoint = write_fields(CheckpointHeader, Header)
    yield f"## The header of a checkpoint\n\nIn addition to that of every file:\n\n{checkpoint}"
    yield f"### {BestPass.__name__}\n\n{inspect.getdoc(BestPass)}\n\n{write_fields(BestPass)}"
    yield (
        "## The arrays of a checkpoint\n\nThe state of the learner begins with `state.`, and the weights of the best "
        "pass with `best.`: `best.weights`, or the arrays of a parser or phrase chunker. Lengths follow from the "
        "training, which checks them when it continues. Batch learners have `state.x`, `state.gradient`, "
        "`state.value`, "
        f"`state.descent`, `state.scale`, and up to {limits.MOST_STEPS:,} pairs `state.steps.N` and "
        "`state.changes.N`, all F64; re-ranking adds `state.first` (F32), and learners of documents `state.errors` "
        "(I64)."
    )
    for name, layout in STATES.items():
        yield f"{name}:\n\n{write_arrays(layout, 'state.')}"
    yield (
        "## The header of a fold\n\nIn addition to that of every file. A fold that is damaged, or belongs to another "
        f"training, is computed again.\n\n{write_fields(FoldHeader, Header)}"
    )


if __name__ == "__main__":
    sys.stdout.write("\n\n".join(part.strip("\n") for part in write_page()) + "\n")
