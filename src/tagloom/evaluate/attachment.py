"""Attachment scores: counts of correct heads and relations per sentence."""

from __future__ import annotations

import numpy as np

from tagloom.arguments import check_arguments
from tagloom.corpus.corpus import CodeArray, Column, spread
from tagloom.corpus.schemes import BoolArray
from tagloom.corpus.trees import Trees
from tagloom.errors import ConfigError, DataError, unknown_name
from tagloom.evaluate.counts import Counts, tally
from tagloom.evaluate.punctuation import Punctuation
from tagloom.evaluate.tree_scores import PUNCTUATION, WORDS, AttachmentScore, LabelledAttachmentScore
from tagloom.evaluate.units import compare_labels, count_tokens

WHOLE, UNIVERSAL = "whole", "universal"
RELATIONS = {
    WHOLE: "relations as they are",
    UNIVERSAL: "relations without subtypes: nsubj:pass counts as nsubj (CoNLL 2018)",
}


@check_arguments
def score_trees(
    gold: Trees,
    predicted: Trees,
    *,
    punctuation: Punctuation | None = None,
    leave_out: bool = False,
    relations: str = WHOLE,
) -> AttachmentScore:
    """Score predicted trees: UAS, and also LAS if both sides have relations.

    Args:
        gold: The gold trees.
        predicted: Trees of the same sentences.
        punctuation: Punctuation tokens (see :func:`find_punctuation`); scores with and without them are shown.
        leave_out: Exclude punctuation from the score, its table of relations and exact match. By default all tokens
            count, as in the CoNLL shared tasks since 2007. Roots are always counted over all tokens.
        relations: "whole", or "universal" to ignore subtypes.

    Examples:
        >>> gold = Trees(np.array([2, 0, 2], np.int32), None, np.array([0, 3]))
        >>> print(score_trees(gold, Trees(np.array([2, 0, 1], np.int32), None, np.array([0, 3]))))
                       UAS   tokens
        all tokens   66.67        3
        exact match 0.00 of 1 sentences, root 100.00
        UAS 66.67 of 3 tokens; rule attachment
    """
    _check(gold, predicted, punctuation, leave_out, relations)
    scored = ~punctuation.tokens if punctuation and leave_out else np.ones(len(gold.heads), dtype=np.bool_)
    right = np.asarray(gold.heads == predicted.heads)
    rule = ["attachment", *([f"without-{punctuation.rule}"] if punctuation and leave_out else [])]
    tokens = _count_masks("tokens", gold, scored & right, scored, scored)
    words = None if punctuation is None else ~punctuation.tokens
    heads = AttachmentScore(
        counts=tokens,
        tokens=tokens,
        heads=count_tokens(right, gold.sentences, words, (WORDS, PUNCTUATION)),
        sentences=_count_exact(gold, right, scored),
        roots=_count_masks(
            "roots", gold, (gold.heads == 0) & (predicted.heads == 0), predicted.heads == 0, gold.heads == 0
        ),
        punctuation=punctuation.rule if punctuation else None,
        rule="+".join(rule),
    )
    if gold.relations is None or predicted.relations is None:
        return heads
    sides = [column if relations == WHOLE else _universal(column) for column in (gold.relations, predicted.relations)]
    right = right & compare_labels(*sides)
    return LabelledAttachmentScore(
        counts=_count_relations(gold, sides[0], sides[1], right, scored),
        tokens=tokens,
        heads=heads.heads,
        sentences=heads.sentences,
        roots=heads.roots,
        punctuation=heads.punctuation,
        arcs=count_tokens(right, gold.sentences, words, (WORDS, PUNCTUATION)),
        labelled_sentences=_count_exact(gold, right, scored),
        rule="+".join(rule if relations == WHOLE else [*rule, UNIVERSAL]),
    )


def _check(gold: Trees, predicted: Trees, punctuation: Punctuation | None, leave_out: bool, relations: str) -> None:
    if relations not in RELATIONS:
        raise unknown_name("treatment of relations", relations, RELATIONS)
    if leave_out and punctuation is None:
        raise ConfigError("leave_out needs the punctuation: pass punctuation=find_punctuation(corpus, rule)")
    if not np.array_equal(gold.sentences, predicted.sentences):
        raise DataError("gold and predicted trees have different sentences; score trees of the same tokens")
    if punctuation is not None and punctuation.tokens.shape != gold.heads.shape:
        raise DataError(
            f"punctuation: expected {len(gold.heads)} tokens as in the trees, got {len(punctuation.tokens)}; "
            "compute it from the gold corpus"
        )


def _universal(relations: Column) -> Column:
    return spread([text.partition(":")[0] for text in relations.strings.strings()], relations.codes)


def _count_masks(kind: str, trees: Trees, *masks: BoolArray) -> Counts:
    """Count the tokens of three masks in each sentence: correct, predicted and gold ones."""
    sentence = trees.sentence_numbers()
    return Counts((kind,), *(np.bincount(sentence[mask], minlength=len(trees))[None, :] for mask in masks))


def _count_exact(trees: Trees, right: BoolArray, scored: BoolArray) -> Counts:
    """Count the sentences with a scored token, and those among them without an error."""
    tokens = _count_masks("tokens", trees, scored & right, scored, scored)
    filled = tokens.gold > 0
    everything = filled.astype(np.int64)
    return Counts(("sentences",), (filled & (tokens.correct == tokens.gold)).astype(np.int64), everything, everything)


def _count_relations(gold: Trees, truth: Column, guess: Column, right: BoolArray, scored: BoolArray) -> Counts:
    """Count arcs by relation. Every token has one arc on both sides, so that overall precision and recall are LAS."""
    kinds, (truth_kind, guess_kind) = _common_kinds(truth, guess)
    sentence, shape, both = gold.sentence_numbers(), (len(kinds), len(gold)), right & scored
    return Counts(
        kinds,
        tally(truth_kind[both], sentence[both], shape),
        tally(guess_kind[scored], sentence[scored], shape),
        tally(truth_kind[scored], sentence[scored], shape),
    )


def _common_kinds(*columns: Column) -> tuple[tuple[str, ...], list[CodeArray]]:
    """The strings used in any of the columns, and each column as numbers of these strings."""
    used = [[column.strings[code] for code in np.unique(column.codes).tolist()] for column in columns]
    number = {name: place for place, name in enumerate(dict.fromkeys(name for names in used for name in names))}
    tables = [np.array([number.get(text, -1) for text in column.strings.strings()], np.int32) for column in columns]
    return tuple(number), [table[column.codes] for table, column in zip(tables, columns)]
