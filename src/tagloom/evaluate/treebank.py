"""Scores of treebanks made from raw text, as the CoNLL shared task 2018 counts them (Zeman et al. 2018, §6).

Tokens and sentences are right if gold has the same span of characters. All other scores are F1 over words: a word is
right if it is aligned (:mod:`tagloom.evaluate.alignment`) and both words have the same

======== ==============================================================================================
UPOS     universal tag
XPOS     tag of the treebank
UFeats   features, of those that the task listed as universal
AllTags  all three
Lemmas   lemma; any is right where gold has ``_``
UAS      head: both are roots, or their heads are aligned
LAS      head and relation without its subtype (``nsubj:pass`` as ``nsubj``)
CLAS     the same, counting content words only: neither function words nor punctuation, by their relation
MLAS     the same, with UPOS, UFeats, and the same function words below: aligned, equal in relation, UPOS and UFeats
BLEX     as CLAS, with the lemma
======== ==============================================================================================
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from tagloom.arguments import check_arguments
from tagloom.corpus.corpus import Column, Corpus, IntArray, spread
from tagloom.corpus.schemes import BoolArray
from tagloom.corpus.trees import HEAD, NOTHING, RELATION, read_trees
from tagloom.evaluate.alignment import Alignment, Segmentation, align_words, match_spans, require_same_text, segment
from tagloom.evaluate.counts import Counts, tally
from tagloom.evaluate.text_scores import Row, TextScore, TreebankScore, choose_metric
from tagloom.evaluate.units import compare_labels

RULE = "conll18"

UNIVERSAL_FEATURES = frozenset({
    "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case", "Definite",
    "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person", "Polite",
})  # fmt: skip
CONTENT = frozenset({
    "nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated", "advcl", "advmod",
    "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat", "compound", "list", "parataxis",
    "orphan", "goeswith", "reparandum", "root", "dep",
})  # fmt: skip
FUNCTION = frozenset({"aux", "cop", "mark", "det", "clf", "case", "cc"})

# The columns that scores of words compare.
_TAGS = {"upos", "xpos", "feats"}
_COLUMNS: dict[str, set[str]] = {
    "upos": {"upos"}, "xpos": {"xpos"}, "ufeats": {"feats"}, "alltags": _TAGS, "lemmas": {"lemma"},
    "uas": {HEAD}, "las": {HEAD, RELATION}, "clas": {HEAD, RELATION}, "mlas": {HEAD, RELATION, "upos", "feats"},
    "blex": {HEAD, RELATION, "lemma"},
}  # fmt: skip
_ROOT, _NOT_ALIGNED = -1, -2  # in place of the number of a word


@check_arguments
def score_treebank(gold: Corpus, system: Corpus, made: Collection[str] | None = None) -> TextScore:
    """Score a treebank that was made from raw text; its tokens, words and sentences may differ from gold.

    Args:
        gold: The gold treebank, read from CoNLL-U.
        system: A treebank of the same text; white space may differ.
        made: The columns of CoNLL-U that the system makes; scores of others are left out. All if None, as in the shared
            task, where an empty column is wrong.

    Returns:
        A :class:`TreebankScore`; if one of both has no heads, a :class:`TextScore` without the scores of trees.

    Raises:
        DataError: The texts differ, or a head is not a word of its sentence.

    Examples:
        >>> gold = Corpus.from_columns({"form": ["He", "left", "."], "upos": ["PRON", "VERB", "PUNCT"]}, [3])
        >>> system = Corpus.from_columns({"form": ["He", "left."], "upos": ["PRON", "VERB"]}, [2])
        >>> score_treebank(gold, system)
        TextScore(alltags=40.00, upos=40.00, lemmas=40.00, words=3, rule='conll18')
    """
    mine, theirs = segment(gold), segment(system)
    require_same_text(gold, system, mine, theirs)
    counter = _Counter(mine, theirs, align_words(mine, theirs))
    right = _compare_tags(gold, system, counter.alignment)
    shown = {name for name, columns in _COLUMNS.items() if made is None or columns <= set(made)}
    rows = counter.count_spans() | {name: counter.count(each) for name, each in right.items() if name in shown}
    if not (has_trees(gold) and has_trees(system)):
        return _build_score(TextScore, rows)
    sides = _Tree.read(gold), _Tree.read(system)
    content = [side.mask(CONTENT) for side in sides]
    for name, each in _compare_trees(*sides, counter.alignment, right).items():
        if name in shown:
            rows[name] = counter.count(each) if name in ("uas", "las") else counter.count(each, *content)
    return _build_score(TreebankScore, rows)


def _build_score(kind: type[TextScore], rows: dict[str, Row]) -> TextScore:
    tokens = rows.get("upos", rows["words"]).counts
    return kind(rows=rows, counts=rows[choose_metric(rows)].counts, tokens=tokens, rule=RULE)


@dataclass(frozen=True)
class _Counter:
    """Counts units per gold sentence; those of the system belong to the gold sentence in which they begin."""

    gold: Segmentation
    system: Segmentation
    alignment: Alignment

    def count(self, right: BoolArray, gold: BoolArray | None = None, system: BoolArray | None = None) -> Row:
        """Count words; ``right`` says which pairs are equal, and the masks which words of each side count."""
        firsts = [side.words[:, 0] for side in (self.gold, self.system)]
        scored = [mask if mask is not None else np.ones(len(f), np.bool_) for f, mask in zip(firsts, (gold, system))]
        aligned = scored[0][self.alignment.gold]
        correct = firsts[0][self.alignment.gold[right & aligned]]
        return Row(self._tally(correct, firsts[1][scored[1]], firsts[0][scored[0]]), int(aligned.sum()))

    def count_spans(self) -> dict[str, Row]:
        """Count tokens and sentences with the same span, and aligned words."""
        tokens = self._count_common(self.gold.tokens, self.system.tokens)
        sentences = self._count_common(*(_drop_empty(side.sentences) for side in (self.gold, self.system)))
        words = self.count(np.ones(len(self.alignment.gold), np.bool_)).counts
        return {"tokens": Row(tokens), "sentences": Row(sentences), "words": Row(words)}

    def _count_common(self, gold: IntArray, system: IntArray) -> Counts:
        common, _ = match_spans(gold, system)
        return self._tally(gold[common, 0], system[:, 0], gold[:, 0])

    def _tally(self, *units: IntArray) -> Counts:
        """Count correct, predicted and gold units, given by their first characters."""
        starts = self.gold.sentences[:, 0]
        sentences = [np.searchsorted(starts, first, side="right") - 1 for first in units]
        shape = (1, len(starts))
        return Counts(("units",), *(tally(np.zeros(len(each), np.int32), each, shape) for each in sentences))


def _drop_empty(spans: IntArray) -> IntArray:
    return spans[spans[:, 0] < spans[:, 1]]


def _compare_tags(gold: Corpus, system: Corpus, pairs: Alignment) -> dict[str, BoolArray]:
    """Compare the tags, features and lemmas of aligned words: [A] by score."""

    def compare(name: str) -> BoolArray:
        return _compare(_get_column(gold, name), _get_column(system, name), pairs)

    features, found = (_keep_universal(_get_column(side, "feats")) for side in (gold, system))
    right = {"upos": compare("upos"), "xpos": compare("xpos"), "ufeats": _compare(features, found, pairs)}
    lemmas = _get_column(gold, "lemma")
    unknown = (lemmas.codes == lemmas.strings.find(NOTHING))[pairs.gold]
    all_tags = right["upos"] & right["xpos"] & right["ufeats"]
    return {**right, "alltags": all_tags, "lemmas": compare("lemma") | unknown}


def _compare(gold: Column, system: Column, pairs: Alignment) -> BoolArray:
    return compare_labels(
        Column(gold.codes[pairs.gold], gold.strings), Column(system.codes[pairs.system], system.strings)
    )


def _get_column(corpus: Corpus, name: str) -> Column:
    """Get a column; ``_`` for every word if the corpus does not have it."""
    found = corpus.columns.get(name)
    return spread([NOTHING], np.zeros(corpus.token_count, np.int32)) if found is None or found.is_bag else found


def _keep_universal(features: Column) -> Column:
    def keep(text: str) -> str:
        return "|".join(sorted(each for each in text.split("|") if each.partition("=")[0] in UNIVERSAL_FEATURES))

    return spread([keep(text) for text in features.strings.strings()], features.codes)


def has_trees(corpus: Corpus) -> bool:
    """Check whether a word has a head; others may have `_` only, or no such column."""
    column = corpus.columns.get(HEAD)
    return column is not None and not column.is_bag and bool((column.codes != column.strings.find(NOTHING)).any())


@dataclass(frozen=True)
class _Tree:
    """The trees of one side: heads as words of the corpus, relations without subtypes."""

    heads: IntArray  # [W] or _ROOT
    relations: Column  # [W]

    @classmethod
    def read(cls, corpus: Corpus) -> _Tree:
        trees, relations = read_trees(corpus, strict=False), _get_column(corpus, RELATION)
        heads = np.where(trees.heads > 0, trees.firsts() + trees.heads - 1, _ROOT)
        return cls(heads, spread([text.partition(":")[0] for text in relations.strings.strings()], relations.codes))

    def mask(self, relations: frozenset[str]) -> BoolArray:
        """Which words have one of these relations: [W]."""
        return np.array([text in relations for text in self.relations.strings.strings()], np.bool_)[
            self.relations.codes
        ]

    def count_function_words(self) -> IntArray:
        """How many function words hang on every word: [W]."""
        heads = self.heads[self.mask(FUNCTION)]
        return np.bincount(heads[heads != _ROOT], minlength=len(self.heads))


def _compare_trees(gold: _Tree, system: _Tree, pairs: Alignment, right: dict[str, BoolArray]) -> dict[str, BoolArray]:
    """Compare the heads and relations of aligned words: [A] by score."""
    partner = np.full(len(system.heads) + 1, _NOT_ALIGNED)
    partner[pairs.system] = pairs.gold
    partner[_ROOT] = _ROOT  # the place behind the last word
    uas = gold.heads[pairs.gold] == partner[system.heads[pairs.system]]
    las = uas & _compare(gold.relations, system.relations, pairs)
    tagged = las & right["upos"] & right["ufeats"]
    mlas = tagged & _compare_function_words(gold, system, pairs, tagged)
    return {"uas": uas, "las": las, "clas": las, "mlas": mlas, "blex": las & right["lemmas"]}


def _compare_function_words(gold: _Tree, system: _Tree, pairs: Alignment, right: BoolArray) -> BoolArray:
    """Check whether the function words below two aligned words are equal: [A].

    They are if both have as many as there are equal ones. A pair of equal function words has aligned heads, and
    alignments keep the order of the words.
    """
    heads = gold.heads[pairs.gold[right & gold.mask(FUNCTION)[pairs.gold]]]
    equal = np.bincount(heads[heads != _ROOT], minlength=len(gold.heads))[pairs.gold]
    mine, theirs = gold.count_function_words()[pairs.gold], system.count_function_words()[pairs.system]
    return np.asarray((equal == mine) & (equal == theirs))
