"""Global features: their strings against Figure 1 spelled out, keys, counts and rows against the strings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus import Corpus, read
from tagloom.corpus.schemes import get_scheme
from tagloom.errors import ConfigError
from tagloom.features import Document, DocumentFunction, Vocabulary, WordList
from tagloom.features.global_templates import load_global_templates
from tagloom.structures.candidates import CandidateLists
from tagloom.structures.global_features import GlobalFeatures, PreparedFeatures, select_keys
from tagloom.structures.sequences import Sequences
from tests.oracle import global_features as oracle
from tests.oracle import spans as schemes
from tests.strategies import unhurried

LOWERCASED = ["the", "a", "Of"]
WORDS = ["the", "The", "of", "Lennon", "G.M.", "1996", ",", "x", '"', "``", "''", "“", "”", "„", "«", "»", "北京"]
KINDS = {"SCN": [""], "IOB2": ["PER", "LOC"], "BIOES": ["PER", "LOC"]}
Labelling = tuple[list[oracle.Span], list[str]]


def features_of(
    scheme: str, templates: str = "collins-2002", functions: Mapping[str, DocumentFunction | None] | None = None
) -> GlobalFeatures:
    return made(scheme, templates) if functions is None else make(scheme, templates, functions)


def make(scheme: str, templates: str, functions: Mapping[str, DocumentFunction | None]) -> GlobalFeatures:
    vocabulary = Vocabulary(("form", "pos"), resources={"lowercased": WordList.of(LOWERCASED)})
    labels = schemes.inventory(scheme, KINDS[scheme])
    return GlobalFeatures(load_global_templates(templates), functions, vocabulary, labels, get_scheme(scheme))


@cache
def made(scheme: str, templates: str) -> GlobalFeatures:
    return make(scheme, templates, {})


def corpus_of(sentences: Sequence[Sequence[str]]) -> Corpus:
    words = [word for sentence in sentences for word in sentence]
    return Corpus.from_columns({"form": words, "pos": [word[:1] for word in words]}, list(map(len, sentences)))


def prepare(features: GlobalFeatures, sentences: Sequence[Sequence[str]]) -> PreparedFeatures:
    corpus = corpus_of(sentences)
    return features.prepare(features.batch(corpus), Sequences.of_sentences(corpus.sentences))


def codes_of(features: GlobalFeatures, labels: Sequence[str]) -> NDArray[np.int32]:
    return np.array([features.labels.index(label) for label in labels], np.int32)


def lists_of(features: GlobalFeatures, candidates: Sequence[Sequence[Sequence[str]]]) -> CandidateLists:
    flat = [labels for each in candidates for labels in each]
    codes = [codes_of(features, labels) for labels in flat]
    return CandidateLists(
        np.cumsum([0, *map(len, candidates)], dtype=np.int64),
        np.cumsum([0, *map(len, flat)], dtype=np.int64),
        np.concatenate([np.zeros(0, np.int32), *codes]),
        np.zeros(len(flat)),
    )


@st.composite
def labellings(draw: st.DrawFn, length: int, scheme: str) -> Labelling:
    spans: list[oracle.Span] = []
    t = 0
    while t < length:
        size = draw(st.integers(1, 4))
        if t + size <= length and draw(st.booleans()):
            spans.append((t, t + size - 1, draw(st.sampled_from(KINDS[scheme]))))
        t += size
    return spans, schemes.write([(start, stop + 1, kind) for start, stop, kind in spans], length, scheme)


@st.composite
def labelled(draw: st.DrawFn, scheme: str) -> tuple[list[list[str]], list[list[Labelling]]]:
    """Sentences, and candidates of each."""
    sentences = draw(st.lists(st.lists(st.sampled_from(WORDS), max_size=14), min_size=1, max_size=4))
    return sentences, [draw(st.lists(labellings(len(s), scheme), max_size=4)) for s in sentences]


def expected(words: list[str], labelling: Labelling) -> set[str]:
    spans, labels = labelling
    return oracle.features(words, labels, spans, LOWERCASED)


@pytest.mark.parametrize("scheme", KINDS)
@given(data=st.data())
@unhurried
def test_strings_are_those_of_figure_1_and_keys_counts_and_rows_follow_them(scheme: str, data: st.DataObject) -> None:
    sentences, candidates = data.draw(labelled(scheme))
    features = features_of(scheme)
    ready = prepare(features, sentences)
    lists = lists_of(features, [[labels for _, labels in each] for each in candidates])
    texts: dict[int, str] = {}
    counts: Counter[str] = Counter()
    for number, each in enumerate(candidates):
        met: set[str] = set()
        for labelling in each:
            described = ready.describe(number, codes_of(features, labelling[1]))
            assert {text for _, text in described} == expected(sentences[number], labelling)
            assert len({key for key, _ in described}) == len(described)
            assert all(texts.setdefault(key, text) == text for key, text in described)
            met |= {text for _, text in described}
        counts.update(met)
    assert len(set(texts.values())) == len(texts)  # equal texts, equal keys
    check_arrays(ready, lists, texts, counts, [expected(s, x) for s, each in zip(sentences, candidates) for x in each])


def check_arrays(
    ready: PreparedFeatures,
    lists: CandidateLists,
    texts: Mapping[int, str],
    counts: Counter[str],
    by_candidate: list[set[str]],
) -> None:
    keys, numbers = ready.count(lists)
    assert {texts[key]: number for key, number in zip(keys.tolist(), numbers.tolist())} == counts
    assert np.array_equal(keys, np.unique(keys))
    kept = select_keys(keys, numbers, 2)
    assert {texts[key] for key in kept.tolist()} == {text for text, number in counts.items() if number >= 2}
    table = _core.FeatureTable(np.ascontiguousarray(keys[::-2]))  # some are unknown
    names = [texts[key] for key in table.keys().tolist()]
    assert ready.texts_of(lists, table) == names
    offsets, rows = ready.rows(lists, table)
    for number, found in enumerate(by_candidate):
        mine = rows[offsets[number] : offsets[number + 1]]
        assert np.array_equal(mine, np.unique(mine))
        assert {names[row] for row in mine.tolist()} == found & set(names)
    for one, two in zip((*ready.count(lists, 2), *ready.rows(lists, table, 2)), (keys, numbers, offsets, rows)):
        assert np.array_equal(one, two)


PAPER = (
    "Whether/N you/N ’/N re/N an/N aging/N flower/N child/N or/N a/N clueless/N Gen/S Xer/C ,/N “/N The/S Day/C They/C "
    "Shot/C John/C Lennon/C ,/N ”/N playing/N at/N the/N Dougherty/S Arts/C Center/C ,/N entertains/N the/N "
    "imagination/N ./N"
)


def test_the_example_of_the_paper() -> None:
    """The stands in the capitalisation lexicon, Lennon does not; the comma before the closing mark does not matter."""
    words, labels = zip(*(token.rsplit("/", 1) for token in PAPER.split()))
    features = features_of("SCN")
    found = {text for _, text in prepare(features, [words]).describe(0, codes_of(features, labels))}
    whole = {text for text in found if text.startswith("WE=")}
    assert whole == {"WE=Gen Xer", "WE=The Day They Shot John Lennon", "WE=Dougherty Arts Center"}
    assert {"BO01=the Aa 0", "FF=Aa Aa Aa", "LWLC=0", "QF=1 6 0 Aa 1 Aa 0", "QF2=1 1 Aa 1 Aa 0"} <= found
    apart = [*labels[:19], "S", *labels[20:]]  # an entity ends inside the quotes
    found = {text for _, text in prepare(features, [words]).describe(0, codes_of(features, apart))}
    assert {"QF=0 6 0 Aa 1 Aa 0", "QF2=0 1 Aa 1 Aa 0"} <= found


def test_gold_labels_of_a_real_corpus(data_dir: Path) -> None:
    corpus = read(data_dir / "conll2003-en/eng.testb")
    names = sorted(set(corpus.column("label").texts()))
    resources = {"lowercased": WordList.of(LOWERCASED)}
    features = GlobalFeatures(
        load_global_templates("collins-2002"),
        {},
        Vocabulary(("form",), resources=resources),
        names,
        get_scheme("IOB1"),
    )
    ready = features.prepare(features.batch(corpus), Sequences.of_sentences(corpus.sentences))
    quoted = 0
    for number in range(0, len(corpus), 5):
        start, stop = corpus.span(number)
        words, labels = corpus.column("form").texts(start, stop), corpus.column("label").texts(start, stop)
        spans = [(first, last, kind) for kind, first, last in entities_of(labels)]
        found = {text for _, text in ready.describe(number, codes_of(features, labels))}
        assert found == oracle.features(words, labels, spans, LOWERCASED)
        quoted += any(text.startswith("QF=") for text in found)
    assert quoted > 5


def entities_of(labels: Sequence[str]) -> list[tuple[str, int, int]]:
    """Class, first and last token of the spans of IOB1 labels."""
    found: list[tuple[str, int, int]] = []
    for t, label in enumerate(labels):
        prefix, _, kind = label.partition("-")
        if prefix == "I" and found and found[-1][0] == kind and found[-1][2] == t - 1:
            found[-1] = (kind, found[-1][1], t)
        elif prefix != "O":
            found.append((kind, t, t))
    return found


def test_sentences_of_a_document_are_apart() -> None:
    features = features_of("IOB2", "W = form[start-1] form[start..end] form[end+1]\nQ = size")
    corpus = corpus_of([["a", "b"], ["c", "d"]])
    sequences = Sequences.group(corpus.sentences, np.array([0, 2], np.int64))
    ready = features.prepare(features.batch(corpus), sequences)
    codes = codes_of(features, ["O", "B-PER", "I-PER", "O"])
    assert [text for _, text in ready.describe(0, codes)] == [
        "W/PER=a b _B+1",
        "Q/PER=1",
        "W/PER=_B-1 c d",
    ]


def test_any_number_of_threads_finds_the_same() -> None:
    draw = np.random.default_rng(3)
    features = features_of("IOB2")
    sentences = [[WORDS[k] for k in draw.integers(0, len(WORDS), length)] for length in draw.integers(0, 60, 150)]
    candidates = [
        [
            [features.labels[k] for k in draw.integers(0, len(features.labels), len(words))]
            for _ in range(draw.integers(0, 6))
        ]
        for words in sentences
    ]
    ready, lists = prepare(features, sentences), lists_of(features, candidates)
    keys, counts = ready.count(lists, 1)
    table = _core.FeatureTable(draw.permutation(select_keys(keys, counts, 2)))
    offsets, rows = ready.rows(lists, table, 1)
    described = [ready.describe(s, codes_of(features, labels)) for s, each in enumerate(candidates) for labels in each]
    for found, start, stop in zip(described, offsets[:-1], offsets[1:], strict=True):
        known = sorted(row for key, _ in found if (row := table.find(key)) >= 0)
        assert rows[start:stop].tolist() == known
    for threads in (2, 3):
        again = [*ready.count(lists, threads), *ready.rows(lists, table, threads)]
        assert all(np.array_equal(one, two) for one, two in zip(again, [keys, counts, offsets, rows], strict=True))


def test_labels_columns_and_ranges() -> None:
    lines = ["L = label[start-1] label[end+1]", "P = pos[start] prefix3(pos)[start]", "R = form[start..end] / <= 2"]
    text = "\n".join([*lines, "E = form[end..start]"])
    features = features_of("IOB2", text)
    ready = prepare(features, [["x", "yes", "no", "z", "w"]])
    codes = codes_of(features, ["B-LOC", "B-PER", "I-PER", "I-PER", "O"])
    found = {text for _, text in ready.describe(0, codes)}
    # P has no value, R is too long for the second entity, and E is a range only of one token.
    assert found == {"L/LOC=_B-1 B-PER", "L/PER=B-LOC O", "R/LOC=x", "E/LOC=x"}


def test_attributes_of_the_user() -> None:
    """Several values of a token are one, joined; a token without a value makes no feature."""
    vocabulary = Vocabulary(
        ("form",),
        word_functions={"letters": lambda word: list(word)},
        sentence_functions={"place": lambda words: [None if t == 2 else str(t) for t in range(len(words))]},
    )
    templates = load_global_templates("A = letters[start..end]\nB = place[start..]")
    features = GlobalFeatures(templates, {}, vocabulary, ["N", "S", "C"], get_scheme("SCN"))
    ready = prepare(features, [["ab", "b", "c", "d"]])
    found = [text for _, text in ready.describe(0, codes_of(features, ["S", "C", "C", "S"]))]
    assert found == ["A=a+b b c", "B=0", "B=0 1", "A=d", "B=3"]


def test_functions_of_the_user_join_the_templates() -> None:
    def ends(sentence: Document, labels: Sequence[str]) -> list[str]:
        return [f"{sentence.words[-1]} {labels[-1]}", f"{sentence.words[-1]} {labels[-1]}"] if labels else []

    features = features_of("IOB2", "WE = form[start..end]", {"ends": ends})
    ready = prepare(features, [["a", "b"], ["b"], []])
    lists = lists_of(features, [[["O", "O"], ["O", "B-PER"]], [["O"]], [[]]])
    texts = dict(
        item
        for number, codes in ((0, [0, 0]), (0, [0, 1]), (1, [0]))
        for item in ready.describe(number, np.array(codes, np.int32))
    )
    assert sorted(texts.values()) == ["WE/PER=b", "ends=b B-PER", "ends=b O"]
    by_candidate = [{"ends=b O"}, {"WE/PER=b", "ends=b B-PER"}, {"ends=b O"}, set[str]()]
    counts = Counter({"ends=b O": 2, "WE/PER=b": 1, "ends=b B-PER": 1})
    check_arrays(ready, lists, texts, counts, by_candidate)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda sentence, labels: "ab", "expected an iterable of strings, got 'ab'"),
        (lambda sentence, labels: [1], "expected strings, got 1"),
        (lambda sentence, labels: 1 / 0, "ZeroDivisionError: division by zero"),
    ],
)
def test_errors_of_functions_are_one_line(function: DocumentFunction, message: str) -> None:
    ready = prepare(features_of("IOB2", "WE = form[start..end]", {"mine": function}), [["a"]])
    with pytest.raises(ConfigError, match=rf"^global function 'mine', sequence 1: {message}$"):
        ready.describe(0, np.zeros(1, np.int32))


def test_functions_are_named_and_there() -> None:
    with pytest.raises(ConfigError, match=r"^function 'WE': a global template has the same name; rename one of them$"):
        features_of("IOB2", "WE = form[start..end]", {"WE": lambda sentence, labels: []})
    ready = prepare(features_of("IOB2", "WE = form[start..end]", {"mine": None}), [["a"]])
    with pytest.raises(ConfigError, match=r"^the model needs its function 'mine'"):
        ready.describe(0, np.zeros(1, np.int32))


def test_the_list_of_words_is_asked_for() -> None:
    with pytest.raises(ConfigError, match=r"lowercased.*--resource lowercased=FILE, or lowercased=train"):
        GlobalFeatures(
            load_global_templates("collins-2002"), {}, Vocabulary(("form",)), ["O", "B-X"], get_scheme("IOB2")
        )


def test_a_store_is_good_for_batch_after_batch() -> None:
    features = features_of("IOB2")
    store = features.encoder.new_store()
    corpus = corpus_of([["the", "Lennon"], ["of"]])
    batch = features.batch(corpus)
    for _ in range(2):
        ready = features.prepare(batch, Sequences.of_sentences(corpus.sentences), store)
        fresh = features.prepare(batch, Sequences.of_sentences(corpus.sentences))
        codes = np.array([0, 1], np.int32)
        assert ready.describe(0, codes) == fresh.describe(0, codes)


I64, I32, U64, U8 = np.int64, np.int32, np.uint64, np.uint8


@pytest.mark.parametrize(
    ("first", "begins", "labels"),
    [
        ([0], [0, 2], [0, 0]),
        ([0, 1, 1], [0, 2], [0, 0]),
        ([0, 2], [0, 2], [0, 0]),
        ([0, 1], [], [0, 0]),
        ([0, 1], [0, 3], [0, 0]),
        ([0, 1], [0, 1], [0]),
        ([0, 2], [0, 2, 1], [0]),
        ([0, 1], [0, 2], [0, 9]),
        ([0, 1], [0, 2], [-1, 0]),
        ([-1, 1], [0, 2], [0, 0]),
    ],
)
def test_lists_that_do_not_fit_are_refused(first: list[int], begins: list[int], labels: list[int]) -> None:
    ready = prepare(features_of("IOB2"), [["a", "b"]])
    lists = CandidateLists(np.array(first, I64), np.array(begins, I64), np.array(labels, I32), np.zeros(1))
    table = _core.FeatureTable(np.zeros(0, U64))
    for call in (ready.count, lambda x: ready.rows(x, table), lambda x: ready.texts_of(x, table)):
        with pytest.raises(ValueError, match=r"labels?|lists?|candidates"):
            call(lists)


@pytest.mark.parametrize(("sequence", "codes"), [(1, [0, 0]), (0, [0]), (0, [0, 7]), (0, [-1, 0])])
def test_labellings_that_do_not_fit_are_refused(sequence: int, codes: list[int]) -> None:
    ready = prepare(features_of("IOB2"), [["a", "b"]])
    with pytest.raises(ValueError, match=r"label|sequence"):
        ready.describe(sequence, np.array(codes, I32))


def test_tokens_that_do_not_fit_are_refused() -> None:
    features = features_of("IOB2")
    table = _core.StringTable()
    table.intern("a")
    count = len(features.encoder.attributes)
    good = {
        "templates": features.core,
        "hashes": np.ones(2 * count, U64),
        "attributes": count,
        "sequences": np.array([0, 2], I64),
        "breaks": np.zeros(0, U8),
        "words": table,
        "codes": np.zeros(2, I32),
    }
    _core.GlobalData(**good)  # type: ignore[arg-type]
    for bad in (
        {"hashes": np.ones(2 * count - 1, U64)},
        {"attributes": count - 1, "hashes": np.ones(2 * count - 2, U64)},
        {"attributes": 1, "hashes": np.ones(2, U64)},
        {"sequences": np.zeros(0, I64)},
        {"sequences": np.array([0, 3], I64)},
        {"sequences": np.array([2, 2], I64)},
        {"sequences": np.array([0, -1], I64)},
        {"breaks": np.zeros(1, U8)},
        {"codes": np.zeros(1, I32)},
        {"codes": np.array([0, 1], I32)},
        {"codes": np.array([0, -1], I32)},
    ):
        with pytest.raises(ValueError, match=r"tokens|expected|range|missing"):
            _core.GlobalData(**{**good, **bad})  # type: ignore[arg-type]


PART = (0, 0, 0, 1, 0, [0])


@pytest.mark.parametrize(
    "template",
    [
        ("A", False, 0, [PART]),
        ("A", False, 1001, [PART]),
        ("A", False, 5, []),
        ("A", False, 5, [(8, 0, 0, 1, 0, [])]),
        ("A", False, 5, [(0, 3, 0, 1, 0, [0])]),
        ("A", False, 5, [(0, 0, 65, 1, 0, [0])]),
        ("A", False, 5, [(0, 0, 0, 2, 0, [0])]),
        ("A", False, 5, [(4, 0, 0, 1, 0, [])]),
        ("A", False, 5, [(0, 0, 0, 1, 0, [-2])]),
        ("A", False, 5, [(1, 0, 0, 1, 0, [0]), PART]),
    ],
)
def test_templates_that_do_not_fit_are_refused(template: tuple[str, bool, int, list[tuple[int, ...]]]) -> None:
    with pytest.raises(ValueError, match=r"part|template|attribute|last|quotations"):
        _core.GlobalTemplates([template], ["O"], ["O"], [0], [0], [0])  # type: ignore[list-item]


def test_roles_that_do_not_fit_are_refused() -> None:
    template = ("A", False, 5, [PART])
    for roles in (([0], [0], []), ([0, 0], [0], [0]), ([1], [0], [0])):
        with pytest.raises(ValueError, match=r"roles|class"):
            _core.GlobalTemplates([template], ["O"], ["O"], *roles)
    with pytest.raises(ValueError, match="occurs twice"):
        _core.GlobalTemplates([template, template], ["O"], ["O"], [0], [0], [0])
