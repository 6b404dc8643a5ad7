"""The native encoder against the plain one: names, keys, rows, values, cut-off, names of rows, feature hashing."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tagloom._core as core
from tagloom.corpus import Corpus
from tagloom.features import TemplateSet, load_templates
from tests.features.encoded import Encoded, Rows, by_token, expected, key
from tests.features.vocabulary import known_attributes, rich_corpora
from tests.oracle import encoder
from tests.strategies import parts, template_sets, unhurried

SETS = template_sets(parts(known_attributes()))
relaxed = settings(unhurried, max_examples=80)


@given(templates=SETS, corpus=rich_corpora())
@relaxed
def test_described_features_are_those_of_the_plain_encoder(templates: TemplateSet, corpus: Corpus) -> None:
    encoded = Encoded(templates, corpus)
    for number, sentence in enumerate(encoded.sentences):
        described = encoded.encoder.describe(encoded.store, encoded.batch, number)
        assert [[(f.name, f.key, f.edge) for f in token] for token in described] == [
            [(f.name, key(f.identity), f.edge) for f in token] for token in sentence
        ]
        values = [f.value for token in described for f in token]
        assert values == pytest.approx([f.weight for token in sentence for f in token], rel=1e-6)


@given(templates=SETS, corpus=rich_corpora(), cutoff=st.integers(1, 4))
@relaxed
def test_frequent_features_and_no_others_get_rows_by_falling_frequency(
    templates: TemplateSet, corpus: Corpus, cutoff: int
) -> None:
    encoded = Encoded(templates, corpus)
    collected = encoded.collect(cutoff)
    for edge in (False, True):
        tokens, table = encoded.fired(edge), collected.table(edge)
        assert table.keys().tolist() == [key(identity) for identity in encoder.frequent(tokens, cutoff)]
        assert by_token(collected.take_rows(edge)) == expected(tokens, table)


@given(templates=SETS, corpus=rich_corpora(), other=rich_corpora())
@relaxed
def test_other_text_gets_the_rows_of_known_features(templates: TemplateSet, corpus: Corpus, other: Corpus) -> None:
    collected = Encoded(templates, corpus).collect()
    nodes, edges = collected.table(False), collected.table(True)
    encoded = Encoded(templates, other)
    node_rows, edge_rows = encoded.rows(nodes, edges)
    assert by_token(node_rows) == expected(encoded.fired(False), nodes)
    assert by_token(edge_rows) == expected(encoded.fired(True), edges)


@given(templates=SETS, corpus=rich_corpora(), cutoff=st.integers(1, 2))
@relaxed
def test_rows_are_named_as_their_features(templates: TemplateSet, corpus: Corpus, cutoff: int) -> None:
    encoded = Encoded(templates, corpus)
    collected = encoded.collect(cutoff)
    for edge, chosen in ((False, templates.nodes), (True, templates.edges)):
        names = {f.identity: f.name for token in encoded.fired(edge) for f in token}
        rows = np.arange(len(collected.table(edge)), dtype=np.uint32)
        text, ends = collected.names(
            encoded.store, encoded.batch.codes, encoded.batch.sentences, edge, encoded.encoder.part_names(chosen), rows
        )
        found = [text[start:stop].tobytes().decode() for start, stop in pairwise(ends)]
        assert found == [names[identity] for identity in encoder.frequent(encoded.fired(edge), cutoff)]


@given(templates=SETS, corpus=rich_corpora(), buckets=st.sampled_from([1, 2, 7, 1000, 2**32 - 1]))
@relaxed
def test_hashed_features_keep_their_bucket(templates: TemplateSet, corpus: Corpus, buckets: int) -> None:
    encoded = Encoded(templates, corpus)
    collected = encoded.collect(cutoff=2, buckets=buckets)
    table = core.FeatureTable.hashed(buckets)
    assert len(table) == table.buckets == buckets
    for edge, again in zip((False, True), encoded.rows(table, table), strict=True):
        tokens = by_token(collected.take_rows(edge))
        assert tokens == by_token(again) == expected(encoded.fired(edge), table)
        assert all(row < buckets for token in tokens for row, _ in token)


@given(
    templates=SETS, corpus=rich_corpora(), cutoff=st.integers(1, 3), buckets=st.sampled_from([0, 7]),
    threads=st.integers(2, 5),
)  # fmt: skip
@relaxed
def test_threads_change_nothing(
    templates: TemplateSet, corpus: Corpus, cutoff: int, buckets: int, threads: int
) -> None:
    encoded = Encoded(templates, corpus)
    given, batch = (cutoff, buckets), (encoded.store, encoded.batch.codes, encoded.batch.sentences)
    alone, together = (core.collect_features(*batch, *given, number) for number in (1, threads))
    tables = [alone.table(edge) for edge in (False, True)]
    found = core.encode(*batch, *tables, threads)
    for edge, again in zip((False, True), found, strict=True):
        assert together.table(edge).keys().tolist() == alone.table(edge).keys().tolist()
        rows = alone.take_rows(edge)
        assert_same_rows(together.take_rows(edge), rows)
        assert by_token(again) == by_token(rows)


@given(
    templates=SETS, corpus=rich_corpora(), cutoff=st.integers(1, 3), cut=st.integers(0, 4), threads=st.integers(1, 3)
)
@relaxed
def test_batches_one_after_another_are_the_whole_corpus(
    templates: TemplateSet, corpus: Corpus, cutoff: int, cut: int, threads: int
) -> None:
    whole = Encoded(templates, corpus).collect(cutoff)
    collected = core.Collected()
    found = [take_batch(collected, templates, part, threads) for part in (corpus.slice(0, cut), corpus.slice(cut, 99))]
    new_rows = collected.finish(cutoff)
    for edge in (False, True):
        assert collected.table(edge).keys().tolist() == whole.table(edge).keys().tolist()
        parts = [by_token(core.rename_rows(*rows[edge], new_rows[edge])) for rows in found]
        assert parts[0] + parts[1] == by_token(whole.take_rows(edge))


def test_threads_that_insert_at_the_same_time_number_features_as_one_thread_does() -> None:
    draw = np.random.default_rng(3)
    words = [f"w{number}" for number in draw.zipf(1.3, 20_000) % 30_000]
    corpus = Corpus.from_columns({"form": words}, [10] * 2_000)
    encoded = Encoded(load_templates("form[{-2..2}]\nform[-1] form[0]\nform[0] form[1]\nform[0] / edge\n"), corpus)
    batch = (encoded.store, encoded.batch.codes, encoded.batch.sentences)
    for cutoff in (1, 2):
        alone = core.collect_features(*batch, cutoff, 0, 1)
        rows = [alone.take_rows(edge) for edge in (False, True)]
        for threads in (2, 16):
            together = core.collect_features(*batch, cutoff, 0, threads)
            for edge in (False, True):
                assert together.table(edge).keys().tobytes() == alone.table(edge).keys().tobytes()
                assert_same_rows(together.take_rows(edge), rows[edge])


def take_batch(collected: core.Collected, templates: TemplateSet, corpus: Corpus, threads: int) -> tuple[Rows, Rows]:
    encoded = Encoded(templates, corpus)
    return collected.take(encoded.store, encoded.batch.codes, encoded.batch.sentences, threads)


def assert_same_rows(found: Rows, wanted: Rows) -> None:
    for one, other in zip(found, wanted, strict=True):
        assert one.tobytes() == other.tobytes()


def test_hashed_features_spread_over_all_buckets() -> None:
    table = core.FeatureTable.hashed(10)
    rows = [table.find(core.feature_key("form[0]", [str(number)])) for number in range(10_000)]
    counts = np.bincount(rows, minlength=10)
    assert counts.min() > 850
    assert counts.max() < 1150


def test_a_growing_table_of_words_keeps_the_rows_of_earlier_words() -> None:
    templates = load_templates("form[0]\nletters[0]\nbrown3[-1] suffix2[0]\n")
    first, second = (Corpus.from_columns({"form": words}, [len(words)]) for words in (["a", "ab"], ["the", "ab", "a"]))
    encoded = Encoded(templates, first)
    table = encoded.collect().table(False)
    encoded.batch.tables[0].intern_all(second.column("form").texts())
    encoded.encoder.prepare(encoded.store, encoded.batch)
    codes = [np.array([encoded.batch.tables[0].find(word) for word in second.column("form").texts()], np.int32)]
    rows, _ = core.encode(encoded.store, codes, second.sentences, table, core.FeatureTable(np.zeros(0, np.uint64)))
    assert by_token(rows) == expected(Encoded(templates, second).fired(False), table)
