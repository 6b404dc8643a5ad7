r"""Annotations as CoNLL-U (https://universaldependencies.org/format.html).

What CoNLL-U has no column for is written to MISC as ``NAME=VALUE``: other columns, layers of spans as IOB2 labels, and
``Confidence``. Blanks are written as UDPipe does: nothing for one blank, ``SpaceAfter=No`` for none, and
``SpacesAfter=\s\n`` for others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from tagloom.text.annotation import Annotation, Sentence, SpanLayer
from tagloom.text.export.tables import clean_values

_FIELDS = ("lemma", "upos", "xpos", "feats", "head", "deprel", "deps")
_XPOS = ("xpos", "pos", "tag")  # which column is XPOS, best first
_MISC = "misc"
_NOTHING = "_"
_ESCAPES = str.maketrans({"\\": "\\\\", " ": "\\s", "\t": "\\t", "\n": "\\n", "\r": "\\r", "|": "\\p", "\0": "\ufffd"})
_VALUE_ESCAPES = {code: text for code, text in _ESCAPES.items() if code != ord(" ")}
_ABOUT_BLANKS = re.compile("Spaces?After=")
_LINE_ENDS = re.compile(r"[\t\r\n\0]+")


def write_conllu(annotation: Annotation, first: int = 1) -> str:
    """Return the sentences that have tokens; the ids of sentences count them from ``first``."""
    places = _assign_places(annotation)
    missing = [_NOTHING] * len(annotation)
    texts = [clean_values(annotation.columns[places[name]]) if name in places else missing for name in _FIELDS]
    rows = list(map("\t".join, zip(clean_values(annotation.words), *texts)))
    misc = _build_misc(annotation, set(places.values()))
    blanks = _describe_blanks(annotation)
    sentences = (sentence for sentence in annotation.sents if len(sentence))
    return "".join(_write_sentence(each, number, rows, misc, blanks) for number, each in enumerate(sentences, first))


def _assign_places(annotation: Annotation) -> dict[str, str]:
    """Find the column for every field of CoNLL-U."""
    places = {name: name for name in _FIELDS if name in annotation.columns}
    tags = next((name for name in _XPOS if name in annotation.columns), None)
    if tags is not None:
        places["xpos"] = tags
    if annotation.heads is not None:
        places["head"] = annotation.heads
    if annotation.relations is not None:
        places["deprel"] = annotation.relations
    return places


def _build_misc(annotation: Annotation, placed: set[str]) -> list[list[str]]:
    """The entries of MISC for every token, without those about blanks: [N]."""
    entries: list[list[str]] = [[] for _ in annotation.words]
    for token, value in enumerate(annotation.columns.get(_MISC, ())):
        parts = _LINE_ENDS.sub(" ", value).split("|")
        kept = (part for part in parts if part.strip() and part != _NOTHING)
        entries[token] += [part for part in kept if not _ABOUT_BLANKS.match(part)]
    others = {name: values for name, values in annotation.columns.items() if name not in placed and name != _MISC}
    # A layer was decoded from the column of its name, if there is one: once is enough.
    layers = {each.name: _label_tokens(each, len(annotation)) for each in annotation.layers if each.name not in others}
    for name, values in {**others, **layers}.items():
        key = name.translate(_ESCAPES).replace("=", "_")
        for token, value in enumerate(values):
            if value not in ("", _NOTHING):
                entries[token].append(f"{key}={value.translate(_VALUE_ESCAPES)}")
    if annotation.scores is not None:
        for token, score in enumerate(annotation.scores.tolist()):
            entries[token].append(f"Confidence={score:.4f}")
    return entries


def _label_tokens(layer: SpanLayer, count: int) -> list[str]:
    """IOB2 labels, nothing outside of spans; a token in several spans has all labels, with a plus between them."""
    labels: list[list[str]] = [[] for _ in range(count)]
    for first, last, label, _ in layer.iterate():
        for token in range(first, last):
            labels[token].append(f"{'B' if token == first else 'I'}-{label}")
    return ["+".join(each) for each in labels]


def _describe_blanks(annotation: Annotation) -> list[str]:
    """The entry of MISC about what follows each token, empty for one blank: [N]."""
    following = [*annotation.starts.tolist()[1:], len(annotation.text)]
    gaps = [annotation.text[end:start] for end, start in zip(annotation.ends.tolist(), following)]
    found = ["SpaceAfter=No" if not gap else f"SpacesAfter={gap.translate(_ESCAPES)}" for gap in gaps]
    return ["" if gap == " " or gap.strip() else entry for gap, entry in zip(gaps, found)]


def _write_sentence(
    sentence: Sentence, number: int, rows: Sequence[str], misc: Sequence[list[str]], blanks: Sequence[str]
) -> str:
    text = _LINE_ENDS.sub(" ", sentence.text)
    ranges = dict(sentence.multiwords)
    lines = [f"# sent_id = {number}", f"# text = {text}", *_write_rows(sentence, ranges, rows, misc, blanks)]
    return "\n".join(lines) + "\n\n"


def _write_rows(
    sentence: Sentence, ranges: Mapping[int, int], rows: Sequence[str], misc: Sequence[list[str]], blanks: Sequence[str]
) -> Iterator[str]:
    """Rows of words; what follows a multiword token is said in its own row."""
    surface_end = sentence.first
    for token in range(sentence.first, sentence.last):
        if token in ranges:
            surface_end = ranges[token]
            yield _write_multiword(sentence, token, surface_end, blanks[surface_end - 1])
        blank = "" if token < surface_end else blanks[token]
        entries = [*misc[token], blank] if blank else misc[token]
        yield f"{token - sentence.first + 1}\t{rows[token]}\t{'|'.join(entries) or _NOTHING}"


def _write_multiword(sentence: Sentence, first: int, last: int, blank: str) -> str:
    annotation = sentence.annotation
    form = clean_values([annotation.text[annotation.starts[first] : annotation.ends[last - 1]]])
    numbers = f"{first - sentence.first + 1}-{last - sentence.first}"
    return "\t".join([numbers, *form, *[_NOTHING] * 7, blank or _NOTHING])
