"""Word lists that attributes look things up in: Brown clusters, gazetteers, lexicons. A model carries its own copy.

=============  =======================================================  ==================================
resource       file                                                     attributes
=============  =======================================================  ==================================
``brown``      Brown clusters: bit string, tab, word a line             ``brown4``: first 4 bits of the path
``gazetteer``  one phrase a line; a folder holds one list a file        ``gazetteer``: B-LIST, I-LIST
``lexicon``    one word a line, matched over one-character tokens       ``lexicon``: S, B, M, E
=============  =======================================================  ==================================
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagloom._core import Lookup, PhraseTrie, StringTable
from tagloom.corpus.files import decode_lines, load
from tagloom.errors import DataError, unknown_name

Tensors = dict[str, NDArray[Any]]
_MOST_LISTS = 64


@dataclass(frozen=True)
class Clusters:
    """Word -> bit string of its Brown cluster."""

    lookup: Lookup
    names: tuple[str, ...] = ()

    @classmethod
    def read(cls, path: Path) -> Clusters:
        lookup = Lookup()
        for number, line in _lines(path):
            fields = line.split("\t")
            if len(fields) < 2 or not fields[0] or set(fields[0]) - {"0", "1"}:
                raise DataError(f"{path}:{number}: expected 'bit string <tab> word', found {line[:60]!r}")
            lookup.add(fields[1], fields[0])
        return cls(lookup)

    def to_tensors(self) -> Tensors:
        words, word_ends = self.lookup.words().to_blob()
        values, value_ends = self.lookup.values().to_blob()
        return {"words": words, "word_ends": word_ends, "values": values, "value_ends": value_ends,
                "value_ids": self.lookup.value_ids()}  # fmt: skip

    @classmethod
    def from_tensors(cls, tensors: Tensors, names: list[str]) -> Clusters:
        words = StringTable.from_blob(tensors["words"], tensors["word_ends"])
        values = StringTable.from_blob(tensors["values"], tensors["value_ends"])
        return cls(Lookup.restore(words, values, tensors["value_ids"]), tuple(names))


@dataclass(frozen=True)
class Phrases:
    """Lists of phrases for longest match; ``names`` are the lists, in the order of their bits."""

    trie: PhraseTrie
    names: tuple[str, ...]

    @classmethod
    def read_gazetteer(cls, path: Path) -> Phrases:
        """A list, or a folder with one list a file. Lists in one case only are matched without regard to case."""
        files = _list_files(path) if path.is_dir() else [path]
        if not files or len(files) > _MOST_LISTS:
            raise DataError(f"{path}: expected 1 to {_MOST_LISTS} list files, found {len(files)}")
        lists: dict[str, list[str]] = {}
        for file in files:
            if _list_name(file) in lists:
                raise DataError(f"{file}: another list is called {_list_name(file)!r} too; rename one of the files")
            lists[_list_name(file)] = [line for _, line in _lines(file)]
        return cls.build(lists)

    @classmethod
    def build(cls, lists: Mapping[str, Iterable[str]]) -> Phrases:
        trie = PhraseTrie()
        for number, phrases in enumerate(lists.values()):
            entries = list(phrases)
            fold = _is_one_case(entries)
            for phrase in entries:
                trie.add(number, fold, phrase.split())
        return cls(trie, tuple(lists))

    @classmethod
    def read_lexicon(cls, path: Path) -> Phrases:
        trie = PhraseTrie()
        for _, word in _lines(path):
            trie.add(0, False, list(word))
        return cls(trie, (_list_name(path),))

    def to_tensors(self) -> Tensors:
        keys, sets = self.trie.nodes()
        distinct, index = np.unique(sets, return_inverse=True)
        return {"keys": keys, "sets": distinct, "set_ids": index.astype(np.uint32)}

    @classmethod
    def from_tensors(cls, tensors: Tensors, names: list[str]) -> Phrases:
        if len(names) > _MOST_LISTS:
            raise ValueError(f"more than {_MOST_LISTS} phrase lists")
        return cls(PhraseTrie.restore(tensors["keys"], tensors["sets"][tensors["set_ids"]]), tuple(names))


Resource = Clusters | Phrases

READERS: dict[str, Callable[[Path], Resource]] = {
    "brown": Clusters.read,
    "gazetteer": Phrases.read_gazetteer,
    "lexicon": Phrases.read_lexicon,
}


def load_resource(name: str, source: str | os.PathLike[str] | Resource) -> Resource:
    """Read a resource by its name; one that is in memory already is taken as it is."""
    if name not in READERS:
        raise unknown_name("resource", name, READERS)
    if isinstance(source, (Clusters, Phrases)):
        return source
    path = Path(source)
    if not path.exists():
        raise DataError(f"{path}: no such file (resource {name!r})")
    return READERS[name](path)


def restore_resource(name: str, tensors: Tensors, names: list[str]) -> Resource:
    """The inverse of ``to_tensors``."""
    kind: type[Clusters] | type[Phrases] = Clusters if name == "brown" else Phrases
    return kind.from_tensors(tensors, names)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    name, data = load(path)
    for number, line in enumerate(decode_lines(data, name), start=1):
        if stripped := line.strip():
            yield number, stripped


def _list_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))


def _list_name(path: Path) -> str:
    name = path.name
    for suffix in (".xz", ".gz", ".txt", ".lst", ".utf8"):
        name = name.removesuffix(suffix)
    return name


def _is_one_case(phrases: list[str]) -> bool:
    return all(p == p.lower() for p in phrases) or all(p == p.upper() for p in phrases)
