"""English newswire-like documents made by rule, of any number, for demos, property tests and scaling runs.

Names recur within a document and keep their type there; the same name has another type in other documents. Some
mentions stand where the context tells the type (``Mr. Jordan said``, ``in Jordan``, ``shares of Jordan``), others
where it does not (``Jordan rose 3 percent on Monday``), so that a model which looks at the whole document has more to
go by than one which looks at the sentence (Kazama and Torisawa 2007, section 5: phrase, sub-phrase and conjunction
consistency).
"""

from __future__ import annotations

import functools
import hashlib
import importlib.resources
from collections.abc import Iterator
from random import Random

from tagloom.arguments import check_arguments
from tagloom.corpus import Corpus
from tagloom.datasets.cast import Cast, Entity
from tagloom.datasets.draft import Draft
from tagloom.datasets.grammar import Category, parse_grammar
from tagloom.datasets.lexicon import Draw, Lexicon
from tagloom.datasets.split import Split
from tagloom.errors import ConfigError

_TOPICS = ("markets", "politics", "sport")
_MOST_DOCUMENTS = 10_000_000  # a billion tokens and more
_LENGTHS = range(5, 41)  # tokens per sentence


@check_arguments
def newswire(documents: int = 200, seed: int = 1, *, ambiguity: float = 0.5) -> Corpus:
    """Make documents with the columns form, pos (Penn tags), chunk and ner (IOB2), head (0: root).

    ``ambiguity`` is the share of a document's recurring names that do not show their type. Document k depends on
    the seed, on k and on ``ambiguity``, not on the number of documents.

    >>> corpus = newswire(3, seed=7)
    >>> corpus.names, corpus.has_documents, len(list(corpus.document_spans()))
    (['form', 'pos', 'chunk', 'ner', 'head'], True, 3)
    """
    if not 1 <= documents <= _MOST_DOCUMENTS:
        raise ConfigError(f"documents: expected 1 to {_MOST_DOCUMENTS:,}, got {documents}")
    if not 0.0 <= ambiguity <= 1.0:
        raise ConfigError(f"ambiguity: expected a number from 0 to 1, got {ambiguity}")
    made = [list(_document(_generator(seed, number), ambiguity)) for number in range(documents)]
    sentences = [sentence for document in made for sentence in document]
    return Corpus.from_columns(
        {
            "form": [form for sentence in sentences for form in sentence.forms],
            "pos": [tag for sentence in sentences for tag in sentence.tags],
            "chunk": [chunk for sentence in sentences for chunk in sentence.chunks],
            "ner": [label for sentence in sentences for label in sentence.labels],
            "head": [str(head + 1) for sentence in sentences for head in sentence.heads],
        },
        lengths=[len(sentence.forms) for sentence in sentences],
        documents=[len(document) for document in made],
        source=f"newswire(seed={seed})",
    )


@check_arguments
def newswire_split(documents: int = 200, seed: int = 1, *, ambiguity: float = 0.5) -> Split:
    """Newswire documents in three parts: 80, 10 and 10 percent of the documents.

    >>> split = newswire_split(10)
    >>> [len(list(part.document_spans())) for part in (split.train, split.dev, split.test)]
    [8, 1, 1]
    """
    if documents < 3:
        raise ConfigError(f"documents: expected 3 or more to split, got {documents}")
    corpus = newswire(documents, seed, ambiguity=ambiguity)
    held_out = max(1, documents // 10)
    dev, test = corpus.documents[[-1 - 2 * held_out, -1 - held_out]].tolist()
    return Split.at(corpus, dev, test)


@functools.cache
def _load_rules() -> tuple[Lexicon, dict[str, Category]]:
    data = importlib.resources.files("tagloom.datasets") / "data"
    lexicon = Lexicon.parse((data / "newswire.lexicon").read_text(encoding="utf-8"))
    return lexicon, parse_grammar((data / "newswire.grammar").read_text(encoding="utf-8"), lexicon)


def _generator(seed: int, number: int) -> Draw:
    digest = hashlib.blake2b(f"{seed} {number}".encode(), digest_size=8).digest()
    return Random(int.from_bytes(digest, "big")).random


def _document(draw: Draw, ambiguity: float) -> Iterator[Draft]:
    """A headline; then, in any order, a sentence that introduces each member of the cast and sentences on the topic."""
    cast = Cast(_load_rules()[0], draw, ambiguity)
    topic = _TOPICS[int(len(_TOPICS) * draw())]
    introductions = [(f"ABOUT.{member.label}", member) for member in cast.members]
    body: list[tuple[str, Entity | None]] = [*introductions, *[(f"BODY.{topic}", None)] * (6 + int(16 * draw()))]
    yield _sentence(f"HEADLINE.{topic}", cast, draw)
    for category, subject in sorted(body, key=lambda _: draw()):
        yield _sentence(category, cast, draw, subject)


def _sentence(category: str, cast: Cast, draw: Draw, subject: Entity | None = None) -> Draft:
    """Derive until the length fits."""
    lexicon, grammar = _load_rules()
    while True:
        draft = Draft(lexicon, cast, draw, subject)
        grammar[category](draft)
        if len(draft.forms) in _LENGTHS:
            draft.spell()
            return draft
