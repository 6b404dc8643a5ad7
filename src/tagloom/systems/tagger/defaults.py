"""Defaults from the data: template set, learner and label scheme, where the user states none.

They were chosen on development data of corpora of several kinds and languages; docs/defaults.md has the scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tagloom.corpus import Column, Corpus
from tagloom.corpus.mapped import count_codes
from tagloom.corpus.normalise import list_word_columns
from tagloom.corpus.schemes import BIOES, IOB1, IOB2, Scheme, cuts_text, detect_scheme
from tagloom.features import load_templates
from tagloom.structures.sequences import DOCUMENTS
from tagloom.systems.labels import get_labels
from tagloom.systems.tagger.options import TaggerOptions

#: Learner, if documents are labelled as wholes and labels are plain tags.
_OF_DOCUMENTS = "averaged-perceptron"
_CHARACTER_SHARE = 0.9  # in text that is cut into words, no more than a fifth of the tokens are marks
_MANY_LABELS = 100  # of plain tags: looking ahead takes time for each of them
#: Passes over span labels: until so many tokens were seen, within these limits.
_SEEN_TOKENS, _LEAST_PASSES, _MOST_PASSES = 4_000_000, 10, 100


@dataclass(frozen=True)
class Kind:
    """A kind of labels, and what serves best for it."""

    name: str
    templates: str
    learner: str
    settings: Mapping[str, Any] = field(default_factory=dict)  # of the learner; epochs too


ENTITIES = Kind("span labels", "ner", "margin-perceptron", {"C": 100.0})
CHARACTERS = Kind("span labels of characters", "ner-zh-basic", "margin-perceptron", {"C": 100.0})
CHUNKS = Kind("span labels of most words", "chunking", "averaged-perceptron")
WORDS = Kind("segmentation labels", "segmentation", "averaged-perceptron")
TAGS = Kind("plain tags", "pos-affixes", "lookahead-perceptron", {"depth": 2, "C": 40.0, "epochs": 15})


def choose_options(
    corpus: Corpus, options: TaggerOptions, provided: Sequence[str] = ()
) -> tuple[TaggerOptions, list[str]]:
    """Complete the options by what fits a corpus; return them, and a note on what was chosen.

    ``provided`` are columns that the model will predict itself.
    """
    label = options.label or corpus.label
    labels = get_labels(corpus, label)
    scheme = None if options.choose_codec(label) else find_scheme(labels, corpus)
    kind = find_kind(corpus, label, scheme)
    found: dict[str, Any] = {}
    if options.templates is None:
        found["templates"] = choose_templates(corpus, kind)
    if options.scheme is None and options.cost is None and scheme in (IOB1, IOB2):
        found["scheme"] = BIOES.name
    if options.learner is None:
        found |= _choose_learner(kind, corpus, options)
    chosen = replace(options, block=options.choose_block(), **found)
    return chosen, _list_notes(corpus, label, kind, found, provided)


def find_kind(corpus: Corpus, label: str, scheme: Scheme | None) -> Kind:
    """Tell what the labels of a corpus mark."""
    if scheme is None:
        return TAGS
    labels = corpus.column(label)
    if cuts_text(_list_used(labels), scheme):
        return WORDS
    if _has_characters(corpus, label):
        return CHARACTERS
    code, counts = labels.strings.find(scheme.outside), count_codes(labels.codes, len(labels.strings))
    return CHUNKS if 2 * (counts[code] if code >= 0 else 0) < len(labels.codes) else ENTITIES


def choose_templates(corpus: Corpus, kind: Kind) -> str:
    """Choose the shipped set that fits the columns of a corpus and its labels."""
    return "attributes" if any(column.is_bag for column in corpus.columns.values()) else kind.templates


def _choose_learner(kind: Kind, corpus: Corpus, options: TaggerOptions) -> dict[str, Any]:
    """Choose the learner with its settings and the number of passes; what the user states stays."""
    if kind is TAGS and options.sequences == DOCUMENTS:
        return {"learner": _OF_DOCUMENTS}
    settings = dict(kind.settings)
    if kind in (ENTITIES, CHARACTERS):
        settings["epochs"] = min(max(_SEEN_TOKENS // max(corpus.token_count, 1), _LEAST_PASSES), _MOST_PASSES)
    if kind is TAGS and len(_list_used(corpus.column(options.label or corpus.label))) > _MANY_LABELS:
        settings["depth"] = 0
    return {"learner": kind.learner, **{n: value for n, value in settings.items() if getattr(options, n) is None}}


def find_scheme(labels: Column, corpus: Corpus) -> Scheme | None:
    """Tell the label scheme of a column; None for plain tags."""
    return detect_scheme(labels.strings.strings(), labels.codes, corpus.sentences)


def _list_used(labels: Column) -> list[str]:
    used = count_codes(labels.codes, len(labels.strings)) > 0
    return [labels.strings[code] for code in np.flatnonzero(used).tolist()]


def _has_characters(corpus: Corpus, label: str) -> bool:
    """Tell whether tokens are single characters, but for some numbers and names in other scripts."""
    names = [name for name in corpus.names if name != label]
    if not names or (words := corpus.column(list_word_columns(names)[0])).is_bag or not corpus.token_count:
        return False
    are_single = np.array([len(word) == 1 for word in words.strings.strings()])
    return float(count_codes(words.codes, len(words.strings))[are_single].sum() / len(words)) >= _CHARACTER_SHARE


def _list_notes(corpus: Corpus, label: str, kind: Kind, found: Mapping[str, Any], provided: Sequence[str]) -> list[str]:
    parts, scheme = [], found.get("scheme", "")
    names = [name for name in corpus.names if name != label]
    main = list_word_columns(names)[0] if names else ""
    needed: list[str] = []
    if "templates" in found:
        named = load_templates(found["templates"]).fit(names).list_columns(names)
        needed = [name for name in named if name != main and name not in provided]
        parts.append(f"features: {found['templates']} (reads {' '.join(dict.fromkeys([main, *named]))})")
    if "learner" in found:
        passes = f", at most {found['epochs']} passes" if "epochs" in found else ""
        parts.append(f"learner: {found['learner']}{passes}{f', {scheme}' if scheme else ''}")
    elif scheme:
        parts.append(f"scheme: {scheme}")
    if not parts:
        return []
    count = len(corpus.names)
    notes = [f"{'; '.join(parts)}; chosen from the data: {kind.name}, {count} column{'s' * (count > 1)}"]
    if needed:
        columns = " ".join(needed)
        notes.append(
            f"the model reads {columns}: text to tag must have {'it' if len(needed) == 1 else 'them'}, too; with "
            f"{' '.join(f'--provide {name}' for name in needed)} the model predicts {columns} itself"
        )
    return notes
