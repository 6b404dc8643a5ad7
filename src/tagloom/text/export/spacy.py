"""Annotations as spaCy documents: new ones, or written into those that a pipeline has made.

A ``Doc`` is its words and whether a blank follows each, so that other blanks become tokens, as in spaCy's own
tokenizers; ``doc.text`` is the text of the annotation. Words that a multiword token hides are words of the document:
then its text has the words instead of the surface.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagloom.errors import ConfigError, DataError, show_value, unknown_name
from tagloom.text.annotation import Annotation, IntArray, SpanLayer, read_heads
from tagloom.text.checks import list_hidden_words

#: The attributes of tokens that columns are written to, and their names in arrays of spaCy.
TOKEN_ATTRIBUTES = {"tag": "TAG", "pos": "POS", "morph": "MORPH", "lemma": "LEMMA"}
#: The attribute that a column is written to if nobody says otherwise; of several columns for one attribute, the first.
ATTRIBUTE_OF_COLUMN = {
    "upos": "pos", "xpos": "tag", "pos": "tag", "tag": "tag", "lemma": "lemma", "feats": "morph", "morph": "morph",
}  # fmt: skip
#: The extension attribute of tokens and spans that holds the confidence of the model.
SCORE = "tagloom_score"
ROOT, OTHER_RELATION = "ROOT", "dep"  # relations of roots, and of words whose relation is not known

_FEATURES = re.compile(r"[^=|]+=[^=|]+(\|[^=|]+=[^=|]+)*")
_NOTHING = ("", "_")


def require_spacy(purpose: str) -> None:
    """Raise ConfigError unless spaCy is installed; ``purpose`` is what needs it."""
    try:
        import spacy.tokens  # noqa: F401
    except ImportError:
        raise ConfigError(f'{purpose} needs spaCy: pip install "tagloom[spacy]"') from None


# -- what goes where ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DocPlaces:
    """Where the parts of an annotation go in a document.

    Attributes:
        tokens: Attribute of tokens, one of ``TOKEN_ATTRIBUTES``, by the column that it is written from.
        entities: The layer that becomes ``doc.ents``; None for none.
        groups: Key of ``doc.spans`` by layer.
        has_tree: Whether heads and relations are written.
    """

    tokens: Mapping[str, str] = field(default_factory=dict)
    entities: str | None = None
    groups: Mapping[str, str] = field(default_factory=dict)
    has_tree: bool = True


def choose_attributes(columns: Iterable[str]) -> dict[str, str]:
    """Choose the attribute of tokens for every column whose name tells one.

    >>> choose_attributes(["pos", "xpos", "upos", "label"])
    {'upos': 'pos', 'xpos': 'tag'}
    """
    names, chosen = list(columns), dict[str, str]()
    for column, attribute in ATTRIBUTE_OF_COLUMN.items():
        if column in names and attribute not in chosen.values():
            chosen[column] = attribute
    return chosen


# -- new documents -----------------------------------------------------------------------------------------------------


@dataclass
class _Words:
    """The words of the document: those of the annotation, and blanks between them."""

    words: list[str] = field(default_factory=list)
    spaces: list[bool] = field(default_factory=list)
    places: list[int] = field(default_factory=list)  # of each token of the annotation

    def add(self, word: str) -> None:
        self.places.append(len(self.words))
        self._add(word)

    def _add(self, word: str) -> None:
        self.words.append(word)
        self.spaces.append(False)

    def add_gap(self, gap: str) -> None:
        """Add what stands between two words: one blank belongs to the word before it."""
        if gap.startswith(" ") and self.words and not self.spaces[-1]:
            self.spaces[-1] = True
            gap = gap[1:]
        if gap:
            last = len(gap) > 1 and gap.endswith(" ")
            self._add(gap[:-1] if last else gap)
            self.spaces[-1] = last


def build_doc(annotation: Annotation, vocab: Any, entities: str | None) -> Any:
    """Build the document; see ``Annotation.to_spacy``."""
    require_spacy("a spaCy Doc")
    from spacy.tokens import Doc
    from spacy.vocab import Vocab

    if not (vocab is None or isinstance(vocab, Vocab)):
        raise ConfigError(f"vocab: expected a Vocab of spaCy, got {show_value(vocab)}")
    words = _list_words(annotation)
    places = np.array(words.places, np.int64)
    layer = _choose_entities(annotation, entities)
    if "" in words.words:
        raise DataError("a document of spaCy has no empty tokens: remove them from the annotation first")
    try:
        doc = Doc(Vocab() if vocab is None else vocab, words=words.words, spaces=words.spaces)
    except UnicodeEncodeError:
        raise DataError("a document of spaCy holds text of valid Unicode; found half of a surrogate pair") from None
    if annotation.heads is None:
        begins = annotation.sentences[:-1][np.diff(annotation.sentences) > 0]
        set_sentences(doc, places[begins])
    groups = {each.name: each.name for each in annotation.layers}
    chosen = DocPlaces(choose_attributes(annotation.columns), None if layer is None else layer.name, groups)
    fill_doc(doc, annotation, places, chosen)
    return doc


def _list_words(annotation: Annotation) -> _Words:
    found, at = _Words(), 0
    hidden = list_hidden_words(annotation)
    places = zip(annotation.words, annotation.starts.tolist(), annotation.ends.tolist())
    for token, (word, start, end) in enumerate(places):
        found.add_gap(annotation.text[at:start] if start >= at or token not in hidden else " ")
        found.add(word)
        at = end
    found.add_gap(annotation.text[at:])
    return found


def _choose_entities(annotation: Annotation, name: str | None) -> SpanLayer | None:
    if name is None:
        return annotation.get_entity_layer()
    layer = next((each for each in annotation.layers if each.name == name), None)
    if layer is None:
        raise unknown_name("layer of the annotation", name, [each.name for each in annotation.layers])
    if layer.has_overlaps():
        raise ConfigError(f"layer {name!r} has overlapping spans, which doc.ents cannot hold; use doc.spans[{name!r}]")
    return layer


# -- documents that are there ------------------------------------------------------------------------------------------


def fill_doc(doc: Any, annotation: Annotation, at: IntArray, places: DocPlaces, *, overwrite: bool = True) -> None:
    """Write an annotation into a document.

    Args:
        doc: A document with the same words; it may have blanks as further tokens.
        annotation: What to write.
        at: The token of the document that each token of the annotation is: [N].
        places: Where to write it.
        overwrite: Replace what the document has. Otherwise only attributes that are not set are written, and entities
            that overlap with none that is there.
    """
    if len(annotation):
        _fill_tokens(doc, annotation, at, places.tokens, overwrite)
        if places.has_tree and annotation.heads is not None and (overwrite or not doc.has_annotation("DEP")):
            _fill_tree(doc, annotation, at)
    if annotation.scores is not None:
        _fill_scores(doc, at, annotation.scores.tolist())
    for layer in annotation.layers:
        if layer.name in places.groups:
            doc.spans[places.groups[layer.name]] = _build_spans(doc, layer, at)
        if layer.name == places.entities:
            _fill_entities(doc, _build_spans(doc, layer, at), overwrite)


def set_sentences(doc: Any, starts: IntArray) -> None:
    """Let sentences begin at some tokens of a document, and nowhere else."""
    values = np.full(len(doc), -1, np.int64)
    values[starts] = 1
    if len(doc):
        doc.from_array(["SENT_START"], values.view(np.uint64).reshape(-1, 1))


def _fill_tokens(
    doc: Any, annotation: Annotation, at: IntArray, attributes: Mapping[str, str], overwrite: bool
) -> None:
    for column, attribute in attributes.items():
        name = TOKEN_ATTRIBUTES[attribute]
        values = doc.to_array([name]).reshape(-1)
        new = values.copy()  # white space keeps what it has
        new[at] = _encode(annotation.column(column), _choose_encoder(attribute, doc.vocab))
        doc.from_array([name], (new if overwrite else np.where(values == 0, new, values)).reshape(-1, 1))


def _choose_encoder(attribute: str, vocab: Any) -> Callable[[str], int]:
    """Choose how texts become the numbers that spaCy holds."""
    if attribute == "pos":
        from spacy.parts_of_speech import IDS

        return lambda text: int(IDS.get(text, 0))  # others are refused by spaCy
    if attribute == "morph":
        return lambda text: int(vocab.morphology.add(text if _FEATURES.fullmatch(text) else ""))
    return lambda text: 0 if text in _NOTHING else int(vocab.strings.add(text))


def _encode(values: Sequence[str], encode: Callable[[str], int]) -> NDArray[np.uint64]:
    codes = {text: encode(text) for text in set(values)}
    return np.array([codes[text] for text in values], np.uint64)


def _fill_tree(doc: Any, annotation: Annotation, at: IntArray) -> None:
    """Write heads and relations; a root is its own head, and blanks depend on the word before them."""
    assert annotation.heads is not None
    numbers = np.array(read_heads(annotation.heads, annotation.column(annotation.heads)), np.int64)
    lengths = np.diff(annotation.sentences)
    firsts = np.repeat(annotation.sentences[:-1], lengths)
    if ((numbers < 0) | (numbers > np.repeat(lengths, lengths))).any():
        raise DataError(f"column {annotation.heads!r}: expected heads from 0 to the number of words of the sentence")
    own = np.arange(len(doc))
    words = np.zeros(len(doc), np.int64)
    words[at] = at
    heads = np.maximum.accumulate(words)
    heads[: at[0]] = at[0]
    heads[at] = at[np.where(numbers > 0, firsts + numbers - 1, np.arange(len(at)))]
    add = doc.vocab.strings.add
    relations = np.full(len(doc), add(OTHER_RELATION), np.uint64)
    if annotation.relations is not None:
        relations[at] = _encode(annotation.column(annotation.relations), lambda text: add(text or OTHER_RELATION))
    relations[at[numbers == 0]] = add(ROOT)
    doc.from_array(["HEAD", "DEP"], np.stack([(heads - own).view(np.uint64), relations], axis=1))


def _build_spans(doc: Any, layer: SpanLayer, at: IntArray) -> list[Any]:
    from spacy.tokens import Span

    if layer.scores is not None:
        add_score_extension()
    found = []
    for first, last, label, score in layer.iterate():
        span = Span(doc, int(at[first]), int(at[last - 1]) + 1, label=label)
        if score is not None:
            span._.set(SCORE, score)
        found.append(span)
    return found


def _fill_entities(doc: Any, spans: list[Any], overwrite: bool) -> None:
    if not overwrite:
        taken = {token for each in doc.ents for token in range(each.start, each.end)}
        spans = [*doc.ents, *(each for each in spans if taken.isdisjoint(range(each.start, each.end)))]
    doc.set_ents(spans, default="outside")


def _fill_scores(doc: Any, at: IntArray, scores: Sequence[float]) -> None:
    add_score_extension()
    for place, score in zip(at.tolist(), scores):
        doc[place]._.set(SCORE, score)


def add_score_extension() -> None:
    """Give tokens and spans of spaCy the attribute ``tagloom_score``, None by default."""
    from spacy.tokens import Span, Token

    for kind in (Token, Span):
        if not kind.has_extension(SCORE):
            kind.set_extension(SCORE, default=None)
