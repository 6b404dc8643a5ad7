"""Verification of files: everything that opening checks, and what a file is, in one line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tagloom.features.tensors import Tensors
from tagloom.files.cache import FOLD_FILE
from tagloom.files.checkpoint import CHECKPOINT_FILE, Checkpoint, check_checkpoint
from tagloom.files.container import find_key
from tagloom.schema import Misfit
from tagloom.systems.file import FOREIGN, MODEL_FILE, build_model, is_file_within, load, read_head


@dataclass(frozen=True)
class VerifiedFile:
    """What a file is that was checked completely."""

    path: str
    kind: str  # "model", "checkpoint", "fold" or "CRFsuite model"
    system: str | None  # None where the file does not say
    format_version: int | None  # None for files of other tools
    bytes: int
    parameters: int  # weights that the file holds, those of models inside it included

    def __str__(self) -> str:
        facts = [self.kind, *([] if self.system is None else [self.system])]
        facts += [] if self.format_version is None else [f"format {self.format_version}"]
        right = "checksums right" if self.format_version is not None else "all parts fit"
        return f"{self.path}: {', '.join(facts)}, {self.bytes:,} bytes, {self.parameters:,} parameters, {right}"


def verify_file(path: str | Path) -> VerifiedFile:
    """Check a model file, a checkpoint, a fold, or a model file of CRFsuite completely.

    Checkpoints are checked as far as this is possible without their training, which knows the lengths of its arrays.
    Functions of the user are not needed.

    Raises:
        ModelFileError: Something in the file is wrong.
    """
    file = Path(path)
    if read_head(file) in FOREIGN:
        model = load(file)
        return VerifiedFile(str(path), "CRFsuite model", model.system, None, file.stat().st_size, len(model.weights))
    key = find_key(file, [each.key for each in (MODEL_FILE, CHECKPOINT_FILE, FOLD_FILE)])
    if key == CHECKPOINT_FILE.key:
        return _verify_checkpoint(file)
    if key == FOLD_FILE.key:
        FOLD_FILE.read(file)
        return VerifiedFile(str(path), FOLD_FILE.noun, None, FOLD_FILE.version, file.stat().st_size, 0)
    header, tensors = MODEL_FILE.read(file)
    build_model(file, header, tensors, None)
    size = file.stat().st_size
    return VerifiedFile(str(path), MODEL_FILE.noun, header.system, MODEL_FILE.version, size, _count_weights(tensors))


def _verify_checkpoint(file: Path) -> VerifiedFile:
    header, tensors = CHECKPOINT_FILE.read(file)
    try:
        check_checkpoint(header, tensors)
    except Misfit as error:
        raise Checkpoint(file, {}).unusable(error) from None
    count = _count_weights({name: array for name, array in tensors.items() if name.startswith("state.")})
    system = header.training.get("system")
    return VerifiedFile(str(file), CHECKPOINT_FILE.noun, system, CHECKPOINT_FILE.version, file.stat().st_size, count)


#: The ends of the names of arrays that hold one number per weight.
_WEIGHTS = ("weights", "weights.values", ".amounts", "state.x", "ranking_weights")


def _count_weights(tensors: Tensors) -> int:
    """Count the weights of a file, without copies in double precision."""
    found = 0
    for name, array in tensors.items():
        if is_file_within(name):
            _, inner = MODEL_FILE.from_bytes(Path(name), array.tobytes())
            found += _count_weights(inner)
        elif name.endswith(_WEIGHTS) and not name.startswith("exact_"):
            found += len(array)
    return found
