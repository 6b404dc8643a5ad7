"""Wapiti's pattern files: regular expressions, macros, lines of labels, of label pairs and of both, errors."""

from __future__ import annotations

import shutil
import subprocess
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tagloom
from tagloom._core import Macro
from tagloom.corpus import Corpus
from tagloom.errors import ConfigError
from tagloom.features import FeatureEncoder, Template, Vocabulary, load_templates
from tagloom.features.wapiti import MacroPart, looks_like_wapiti
from tests.oracle import wapiti
from tests.strategies import unhurried

PATTERNS = r"""
# as in the example for base noun phrases
*
U:Wrd-1 X=%x[ 0,0]
u:wrd-1 L=%X[-1,0]
u:wrd-2 R=%X[ 0,0]/%X[ 1,0]     # a comment
*:Pos-1 L=%x[-1,1]
u:Pre-3 X=%m[ 0,0,"^.?.?.?"]
u:Suf-2 X=%m[ 0,0,".?.?$"]
*:Caps? L=%t[-1,0,"\u"]
u:AllC? X=%t[ 0,0,"^\u*$"]
u:first=%x[@1,0] last=%M[@-1,0,"\a\a?"]
"""
CORPUS = Corpus.from_columns(
    {
        "form": ["The", "Überfluß", "of", "1,000", "ICs", "Yes", "#x"],
        "pos": ["DT", "NN", "IN", "CD", "NNS", "UH", "SYM"],
    },
    [5, 1, 1],
)

characters = st.sampled_from("aZ0.-_ß#$*?\\Ü漢 ")
words = st.text(characters, min_size=1, max_size=8)
_CLASSES = [rf"\{letter}" for letter in "adlpsuwADLPSUW"]
_SINGLE = st.sampled_from([*_CLASSES, ".", r"\.", r"\\", r"\$", r"\*", r"\?", *"aZ0$^ß_-"])
regexes = st.builds(
    lambda start, items, end: start + "".join(items) + end,
    st.sampled_from(["", "^"]),
    st.lists(st.builds(str.__add__, _SINGLE, st.sampled_from(["", "", "*", "?"])), max_size=5),
    st.sampled_from(["", "$"]),
).filter(lambda regex: regex[:2] not in ("^*", "^?"))


@given(command=st.sampled_from("xXtTmM"), regex=regexes, word=words)
@settings(unhurried, max_examples=600)
def test_macros_are_those_of_the_plain_matcher(command: str, regex: str, word: str) -> None:
    assert Macro(command, regex).apply(word) == wapiti.apply(command, regex, word)


@pytest.mark.parametrize(
    ("regex", "word", "match"),
    [
        (r"\d*", "12", ""),  # as few as possible
        (r"\d\d*$", "a12", "12"),
        (r"^.?.?.?", "ab", "ab"),  # one if there is one
        (r".?.?$", "größe", "ße"),
        (r"a?ab", "ab", "ab"),
        (r"^\u\l*$", "Überfluß", "Überfluß"),
        (r"\p", "a-b", "-"),
        (r"x", "abc", ""),
        (r"", "abc", ""),
        (r"$", "abc", ""),
        (r"\\", "a\\b", "\\"),
    ],
)
def test_matches(regex: str, word: str, match: str) -> None:
    assert Macro("m", regex).apply(word) == match == wapiti.apply("m", regex, word)


def test_no_expression_takes_long() -> None:
    """Seconds or centuries, if a matcher tries all ways."""
    begun = time.perf_counter()
    assert Macro("t", "^" + r"\a*" * 99 + "0$").apply("a" * 20_000) == "false"
    assert Macro("m", r".?" * 50 + r"x").apply("a" * 20_000) == ""
    assert time.perf_counter() - begun < 5


_macros = st.one_of(
    st.builds("%{}[{},{}]".format, st.sampled_from("xX"), st.integers(-8, 8), st.sampled_from("01")),
    st.builds("%{}[@{},{}]".format, st.sampled_from("xX"), st.integers(-3, 3), st.sampled_from("01")),
    st.builds(
        '%{}[{}{},{},"{}"]'.format, st.sampled_from("tTmM"), st.sampled_from(["", "@"]), st.integers(-6, 6),
        st.sampled_from("01"), regexes,
    ),
)  # fmt: skip
_lines = st.builds(
    lambda kind, pieces: kind + "".join(pieces),
    st.sampled_from(["u:", "U:", "*:", "b:", "B:", "u1=", "u", "b", "*"]),
    st.lists(st.one_of(_macros, st.sampled_from(["/", " a=", "|"])), max_size=3),
)
_tokens = st.lists(st.tuples(words, st.sampled_from(["A", "b", "B"])), min_size=1, max_size=4)


@given(lines=st.lists(_lines, min_size=1, max_size=4), sentences=st.lists(_tokens, min_size=1, max_size=3))
@settings(unhurried, max_examples=300)
def test_features_are_equal_where_observations_are(lines: list[str], sentences: list[list[tuple[str, str]]]) -> None:
    """Features with one key have one text in Wapiti, and lines with one macro have one key for one text."""
    text = "\n".join(dict.fromkeys(line[0].lower() + line[1:] for line in [*lines, "u:%X[0,0]"]))
    rows = [row for sentence in sentences for row in sentence]
    corpus = Corpus.from_columns({"form": [r[0] for r in rows], "pos": [r[1] for r in rows]}, list(map(len, sentences)))
    encoder = FeatureEncoder(load_templates(text), Vocabulary(("form", "pos")))
    store, batch = encoder.new_store(), encoder.batch(corpus)
    encoder.prepare(store, batch)
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    texts_of: dict[object, set[str]] = {}
    keys_of: dict[object, set[int]] = {}
    for number, sentence in enumerate(sentences):
        described = encoder.describe(store, batch, number)
        for token, features in enumerate(described):
            for edge in (False, True):
                has = [line for line in lines if line[0].lower() in ("*b" if edge else "*u")]
                has = [line for line in has if not edge or "%" in line]  # plain transitions are no features
                found = [feature for feature in features if feature.edge == edge]
                observed = [wapiti.observe(line, sentence, token) for line in has]
                assert len(found) == len(observed)
                for feature, line, value in zip(found, has, observed):
                    texts_of.setdefault((edge, feature.key), set()).add(value)
                    if line.count("%") == 1:  # of two macros a/b and c, or a and b/c, Wapiti sees the same text
                        keys_of.setdefault((edge, line, value), set()).add(feature.key)
    assert all(len(texts) == 1 for texts in texts_of.values())
    assert all(len(keys) == 1 for keys in keys_of.values())


def keys(source: str) -> list[list[int]]:
    encoder = FeatureEncoder(load_templates(source), Vocabulary(("form", "pos")))
    store, batch = encoder.new_store(), encoder.batch(CORPUS)
    encoder.prepare(store, batch)
    return [[f.key for f in token] for sentence in range(3) for token in encoder.describe(store, batch, sentence)]


def test_the_core_and_the_description_see_the_same_features() -> None:
    encoder = FeatureEncoder(load_templates(PATTERNS), Vocabulary(("form", "pos")))
    store, batch = encoder.new_store(), encoder.batch(CORPUS)
    encoder.prepare(store, batch)
    collected = tagloom._core.collect_features(store, batch.codes, batch.sentences, 1, 0)
    for edge in (False, True):
        table = collected.table(edge)
        offsets, rows, _ = collected.take_rows(edge)
        found = [sorted(table.keys()[rows[a:b]].tolist()) for a, b in pairwise(offsets)]
        described = [t for s in range(3) for t in encoder.describe(store, batch, s)]
        assert found == [sorted(f.key for f in token if f.edge == edge) for token in described]
        names = collected.names(
            store, batch.codes, batch.sentences, edge,
            encoder.part_names(encoder.templates.edges if edge else encoder.templates.nodes),
            np.arange(len(table), dtype=np.uint32),
        )  # fmt: skip
        texts = bytes(names[0]).decode()
        assert all(f.name in texts for token in described for f in token if f.edge == edge)


def test_lines_of_both_kinds() -> None:
    templates = load_templates("*\n*:%x[0,0]\nu\nb:%X[0,0]\n")
    assert [(template.edge, template.tag) for template in templates.templates] == [
        (False, "*"), (False, "*:%x"), (True, "*:%x"), (False, "u"), (True, "b:%x"),
    ]  # fmt: skip
    assert templates.transitions


def test_lines_that_differ_only_in_macros_share_features() -> None:
    assert keys("u:%x[0,0]\n")[2] == keys("u:%X[0,0]\n")[2]  # "of" has no capitals
    assert keys("u:%x[0,0]\n")[0] != keys("u:%X[0,0]\n")[0]
    assert keys("u:%x[0,0]\n") == keys("U:%x[ 0 , 0 ]\nb\n")


def test_capital_u_is_small_u_and_text_tells_lines_apart() -> None:
    assert load_templates("U:a=%x[0,0]\nu\n").templates[0].tag == "u:a=%x"
    assert len(set(keys("u:a=%X[0,0]\nu:b=%X[0,0]\nu:%X[0,0]/%X[0,0]\n")[0])) == 3


@given(lines=st.lists(_lines, min_size=1, max_size=5))
@unhurried
def test_the_text_of_a_set_loads_as_the_same_set(lines: list[str]) -> None:
    templates = load_templates("\n".join([*lines, "u:%x[0,0]"]))
    again = load_templates(str(templates))
    assert set(again.templates) == set(templates.templates)
    assert again.transitions == templates.transitions
    assert str(again) == str(templates)


@pytest.mark.parametrize("source", ["u:%x[0,0]\n", "*\n", "b\nu\n", "U:%X[0,0]\n", 'U:%t[0,0,"a"]\n', "U:%x[@1,0]\n"])
def test_wapiti_is_recognised(source: str) -> None:
    assert looks_like_wapiti(source)
    assert load_templates(source)


@pytest.mark.parametrize(
    "source", ["U00:%x[0,0]\nB\n", "B\n", "bias\nform[0]\n", "upos[0]\n", "u[0]\n", "# u:%x\nU00\n", ""]
)
def test_other_templates_are_not_wapiti(source: str) -> None:
    assert not looks_like_wapiti(source)


MACRO = 'a macro such as %x[-1,0] or %m[0,0,"..$"]'


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("u:%x[0,0]\nx:%x[0,0]\n", "templates:2: expected a pattern that begins with u, b or *, found 'x:%x[0,0]'"),
        ("u:%y[0,0]%X[0,0]\n", f"templates:1: expected {MACRO}, found '%y[0,0]'"),
        ("\nu:%t[0,0]\n", f"templates:2: expected {MACRO}, found '%t[0,0]'"),
        ('u:%X[0,0,"a"]\n', f"templates:1: expected {MACRO}, found '%X[0,0,\"a\"]'"),
        ("u:%x[-65,0]\n", "templates:1: expected a row from -64 to 64, found -65"),
        ("u:%x[@9999999,0]\n", "templates:1: %x[@9999999,0]: expected a place of at most 1,000,000"),
        ('u:%t[0,0,"*"]\n', 'templates:1: %t[0,0,"*"]: * or ? without a character before it'),
        ('u:%m[0,0,"a**"]\n', 'templates:1: %m[0,0,"a**"]: * or ? without a character before it'),
        (f'u:%t[0,0,"{"a" * 101}"]\n', f'templates:1: %t[0,0,"{"a" * 101}"]: more than 100 characters'),
    ],
)  # fmt: skip
def test_errors_name_the_line(source: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_templates(source)
    assert str(caught.value) == message


def test_macros_refuse_what_no_file_holds() -> None:
    for command, pattern in (("y", ""), ("xx", ""), ("t", "\\")):
        with pytest.raises(ConfigError):
            MacroPart("macro", 0, column="#0", command=command, pattern=pattern)


def test_a_model_keeps_its_patterns(tmp_path: Path) -> None:
    sentences = [([("The", "DT"), ("Dog", "NN")], ["O", "B"]), ([("a", "DT"), ("cat", "NN")], ["O", "B"])] * 3
    rows = [(word, pos, label) for tokens, labels in sentences for (word, pos), label in zip(tokens, labels)]
    corpus = Corpus.from_columns(dict(zip(("form", "pos", "label"), map(list, zip(*rows)))), [2] * 6)
    model = tagloom.train(corpus, templates=PATTERNS, learner="lbfgs", epochs=20)
    model.save(tmp_path / "model")
    again = tagloom.load(tmp_path / "model")
    assert again.spec == model.spec
    sentence = [("The", "DT"), ("Cat", "NN")]
    assert (again.marginals(sentence) == model.marginals(sentence)).all()
    assert again.tag(sentence) == ["O", "B"]
    assert isinstance(again.spec.templates.templates[1], Template)


def test_wapiti_itself_sees_as_many_features(tmp_path: Path) -> None:
    """With the real tool: the same number of distinct features, and the same labels after training without limits."""
    if shutil.which("wapiti") is None:
        pytest.skip("no wapiti on PATH")
    train = "The DT B\ndog NN I\nbarks VBZ O\n\nICs NNS B\nof IN O\n1,000 CD B\nYen NNP I\n\nYes UH O\n\n" * 3
    (tmp_path / "train").write_text(train)
    (tmp_path / "patterns").write_text(PATTERNS)
    arguments = ["-a", "l-bfgs", "--rho1", "0", "--rho2", "1", "-p", "patterns", "train", "model"]
    subprocess.run(["wapiti", "train", *arguments], cwd=tmp_path, check=True, capture_output=True)
    subprocess.run(["wapiti", "dump", "--all", "model", "dump"], cwd=tmp_path, check=True, capture_output=True)
    observations = {line.split("\t")[0] for line in (tmp_path / "dump").read_text().split("\n") if line}
    corpus = tagloom.read(tmp_path / "train", "conll", "form pos label")
    encoder = FeatureEncoder(load_templates(PATTERNS), Vocabulary(("form", "pos")))
    store, batch = encoder.new_store(), encoder.batch(corpus)
    encoder.prepare(store, batch)
    collected = tagloom._core.collect_features(store, batch.codes, batch.sentences, 1, 0)
    assert len(collected.table(False)) == len(observations)
    labels = subprocess.run(
        ["wapiti", "label", "-m", "model", "train"], cwd=tmp_path, check=True, capture_output=True, text=True
    ).stdout.split("\n")
    model = tagloom.train(corpus, templates=PATTERNS, learner="lbfgs", c2=0.5, scheme="none", node_labels="all",
                          edge_pairs="all")  # fmt: skip
    assert model.tag_corpus(corpus).texts() == [line.split("\t")[-1] for line in labels if line]
