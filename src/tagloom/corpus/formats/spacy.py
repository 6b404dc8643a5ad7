"""DocBin, the binary format of spaCy's training data (``train.spacy``); reading and writing needs spaCy.

Columns are read as ``corpus/spacy_docs`` says; groups of spans that do not overlap are columns, too, with IOB2 labels.
The sentences are those of the documents; a document without sentence boundaries is one sentence. Annotated documents
keep their text, their white space and everything else that they hold. Where a corpus has no documents, every sentence
is written as one.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tagloom.corpus.corpus import Column, Corpus, place
from tagloom.corpus.formats.format import Format, choose_columns
from tagloom.corpus.formats.surface import restore_text
from tagloom.corpus.layers import HEADS, LABELS, RELATIONS, TAGS, Labelling, Layer
from tagloom.corpus.layout import Layout, Names
from tagloom.corpus.running_text import Predictions, get_running_text, iter_part_annotations
from tagloom.corpus.schemes import detect_scheme
from tagloom.corpus.spacy_docs import (
    ATTRIBUTES,
    DocTable,
    annotate_words,
    assign_attributes,
    build_corpus,
    fill_docs,
    read_groups,
)
from tagloom.corpus.streams import Piece
from tagloom.corpus.trees import HEAD, NOTHING, RELATION, read_trees
from tagloom.errors import ConfigError, DataError
from tagloom.text.export.spacy import DocPlaces, choose_attributes, fill_doc, require_spacy, set_sentences

_BIN = "spacy"  # key of Corpus.extras
_MARK = b"x\x9c"  # how data that zlib has compressed begins; no UTF-8 text does
_KINDS = {HEAD: HEADS, RELATION: RELATIONS}
# What spaCy and msgpack raise on data that no DocBin has written.
_UNFIT = (ValueError, LookupError, TypeError, AttributeError, AssertionError, OverflowError, RecursionError, zlib.error)


@dataclass(frozen=True)
class DocBytes:
    """The documents that a corpus was read from, and the white space after its words."""

    data: bytes
    spaces: Sequence[bool]


def read_docs(piece: Piece, layout: Layout) -> Corpus:
    """Read documents; the layout may name the columns."""
    if not piece.data.startswith(_MARK):
        raise _build_error(piece.source, "it begins otherwise")
    require_spacy(f"{piece.source}: a DocBin")
    content = _parse(piece.data, piece.source)
    table = _build_table(content, piece.source)
    groups = _read_groups(content, table)
    corpus = build_corpus(table, layout.columns, groups)
    spaces = table.values["SPACY"][table.words].astype(np.bool_).tolist()
    return replace(corpus, extras={_BIN: DocBytes(piece.data, spaces)})


def _parse(data: bytes, source: str) -> Any:
    from spacy.tokens import DocBin

    with _explain_damage(source):
        return DocBin(store_user_data=True).from_bytes(data)


@contextmanager
def _explain_damage(source: str) -> Iterator[None]:
    """Raise DataError where spaCy fails on documents that it has not written."""
    try:
        yield
    except _UNFIT as error:
        raise _build_error(source, next(iter(str(error).splitlines()), type(error).__name__)[:60]) from None


def _build_error(source: str, reason: str) -> DataError:
    return DataError(f"{source}: damaged, or not a DocBin of spaCy ({reason}); write it again with DocBin.to_disk")


def _build_table(content: Any, source: str) -> DocTable:
    """Put the arrays of all documents together; no document is built."""
    from spacy.attrs import IDS
    from spacy.strings import StringStore

    with _explain_damage(source):
        strings = StringStore(["_", *content.strings])
        places = {name: content.attrs.index(IDS[name]) for name in ATTRIBUTES if IDS[name] in content.attrs}
        tokens = np.concatenate([np.zeros((0, len(content.attrs)), np.uint64), *content.tokens])
        spaces = np.concatenate([np.zeros((0, 1), np.bool_), *content.spaces]).reshape(-1)
        if len(spaces) != len(tokens) or "ORTH" not in places:
            raise ValueError("its arrays do not fit together")
    missing = np.zeros(len(tokens), np.uint64)
    values = {name: tokens[:, places[name]] if name in places else missing for name in ATTRIBUTES}
    lengths = np.array(list(map(len, content.tokens)), np.int64)
    return DocTable({**values, "SPACY": spaces.astype(np.uint64)}, lengths, strings.__getitem__, source)


def _build_docs(content: Any, source: str) -> list[Any]:
    from spacy.vocab import Vocab

    with _explain_damage(source):
        return list(content.get_docs(Vocab()))


def _read_groups(content: Any, table: DocTable) -> dict[str, Column]:
    """Read the groups of spans as columns; documents are built only if there are any."""
    if not any(len(each) > 1 for each in content.span_groups):  # one byte is an empty list
        return {}
    docs = _build_docs(content, table.source)
    with _explain_damage(table.source):
        return read_groups(docs, table)


# -- writing -----------------------------------------------------------------------------------------------------------


def write_docs(corpus: Corpus, columns: Names | None) -> bytes:
    """Write every column in its place: attributes of tokens, trees, entities and groups of spans."""
    require_spacy("a DocBin")
    names = choose_columns(corpus, columns, SPACY.name)
    main = "form" if "form" in names else names[0]
    left_out = {main, "id", "deps", "misc", *([] if _has_trees(corpus, names) else _KINDS)}
    layers = [_describe_column(corpus, name) for name in names if name not in left_out]
    return _pack(_build_new_docs(corpus, corpus.columns, layers, main))


def _has_trees(corpus: Corpus, names: Names) -> bool:
    """Whether there are heads to write; where only some words have one, or they are no trees, they are refused."""
    if HEAD not in names or set(corpus.column(HEAD).texts()) == {NOTHING}:
        return False
    read_trees(corpus)
    return True


def _describe_column(corpus: Corpus, name: str) -> Layer:
    column = corpus.column(name)
    if column.is_bag:
        raise DataError(
            f"{corpus.source}: {SPACY.name} cannot hold column {name!r}, which has several strings per token"
        )
    if name in _KINDS:
        return Layer(name, _KINDS[name])
    if choose_attributes([name]):
        return Layer(name, TAGS)
    return Layer(name, LABELS, detect_scheme(column.strings.strings(), column.codes, corpus.sentences))


def annotate_docs(corpus: Corpus, predicted: Mapping[str, Column], layers: Sequence[Layer], main: str) -> bytes:
    """Write the documents that a corpus was read from, or new ones, with every layer in its place."""
    require_spacy("a DocBin")
    kept = corpus.extras.get(_BIN)
    if isinstance(kept, DocBytes):
        docs = _fill_docs(corpus, kept.data, predicted, layers)
        with _explain_damage(corpus.source):
            return _pack(docs)
    if get_running_text(corpus) is not None:
        return _pack(each.to_spacy() for each in iter_part_annotations(corpus, predicted, layers))
    return _pack(_build_new_docs(corpus, predicted, layers, main))


def _fill_docs(corpus: Corpus, data: bytes, predicted: Mapping[str, Column], layers: Sequence[Layer]) -> list[Any]:
    content = _parse(data, corpus.source)
    table, found = _build_table(content, corpus.source), Predictions.read(corpus, predicted, layers)
    places = choose_places(layers)
    docs = _build_docs(content, corpus.source)
    fill_docs(docs, table, found, places)
    return docs


def _build_new_docs(
    corpus: Corpus, predicted: Mapping[str, Column], layers: Sequence[Layer], main: str
) -> Iterator[Any]:
    """Build one document per document of a corpus, or per sentence if it has none."""
    from spacy.tokens import Doc
    from spacy.vocab import Vocab

    vocab, found, places = Vocab(), Predictions.read(corpus, predicted, layers), choose_places(layers)
    words, spaces = corpus.column(main).texts(), _list_spaces(corpus, main)
    if "" in words:
        raise DataError(f"{place(corpus, words.index(''))}: a document of spaCy cannot hold an empty word; give one")
    bounds = corpus.sentences[corpus.documents] if corpus.has_documents else corpus.sentences
    for start, stop in itertools.pairwise(bounds.tolist()):
        doc = Doc(vocab, words=words[start:stop], spaces=list(spaces[start:stop]))
        annotation = annotate_words(corpus.sentences, start, stop, found)
        if annotation.heads is None:
            set_sentences(doc, annotation.sentences[:-1])
        fill_doc(doc, annotation, np.arange(stop - start), places)
        yield doc


def _list_spaces(corpus: Corpus, main: str) -> Sequence[bool]:
    """List whether a blank follows each word, as far as the corpus knows it."""
    kept = corpus.extras.get(_BIN)
    if isinstance(kept, DocBytes):
        return kept.spaces
    spaces = np.ones(corpus.token_count, np.bool_)
    if "misc" in corpus.columns:
        text = restore_text(corpus, main)
        spaces[text.words[1:] - 1] = np.append(text.starts[1:] > text.ends[:-1], True)[: len(text)]
    found: list[bool] = spaces.tolist()
    return found


def choose_places(layers: Sequence[Layer]) -> DocPlaces:
    """Choose where layers go: the last one of spans becomes the entities, those before it groups of spans."""
    spans = [layer.column for layer in layers if layer.kind == LABELS and layer.scheme is not None]
    plain = [layer.column for layer in layers if layer.kind in (LABELS, TAGS) and layer.column not in spans]
    return DocPlaces(assign_attributes(plain), spans[-1] if spans else None, {name: name for name in spans[:-1]})


def _pack(docs: Iterable[Any]) -> bytes:
    from spacy.tokens import DocBin

    return bytes(DocBin(docs=docs, store_user_data=True).to_bytes())


def join_bins(pieces: Iterable[bytes]) -> bytes:
    """Join the documents of several files of this format that were written here."""
    from spacy.tokens import DocBin

    joined = DocBin(store_user_data=True)
    for piece in pieces:
        joined.merge(DocBin(store_user_data=True).from_bytes(piece))
    return bytes(joined.to_bytes())


def refuse_nbest(
    corpus: Corpus, lists: Sequence[Sequence[Labelling]], layer: Layer, main: str, *, by_document: bool = False
) -> bytes:
    """Raise ConfigError: a document has one labelling."""
    raise ConfigError(
        f"{corpus.source}: {SPACY.name} holds one labelling of a document, not the N best; use --to jsonl"
    )


SPACY = Format(
    "spacy",
    "spaCy DocBin",
    read_docs,
    write_docs,
    annotate_docs,
    refuse_nbest,
    find_end=lambda data, start: 0,
    shows_at_once=True,
    names_columns=True,
    is_record=True,
    has_trees=True,
    mark=_MARK,
    join=join_bins,
)
