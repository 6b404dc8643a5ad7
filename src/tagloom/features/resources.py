"""Word lists and counts in which attributes look up values. A model file contains a copy of its resources.

====================  ========================================================  =================================
kind                  file                                                      attributes
====================  ========================================================  =================================
``brown``             Brown clusters: bit string, tab, word per line            ``brown4``, ``brown_folded4`` ...
``gazetteer``         one phrase per line; in a folder, one list per file; or   ``gazetteer``, ``gazetteer_bioes``
                      files by the name of their list
``gazetteer_folded``  the same, ignoring case                                   ``gazetteer_folded``
``entities``          the same, for one-character tokens                        ``entities``
``lexicon``           one word per line, for one-character tokens               ``lexicon``, ``lexicon_begin6`` ...
``category``          Tongyici Cilin: a code and its words per line             ``category2``, ``category_cut`` ...
``lowercased``        words that are mostly written in lower case               ``lowercased``
``functional``        words that occur in lower case within entities            ``functional``, ``word_type``
``statistics``        raw text                                                  ``av_left2`` ..., ``mi``
``casing``            raw text                                                  ``casing``
``vectors``           dense vectors: word2vec, GloVe, NumPy                     ``vector``
====================  ========================================================  =================================

A resource has the name of its kind, or KIND:NAME with a name of the user's choice: ``brown`` and ``brown:web`` are two
resources, and ``brown4`` and ``brown4:web`` attributes over them. ``features/matched.py`` lists the attributes.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np

from tagloom._core import Lookup, PhraseTrie, StringTable, attribute_values
from tagloom.arguments import check_methods, explain_failures
from tagloom.corpus.streams import load_lines
from tagloom.errors import ConfigError, DataError, show_value, unknown_name
from tagloom.features.casing import Casing
from tagloom.features.statistics import Statistics
from tagloom.features.tensors import Tensors
from tagloom.features.vectors import Vectors
from tagloom.schema import Array, Layout, describe_strings, limits

_LEAST_FUNCTIONAL = 3  # least number of occurrences of a functional word within entities

FilePath = str | os.PathLike[str]
#: The files of one list of phrases.
Files = FilePath | Sequence[FilePath]


def _describe_lookup(what: str) -> Layout:
    return Layout(
        (
            describe_strings("", "n", "Words", text="words", ends="word_ends"),
            describe_strings("", "v", what, text="values", ends="value_ends"),
            Array("value_ids", "I32", "", "The value of every word."),
        )
    )


@check_methods()
@dataclass(frozen=True)
class Clusters:
    """The bit strings of the Brown clusters of words."""

    lookup: Lookup
    names: tuple[str, ...] = ()
    layout: ClassVar[Layout] = _describe_lookup("Bit strings of clusters")

    def __repr__(self) -> str:
        return f"Clusters({len(self.lookup):,} words)"

    @classmethod
    def read(cls, path: Path) -> Clusters:
        """Read a file with bit string, tab and word per line."""
        lookup = Lookup()
        for number, line in _lines(path):
            fields = line.split("\t")
            if len(fields) < 2 or not fields[0] or set(fields[0]) - {"0", "1"}:
                raise DataError(f"{path}:{number}: expected 'bit string <tab> word', found {line[:60]!r}")
            lookup.add(fields[1], fields[0])
        return cls(lookup)

    @classmethod
    def of_words(cls, words: Iterable[str], paths: Iterable[str]) -> Clusters:
        """Build them from words and the bit strings of their clusters."""
        lookup = Lookup()
        for word, path in zip(words, paths):
            lookup.add(word, path)
        return cls(lookup)

    def to_tensors(self) -> Tensors:
        """Return the arrays that a model file holds."""
        return _lookup_to_tensors(self.lookup)

    @classmethod
    def from_tensors(cls, tensors: Tensors, names: list[str]) -> Clusters:
        """Restore the clusters from what ``to_tensors`` returned."""
        return cls(_restore_lookup(tensors), tuple(names))


def _lookup_to_tensors(lookup: Lookup) -> Tensors:
    words, word_ends = lookup.words().to_blob()
    values, value_ends = lookup.values().to_blob()
    return {"words": words, "word_ends": word_ends, "values": values, "value_ends": value_ends,
            "value_ids": lookup.value_ids()}  # fmt: skip


def _restore_lookup(tensors: Tensors) -> Lookup:
    words = StringTable.from_blob(tensors["words"], tensors["word_ends"])
    values = StringTable.from_blob(tensors["values"], tensors["value_ends"])
    return Lookup.restore(words, values, tensors["value_ids"])


@check_methods()
@dataclass(frozen=True)
class WordList:
    """A list of lower-cased words."""

    words: StringTable
    names: tuple[str, ...] = ()
    layout: ClassVar[Layout] = describe_strings("", "n", "Words, in lower case", text="words", ends="word_ends")

    def __repr__(self) -> str:
        return f"WordList({len(self.words):,} words)"

    @classmethod
    def read(cls, path: Path) -> WordList:
        """Read a file with one word per line."""
        return cls.of(word for _, word in _lines(path))

    @classmethod
    def of(cls, words: Iterable[str]) -> WordList:
        """Build a list of words."""
        table = StringTable()
        for word in words:
            table.intern(_lower(word))
        return cls(table)

    def to_tensors(self) -> Tensors:
        """Return the arrays that a model file holds."""
        words, ends = self.words.to_blob()
        return {"words": words, "word_ends": ends}

    @classmethod
    def from_tensors(cls, tensors: Tensors, names: list[str]) -> WordList:
        """Restore the list from what ``to_tensors`` returned."""
        return cls(StringTable.from_blob(tensors["words"], tensors["word_ends"]), tuple(names))


def _lower(word: str) -> str:
    """Lower-case a word as the core does, character by character."""
    return attribute_values("lower", 0, word)[0]


def find_lowercased_words(counts: Mapping[str, int]) -> WordList:
    """Find the words that begin with a lower-case letter more often than with an upper-case one (collins-2002, 2.2).

    >>> find_lowercased_words({"the": 3, "The": 2, "May": 2, "may": 1, ",": 9}).words.strings()
    ['the']
    """
    balance: dict[str, int] = {}
    for word, count in counts.items():
        lower, first = _lower(word), attribute_values("first_shape", 0, word)
        if first == ["A"] or (first == ["a"] and word == lower):
            balance[lower] = balance.get(lower, 0) + (count if first == ["a"] else -count)
    return WordList.of(word for word, more in sorted(balance.items()) if more > 0)


def find_functional_words(words: Iterable[str]) -> WordList:
    """Find the lower-case words that occur at least three times among the words of entities (carreras-2003, section 5).

    >>> find_functional_words(["Bank", "of", "of", "the", "of", "3", "3", "3"]).words.strings()
    ['of']
    """
    counts = Counter(word for word in words if attribute_values("word_type", 0, word) == ["l"])
    return WordList.of(word for word, count in sorted(counts.items()) if count >= _LEAST_FUNCTIONAL)


@check_methods()
@dataclass(frozen=True)
class Phrases:
    """Lists of phrases, for longest match."""

    trie: PhraseTrie
    names: tuple[str, ...]  # of the lists, in the order of their bits
    layout: ClassVar[Layout] = Layout(
        (
            Array("keys", "U64", "n", "Keys of the nodes of the trie."),
            Array("sets", "U64", "", "Distinct sets of lists, one bit per list; a number for every 64 lists."),
            Array("set_ids", "U32", "n", "The set of every node."),
        )
    )

    def __repr__(self) -> str:
        shown = [*self.names[:4], *(["..."] if len(self.names) > 4 else [])]
        return f"Phrases({len(self.names)} lists: {', '.join(shown)})"

    @classmethod
    def read(cls, path: Path, *, by_character: bool = False, fold: bool | None = None) -> Phrases:
        """Read a list, or a folder with one list per file.

        Lists are matched ignoring case if ``fold`` is true, or if it is None and they are in one case only.
        """
        return cls.build(_lists(path), by_character=by_character, fold=fold)

    @classmethod
    def read_classes(
        cls, classes: Mapping[str, Files], *, by_character: bool = False, fold: bool | None = None
    ) -> Phrases:
        """Read lists by name, each from one or several files: ``{"ORG": [companies, clubs], "PER": people}``.

        Files are matched ignoring case if ``fold`` is true, or if it is None and they are in one case only.
        """
        _check_list_count(len(classes), "lists by name")
        trie = PhraseTrie()
        for number, files in enumerate(classes.values()):
            for path in [files] if isinstance(files, (str, os.PathLike)) else files:
                for phrases in _lists(Path(path)).values():
                    _add_list(trie, number, phrases, by_character, fold)
        return cls(trie, tuple(classes))

    @classmethod
    def build(
        cls, lists: Mapping[str, Iterable[str]], *, by_character: bool = False, fold: bool | None = None
    ) -> Phrases:
        """Build lists of phrases, which are split at blanks; ``by_character`` splits them into characters instead.

        Lists are matched ignoring case if ``fold`` is true, or if it is None and they are in one case only.
        """
        trie = PhraseTrie()
        for number, phrases in enumerate(lists.values()):
            _add_list(trie, number, list(phrases), by_character, fold)
        return cls(trie, tuple(lists))

    @classmethod
    def of_tokens(cls, lists: Mapping[str, Iterable[Sequence[str]]]) -> Phrases:
        """Build lists of phrases that are already split into tokens; matching is case-sensitive."""
        _check_list_count(len(lists), "lists by name")
        return cls(PhraseTrie(), tuple(lists)).with_tokens(lists)

    def with_tokens(self, lists: Mapping[str, Iterable[Sequence[str]]], *, fold: bool = False) -> Phrases:
        """Copy the lists with further phrases in some of them, in the form of ``of_tokens``."""
        trie = PhraseTrie.restore(*self.trie.nodes())
        for name, phrases in lists.items():
            for tokens in phrases:
                trie.add(self.names.index(name), fold, list(tokens), words=True)
        return Phrases(trie, self.names)

    @classmethod
    def read_lexicon(cls, path: Path) -> Phrases:
        """Read a file with one word per line, for text whose tokens are characters."""
        return cls.lexicon((word for _, word in _lines(path)), _list_name(path))

    @classmethod
    def lexicon(cls, words: Iterable[str], name: str = "words") -> Phrases:
        """Build a list of words, for text whose tokens are characters."""
        return cls(_build_character_trie(words), (name,))

    def to_tensors(self) -> Tensors:
        """Return the arrays that a model file holds."""
        keys, ids, sets, width = self.trie.nodes()
        used = np.unique(ids)
        rows = np.zeros((len(used), _count_words(self.names)), np.uint64)
        rows[:, :width] = sets.reshape(-1, width)[used, : rows.shape[1]]
        distinct, index = np.unique(rows, axis=0, return_inverse=True)  # sets in an order that building does not change
        new = np.zeros(len(sets) // width, np.uint32)
        new[used] = index.reshape(-1)
        return {"keys": keys, "sets": distinct.reshape(-1), "set_ids": new[ids]}

    @classmethod
    def from_tensors(cls, tensors: Tensors, names: list[str]) -> Phrases:
        """Restore the lists from what ``to_tensors`` returned."""
        sets, width = tensors["sets"], _count_words(names)
        rows = sets[: len(sets) // width * width].reshape(-1, width)
        if not np.array_equal(np.unique(rows, axis=0), rows):
            raise ValueError("sets of lists are not distinct and in order")
        trie = PhraseTrie.restore(tensors["keys"], tensors["set_ids"], sets, width)
        return cls(trie, tuple(names))


def _count_words(names: Sequence[str]) -> int:
    """Numbers of 64 bits that have one bit per list."""
    return max(1, -(-len(names) // 64))


def _build_character_trie(words: Iterable[str]) -> PhraseTrie:
    trie = PhraseTrie()
    for word in words:
        trie.add(0, False, list(word))
    return trie


@check_methods()
@dataclass(frozen=True)
class Categories:
    """A category lexicon in the format of Tongyici Cilin: a code and its words per line, ``Af10B05# 省长 市长 县长``.

    A word may have several codes. The first 1, 2, 4, 5 and 7 characters of a code are its levels, from the most general
    to the most specific category.
    """

    codes: Lookup  # word -> codes, separated by blanks
    trie: PhraseTrie  # the words, character by character
    names: ClassVar[tuple[str, ...]] = ()
    layout: ClassVar[Layout] = _describe_lookup("Codes of categories, separated by blanks")

    def __repr__(self) -> str:
        return f"Categories({len(self.codes):,} words)"

    @classmethod
    def read(cls, path: Path) -> Categories:
        """Read a file."""
        found: dict[str, dict[str, None]] = {}
        for number, line in _lines(path):
            code, *words = line.split()
            if not words:
                raise DataError(f"{path}:{number}: expected a code and its words, found {line[:60]!r}")
            for word in words:
                found.setdefault(word, {})[code] = None
        return cls.build(found)

    @classmethod
    def build(cls, codes: Mapping[str, Iterable[str]]) -> Categories:
        """Build the lexicon from the codes of every word."""
        lookup = Lookup()
        for word, its in codes.items():
            lookup.add(word, " ".join(its))
        return cls(lookup, _build_character_trie(codes))

    def to_tensors(self) -> Tensors:
        """Return the arrays that a model file holds."""
        return _lookup_to_tensors(self.codes)

    @classmethod
    def from_tensors(cls, tensors: Tensors, names: list[str]) -> Categories:
        """Restore the lexicon from what ``to_tensors`` returned."""
        codes = _restore_lookup(tensors)
        return cls(codes, _build_character_trie(codes.words().strings()))


Resource = Clusters | WordList | Phrases | Categories | Statistics | Casing | Vectors
#: Where a resource comes from: a file or folder, files by the name of their list, or memory.
Source = FilePath | Mapping[str, Files] | Resource


@dataclass(frozen=True)
class ResourceKind:
    """The type of a resource, and how it is read."""

    type: type[Resource]
    read: Callable[[Path], Resource]
    hint: str  # how to pass it on the command line
    read_classes: Callable[[Mapping[str, Files]], Resource] | None = None  # reads files by the name of their list


KINDS: dict[str, ResourceKind] = {
    "brown": ResourceKind(
        Clusters, Clusters.read, "pass the clusters: --resource brown=FILE, or brown=train to make them of TRAIN"
    ),
    "gazetteer": ResourceKind(
        Phrases,
        Phrases.read,
        "pass the lists: --resource gazetteer=FOLDER, or gazetteer=train for the entities of TRAIN",
        Phrases.read_classes,
    ),
    "gazetteer_folded": ResourceKind(
        Phrases,
        partial(Phrases.read, fold=True),
        "pass the lists: --resource gazetteer_folded=FOLDER, or gazetteer_folded=train for the entities of TRAIN",
        partial(Phrases.read_classes, fold=True),
    ),
    "entities": ResourceKind(
        Phrases,
        partial(Phrases.read, by_character=True),
        "pass the lists: --resource entities=FOLDER, or entities=train for those of TRAIN",
        partial(Phrases.read_classes, by_character=True),
    ),
    "lexicon": ResourceKind(
        Phrases, Phrases.read_lexicon, "pass the words: --resource lexicon=FILE, or lexicon=train for those of TRAIN"
    ),
    "lowercased": ResourceKind(
        WordList,
        WordList.read,
        "pass the words: --resource lowercased=FILE, or lowercased=train to count them in TRAIN",
    ),
    "functional": ResourceKind(
        WordList,
        WordList.read,
        "pass the words: --resource functional=FILE, or functional=train for those within entities of TRAIN",
    ),
    "category": ResourceKind(Categories, Categories.read, "pass the lexicon: --resource category=FILE"),
    "statistics": ResourceKind(
        Statistics, Statistics.read, "pass raw text: --resource statistics=FILE, or statistics=train for that of TRAIN"
    ),
    "vectors": ResourceKind(Vectors, Vectors.read, "pass the vectors: --resource vectors=FILE"),
    "casing": ResourceKind(
        Casing, Casing.read, "pass raw text: --resource casing=FILE, or casing=train for that of TRAIN"
    ),
}
_NAME = re.compile(r"(?P<kind>[^:]*)(?::(?P<label>[\w-]{1,1000}))?")


def split_name(name: str) -> tuple[str, str | None]:
    """Split the name of a resource, KIND or KIND:NAME.

    >>> split_name("brown"), split_name("brown:web")
    (('brown', None), ('brown', 'web'))
    """
    match = _NAME.fullmatch(name)
    if match is None:
        raise ConfigError(
            f"resource {show_value(name, 60)}: expected KIND or KIND:NAME, with a NAME of letters, digits, - and _"
        )
    if match["kind"] not in KINDS:
        raise unknown_name("resource", match["kind"], KINDS)
    return match["kind"], match["label"]


def get_kind(name: str) -> ResourceKind:
    """Return the kind of a resource by its name."""
    return KINDS[split_name(name)[0]]


def is_name(name: str) -> bool:
    """Tell whether a text is the name of a resource."""
    match = _NAME.fullmatch(name)
    return match is not None and match["kind"] in KINDS


@explain_failures
def load_resource(name: str, source: Source) -> Resource:
    """Read a resource, whose name begins with its kind; one that is in memory already is checked and returned."""
    kind = get_kind(name)
    if isinstance(source, Resource):
        if not isinstance(source, kind.type):
            raise ConfigError(f"resource {name!r}: expected {kind.type.__name__}, got {type(source).__name__}")
        return source
    if isinstance(source, Mapping):
        if kind.read_classes is None:
            raise ConfigError(f"resource {name!r}: expected one file or folder, got files by name")
        return kind.read_classes(source)
    if not isinstance(source, (str, os.PathLike)):
        raise ConfigError(f"resource {name!r}: expected the path of a file, got {show_value(source)}")
    path = Path(source)
    if not path.exists():
        raise DataError(f"{path}: no such file (resource {name!r})")
    return kind.read(path)


def restore_resource(name: str, tensors: Tensors, names: list[str]) -> Resource:
    """Restore a resource from what ``to_tensors`` returned."""
    return get_kind(name).type.from_tensors(tensors, names)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    stripped = ((number, line.strip()) for number, line in enumerate(load_lines(path), 1))
    return ((number, line) for number, line in stripped if line)


def _lists(path: Path) -> dict[str, list[str]]:
    files = [path]
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
    _check_list_count(len(files), path)
    lists: dict[str, list[str]] = {}
    for file in files:
        if _list_name(file) in lists:
            raise DataError(f"{file}: another list has the name {_list_name(file)!r}; rename one of the files")
        lists[_list_name(file)] = [line for _, line in _lines(file)]
    return lists


def _check_list_count(count: int, where: object) -> None:
    if not 1 <= count <= limits.MOST_LISTS:
        raise DataError(f"{where}: expected 1 to {limits.MOST_LISTS:,} lists, found {count:,}")


def _add_list(trie: PhraseTrie, number: int, phrases: list[str], by_character: bool, fold: bool | None) -> None:
    if fold is None:
        fold = all(p == p.lower() for p in phrases) or all(p == p.upper() for p in phrases)
    for phrase in phrases:
        tokens = list("".join(phrase.split())) if by_character else phrase.split()
        trie.add(number, fold, tokens, words=not by_character)  # phrase chunkers look up the words of entries


def _list_name(path: Path) -> str:
    name = path.name
    for suffix in (".xz", ".gz", ".txt", ".lst", ".utf8"):
        name = name.removesuffix(suffix)
    return name
