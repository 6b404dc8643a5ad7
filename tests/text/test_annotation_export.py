"""Annotations in other forms: what other readers find there is what the annotation holds."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import assume, given

from tagloom.corpus import read
from tagloom.errors import ConfigError, DataError
from tagloom.text import Annotation, SpanLayer
from tagloom.text.checks import list_hidden_words
from tests.text.annotations import annotations

FIELDS = {"lemma": "lemma", "upos": "upos", "pos": "xpos", "feats": "feats", "head": "head", "deprel": "deprel"}
DU = Annotation(
    "Il vient du  Mali.\n",
    [0, 3, 9, 9, 13, 17],
    [2, 8, 11, 11, 17, 18],
    words=["Il", "vient", "de", "le", "Mali", "."],
    multiwords=[(2, 4)],
    columns={
        "upos": ["PRON", "VERB", "ADP", "DET", "PROPN", "PUNCT"],
        "feats": ["_", "Mood=Ind|Tense=Pres", "_", "_", "_", "_"],
        "head": ["2", "0", "5", "5", "2", "2"],
        "deprel": ["nsubj", "root", "case", "det", "obl", "punct"],
    },
    heads="head",
    relations="deprel",
    layers=[SpanLayer("ner", [4], [5], ["LOC"])],
)


def test_conllu():
    assert DU.to_conllu().splitlines() == [
        "# sent_id = 1",
        "# text = Il vient du  Mali.",
        "1\tIl\t_\tPRON\t_\t_\t2\tnsubj\t_\t_",
        "2\tvient\t_\tVERB\t_\tMood=Ind|Tense=Pres\t0\troot\t_\t_",
        "3-4\tdu\t_\t_\t_\t_\t_\t_\t_\tSpacesAfter=\\s\\s",
        "3\tde\t_\tADP\t_\t_\t5\tcase\t_\t_",
        "4\tle\t_\tDET\t_\t_\t5\tdet\t_\t_",
        "5\tMali\t_\tPROPN\t_\t_\t2\tobl\t_\tner=B-LOC|SpaceAfter=No",
        "6\t.\t_\tPUNCT\t_\t_\t2\tpunct\t_\tSpacesAfter=\\n",
        "",
    ]


def test_what_conllu_has_no_column_for_is_in_misc():
    found = Annotation(
        "a b",
        [0, 2],
        [1, 3],
        columns={"label": ["B-X", "_"], "misc": ["Gloss=x|SpaceAfter=No", "_"]},
        layers=[SpanLayer("label", [0], [1], ["X"]), SpanLayer("n e", [0, 0], [1, 2], ["Y|Z", "W"])],
        scores=[0.5, 1],
    )
    rows = [line.split("\t")[-1] for line in found.to_conllu().splitlines()[2:4]]
    assert rows == [
        "Gloss=x|label=B-X|n\\se=B-Y\\pZ+B-W|Confidence=0.5000",
        "n\\se=I-W|Confidence=1.0000|SpaceAfter=No",
    ]


@given(annotations())
def test_conllu_is_read_back(found: Annotation):
    assume(len(found))
    corpus = read(io.StringIO(found.to_conllu()), "conllu")
    assert corpus.column("form").texts() == list(map(clean, found.words))
    assert corpus.sentences.tolist() == found.sentences.tolist()
    for name, field in FIELDS.items():
        if name in found.columns:
            assert corpus.column(field).texts() == list(map(clean, found.columns[name]))
    ranges = [line for line in found.to_conllu().splitlines() if re.match(r"\d+-\d+\t", line)]
    assert len(ranges) == len(found.multiwords)


def clean(text: str) -> str:
    return re.sub(r"[\t\r\n\0]", " ", text).strip(" ") or "_"


@given(annotations())
def test_conllu_tells_the_text(found: Annotation):
    """Forms of the surface and MISC give the text back, from the first token on."""
    surfaces = [found.text[found.starts[first] : found.ends[last - 1]] for first, last in found.multiwords.tolist()]
    assume(len(found) and not re.search(r"[\t\r\n\0]", "".join([*found.words, *surfaces])))
    text = ""
    inside = 0
    for line in found.to_conllu().split("\n"):
        if not line or line.startswith("#"):
            inside = 0
            continue
        number, form, *_, misc = line.split("\t")
        if "-" in number:
            inside = int(number.split("-")[1])
        elif int(number) <= inside:
            continue
        text += form + blanks(misc)
    assert text == found.text[found.tokens[0].start :]


ESCAPED = {"s": " ", "t": "\t", "n": "\n", "r": "\r", "p": "|", "\\": "\\"}


def blanks(misc: str) -> str:
    for entry in misc.split("|"):
        if entry == "SpaceAfter=No":
            return ""
        if entry.startswith("SpacesAfter="):
            return re.sub(r"\\(.)", lambda match: ESCAPED[match[1]], entry.removeprefix("SpacesAfter="))
    return " "


def test_brat():
    text, lines = DU.to_brat()
    assert text == DU.text
    assert lines.splitlines()[:4] == [
        "T1\tLOC 13 17\tMali",
        "T2\tPRON 0 2\tIl",
        "T3\tVERB 3 8\tvient",
        "T4\tADP 9 11\tdu",
    ]
    assert lines.splitlines()[-5:-3] == ["R1\tnsubj Arg1:T3 Arg2:T2", "R2\tcase Arg1:T6 Arg2:T4"]
    two = Annotation("New \nYork", [0, 5], [3, 9], layers=[SpanLayer("n", [0], [2], ["a place"])])
    assert two.to_brat()[1] == "T1\ta_place 0 3;5 9\tNew York\n"
    assert Annotation("a b", [0, 2], [1, 3]).to_brat()[1] == "T1\tToken 0 1\ta\nT2\tToken 2 3\tb\n"


@given(annotations())
def test_offsets_of_brat_select_the_text(found: Annotation):
    text, standoff = found.to_brat()
    names = set()
    lines = standoff.splitlines()
    assert "".join(f"{line}\n" for line in lines) == standoff
    entities = [line for line in lines if line.startswith("T")]
    for line in entities:
        name, place, shown = line.split("\t", 2)
        names.add(name)
        fragments = [tuple(map(int, pair.split())) for pair in place.split(" ", 1)[1].split(";")]
        assert " ".join(text[start:end] for start, end in fragments) == shown
    assert len(names) == len(entities)
    if found.layers and found.heads is None:
        assert len(entities) == len(found.spans)
    for line in lines[len(entities) :]:
        assert {argument.split(":")[1] for argument in line.split("\t")[1].split(" ")[1:]} <= names


def test_rows_and_frames():
    assert DU.to_rows()[4] == {
        "sentence": 0, "token": "Mali", "start": 13, "end": 17, "upos": "PROPN", "feats": "_", "head": "2",
        "deprel": "obl",
    }  # fmt: skip
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = DU.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.to_dict("records") == DU.to_rows()
    assert list(Annotation("", [], []).to_pandas().columns) == ["sentence", "token", "start", "end"]
    with pytest.raises(ConfigError, match="column 'token' has the name of a field of rows"):
        Annotation("a", [0], [1], columns={"token": ["a"]}).to_rows()


def test_huggingface():
    layers = [
        SpanLayer("chunk", [0], [2], ["NP"]),
        SpanLayer("ner", [2], [3], ["PER"]),
        SpanLayer("x", [0, 0], [1, 2], ["A", "B"]),
    ]
    found = Annotation.from_words([["a", "b"], ["c"]], columns={"pos": ["X", "Y", "Z"]}, layers=layers)
    assert found.to_huggingface() == {
        "tokens": [["a", "b"], ["c"]],
        "offsets": [[[0, 1], [2, 3]], [[4, 5]]],
        "chunk_tags": [["B-NP", "I-NP"], ["O"]],
        "ner_tags": [["O", "O"], ["B-PER"]],
        "pos": [["X", "Y"], ["Z"]],
    }


def test_conll():
    found = Annotation.from_words([["a", "b"], ["c"]], columns={"pos": ["X", "Y", "Z"], "ner": ["O", "", "O"]})
    assert found.to_conll() == "a X O\nb Y _\n\nc Z O\n\n"
    assert found.to_conll(["ner"]) == "a O\nb _\n\nc O\n\n"
    assert Annotation("10 000", [0], [6], columns={"pos": ["NUM"]}).to_conll() == "10 000\tNUM\n\n"
    corpus = read(io.StringIO(found.to_conll()), "conll", columns=["form", "pos", "ner"])
    assert corpus.column("pos").texts() == ["X", "Y", "Z"]


def test_jsonl_reader_takes_the_json():
    found = Annotation("Bob Lee left", [0, 4, 8], [3, 7, 12], layers=[SpanLayer("ner", [0], [2], ["PER"])])
    corpus = read(io.StringIO(found.to_json() + "\n"), "jsonl")
    assert corpus.column("form").texts() == ["Bob", "Lee", "left"]
    assert corpus.column("label").texts() == ["B-PER", "I-PER", "O"]


def test_spacy_is_named_when_it_is_missing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, "spacy", None)
    monkeypatch.setitem(__import__("sys").modules, "spacy.tokens", None)
    with pytest.raises(ConfigError, match=r'a spaCy Doc needs spaCy: pip install "tagloom\[spacy\]"'):
        DU.to_spacy()


def test_spacy():
    pytest.importorskip("spacy", reason="spaCy is not installed")
    text = " Bob  Lee\nleft Paris ."
    found = Annotation(
        text,
        [1, 6, 10, 15, 21],
        [4, 9, 14, 20, 22],
        columns={
            "upos": ["PROPN", "PROPN", "VERB", "PROPN", "?"],
            "pos": ["NNP", "NNP", "VBD", "NNP", "."],
            "lemma": ["Bob", "Lee", "leave", "Paris", "."],
            "feats": ["_", "_", "Tense=Past", "_", "_"],
            "head": ["3", "1", "0", "3", "3"],
            "deprel": ["nsubj", "flat", "root", "obj", "punct"],
        },
        heads="head",
        relations="deprel",
        layers=[SpanLayer("ner", [0, 3], [2, 4], ["PER", "LOC"])],
    )
    doc = found.to_spacy()
    assert doc.text == text
    assert [(ent.text, ent.label_, ent.start_char) for ent in doc.ents] == [
        ("Bob  Lee", "PER", 1),
        ("Paris", "LOC", 15),
    ]
    assert [(span.text, span.label_) for span in doc.spans["ner"]] == [("Bob  Lee", "PER"), ("Paris", "LOC")]
    words = {token.text: token for token in doc}
    assert words["left"].pos_ == "VERB"
    assert words["left"].tag_ == "VBD"
    assert words["left"].lemma_ == "leave"
    assert str(words["left"].morph) == "Tense=Past"
    assert words["left"].dep_ == "ROOT"
    assert words["Lee"].head.text == "Bob"
    assert words["Paris"].head.text == "left"
    assert words["Paris"].dep_ == "obj"
    assert len(list(doc.sents)) == 1
    with pytest.raises(ConfigError, match="unknown layer of the annotation 'x'"):
        found.to_spacy(entities="x")
    assert [token.text for token in DU.to_spacy() if not token.is_space][2:4] == ["de", "le"]


def test_spacy_has_no_empty_tokens():
    pytest.importorskip("spacy", reason="spaCy is not installed")
    with pytest.raises(DataError, match="no empty tokens"):
        Annotation.from_words([["a", ""]]).to_spacy()


@given(annotations())
def test_spacy_takes_any_text(found: Annotation):
    pytest.importorskip("spacy", reason="spaCy is not installed")
    doc = found.to_spacy()
    if not list_hidden_words(found):
        assert doc.text == found.text
        assert [(span.start_char, span.end_char) for layer in found.layers for span in doc.spans[layer.name]] == [
            (int(found.starts[first]), int(found.ends[last - 1]))
            for layer in found.layers
            for first, last, *_ in layer.iterate()
        ]
