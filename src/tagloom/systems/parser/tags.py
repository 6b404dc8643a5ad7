"""The tags that a parser reads: those of a column, or those of a tagger that is trained with it."""

from __future__ import annotations

from typing import Any

import numpy as np

from tagloom.corpus import Corpus
from tagloom.corpus.trees import NOTHING
from tagloom.errors import ConfigError, DataError
from tagloom.evaluate import score
from tagloom.systems.jackknife import DOCUMENTS, SENTENCES, build_procedure, cut_into_folds, join_columns, run_folds
from tagloom.systems.learning import Progress, Report
from tagloom.systems.parallel import count_jobs
from tagloom.systems.parser.options import ParserOptions
from tagloom.systems.parser.spec import GOLD
from tagloom.systems.tagger.model import Tagger
from tagloom.systems.train import train

_FOLDS = 10
_TAG_COLUMNS = ("upos", "pos", "xpos")
#: The tagger of a parser, unless options say otherwise (chosen on the development data of UD English EWT).
_TAGGER = {"templates": "pos-affixes", "learner": "lookahead-perceptron", "depth": 2, "C": 40.0, "epochs": 15}


def find_tag_column(corpus: Corpus, options: ParserOptions) -> str:
    """Find the column of the tags."""
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
    """Tell whether a column holds more than placeholders."""
    column = corpus.column(name)
    return column.is_bag or bool(np.any(column.codes != column.strings.find(NOTHING)))


def predict_tags(corpus: Corpus, tag: str, options: ParserOptions, report: Report) -> tuple[Tagger | None, Corpus]:
    """Train the tagger of a parser; return it, and the corpus with the tags that a parser will see in use."""
    if options.tags == GOLD:
        return None, corpus
    words = _words(corpus, tag)
    learning: dict[str, Any] = {
        **({} if "learner" in options.tagger else _TAGGER), "seed": options.seed, "attributes": options.attributes,
        "sentence_attributes": options.sentence_attributes, **options.tagger, "label": tag,
    }  # fmt: skip
    folds = min(options.tag_folds or _FOLDS, len(words))
    report(Progress("tagging", f"tags: jackknifing the column {tag} in {folds} folds"))
    by = DOCUMENTS if words.has_documents and len(words.documents) - 1 >= folds else SENTENCES
    parts = cut_into_folds(words, folds, by, learning["seed"])
    jobs = count_jobs(options.threads, learning.get("threads", 1), len(parts))
    procedure = build_procedure("tagger", (), learning, {})

    def report_fold(name: str | None, progress: Progress) -> None:
        if progress.phase == "finished":
            report(Progress("tagging", f"tags: {name}, {progress.message}", seconds=progress.seconds))

    found = run_folds(words, parts, procedure, jobs=jobs, on_progress=report_fold)
    tags = join_columns(words, found)[tag]
    tagger: Tagger = train(words, on_progress=_raise_interrupt, **learning)
    right = score(words.column(tag), tags, words.sentences).value
    report(Progress("tagging", f"tags: {right:.2f} of the training data's are right when jackknifed"))
    return tagger, corpus.with_column(tag, tags)


def _raise_interrupt(progress: Progress) -> None:
    """End the whole training on Ctrl-C: a parser needs a tagger that was trained to its end."""
    if progress.phase == "interrupted":
        raise KeyboardInterrupt


def _words(corpus: Corpus, tag: str) -> Corpus:
    """Select words and tags, so that no feature of the tagger can see a tree."""
    main = "form" if "form" in corpus.columns else corpus.names[0]
    if len(corpus) < 2:
        raise DataError(f"{corpus.source}: {len(corpus)} sentence, too few to predict tags; pass tags='gold'")
    columns = {name: corpus.column(name) for name in (main, tag)}
    return Corpus(columns, corpus.sentences, corpus.documents, corpus.has_documents, corpus.source)
