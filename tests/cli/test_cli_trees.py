"""tagloom eval --trees and tagloom draw."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.outcome import Files, Tagloom

Make = Callable[..., Path]


def conllu(*sentences: str) -> str:
    """Words ``form/UPOS/head/deprel``."""
    blocks = []
    for sentence in sentences:
        rows = [token.rsplit("/", 3) for token in sentence.split()]
        lines = [f"{n}\t{w}\t_\t{t}\t_\t_\t{h}\t{r}\t_\t_" for n, (w, t, h, r) in enumerate(rows, 1)]
        blocks.append("\n".join(lines) + "\n\n")
    return "".join(blocks)


GOLD = conllu("He/PRON/2/nsubj left/VERB/0/root ./PUNCT/2/punct", "Yes/INTJ/0/root ./PUNCT/1/punct")
GUESS = conllu("He/PRON/2/obj left/VERB/0/root ./PUNCT/1/punct", "Yes/INTJ/0/root ./PUNCT/1/punct")


@pytest.fixture
def pair(corpus_file: Make) -> tuple[Path, Path]:
    return corpus_file(GOLD, "gold.conllu"), corpus_file(GUESS, "guess.conllu")


def test_attachment_scores(tagloom: Tagloom, pair: tuple[Path, Path]) -> None:
    report = tagloom("eval", *pair, "--trees", "--json").json
    assert (report["uas"], report["las"], report["exact"]) == (80, 60, 50)
    assert report["without_punctuation"] == {"uas": 100, "las": pytest.approx(200 / 3), "tokens": 3}
    assert (report["kind"], report["files"]) == ("trees", [str(path) for path in pair])
    text = tagloom("eval", *pair, "--trees", "--bootstrap", 20)
    assert "without punctuation (upos)  100.00   66.67        3\n" in text.out
    assert text.out.splitlines()[-1].startswith("las 60.00 [")
    without = tagloom("eval", *pair, "--trees", "--json", "--punctuation", "unicode").json
    assert (without["uas"], without["rule"]) == (100, "attachment+without-unicode")
    assert without["signature"].endswith("|rule:attachment+without-unicode")


def test_two_parsers(tagloom: Tagloom, pair: tuple[Path, Path]) -> None:
    found = tagloom("eval", *pair, "--trees", "--compare", pair[0], "--json").json["comparison"]
    assert (found["metric"], found["difference"]) == ("las", -40)


def test_column_files(tagloom: Tagloom, corpus_file: Make) -> None:
    gold, guess = corpus_file("He PRP 2\nleft VBD 0\n. . 2\n", "a"), corpus_file("He PRP 2\nleft VBD 0\n. . 1\n", "b")
    named = ("--trees", "--columns", "form pos head", "--json")
    assert tagloom("eval", gold, guess, *named).json["uas"] == pytest.approx(200 / 3)
    assert tagloom("eval", gold, guess, *named, "--punctuation", "penn").json["uas"] == 100
    assert 'as in columns="form pos head"' in tagloom("eval", gold, guess, "--trees").error


def test_subtypes(tagloom: Tagloom, corpus_file: Make) -> None:
    gold, guess = corpus_file(conllu("a/X/0/root:x"), "a"), corpus_file(conllu("a/X/0/root"), "b")
    options = ("eval", gold, guess, "--trees", "--json", "--format", "conllu")
    assert (tagloom(*options).json["las"], tagloom(*options, "--universal").json["las"]) == (0, 100)


def test_what_is_no_tree_is_scored_with_a_warning(tagloom: Tagloom, pair: tuple[Path, Path], corpus_file: Make) -> None:
    forest = corpus_file(GUESS.replace("\t2\tobj", "\t0\tobj"), "forest.conllu")
    result = tagloom("eval", pair[0], forest, "--trees", "--json")
    assert result.json["uas"] == 60
    assert f"warning: {forest}: 1 of 2 sentences are not trees with one root; they are scored" in result.err
    assert f"{forest}:2: second root 'left', 'He' on line 1 is one already" in tagloom(
        "eval", forest, pair[0], "--trees"
    ).error  # fmt: skip


def test_no_relations_predicted(tagloom: Tagloom, pair: tuple[Path, Path], corpus_file: Make) -> None:
    bare = corpus_file(conllu("He/PRON/2/_ left/VERB/0/_ ./PUNCT/2/_", "Yes/INTJ/0/_ ./PUNCT/1/_"), "bare.conllu")
    result = tagloom("eval", pair[0], bare, "--trees", "--json")
    assert (result.json["uas"], "las" in result.json) == (100, False)
    assert f"warning: {bare}: there are no relations, so only heads are scored" in result.err


def test_wrong_use_is_one_line(tagloom: Tagloom, pair: tuple[Path, Path], corpus_file: Make, files: Files) -> None:
    other = corpus_file(GOLD.replace("left", "went"), "other.conllu")
    assert tagloom("eval", pair[0], other, "--trees").error == (
        f"{other}: sentence 1: token 'went', but 'left' in {pair[0]}"
    )
    assert tagloom("eval", pair[0], "--trees").error.startswith("--trees needs two files")
    assert tagloom("eval", *pair, "--universal").error.startswith("--universal is for trees; add --trees")
    assert tagloom("eval", *pair, "--punctuation", "upos").error.startswith("--punctuation is for trees")
    assert tagloom("eval", *pair, "--trees", "--label", "upos").error.startswith("--label is for labels")
    assert tagloom("eval", *pair, "--trees", "--conlleval").error.startswith("--conlleval is for spans")
    assert "makes no trees" in tagloom("eval", files.model, pair[0], "--trees").error
    assert "unknown punctuation rule 'pen'" in tagloom("eval", *pair, "--trees", "--punctuation", "pen").error


def test_draw(tagloom: Tagloom, pair: tuple[Path, Path]) -> None:
    first = "  ╭─▸ 1 He   PRON  nsubj 2\n╭─┴── 2 left VERB  root  0\n╰───▸ 3 .    PUNCT punct 2\n"
    assert tagloom("draw", pair[0], "--sentence", 1).out == first
    everything = tagloom("draw", "-", "--ascii", "--style", "indented", "--tags", "xpos", stdin=GOLD).out
    assert everything == "2 left _ root\n|- 1 He _ nsubj\n`- 3 . _ punct\n\n1 Yes _ root\n`- 2 . _ punct\n"


def test_draw_svg(tagloom: Tagloom, pair: tuple[Path, Path], tmp_path: Path) -> None:
    result = tagloom("draw", pair[0], "--sentence", 2, "--svg", tmp_path / "tree.svg")
    assert (result.code, result.out) == (0, "")
    written = (tmp_path / "tree.svg").read_text("utf-8")
    assert "Yes ." in [title.text for title in ElementTree.fromstring(written).iter()]
    assert tagloom("draw", pair[0], "--sentence", 2, "--svg", "-").out == written


def test_draw_refuses_in_one_line(tagloom: Tagloom, pair: tuple[Path, Path], corpus_file: Make) -> None:
    gold = pair[0]
    for number in (0, 3, -1):
        assert tagloom("draw", gold, "--sentence", number).error == (
            f"{gold}: no sentence {number}; it has sentences 1 to 2"
        )
    assert tagloom("draw", gold, "--svg", "-").error == (
        f"--svg draws one sentence, {gold} has 2; choose with --sentence N"
    )
    assert tagloom("draw", gold, "--style", "round").error.startswith("unknown style of drawing 'round'")
    assert tagloom("draw", gold, "--sentence", 1, "--svg", gold).error.endswith("choose another name for the output")
    assert "is not a number" in tagloom("draw", corpus_file(GOLD.replace("\t2\tnsubj", "\tx\tnsubj"))).error
    assert "unknown column" in tagloom("draw", gold, "--tags", "ner").error
