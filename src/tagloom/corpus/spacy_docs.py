"""Documents of spaCy as corpora, and what models predict for these, written into the documents.

White space that spaCy has as tokens is no token of a corpus. Names are those of CoNLL-U, ``label`` are the entities in
IOB2: ``lemma``, ``upos`` (``pos_``), ``xpos`` (``tag_``), ``feats`` (``morph``), ``head``, ``deprel``.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagloom.corpus.corpus import CodeArray, Column, Corpus, IntArray, spread
from tagloom.corpus.layout import Names
from tagloom.corpus.running_text import Predictions
from tagloom.corpus.trees import NOTHING
from tagloom.errors import ConfigError, DataError, unknown_name
from tagloom.text import Annotation
from tagloom.text.export.spacy import OTHER_RELATION, ROOT, DocPlaces, choose_attributes, fill_doc

#: What is read of every token; the names are spaCy's.
ATTRIBUTES = ("ORTH", "LEMMA", "POS", "TAG", "MORPH", "HEAD", "DEP", "ENT_IOB", "ENT_TYPE", "SENT_START", "SPACY")
_INSIDE, _BEGIN = 1, 3  # values of ENT_IOB; 0 is not annotated, and 2 outside

Values = NDArray[np.uint64]


@dataclass(frozen=True)
class DocTable:
    """The tokens of documents, white space included.

    Attributes:
        values: One number per token, by attribute: [N].
        lengths: Number of tokens of each document: [D].
        strings: The string of a number.
        source: Where the documents come from, for messages.
    """

    values: Mapping[str, Values]
    lengths: IntArray
    strings: Callable[[int], str]
    source: str = "<memory>"

    @classmethod
    def from_docs(cls, docs: Sequence[Any], attributes: Sequence[str] = ATTRIBUTES) -> DocTable:
        """Read documents."""
        names = list(attributes)
        arrays = [doc.to_array(names).reshape(-1, len(names)) for doc in docs]
        joined = np.concatenate([np.zeros((0, len(names)), np.uint64), *arrays])
        stores = list({id(doc.vocab): doc.vocab.strings for doc in docs}.values())
        lengths = np.array(list(map(len, docs)), np.int64)
        return cls(dict(zip(names, joined.T)), lengths, lambda value: _find_string(stores, value))

    @cached_property
    def _forms(self) -> tuple[list[str], CodeArray]:
        distinct, codes = _number(self.values["ORTH"])
        return [self._get_string(each) for each in distinct.tolist()], codes

    def _get_string(self, value: int) -> str:
        try:
            return self.strings(value)
        except KeyError:
            raise DataError(f"{self.source}: a string of the documents is missing; write the file again") from None

    @cached_property
    def words(self) -> IntArray:
        """The tokens that are not white space: [W]."""
        forms, codes = self._forms
        is_word = np.array([bool(form) and not form.isspace() for form in forms], np.bool_)
        return np.flatnonzero(is_word[codes])

    @cached_property
    def owners(self) -> IntArray:
        """The document of each token: [N]."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @cached_property
    def sentence_of_words(self) -> IntArray:
        """The sentence of each word, counted from 0 without sentences of white space: [W]."""
        starts = self.values["SENT_START"].astype(np.int64) == 1
        starts[1:] |= self.owners[1:] != self.owners[:-1]
        return np.unique(np.cumsum(starts)[self.words], return_inverse=True)[1].reshape(-1)

    @cached_property
    def sentences(self) -> IntArray:
        """Offsets of the sentences in the words: [S + 1]."""
        return np.concatenate([[0], np.cumsum(np.bincount(self.sentence_of_words))]).astype(np.int64)

    @cached_property
    def bounds(self) -> IntArray:
        """Offsets of the documents in the words: [D + 1]."""
        counts = np.bincount(self.owners[self.words], minlength=len(self.lengths))
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

    @property
    def firsts(self) -> IntArray:
        """Offsets of the documents in the tokens: [D]."""
        return np.cumsum(self.lengths) - self.lengths

    def read_words(self) -> Column:
        """Read the forms of the words."""
        forms, codes = self._forms
        distinct, mine = _number(codes[self.words])
        return spread([forms[code] for code in distinct.tolist()], mine)

    def read_strings(self, attribute: str) -> Column:
        """Read an attribute whose numbers are those of strings."""
        return self._read(attribute, self._get_string)

    def read_tags(self) -> Column:
        """Read the universal part-of-speech tags, whose numbers spaCy defines."""
        from spacy.parts_of_speech import NAMES

        return self._read("POS", lambda value: str(NAMES.get(value, "")))

    def read_morphology(self) -> Column:
        """Read the morphological features."""
        return self._read("MORPH", lambda value: self._get_string(value) if value else "")

    def _read(self, attribute: str, name: Callable[[int], str]) -> Column:
        distinct, codes = _number(self.values[attribute][self.words])
        return spread([name(value) or NOTHING for value in distinct.tolist()], codes)

    def read_relations(self) -> Column:
        """Read the relations to heads; spaCy's ROOT is root, as in CoNLL-U."""
        column = self.read_strings("DEP")
        names = ["root" if name == ROOT else name for name in column.strings.strings()]
        return spread(names, column.codes)

    def read_heads(self) -> Column:
        """Read the numbers of heads in their sentences; the head of a word is never white space."""
        words, sentence = self.words, self.sentence_of_words
        heads = self._find_heads()[words]
        number = np.full(len(self.owners), -1, np.int64)  # of each token among the words, -1 for white space
        number[words] = np.arange(len(words))
        above = number[heads]
        is_root = (heads == words) | (above < 0)
        if np.any(~is_root & (sentence[above] != sentence)):
            word = self.read_words().texts()[int(np.argmax(~is_root & (sentence[above] != sentence)))]
            raise DataError(f"{self.source}: the head of {word!r} is in another sentence, expected one of its own")
        numbers = np.where(is_root, 0, above - self.sentences[sentence] + 1)
        distinct, codes = _number(numbers)
        return spread(list(map(str, distinct.tolist())), codes)

    def _find_heads(self) -> IntArray:
        """Find the token that is the head of each, or the token itself; above white space, the head of that: [N]."""
        count = len(self.owners)
        own = np.arange(count)
        offsets = self.values["HEAD"].astype(np.int64)
        heads = own + np.clip(offsets, -count - 1, count + 1)
        if np.any((heads < 0) | (heads >= count)) or np.any(self.owners[heads] != self.owners):
            raise DataError(f"{self.source}: a head lies outside of its document; write the file again")
        is_blank = np.ones(count, np.bool_)
        is_blank[self.words] = False
        for _ in range(count.bit_length()):  # paths over white space are doubled until they are walked
            heads = np.where(is_blank[heads], heads[heads], heads)
        return heads

    def read_entities(self) -> Column:
        """Read the entities as IOB2 labels."""
        kinds, types = self.values["ENT_IOB"], self.values["ENT_TYPE"]
        inside = (kinds == _INSIDE) | (kinds == _BEGIN)
        begins = inside & (kinds == _BEGIN)
        begins[:1] |= inside[:1]
        begins[1:] |= inside[1:] & (~inside[:-1] | (types[1:] != types[:-1]) | (self.owners[1:] != self.owners[:-1]))
        number = np.where(inside, np.cumsum(begins), 0)[self.words]  # of the entity, 0 outside
        return self.label_words(number, types[self.words])

    def label_words(self, number: IntArray, types: Values) -> Column:
        """Write spans of words as IOB2 labels; ``number`` is that of the span of each word, 0 outside."""
        follows = np.zeros(len(number), np.bool_)
        follows[1:] = (number[1:] == number[:-1]) & (self.sentence_of_words[1:] == self.sentence_of_words[:-1])
        distinct, kinds = _number(types)
        names = [self._get_string(value) for value in distinct.tolist()]
        labels = ["O", *(f"{prefix}-{name}" if name else prefix for name in names for prefix in "BI")]
        used, codes = _number(np.where(number > 0, 1 + 2 * kinds + follows, 0))
        return spread([labels[code] for code in used.tolist()], codes)

    def has_values(self, attribute: str) -> bool:
        """Check whether an attribute of any word is set."""
        return bool(np.any(self.values[attribute][self.words]))


def _find_string(stores: Sequence[Any], value: int) -> str:
    """Find a string in the vocabularies of documents."""
    for store in stores[:-1]:
        if value in store:
            return str(store[value])
    return str(stores[-1][value])


def _number(values: NDArray[Any]) -> tuple[NDArray[Any], CodeArray]:
    """Number values: the distinct ones in the order in which they come, and the number of each."""
    distinct, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    ranks = np.empty(len(order), np.int32)
    ranks[order] = np.arange(len(order))
    return distinct[order], ranks[inverse.reshape(-1)]


#: The columns of documents, and how each is read.
READERS: Mapping[str, Callable[[DocTable], Column]] = {
    "form": DocTable.read_words,
    "lemma": lambda table: table.read_strings("LEMMA"),
    "upos": DocTable.read_tags,
    "xpos": lambda table: table.read_strings("TAG"),
    "feats": DocTable.read_morphology,
    "head": DocTable.read_heads,
    "deprel": DocTable.read_relations,
    "label": DocTable.read_entities,
}
# The attribute that shows whether a column is annotated; heads have none of their own.
_EVIDENCE = {
    "lemma": "LEMMA", "upos": "POS", "xpos": "TAG", "feats": "MORPH", "head": "DEP", "deprel": "DEP",
    "label": "ENT_IOB",
}  # fmt: skip
_OTHER_NAMES = {
    "pos": "xpos", "tag": "xpos", "morph": "feats", "dep": "deprel", "ner": "label", "entities": "label",
}  # fmt: skip
_LABELS = ("label", "upos", "xpos")  # what is learned if nobody says it, best first


def build_corpus(table: DocTable, columns: Names | None = None, groups: Mapping[str, Column] | None = None) -> Corpus:
    """Build a corpus of documents.

    Args:
        table: The tokens.
        columns: The columns to read, under any of their names; None for all that the documents have.
        groups: Further columns, which hold groups of spans as labels.
    """
    others = groups or {}
    present = ["form", *(name for name, attribute in _EVIDENCE.items() if table.has_values(attribute))]
    known = sorted([*present, *others], key=lambda name: name == "label")  # the entities are the last column
    if columns is None:
        chosen = {name: name for name in known if name != "deprel" or not _lacks_relations(table)}
    else:
        chosen = _find_columns(table, columns, known)
    built = {name: others[key] if key in others else READERS[key](table) for name, key in chosen.items()}
    owners = table.owners[table.words][table.sentences[:-1]]
    counts = np.bincount(owners, minlength=1)
    has_documents = bool(np.any(counts > 1))
    documents = np.cumsum([0, *counts[counts > 0]]) if has_documents else np.array([0, len(owners)])
    label = next((name for name in _LABELS if name in built), None)
    return Corpus(
        built, table.sentences, documents.astype(np.int64), has_documents, table.source, default_label=label
    ).check()


def _lacks_relations(table: DocTable) -> bool:
    """Check whether no word but roots has a relation other than the one of trees without relations."""
    column = table.read_relations()
    return {*column.strings.strings()} - {"root"} == {OTHER_RELATION}


def _find_columns(table: DocTable, names: Names, known: Sequence[str]) -> dict[str, str]:
    """Find what is meant by the names of columns; a last one that is not known is the annotation that is there."""
    found = {}
    for place, name in enumerate(names):
        key = name if name in known else _OTHER_NAMES.get(name, name)
        if place == 0 and key not in known:
            key = "form"
        if key not in known and place == len(names) - 1 and (key == "label" or key not in READERS):
            key = next((each for each in _LABELS if each in known), key)
        if key not in known:
            raise unknown_name(f"annotation of {table.source}", name, known)
        found[name] = key
    return found


def from_docs(docs: Sequence[Any], columns: Names | None = None) -> Corpus:
    """Build a corpus of documents, with the columns that are named, or all that the documents have."""
    table = DocTable.from_docs(docs)
    return build_corpus(table, columns, read_groups(docs, table))


def read_groups(docs: Sequence[Any], table: DocTable) -> dict[str, Column]:
    """Read the groups of spans that do not overlap and do not have the name of another column, as IOB2 labels."""
    keys = dict.fromkeys(key for doc in docs for key in doc.spans if key not in READERS)
    found = {key: _read_group(docs, key, table) for key in keys}
    return {key: column for key, column in found.items() if column is not None}


def _read_group(docs: Sequence[Any], key: str, table: DocTable) -> Column | None:
    """Read a group as labels; None if its spans overlap."""
    number, types = np.zeros(len(table.owners), np.int64), np.zeros(len(table.owners), np.uint64)
    spans = [(first, each) for first, doc in zip(table.firsts.tolist(), docs) for each in doc.spans.get(key, ())]
    for place, (first, each) in enumerate(spans, 1):
        tokens = slice(first + each.start, first + each.end)
        if number[tokens].any():
            return None
        number[tokens], types[tokens] = place, each.label
    return table.label_words(number[table.words], types[table.words])


# -- predictions -------------------------------------------------------------------------------------------------------


def assign_attributes(columns: Sequence[str]) -> dict[str, str]:
    """Choose an attribute of tokens for every column; one whose name tells nothing is a tag.

    Raises:
        ConfigError: Two columns are tags.
    """
    chosen = choose_attributes(columns)
    for column in columns:
        if column not in chosen:
            if "tag" in chosen.values():
                raise ConfigError(f"spaCy has no place for column {column!r}; name the columns to write, without it")
            chosen[column] = "tag"
    return chosen


def fill_docs(
    docs: Sequence[Any], table: DocTable, found: Predictions, places: DocPlaces, *, overwrite: bool = True
) -> None:
    """Write what was predicted for the words of a table into its documents."""
    bounds = itertools.pairwise(table.bounds.tolist())
    for doc, first, (start, stop) in zip(docs, table.firsts.tolist(), bounds, strict=True):
        annotation = annotate_words(table.sentences, start, stop, found)
        fill_doc(doc, annotation, table.words[start:stop] - first, places, overwrite=overwrite)


def annotate_words(sentences: IntArray, start: int, stop: int, found: Predictions) -> Annotation:
    """Build an annotation of the words ``start:stop``, whole sentences, without their text."""
    low, high = np.searchsorted(sentences, [start, stop]).tolist()
    nowhere = np.zeros(stop - start, np.int64)
    return Annotation("", nowhere, nowhere, sentences[low : high + 1] - start, **found.select(start, stop))
