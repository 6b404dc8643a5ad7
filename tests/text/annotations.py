"""Annotations of any text, drawn by hypothesis."""

from __future__ import annotations

import itertools

from hypothesis import strategies as st

from tagloom.text import Annotation, SpanLayer
from tests.strategies import tree_heads

LABELS = ("PER", "LOC", "<script>", "a b", 'quote"', "B|C", "größe", "x\\y=z", "_", "&amp;", "\u2028", "日本")
FORMS = ("a", "the", "日本", "<script>", "&lt;", "'s", "#", "|", "\\", "_", "10 000", "a\nb", "e\u0301", "👩‍🚀")
GAPS = ("", "", " ", " ", "  ", "\n", " \n\t", "\u3000", "\u2028", " \r\n")
SCORES = st.floats(0, 1)


def forms() -> st.SearchStrategy[str]:
    """Words as tokenizers make them: no blanks at their ends."""
    letters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
    odd = st.text(letters, min_size=1, max_size=4).filter(lambda word: word.strip() == word)
    return st.sampled_from(FORMS) | odd


def values() -> st.SearchStrategy[str]:
    return st.sampled_from(LABELS)


@st.composite
def annotations(draw: st.DrawFn, gaps: tuple[str, ...] = GAPS) -> Annotation:
    """Sentences with trees, multiword tokens, columns, and up to three layers of spans that may overlap."""
    trees = draw(st.lists(tree_heads(5), max_size=4))
    lengths = [len(heads) for heads in trees]
    count = sum(lengths)
    sentences = [sum(lengths[:number]) for number in range(len(lengths) + 1)]
    multiwords = draw_multiwords(draw, sentences)
    text, starts, ends, words = "".join(draw(st.sampled_from(gaps))), [], [], []
    inside = dict(multiwords)
    token = 0
    while token < count:
        surface = draw(forms())
        if token in inside and draw(st.booleans()):  # the surface does not show the words
            for _ in range(token, inside[token]):
                starts.append(len(text))
                ends.append(len(text) + len(surface))
                words.append(draw(forms()))
        else:
            for number in range(token, inside.get(token, token + 1)):
                surface = surface if number == token else draw(forms())
                starts.append(len(text))
                ends.append(len(text) + len(surface))
                words.append(surface)
                text += surface
            surface = ""
        token = inside.get(token, token + 1)
        text += surface + draw(st.sampled_from(gaps))
    column = st.lists(values(), min_size=count, max_size=count)
    columns = {name: draw(column) for name in draw(st.sets(st.sampled_from(["pos", "upos", "lemma", "feats", "ner"])))}
    tree: dict[str, str] = {}
    if draw(st.booleans()):
        columns["head"] = [str(head) for heads in trees for head in heads]
        columns["deprel"] = draw(column)
        tree = {"heads": "head", "relations": "deprel"}
    scores = st.lists(SCORES, min_size=count, max_size=count)
    names = draw(st.lists(st.sampled_from(["ner", "chunk", "<b>"]), unique=True))
    return Annotation(
        text,
        starts,
        ends,
        sentences,
        words=words,
        multiwords=multiwords,
        columns=columns,
        layers=[draw(layers(name, count)) for name in names],
        scores=draw(st.none() | scores),
        **tree,
    )


def draw_multiwords(draw: st.DrawFn, sentences: list[int]) -> list[tuple[int, int]]:
    found = []
    for first, last in itertools.pairwise(sentences):
        at = first
        while last - at >= 2 and draw(st.booleans()):
            begin = draw(st.integers(at, last - 2))
            at = draw(st.integers(begin + 2, last))
            found.append((begin, at))
    return found


@st.composite
def layers(draw: st.DrawFn, name: str, count: int) -> SpanLayer:
    ranges = st.tuples(st.integers(0, max(count - 1, 0)), st.integers(1, max(count, 1))).filter(lambda r: r[0] < r[1])
    found = draw(st.lists(ranges, max_size=4)) if count else []
    labels = [draw(values()) for _ in found]
    scores = [draw(SCORES) for _ in found] if draw(st.booleans()) else None
    return SpanLayer(name, [first for first, _ in found], [last for _, last in found], labels, scores)
