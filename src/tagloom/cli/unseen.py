"""Labels of a corpus that a model can never give, because its training data had none of them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tagloom.cli.console import warning

if TYPE_CHECKING:
    from tagloom.corpus import Column, Corpus
    from tagloom.systems import Model, PhraseChunker


def unseen_note(model: Model, corpus: Corpus) -> list[str]:
    """One warning with the labels and how many tokens have them; nothing if there are none."""
    counts = _unseen(model, corpus)
    if not counts:
        return []
    labels = ", ".join(f"{label} {count}" for label, count in counts.most_common())
    return [warning(f"{corpus.source}: labels never seen in training, and how often: {labels}")]


def _unseen(model: Model, corpus: Corpus) -> Counter[str]:
    gold = corpus.column(model.spec.label)
    decided = _as_decided(model, gold, corpus)
    new = [label not in set(model.labels) for label in decided.strings.strings()]
    found = [token for token, code in enumerate(decided.codes.tolist()) if new[code]] if any(new) else []
    return Counter(gold.strings[code] for code in gold.codes[found].tolist())


def _as_decided(model: Model, gold: Column, corpus: Corpus) -> Column:
    """The labels in the scheme that the model decides on."""
    from tagloom.corpus.schemes import detect_scheme
    from tagloom.corpus.spans import convert_labels

    found = detect_scheme(gold.strings.strings(), gold.codes, corpus.sentences)
    decided = model.spec.decided
    if found is None or decided is None or found == decided:
        return gold
    return convert_labels(gold, corpus.sentences, found, decided)


def unseen_categories(chunker: PhraseChunker, corpus: Corpus) -> list[str]:
    """The same of a phrase chunker: categories of phrases."""
    from tagloom.corpus.spans import spans_from_labels
    from tagloom.systems.labels import gold_scheme

    gold = corpus.column(chunker.spec.label)
    scheme = gold_scheme(gold, corpus.sentences, chunker.spec.written)
    if scheme is None:
        return []
    spans = spans_from_labels(gold.strings.strings(), gold.codes, corpus.sentences, scheme)
    counts = Counter(category for *_, category in spans.tuples() if category not in chunker.categories)
    if not counts:
        return []
    names = ", ".join(f"{category} {count}" for category, count in counts.most_common())
    return [warning(f"{corpus.source}: phrases of categories never seen in training, and how many: {names}")]
