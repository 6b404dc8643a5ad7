"""The newswire generator: well-formed columns, names that keep their type within a document and change it between."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagloom.corpus import Corpus
from tagloom.datasets import newswire, newswire_split
from tagloom.datasets.documents import _load_rules
from tagloom.errors import ConfigError

COLUMNS = ("form", "pos", "chunk", "ner", "head")
seeds = st.integers(min_value=-(2**63), max_value=2**64)
shares = st.floats(min_value=0.0, max_value=1.0)


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return newswire(150, seed=3)


def name_types(corpus: Corpus) -> Iterator[dict[str, set[str]]]:
    """For each document, the types of each token that is part of a name somewhere in it."""
    forms, labels = (list(corpus.iter_sentences(column)) for column in ("form", "ner"))
    for start, stop in corpus.document_spans():
        types: dict[str, set[str]] = defaultdict(set)
        for sentence in range(start, stop):
            for form, label in zip(forms[sentence], labels[sentence]):
                if label != "O":
                    types[form].add(label[2:])
        yield types


def types_by_name(corpus: Corpus) -> dict[str, list[str]]:
    """For each name token, its type in each document that has it."""
    found: dict[str, list[str]] = defaultdict(list)
    for types in name_types(corpus):
        for form, (label,) in types.items():
            found[form].append(label)
    return found


def assert_iob2(labels: list[str]) -> None:
    for previous, label in zip(["O", *labels], labels):
        assert label == "O" or label[:2] in ("B-", "I-")
        if label.startswith("I-"):
            assert previous[2:] == label[2:]


def assert_projective_tree(heads: list[int]) -> None:
    """Heads in range, one root, no cycle, no two arcs that cross (the arc from the wall to the root included)."""
    assert all(0 <= head <= len(heads) for head in heads)
    assert heads.count(0) == 1
    for token in range(1, len(heads) + 1):
        for _ in heads:
            token = heads[token - 1] if token else 0
        assert token == 0
    arcs = [tuple(sorted((token, head))) for token, head in enumerate(heads, start=1)]
    assert not any(a < c < b < d for a, b in arcs for c, d in arcs)


@settings(max_examples=25, deadline=None)
@given(seeds, shares)
def test_every_sentence_is_well_formed(seed: int, ambiguity: float) -> None:
    corpus = newswire(2, seed, ambiguity=ambiguity)
    assert corpus.names == list(COLUMNS)
    for number in range(len(corpus)):
        _, tags, chunks, labels, heads = (corpus.sentence(number, column) for column in COLUMNS)
        assert 5 <= len(tags) <= 40
        assert_iob2(chunks)
        assert_iob2(labels)
        assert_projective_tree([int(head) for head in heads])


@settings(max_examples=25, deadline=None)
@given(seeds, shares)
def test_a_name_keeps_its_type_within_a_document(seed: int, ambiguity: float) -> None:
    for types in name_types(newswire(3, seed, ambiguity=ambiguity)):
        assert {form: found for form, found in types.items() if len(found) > 1} == {}


@settings(max_examples=10, deadline=None)
@given(seeds, st.integers(min_value=1, max_value=4))
def test_a_document_does_not_depend_on_how_many_follow(seed: int, count: int) -> None:
    short, long = newswire(count, seed), newswire(5, seed)
    assert long.slice(0, len(short)).checksum() == short.checksum()


def test_the_documents_of_a_seed_never_change() -> None:
    """A new checksum means that published numbers on generated documents no longer hold: say so in the changelog."""
    assert newswire(20, seed=1).checksum() == "26252a29b2f1"
    assert newswire(20, seed=1, ambiguity=1.0).checksum() == "a4871b9e507d"
    assert newswire(20, seed=2).checksum() != newswire(20, seed=1).checksum()


def test_an_entity_is_one_noun_phrase_or_part_of_one(corpus: Corpus) -> None:
    for chunks, labels in zip(corpus.iter_sentences("chunk"), corpus.iter_sentences("ner")):
        for chunk, label in zip(chunks, labels):
            assert label == "O" or chunk.endswith("-NP")
            assert not (label.startswith("I-") and chunk == "B-NP")


def test_names_recur_within_a_document(corpus: Corpus) -> None:
    frequent = []
    for (start, stop), types in zip(corpus.document_spans(), name_types(corpus)):
        tokens = [form for number in range(start, stop) for form in corpus.sentence(number, "form")]
        frequent.append(sum(tokens.count(form) >= 3 for form in types))
    assert min(frequent) >= 1
    assert sum(frequent) / len(frequent) > 4


def test_names_are_ambiguous_across_documents(corpus: Corpus) -> None:
    pool = set(_load_rules()[0].lists["ambiguous.NNP"].words)
    repeated = {form: types for form, types in types_by_name(corpus).items() if form in pool and len(types) >= 5}
    assert {"Jordan", "Washington", "Lincoln", "Chelsea", "Victoria"} <= set(repeated)
    for types in repeated.values():  # no type so common that the name alone tells it
        assert max(map(types.count, types)) / len(types) <= 0.8
    names = [form for form, label in zip(*(corpus.column(c).texts() for c in ("form", "ner"))) if label != "O"]
    assert sum(form in pool for form in names) / len(names) > 0.2


def test_without_ambiguity_a_name_has_one_type() -> None:
    found = types_by_name(newswire(150, seed=3, ambiguity=0.0))
    assert sum(len(set(types)) > 1 for types in found.values()) / len(found) < 0.01


def test_the_vocabulary_has_a_long_tail() -> None:
    split = newswire_split(200)
    known = set(split.train.column("form").texts())
    test = split.test.column("form").texts()
    assert 0.04 < sum(form not in known for form in test) / len(test) < 0.15


def test_all_types_and_many_tags_occur(corpus: Corpus) -> None:
    labels = set(corpus.column("ner").texts())
    assert labels == {"O"} | {f"{part}-{label}" for part in "BI" for label in ("PER", "LOC", "ORG", "MISC")}
    assert len(set(corpus.column("pos").texts())) >= 28
    assert {chunk[2:] for chunk in corpus.column("chunk").texts()} == {
        "", "NP", "VP", "PP", "ADVP", "ADJP", "SBAR", "PRT",
    }  # fmt: skip


def test_a_split_cuts_between_documents() -> None:
    split = newswire_split(25, seed=4)
    parts = (split.train, split.dev, split.test)
    assert [len(list(part.document_spans())) for part in parts] == [21, 2, 2]
    assert sum(map(len, parts)) == len(newswire(25, seed=4))
    assert all(part.has_documents for part in parts)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: newswire(0), "documents: expected 1 to 10,000,000, got 0"),
        (lambda: newswire(1, ambiguity=1.5), "ambiguity: expected a number from 0 to 1, got 1.5"),
        (lambda: newswire_split(2), "documents: expected 3 or more to split, got 2"),
    ],
)
def test_a_bad_argument_is_told_in_one_line(call, message) -> None:
    with pytest.raises(ConfigError) as error:
        call()
    assert str(error.value) == message
