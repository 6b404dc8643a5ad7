"""The schema of the arrays of a learned tokenizer."""

from __future__ import annotations

from tagloom.schema import Array, Layout, describe_strings

TOKENIZER = Layout(
    (
        Array("tagger", "U8", "", "The file of the tagger of characters."),
        Array("sentences", "U8", "", "The file of the tagger of tokens."),
        describe_strings("multiwords.tokens", "A", "Tokens of several words"),
        describe_strings("multiwords.words", "B", "Their words, joined by tabs"),
        Array("multiwords.tokens.codes", "I32", "N", "The token of every split.", below="A"),
        Array("multiwords.words.codes", "I32", "N", "The words of every split.", below="B"),
    )
)
