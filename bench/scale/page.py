"""The page of all measurements of scale: docs/results/scale.md."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from bench.scale.process import Record
from bench.scale.sizes import MEMORY


def write_page(record: Record, ray: Record | None) -> str:
    """Write the tables; what was not measured is left out."""
    sections = [_begin(record)]
    for name, writers in _SECTIONS.items():
        sections += [write(record) for write in writers if record[name]]
    if ray is not None:
        sections.append(_write_ray(ray))
    return "\n\n".join("\n".join(section) for section in sections) + "\n"


def _begin(record: Record) -> list[str]:
    machine = record["machine"]
    where = f"{machine['processor']}, {machine['cores']} cores, {machine['memory_gigabytes']} GB"
    return ["# Scale", "", f"`{record['command']}` on {where}. CPU seconds include reading and writing."]


def _draw(title: str, text: str, heads: Sequence[str], rows: Iterable[Sequence[str]], lefts: int = 1) -> list[str]:
    """Write a section with a table whose first columns are text and the others numbers."""
    line = [*["---"] * lefts, *["---:"] * (len(heads) - lefts)]
    table = [f"| {' | '.join(cells)} |" for cells in (heads, line, *rows)]
    return [f"## {title}", "", *([text, ""] if text else []), *table]


def _write_sizes(record: Record) -> list[str]:
    rows, exponents = record["sizes"], record["exponents"]
    told = f"One pass of the averaged perceptron with the templates `chunking` and `--memory {MEMORY}`, on one thread."
    if exponents:
        told += (
            f" Exponents of CPU seconds over tokens: training {exponents['training']:.3f}, tagging "
            f"{exponents['tagging']:.3f}."
        )
    heads = [
        "tokens",
        "features",
        "training, CPU s",
        "µs per token",
        "peak MB",
        "tagging, CPU s",
        "tokens/s",
        "peak MB",
    ]
    return _draw("Tokens", told, heads, map(_write_size, rows), lefts=0)


def _write_size(row: Record) -> list[str]:
    train, tag, tokens = row["training"]["1"], row["tagging"]["1"], row["tokens"]
    each = train["cpu_seconds"] / tokens * 1e6
    return [
        f"{tokens:,}", f"{train['features']:,}", f"{train['cpu_seconds']:.1f}", f"{each:.2f}",
        f"{train['megabytes']:,.0f}", f"{tag['cpu_seconds']:.1f}", f"{tokens / tag['cpu_seconds']:,.0f}",
        f"{tag['megabytes']:,.0f}",
    ]  # fmt: skip


def _write_sizes_of_threads(record: Record) -> list[str]:
    rows = [
        [what, f"{row['tokens']:,}", *_compare(row[what]["1"]["seconds"], row[what]["2"]["seconds"])]
        for what in ("training", "tagging")
        for row in record["sizes"]
        if "2" in row[what]
    ]
    if not rows:
        return []
    told = "Seconds of whole commands, reading and writing included; the least of rounds that take turns."
    return _draw(
        "Commands on two threads", told, ["command", "tokens", "one thread, s", "two threads, s", "ratio"], rows
    )


def _write_threads(record: Record) -> list[str]:
    rows = [[row["work"], *_compare(row["one"], row["two"])] for row in record["threads"]]
    told = "The parts of the work that threads share, on 10^6 tokens."
    return _draw("Two threads against one", told, ["work", "one thread, s", "two threads, s", "ratio"], rows)


def _compare(one: float, two: float) -> list[str]:
    return [f"{one:.2f}", f"{two:.2f}", f"{one / two:.2f}"]


def _write_labels(record: Record) -> list[str]:
    rows, told = [], []
    for found in record["labels"]:
        told.append(
            f"{found['learner']} {found['exponent']:.2f} over all, {found['last_exponent']:.2f} over the last two rows"
        )
        for row in found["rows"]:
            each = row["pass_seconds"] / row["tokens"] * 1e6
            rows.append(
                [found["learner"], f"{row['tokens']:,}", str(row["labels"]), f"{each:.2f}", f"{row['megabytes']:,.0f}"]
            )
    text = f"Exponents of the time of a pass over labels: {'; '.join(told)}."
    heads = ["learner", "tokens", "labels", "µs per token and pass", "peak MB"]
    return _draw("Labels", text, heads, rows)


def _write_rivals(record: Record) -> list[str]:
    rows = []
    for row in record["rivals"]:
        version = "" if row["tool"].startswith("tagloom") else f" {row['version'].split(' ')[0]}"
        cells = [f"{row['tool']}{version}: {row['settings']}", f"{row['tokens']:,}"]
        if "note" in row:
            rows.append([*cells, row["note"], "", "", ""])
        else:
            numbers = row["cpu_seconds"], row["own_seconds"], row["megabytes"]
            rows.append([*cells, *(f"{number:,.1f}" for number in numbers), f"{row['accuracy']:.2f}"])
    told = (
        "One pass with the same features. CPU seconds are those from the text to the saved model; for the other tools, "
        "Python writes the features, and the seconds of learning alone stand beside. The share of right labels is that "
        "on other generated text."
    )
    heads = ["tool", "tokens", "CPU s", "of these learning", "peak MB", "right, %"]
    return _draw("Other tools", told, heads, rows)


def _write_mixing(record: Record) -> list[str]:
    rows = []
    for row in record["mixing"]:
        cells = [row["corpus"], row["learner"]]
        for what, name in (("default", f"{row['passes']} passes"), ("best", f"best of {len(row['serial'])} passes")):
            point = row[what]
            rows.append([*cells, name, f"{point['score']:.2f}", *_reach(point), f"{row['mixed_score']:.2f}"])
    told = "The time until `mix=2` on two threads reaches a score of the serial learner on one."
    heads = ["corpus", "learner", "score of", "F1", "serial, s", "mixing, s", "ratio", "best F1 with mixing"]
    return _draw("Parameter mixing", told, heads, rows, lefts=3)


def _reach(point: Record) -> list[str]:
    serial, mixed = point["serial_seconds"], point["mixed_seconds"]
    return [f"{serial:.2f}", "not reached", ""] if mixed is None else _compare(serial, mixed)


def _write_ray(ray: Record) -> list[str]:
    threads = ray["threads"]
    rows = [["`tagloom tag --threads 2`", *_write_ray_row(ray["tokens"], threads)]]
    for count, row in ray["workers"].items():
        noun = "worker" if count == "1" else "workers"
        rows.append(
            [f"{count} {noun}", *_write_ray_row(ray["tokens"], row), f"{row['ratio']:.2f}", _say(row["same_lines"])]
        )
    told = (
        f"`{ray['command']}`: JSONL tagged by workers of this machine. Seconds include the start of Ray; the ratio is "
        "that of the throughput to the first row."
    )
    heads = ["by", "tokens", "s", "tokens/s", "CPU s", "ratio", "same lines"]
    return _draw("Ray", told, heads, [[*row, *[""] * (len(heads) - len(row))] for row in rows])


def _write_ray_row(tokens: int, row: Record) -> list[str]:
    return [f"{tokens:,}", f"{row['seconds']:.1f}", f"{tokens / row['seconds']:,.0f}", f"{row['cpu_seconds']:.1f}"]


def _say(value: bool) -> str:
    return "yes" if value else "no"


#: What writes the parts of scale.json, in the order of the page.
_SECTIONS: dict[str, tuple[Callable[[Record], list[str]], ...]] = {
    "sizes": (_write_sizes, _write_sizes_of_threads),
    "threads": (_write_threads,),
    "labels": (_write_labels,),
    "rivals": (_write_rivals,),
    "mixing": (_write_mixing,),
}
