"""The bench of rivals: its tasks, its adapters, and what it makes of measured rounds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tagloom.corpus import to_string
from tagloom.datasets import newswire

tasks = pytest.importorskip("bench.rivals.tasks", reason="the benchmarks are not part of the package")

from bench.rivals import goals, plan, report, summary, tables  # noqa: E402
from bench.rivals.adapters import list_adapters  # noqa: E402


def test_iob1_becomes_iob2() -> None:
    labels = ["I-PER", "I-PER", "B-PER", "O", "I-LOC", "I-ORG", "I-ORG"]
    assert tasks.to_iob2(labels) == ["B-PER", "I-PER", "B-PER", "O", "B-LOC", "B-ORG", "I-ORG"]


def test_characters_carry_the_places_in_their_words() -> None:
    assert list(tasks.label_characters(["a", "bc", "defg"])) == list(zip("abcdefg", "SBEBMME"))


def test_files_are_read_as_they_were_written(tmp_path: Path) -> None:
    sentences = [[("#", "SYM"), ("one", "NUM")], [("two", "NUM")]]
    tasks.write_sentences(tmp_path / "file.txt", sentences)
    assert tasks.read_sentences(tmp_path / "file.txt") == sentences
    assert tasks.read_sentences(tmp_path / "file.txt", 1) == sentences[:1]


# -- adapters ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("rivals")
    for part, seed in ((tasks.TRAIN, 1), (tasks.DEV, 2), (tasks.TEST, 3)):
        text = to_string(newswire(6, seed=seed), "conll", ["form", "pos", "ner"])
        rows = [
            [tuple(fields) for fields in each]
            for each in tasks.split_sentences(text.split("\n"))
            if each[0][0] != "-DOCSTART-"
        ]
        tasks.write_sentences(folder / f"{part}.txt", rows)
    return tasks.Files(*(folder / f"{part}.txt" for part in (tasks.TRAIN, tasks.DEV, tasks.TEST)))


def test_adapters_name_known_tasks_and_differ_in_name() -> None:
    adapters = list_adapters()
    assert {task for each in adapters.values() for task in each.tasks} == set(tasks.TASKS)
    assert sum(each.is_ours for each in adapters.values()) >= 2


def test_a_missing_tool_is_reported_with_the_reason(files: Any) -> None:
    class Missing(type(list_adapters()["CRF++"])):  # type: ignore[misc]
        pass

    adapter = Missing("nothing", ("ner",), "", command="no-such-command")
    entry = plan.Entry(tasks.TASKS["ner"], adapter, None, files)
    plan.Runner(Path(), 1).run_round(entry, 0, {})
    record = summary.summarise(entry)
    assert record["failure"] == "no command no-such-command on PATH"
    assert "- nothing: not measured, no command" in tables.build_task_table(tasks.TASKS["ner"], [record])


@pytest.mark.parametrize("name", ["tagloom", "tagloom, ap", "python-crfsuite", "sklearn-crfsuite"])
def test_adapters_train_and_tag(name: str, files: Any, tmp_path: Path) -> None:
    adapter, task = list_adapters()[name], tasks.TASKS["ner"]
    if (reason := adapter.find_reason()) is not None:
        pytest.skip(reason)
    details = adapter.train(task, files, tmp_path / "model")
    assert details["passes"] > 0
    sentences = tasks.read_sentences(files.test)
    hidden = [[task.hide_label(row) for row in sentence] for sentence in sentences]
    tagger = adapter.open(task, tmp_path / "model")
    found = tagger.tag_all(hidden)
    assert [tagger.tag(sentence) for sentence in hidden] == found
    assert [list(each) for each in tagger.tag_extracted(tagger.extract_all(hidden))] == found
    gold = [[task.find_label(row) for row in sentence] for sentence in sentences]
    pairs = [pair for one, other in zip(gold, found) for pair in zip(one, other, strict=True)]
    assert sum(one == other for one, other in pairs) > 0.9 * len(pairs)


def test_a_trace_has_seconds_and_scores_of_every_pass(files: Any, tmp_path: Path) -> None:
    found = list_adapters()["tagloom"].trace(tasks.TASKS["ner"], files, 3, tmp_path / "model")
    assert len(found["trace_seconds"]) == len(found["trace_scores"]) == 3
    assert found["trace_seconds"] == sorted(found["trace_seconds"])
    assert all(0 <= score <= 100 for score in found["trace_scores"])


# -- from rounds to tables --------------------------------------------------------------------------------------


def make_record(system: str, *, ours: bool = False, cpu: float = 1.0, speed: float = 1e6, score: float = 90.0) -> Any:
    values = {"train_cpu": cpu, "tokens_per_second": speed, "score": score, "train_megabytes": 100.0,
              "tag_megabytes": 50.0}  # fmt: skip
    spreads = {name: vars(summary.Spread.of([value, value, value])) for name, value in values.items()}
    trace = {"trace": {"seconds": [0.5, 1.0, 1.5], "scores": [88.0, 91.0, 90.0]}} if ours else {}
    head = {"task": "chunking", "system": system, "settings": "", "version": "1", "sentences": None, "ours": ours}
    return {**head, "takes_features": True, "passes": 10, **spreads, **trace}


def test_the_spread_keeps_every_round() -> None:
    assert summary.Spread.of([3.0, 1.0, 2.0]) == summary.Spread(2.0, 1.0, 3.0, (3.0, 1.0, 2.0))


def test_time_to_a_score_is_that_of_the_first_pass_that_has_it() -> None:
    trace = {"seconds": [0.5, 1.0, 1.5], "scores": [88.0, 91.0, 90.0]}
    assert summary.find_time(trace, 88.0) == 0.5
    assert summary.find_time(trace, 89.0) == 1.0
    assert summary.find_time(trace, 92.0) is None


def test_rivals_are_compared_with_tagloom() -> None:
    records = summary.compare([make_record("tagloom", ours=True), make_record("python-crfsuite", cpu=30, speed=1e5)])
    assert records[1]["reached_in"] == {"tagloom": 1.0}
    assert records[1]["faster_to_score"] == 30.0
    assert records[1]["faster_tagging"]["median"] == 10.0
    assert "reached_in" not in records[0]


def test_goals_name_the_tool_that_is_closest() -> None:
    others = [make_record("python-crfsuite", cpu=30, speed=1e5), make_record("fast", cpu=10, speed=5e5, score=95.0)]
    records = summary.compare([make_record("tagloom", ours=True), *others])
    found = {each.goal.partition(",")[0] + each.tool: each for each in goals.check_goals(records)}
    time = found["times as fast to the score of the otherfast"]
    assert (time.found, time.is_reached) == (None, False)
    assert found["times as fast in taggingfast"].found == 2.0
    assert not found["times as fast in taggingfast"].is_reached
    assert found["times as fast in taggingpython-crfsuite"].is_reached
    assert all(each.is_reached for each in found.values() if each.at_most)


def test_the_page_has_a_table_per_task_and_names_failures() -> None:
    failed = {**make_record("CRF++"), "failure": "no command crf_learn on PATH"}
    records = summary.compare([make_record("tagloom", ours=True), make_record("python-crfsuite", cpu=30), failed])
    machine = {"processor": "P", "cores": 2, "memory_gigabytes": 8, "system": "Linux", "python": "3.11"}
    header = {"command": "make bench", "rounds": 3, "machine": machine, "versions": {"tagloom": "1"}}
    page = report.build_page(header, [tasks.TASKS["chunking"]], records)
    assert "| python-crfsuite | all |" in page
    assert "- CRF++: not measured, no command crf_learn on PATH" in page
    widths = {line.count("|") for line in page.split("## Chunking")[1].splitlines() if line.startswith("|")}
    assert len(widths) == 1
