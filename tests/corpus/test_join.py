"""Several corpora as one: columns, documents, lines of treebanks, in memory and in files."""

from __future__ import annotations

import io

import numpy as np
import pytest

from tagloom.corpus import Corpus, join, read, restore_text, to_string
from tagloom.corpus.join import join_corpora, list_dropped
from tagloom.datasets import newswire
from tagloom.errors import DataError
from tagloom.systems.data import join_training_data

NEWS = newswire(6, seed=2)


def list_columns(corpus: Corpus) -> dict[str, list[str]]:
    return {name: column.texts() for name, column in corpus.columns.items()}


@pytest.mark.parametrize("on_disk", [False, True])
@pytest.mark.parametrize("cut", [1, 17, 60])
def test_parts_join_to_the_whole(cut: int, on_disk: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(join, "_SLICE_TOKENS", 100)
    bound = int(NEWS.documents[np.searchsorted(NEWS.documents, cut)])
    joined = join_corpora([NEWS.slice(0, bound), NEWS.slice(bound, len(NEWS))], on_disk=on_disk)
    assert list_columns(joined) == list_columns(NEWS)
    assert np.array_equal(joined.sentences, NEWS.sentences)
    assert np.array_equal(joined.documents, NEWS.documents)
    assert joined.has_documents


@pytest.mark.parametrize("on_disk", [False, True])
def test_a_corpus_without_documents_is_one_beside_others(on_disk: bool) -> None:
    plain = Corpus.from_columns({"form": ["a", "b", "c"]}, [1, 1, 1])
    joined = join_corpora([plain, NEWS, plain], on_disk=on_disk)
    assert joined.names == ["form"]
    assert joined.documents.tolist() == [0, *(NEWS.documents + 3).tolist(), len(NEWS) + 6]
    undivided = join_corpora([plain, plain], on_disk=on_disk)
    assert (undivided.has_documents, undivided.documents.tolist()) == (False, [0, 6])
    assert list_dropped([plain, NEWS]) == ["pos", "chunk", "ner", "head"]


def test_bags_are_joined() -> None:
    lines = ["O\tw=a\tbias:2\n\n", "B\tw=b\n"]
    parts = [read(io.StringIO(each), "crfsuite") for each in lines]
    whole = read(io.StringIO("".join(lines)), "crfsuite")
    assert to_string(join_corpora(parts), "crfsuite") == to_string(whole, "crfsuite")


def test_treebanks_keep_multiword_tokens_and_comments() -> None:
    rows = ["1-2 du _", "1 de 0", "2 le 1", "3 pain 1"]
    cells = [row.split() for row in rows]
    lines = ["\t".join([number, form, "_", "_", "_", "_", head, "_", "_", "_"]) for number, form, head in cells]
    first = "\n".join(["# newdoc", "# text = du pain", *lines]) + "\n\n"
    second = first.replace("pain", "vin")
    joined = join_corpora([read(io.StringIO(each), "conllu") for each in (first, second)])
    whole = read(io.StringIO(first + second), "conllu")
    assert to_string(joined, "conllu") == to_string(whole, "conllu")
    assert restore_text(joined).text == restore_text(whole).text


def test_what_does_not_fit_is_refused() -> None:
    words = Corpus.from_columns({"form": ["a"]}, [1])
    with pytest.raises(DataError, match="no columns in common with <memory>: word and form; name the columns"):
        join_corpora([words, Corpus.from_columns({"word": ["a"]}, [1])])
    bags = read(io.StringIO("O\tw=a\n"), "crfsuite", "label form")
    with pytest.raises(DataError, match="column 'form' does not hold the same"):
        join_corpora([words, bags])


def test_schemes_are_those_of_the_first_with_spans() -> None:
    def build(*labels: str) -> Corpus:
        return Corpus.from_columns({"form": ["x"] * len(labels), "label": labels}, [len(labels)])

    none, bioes, iob1 = build("O", "O"), build("S-A", "B-B", "E-B", "O"), build("I-A", "B-A", "O")
    joined = join_training_data([none, bioes, iob1, none])
    assert joined.column("label").texts() == [*"OO", "S-A", "B-B", "E-B", "O", "S-A", "S-A", "O", *"OO"]
    with pytest.raises(DataError, match="holds plain tags, but spans in"):
        join_training_data([bioes, build("DT", "NN")])
