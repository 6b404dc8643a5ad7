"""Wrong arguments of public functions give one line that names the argument, what was expected and what was found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tagloom
from tagloom.arguments import check_arguments, check_methods
from tagloom.corpus import to_string
from tagloom.errors import ConfigError, TagloomError
from tagloom.text import Annotation, SpanLayer

PAIRS = [(["the", "dog"], ["DT", "NN"]), (["a", "cat"], ["DT", "NN"])]
MODEL = tagloom.train(PAIRS, epochs=1)
CORPUS = tagloom.from_sentences([["a", "b"]])


@check_arguments
def function(
    text: str = "",
    count: int = 0,
    share: float = 0.0,
    names: Sequence[str] = (),
    values: Mapping[str, int] | None = None,
    path: str | Path | None = None,
    call: Callable[[str], str] | None = None,
    *more: int,
    items: Iterable[int] = (),
    array: np.typing.NDArray[np.int64] | None = None,
    data: Any = None,
    fail: bool = False,
) -> str:
    if fail:
        raise KeyError("inside")
    return "done"


@pytest.mark.parametrize(
    "arguments",
    [
        {"text": "a", "count": np.int64(3), "share": 1, "names": ("a",), "values": {"a": 1}, "call": str},
        {"path": Path("a"), "items": iter([1]), "array": np.zeros(2, np.int32), "data": object()},
        {"share": float("inf"), "names": np.array(["a"]), "values": None},
    ],
)
def test_what_fits_passes(arguments: dict[str, Any]) -> None:
    assert function(**arguments) == "done"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"text": b"a"}, "function: text: expected a str of valid Unicode, got b'a'"),
        ({"text": None}, "function: text: expected a str of valid Unicode, got None"),
        ({"count": "2"}, "function: count: expected a whole number, got '2'"),
        ({"count": True}, "function: count: expected a whole number, got True"),
        ({"count": 2.0}, "function: count: expected a whole number, got 2.0"),
        ({"count": 10**5000}, "function: count: expected a whole number, got a whole number of 16610 bits"),
        ({"share": float("nan")}, "function: share: expected a number, got nan"),
        ({"names": "ab"}, "function: names: expected a list of a str of valid Unicode each, got 'ab'"),
        ({"names": ["a", 1]}, "function: names: expected a list of a str of valid Unicode each, got ['a', 1]"),
        ({"values": [1]}, "function: values: expected a dict or None, got [1]"),
        ({"call": "len"}, "function: call: expected a function or None, got 'len'"),
        ({"items": 3}, "function: items: expected a list of a whole number each, got 3"),
        ({"array": [1]}, "function: array: expected an array of whole numbers or None, got [1]"),
        ({"array": np.zeros(1)}, "function: array: expected an array of whole numbers or None, got array([0.])"),
        ({"fail": 1}, "function: fail: expected True or False, got 1"),
    ],
)
def test_what_does_not_fit_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        function(**arguments)
    assert str(caught.value) == message


def test_further_positional_arguments_are_checked() -> None:
    with pytest.raises(ConfigError, match="more: expected a whole number, got 'b'"):
        function("", 0, 0.0, (), None, None, None, 1, "b")  # type: ignore[arg-type]


def test_a_failure_is_explained_by_what_containers_hold() -> None:
    with pytest.raises(ConfigError, match="values: expected a dict"):
        function(values={"a": "b"}, fail=True)  # type: ignore[dict-item]
    with pytest.raises(ConfigError, match="text: expected a str of valid Unicode"):
        function(text="\ud800", fail=True)


def test_other_failures_pass_through() -> None:
    with pytest.raises(KeyError, match="inside"):
        function(fail=True)
    with pytest.raises(TypeError, match="unexpected keyword"):
        function(unknown=1)  # type: ignore[call-arg]


def test_exceptions_of_the_callers_objects_pass_through() -> None:
    class Mine(list[str]):
        def __iter__(self) -> Any:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        tagloom.train(Mine(["a"]))


def test_methods_of_a_class() -> None:
    @check_methods("quick")
    class Example:
        def __init__(self, size: int) -> None:
            self.size = size

        @classmethod
        def make(cls, size: int) -> Example:
            return cls(size)

        def quick(self, index: int) -> int:
            return [1, 2, 3][index]

    with pytest.raises(ConfigError, match="Example: size: expected a whole number"):
        Example("a")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="make: size"):
        Example.make(None)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="quick: index: expected a whole number"):
        Example(1).quick("a")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="quick: index: 9 is out of range"):
        Example(1).quick(9)


CALLS: dict[str, Callable[[], object]] = {
    "train(None)": lambda: tagloom.train(None),  # type: ignore[call-overload]
    "train(3)": lambda: tagloom.train(3),  # type: ignore[call-overload]
    "load(3)": lambda: tagloom.load(3),  # type: ignore[arg-type]
    "load(nul)": lambda: tagloom.load("a\0b"),
    "load(surrogate)": lambda: tagloom.load("\ud800"),
    "read(bytes)": lambda: tagloom.read(b"a"),  # type: ignore[arg-type]
    "tag(None)": lambda: MODEL.tag(None),  # type: ignore[arg-type]
    "tag([1, None])": lambda: MODEL.tag([1, None]),
    "tag(huge)": lambda: MODEL.tag([10**5000]),
    "tag(decoder)": lambda: MODEL.tag(["a"], decoder=[[]]),  # type: ignore[arg-type]
    "tag_many(threads)": lambda: MODEL.tag_many([["a"]], threads="2"),  # type: ignore[arg-type]
    "call(threads)": lambda: MODEL("a", threads=0),
    "nbest(-1)": lambda: MODEL.nbest(["a"], -1),
    "nbest(huge)": lambda: MODEL.nbest(["a"], 10**5000),
    "annotate(0-d)": lambda: MODEL.annotate(np.array(3)),
    "from_sentences(0-d)": lambda: tagloom.from_sentences(np.array(3)),  # type: ignore[arg-type]
    "from_words(numbers)": lambda: Annotation.from_words([[1, 2]]),  # type: ignore[list-item]
    "sentence_of(-1)": lambda: Annotation.from_words([["a"]]).sentence_of(-1),
    "sentence_of(2**64)": lambda: Annotation.from_words([["a"]]).sentence_of(2**64),
    "extend(layers)": lambda: Annotation.from_words([["a"]]).extend(layers=iter("ab")),  # type: ignore[arg-type]
    "select(beyond)": lambda: CORPUS.select(np.array([10**12])),
    "describe(top)": lambda: MODEL.describe(top="a"),
    "from_feature_dicts(None)": lambda: tagloom.corpus.from_feature_dicts(None),  # type: ignore[arg-type]
    "from_hf(rows)": lambda: tagloom.from_hf([b"a"]),
    "SpanLayer(text)": lambda: SpanLayer("a", ["b"], [1], ["X"]),  # type: ignore[list-item]
    "of_parts(text)": lambda: tagloom.features.TemplateSet.of_parts("a", "b"),  # type: ignore[arg-type]
    "newswire(2**63)": lambda: tagloom.datasets.newswire(2**63),
    "save(3)": lambda: MODEL.save(3),  # type: ignore[arg-type]
    "column([])": lambda: CORPUS.column([]),  # type: ignore[arg-type]
    "span(None)": lambda: CORPUS.span(None),  # type: ignore[arg-type]
    "span(9)": lambda: CORPUS.span(9),
    "rename(1)": lambda: CORPUS.rename([1]),  # type: ignore[list-item]
    "Corpus(None)": lambda: tagloom.Corpus(None, None, None),  # type: ignore[arg-type]
    "Tagger(None)": lambda: tagloom.Tagger(None, None),  # type: ignore[arg-type]
    "unknown column": lambda: CORPUS.column(10**5000),  # type: ignore[arg-type]
    "register_system": lambda: tagloom.register_system(None),  # type: ignore[arg-type]
    "newswire": lambda: tagloom.datasets.newswire(float("nan")),  # type: ignore[arg-type]
    "templates": lambda: tagloom.load_templates("form[0]\n\ud800[0]"),
    "crfpp": lambda: tagloom.load_templates("U%x:%x[0,0]\n"),
    "digits": lambda: tagloom.train(PAIRS, templates=f"suffix{'9' * 5000}[0]\n"),
}


@pytest.mark.parametrize("name", CALLS)
def test_one_line_for_wrong_calls(name: str) -> None:
    with pytest.raises(TagloomError) as caught:
        CALLS[name]()
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 400
    message.encode()


def test_attributes_cannot_be_segmented_text() -> None:
    corpus = tagloom.train([([{"w": "a"}], ["X"])]).annotate([[{"w": "a"}]])
    with pytest.raises(TagloomError, match="several strings per token"):
        to_string(corpus, "segmented", [corpus.names[-1], corpus.names[0]])


def test_one_column_shows_no_separator() -> None:
    with pytest.raises(TagloomError, match="cannot hold 'New York'"):
        to_string(tagloom.from_sentences([["New York"]]), "conll")
    assert to_string(tagloom.from_sentences([[("New York", "X")]]), "conll") == "New York\tX\n\n"
