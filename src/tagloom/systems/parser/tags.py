"""The tags that a parser reads: those of a column, or of a tagger that is trained beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tagloom.corpus import Corpus
from tagloom.corpus.trees import NOTHING
from tagloom.errors import ConfigError, DataError
from tagloom.systems.learning import Progress, Report
from tagloom.systems.parser.options import GOLD, ParserOptions
from tagloom.systems.tagger.jackknife import jackknife
from tagloom.systems.tagger.model import Model
from tagloom.systems.tagger.train import train

_TAG_COLUMNS = ("upos", "pos", "xpos")
#: The tagger of a parser, unless options say otherwise (chosen on the development data of UD English EWT).
_TAGGER = {"templates": "pos-affixes", "learner": "lookahead-perceptron", "depth": 2, "C": 40.0, "epochs": 15}


def tag_column(corpus: Corpus, options: ParserOptions) -> str:
    names = [name for name in _TAG_COLUMNS if name in corpus.columns] if options.tag is None else [options.tag]
    if not names:
        raise ConfigError(
            f"{corpus.source}: a parser needs a column of part-of-speech tags ({', '.join(_TAG_COLUMNS)}), found: "
            f"{' '.join(corpus.names)}; name it with tag"
        )
    found = next((name for name in names if _is_filled(corpus, name)), None)
    if found is None:
        raise DataError(f"{corpus.source}: {' and '.join(names)}: no tags, {NOTHING!r} only; name a column with tag")
    return found


def _is_filled(corpus: Corpus, name: str) -> bool:
    """Whether a column holds more than the sign for nothing."""
    column = corpus.column(name)
    return column.is_bag or bool(np.any(column.codes != column.strings.find(NOTHING)))


def with_read_tags(
    corpus: Corpus, dev: Corpus | None, tag: str, options: ParserOptions, report: Report
) -> tuple[Model | None, Corpus, Corpus | None]:
    """The tagger, and both corpora with the tags that the parser will see in use."""
    if options.tags == GOLD:
        return None, corpus, dev
    words = _words(corpus, tag)
    learning: dict[str, Any] = {
        **({} if "learner" in options.tagger else _TAGGER), "seed": options.seed, "attributes": options.attributes,
        "sentence_attributes": options.sentence_attributes, **options.tagger, "label": tag,
    }  # fmt: skip
    folds = min(options.folds_of_tags, len(words))
    report(Progress("tagging", f"tags: jackknifing the column {tag} in {folds} folds"))
    by = "sentences" if len(words.documents) - 1 < folds else None
    tags = jackknife(words, folds=folds, by=by, jobs=options.threads, on_progress=_finished_folds(report), **learning)
    tagger = train(words, on_progress=_whole_or_none, **learning)
    report(Progress("tagging", f"tags: {tags.score.value:.2f} of the training data's are right when jackknifed"))
    told = None if dev is None else dev.with_column(tag, tagger.tag_corpus(dev, options.threads))
    return tagger, corpus.with_column(tag, tags.tags), told


def _finished_folds(report: Report) -> Callable[[str | None, Progress], None]:
    def told(name: str | None, progress: Progress) -> None:
        if progress.phase == "finished":
            report(Progress("tagging", f"tags: {name}, {progress.message}", seconds=progress.seconds))

    return told


def _whole_or_none(progress: Progress) -> None:
    """Half a tagger is none: Ctrl-C ends the whole training."""
    if progress.phase == "interrupted":
        raise KeyboardInterrupt


def _words(corpus: Corpus, tag: str) -> Corpus:
    """Words and tags alone: no feature of the tagger can see a tree."""
    main = "form" if "form" in corpus.columns else corpus.names[0]
    if len(corpus) < 2:
        raise DataError(f"{corpus.source}: {len(corpus)} sentence, too few to predict tags; pass tags='gold'")
    columns = {name: corpus.column(name) for name in (main, tag)}
    return Corpus(columns, corpus.sentences, corpus.documents, corpus.has_documents, corpus.source)
