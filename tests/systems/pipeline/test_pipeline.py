"""Pipelines: parts from the data, options of parts, features as wholes or by attribute, and valid CoNLL-U from text."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tagloom
from tagloom.corpus import Corpus
from tagloom.systems.pipeline.feats import join_feats, list_attributes, split_feats
from tagloom.systems.pipeline.model import Pipeline
from tests.strategies import unhurried
from tests.systems.tokenizer.toy import bank

QUICK: dict[str, Any] = {
    "folds": 2,
    "options": {
        "tokens": {"epochs": 2}, "upos": {"epochs": 2, "depth": 0}, "xpos": {"epochs": 1}, "feats": {"epochs": 2},
        "lemma": {"epochs": 3}, "trees": {"epochs": 3},
    },
}  # fmt: skip
ALL = ("tokens", "upos", "xpos", "feats", "lemma", "trees")


@functools.cache
def pipeline(feats: str = "whole") -> Pipeline:
    return tagloom.train(bank(), system="pipeline", feats=feats, **QUICK)


def without(*names: str) -> Corpus:
    corpus = bank()
    columns = {name: corpus.column(name) for name in corpus.names if name not in names}
    return Corpus(columns, corpus.sentences, corpus.documents, corpus.has_documents, corpus.source, corpus.extras)


def test_parts_are_those_of_the_data() -> None:
    model = pipeline()
    assert model.spec.parts == ALL
    assert [layer.column for layer in model.layers] == ["upos", "xpos", "feats", "lemma", "head", "deprel"]
    assert model.columns == ("form",)
    assert model.tokenizer is model.line.tokenizer
    less = tagloom.train(without("xpos", "feats", "lemma", "head", "deprel"), system="pipeline", **QUICK)
    assert less.spec.parts == ("tokens", "upos")
    bare = tagloom.train(without("upos", "xpos", "head", "deprel", "feats"), system="pipeline", **QUICK)
    assert bare.spec.parts == ("tokens", "lemma")
    assert bare.annotate([["Dogs", "bark"]]).column("lemma").texts()


def test_parts_are_chosen_by_name() -> None:
    model = tagloom.train(bank(), system="pipeline", parts="lemma, upos", **QUICK)
    assert model.spec.parts == ("upos", "lemma")
    assert model.tokenizer.name in ("unicode", "ptb")
    assert [each.spec.label for each in model.models] == ["upos", "lemma"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"parts": "upos,lemmas"}, "unknown part of a pipeline 'lemmas'; did you mean 'lemma'?"),
        ({"options": {"lemmas": {}}}, "unknown part of a pipeline 'lemmas'; did you mean 'lemma'?"),
        ({"options": {"upos": 5}}, "options: upos: expected options by name, got 5"),
        ({"options": {"lemma": {"epoch": 5}}}, "unknown option of a tagger 'epoch'; did you mean 'epochs'?"),
        ({"options": {"trees": {"epochs": 0}}}, "epochs: expected a whole number of 1 or more, got 0"),
        ({"attributes": {"x": len}}, "attributes: pass them to the part that reads them"),
        ({"feats": "some"}, "unknown feats 'some'"),
        ({"parts": "tokens", "tokenizer": "ptb"}, "tokenizer: the part tokens learns one; leave one of them out"),
        ({"provide": "upos"}, "provide: a pipeline predicts all its columns itself; leave it out"),
        ({"start": pipeline}, "start: a pipeline cannot begin from another model"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_trained(options: dict[str, Any], message: str) -> None:
    told: list[Any] = []
    with pytest.raises(tagloom.ConfigError) as error:
        tagloom.train(bank(), system="pipeline", on_progress=told.append, **options)
    assert str(error.value).startswith(message)
    assert told == []


def test_missing_columns_are_one_line() -> None:
    with pytest.raises(tagloom.DataError) as error:
        tagloom.train(without("lemma"), system="pipeline", parts="upos,lemma")
    assert str(error.value).endswith("the column lemma is empty; leave lemma out of parts")
    dev = without("feats")
    told: list[Any] = []
    with pytest.raises(tagloom.TagloomError) as dev_error:
        tagloom.train(bank(), system="pipeline", dev=dev, on_progress=told.append, **QUICK)
    assert "feats" in str(dev_error.value)
    assert told == []


def test_options_reach_their_parts() -> None:
    model = pipeline()
    epochs = {each.spec.label: each.spec.epochs for each in model.models if each.system == "tagger"}  # type: ignore[attr-defined]
    assert epochs == {"upos": 2, "xpos": 1, "feats": 2, "lemma": 3}
    assert model.models[-1].spec.epochs == 3
    assert model.tokenizer.spec.epochs == 2  # type: ignore[attr-defined]
    shared = tagloom.train(bank(), system="pipeline", parts="upos,lemma", folds=2, epochs=1)
    assert [each.spec.epochs for each in shared.models] == [1, 1]


def test_features_are_wholes_or_attributes() -> None:
    whole, single = pipeline(), pipeline("attributes")
    assert single.spec.attributes == ("Number", "Person")
    assert [layer.column for layer in single.layers] == ["upos", "xpos", "lemma", "head", "deprel", "feats"]
    for model in (whole, single):
        found = model.annotate(bank())
        assert set(found.column("feats").texts()) <= {
            "_",
            "Number=Sing",
            "Number=Plur",
            "Number=Sing|Person=3",
            "Person=3",
        }
        assert not [name for name in found.names if ":" in name]
        assert "feats:" not in model("The cats sleep.").to_conllu()


@unhurried
@given(st.lists(st.dictionaries(st.sampled_from(["Case", "abbr", "Number", "Zz"]), st.sampled_from("ab"), max_size=3),
                min_size=1, max_size=6))  # fmt: skip
def test_attributes_come_back(rows: list[dict[str, str]]) -> None:
    texts = [
        "|".join(f"{name}={row[name]}" for name in sorted(row, key=lambda name: (name.lower(), name))) or "_"
        for row in rows
    ]
    corpus = Corpus.from_columns({"form": ["x"] * len(rows), "feats": texts}, [len(rows)])
    names = list_attributes(corpus.column("feats"))
    assert join_feats(split_feats(corpus, names), names).texts() == texts


def check_conllu(text: str, written: str) -> None:
    """Check ids, ranges, heads and roots of CoNLL-U, and that its words stand in the text."""
    for block in filter(None, written.split("\n\n")):
        rows = [line.split("\t") for line in block.splitlines() if not line.startswith("#")]
        assert all(len(row) == 10 for row in rows)
        assert all(all(cell and cell == cell.strip() for cell in row) for row in rows)
        words = [row for row in rows if "-" not in row[0]]
        assert [int(row[0]) for row in words] == list(range(1, len(words) + 1))
        for row in rows:
            if "-" in row[0]:
                first, last = map(int, row[0].split("-"))
                assert 1 <= first < last <= len(words)
        heads = [int(row[6]) for row in words]
        assert heads.count(0) == 1
        assert all(0 <= head <= len(words) and head != place for place, head in enumerate(heads, 1))
        assert [row[7] == "root" for row in words] == [head == 0 for head in heads]
        for place in range(1, len(words) + 1):
            seen = set()
            while place:
                assert place not in seen
                seen.add(place)
                place = heads[place - 1]
    lines = [line.removeprefix("# text = ") for line in written.splitlines() if line.startswith("# text = ")]
    assert "".join("".join(lines).split()) == "".join(text.split())


PIECES = st.sampled_from(["The", "dog", "doesn't", "bark", ".", "cats!", "(here)", "1,000", "sleeps", "我", "#", "_"])


@unhurried
@given(st.lists(st.tuples(PIECES, st.sampled_from([" ", " ", "\n", "\n\n", ""])), max_size=12))
def test_text_becomes_a_valid_treebank(pieces: list[tuple[str, str]]) -> None:
    text = "".join(piece + blank for piece, blank in pieces)
    check_conllu(text, pipeline()(text).to_conllu())


def test_a_pipeline_is_scored_on_text() -> None:
    score = pipeline().evaluate(bank())
    assert score.signature is not None
    assert 0 <= score.value <= 100


def test_files_and_threads_and_checkpoints(tmp_path: Path) -> None:
    options = {"parts": "tokens,upos,lemma", **QUICK}
    one = tagloom.train(bank(), system="pipeline", **options)
    path = tmp_path / "checkpoint"
    two = tagloom.train(bank(), system="pipeline", checkpoint=path, keep_checkpoint=True, threads=2, **options)
    three = tagloom.train(bank(), system="pipeline", checkpoint=path, **options)
    assert one.to_bytes() == two.to_bytes() == three.to_bytes()
    one.save(tmp_path / "m")
    again = tagloom.load(tmp_path / "m", system="pipeline")
    assert again.to_bytes() == one.to_bytes()
    assert again("The dog barks. Dogs bark.").to_conllu() == one("The dog barks. Dogs bark.").to_conllu()


def test_a_tokenizer_takes_the_place_of_the_part() -> None:
    model = tagloom.train(
        without("head", "deprel", "feats", "xpos"), system="pipeline", tokenizer="whitespace", **QUICK
    )
    assert model.spec.parts == ("upos", "lemma")
    assert [token.text for token in model("Dogs bark.").tokens] == ["Dogs", "bark."]


@pytest.mark.parametrize("system", ["tokenizer", "pipeline"])
def test_what_is_scored_on_text_has_no_columns_to_compare(system: str) -> None:
    noun = tagloom.SYSTEMS[system].noun
    calls = {
        "jackknife": lambda: tagloom.jackknife(bank(), system=system),
        "tune": lambda: tagloom.tune(bank(), bank(), {"seed": [1, 2]}, system=system),
    }
    for name, call in calls.items():
        with pytest.raises(tagloom.ConfigError) as error:
            call()
        assert str(error.value).startswith(f"{name}: a {noun} is scored on text, not on columns")


def test_learners_of_tokenizers_are_compared() -> None:
    found = tagloom.compare_learners(bank(), bank(), "perceptron, pa", system="tokenizer", epochs=1)
    for run in found.runs:
        model = tagloom.train(bank(), system="tokenizer", learner=run.learner, epochs=1)
        assert run.score.value == model.evaluate(bank()).value
        assert run.model_bytes == len(model.to_bytes())


class KillError(Exception):
    """Ends a training as a kill does: nothing of it runs any more."""


@pytest.mark.parametrize("after", [1, 4, 7, 10])
def test_a_killed_pipeline_goes_on_and_ends_with_the_same_bytes(tmp_path: Path, after: int) -> None:
    file = tmp_path / "pipeline.checkpoint"
    calls: list[str] = []

    def kill(progress: Any) -> None:
        calls.append(progress.message)
        if len(calls) == after:
            raise KillError

    with pytest.raises(KillError):
        tagloom.train(bank(), system="pipeline", checkpoint=file, on_progress=kill, **QUICK)
    kept = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("*.parts/*")}
    told: list[str] = []
    model = tagloom.train(
        bank(), system="pipeline", checkpoint=file, keep_checkpoint=True, on_progress=lambda p: told.append(p.message),
        **QUICK,
    )  # fmt: skip
    again = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("*.parts/*")}
    assert all(again[name] == time for name, time in kept.items() if not name.endswith(".checkpoint"))
    finished = [name for name in kept if name.endswith(".fold")]
    assert sum("read from the cache" in message for message in told) == len(finished)
    assert model.to_bytes() == pipeline().to_bytes()


def test_files_of_parts_are_removed_at_the_end(tmp_path: Path) -> None:
    file = tmp_path / "x.checkpoint"
    tagloom.train(bank(), system="pipeline", parts="upos,lemma", checkpoint=file, **QUICK)
    assert list(tmp_path.iterdir()) == []
