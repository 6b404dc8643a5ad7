"""What a phrase chunker tells about itself: facts, sizes and passes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tagloom.corpus import Corpus
from tagloom.corpus.spans import decode_spans
from tagloom.systems.labels import find_gold_scheme
from tagloom.systems.tables import Description, tabulate_history

if TYPE_CHECKING:
    from tagloom.systems.phrases.model import PhraseChunker


def describe_chunker(chunker: PhraseChunker) -> Description:
    """Describe a phrase chunker."""
    spec, parameters = chunker.spec, chunker.parameters
    facts = {
        "writes": f"{spec.label} in {spec.written_scheme}",
        "categories": " ".join(chunker.categories),
        "kernel": f"degree {spec.degree}, {spec.form}",
        "phrases": f"{spec.longest} words at most, {spec.window} words around",
    }
    sizes = {
        "categories": len(parameters.categories),
        "word_features": len(parameters.word_keys),
        "phrase_features": len(parameters.phrase_keys),
        "filter_vectors": len(parameters.filters.amounts),
        "scorer_vectors": len(parameters.scorers.amounts),
    }
    history = tabulate_history(spec.history, spec.best_epoch, "phrases in error")
    return Description(facts, sizes, [history], {"categories": list(chunker.categories)})


def list_unseen_categories(chunker: PhraseChunker, corpus: Corpus) -> list[str]:
    """List one warning with the categories that did not occur in training, and how many phrases have them."""
    gold = corpus.column(chunker.spec.label)
    scheme = find_gold_scheme(gold, corpus.sentences, chunker.spec.written)
    if scheme is None:
        return []
    spans = decode_spans(gold.strings.strings(), gold.codes, corpus.sentences, scheme)
    counts = Counter(category for *_, category in spans.tuples() if category not in chunker.categories)
    if not counts:
        return []
    names = ", ".join(f"{category} {count}" for category, count in counts.most_common())
    return [f"{corpus.source}: phrases of categories never seen in training, and how many: {names}"]
