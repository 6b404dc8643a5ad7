"""Sentences as labels of tokens: what is labelled is read again, and what features see of a token."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tagloom
from tagloom.corpus import Column, Corpus, restore_text
from tagloom.errors import ConfigError
from tagloom.systems.file import model_from_bytes
from tagloom.systems.tokenizer.characters import INSIDE, LABELS, RULES, Boundaries, read_boundaries, read_characters
from tagloom.systems.tokenizer.model import LearnedTokenizer
from tagloom.systems.tokenizer.sentences import (
    BEGINS,
    GAP,
    GOES_ON,
    LABEL,
    TOKEN,
    label_tokens,
    read_sentences,
    read_tokens,
)
from tests.strategies import unhurried
from tests.systems.tokenizer.toy import bank, tokenizer

ANYTHING = st.text(st.characters() | st.sampled_from(" \n\t.aB¨ﬁ"), max_size=60)


def cut(text: str, labels: list[str], form: str | None = None) -> tuple[Boundaries, Corpus]:
    characters = read_characters(text, form=form)
    found = read_boundaries(characters, Column.from_strings(labels[: characters.corpus.token_count]))
    return found, read_tokens(text, characters, found, form)


@unhurried
@given(ANYTHING, st.data())
def test_what_is_labelled_is_read_again(text: str, data: st.DataObject) -> None:
    size = len(text)
    found, tokens = cut(text, data.draw(st.lists(st.sampled_from(LABELS), min_size=size, max_size=size)))
    begins = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)), bool)[: len(found.starts)]
    begins[found.paragraphs[:-1]] = True
    sentences = read_sentences(tokens, label_tokens(tokens, begins).column(LABEL))
    assert sentences.tolist() == [*np.flatnonzero(begins), len(begins)]


@unhurried
@given(ANYTHING, st.sampled_from([BEGINS, GOES_ON]))
def test_a_paragraph_begins_a_sentence_whatever_the_labels_are(text: str, label: str) -> None:
    found, tokens = cut(text, [INSIDE] * len(text))
    sentences = read_sentences(tokens, Column.from_strings([label] * tokens.token_count))
    assert set(found.paragraphs.tolist()) <= set(sentences.tolist())
    if label == GOES_ON:
        assert sentences.tolist() == found.paragraphs.tolist()


def test_columns_of_tokens() -> None:
    text = "Go on. Stop!\n\nﬁne\tthen"
    begins = [*"TI_TIT_TIIIT", *"TII_TIII"]
    found, tokens = cut(text, begins, "NFKC")
    assert tokens.column(TOKEN).texts() == ["Go", "on", ".", "Stop", "!", "fine", "then"]
    assert tokens.column(GAP).texts() == ["P", "_", "0", "_", "0", "P", "_"]
    assert [tokens.column(name).texts()[3] for name in RULES] == ["S", "S"]
    assert found.starts.tolist() == [0, 3, 5, 7, 11, 14, 18]
    assert tokens.sentences.tolist() == [0, 5, 7]


def test_half_of_a_surrogate_pair_is_a_token() -> None:
    _, tokens = cut("a \ud800.", [*"T_TT"])
    assert tokens.column(TOKEN).texts() == ["a", "?", "."]


def test_the_gold_sentences_of_a_treebank_are_found() -> None:
    text = restore_text(bank())
    found = tokenizer().segment(text.text)
    assert found.sentences.tolist() == bank().sentences.tolist()


def test_a_full_stop_of_its_own_ends_a_sentence_before_a_small_letter() -> None:
    """What labels of characters do not see: the same characters end a sentence or an abbreviation."""
    text = "she ran home . approx. two miles . approx. ten came . they ran ."
    words = text.split() * 8
    spaces = ["SpaceAfter=No" if after == "." else "_" for after in [*words[1:], "_"]]
    corpus = Corpus.from_columns({"form": words, "misc": spaces}, [4, 4, 4, 3] * 8)
    model = tagloom.train(corpus, system="tokenizer", cutoff=1)
    found = model.segment("she came home. they ran approx. two miles. ten came.")
    assert [" ".join(each) for each in found.split_sentences()] == [
        "she came home .", "they ran approx. two miles .", "ten came .",
    ]  # fmt: skip


def test_both_taggers_are_in_the_file() -> None:
    model = tokenizer()
    data = model.to_bytes()
    again: LearnedTokenizer = model_from_bytes("x", data, None, "tokenizer")  # type: ignore[arg-type]
    assert again.to_bytes() == data
    assert again.sentences.spec.label == LABEL
    assert again.spec.signature.templates == "tokenizer sentences"


def test_a_file_without_the_tagger_of_tokens_is_refused() -> None:
    model = tokenizer()
    tensors = {**model.to_tensors(), "sentences": model.to_tensors()["tagger"]}
    with pytest.raises(ValueError, match=r"tensor sentences: spec\.label: expected 'sentence', found 'boundary'"):
        LearnedTokenizer.from_tensors(model.spec.to_json(), tensors, {}, None)


def test_templates_of_sentences_can_be_chosen() -> None:
    model = tagloom.train(bank(), system="tokenizer", sentence_templates="form[-1]", epochs=2, cutoff=1)
    assert [str(each) for each in model.sentences.spec.templates.templates] == ["form[-1]"]
    with pytest.raises(ConfigError, match="nowhere"):
        tagloom.train(bank(), system="tokenizer", sentence_templates="nowhere")


def test_development_data_chooses_the_pass_of_both_taggers() -> None:
    model = tagloom.train(bank(), system="tokenizer", dev=bank(12), cutoff=1)
    assert all(record.dev_score is not None for record in model.sentences.spec.history)
    assert len(tokenizer().sentences.spec.history) > 0
    assert all(record.dev_score is None for record in tokenizer().sentences.spec.history)
