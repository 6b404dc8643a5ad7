"""One sentence in the making: the five columns, filled from left to right."""

from __future__ import annotations

from tagloom.datasets.cast import Cast, Entity
from tagloom.datasets.lexicon import Draw, Lexicon

ROOT = -1


class Draft:
    """Tokens with POS tags, chunks, entity labels and heads (positions from 0; ROOT until attached)."""

    def __init__(self, lexicon: Lexicon, cast: Cast, draw: Draw, subject: Entity | None = None) -> None:
        self.lexicon = lexicon
        self.draw = draw
        self.forms: list[str] = []
        self.tags: list[str] = []
        self.chunks: list[str] = []
        self.labels: list[str] = []
        self.heads: list[int] = []
        self._cast = cast
        self._subject = subject  # kept for the first place that asks for its type
        self._mentioned = [] if subject is None else [subject]

    def append(self, form: str, tag: str, label: str = "O") -> int:
        """Add a token outside any chunk, unattached; its position."""
        self.forms.append(form)
        self.tags.append(tag)
        self.chunks.append("O")
        self.labels.append(label)
        self.heads.append(ROOT)
        return len(self.forms) - 1

    def append_name(self, tokens: tuple[str, ...], label: str) -> int:
        """Add a name, headed by its last token; the position of that token."""
        last = len(self.forms) + len(tokens) - 1
        for position, token in enumerate(tokens):
            at = self.append(token, "NNP", f"I-{label}" if position else f"B-{label}")
            self.attach(at, last)
        return last

    def attach(self, dependent: int, head: int) -> None:
        """Make one token the head of another."""
        if dependent != head:
            self.heads[dependent] = head

    def bracket(self, chunk: str, start: int) -> None:
        """Make the tokens from ``start`` on one chunk."""
        self.chunks[start:] = [f"B-{chunk}"] + [f"I-{chunk}"] * (len(self.chunks) - start - 1)

    def choose(self, label: str | None) -> Entity:
        """The entity to mention now: of this type, of any type (None); never the same one twice in a sentence."""
        subject = self._subject
        if subject is not None and label == subject.label:
            entity, self._subject = subject, None
        else:
            entity = self._cast.choose(label, self._mentioned)
        self._mentioned.append(entity)
        return entity

    def choose_same(self) -> Entity:
        """An entity of the same type as the one mentioned last."""
        return self.choose(self._mentioned[-1].label)

    def spell(self) -> None:
        """Capital letter at the start, ``an`` before a vowel."""
        first = 1 if self.forms[0] == "``" else 0
        self.forms[first] = self.forms[first][0].upper() + self.forms[first][1:]
        for position, form in enumerate(self.forms[:-1]):
            if form in ("a", "A") and self.forms[position + 1][0] in "aeiou":
                self.forms[position] += "n"
