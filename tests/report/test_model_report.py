"""Reports of models: the numbers are those of the score, every unit is counted once, and pages are safe and whole."""

from __future__ import annotations

import functools
import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tagloom
from tagloom.corpus import Corpus
from tagloom.corpus.spans import Spans
from tagloom.datasets import newswire, newswire_split
from tagloom.errors import ConfigError, DataError
from tagloom.report import ModelReport, report_model
from tagloom.report.diagnosis.spans import BOUNDARIES, MISSED, SPURIOUS, TYPE, SpanTask, WordTask
from tagloom.report.page import embed_json
from tagloom.systems.base import Model
from tagloom.systems.registry import SYSTEMS
from tests.systems.majority import MAJORITY
from tests.treebank import conllu

SECTIONS = {"overview", "errors", "about"}
VOID = {"meta", "input"}


@functools.cache
def treebank(glued: bool = False) -> Corpus:
    """A toy treebank; ``glued`` full stops follow their word without a blank."""
    text = conllu(60, 3)
    if glued:
        text = re.sub(r"_\n(?=\d+\t\.\t)", "SpaceAfter=No\n", re.sub(r"# text.*\n", "", text))
    return tagloom.read(io.BytesIO(text.encode()), "conllu")


def select(corpus: Corpus, *names: str) -> Corpus:
    columns = {name: corpus.column(name) for name in names}
    return Corpus(columns, corpus.sentences, corpus.documents, corpus.has_documents, corpus.source, corpus.extras)


@functools.cache
def case(name: str) -> tuple[Model, Corpus]:
    """A small model of a system, and data to report on."""
    split = newswire_split(10, seed=3)
    if name in ("parser", "tokenizer", "pipeline"):
        parts = {"tokens": {"epochs": 2}, "trees": {"epochs": 1}}
        few: dict[str, Any] = {
            "parser": {"epochs": 2, "tag_folds": 2},
            "tokenizer": {"epochs": 2},
            "pipeline": {"folds": 2, "options": parts},
        }
        model = tagloom.train(treebank().slice(0, 30), system=name, **few[name])
        return model, treebank(glued=name == "tokenizer")
    label = "pos" if name in ("tags", "majority") else "ner"
    columns = ("form", label) if label == "pos" else ("form", "pos", label)
    train, test = (select(part, *columns) for part in (split.train, split.test))
    if name == "segmenter":
        return segmenter()
    options = {"tagger": {"learner": "sgd"}, "tags": {}, "phrases": {"cutoff": 1}, "majority": {}}[name]
    epochs = {} if name == "majority" else {"epochs": 2}
    return tagloom.train(train, system="tagger" if name == "tags" else name, **options, **epochs), test


def segmenter() -> tuple[Model, Corpus]:
    words = ["ab", "c", "abc", "de", "f", "g"]
    draw = np.random.default_rng(1)
    sentences = [[words[n] for n in draw.integers(0, len(words), 5)] for _ in range(40)]
    rows = [(list("".join(each)), [label for word in each for label in mark(word)]) for each in sentences]
    model = tagloom.train(rows[:4], epochs=1)
    return model, model.open_corpus(rows[20:], gold=True)


def mark(word: str) -> list[str]:
    return ["S"] if len(word) == 1 else ["B", *["M"] * (len(word) - 2), "E"]


@pytest.fixture
def majority() -> Iterator[None]:
    tagloom.register_system(MAJORITY)
    yield
    del SYSTEMS[MAJORITY.name]


@functools.cache
def report(name: str) -> ModelReport:
    model, data = case(name)
    return report_model(model, data, samples=50, explained=20)


NAMES = ["tagger", "tags", "segmenter", "phrases", "parser", "tokenizer", "pipeline"]


# -- numbers -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_scores_are_those_of_the_model(name: str):
    model, data = case(name)
    score, found = model.evaluate(data), report(name)
    first = found.intervals[0][0]
    assert (first.metric, first.value) == (score.metric, pytest.approx(score.value))
    assert first.low <= first.value <= first.high
    main = found.run.tasks[0] if name == "tokenizer" else found.run.main
    if name != "pipeline":  # its score counts trees of tokens that were found
        assert main.counts.overall().recall == pytest.approx(score.counts_of(score.metric).overall().recall)


@pytest.mark.parametrize("name", NAMES)
def test_every_gold_unit_is_right_or_an_error(name: str):
    for task in report(name).run.tasks:
        outcomes, overall, errors = task.count_outcomes(), task.counts.overall(), task.list_errors()
        assert outcomes["right"] == overall.correct
        assert sum(outcomes.values()) == overall.correct + len(errors)
        if task.kind in ("tags", "trees") or type(task) is SpanTask:
            assert overall.correct + sum(error.gold is not None for error in errors) == overall.gold
            assert overall.correct + sum(error.guess is not None for error in errors) == overall.predicted
        assert set(outcomes) <= {"right", *task.kinds}


@pytest.mark.parametrize("name", NAMES)
def test_groups_are_parts_of_all_units(name: str):
    found = report(name)
    for task in found.run.tasks:
        for group in task.list_groups(found.background):
            overall = task.counts.overall()
            mine = group.counts.overall()
            assert (mine.correct, mine.gold) == (overall.correct, overall.gold), group.title
            assert len(set(group.counts.kinds)) == len(group.counts.kinds)


@pytest.mark.parametrize("name", ["tagger", "tags", "parser"])
def test_the_table_of_pairs_has_every_error(name: str):
    for task in report(name).run.tasks:
        table = task.list_matrices()[0]
        pairs = Counter((error.gold or "–", error.guess or "–") for error in task.list_errors())
        for (gold, guess), count in pairs.items():
            cell = table.counts[table.rows.index(gold), table.columns.index(guess)]
            assert cell == count if gold != guess else cell >= count


def test_attachment_by_relation_is_that_of_the_score():
    score, task = report("parser").run.score, report("parser").run.main
    assert task.counts.by_kind() == score.by_relation  # type: ignore[attr-defined]
    assert task.beside is not None
    heads = sum(prf.correct for prf in task.beside[1].by_kind().values())
    assert 100 * heads / task.counts.overall().gold == pytest.approx(score.uas)  # type: ignore[attr-defined]


def test_scores_of_a_pipeline_agree_with_those_of_its_tasks():
    found = report("pipeline")
    by_name = {task.name: task for task in found.run.tasks}
    for metric, name in (("tokens", "tokens"), ("upos", "upos"), ("las", "trees")):
        counts = found.run.score.counts_of(metric).overall()
        assert by_name[name].counts.overall().correct == counts.correct
        assert by_name[name].counts.overall().gold == counts.gold


def test_known_words_are_those_of_the_training():
    model, data = case("tags")
    split = newswire_split(10, seed=3)
    own = report("tags")
    given_data = report_model(model, data, train=select(split.train, "form", "pos"), samples=10)
    tables = []
    for found in (own, given_data):
        group = next(g for g in found.run.main.list_groups(found.background) if g.title.startswith("Known"))
        tables.append(group.counts.by_kind())
    assert tables[0] == tables[1]
    assert tables[0]["unknown words"].recall == pytest.approx(own.run.score.unknown)
    assert any(g.title == "Frequency in training" for g in given_data.run.main.list_groups(given_data.background))


def test_words_in_and_out_of_vocabulary():
    found = report("segmenter")
    group = next(g for g in found.run.main.list_groups(found.background) if g.title.startswith("Known"))
    score = found.run.score
    assert group.counts.recall_of("in vocabulary") == pytest.approx(score.iv_recall)  # type: ignore[attr-defined]


# -- errors of spans, against a plain version --------------------------------------------------------------------------


@st.composite
def spans(draw: st.DrawFn, sentences: int = 3, length: int = 8) -> Spans:
    """Spans that do not overlap, in the order of the text."""
    rows = []
    for sentence in range(sentences):
        at = sentence * length
        while at < (sentence + 1) * length:
            size = draw(st.integers(1, 3))
            if draw(st.booleans()) and at + size <= (sentence + 1) * length:
                rows.append((sentence, at, at + size, draw(st.integers(0, 1))))
            at += size
    table = np.array(rows, np.int64).reshape(-1, 4)
    sentence, start, stop, kind = table.T
    return Spans(sentence.astype(np.int32), start, stop, kind.astype(np.int32), ["A", "B"])


OFFSETS = np.array([0, 8, 16, 24])


def build(kind: type[SpanTask], gold: Spans, guess: Spans) -> SpanTask:
    return kind("x", gold, guess, OFFSETS, [f"w{n}" for n in range(24)])


def overlap(a: Sequence[int], b: Sequence[int]) -> int:
    return min(a[1], b[1]) - max(a[0], b[0])


@given(spans(), spans())
def test_errors_are_pairs_of_overlapping_spans(gold: Spans, guess: Spans):
    task = build(SpanTask, gold, guess)
    truth, found = set(gold.tuples()), set(guess.tuples())
    seen: tuple[list[Any], list[Any]] = ([], [])
    for error in task.list_errors():
        first = int(OFFSETS[error.sentence])
        for place, kind, side in ((error.gold_at, error.gold, seen[0]), (error.guess_at, error.guess, seen[1])):
            if place is not None:
                side.append((error.sentence, first + place[0], first + place[1], kind))
        if error.gold_at and error.guess_at:
            assert overlap(error.gold_at, error.guess_at) > 0
            assert (error.kind == TYPE) == (error.gold_at == error.guess_at)
            assert (error.kind == BOUNDARIES) == (error.gold == error.guess)
        else:
            assert error.kind == (MISSED if error.guess_at is None else SPURIOUS)
    assert Counter(seen[0]) == Counter(truth - found)
    assert Counter(seen[1]) == Counter(found - truth)


@given(spans(), spans())
def test_wrong_units_of_a_sentence(gold: Spans, guess: Spans):
    truth, found = set(gold.tuples()), set(guess.tuples())
    expected = [sum(each[0] == sentence for each in truth ^ found) for sentence in range(3)]
    assert build(SpanTask, gold, guess).count_wrong().tolist() == expected


@given(st.lists(st.booleans(), min_size=24, max_size=24), st.lists(st.booleans(), min_size=24, max_size=24))
def test_words_cut_otherwise_cover_the_same_characters(first: list[bool], second: list[bool]):
    sides = []
    for cuts in (first, second):
        starts = np.flatnonzero([cut or n in OFFSETS for n, cut in enumerate(cuts)])
        stops = np.append(starts[1:], 24)
        nothing = np.zeros(len(starts), np.int32)
        sides.append(Spans((starts // 8).astype(np.int32), starts, stops, nothing, [""]))
    task = build(WordTask, *sides)
    for error in task.list_errors():
        assert error.gold_at == error.guess_at
        assert str(error.gold).replace(" ", "") == str(error.guess).replace(" ", "") != ""
        assert error.gold != error.guess


# -- two models --------------------------------------------------------------------------------------------------------


@functools.cache
def pair() -> ModelReport:
    split = newswire_split(10, seed=3)
    train, test = (select(part, "form", "pos", "ner") for part in (split.train, split.test))
    models = [tagloom.train(train, learner=learner, epochs=n) for learner, n in (("sgd", 6), ("perceptron", 1))]
    return report_model(models[0], test, models[1], names=("new", "old"), samples=50, explained=5)


def test_differences_of_two_models():
    found, contrast = pair(), pair().contrast
    assert contrast is not None
    expected = tagloom.compare(found.runs[0].score, found.runs[1].score, samples=50)
    assert contrast.metrics[0] == expected
    assert set(contrast.types["ner"]) == set(found.run.main.counts.kinds)
    wrong = [run.main.count_wrong() for run in found.runs]
    assert contrast.won_count == int((wrong[0] < wrong[1]).sum())
    assert contrast.lost_count == int((wrong[0] > wrong[1]).sum())
    assert all(each.wrong < each.rival_wrong for each in contrast.won)


def test_models_of_different_outputs_are_not_compared():
    model, data = case("tagger")
    other, _ = case("tags")
    with pytest.raises(ConfigError, match=r"two models can be compared if both make the same, got spans of ner"):
        report_model(model, data, other)


# -- calibration, learning, weights ------------------------------------------------------------------------------------


def test_reliability_has_every_decision():
    found = report("tagger")
    spans_, labels = found.reliability
    assert spans_.count == found.run.main.counts.overall().predicted
    assert labels.count == found.run.gold.token_count
    for each in found.reliability:
        assert sum(b.count for b in each.bins) == each.count
        assert all(b.low <= b.confidence <= b.high + 1e-6 for b in each.bins)
        gap = sum(b.count * abs(b.confidence - b.accuracy) for b in each.bins) / each.count
        assert gap == pytest.approx(each.error, abs=1e-6)
    right = sum(b.accuracy * b.count for b in labels.bins) / labels.count
    assert 100 * right == pytest.approx(found.run.score.accuracy)


def test_a_model_without_confidences_says_so():
    assert report("parser").reliability == ()
    assert "A parser has no confidences." in report("parser").to_html()


def test_the_learning_curve_ends_where_the_model_is():
    model, data = case("tagger")
    train = select(newswire_split(10, seed=3).train, "form", "pos", "ner")
    lines: list[str] = []
    found = report_model(model, data, train=train, learning_curve=True, samples=20, on_progress=lines.append)
    curve = found.learning.curve
    assert [point.sentences for point in curve] == sorted({point.sentences for point in curve})
    assert curve[-1].interval.value == pytest.approx(model.evaluate(data).value)
    assert curve[-1].sentences == len(train)
    assert any("learning curve" in line for line in lines)
    assert "Learning curve" in found.to_html()


def test_a_learning_curve_needs_the_training_data():
    model, data = case("tagger")
    with pytest.raises(ConfigError, match="learning_curve needs the training data: pass train, too"):
        report_model(model, data, learning_curve=True)


def test_weights_are_those_of_the_model():
    model, _ = case("tagger")
    weights = report("tagger").weights["ner"]
    details: Any = model.describe(top=15).details["top_features"]
    assert {name: [tuple(each) for each in rows] for name, rows in details.items()} == dict(weights.features)
    assert weights.transitions is not None
    assert weights.transitions.shape == (len(weights.labels),) * 2


# -- the list of errors ------------------------------------------------------------------------------------------------


def test_what_is_left_out_is_said():
    model, data = case("tags")
    found = report_model(model, data, errors=4, explained=3, samples=10)
    total = sum(found.listing.totals.values())
    assert len(found.listing.errors) == 4 < total
    assert f"4 of {total:,} errors are listed, drawn at random with seed 1." in found.to_html()
    assert len({each.error.sentence for each in found.listing.errors if each.reasons is not None}) <= 3


@pytest.mark.parametrize("name", ["tagger", "parser", "phrases", "tokenizer", "pipeline"])
def test_errors_are_explained_by_features(name: str):
    reasons = [each.reasons for each in report(name).listing.errors if each.reasons]
    assert reasons, "no error is explained"
    for decision in reasons[0]:
        assert decision.first < decision.last
        assert decision.choice


def test_the_decision_is_explained_over_the_gold_label():
    found = report("tagger")
    for listed in found.listing.errors:
        if listed.error.kind == TYPE and listed.reasons:
            decision = listed.reasons[0]
            assert decision.choice.endswith(str(listed.error.guess))
            assert str(decision.rival).endswith(str(listed.error.gold))
            return
    pytest.fail("no error of type is explained")


# -- the page ----------------------------------------------------------------------------------------------------------


class Page(HTMLParser):
    """Fails on tags that do not match; collects ids, scripts, references and the data."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.scripts: list[str] = []
        self.references: list[str] = []
        self.handlers: list[str] = []
        self.data = ""
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        values = {name: str(value) for name, value in attrs}
        self.ids += [values["id"]] if "id" in values else []
        self.scripts += [values.get("type", "")] if tag == "script" else []
        self.references += [value for name, value in values.items() if name in ("href", "src", "action", "data")]
        self.handlers += [name for name in values if name.startswith("on")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] == ["script"] and self.scripts[-1] == "application/json":
            self.data += data


@pytest.mark.parametrize("name", NAMES)
def test_the_page_is_well_formed_and_self_contained(name: str):
    text = report(name).to_html()
    page = Page(text)
    assert set(page.ids) >= SECTIONS
    assert len(set(page.ids)) == len(page.ids)
    assert page.scripts == ["application/json", "module"]
    assert all(reference.startswith("#") for reference in page.references)
    assert not page.handlers
    assert not re.search(r"@import|url\(|<link|<img|<iframe|https?://(?!www\.w3\.org/2000/svg)", text)
    data = json.loads(page.data)
    assert len(data["errors"]) == len(report(name).listing.errors)
    assert all(str(error["s"]) in data["sentences"] for error in data["errors"])
    assert all(str(error["t"]) in data["sentences"][str(error["s"])] for error in data["errors"])
    assert "Content-Security-Policy" in text


def test_pages_are_the_same_each_time():
    model, data = case("tagger")
    assert report_model(model, data, samples=50, explained=20).to_html() == report("tagger").to_html()


EVIL = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"'><b>",
    "<!--",
    "a&b",
    "\u2028",
    "\x00x",
]


def test_markup_in_the_data_stays_text():
    words = [*EVIL, "plain"]
    labels = [f"B-<b>{n}" if n % 2 else "O" for n in range(len(words))]
    data = [(words, labels)] * 4
    model = tagloom.train(data, epochs=1)
    wrong = [(words, ["O"] * len(words)), (words[::-1], labels)]
    text = report_model(model, wrong, samples=10, names=("<i>name",)).to_html()
    page = Page(text)
    assert page.scripts == ["application/json", "module"]
    assert not page.handlers
    assert "<i>name" not in text
    assert "<b>" not in re.sub(r"<b>[\d,]+</b>", "", text.partition('type="application/json"')[0])
    found = json.loads(page.data)
    assert found["sentences"]["0"]["w"] == words
    assert "</script><script>alert" not in text


@given(
    st.recursive(
        st.text() | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_embedded_json_has_no_markup(value: object):
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return  # half of a surrogate pair, which pages cannot hold, is replaced
    written = embed_json(value)
    assert json.loads(written) == value
    assert not set("<>&\u2028\u2029") & set(written)


def test_a_registered_system_is_reported(majority: None):
    case.cache_clear()
    model, data = case("majority")
    found = report_model(model, data, samples=10)
    assert found.run.score.kind == "tags"
    assert found.weights == {}
    Page(found.to_html())
    case.cache_clear()


def test_feature_dicts_are_reported():
    data = [([{"w": "a", "n": 1.0}, {"w": "b"}], ["X", "Y"]), ([{"w": "b"}, {"w": "a"}], ["X", "X"])]
    model = tagloom.train(data, learner="lbfgs")
    found = report_model(model, [([{"w": "a"}, {"w": "c"}], ["Y", "Y"])], samples=10)
    assert found.listing.errors
    Page(found.to_html())


def test_a_report_is_saved_and_described(tmp_path: Path):
    found = report("tagger")
    found.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text("utf-8") == found.to_html()
    assert repr(found).startswith("<ModelReport tagger on ")
    numbers = json.loads(json.dumps(found.to_dict()))
    assert numbers["models"][0]["scores"]["f1"]["value"] == found.run.score.value
    assert numbers["tasks"][0]["outcomes"]["right"] == found.run.main.counts.overall().correct


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"errors": 0}, "errors: expected a whole number from 1"),
        ({"samples": 0}, "samples: expected a whole number from 1"),
        ({"threads": 0}, "threads"),
        ({"no_such": 1}, "no_such"),
        ({"names": ("a", "b")}, "names: expected 1 name, got 2"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str):
    with pytest.raises(ConfigError, match=message):
        report_model(*case("tagger"), **options)


def test_data_without_gold_or_tokens():
    model, data = case("tagger")
    with pytest.raises(DataError, match="missing column: ner"):
        report_model(model, select(data, "form", "pos"))
    with pytest.raises(DataError, match="no tokens, so there is nothing to report"):
        report_model(model, data.slice(0, 0))
    assert newswire(1) is not None
