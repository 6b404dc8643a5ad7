"""Metrics: the text that Prometheus reads, and rows that workers share."""

from __future__ import annotations

import re

from tagloom.serve.metrics import Metrics, Rows, list_families, measure_memory

FAMILIES = list_families(["/v1/annotate"], ["ner"])
SAMPLE = re.compile(
    r'[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? -?[0-9.e+-]+|[a-z_]+_bucket\{.*le="\+Inf".*\} [0-9]+'
)


def read(metrics: Metrics) -> dict[str, float]:
    lines = [line for line in metrics.render().splitlines() if not line.startswith("#")]
    assert all(SAMPLE.fullmatch(line) for line in lines), lines
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines}


def test_histograms_are_cumulative() -> None:
    metrics = Metrics(FAMILIES)
    for seconds in (0.0005, 0.001, 0.002, 99.0):
        metrics.count_request("/v1/annotate", 200, seconds)
    found = read(metrics)
    name = 'tagloom_request_seconds_bucket{endpoint="/v1/annotate",le="%s"}'
    assert [found[name % bound] for bound in ("0.001", "0.0025", "30", "+Inf")] == [2, 3, 3, 4]
    assert found['tagloom_request_seconds_count{endpoint="/v1/annotate"}'] == 4
    assert abs(found['tagloom_request_seconds_sum{endpoint="/v1/annotate"}'] - 99.0035) < 1e-9
    assert found['tagloom_requests_total{endpoint="/v1/annotate",status="200"}'] == 4


def test_rows_are_added_up_and_outlive_their_owners() -> None:
    rows = Rows.share(Metrics.measure_width(FAMILIES), 2)
    first = Metrics(FAMILIES, rows)
    rows.owners[0] = 2**22 + 1  # a process that is not there
    second = Metrics(FAMILIES, rows)  # takes its row
    rows.owners[1] = rows.owners[0]
    third = Metrics(FAMILIES, Rows(rows.width, rows.numbers, rows.owners, rows.lock))
    for metrics in (first, second, third):
        metrics.add("tagloom_tokens_total", 5, (("model", "ner"),))
    assert read(third)['tagloom_tokens_total{model="ner"}'] == 15


def test_gauges_forget_the_dead() -> None:
    rows = Rows.share(Metrics.measure_width(FAMILIES), 2)
    metrics = Metrics(FAMILIES, rows)
    metrics.add("tagloom_requests_under_way", 3)
    metrics.add("tagloom_tokens_total", 5, (("model", "ner"),))
    rows.owners[0] = 2**22 + 1
    other = Metrics(FAMILIES, Rows(rows.width, rows.numbers, rows.owners, rows.lock))
    found = read(other)
    assert found["tagloom_requests_under_way"] == 0
    assert found["tagloom_workers"] == 1
    assert found['tagloom_tokens_total{model="ner"}'] == 5


def test_requests_to_unknown_places_are_counted_together() -> None:
    metrics = Metrics(FAMILIES)
    metrics.count_request("other", 404, 0.1)
    metrics.count_request("/v1/annotate", 418, 0.1)  # a status that is never sent
    found = read(metrics)
    assert found['tagloom_requests_total{endpoint="other",status="404"}'] == 1
    assert not any("418" in name for name in found)
    assert found["tagloom_memory_bytes"] > 10**6
    assert measure_memory() > 10**6
