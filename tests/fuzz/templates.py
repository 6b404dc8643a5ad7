"""Template texts of every language: parsed, printed, parsed again, compiled, and applied to a sentence."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import tagloom._core as core
from tagloom.corpus import from_sentences
from tagloom.features import FeatureEncoder, TemplateSet, Vocabulary, load_templates, parse_templates
from tagloom.features.crfpp import parse_crfpp
from tagloom.features.global_templates import parse_global_templates
from tagloom.features.sets import list_shipped, read_shipped
from tagloom.features.state_templates import parse_state_templates
from tagloom.features.wapiti import parse_wapiti
from tests.fuzz.mutate import mutate, shrink_text, soup
from tests.fuzz.outcome import BrokenPromiseError, Outcome, Target, observe

_CORPUS = from_sentences([[("The", "DT"), ("2", "CD"), ("“dogs”", "NNS")]], columns="form pos")
_COMMON = [
    "\n", "\n\n", " ", "\t", "#", "/", " / edge", "[", "]", "{", "}", "(", ")", "..", ",", "-", "+", "0", "1", "9",
    "form", "pos", "suffix", "prefix", "label", "bias", "shape", "[0]", "[-1]", "[{-2..2}]", "{1..4}", "{a,b}", "(pos)",
    "007", "(#0)", "if pos", " unless pos", "9" * 5000, "٣", "²", "\ud800", "\udfff", "\0", "é", "中", "\u2028",
    "\x1c", "\r", "\x85", "{0..99999}", "{1..9}{1..9}{1..9}{1..9}{1..9}",
]  # fmt: skip
_CRFPP = [
    "U", "B", "U00:", "B01:", "%x", "%x[0,0]", "%x[-1,1]/%x[0,1]", "%", "%%", "%m[0,0]", ":", "%x[ 0 , 0 ]", "%x[-9,0]",
    "%x[0," + "9" * 5000 + "]", "%x[" + "9" * 5000 + ",0]", "%x[٣,0]",
]  # fmt: skip
_WAPITI = [
    "u:", "b:", "*:", "*", "b", '%m[0,0,"..$"]', '%t[0,0,"^\\u"]', '%M[-1,1,"a*"]', "%X[0,0]", "[@1,0]", "%x[@-1,0]",
    '"', "\\", "\\u", "\\d", ".*", ".?", "(a*)*", '%m[0,0,"' + "a?" * 100 + '"]', "%x[@999999999,0]", "[+1,0]",
]  # fmt: skip
_STATES = [
    "s0", "s1", "q0", "q3", "s9", ".form", ".tag", ".lc", ".rc2", ".relation", ".vl", ".vr", "distance", "s1.lc.form",
    "s0.suffix3(pos)", ".suffix" + "9" * 5000,
]  # fmt: skip
_GLOBALS = [
    "WE = ", "X=", "=", "form[start..end]", "[start-1]", "label[open..close]", "[start..]", "[..end]", "/ <= 10",
    "size", "filled", "upper", "mostly_upper", "short_shape[last]", "form[end+99999]", "/ <= " + "9" * 5000,
]  # fmt: skip


class Language(NamedTuple):
    """One language of templates: how it is parsed and used, where seeds come from, and pieces that it knows."""

    parse: Callable[[str, str], Any]
    use: Callable[[Any], object]
    seeds: list[str]
    pieces: list[str]


class Case(NamedTuple):
    """A text in a language."""

    language: str
    text: str


def _encode(templates: TemplateSet) -> None:
    encoder = FeatureEncoder(templates, Vocabulary(("form", "pos")))
    store, batch = encoder.new_store(), encoder.batch(_CORPUS)
    encoder.prepare(store, batch)
    encoder.describe(store, batch, 0)
    core.collect_features(store, batch.codes, batch.sentences, 1, 0)


def _compile_states(templates: Any) -> None:
    _encode(templates.attributes("pos"))
    templates.compile("pos")


def _compile_globals(templates: Any) -> None:
    _encode(templates.attributes())
    templates.compiled()


def _load(text: str, name: str) -> TemplateSet:
    return load_templates(text + "\n")


def _shipped(suffix: str) -> list[str]:
    return [read_shipped(name + suffix) for name in list_shipped(suffix)]


_CRFPP_SEEDS = ["U00:%x[-2,0]\nU01:%x[-1,0]/%x[0,0]\nU02:%x[0,1]\nB\n", "U:%x[0,0]\nB01:%x[0,1]\n"]
_WAPITI_SEEDS = ['u:a=%x[0,0]\n*:b=%m[0,0,".?.?$"]\nu:c=%t[-1,0,"^\\u"]\nb\n', "*\nU:%X[@1,0]/%x[@-1,1]\n"]
LANGUAGES = {
    "templates": Language(parse_templates, _encode, _shipped(".templates"), _COMMON),
    "any": Language(_load, _encode, [*_CRFPP_SEEDS, *_WAPITI_SEEDS, "form[0]\n"], _COMMON + _CRFPP + _WAPITI),
    "crfpp": Language(parse_crfpp, _encode, _CRFPP_SEEDS, _COMMON + _CRFPP),
    "wapiti": Language(parse_wapiti, _encode, _WAPITI_SEEDS, _COMMON + _CRFPP + _WAPITI),
    "states": Language(parse_state_templates, _compile_states, _shipped(".states"), _COMMON + _STATES),
    "globals": Language(parse_global_templates, _compile_globals, _shipped(".globals"), _COMMON + _GLOBALS),
}


def _make(rng: random.Random) -> Case:
    name = rng.choice(list(LANGUAGES))
    language = LANGUAGES[name]
    if rng.random() < 0.5:
        return Case(name, soup(rng, language.pieces, 12))
    lines = rng.choice(language.seeds).splitlines(keepends=True)
    start = rng.randrange(len(lines))
    return Case(name, mutate(rng, "".join(lines[start : start + rng.randrange(1, 6)]), language.pieces))


def _run(case: Case) -> Outcome:
    return observe(lambda: _use(*case), 5.0)


def _use(language: str, text: str) -> None:
    parse, use, *_ = LANGUAGES[language]
    templates = parse(text, "fuzz")
    repr(templates)
    printed = str(templates)
    if str(parse(printed, "fuzz")) != printed:
        raise BrokenPromiseError(f"templates are not read back as they were written: {printed!r:.300}")
    use(templates)


def _shrink(case: Case) -> Iterator[Case]:
    return (Case(case.language, text) for text in shrink_text(case.text))


def _dump(case: Case) -> bytes:
    return repr(tuple(case)).encode()


TARGET = Target(_make, _run, _dump, shrink=_shrink, memory=4 << 30)
