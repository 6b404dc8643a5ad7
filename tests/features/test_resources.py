"""Resource files: clusters, gazetteers and lexicons as people have them, and what is wrong with the others."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom.corpus import Corpus
from tagloom.errors import ConfigError, DataError
from tagloom.features import (
    Clusters,
    FeatureEncoder,
    Phrases,
    Vocabulary,
    load_resource,
    load_templates,
    restore_resource,
)
from tagloom.features.resources import find_functional_words
from tagloom.schema import limits
from tests.features.vocabulary import clusters
from tests.oracle import attributes as oracle
from tests.strategies import unhurried, words


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def load_clusters(path: Path) -> Clusters:
    loaded = load_resource("brown", path)
    assert isinstance(loaded, Clusters)
    return loaded


def load_lists(path: Path) -> Phrases:
    loaded = load_resource("gazetteer", path)
    assert isinstance(loaded, Phrases)
    return loaded


def test_clusters_with_and_without_counts(tmp_path: Path) -> None:
    text = "\ufeff0010\tthe\t1021\r\n\r\n01\tété\n1111\tNew York\t3\n10\tthe\n"
    for name, data in {
        "paths": text.encode(),
        "paths.gz": gzip.compress(text.encode()),
        "paths.xz": lzma.compress(text.encode()),
    }.items():
        lookup = load_clusters(write(tmp_path / name, data)).lookup
        assert [lookup.find(word) for word in ("the", "été", "New York", "The")] == ["0010", "01", "1111", ""]
        assert len(lookup) == 3


@given(
    paths=st.dictionaries(words(), st.text("01", min_size=1, max_size=6), max_size=8),
    sentence=st.lists(words(), min_size=1),
    bits=st.none() | st.integers(1, 7),
)
@unhurried
def test_prefixes_of_a_cluster_path(paths: dict[str, str], sentence: list[str], bits: int | None) -> None:
    resource = clusters(paths)
    restored = restore_resource("brown", resource.to_tensors(), [])
    corpus = Corpus.from_columns({"form": sentence}, [len(sentence)])
    for known in (resource, restored):
        templates = load_templates(f"brown{'' if bits is None else bits}[0]\n")
        encoder = FeatureEncoder(templates, Vocabulary(("form",), resources={"brown": known}))
        store, batch = encoder.new_store(), encoder.batch(corpus)
        encoder.prepare(store, batch)
        codes = batch.codes[0].tolist()
        assert [[text for text, _ in store.values(0, code)] for code in codes] == [
            oracle.brown(paths.get(word), bits) for word in sentence
        ]


def test_a_folder_holds_one_list_a_file(tmp_path: Path) -> None:
    write(tmp_path / "people.txt", "Ada Lovelace\n\n  Alan   Turing \r\n")
    write(tmp_path / "city.lst.xz", lzma.compress(b"New York\n"))
    write(tmp_path / "a.b", "")
    write(tmp_path / ".hidden", b"\xff\x00")
    (tmp_path / "folder").mkdir()
    assert load_lists(tmp_path).names == ("a.b", "city", "people")
    single = load_lists(tmp_path / "people.txt")
    assert single.names == ("people",)
    assert len(single.trie) == 4 + 4  # beginnings of phrases, and words


def test_a_lexicon_file(tmp_path: Path) -> None:
    loaded = load_resource("lexicon", write(tmp_path / "dict.utf8", "中国\n人民\n\n中\n"))
    assert isinstance(loaded, Phrases)
    assert (loaded.names, len(loaded.trie)) == (("dict",), 4)


@pytest.mark.parametrize(("times", "expected"), [(2, []), (3, ["of"]), (4, ["of"])])
def test_functional_words_occur_three_times_in_entities(times: int, expected: list[str]) -> None:
    """carreras-2003, section 5: lower-cased words within entities that appear three times or more."""
    found = find_functional_words(["Bank", "the", "Of", *["of"] * times, "The", "the", "The", "4"])
    assert found.words.strings() == expected


def test_what_is_in_memory_is_taken_as_it_is() -> None:
    resource = Phrases.build({"x": ["a b"]})
    assert load_resource("gazetteer", resource) is resource


def test_unknown_resources_come_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"^unknown resource 'gazeteer'; did you mean 'gazetteer'\? \(known: brown,"):
        load_resource("gazeteer", "x")


@pytest.mark.parametrize("name", ["brown", "gazetteer", "lexicon"])
def test_a_file_that_is_not_there(name: str, tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        load_resource(name, tmp_path / "none")
    assert str(caught.value) == f"{tmp_path / 'none'}: no such file (resource {name!r})"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("0010\tthe\nthe\t0010\n", ":2: expected 'bit string <tab> word', found 'the\\t0010'"),
        ("0010 the\n", ":1: expected 'bit string <tab> word', found '0010 the'"),
        ("\n\n0010\n", ":3: expected 'bit string <tab> word', found '0010'"),
        ("0120\tthe\n", ":1: expected 'bit string <tab> word', found '0120\\tthe'"),
        (b"01\tthe\n01\t\xff\n", ":2: not valid UTF-8"),
        (b"01\tthe\n01\ta\x00b\n", ":2: NUL byte, expected UTF-8 text; convert the file if it is UTF-16"),
        (lzma.compress(b"01\tthe\n")[:-9], ": the xz data is damaged or cut off; fetch the file again"),
    ],
)
def test_clusters_that_cannot_be_read(content: str | bytes, message: str, tmp_path: Path) -> None:
    path = write(tmp_path / "paths", content)
    with pytest.raises(DataError) as caught:
        load_resource("brown", path)
    assert str(caught.value) == f"{path}{message}"


@pytest.mark.parametrize("name", ["gazetteer", "lexicon"])
def test_lists_that_cannot_be_read(name: str, tmp_path: Path) -> None:
    path = write(tmp_path / "list", b"a\n\xe9\n")
    with pytest.raises(DataError) as caught:
        load_resource(name, path)
    assert str(caught.value) == f"{path}:2: not valid UTF-8"


@pytest.mark.parametrize("name", ["brown", "lexicon"])
def test_a_folder_where_a_file_is_expected(name: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is a directory, expected a file"):
        load_resource(name, tmp_path)


def test_too_few_and_too_many_lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match="expected 1 to 65,536 lists, found 0"):
        load_resource("gazetteer", tmp_path)
    monkeypatch.setattr(limits, "MOST_LISTS", 4)
    for number in range(5):
        write(tmp_path / f"list{number}", "a\n")
    with pytest.raises(DataError, match="expected 1 to 4 lists, found 5"):
        load_resource("gazetteer", tmp_path)


def test_two_lists_of_one_name(tmp_path: Path) -> None:
    write(tmp_path / "city.lst", "York\n")
    write(tmp_path / "city.txt", "Paris\n")
    with pytest.raises(DataError, match=r"city\.txt: another list has the name 'city'; rename one of the files$"):
        load_resource("gazetteer", tmp_path)
