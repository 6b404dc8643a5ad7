"""Acceptance on real corpora with default settings: the scores that docs/results/scores.md states."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

import pytest

import tagloom
from tagloom.cli.main import run
from tagloom.corpus import Corpus
from tagloom.corpus.schemes import get_scheme
from tagloom.corpus.spans import boundaries
from tagloom.recipes.corpora import find_file


def test_chunking_on_conll2000(data_dir: Path) -> None:
    test = tagloom.read(data_dir / "conll2000" / "test.txt")
    scores = [
        tagloom.train(data_dir / "conll2000" / "train.txt.xz", templates="chunking", seed=seed).evaluate(test)
        for seed in (1, 2, 3)
    ]
    assert statistics.mean(score.overall.f1 for score in scores) >= 93.4


@pytest.fixture(scope="module")
def conll2003(data_dir: Path) -> dict[str, Corpus]:
    folder = data_dir / "conll2003-en"
    return {name: tagloom.read(folder / file) for name, file in {"train": "eng.train.xz", "test": "eng.testb"}.items()}


def test_entities_without_lists(conll2003: dict[str, Corpus]) -> None:
    model = tagloom.train(conll2003["train"], templates="ner-basic")
    assert model.evaluate(conll2003["test"]).overall.f1 >= 83.7


@pytest.mark.slow
def test_entities_with_lists(conll2003: dict[str, Corpus], data_dir: Path) -> None:
    resources = data_dir / "resources"
    model = tagloom.train(
        conll2003["train"],
        templates="ner-extended",
        scheme="BIOES",
        resources={
            "brown": resources / "brown" / "brown-rcv1-c3200.paths.txt.xz",
            "gazetteer": resources / "gazetteers",
        },
    )
    assert model.evaluate(conll2003["test"]).overall.f1 >= 89.3


def test_segmentation_on_ctb6(data_dir: Path) -> None:
    model = tagloom.train(data_dir / "cws-ctb6" / "ctb6.train.seg.xz")
    score = model.evaluate(tagloom.read(data_dir / "cws-ctb6" / "ctb6.test.seg"))
    assert score.overall.f1 >= 94.8


def test_part_of_speech_on_ewt(data_dir: Path) -> None:
    folder = data_dir / "ud-en-ewt"
    model = tagloom.train(folder / "en_ewt-ud-train.conllu.xz", label="upos", templates="pos")
    assert model.evaluate(tagloom.read(folder / "en_ewt-ud-test.conllu.xz")).accuracy >= 94.8


def test_more_data_helps_a_chunker(data_dir: Path, tmp_path: Path) -> None:
    """A model of half of CoNLL-2000 that goes on with the other half; and how large its file is."""
    data = tagloom.read(data_dir / "conll2000" / "train.txt.xz")
    test = tagloom.read(data_dir / "conll2000" / "test.txt")
    half = len(data) // 2
    first = tagloom.train(data.slice(0, half), templates="chunking")
    both = tagloom.train(data.slice(half, len(data)), start=first)
    assert both.evaluate(test).overall.f1 >= first.evaluate(test).overall.f1 + 0.2
    both.save(tmp_path / "model")
    assert (tmp_path / "model").stat().st_size < 4_500_000


@pytest.mark.parametrize(
    ("learner", "epochs", "least"),
    [("pa", 6, 93.2), ("dca", 6, 93.6), ("sgd", 6, 93.5), ("adf", 4, 93.6), ("madf", 4, 93.6)],
)
def test_learners_of_he_wang_2012_on_conll2000(learner: str, epochs: int, least: float, data_dir: Path) -> None:
    """As few passes as reach the score; the recipe makes more (docs/papers/he-wang-2012.md)."""
    test = tagloom.read(data_dir / "conll2000" / "test.txt")
    model = tagloom.train(
        data_dir / "conll2000" / "train.txt.xz", templates="chunking", learner=learner, epochs=epochs, names=False
    )
    assert model.evaluate(test).overall.f1 >= least


@pytest.fixture(scope="module")
def slice_of_conll2003(data_dir: Path) -> tuple[Corpus, Corpus]:
    """200 documents to learn from, and 100 of the development data."""
    folder, columns = data_dir / "conll2003-en", "form pos chunk ner"
    train, dev = (tagloom.read(find_file(folder, name), "conll", columns) for name in ("eng.train", "eng.testa"))
    return train.slice(0, int(train.documents[200])), dev.slice(0, int(dev.documents[100]))


def test_documents_of_kazama_torisawa_2007_on_conll2003(slice_of_conll2003: tuple[Corpus, Corpus]) -> None:
    """Non-local features help; without the local update they do harm, less so with a large margin."""
    train, dev = slice_of_conll2003

    def measure(learner: str, C: float = 300.0) -> float:
        options: dict[str, Any] = {"templates": "ner-basic", "sequences": "documents", "epochs": 8, "C": C}
        return tagloom.train(train, learner=learner, **options).evaluate(dev).value

    margin, proposed, candidate = map(measure, ("margin-perceptron", "nonlocal-perceptron", "candidate-perceptron"))
    assert margin >= 78.0
    assert proposed >= margin + 0.3
    assert candidate <= margin - 1.5
    assert measure("candidate-perceptron", 4800.0) >= candidate + 1.0


def test_reranking_of_collins_2002_on_conll2003(slice_of_conll2003: tuple[Corpus, Corpus]) -> None:
    """Boundaries of entities, a tagger trained by GIS, one pass of the voted perceptron, few rounds of boosting."""
    train, dev = (
        corpus.with_column("ner", boundaries(corpus.column("ner"), corpus.sentences, get_scheme("IOB1")))
        for corpus in slice_of_conll2003
    )
    tagger = tagloom.train(
        train, learner="maxent-gis", templates="collins-2002", history=2, beam=20, cutoff=5,
        resources={"lowercased": "train"},
    )  # fmt: skip
    alone = tagger.evaluate(dev).value
    voted, boosting = (
        tagloom.rerank(tagger, train, candidates=20, folds=3, **options).evaluate(dev).value
        for options in ({"method": "voted", "beta": 0.5}, {"method": "boosting", "rounds": 2000})
    )
    assert alone >= 86.5
    assert voted >= alone + 0.7
    assert boosting >= alone + 1.5


def test_phrases_of_carreras_2003_on_conll2003(slice_of_conll2003: tuple[Corpus, Corpus]) -> None:
    train, dev = slice_of_conll2003
    resources = {"functional": "train", "gazetteer": "train"}
    options: dict[str, Any] = {"templates": "carreras-2003", "epochs": 3, "cutoff": 5, "resources": resources}
    one, two = (
        tagloom.train(train, system="phrases", degree=degree, **options).evaluate(dev).value for degree in (1, 2)
    )
    assert one >= 78.0
    assert two >= one + 0.7


@pytest.mark.slow
def test_lookahead_of_tsuruoka_2011_on_conll2000(data_dir: Path) -> None:
    """The settings of the recipe (docs/papers/tsuruoka-2011.md); asked for are 93.3, 93.6 and 93.7."""
    test = tagloom.read(data_dir / "conll2000" / "test.txt")
    found = [
        tagloom.train(
            data_dir / "conll2000" / "train.txt.xz", templates="chunking", learner="lookahead-perceptron", depth=depth,
            C=80.0, epochs=20, names=False,
        ).evaluate(test).overall.f1
        for depth in (0, 1, 2)
    ]  # fmt: skip
    assert found[0] >= 93.3
    assert found[1] >= 93.6
    assert found[2] >= 93.7
    assert found[0] < min(found[1:])


def test_lookahead_helps_a_parser_of_ptb_sample(data_dir: Path) -> None:
    """Heads alone, gold tags, 90/10 by order, few passes; with predicted tags and more passes in the recipe."""
    treebank = tagloom.read(data_dir / "ptb-sample" / "wsj_sample.dep.tsv.xz", "conll", "form pos head")
    border = len(treebank) * 9 // 10
    held_out = treebank.slice(border, len(treebank))
    found = [
        tagloom.train(
            treebank.slice(0, border), system="parser", templates="huang-sagae", tags="gold", depth=depth, epochs=4
        ).evaluate(held_out, leave_out=True).uas
        for depth in (0, 1)
    ]  # fmt: skip
    assert found[0] >= 86.5
    assert found[1] >= found[0] + 0.5


@pytest.mark.slow
def test_a_parser_of_words_on_ewt(data_dir: Path) -> None:
    """Tags predicted, depth 0, three passes; ten in docs/results/scores.md."""
    folder = data_dir / "ud-en-ewt"
    train = folder / "en_ewt-ud-train.conllu.xz"
    parser = tagloom.train(train, system="parser", depth=0, epochs=3, tag_folds=4, threads=2)
    score = parser.evaluate(tagloom.read(folder / "en_ewt-ud-test.conllu.xz"))
    assert score.uas >= 82
    assert score.las >= 78


@pytest.mark.slow
def test_crfpp_commands_on_conll2000(data_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The template of CRF++'s own chunking example, its options, and a third of its iterations."""
    words, tags = [[-2], [-1], [0], [1], [2], [-1, 0], [0, 1]], [[-2, -1], [-1, 0], [0, 1], [1, 2]]
    tags = [[-2], [-1], [0], [1], [2], *tags, [-2, -1, 0], [-1, 0, 1], [0, 1, 2]]
    macros = [(rows, column) for column, lines in enumerate((words, tags)) for rows in lines]
    lines = [f"U{n:02}:" + "/".join(f"%x[{row},{c}]" for row in rows) for n, (rows, c) in enumerate(macros)]
    (tmp_path / "template").write_text("\n".join([*lines, "B\n"]))
    files = str(tmp_path / "template"), str(data_dir / "conll2000" / "train.txt.xz"), str(tmp_path / "model")
    assert run(["crfpp-learn", "-f", "3", "-c", "4.0", "-m", "60", *files]) == 0
    capsys.readouterr()
    assert run(["crfpp-test", "-m", files[2], "-v1", str(data_dir / "conll2000" / "test.txt")]) == 0
    lines = [line for line in capsys.readouterr().out.split("\n") if not line.startswith("# ")]
    (tmp_path / "tagged").write_text("\n".join(line.rpartition("/")[0] for line in lines))
    tagged = tagloom.read(tmp_path / "tagged", "conll", "form pos gold label")
    found = tagloom.score(tagged.column("gold"), tagged.column("label"), tagged.sentences)
    assert found.overall.f1 > 93.0
