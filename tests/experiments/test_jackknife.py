"""Jackknifing: tags by models that have not seen them, files of finished folds, interruption."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tagloom
from tagloom.corpus import Corpus, from_sentences
from tagloom.experiments.jackknife import jackknife
from tagloom.files.cache import FOLD_FILE
from tagloom.systems import jackknife as procedures
from tagloom.systems.jackknife import cut_into_folds
from tests.systems.toy import TAGGED, news

FAST: dict[str, Any] = {"label": "ner", "templates": "form[0]\npos[0]\n/ edge\n", "epochs": 3}


@pytest.fixture
def trainings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Sentences of every training."""
    seen: list[int] = []
    train = procedures.train

    def counted(corpus: Corpus, *arguments: Any, **named: Any) -> Any:
        seen.append(len(corpus))
        return train(corpus, *arguments, **named)

    monkeypatch.setattr(procedures, "train", counted)
    return seen


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"folds": 1}, "folds: expected a whole number of 2 or more, got 1"),
        ({"folds": 9}, "folds: .* has 8 documents, too few for 9 folds; cut it by sentences"),
        ({"folds": 161, "by": "sentences"}, "folds: .* has 148 sentences, too few for 161 folds$"),
        ({"by": "words"}, "unknown unit of folds 'words'"),
        ({"epoch": 3}, "unknown option of a tagger 'epoch'; did you mean 'epochs'"),
        ({"start": "model"}, "unknown option of a tagger 'start'"),
        ({"jobs": 0, "folds": 2}, "jobs: expected"),
        ({"cache": 3, "folds": 2}, "cache: expected a path or None, got 3"),
        ({"label": "tag", "folds": 2}, "unknown column of .* 'tag'"),
    ],
)
def test_wrong_input_is_one_line(options: dict[str, Any], message: str) -> None:
    with pytest.raises(tagloom.ConfigError, match=message):
        jackknife(news(), **options)


# -- tags --------------------------------------------------------------------------------------------------------------


def test_every_fold_is_tagged_by_a_model_of_the_others() -> None:
    corpus = news()
    found = jackknife(corpus, folds=4, jobs=2, **FAST)
    tags = found.tags.texts()
    for part in cut_into_folds(corpus, 4, "documents", 1):
        others = np.setdiff1d(np.arange(len(corpus)), part)
        model = tagloom.train(corpus.select(others), **FAST)
        mine = [tags[position] for position in corpus.tokens_of(part)]
        assert mine == model.tag_corpus(corpus.select(part)).texts()
    assert found.annotated.column("ner").texts() == tags
    assert found.annotated.names == corpus.names
    assert found.score.value == tagloom.score(corpus.column("ner"), found.tags, corpus.sentences).value
    assert "|folds:4 of documents|" in str(found.score.signature)


def test_the_tags_do_not_depend_on_jobs() -> None:
    one, three = (jackknife(news(), folds=5, jobs=jobs, **FAST) for jobs in (1, 3))
    assert one.tags.texts() == three.tags.texts()
    assert one.tags.strings.strings() == three.tags.strings.strings()


def test_labels_of_all_folds_are_written_in_the_scheme_of_the_whole() -> None:
    """Only one fold shows that the labels are IOB1: its model alone would write the others in IOB2 and itself so."""
    sentences = [(["Ann", "left"], ["I-PER", "O"])] * 4 + [(["Ann", "Bob", "left"], ["I-PER", "B-PER", "O"])] * 2
    words, labels = zip(*sentences, strict=True)
    found = jackknife(from_sentences(list(words), tags=list(labels)), folds=3, epochs=5)
    assert found.tags.texts()[:8] == ["I-PER", "O"] * 4


def test_python_sentences_and_files(tmp_path: Path) -> None:
    file = tmp_path / "train.txt"
    file.write_text("".join("".join(f"{w} {t}\n" for w, t in zip(*pair)) + "\n" for pair in TAGGED))
    assert jackknife(TAGGED, folds=2).tags.texts() == jackknife(file, folds=2, columns="form label").tags.texts()


# -- files -------------------------------------------------------------------------------------------------------------


def test_finished_folds_are_not_trained_again(tmp_path: Path, trainings: list[int]) -> None:
    first = jackknife(news(), folds=4, cache=tmp_path / "new" / "folder", **FAST)
    files = sorted((tmp_path / "new" / "folder").iterdir())
    assert (len(files), len(trainings)) == (4, 4)
    told: list[str] = []
    again = jackknife(
        news(), folds=4, cache=tmp_path / "new" / "folder", jobs=1, on_progress=lambda _, p: told.append(p.message),
        **FAST,
    )  # fmt: skip
    assert len(trainings) == 4
    assert again.tags.texts() == first.tags.texts()
    assert sum("read from the cache" in text for text in told) == 4


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "text", "another"])
def test_a_damaged_fold_is_computed_again(tmp_path: Path, trainings: list[int], damage: str) -> None:
    first = jackknife(news(), folds=4, cache=tmp_path, **FAST)
    file, other, *_ = sorted(tmp_path.iterdir())
    whole = file.read_bytes()
    flipped = bytearray(whole)
    flipped[-3] ^= 1
    file.write_bytes({"cut": whole[:-9], "flipped": bytes(flipped), "empty": b"", "text": b"hello",
                      "another": other.read_bytes()}[damage])  # fmt: skip
    again = jackknife(news(), folds=4, cache=tmp_path, **FAST)
    assert again.tags.texts() == first.tags.texts()
    assert len(trainings) == 5
    assert file.read_bytes() == whole


@pytest.mark.parametrize("nbest", [None, 2])
def test_a_fold_without_the_column_is_computed_again(tmp_path: Path, nbest: int | None) -> None:
    first = jackknife(news(), folds=2, cache=tmp_path, nbest=nbest, **FAST)
    file, *_ = sorted(tmp_path.iterdir())
    whole = file.read_bytes()
    header, arrays = FOLD_FILE.read(file)
    lists = {name: array for name, array in arrays.items() if name in ("counts", "labels", "scores")}
    FOLD_FILE.write(file, {"library_version": header.library_version, "training": header.training}, lists)
    again = jackknife(news(), folds=2, cache=tmp_path, nbest=nbest, **FAST)
    assert again.tags.texts() == first.tags.texts()
    assert file.read_bytes() == whole


def test_what_decides_the_tags_tells_folds_apart(tmp_path: Path, trainings: list[int]) -> None:
    resource = tmp_path / "lexicon"
    other = news().with_column("pos", ["X"] * news().token_count)
    calls: list[tuple[Corpus, dict[str, Any]]] = [
        (news(), {}), (other, {}), (news(), {"seed": 2}), (news(), {"epochs": 2}), (news(), {"folds": 3}),
        (news(), {"by": "sentences"}), (news(), {"learner": "perceptron"}), (news(), {"templates": "form[0]\n"}),
        (news(), {"attributes": {"a": len}, "templates": "a[0]\n"}),
        (news(), {"attributes": {"a": lambda word: "1"}, "templates": "a[0]\n"}),
        (news(), {"threads": 2}),
    ]  # fmt: skip
    for corpus, options in calls:
        given = {"folds": 2, **FAST, **options}
        if "attributes" in options:
            given["attributes"] = {"a": lambda word, f=options["attributes"]["a"]: str(f(word))}
        jackknife(corpus, cache=resource, jobs=1, **given)
    assert len(trainings) == 2 * (len(calls) - 1) + 1  # threads decide nothing; three folds are one more


def test_interrupted_jackknifing_goes_on_with_the_missing_folds(tmp_path: Path, trainings: list[int]) -> None:
    whole = jackknife(news(), folds=5, **FAST)
    trainings.clear()

    def stop(name: str | None, progress: tagloom.Progress) -> None:
        if name == "fold 3" and progress.phase == "epoch":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        jackknife(news(), folds=5, cache=tmp_path, jobs=1, on_progress=stop, **FAST)
    assert (len(list(tmp_path.iterdir())), len(trainings)) == (2, 3)
    resumed = jackknife(news(), folds=5, cache=tmp_path, **FAST)
    assert len(trainings) == 6
    assert resumed.tags.texts() == whole.tags.texts()


def test_a_cache_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(tagloom.DataError, match="file: cannot make this folder for folds: is a file"):
        jackknife(news(), folds=2, cache=tmp_path / "file")


def test_reports_never_come_two_at_once() -> None:
    telling, names = threading.Lock(), set()

    def tell(name: str | None, progress: tagloom.Progress) -> None:
        assert telling.acquire(blocking=False)
        names.add(name)
        telling.release()

    jackknife(news(), folds=4, jobs=4, on_progress=tell, **FAST)
    assert names == {None, *(f"fold {number}" for number in range(1, 5))}
