"""Edit scripts: how a lemma is made from its word, as a label that many words share (Chrupała 2006; UDPipe, MarMoT).

``l|0>|3>`` lower-cases the word and cuts three characters at its end (``Walking``: ``walk``); ``k|0>|3>y`` keeps its
case and writes ``y`` in their place (``flies``: ``fly``). A lemma without a common stem is written whole: ``=be``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import SequenceMatcher
from functools import lru_cache

import numpy as np

from tagloom.corpus.corpus import Column, spread

_LOWER, _KEEP, _WHOLE = "l", "k", "="
_SCRIPT = re.compile(r"([lk])\|(\d{1,4})>(.*)\|(\d{1,4})>(.*)", re.DOTALL)
_LEAST_STEM = 2  # characters that word and lemma must share, if the word has more than those

_UNCHANGED = f"{_KEEP}|0>|0>"


@lru_cache(maxsize=1 << 16)
def build_script(word: str, lemma: str) -> str:
    """Build the script that turns a word into its lemma.

    >>> build_script("Walking", "walk"), build_script("flies", "fly"), build_script("are", "be")
    ('l|0>|3>', 'k|0>|3>y', '=be')
    """
    lowers = lemma == lemma.lower() and word != word.lower()
    base = word.lower() if lowers else word
    if base == lemma:
        return f"{_LOWER}|0>|0>" if lowers else _UNCHANGED
    stem = SequenceMatcher(None, base, lemma, autojunk=False).find_longest_match()
    if stem.size < min(_LEAST_STEM, len(base)):
        return _WHOLE + lemma
    prefix, suffix = lemma[: stem.b], lemma[stem.b + stem.size :]
    cut = len(base) - stem.a - stem.size
    script = f"{_LOWER if lowers else _KEEP}|{stem.a}>{prefix}|{cut}>{suffix}"
    return script if _is_exact(script, prefix) and apply_script(script, word) == lemma else _WHOLE + lemma


def _is_exact(script: str, prefix: str) -> bool:
    """Tell whether a script is read as it was written: a prefix may look like the mark between its two halves."""
    match = _SCRIPT.fullmatch(script)
    return match is not None and match[3] == prefix


@lru_cache(maxsize=1 << 16)
def apply_script(script: str, word: str) -> str:
    """Apply a script to a word; a word that is shorter than what the script cuts off stays as it is.

    >>> apply_script("k|0>|3>y", "cries"), apply_script("k|0>|3>y", "is")
    ('cry', 'is')
    """
    if script.startswith(_WHOLE):
        return script[1:]
    match = _SCRIPT.fullmatch(script)
    if match is None:
        return word
    base = word.lower() if match[1] == _LOWER else word
    before, after = int(match[2]), int(match[4])
    if before + after > len(base):
        return base
    return f"{match[3]}{base[before : len(base) - after]}{match[5]}" or base  # a lemma is never empty


def encode_scripts(words: Column, lemmas: Column, least: int = 1) -> Column:
    """Replace lemmas by scripts; one that occurs less often than ``least`` gives way to the one that changes nothing.

    A script that only one word has says nothing about others, and every label costs a weight in every feature.
    """
    scripts = _map_pairs(words, lemmas, build_script)
    counts = np.bincount(scripts.codes, minlength=len(scripts.strings))
    texts = [text if count >= least else _UNCHANGED for text, count in zip(scripts.strings.strings(), counts.tolist())]
    return spread(texts, scripts.codes)


def decode_scripts(words: Column, scripts: Column) -> Column:
    """Replace scripts by lemmas."""
    return _map_pairs(words, scripts, lambda word, script: apply_script(script, word))


def _map_pairs(words: Column, others: Column, function: Callable[[str, str], str]) -> Column:
    """Apply a function to the strings of two columns, once for every distinct pair."""
    keys = words.codes.astype(np.int64) * max(len(others.strings), 1) + others.codes
    distinct, places = np.unique(keys, return_inverse=True)
    pairs = [divmod(key, max(len(others.strings), 1)) for key in distinct.tolist()]
    return spread([function(words.strings[one], others.strings[two]) for one, two in pairs], places)
