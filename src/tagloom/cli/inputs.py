"""Corpora for commands: those that files hold, and the checks of paths before they are opened.

Notes wait until the work has succeeded, so that an error stands alone on its line.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from tagloom.corpus import Corpus
from tagloom.corpus.formats import get_format
from tagloom.corpus.join import list_dropped
from tagloom.errors import ConfigError, DataError
from tagloom.systems.base import Model, Reads
from tagloom.systems.data import join_training_data
from tagloom.systems.file import FOREIGN
from tagloom.systems.inputs import Input
from tagloom.text import Tokenizer

_MARK = b"{"  # what follows the eight bytes of length at the beginning of a model file


def read_corpora(
    files: Mapping[str, str | Sequence[str] | None],
    format_name: str | None,
    columns: str | None,
    notes: list[str],
    start: Model | None = None,
    normalise: str | None = None,
    tokenizer: Tokenizer | None = None,
    on_disk: Collection[str] = (),
    label: str | None = None,
) -> dict[str, Corpus]:
    """Read the corpora of the files that were named, by part; with the columns of a model to begin from.

    Several files of one part are joined; ``label`` is the column of their labels. The columns of the parts ``on_disk``
    are in temporary files.
    """
    found = {}
    for part, names in files.items():
        paths = [names] if isinstance(names, str) else list(names or ())
        is_one, spills, corpora = len(paths) == 1, part in on_disk, list[Corpus]()
        for path in filter(None, paths):
            source = Input(path, format_name, columns, notes, normalise, tokenizer, skips_columns=not is_one)
            corpora.append(require_labels(source.spill(start) if spills else source.read(start, gold=True)))
        if corpora:
            found[part] = corpora[0] if is_one else _join(corpora, notes, start, label, on_disk=spills)
    return found


def _join(
    corpora: Sequence[Corpus], notes: list[str], start: Model | None, label: str | None, *, on_disk: bool
) -> Corpus:
    """Join the corpora of several files, with a note on columns that are left out."""
    dropped = [] if start is not None else list_dropped(corpora)  # a model knows what it reads
    if dropped:
        missing = next(corpus.source for corpus in corpora if any(name not in corpus.columns for name in dropped))
        noun = f"column{'s' * (len(dropped) > 1)}"
        notes.append(f"{noun} {' '.join(dropped)} left out: not in all files (see {missing})")
    return join_training_data(corpora, label if start is None else start.reads.gold[-1], on_disk=on_disk)


def require_labels(corpus: Corpus) -> Corpus:
    """Refuse a corpus that has nothing to learn."""
    if len(corpus.names) < 2:
        name = get_format(corpus).name
        raise DataError(
            f"{corpus.source}: read as {name} with one column, so there are no labels; fix the file, or pass --format"
        )
    return corpus


def open_tokenizer(name: str | None) -> Tokenizer | None:
    """Open the tokenizer that the user names, or its file; None if there is none."""
    if name is None:
        return None
    from tagloom.systems.provide import choose_tokenizer  # here, because it imports what only training needs

    return choose_tokenizer(name)


def prefer_columns(model: Model, columns: str | None, notes: list[str]) -> Model:
    """Let a model read the columns that the user names instead of predicting them, with a note."""
    named = (columns or "").split()
    names = [layer.column for layer in model.line.layers if layer.column in named]
    if not names:
        return model
    notes.append(f"--columns: {' '.join(names)} as in the input, not as the model would predict")
    return model.without_providers(*names)


def note_undivided(model: Model, source: str, *, has_documents: bool) -> list[str]:
    """List a note if a model sees documents as wholes and the text has none."""
    if not model.reads.whole_documents or has_documents:
        return []
    return [f"{source}: no document boundaries; every sentence is a document of its own"]


def split_sentences(model: Model, text: str) -> list[list[str | list[str]]]:
    """Split a text into sentences and tokens as a model reads them.

    The tokenizer of the model cuts text for models of words or characters; for others, rows of columns or bags of
    attributes stand between blanks.
    """
    if len(model.columns) == 1 and not model.reads.bags:
        cut = model.tokenizer.segment(text)
        sentences: list[list[str | list[str]]] = [list(sentence) for sentence in cut.split_sentences()]
    else:
        sentences = [[_split_token(model.reads, word) for word in text.split()]]
    if not any(sentences):
        raise DataError("expected a sentence, found nothing")
    return sentences


def split_sentence(model: Model, text: str) -> list[str | list[str]]:
    """Split one sentence into tokens, also if the tokenizer of the model takes it for several."""
    return [token for sentence in split_sentences(model, text) for token in sentence]


def _split_token(reads: Reads, word: str) -> str | list[str]:
    columns = reads.columns
    if reads.bags:
        return word.split("|")
    if len(columns) == 1:
        return word
    for separator in "/|":
        parts = word.rsplit(separator, len(columns) - 1)
        if len(parts) == len(columns) and all(parts):
            return parts
    raise DataError(f"expected {'/'.join(columns)}, the columns that the model reads, found {word!r}")


# -- files before they are opened --------------------------------------------------------------------------------------


def is_model_file(path: str) -> bool:
    """Tell whether a file begins like a model: eight bytes of length, some of them zero, and an object; or CRFsuite."""
    if path == "-" or not Path(path).is_file():
        return False
    with Path(path).open("rb") as stream:
        head = stream.read(9)
    return head.startswith(tuple(FOREIGN)) or (0 in head[:8] and head[8:] == _MARK)


def require_writable(output: str, inputs: Iterable[str | None] = ()) -> None:
    """Refuse, before hours of work, a path that could not be written later, or that is one of the inputs."""
    if output == "-":
        return
    target = Path(output).resolve()
    reason = _find_obstacle(target)
    if reason:
        raise DataError(f"{output}: cannot write: {reason}")
    for name in inputs:
        if name is not None and target.exists() and Path(name).exists() and target.samefile(name):
            raise ConfigError(f"{output}: is an input, too; choose another name for the output")


def _find_obstacle(target: Path) -> str | None:
    if target.is_dir():
        return "is a directory, expected a file"
    if not target.parent.is_dir():
        return "no such directory"
    if not os.access(target if target.exists() else target.parent, os.W_OK):
        return "permission denied"
    return None
