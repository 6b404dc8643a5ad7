"""The value that a model returns for a text: tokens with character offsets, sentences, columns, spans and trees.

An annotation holds arrays; tokens, spans and sentences are built when somebody asks for them, because a pipeline builds
annotations for hundreds of thousands of tokens per second. Offsets count characters of the text as it came in.
"""

from __future__ import annotations

import functools
import itertools
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from tagloom.arguments import check_methods
from tagloom.errors import ConfigError, DataError, show_value, unknown_name

if TYPE_CHECKING:
    from tagloom.text.trees import SentenceTree

IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Span:
    """A labelled range of tokens.

    Attributes:
        start: First character, in the text of the annotation.
        end: One past the last character.
        label: What the span is, such as ``PER``.
        text: The characters from start to end.
        first: First token.
        last: One past the last token.
        score: Confidence of the model, if it has one.
        layer: Name of the layer, which is the column that the span was decoded from.
    """

    start: int
    end: int
    label: str
    text: str
    first: int
    last: int
    score: float | None
    layer: str


@check_methods()
class SpanLayer:
    """The spans of one model, as arrays: which tokens, which label, and optionally which score.

    Attributes:
        name: Name of the layer, usually the column of labels that the spans were decoded from.
        first: First token of each span: [K].
        last: One past the last token of each span: [K].
        labels: Label of each span: [K].
        scores: Confidence of each span: [K], or None.
    """

    __slots__ = ("first", "labels", "last", "name", "scores")

    name: str
    first: IntArray
    last: IntArray
    labels: Sequence[str]
    scores: FloatArray | None

    def __init__(
        self,
        name: str,
        first: Sequence[int] | NDArray[Any] = (),
        last: Sequence[int] | NDArray[Any] = (),
        labels: Sequence[str] = (),
        scores: Sequence[float] | NDArray[Any] | None = None,
    ) -> None:
        """Store the arrays.

        Raises:
            DataError: Their lengths differ.
        """
        self.name = name
        self.first, self.last = (_read_places(name, each) for each in (first, last))
        self.labels = labels
        self.scores = _store_scores(scores)
        lengths = {len(self.first), len(self.last), len(labels), len(self.first if scores is None else scores)}
        if len(lengths) > 1:
            raise DataError(f"layer {name!r}: first, last, labels and scores have lengths {sorted(lengths)}, not one")

    def __len__(self) -> int:
        return len(self.first)

    def __repr__(self) -> str:
        return f"<SpanLayer {self.name}: {len(self):,} spans>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SpanLayer):
            return NotImplemented
        return self.name == other.name and list(self.iterate()) == list(other.iterate())

    __hash__ = None  # type: ignore[assignment]

    def iterate(self) -> Iterator[tuple[int, int, str, float | None]]:
        """Iterate over first token, one past the last token, label and score of each span."""
        scores: Iterable[float | None] = itertools.repeat(None) if self.scores is None else self.scores.tolist()
        return zip(self.first.tolist(), self.last.tolist(), self.labels, scores)

    def has_overlaps(self) -> bool:
        """Check whether two spans share a token, so that one label per token cannot write them."""
        order = np.argsort(self.first, kind="stable")
        return bool(np.any(self.last[order][:-1] > self.first[order][1:]))

    def to_labels(self, count: int) -> list[str]:
        """Write the spans as IOB2 labels of ``count`` tokens; the layer must not have overlaps.

        >>> SpanLayer("ner", [0], [2], ["PER"]).to_labels(3)
        ['B-PER', 'I-PER', 'O']
        """
        written = ["O"] * count
        for first, last, label, _ in self.iterate():
            written[first:last] = [f"B-{label}", *[f"I-{label}"] * (last - first - 1)]
        return written


@dataclass(frozen=True, slots=True)
class Token:
    """A token of an annotation; ``token["upos"]`` is its value in a column."""

    annotation: Annotation
    index: int

    @property
    def text(self) -> str:
        """The form. Words of a multiword token may differ from what the text has there."""
        return self.annotation.words[self.index]

    @property
    def start(self) -> int:
        """First character, in the text of the annotation."""
        return int(self.annotation.starts[self.index])

    @property
    def end(self) -> int:
        """One past the last character."""
        return int(self.annotation.ends[self.index])

    @property
    def score(self) -> float | None:
        """Confidence of the model, if it has one."""
        scores = self.annotation.scores
        return None if scores is None else float(scores[self.index])

    @property
    def head(self) -> Token | None:
        """The head in the tree; None for a root, and without a tree."""
        annotation = self.annotation
        if annotation.heads is None:
            return None
        head = int(self[annotation.heads])
        return Token(annotation, annotation.sentence_of(self.index).first + head - 1) if head else None

    def __getitem__(self, column: str) -> str:
        return self.annotation.column(column)[self.index]

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Token {self.index} {self.text!r} {self.start}:{self.end}>"


class Tokens(Sequence[Token]):
    """A range of tokens; each is built when it is asked for."""

    __slots__ = ("_annotation", "_range")

    def __init__(self, annotation: Annotation, numbers: range) -> None:
        self._annotation, self._range = annotation, numbers

    def __len__(self) -> int:
        return len(self._range)

    @overload
    def __getitem__(self, index: int) -> Token: ...

    @overload
    def __getitem__(self, index: slice) -> Tokens: ...

    def __getitem__(self, index: int | slice) -> Token | Tokens:
        found = self._range[index]
        return Tokens(self._annotation, found) if isinstance(found, range) else Token(self._annotation, found)

    def __repr__(self) -> str:
        return f"<Tokens: {len(self):,} tokens>"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an annotation. Its tokens and spans keep the numbers and offsets of the whole text.

    Attributes:
        annotation: The annotation that it belongs to.
        index: Number of the sentence, from 0.
        first: First token.
        last: One past the last token.
    """

    annotation: Annotation
    index: int
    first: int
    last: int

    @property
    def start(self) -> int:
        """First character, in the text of the annotation."""
        if self.first < self.last:
            return int(self.annotation.starts[self.first])
        return int(self.annotation.ends[self.first - 1]) if self.first else 0

    @property
    def end(self) -> int:
        """One past the last character."""
        return int(self.annotation.ends[self.last - 1]) if self.first < self.last else self.start

    @property
    def text(self) -> str:
        """The characters from the first token to the last."""
        return self.annotation.text[self.start : self.end]

    @property
    def words(self) -> Sequence[str]:
        """The forms of the tokens."""
        return self.annotation.words[self.first : self.last]

    @property
    def tokens(self) -> Tokens:
        """The tokens."""
        return Tokens(self.annotation, range(self.first, self.last))

    @property
    def spans(self) -> tuple[Span, ...]:
        """The spans that begin in this sentence, in the order of the text."""
        spans = self.annotation.spans
        low = bisect_left(spans, self.first, key=lambda span: span.first)
        high = bisect_left(spans, self.last, key=lambda span: span.first)
        return spans[low:high]

    @property
    def multiwords(self) -> list[tuple[int, int]]:
        """The multiword tokens of this sentence, as ranges of tokens."""
        ranges = self.annotation.multiwords
        if not len(ranges):
            return []
        inside = (ranges[:, 0] >= self.first) & (ranges[:, 0] < self.last)
        return [(first, last) for first, last in ranges[inside].tolist()]

    def column(self, name: str) -> Sequence[str]:
        """Get the values of a column."""
        return self.annotation.column(name)[self.first : self.last]

    def build_tree(self) -> SentenceTree | None:
        """Build the tree for drawing; None if the annotation has no column of heads."""
        from tagloom.text.trees import TAG_COLUMNS, SentenceTree

        annotation = self.annotation
        if annotation.heads is None:
            return None
        tags = next((name for name in TAG_COLUMNS if name in annotation.columns), None)
        relations = self.column(annotation.relations) if annotation.relations else ()
        heads = read_heads(annotation.heads, self.column(annotation.heads))
        return SentenceTree.of(self.words, heads, relations, self.column(tags) if tags else ())

    def __len__(self) -> int:
        return self.last - self.first

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Sentence {self.index}: {len(self):,} tokens, {self.start}:{self.end}>"


@check_methods()
@dataclass(frozen=True, init=False, eq=False, repr=False)
class Annotation:
    """A text with everything that models found in it.

    Attributes:
        text: The text as it came in; all offsets count its characters.
        starts: First character of each token: [N].
        ends: One past the last character of each token: [N].
        sentences: Token offsets of the sentences: [S + 1]. Sentence i has the tokens ``sentences[i]:sentences[i + 1]``.
        words: Form of each token: [N]. It is ``text[start:end]``, except for words of multiword tokens.
        multiwords: Ranges of tokens that are one token on the surface, such as French "du" = "de" + "le": [M, 2].
            Words that the surface does not show have the offsets of the whole multiword token.
        columns: One value per token, by name: "pos", "lemma", "head" ...
        layers: The spans, one layer per model.
        heads: Name of the column with the heads of a tree, counted from 1 in each sentence, 0 for the root.
        relations: Name of the column with the relations of words to their heads.
        scores: Confidence of each token: [N], or None.

    Examples:
        >>> text = "Barack Obama visited Paris."
        >>> found = Annotation(text, [0, 7, 13, 21, 26], [6, 12, 20, 26, 27],
        ...                    layers=[SpanLayer("ner", [0, 3], [2, 4], ["PER", "LOC"])])
        >>> print(found)
        [Barack Obama PER] visited [Paris LOC] .
        >>> found.spans[1].text, found.spans[1].start, found.tokens[3]
        ('Paris', 21, <Token 3 'Paris' 21:26>)
    """

    text: str
    starts: IntArray
    ends: IntArray
    sentences: IntArray
    multiwords: IntArray
    columns: Mapping[str, Sequence[str]]
    layers: tuple[SpanLayer, ...]
    heads: str | None
    relations: str | None
    scores: FloatArray | None

    def __init__(
        self,
        text: str,
        starts: Sequence[int] | NDArray[Any],
        ends: Sequence[int] | NDArray[Any],
        sentences: Sequence[int] | NDArray[Any] | None = None,
        *,
        words: Sequence[str] | None = None,
        multiwords: Sequence[tuple[int, int]] | NDArray[Any] = (),
        columns: Mapping[str, Sequence[str]] | None = None,
        layers: Iterable[SpanLayer] = (),
        heads: str | None = None,
        relations: str | None = None,
        scores: Sequence[float] | NDArray[Any] | None = None,
    ) -> None:
        """Store the arrays; only their lengths are checked, ``check`` does the rest.

        Args:
            text: The text.
            starts: First character of each token.
            ends: One past the last character of each token.
            sentences: Token offsets of the sentences, from 0 to the number of tokens; one sentence if None.
            words: Form of each token; the characters of the text if None.
            multiwords: Pairs of first token and one past the last.
            columns: Values by name.
            layers: The spans.
            heads: Name of the column of heads.
            relations: Name of the column of relations.
            scores: Confidence of each token.

        Raises:
            DataError: The lengths differ.
        """
        begin, end = np.asarray(starts, np.int64), np.asarray(ends, np.int64)
        count = len(begin)
        if sentences is None:
            sentences = (0, count) if count else (0,)
        columns = {} if columns is None else columns
        for noun, given in (("ends", end), ("words", words), ("scores", scores)):
            if given is not None and len(given) != count:
                raise DataError(f"annotation: {count} starts of tokens, but {len(given)} {noun}; pass as many")
        for name, values in columns.items():
            if len(values) != count:
                raise DataError(f"annotation: {count} tokens, but column {name!r} has {len(values)} values")
        for column in (heads, relations):
            if column is not None and column not in columns:
                raise unknown_name("column of the annotation", column, columns)
        # One update of the dictionary: a frozen dataclass would set every field by itself, which takes longer.
        vars(self).update(
            text=text,
            starts=begin,
            ends=end,
            sentences=np.asarray(sentences, np.int64),
            multiwords=np.asarray(multiwords, np.int64).reshape(-1, 2) if len(multiwords) else _NO_RANGES,
            columns=columns,
            layers=tuple(layers),
            heads=heads,
            relations=relations,
            scores=_store_scores(scores),
        )
        if words is not None:
            vars(self)["words"] = words  # takes the place of the property below

    @functools.cached_property
    def words(self) -> Sequence[str]:
        """Form of each token: the characters of the text, unless other forms were given."""
        text = self.text
        return [text[start:end] for start, end in zip(self.starts.tolist(), self.ends.tolist())]

    @classmethod
    def from_words(cls, sentences: Iterable[Sequence[str]], **fields: Any) -> Annotation:
        r"""Build an annotation of tokens that come without a text: blanks between words, a new line per sentence.

        Args:
            sentences: The words of each sentence.
            **fields: Other fields of the annotation, such as ``columns``.

        Examples:
            >>> Annotation.from_words([["He", "left", "."], ["She", "stayed"]]).text
            'He left .\nShe stayed'
        """
        lists = [list(words) for words in sentences]
        words = list(itertools.chain.from_iterable(lists))
        for word in words:
            if not isinstance(word, str):
                raise DataError(f"from_words: expected words, got {show_value(word)}")
        offsets = np.cumsum([0, *map(len, lists)])
        ends = np.cumsum([len(word) + 1 for word in words], dtype=np.int64) - 1
        starts = ends - np.array([len(word) for word in words], np.int64)
        text = "\n".join(" ".join(each) for each in lists if each)
        return cls(text, starts, ends, offsets, words=words, **fields)

    def extend(
        self,
        *,
        columns: Mapping[str, Sequence[str]] | None = None,
        layers: Iterable[SpanLayer] = (),
        heads: str | None = None,
        relations: str | None = None,
        scores: Sequence[float] | NDArray[Any] | None = None,
    ) -> Annotation:
        """Return the annotation with what another model adds to it; a column or layer of the same name is replaced."""
        added = {layer.name: layer for layer in map(_require_layer, layers)}
        return Annotation(
            self.text,
            self.starts,
            self.ends,
            self.sentences,
            words=vars(self).get("words"),
            multiwords=self.multiwords,
            columns={**self.columns, **(columns or {})},
            layers=({layer.name: layer for layer in self.layers} | added).values(),
            heads=heads or self.heads,
            relations=relations or self.relations,
            scores=self.scores if scores is None else scores,
        )

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def tokens(self) -> Tokens:
        """The tokens."""
        return Tokens(self, range(len(self.starts)))

    @property
    def sents(self) -> Iterator[Sentence]:
        """The sentences, one after another."""
        bounds = itertools.pairwise(self.sentences.tolist())
        return (Sentence(self, index, first, last) for index, (first, last) in enumerate(bounds))

    def sentence_of(self, token: int) -> Sentence:
        """Get the sentence that a token stands in."""
        if not 0 <= token < len(self):
            raise ConfigError(f"sentence_of: token: {token} is out of range, expected 0 to {len(self) - 1}")
        index = int(np.searchsorted(self.sentences, token, side="right")) - 1
        return Sentence(self, index, int(self.sentences[index]), int(self.sentences[index + 1]))

    @functools.cached_property
    def spans(self) -> tuple[Span, ...]:
        """The spans of all layers in the order of the text; of spans that begin together the longest is first."""
        found = list(itertools.chain.from_iterable(map(self._iterate_spans, self.layers)))
        return tuple(sorted(found, key=lambda span: (span.first, -span.last)))

    def spans_of(self, layer: str) -> tuple[Span, ...]:
        """Get the spans of one layer in the order of the text."""
        if all(each.name != layer for each in self.layers):
            raise unknown_name("layer of the annotation", layer, [each.name for each in self.layers])
        return tuple(span for span in self.spans if span.layer == layer)

    def _iterate_spans(self, layer: SpanLayer) -> Iterator[Span]:
        for first, last, label, score in layer.iterate():
            start, end = int(self.starts[first]), int(self.ends[last - 1])
            yield Span(start, end, label, self.text[start:end], first, last, score, layer.name)

    def column(self, name: str) -> Sequence[str]:
        """Get the values of a column.

        Raises:
            ConfigError: There is no such column.
        """
        if name not in self.columns:
            raise unknown_name("column of the annotation", name, self.columns)
        return self.columns[name]

    def get_entity_layer(self) -> SpanLayer | None:
        """Get the last layer without overlaps: what formats with one label per token call the entities."""
        return next((layer for layer in reversed(self.layers) if not layer.has_overlaps()), None)

    def check(self) -> None:
        """Check everything that the constructor takes on trust.

        Raises:
            DataError: An offset is out of range, tokens overlap, the text does not have a token where it should be,
                or sentences, multiword tokens, spans or heads do not fit the tokens.
        """
        from tagloom.text.checks import check_annotation

        check_annotation(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the annotation as a dictionary of strings, numbers and lists; ``docs/text.md`` lists its keys."""
        from tagloom.text.records import build_record

        return build_record(self)

    def to_json(self) -> str:
        """Return the dictionary of ``to_dict`` as one line of JSON."""
        from tagloom.text.records import dump_record

        return dump_record(self)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Annotation:
        """Build an annotation from the dictionary of ``to_dict``.

        Raises:
            DataError: A key is missing, a value has the wrong type, or ``check`` finds something wrong.
        """
        from tagloom.text.records import read_record

        return read_record(record)

    @classmethod
    def from_json(cls, line: str) -> Annotation:
        """Build an annotation from the JSON of ``to_json``.

        Raises:
            DataError: It is not JSON, or ``from_dict`` refuses it.
        """
        from tagloom.text.records import parse_record

        return parse_record(line)

    def to_html(self, *, page: bool = False, title: str = "tagloom") -> str:
        """Return the annotation as HTML: coloured spans, tags under the words, trees as drawings.

        Args:
            page: Return a whole page, which needs no other file, instead of a part of one.
            title: Title of the page.
        """
        from tagloom.text.html import iter_html_page, render_annotation

        return "".join(iter_html_page([self], title)) if page else render_annotation(self)

    def _repr_html_(self) -> str:
        from tagloom.text.html import render_notebook

        return render_notebook(self)

    def to_spacy(self, vocab: Any = None, *, entities: str | None = None) -> Any:
        """Return a spaCy ``Doc``.

        Args:
            vocab: The vocabulary of a spaCy pipeline; a new one if None.
            entities: The layer that becomes ``doc.ents``; if None the last one without overlaps. All layers become
                groups of ``doc.spans``.

        Raises:
            ConfigError: spaCy is not installed.
        """
        from tagloom.text.export.spacy import build_doc

        return build_doc(self, vocab, entities)

    def to_huggingface(self) -> dict[str, list[Any]]:
        """Return a dictionary of lists with one entry per sentence, as ``datasets.Dataset.from_dict`` takes it."""
        from tagloom.text.export.tables import build_huggingface

        return build_huggingface(self)

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one dictionary per token: sentence, token, start, end, the columns, and the score if there is one."""
        from tagloom.text.export.tables import build_rows

        return build_rows(self)

    def to_pandas(self) -> Any:
        """Return the rows of ``to_rows`` as a pandas data frame.

        Raises:
            ConfigError: pandas is not installed.
        """
        from tagloom.text.export.tables import build_frame

        return build_frame(self)

    def to_conll(self, columns: Sequence[str] | None = None) -> str:
        """Return one line per token with its form and its columns, and an empty line after each sentence.

        Args:
            columns: The columns to write after the form; all of them if None.
        """
        from tagloom.text.export.tables import write_conll

        return write_conll(self, columns)

    def to_conllu(self, first: int = 1) -> str:
        """Return CoNLL-U. Columns that it does not know, layers of spans and scores are written to MISC.

        Args:
            first: Number of the first sentence, in its comment ``sent_id``.
        """
        from tagloom.text.export.conllu import write_conllu

        return write_conllu(self, first)

    def to_brat(self) -> tuple[str, str]:
        """Return the text and the standoff annotation of brat, the contents of a .txt and an .ann file."""
        from tagloom.text.export.brat import write_standoff

        return write_standoff(self)

    def __str__(self) -> str:
        from tagloom.text.summary import summarize

        return summarize(self)

    def __repr__(self) -> str:
        sentences = max(len(self.sentences) - 1, 0)
        parts = [_count(len(self), "token"), _count(sentences, "sentence")]
        parts += [f"{_count(len(layer), 'span')} of {layer.name}" for layer in self.layers]
        parts += [f"columns {' '.join(self.columns)}"] if self.columns else []
        return f"<Annotation: {', '.join(parts)}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Annotation):
            return NotImplemented
        arrays = ((a, b) for a, b in zip(self._list_arrays(), other._list_arrays()))
        return self._list_values() == other._list_values() and all(np.array_equal(a, b) for a, b in arrays)

    def __hash__(self) -> int:
        return hash(self.text)

    def _list_arrays(self) -> list[NDArray[Any]]:
        scores = np.zeros(0) if self.scores is None else self.scores
        return [self.starts, self.ends, self.sentences, self.multiwords, scores]

    def _list_values(self) -> list[object]:
        columns = {name: list(values) for name, values in self.columns.items()}
        return [self.text, list(self.words), columns, self.layers, self.heads, self.relations]


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def read_heads(name: str, values: Sequence[str]) -> list[int]:
    """Read a column of heads; raise DataError on one that is not a number."""
    try:
        return list(map(int, values))
    except ValueError:
        wrong = next((value for value in values if not value.isdecimal()), "one with very many digits")
        raise DataError(f"column {name!r}: expected the numbers of heads, got {show_value(wrong)}") from None


def _require_layer(layer: object) -> SpanLayer:
    if not isinstance(layer, SpanLayer):
        raise ConfigError(f"layers: expected layers of spans, got {show_value(layer)}")
    return layer


def _read_places(name: str, places: Sequence[int] | NDArray[Any]) -> IntArray:
    try:
        return np.asarray(places, np.int64)
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"layer {name!r}: expected numbers of tokens, got {show_value(places)}") from None


def _store_scores(scores: Sequence[float] | NDArray[Any] | None) -> FloatArray | None:
    """Scores as an array; nothing has no scores, so that there is one way to write it."""
    try:
        return np.asarray(scores, np.float64) if scores is not None and len(scores) else None
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"scores: expected numbers, got {show_value(scores)}") from None


_NO_RANGES: IntArray = np.zeros((0, 2), np.int64)


def require_free_names(annotation: Annotation, reserved: Iterable[str], form: str) -> None:
    """Raise ConfigError on a column that has the name of a field of an output format."""
    for name in reserved:
        if name in annotation.columns:
            raise ConfigError(f"column {name!r} has the name of a field of {form}; give the column another name")
