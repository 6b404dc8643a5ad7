"""`make bench-serve`: requests per second, latency at half of the wanted load, memory over 200,000 requests.

Everything runs on this machine: two workers, and the client beside them. Writes docs/results/serve.json and serve.md.
Needs wrk; takes three minutes.

    python -m bench.serve            # everything
    python -m bench.serve --quick    # a tenth of it, printed only
"""

from __future__ import annotations

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tagloom
from bench import RESULTS, ROOT
from bench.machine import describe_machine
from bench.serve.client import build_request, send_at_rate
from tagloom.corpus import Corpus
from tagloom.datasets import newswire
from tests.serve.processes import ServerProcess

WORKERS = 2
WANTED = 3000  # requests per second
ROUNDS, SECONDS, CONNECTIONS = 3, 8, 32
MEMORY_REQUESTS, MOST_ROUNDS = 200_000, 30
_ASKS = 20
SENTENCES, LENGTH = 2000, 20  # distinct sentences, tokens each
DATA = Path(os.environ.get("TAGLOOM_DATA", ROOT.parent / "shared" / "data")) / "conll2003-en"

#: What wrk sends: the lines of a file, one after another.
SCRIPT = """
local lines, place = {}, 0
for line in io.lines(os.getenv("TAGLOOM_BODIES")) do lines[#lines + 1] = line end
wrk.method = "POST"
wrk.headers["content-type"] = "application/json"
request = function()
  place = place % #lines + 1
  return wrk.format(nil, nil, nil, lines[place])
end
"""
_RATE = re.compile(r"Requests/sec:\s+([\d.]+)")
_LATENCY = re.compile(r"^\s+(50|90|99)%\s+([\d.]+)(us|ms|s)$", re.M)
_ERRORS = re.compile(r"(Non-2xx or 3xx responses: \d+|Socket errors: .*)")
_UNITS = {"us": 1e-3, "ms": 1.0, "s": 1e3}


def read_corpora() -> tuple[Corpus, Corpus, Corpus, str]:
    """Read what the model learns from, is calibrated on, and is asked about."""
    if DATA.is_dir():
        parts = [tagloom.read(DATA / name) for name in ("eng.train.xz", "eng.testa", "eng.testb")]
        return parts[0], parts[1], parts[2], "CoNLL-2003 English"
    made = [newswire(count, seed=seed) for seed, count in enumerate((200, 20, 400), 1)]
    columns = [
        Corpus({name: each.column(name) for name in ("form", "ner")}, each.sentences, each.documents) for each in made
    ]
    return columns[0], columns[1], columns[2], "the newswire generator"


def build_messages(corpus: Corpus) -> dict[str, list[dict[str, Any]]]:
    """Cut the words of a corpus into sentences of 20, as messages of several kinds."""
    words = [word for number in range(len(corpus)) for word in corpus.sentence(number, "form")]
    rows = [words[at : at + LENGTH] for at in range(0, LENGTH * SENTENCES, LENGTH) if at + LENGTH <= len(words)]
    return {
        "text": [{"text": " ".join(row)} for row in rows],
        "text, with probabilities": [{"text": " ".join(row), "confidence": True} for row in rows],
        "tokens": [{"tokens": row} for row in rows],
    }


def run_wrk(port: int, bodies: Path, seconds: float) -> dict[str, Any]:
    """Send requests as fast as the server takes them."""
    script = bodies.with_suffix(".lua")
    script.write_text(SCRIPT)
    address = f"http://127.0.0.1:{port}/v1/annotate"
    command = [
        "wrk",
        "-t1",
        f"-c{CONNECTIONS}",
        f"-d{max(1, round(seconds))}s",
        "--latency",
        "-s",
        str(script),
        address,
    ]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        env={"TAGLOOM_BODIES": str(bodies), "PATH": "/usr/bin:/bin"},
    )
    rate = _RATE.search(done.stdout)
    if rate is None or (errors := _ERRORS.search(done.stdout)):
        sys.exit(f"wrk: {errors[0] if rate else done.stdout}")
    latency = {f"p{name}_ms": float(value) * _UNITS[unit] for name, value, unit in _LATENCY.findall(done.stdout)}
    return {"requests_per_second": float(rate[1]), **latency}


def measure_throughput(server: ServerProcess, bodies: Path, rounds: int, seconds: float) -> dict[str, Any]:
    """Measure several rounds; the median counts."""
    run_wrk(server.port, bodies, 2)  # warms up
    found = [run_wrk(server.port, bodies, seconds) for _ in range(rounds)]
    return {key: statistics.median(each[key] for each in found) for key in found[0]}


def measure_latency(server: ServerProcess, messages: Sequence[Any], rate: float, seconds: float) -> dict[str, Any]:
    """Measure latencies while requests come at a fixed rate."""
    requests = [build_request(json.dumps(each).encode()) for each in messages]
    latencies, statuses = send_at_rate(server.port, requests, rate, seconds)
    if set(statuses) != {200}:
        sys.exit(f"answers by status: {statuses}")
    cuts = statistics.quantiles(latencies, n=1000)
    return {
        "requests_per_second": rate, "requests": len(latencies), "p50_ms": cuts[499] * 1000, "p90_ms": cuts[899] * 1000,
        "p99_ms": cuts[989] * 1000, "p999_ms": cuts[998] * 1000, "longest_ms": max(latencies) * 1000,
    }  # fmt: skip


def read_metrics(server: ServerProcess) -> tuple[int, float, float]:
    """Read how many requests were answered, the memory of the workers in MB, and their CPU seconds."""
    for _ in range(_ASKS):  # each by another connection, so that all workers measure themselves
        server.get("/metrics")
    lines = dict(line.rsplit(" ", 1) for line in server.get("/metrics").splitlines() if not line.startswith("#"))
    count = lines.get('tagloom_requests_total{endpoint="/v1/annotate",status="200"}', "0")
    memory, cpu = float(lines["tagloom_memory_bytes"]), float(lines["tagloom_cpu_seconds_total"])
    return int(count), memory / 1e6, cpu


def measure_memory(server: ServerProcess, bodies: Path, requests: int) -> list[dict[str, Any]]:
    """Measure the memory of the workers after more and more requests."""
    rows = []
    first, _, used = read_metrics(server)
    for _ in range(MOST_ROUNDS):
        count, memory, cpu = read_metrics(server)
        done = count - first
        rows.append(
            {
                "requests": done,
                "memory_megabytes": memory,
                "cpu_microseconds_per_request": (cpu - used) / max(done, 1) * 1e6,
            }
        )
        if done >= requests:
            break
        run_wrk(server.port, bodies, SECONDS)
    return rows


def measure(*, quick: bool) -> dict[str, Any]:
    """Train a model, serve it, and measure."""
    share = 10 if quick else 1
    train, dev, test, name = read_corpora()
    model = tagloom.train(train, dev=dev, epochs=6)
    kinds = build_messages(test)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "ner.tagloom"
        model.save(file)
        paths = {}
        for number, (kind, messages) in enumerate(kinds.items()):
            paths[kind] = Path(folder) / f"{number}.bodies"
            paths[kind].write_text("".join(json.dumps(each) + "\n" for each in messages), "utf-8")
        with ServerProcess(file, "--workers", WORKERS, "--no-request-log") as server:
            memory = measure_memory(server, paths["text"], MEMORY_REQUESTS // share)
            rates = {kind: measure_throughput(server, path, ROUNDS, SECONDS / share) for kind, path in paths.items()}
            reached = rates["text"]["requests_per_second"]
            loads = (WANTED / 2, reached / 2)
            latency = [measure_latency(server, kinds["text"], rate, 3 * SECONDS / share) for rate in loads]
        with ServerProcess(file, "--workers", WORKERS) as server:
            logged = measure_throughput(server, paths["text"], 1, SECONDS / share)
    return {
        "data": name, "workers": WORKERS, "connections": CONNECTIONS, "tokens": LENGTH,
        "model_megabytes": len(model.to_bytes()) / 1e6, "throughput": rates, "throughput_with_request_log": logged,
        "latency": latency, "memory": memory, "machine": describe_machine(), "version": tagloom.__version__,
    }  # fmt: skip


def tabulate(result: dict[str, Any]) -> str:
    """Lay the results out in Markdown."""
    machine = result["machine"]
    lines = [
        "# Requests per second",
        "",
        f"`make bench-serve`: a tagger of entities trained on {result['data']} ({result['model_megabytes']:.0f} MB), "
        f"sentences of {result['tokens']} tokens, one per request, {result['workers']} workers, "
        f"{result['connections']} connections. Server and client share one machine ({machine['processor']}, "
        f"{machine['cores']} cores).",
        "",
        "As fast as it goes (wrk, median of three rounds):",
        "",
        "| `POST /v1/annotate` with | requests per second | tokens per second | p50, ms | p99, ms |",
        "|---|---|---|---|---|",
    ]
    rows = {**result["throughput"], "text, one log line per request": result["throughput_with_request_log"]}
    for kind, row in rows.items():
        rate = row["requests_per_second"]
        lines.append(
            f"| {kind} | {rate:,.0f} | {rate * result['tokens']:,.0f} | {row['p50_ms']:.1f} | {row['p99_ms']:.1f} |"
        )
    lines += [
        "",
        "Requests at a fixed rate, counted from the moment when each was due:",
        "",
        "| requests per second | requests | p50, ms | p90, ms | p99, ms | p99.9, ms | longest, ms |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in result["latency"]:
        numbers = " | ".join(f"{row[key]:.1f}" for key in ("p50_ms", "p90_ms", "p99_ms", "p999_ms", "longest_ms"))
        lines.append(f"| {row['requests_per_second']:,.0f} | {row['requests']:,} | {numbers} |")
    lines += ["", "Resident memory of both workers together:", "", "| requests | MB |", "|---|---|"]
    lines += [f"| {row['requests']:,} | {row['memory_megabytes']:.1f} |" for row in result["memory"]]
    cpu = result["memory"][-1]["cpu_microseconds_per_request"]
    return (
        "\n".join([*lines, "", f"A request takes {cpu:.0f} µs of processor time, all of HTTP and JSON included."])
        + "\n"
    )


def main() -> None:
    """Measure and write the results."""
    if shutil.which("wrk") is None:
        sys.exit("make bench-serve needs wrk, a program that sends requests: apt install wrk")
    quick = "--quick" in sys.argv[1:]
    result = measure(quick=quick)
    if not quick:
        (RESULTS / "serve.json").write_text(json.dumps(result, indent=1) + "\n", "utf-8")
        (RESULTS / "serve.md").write_text(tabulate(result), "utf-8")
    print(tabulate(result))


if __name__ == "__main__":
    main()
