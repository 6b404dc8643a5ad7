"""CRFsuite attribute files."""

from __future__ import annotations

import io

import pytest

from tagloom.corpus import Corpus, read, to_string
from tagloom.errors import DataError

TEXT = "B-NP\tw=a\\:b\tw\\\\x:0.5\tbias\nI-NP\tbias\n\nO\nO\tbias:2\tw=c:-1e-3\n"


def read_text(text: str) -> Corpus:
    return read(io.StringIO(text), "crfsuite")


def test_bag_column() -> None:
    corpus = read_text(TEXT)
    bag = corpus.column("attributes")
    assert corpus.names == ["label", "attributes"]
    assert corpus.sentences.tolist() == [0, 2, 4]
    assert bag.is_bag
    assert bag.offsets is not None
    assert bag.values is not None
    assert bag.offsets.tolist() == [0, 3, 4, 4, 6]
    assert [bag.strings[code] for code in bag.codes.tolist()] == ["w=a:b", "w\\x", "bias", "bias", "bias", "w=c"]
    assert bag.values.tolist() == pytest.approx([1, 0.5, 1, 1, 2, -0.001])


def test_writes_what_it_read() -> None:
    text = to_string(read_text(TEXT), "crfsuite")
    assert text == "B-NP\tw=a\\:b\tw\\\\x:0.5\tbias\nI-NP\tbias\n\nO\nO\tbias:2.0\tw=c:-0.001\n\n"
    assert to_string(read_text(text), "crfsuite") == text


@pytest.mark.parametrize("attribute", ["w:a", ":2", "w:nan", "w:1e40", "w:1:2", "w:"])
def test_refuses_malformed_scales(attribute: str) -> None:
    with pytest.raises(DataError) as caught:
        read_text(f"O\tbias\n\nO\tbias\tx\nO\tbias\t{attribute}\n")
    assert str(caught.value).startswith(f"<stream>:4: expected attribute[:scale], found {attribute!r}")


def test_refuses_an_empty_label() -> None:
    with pytest.raises(DataError, match=r"^<stream>:2: expected label<TAB>attribute..., found an empty label$"):
        read_text("O\tbias\n\tbias\n")


def test_only_bags_are_written_and_only_here() -> None:
    with pytest.raises(DataError, match="column 'b' has one string per token"):
        to_string(Corpus.from_columns({"a": ["x"], "b": ["y"]}, [1]), "crfsuite")
    with pytest.raises(DataError, match="column 'attributes' holds several strings per token"):
        to_string(read_text(TEXT), "conll")
