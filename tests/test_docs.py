"""The examples in README and docs run: Python blocks in order, one namespace per page; shell blocks with files of ours.

What a block prints is compared with the ``text`` block after it. ``tests/docs`` has the pages that need no such files.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tagloom import Corpus, datasets, write
from tests.docs.blocks import list_blocks, list_commands, run_command, run_page
from tests.treebank import conllu

ROOT = Path(__file__).parents[1]
#: Pages that tests/docs runs as wholes.
WHOLE = {"tutorial.md", "udpipe.md"}
PAGES = [ROOT / "README.md", *(page for page in sorted((ROOT / "docs").glob("*.md")) if page.name not in WHOLE)]


NEEDED = {
    "spacy.md": "spacy",
    "huggingface.md": "datasets",
    "ray.md": "ray",
}  # packages that the examples of a page import


def blocks(page: Path, language: str) -> list[str]:
    return [block.text for block in list_blocks(page.read_text("utf-8")) if block.language == language]


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "python")], ids=lambda page: page.name)
@pytest.mark.filterwarnings("ignore:.*:DeprecationWarning:ray")
def test_python_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if page.name in NEEDED:
        pytest.importorskip(NEEDED[page.name])
    monkeypatch.chdir(tmp_path)
    assert run_page(page, "python") > 0


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that commands run in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_shell_examples_run(folder: Path) -> None:
    split = datasets.newswire_split(8, seed=3)
    parts = {"train": split.train, "dev": split.dev, "test": split.test, "gold": split.test, "predicted": split.test}
    for name, corpus in parts.items():
        write(corpus, folder / f"{name}.txt", "conll", columns=["form", "pos", "chunk"])
    write(split.test, folder / "input.txt", "conll", columns=["form", "pos"])
    write(split.dev, folder / "eng.train", "conll", columns=["form", "pos", "ner"])
    (folder / "treebank.conllu").write_text(conllu(20, 1))
    (folder / "letter.txt").write_text("The dog saw a cat. Peter sleeps in Bonn.\n")
    assert run_commands(ROOT / "README.md") >= 8
    assert (folder / "comparison" / "comparison.json").exists()


def test_shell_examples_of_lookahead_run(folder: Path) -> None:
    split = datasets.newswire_split(12, seed=3)
    for name, corpus in {"train": split.train, "dev": split.dev, "input": split.test}.items():
        columns = ["form", "pos"] if name == "input" else ["form", "pos", "chunk"]
        write(corpus, folder / f"{name}.txt", "conll", columns=columns)
    assert run_commands(ROOT / "docs" / "lookahead.md") == 2


def test_shell_examples_of_documents_run(folder: Path) -> None:
    split = datasets.newswire_split(12, seed=3)
    for name, corpus in {"train": split.train, "dev": split.dev, "test": split.test, "news": split.test}.items():
        columns = ["form", "pos"] if name == "news" else ["form", "pos", "ner"]
        write(corpus, folder / f"{name}.txt", "conll", columns=columns)
    assert run_commands(ROOT / "docs" / "documents.md") == 8


def test_shell_examples_of_trees_run(folder: Path) -> None:
    rows = ["1\tHe\the\tPRON\tPRP\t_\t2\tnsubj\t_\t_", "2\tleft\tleave\tVERB\tVBD\t_\t0\troot\t_\t_"]
    for name in ("gold", "parsed"):
        (folder / f"{name}.conllu").write_text("\n".join([*rows, "", ""]))
    assert run_commands(ROOT / "docs" / "trees.md") == 8
    assert (folder / "tree.svg").read_text().startswith("<svg")


def test_shell_examples_of_parsing_run(folder: Path) -> None:
    for seed, name in enumerate(("train", "dev", "test"), 1):
        (folder / f"{name}.conllu").write_text(conllu(40, seed, crossing=0.1))
    (folder / "text.txt").write_text("the dog saw a cat .\nthe old man sleeps .\n")
    assert run_commands(ROOT / "docs" / "parsing.md") == 9
    assert (folder / "tree.svg").read_text().startswith("<svg")
    assert (
        (folder / "parsed.conllu")
        .read_text()
        .startswith("# sent_id = 1\n# text = the dog saw a cat .\n1\tthe\t_\tDET\t_\t_\t2\tdet\t_\t_\n")
    )


def test_shell_examples_of_phrases_run(folder: Path) -> None:
    split = datasets.newswire_split(20, seed=3)
    for name, corpus in {"train": split.train, "dev": split.dev, "test": split.test}.items():
        write(corpus, folder / f"{name}.txt", "conll", columns=["form", "pos", "ner"])
    spans = '{"tokens": ["in", "New", "York"], "spans": [[1, 3, "LOC"]]}\n'
    (folder / "spans.jsonl").write_text(spans)
    assert run_commands(ROOT / "docs" / "phrases.md") == 10
    assert (folder / "found.jsonl").read_text().startswith('{"tokens": ["in", "New", "York"], "spans": ')


def test_shell_examples_of_active_learning_run(folder: Path) -> None:
    split = datasets.newswire_split(20, seed=3)
    for name, corpus in {"train": split.train, "dev": split.dev}.items():
        write(corpus, folder / f"{name}.txt", "conll", columns=["form", "ner"])
    (folder / "pool.txt").write_text("".join(" ".join(words) + "\n" for words in split.test.iter_sentences("form")))
    (folder / "done.jsonl").write_text('{"text": "Ann met Bo.", "spans": [[0, 3, "PER"], [8, 10, "HERO"]]}\n')
    assert run_commands(ROOT / "docs" / "active-learning.md") == 6
    assert '"spans": ' in (folder / "todo.jsonl").read_text()


def test_shell_examples_of_jackknifing_run(folder: Path) -> None:
    write(datasets.newswire(8, seed=3), folder / "train.txt", "conll", columns=["form", "pos", "chunk"])
    assert run_commands(ROOT / "docs" / "jackknifing.md") == 2
    assert len(list((folder / "folds").iterdir())) == 4 + 5
    assert "\n# 19 " in (folder / "lists.txt").read_text()


def test_shell_examples_of_reranking_run(folder: Path) -> None:
    split = datasets.newswire_split(15, seed=3)
    for name, corpus in {"train": split.train, "dev": split.dev, "test": split.test, "input": split.test}.items():
        columns = ["form", "pos"] if name == "input" else ["form", "pos", "ner"]
        write(corpus, folder / f"{name}.txt", "conll", columns=columns)
    assert run_commands(ROOT / "docs" / "reranking.md") == 6
    assert len(list((folder / "folds").iterdir())) == 5
    assert len((folder / "output.txt").read_text().splitlines()[2].split()) == 3


def test_shell_examples_of_spacy_and_huggingface_run(folder: Path) -> None:
    pytest.importorskip("spacy", reason="spaCy is not installed")
    trees = {"upos": ["PRON", "VERB"], "head": ["2", "0"], "deprel": ["nsubj", "root"]}
    corpus = Corpus.from_columns({"form": ["He", "left"], **trees, "label": ["B-PER", "O"]}, [2])
    for name in ("trees.spacy", "test.spacy", "train.txt", "test.txt"):
        columns = None if name == "trees.spacy" else ["form", "label"]
        write(corpus, folder / name, None if name.endswith("spacy") else "conll", columns=columns)
    (folder / "letter.txt").write_text("He left. She stayed.\n")
    assert run_commands(ROOT / "docs" / "spacy.md") == 6
    assert run_commands(ROOT / "docs" / "huggingface.md") == 2


def test_shell_examples_of_reports_run(folder: Path) -> None:
    split = datasets.newswire_split(10, seed=3)
    for name, corpus in {"train": split.train, "test": split.test}.items():
        write(corpus, folder / f"{name}.txt", "conll", columns=["form", "pos", "ner"])
    for name, epochs in (("model", 3), ("new", 3), ("old", 1)):
        run_command(f"tagloom train train.txt -o {name}.tagloom --epochs {epochs}")
    assert run_commands(ROOT / "docs" / "reports.md") == 3
    assert "<h1>new.tagloom and old.tagloom on test.txt</h1>" in (folder / "report.html").read_text("utf-8")


def run_commands(page: Path) -> int:
    """Run the commands of tagloom in the shell blocks of a page; returns how many there are."""
    commands = [command for block in blocks(page, "sh") for command in list_commands(block)]
    for command in commands:
        run_command(command, page.name)
    return len(commands)
