"""Scores from raw text: hand-counted cases, the definition (tests/oracle), and the script of CoNLL 2018."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from tagloom.corpus import Corpus, read
from tagloom.errors import DataError
from tagloom.evaluate import Signature, TextScore, TreebankScore, bootstrap, compare, score_treebank
from tests.golden.treebank_pairs import draw_pair
from tests.oracle import treebank as oracle

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "conll18.json").read_text("utf-8"))
# The script admits words that stand before a multiword token to its alignment by forms, if tokens before it differ. In
# this pair it so aligns two words B whose spans have no character in common.
ALIGNED_APART = 6


def treebank(*sentences: str, source: str = "memory") -> Corpus:
    """Words ``form/lemma/UPOS/feats/head/relation``, with ranges ``1-2/form``."""
    blocks = []
    for sentence in sentences:
        lines, number = [], 0
        for token in sentence.split(" "):
            cells = token.split("/")
            if len(cells) == 2:
                lines.append("\t".join([*cells, *"________"]))
                continue
            number += 1
            form, lemma, tag, feats, head, relation = cells
            lines.append("\t".join([str(number), form, lemma, tag, tag, feats, head, relation, "_", "_"]))
        blocks.append("\n".join(lines) + "\n\n")
    stream = io.StringIO("".join(blocks))
    stream.name = source
    return read(stream, "conllu")


def count(score: TextScore) -> dict[str, tuple[int, int, int]]:
    return {name: (prf.correct, prf.predicted, prf.gold) for name, prf in score.by_metric.items()}


HE, LEFT = "He/he/PRON/Case=Nom/2/nsubj", "left/leave/VERB/Tense=Past/0/root"
STOP, YES = "././PUNCT/_/2/punct", "Yes/yes/INTJ/_/0/root"
GOLD = treebank(f"{HE} {LEFT} {STOP}", YES)


def test_the_same_treebank() -> None:
    score = score_treebank(GOLD, GOLD)
    assert isinstance(score, TreebankScore)
    assert {prf.f1 for prf in score.by_metric.values()} == {100}
    assert (score.value, score.metric, score.las, score.uas) == (100, "las", 100, 100)
    assert count(score)["words"] == (4, 4, 4)
    assert count(score)["clas"] == (3, 3, 3)  # without the full stop


def test_another_tokenisation() -> None:
    """``left.`` is one token; the sentences are joined, so that ``Yes`` is no root."""
    joined = treebank(f"{HE} left./leave/VERB/Tense=Past/0/root Yes/yes/INTJ/_/2/discourse")
    found = count(score_treebank(GOLD, joined))
    assert found["tokens"] == found["words"] == (2, 3, 4)
    assert found["sentences"] == (0, 1, 2)
    assert found["upos"] == found["lemmas"] == (2, 3, 4)
    # The head of ``He`` is not aligned, and ``Yes`` has another one.
    assert found["uas"] == found["las"] == (0, 3, 4)
    assert found["clas"] == (0, 3, 3)


def test_f1_and_accuracy_of_aligned_words() -> None:
    cut = treebank(f"{HE} le/le/X/_/0/root ft/ft/X/_/2/flat {STOP}", YES)
    score = score_treebank(GOLD, cut)
    assert count(score)["upos"] == (3, 5, 4)
    assert score.by_metric["upos"].f1 == pytest.approx(100 * 2 * 3 / 9)
    assert score.value == pytest.approx(100 * 2 * count(score)["las"][0] / 9)
    assert score.aligned_accuracy["upos"] == 100
    assert score.aligned_accuracy["uas"] == pytest.approx(100 / 3)  # only ``Yes``: the head of the others is cut
    assert "tokens" not in score.aligned_accuracy


DO_NOT = "1-2/Don't Do/do/AUX/_/3/aux {}/not/PART/_/3/advmod go/go/VERB/_/0/root"


def test_words_of_multiword_tokens_are_aligned_by_form() -> None:
    gold = treebank(DO_NOT.format("n't"))
    other = count(score_treebank(gold, treebank(DO_NOT.format("not"))))
    assert (other["tokens"], other["words"]) == ((2, 2, 2), (2, 3, 3))
    upper = count(score_treebank(gold, treebank(DO_NOT.format("N'T"))))
    assert upper["words"] == (3, 3, 3)
    # One side has no multiword token: its word is aligned if its form is that of one of the words.
    whole = "Don't/do/AUX/_/2/aux go/go/VERB/_/0/root"
    assert count(score_treebank(gold, treebank(whole)))["words"] == (1, 2, 3)
    # ``Do`` and ``n't`` as tokens of their own are not the same tokens, but the same words.
    apart = "Do/do/AUX/_/3/aux n't/not/PART/_/3/advmod go/go/VERB/_/0/root"
    found = count(score_treebank(gold, treebank(apart)))
    assert (found["tokens"], found["words"], found["las"]) == ((1, 3, 2), (3, 3, 3), (3, 3, 3))


def test_overlapping_multiword_tokens_are_one_region() -> None:
    gold = treebank("1-2/abc a/a/X/_/0/root bc/b/X/_/1/dep d/d/X/_/1/dep")
    system = treebank("ab/a/X/_/0/root 2-3/cd bc/b/X/_/1/dep d/d/X/_/1/dep")
    found = count(score_treebank(gold, system))
    assert (found["tokens"], found["words"]) == ((0, 2, 2), (2, 3, 3))


def test_subtypes_features_and_unknown_lemmas() -> None:
    gold = treebank("a/_/NOUN/Number=Sing|Typo=Yes/0/root b/b/NOUN/Case=Nom|Number=Sing/1/nsubj:pass")
    system = treebank("a/x/NOUN/Number=Sing/0/root b/c/NOUN/Number=Sing|Case=Nom/1/nsubj:outer")
    found = count(score_treebank(gold, system))
    assert found["ufeats"] == found["alltags"] == found["las"] == found["mlas"] == (2, 2, 2)
    assert found["lemmas"] == found["blex"] == (1, 2, 2)


def test_function_words_count_for_their_head() -> None:
    row = "the/the/{}/_/2/det dog/dog/NOUN/_/0/root"
    right, wrong = treebank(row.format("DET")), treebank(row.format("PRON"))
    assert count(score_treebank(right, right))["mlas"] == (1, 1, 1)
    found = count(score_treebank(right, wrong))
    assert (found["las"], found["clas"], found["mlas"], found["blex"]) == ((2, 2, 2), (1, 1, 1), (0, 1, 1), (1, 1, 1))
    # A function word of its own, which gold has as a content word, breaks the equality, too.
    more = treebank("the/the/DET/_/2/det dog/dog/NOUN/_/0/root".replace("2/det", "2/nmod"))
    assert count(score_treebank(more, right))["mlas"] == (0, 1, 2)


def test_without_heads() -> None:
    bare = treebank("He/he/PRON/Case=Nom/_/_ left/leave/VERB/_/_/_ ././PUNCT/_/_/_", "Yes/_/INTJ/_/_/_")
    for pair in ((GOLD, bare), (bare, GOLD), (bare, bare)):
        score = score_treebank(*pair)
        assert not isinstance(score, TreebankScore)
        assert (score.metric, list(score.by_metric)[-1]) == ("alltags", "lemmas")
        assert count(score)["upos"] == (4, 4, 4)


def test_white_space_does_not_count() -> None:
    gold = treebank("10\u00a0000/10000/NUM/_/0/root")
    assert count(score_treebank(gold, treebank("10000/10000/NUM/_/0/root")))["tokens"] == (1, 1, 1)


def test_empty_corpora_and_sentences() -> None:
    empty = Corpus.from_columns({"form": []}, [])
    assert count(score_treebank(empty, empty))["words"] == (0, 0, 0)
    assert score_treebank(empty, empty).value == 0
    gaps = Corpus.from_columns({"form": ["a", "b"]}, [0, 1, 0, 1, 0])
    plain = Corpus.from_columns({"form": ["a", "b"]}, [1, 1])
    for pair in ((gaps, plain), (plain, gaps), (gaps, gaps)):
        assert count(score_treebank(*pair))["sentences"] == (2, 2, 2)


@pytest.mark.parametrize(
    ("system", "message"),
    [
        (
            treebank("He/he/PRON/_/2/nsubj went/go/VERB/_/0/root", source="s.conllu"),
            "s.conllu:2: expected 'left.Yes' as in memory:2, found 'went'; score two treebanks of the same text",
        ),
        (
            treebank("He/he/PRON/_/2/nsubj left/go/VERB/_/0/root", source="s.conllu"),
            "s.conllu:2: expected '.Yes' as in memory:3, found the end of the text; score two treebanks of the same "
            "text",
        ),
        (
            Corpus.from_columns({"form": []}, [], source="s.conllu"),
            "s.conllu: expected 'Heleft.Yes' as in memory:1, found the end of the text; score two treebanks of the "
            "same text",
        ),
        (
            Corpus.from_columns({"form": ["He", " "]}, [2]),
            "<memory>: sentence 1, word 2: the token has no character besides white space; give its form, or remove it",
        ),
    ],
)
def test_another_text(system: Corpus, message: str) -> None:
    with pytest.raises(DataError) as caught:
        score_treebank(GOLD, system)
    assert str(caught.value) == message


def test_a_head_out_of_range() -> None:
    with pytest.raises(DataError, match="head 7 of 'He' is out of range"):
        score_treebank(GOLD, treebank(f"He/he/PRON/_/7/nsubj {LEFT} {STOP}", YES))


@pytest.mark.parametrize("noise", [0.05, 0.3])
@pytest.mark.parametrize("multiword", [0.0, 0.2, 0.6])
def test_the_definition(noise: float, multiword: float) -> None:
    for seed in range(25):
        gold, system = draw_pair(seed, size=15, noise=noise, multiword=multiword)
        found = score_treebank(*(read(io.StringIO(text), "conllu") for text in (gold, system)))
        assert count(found) == oracle.score(gold, system), seed


@pytest.mark.parametrize("number", range(len(GOLDEN)))
def test_the_script_of_the_shared_task(number: int) -> None:
    case = GOLDEN[number]
    score = score_treebank(*(read(io.StringIO(case[side]), "conllu") for side in ("gold", "system")))
    found = {name: list(counts) for name, counts in count(score).items()}
    expected = {name: counts[:3] for name, counts in case["counts"].items()}
    if number == ALIGNED_APART:
        assert expected["words"][0] == found["words"][0] + 1
        return
    assert found == expected
    aligned = {name: row.aligned for name, row in score.rows.items() if row.aligned is not None}
    assert aligned == {name: counts[3] for name, counts in case["counts"].items() if name in aligned}


def test_repr_table_and_signature() -> None:
    score = score_treebank(GOLD, GOLD).with_signature(Signature(data="abc", version="0.1.0"))
    assert repr(score) == "TreebankScore(las=100.00, mlas=100.00, blex=100.00, words=4, rule='conll18')"
    lines = str(score).splitlines()
    assert lines[0] == "           precision  recall      F1     gold    found  correct  aligned"
    assert lines[1] == "Tokens        100.00  100.00  100.00        4        4        4"
    assert lines[10] == "LAS           100.00  100.00  100.00        4        4        4   100.00"
    assert lines[-2:] == ["LAS 100.00 of 4 words; rule conll18", "tagloom:0.1.0|data:abc|rule:conll18"]
    assert score._repr_html_().count("<tr>") == 14
    values = score.to_dict()
    assert json.loads(json.dumps(values)) == values
    assert values["scores"]["las"] == {
        "precision": 100, "recall": 100, "f1": 100, "correct": 4, "predicted": 4, "gold": 4, "aligned_accuracy": 100,
    }  # fmt: skip


def test_intervals_and_tests_of_significance() -> None:
    gold, system = (read(io.StringIO(text), "conllu") for text in draw_pair(3, size=200))
    score, perfect = score_treebank(gold, system), score_treebank(gold, gold)
    interval = bootstrap(score.counts_of("las"), "las", samples=50)
    assert interval.value == pytest.approx(score.las)
    assert interval.low < score.las < interval.high
    assert compare(score, perfect, samples=50).difference == pytest.approx(score.las - 100)
    for row in score.rows.values():
        assert row.counts.gold.shape == (1, len(gold))
