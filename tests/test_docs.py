"""The examples in README and docs run: Python blocks in order, one namespace a file; shell blocks of the README."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tagloom import Corpus, datasets, write
from tests.treebank import conllu

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


NEEDED = {
    "spacy.md": "spacy",
    "huggingface.md": "datasets",
    "ray.md": "ray",
}  # packages that the examples of a page import


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.M | re.S)


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "python")], ids=lambda page: page.name)
@pytest.mark.filterwarnings("ignore:.*:DeprecationWarning:ray")
def test_python_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if page.name in NEEDED:
        pytest.importorskip(NEEDED[page.name])
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {}
    for block in blocks(page, "python"):
        exec(compile(block, str(page), "exec"), namespace)


def test_shell_examples_run(tmp_path: Path) -> None:
    split = datasets.newswire_split(40, seed=3)
    parts = {"train": split.train, "dev": split.dev, "test": split.test, "gold": split.test, "predicted": split.test}
    for name, corpus in parts.items():
        write(corpus, tmp_path / f"{name}.txt", "conll", columns=["form", "pos", "chunk"])
    write(split.test, tmp_path / "input.txt", "conll", columns=["form", "pos"])
    write(split.dev, tmp_path / "eng.train", "conll", columns=["form", "pos", "ner"])
    (tmp_path / "treebank.conllu").write_text(conllu(20, 1))
    (tmp_path / "letter.txt").write_text("The dog saw a cat. Peter sleeps in Bonn.\n")
    assert run_commands(ROOT / "README.md", tmp_path) >= 12
    assert (tmp_path / "eng.jsonl").exists()
    assert len((tmp_path / "output.txt").read_text().splitlines()[0].split()) == 3


def test_shell_examples_of_lookahead_run(tmp_path: Path) -> None:
    split = datasets.newswire_split(12, seed=3)
    for name, corpus in {"train": split.train, "dev": split.dev, "input": split.test}.items():
        columns = ["form", "pos"] if name == "input" else ["form", "pos", "chunk"]
        write(corpus, tmp_path / f"{name}.txt", "conll", columns=columns)
    assert run_commands(ROOT / "docs" / "lookahead.md", tmp_path) == 2


def test_shell_examples_of_documents_run(tmp_path: Path) -> None:
    split = datasets.newswire_split(12, seed=3)
    for name, corpus in {"train": split.train, "dev": split.dev, "test": split.test, "news": split.test}.items():
        columns = ["form", "pos"] if name == "news" else ["form", "pos", "ner"]
        write(corpus, tmp_path / f"{name}.txt", "conll", columns=columns)
    assert run_commands(ROOT / "docs" / "documents.md", tmp_path) == 6


def test_shell_examples_of_trees_run(tmp_path: Path) -> None:
    rows = ["1\tHe\the\tPRON\tPRP\t_\t2\tnsubj\t_\t_", "2\tleft\tleave\tVERB\tVBD\t_\t0\troot\t_\t_"]
    for name in ("gold", "parsed"):
        (tmp_path / f"{name}.conllu").write_text("\n".join([*rows, "", ""]))
    assert run_commands(ROOT / "docs" / "trees.md", tmp_path) == 8
    assert (tmp_path / "tree.svg").read_text().startswith("<svg")


def test_shell_examples_of_parsing_run(tmp_path: Path) -> None:
    for seed, name in enumerate(("train", "dev", "test"), 1):
        (tmp_path / f"{name}.conllu").write_text(conllu(40, seed, crossing=0.1))
    (tmp_path / "text.txt").write_text("the dog saw a cat .\nthe old man sleeps .\n")
    assert run_commands(ROOT / "docs" / "parsing.md", tmp_path) == 8
    assert (tmp_path / "tree.svg").read_text().startswith("<svg")
    assert (
        (tmp_path / "parsed.conllu")
        .read_text()
        .startswith("# sent_id = 1\n# text = the dog saw a cat .\n1\tthe\t_\tDET\t_\t_\t2\tdet\t_\t_\n")
    )


def test_shell_examples_of_phrases_run(tmp_path: Path) -> None:
    split = datasets.newswire_split(20, seed=3)
    for name, corpus in {"train": split.train, "dev": split.dev, "test": split.test}.items():
        write(corpus, tmp_path / f"{name}.txt", "conll", columns=["form", "pos", "ner"])
    spans = '{"tokens": ["in", "New", "York"], "spans": [[1, 3, "LOC"]]}\n'
    (tmp_path / "spans.jsonl").write_text(spans)
    assert run_commands(ROOT / "docs" / "phrases.md", tmp_path) == 7
    assert (tmp_path / "found.jsonl").read_text().startswith('{"tokens": ["in", "New", "York"], "spans": ')


def test_shell_examples_of_jackknifing_run(tmp_path: Path) -> None:
    write(datasets.newswire(8, seed=3), tmp_path / "train.txt", "conll", columns=["form", "pos", "chunk"])
    assert run_commands(ROOT / "docs" / "jackknifing.md", tmp_path) == 2
    assert len(list((tmp_path / "folds").iterdir())) == 4 + 5
    assert "\n# 19 " in (tmp_path / "lists.txt").read_text()


def test_shell_examples_of_reranking_run(tmp_path: Path) -> None:
    split = datasets.newswire_split(15, seed=3)
    for name, corpus in {"train": split.train, "dev": split.dev, "test": split.test, "input": split.test}.items():
        columns = ["form", "pos"] if name == "input" else ["form", "pos", "ner"]
        write(corpus, tmp_path / f"{name}.txt", "conll", columns=columns)
    assert run_commands(ROOT / "docs" / "reranking.md", tmp_path) == 6
    assert len(list((tmp_path / "folds").iterdir())) == 5
    assert len((tmp_path / "output.txt").read_text().splitlines()[2].split()) == 3


def test_shell_examples_of_spacy_and_huggingface_run(tmp_path: Path) -> None:
    pytest.importorskip("spacy", reason="spaCy is not installed")
    trees = {"upos": ["PRON", "VERB"], "head": ["2", "0"], "deprel": ["nsubj", "root"]}
    corpus = Corpus.from_columns({"form": ["He", "left"], **trees, "label": ["B-PER", "O"]}, [2])
    for name in ("trees.spacy", "test.spacy", "train.txt", "test.txt"):
        columns = None if name == "trees.spacy" else ["form", "label"]
        write(corpus, tmp_path / name, None if name.endswith("spacy") else "conll", columns=columns)
    (tmp_path / "letter.txt").write_text("He left. She stayed.\n")
    assert run_commands(ROOT / "docs" / "spacy.md", tmp_path) == 6
    assert run_commands(ROOT / "docs" / "huggingface.md", tmp_path) == 2


def run_commands(page: Path, folder: Path) -> int:
    """Run the commands of tagloom in the shell blocks of a page; returns how many there are."""
    joined = [block.replace("\\\n", " ") for block in blocks(page, "sh")]
    lines = [line for block in joined for line in block.splitlines() if line.startswith("tagloom ")]
    commands = [line.split("  #")[0] for line in lines]
    for command in commands:
        call = f"{shlex.quote(sys.executable)} -m tagloom.cli {command.removeprefix('tagloom ')}"
        done = subprocess.run(call, shell=True, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}: {done.stderr}"
    return len(commands)


def test_links_lead_somewhere() -> None:
    for page in [*PAGES, ROOT / "CONTRIBUTING.md"]:
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"
