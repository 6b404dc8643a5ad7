"""Training phrase chunkers: what decides the result and what does not, checkpoints, Ctrl-C, bad input."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tagloom.corpus import Corpus
from tagloom.corpus.schemes import SCHEMES, get_scheme
from tagloom.corpus.spans import convert_labels
from tagloom.errors import ConfigError, DataError, ModelFileError
from tagloom.features.resources import WordList
from tagloom.systems import Progress
from tagloom.systems.train import train
from tests.systems.phrases.data import OPTIONS, chunker, news, rows


def test_same_seed_same_bytes_for_any_number_of_threads() -> None:
    one, two = (train(news(), system="phrases", dev=news(15, 9), threads=threads, **OPTIONS) for threads in (1, 2))
    assert one.to_bytes() == two.to_bytes()
    other = train(news(), system="phrases", dev=news(15, 9), seed=2, **OPTIONS)
    assert one.to_bytes() != other.to_bytes()


@pytest.mark.parametrize("degree", [1, 2])
def test_dual_and_primal_learn_the_same(degree: int) -> None:
    dual, primal = chunker(degree, "dual"), chunker(degree, "primal")
    for name in ("filters", "scorers"):
        ours, others = (getattr(each.parameters, name).to_tensors() for each in (dual, primal))
        assert all(np.array_equal(ours[key], others[key]) for key in ours)
    assert dual.tag_corpus(news(15, 5)).texts() == primal.tag_corpus(news(15, 5)).texts()


@pytest.mark.parametrize("degree", [1, 2, 3, 5])
def test_the_training_data_are_learned(degree: int) -> None:
    found = train(news(), system="phrases", degree=degree, **{**OPTIONS, "epochs": 8})
    assert found.evaluate(news()).value > 97
    assert [record.epoch for record in found.spec.history] == list(range(1, len(found.spec.history) + 1))


def test_the_best_pass_is_kept() -> None:
    found = train(news(), system="phrases", dev=news(15, 5), **OPTIONS)
    scores = [record.dev_score for record in found.spec.history]
    assert found.spec.best_epoch == 1 + scores.index(max(scores, key=float))
    assert found.evaluate(news(15, 5)).value == pytest.approx(max(scores, key=float))


class Stopped(Exception):  # noqa: N818
    """Not an error of the library."""


def stop_after(epoch: int, error: type[BaseException] = Stopped) -> Callable[[Progress], None]:
    def stop(progress: Progress) -> None:
        if progress.record is not None and progress.record.epoch == epoch:
            raise error

    return stop


@pytest.mark.parametrize(("degree", "form"), [(1, "primal"), (2, "dual"), (2, "primal"), (3, "dual")])
@pytest.mark.parametrize("with_dev", [False, True])
def test_a_training_that_was_stopped_ends_with_the_same_bytes(
    tmp_path: Path, degree: int, form: str, with_dev: bool
) -> None:
    options: dict[str, Any] = {**OPTIONS, "degree": degree, "form": form, "dev": news(15, 9) if with_dev else None}
    path, told = tmp_path / "checkpoint", list[Progress]()
    with pytest.raises(Stopped):
        train(news(), system="phrases", checkpoint=path, on_progress=stop_after(2), **options)
    resumed = train(news(), system="phrases", checkpoint=path, on_progress=told.append, threads=2, **options)
    assert [progress.phase for progress in told][:2] == ["encoded", "resumed"]
    assert not path.exists()
    assert resumed.to_bytes() == train(news(), system="phrases", **options).to_bytes()


@pytest.mark.parametrize(
    "changed", [{"degree": 1}, {"seed": 5}, {"window": 2}, {"cutoff": 2}, {"templates": "form[0]"}]
)
def test_checkpoints_of_other_trainings_are_refused(tmp_path: Path, changed: dict[str, Any]) -> None:
    path = tmp_path / "checkpoint"
    with pytest.raises(Stopped):
        train(news(), system="phrases", checkpoint=path, on_progress=stop_after(1), **OPTIONS)
    with pytest.raises(ConfigError, match="a checkpoint of another training"):
        train(news(), system="phrases", checkpoint=path, **{**OPTIONS, **changed})
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(ModelFileError, match=r"cut off: the file has .* bytes"):
        train(news(), system="phrases", checkpoint=path, **OPTIONS)


def test_ctrl_c_keeps_the_best_so_far() -> None:
    told: list[str] = []

    def interrupt(progress: Progress) -> None:
        told.append(progress.phase)
        if progress.record is not None and progress.record.epoch == 2:
            raise KeyboardInterrupt

    found = train(news(), system="phrases", on_progress=interrupt, **OPTIONS)
    assert told[-1] == "interrupted"
    assert len(found.spec.history) == found.spec.best_epoch == found.spec.epochs == 2
    assert (
        found.tag_corpus(news()).texts()
        == train(news(), system="phrases", **{**OPTIONS, "epochs": 2}).tag_corpus(news()).texts()
    )


@pytest.mark.parametrize(("times", "expected"), [(2, []), (3, ["of"])])
def test_functional_words_are_those_of_the_training_phrases(times: int, expected: list[str]) -> None:
    """Three occurrences within phrases; those outside do not count."""
    bank = (["Bank", "of", "Rome", "of", "in"], [(0, 3, "ORG")])
    found = train([bank] * times, system="phrases", cutoff=1, epochs=1)
    assert isinstance(words := found.resources["functional"], WordList)
    assert words.words.strings() == expected


# -- schemes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SCHEMES)
def test_any_scheme_comes_out_as_it_went_in(name: str) -> None:
    def written(corpus: Corpus) -> Corpus:
        labels = convert_labels(corpus.column("ner"), corpus.sentences, get_scheme("IOB2"), get_scheme(name))
        return corpus.with_column("ner", labels)

    found = train(written(news()), system="phrases", scheme=name, **OPTIONS)
    expected = written(news(15, 5).with_column("ner", chunker().tag_corpus(news(15, 5))))
    assert found.spec.written_scheme == name
    assert found.tag_corpus(news(15, 5)).texts() == expected.column("ner").texts()
    assert found.spans(rows(news(), 3)) == chunker().spans(rows(news(), 3))


def test_phrases_without_a_category() -> None:
    found = train([(["a", "new", "york", "b"], ["O", "B", "I", "O"])], system="phrases", cutoff=1)
    assert found.categories == ("",)
    assert found.tag(["a", "new", "york", "b"]) == ["O", "B", "I", "O"]


def test_spans_are_data_too() -> None:
    pairs = [(["in", "New", "York", "today"], [(1, 3, "LOC")]), (["in", "Bonn"], [(1, 2, "LOC")]), (["yes"], [])]
    labels = [(["in", "New", "York", "today"], ["O", "B-LOC", "I-LOC", "O"]), (["in", "Bonn"], ["O", "B-LOC"]),
              (["yes"], ["O"])]  # fmt: skip
    assert train(pairs, system="phrases", cutoff=1).to_bytes() == train(labels, system="phrases", cutoff=1).to_bytes()
    assert train(pairs, system="phrases", cutoff=1).spans(["in", "New", "York", "today"]) == [(1, 3, "LOC")]


def test_spans_of_jsonl_are_data_too(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"tokens": ["in", "New", "York"], "spans": [[1, 3, "LOC"]]}\n')
    (tmp_path / "b.jsonl").write_text('{"text": "in New York", "spans": [[3, 11, "LOC"]]}\n')
    one, two = (train(tmp_path / name, system="phrases", cutoff=1) for name in ("a.jsonl", "b.jsonl"))
    assert one.to_bytes() == two.to_bytes()


# -- bad input ---------------------------------------------------------------------------------------------------------

WORDS = ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        ([(0, 2, "X"), (1, 3, "Y")], "sentence 2: spans 0:2 (X) and 1:3 (Y) overlap; a token has one label, drop one"),
        ([(0, 4, "X"), (1, 2, "Y")], "sentence 2: spans 0:4 (X) and 1:2 (Y) overlap"),
        ([(1, 2, "X"), (1, 2, "X")], "sentence 2: spans 1:2 (X) and 1:2 (X) overlap"),
        ([(3, 5, "X")], "sentence 2: span 3:5 (X) lies outside the 4 tokens of it"),
        ([(-1, 2, "X")], "sentence 2: span -1:2 (X) lies outside"),
        ([(2, 2, "X")], "sentence 2: span 2:2 (X) is empty; expected start < stop"),
        ([(3, 1, "X")], "sentence 2: span 3:1 (X) is empty"),
        ([(0, 1)], "sentence 2: expected a span (start, stop, category), got (0, 1)"),
        ([(0, 1, "")], "sentence 2: expected a span (start, stop, category)"),
        ([(0.5, 1, "X")], "sentence 2: expected a span (start, stop, category)"),
        ([None], "sentence 2: expected a span (start, stop, category)"),
    ],
)
def test_spans_that_cannot_be_are_refused(spans: Any, message: str) -> None:
    with pytest.raises(DataError) as error:
        train([(WORDS, [(0, 1, "X")]), (WORDS, spans)], system="phrases", cutoff=1)
    assert str(error.value).startswith(f"<memory>: {message}")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"tokens": ["a", "b"], "spans": [[0, 2, "X"], [1, 2, "Y"]]}', "spans 0:2 (X) and 1:2 (Y) overlap"),
        ('{"tokens": ["a", "b"], "spans": [[0, 3, "X"]]}', "span 0:3 (X) lies outside the 2 tokens"),
        ('{"tokens": ["a", "b"], "spans": [[1, 1, "X"]]}', "span 1:1 (X) is empty"),
        ('{"text": "a b", "spans": [[0, 3, "X"], [2, 3, "Y"]]}', "span 2:3 (Y) overlaps 0:3 (X)"),
        ('{"text": "a b", "spans": [[2, 9, "X"]]}', "span 2:9 (X) lies outside the text"),
        ('{"text": "a bc", "spans": [[2, 3, "X"]]}', "span 2:3 (X) does not begin and end with a token"),
    ],
)
def test_spans_of_a_file_are_refused_with_the_line(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "spans.jsonl"
    good = '{"tokens": ["a"], "spans": [[0, 1, "X"]]}' if "tokens" in line else '{"text": "a", "spans": []}'
    path.write_text(f"{good}\n{line}\n")
    with pytest.raises(DataError) as error:
        train(path, system="phrases", cutoff=1)
    assert str(error.value).startswith(f"{path}:2: {message}")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([(["a", "b"], ["O", "O"])], "no phrase to learn from in column 'label': all labels are O"),
        ([(["a", "b"], ["NN", "VB"])], "holds plain tags such as 'NN', no phrases"),
        ([(["a"], [(0, 1, f"C{n}")]) for n in range(10_001)], "10,001 categories in column 'label'"),
        ([(["a", "b"], [])], "no phrase to learn from in column 'label': all labels are O"),
        ([(["a", "b"], []), (["c"], ["B-X"])], "sentence 1 has 2 tokens, but 0 tags"),
        ([([], [])], "no tokens to learn from"),
        ([], "no tokens to learn from"),
        (5, "expected a path, an open file, a Corpus"),
        ([5], "sentence 1: expected a list of tokens, got 5"),
    ],
)
def test_data_without_phrases_are_refused(data: Any, message: str) -> None:
    with pytest.raises(DataError) as error:
        train(data, system="phrases", cutoff=1)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"degree": 0}, "degree: expected a whole number from 1 to 5"),
        ({"degree": 6}, "degree: expected a whole number from 1 to 5"),
        ({"degree": 3, "form": "primal"}, "form: degree 3 has no primal form"),
        ({"form": "both"}, "unknown form 'both' (known: dual, primal)"),
        ({"window": -1}, "window: expected a whole number"),
        ({"longest": 0}, "longest: expected a whole number"),
        ({"cutoff": 0}, "cutoff: expected a whole number"),
        ({"epochs": 0}, "epochs: expected a whole number"),
        ({"threads": 0}, "threads: expected a whole number"),
        ({"learner": "pa"}, "unknown option of a phrase chunker 'learner'"),
        ({"around": "form[-1]"}, "around: predicates are of one word, [0]"),
        ({"templates": "nothing[0]"}, "nothing"),
        ({"templates": "/ edge\n"}, "no templates of words"),
        ({"label": "form2"}, "form2"),
        ({"scheme": "XYZ"}, "unknown label scheme 'XYZ'"),
        ({"checkpoint": 5}, "checkpoint: expected a path or None, got 5"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as error:
        train([(["a", "b"], ["B-X", "O"])], system="phrases", **options)
    assert message in str(error.value)
    assert "\n" not in str(error.value)
