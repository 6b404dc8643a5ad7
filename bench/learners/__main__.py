"""`make bench-learners`: CRFs beside the L-BFGS of python-crfsuite on CoNLL-2000; writes docs/results/learners.*.

Time is measured from the file to the first pass that reaches the final test F1 of python-crfsuite, without scoring.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench import RESULTS, ROOT, find_conll2000
from bench.learners.labels import read_long_labels

COLUMNS = "form pos chunk"
ROUNDS = 7
FAMILY = ("averaged-perceptron", "pa", "sgd", "adf", "madf", "dca")


def run_crfsuite(train_file: Path, test_file: Path, model_file: Path) -> dict[str, float]:
    """Measure L-BFGS with c2 = 1 and otherwise its defaults, from the file to the saved model."""
    import pycrfsuite

    from bench.rivals.tasks import TASKS, read_sentences
    from tagloom.corpus import Column, read
    from tagloom.evaluate import score

    extract = TASKS["chunking"].features.extract_strings
    started = time.perf_counter()
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", params={"c1": 0.0, "c2": 1.0}, verbose=False)
    for sentence in read_sentences(train_file):
        trainer.append(extract(sentence), [row[-1] for row in sentence])
    appended = time.perf_counter()
    trainer.train(str(model_file))
    ended = time.perf_counter()
    test = read(test_file, columns=COLUMNS)
    tagger = pycrfsuite.Tagger()
    tagger.open(str(model_file))
    guess = Column.from_strings(label for rows in read_sentences(test_file) for label in tagger.tag(extract(rows)))
    f1 = score(test.column("chunk"), guess, test.sentences).overall.f1
    iterations = trainer.logparser.last_iteration["num"] if trainer.logparser.last_iteration else 0
    return {"seconds": ended - started, "training": ended - appended, "f1": f1, "iterations": iterations}


def run_ours(train_file: Path, test_file: Path, target: float, options: dict[str, Any]) -> dict[str, float]:
    """Measure passes until the test F1 reaches the target, or all passes."""
    from tagloom.corpus import read
    from tagloom.systems.learning import Learning
    from tagloom.systems.tagger.encode import EncodedCorpus
    from tagloom.systems.tagger.learn import WeightScorer
    from tagloom.systems.tagger.options import TaggerOptions
    from tagloom.systems.tagger.task import Task
    from tagloom.systems.tagger.train import TaggerTraining

    started = time.perf_counter()
    chosen = TaggerOptions.parse({"templates": "chunking", **options})
    encoded = EncodedCorpus.encode(Task.plan(read(train_file, columns=COLUMNS), chosen), chosen)
    before = time.perf_counter() - started
    scorer = WeightScorer(encoded, read(test_file, columns=COLUMNS), 1)
    found: dict[str, float] = {}

    def observe(done: Any, seconds: float, total: Any) -> None:
        f1 = scorer(done.weights())
        found.update(seconds=before + seconds, training=seconds, f1=f1, passes=done.epoch)
        if f1 >= target:
            raise KeyboardInterrupt

    Learning(TaggerTraining(encoded, chosen), None, lambda _: None, started, observe).run()
    return found


def measure_passes(train_file: Path) -> dict[str, float]:
    """Return the median seconds of a pass; learners take turns, so that a busy machine slows all of them."""
    from tagloom.corpus import read
    from tagloom.learners import Settings, begin_training, get_learner
    from tagloom.learners.blocks import WholeData, shuffle_order
    from tagloom.learners.online import OnlineTraining
    from tagloom.systems.tagger.encode import EncodedCorpus
    from tagloom.systems.tagger.options import TaggerOptions
    from tagloom.systems.tagger.task import Task

    options = TaggerOptions(templates="chunking")
    corpus = read(train_file, columns=COLUMNS)
    encoded = EncodedCorpus.encode(Task.plan(corpus, options), options)
    data = encoded.task.structure.labels, encoded.chain, WholeData(encoded.data, len(corpus))
    trainings = {name: begin_training(get_learner(name), Settings(), *data, seed=1, threads=1) for name in FAMILY}
    times: dict[str, list[float]] = {name: [] for name in FAMILY}
    for epoch in range(ROUNDS):
        for name, training in trainings.items():
            assert isinstance(training, OnlineTraining)
            order = shuffle_order(len(corpus), 1, epoch + 1)
            started = time.perf_counter()
            training.run(order)
            times[name].append(time.perf_counter() - started)
    return {name: statistics.median(found[1:]) for name, found in times.items()}


def measure_memory(data: Path) -> dict[str, float]:
    """Return the peak megabytes of one pass of MADF and of the averaged DCA: two million features, 103 labels."""
    from tagloom.systems.learning import Learning
    from tagloom.systems.tagger.encode import EncodedCorpus
    from tagloom.systems.tagger.options import TaggerOptions
    from tagloom.systems.tagger.task import Task
    from tagloom.systems.tagger.train import TaggerTraining

    corpus = read_long_labels(data.parent / "pfr199801" / "199801.txt.xz")
    found: dict[str, float] = {}
    for learner in ("madf", "dca"):
        options = TaggerOptions(templates="pos-zh", learner=learner, epochs=1)
        encoded = EncodedCorpus.encode(Task.plan(corpus, options), options)
        started = time.perf_counter()
        Learning(TaggerTraining(encoded, options), None, lambda _: None, started).run()
        found |= {"labels": encoded.chain.labels, "features": encoded.feature_count}
        found[f"{learner} pass, s"] = time.perf_counter() - started
        found[f"{learner} peak, MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        del encoded
    return found


JOBS = {"crfsuite": run_crfsuite, "ours": run_ours, "epochs": measure_passes, "memory": measure_memory}


def run_job(job: str, *arguments: object) -> dict[str, Any]:
    """Run one measurement in a process of its own."""
    values = json.dumps([str(value) if isinstance(value, Path) else value for value in arguments])
    command = [sys.executable, "-m", "bench.learners", job, values]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def measure() -> dict[str, Any]:
    """Run all measurements."""
    data = find_conll2000()
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "train.txt"
        plain.write_bytes(subprocess.run(["xz", "-dc", data / "train.txt.xz"], check=True, capture_output=True).stdout)
        test = data / "test.txt"
        rival = run_job("crfsuite", plain, test, Path(folder) / "model")
        runs = {"madf": {"learner": "madf"}, "lbfgs, 1 thread": {"learner": "lbfgs", "c2": 1.0},
                "lbfgs, 2 threads": {"learner": "lbfgs", "c2": 1.0, "threads": 2}}  # fmt: skip
        mine = {name: run_job("ours", plain, test, rival["f1"], options) for name, options in runs.items()}
        passes = run_job("epochs", plain)
    return {"python-crfsuite": rival, "ours": mine, "epochs": passes, "memory": run_job("memory", data)}


def build_table(result: dict[str, Any]) -> str:
    """Return the tables as Markdown."""
    rival = result["python-crfsuite"]
    lines = [
        "| CoNLL-2000 | seconds from file | of training | passes | test F1 | times as fast |",
        "|---|---|---|---|---|---|",
    ]
    rows = {"python-crfsuite, L-BFGS, c2 = 1": {**rival, "passes": rival["iterations"]}, **result["ours"]}
    for name, row in rows.items():
        numbers = f"{row['seconds']:.2f} | {row['training']:.2f} | {row['passes']:.0f} | {row['f1']:.2f}"
        lines.append(f"| {name} | {numbers} | {rival['seconds'] / row['seconds']:.1f} |")
    first = result["epochs"][FAMILY[0]]
    lines += ["", "| learner | seconds per pass | relative to the averaged perceptron |", "|---|---|---|"]
    lines += [f"| {name} | {seconds:.3f} | {seconds / first:.2f} |" for name, seconds in result["epochs"].items()]
    used = result["memory"]
    lines += ["", f"{used['labels']:.0f} labels, {used['features']:,.0f} features: " + ", ".join(
        f"{name} {value:,.0f}" for name, value in used.items() if name not in ("labels", "features"))]  # fmt: skip
    return "\n".join(lines)


def main() -> None:
    if len(sys.argv) > 1:
        job, values = sys.argv[1], json.loads(sys.argv[2])
        arguments = [Path(value) if isinstance(value, str) and "/" in value else value for value in values]
        print(json.dumps(JOBS[job](*arguments)))
        return
    result = measure()
    (RESULTS / "learners.json").write_text(json.dumps(result, indent=2) + "\n")
    head = "# Learners beside CRFsuite\n\n`make bench-learners`:"
    (RESULTS / "learners.md").write_text(f"{head}\n\n{build_table(result)}\n")
    print(build_table(result))


if __name__ == "__main__":
    main()
