"""CoNLL columns read line by line: the plain truth beside the native parser."""

from __future__ import annotations

import re


def read_columns(text: str, separator: str) -> list[list[list[list[str]]]]:
    """Documents of sentences of tokens of fields; all in one document if no line begins one."""
    documents: list[list[list[list[str]]]] = [[]]
    sentence: list[list[str]] = []

    def end_sentence() -> None:
        if sentence:
            documents[-1].append(sentence[:])
            sentence.clear()

    for line in text.split("\n"):
        line = line.removesuffix("\r")
        fields = line.split("\t") if separator == "\t" else re.findall(r"[^ \t]+", line)
        if not line.strip(" \t"):
            end_sentence()
        elif fields[0] == "-DOCSTART-" or line.startswith("###MEDLINE:"):
            end_sentence()
            documents.append([])
        else:
            sentence.append(fields)
    end_sentence()
    return [document for document in documents if document]
