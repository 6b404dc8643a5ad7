"""tagloom's models as components of spaCy pipelines."""

from __future__ import annotations

import io
import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tagloom
from tagloom import datasets
from tagloom.cli.main import run
from tagloom.corpus import Corpus, read, to_corpus, write
from tagloom.errors import ConfigError, ModelFileError
from tests.treebank import conllu

pytest.importorskip("spacy", reason="spaCy is not installed")

import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span
from spacy.training import Example
from spacy.vocab import Vocab

TEXT = "Peter Smith visited Lishire last week.  He left\non Monday."


def select(corpus: Corpus, *names: str) -> Corpus:
    columns = {name: corpus.column(name) for name in names}
    return Corpus.from_columns(columns, np.diff(corpus.sentences).tolist())


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Files of small models: a tagger, a chunker that reads tags, entities with a tagger in the file, a parser."""
    split = datasets.newswire_split(12, seed=3)
    train, dev = split.train, split.dev
    treebank = read(io.StringIO(conllu(40, 1)), "conllu")
    options: dict[str, Any] = {"epochs": 3, "cutoff": 1}
    found = {
        "pos": tagloom.train(select(train, "form", "pos"), **options),
        "chunk": tagloom.train(select(train, "form", "pos", "chunk"), templates="chunking", **options),
        "ner": tagloom.train(
            select(train, "form", "pos", "ner"), dev=select(dev, "form", "pos", "ner"), provide="pos", **options
        ),
        "parser": tagloom.train(treebank, system="parser", epochs=2, depth=1),
    }
    folder = tmp_path_factory.mktemp("models")
    for name, model in found.items():
        model.save(folder / f"{name}.tagloom")
    return {name: str(folder / f"{name}.tagloom") for name in found}


@pytest.fixture
def nlp(models: dict[str, str]) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("tagloom_tagger", config={"path": models["pos"]})
    nlp.add_pipe("tagloom_spans", config={"path": models["chunk"], "reads": {"pos": "tag"}, "spans_key": "chunks"})
    nlp.add_pipe("tagloom_ner", config={"path": models["ner"], "scores": True})
    return nlp


def describe(doc: Doc) -> list[Any]:
    spans = [(each.start, each.end, each.label_) for group in doc.spans.values() for each in group]
    ents = [(each.start_char, each.end_char, each.label_, each._.tagloom_score) for each in doc.ents]
    return [ents, spans, [(token.text, token.tag_, token.pos_, token.dep_, token.head.i) for token in doc]]


def test_a_pipeline(nlp: Language, models: dict[str, str]) -> None:
    doc = nlp(TEXT)
    words = [[token.text for token in sent if not token.is_space] for sent in (doc[:8], doc[8:])]
    annotations = [tagloom.load(models["ner"])(each, confidence=True) for each in words]
    expected = [(span.text, span.label, span.score) for each in annotations for span in each.spans]
    assert [(ent.text, ent.label_, ent._.tagloom_score) for ent in doc.ents] == expected
    assert expected
    tags = [tag for each in words for tag in tagloom.load(models["pos"]).tag(each)]
    assert [token.tag_ for token in doc if not token.is_space] == tags
    assert {token.tag_ for token in doc if token.is_space} == {""}
    pairs = [list(zip(each, tagloom.load(models["pos"]).tag(each))) for each in words]
    chunks = [span.text for each in pairs for span in tagloom.load(models["chunk"])(each).spans]
    assert [" ".join(span.text.split()) for span in doc.spans["chunks"]] == chunks
    assert 0 < doc[0]._.tagloom_score <= 1
    assert not doc.has_annotation("SENT_START")  # those that were found are not kept


def test_batches_are_documents_one_by_one(nlp: Language) -> None:
    texts = [TEXT, "", " ", "\n\n", "Bonn", TEXT[:20], "Peter saw it."]
    expected = [describe(nlp(text)) for text in texts]
    for size in (1, 3, 100):
        assert [describe(doc) for doc in nlp.pipe(texts, batch_size=size)] == expected
    assert expected[1] == [[], [], []]


def test_several_processes(nlp: Language) -> None:
    texts = [TEXT, "Peter saw Bonn.", ""] * 4
    assert [describe(doc) for doc in nlp.pipe(texts, n_process=2, batch_size=4)] == [describe(nlp(t)) for t in texts]


def test_pickle_has_the_bytes_of_the_model(nlp: Language, models: dict[str, str]) -> None:
    component = nlp.get_pipe("tagloom_ner")
    component.annotate([])
    data = pickle.dumps(component)
    assert Path(models["ner"]).read_bytes()[:200] in data
    assert describe(pickle.loads(data)(nlp.make_doc(TEXT))) == describe(component(nlp.make_doc(TEXT)))


def test_files_hold_the_models(nlp: Language, models: dict[str, str], tmp_path: Path) -> None:
    expected = describe(nlp(TEXT))
    nlp.to_disk(tmp_path / "pipeline")
    assert (tmp_path / "pipeline/tagloom_ner/model.safetensors").read_bytes() == Path(models["ner"]).read_bytes()
    config = (tmp_path / "pipeline/config.cfg").read_text()
    folder = str(Path(models["ner"]).parent)
    (tmp_path / "pipeline/config.cfg").write_text(config.replace(folder, "/nowhere"))
    again = spacy.load(tmp_path / "pipeline")
    assert describe(again(TEXT)) == expected
    copied = spacy.util.load_model_from_config(nlp.config.copy(), auto_fill=True).from_bytes(nlp.to_bytes())
    assert describe(copied(TEXT)) == expected


def test_config_and_initialize(models: dict[str, str], tmp_path: Path) -> None:
    config = f"""
    [nlp]
    lang = "en"
    pipeline = ["tagger", "ner"]

    [nlp.tokenizer]
    @tokenizers = "tagloom.Tokenizer.v1"
    name = "ptb"

    [components]

    [components.tagger]
    factory = "tagloom_tagger"
    columns = {{"pos": "lemma"}}

    [components.ner]
    factory = "tagloom_ner"
    path = {json.dumps(models["ner"])}

    [initialize]

    [initialize.components]

    [initialize.components.tagger]
    path = {json.dumps(models["pos"])}
    """
    path = tmp_path / "config.cfg"
    path.write_text(config.replace("\n    ", "\n"))
    nlp = spacy.util.load_model_from_config(spacy.util.load_config(path), auto_fill=True)
    with pytest.raises(ConfigError, match=r"^tagger: has no model; name its file as path= .* or call nlp.initialize"):
        nlp("It's here.")
    nlp.initialize()
    doc = nlp("It's here. Peter left.")
    assert [token.text for token in doc] == ["It", "'s", "here", ".", "Peter", "left", "."]
    assert len(list(doc.sents)) == 2
    assert doc[0].lemma_
    assert not doc[0].tag_


def test_trees(models: dict[str, str]) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("tagloom_parser", config={"path": models["parser"]})
    doc = nlp(" the dog saw  a cat .\nthe man sleeps .")
    parser = tagloom.load(models["parser"])
    sentences = [["the", "dog", "saw", "a", "cat", "."], ["the", "man", "sleeps", "."]]
    words = [token for token in doc if not token.is_space]
    assert [[each.text for each in sent if not each.is_space] for sent in doc.sents] == sentences
    first = 0
    for each in sentences:
        tree = parser(each)
        for token, found in zip(words[first:], tree.tokens):
            head = words[first + found.head.index] if found.head else token
            assert (token.head.i, token.pos_) == (head.i, found["upos"])
            assert token.dep_ == ("ROOT" if found.head is None else found["deprel"])
        first += len(each)
    assert doc[0].head.text == "the"


def test_sentences(models: dict[str, str]) -> None:
    """Sentences are those of the document, or those of the model's tokenizer, or the document."""
    nlp = spacy.blank("en")
    nlp.add_pipe("tagloom_parser", config={"path": models["parser"]})
    assert len(list(nlp("the dog sleeps . the cat sleeps .").sents)) == 1  # no capital letter
    doc = Doc(nlp.vocab, words=["the", "dog", "sleeps", "the", "cat", "sleeps"], sent_starts=[1, -1, -1, 1, -1, -1])
    assert len(list(nlp(doc).sents)) == 2
    whole = spacy.blank("en")
    whole.add_pipe("tagloom_parser", config={"path": models["parser"], "split_sentences": False})
    text = "The dog sleeps. The cat sleeps."
    assert (len(list(nlp(text).sents)), len(list(whole(text).sents))) == (2, 1)


def test_entities_that_are_there(models: dict[str, str]) -> None:
    for overwrite in (True, False):
        nlp = spacy.blank("en")
        nlp.add_pipe("tagloom_ner", config={"path": models["ner"], "overwrite": overwrite})
        doc = nlp.make_doc("Peter Smith visited Lishire last week")
        found = [ent.label_ for ent in nlp(doc.copy()).ents]
        assert found[:1] == ["PER"]
        doc.ents = [Span(doc, 1, 3, "MINE")]
        assert [ent.label_ for ent in nlp(doc).ents] == (found if overwrite else ["MINE", *found[1:]])


def test_tags_that_are_there(models: dict[str, str]) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("tagloom_tagger", config={"path": models["pos"], "overwrite": False})
    doc = Doc(nlp.vocab, words=["Peter", "left"], tags=["MINE", ""])
    assert [token.tag_ for token in nlp(doc)] == ["MINE", "VBD"]


def examples(count: int = 5) -> Iterator[Example]:
    vocab = Vocab()
    for name in ["Peter", "Bonn", "Anna", "Rome", "Max"][:count]:
        predicted = Doc(vocab, words=[name, "left", "."])
        gold = {"entities": ["U-NAME", "O", "O"], "tags": ["NNP", "VBD", "."], "heads": [1, 1, 1],
                "deps": ["nsubj", "ROOT", "punct"], "spans": {"sc": [(0, len(name), "NP")]}}  # fmt: skip
        yield Example.from_dict(predicted, gold)


def test_training_on_examples() -> None:
    nlp = spacy.blank("en")
    settings: dict[str, Any] = {}
    for kind in ("ner", "tagger", "parser", "spans"):
        nlp.add_pipe(f"tagloom_{kind}")
        settings[f"tagloom_{kind}"] = {"train": {"epochs": 3, **({"depth": 1} if kind == "parser" else {"cutoff": 1})}}
    nlp.config["initialize"]["components"] = settings
    nlp.initialize(examples)
    doc = nlp("Anna left.")
    assert [(ent.text, ent.label_) for ent in doc.ents] == [("Anna", "NAME")]
    assert [token.tag_ for token in doc] == ["NNP", "VBD", "."]
    assert [token.dep_ for token in doc] == ["nsubj", "ROOT", "punct"]
    assert [span.text for span in doc.spans["sc"]] == ["Anna"]
    scores = nlp.evaluate(list(examples()))
    assert [scores[name] for name in ("ents_f", "tag_acc", "dep_las", "spans_sc_f")] == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("factory", "model", "config", "message"),
    [
        ("tagloom_ner", "pos", {}, "the tagger does not label spans, it makes pos; choose another component"),
        ("tagloom_parser", "pos", {}, "the tagger makes no trees, it makes pos"),
        ("tagloom_tagger", "chunk", {}, "the tagger does not tag tokens, it makes chunk"),
        ("tagloom_spans", "chunk", {}, "the model reads the column 'pos', which spaCy must provide"),
        ("tagloom_spans", "chunk", {"reads": {"pos": "shape"}}, "unknown attribute of tokens .* 'shape'"),
        ("tagloom_spans", "chunk", {"reads": {"pos": "tag"}}, r"reads token.tag_ as 'pos', which the documents do not"),
        ("tagloom_ner", "ner", {"layer": "x"}, "unknown layer of spans of the model of tagloom_ner 'x'"),
        ("tagloom_ner", "ner", {"columns": {"x": "tag"}}, "unknown column of the model of tagloom_ner 'x'"),
        ("tagloom_ner", "ner", {"columns": {"pos": "x"}}, r"unknown attribute of tokens \(columns.pos .* 'x'"),
        ("tagloom_parser", "parser", {"scores": True}, "tagloom_parser: scores: a parser has no such output"),
        ("tagloom_ner", "ner", {"search": {"beams": 3}}, "beams"),
    ],
)
def test_refused_in_one_line(
    models: dict[str, str], factory: str, model: str, config: dict[str, Any], message: str
) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe(factory, config={"path": models[model], **config})
    with pytest.raises(ConfigError, match=message) as caught:
        nlp("Peter left.")
    assert "\n" not in str(caught.value)


def test_adding_a_component_opens_no_model(tmp_path: Path) -> None:
    """spaCy looks for an attribute ``model``, in an order that changes from process to process."""
    nlp = spacy.blank("en")
    for config in ({}, {"path": str(tmp_path / "x")}):
        assert not hasattr(nlp.create_pipe("tagloom_ner", config=config), "model")


def test_files_that_are_not_there(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("tagloom_ner", config={"path": str(tmp_path / "x")})
    with pytest.raises(ModelFileError, match="x: no such model file"):
        nlp("Peter left.")
    with pytest.raises(ModelFileError, match="x: no such model file"):
        nlp.initialize()


def test_errors_of_batches_go_to_the_handler(models: dict[str, str]) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("tagloom_spans", config={"path": models["chunk"], "reads": {"pos": "tag"}})
    seen: list[str] = []
    nlp.set_error_handler(lambda name, component, docs, error: seen.append(f"{name}: {len(docs)}"))
    assert list(nlp.pipe(["Peter left.", "He left."])) == []
    assert seen == ["tagloom_spans: 2"]


def test_other_systems(tmp_path: Path) -> None:
    """Phrase chunkers, and taggers that label documents as wholes."""
    split = datasets.newswire_split(6, seed=3)
    train = select(split.train, "form", "ner")
    documents = Corpus(train.columns, train.sentences, split.train.documents, has_documents=True)
    found = {
        "phrases": tagloom.train(train, system="phrases", epochs=1, cutoff=1),
        "documents": tagloom.train(documents, sequences="documents", epochs=2, cutoff=1),
    }
    texts = ["", " ".join(split.test.sentence(0, "form")), "Peter left. Peter Smith stayed."]
    for name, model in found.items():
        model.save(tmp_path / name)
        nlp = spacy.blank("en")
        nlp.add_pipe("tagloom_ner", config={"path": str(tmp_path / name)})
        expected = [[(ent.text, ent.label_) for ent in nlp(text).ents] for text in texts]
        assert [[(ent.text, ent.label_) for ent in doc.ents] for doc in nlp.pipe(texts)] == expected
        words = [token.text for token in nlp.make_doc(texts[1])]
        assert expected[1] == [(span.text, span.label) for span in model(words).spans]


def test_models_of_attributes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.crfsuite").write_text("A\tw=a\tx\nB\tw=b\n\n")
    tagloom.train(tmp_path / "x.crfsuite", format="crfsuite", epochs=1).save(tmp_path / "model")
    nlp = spacy.blank("en")
    nlp.add_pipe("tagloom_tagger", config={"path": str(tmp_path / "model")})
    with pytest.raises(ConfigError, match="reads attributes of tokens, which documents do not have"):
        nlp("a b")


def test_models_that_cut_words_are_tokenizers(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("中国 人 民\n人民 中 国\n", "utf-8")
    model = tagloom.train(tmp_path / "words.txt", format="segmented", epochs=2)
    model.save(tmp_path / "words.tagloom")
    nlp = spacy.blank("xx")
    nlp.add_pipe("tagloom_tagger", config={"path": str(tmp_path / "words.tagloom")})
    with pytest.raises(ConfigError, match=r"cuts text into words, and spaCy has done so; use it as tokenizer"):
        nlp("中国")


class TestTokenizer:
    def build(self, name: str) -> Language:
        return spacy.blank("en", config={"nlp": {"tokenizer": {"@tokenizers": "tagloom.Tokenizer.v1", "name": name}}})

    def test_texts_are_kept(self) -> None:
        nlp = self.build("unicode")
        for text in (TEXT, "", " ", "a  b", "日本\t語"):
            assert nlp(text).text == text
        assert [sent.text for sent in nlp("He left. She slept.").sents] == ["He left.", "She slept."]

    def test_a_learned_tokenizer_is_saved(self, tmp_path: Path) -> None:
        treebank = tmp_path / "x.conllu"
        treebank.write_text(conllu(30, 2))
        tagloom.train(treebank, system="tokenizer", epochs=2).save(tmp_path / "x.tokenizer")
        nlp = self.build(str(tmp_path / "x.tokenizer"))
        words = [token.text for token in nlp("the dog saw a cat .")]
        nlp.to_disk(tmp_path / "pipeline")
        (tmp_path / "x.tokenizer").unlink()
        again = spacy.load(tmp_path / "pipeline")
        assert [token.text for token in again("the dog saw a cat .")] == words
        docs = again.pipe(["the dog saw a cat ."] * 3, n_process=2)
        assert [[token.text for token in doc] for doc in docs] == [words] * 3
        assert pickle.loads(pickle.dumps(again.tokenizer))("a cat").text == "a cat"

    def test_names_that_nobody_knows(self) -> None:
        with pytest.raises(ConfigError, match="unknown tokenizer, and no model file, 'unicod'; did you mean 'unicode'"):
            self.build("unicod")("a")


def test_documents_are_data(nlp: Language) -> None:
    docs = [nlp(TEXT), nlp("Peter saw it.")]
    docs.append(Doc(Vocab(), words=["Another", "vocabulary"], tags=["DT", "NN"], ents=["O", "B-X"]))
    corpus = to_corpus(docs, columns="form xpos label")
    assert corpus.sentence(2, "form") == ["Another", "vocabulary"]
    assert corpus.sentence(2, "label") == ["O", "B-X"]
    assert corpus.sentence(0, "xpos") == [token.tag_ for token in docs[0] if not token.is_space]
    model = tagloom.train(docs, label="xpos", epochs=2, cutoff=1)
    assert len(model.annotate(docs)) == 3


def call(*words: object) -> None:
    assert run(list(map(str, words))) == 0


def test_docbin_on_the_command_line(models: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus = select(datasets.newswire(2, seed=9), "form", "pos", "ner")
    write(corpus, tmp_path / "x.txt", "conll")
    names = ["--columns", "form pos ner"]
    call("convert", tmp_path / "x.txt", tmp_path / "x.spacy", *names)
    call("convert", tmp_path / "x.spacy", tmp_path / "y.txt", "--to", "conll", *names)
    assert (tmp_path / "y.txt").read_text() == (tmp_path / "x.txt").read_text()
    call("train", tmp_path / "x.spacy", "-o", tmp_path / "x.model", "--epochs", "2")
    call("tag", models["ner"], tmp_path / "x.spacy", "-o", tmp_path / "tagged.spacy")
    found = tagloom.load(models["ner"]).annotate(corpus)
    assert read(tmp_path / "tagged.spacy").column("label").texts() == found.column("ner").texts()
    assert len(DocBin().from_disk(tmp_path / "tagged.spacy")) == len(corpus)
    call("eval", models["ner"], tmp_path / "x.spacy")
    (tmp_path / "letter.txt").write_text("Peter saw Bonn. He left.\n" * 9)
    call("tag", models["ner"], tmp_path / "letter.txt", "--text", "--to", "spacy", "-o", tmp_path / "letter.spacy")
    assert len(DocBin().from_disk(tmp_path / "letter.spacy")) == 9
    capsys.readouterr()
    assert run(["tag", models["ner"], str(tmp_path / "x.spacy"), "--nbest", "2"]) == 2
    assert "holds one labelling of a document" in capsys.readouterr().err


@pytest.fixture(scope="module")
def conll2003(data_dir: Path) -> Corpus:
    path = data_dir / "conll2003-en" / "eng.train.xz"
    if not path.exists():
        pytest.skip(f"no {path}")
    return read(path, columns="form pos chunk ner")


def test_conll_2003_has_the_entities_of_tagloom_tag(conll2003: Corpus, data_dir: Path, tmp_path: Path) -> None:
    train = conll2003.slice(0, 1500)
    tagloom.train(select(train, "form", "pos"), epochs=3).save(tmp_path / "pos.tagloom")
    tagloom.train(select(train, "form", "pos", "chunk"), epochs=3, templates="chunking").save(
        tmp_path / "chunk.tagloom"
    )
    tagger = {"pos": str(tmp_path / "pos.tagloom")}
    tagloom.train(select(train, "form", "pos", "ner"), epochs=3, provide=tagger).save(tmp_path / "ner.tagloom")
    test = read(data_dir / "conll2003-en" / "eng.testb", columns="form pos chunk ner").slice(0, 1000)
    lines = [" ".join(words) for words in test.iter_sentences("form")]
    (tmp_path / "text.txt").write_text("".join(f"{line}\n" for line in lines))
    call("tag", tmp_path / "ner.tagloom", tmp_path / "text.txt", "--to", "jsonl", "-o", tmp_path / "out.jsonl")
    records = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    tokenizer = {"@tokenizers": "tagloom.Tokenizer.v1", "name": str(tmp_path / "ner.tagloom")}
    nlp = spacy.blank("en", config={"nlp": {"tokenizer": tokenizer}})
    nlp.add_pipe("tagloom_tagger", config={"path": str(tmp_path / "pos.tagloom")})
    nlp.add_pipe("tagloom_spans", config={"path": str(tmp_path / "chunk.tagloom"), "reads": {"pos": "tag"}})
    nlp.add_pipe("tagloom_ner", config={"path": str(tmp_path / "ner.tagloom")})
    docs = list(nlp.pipe(lines))
    found = [[(ent.start_char, ent.end_char, ent.label_) for ent in doc.ents] for doc in docs]
    expected = [
        [(each["start"], each["end"], each["label"]) for each in record["spans"] if each["layer"] == "ner"]
        for record in records
    ]
    assert found == expected
    assert sum(map(len, found)) > 1000
    assert sum(len(doc.spans["chunk"]) for doc in docs) > 5000
