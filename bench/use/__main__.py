"""`make bench-use`: one sentence at a time beside python-crfsuite, and a large file through `tagloom tag`.

Writes docs/results/use.json and use.md.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pycrfsuite

import tagloom
from tagloom.datasets import newswire

ROOT = Path(__file__).parents[2]
ROUNDS = 7
SENTENCES = 1000
SMALL, LARGE = 10, int(os.environ.get("TAGLOOM_BENCH_MB", "1024"))  # megabytes
# The peak is read inside the process: the usage of a child counts what its parent had before it.
TAG = """
import sys
from pathlib import Path
from tagloom.cli.main import run
code = run(["tag", *sys.argv[1:]])
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(peak.split()[1])
sys.exit(code)
"""


def data_folder() -> Path:
    """Return the folder of CoNLL-2003."""
    folder = Path(os.environ.get("TAGLOOM_DATA", ROOT.parent / "shared" / "data")) / "conll2003-en"
    if not folder.is_dir():
        sys.exit(f"{folder}: no such folder; name the one that holds conll2003-en in TAGLOOM_DATA")
    return folder


def extract_features(sentence: list[tuple[str, str]], t: int) -> list[str]:
    """List the features of a token that the template set ner-basic has, as a user of python-crfsuite does."""
    found = []
    for offset in (-2, -1, 0, 1, 2):
        if 0 <= t + offset < len(sentence):
            word, tag = sentence[t + offset]
            found += [f"w[{offset}]={word}", f"p[{offset}]={tag}"]
    word = sentence[t][0]
    found += [f"prefix{n}={word[:n]}" for n in (1, 2, 3, 4)] + [f"suffix{n}={word[-n:]}" for n in (1, 2, 3, 4)]
    found += [f"lower={word.lower()}", f"upper={word.isupper()}", f"title={word.istitle()}", f"digit={word.isdigit()}"]
    for one, other in ((-1, 0), (0, 1)):
        if t + one >= 0 and t + other < len(sentence):
            found.append(f"w[{one}]|w[{other}]={sentence[t + one][0]}|{sentence[t + other][0]}")
    return found


def measure_latency(folder: Path) -> dict[str, Any]:
    """Measure microseconds per sentence, rounds of both alternating."""
    data = data_folder()
    train, test = (tagloom.read(data / name) for name in ("eng.train.xz", "eng.testb"))
    model = tagloom.train(train, templates="ner-basic", learner="averaged-perceptron", scheme="data", epochs=5)
    model.save(folder / "ner.tagloom")
    loaded = tagloom.load(folder / "ner.tagloom", system="tagger")
    trainer = pycrfsuite.Trainer(algorithm="ap", verbose=False)
    trainer.set_params({"max_iterations": 3})
    for number in range(len(train)):
        rows = list(zip(train.sentence(number, "form"), train.sentence(number, "pos")))
        trainer.append([extract_features(rows, t) for t in range(len(rows))], train.sentence(number, "label"))
    trainer.train(str(folder / "ner.crfsuite"))
    rival = pycrfsuite.Tagger()
    rival.open(str(folder / "ner.crfsuite"))
    sentences = [list(zip(test.sentence(n, "form"), test.sentence(n, "pos"))) for n in range(SENTENCES)]

    def tag_with_rival(sentence: list[tuple[str, str]]) -> list[str]:
        labels: list[str] = rival.tag([extract_features(sentence, t) for t in range(len(sentence))])
        return labels

    ways = {"tagloom": loaded.tag, "python-crfsuite, with feature extraction": tag_with_rival}
    rounds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS + 1):
        for name, tag in ways.items():
            started = time.perf_counter()
            for sentence in sentences:
                tag(sentence)
            rounds[name].append((time.perf_counter() - started) / len(sentences) * 1e6)
    return {
        "tokens_per_sentence": sum(map(len, sentences)) / len(sentences),
        "microseconds": {name: statistics.median(found[1:]) for name, found in rounds.items()},  # the first warms up
        "least_microseconds": {name: min(found[1:]) for name, found in rounds.items()},
    }


def measure_text() -> dict[str, Any]:
    """Measure tokens per second from text to entities: tokenizer ptb, part-of-speech tags, entities; one thread."""
    common = {"learner": "averaged-perceptron", "epochs": 5}
    provide = {"pos": {"templates": "pos", **common}}
    train = data_folder() / "eng.train.xz"
    model = tagloom.train(train, templates="ner-basic", provide=provide, tokenizer="ptb", **common)
    treebank = tagloom.read(data_folder().parent / "ud-en-ewt" / "en_ewt-ud-train.conllu.xz")
    texts = tagloom.corpus.restore_text(treebank).text.split("\n\n")
    rates = []
    for _ in range(ROUNDS):
        started = time.process_time()
        tokens = sum(len(annotation.starts) for annotation in model.pipe(texts))
        rates.append(tokens / (time.process_time() - started))
    return {"texts": len(texts), "tokens": tokens, "tokens_per_second": statistics.median(rates)}


def write_file(path: Path, megabytes: int) -> int:
    """Write documents of the generator, repeated, in two columns; return the number of tokens."""
    corpus = newswire(400, seed=11)
    text = tagloom.corpus.to_string(corpus, "conll", ["form", "pos"]).encode()
    times = -(-megabytes * 1_000_000 // len(text))
    with path.open("wb") as stream:
        for _ in range(times):
            stream.write(text)
    return corpus.token_count * times


def measure_streams(folder: Path) -> list[dict[str, Any]]:
    """Measure peak memory and speed of `tagloom tag` on a small and on a large file."""
    rows = []
    for megabytes in (SMALL, LARGE):
        file = folder / f"{megabytes}.txt"
        tokens = write_file(file, megabytes)
        command = [sys.executable, "-c", TAG, str(folder / "ner.tagloom"), str(file), "-o", str(folder / "out.txt")]
        started = time.perf_counter()
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        seconds = time.perf_counter() - started
        rows.append({"megabytes": megabytes, "tokens": tokens, "seconds": seconds,
                     "tokens_per_second": tokens / seconds, "peak_megabytes": int(done.stdout) / 1024})  # fmt: skip
        file.unlink()
    return rows


def tabulate(result: dict[str, Any]) -> str:
    """Lay the results out in Markdown."""
    latency = result["latency"]
    lines = ["# One sentence, and large files", "",
             "`make bench-use`, CoNLL-2003 English, set `ner-basic`, one thread:", "", "| one sentence | median, µs |",
             "|---|---|", *(f"| {name} | {found:.0f} |" for name, found in latency["microseconds"].items()), "",
             "`tagloom tag` with the same model on columns of the newswire generator:", "",
             "| file | tokens per second | peak memory |", "|---|---|---|"]  # fmt: skip
    for row in result["streams"]:
        lines.append(f"| {row['megabytes']:,} MB | {row['tokens_per_second']:,.0f} | {row['peak_megabytes']:.0f} MB |")
    text = result["text"]
    source = f"{text['texts']:,} paragraphs of UD English EWT"
    rate = f"{text['tokens_per_second']:,.0f} tokens per second"
    lines += ["", f"Text to entities by `model.pipe` (tokenizer `ptb`, tags, entities), {source}: {rate}."]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure and write the results."""
    with tempfile.TemporaryDirectory() as folder:
        result = {"latency": measure_latency(Path(folder)), "streams": measure_streams(Path(folder)),
                  "text": measure_text(),
                  "machine": platform.processor() or platform.machine(), "version": tagloom.__version__}  # fmt: skip
    target = ROOT / "docs" / "results"
    (target / "use.json").write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    (target / "use.md").write_text(tabulate(result), "utf-8")
    print(tabulate(result))


if __name__ == "__main__":
    main()
