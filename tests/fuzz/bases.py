"""Small models of every system and variant, and checkpoints of every learner, which forged files begin from."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import tagloom
from tagloom.corpus import Corpus, read
from tagloom.learners import LEARNERS
from tagloom.systems.base import Model
from tests.systems.tokenizer.toy import bank

TAGGED = [
    (["the", "dog", "barks"], ["DT", "NN", "VB"]),
    (["a", "cat"], ["DT", "NN"]),
    (["dogs", "bark", "here"], ["NN", "VB", "RB"]),
]
ENTITIES = "Ada NNP B-PER\nLee NNP I-PER\nsaw VBD O\nBonn NNP B-LOC\n\nin IN O\nBonn NNP B-LOC\n\nAda NNP B-PER\n\n"
DOCUMENTS = f"-DOCSTART- -X- O\n\n{ENTITIES}-DOCSTART- -X- O\n\n{ENTITIES}"
LEMMAS = "dogs NN dog\nbark VB bark\n\ncats NN cat\nbarked VB bark\n\n"
ITEMS = "N\tw=dog\tlength:0.5\nV\tw=barks\n\nN\tw=cat:2\nV\tw=sleeps\tlast\n"
#: Resources of all kinds, and templates that read them.
LISTS = {
    "gazetteer": "Ada Lee\nBonn\n", "brown": "0010\tAda\t3\n0111\tBonn\t2\n", "lexicon": "Ada\nBonn\n",
    "category": "Aa01= Ada Bonn\nBb02# saw\n", "statistics": "AdasawBonn\ninBonn\n", "lowercased": "saw\nin\n",
    "functional": "in\n", "vectors": "Ada 1 0.5\nBonn -0.5 0\n",
    "casing": "Ada saw Bonn in Bonn\n", "brown:web": "01\tsaw\n", "gazetteer_folded": "Ada Lee\n",
}  # fmt: skip
LOOKUPS = (
    "gazetteer[0]\nbrown4[0]\nform[0]\nlexicon_begin2[0]\nlexicon_backward[0]\ncategory2[0]\ncategory_cut[0]\n"
    "av_left2[0]\nmi[0]\nlowercased[0]\nword_type[0]\nvector[0]\ncasing[0]\nbrown_folded2:web[0]\ngazetteer_folded[0]\n"
)
WAPITI = 'u:%x[0,0]\nu:%m[0,0,"^.?"]\n*:%x[-1,0]\nb\n'
STATES = "s0.form\ns0.tag q0.tag\ns1.lc.tag\ndistance\n"
EDGES = "form[{-1..1}]\nsuffix2[0] length[0]\npos[0] / edge\n/ edge\n"


def measure(word: str) -> dict[str, float]:
    """A real-valued attribute of a word, as users write them."""
    return {"size": len(word) / 4}


def pair_words(document: Any, labels: Sequence[str]) -> Iterator[str]:
    """A feature of whole documents, as users write them."""
    yield f"{document.words[0]} {labels[0]}"


#: Name of the file of a training that is continued; models that are trained first stand in a folder beside it.
CHECKPOINT = "checkpoint"
#: Functions that some bases are trained with, as ``load`` takes them.
FUNCTIONS: dict[str, Callable[..., object]] = {"measure": measure, "pair": pair_words}


@cache
def read_columns(text: str, columns: str) -> Corpus:
    """Read a small corpus of columns."""
    return read(io.StringIO(text), "conll", columns=columns)


def _entities(**options: Any) -> Model:
    return tagloom.train(read_columns(ENTITIES, "form pos ner"), **{"epochs": 2, "templates": EDGES, **options})


def _documents(**options: Any) -> Model:
    return tagloom.train(read_columns(DOCUMENTS, "form pos ner"), **{"epochs": 1, "templates": EDGES, **options})


def _with_lists() -> Model:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in LISTS.items():
            (Path(folder) / name).write_text(text)
        return _entities(templates=LOOKUPS, resources={name: Path(folder) / name for name in LISTS})


def _phrases(**options: Any) -> Model:
    return tagloom.train(
        read_columns(ENTITIES, "form pos ner"), system="phrases", **{"cutoff": 1, "epochs": 2, **options}
    )


def _segments(**options: Any) -> Model:
    corpus = read_columns(ENTITIES, "form pos ner")
    return tagloom.train(corpus, system="segments", **{"epochs": 1, "templates": "form[0]\n/ edge", **options})


def _parser(**options: Any) -> Model:
    return tagloom.train(bank(4), system="parser", **{"epochs": 1, "templates": STATES, **options})


def _pipeline() -> Model:
    quick = {"epochs": 1, "templates": "form[0]"}
    parts = {"tokens": {"epochs": 1}, "trees": {"epochs": 1, "templates": STATES}}
    parts |= dict.fromkeys(("upos", "feats", "lemma"), quick)
    chosen = "tokens,upos,feats,lemma,trees"
    return tagloom.train(bank(4), system="pipeline", parts=chosen, folds=2, feats="attributes", options=parts)


def _reranked(**options: Any) -> Model:
    corpus = read_columns(ENTITIES * 3, "form pos ner")
    return tagloom.rerank(_entities(), corpus, folds=2, cutoff=1, **options)


#: Models by name; together they have every field of a spec and every kind of array.
MODELS: dict[str, Callable[[], Model]] = {
    "tagger": lambda: tagloom.train(TAGGED, epochs=2, templates="form[{-1..0}]\n/ edge", tokenizer="unicode"),
    "unnamed": lambda: tagloom.train(TAGGED, epochs=2, templates="words", names=False),
    "crf": lambda: tagloom.train(TAGGED, dev=TAGGED, learner="sgd", epochs=1, templates="form[0]\n/ edge"),
    "exact": lambda: tagloom.train(TAGGED, learner="lbfgs", epochs=3, templates="form[0]"),
    "wapiti": lambda: tagloom.train(TAGGED, learner="lbfgs", epochs=3, templates=WAPITI, normalise="NFC"),
    "buckets": lambda: tagloom.train(TAGGED, epochs=1, templates="form[0]", buckets=64),
    "dictionary": lambda: tagloom.train(TAGGED * 2, epochs=1, templates="form[0]", tag_dictionary=2),
    "calibrated": lambda: tagloom.train(TAGGED, dev=TAGGED, epochs=1, templates="form[0]\n/ edge"),
    "lookahead": lambda: tagloom.train(
        TAGGED, learner="lookahead-perceptron", depth=1, history=2, epochs=1, templates="form[0]"
    ),
    "beam": lambda: tagloom.train(
        TAGGED, learner="beam-perceptron", direction="right-to-left", epochs=1, templates="form[0]"
    ),
    "maxent": lambda: tagloom.train(TAGGED, learner="maxent", epochs=2, templates="form[0]"),
    "items": lambda: tagloom.train(read(io.StringIO(ITEMS), "crfsuite"), epochs=1),
    "entities": lambda: _entities(scheme="BIOES"),
    "all pairs": lambda: _entities(edge_pairs="all", learner="sgd-l1", epochs=1),
    "function": lambda: _entities(attributes={"measure": measure}, templates="measure[0]\nform[0]"),
    "lists": _with_lists,
    "provided": lambda: _entities(provide="pos", tokenizer="ptb", epochs=1),
    "stages": lambda: _documents(learner="sgd", epochs=1, stages=2, stage_folds=2, templates="form[0]\ncontext[0]\n"),
    "documents": lambda: _documents(learner="nonlocal-perceptron"),
    "document function": lambda: _documents(
        learner="nonlocal-perceptron", document_functions={"pair": pair_words}, n=4
    ),
    "second": lambda: _documents(learner="reranking-2", n=4),
    "joined": lambda: _documents(sequences="joined"),
    "boosted": lambda: _reranked(method="boosting", rounds=5),
    "voted": lambda: _reranked(method="voted", passes=1),
    "lemmas": lambda: tagloom.train(
        read_columns(LEMMAS, "form pos lemma"), label="lemma", epochs=1, templates="form[0]"
    ),
    "segmenter": lambda: tagloom.train(read(io.StringIO("ab c\nc ab ab\n"), "segmented"), epochs=1),
    "parser": lambda: _parser(tag_folds=2, tagger={"epochs": 1, "depth": 0, "templates": "form[0]"}),
    "beam parser": lambda: _parser(tags="gold", learner="beam-perceptron", beam=2, relations=False),
    "phrases": lambda: _phrases(degree=2),
    "primal phrases": lambda: _phrases(degree=2, form="primal", templates="form[0]"),
    "linear phrases": lambda: _phrases(degree=1, templates="form[0]"),
    "segments": lambda: _segments(segment_templates="length\nform[all]\n"),
    "listed segments": lambda: _segments(
        resources={"gazetteer": "train"}, learner="pa", cost={"O": {"B-PER": 2.0}}, scheme="IOB2", epochs=2
    ),
    "tokenizer": lambda: tagloom.train(bank(4), system="tokenizer", epochs=1, cutoff=1),
    "pipeline": _pipeline,
    "masked": lambda: _entities(dropout=0.2, copies=2, epochs=1),
    "ensemble": lambda: tagloom.train(TAGGED, system="ensemble", members=2, epochs=1, templates="form[0]\n/ edge"),
}


@cache
def train_model(name: str) -> bytes:
    """Train one of the models; return the bytes of its file."""
    return MODELS[name]().to_bytes()


class Run(NamedTuple):
    """A training that can be resumed: its data and options, and the files that it has written after its first pass."""

    data: Any
    options: dict[str, Any]
    files: dict[str, bytes]


_MIXED = ENTITIES + ENTITIES.replace("Ada NNP B-PER", "Ada NNP B-LOC")  # so that no learner is done after one pass
_FLAT = {"templates": "form[0]\npos[0]"}
_DEEP = {"templates": "form[0]\npos[0]\n/ edge"}


@cache
def list_trainings() -> dict[str, tuple[Any, dict[str, Any]]]:
    """List trainings by name: data and options. Every second one has development data."""
    entities, documents = read_columns(_MIXED, "form pos ner"), read_columns(DOCUMENTS + _MIXED, "form pos ner")
    found: dict[str, tuple[Any, dict[str, Any]]] = {}
    for name, learner in LEARNERS.items():
        data = documents if learner.sees_documents else entities
        found[name] = data, {"learner": name, **(_FLAT if learner.is_history_based else _DEEP)}
        if learner.sees_documents:
            found[name][1].update({"n": 3, "folds": 2} if "rerank" in name else {"n": 3})
    found["parser"] = bank(4), {"system": "parser", "templates": STATES, "tag_folds": 2, "tagger": {"epochs": 1}}
    found["beam parser"] = (
        bank(4),
        {"system": "parser", "templates": STATES, "tags": "gold", "learner": "beam-perceptron"},
    )
    found["phrases"] = entities, {"system": "phrases", "cutoff": 1, **_FLAT}
    found["segments"] = entities, {"system": "segments", "rate": 0.1, **_DEEP}
    found["segments perceptron"] = entities, {"system": "segments", "learner": "averaged-perceptron", **_DEEP}
    found["tokenizer"] = bank(4), {"system": "tokenizer", "cutoff": 1}
    found["provided"] = entities, {"provide": {"pos": {"epochs": 1, "templates": "form[0]"}}, **_DEEP}
    return {
        name: (data, {"epochs": 3, **options, **({"dev": data} if place % 2 else {})})
        for place, (name, (data, options)) in enumerate(found.items())
    }


@cache
def begin_training(name: str) -> Run:
    """Run a training and keep the files that it has written after its first pass."""
    data, options = list_trainings()[name]
    files: dict[str, bytes] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / CHECKPOINT

        def keep(progress: Any) -> None:
            if progress.phase == "epoch" and not files and path.exists():
                written = (each for each in path.parent.rglob("*") if each.is_file())
                files.update({str(each.relative_to(folder)): each.read_bytes() for each in written})

        tagloom.train(data, **options, checkpoint=path, on_progress=keep)
    return Run(data, options, files)
