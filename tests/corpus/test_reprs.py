"""What corpora and their parts show of themselves."""

from __future__ import annotations

import io

import numpy as np

from tagloom.corpus import Column, Corpus, read, read_trees
from tagloom.corpus.schemes import IOB2
from tagloom.corpus.spans import decode_spans
from tagloom.datasets.split import Split

CORPUS = Corpus.from_columns({"form": ["<b>"] * 1200, "label": ["B-X", "O"] * 600}, [30] * 40, [20, 20], "a/eng.train")


def test_one_line_each() -> None:
    assert repr(CORPUS) == "<Corpus eng.train: 40 sentences, 2 documents, 1,200 tokens, columns form label>"
    assert repr(CORPUS.column("label")) == "<Column: 1,200 tokens, 2 distinct strings>"
    bags = read(io.StringIO("O\ta\tb\n"), "crfsuite").column("attributes")
    assert repr(bags) == "<Column: 1 bags of attributes, 2 distinct strings>"
    label = CORPUS.column("label")
    spans = decode_spans(label.strings.strings(), label.codes, CORPUS.sentences, IOB2)
    assert repr(spans) == "<Spans: 600 spans of 1 types X>"
    trees = read_trees(Corpus.from_columns({"form": ["a", "b"], "head": ["2", "0"]}, [2]))
    assert repr(trees) == "<Trees: 1 sentences, 2 words, no relations>"
    split = Split.at(CORPUS, 30, 35)
    assert repr(split) == "<Split: train 30 sentences, dev 5 sentences, test 5 sentences, columns form label>"


def test_tables_of_strings() -> None:
    assert repr(CORPUS.column("label").strings) == "<StringTable: 2 strings: 'B-X', 'O'>"
    assert repr(Column.from_strings("abcdef").strings) == "<StringTable: 6 strings: 'a', 'b', 'c', 'd', 'e', ...>"
    assert repr(Column.from_strings([]).strings) == "<StringTable: 0 strings>"


def test_a_table_for_notebooks() -> None:
    table = CORPUS._repr_html_()
    assert table.count("<tr>") == 1 + 5 * 21
    assert "<td>1</td><td>&lt;b&gt;</td><td>B-X</td>" in table
    assert "<b>" not in table


def test_the_label_of_a_format_survives_slices() -> None:
    corpus = read(io.StringIO("1" + "\ta" * 9 + "\n\n2".replace("2", "1") + "\ta" * 9 + "\n"), "conllu")
    assert corpus.label == corpus.slice(0, 1).label == corpus.select(np.array([1])).label == "upos"
