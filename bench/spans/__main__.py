"""What spans that are chosen by their probability gain on development data, and what they cost.

``python -m bench.spans DATA [CORPUS...]`` trains ``sgd`` with the default features on every corpus, with three seeds,
and scores the most probable labelling, several thresholds, and half of the F1 of the former. DATA is the folder of the
corpora. Results go into docs/results/spans.json and spans.md.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import tagloom
from bench import ROOT
from tagloom.corpus import Corpus

SEEDS = (1, 2, 3)
THRESHOLDS = (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)
OUTPUT = ROOT / "docs" / "results" / "spans.json"


@dataclass(frozen=True)
class Task:
    """A corpus of spans; without development data the last tenth of the training data is held out."""

    title: str
    train: str
    dev: str | None
    columns: str


TASKS = {
    "conll2003-en": Task("entities, English news", "conll2003-en/eng.train.xz", "conll2003-en/eng.testa",
                         "form pos chunk label"),
    "conll2003-de": Task("entities, German news", "conll2003-de/deu2col.train.xz", "conll2003-de/deu2col.testa",
                         "form label"),
    "conll2002-nl": Task("entities, Dutch news", "conll2002-nl/ned.train.xz", "conll2002-nl/ned.testa",
                         "form pos label"),
    "europarl-ner-de": Task("entities, German debates", "europarl-ner-de/train.tsv.xz", "europarl-ner-de/dev.tsv",
                            "form lemma pos chunk label"),
    "weibo-ner": Task("entities, Chinese posts", "weibo-ner/weiboNER_2nd_conll.train",
                      "weibo-ner/weiboNER_2nd_conll.dev", "form label"),
    "jnlpba": Task("biomedical names", "jnlpba/train.docstart.iob2.xz", None, "form label"),
    "conll2000": Task("chunks, English news", "conll2000/train.txt.xz", None, "form pos label"),
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """Mean F1 of the seeds: of the best labelling, at every threshold, and at half of the F1 of the former."""

    corpus: str
    viterbi: float
    thresholds: dict[str, float]
    half: float
    viterbi_speed: float  # tokens per CPU second
    spans_speed: float


def split(task: Task, data: Path) -> tuple[Corpus, Corpus]:
    """Read training and development data."""
    train = tagloom.read(data / task.train, columns=task.columns, format="conll")
    if task.dev is not None:
        return train, tagloom.read(data / task.dev, columns=task.columns, format="conll")
    border = len(train) * 9 // 10
    return train.slice(0, border), train.slice(border, len(train))


def measure(name: str, data: Path) -> Row:
    """Train and score all seeds."""
    train, dev = split(TASKS[name], data)
    viterbi: list[float] = []
    half: list[float] = []
    found: dict[float, list[float]] = {threshold: [] for threshold in THRESHOLDS}
    speeds: dict[str, list[float]] = {"viterbi": [], "spans": []}
    for seed in SEEDS:
        model = tagloom.train(train, learner="sgd", seed=seed)
        viterbi.append(model.evaluate(dev).value)
        half.append(model.evaluate(dev, threshold=viterbi[-1] / 200).value)
        for threshold, values in found.items():
            values.append(model.evaluate(dev, threshold=threshold).value)
        for decoder, times in speeds.items():
            begun = time.process_time()
            model.tag_corpus(dev, decoder=decoder)
            times.append(dev.token_count / (time.process_time() - begun))
    means = {str(threshold): statistics.fmean(values) for threshold, values in found.items()}
    best = {decoder: max(times) for decoder, times in speeds.items()}
    return Row(name, statistics.fmean(viterbi), means, statistics.fmean(half), best["viterbi"], best["spans"])


def write_page(rows: list[Row]) -> str:
    """Write the page of the results."""
    lines = [
        "# Spans by their probability",
        "",
        "`python -m bench.spans DATA`: F1 on development data of taggers with default features and the learner `sgd`,",
        "means of three seeds. *Best labelling* is Viterbi; a threshold takes the spans that are more probable",
        "([how](../learners.md#spans-by-their-probability)). *Half* takes half of the F1 of the best labelling as the",
        "threshold. Tokens per CPU second are the best of three runs on one thread.",
        "",
        f"| corpus | best labelling | {' | '.join(map(str, THRESHOLDS))} | half | gain | tokens/s, Viterbi | spans |",
        f"|---|---:|{'---:|' * len(THRESHOLDS)}---:|---:|---:|---:|",
    ]
    for row in rows:
        values = " | ".join(f"{row.thresholds[str(threshold)]:.2f}" for threshold in THRESHOLDS)
        speeds = f"{row.viterbi_speed:,.0f} | {row.spans_speed:,.0f}"
        gain = row.half - row.viterbi
        title = f"{TASKS[row.corpus].title} ({row.corpus})"
        lines.append(f"| {title} | {row.viterbi:.2f} | {values} | **{row.half:.2f}** | {gain:+.2f} | {speeds} |")
    return "\n".join([*lines, ""])


def main(data: Path, names: list[str]) -> None:
    """Measure the corpora, and write what is known of all."""
    known = {each["corpus"]: Row(**each) for each in json.loads(OUTPUT.read_text())} if OUTPUT.exists() else {}
    for name in names:
        known[name] = measure(name, data)
        print(known[name], flush=True)
        rows = [known[each] for each in TASKS if each in known]
        OUTPUT.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
        OUTPUT.with_suffix(".md").write_text(write_page(rows))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:] or list(TASKS))
