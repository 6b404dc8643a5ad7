"""Model folders and cards for the Hub, and data sets; nothing here uses the network."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tagloom
from tagloom import datasets as bundled
from tagloom.cli.main import run
from tagloom.compat.huggingface import (
    CardInfo,
    from_pretrained,
    push_to_hub,
    save_pretrained,
    to_columns,
    to_dataset,
    write_card,
)
from tagloom.corpus import Column, Corpus, to_corpus, write
from tagloom.errors import ConfigError, DataError, ModelFileError
from tagloom.systems.base import Model


def select(corpus: Corpus, *names: str) -> Corpus:
    columns = {name: corpus.column(name) for name in names}
    return Corpus.from_columns(columns, np.diff(corpus.sentences).tolist())


SPLIT = bundled.newswire_split(8, seed=3)
TRAIN, TEST = (select(each, "form", "ner") for each in (SPLIT.train, SPLIT.test))


@pytest.fixture(scope="module")
def model() -> Model:
    return tagloom.train(TRAIN, epochs=2, cutoff=1)


# -- model folders -----------------------------------------------------------------------------------------------------


def test_a_folder_is_opened_again(model: Any, tmp_path: Path) -> None:
    files = save_pretrained(model, tmp_path / "new" / "folder", license="mit")
    assert [file.name for file in files] == ["model.safetensors", "config.json", "README.md"]
    assert files[0].read_bytes() == model.to_bytes()
    for name in (files[0].parent, files[0]):
        assert from_pretrained(name).to_bytes() == model.to_bytes()
    config = json.loads(files[1].read_text())
    assert config["library_name"] == "tagloom"
    assert config["training_data_checksum"] == TRAIN.checksum()
    assert config["adds"] == [{"column": "ner", "kind": "labels"}]
    again = [path.read_bytes() for path in save_pretrained(model, tmp_path / "new" / "folder", license="mit")]
    assert again == [path.read_bytes() for path in files]


def test_metadata_of_the_card(model: Any, tmp_path: Path) -> None:
    """The library of the Hub reads what the card says."""
    hub = pytest.importorskip("huggingface_hub", reason="huggingface_hub is not installed")
    score = model.evaluate(TEST)
    save_pretrained(
        model,
        tmp_path,
        name="me/ner",
        description="Names: in news, 'quoted' #1.",
        license="mit",
        language=["en", "no"],
        datasets="conll2003",
        tags=["news: x"],
        scores={"test | part": score},
    )
    card = hub.ModelCard.load(tmp_path / "README.md")
    data = card.data.to_dict()
    assert (data["library_name"], data["license"], data["language"]) == ("tagloom", "mit", ["en", "no"])
    assert (data["pipeline_tag"], data["datasets"]) == ("token-classification", ["conll2003"])
    assert data["tags"] == ["tagloom", "tagger", "ner", "news: x"]
    results = {each.metric_type: each for each in card.data.eval_results}
    assert results["f1"].metric_value == pytest.approx(score.overall.f1 / 100, abs=1e-6)
    assert results["precision"].metric_value == pytest.approx(score.overall.precision / 100, abs=1e-6)
    assert results["f1"].metric_args == {"signature": str(score.signature)}
    assert (results["f1"].dataset_name, results["f1"].dataset_type) == ("test | part", "conll2003")
    assert f"| f1 | {score.value:.2f} |" in card.text
    assert f"`{score.signature}`" in card.text
    assert f"| training data (checksum) | {TRAIN.checksum()} |" in card.text
    assert 'from_pretrained("me/ner")' in card.text
    assert "Names: in news, 'quoted' #1." in card.text


def test_a_card_of_anything(model: Any) -> None:
    text = write_card(model, CardInfo())
    assert "## Scores" not in text
    assert "license" not in text
    assert "model-index" not in text
    parser = tagloom.train(select(SPLIT.train, "form", "pos", "head"), system="parser", tags="gold", epochs=1, depth=1)
    written = write_card(parser, CardInfo(scores={"x": parser.evaluate(select(SPLIT.test, "form", "pos", "head"))}))
    assert 'model.annotate([{"form": [...], "pos": [...]}])' in written
    assert "| trees | yes |" in written
    assert "| uas | " in written


@pytest.mark.parametrize(
    ("info", "message"),
    [
        ({"licence": "mit"}, r"^unknown part of a card among licence \(known: name, description, license, "),
        ({"scores": {"x": 93.1}}, "^scores: x: expected a score with a signature, as model.evaluate returns it$"),
    ],
)
def test_refused_cards(model: Any, tmp_path: Path, info: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        save_pretrained(model, tmp_path, **info)
    assert list(tmp_path.iterdir()) == []


def test_folders_that_cannot_be_used(model: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="file: cannot make this folder for the model"):
        save_pretrained(model, tmp_path / "file")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelFileError, match=r"model\.safetensors: no such model file"):
        from_pretrained(tmp_path / "empty")


# -- the Hub -----------------------------------------------------------------------------------------------------------


class FakeHub:
    """What is used of ``huggingface_hub``, with a folder in the place of the network."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.calls = folder, list[Any]()

    def HfApi(self, token: Any = None) -> FakeHub:
        self.calls.append(("token", token))
        return self

    def create_repo(self, repo_id: str, **options: Any) -> None:
        if repo_id.count("/") > 1:
            raise ValueError("Repo id must be in the form 'repo_name' or 'namespace/repo_name'\nand more")
        self.calls.append(("create", repo_id, options))

    def upload_folder(self, *, folder_path: str, repo_id: str, **options: Any) -> str:
        target = self.folder / repo_id
        target.mkdir(parents=True)
        for file in Path(folder_path).iterdir():
            (target / file.name).write_bytes(file.read_bytes())
        self.calls.append(("upload", repo_id, options))
        return f"commit of {repo_id}"

    def hf_hub_download(self, repo_id: str, filename: str, **options: Any) -> str:
        self.calls.append(("download", repo_id, options))
        path = self.folder / repo_id / filename
        if not path.exists():
            raise OSError("404 Client Error.\nRepository Not Found")
        return str(path)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeHub:
    fake = FakeHub(tmp_path / "hub")
    monkeypatch.setitem(__import__("sys").modules, "huggingface_hub", fake)
    return fake


def test_a_model_goes_to_the_hub_and_comes_back(model: Any, hub: FakeHub) -> None:
    assert push_to_hub(model, "me/ner", private=True, token="secret", license="mit") == "commit of me/ner"
    assert hub.calls[0] == ("token", "secret")
    assert hub.calls[1] == ("create", "me/ner", {"private": True, "exist_ok": True, "repo_type": "model"})
    text = (hub.folder / "me/ner/README.md").read_text()
    assert "license: mit\n" in text
    assert "# me/ner\n" in text
    assert from_pretrained("me/ner", revision="v1").to_bytes() == model.to_bytes()
    assert hub.calls[-1] == ("download", "me/ner", {"revision": "v1", "token": None, "cache_dir": None})


def test_refusals_of_the_hub_are_one_line(model: Any, hub: FakeHub, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"^a/b/c: the Hub does not take it: Repo id must be .*namespace/repo_name'$"):
        push_to_hub(model, "a/b/c")
    with pytest.raises(DataError, match=r"^me/x: no such folder, and not to be had from the Hub: 404 Client Error\.$"):
        from_pretrained("me/x")
    with pytest.raises(DataError, match=r"expected a folder with model\.safetensors; write it with save_pretrained"):
        push_to_hub(tmp_path, "me/x")
    with pytest.raises(ConfigError, match="license: the folder has its card already"):
        push_to_hub(tmp_path, "me/x", license="mit")


def test_packages_that_are_missing(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("huggingface_hub", "datasets"):
        monkeypatch.setitem(__import__("sys").modules, name, None)
    with pytest.raises(ConfigError, match=r'^uploading a model needs huggingface_hub: pip install "tagloom\[hugg'):
        push_to_hub(model, "me/x")
    with pytest.raises(ConfigError, match=r'^a model of the Hub needs huggingface_hub: pip install "tagloom\[hugg'):
        from_pretrained("me/x")
    with pytest.raises(ConfigError, match=r'^a data set needs datasets: pip install "tagloom\[huggingface\]"$'):
        to_dataset(TRAIN)


def test_the_command(model: Any, hub: FakeHub, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model.save(tmp_path / "ner.tagloom")
    write(TEST, tmp_path / "test.txt", "conll")
    folder = tmp_path / "english-ner"
    words = ["card", tmp_path / "ner.tagloom", "-o", folder, "--license", "mit", "--language", "en"]
    assert run(list(map(str, [*words, "--test", tmp_path / "test.txt"]))) == 0
    text = (folder / "README.md").read_text()
    assert "# english-ner\n" in text
    assert f"| f1 | {model.evaluate(TEST).value:.2f} |" in text
    assert "**test.txt (checksum " in text
    assert "wrote model.safetensors, config.json, README.md in " in capsys.readouterr().err
    assert run(list(map(str, [*words, "--push", "me/ner"]))) == 0
    assert capsys.readouterr().out == "commit of me/ner\n"
    assert (hub.folder / "me/ner/README.md").read_text().count("# me/ner\n") == 1


# -- data sets ---------------------------------------------------------------------------------------------------------

NAMES = ["O", "B-PER", "I-PER"]
ROWS: dict[str, Any] = {
    "id": ["0", "1"],
    "tokens": [["Peter", "left"], ["He"]],
    "pos_tags": [[0, 1], [2]],
    "ner_tags": [[1, 0], [0]],
}


@pytest.fixture(scope="module")
def hf() -> Any:
    return pytest.importorskip("datasets", reason="datasets is not installed")


def build_dataset(hf: Any, kind: str = "Sequence") -> Any:
    list_of = getattr(hf, kind)
    pos, ner = hf.ClassLabel(names=["NNP", "VBD", "PRP"]), hf.ClassLabel(names=NAMES)
    features = {
        "id": hf.Value("string"),
        "tokens": list_of(hf.Value("string")),
        "pos_tags": list_of(pos),
        "ner_tags": list_of(ner),
    }
    return hf.Dataset.from_dict(ROWS, features=hf.Features(features))


@pytest.mark.parametrize("kind", ["Sequence", "List"])
def test_class_names(hf: Any, kind: str) -> None:
    if not hasattr(hf, kind):
        pytest.skip(f"this version of datasets has no {kind}")
    data = build_dataset(hf, kind)
    for each in (data, data.select([0, 1]), data.with_format("numpy"), data.to_iterable_dataset()):
        corpus = to_corpus(each)
        assert corpus.names == ["form", "pos", "label"]
        assert corpus.sentence(0, "label") == ["B-PER", "O"]
        assert corpus.sentence(0, "pos") == ["NNP", "VBD"]
        assert tagloom.from_hf(each).sentence(0, "label") == ["B-PER", "O"]
    assert to_corpus(data, columns="tokens pos_tags").sentence(1, "pos_tags") == ["PRP"]


def test_streams_are_read_once(hf: Any) -> None:
    reads: list[int] = []

    def generate(parts: Any = None) -> Any:
        reads.append(1)
        yield {"tokens": ["He", "left"], "ner_tags": ["O", "O"]}

    stream = hf.IterableDataset.from_generator(generate)
    assert to_corpus(stream).sentence(0, "label") == ["O", "O"]
    assert len(reads) == 1
    assert to_corpus(build_dataset(hf).to_iterable_dataset().take(1)).token_count == 2


def test_splits_are_chosen_by_the_user(hf: Any) -> None:
    splits = hf.DatasetDict(train=build_dataset(hf), validation=build_dataset(hf))
    with pytest.raises(DataError, match=r"got a dict of them; choose one, such as data\['train'\]"):
        to_corpus(splits)
    model = tagloom.train(splits["train"], dev=splits["validation"], epochs=2, cutoff=1)
    assert model.annotate(splits["validation"]).names == ["form", "pos", "label"]


def test_annotated_data_comes_back(hf: Any) -> None:
    data = build_dataset(hf)
    model = tagloom.train(data, epochs=3, cutoff=1)
    found = to_dataset(model.annotate(data))
    assert found.column_names == ["tokens", "pos_tags", "ner_tags"]
    label = getattr(found.features["ner_tags"], "feature", None)
    assert set(label.names) <= set(NAMES)
    again = to_corpus(found)
    for name in ("form", "pos", "label"):
        assert again.column(name).texts() == to_corpus(data).column(name).texts()
    texts = to_dataset(model.annotate(data), classes=False)
    assert texts["ner_tags"][0] == ["B-PER", "O"]


def test_names_of_columns() -> None:
    corpus = Corpus.from_columns({"form": ["a"], "label": ["X"], "ner": ["O"], "head": ["0"]}, [1])
    assert to_columns(corpus) == {"tokens": [["a"]], "label": [["X"]], "ner": [["O"]], "head": [[0]]}
    bag = Column(np.zeros(1, np.int32), Column.from_strings(["x"]).strings, np.array([0, 1]))
    with pytest.raises(DataError, match="column 'bag' holds several strings per token"):
        to_columns(corpus.with_column("bag", bag))


def test_trees_are_numbers(hf: Any) -> None:
    found = to_dataset(select(SPLIT.test, "form", "pos", "head"))
    assert found["head"][0] == list(map(int, SPLIT.test.sentence(0, "head")))
    assert to_corpus(found, columns="tokens pos_tags head").column("head").texts() == SPLIT.test.column("head").texts()
