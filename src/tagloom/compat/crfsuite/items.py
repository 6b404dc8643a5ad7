"""ItemSequence: the attributes of the items of one sequence, prepared once and used any number of times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any

from tagloom.arguments import is_iterable
from tagloom.compat.crfsuite.errors import raise_as
from tagloom.corpus import Corpus, from_feature_dicts
from tagloom.errors import show_value


class ItemSequence:
    """A sequence of items with their attributes.

    Items are dicts or collections of strings, see :func:`tagloom.corpus.from_feature_dicts`.

    >>> sequence = ItemSequence([["foo"], {"bar": {"baz": 1}}])
    >>> sequence
    <ItemSequence of size 2>
    >>> sequence.items()
    [{'foo': 1.0}, {'bar:baz': 1.0}]
    """

    def __init__(self, pyseq: Iterable[Any] | ItemSequence) -> None:
        self._items = copy_sequence(pyseq)
        self._corpus = encode_sequence(self._items)

    @property
    def corpus(self) -> Corpus:
        """The sequence as a corpus of one sentence."""
        return self._corpus

    @property
    def raw_items(self) -> list[Any]:
        """The items as they were given."""
        return self._items

    def items(self) -> list[dict[str, float]]:
        """List the attributes of every item with their values."""
        return [dict(_list_attributes(item)) for item in self._items]

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"<ItemSequence of size {len(self)}>"


def encode_sequence(sequence: Iterable[Any] | ItemSequence) -> Corpus:
    """Build a corpus of one sentence, or take the one that is prepared."""
    if isinstance(sequence, ItemSequence):
        return sequence.corpus
    with raise_as(ValueError):
        return from_feature_dicts([sequence])


def copy_sequence(sequence: Iterable[Any] | ItemSequence) -> list[Any]:
    """Copy the items of a sequence, which the caller may change afterwards; what is wrong with them is told later."""
    if isinstance(sequence, ItemSequence):
        return sequence.raw_items
    if isinstance(sequence, (str, bytes, Mapping)) or not is_iterable(sequence):
        raise ValueError(f"expected a list of feature dicts, got {show_value(sequence)}")
    return [item.copy() if type(item) is dict else _copy_item(item) for item in sequence]


def _copy_item(item: Any) -> Any:
    if isinstance(item, Mapping):
        return dict(item)
    return list(item) if is_iterable(item) and not isinstance(item, (str, bytes)) else item


def _list_attributes(item: Any) -> Iterator[tuple[str, float]]:
    """List the attributes of an item that the core has read before, with their values."""
    if not isinstance(item, Mapping):
        yield from ((_to_text(name), 1.0) for name in item)
        return
    for key, value in item.items():
        name = _to_text(key)
        if isinstance(value, (str, bytes)):
            yield f"{name}:{_to_text(value)}", 1.0
        elif isinstance(value, (Mapping, list, tuple, Set)):
            yield from ((f"{name}:{inner}", weight) for inner, weight in _list_attributes(value))
        else:
            yield name, float(value)


def _to_text(name: str | bytes) -> str:
    return name.decode() if isinstance(name, bytes) else str(name)
