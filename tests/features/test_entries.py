"""Entries of phrase lists that begin at a token, and the lists whose entries a word occurs in."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagloom._core import PhraseTrie, StringTable
from tagloom.corpus import Corpus
from tagloom.features import Phrases

tokens = st.lists(st.sampled_from(["a", "A", "b", "c"]), min_size=1, max_size=3).map(tuple)
lists = st.lists(st.tuples(st.booleans(), st.lists(tokens, max_size=5)), min_size=1, max_size=3)


@given(lists=lists, sentences=st.lists(st.lists(st.sampled_from(["a", "A", "b", "c", "d"]), max_size=5), max_size=3))
@settings(deadline=None, max_examples=50)
def test_entries_are_those_looked_up_one_by_one(
    lists: list[tuple[bool, list[tuple[str, ...]]]], sentences: list[list[str]]
) -> None:
    trie = PhraseTrie()
    for number, (fold, phrases) in enumerate(lists):
        for phrase in phrases:
            trie.add(number, fold, list(phrase), words=True)
    trie = PhraseTrie.restore(*trie.nodes())

    def classes(phrase: tuple[str, ...], whole: bool) -> int:
        bits = 0
        for number, (fold, phrases) in enumerate(lists):
            known = {tuple(map(str.lower, p)) if fold else p for p in phrases}
            known = known if whole else {(word,) for p in known for word in p}
            bits |= ((tuple(map(str.lower, phrase)) if fold else phrase) in known) << number
        return bits

    corpus = Corpus.from_columns({"form": list(itertools.chain.from_iterable(sentences))}, list(map(len, sentences)))
    forms = corpus.column("form")
    offsets, lengths, sets = trie.entries(forms.strings, forms.codes, corpus.sentences)
    expected = [
        [(n, bits) for n in range(1, len(words) - t + 1) if (bits := classes(tuple(words[t : t + n]), whole=True))]
        for words in sentences
        for t in range(len(words))
    ]
    found = list(zip(lengths.tolist(), sets.tolist()))
    assert [found[a:b] for a, b in itertools.pairwise(offsets.tolist())] == expected
    of_words = trie.lists_of_words(forms.strings).tolist()
    assert of_words == [classes((word,), whole=False) for word in forms.strings.strings()]


def test_batches_that_do_not_fit() -> None:
    trie = Phrases.build({"x": ["a b"]}).trie
    with pytest.raises(ValueError, match=r"\w"):
        trie.entries(StringTable(), np.array([0], np.int32), np.array([0, 1]))
