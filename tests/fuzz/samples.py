"""One small file per system and variant, in which everything occurs that a file can hold; and ways to use a model."""

from __future__ import annotations

import contextlib
import functools
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import tagloom
from tagloom.systems import Model, Progress
from tests.systems.tokenizer.toy import bank
from tests.treebank import treebank

ENTITIES = [
    (["Ada", "saw", "Bonn"], ["B-PER", "O", "B-LOC"]), (["in", "Bonn"], ["O", "B-LOC"]),
    (["Bonn", "saw", "Ada", "Ada"], ["B-LOC", "O", "B-PER", "I-PER"]), (["saw", "Ada"], ["O", "B-PER"]),
] * 2  # fmt: skip
PHRASES = [(["Ada", "saw", "Bonn"], [(0, 1, "PER"), (2, 3, "LOC")]), (["in", "Bonn"], [(1, 2, "LOC")])]
WAPITI = 'u:%x[0,0]\nu:%m[0,0,"^.?"]\n*:%x[-1,0]\nb\n'
_QUICK_LINE = {name: {"epochs": 1} for name in ("tokens", "upos", "xpos", "feats", "lemma", "trees")}


def pair_words(document: Any, labels: Sequence[str]) -> Iterator[str]:
    """A non-local feature."""
    yield f"{document.words[0]} {labels[0]}"


@functools.cache
def write_resources() -> dict[str, Path]:
    """Write small resources of all kinds."""
    folder = Path(tempfile.mkdtemp(prefix="tagloom-fuzz-"))
    texts = {"brown": "001\tAda\n010\tBonn\n", "lexicon": "Ada\nBonn\n", "category": "Aa01= Ada Bonn\nBb02# saw\n",
             "statistics": "AdasawBonn\ninBonn\n", "lowercased": "saw\nin\n", "functional": "in\n"}  # fmt: skip
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "gazetteer").mkdir()
    for name in ("places", "people"):
        (folder / "gazetteer" / name).write_text("Bonn\nAda Bonn\n", encoding="utf-8")
    return {name: folder / name for name in (*texts, "gazetteer")}


def _train(data: Any = ENTITIES, **options: Any) -> Model:
    return tagloom.train(data, **{"epochs": 2, **options})  # type: ignore[return-value]


def _train_resourceful() -> Model:
    templates = ("form[{-1..1}]\nbrown2[0]\ngazetteer[0]\nform[0] / edge\n/ edge\nlexicon_begin2[0]\n"
                 "lexicon_backward[0]\ncategory2[0]\ncategory_cut[0]\nav_left2[0]\nmi[0]\nlowercased[0]\n"
                 "word_type[0]\nprefix2[0]\n")  # fmt: skip
    return _train(templates=templates, resources=write_resources(), learner="averaged-perceptron", dev=ENTITIES)


def _rerank(method: str) -> Model:
    base = _train(templates="form[0]\nshape[0]\n/ edge\n")
    return tagloom.rerank(base, ENTITIES, dev=ENTITIES, method=method, folds=2, cutoff=1, candidates=4, jobs=1)  # type: ignore[arg-type]


#: Names of models -> how to train them.
MODELS: dict[str, Callable[[], Model]] = {
    "resources": _train_resourceful,
    "functions": lambda: _train(attributes={"size": len_feature}, templates="size[0]\nform[0]\n/ edge\n"),
    "hashed": lambda: _train(buckets=64, tag_dictionary=2, learner="sgd"),
    "batch": lambda: _train(learner="lbfgs", templates=WAPITI),
    "history": lambda: _train(learner="lookahead-perceptron", history=2, normalise="NFC"),
    "beam": lambda: _train(learner="beam-perceptron", direction="right-to-left"),
    "documents": lambda: _train(
        learner="nonlocal-perceptron", document_functions={"pair": pair_words}, n=4, C=10
    ),
    "second": lambda: _train(learner="reranking-2", n=4, C=10),
    "voted": lambda: _rerank("voted"),
    "boosting": lambda: _rerank("boosting"),
    "parser": lambda: _train(
        treebank(12), system="parser", templates="s0.form\ns0.tag s1.tag\ns0.brown\ns1.lc.relation\ndistance\n",
        tag_folds=2, resources={"brown": write_resources()["brown"]}, tagger={"templates": "form[0]", "epochs": 1},
    ),
    "phrases": lambda: _train(
        PHRASES, system="phrases", cutoff=1, degree=2, resources={"gazetteer": write_resources()["gazetteer"]},
        templates="form[0]\ngazetteer[0]\n",
    ),
    "tokenizer": lambda: _train(bank(), system="tokenizer", epochs=1),
    "pipeline": lambda: tagloom.train(bank(), system="pipeline", folds=2, feats="attributes", options=_QUICK_LINE),
}  # fmt: skip


def len_feature(word: str) -> dict[str, float]:
    """A real-valued attribute of the user."""
    return {"length": len(word) / 4}


FUNCTIONS = {"size": len_feature, "pair": pair_words}


@functools.cache
def build_model_file(name: str) -> bytes:
    """Train a model and return the bytes of its file."""
    return MODELS[name]().to_bytes()


def use_model(model: Any, folder: Path) -> None:
    """Use a model for everything that it can do."""
    words = ["Ada", "saw", "Bonn", "new"]
    text = "Ada saw Bonn. The dog doesn't bark."
    rows = [tuple(words[0] for _ in model.columns)] * 3
    uses: list[Callable[[], object]] = [
        lambda: repr(model), lambda: str(model.spec), lambda: str(model.spec.signature), lambda: model.spec.to_json(),
        lambda: model.columns, lambda: model.layers, lambda: model.sizes, lambda: model.describe(),
        lambda: str(model.describe().facts),
        lambda: model(text), lambda: model.annotate([rows, []]), lambda: model.explain(rows),
        lambda: model.evaluate(_gold(model)), lambda: model.save(folder / "saved"),
        lambda: tagloom.load(folder / "saved", functions=FUNCTIONS),
        lambda: model.nbest(rows, 3) if hasattr(model, "nbest") else None,
        lambda: model.marginals(rows) if hasattr(model, "marginals") else None,
        lambda: model.explain_choice(rows) if getattr(model, "reranker", None) else None,
        lambda: model.read_training_options(),
    ]  # fmt: skip
    for use in uses:
        try:
            use()
        except tagloom.TagloomError as error:
            assert "\n" not in str(error)  # noqa: PT017


def _gold(model: Any) -> Any:
    return model.annotate([[tuple("Ada" for _ in model.columns)] * 2])


# -- checkpoints -------------------------------------------------------------------------------------------------------


class _StopTraining(Exception):  # noqa: N818
    """Ends a training after a pass, so that its checkpoint stays."""


def _stop(progress: Progress) -> None:
    if progress.record is not None and progress.record.epoch == 2:
        raise _StopTraining


_LEARNERS = (
    "averaged-perceptron",
    "pa",
    "arow",
    "adf",
    "madf",
    "sgd-l1",
    "lbfgs",
    "maxent-gis",
    "lookahead-perceptron",
)
#: Names of trainings -> data and options.
TRAININGS: dict[str, tuple[Any, dict[str, Any]]] = {
    **{name: (ENTITIES, {"learner": name, "templates": "form[0]\nform[0] / edge\n/ edge\n"})
       for name in _LEARNERS},
    "documents": (ENTITIES, {"learner": "nonlocal-perceptron", "document_functions": {"pair": pair_words}, "n": 4}),
    "lists": (ENTITIES, {"learner": "reranking-1", "n": 4}),
    "second": (ENTITIES, {"learner": "reranking-2", "n": 4}),
    "parser": (treebank(8), {"system": "parser", "tags": "gold", "templates": "s0.form\ns0.tag s1.tag\n"}),
    "phrases": (PHRASES, {"system": "phrases", "cutoff": 1, "degree": 2}),
}  # fmt: skip


def run_training(name: str, path: Path, on_progress: Callable[[Progress], None] = lambda _: None) -> Any:
    """Run one of ``TRAININGS`` with a checkpoint."""
    data, options = TRAININGS[name]
    return tagloom.train(data, dev=data, epochs=4, checkpoint=path, on_progress=on_progress, **options)


@functools.cache
def build_checkpoint(name: str) -> bytes:
    """Return the bytes of a checkpoint after the second pass."""
    path = Path(tempfile.mkdtemp(prefix="tagloom-fuzz-")) / "checkpoint"
    with contextlib.suppress(_StopTraining):
        run_training(name, path, _stop)
    return path.read_bytes()
