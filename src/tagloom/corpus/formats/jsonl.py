"""JSONL: one object per line, with tokens and tags, or with a text and character spans.

``{"tokens": ["He", "left"], "tags": ["O", "O"]}`` is read as columns ``form`` and ``label``; further lists beside
``tokens`` become columns when they are named; ``heads`` and ``relations`` are the columns ``head`` and ``deprel``.
``{"text": "...", "spans": [[start, end, label], ...]}`` is read with IOB2 labels; without ``tokens`` the text is cut by
a tokenizer, ``unicode`` if none is named. A record is one sentence, unless only its words are read and a tokenizer that
was named finds several. Without ``text`` spans count tokens. Spans may be objects and may be called ``label``,
``labels`` or ``entities``, and then the text ``data`` (doccano); tokens may be objects (Prodigy). Without any of them
there is no label. Records that an annotator has rejected or ignored (``answer``, Prodigy) are left out. Consecutive
lines with the same value of ``doc`` (or ``document``) form a document. The lines are kept, so that annotated records
have all their keys.
"""

from __future__ import annotations

import io
import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tagloom.corpus.corpus import Column, Corpus, IntArray
from tagloom.corpus.formats.format import (
    NOTES,
    DocumentMarks,
    Format,
    choose_columns,
    get_texts,
    join_lines,
    split_sentences,
)
from tagloom.corpus.formats.nbest import find_units
from tagloom.corpus.formats.offsets import Place, find_token_spans, locate, split_tokens
from tagloom.corpus.layers import CONFIDENCE, HEADS, LABELS, RELATIONS, TAGS, Labelling, Layer
from tagloom.corpus.layout import Layout, Names
from tagloom.corpus.running_text import TOKENIZER, get_running_text, iter_part_annotations
from tagloom.corpus.schemes import Scheme
from tagloom.corpus.spans import TypedSpan, check_spans, decode_spans, encode_spans, read_span
from tagloom.corpus.streams import Piece
from tagloom.errors import ConfigError, DataError, unknown_name
from tagloom.text import Segmentation, Tokenizer, get_tokenizer

DOCUMENT_KEYS = ("doc", "document")
# Where labels are: a list of strings, or a list of spans as doccano and Prodigy write them.
LABEL_KEYS = ("tags", "spans", "label", "labels", "entities")
_DEFAULT_TOKENIZER = "unicode"
_OLD_TEXT = "data"  # the key of the text in older versions of doccano, if it stands beside one of these
_OLD_LABELS = {"label", "labels", "entities"}
_REFUSALS = ("reject", "ignore")  # answers of Prodigy
_SPLIT = "tokens are split where marked spans begin or end inside them; text without marks is not, so scores flatter"
_LEFT_OUT = 'records with the answer "reject" or "ignore" are left out'


@dataclass(frozen=True)
class JsonRecord:
    """The object of a line, and where it stands, for messages."""

    where: str
    content: Mapping[str, Any]
    cut: Segmentation | None = None  # of the text, if there are no tokens

    def cut_text(self, tokenizer: Tokenizer | None) -> JsonRecord:
        """Return the record with its text cut into tokens, unless it has tokens."""
        if "tokens" in self.content or self.cut is not None:
            return self
        try:
            return replace(self, cut=(tokenizer or _get_default()).segment(self._text()))
        except DataError as error:
            where = "" if str(error).startswith(self.where) else f"{self.where}: "
            raise DataError(f"{where}{error}") from None

    @classmethod
    def parse(cls, line: str, where: str) -> JsonRecord:
        """Parse a line."""
        try:
            content = json.loads(line)
            if "\\u" in line:
                json.dumps(content, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise DataError(f"{where}: a \\u escape is half of a surrogate pair") from None
        except json.JSONDecodeError as error:
            reason = f"{error.msg} at character {error.colno}"
            raise DataError(f"{where}: expected one JSON object per line, found {_brief(line)} ({reason})") from None
        except (ValueError, RecursionError):
            raise DataError(f"{where}: a number is too long or lists are nested too deeply") from None
        if not isinstance(content, dict):
            raise DataError(f"{where}: expected a JSON object, found {_brief(content)}")
        return cls(where, content)

    def split_at_spans(self, keys: Sequence[str]) -> JsonRecord:
        """Return the record with the tokens of its text split where spans under one of the keys begin or end."""
        if self.cut is None or self.cut.multiwords:
            return self
        values = [value for key in keys if key in LABEL_KEYS for value in _list(self.content.get(key))]
        spans = [span for span in map(read_span, values) if span is not None]
        return replace(self, cut=split_tokens(self.cut, {edge for span in spans for edge in span[:2]}))

    def strings(self, key: str) -> list[str]:
        """Get a list of strings; numbers that are neither words nor labels, such as heads, are turned into strings."""
        values = self.content.get(key)
        if key not in ("tokens", *LABEL_KEYS) and isinstance(values, list):
            values = [str(value) if type(value) is int else value for value in values]
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise DataError(f"{self.where}: expected a list of strings as {key!r}, found {_brief(values)}")
        return values

    def tokens(self) -> list[str]:
        """Get the tokens: strings, objects with "text" (Prodigy), or those of the text."""
        if self.has_token_objects:
            return [self._token_text(token) for token in self.content["tokens"]]
        if "tokens" in self.content:
            return self.strings("tokens")
        cut = self.cut_text(None).cut
        assert cut is not None
        return cut.words

    @property
    def has_token_objects(self) -> bool:
        """Whether tokens are objects, as Prodigy writes them."""
        tokens = self.content.get("tokens")
        return isinstance(tokens, list) and bool(tokens) and isinstance(tokens[0], dict)

    def _token_text(self, token: object) -> str:
        text = token.get("text") if isinstance(token, dict) else None
        if not isinstance(text, str):
            raise DataError(f'{self.where}: expected tokens with a "text" each, found {_brief(token)}')
        return text

    def labels(self, key: str, length: int) -> list[str]:
        """Get one label per token: a list of strings, or spans as IOB2 labels."""
        values = self.content.get(key)
        has_strings = isinstance(values, list) and bool(values) and all(isinstance(value, str) for value in values)
        if key == LABEL_KEYS[0] or (has_strings and key != "spans"):
            return self.strings(key)
        return encode_spans(self.spans(key), length)

    def spans(self, key: str = "spans") -> list[TypedSpan]:
        """Get the spans as ranges of tokens; the record counts characters if it has a text, otherwise tokens."""
        values = self.content.get(key)
        if not isinstance(values, list):
            hint = "" if key in self.content else "; write an empty list if there are none"
            raise DataError(f"{self.where}: expected a list as {key!r}, found {_brief(values)}{hint}")
        spans = [self._span(value) for value in values]
        if "tokens" in self.content and self.text_key not in self.content:
            return check_spans(spans, len(self.tokens()), self.where)
        hint = "" if self.cut is None else "; mark whole words, or name another tokenizer"
        return find_token_spans(self.places(), spans, self.where, hint)

    def places(self) -> list[Place]:
        """Find the tokens in the text."""
        text = self._text()
        if self.cut is not None:
            return self.cut.spans
        if self.has_token_objects:
            pairs = [(token.get("start"), token.get("end")) for token in self.content["tokens"]]
            if all(type(start) is int and type(end) is int for start, end in pairs):
                return self._check_places(pairs, text)
        return locate(self.tokens(), text, self.where)

    def _check_places(self, places: list[Place], text: str) -> list[Place]:
        """Check that tokens stand where they say; words of multiword tokens need not stand in the text."""
        if "multiwords" not in self.content:
            for number, (token, (start, end)) in enumerate(zip(self.tokens(), places), 1):
                if start < 0 or text[start:end] != token:
                    raise DataError(
                        f"{self.where}: token {number} is {_brief(token)}, but the text has {_brief(text[start:end])} "
                        f"at {start}:{end}"
                    )
        return places

    @property
    def text_key(self) -> str:
        """The key of the text."""
        is_old = "text" not in self.content and isinstance(self.content.get(_OLD_TEXT), str)
        return _OLD_TEXT if is_old and _OLD_LABELS & self.content.keys() else "text"

    @property
    def is_refused(self) -> bool:
        """Whether an annotator has rejected or ignored the record."""
        return self.content.get("answer") in _REFUSALS

    def document(self) -> str:
        """Get what tells one document from the next."""
        return json.dumps([self.content.get(key) for key in DOCUMENT_KEYS], default=str)

    @property
    def has_text(self) -> bool:
        """Whether places are counted in a text."""
        return isinstance(self.content.get(self.text_key), str)

    @property
    def has_document(self) -> bool:
        """Whether the record says which document it belongs to."""
        return any(key in self.content for key in DOCUMENT_KEYS)

    def _text(self) -> str:
        text = self.content.get(self.text_key)
        if not isinstance(text, str):
            raise DataError(f"{self.where}: expected a string as 'text', found {_brief(text)}")
        return text

    def _span(self, value: object) -> TypedSpan:
        span = read_span(value)
        if span is None:
            raise DataError(f"{self.where}: expected a span [start, end, label], found {_brief(value)}")
        return span


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _brief(value: object) -> str:
    if value is None:
        return "none"
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}..."


_KEYS = {"form": "tokens", "label": "tags"}
_TREE_KEYS = {"head": "heads", "deprel": "relations"}
# The keys of layers, in the order in which they are written.
_LAYER_KEYS = {LABELS: "tags", TAGS: "tags", CONFIDENCE: "confidence", HEADS: "heads", RELATIONS: "relations"}
_NUMBERS = {HEADS: int, CONFIDENCE: float}  # layers that are numbers
_NOTHING = re.compile(r"(?!)")
_LINES, _CUTS = "jsonl", "jsonl_cuts"  # keys of Corpus.extras


@dataclass(frozen=True)
class RecordLines:
    """The lines that records were read from."""

    lines: tuple[str, ...]
    places: tuple[str, ...]  # file and line of each


@dataclass(frozen=True)
class RecordCuts:
    """How the texts of records were cut, and the sentences of each record."""

    cuts: tuple[Segmentation | None, ...]  # None: the record has tokens
    sentences: IntArray  # [records + 1]


def settle_fields(piece: Piece, layout: Layout) -> Layout:
    """Find out from the first record which field each column is read from."""
    return settle_record(_find_first(piece), layout)


def _find_first(piece: Piece) -> JsonRecord:
    """Get the first record that is not left out; the first of all if the sample has no such."""
    first = None
    for number, line in enumerate(io.BytesIO(piece.data), 1):
        if line.strip() and (first is None or line.endswith(b"\n")):  # a sample may end within a line
            alone = Piece(line, piece.source, piece.first_line + number - 1)
            record = JsonRecord.parse(alone.lines()[0], alone.place(1))
            if not record.is_refused:
                return record
            first = first or record
    assert first is not None
    return first


def settle_record(first: JsonRecord, layout: Layout) -> Layout:
    """Complete a layout by the fields of a record."""
    present = first.content.keys()
    trees = [name for name, key in _TREE_KEYS.items() if {"heads", key} <= present]
    names = layout.columns or ("form", *(["label"] if present & set(LABEL_KEYS) else []), *trees)
    keys = {_form_of(names): "tokens"}
    for name in names:
        fallbacks = LABEL_KEYS if name in ("label", names[-1]) else ()
        found = [key for key in (_KEYS.get(name, name), name, _TREE_KEYS.get(name), *fallbacks) if key in present]
        if name not in keys and not found and fallbacks:
            known = " ".join(present)
            raise DataError(f"{first.where}: no labels: expected 'tags', 'spans' or {name!r}, found {known or 'none'}")
        if name not in keys and not found:
            raise unknown_name(f"field of {first.where}", name, present)
        keys.setdefault(name, *found[:1])
    return replace(layout, columns=names, fields=tuple(keys[name] for name in names))


def read_jsonl(piece: Piece, layout: Layout) -> Corpus:
    """Read records; the layout says which fields."""
    numbered = [(n, line) for n, line in enumerate(piece.lines(), 1) if line.strip(" \t\r")]
    parsed = [(JsonRecord.parse(line, piece.place(number)), line) for number, line in numbered]
    records = [record for record, _ in parsed if not record.is_refused]
    lines = tuple(line for record, line in parsed if not record.is_refused)
    corpus = build_from_records(records, piece.source, layout)
    extras = {**corpus.extras, _LINES: RecordLines(lines, tuple(record.where for record in records))}
    if len(records) < len(parsed):
        notes = corpus.extras.get(NOTES, ())
        assert isinstance(notes, tuple)
        extras[NOTES] = (*notes, f"{piece.source}: {_LEFT_OUT}")
    return replace(corpus, extras=extras)


def build_from_records(records: Sequence[JsonRecord], source: str, layout: Layout) -> Corpus:
    """Build a corpus from records, with the columns of a layout that ``settle_record`` has completed."""
    assert layout.columns is not None
    assert layout.fields is not None
    plain = [record.cut_text(layout.tokenizer) for record in records]
    records = [record.split_at_spans(layout.fields) for record in plain]
    cuts = tuple(record.cut for record in records)
    split = sum(len(new) > len(old.cut or ()) for new, old in zip(cuts, plain) if new is not None)
    tokens = [record.tokens() for record in records]
    lengths = list(map(len, tokens))
    columns = {name: _build_column(records, tokens, lengths, key) for name, key in zip(layout.columns, layout.fields)}
    splits = layout.tokenizer is not None and layout.fields == ("tokens",)
    by_record = [_split_record(cut if splits else None, length) for cut, length in zip(cuts, lengths)]
    counts = list(map(len, by_record))
    documents = _document_lengths(records, counts)
    corpus = Corpus.from_columns(columns, list(itertools.chain.from_iterable(by_record)), documents, source)
    keys = {name: None if key in LABEL_KEYS else key for name, key in zip(layout.columns, layout.fields)}
    corpus = replace(corpus, other_names={name: key for name, key in keys.items() if name != key})
    if all(cut is None for cut in cuts):
        return corpus
    extras: dict[str, object] = {_CUTS: RecordCuts(cuts, np.cumsum([0, *counts]))}
    extras[TOKENIZER] = layout.tokenizer or _get_default()
    if split:
        extras[NOTES] = (f"{source}: {_SPLIT}",)
    return replace(corpus, extras=extras)


def _split_record(cut: Segmentation | None, length: int) -> list[int]:
    """List the lengths of the sentences of a record."""
    return [length] if cut is None or len(cut.sentences) < 2 else np.diff(cut.sentences).tolist()


def _get_default() -> Tokenizer:
    return get_tokenizer(_DEFAULT_TOKENIZER)


def _form_of(names: Names) -> str:
    return "form" if "form" in names else names[0]


def _build_column(records: Sequence[JsonRecord], tokens: list[list[str]], lengths: list[int], key: str) -> Column:
    if key == "tokens":
        return Column.from_strings(itertools.chain.from_iterable(tokens))
    if key in LABEL_KEYS:
        lists = [record.labels(key, length) for record, length in zip(records, lengths)]
    else:
        lists = [record.strings(key) for record in records]
    for record, strings, length in zip(records, lists, lengths):
        if len(strings) != length:
            raise DataError(f"{record.where}: {length} tokens, but {len(strings)} {key}")
    return Column.from_strings(itertools.chain.from_iterable(lists))


def _document_lengths(records: Sequence[JsonRecord], counts: Sequence[int]) -> list[int] | None:
    """Count the sentences of each document; None if no record names one. ``counts`` has those of each record."""
    if not any(record.has_document for record in records):
        return None
    groups = itertools.groupby(zip(records, counts), lambda pair: pair[0].document())
    return [sum(count for _, count in group) for _, group in groups]


def find_last_document(data: bytes) -> int:
    """Get the offset of the first of the last records with the same document, -1 if they name none."""
    found, start, end = None, -1, len(data)
    while end > 0:
        begin = data.rfind(b"\n", 0, end - 1) + 1
        if line := data[begin:end].strip():
            document = _document_of(line)
            if document is None or document != (found or document):
                return start
            found, start = document, begin
        end = begin
    return 0 if found else -1


def start_document(before: bytes, data: bytes) -> bool:
    """Check whether the next record names another document than the one before the cut."""
    return _document_of(before) != _document_of(data.lstrip().partition(b"\n")[0])


def _document_of(line: bytes) -> str | None:
    """Get the document of a line; None if it names none or is not a record."""
    try:
        record = JsonRecord.parse(line.decode(), "")
    except (DataError, UnicodeDecodeError):
        return None
    return record.document() if record.has_document else None


def write_jsonl(corpus: Corpus, columns: Names | None) -> str:
    """Write ``tokens``, ``tags`` (the column ``label``) and other columns by their names; ``doc`` counts documents."""
    return join_lines(map(_dump, _build_records(corpus, choose_columns(corpus, columns, JSONL.name))))


def _build_records(corpus: Corpus, names: Names) -> Iterator[dict[str, Any]]:
    keys = ["tokens" if name == _form_of(names) else _KEYS.get(name, name) for name in names]
    if len(set(keys)) < len(keys) or not {"text", "spans", *DOCUMENT_KEYS}.isdisjoint(keys):
        raise ConfigError(
            f"{corpus.source}: {JSONL.name} uses some of these column names itself: {' '.join(names)}; rename them"
        )
    lists = zip(*(split_sentences(corpus, get_texts(corpus, name, _NOTHING, JSONL.name)) for name in names))
    for document, row in zip(_document_numbers(corpus), lists):
        yield {**({} if document is None else {"doc": document}), **dict(zip(keys, row))}


def _document_numbers(corpus: Corpus) -> list[int | None]:
    if not corpus.has_documents:
        return [None] * len(corpus)
    return [number for number, (start, stop) in enumerate(corpus.document_spans()) for _ in range(start, stop)]


def _dump(record: Mapping[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False)


def _get_records(corpus: Corpus) -> Iterable[JsonRecord]:
    """Get the records that a corpus was read from, or new ones with its columns."""
    kept, cuts = corpus.extras.get(_LINES), corpus.extras.get(_CUTS)
    if isinstance(kept, RecordLines):
        by_record = cuts.cuts if isinstance(cuts, RecordCuts) else itertools.repeat(None, len(kept.lines))
        lines = zip(kept.lines, kept.places, strict=True)
        return (JsonRecord(where, json.loads(line), cut) for (line, where), cut in zip(lines, by_record, strict=True))
    names = tuple(name for name, column in corpus.columns.items() if not column.is_bag)
    return (JsonRecord(corpus.source, record) for record in _build_records(corpus, names))


def find_record(corpus: Corpus, sentence: int) -> tuple[JsonRecord, int] | None:
    """Find the record that a sentence was read from, and its first sentence; None if the corpus was not read as JSONL.

    A record that was cut has its cut.
    """
    kept, cuts = corpus.extras.get(_LINES), corpus.extras.get(_CUTS)
    if not isinstance(kept, RecordLines):
        return None
    firsts = _find_sentences(corpus)
    number = int(np.searchsorted(firsts, sentence, side="right")) - 1
    cut = cuts.cuts[number] if isinstance(cuts, RecordCuts) else None
    return JsonRecord(kept.places[number], json.loads(kept.lines[number]), cut), int(firsts[number])


def _find_sentences(corpus: Corpus) -> IntArray:
    """Get the sentence that each record starts with, and the number of sentences: [records + 1]."""
    cuts = corpus.extras.get(_CUTS)
    return cuts.sentences if isinstance(cuts, RecordCuts) else np.arange(len(corpus) + 1)


def annotate_records(corpus: Corpus, predicted: Mapping[str, Column], layers: Sequence[Layer], main: str) -> str:
    """Write the records with all their keys, their tokens, and the layers.

    Labels in a span scheme are written as ``spans``, too: of characters if the record has a text, otherwise of tokens.
    A corpus that was cut from running text becomes one record per line or paragraph, as ``Annotation.to_dict`` has it.
    """
    if get_running_text(corpus) is not None:
        return join_lines(each.to_json() for each in iter_part_annotations(corpus, predicted, layers))
    firsts = _find_sentences(corpus)
    bounds = corpus.sentences[firsts]  # [records + 1] tokens
    lists = {key: _convert_layer(predicted[layer.column], layer) for key, layer in _assign_keys(layers).items()}
    spanning = next((layer for layer in layers if layer.kind == LABELS and layer.scheme is not None), None)
    spans = None if spanning is None else _find_spans(corpus, predicted[spanning.column], spanning.scheme, bounds)
    words, ranges = corpus.column(main).texts(), itertools.pairwise(bounds.tolist())
    written = []
    for number, (record, (start, stop)) in enumerate(zip(_get_records(corpus), ranges, strict=True)):
        added: dict[str, Any] = _place_tokens(record, words[start:stop])
        own = corpus.sentences[firsts[number] : firsts[number + 1] + 1] - start
        if len(own) > 2:
            added["sentences"] = list(map(list, itertools.pairwise(own.tolist())))
        added |= {key: values[start:stop] for key, values in lists.items()}
        if spans is not None:
            added["spans"] = _place_spans(record, spans[number])
        written.append(_dump({**record.content, **added}))
    return join_lines(written)


def _place_tokens(record: JsonRecord, tokens: list[str]) -> dict[str, Any]:
    """Get the tokens of a record and their places in its text, unless it has objects with both."""
    places = record.places() if record.has_text else []  # checks those that objects have
    if record.has_token_objects:
        return {}
    return {"tokens": tokens, **({"offsets": list(map(list, places))} if record.has_text else {})}


def _assign_keys(layers: Sequence[Layer]) -> dict[str, Layer]:
    """Find a key for each layer; a second labelling goes by the name of its column."""
    kinds = list(_LAYER_KEYS)
    keys: dict[str, Layer] = {}
    for layer in sorted(layers, key=lambda each: kinds.index(each.kind)):
        key = _LAYER_KEYS[layer.kind]
        keys[layer.column if key in keys else key] = layer
    return keys


def _convert_layer(column: Column, layer: Layer) -> list[Any]:
    convert = _NUMBERS.get(layer.kind)
    texts = column.texts()
    return texts if convert is None else [convert(text) for text in texts]


def _find_spans(corpus: Corpus, column: Column, scheme: Scheme | None, bounds: IntArray) -> list[list[list[Any]]]:
    """Get the spans of every record, counted in its tokens."""
    assert scheme is not None
    found: list[list[list[Any]]] = [[] for _ in bounds[1:]]
    spans = decode_spans(column.strings.strings(), column.codes, corpus.sentences, scheme)
    owners = np.searchsorted(bounds, spans.start, side="right") - 1
    for owner, (_, start, stop, category) in zip(owners.tolist(), spans.tuples()):
        found[owner].append([start - int(bounds[owner]), stop - int(bounds[owner]), category])
    return found


def _place_spans(record: JsonRecord, spans: list[list[Any]]) -> list[list[Any]]:
    """Count spans in characters if the record has a text."""
    if not spans or not record.has_text:
        return spans
    places = record.places()
    return [[places[start][0], places[stop - 1][1], category] for start, stop, category in spans]


def annotate_records_nbest(
    corpus: Corpus, lists: Sequence[Sequence[Labelling]], layer: Layer, main: str, *, by_document: bool = False
) -> str:
    """Write the records with the best tags, and all labellings as "nbest", with the score of their document.

    A record of several sentences has one list of labellings per sentence.
    """
    by_sentence: list[list[dict[str, Any]]] = []
    for (start, stop), labellings in zip(find_units(corpus, by_document=by_document), lists, strict=True):
        bounds = (corpus.sentences[start : stop + 1] - corpus.sentences[start]).tolist()
        by_sentence += [[_describe(each, *ends) for each in labellings] for ends in itertools.pairwise(bounds)]
    firsts, words = _find_sentences(corpus).tolist(), corpus.column(main).texts()
    written: list[str] = []
    for record, (start, stop) in zip(_get_records(corpus), itertools.pairwise(firsts), strict=True):
        found = by_sentence[start:stop]
        tags = [tag for each in found if each for tag in each[0]["tags"]]
        added = _place_tokens(record, words[corpus.sentences[start] : corpus.sentences[stop]])
        added |= {"tags": tags, "nbest": found[0] if len(found) == 1 else found}
        written.append(_dump({**record.content, **added}))
    return join_lines(written)


def _describe(labelling: Labelling, start: int, stop: int) -> dict[str, Any]:
    found: dict[str, Any] = {"tags": list(labelling.labels[start:stop]), "score": labelling.score}
    return found if labelling.probability is None else {**found, "probability": labelling.probability}


JSONL = Format(
    "jsonl",
    "JSONL",
    read_jsonl,
    write_jsonl,
    annotate_records,
    annotate_records_nbest,
    settle=settle_fields,
    shows_at_once=True,
    names_columns=True,
    is_record=True,
    documents=DocumentMarks(find_last_document, start_document),
    has_trees=True,
)
