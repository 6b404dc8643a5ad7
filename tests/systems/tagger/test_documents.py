"""Models with features of documents: what they label as one, files, checkpoints, warm starts, comparisons."""

from __future__ import annotations

import functools
import itertools
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tagloom
from tagloom.corpus import Corpus
from tagloom.errors import ModelFileError
from tagloom.features import Document
from tagloom.systems import Progress
from tests.systems.forgery import assert_refused, forge
from tests.systems.toy import news, news_split, weights

TEMPLATES = "form[{-1..1}]\nshape[0]\nform[0] / edge\n/ edge\n"
OPTIONS: dict[str, Any] = {"templates": TEMPLATES, "epochs": 4, "C": 5.0}
LONG = OPTIONS | {"C": 1000.0, "bpm": 2, "scheme": "data"}  # learns in every pass
DOCUMENT_LEARNERS = ("candidate-perceptron", "nonlocal-perceptron", "reranking-1", "reranking-2")


def endings(document: Document, labels: Sequence[str]) -> Iterator[str]:
    """A non-local feature: the last word of a document's sentences beside the label of the first."""
    for start, stop in document.sentences:
        yield f"{document.words[stop - 1]} {labels[start]}"


def repeated(document: Document, labels: Sequence[str]) -> list[str]:
    """Labels of words that stand twice in a document."""
    seen: dict[str, str] = {}
    return [
        f"{seen[word]} {label}"
        for word, label in zip(document.words, labels)
        if word in seen or seen.setdefault(word, label) is None
    ]


FUNCTIONS = {"endings": endings, "repeated": repeated}


@functools.cache
def trained(learner: str, functions: bool = False, **options: object) -> tagloom.Tagger:
    own = {"document_functions": FUNCTIONS} if functions else {}
    return tagloom.train(news_split()[0], learner=learner, **OPTIONS | own | options)


def labels(model: tagloom.Tagger, corpus: Corpus | None = None, **options: Any) -> list[str]:
    return model.tag_corpus(news_split()[1] if corpus is None else corpus, **options).texts()


def words_of(corpus: Corpus, document: int) -> list[list[str]]:
    first, last = corpus.documents[document : document + 2].tolist()
    return [corpus.sentence(i, "form") for i in range(first, last)]


def write_candidates(corpus: Corpus, document: int, column: list[str]) -> list[list[str]]:
    first, last = corpus.documents[document : document + 2].tolist()
    return [column[a:b] for a, b in itertools.pairwise(corpus.sentences[first : last + 1].tolist())]


# -- what is labelled as one -----------------------------------------------------------------------------------------


def test_nothing_local_crosses_the_borders_of_sentences_in_a_document():
    train, dev = news_split()
    apart = trained("margin-perceptron", sequences="documents")
    assert apart.spec.sequences == "documents"
    assert labels(apart) == labels(apart, replace(dev, has_documents=False))
    column, number = labels(apart), 1
    by_sentence = [apart.tag(sentence) for sentence in words_of(dev, number)]
    assert write_candidates(dev, number, column) == by_sentence == apart.tag_document(words_of(dev, number))
    assert set(apart.parameters.node_keys.tolist()) <= set(_all_keys(train))  # no word of a neighbour sentence
    assert trained("margin-perceptron").spec.sequences == "sentences"


def _all_keys(corpus: Corpus) -> list[int]:
    """Of all features of the sentences, whether their weights moved or not."""
    model = tagloom.train(corpus, learner="lbfgs", templates=TEMPLATES, epochs=3, node_labels="all")
    return model.parameters.node_keys.tolist()


def test_an_example_of_one_sentence_documents_is_that_of_sentences():
    """With every sentence a document of its own, learning from documents is learning from sentences."""
    train = news_split()[0]
    single = Corpus(train.columns, train.sentences, np.arange(len(train) + 1), True)
    for learner in ("perceptron", "margin-perceptron", "pa"):
        options = {"learner": learner, "templates": TEMPLATES, "epochs": 2}
        one, other = (tagloom.train(single, sequences=kind, **options) for kind in ("documents", "sentences"))
        assert weights(one) == weights(other)


def test_joined_documents_are_one_long_sentence():
    train, dev = news_split()
    joined = trained("averaged-perceptron", sequences="joined", C=None)
    long = replace(
        train, sentences=train.sentences[train.documents], documents=np.arange(len(train.documents)), extras={}
    )
    assert weights(joined) == weights(trained_on(long))
    words = [row for sentence in words_of(dev, 0) for row in sentence]
    assert joined.tag(words) == [label for sentence in joined.tag_document(words_of(dev, 0)) for label in sentence]
    names = list(joined.parameters.node_names)
    borders = {f"form[-1]={train.sentence(i, 'form')[-1]}" for i in train.documents[1:-1].tolist()}
    assert borders & set(names) or len(names) > len(trained("averaged-perceptron", C=None).parameters.node_names)


def trained_on(corpus: Corpus) -> tagloom.Tagger:
    return tagloom.train(corpus, learner="averaged-perceptron", templates=TEMPLATES, epochs=4)


@pytest.mark.parametrize("learner", ["nonlocal-perceptron", "margin-perceptron"])
def test_a_corpus_without_documents_falls_back_to_sentences_and_says_so(learner: str):
    train, dev = news_split()
    told: list[Progress] = []
    bare = replace(train, has_documents=False, documents=np.array([0, len(train)]))
    options = OPTIONS | {"sequences": "documents", "learner": learner, "scheme": "data"}
    model = tagloom.train(bare, on_progress=told.append, **options)
    notes = [progress.message for progress in told if progress.phase == "note"]
    assert len(notes) == 1
    assert "no document boundaries" in notes[0]
    single = Corpus(train.columns, train.sentences, np.arange(len(train) + 1), True)
    assert weights(model) == weights(tagloom.train(single, **options))
    told.clear()
    tagloom.train(train, dev=dev, on_progress=told.append, **options)
    assert not [progress for progress in told if progress.phase == "note"]


@pytest.mark.parametrize("learner", DOCUMENT_LEARNERS)
def test_a_document_by_itself_is_tagged_as_in_its_corpus(learner: str):
    dev, model = news_split()[1], trained(learner)
    column = labels(model)
    for number in range(len(dev.documents) - 1):
        assert model.tag_document(words_of(dev, number)) == write_candidates(dev, number, column)
    assert model.tag_document([]) == []
    assert model.tag_document([[], ["Bonn"], []])[0::2] == [[], []]
    assert labels(model, threads=2) == column


def test_more_candidates_may_change_labels_and_one_is_the_local_best():
    model = trained("nonlocal-perceptron")
    assert labels(model, candidates=1) == labels(model, decoder="viterbi")
    assert labels(model, candidates=100) == labels(model)
    dev = news_split()[1]
    assert model.tag_document(words_of(dev, 0), candidates=1) == write_candidates(dev, 0, labels(model, candidates=1))
    best_of = {n: score_of(model, n) for n in (1, 10, 1000)}
    assert best_of[1] <= best_of[10] <= best_of[1000]  # total scores of what is chosen, among ever more


def score_of(model: tagloom.Tagger, n: int) -> float:
    return sum(found[0].score for found in model.nbest_corpus(news_split()[1], n))


@pytest.mark.parametrize("functions", [False, True])
@pytest.mark.parametrize("learner", DOCUMENT_LEARNERS)
def test_nbest_is_in_the_order_of_total_scores_and_the_first_is_what_tag_gives(learner: str, functions: bool):
    dev, model = news_split()[1], trained(learner, functions)
    column = labels(model, candidates=30)
    lists = model.nbest_corpus(dev, 30)
    assert len(lists) == len(dev.documents) - 1
    for number, found in enumerate(lists):
        scores = [each.score for each in found]
        assert scores == sorted(scores, reverse=True)
        assert found[0].labels == [label for sentence in write_candidates(dev, number, column) for label in sentence]
        assert len({tuple(each.labels) for each in found}) == len(found) == 30


def test_weights_of_non_local_features_have_names():
    model = trained("nonlocal-perceptron", True)
    named = model.nonlocal_weights()
    families = {name.partition("=")[0] for name in named}
    assert {"phrase", "endings", "repeated"} <= families
    assert all(named.values())
    assert trained("margin-perceptron").nonlocal_weights() == {}


# -- files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("functions", [False, True])
@pytest.mark.parametrize("learner", DOCUMENT_LEARNERS)
def test_a_loaded_model_gives_the_same_labels(tmp_path: Path, learner: str, functions: bool):
    model = trained(learner, functions)
    model.save(tmp_path / "model")
    again = tagloom.load(tmp_path / "model", functions=FUNCTIONS if functions else None)
    assert again.spec == model.spec
    assert labels(again) == labels(model)
    assert again.nonlocal_weights() == model.nonlocal_weights()
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


def test_a_model_without_its_functions_says_which_it_needs(tmp_path: Path):
    trained("nonlocal-perceptron", True).save(tmp_path / "model")
    model = tagloom.load(tmp_path / "model")
    with pytest.raises(tagloom.ConfigError, match="needs its function 'endings': load it with functions=") as error:
        labels(model)
    assert "\n" not in str(error.value)
    assert labels(model, decoder="viterbi")  # local features do without


@pytest.mark.parametrize(
    "change",
    [
        lambda t, h: t.update(nonlocal_weights=t["nonlocal_weights"].astype(np.float64)),
        lambda t, h: t.update(nonlocal_weights=np.zeros(10**6, np.float32)),
        lambda t, h: t.update(second_weights=t["second_weights"][1:]),
        lambda t, h: t.update(second_weights=t["second_weights"].astype(np.int32)),
        lambda t, h: t.update({"nonlocal_names.ends": t["nonlocal_names.ends"][::-1].copy()}),
        lambda t, h: t.update({"nonlocal_names.ends": t["nonlocal_names.ends"] + 1}),
        lambda t, h: t.pop("nonlocal_names.ends"),
        lambda t, h: t.update({"nonlocal_names.text": np.full_like(t["nonlocal_names.text"], 0xFF)}),
        lambda t, h: h["spec"].update(document_features=["nonsense"]),
        lambda t, h: h["spec"].update(document_features=3),
        lambda t, h: h["spec"].update(document_functions=None),
        lambda t, h: h["spec"].update(candidates=0),
        lambda t, h: h["spec"].update(candidates="many"),
        lambda t, h: h["spec"].update(sequences="nonsense"),
    ],
)
def test_files_damaged_in_what_is_non_local_are_refused(tmp_path: Path, change: Any):
    trained("reranking-2", True).save(tmp_path / "model")
    assert_refused(tmp_path / "model", tmp_path / "forged", change)


def test_damaged_bytes_of_the_weights_are_noticed(tmp_path: Path):
    trained("nonlocal-perceptron").save(tmp_path / "model")
    whole = (tmp_path / "model").read_bytes()
    wanted = trained("nonlocal-perceptron").parameters.nonlocal_weights.tobytes()
    place = whole.index(wanted) + len(wanted) // 2
    (tmp_path / "model").write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
    with pytest.raises(ModelFileError):
        tagloom.load(tmp_path / "model")


def test_wild_non_local_weights_do_not_crash(tmp_path: Path):
    trained("nonlocal-perceptron").save(tmp_path / "model")
    for value in (1e28, -1e28):
        change = functools.partial(_fill, value)
        wild = tagloom.load(forge(tmp_path / "model", tmp_path / "wild", change))
        assert len(labels(wild)) == news_split()[1].token_count
    for value in (1e29, -1e38):
        with pytest.raises(tagloom.ModelFileError, match="tensor nonlocal_weights: expected numbers of"):
            tagloom.load(forge(tmp_path / "model", tmp_path / "wild", functools.partial(_fill, value)))
    for value in (np.nan, np.inf, -np.inf):
        with pytest.raises(tagloom.ModelFileError, match="nonlocal_weights has numbers that are not finite"):
            tagloom.load(forge(tmp_path / "model", tmp_path / "wild", functools.partial(_fill, value)))


def _fill(value: float, tensors: dict[str, np.ndarray], header: dict[str, Any]) -> None:
    tensors["nonlocal_weights"] = np.full_like(tensors["nonlocal_weights"], value)


# -- the same bytes --------------------------------------------------------------------------------------------------

# Trains with functions and without in a process of its own, which kills itself after the second pass.
KILLED = """
import os, signal, sys
import tagloom
from tests.systems.tagger.test_documents import FUNCTIONS, LONG
from tests.systems.toy import news_split

def kill(progress):
    if progress.record is not None and progress.record.epoch == 2:
        os.kill(os.getpid(), signal.SIGKILL)

train, dev = news_split()
both = [(learner, functions) for learner in sys.argv[2:] for functions in ({}, FUNCTIONS)]
for learner, functions in [("margin-perceptron", {}), *both]:
    child = os.fork()
    if child == 0:
        path = os.path.join(sys.argv[1], f"{learner}-{bool(functions)}")
        own = {"document_functions": functions} if functions else {}
        tagloom.train(train, dev=dev, learner=learner, checkpoint=path, on_progress=kill, **LONG, **own)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
CHECKPOINTED = ("nonlocal-perceptron", "reranking-1", "reranking-2")


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("killed")
    command = [sys.executable, "-c", KILLED, str(folder), *CHECKPOINTED]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout.split() == [str(-signal.SIGKILL)] * 7, done.stderr
    return folder


@pytest.mark.parametrize(
    ("learner", "functions"), [("margin-perceptron", False), *itertools.product(CHECKPOINTED, [False, True])]
)
def test_a_killed_training_goes_on_to_the_same_bytes(killed: Path, tmp_path: Path, learner: str, functions: bool):
    train, dev = news_split()
    own = {"document_functions": FUNCTIONS} if functions else {}
    options = {"dev": dev, "learner": learner, **LONG, **own}
    told: list[Progress] = []
    checkpoint = killed / f"{learner}-{functions}"
    tagloom.train(train, checkpoint=checkpoint, on_progress=told.append, threads=2, **options).save(
        tmp_path / "resumed"
    )
    assert "resumed" in [progress.phase for progress in told]
    tagloom.train(train, **options).save(tmp_path / "whole")
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole").read_bytes()


@pytest.mark.parametrize("learner", ["margin-perceptron", *DOCUMENT_LEARNERS])
def test_any_number_of_threads_learns_the_same(learner: str):
    one, two = (trained(learner, threads=threads, bpm=3, epochs=2) for threads in (1, 2))
    assert weights(one) == weights(two)
    assert one.parameters.nonlocal_weights.tobytes() == two.parameters.nonlocal_weights.tobytes()
    assert one.parameters.second_weights.tobytes() == two.parameters.second_weights.tobytes()


# -- warm start ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("functions", [False, True])
def test_learning_goes_on_with_the_same_non_local_features(functions: bool):
    start = trained("nonlocal-perceptron", functions, n=7, document_features="phrase,conjunction", candidates=33)
    grown = start.partial_fit(news_split()[1])
    for name in ("learner", "settings", "sequences", "document_features", "document_functions", "candidates"):
        assert getattr(grown.spec, name) == getattr(start.spec, name), name
    assert set(start.parameters.nonlocal_names) & set(grown.parameters.nonlocal_names) or not functions
    families = {name.partition("=")[0] for name in grown.nonlocal_weights()}
    assert families <= {"phrase", "conjunction", "endings", "repeated"}
    same = start.partial_fit(news_split()[0], C=0.0)
    if same.spec.history[0].updates == 0:
        assert same.nonlocal_weights() == start.nonlocal_weights()


def test_functions_alone_stay_alone_and_may_be_given_anew(tmp_path: Path):
    start = trained("nonlocal-perceptron", True, document_features=())
    start.save(tmp_path / "model")
    assert start.partial_fit(news_split()[1]).spec.document_features == ()
    with pytest.raises(tagloom.ConfigError, match="the model needs its function 'endings'"):
        tagloom.train(news_split()[1], start=tmp_path / "model", epochs=1)
    options = {"document_functions": FUNCTIONS, "epochs": 1}
    again = tagloom.train(news_split()[1], start=tmp_path / "model", **options)
    assert again.nonlocal_weights() == start.partial_fit(news_split()[1]).nonlocal_weights()


def test_another_learner_takes_its_own_sequences():
    train = news_split()[0]
    start = tagloom.train(train, learner="averaged-perceptron", templates=TEMPLATES, epochs=2)
    grown = tagloom.train(train, start=start, learner="nonlocal-perceptron", epochs=2)
    assert (grown.spec.sequences, bool(grown.nonlocal_weights())) == ("documents", True)
    back = tagloom.train(train, start=grown, learner="lbfgs", epochs=2)
    assert (back.spec.sequences, back.spec.document_features, back.total) == ("sentences", (), None)


# -- comparisons and searches ----------------------------------------------------------------------------------------


def test_learners_of_a_comparison_are_those_that_train_makes():
    train, dev = news_split()
    learners = ["averaged-perceptron", "nonlocal-perceptron", "reranking-2", "lbfgs"]
    for order in (learners, learners[::-1]):
        compared = tagloom.compare_learners(train, dev, order, templates=TEMPLATES, epochs=2, jobs=2)
        for run in compared.runs:
            alone = tagloom.train(train, learner=run.learner, templates=TEMPLATES, epochs=2)
            assert run.score.value == alone.evaluate(dev).value, run.learner
            assert run.curve[-1].score == pytest.approx(run.score.value), run.learner


def test_a_search_over_learners_and_numbers(tmp_path: Path):
    train, dev = news_split()
    grid = {"learner": ["margin-perceptron", "nonlocal-perceptron"], "C": [1.0, 100.0]}
    options = {"templates": TEMPLATES, "epochs": 2, "keep": 1, "jobs": 1}
    tuned = tagloom.tune(train, dev, grid, folder=tmp_path, **options)
    for trial in tuned.trials:
        alone = tagloom.train(train, dev=dev, templates=TEMPLATES, epochs=2, **trial.options)
        assert max(r.dev_score for r in alone.spec.history) == pytest.approx(max(r.dev_score for r in trial.history))
    more = tagloom.tune(train, dev, {"n": [2, 9]}, learner="nonlocal-perceptron", folder=tmp_path, **options)
    assert len(more.trials) == 2


def test_a_search_with_functions_goes_on(tmp_path: Path):
    train, dev = news_split()
    options = {"templates": TEMPLATES, "epochs": 2, "jobs": 1, "learner": "nonlocal-perceptron"}
    options["document_functions"] = {"endings": lambda document, labels: endings(document, labels)}
    first = tagloom.tune(train, dev, {"C": [1.0, 9.0]}, folder=tmp_path, **options)
    options["document_functions"] = {"endings": endings}  # the same in another place of the memory
    files = sorted(tmp_path.iterdir())
    again = tagloom.tune(train, dev, {"C": [1.0, 9.0]}, folder=tmp_path, **options)
    assert sorted(tmp_path.iterdir()) == files
    assert [t.history for t in again.trials] == [t.history for t in first.trials]


def test_news_has_documents():
    assert news().has_documents
    assert all(len(part.documents) > 2 for part in news_split())
