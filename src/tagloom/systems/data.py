"""Data that users hand in, as corpora."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from tagloom.corpus import Corpus, read_batches
from tagloom.corpus.join import join_corpora
from tagloom.corpus.objects import are_records
from tagloom.corpus.objects import to_corpus as to_corpus
from tagloom.corpus.schemes import Scheme, detect_scheme, labels_in_use
from tagloom.corpus.spans import convert_labels
from tagloom.corpus.spill import spill_batches
from tagloom.errors import DataError
from tagloom.text import Tokenizer

if TYPE_CHECKING:
    from tagloom.systems.base import Model

#: A path, a corpus, pairs of words and labels or of words and spans, columns by name, a data set, a data frame.
Data: TypeAlias = str | os.PathLike[str] | Corpus | Iterable[Any] | Mapping[str, Any]


def read_training_data(
    data: Any, columns: str | Sequence[str] | None = None, format: str | None = None,  # noqa: A002
    normalise: str | None = None, tokenizer: Tokenizer | None = None, *, on_disk: bool = False,
    label: str | None = None, start: Model | None = None,
) -> Corpus:  # fmt: skip
    """Convert data to a corpus; raises :class:`DataError` if there is nothing to learn from.

    Args:
        data: Any data; a list of paths and corpora is joined, see :func:`join_training_data`.
        columns: Names of the columns of files.
        format: Format of files.
        normalise: Unicode normal form of the words.
        tokenizer: What cuts text.
        on_disk: Read files in batches, and keep the columns of the corpus in temporary files.
        label: The column of the labels of data that is joined.
        start: A model whose columns, gold ones included, the corpus must have.
    """
    several, given = is_several(data), (columns, format, normalise, tokenizer, on_disk, start)
    corpora = [_read(each, *given) for each in (data if several else [data])]
    name = label if start is None else start.reads.gold[-1]
    corpus = join_training_data(corpora, name, on_disk=on_disk) if several else corpora[0]
    if corpus.token_count == 0:
        raise DataError(f"{corpus.source}: no tokens to learn from")
    return corpus


def is_several(data: object) -> bool:
    """Tell a list of paths and corpora from other data."""
    if not isinstance(data, (list, tuple)) or not data:
        return False
    return all(isinstance(each, (str, os.PathLike, Corpus)) for each in data)


def _read(
    data: Any, columns: str | Sequence[str] | None, format_name: str | None, normalise: str | None,
    tokenizer: Tokenizer | None, on_disk: bool, start: Model | None,
) -> Corpus:  # fmt: skip
    if isinstance(data, (str, os.PathLike)) and start is not None:
        from tagloom.systems.inputs import Input  # here, because it knows models, which read data

        names = columns if columns is None or isinstance(columns, str) else " ".join(columns)
        source = Input(os.fspath(data), format_name, names, normalise=normalise, tokenizer=tokenizer)
        return source.spill(start) if on_disk else source.read(start, gold=True)
    if isinstance(data, (str, os.PathLike)) and on_disk:
        return spill_batches(read_batches(data, format_name, columns, normalise=normalise, tokenizer=tokenizer))
    if start is None:
        return to_corpus(data, columns, format_name, normalise, tokenizer)
    if columns is None and are_records(data):  # whose other keys are columns only if they are asked for
        columns = (*start.reads.columns, *start.reads.gold)
    return start.reads.adopt(to_corpus(data, columns, format_name, normalise, tokenizer), gold=True)


def join_training_data(corpora: Sequence[Corpus], label: str | None = None, *, on_disk: bool = False) -> Corpus:
    """Join corpora to learn from, with the columns that all of them have.

    Span labels are converted to the scheme of the first corpus with spans.

    Args:
        corpora: At least one corpus.
        label: The column of the labels; that of the first corpus by default.
        on_disk: Whether the columns are to be in temporary files.
    """
    name = corpora[0].label if label is None else label
    if len(corpora) == 1 or any(name not in corpus.columns or corpus.columns[name].is_bag for corpus in corpora):
        return join_corpora(corpora, on_disk=on_disk)
    schemes = [_find_scheme(corpus, name) for corpus in corpora]
    leader = next((number for number, scheme in enumerate(schemes) if isinstance(scheme, Scheme)), None)
    if leader is None:
        return join_corpora(corpora, on_disk=on_disk)
    for corpus, scheme in zip(corpora, schemes):
        if scheme is None:
            raise DataError(
                f"{corpus.source}: column {name!r} holds plain tags, but spans in {corpora[leader].source}; "
                "train on files with the same labels"
            )
    converted = [_convert(corpus, name, scheme, schemes[leader]) for corpus, scheme in zip(corpora, schemes)]
    return join_corpora(converted, on_disk=on_disk)


_NO_SPANS = "no spans"  # any scheme may have written them


def _find_scheme(corpus: Corpus, name: str) -> Scheme | str | None:
    """Find the scheme of the labels; None for plain tags."""
    column = corpus.columns[name]
    found = detect_scheme(column.strings.strings(), column.codes, corpus.sentences)
    if found is None and labels_in_use(column.strings.strings(), column.codes) in ([], ["O"]):
        return _NO_SPANS
    return found


def _convert(corpus: Corpus, name: str, old: Scheme | str | None, new: Scheme | str | None) -> Corpus:
    if not isinstance(old, Scheme) or not isinstance(new, Scheme) or old == new:
        return corpus
    column = convert_labels(corpus.columns[name], corpus.sentences, old, new)
    return replace(corpus, columns={**corpus.columns, name: column})
