"""Labels for training and back: which scheme the corpus follows, and which one the model decides on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tagloom.corpus import Column, Corpus
from tagloom.corpus.corpus import IntArray
from tagloom.corpus.mapped import CodeParts, count_codes, iterate_slices
from tagloom.corpus.schemes import (
    IOB1,
    IOB2,
    Scheme,
    check_labels,
    cuts_text,
    detect_scheme,
    find_allowed_transitions,
    get_scheme,
    labels_in_use,
    writes,
)
from tagloom.corpus.spans import convert_labels, decode_spans
from tagloom.errors import ConfigError, DataError

NO_SCHEME = "none"  # labels are plain tags, also if they could be spans


@dataclass(frozen=True)
class TrainingLabels:
    """Gold labels in the scheme that the model decides on, and the scheme of the data."""

    column: Column
    decided: Scheme | None
    written: Scheme | None


def find_gold_scheme(gold: Column, sentences: IntArray, written: Scheme | None) -> Scheme | None:
    """Find the scheme to score gold labels in: their own, or else that of the model.

    Gold without any span, and gold with a stray label among spans, are still spans.
    """
    names = gold.strings.strings()
    found = detect_scheme(names, gold.codes, sentences)
    if found is not None or written is None:
        return found
    return written if any(writes(written, [name]) for name in labels_in_use(names, gold.codes)) else None


def get_labels(corpus: Corpus, label: str) -> Column:
    """Return the column of the labels; refuse one of attributes."""
    column = corpus.column(label)
    if column.is_bag:
        raise ConfigError(f"column {label!r} holds attributes, not labels")
    return column


def prepare_labels(corpus: Corpus, label: str, scheme: str | None) -> TrainingLabels:
    """Detect the scheme of the labels and convert them to ``scheme`` (default: their own, IOB2 for IOB1)."""
    column = get_labels(corpus, label)
    if scheme == NO_SCHEME:
        return TrainingLabels(_drop_unused(column), None, None)
    found = detect_scheme(column.strings.strings(), column.codes, corpus.sentences)
    if found is None and scheme is not None and labels_in_use(column.strings.strings(), column.codes) == [IOB2.outside]:
        found = IOB2  # a part of a corpus may have no spans
    if found is None:
        if scheme is not None:
            raise ConfigError(f"column {label!r} holds plain tags, no spans: scheme {scheme!r} cannot apply")
        return TrainingLabels(_drop_unused(column), None, None)
    decided = get_scheme(scheme) if scheme else IOB2 if found is IOB1 else found
    if decided is IOB1:
        raise ConfigError("a model cannot decide on IOB1 labels; choose IOB2, BIOES, BILOU or SCN")
    if decided != found or not _is_well_formed(column, corpus, found):
        column = convert_labels(column, corpus.sentences, found, decided)
    return TrainingLabels(_complete(_drop_unused(column), decided), decided, found)


def continue_labels(
    corpus: Corpus, label: str, labels: Sequence[str], decided: Scheme | None, written: Scheme | None
) -> TrainingLabels:
    """Prepare labels for a training that begins from a model: its labels come first, new ones after them.

    A little data tells little of its scheme, so labels that fit the model's own (plain tags fit plain tags) are taken
    as such.
    """
    used = _drop_unused(get_labels(corpus, label))
    if decided is None or written is None:
        return TrainingLabels(_extend(used, labels), None, None)
    fits = writes(written, used.strings.strings()) and _is_well_formed(used, corpus, written)
    found = written if fits else find_gold_scheme(used, corpus.sentences, written)
    if found is None:
        raise DataError(
            f"{corpus.source}: column {label!r} holds plain tags, the start model decides on spans in {decided.name}; "
            "fix the labels, or train without start"
        )
    if decided != found or not _is_well_formed(used, corpus, found):
        used = _drop_unused(convert_labels(used, corpus.sentences, found, decided))
    return TrainingLabels(_complete(_extend(used, labels), decided), decided, written)


def _extend(column: Column, labels: Sequence[str]) -> Column:
    """Number the labels of a column so that ``labels`` come first."""
    names = [*labels, *column.strings.strings()]
    return _renumber(column, names, np.arange(len(labels), len(names)))


def _complete(column: Column, scheme: Scheme) -> Column:
    """Add a label that may stand alone, without which some sentences would have no legal labels."""
    names = column.strings.strings()
    _, start, end = find_allowed_transitions(names, scheme)
    if (start & end).any():
        return column
    added = scheme.single if cuts_text(names, scheme) else scheme.outside
    return _renumber(column, [*names, added], np.arange(len(names)))


def _is_well_formed(column: Column, corpus: Corpus, scheme: Scheme) -> bool:
    try:
        check_labels(column.strings.strings(), column.codes, corpus.sentences, scheme)
    except DataError:
        return False
    return True


def _drop_unused(column: Column) -> Column:
    """Drop labels that do not occur, because slices of a corpus share a table."""
    used = count_codes(column.codes, len(column.strings)) > 0
    if used.all():
        return column
    names = [column.strings[i] for i in np.flatnonzero(used).tolist()]
    return _renumber(column, names, np.cumsum(used) - 1)


def _renumber(column: Column, names: Sequence[str], numbers: IntArray) -> Column:
    """Write a column in another list of labels: the label of code c becomes ``names[numbers[c]]``."""
    named, parts = Column.from_strings(names), CodeParts(column.codes)
    for codes in iterate_slices(column.codes):
        parts.append(named.codes[numbers[codes]])
    return Column(parts.join(), named.strings)


def convert_scheme(column: Column, sentences: IntArray, old: Scheme | None, new: Scheme | None) -> Column:
    """Convert labels from one scheme to another; plain tags, and labels in the same scheme, stay as they are."""
    if old is None or new is None or old == new:
        return column
    return convert_labels(column, sentences, old, new)


def list_words_cut(characters: Column, gold: TrainingLabels, sentences: IntArray) -> list[str]:
    """List the words that gold labels cut text into."""
    assert gold.decided is not None
    names = gold.column.strings.strings()
    spans = decode_spans(names, gold.column.codes, sentences, gold.decided)
    texts = characters.texts()
    return ["".join(texts[start:stop]) for start, stop in zip(spans.start.tolist(), spans.stop.tolist())]
