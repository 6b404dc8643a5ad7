"""Why a parser built its tree: action by action, what was chosen over what, and which features spoke for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from tagloom.arguments import check_methods
from tagloom.corpus import Corpus
from tagloom.features.state_templates import StatePart, resolve_tag
from tagloom.structures.history import HistorySearch
from tagloom.systems.parser.treebank import encode_sentences
from tagloom.systems.tables import Decision, Parts, Shown, Table

if TYPE_CHECKING:
    from tagloom.systems.parser.model import Parse, Parser

#: Scores of all actions, their values, the best way on, keys of the features.
_Look: TypeAlias = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int32], NDArray[np.uint64]]


@dataclass(frozen=True)
class ParserStep:
    """One action: its state, its value, the best other action, and the features by what they contributed.

    Values include the future that lookahead saw; contributions are those of the action over the other one, in its
    state.
    """

    stack: tuple[str, ...]
    queue: tuple[str, ...]
    action: str
    value: float
    rival: str | None
    rival_value: float
    contributions: tuple[tuple[str, float], ...]  # feature, weight for the action over the other one; largest first
    word: int = 0  # the word that is shifted, or that gets its head

    @property
    def margin(self) -> float:
        """By how much the action won; a beam may take an action that has not won yet."""
        return self.value - self.rival_value


_TOP = 3  # features of every action
_WORDS = 3  # of stack and queue, in the table


@check_methods()
@dataclass(frozen=True)
class ParserExplanation(Shown, Sequence[ParserStep]):
    """Why a parser built its tree: one step per action, and the tree."""

    steps: tuple[ParserStep, ...]
    parse: Parse

    @overload
    def __getitem__(self, index: int) -> ParserStep: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[ParserStep]: ...
    def __getitem__(self, index: int | slice) -> ParserStep | Sequence[ParserStep]:
        """Return a step."""
        return self.steps[index]

    def __len__(self) -> int:
        """Count the steps."""
        return len(self.steps)

    def __repr__(self) -> str:
        return f"<ParserExplanation {' '.join(self.parse.forms)}: {len(self)} actions>"

    def to_parts(self, top: int | None = None) -> Parts:
        """Build a table: state, action, the best other action, and the loudest features."""
        count = _TOP if top is None else top
        headers = ("stack", "queue", "action", "rival", "margin", "because of")
        return [Table(headers, [_to_row(step, count) for step in self.steps], ["margin"])]

    def to_dict(self, top: int | None = None) -> dict[str, object]:
        """Build plain values."""
        count, parse = _TOP if top is None else top, self.parse
        tree = {"tokens": parse.forms, "tags": parse.tags, "heads": parse.heads, "relations": parse.relations}
        actions = [
            {
                "stack": step.stack,
                "queue": step.queue,
                "action": step.action,
                "rival": step.rival,
                "margin": None if step.rival is None else step.margin,
                "features": [{"name": name, "weight": weight} for name, weight in step.contributions[:count]],
            }
            for step in self.steps
        ]
        return {**tree, "actions": actions}

    def list_decisions(self, top: int | None = None, gold: Sequence[str] | None = None) -> list[Decision]:
        """List one decision per word: the action that gave it a head, or that shifted the root of the sentence."""
        last = {step.word: step for step in self.steps}  # a word is shifted first and gets its head later
        return [
            Decision(word, word + 1, step.action) if step.rival is None else
            Decision(word, word + 1, step.action, step.rival, step.margin, step.contributions[:top])
            for word, step in sorted(last.items())
        ]  # fmt: skip


def _to_row(step: ParserStep, top: int) -> tuple[str, ...]:
    stack = " ".join([*["..."] * (len(step.stack) > _WORDS), *step.stack[-_WORDS:]])
    queue = " ".join([*step.queue[:_WORDS], *["..."] * (len(step.queue) > _WORDS)])
    if step.rival is None:
        return stack, queue, step.action, "", "", "nothing else is possible"
    features = ", ".join(f"{name} {weight:+.2f}" for name, weight in step.contributions[:top])
    return stack, queue, step.action, step.rival, f"{step.margin:.2f}", features


@dataclass
class _Subtree:
    """A word with its children and their relations, outermost last."""

    word: int
    left: list[tuple[_Subtree, str]]
    right: list[tuple[_Subtree, str]]


class _State:
    """Stack and queue as plain lists, to name features."""

    def __init__(self, words: int, *, is_hybrid: bool) -> None:
        self.words, self.front, self.is_hybrid = words, 0, is_hybrid
        self.stack: list[_Subtree] = []
        self.waiting: list[tuple[_Subtree, str]] = []  # children of the first word of the queue, in arc-hybrid

    def apply(self, move: str, relation: str) -> None:
        if move == "shift":
            self.stack.append(_Subtree(self.front, self.waiting, []))
            self.front, self.waiting = self.front + 1, []
        elif move == "left" and self.is_hybrid:
            self.waiting = [*self.waiting, (self.stack.pop(), relation)]
        else:
            top, second = self.stack.pop(), self.stack.pop()
            if move == "left":
                self.stack.append(_Subtree(top.word, [*top.left, (second, relation)], top.right))
            else:
                self.stack.append(_Subtree(second.word, second.left, [*second.right, (top, relation)]))

    def allows(self, move: str) -> bool:
        """Whether an action is possible."""
        if move == "shift":
            return self.front < self.words
        if move == "left" and self.is_hybrid:
            return self.front < self.words and len(self.stack) > 0
        return len(self.stack) > 1

    def find_word(self, move: str) -> int:
        """Find the word that an action shifts, or gives a head."""
        return self.front if move == "shift" else self.stack[-2 if move == "left" and not self.is_hybrid else -1].word

    def find(self, part: StatePart) -> tuple[_Subtree | None, str | None]:
        """Find the subtree at an address, with the relation that leads to it."""
        number = int(part.place[1])
        at: _Subtree | None = self.stack[-1 - number] if number < len(self.stack) else None
        if part.place[0] == "q":
            word = self.front + number
            at = _Subtree(word, [] if number else self.waiting, []) if word < self.words else None
        relation: str | None = None
        for step in part.steps:
            children = [] if at is None else at.left if step[0] == "l" else at.right
            place = 2 if step.endswith("2") else 1
            at, relation = children[-place] if len(children) >= place else (None, None)
        return at, relation


def explain_parse(parser: Parser, corpus: Corpus, parse: Parse) -> ParserExplanation:
    """Explain the actions for the first sentence of a corpus with tags."""
    seen = _Sentence(parser, corpus)
    state, steps, done = _State(len(seen.words), is_hybrid=parser.spec.is_hybrid), list[ParserStep](), list[int]()
    for action in parser.core.actions(seen.data, parser.search(), 0).tolist():
        steps.append(seen.step(state, done, action))
        state.apply(*_move(parser, action))
        done.append(action)
    return ParserExplanation(tuple(steps), parse)


class _Sentence:
    """What a parser sees of a sentence: words, values of attributes, and scores after some actions."""

    def __init__(self, parser: Parser, corpus: Corpus) -> None:
        self.parser, self.depth = parser, parser.spec.search.get("depth", 0)
        self.data = encode_sentences(parser.encoder, corpus, parser.relations)
        self.words = corpus.sentence(0, parser.encoder.vocabulary.main)
        self.texts = parser.encoder.attribute_texts(corpus, 0)

    def step(self, state: _State, done: list[int], action: int) -> ParserStep:
        scores, _, _, keys = self.look(done, 0)
        values = self.values(state, done, scores)
        rival = max((a for a in values if a != action), key=lambda a: values[a], default=None)
        return ParserStep(
            tuple(self.words[tree.word] for tree in state.stack),
            tuple(self.words[state.front :]),
            action_name(self.parser, action),
            values[action],
            None if rival is None else action_name(self.parser, rival),
            float("-inf") if rival is None else values[rival],
            self.contributions(state, keys, action, rival),
            state.find_word(_move(self.parser, action)[0]),
        )

    def look(self, done: list[int], depth: int) -> _Look:
        return self.parser.core.look(self.data, HistorySearch(depth).core(), 0, done)

    def values(self, state: _State, done: list[int], scores: NDArray[np.float32]) -> dict[int, float]:
        """Compute the value of every possible action: its score plus the best future that lookahead sees after it.

        Search itself leaves alone what cannot win. Arcs of one direction share their future, unless relations are read.
        """
        futures: dict[object, float] = {}
        values = {}
        for action in range(len(scores)):
            move = _move(self.parser, action)[0]
            if not state.allows(move):
                continue
            branch = action if self.parser.reads_relations else move
            if branch not in futures:
                futures[branch] = self.future(state, [*done, action])
            values[action] = float(scores[action]) + futures[branch]
        return values

    def future(self, state: _State, done: list[int]) -> float:
        is_final = len(done) == 2 * state.words - 1
        return 0.0 if self.depth == 0 or is_final else float(self.look(done, self.depth - 1)[1].max())

    def contributions(
        self, state: _State, keys: NDArray[np.uint64], action: int, rival: int | None
    ) -> tuple[tuple[str, float], ...]:
        found = []
        for template, key in zip(self.parser.spec.templates.templates, keys.tolist(), strict=True):
            weights = self.parser.core.weights_of(key)
            gain = float(weights[action]) - (0.0 if rival is None else float(weights[rival]))
            if key and gain:
                values = (f"{part}={_value(self.parser, state, part, self.texts)}" for part in template.parts)
                found.append((" ".join(values), gain))
        return tuple(sorted(found, key=lambda each: -abs(each[1])))


def _move(parser: Parser, action: int) -> tuple[str, str]:
    if action == 0:
        return "shift", ""
    count = parser.relations.count
    relation = parser.relations.names[(action - 1) % count] if parser.relations.names else ""
    return ("left" if action <= count else "right"), relation


def action_name(parser: Parser, action: int) -> str:
    """Name an action, such as ``shift``, ``left nsubj`` or ``right obj``."""
    return " ".join(filter(None, _move(parser, action)))


def _value(parser: Parser, state: _State, part: StatePart, texts: dict[str, list[str]]) -> str:
    if part.kind == "distance":
        return str(state.stack[-1].word - state.stack[-2].word) if len(state.stack) > 1 else "_none"
    if part.kind == "gap":
        return str(state.front - state.stack[-1].word) if state.stack and state.front < state.words else "_none"
    tree, relation = state.find(part)
    if tree is None:
        return "_none"
    if part.kind == "relation":
        return relation or "_none"
    if part.attribute is None:
        return str(min(len(tree.left if part.kind == "vl" else tree.right), 3))
    return texts[resolve_tag(part.attribute, parser.spec.tag).attribute][tree.word] or "_none"
