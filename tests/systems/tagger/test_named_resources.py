"""Resources under names of the user's choice: in training, in model files, in trainings that follow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tagloom
from tagloom.corpus import Corpus
from tagloom.datasets import newswire
from tagloom.errors import ConfigError, ModelFileError
from tagloom.features import Casing, Clusters, Phrases, WordList
from tagloom.systems.tagger.warm_start import read_training_options
from tests.systems.forgery import forge
from tests.systems.tagger.test_crafted import array
from tests.systems.tagger.test_crafted_spec import spec

TEMPLATES = """form[0]
brown{2,4}:web[0]
brown_folded4:web[-1]
brown4[0]
gazetteer:2[0]
gazetteer_bioes:2[0]
gazetteer_folded:more-lists[0]
casing[0]
casing:raw[0]
lowercased:a[0]
mi:raw[0]
lexicon_begin3:words[0]
category2:x[0]
/ edge
"""


@pytest.fixture(scope="module")
def news() -> Corpus:
    corpus = newswire(12, seed=5)
    names = ("form", "pos", "chunk", "ner")
    return Corpus({name: corpus.column(name) for name in names}, corpus.sentences, corpus.documents)


@pytest.fixture
def resources(tmp_path: Path) -> dict[str, Any]:
    for name, text in {
        "web": "0011\tthe\n0101\tsaid\n10\tMonday\n",
        "own": "0101\tthe\n11\tsaid\n",
        "raw": "The man said the word . The end of the day said he .\n",
        "categories": "Aa01= the said\nBb02# of\n",
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    for number in range(70):
        (tmp_path / "lists").mkdir(exist_ok=True)
        (tmp_path / "lists" / f"list{number:02}").write_text(f"w{number}\nThe Said\nMonday\n", encoding="utf-8")
    return {
        "brown:web": tmp_path / "web",
        "brown": tmp_path / "own",
        "gazetteer:2": "train",
        "gazetteer_folded:more-lists": str(tmp_path / "lists"),
        "casing": "train",
        "casing:raw": tmp_path / "raw",
        "lowercased:a": "train",
        "statistics:raw": tmp_path / "raw",
        "lexicon:words": tmp_path / "raw",
        "category:x": tmp_path / "categories",
    }


def train(corpus: Corpus, resources: dict[str, Any], **options: Any) -> tagloom.Tagger:
    given = {"templates": TEMPLATES, "label": "ner", "epochs": 2, "resources": resources, **options}
    model = tagloom.train(corpus, **given)
    assert isinstance(model, tagloom.Tagger)
    return model


def test_a_model_file_holds_all_of_them(news: Corpus, resources: dict[str, Any], tmp_path: Path) -> None:
    model = train(news, resources)
    assert list(model.spec.resources) == list(resources)
    assert model.spec.built_resources == {"gazetteer:2": "whole", "casing": "whole", "lowercased:a": "whole"}
    assert [type(model.resources[name]) for name in ("brown:web", "casing:raw", "gazetteer:2", "lowercased:a")] == [
        Clusters, Casing, Phrases, WordList,
    ]  # fmt: skip
    model.save(tmp_path / "model")
    again = tagloom.load(tmp_path / "model")
    again.save(tmp_path / "second")
    assert (tmp_path / "model").read_bytes() == (tmp_path / "second").read_bytes()
    sentences = [news.column("form").texts(*news.span(i)) for i in range(5)]
    assert [again.tag(words) for words in sentences] == [model.tag(words) for words in sentences]


def test_names_of_features_tell_resources_apart(news: Corpus, resources: dict[str, Any]) -> None:
    model = train(news, resources)
    corpus = Corpus.from_columns({"form": ["The", "SAID", "of"]}, [3])
    texts = model.encoder.attribute_texts(corpus, 0)
    assert texts["brown4:web"] == ["", "", ""]
    assert texts["brown_folded4:web"] == ["0011", "0101", ""]
    assert texts["brown4"] == ["", "", ""]
    assert texts["gazetteer_folded:more-lists"][0].split("+") == [f"B-list{number:02}" for number in range(70)]
    assert texts["gazetteer_folded:more-lists"][1].startswith("E-list00+")
    assert texts["casing:raw"][0] == "lower/title:0+title/upper:1+frequency:0+lower/title:0,title"


def test_threads_change_nothing(news: Corpus, resources: dict[str, Any], tmp_path: Path) -> None:
    for threads in (1, 2):
        train(news, resources, threads=threads).save(tmp_path / f"{threads}")
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()


def test_training_again_makes_them_anew(news: Corpus, resources: dict[str, Any]) -> None:
    model = train(news, resources)
    options = read_training_options(model)
    assert {name for name, source in options["resources"].items() if source == "train"} == {
        "gazetteer:2", "casing", "lowercased:a",
    }  # fmt: skip
    again = tagloom.train(news, label="ner", **{k: v for k, v in options.items() if k != "label"})
    assert isinstance(again, tagloom.Tagger)
    for mine, its in zip(model.resources.values(), again.resources.values()):
        assert all(map(np.array_equal, mine.to_tensors().values(), its.to_tensors().values()))


def test_a_model_that_continues_keeps_them(news: Corpus, resources: dict[str, Any]) -> None:
    model = train(news, resources)
    grown = tagloom.train(news.slice(0, 3), start=model, resources={"brown:web": resources["brown:web"]}, epochs=1)
    assert list(grown.resources) == list(model.resources)
    with pytest.raises(ConfigError, match=r"^resources: brown:web is not what the start model was made with"):
        tagloom.train(news.slice(0, 3), start=model, resources={"brown:web": resources["brown"]}, epochs=1)


def test_folds_make_their_own(news: Corpus) -> None:
    options = {"templates": "gazetteer:all[0]\ncasing:all[0]\n", "epochs": 1, "label": "ner"}
    found = tagloom.jackknife(news, folds=2, resources={"gazetteer:all": "train", "casing:all": "train"}, **options)
    assert len(found.corpus) == len(news)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"brwn:web": "x"}, "unknown resource 'brwn'; did you mean 'brown'"),
        ({"brown:": "x"}, "resource 'brown:': expected KIND or KIND:NAME, with a NAME of letters, digits, - and _"),
        ({"brown:a.b": "x"}, "resource 'brown:a.b': expected KIND or KIND:NAME"),
        ({"brown:a:b": "x"}, "resource 'brown:a:b': expected KIND or KIND:NAME"),
        ({"brown:web": {"a": "b"}}, "resource 'brown:web': expected one file or folder, got files by name"),
    ],
)
def test_names_that_are_refused(news: Corpus, changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=f"^{message}"):
        train(news, changed, templates="form[0]")


FORGERIES = [
    array("resource.casing:raw.levels", lambda old: old + 9999),
    array("resource.casing:raw.levels", lambda old: old[1:]),
    array("resource.casing:raw.keys", lambda old: old[::-1]),
    array("resource.gazetteer_folded:more-lists.sets", lambda old: old[1:]),
    array("resource.gazetteer_folded:more-lists.sets", []),
    array("resource.gazetteer_folded:more-lists.set_ids", lambda old: old + 99),
    array("resource.brown:web.value_ids", lambda old: old + 99),
    spec(resources={"brown:we b": []}),
    spec(resources={"brown:web:x": []}),
    spec(resources={":web": []}),
]


@pytest.fixture(scope="module")
def saved(news: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("named")
    (folder / "web").write_text("0011\tthe\n", encoding="utf-8")
    (folder / "raw").write_text("the the of of\n", encoding="utf-8")
    lists = {f"l{i}": ["Monday", f"w{i}"] for i in range(65)}
    made = {"brown:web": folder / "web", "casing:raw": folder / "raw",
            "gazetteer_folded:more-lists": Phrases.build(lists, fold=True)}  # fmt: skip
    templates = "brown4:web[0]\ncasing:raw[0]\ngazetteer_folded:more-lists[0]\n"
    train(news, made, templates=templates).save(folder / "model")
    return folder / "model"


@pytest.mark.parametrize("change", FORGERIES)
def test_crafted_files_are_refused(saved: Path, tmp_path: Path, change: Any) -> None:
    with pytest.raises(ModelFileError) as caught:
        tagloom.load(forge(saved, tmp_path / "forged", change))
    assert "\n" not in str(caught.value)


def test_bits_of_lists_that_do_not_exist_are_ignored(saved: Path, tmp_path: Path) -> None:
    change = array("resource.gazetteer_folded:more-lists.sets", lambda old: np.append(old[:-2], ~(old[:2] * 0)))
    model = tagloom.load(forge(saved, tmp_path / "forged", change))
    assert isinstance(model, tagloom.Tagger)
    assert len(model.tag(["on", "Monday"])) == 2


def test_chunkers_have_no_more_than_64_lists(news: Corpus) -> None:
    lists = Phrases.build({f"l{i}": ["x"] for i in range(65)})
    options = {"label": "ner", "templates": "form[0]\n", "epochs": 1, "resources": {"gazetteer": lists}}
    with pytest.raises(
        ConfigError, match=r"^resource 'gazetteer': expected at most 64 lists for a phrase chunker, got"
    ):
        tagloom.train(news, system="phrases", **options)
