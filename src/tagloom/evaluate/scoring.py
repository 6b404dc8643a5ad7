"""The entry point of scoring: the gold labels decide whether spans, words or tags are counted."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from tagloom.arguments import check_arguments
from tagloom.corpus.corpus import Column, IntArray
from tagloom.corpus.schemes import (
    IOB1,
    IOB2,
    BoolArray,
    Scheme,
    cuts_text,
    detect_scheme,
    get_scheme,
    labels_in_use,
    writes,
)
from tagloom.corpus.spans import Spans, convert_labels, decode_spans
from tagloom.errors import ConfigError, DataError, unknown_name
from tagloom.evaluate.counts import Counts
from tagloom.evaluate.scores import Score, SegmentationScore, SpanScore, TagScore
from tagloom.evaluate.units import compare_labels, count_spans, count_tokens, count_words, mask_known

CONLLEVAL, STRICT, ACCURACY = "conlleval", "strict", "accuracy"
RULES = (CONLLEVAL, STRICT, ACCURACY)


class Labels(NamedTuple):
    """A column of labels with its sentences and scheme."""

    column: Column
    sentences: IntArray
    scheme: Scheme

    def spans(self, rule: str) -> Spans:
        """The spans that the labels describe under a scoring rule."""
        names = self.column.strings.strings()
        return decode_spans(names, self.column.codes, self.sentences, self.scheme, strict=rule == STRICT)


@check_arguments
def score(
    gold: Column,
    predicted: Column,
    sentences: IntArray,
    *,
    rule: str = CONLLEVAL,
    scheme: Scheme | str | None = None,
    known: BoolArray | Collection[str] | None = None,
    forms: Column | None = None,
    lexicon: Collection[str] | None = None,
) -> Score:
    """Score predicted labels: spans if gold has a label scheme, words if it segments text, tags otherwise.

    Args:
        gold: The gold labels.
        predicted: Labels of the same tokens; they may be in another scheme.
        sentences: Offsets of the sentences, [S + 1].
        rule: "conlleval" reads spans as conlleval does, including ill-formed ones; "strict" counts only spans that are
            complete and well formed in their scheme; "accuracy" only compares labels.
        scheme: Scheme of the gold labels; detected by default. The accuracy counts equal labels, as conlleval does; if
            the two schemes have different prefixes, both sides are converted to the scheme of gold first.
        known: Which tokens count as known: a mask [N], or the known words, which are looked up in ``forms``.
        forms: The column of words, or of characters.
        lexicon: Words in vocabulary, for the recall of words in a segmentation of the characters ``forms``.

    Examples:
        >>> import numpy as np
        >>> gold = Column.from_strings(["B-PER", "I-PER", "O", "B-LOC"])
        >>> guess = Column.from_strings(["B-PER", "I-PER", "O", "I-PER"])
        >>> print(score(gold, guess, np.array([0, 4])))
             precision  recall      F1     gold    found  correct
        LOC       0.00    0.00    0.00        1        0        0
        PER      50.00  100.00   66.67        1        2        1
        all      50.00   50.00   50.00        2        2        1
        accuracy 75.00 of 4 tokens; rule conlleval
    """
    if rule not in RULES:
        raise unknown_name("scoring rule", rule, RULES)
    _require_parallel(gold, predicted, forms or gold, sentences)
    mask = None if known is None else mask_known(known, forms, len(gold))
    gold_scheme = None if rule == ACCURACY else _gold_scheme(gold, predicted, sentences, scheme)
    if gold_scheme is None:
        tokens = count_tokens(compare_labels(gold, predicted), sentences, mask)
        return TagScore(counts=tokens, tokens=tokens, rule=ACCURACY)
    truth = Labels(gold, sentences, gold_scheme)
    guess = Labels(predicted, sentences, _find_predicted_scheme(predicted, sentences, gold_scheme))
    tokens = count_tokens(_right_labels(truth, guess), sentences, mask)
    if cuts_text(_labels_in_use(gold), gold_scheme):
        return SegmentationScore(counts=_count_words(truth, guess, rule, forms, lexicon), tokens=tokens, rule=rule)
    return SpanScore(counts=_count_spans(truth, guess, rule), tokens=tokens, rule=rule)


def _require_parallel(gold: Column, predicted: Column, forms: Column, sentences: IntArray) -> None:
    if gold.is_bag or predicted.is_bag or forms.is_bag:
        raise DataError("expected columns with one string per token, got several strings per token")
    if not len(gold) == len(predicted) == len(forms) == sentences[-1]:
        raise DataError(
            f"gold has {len(gold)} tokens, predicted {len(predicted)}, forms {len(forms)}, the sentences "
            f"{sentences[-1]}; score predictions of the same tokens"
        )


def _detect(column: Column, sentences: IntArray) -> Scheme | None:
    return detect_scheme(column.strings.strings(), column.codes, sentences)


def _labels_in_use(column: Column) -> list[str]:
    return labels_in_use(column.strings.strings(), column.codes)


def _gold_scheme(gold: Column, predicted: Column, sentences: IntArray, scheme: Scheme | str | None) -> Scheme | None:
    if scheme is not None:
        return get_scheme(scheme) if isinstance(scheme, str) else scheme
    # If gold has no span at all, predicted spans still count as wrong.
    return _detect(predicted if _labels_in_use(gold) == ["O"] else gold, sentences)


def _find_predicted_scheme(predicted: Column, sentences: IntArray, gold_scheme: Scheme) -> Scheme:
    detected = _detect(predicted, sentences)
    # If gold is in IOB2, a predicted span that begins with I- is an error, not a sign of IOB1.
    if detected is None or (detected is IOB1 and gold_scheme is IOB2):
        return gold_scheme
    # B, E and S belong to several schemes: it is the scheme of gold if that has all labels.
    both_closed = detected.closed and gold_scheme.closed
    return gold_scheme if both_closed and writes(gold_scheme, _labels_in_use(predicted)) else detected


def _right_labels(gold: Labels, predicted: Labels) -> BoolArray:
    if gold.scheme.roles.keys() == predicted.scheme.roles.keys():
        return compare_labels(gold.column, predicted.column)
    columns = (convert_labels(side.column, side.sentences, side.scheme, gold.scheme) for side in (gold, predicted))
    return compare_labels(*columns)


def _count_spans(gold: Labels, predicted: Labels, rule: str) -> Counts:
    return count_spans(gold.spans(rule), predicted.spans(rule), len(gold.sentences) - 1)


def _count_words(
    gold: Labels, predicted: Labels, rule: str, characters: Column | None, lexicon: Collection[str] | None
) -> Counts:
    if lexicon is None:
        return _count_spans(gold, predicted, rule)
    if characters is None:
        raise ConfigError("a lexicon needs the characters of the corpus; pass forms, the column of characters")
    return count_words(gold.spans(rule), predicted.spans(rule), len(gold.sentences) - 1, characters, lexicon)
