"""A vocabulary with an attribute of every kind, and beside it the plain truth of each attribute."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from hypothesis import strategies as st

from tagloom._core import Lookup
from tagloom.corpus import Column, Corpus
from tagloom.features import (
    Casing,
    Categories,
    Clusters,
    Part,
    Phrases,
    Statistics,
    Value,
    Vectors,
    Vocabulary,
    WordList,
    parse_templates,
)
from tests.oracle import attributes, documents, encoder, statistics
from tests.strategies import corpora, words

CLUSTERS = {"a": "0010", "b": "01", "the": "1111", "New": "00111", "percent": "0110", "of": "10", "in": "110"}
MORE_LISTS = {f"list{number}": [f"w{number % 7}", "New York"[: number % 9]] for number in range(70)}
LISTS = {"city": ["New York", "New", "a b"], "low": ["new york b", "b", "b c", "the company"], "UP": ["A B A", "THE"]}
FUNCTIONAL = ["of", "the"]
LOWERCASED = ["a", "New", "of", "percent"]
LEXICON = ["ab", "abc", "bc", "c", "bcaa"]
CATEGORIES = {"ab": ["Af10B05#", "Ae13A10="], "abc": ["Hg05A01="], "bca": ["Dm01A46#"], "a": ["Aa01A01@", "Aa01A02="]}
ENTITIES = {"place": ["abc", "ca"], "person": ["ABA", "b c"]}
VECTORS = {"a": [1.0, -0.5, 0.0], "b": [0.25, 2.0, 0.125], "New": [0.0, 0.0, 3.0], "new": [0.5, 0.5, -1.0]}
SPELLINGS = {"THE": "0", "new": "10", "New": "11", "york": "010", "York": "0110", "McB": "111", "a": "001"}
WRITTEN = ["The new york a a a A", "the (The) NEW York York b b b b,", "a a a b b c C 'the york"]
RAW = ["abcab", "bcabca", "aab b", "cabcb", "", "abaab", "1,ab"]


def letters(word: str) -> list[str]:
    return list(word[:3])


def scaled(word: str) -> dict[str, float]:
    return {"length": len(word) / 10, word[:1]: -0.5}


def vowel(word: str) -> str | None:
    return word[0] if word[0] in "aeiou" else None


def place(sentence: Sequence[str]) -> list[Value]:
    """A value, a weight, or nothing, by turns."""
    choices: list[Value] = ["first", {"share": 1 / max(1, len(sentence))}, None]
    return [choices[t % 3] for t in range(len(sentence))]


def clusters(paths: Mapping[str, str] = CLUSTERS) -> Clusters:
    lookup = Lookup()
    for word, path in paths.items():
        lookup.add(word, path)
    return Clusters(lookup)


def lexicon(entries: Sequence[str] = LEXICON) -> Phrases:
    return Phrases.lexicon(entries)


def vocabulary(*columns: str) -> Vocabulary:
    """All functions and resources over some columns, of which ``bag`` is a bag."""
    return Vocabulary(
        columns or ("form", "pos", "x2", "bag"),
        bags=frozenset({"bag"}),
        word_functions={"letters": letters, "scaled": scaled, "vowel1": vowel},
        sentence_functions={"place": place},
        resources={
            "brown": clusters(),
            "gazetteer": Phrases.build(LISTS),
            "lexicon": lexicon(),
            "lowercased": WordList.of(LOWERCASED),
            "functional": WordList.of(FUNCTIONAL),
            "category": Categories.build(CATEGORIES),
            "entities": Phrases.build(ENTITIES, by_character=True),
            "statistics": Statistics.count(RAW),
            "vectors": Vectors.build(list(VECTORS), list(VECTORS.values()), scale=None),
            "casing": Casing.count(WRITTEN),
            "gazetteer_folded": Phrases.build(LISTS, fold=True),
            "brown:web-2": clusters(SPELLINGS),
            "gazetteer:x1": Phrases.build(MORE_LISTS),
            "functional:2": WordList.of(["a", "b"]),
        },
    )


#: What a template may look at: attributes of every kind, as they are written.
ATTRIBUTES = (
    *(name for name in attributes.BUILT_IN if name not in ("prefix", "suffix", "ngram")),
    *("prefix1(pos)", "suffix2", "ngram2", "pos", "x2", "form(x2)", "form(#1)"),
    *(
        "letters",
        "letters(pos)",
        "scaled",
        "vowel1",
        "place",
        "bag",
        "brown",
        "brown3",
        "lowercased",
        "functional",
        "gazetteer",
        "lexicon",
    ),
    *("same1", "same2(pos)", "lexicon_backward", "lexicon_begin2", "lexicon_end6", "lexicon_begin_length6"),
    *("lexicon_end_length3", "category", "category2", "category_backward4", "category_cut", "category_cut_backward"),
    *("category_size", "category_size_backward", "entities", "av_left2", "av_right3", "av_left4", "mi"),
    *("vector", "vector(x2)"),
    *("gazetteer_bioes", "gazetteer_folded", "brown_folded", "brown_folded2:web-2", "brown1:web-2", "casing"),
    *("casing(pos)", "gazetteer_bioes:x1", "gazetteer:x1(x2)", "functional:2"),
    *("context", "context_brown3", "document_kind", "sentence_place", "sentence_case"),
)

_OF_WORD = {"letters": letters, "scaled": scaled, "vowel": vowel}
_LABELS = attributes.gazetteer(LISTS)
_SPACED = {name: [" ".join("".join(phrase.split())) for phrase in phrases] for name, phrases in ENTITIES.items()}
_MORE_LABELS = attributes.gazetteer(MORE_LISTS)
_POSITIONS = attributes.gazetteer(LISTS, bioes=True)
_FOLDED = attributes.gazetteer(LISTS, bioes=True, fold=True)
_MORE_POSITIONS = attributes.gazetteer(MORE_LISTS, bioes=True)
_ENTITY_LABELS = attributes.gazetteer(_SPACED)
_RAW = statistics.RawText(RAW)
_OF_SENTENCE: dict[str, encoder.Attribute] = {
    "place": lambda sentence: list(map(encoder.values_of, place(sentence["form"]))),
    "gazetteer": lambda sentence: list(map(encoder.values_of, _LABELS(sentence["form"]))),
    "lexicon": lambda sentence: list(map(encoder.values_of, attributes.lexicon(sentence["form"], LEXICON))),
    "bag": lambda sentence: list(sentence["bag"]),
}


#: (words of the sentence, number of the attribute) -> the values of every token
MATCHED_TRUTH: dict[str, Callable[[Sequence[str], int], Sequence[Value]]] = {
    "same": attributes.same,
    "entities": lambda words, _: _ENTITY_LABELS(words),
    "lexicon_backward": lambda words, _: attributes.lexicon(words, LEXICON, backward=True),
    "lexicon_begin": lambda words, n: attributes.words_at(words, LEXICON, n, end=False),
    "lexicon_end": lambda words, n: attributes.words_at(words, LEXICON, n, end=True),
    "lexicon_begin_length": lambda words, n: _longest(attributes.words_at(words, LEXICON, n, end=False)),
    "lexicon_end_length": lambda words, n: _longest(attributes.words_at(words, LEXICON, n, end=True)),
    "category": lambda words, n: attributes.categories(words, CATEGORIES, n),
    "category_backward": lambda words, n: attributes.categories(words, CATEGORIES, n, backward=True),
    "category_cut": lambda words, _: attributes.lexicon(words, CATEGORIES),
    "category_cut_backward": lambda words, _: attributes.lexicon(words, CATEGORIES, backward=True),
    "category_size": lambda words, _: attributes.sizes(words, CATEGORIES),
    "category_size_backward": lambda words, _: attributes.sizes(words, CATEGORIES, backward=True),
    "av_left": _RAW.av_left,
    "av_right": _RAW.av_right,
    "mi": lambda words, _: _RAW.mi(words),
    "vector": lambda words, _: [attributes.vector(word, VECTORS) for word in words],
    "gazetteer_bioes": lambda words, _: _POSITIONS(words),
    "gazetteer_folded": lambda words, _: _FOLDED(words),
    "gazetteer_bioes:x1": lambda words, _: _MORE_POSITIONS(words),
    "gazetteer:x1": lambda words, _: _MORE_LABELS(words),
    # Without documents, every sentence is one.
    "context": lambda words, _: documents.context([words])[0],
    "context_brown": lambda words, n: documents.context_clusters([words], CLUSTERS, n)[0],
    "document_kind": lambda words, _: documents.kinds([words])[0],
    "sentence_place": lambda words, _: documents.places([words])[0],
    "sentence_case": lambda words, _: documents.cases([words])[0],
}


def _longest(found: list[list[str]]) -> list[list[str]]:
    return [[str(len(words[-1]))] if words else [] for words in found]


def truth(part: Part) -> encoder.Attribute:
    """The plain truth of what a part looks at."""
    column = {None: "form", "#0": "form", "#1": "pos"}.get(part.column, part.column)
    name = part.name if part.resource is None else f"{part.name}:{part.resource}"
    if name in MATCHED_TRUTH:
        values = MATCHED_TRUTH[name]
        return lambda sentence: list(map(encoder.values_of, values(sentence[column], part.number or 0)))
    if part.name in _OF_SENTENCE:
        return _OF_SENTENCE[part.name]
    if part.name in _OF_WORD:
        return encoder.of_word(column, _OF_WORD[part.name])
    if part.name == "lowercased":
        known = set(map(attributes.lower, LOWERCASED))
        return encoder.of_word(column, lambda word: str(int(attributes.lower(word) in known)))
    if part.name == "functional":
        listed = FUNCTIONAL if part.resource is None else ["a", "b"]
        return encoder.of_word(column, lambda word: attributes.yes(word in listed))
    if part.name == "word_type":
        return encoder.of_word(column, lambda word: "f" if word in FUNCTIONAL else attributes.word_type(word))
    paths = CLUSTERS if part.resource is None else SPELLINGS
    if part.name == "brown":
        return encoder.of_word(column, lambda word: attributes.brown(paths.get(word), part.number))
    if part.name == "brown_folded":
        return encoder.of_word(column, lambda word: attributes.brown_folded(word, paths, part.number))
    if part.name == "casing":
        text = " ".join(WRITTEN).split()
        return encoder.of_word(column, lambda word: attributes.casing(word, text))
    if part.name in attributes.BUILT_IN:
        return encoder.of_word(column, lambda word: attributes.BUILT_IN[part.name](word, part.number or 0))
    return lambda sentence: [[(text, 1.0)] for text in sentence[part.attribute]]


def known_attributes() -> st.SearchStrategy[Part]:
    parsed = parse_templates("\n".join(f"{text}[0]" for text in ATTRIBUTES), "attributes")
    return st.sampled_from([template.parts[0] for template in parsed.templates])


@st.composite
def rich_corpora(draw: st.DrawFn) -> Corpus:
    """Corpora with the vocabulary's columns; sentences may be empty."""
    form = st.sampled_from(["a", "b", "c", "A", "B", "New", "York", "york"]) | words()
    corpus = draw(corpora({"form": form, "pos": st.sampled_from(["N", "V"]), "x2": words()}, min_length=0))
    weighted = st.tuples(words(), st.sampled_from([1.0, 1.0, 0.5, -2.0, 0.0, 3.25]))
    tokens = draw(st.lists(st.lists(weighted, max_size=3), min_size=corpus.token_count, max_size=corpus.token_count))
    return corpus.with_column("bag", bag_column(tokens))


def bag_column(tokens: Sequence[Sequence[tuple[str, float]]]) -> Column:
    texts = Column.from_strings([text for token in tokens for text, _ in token])
    offsets = np.cumsum([0, *map(len, tokens)], dtype=np.int64)
    weights = np.array([weight for token in tokens for _, weight in token], dtype=np.float32)
    return Column(texts.codes, texts.strings, offsets, weights)


def sentence_of(corpus: Corpus, index: int) -> encoder.Sentence:
    """One sentence in plain strings; of a bag the (string, weight) pairs of every token."""
    start, stop = corpus.span(index)
    columns = {name: column.texts(start, stop) for name, column in corpus.columns.items() if not column.is_bag}
    bags = {name: _pairs(column, start, stop) for name, column in corpus.columns.items() if column.is_bag}
    return {**columns, **bags}


def _pairs(bag: Column, start: int, stop: int) -> list[encoder.Values]:
    assert bag.offsets is not None
    assert bag.values is not None
    texts, weights = [bag.strings[code] for code in bag.codes.tolist()], bag.values.tolist()
    spans = [slice(bag.offsets[t], bag.offsets[t + 1]) for t in range(start, stop)]
    return [list(zip(texts[span], weights[span])) for span in spans]
