"""Every token of a treebank's text stands where the annotation says, also for models with a normal form."""

from __future__ import annotations

from pathlib import Path

import pytest

import tagloom
from tagloom.corpus import Corpus, read, restore_text
from tagloom.corpus.running_text import build_annotation
from tagloom.text import list_tokenizers

FILES = [
    "ud-en-ewt/en_ewt-ud-train.conllu.xz",
    "ud-en-ewt/en_ewt-ud-dev.conllu.xz",
    "ud-en-ewt/en_ewt-ud-test.conllu.xz",
    "ud-zh-gsd/zh-ud-train.conllu.xz",
    "ud-zh-gsd/zh-ud-dev.conllu",
    "ud-zh-gsd/zh-ud-test.conllu",
]


def open_treebank(path: Path) -> Corpus:
    if not path.is_file():
        pytest.skip(f"{path} is not there; add it to the corpora")
    return read(path)


def check_places(annotation: tagloom.text.Annotation) -> None:
    places = zip(annotation.words, annotation.starts.tolist(), annotation.ends.tolist())
    hidden = {token for first, last in annotation.multiwords.tolist() for token in range(first, last)}
    for token, (word, start, end) in enumerate(places):
        assert annotation.text[start:end] == word or token in hidden


@pytest.mark.parametrize("name", FILES)
def test_every_token_stands_in_the_text(name: str, data_dir: Path, tmp_path: Path) -> None:
    text = restore_text(open_treebank(data_dir / name)).text
    (tmp_path / "raw.txt").write_text(text)
    for tokenizer in list_tokenizers():
        corpus = read(tmp_path / "raw.txt", "text", tokenizer=tokenizer)
        annotation = build_annotation(corpus, {}, [], "form")
        assert annotation.text == text
        check_places(annotation)
        covered = sum(end - start for start, end in zip(annotation.starts.tolist(), annotation.ends.tolist()))
        assert covered == sum(not character.isspace() for character in text) or tokenizer != "character"


@pytest.mark.parametrize("name", ["ud-en-ewt/en_ewt-ud-dev.conllu.xz", "ud-zh-gsd/zh-ud-dev.conllu"])
@pytest.mark.parametrize("system", ["tagger", "tokenizer"])
def test_models_with_nfkc(name: str, data_dir: Path, system: str) -> None:
    treebank = open_treebank(data_dir / name)
    part = treebank.slice(0, 300) if system == "tagger" else treebank
    options = {"label": "upos", "templates": "words"} if system == "tagger" else {}
    model = tagloom.train(part, system=system, normalise="NFKC", epochs=1, **options)
    text = restore_text(treebank).text[:50_000].replace("1", "１").replace("a", "ａ").replace("fi", "ﬁ") + " ㈱ ½ Å"
    annotation = model(text)
    assert annotation.text == text
    check_places(annotation)
    annotation.check()
