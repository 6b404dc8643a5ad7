"""A small treebank with running text, and a tokenizer of it."""

from __future__ import annotations

import functools
import io

import tagloom
from tagloom.corpus import Corpus, read
from tagloom.systems.tokenizer.model import LearnedTokenizer

_WORDS = [
    (("The", "dog", "does", "n't", "bark"), ("the", "dog", "do", "not", "bark"), "DET NOUN AUX PART VERB"),
    (("A", "cat", "sees", "dogs"), ("a", "cat", "see", "dog"), "DET NOUN VERB NOUN"),
    (("The", "cats", "sleep", "here"), ("the", "cat", "sleep", "here"), "DET NOUN VERB ADV"),
    (("Dogs", "bark", "here"), ("dog", "bark", "here"), "NOUN VERB ADV"),
]
_FEATS = {"cats": "Number=Plur", "dogs": "Number=Plur", "Dogs": "Number=Plur", "dog": "Number=Sing",
          "cat": "Number=Sing", "sees": "Number=Sing|Person=3", "does": "Number=Sing|Person=3"}  # fmt: skip


def write_sentence(number: int) -> str:
    """One sentence of CoNLL-U: the verb is the root, all else hangs on it; the last word is glued to the full stop."""
    words, lemmas, tags = _WORDS[number % len(_WORDS)]
    kinds = [*tags.split(), "PUNCT"]
    forms, own = [*words, "."], [*lemmas, "."]
    verb = kinds.index("VERB") + 1
    lines = []
    for place, (form, lemma, kind) in enumerate(zip(forms, own, kinds), 1):
        if form == "does":
            lines.append(f"{place}-{place + 1}\tdoesn't" + "\t_" * 8)
        head, relation = (0, "root") if place == verb else (verb, "punct" if kind == "PUNCT" else "dep")
        misc = "SpaceAfter=No" if place == len(words) else "_"
        lines.append("\t".join([str(place), form, lemma, kind, kind[:2], _FEATS.get(form, "_"), str(head), relation,
                                "_", misc]))  # fmt: skip
    return "\n".join(lines) + "\n\n"


def write_bank(sentences: int) -> str:
    return "".join(map(write_sentence, range(sentences)))


@functools.cache
def bank(sentences: int = 24) -> Corpus:
    return read(io.BytesIO(write_bank(sentences).encode()), "conllu")


@functools.cache
def tokenizer() -> LearnedTokenizer:
    return tagloom.train(bank(), system="tokenizer", epochs=16, cutoff=1)
