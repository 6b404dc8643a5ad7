"""Attributes spelled out with Python's own strings and Unicode database: of a word, and of the words of a sentence."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby, pairwise
from math import log, log2

_LETTERS = {"Lu": "U", "Lt": "U", "Ll": "L", "Lo": "X", "Lm": "X", "Nd": "D"}

# Bikel, Schwartz & Weischedel 1999, Table 1, over `classes` with the marks - / , . as they are: the first that fits.
_BIKEL = {
    "2d": "DD",
    "4d": "DDDD",
    "d&a": "(?=.*D)(?=.*[ULX]).*",
    "d&-": "(?=.*D)(?=.*-).*",
    "d&/": "(?=.*D)(?=.*/).*",
    "d&,": "(?=.*D)(?=.*,).*",
    "d&.": "(?=.*D)(?=.*[.]).*",
    "n": ".*D.*",
    "cp": "U[.]",
    "ac": "U+",
    "ic": "U.*",
    "l": "L+",
    "other": ".*",
}

# Kazama & Torisawa 2007, Table 1, over the same text: all that fit, and n if no other number does.
_WORD_FORMS = {name: _BIKEL[name] for name in ("2d", "4d", "d&a", "d&-", "d&/", "d&,", "d&.")}
_WORD_FORMS |= {"n": "(?=.*D)(?!DD$|DDDD$|.*[ULX/,.-]).*", "ic": "U.*", "ac": "U+", "l": "L+", "cp": "U[.]"}


def classes(word: str) -> str:
    """A letter a character: Upper (or title) case, Lower case, X other letter, Digit, P mark or symbol, Other."""
    categories = map(unicodedata.category, word)
    return "".join(_LETTERS.get(category, "P" if category[0] in "PS" else "O") for category in categories)


def lower(word: str) -> str:
    """Character by character: no final sigma, and İ is i without the dot above that Python's ``lower`` leaves."""
    return "".join(c.lower()[0] for c in word)


def normal(word: str) -> str:
    return "".join("0" if kind == "D" else lower(c) for c, kind in zip(word, classes(word)))


def ngrams(word: str, n: int) -> list[str]:
    return list(dict.fromkeys(word[i : i + n] for i in range(len(word) - n + 1)))


def shape(word: str) -> str:
    written = {"U": "A", "L": "a", "X": "x", "D": "0"}
    return "".join(written.get(kind, c) for c, kind in zip(word, classes(word)))


def brief(word: str) -> str:
    return "".join(c if kind in "ULXD" else "-" for c, kind in zip(shape(word), classes(word)))


def case(word: str) -> str:
    cased = re.sub("[^UL]", "", classes(word))
    if set(cased) <= {"L"}:
        return "lower" if cased else "none"
    if classes(word)[0] == "U" and cased.count("U") == 1:
        return "title"
    return "mixed" if "L" in cased else "upper"


def digits(word: str) -> str:
    kinds = set(classes(word))
    if "D" not in kinds:
        return "none"
    if kinds == {"D"}:
        return "all"
    return "letters" if kinds & set("ULX") else "marks"


def _classes_and_marks(word: str) -> str:
    return "".join(c if c in "-/,." else kind for c, kind in zip(word, classes(word)))


def bikel(word: str) -> str:
    return next(name for name, pattern in _BIKEL.items() if re.fullmatch(pattern, _classes_and_marks(word)))


def word_forms(word: str) -> list[str]:
    return [name for name, pattern in _WORD_FORMS.items() if re.fullmatch(pattern, _classes_and_marks(word))]


def yes(holds: bool) -> list[str]:
    return ["yes"] if holds else []


#: The values of every built-in attribute of a word; n is the number after its name.
BUILT_IN: dict[str, Callable[[str, int], list[str]]] = {
    "form": lambda word, _: [word],
    "lower": lambda word, _: [lower(word)],
    "normal": lambda word, _: [normal(word)],
    "prefix": lambda word, n: [word[:n]] if n <= len(word) else [],
    "suffix": lambda word, n: [word[len(word) - n :]] if n <= len(word) else [],
    "ngram": ngrams,
    "shape": lambda word, _: [shape(word)],
    "short_shape": lambda word, _: ["".join(c for c, _ in groupby(shape(word)))],
    "brief_shape": lambda word, _: ["".join(c for c, _ in groupby(brief(word)))],
    "first_shape": lambda word, _: [shape(word)[0]] if word else [],
    "starts_lower": lambda word, _: [str(int(classes(word).startswith("L")))],
    "inside": lambda word, _: ["yes"],
    "case": lambda word, _: [case(word)],
    "digits": lambda word, _: [digits(word)],
    "bikel": lambda word, _: [bikel(word)],
    "word_form": lambda word, _: word_forms(word),
    "length": lambda word, _: [str(len(word))],
    "hyphen": lambda word, _: yes("-" in word),
    "digit": lambda word, _: yes("D" in classes(word)),
    "capital": lambda word, _: yes("U" in classes(word)),
    "punctuation": lambda word, _: yes(set(classes(word)) == {"P"}),
    "char_kind": lambda word, _: [char_kind(word)],
    "orthographic": lambda word, _: orthographic(word),
    "word_type": lambda word, _: [word_type(word)],
}

_ROMAN = "(?=.)M{0,3}(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})"
_QUOTES = set("'\"`\u00ab\u00bb") | {chr(c) for c in range(0x2018, 0x2020)}


def orthographic(word: str) -> list[str]:
    """Carreras, Marquez & Padro 2003, section 4: flags in this order."""
    kinds, dotted = classes(word), _classes_and_marks(word)
    flags = {
        "initial-caps": kinds.startswith("U"),
        "all-caps": "U" in kinds and "L" not in kinds,
        "contains-digits": "D" in kinds,
        "all-digits": set(kinds) == {"D"},
        "alphanumeric": "D" in kinds and bool(re.fullmatch("D*[ULX][ULXD]*", kinds)),
        "roman-number": bool(re.fullmatch(_ROMAN, word)),
        "contains-dots": "." in word,
        "contains-hyphen": "-" in word,
        "acronym": bool(re.fullmatch(r"(U\.)+U\.?", dotted)),
        "lonely-initial": dotted == "U.",
        "punctuation-mark": set(kinds) == {"P"},
        "single-char": len(word) == 1,
        "url": "://" in word or lower(word).startswith("www."),
    }
    return [name for name, holds in flags.items() if holds]


def word_type(word: str) -> str:
    kinds = classes(word)
    if word and set(word) <= _QUOTES:
        return "'"
    if set(kinds) == {"P"}:
        return "."
    if kinds.startswith("U"):
        return "C"
    return "l" if kinds.startswith("L") and "U" not in kinds else "x"


def char_kind(word: str) -> str:
    kinds = set(classes(word))
    if kinds == {"D"}:
        return "digit"
    if kinds and kinds <= set("UL"):
        return "letter"
    return "punctuation" if kinds == {"P"} else "word"


def brown(path: str | None, bits: int | None = None) -> list[str]:
    """The first bits of a cluster's path, all of a shorter one."""
    return [path[:bits]] if path else []


def brown_folded(word: str, paths: Mapping[str, str], bits: int | None) -> list[str]:
    """The same of the word, or else of its spelling in lower case, capitalised, in capitals or mixed, if known."""
    if word in paths:
        return brown(paths[word], bits)
    like = [other for other in paths if lower(other) == lower(word)]
    return brown(paths[min(like, key=_spelling)], bits) if like else []


def _spelling(word: str) -> int:
    kinds = classes(word)
    if "U" not in kinds:
        return 0
    if kinds.startswith("U") and kinds.count("U") == 1:
        return 1
    return 2 if "L" not in kinds else 3


def casing(word: str, text: Iterable[str]) -> list[str]:
    """How a text writes the word: levels of two ratios and of the frequency."""
    word, counts = _strip_marks(word), [0, 0, 0]
    for each in map(_strip_marks, text):
        kinds = classes(each)
        if lower(each) == lower(word):
            counts[0] += "U" not in kinds and "L" in kinds
            counts[1] += kinds.startswith("U") and kinds.count("U") == 1
            counts[2] += "U" in kinds and "L" not in kinds
    if not set(classes(word)) & {"U", "L"}:
        return []
    first, second = (max(-4, min(4, round(log((a + 1) / (b + 1)) / 1.5))) for a, b in pairwise(counts))
    case = "upper" if "L" not in classes(word) else "title" if classes(word).startswith("U") else "lower"
    frequency = min(15, int(log2(max(*counts, 1))) // 2)
    ratio = f"lower/title:{first}"
    return [ratio, f"title/upper:{second}", f"frequency:{frequency}", f"{ratio},{case}"]


def _strip_marks(word: str) -> str:
    kept = [i for i, kind in enumerate(classes(word)) if kind in "ULXD"]
    return word[kept[0] : kept[-1] + 1] if kept else ""


def gazetteer(
    lists: Mapping[str, Sequence[str]], *, bioes: bool = False, fold: bool | None = None
) -> Callable[[Sequence[str]], list[list[str]]]:
    """Positions of every token: of each list its longest phrases, left to right; in one case only: without case.

    With ``bioes``, phrases begin at words that have a capital letter or begin with a digit.
    """
    known = {name: _known_phrases(list(phrases), fold) for name, phrases in lists.items()}

    def label(words: Sequence[str]) -> list[list[str]]:
        found: list[list[str]] = [[] for _ in words]
        may_begin = [not bioes or "U" in classes(word) or classes(word).startswith("D") for word in words]
        for name, (spell, phrases) in known.items():
            for begin, end in _longest([spell(word) for word in words], phrases, may_begin):
                for t in range(begin, end):
                    found[t].append(f"{_position(t, begin, end, bioes)}-{name}")
        return found

    return label


def _position(t: int, begin: int, end: int, bioes: bool) -> str:
    if not bioes:
        return "B" if t == begin else "I"
    if end == begin + 1:
        return "S"
    return "B" if t == begin else "E" if t == end - 1 else "I"


def _known_phrases(phrases: list[str], fold: bool | None) -> tuple[Callable[[str], str], set[tuple[str, ...]]]:
    one_case = phrases in ([p.lower() for p in phrases], [p.upper() for p in phrases])
    spell = lower if (one_case if fold is None else fold) else str
    return spell, {tuple(map(spell, phrase.split())) for phrase in phrases}


def lexicon(characters: Sequence[str], words: Iterable[str], backward: bool = False) -> list[str]:
    """S, B, M, E of every character: cut into the longest words from left to right, or from right to left."""
    found = ["S"] * len(characters)
    for begin, end in cut(characters, words, backward):
        if end - begin > 1:
            found[begin:end] = ["B", *["M"] * (end - begin - 2), "E"]
    return found


def cut(characters: Sequence[str], words: Iterable[str], backward: bool = False) -> list[tuple[int, int]]:
    """The longest words from one side; backward is forward in the mirror."""
    if not backward:
        return list(_longest(characters, {tuple(word) for word in words}))
    mirrored = cut(characters[::-1], [word[::-1] for word in words])
    return [(len(characters) - end, len(characters) - begin) for begin, end in mirrored]


def sizes(characters: Sequence[str], words: Iterable[str], backward: bool = False) -> list[str]:
    labels = lexicon(characters, words, backward)
    return ["single" if label == "S" else "multiple" for label in labels]


def words_at(characters: Sequence[str], words: Iterable[str], limit: int, end: bool) -> list[list[str]]:
    """The words of up to so many characters that begin, or end, at every character; shortest first."""
    known = {tuple(word) for word in words}
    found = []
    for t in range(len(characters)):
        spans = [(t - n + 1, t + 1) if end else (t, t + n) for n in range(1, limit + 1)]
        tokens = [tuple(characters[a:b]) for a, b in spans if a >= 0 and b <= len(characters)]
        found.append(["".join(word) for word in tokens if word in known])
    return found


def categories(
    characters: Sequence[str], codes: Mapping[str, Sequence[str]], n: int, backward: bool = False
) -> list[list[str]]:
    """Of the word around every character: the beginnings of its codes; a longer token may be a word by itself."""

    def prefixes(word: str) -> list[str]:
        return list(dict.fromkeys(code[:n] if n else code for code in codes.get(word, ())))

    found = [prefixes(token) for token in characters]
    for begin, end in cut(characters, codes, backward):
        found[begin:end] = [prefixes("".join(characters[begin:end]))] * (end - begin)
    return found


def same(tokens: Sequence[str], distance: int) -> list[list[str]]:
    return [yes(token in tokens[t + distance : t + distance + 1]) for t, token in enumerate(tokens)]


def _longest(
    tokens: Sequence[str], known: set[tuple[str, ...]], may_begin: Sequence[bool] | None = None
) -> Iterable[tuple[int, int]]:
    begin = 0
    while begin < len(tokens):
        ends = (end for end in range(len(tokens), begin, -1) if tuple(tokens[begin:end]) in known)
        end = next(ends, None) if may_begin is None or may_begin[begin] else None
        if end is not None:
            yield begin, end
        begin = begin + 1 if end is None else end


def vector(word: str, vectors: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """The numbers of the vector of a word, or of the word in lower case, by dimension; without zeros."""
    found = vectors.get(word, vectors.get(lower(word), ()))
    return {str(dimension): number for dimension, number in enumerate(found) if number != 0}
