"""Rules that say which tokens are punctuation. Communities differ in them, so that scores name the rule.

============== =====================================================================================================
upos           the gold tag is PUNCT of Universal Dependencies
penn           the gold tag is a punctuation tag of the Penn Treebank: two quotes, comma, full stop, colon
penn-brackets  the same, and brackets
unicode        all characters are punctuation in Unicode, as in eval.pl of CoNLL-X (which excludes `` and $)
============== =====================================================================================================
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from tagloom.arguments import check_arguments, check_methods
from tagloom.corpus.corpus import Corpus
from tagloom.corpus.schemes import BoolArray
from tagloom.errors import ConfigError, unknown_name

_PENN = frozenset(["``", "''", ",", ".", ":"])
_BRACKETS = frozenset(["-LRB-", "-RRB-", "(", ")"])  # as in the trees, and as in tagged text
_TAGS = ("xpos", "pos", "tag")


@check_methods()
@dataclass(frozen=True)
class Punctuation:
    """Which tokens of a corpus are punctuation, and the rule that says so."""

    rule: str
    tokens: BoolArray  # [N]

    def __repr__(self) -> str:
        return f"Punctuation({self.rule!r}, {int(self.tokens.sum()):,} of {len(self.tokens):,} tokens)"


@dataclass(frozen=True)
class _Rule:
    columns: tuple[str, ...]  # the first of these that the corpus has is read
    holds: Callable[[str], bool]


def _all_punctuation(form: str) -> bool:
    return bool(form) and all(unicodedata.category(character).startswith("P") for character in form)


RULES: Mapping[str, _Rule] = {
    "upos": _Rule(("upos",), lambda tag: tag == "PUNCT"),
    "penn": _Rule(_TAGS, lambda tag: tag in _PENN),
    "penn-brackets": _Rule(_TAGS, lambda tag: tag in _PENN or tag in _BRACKETS),
    "unicode": _Rule(("form",), _all_punctuation),
}


@check_arguments
def find_punctuation(corpus: Corpus, rule: str, column: str | None = None) -> Punctuation:
    """Find the punctuation of a gold corpus.

    Args:
        corpus: The gold corpus.
        rule: A rule of this module.
        column: The column to read; by default ``upos`` for upos, ``xpos``, ``pos`` or ``tag`` for penn, ``form`` for
            unicode.

    Examples:
        >>> corpus = Corpus.from_columns({"form": ["Hm", "``", "..."], "pos": ["UH", "``", ":"]}, [3])
        >>> find_punctuation(corpus, "penn").tokens.tolist(), find_punctuation(corpus, "unicode").tokens.tolist()
        ([False, True, True], [False, False, True])
    """
    if rule not in RULES:
        raise unknown_name("punctuation rule", rule, RULES)
    wanted = RULES[rule].columns
    name = column or next((name for name in wanted if name in corpus.columns), None)
    if name is None:
        raise ConfigError(
            f"{corpus.source}: punctuation by {rule!r} needs a column {' or '.join(wanted)}, found: "
            f"{' '.join(corpus.names)}; name the columns, or choose another rule"
        )
    tags = corpus.column(name)
    if tags.is_bag:
        raise ConfigError(f"{corpus.source}: column {name!r} has several strings per token, expected one")
    holds = np.array([RULES[rule].holds(text) for text in tags.strings.strings()], dtype=np.bool_)
    return Punctuation(rule, holds[tags.codes])


def guess_punctuation(corpus: Corpus, *, always: bool = False) -> Punctuation | None:
    """Find the punctuation of a corpus by universal tags or, if these find none, by tags of the Penn Treebank.

    Args:
        corpus: The gold corpus.
        always: Return punctuation without any token, rather than None, if the corpus has tags but no punctuation.
    """
    rules = [rule for rule in ("upos", "penn") if any(name in corpus.columns for name in RULES[rule].columns)]
    found = [find_punctuation(corpus, rule) for rule in rules]
    return next((each for each in found if each.tokens.any()), found[0] if found and always else None)
