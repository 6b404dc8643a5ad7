"""Tokenizers on real corpora: UD English EWT from its raw text, by ``ptb`` and learned, and tokens of CoNLL-2003."""

from __future__ import annotations

import lzma
from collections import Counter
from pathlib import Path

import pytest

import tagloom
from tagloom.text import get_tokenizer
from tests.text.treebank import compare_treebank

PTB = get_tokenizer("ptb")


@pytest.mark.parametrize("part", ["train", "dev", "test"])
def test_words_of_ewt(data_dir: Path, part: str) -> None:
    score = compare_treebank(data_dir / f"ud-en-ewt/en_ewt-ud-{part}.conllu.xz", PTB)
    assert score.equal + score.special.total() + score.other.total() == score.words
    assert score.equal >= 0.995 * (score.words - score.special.total())
    assert score.sentence_f1 >= 0.75


def test_a_tokenizer_learned_from_3000_sentences_of_ewt(data_dir: Path) -> None:
    train, dev = (tagloom.read(data_dir / f"ud-en-ewt/en_ewt-ud-{part}.conllu.xz") for part in ("train", "dev"))
    score = tagloom.train(train.slice(0, 3000), dev=dev, system="tokenizer").evaluate(dev)
    assert score.by_metric["tokens"].f1 >= 99.4
    assert score.by_metric["sentences"].f1 >= 87.5


def test_tokens_of_conll_2003(data_dir: Path) -> None:
    all_tokens, all_cut = 0, 0
    for name in ["eng.train.xz", "eng.testa", "eng.testb"]:
        data = (data_dir / "conll2003-en" / name).read_bytes()
        text = (lzma.decompress(data) if name.endswith("xz") else data).decode()
        tokens = Counter(line.split()[0] for line in text.split("\n") if line and not line.startswith("-DOCSTART-"))
        cut = Counter({token: count for token, count in tokens.items() if len(PTB.segment(token)) != 1})
        all_tokens, all_cut = all_tokens + tokens.total(), all_cut + cut.total()
    assert all_cut <= 0.001 * all_tokens
