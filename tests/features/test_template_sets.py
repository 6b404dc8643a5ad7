"""Shipped template sets, and where templates come from: names, files, texts."""

from __future__ import annotations

import lzma
import shutil
from importlib import resources
from pathlib import Path

import pytest

from tagloom.corpus import Column, Corpus, read
from tagloom.datasets import newswire
from tagloom.errors import ConfigError
from tagloom.features import Vocabulary, list_template_sets, load_resource, load_templates, parse_templates
from tagloom.systems.tokenizer.characters import read_boundaries, read_characters
from tagloom.systems.tokenizer.sentences import read_tokens
from tests.features.encoded import Encoded, by_token, expected
from tests.features.vocabulary import bag_column
from tests.oracle import attributes, encoder

GAZETTEERS = ("location.country", "known_corporations.lst", "names.male", "product")
OF_CHARACTERS = ("segmentation", "ner-zh")
OF_TREEBANKS = ("lemma", "morphology")
BROWN = "brown/brown-rcv1-c3200.paths.txt.xz"


def check_rows(encoded: Encoded) -> None:
    collected = encoded.collect()
    for edge in (False, True):
        assert by_token(collected.take_rows(edge)) == expected(encoded.fired(edge), collected.table(edge))


@pytest.fixture(scope="module")
def news() -> Corpus:
    corpus = newswire(3, seed=3)
    return Corpus(
        {name: corpus.column(name) for name in ("form", "pos", "chunk")},
        corpus.sentences,
        corpus.documents,
        source="news",
    )


@pytest.fixture(scope="module")
def letters() -> Corpus:
    """Characters that the lists of the vocabulary are made of."""
    lines = ["abcaabcab,1cabb", "bcaabcA", "ccacabbcABAab", "aab", "b"]
    return Corpus.from_columns({"form": "".join(lines)}, list(map(len, lines)))


def test_the_sets_that_the_documentation_promises() -> None:
    documentation = Path(__file__).parents[2].joinpath("docs/features.md").read_text("utf-8")
    assert [name for name in list_template_sets() if f"| `{name}` |" not in documentation] == []


@pytest.mark.parametrize("name", list_template_sets())
def test_every_set_has_a_line_of_help_and_a_canonical_text(name: str) -> None:
    templates = load_templates(name)
    text = resources.files("tagloom.features.sets").joinpath(f"{name}.templates").read_text("utf-8")
    assert text.startswith("# ")
    assert templates.name == name
    assert templates.transitions
    assert parse_templates(str(templates), name) == templates


@pytest.mark.parametrize("name", sorted({*list_template_sets()} - {"attributes", "second-stage"}))
def test_every_set_fires(name: str, news: Corpus, letters: Corpus) -> None:
    corpus = letters if name.startswith(OF_CHARACTERS) else news
    if name in ("tokenizer", "sentences"):
        text = 'He\'s "in" Bonn, U.S. now.\n\nShe (his sister) left (or not)!  Who knows?'
        characters = read_characters(text)
        found = read_boundaries(characters, Column.from_strings(["_"] * len(characters.places)))
        corpus = characters.corpus if name == "tokenizer" else read_tokens(text, characters, found)
    if name in OF_TREEBANKS:
        corpus = news.rename(("form", "upos", "chunk"))
    encoded = Encoded(load_templates(name), corpus)
    seeds = {feature.seed for token in encoded.fired(False) for feature in token}
    nodes = {template.seed for template in encoded.encoder.templates.nodes}
    assert seeds == {seed for seed in nodes if not seed.startswith("context")}  # sentences alone have no context
    check_rows(encoded)


# The template that CRF++ ships for CoNLL-2000, rows and columns only.
CRFPP_CHUNKING = """
    -2,0  -1,0  0,0  1,0  2,0  -1,0/0,0  0,0/1,0  -2,1  -1,1  0,1  1,1  2,1  -2,1/-1,1  -1,1/0,1  0,1/1,1  1,1/2,1
    -2,1/-1,1/0,1  -1,1/0,1/1,1  0,1/1,1/2,1
"""


def test_chunking_is_the_template_of_crfpp() -> None:
    rows = [[f"{part.offset},{('form', 'pos').index(part.name)}" for part in template.parts]
            for template in load_templates("chunking").fit(("form", "pos")).templates]  # fmt: skip
    assert sorted("/".join(row) for row in rows) == sorted(CRFPP_CHUNKING.split())


def test_attributes_of_crfsuite_files_fire_with_their_scales() -> None:
    bag = bag_column([[("w=a", 1.0), ("cap", 0.5)], [], [("w=a", 2.0)]])
    vocabulary = Vocabulary(("attributes",), bags=frozenset({"attributes"}))
    corpus = Corpus.from_columns({"attributes": bag}, [2, 1])
    encoded = Encoded(
        load_templates("attributes"), corpus, vocabulary, {"attributes": lambda sentence: list(sentence["attributes"])}
    )
    check_rows(encoded)
    assert by_token(encoded.collect().take_rows(False)) == [[(0, 1.0), (1, 0.5)], [], [(0, 2.0)]]


def test_names_paths_texts_and_sets(tmp_path: Path) -> None:
    path = tmp_path / "mine.templates"
    path.write_bytes("\ufeffform[0]\r\n/ edge\r\n".encode())
    templates = load_templates(path)
    assert (templates.name, str(templates)) == ("mine.templates", "form[0]\n/ edge\n")
    assert load_templates(str(path)) == templates
    assert load_templates(templates) is templates
    assert load_templates("form[0]\n/ edge\n").templates == load_templates("form[0]").templates == templates.templates


@pytest.mark.parametrize(("name", "near"), [("chunkin", "chunking"), ("ner_basic", "ner-basic"), ("POS", None)])
def test_unknown_names_come_with_the_nearest(name: str, near: str | None) -> None:
    with pytest.raises(ConfigError) as caught:
        load_templates(name)
    hint = f"; did you mean {near!r}?" if near else ""
    sets = list_template_sets()
    known = f"{', '.join(sets[:24])} and {len(sets) - 24} more"
    assert str(caught.value) == f"unknown template set or file {name!r}{hint} (known: {known})"


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "mine.templates"
    path.write_bytes(b"form[0]\n\xff\xfe\n")
    with pytest.raises(ConfigError, match=r"mine\.templates: cannot be read as a template file"):
        load_templates(path)
    with pytest.raises(ConfigError, match="unknown template set or file"):
        load_templates(tmp_path)


@pytest.mark.parametrize(
    ("path", "columns", "name"),
    [
        ("conll2000/test.txt", "form pos chunk", "chunking"),
        ("conll2003-en/eng.testb", "form pos chunk ner", "ner-extended"),
    ],
)
def test_real_text(data_dir: Path, tmp_path: Path, path: str, columns: str, name: str) -> None:
    folder = data_dir / "resources"
    for file in (data_dir / path, folder / BROWN, *(folder / "gazetteers" / g for g in GAZETTEERS)):
        if not file.exists():
            pytest.skip(f"no {file.relative_to(data_dir)} in {data_dir}")
    for file in GAZETTEERS:
        shutil.copy(folder / "gazetteers" / file, tmp_path)
    vocabulary = Vocabulary(
        ("form", "pos"),
        resources={
            "brown": load_resource("brown", folder / BROWN),
            "gazetteer": load_resource("gazetteer", tmp_path),
        },
    )
    corpus = read(data_dir / path, "conll", columns).slice(0, 120)
    check_rows(Encoded(load_templates(name), corpus, vocabulary, resource_truth(folder)))


def resource_truth(folder: Path) -> dict[str, encoder.Attribute]:
    """Clusters and lists read line by line."""
    paths: dict[str, str] = {}
    for line in lzma.decompress((folder / BROWN).read_bytes()).decode().splitlines():
        path, word = line.split("\t")[:2]
        paths.setdefault(word, path)
    lists = {name: (folder / "gazetteers" / name).read_text("utf-8").split("\n") for name in sorted(GAZETTEERS)}
    phrases = {name.removesuffix(".lst"): [p.strip() for p in lines if p.strip()] for name, lines in lists.items()}
    label = attributes.gazetteer(phrases)

    def brown(bits: int) -> encoder.Attribute:
        return encoder.of_word("form", lambda word: attributes.brown(paths.get(word), bits))

    return {
        "gazetteer": lambda sentence: list(map(encoder.values_of, label(sentence["form"]))),
        **{f"brown{bits}": brown(bits) for bits in range(1, 21)},
    }
