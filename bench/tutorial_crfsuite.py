"""sklearn-crfsuite's CoNLL-2002 tutorial with either package: `python -m bench.tutorial_crfsuite [ROUNDS]`.

The code between the lines is the tutorial's, on the Dutch part of the corpus. Every run has its own process and one
thread. Seconds are CPU seconds. Runs alternate, so that a busy machine slows both. Writes
docs/results/tutorial-crfsuite.*.
"""

from __future__ import annotations

import importlib
import json
import lzma
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bench import RESULTS, ROOT

PACKAGES = {"tagloom": "tagloom.compat.crfsuite", "sklearn-crfsuite": "sklearn_crfsuite"}
Sentence = list[tuple[str, str, str]]

# -- the tutorial's features ------------------------------------------------------------------------------------------


def word2features(sent: Sentence, i: int) -> dict[str, Any]:
    word = sent[i][0]
    postag = sent[i][1]
    features = {
        "bias": 1.0,
        "word.lower()": word.lower(),
        "word[-3:]": word[-3:],
        "word[-2:]": word[-2:],
        "word.isupper()": word.isupper(),
        "word.istitle()": word.istitle(),
        "word.isdigit()": word.isdigit(),
        "postag": postag,
        "postag[:2]": postag[:2],
    }
    if i > 0:
        word1 = sent[i - 1][0]
        postag1 = sent[i - 1][1]
        features.update(
            {
                "-1:word.lower()": word1.lower(),
                "-1:word.istitle()": word1.istitle(),
                "-1:word.isupper()": word1.isupper(),
                "-1:postag": postag1,
                "-1:postag[:2]": postag1[:2],
            }
        )
    else:
        features["BOS"] = True
    if i < len(sent) - 1:
        word1 = sent[i + 1][0]
        postag1 = sent[i + 1][1]
        features.update(
            {
                "+1:word.lower()": word1.lower(),
                "+1:word.istitle()": word1.istitle(),
                "+1:word.isupper()": word1.isupper(),
                "+1:postag": postag1,
                "+1:postag[:2]": postag1[:2],
            }
        )
    else:
        features["EOS"] = True
    return features


def sent2features(sent: Sentence) -> list[dict[str, Any]]:
    return [word2features(sent, i) for i in range(len(sent))]


def sent2labels(sent: Sentence) -> list[str]:
    return [label for token, postag, label in sent]


# -- one run ----------------------------------------------------------------------------------------------------------


def read_sentences(path: Path) -> list[Sentence]:
    """Read sentences as NLTK does: lines of document boundaries are left out."""
    data = path.read_bytes()
    text = (lzma.decompress(data) if path.suffix == ".xz" else data).decode()
    blocks = [[line.split(" ") for line in block.split("\n") if line.strip()] for block in text.split("\n\n")]
    rows = [[(form, pos, label) for form, pos, label in block if form != "-DOCSTART-"] for block in blocks]
    return [row for row in rows if row]


def run_tutorial(package: str, folder: Path) -> dict[str, Any]:
    sklearn_crfsuite = importlib.import_module(package)
    metrics = importlib.import_module(f"{package}.metrics")
    train_sents, test_sents = read_sentences(folder / "ned.train.xz"), read_sentences(folder / "ned.testb")
    X_train = [sent2features(s) for s in train_sents]  # noqa: N806
    y_train = [sent2labels(s) for s in train_sents]
    X_test = [sent2features(s) for s in test_sents]  # noqa: N806
    y_test = [sent2labels(s) for s in test_sents]
    sklearn_crfsuite.CRF()  # whatever is imported when it is first used
    started = time.process_time()
    crf = sklearn_crfsuite.CRF(algorithm="lbfgs", c1=0.1, c2=0.1, max_iterations=100, all_possible_transitions=True)
    crf.fit(X_train, y_train)
    trained = time.process_time()
    labels = list(crf.classes_)
    labels.remove("O")
    begun = time.process_time()
    y_pred = crf.predict(X_test)
    predicted = time.process_time()
    f1 = metrics.flat_f1_score(y_test, y_pred, average="weighted", labels=labels)
    metrics.flat_classification_report(y_test, y_pred, labels=sorted(labels, key=lambda name: (name[1:], name[0])))
    return {
        "train_seconds": trained - started,
        "predict_seconds": predicted - begun,
        "iterations": crf.training_log_.last_iteration["num"],
        "objective": crf.training_log_.last_iteration["loss"],
        "f1": 100 * f1,
        "sequences": 100 * metrics.sequence_accuracy_score(y_test, y_pred),
        "state_features": len(crf.state_features_),
        "model_bytes": crf.size_,
        "peak_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "likely": Counter(crf.transition_features_).most_common(5),
        "unlikely": Counter(crf.transition_features_).most_common()[-5:],
        "positive": Counter(crf.state_features_).most_common(10),
    }


# -- all runs ---------------------------------------------------------------------------------------------------------


def find_corpus() -> Path:
    folder = Path(os.environ.get("TAGLOOM_DATA", ROOT.parent / "shared" / "data")) / "conll2002-nl"
    if not folder.is_dir():
        sys.exit(f"{folder}: no such folder; set TAGLOOM_DATA to the folder that holds conll2002-nl")
    return folder


def measure(rounds: int) -> dict[str, Any]:
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in PACKAGES}
    for _ in range(rounds):
        for name, found in runs.items():
            command = [sys.executable, "-m", "bench.tutorial_crfsuite", "--run", name]
            done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
            found.append(json.loads(done.stdout))
    numbers = [key for key, value in runs["tagloom"][0].items() if not isinstance(value, list)]
    medians = {name: {key: statistics.median(run[key] for run in found) for key in numbers} for name, found in
               runs.items()}  # fmt: skip
    ratios = [
        theirs["train_seconds"] / ours["train_seconds"]
        for ours, theirs in zip(runs["tagloom"], runs["sklearn-crfsuite"])
    ]
    versions = {name: version(name) for name in ("tagloom", "sklearn-crfsuite", "python-crfsuite", "scikit-learn")}
    machine = {"processor": platform.processor() or platform.machine(), "python": platform.python_version()}
    return {"rounds": rounds, "medians": medians, "ratios": ratios, "machine": machine, "versions": versions,
            "runs": runs}  # fmt: skip


ROWS = (
    ("training, CPU seconds", "train_seconds", ".2f"), ("iterations", "iterations", ".0f"),
    ("objective at the end", "objective", ",.1f"), ("tagging the test set, CPU seconds", "predict_seconds", ".2f"),
    ("weighted F1 of labels other than O, test", "f1", ".2f"), ("sequences without an error, test", "sequences", ".2f"),
    ("weights of attributes other than 0", "state_features", ",.0f"), ("model, bytes", "model_bytes", ",.0f"),
    ("peak memory, MB", "peak_megabytes", ",.0f"),
)  # fmt: skip


def build_table(result: dict[str, Any]) -> str:
    ours, theirs = (result["medians"][name] for name in PACKAGES)
    lines = ["| CoNLL-2002 Dutch, one thread | tagloom | sklearn-crfsuite |", "|---|---|---|"]
    lines += [f"| {text} | {ours[key]:{form}} | {theirs[key]:{form}} |" for text, key, form in ROWS]
    ratios = sorted(result["ratios"])
    spread = f"{ratios[0]:.1f} to {ratios[-1]:.1f}"
    return "\n".join([*lines, f"| training is faster by | {statistics.median(ratios):.1f} ({spread}) | 1 |"])


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["--run"]:
        print(json.dumps(run_tutorial(PACKAGES[arguments[1]], find_corpus())))
        return
    result = measure(int(arguments[0]) if arguments else 3)
    (RESULTS / "tutorial-crfsuite.json").write_text(json.dumps(result, indent=2) + "\n")
    title = "# The tutorial of sklearn-crfsuite"
    head = f"{title}\n\n`python -m bench.tutorial_crfsuite`, medians of {result['rounds']} rounds:"
    (RESULTS / "tutorial-crfsuite.md").write_text(f"{head}\n\n{build_table(result)}\n")
    print(build_table(result))


if __name__ == "__main__":
    main(sys.argv[1:])
