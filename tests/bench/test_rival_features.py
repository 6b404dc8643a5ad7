"""The features that other tools get in the bench are those of the template set: none is missing, merged or split."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable

import pytest

import tagloom
from tagloom.corpus import Corpus
from tagloom.datasets import indonesian_pos, newswire
from tagloom.systems.tagger.encode import EncodedCorpus
from tagloom.systems.tagger.options import TaggerOptions
from tagloom.systems.tagger.task import Task
from tests.oracle.attributes import BUILT_IN

templates = pytest.importorskip("bench.rivals.templates", reason="the benchmarks are not part of the package")

SENTENCES = 120
WORDS = [
    "I",
    "McDonald's",
    "F-16",
    "1,000",
    "2000",
    "ÉTÉ",
    "été",
    "x",
    "...",
    "b2b",
    "ǅ",
    "北京",
    "A.",
    "1-2",
    "-",
    "İx",
]


def read_rows(corpus: Corpus, columns: tuple[str, ...]) -> list[list[tuple[str, ...]]]:
    return [list(zip(*(corpus.sentence(n, name) for name in columns))) for n in range(len(corpus))]


def collect_places(tokens: Iterable[Iterable[Hashable]]) -> Counter[tuple[int, ...]]:
    """The tokens at which every feature fires, whatever it is called."""
    places: dict[Hashable, list[int]] = defaultdict(list)
    for place, features in enumerate(tokens):
        for feature in features:
            places[feature].append(place)
    return Counter(map(tuple, places.values()))


def encode_places(corpus: Corpus, name: str) -> Counter[tuple[int, ...]]:
    options = TaggerOptions(templates=name, learner="averaged-perceptron", label=list(corpus.columns)[-1])
    (offsets, rows, _), _ = EncodedCorpus.encode(Task.plan(corpus, options), options).rows
    return collect_places(rows[start:end].tolist() for start, end in itertools.pairwise(offsets))


@pytest.mark.parametrize(
    ("name", "columns"),
    [("chunking", ("form", "pos")), ("ner-basic", ("form", "pos")), ("pos", ("form",)), ("segmentation", ("form",))],
)
def test_features_fire_where_those_of_the_core_fire(name: str, columns: tuple[str, ...]) -> None:
    source = newswire(8, seed=3) if "pos" in columns else indonesian_pos().train
    corpus = source.slice(0, SENTENCES)  # any column is good enough as the label
    extract = templates.FeatureSet.load(name, columns).extract_strings
    found = collect_places(features for rows in read_rows(corpus, columns) for features in extract(rows))
    assert found == encode_places(corpus, name)


@pytest.mark.parametrize("name", sorted(templates.FUNCTIONS))
def test_attributes_are_those_of_the_oracle(name: str) -> None:
    plain, number = name.rstrip("0123456789"), name.lstrip("abcdefghijklmnopqrstuvwxyz_")
    for word in WORDS:
        value = templates.FUNCTIONS[name](word)
        assert ([] if value is None else [value]) == BUILT_IN[plain](word, int(number or 0)), word


def test_dicts_have_the_same_features_as_strings() -> None:
    features = templates.FeatureSet.load("ner-basic", ("form", "pos"))
    for rows in read_rows(newswire(2, seed=1), ("form", "pos")):
        for strings, mapping in zip(features.extract_strings(rows), features.extract_dicts(rows)):
            assert sorted(strings) == sorted(f"{name}:{value}" for name, value in mapping.items())


def test_patterns_over_columns_are_the_same_templates() -> None:
    features, columns = templates.FeatureSet.load("chunking", ("form", "pos")), ("form", "pos")
    corpus = newswire(4, seed=5)
    lines = features.write_columns(read_rows(corpus, columns)[0])
    assert lines == ["\t".join(row) for row in read_rows(corpus, columns)[0]]
    options = {"learner": "averaged-perceptron", "epochs": 1, "label": "chunk"}
    own, patterns = (
        tagloom.train(corpus, templates=text, **options) for text in ("chunking", features.write_patterns("U", "B"))
    )
    assert patterns.tag_corpus(corpus).texts() == own.tag_corpus(corpus).texts()
    assert len(own.parameters.node_keys) == len(patterns.parameters.node_keys)
