"""Annotations as brat standoff (https://brat.nlplab.org/standoff.html).

Spans are text-bound annotations (``T1<tab>PER 0 12<tab>Barack Obama``). A tree has one text-bound annotation per token,
with its tag as type, and one relation per arc (``R1<tab>nsubj Arg1:T5 Arg2:T4``, the head first). Without spans and
trees every token is written with its tag. A span that runs over the end of a line is written in fragments.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tagloom.text.annotation import Annotation
from tagloom.text.summary import choose_tags

_NOT_IN_NAMES = re.compile(r"[^\w-]")
# Everything that str.splitlines ends a line at: readers of .ann files go line by line.
_LINE = re.compile("[^\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]+")


def write_standoff(annotation: Annotation) -> tuple[str, str]:
    """Return the text and the lines about it."""
    return annotation.text, StandoffWriter().write(annotation)


@dataclass
class StandoffWriter:
    """Writes the annotations of a text piece by piece: offsets and names go on.

    Attributes:
        offset: Characters of the text before the next piece.
        entities: Text-bound annotations that were written.
        relations: Relations that were written.
    """

    offset: int = 0
    entities: int = 0
    relations: int = 0

    def write(self, annotation: Annotation) -> str:
        """Return the lines about the next piece of the text."""
        lines: list[str] = []
        for span in annotation.spans:
            self._add_entity(lines, annotation.text, span.label, span.start, span.end)
        if annotation.heads is not None or not annotation.layers:
            names = self._add_tokens(lines, annotation)
            self._add_relations(lines, annotation, names)
        self.offset += len(annotation.text)
        return "".join(f"{line}\n" for line in lines)

    def _add_entity(self, lines: list[str], text: str, label: str, start: int, end: int) -> str | None:
        """Add a line, and return the name of the entity; None if there is nothing to mark but blanks."""
        fragments = []
        for match in _LINE.finditer(text, start, end):
            piece = match.group()
            left, right = len(piece) - len(piece.lstrip()), len(piece.rstrip())
            if left < right:
                fragments.append((match.start() + left, match.start() + right))
        if not fragments:
            return None
        places = ";".join(f"{self.offset + a} {self.offset + b}" for a, b in fragments)
        self.entities += 1
        name = f"T{self.entities}"
        lines.append(f"{name}\t{_clean_name(label)} {places}\t{' '.join(text[a:b] for a, b in fragments)}")
        return name

    def _add_tokens(self, lines: list[str], annotation: Annotation) -> list[str | None]:
        column = choose_tags(annotation)
        tags = ["Token"] * len(annotation) if column is None else annotation.columns[column]
        places = zip(tags, annotation.starts.tolist(), annotation.ends.tolist())
        return [self._add_entity(lines, annotation.text, tag, start, end) for tag, start, end in places]

    def _add_relations(self, lines: list[str], annotation: Annotation, names: list[str | None]) -> None:
        if annotation.heads is None:
            return
        heads = annotation.column(annotation.heads)
        relations = annotation.column(annotation.relations) if annotation.relations else ["dep"] * len(annotation)
        for sentence in annotation.sents:
            for token in range(sentence.first, sentence.last):
                head = int(heads[token])
                if head and (above := names[sentence.first + head - 1]) and (below := names[token]):
                    self.relations += 1
                    relation = _clean_name(relations[token])
                    lines.append(f"R{self.relations}\t{relation} Arg1:{above} Arg2:{below}")


def _clean_name(label: str) -> str:
    """A type as brat takes it: letters, digits, hyphens and underscores."""
    return _NOT_IN_NAMES.sub("_", label) or "_"
