"""Guessing formats from content."""

from __future__ import annotations

import io

import pytest

from tagloom.corpus import guess_format, read

CONLLU = "1\tHe\t_\t_\t_\t_\t_\t_\t_\t_\n2\tleft\t_\t_\t_\t_\t_\t_\t_\t_\n"
CASES = {
    "conll": [
        "He PRP O\nleft VBD O\n. . O\n",
        "He PRP\nleft VBD\n\n",
        "He PRP\nleft VBD\n\nYes UH\n",
        "He\tPRP\n",
        "He\tPRP\tCase=Nom\nher\tPRP\tCase=Acc\n",
        "Haus\tCase=Nom|Number=Sing\nHauses\tCase=Gen\n",
        "-DOCSTART- -X- O\nHe PRP O\nleft VBD O\n",
        "###MEDLINE:1\n\nIL-2\tB-DNA\ngene\tI-DNA\n",
        "# a comment of five words\nHe PRP O\nleft VBD O\n\n# another\nYes UH O\n",
        "He\nleft\n.\n\nYes\n.\n",
        "他\n来\n了\n\n好\n的\n",
        "a/b O\nc/d O\n\ne O\nf O\n",
        "a b c\n" * 9 + "a b\n",
    ],
    "conllu": [CONLLU, "# text = He left\n# x\n" + CONLLU, "1-2\t" + "\t".join("abcdefghi") + "\n" + CONLLU],
    "segmented": ["我  爱  北京  天安门\n", "我 爱 北京\n你 好\n他 也 爱 北京\n", "(  2001年  1月  )\n\n他  说  :\n"],
    "characters": ["我爱北京天安门。\n", "他说：我爱北京天安门。\n\n我 Python 用得很好很好很好\n", "你好\n"],
    "slashed": ["He/PRP left/VBD ./.\n", "在/p  1998年/t  //w\n", "a/DT dog/NN\nthe/DT cat/NN\na/DT cow/NN\n"],
    "crfsuite": ["O\tw=a\tpos=b\nO\tw=c\tpos=d\n", "O\ta\nO\ta\tb\tc\nB\ta\tb\n\n", "O\ta:0.5\tb:1.5\nO\tc:1\td:2\n"],
    "jsonl": ['{"tokens": ["a"]}\n', '\n { "text": "a"}\n', '{"text": "' + "a " * 50_000 + '"}'],
    "text": [
        "He left .\n",
        "Yes\n",
        "He left\nSo did she .\n",
        "He left .\n\nSo she did .\n\nThe end .\n",
        "안녕 하세요 여러분\n반갑 습니다\n",
        "He and/or she left\n",
    ],
}


@pytest.mark.parametrize(("format_name", "text"), [(name, text) for name, texts in CASES.items() for text in texts])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_formats(format_name: str, text: str, line_end: str) -> None:
    assert guess_format(text.replace("\n", line_end).encode()).format == format_name


def test_the_guess_is_said() -> None:
    said: list[str] = []
    read(io.StringIO("He PRP\nleft VBD\n. .\n"), on_guess=said.append)
    read(io.StringIO("He PRP\nleft VBD\n. .\n"), columns="form tag", on_guess=said.append)
    read(io.StringIO("他\n来\n了\n"), on_guess=said.append)
    read(io.StringIO('{"tokens": ["a"]}'), on_guess=said.append)
    read(io.StringIO("He left"), "text", on_guess=said.append)
    assert said == [
        "<stream>: guessed CoNLL columns (space-separated, 2 columns: form label)",
        "<stream>: guessed CoNLL columns (space-separated, 2 columns: form tag)",
        "<stream>: guessed CoNLL columns (space-separated, 1 column: form)",
        "<stream>: guessed JSONL (one object per line)",
    ]


def test_only_the_beginning_is_looked_at() -> None:
    columns = b"He PRP O\nleft VBD O\n\n" * 5000
    assert guess_format(columns + b"\xff" * 100).format == "conll"


def test_a_list_of_words_is_no_corpus() -> None:
    assert guess_format(b"word\n" * 1000).format == "text"
    assert guess_format("中国\n".encode() * 1000).format == "characters"
