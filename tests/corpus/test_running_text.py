"""Running text that is read with a tokenizer: lines and paragraphs, batches, places of all tokens."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom.corpus import Column, Corpus, read, read_batches
from tagloom.corpus.layers import LABELS, Layer
from tagloom.corpus.running_text import build_annotation, get_cutter, get_running_text, iter_part_annotations
from tagloom.corpus.schemes import get_scheme
from tagloom.errors import ConfigError, DataError
from tagloom.text import FunctionTokenizer, Tokenizer, get_tokenizer

TEXT = "He didn't go. Yes!\r\nNo end\n\n  Next\tone. \n"
LABEL = Layer("ner", LABELS, get_scheme("IOB2"))
BY_LINES = FunctionTokenizer(lambda text: [line.split() for line in text.splitlines()], "lines")


def open_text(text: str) -> io.BytesIO:
    return io.BytesIO(text.encode())


def list_sentences(corpus: Corpus) -> list[list[str]]:
    return list(corpus.iter_sentences("form"))


def test_paragraphs_if_there_are_blank_lines() -> None:
    corpus = read(open_text(TEXT), "text", tokenizer="ptb")
    assert list_sentences(corpus) == [
        ["He", "did", "n't", "go", "."], ["Yes", "!"], ["No", "end"], ["Next", "one", "."],
    ]  # fmt: skip
    running = get_running_text(corpus)
    assert running is not None
    assert [running.segment.text[start:end] for start, end in running.parts] == [
        "He didn't go. Yes!\r\nNo end", "  Next\tone. ",
    ]  # fmt: skip
    assert get_cutter(corpus) == get_tokenizer("ptb")
    assert not corpus.has_documents


def test_lines_if_there_are_none() -> None:
    corpus = read(open_text("no end\nof the line"), "text", tokenizer="unicode")
    assert list_sentences(corpus) == [["no", "end"], ["of", "the", "line"]]
    assert list_sentences(read(open_text("no end\n\nof the\nline"), "text", tokenizer="unicode")) == [
        ["no", "end"], ["of", "the", "line"],
    ]  # fmt: skip


def test_without_a_tokenizer_blanks_part_tokens() -> None:
    corpus = read(open_text("didn't go.\n"), "text")
    assert list_sentences(corpus) == [["didn't", "go."]]
    assert get_running_text(corpus) is None
    assert get_cutter(corpus) is None


def test_unknown_tokenizer() -> None:
    with pytest.raises(ConfigError, match="unknown tokenizer 'utf'"):
        read(open_text("a"), "text", tokenizer="utf")


def annotate(corpus: Corpus) -> tuple[dict[str, Column], list[Layer]]:
    return {"ner": Column.from_strings(["B-X"] * corpus.token_count)}, [LABEL]


@pytest.mark.parametrize("tokenizer", [*map(get_tokenizer, ["unicode", "ptb", "whitespace", "character"]), BY_LINES])
@given(text=st.text(st.sampled_from("aé中.\U0001f600'\u0301 \t\n\r\u2028\u00a0-"), max_size=60))
def test_tokens_stand_where_they_say(tokenizer: Tokenizer, text: str) -> None:
    if not any(map(len, map(tokenizer.segment, text.split("\n")))):
        with pytest.raises(DataError, match="no tokens found"):
            read(open_text(text), "text", tokenizer=tokenizer)
        return
    corpus = read(open_text(text), "text", tokenizer=tokenizer)
    whole = build_annotation(corpus, *annotate(corpus), "form")
    whole.check()
    assert whole.text == text
    assert list(whole.words) == corpus.column("form").texts()
    parts = list(iter_part_annotations(corpus, *annotate(corpus)))
    for part in parts:
        part.check()
    assert [word for part in parts for word in part.words] == list(whole.words)
    assert sum(len(part.spans) for part in parts) == len(whole)


@given(text=st.text(st.sampled_from("ab. \n"), min_size=1, max_size=200), size=st.integers(1, 50))
def test_batches_are_the_whole(text: str, size: int) -> None:
    def list_all(batches: list[Corpus]) -> list[list[str]]:
        return [sentence for batch in batches for sentence in list_sentences(batch)]

    try:
        whole = read(open_text(text), "text", tokenizer="unicode")
    except DataError:
        return
    batches = list(read_batches(open_text(text), "text", tokenizer="unicode", batch_bytes=size))
    assert list_all(batches) == list_sentences(whole)
    texts = [running.segment.text for batch in batches if (running := get_running_text(batch))]
    assert text.startswith("".join(texts))
    assert not text[len("".join(texts)) :].strip()


def read_records(*records: object, tokenizer: str | None = None, columns: str | None = None) -> Corpus:
    return read(io.StringIO("\n".join(map(json.dumps, records))), "jsonl", columns, tokenizer=tokenizer)


def test_records_are_cut_by_unicode_unless_a_tokenizer_is_named() -> None:
    record = {"text": "Don't go. Yes.", "spans": [[6, 8, "V"]]}
    assert list_sentences(read_records(record)) == [["Don't", "go", ".", "Yes", "."]]
    named = read_records(record, tokenizer="ptb")
    assert list_sentences(named) == [["Do", "n't", "go", ".", "Yes", "."]]  # gold is read: one sentence
    assert named.sentence(0, "label") == ["O", "O", "B-V", "O", "O", "O"]
    assert get_cutter(named) == get_tokenizer("ptb")
    assert get_cutter(read_records(record)) == get_tokenizer("unicode")
    assert get_cutter(read_records({"tokens": ["a"]})) is None


def test_words_alone_are_split_into_sentences() -> None:
    records = [{"text": "Go. Yes.", "doc": 1}, {"tokens": ["a", "."], "doc": 1}, {"text": " ", "doc": 2}]
    corpus = read_records(*records, tokenizer="unicode", columns="form")
    assert list_sentences(corpus) == [["Go", "."], ["Yes", "."], ["a", "."], []]
    assert corpus.documents.tolist() == [0, 3, 4]
    assert len(read_records(*records, columns="form")) == 3


def test_spans_part_tokens_only_beside_signs() -> None:
    record = {"text": "Berlin-based U.S.A.'s", "spans": [[0, 6, "X"], [13, 19, "Y"]]}
    corpus = read_records(record, tokenizer="ptb")
    assert corpus.sentence(0, "form")[:2] == ["Berlin", "-based"]
    with pytest.raises(DataError, match="does not begin and end with a token; mark whole words"):
        read_records({"text": "Berlin", "spans": [[0, 3, "X"]]}, tokenizer="ptb")


def test_tokens_that_are_split_at_spans_are_said() -> None:
    told: list[str] = []
    lines = b'{"text": "in New York\'s", "spans": [[3, 11, "LOC"]]}\n{"text": "in Bonn", "spans": [[3, 7, "LOC"]]}\n'
    corpus = read(io.BytesIO(lines), "jsonl", on_guess=told.append)
    assert corpus.sentence(0, "form") == ["in", "New", "York", "'s"]
    assert [note for note in told if "tokens are split" in note]
    told.clear()
    read(io.BytesIO(lines.splitlines()[1]), "jsonl", on_guess=told.append)
    assert not told
