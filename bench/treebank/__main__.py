"""`make bench-treebank`: UD English EWT from raw text, tagloom's pipeline beside UDPipe 1.

Both are trained on the first 3,000 sentences of the training data, tagloom also on all of it, every training and
tagging in a process of its own. Finished parts are kept in build/bench-treebank, and a run goes on from there. Writes
docs/results/treebank.json and treebank.md.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tagloom
from bench import RESULTS, ROOT
from bench.parts import OUTPUT, Part, PartError, checksum_sources
from tagloom.corpus import restore_text
from tagloom.evaluate import score_treebank
from tagloom.evaluate.counts import TEXT_METRICS

SENTENCES = 3000
UDPIPE, OURS, OURS_WHOLE = "UDPipe 1", "tagloom", "tagloom, whole"
RAW, GOLD_TOKENS = "raw text", "gold tokens"
COMMANDS = """\
```sh
udpipe --train udpipe.model --heldout dev.conllu train-3000.conllu      # by ufal.udpipe.Trainer, all options empty
udpipe --tokenize --tag --parse udpipe.model test.txt                   # gold tokens: --tag --parse test.tokens.conllu
tagloom train train-3000.conllu --dev dev.conllu --system pipeline -o pipeline.tagloom   # whole: train.conllu
tagloom tag pipeline.tagloom test.txt --to conllu -o out.conllu
tagloom eval test.conllu out.conllu --text
```"""


def find_treebank() -> Path:
    """Return the folder of UD English EWT, or end with a line that says how to name it."""
    folder = Path(os.environ.get("TAGLOOM_DATA", ROOT.parent / "shared" / "data")) / "ud-en-ewt"
    if not folder.is_dir():
        sys.exit(f"{folder}: no such folder; set TAGLOOM_DATA to the folder that holds ud-en-ewt")
    return folder


@dataclass(frozen=True)
class Data:
    """The files that both systems read."""

    train: Path
    train_part: Path
    heldout: Path
    test: Path
    text: Path  # of the test data
    tokens: Path  # the test data without annotation

    @classmethod
    def write(cls, source: Path, folder: Path) -> Data:
        """Unpack the treebank, cut the training data, and write the test data as text and as tokens."""
        folder.mkdir(parents=True, exist_ok=True)
        texts = {
            part: lzma.decompress((source / f"en_ewt-ud-{part}.conllu.xz").read_bytes()).decode()
            for part in ("train", "dev", "test")
        }
        blocks = texts["train"].split("\n\n")
        files = {
            "train.conllu": texts["train"],
            f"train-{SENTENCES}.conllu": "\n\n".join(blocks[:SENTENCES]) + "\n\n",
            "dev.conllu": texts["dev"],
            "test.conllu": texts["test"],
        }
        for name, text in files.items():
            (folder / name).write_text(text, "utf-8")
        restored = restore_text(tagloom.read(folder / "test.conllu"))
        (folder / "test.txt").write_text(restored.text, "utf-8")
        (folder / "test.tokens.conllu").write_text(remove_annotation(texts["test"]), "utf-8")
        return cls(*(folder / name for name in (*files, "test.txt", "test.tokens.conllu")))


def remove_annotation(treebank: str) -> str:
    """Keep ids, forms and the white space after tokens; empty nodes go."""
    lines = []
    for line in treebank.split("\n"):
        cells = line.split("\t")
        if len(cells) == 10:
            if "." in cells[0]:
                continue
            line = "\t".join([*cells[:2], *"_______", "SpaceAfter=No" if "SpaceAfter=No" in cells[9] else "_"])
        lines.append(line)
    return "\n".join(lines)


@dataclass(frozen=True)
class Bench:
    """Runs the parts and scores what they wrote."""

    data: Data
    cache: Path
    udpipe_python: str

    def measure_udpipe(self) -> dict[str, Any]:
        """Train UDPipe, and tag raw text and gold tokens."""
        data = self.data
        train = self._build_udpipe_part("train", data.train_part, data.heldout)
        model, training = train.run(self.cache, self.udpipe_python)
        found: dict[str, Any] = {"sentences": SENTENCES, "training": training}
        for source, how, file in ((RAW, "tokenize", data.text), (GOLD_TOKENS, "conllu", data.tokens)):
            part = self._build_udpipe_part(how, model, file)
            found[source] = self._score(*part.run(self.cache, self.udpipe_python))
        return found

    def _build_udpipe_part(self, job: str, *inputs: Path) -> Part:
        arguments = (job, *map(str, inputs), OUTPUT)
        return Part(f"udpipe-{job}", "bench.treebank.udpipe", arguments, inputs, "udpipe 1")

    def measure_ours(self, train_file: Path) -> dict[str, Any]:
        """Train a pipeline, and tag raw text and gold tokens."""
        model, training = self._run_ours(
            "train", (train_file,), "--dev", str(self.data.heldout), "--system", "pipeline"
        )
        found: dict[str, Any] = {"sentences": len(tagloom.read(train_file)), "training": training}
        for source, file in ((RAW, self.data.text), (GOLD_TOKENS, self.data.tokens)):
            found[source] = self._score(*self._run_ours("tag", (model, file), "--to", "conllu"))
        return found

    def _run_ours(self, command: str, inputs: tuple[Path, ...], *options: str) -> tuple[Path, dict[str, Any]]:
        arguments = (command, *map(str, inputs), *options, "-o", OUTPUT)
        return Part(f"ours-{command}", "bench.treebank.ours", arguments, inputs, checksum_sources()).run(self.cache)

    def _score(self, output: Path, usage: dict[str, Any]) -> dict[str, Any]:
        score = score_treebank(tagloom.read(self.data.test), tagloom.read(output, "conllu"))
        words = score.by_metric["words"].predicted
        return {**usage, "words_per_second": words / usage["cpu_seconds"], **score.to_dict()}


def measure(bench: Bench, only: str | None) -> dict[str, Any]:
    """Measure all systems, or those whose name begins with ``only``; one that fails leaves its reason."""
    jobs = {
        UDPIPE: bench.measure_udpipe,
        OURS: lambda: bench.measure_ours(bench.data.train_part),
        OURS_WHOLE: lambda: bench.measure_ours(bench.data.train),
    }
    systems: dict[str, Any] = {}
    for name, job in jobs.items():
        if only is None or name.lower().startswith(only.lower()):
            try:
                systems[name] = job()
            except PartError as error:
                systems[name] = {"failed": str(error)}
    return {"treebank": "UD English EWT 2.16", "systems": systems, "machine": platform.processor(),
            "version": tagloom.__version__}  # fmt: skip


def build_table(result: dict[str, Any]) -> str:
    """Lay the results out in Markdown."""
    systems = {name: found for name, found in result["systems"].items() if "failed" not in found}
    if not systems:
        return ""
    lines = ["| | " + " | ".join(systems) + " |", "|---" * (len(systems) + 1) + "|"]
    lines.append(_join_row("training sentences", [f"{found['sentences']:,}" for found in systems.values()]))
    for source in (RAW, GOLD_TOKENS):
        for key, name in TEXT_METRICS.items():
            cells = [found[source]["scores"].get(key) for found in systems.values()]
            if source == RAW or key not in ("tokens", "sentences", "words"):
                lines.append(_join_row(f"{name}, {source}", [f"{cell['f1']:.2f}" if cell else "" for cell in cells]))
    trainings = [found["training"] for found in systems.values()]
    lines += [
        _join_row("training, CPU seconds", [f"{each['cpu_seconds']:,.0f}" for each in trainings]),
        _join_row("training, peak memory, MB", [f"{each['peak_megabytes']:,.0f}" for each in trainings]),
        _join_row("model file, MB", [f"{each['bytes'] / 1e6:.1f}" for each in trainings]),
        _join_row("raw text, words per CPU second",
                  [f"{found[RAW]['words_per_second']:,.0f}" for found in systems.values()]),
    ]  # fmt: skip
    return "\n".join(lines)


def _join_row(name: str, cells: list[str]) -> str:
    return f"| {name} | " + " | ".join(cells) + " |"


def build_page(result: dict[str, Any]) -> str:
    """Write the page: what was done, the commands, the table."""
    versions = [
        f"{name}: version {found['training']['version']}"
        for name, found in result["systems"].items()
        if "training" in found and name != OURS_WHOLE
    ]
    failed = [f"{name}: {found['failed']}" for name, found in result["systems"].items() if "failed" in found]
    return "\n\n".join([
        "# Raw text to treebank beside UDPipe",
        f"`make bench-treebank`, {result['treebank']}, test data, F1 by the counting of CoNLL 2018 "
        f"(`tagloom eval --text`). UDPipe and tagloom are trained on the first {SENTENCES:,} sentences with their "
        f"defaults; both choose their passes on the development data. {', '.join(versions)}.",
        COMMANDS,
        build_table(result),
        *failed,
    ]) + "\n"  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.treebank")
    parser.add_argument("--cache", type=Path, default=ROOT / "build" / "bench-treebank", help="keeps finished parts")
    parser.add_argument("--udpipe-python", default=sys.executable, help="a Python that has the package ufal.udpipe")
    parser.add_argument("--only", help="udpipe or tagloom; writes nothing into docs/results")
    options = parser.parse_args()
    bench = Bench(Data.write(find_treebank(), options.cache / "data"), options.cache, options.udpipe_python)
    result = measure(bench, options.only)
    print(build_page(result))
    if options.only is None:
        (RESULTS / "treebank.json").write_text(json.dumps(result, indent=1) + "\n", "utf-8")
        (RESULTS / "treebank.md").write_text(build_page(result), "utf-8")
    if any("failed" in found for found in result["systems"].values()):
        sys.exit(1)


if __name__ == "__main__":
    main()
