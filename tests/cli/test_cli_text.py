"""tagloom eval --text: treebanks made from raw text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.outcome import Tagloom
from tests.cli.test_cli_trees import conllu

Make = Callable[..., Path]

GOLD = conllu("He/PRON/2/nsubj left/VERB/0/root ./PUNCT/2/punct", "Yes/INTJ/0/root ./PUNCT/1/punct")
SYSTEM = conllu("He/PRON/2/nsubj left/NOUN/0/root ./PUNCT/2/punct", "Yes./INTJ/0/root")


@pytest.fixture
def pair(corpus_file: Make) -> tuple[Path, Path]:
    return corpus_file(GOLD, "gold.conllu"), corpus_file(SYSTEM, "system.conllu")


def test_scores(tagloom: Tagloom, pair: tuple[Path, Path]) -> None:
    report = tagloom("eval", *pair, "--text", "--json").json
    assert (report["kind"], report["rule"], report["metric"]) == ("text", "conll18", "las")
    assert report["value"] == report["scores"]["las"]["f1"] == pytest.approx(100 * 2 * 3 / 9)
    assert (report["scores"]["sentences"]["f1"], report["scores"]["upos"]["correct"]) == (100, 2)
    assert report["signature"].endswith("|rule:conll18")
    lines = tagloom("eval", *pair, "--text", "--bootstrap", 20).out.splitlines()
    assert lines[0].split() == ["precision", "recall", "F1", "gold", "found", "correct", "aligned"]
    assert [line.split()[0] for line in lines[1:14]][-3:] == ["CLAS", "MLAS", "BLEX"]
    assert lines[-1].startswith("las 66.67 [")
    found = tagloom("eval", *pair, "--text", "--compare", pair[0], "--json").json["comparison"]
    assert (found["metric"], found["difference"]) == ("las", pytest.approx(-100 / 3))


def test_running_text(tagloom: Tagloom, corpus_file: Make) -> None:
    text = GOLD.replace("left\t_\tVERB\t_\t_\t0\troot\t_\t_", "left\t_\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No")
    path = corpus_file(text, "space.conllu")
    assert tagloom("convert", path, "-", "--text").out == "He left. Yes .\n"
    assert "--keep: --text writes running text" in tagloom("convert", path, "-", "--text", "--keep", "form").error


def test_a_system_without_trees(tagloom: Tagloom, corpus_file: Make, pair: tuple[Path, Path]) -> None:
    bare = corpus_file(conllu("He/PRON/_/_ left/VERB/_/_ ./PUNCT/_/_ Yes/INTJ/_/_ ./PUNCT/_/_"), "bare.conllu")
    outcome = tagloom("eval", pair[0], bare, "--text")
    assert outcome.out.splitlines()[8].startswith("Lemmas")
    assert "bare.conllu: there are no heads, so trees are not scored" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{gold}", "--text"], "--text needs two treebanks"),
        (["{gold}", "{system}", "--text", "--rule", "strict"], "--rule has no place beside --text; leave it out"),
        (["{gold}", "{system}", "--text", "--trees"], "--trees has no place beside --text; leave it out"),
        (["{gold}", "{other}", "--text"], "other.conllu:1: expected 'Heleft.Yes.' as in"),
    ],
)
def test_refused(
    tagloom: Tagloom, corpus_file: Make, pair: tuple[Path, Path], arguments: list[str], message: str
) -> None:
    other = corpus_file(conllu("She/PRON/2/nsubj left/VERB/0/root"), "other.conllu")
    paths = {"gold": pair[0], "system": pair[1], "other": other}
    assert message in tagloom("eval", *(each.format(**paths) for each in arguments)).error
