"""Word dropout: masks, the rows of masked copies against the plain encoder, and sequences beside their copies."""

from __future__ import annotations

from itertools import chain, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tagloom._core as core
from tagloom.corpus import Corpus
from tagloom.features import FeatureEncoder, Masking, TemplateSet, Vocabulary, parse_templates, repeat_offsets
from tagloom.features.masking import CLUSTERS, FUNCTIONS, GROUPS, LISTS, WORDS, repeat_tokens
from tests.features.encoded import Encoded, by_token, expected, key
from tests.features.vocabulary import known_attributes, rich_corpora, sentence_of, truth
from tests.features.vocabulary import vocabulary as build_vocabulary
from tests.oracle import encoder
from tests.strategies import parts, template_sets, unhurried

SETS = template_sets(parts(known_attributes()))
MASKINGS = st.builds(Masking, st.sampled_from([0.0, 0.2, 0.7, 1.0]), st.integers(1, 3), st.integers(0, 9))
#: The group of every attribute that is masked, by name; written by hand, unlike the declarations.
MASKED = {
    **dict.fromkeys(["form", "lower", "normal", "prefix", "suffix", "ngram"], WORDS),
    **dict.fromkeys(["brown", "brown_folded", "context", "context_brown", "vector"], CLUSTERS),
    **dict.fromkeys(["gazetteer_bioes", "gazetteer_folded", "casing"], LISTS),
    **dict.fromkeys(["lowercased", "functional", "gazetteer", "lexicon", "entities", "category", "mi"], LISTS),
    **dict.fromkeys(["lexicon_backward", "lexicon_begin", "lexicon_end", "av_left", "av_right"], LISTS),
    **dict.fromkeys(["lexicon_begin_length", "lexicon_end_length", "category_backward", "category_cut"], LISTS),
    **dict.fromkeys(["category_cut_backward", "category_size", "category_size_backward"], LISTS),
    **dict.fromkeys(["letters", "scaled", "vowel"], FUNCTIONS),
}


def list_groups(templates: TemplateSet) -> dict[str, str | None]:
    """The group of every attribute of some templates; words of other columns are not masked."""
    found: dict[str, str | None] = {}
    for part in (part for each in templates.templates for part in each.parts):
        group = MASKED.get(part.name)
        is_main = part.column is None or group not in (WORDS, None) or part.column == "#0"
        found[part.attribute] = group if is_main else None
    return found


class Copied(Encoded):
    """A corpus in masked copies: as rows of the core, and from the plain encoder."""

    def __init__(self, templates: TemplateSet, corpus: Corpus, masking: Masking) -> None:
        super().__init__(templates, corpus)
        self.masks, templates = masking.open().draw(corpus.token_count), self.encoder.templates
        groups = list_groups(templates)
        truths = {part.attribute: truth(part) for each in templates.templates for part in each.parts}
        bits = np.zeros((masking.copies, corpus.token_count), np.uint8)
        if self.masks is not None:
            bits = self.masks.reshape(bits.shape)

        def copy(sentence: int, number: int) -> list[list[encoder.Fired]]:
            first = int(corpus.sentences[sentence])

            def is_masked(attribute: str, token: int) -> bool:
                group = groups[attribute]
                return group is not None and bool(bits[number, first + token] >> GROUPS.index(group) & 1)

            return encoder.encode(templates, truths, sentence_of(corpus, sentence), is_masked)

        self.sentences = [copy(s, number) for s in range(len(corpus)) for number in range(masking.copies)]


@given(templates=SETS, corpus=rich_corpora(), masking=MASKINGS, cutoff=st.integers(1, 3), threads=st.integers(1, 3))
@settings(unhurried, max_examples=60)
def test_rows_of_masked_copies_are_those_of_the_plain_encoder(
    templates: TemplateSet, corpus: Corpus, masking: Masking, cutoff: int, threads: int
) -> None:
    copied = Copied(templates, corpus, masking)
    batch = copied.store, copied.batch.codes, copied.batch.sentences
    collected = core.collect_features(*batch, cutoff, 0, threads, copied.masks)
    tables = collected.table(False), collected.table(True)
    again = core.encode(*batch, *tables, threads, copied.masks)
    for edge, table in enumerate(tables):
        tokens = copied.fired(bool(edge))
        assert table.keys().tolist() == [key(identity) for identity in encoder.frequent(tokens, cutoff)]
        assert by_token(collected.take_rows(bool(edge))) == expected(tokens, table)
        assert by_token(again[edge]) == expected(tokens, table)


@given(masking=MASKINGS, sizes=st.lists(st.integers(0, 50), max_size=5))
def test_masks_do_not_depend_on_batches(masking: Masking, sizes: list[int]) -> None:
    whole, stream = masking.open().draw(sum(sizes)), masking.open()
    drawn = [stream.draw(size) for size in sizes]
    if masking.is_off:
        assert whole is None
        return
    pieces = [each.reshape(masking.copies, -1) for each in drawn if each is not None]
    assert (whole is None) == (not pieces)
    if whole is not None:
        assert np.array_equal(whole, np.concatenate(pieces, axis=1).ravel())


def test_every_group_of_every_copy_is_masked_by_itself_with_the_probability_that_was_asked_for() -> None:
    masks = Masking(0.2, 3, seed=7).open().draw(20_000)
    assert masks is not None
    bits = np.unpackbits(masks.reshape(3, -1, 1), axis=2, bitorder="little")
    assert not bits[:, :, len(GROUPS) :].any()
    columns = bits[:, :, : len(GROUPS)].transpose(0, 2, 1).reshape(-1, 20_000).astype(float)
    assert columns.mean(axis=1) == pytest.approx(np.full(len(columns), 0.2), abs=0.015)
    assert np.abs(np.corrcoef(columns) - np.eye(len(columns))).max() < 0.04
    other = Masking(0.2, 3, seed=8).open().draw(20_000)
    assert other is not None
    assert (other != masks).any()


def test_attributes_of_other_columns_shapes_and_sentences_are_never_masked() -> None:
    texts = "form(pos)[0]", "prefix2(pos)[0]", "pos[0]", "shape[0]", "case[0]", "same1[0]", "place[0]", "bag[0]"
    encoded = FeatureEncoder(parse_templates("\n".join(texts), "stays"), build_vocabulary())
    assert encoded.groups == [None] * len(texts)


def test_lemmas_and_lexical_macros_are_masked_with_the_word() -> None:
    vocabulary = Vocabulary(("form", "pos", "lemma"))
    templates = parse_templates("lemma[0]\nsuffix2(lemma)[0]\nform(#0)[-1]\nform(#1)[0]", "mine")
    assert FeatureEncoder(templates, vocabulary).groups == [WORDS, WORDS, WORDS, None]


@given(lengths=st.lists(st.integers(0, 4), max_size=6), copies=st.integers(1, 3))
def test_copies_follow_their_sequence(lengths: list[int], copies: int) -> None:
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    tokens = [list(range(first, last)) for first, last in pairwise(offsets)]
    repeated = [each for each in tokens for _ in range(copies)]
    assert np.diff(repeat_offsets(offsets, copies)).tolist() == list(map(len, repeated))
    found = repeat_tokens(np.arange(offsets[-1]), offsets, copies)
    assert found.tolist() == list(chain.from_iterable(repeated))


def test_masks_that_do_not_cover_the_tokens_are_refused() -> None:
    encoded = Encoded(parse_templates("form[0]", "mine"), Corpus.from_columns({"form": ["a", "b"]}, [2]))
    batch = encoded.store, encoded.batch.codes, encoded.batch.sentences
    with pytest.raises(ValueError, match="one mask per token and copy"):
        core.collect_features(*batch, 1, 0, 1, np.zeros(3, np.uint8))
