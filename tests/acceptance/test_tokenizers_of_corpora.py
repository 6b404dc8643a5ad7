"""``ptb`` on real corpora: the words of UD English EWT from its raw text, and every token of CoNLL-2003 alone."""

from __future__ import annotations

import lzma
from collections import Counter
from pathlib import Path

import pytest

from tagloom.text import get_tokenizer
from tests.text.treebank import bound_sentences, compare_tokens, read_documents

PTB = get_tokenizer("ptb")


@pytest.mark.parametrize("part", ["train", "dev", "test"])
def test_words_of_ewt(data_dir: Path, part: str) -> None:
    documents = read_documents(data_dir / f"ud-en-ewt/en_ewt-ud-{part}.conllu.xz")
    equal, special, other = 0, Counter[str](), Counter[str]()
    gold = found = both = 0
    for document in documents:
        cut = PTB.segment(document.text)
        here, cases, differences = compare_tokens(document, cut.spans)
        equal, special, other = equal + here, special + cases, other + differences
        right = bound_sentences(document.words, document.sentences)
        ours = bound_sentences(cut.spans, cut.sentences.tolist())
        gold, found, both = gold + len(right), found + len(ours), both + len(right & ours)
    words = sum(len(document.words) for document in documents)
    assert equal + special.total() + other.total() == words
    share = equal / (words - special.total())
    print(
        f"\n{part}: {words} words, {equal} equal ({equal / words:.2%}), special {dict(special)}, other {other.total()}"
    )
    print(f"outside of special cases {share:.3%}; sentences F1 {2 * both / (gold + found):.2%}")
    assert share >= 0.995
    assert 2 * both / (gold + found) >= 0.75


def test_tokens_of_conll_2003(data_dir: Path) -> None:
    all_tokens, all_cut = 0, 0
    for name in ["eng.train.xz", "eng.testa", "eng.testb"]:
        data = (data_dir / "conll2003-en" / name).read_bytes()
        text = (lzma.decompress(data) if name.endswith("xz") else data).decode()
        tokens = Counter(line.split()[0] for line in text.split("\n") if line and not line.startswith("-DOCSTART-"))
        cut = Counter({token: count for token, count in tokens.items() if len(PTB.segment(token)) != 1})
        print(f"{name}: {tokens.total()} tokens, {cut.total()} cut: {cut.most_common(10)}")
        all_tokens, all_cut = all_tokens + tokens.total(), all_cut + cut.total()
    assert all_cut <= 0.001 * all_tokens
