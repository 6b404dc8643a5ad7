"""Parsed corpora as text: for every format of the input, where tags, heads and relations go."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tagloom.cli.inputs import Input
from tagloom.cli.tagged import json_lines, unused_name
from tagloom.corpus import Column, Corpus, to_string
from tagloom.corpus.formats.conllu import CONLLU_COLUMNS
from tagloom.corpus.streams import decode_lines
from tagloom.corpus.trees import HEAD, NOTHING, RELATION
from tagloom.errors import ConfigError

if TYPE_CHECKING:
    from tagloom.systems import Parser

_OTHER_TAGS = "xpos"  # where CoNLL-U has tags of any other name


@dataclass(frozen=True)
class Parsing:
    """How a corpus is to be parsed and written."""

    parser: Parser
    threads: int = 1
    normalise: str | None = None  # the normal form in which the parser reads the text
    search: Mapping[str, Any] = field(default_factory=dict)  # depth, beam; None: the parser's own

    def text(self, source: Input) -> str:
        """The input with the parser's trees, as text."""
        corpus = source.read_for(self.parser)
        made = self._made(corpus)
        write = {"jsonl": self._records, "conllu": self._treebank, "text": self._treebank}
        return write.get(str(corpus.extras["format"]), self._columns)(corpus, made, source.data)

    def _made(self, corpus: Corpus) -> dict[str, Column]:
        """The columns that the parser makes, in their order: tags, if it predicts them, heads, relations."""
        read = corpus if self.normalise is None else self._normalised(corpus, self.normalise)
        spec = self.parser.spec
        parsed = self.parser.annotate(read, self.threads, **self.search)
        names = [spec.tag] if self.parser.tagger is not None else []
        names += [spec.head, spec.relation] if spec.has_relations else [spec.head]
        return {name: parsed.column(name) for name in names}

    def _normalised(self, corpus: Corpus, form: str) -> Corpus:
        from tagloom.corpus.normalise import Recut, normal_form

        found = Recut.of(corpus, normal_form(form)).corpus
        if found.token_count != corpus.token_count:
            raise ConfigError("--normalise: normalising changes the number of characters; convert the text first")
        return found

    def _columns(self, corpus: Corpus, made: Mapping[str, Column], data: bytes) -> str:
        """All columns of the input that a line can hold, and those of the parser."""
        names = [name for name, column in corpus.columns.items() if not column.is_bag]
        for name, column in made.items():
            names.append(unused_name(name, corpus))
            corpus = corpus.with_column(names[-1], column)
        return to_string(corpus, "conll", names)

    def _treebank(self, corpus: Corpus, made: Mapping[str, Column], data: bytes) -> str:
        """CoNLL-U, with everything in its own column; its comments and rows that are no words are kept."""
        spec, forms = self.parser.spec, corpus.column(self.parser.encoder.vocabulary.main)
        corpus = corpus.with_column("form", forms)
        if spec.tag in made:
            corpus = corpus.with_column(spec.tag if spec.tag in CONLLU_COLUMNS else _OTHER_TAGS, made[spec.tag])
        relations = made.get(spec.relation, Column.from_strings([NOTHING] * corpus.token_count))
        corpus = corpus.with_column(HEAD, made[spec.head]).with_column(RELATION, relations)
        return to_string(corpus, "conllu", [name for name in corpus.names if name in CONLLU_COLUMNS])

    def _records(self, corpus: Corpus, made: Mapping[str, Column], data: bytes) -> str:
        """The objects of the input with trees, and with the tokens that these belong to."""
        spec = self.parser.spec
        keys = {"tags": spec.tag, "heads": spec.head, "relations": spec.relation}
        lists = {key: _sentences(corpus, made[name]) for key, name in keys.items() if name in made}
        if "heads" in lists:
            lists["heads"] = [[int(head) for head in heads] for heads in lists["heads"]]
        records = [json.loads(line) for line in decode_lines(data, corpus.source) if line.strip(" \t\r")]
        for number, tokens in enumerate(corpus.iter_sentences(self.parser.encoder.vocabulary.main)):
            records[number] |= {"tokens": tokens, **{key: each[number] for key, each in lists.items()}}
        return "".join(json_lines(iter(records)))


def _sentences(corpus: Corpus, column: Column) -> list[list[Any]]:
    return list(corpus.with_column("made", column).iter_sentences("made"))
