"""Checks that every system must pass.

Run them over a system of your own::

tagloom.testing.check_system("majority", corpus)
"""

from __future__ import annotations

import json
import pickle
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tagloom.corpus import Corpus
from tagloom.errors import ConfigError, ModelFileError
from tagloom.systems.base import CONFIDENCE, MARGINALS, NBEST, Model
from tagloom.systems.file import load
from tagloom.systems.options import list_options
from tagloom.systems.registry import get_system
from tagloom.systems.train import train


def check_system(name: str, corpus: Corpus, options: Mapping[str, Any] | None = None) -> None:
    """Check that a registered system keeps the contract.

    Args:
        name: Name of the system in the registry.
        corpus: A small corpus with gold columns that the system can learn from.
        options: Options of training that make it quick.

    Raises:
        AssertionError: The system breaks the contract; the message says which part.
    """
    chosen = dict(options or {})
    check_options(name)
    model = train(corpus, system=get_system(name), **chosen)
    checks = check_facts, check_annotation, check_text, check_capabilities, check_score, check_explanation, check_file
    for check in checks:
        check(model, corpus)
    check_determinism(name, corpus, chosen)
    check_checkpoint(name, corpus, chosen)


def check_options(name: str) -> None:
    """Check that every option has a help line, and that unknown names and bad values are refused."""
    options = get_system(name).load_options()
    for option in list_options(options).values():
        _require(bool(option.row.help), f"option {option.name} has no help line")
    _require_refusal(lambda: options.parse({"no_such_option": 1}), "an unknown option")
    _require_refusal(lambda: options.parse({"seed": -1}), "a negative seed")
    _require(options.parse({}).most_epochs >= 1, "most_epochs must be 1 or more")


def check_facts(model: Model, corpus: Corpus) -> None:
    """Check what a model tells about itself."""
    _require(model.system == model.spec.system, "the system of the model and that of its spec differ")
    _require(model.main in model.reads.columns, "the column of the words is not among those that the model reads")
    _require(set(model.columns) <= set(corpus.names), "the model reads columns that the corpus does not have")
    # A model that cuts text makes tokens. It adds nothing to tokens that are there.
    _require(bool(model.layers) or model.is_tokenizer, "the model adds no layer")
    description = model.describe()
    _require(bool(description.facts) and bool(description.sizes), "describe() tells no facts or no sizes")
    json.dumps(dict(description.details))
    _require(len(repr(model).splitlines()) == 1, "repr() is not one line")


def check_annotation(model: Model, corpus: Corpus) -> None:
    """Check that annotate adds the layers, for any number of threads, also without gold columns."""
    annotated = model.annotate(corpus)
    for layer in model.layers:
        column = annotated.column(layer.column)
        _require(len(column) == corpus.token_count, f"column {layer.column} does not have one value per token")
        again = model.annotate(corpus, threads=2).column(layer.column)
        _require(column.texts() == again.texts(), "threads change the result")
        bare = Corpus(
            {name: corpus.column(name) for name in model.columns}, corpus.sentences, corpus.documents,
            corpus.has_documents, corpus.source,
        )  # fmt: skip
        _require(model.annotate(bare).column(layer.column).texts() == column.texts(), "gold columns change the result")
    _require(model.annotate(corpus).column(model.main).texts() == corpus.column(model.main).texts(), "words change")
    _require_refusal(lambda: model.annotate(corpus, threads=0), "threads=0")
    _require_refusal(lambda: model.annotate(corpus, no_such_search=1), "an unknown option of the search")


def check_text(model: Model, corpus: Corpus) -> None:
    """Check that text becomes tokens at their places, with the layers of the model, if words are all that it reads."""
    if model.columns != (model.main,):
        return  # it needs columns that text does not have
    text = " ".join(corpus.sentence(0, model.main)) + "\n\n" + " ".join(corpus.sentence(1, model.main))
    annotation = model(text)
    _require(annotation.text == text, "the text of an annotation is not the text that came in")
    places = [(token.start, token.end) for token in annotation.tokens]
    covered = "".join(text[start:end] for start, end in dict.fromkeys(places))
    _require("".join(covered.split()) == "".join(text.split()), "tokens do not cover the text")
    for layer in model.layers:
        _require(layer.column in annotation.columns, f"an annotation has no {layer.column}")
    _require(not model("").tokens and not model(" \n ").tokens, "blank text has tokens")
    piped = list(model.pipe(iter([text, "", text])))
    _require([len(each.tokens) for each in piped] == [len(places), 0, len(places)], "pipe() does not keep the order")


def check_capabilities(model: Any, corpus: Corpus) -> None:
    """Check that the model keeps what its capabilities promise: probabilities of labels, and lists of the n best."""
    if CONFIDENCE in model.capabilities and model.has_probabilities:
        labels, sure = model.confidences(corpus)
        _require(len(labels) == len(sure) == corpus.token_count, "confidences do not have one value per token")
        _require(bool(((sure >= 0) & (sure <= 1)).all()), "confidences are not from 0 to 1")
    if MARGINALS in model.capabilities and model.has_probabilities:
        found = model.marginals_corpus(corpus)
        _require(found.shape == (corpus.token_count, len(model.labels)), "marginals do not have one value per label")
    if NBEST in model.capabilities:
        lists = model.nbest_corpus(corpus, 2)
        _require(all(0 < len(each) <= 2 for each in lists), "nbest_corpus(..., 2) finds no labelling, or more than 2")
        _require(all(each[0].score >= each[-1].score for each in lists), "the n best are not the best first")


def check_score(model: Model, corpus: Corpus) -> None:
    """Check that evaluate gives a signed score."""
    score = model.evaluate(corpus)
    _require(0 <= score.value <= 100, "a score is not in percent")
    _require(score.signature is not None and model.system in str(score.signature), "the score has no signature")


def check_explanation(model: Model, corpus: Corpus) -> None:
    """Check that explain gives tables and plain values."""
    columns = [corpus.sentence(0, name) for name in model.columns]
    tokens: list[object] = list(columns[0]) if len(columns) == 1 else list(zip(*columns))
    explanation = model.explain(tokens)
    _require(bool(explanation.to_parts()), "an explanation has no tables")
    json.dumps(explanation.to_dict())
    _require(bool(model.explain_line(tokens)), "explain_line() explains nothing")
    decisions = explanation.list_decisions(2)
    _require(bool(decisions), "an explanation has no decisions")
    for decision in decisions:
        _require(0 <= decision.first < decision.last, "a decision is about no token")
        _require(len(decision.features) <= 2, "a decision has more features than were asked for")


def check_file(model: Model, corpus: Corpus) -> None:
    """Check that a saved model comes back the same, and that a damaged file is refused."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        model.save(path)
        again: Model = load(path, system=model.system)
        _require(again.to_bytes() == path.read_bytes(), "a loaded model is saved in other bytes")
        _require(pickle.loads(pickle.dumps(model)).to_bytes() == path.read_bytes(), "a pickled model has other bytes")
        _require(again.spec == model.spec, "a loaded model has another spec")
        for layer in model.layers:
            found = [each.annotate(corpus).column(layer.column).texts() for each in (model, again)]
            _require(found[0] == found[1], "a loaded model gives other results")
        if model.segments_text:  # what it makes are tokens
            text = " ".join(corpus.sentence(0, model.main))
            places = [[(token.start, token.end) for token in each(text).tokens] for each in (model, again)]
            _require(places[0] == places[1], "a loaded model cuts text otherwise")
        data = bytearray(path.read_bytes())
        data[-1] ^= 1
        path.write_bytes(data)
        _require_refusal(lambda: load(path), "a damaged file", ModelFileError)


def check_determinism(name: str, corpus: Corpus, options: Mapping[str, Any]) -> None:
    """Check that the same seed and data give byte-identical models, for any number of threads."""
    row = get_system(name)
    one, two = (train(corpus, system=row, **{**options, "threads": threads}).to_bytes() for threads in (1, 2))
    _require(one == two, "the same training gave other bytes")


def check_checkpoint(name: str, corpus: Corpus, options: Mapping[str, Any]) -> None:
    """Check that a training continues from its checkpoint to byte-identical results."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "checkpoint"
        first = train(corpus, system=get_system(name), checkpoint=path, keep_checkpoint=True, **options).to_bytes()
        second = train(corpus, system=get_system(name), checkpoint=path, **options).to_bytes()
        _require(first == second, "a training from a checkpoint gave other bytes")
        _require(not path.exists(), "the checkpoint is still there after the training")


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise AssertionError(message)


def _require_refusal(call: Callable[[], object], what: str, kind: type[Exception] = ConfigError) -> None:
    try:
        call()
    except kind as error:
        _require(len(str(error).splitlines()) == 1, f"the message about {what} is not one line")
    else:
        raise AssertionError(f"{what} is accepted")
