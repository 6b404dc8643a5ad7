"""Brown clusters: every merge against the average mutual information of the whole text, and what text may be."""

from __future__ import annotations

import itertools
import lzma
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tagloom
from tagloom._core import LOSS_DIGITS, BrownClustering
from tagloom.corpus import Corpus
from tagloom.errors import ConfigError, DataError
from tagloom.features import load_resource
from tagloom.features.clusters.bigrams import BigramCounter, Bigrams
from tagloom.features.clusters.brown import cluster_words
from tests.oracle import brown as oracle
from tests.strategies import unhurried

Sentences = list[list[str]]
SENTENCES = st.lists(st.lists(st.sampled_from("aaabbcdefgh"), min_size=1, max_size=8), min_size=1, max_size=8)


def build_corpus(sentences: Sentences) -> Corpus:
    flat = [word for sentence in sentences for word in sentence]
    return Corpus.from_columns({"form": flat}, [len(sentence) for sentence in sentences])


def count_bigrams(sentences: Sentences, min_count: int = 1) -> Bigrams:
    counter = BigramCounter()
    for part in (sentences[:1], sentences[1:]):  # batches make no difference
        if part:
            counter.add(build_corpus(part))
    return counter.finish(min_count, [True] * (len(counter.numbers) - 1))


def list_merges(bigrams: Bigrams, clusters: int, threads: int = 1) -> list[tuple[int, int, int]]:
    counts = bigrams.bigram_counts.astype(np.uint32)
    core = BrownClustering(bigrams.left, bigrams.right, counts, len(bigrams.words), clusters)
    while core.run(3, threads):
        pass
    return list(zip(*(numbers.tolist() for numbers in core.merges()), strict=True))


@given(SENTENCES, st.integers(1, 6), st.integers(1, 2))
@unhurried
def test_every_merge_loses_the_least_information(sentences: Sentences, clusters: int, min_count: int) -> None:
    bigrams = count_bigrams(sentences, min_count)
    assert bigrams.words == oracle.rank_words(sentences, min_count)
    if bigrams.words:
        assert list_merges(bigrams, clusters) == oracle.list_merges(sentences, clusters, min_count)


@given(SENTENCES, st.integers(1, 6))
@unhurried
def test_paths_are_those_of_the_plain_algorithm(sentences: Sentences, clusters: int) -> None:
    found = cluster_words(build_corpus(sentences), clusters)
    assert dict(zip(found.words, found.paths, strict=True)) == oracle.find_paths(sentences, clusters)
    counts = Counter(itertools.chain.from_iterable(sentences))
    assert found.counts == tuple(counts[word] for word in found.words)
    assert found.cluster_count == min(clusters, len(counts))
    for one, other in itertools.permutations(set(found.paths), 2):
        assert not one.startswith(other)  # clusters are leaves of the tree


@given(SENTENCES, st.integers(1, 4))
@unhurried
def test_losses_add_up_to_all_information(sentences: Sentences, clusters: int) -> None:
    """Once all words are added, merging them all loses all information but that of the boundary."""
    bigrams = oracle.list_bigrams(sentences)
    words = oracle.rank_words(sentences, 1)
    losses = [loss for _, _, loss in list_merges(count_bigrams(sentences), len(words))]
    apart = oracle.information(bigrams, {word: rank for rank, word in enumerate(words)})
    together = oracle.information(bigrams, dict.fromkeys(words, 0))
    assert sum(losses) == apart - together
    assert min(losses, default=0) >= -(2 ** (LOSS_DIGITS - 10))  # no less than nothing, but for the 24 digits


def make_text(words: int, sentences: int) -> Sentences:
    draw = random.Random(7)
    return [[f"w{min(int(draw.paretovariate(0.7)), words)}" for _ in range(12)] for _ in range(sentences)]


def test_threads_change_nothing() -> None:
    bigrams = count_bigrams(make_text(900, 3000))
    assert list_merges(bigrams, 500) == list_merges(bigrams, 500, 3)


def test_kinds_of_words_come_together() -> None:
    draw = random.Random(3)
    kinds = [["the", "a", "every"], ["dog", "cat", "bird", "cow"], ["sees", "hears", "calls"]]
    sentences = [[draw.choice(kinds[kind]) for kind in (0, 1, 2, 0, 1)] for _ in range(400)]
    found = cluster_words(build_corpus(sentences), 3)
    path = dict(zip(found.words, found.paths, strict=True))
    assert [len({path[word] for word in kind}) for kind in kinds] == [1, 1, 1]
    assert found.cluster_count == 3


def test_a_file_is_read_back_as_a_resource(tmp_path: Path) -> None:
    text = "The dog ran. A cat ran.\n\nThe cat saw a dog.\n"
    (tmp_path / "raw.txt.xz").write_bytes(lzma.compress(text.encode()))
    (tmp_path / "raw.txt").write_text(text)
    found = cluster_words(tmp_path / "raw.txt.xz", 4)
    assert found.to_text() == cluster_words(tmp_path / "raw.txt", 4).to_text()
    for name in ("clusters.txt", "clusters.txt.gz"):
        found.save(tmp_path / name)
        lookup = load_resource("brown", tmp_path / name).lookup  # type: ignore[union-attr]
        assert [lookup.find(word) for word in found.words] == list(found.paths)
    assert [found.to_resource().lookup.find(word) for word in found.words] == list(found.paths)
    assert repr(found) == "WordClusters(8 words, 4 clusters)"
    both = cluster_words([tmp_path / "raw.txt", tmp_path / "raw.txt.xz"], 4)
    assert both.counts is not None
    assert sum(both.counts) == 2 * sum(found.counts or ())


def test_words_that_no_line_can_hold_are_contexts_only(tmp_path: Path) -> None:
    found = cluster_words(build_corpus([["a", "b\tc", "\u3000", "b", "x\ny", "\0", " c"]]), 2)
    assert sorted(found.words) == ["a", "b"]


def test_a_model_is_trained_with_clusters_in_memory() -> None:
    data = [(["Ann", "saw", "Bonn"], ["B", "O", "B"]), (["Bob", "saw", "Ann"], ["B", "O", "B"])] * 2
    clusters = tagloom.cluster_words(tagloom.from_sentences([words for words, _ in data]), 3)
    model = tagloom.train(data, templates="brown[0]", resources={"brown": clusters.to_resource()}, epochs=3)
    assert model.tag(["Bob", "saw"]) == ["B", "O"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"clusters": 0}, "clusters: expected 1 to 10,000, got 0"),
        ({"clusters": 10_001}, "clusters: expected 1 to 10,000, got 10001"),
        ({"min_count": 0}, "min_count: expected 1 or more, got 0"),
        ({"threads": 0}, "threads: expected 1 to 4096, got 0"),
    ],
)
def test_options_out_of_range(options: dict[str, int], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        cluster_words(build_corpus([["a"]]), **options)  # type: ignore[arg-type]
    assert str(caught.value) == message


def test_text_without_words(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no word occurs 2 times or more; lower min_count"):
        cluster_words(build_corpus([["a", "b"]]), min_count=2)
    with pytest.raises(DataError, match="no words found"):
        cluster_words([])
    (tmp_path / "empty.txt").write_text("")
    with pytest.raises(DataError, match="no tokens found, the file is empty"):
        cluster_words(tmp_path / "empty.txt")


def test_the_core_checks_its_arrays() -> None:
    numbers, counts = np.array([0, 3], np.int32), np.array([1, 1], np.uint32)
    for left, right, amounts, clusters in (
        (numbers, numbers, counts, 2),  # with one word, there are the numbers 0 to 2
        (-numbers, numbers, counts, 2),
        (numbers[:1], numbers, counts, 2),
        (numbers[:1], numbers[:1], counts[:1], 0),
        (numbers[:1] * 0, numbers[:1] * 0, counts[:1], 10_001),
        (numbers * 0, numbers * 0, counts + np.uint32(2**31), 1),
    ):
        with pytest.raises(ValueError, match=r"expected|out of range"):
            BrownClustering(left, right, amounts, 1, clusters)
