"""Gazetteers by class: from files, and made of the entities of the training data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tagloom
from tagloom.corpus import Corpus
from tagloom.datasets import newswire
from tagloom.errors import ConfigError, DataError
from tagloom.features import Phrases, load_resource
from tagloom.systems.tagger.encode import EncodedCorpus
from tagloom.systems.tagger.options import TaggerOptions
from tagloom.systems.tagger.task import Task
from tests.oracle import attributes as oracle
from tests.strategies import unhurried

TEMPLATES = "form[0]\ngazetteer[0]\ngazetteer[-1] gazetteer[0] / edge\n/ edge"
TEXT = "the Acme Corp. hired anna smith and Smith of ACME".split()  # noqa: SIM905


def nodes(phrases: object) -> list[list[int]]:
    """The keys of the nodes and their sets of lists, as bits."""
    assert isinstance(phrases, Phrases)
    tensors = phrases.to_tensors()
    return [tensors["keys"].tolist(), tensors["sets"][tensors["set_ids"]].tolist()]


def matches(phrases: Phrases, words: list[str]) -> list[list[str]]:
    """The classes of every word, by a model that knows nothing but the gazetteer."""
    corpus = Corpus.from_columns({"form": words, "label": ["O"] * len(words)}, [len(words)])
    task = Task.plan(corpus, TaggerOptions(templates="gazetteer[0]", resources={"gazetteer": phrases}))
    store, batch = task.encoder.new_store(), task.encoder.batch(corpus)
    task.encoder.prepare(store, batch)
    return [[text for text, _ in store.values(0, token)] for token in range(len(words))]


def test_several_files_form_a_class_and_each_has_its_own_case(tmp_path: Path) -> None:
    files = {"firms": "Acme\nAcme Corp.\n", "clubs": "United\n", "people": "ANNA SMITH\n", "names": "Smith\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    by_class = {"ORG": [tmp_path / "firms", tmp_path / "clubs"], "PER": [tmp_path / "people", str(tmp_path / "names")]}
    phrases = load_resource("gazetteer", by_class)
    assert isinstance(phrases, Phrases)
    assert phrases.names == ("ORG", "PER")
    found = [[], ["B-ORG"], ["I-ORG"], [], ["B-PER"], ["I-PER"], [], ["B-PER"], [], []]
    assert matches(phrases, TEXT) == found
    one = load_resource("gazetteer", {"ORG": tmp_path / "firms"})
    assert isinstance(one, Phrases)
    assert matches(one, TEXT) == [[label for label in labels if "ORG" in label] for labels in found]


@given(
    st.dictionaries(
        st.sampled_from(["ORG", "PER", "MISC"]),
        st.lists(st.lists(st.sampled_from(["a", "B", "cD"]), min_size=1, max_size=3), max_size=4),
        min_size=1,
    ),
    st.lists(st.sampled_from(["a", "A", "B", "cD", "cd"]), min_size=1, max_size=9),
)
@unhurried
def test_phrases_of_tokens_are_matched_with_their_case(lists: dict[str, list[list[str]]], words: list[str]) -> None:
    spelled = {name: [" ".join(tokens) for tokens in phrases] + ["x", "X"] for name, phrases in lists.items()}
    assert matches(Phrases.of_tokens(lists), words) == oracle.gazetteer(spelled)(words)  # x and X: case counts


@pytest.mark.parametrize(
    ("name", "source", "error", "message"),
    [
        ("brown", {"a": "b"}, ConfigError, "resource 'brown': expected one file or folder, got files by name"),
        ("gazetteer", {}, DataError, "lists by name: expected 1 to 65,536 lists, found 0"),
        ("gazetteer", {"ORG": ["no-such-file"]}, DataError, "no-such-file: no such file"),
    ],
)
def test_classes_that_cannot_be_read(name: str, source: dict[str, str], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}"):
        load_resource(name, source)


@pytest.fixture(scope="module")
def news() -> Corpus:
    corpus = newswire(12, seed=5)
    names = ("form", "pos", "chunk", "ner")
    return Corpus({name: corpus.column(name) for name in names}, corpus.sentences, corpus.documents)


def entities(corpus: Corpus) -> dict[str, set[tuple[str, ...]]]:
    """The spans of IOB2 labels, token by token."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for words, labels in zip(corpus.iter_sentences("form"), corpus.iter_sentences("ner")):
        for start, label in enumerate(labels):
            if label.startswith("B-"):
                stop = start + 1
                while stop < len(labels) and labels[stop] == f"I-{label[2:]}":
                    stop += 1
                found.setdefault(label[2:], set()).add(tuple(words[start:stop]))
    return found


def planned(corpus: Corpus, seed: int = 1) -> Task:
    return Task.plan(
        corpus, TaggerOptions(templates=TEMPLATES, label="ner", resources={"gazetteer": "train"}, seed=seed)
    )


def test_the_model_has_all_training_entities_and_the_training_data_two_fifths_of_them(news: Corpus) -> None:
    known, task = entities(news), planned(news)
    whole, seen = (
        task.encoder.vocabulary.resources["gazetteer"],
        task.training_encoder.vocabulary.resources["gazetteer"],
    )
    assert isinstance(seen, Phrases)
    assert list(whole.names) == list(seen.names) == sorted(known)
    assert sorted(zip(*nodes(whole))) == sorted(zip(*nodes(Phrases.of_tokens({k: known[k] for k in sorted(known)}))))
    hits = sum(matches(seen, list(phrase))[0] == [f"B-{name}"] for name in known for phrase in known[name])
    count = sum(map(len, known.values()))
    assert 0.3 * count < hits < 0.6 * count  # entries match, and beginnings of others that are entries
    model = tagloom.train(news, templates=TEMPLATES, label="ner", resources={"gazetteer": "train"}, epochs=1)
    assert nodes(model.resources["gazetteer"]) == nodes(whole)


def test_the_share_is_drawn_by_the_seed(news: Corpus) -> None:
    first, again, other = (
        nodes(planned(news, seed).training_encoder.vocabulary.resources["gazetteer"]) for seed in (1, 1, 2)
    )
    assert first == again != other


def test_training_data_and_other_data_are_matched_differently(news: Corpus) -> None:
    """The training data as another corpus is matched with all entries, so it has more values."""
    options = TaggerOptions(templates=TEMPLATES, label="ner", resources={"gazetteer": "train"})
    encoded = EncodedCorpus.encode(Task.plan(news, options), options)
    encoder = encoded.task.encoder
    store, batch = encoder.new_store(), encoder.batch(news)
    encoder.prepare(store, batch)
    number = [spec.text for spec in encoder.attributes].index("gazetteer")
    counts = [np.array([len(s.values(number, t)) for t in range(news.token_count)]) for s in (encoded.store, store)]
    labelled = np.array([label != "O" for label in news.column("ner").texts()])
    assert counts[0].sum() < 0.8 * counts[1].sum()
    assert (counts[1][labelled] > 0).all()


def test_a_saved_model_tags_as_before_and_training_goes_on(news: Corpus, tmp_path: Path) -> None:
    resources = {"gazetteer": "train"}
    model = tagloom.train(news, templates="ner-edge", resources=resources, epochs=2)
    model.save(tmp_path / "model")
    loaded = tagloom.load(tmp_path / "model")
    assert loaded.evaluate(news).to_dict() == model.evaluate(news).to_dict()
    further = tagloom.train(news.slice(0, 5), start=loaded, resources=resources, epochs=1)
    assert nodes(further.resources["gazetteer"]) == nodes(model.resources["gazetteer"])


@pytest.mark.parametrize("name", ["gazetteer", "entities"])
def test_only_entities_make_a_gazetteer(name: str) -> None:
    data = [(["a", "b"], ["DT", "NN"])]
    with pytest.raises(ConfigError, match=f"^resource {name}=train: <memory> has no entities; name a file"):
        tagloom.train(data, templates="form[0]", resources={name: "train"})


def test_files_and_training_entities_in_one_class(news: Corpus, tmp_path: Path) -> None:
    (tmp_path / "firms").write_text("Some Firm That Nobody Names\n", encoding="utf-8")
    (tmp_path / "people").write_text("Somebody Else\n", encoding="utf-8")
    lists = {"PER": [tmp_path / "people"], "ORG": [tmp_path / "firms", "train"]}
    model = tagloom.train(news, templates="gazetteer[0]", label="ner", resources={"gazetteer": lists}, epochs=1)
    read = load_resource("gazetteer", {"PER": tmp_path / "people", "ORG": tmp_path / "firms"})
    assert isinstance(read, Phrases)
    expected = read.with_tokens({"ORG": entities(news)["ORG"]})
    assert sorted(zip(*nodes(model.resources["gazetteer"]))) == sorted(zip(*nodes(expected)))
    assert len(read.trie) < len(expected.trie)  # a copy was extended
    again = tagloom.train(news.slice(0, 3), start=model, resources={"gazetteer": lists}, epochs=1)
    assert nodes(again.resources["gazetteer"]) == nodes(model.resources["gazetteer"])
    with pytest.raises(ConfigError, match=r"^unknown class of entities in <memory>: 'ORK'; did you mean 'ORG'"):
        tagloom.train(news, templates="gazetteer[0]", label="ner", resources={"gazetteer": {"ORK": "train"}})
