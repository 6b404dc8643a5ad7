"""Real corpora, read by guess: counts as their descriptions give them. Skipped where the data is absent."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from tagloom.corpus import read, to_string

# file: format, columns, documents (0: none marked), sentences, tokens
CORPORA = {
    "conll2000/train.txt": ("conll", 3, 0, 8936, 211727),
    "conll2000/test.txt": ("conll", 3, 0, 2012, 47377),
    "conll2003-en/eng.train": ("conll", 4, 946, 14041, 203621),
    "conll2003-en/eng.testa": ("conll", 4, 216, 3250, 51362),
    "conll2003-en/eng.testb": ("conll", 4, 231, 3453, 46435),
    "conll2003-de/deu2col.train": ("conll", 2, 553, 12153, 206931),
    "conll2003-de/deu2col.testa": ("conll", 2, 201, 2867, 51444),
    "conll2003-de/deu2col.testb": ("conll", 2, 155, 3005, 51943),
    "conll2003-de/deu.testa": ("conll", 5, 201, 2867, 51444),
    "conll2003-de/deu.testb": ("conll", 5, 155, 3005, 51943),
    "europarl-ner-de/train.tsv": ("conll", 5, 0, 3184, 80467),
    "europarl-ner-de/dev.tsv": ("conll", 5, 0, 354, 9241),
    "europarl-ner-de/test.tsv": ("conll", 5, 0, 858, 20697),
    "conll2002-nl/ned.train": ("conll", 3, 287, 15806, 202644),
    "conll2002-nl/ned.testa": ("conll", 3, 74, 2895, 37687),
    "conll2002-nl/ned.testb": ("conll", 3, 119, 5195, 68875),
    "jnlpba/Genia4ERtask1.iob2": ("conll", 2, 0, 18546, 492551),
    "jnlpba/train.docstart.iob2": ("conll", 2, 2000, 18546, 492551),
    "jnlpba/Genia4EReval1.iob2": ("conll", 2, 0, 3856, 101039),
    "jnlpba/Genia4EReval2.iob2": ("conll", 2, 404, 3856, 101039),
    "sighan2005/pku_test_gold.utf8": ("segmented", 2, 0, 1944, 172733),
    "sighan2005/msr_test_gold.utf8": ("segmented", 2, 0, 3985, 184355),
    "sighan2005/cityu_test_gold.utf8": ("segmented", 2, 0, 1492, 67689),
    "sighan2005/pku_test.utf8": ("characters", 1, 0, 1944, 172733),
    "sighan2005/msr_test.utf8": ("characters", 1, 0, 3985, 184355),
    "sighan2005/cityu_test.utf8": ("characters", 1, 0, 1492, 67689),
    "sighan2005/slices-normalised/msr_dev": ("segmented", 2, 0, 8693, 394046),
    "sighan2005/slices-normalised/msr_test": ("segmented", 2, 0, 3985, 177883),
    "sighan2005/slices-normalised/pku_dev": ("segmented", 2, 0, 1906, 159504),
    "sighan2005/slices-normalised/pku_test": ("segmented", 2, 0, 1944, 168531),
    "pfr199801/199801.txt": ("slashed", 2, 0, 19484, 1121447),
    "cws-sxu2008/train.txt": ("segmented", 2, 0, 17115, 854001),
    "cws-sxu2008/test.txt": ("segmented", 2, 0, 3654, 184269),
    "cws-ctb6/ctb6.train.seg": ("segmented", 2, 0, 24416, 1120033),
    "cws-ctb6/ctb6.dev.seg": ("segmented", 2, 0, 1904, 83252),
    "cws-ctb6/ctb6.test.seg": ("segmented", 2, 0, 1975, 86763),
    "msra-ner/msra_train_slice3000_bio.txt": ("conll", 2, 0, 3000, 142980),
    "msra-ner/msra_test_bio.txt": ("conll", 2, 0, 3442, 172601),
    "weibo-ner/weiboNER_2nd_conll.train": ("conll", 2, 0, 1350, 73778),
    "weibo-ner/weiboNER_2nd_conll.dev": ("conll", 2, 0, 270, 14509),
    "weibo-ner/weiboNER_2nd_conll.test": ("conll", 2, 0, 270, 14842),
    "ud-en-ewt/en_ewt-ud-train.conllu": ("conllu", 10, 540, 12544, 204577),
    "ud-en-ewt/en_ewt-ud-dev.conllu": ("conllu", 10, 318, 2001, 25147),
    "ud-en-ewt/en_ewt-ud-test.conllu": ("conllu", 10, 316, 2077, 25094),
    "ud-zh-gsd/zh-ud-train.conllu": ("conllu", 10, 0, 3997, 98608),
    "ud-zh-gsd/zh-ud-dev.conllu": ("conllu", 10, 0, 500, 12663),
    "ud-zh-gsd/zh-ud-test.conllu": ("conllu", 10, 0, 500, 12012),
    "ptb-sample/wsj_sample.pos.tsv": ("conll", 2, 199, 3914, 94084),
    "ptb-sample/wsj_sample.dep.tsv": ("conll", 3, 199, 3914, 94084),
    "idn-pos/dataset_postag.txt": ("conll", 2, 0, 32848, 531068),
}


def find(data_dir: Path, name: str) -> Path:
    for path in (data_dir / name, data_dir / f"{name}.xz"):
        if path.exists():
            return path
    pytest.skip(f"{name} is not in {data_dir}; set TAGLOOM_DATA")


@pytest.mark.parametrize("name", CORPORA)
def test_counts(data_dir: Path, name: str) -> None:
    corpus = read(find(data_dir, name))
    documents = len(corpus.documents) - 1 if corpus.has_documents else 0
    found = (corpus.extras["format"], len(corpus.names), documents, len(corpus), corpus.token_count)
    assert found == CORPORA[name]


@pytest.mark.parametrize("name", ["ud-en-ewt/en_ewt-ud-dev.conllu", "ud-en-ewt/en_ewt-ud-test.conllu"])
def test_treebanks_keep_their_bytes(data_dir: Path, name: str) -> None:
    data = lzma.decompress(find(data_dir, name).read_bytes())
    assert to_string(read(find(data_dir, name)), "conllu").encode() == data


@pytest.mark.parametrize("name", ["conll2000/test.txt", "weibo-ner/weiboNER_2nd_conll.dev", "cws-sxu2008/test.txt"])
def test_plain_layouts_keep_their_bytes(data_dir: Path, name: str) -> None:
    path = find(data_dir, name)
    corpus = read(path)
    assert to_string(corpus, str(corpus.extras["format"])).encode() == path.read_bytes()
