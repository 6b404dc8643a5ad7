"""Several corpora as one, such as old training data and new corrections."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from tagloom._core import StringTable
from tagloom.corpus.corpus import Column, Corpus, IntArray
from tagloom.corpus.formats.conllu import join_treebank_lines
from tagloom.corpus.formats.format import CONTINUES_DOCUMENT, FORMAT
from tagloom.corpus.running_text import TOKENIZER, get_cutter
from tagloom.corpus.spill import spill_batches
from tagloom.errors import DataError

_SLICE_TOKENS = 1 << 20  # that are written to temporary files at a time


def join_corpora(corpora: Sequence[Corpus], *, on_disk: bool = False) -> Corpus:
    """Join corpora, with the columns that all of them have.

    If one of them has documents, those without are one document each.

    Args:
        corpora: At least one corpus.
        on_disk: Whether the columns are to be in temporary files.

    Raises:
        DataError: Two corpora have no column in common, or a column holds words in one and attributes in another.

    >>> ours = Corpus.from_columns({"form": ["He", "left"], "pos": ["P", "V"], "label": ["O", "O"]}, [2])
    >>> join_corpora([ours, Corpus.from_columns({"form": ["Yes"], "label": ["O"]}, [1])])
    <Corpus <memory> + <memory>: 2 sentences, 3 tokens, columns form label>
    """
    if len(corpora) == 1:
        return corpora[0]
    selected = _select_common(corpora)
    joined = spill_batches(_slice_all(selected)) if on_disk else _join_in_memory(selected)
    first, names = corpora[0], list(selected[0].columns)
    others = {name: other for name, other in first.other_names.items() if name in names}
    source = " + ".join(corpus.source for corpus in corpora)
    return replace(
        joined, source=source, extras=_join_extras(corpora), default_label=first.default_label, other_names=others
    )


def list_dropped(corpora: Sequence[Corpus]) -> list[str]:
    """List the columns that some of the corpora do not have."""
    names = dict.fromkeys(name for corpus in corpora for name in corpus.columns)
    return [name for name in names if not all(name in corpus.columns for corpus in corpora)]


def _select_common(corpora: Sequence[Corpus]) -> list[Corpus]:
    """Return the corpora with their common columns, in the order of the first, and with documents if any has some."""
    first, dropped = corpora[0], list_dropped(corpora)
    names = [name for name in first.columns if name not in dropped]
    for corpus in corpora[1:]:
        for name in names:
            if corpus.column(name).is_bag != first.column(name).is_bag:
                raise DataError(f"{corpus.source}: column {name!r} does not hold the same as in {first.source}")
        if not names:
            raise DataError(
                f"{corpus.source}: no columns in common with {first.source}: {' '.join(corpus.names)} and "
                f"{' '.join(first.names)}; name the columns"
            )
    has_documents = any(corpus.has_documents for corpus in corpora)
    return [
        replace(corpus, columns={name: corpus.columns[name] for name in names}, has_documents=has_documents)
        for corpus in corpora
    ]


def _slice_all(corpora: Sequence[Corpus]) -> Iterator[Corpus]:
    """Iterate over slices of all corpora, which are marked if they begin within a document."""
    for corpus in corpora:
        starts = np.searchsorted(corpus.sentences, np.arange(0, max(corpus.token_count, 1), _SLICE_TOKENS))
        bounds = np.unique(np.append(np.minimum(starts, len(corpus)), len(corpus))).tolist()
        for start, stop in itertools.pairwise(bounds):
            yield replace(corpus.slice(start, stop), extras={CONTINUES_DOCUMENT: start not in corpus.documents})


def _join_in_memory(corpora: Sequence[Corpus]) -> Corpus:
    columns = {name: _join_columns([each.columns[name] for each in corpora]) for name in corpora[0].columns}
    sentences = _join_offsets([each.sentences for each in corpora])
    documents = _join_offsets([each.documents for each in corpora])
    if not corpora[0].has_documents:
        documents = documents[[0, -1]]
    return replace(corpora[0], columns=columns, sentences=sentences, documents=documents)


def _join_columns(columns: Sequence[Column]) -> Column:
    strings = StringTable()
    codes = np.concatenate([strings.intern_all(each.strings.strings())[each.codes] for each in columns])
    if columns[0].offsets is None:
        return Column(codes, strings)
    offsets = _join_offsets([each.offsets for each in columns if each.offsets is not None])
    if all(each.values is None for each in columns):
        return Column(codes, strings, offsets)
    ones = [np.ones(len(each.codes), np.float32) if each.values is None else each.values for each in columns]
    return Column(codes, strings, offsets, np.concatenate(ones))


def _join_offsets(offsets: Sequence[IntArray]) -> IntArray:
    lengths = np.concatenate([np.diff(each) for each in offsets])
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])


def _join_extras(corpora: Sequence[Corpus]) -> dict[str, object]:
    """Join what training reads beside the tokens: lines of treebanks, the tokenizer of the text, the format."""
    extras: dict[str, object] = join_treebank_lines(corpora)
    cutters = [cutter for cutter in map(get_cutter, corpora) if cutter is not None]
    formats = {corpus.extras.get(FORMAT) for corpus in corpora}
    extras |= {TOKENIZER: cutters[0]} if cutters else {}
    return extras | ({FORMAT: formats.pop()} if len(formats) == 1 else {})
