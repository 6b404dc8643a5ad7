"""Trees of a corpus: read from columns, checked, refused with the line of the file, written back."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom.corpus import Column, Corpus, Trees, add_trees, from_sentences, read, read_trees, to_string
from tagloom.errors import ConfigError, DataError
from tests.oracle.trees import is_tree
from tests.strategies import tree_heads

CONLLU = """\
# newdoc
# text = Kids' dogs bark
1-2\tKids'\t_\t_\t_\t_\t_\t_\t_\t_
1\tKids\tkid\tNOUN\tNNS\t_\t3\tnmod:poss\t_\t_
2\t'\t's\tPART\tPOS\t_\t1\tcase\t_\t_
2.1\tnice\t_\t_\t_\t_\t_\t_\t3:amod\t_
3\tdogs\tdog\tNOUN\tNNS\t_\t4\tnsubj\t_\t_
4\tbark\tbark\tVERB\tVBP\t_\t0\troot\t_\t_

# text = Yes !
1\tYes\tyes\tINTJ\tUH\t_\t0\troot\t_\t_
2\t!\t!\tPUNCT\t.\t_\t1\tpunct\t_\t_

"""


def conllu(text: str = CONLLU) -> Corpus:
    return read(io.StringIO(text), "conllu")


def sentence(heads: list[str], relations: list[str] | None = None) -> Corpus:
    words = [f"w{number}" for number in range(1, len(heads) + 1)]
    columns = {"form": words, "head": heads, **({"deprel": relations} if relations else {})}
    return Corpus.from_columns(columns, [len(heads)])


def test_trees_of_conllu():
    trees = read_trees(conllu())
    assert (len(trees), trees.heads.dtype, trees.heads.tolist()) == (2, np.int32, [3, 1, 4, 0, 0, 1])
    assert trees.relations_of(0) == ["nmod:poss", "case", "nsubj", "root"]
    assert (trees.heads_of(1), trees.span(1)) == ([0, 1], (4, 6))


def test_trees_of_columns():
    text = "-DOCSTART-\t-X-\t0\n\nHe\tPRP\t2\nleft\tVBD\t0\n\n"
    trees = read_trees(read(io.StringIO(text), columns="form pos head"))
    assert (trees.heads.tolist(), trees.relations) == ([2, 0], None)
    renamed = read(io.StringIO(text), columns="form pos parent")
    assert read_trees(renamed, head="parent").heads.tolist() == [2, 0]


def test_relations_that_are_not_there():
    assert read_trees(sentence(["0"], ["_"])).relations is None
    assert read_trees(conllu(), relation=None).relations is None
    assert read_trees(sentence(["0", "1"], ["root", "_"])).relations_of(0) == ["root", "_"]
    with pytest.raises(ConfigError, match="unknown column of <memory> 'rel'"):
        read_trees(sentence(["0"]), relation="rel")


def test_written_back_every_byte_is_there():
    corpus = conllu()
    assert to_string(add_trees(corpus, read_trees(corpus)), "conllu") == CONLLU


def test_other_trees_are_written_in_place():
    corpus = conllu()
    flat = Trees(np.array([0, 1, 1, 1, 2, 0], np.int32), None, corpus.sentences)
    made = add_trees(corpus, flat)
    assert (made.sentence(0, "head"), set(made.column("deprel").texts())) == (["0", "1", "1", "1"], {"_"})
    assert read_trees(conllu(to_string(made, "conllu"))).relations is None
    assert made.names == corpus.names


def test_new_columns_are_added():
    corpus = from_sentences([["He", "left"]])
    trees = Trees(np.array([2, 0], np.int32), Column.from_strings(["nsubj", "root"]), corpus.sentences)
    made = add_trees(corpus, trees)
    assert made.names == ["form", "head", "deprel"]
    assert read_trees(made).relations_of(0) == ["nsubj", "root"]
    assert add_trees(corpus, Trees(trees.heads, None, trees.sentences)).names == ["form", "head"]
    with pytest.raises(DataError, match="trees are not of these sentences"):
        add_trees(from_sentences([["Yes"]]), trees)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("_\t3\tnmod", "_\t_\tnmod", ":4: head of 'Kids' is missing; give the number of a word of the sentence, or 0"),
        ("_\t4\tnsubj", "_\tx\tnsubj", ":7: head 'x' of 'dogs' is not a number; give the number of a word"),
        ("_\t4\tnsubj", "_\t-1\tnsubj", ":7: head '-1' of 'dogs' is not a number"),
        ("_\t4\tnsubj", "_\t04\tnsubj", ":7: head '04' of 'dogs' is not a number"),
        ("_\t4\tnsubj", "_\t5\tnsubj", ":7: head 5 of 'dogs' is out of range, expected 0 (root) to 4, the words of"),
        ("_\t1\tcase", "_\t2\tcase", """:5: "'" is its own head; give another word, or 0 for the root"""),
        ("_\t4\tnsubj", "_\t1\tnsubj", ":4: cycle of heads 'Kids' -> 'dogs' -> 'Kids'; let one of them lead to the"),
        ("_\t0\troot\t_\t_\n2", "_\t2\troot\t_\t_\n2", ":11: the sentence that begins here has no root; give one word"),
        ("_\t1\tpunct", "_\t0\tpunct", ":12: second root '!', 'Yes' on line 11 is one already; keep one head 0"),
        ("_\t1\tcase", "_\t0\tcase", """:8: second root 'bark', "'" on line 5 is one already; keep one head 0"""),
    ],
)  # fmt: skip
def test_what_is_wrong_stands_on_its_line(old: str, new: str, message: str):
    assert CONLLU.count(old) == 1
    with pytest.raises(DataError) as caught:
        read_trees(conllu(CONLLU.replace(old, new)))
    assert str(caught.value).startswith("<stream>" + message)
    assert "\n" not in str(caught.value)


def test_lines_of_column_files_count_all_lines():
    text = "# a comment\r\n-DOCSTART- -X- 0\r\n\r\n\r\nHe PRP 2\r\nleft VBD 0\r\n-DOCSTART- -X- 0\r\nYes UH 7\r\n"
    corpus = read(io.StringIO(text), "conll", "form pos head", comment="#")
    with pytest.raises(DataError, match=r"^<stream>:8: head 7 of 'Yes'"):
        read_trees(corpus)
    with pytest.raises(DataError, match=r"^<stream>:8: head 7"):
        read_trees(corpus.with_column("more", ["x"] * 3).rename(["word", "pos", "head", "more"]))
    with pytest.raises(DataError, match=r"^<stream>\[1:2\]: sentence 1, word 1: head 7"):
        read_trees(corpus.slice(1, 2))


def test_no_column_of_heads():
    with pytest.raises(ConfigError, match=r"unknown column of <memory> 'head'.*as in columns=.form pos head"):
        read_trees(from_sentences([["He"]]))


def test_sentences_without_words():
    corpus = Corpus.from_columns({"form": ["He", "left"], "head": ["2", "0"]}, [0, 2, 0])
    assert read_trees(corpus).are_trees().all()
    assert len(read_trees(Corpus.from_columns({"form": [], "head": []}, []))) == 0


def test_a_prediction_may_be_no_tree():
    trees = read_trees(sentence(["0", "0", "4", "3"]), strict=False)
    assert trees.are_trees().tolist() == [False]
    with pytest.raises(DataError, match="out of range"):
        read_trees(sentence(["9"]), strict=False)


@given(st.lists(st.lists(st.integers(0, 6), min_size=1, max_size=6), min_size=1, max_size=4))
def test_exactly_trees_are_accepted(drawn: list[list[int]]):
    # Out of range and self-loops are refused before the shape is looked at.
    sentences = [[h if h <= len(s) and h != n else 0 for n, h in enumerate(s, 1)] for s in drawn]
    heads = [str(head) for each in sentences for head in each]
    corpus = Corpus.from_columns({"form": heads, "head": heads}, [len(each) for each in sentences])
    good = [is_tree(each) for each in sentences]
    assert read_trees(corpus, strict=False).are_trees().tolist() == good
    if all(good):
        assert [read_trees(corpus).heads_of(i) for i in range(len(corpus))] == sentences
    else:
        with pytest.raises(DataError, match=f"sentence {good.index(False) + 1}, word"):
            read_trees(corpus)


@given(st.lists(tree_heads(), min_size=1, max_size=4))
def test_all_trees_survive_writing(sentences: list[list[int]]):
    words = [[f"w{n}" for n, _ in enumerate(each)] for each in sentences]
    corpus = from_sentences(words)
    trees = Trees(np.array([h for each in sentences for h in each], np.int32), None, corpus.sentences)
    again = read(io.StringIO(to_string(add_trees(corpus, trees), "conllu")), "conllu")
    assert read_trees(again).heads.tolist() == trees.heads.tolist()
