"""The tag dictionary spelled out: sets of labels, and every label sequence of a sentence tried."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

Labels = Sequence[str]


def counted(sentences: Sequence[tuple[Sequence[str], Labels]], least: int) -> dict[str, set[str]]:
    """The labels of the words that occur so often."""
    pairs = [pair for words, labels in sentences for pair in zip(words, labels, strict=True)]
    frequent = {word for word, count in Counter(word for word, _ in pairs).items() if count >= least}
    return {word: {label for other, label in pairs if other == word} for word in frequent}


def allowed(
    words: Sequence[str],
    dictionary: Mapping[str, set[str]],
    given: Sequence[set[str]],
    exists: Callable[[tuple[str, ...]], bool],
) -> list[set[str]]:
    """What every token of a sentence may take: what is given and in the dictionary, or else what is given."""
    found = [dictionary.get(word, own) & own or own for word, own in zip(words, given, strict=True)]
    if any(exists(labels) for labels in itertools.product(*found)):
        return found
    return list(given)
