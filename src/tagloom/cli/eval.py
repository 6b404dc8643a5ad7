"""``tagloom eval``: scores of a model on a file, of one file against another, or of two columns of one file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any

import numpy as np

from tagloom import evaluate as scoring
from tagloom._version import __version__
from tagloom.cli.console import build_warning, hide_controls, log, put, put_json
from tagloom.cli.inputs import is_model_file, note_undivided, prefer_columns
from tagloom.cli.options import read_search
from tagloom.cli.parameters import Columns, Format, Json, Normalise, Threads, argument, flag, option, select_given
from tagloom.cli.progress import Clock
from tagloom.corpus import Column, Corpus, Trees, read_trees
from tagloom.corpus.layers import HEADS
from tagloom.corpus.trees import HEAD, RELATION
from tagloom.errors import ConfigError, DataError
from tagloom.evaluate import Score
from tagloom.evaluate.attachment import UNIVERSAL
from tagloom.evaluate.punctuation import find_punctuation, guess_punctuation
from tagloom.evaluate.treebank import has_trees
from tagloom.systems.base import TEXT, Model
from tagloom.systems.file import load
from tagloom.systems.inputs import Input
from tagloom.systems.text import score_text


def evaluate(
    first: Annotated[str, argument("GOLD|MODEL", "Corpus or model.")],
    second: Annotated[
        str | None, argument("PRED|FILE", "Corpus with predicted labels, or, after a model, with gold labels.")
    ] = None,
    rule: Annotated[
        str | None,
        option(
            "NAME",
            "conlleval: spans as conlleval reads them; strict: only well-formed spans; accuracy: labels only. "
            "Default: conlleval.",
        ),
    ] = None,
    label: Annotated[
        str | None, option("NAME", "Column of the labels. Default: that of the model, or the last one.")
    ] = None,
    scheme: Annotated[str | None, option("NAME", "Label scheme of GOLD, such as IOB1. Default: detected.")] = None,
    format_name: Format = None,
    columns: Columns = None,
    normalise: Normalise = None,
    bootstrap: Annotated[int, option("N", "Confidence interval at 95 % from N samples, such as 1000.", min=0)] = 0,
    compare: Annotated[
        str | None, option("PRED2", "Another corpus or model, to test whether the difference is significant.")
    ] = None,
    threads: Threads = 1,
    conlleval: Annotated[bool, flag("--conlleval", "Print what conlleval.pl prints.")] = False,
    trees: Annotated[
        bool, flag("--trees", "Score heads and relations: columns head and deprel. Implied by a parser.")
    ] = False,
    punctuation: Annotated[
        str | None,
        option(
            "RULE",
            "Trees only. Leave punctuation out: upos, penn (tags), penn-brackets or unicode (as CoNLL-X). "
            "Default: all tokens count.",
        ),
    ] = None,
    universal: Annotated[
        bool, flag("--universal", "Trees only. Compare relations without subtypes (nsubj:pass as nsubj).")
    ] = False,
    text: Annotated[
        bool,
        flag(
            "--text",
            "Score what is made of raw text; tokens and sentences may differ. The scores of CoNLL 2018. Implied by "
            "tokenizers and pipelines.",
        ),
    ] = False,
    json: Json = False,
    **given: Any,
) -> None:
    """Score predicted labels, trees, or treebanks made from raw text.

    A model and a corpus: the model tags, or parses, the corpus.
    Two corpora with the same tokens: their labels are compared.
    One corpus: its last two columns are gold and predicted labels.
    With --trees, two corpora: the heads and relations of their words.
    With --text, two treebanks: also their tokens, sentences, tags and lemmas;
    or a model and a treebank, from whose text the model makes another.

    \b
    Examples:
      tagloom eval model.tagloom test.txt
      tagloom eval test.txt tagged.txt --bootstrap 1000
      tagloom eval test.txt system1.txt --compare system2.txt
      tagloom tag model.tagloom test.txt | tagloom eval - --conlleval
      tagloom eval gold.conllu parsed.conllu --trees
      tagloom eval en.parser test.conllu --compare other.parser
      tagloom eval gold.conllu from_raw_text.conllu --text
      tagloom eval en.pipeline test.conllu
    """
    request = _Request(format_name, columns, normalise, threads, given)
    models = [request.open_model(path) for path in (first, second, compare) if path is not None and is_model_file(path)]
    if text or any(TEXT in model.capabilities for model in models):
        _refuse("has no place beside --text; leave it out", rule=rule, label=label, scheme=scheme,
                trees=trees or None, punctuation=punctuation, universal=universal or None)  # fmt: skip
        scorer: _Scorer = _TextScorer(request)
    elif trees or any(map(_writes_trees, models)):
        _refuse("is for labels, trees have none; leave it out", rule=rule, label=label, scheme=scheme)
        scorer = _TreeScorer(request, punctuation, universal)
    else:
        _refuse("is for trees; add --trees, or leave it out", punctuation=punctuation, universal=universal or None)
        scorer = _LabelScorer(request, rule, label, scheme)
    gold, system = request.find_roles(first, second)
    score = _score(scorer, gold, system)
    interval = scoring.bootstrap(score.counts_of(score.metric), score.metric, bootstrap) if bootstrap else None
    rival = _compare(scorer, gold, compare, score) if compare else None
    if conlleval and score.kind != "spans":
        raise ConfigError(f"--conlleval is for spans, these labels are scored as {score.kind}; leave it out")
    log(*request.notes)
    if not json:
        texts = [scoring.format_conlleval(score)] if conlleval else [score, interval, rival]
        put(hide_controls("\n".join(map(str, filter(None, texts)))))
        return
    report = {"files": [name for name in (first, second) if name], **score.to_dict()}
    if interval is not None:
        report["interval"] = asdict(interval)
    if rival is not None:
        report["comparison"] = {**asdict(rival), "difference": rival.difference}
    put_json({**report, "seconds": request.clock.seconds()})


def _refuse(reason: str, **options: object) -> None:
    """Refuse options that were given where they make no sense."""
    for name in select_given(**options):
        raise ConfigError(f"--{name} {reason}")


def _writes_trees(model: Model) -> bool:
    return any(layer.kind == HEADS for layer in model.layers)


def _score(scorer: _Scorer, gold: str, system: str | None) -> Score:
    """Score a model, a file, or two columns of the gold file."""
    if system is None:
        return scorer.score_columns(gold)
    if not is_model_file(system):
        return scorer.score_file(gold, system)
    if scorer.request.normalise is not None:
        raise ConfigError("--normalise is for two files, a model has a normal form of its own; leave it out")
    return scorer.score_model(gold, system, scorer.request.open_model(system))


def _compare(scorer: _Scorer, gold: str, path: str, score: Score) -> scoring.Significance:
    other = _score(scorer, gold, path)
    heads_alone = {score.metric, other.metric} == {"las", "uas"}  # one of two parsers has no relations
    return scoring.compare(score, other, metric="uas" if heads_alone else None)


# -- scoring -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Request:
    """What the user said about files and models; each is opened once, because stdin can be read only once."""

    format: str | None
    columns: str | None
    normalise: str | None
    threads: int
    search: Mapping[str, str]
    clock: Clock = field(default_factory=Clock)
    notes: list[str] = field(default_factory=list)  # notes about files and models
    _models: dict[str, Any] = field(default_factory=dict)
    _inputs: dict[str, Input] = field(default_factory=dict)

    def open_model(self, path: str) -> Any:
        if path not in self._models:
            with self.clock.phase("load"):
                self._models[path] = prefer_columns(load(path), self.columns, self.notes)
        return self._models[path]

    def read(self, path: str, model: Model | None = None, *, gold: bool = False) -> Corpus:
        """Read a gold file, for a model if there is one."""
        if path not in self._inputs:
            self._inputs[path] = Input(path, self.format, self.columns, self.notes, self.normalise)
        with self.clock.phase("read"):
            return self._inputs[path].read(model, gold=gold)

    def read_predicted(self, path: str) -> Corpus:
        """Read a file with predictions; the columns that the user named are those of the gold file."""
        with self.clock.phase("read"):
            return Input(path, self.format, None, self.notes, self.normalise).read()

    def find_roles(self, first: str, second: str | None) -> tuple[str, str | None]:
        """Find the gold file, and the file or model to score; None stands for two columns of the gold file."""
        if not is_model_file(first):
            if second is None or not is_model_file(second):
                for name in self.search:
                    raise ConfigError(f"--{name}: no model tags here; leave it out")
            return first, second
        if second is None:
            raise ConfigError(f"{first} is a model; pass the corpus to score it on, too")
        return second, first

    def evaluate(self, model: Model, path: str, corpus: Corpus, **options: Any) -> Score:
        """Score a model on a gold corpus, with notes about the corpus."""
        self.notes.extend(note_undivided(model, corpus.source, has_documents=corpus.has_documents))
        self.notes.extend(map(build_warning, model.check_labels(corpus)))
        search = read_search(self.search, model, path)
        with self.clock.phase("evaluate"):
            return model.evaluate(corpus, threads=self.threads, **options, **search)

    def sign(self, score: Score, gold: Corpus) -> Score:
        """Add the signature of a score that no model of ours has made."""
        return score.with_signature(scoring.Signature(data=gold.checksum(), version=__version__))


@dataclass(frozen=True)
class _LabelScorer:
    """Scores labels of models and files against gold files."""

    request: _Request
    rule: str | None
    label: str | None
    scheme: str | None

    def score_model(self, gold: str, path: str, model: Model) -> Score:
        if self.scheme is not None:
            raise ConfigError("--scheme: a model knows the scheme of its labels; leave it out")
        corpus = self.request.read(gold, model, gold=self.label is None)
        if self.label is not None:
            corpus = corpus.with_column(model.reads.gold[0], corpus.column(self.label))
        return self.request.evaluate(model, path, corpus, **select_given(rule=self.rule))

    def score_file(self, gold: str, path: str) -> Score:
        truth, predicted = self.request.read(gold), self.request.read_predicted(path)
        _require_equal_tokens(truth, predicted)
        label = self.label or truth.label
        return self._score(truth, truth.column(label), _find_predicted(predicted, truth, label))

    def score_columns(self, gold: str) -> Score:
        """Score the last column against the one before it."""
        corpus = self.request.read(gold)
        if len(corpus.names) < 2:
            raise DataError(f"{corpus.source}: one column, expected gold and predicted labels as the last two")
        truth, predicted = corpus.column(self.label or corpus.names[-2]), corpus.column(corpus.names[-1])
        used = [{each.strings[code] for code in np.unique(each.codes).tolist()} for each in (truth, predicted)]
        if not used[0] & used[1]:
            raise DataError(
                f"{corpus.source}: the last two columns have no label in common, expected gold and predicted labels; "
                "pass the file with the predicted labels, too"
            )
        return self._score(corpus, truth, predicted)

    def _score(self, corpus: Corpus, gold: Column, predicted: Column) -> Score:
        with self.request.clock.phase("evaluate"):
            found = scoring.score(gold, predicted, corpus.sentences, scheme=self.scheme, **select_given(rule=self.rule))
            return self.request.sign(found, corpus)


def _find_predicted(predicted: Corpus, gold: Corpus, label: str) -> Column:
    """Find the column in the place of gold's labels; with more columns than gold has, the last: taggers append it."""
    if len(predicted.names) == len(gold.names):
        return predicted.rename(gold.names).column(label)
    return predicted.column(predicted.label)


@dataclass(frozen=True)
class _TreeScorer:
    """Scores heads and relations of models and files against gold files."""

    request: _Request
    punctuation: str | None
    universal: bool

    @property
    def _options(self) -> dict[str, Any]:
        left_out = None if self.punctuation is None else True
        return select_given(leave_out=left_out, relations=UNIVERSAL if self.universal else None)

    def score_columns(self, gold: str) -> Score:
        raise ConfigError("--trees needs two files; pass the one with the predicted trees, too")

    def score_model(self, gold: str, path: str, model: Model) -> Score:
        if not _writes_trees(model):
            raise ConfigError(
                f"{path}: a {model.noun} makes no trees; name a parser or a file with trees, or score labels"
            )
        corpus = self.request.read(gold, model, gold=True)
        return self.request.evaluate(model, path, corpus, **select_given(punctuation=self.punctuation), **self._options)

    def score_file(self, gold: str, path: str) -> Score:
        corpus, predicted = self.request.read(gold), self.request.read_predicted(path)
        truth = read_trees(corpus)
        predicted = _rename_like(predicted, corpus, truth)
        _require_equal_tokens(corpus, predicted)
        guess = read_trees(predicted, strict=False)
        self._note_lacks(predicted, truth, guess)
        with self.request.clock.phase("evaluate"):
            apart = find_punctuation(corpus, self.punctuation) if self.punctuation else guess_punctuation(corpus)
            return self.request.sign(scoring.score_trees(truth, guess, punctuation=apart, **self._options), corpus)

    def _note_lacks(self, predicted: Corpus, truth: Trees, guess: Trees) -> None:
        others = int((~guess.are_trees()).sum())
        notes = []
        if others:
            notes.append(f"{others} of {len(guess)} sentences are not trees with one root; they are scored as they are")
        if truth.relations is not None and guess.relations is None:
            notes.append("there are no relations, so only heads are scored")
        self.request.notes.extend(build_warning(f"{predicted.source}: {note}") for note in notes)


@dataclass(frozen=True)
class _TextScorer:
    """Scores treebanks that were made from raw text."""

    request: _Request

    def score_columns(self, gold: str) -> Score:
        """Refuse one file."""
        raise ConfigError("--text needs two treebanks; pass the one that was made from the text, too")

    def score_model(self, gold: str, path: str, model: Model) -> Score:
        """Score what a model makes of the text of a treebank."""
        corpus = self.request.read(gold)
        if "misc" not in corpus.columns:
            note = "no CoNLL-U, so the words of its text are taken as separated by blanks"
            self.request.notes.append(f"{corpus.source}: {note}")
        search: dict[str, Any] = read_search(self.request.search, model, path)
        with self.request.clock.phase("evaluate"):
            return score_text(model, corpus, threads=self.request.threads, **search)

    def score_file(self, gold: str, path: str) -> Score:
        """Score a treebank against gold."""
        corpora = self.request.read(gold), self.request.read_predicted(path)
        with self.request.clock.phase("evaluate"):
            return self.request.sign(self._score(*corpora), corpora[0])

    def _score(self, gold: Corpus, predicted: Corpus) -> Score:
        found = scoring.score_treebank(gold, predicted)
        if not isinstance(found, scoring.TreebankScore):
            lacking = next(corpus.source for corpus in (predicted, gold) if not has_trees(corpus))
            self.request.notes.append(build_warning(f"{lacking}: there are no heads, so trees are not scored"))
        return found


_Scorer = _LabelScorer | _TreeScorer | _TextScorer


def _rename_like(predicted: Corpus, gold: Corpus, truth: Trees) -> Corpus:
    """Name predicted columns as those of gold; with more columns than gold has, the last: parsers append them."""
    if len(predicted.names) == len(gold.names):
        return predicted.rename(gold.names)
    if len(predicted.names) < len(gold.names) or HEAD in predicted.columns:
        return predicted
    last = [HEAD] if truth.relations is None else [HEAD, RELATION]
    return predicted.rename([*predicted.names[: -len(last)], *last])


def _require_equal_tokens(gold: Corpus, predicted: Corpus) -> None:
    """Refuse two corpora that do not have the same words in the same sentences."""
    if len(gold) != len(predicted):
        raise DataError(f"{predicted.source}: {len(predicted)} sentences, but {gold.source} has {len(gold)}")
    differing = np.flatnonzero(np.diff(gold.sentences) != np.diff(predicted.sentences))
    if len(differing):
        number = int(differing[0])
        lengths = [int(np.diff(corpus.span(number))[0]) for corpus in (predicted, gold)]
        raise DataError(
            f"{predicted.source}: sentence {number + 1} has {lengths[0]} tokens, but {lengths[1]} in {gold.source}"
        )
    words = [_list_words(corpus) for corpus in (gold, predicted)]
    for token, (expected, found) in enumerate(zip(*words)):
        if expected != found:
            sentence = int(np.searchsorted(gold.sentences, token, side="right"))
            raise DataError(
                f"{predicted.source}: sentence {sentence}: token {found!r}, but {expected!r} in {gold.source}"
            )


def _list_words(corpus: Corpus) -> list[str]:
    column = corpus.columns.get("form", corpus.columns[corpus.names[0]])
    return [] if column.is_bag else column.texts()
