"""What defaults are worth: the old default, today's, and the best shipped template set, on corpora of several kinds.

Development parts are those that defaults were chosen on. Test parts are scored with the same models: both defaults, and
the set that is best on the development part.

    python -m bench.defaults            # into docs/results/defaults.md and defaults.json; some minutes
    python -m bench.defaults conll2002-nl jnlpba    # some corpora only; the others are kept as they were
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tagloom
from bench import RESULTS, ROOT
from tagloom.corpus import Corpus

DATA = Path(os.environ.get("TAGLOOM_DATA", ROOT.parent / "shared" / "data"))
OLD: dict[str, Any] = {"learner": "averaged-perceptron", "scheme": "data"}
SPAN_SETS = ("words", "bio-ner", "ner")
#: All shipped sets that words alone are enough for; the last one builds a resource of the training data.
WORD_SETS = (*SPAN_SETS, "pos", "pos-affixes", "pos-zh", "carreras-2003-words")
RESOURCES = {"carreras-2003-words": {"functional": "train"}}
TAG_SETS = ("words", "pos", "pos-affixes")
Parts = tuple[Corpus, Corpus, Corpus | None]  # training, development, test


def select_columns(corpus: Corpus, *names: str) -> Corpus:
    """Return a corpus with some of its columns."""
    columns = {name: corpus.column(name) for name in names}
    return Corpus(columns, corpus.sentences, corpus.documents, corpus.has_documents, corpus.source)


def read_parts(columns: str, used: str, train: str, dev: str, test: str | None) -> Parts:
    """Read files with some columns, and keep those that are used; the last one is learned."""
    found = [None if name is None else tagloom.read(DATA / name, columns=columns) for name in (train, dev, test)]
    return tuple(None if part is None else select_columns(part, *used.split()) for part in found)  # type: ignore[return-value]


def cut_corpus(corpus: Corpus, *shares: float) -> list[Corpus]:
    """Cut a corpus into stretches of sentences."""
    ends = [round(sum(shares[: number + 1]) * len(corpus)) for number in range(len(shares))]
    return [corpus.slice(start, stop) for start, stop in zip([0, *ends], ends)]


def read_jnlpba() -> Parts:
    """Read JNLPBA; the last 200 abstracts of the training data are for development."""
    corpus, test = (tagloom.read(DATA / "jnlpba" / name, columns="form label")
                    for name in ("train.docstart.iob2.xz", "Genia4EReval1.iob2"))  # fmt: skip
    border = int(corpus.documents[len(corpus.documents) - 1 - 200])
    return corpus.slice(0, border), corpus.slice(border, len(corpus)), test


def read_conll2000(used: str) -> Parts:
    """Read CoNLL-2000; the last tenth of the training data is for development."""
    corpus, test = (select_columns(tagloom.read(DATA / "conll2000" / name, columns="form pos chunk"), *used.split())
                    for name in ("train.txt.xz", "test.txt"))  # fmt: skip
    train, dev = cut_corpus(corpus, 0.9, 0.1)
    return train, dev, test


def read_treebank(prefix: str) -> Parts:
    """Read the words and universal tags of a treebank."""
    ends = ("train.conllu.xz", "dev.conllu", "test.conllu")
    found = [tagloom.read(next((DATA / prefix).parent.glob(f"{Path(prefix).name}{end}*"))) for end in ends]
    train, dev, test = (select_columns(each, "form", "upos") for each in found)
    return train, dev, test


def read_msra() -> Parts:
    """Read the slice of MSRA; its last tenth is for development."""
    train, dev = cut_corpus(tagloom.read(DATA / "msra-ner" / "msra_train_slice3000_bio.txt"), 0.9, 0.1)
    return train, dev, tagloom.read(DATA / "msra-ner" / "msra_test_bio.txt.xz")


def read_ptb() -> Parts:
    """Read the sample of the Penn Treebank: eight tenths, one and one."""
    train, dev, test = cut_corpus(tagloom.read(DATA / "ptb-sample" / "wsj_sample.pos.tsv"), 0.8, 0.1, 0.1)
    return train, dev, test


def read_ctb() -> Parts:
    """Read 8,000 sentences of CTB 6."""
    train, dev, test = (tagloom.read(DATA / "cws-ctb6" / f"ctb6.{part}.seg{end}")
                        for part, end in (("train", ".xz"), ("dev", ""), ("test", "")))  # fmt: skip
    return train.slice(0, 8000), dev, test


@dataclass(frozen=True)
class Case:
    """A corpus, the template set that was its default, and the sets that might serve it."""

    kind: str
    read: Callable[[], Parts]
    old: str
    sets: tuple[str, ...]


_ENGLISH = ("conll2003-en/eng.train.xz", "conll2003-en/eng.testa", "conll2003-en/eng.testb")
_DUTCH = ("conll2002-nl/ned.train.xz", "conll2002-nl/ned.testa", "conll2002-nl/ned.testb")
_GERMAN = tuple(f"conll2003-de/deu2col.{part}" for part in ("train.xz", "testa", "testb"))
_EUROPARL = tuple(f"europarl-ner-de/{name}" for name in ("train.tsv.xz", "dev.tsv", "test.tsv"))
_WEIBO = tuple(f"weibo-ner/weiboNER_2nd_conll.{part}" for part in ("train", "dev", "test"))
_COLUMNS = "form pos chunk ner"
CASES: dict[str, Case] = {
    "conll2003-en, words": Case(
        "entities, news", lambda: read_parts(_COLUMNS, "form ner", *_ENGLISH), "words", WORD_SETS
    ),
    "conll2003-en": Case(
        "the same with pos", lambda: read_parts(_COLUMNS, "form pos ner", *_ENGLISH), "ner-basic", ("ner-basic", "ner")
    ),
    "conll2002-nl, words": Case(
        "entities, news", lambda: read_parts("form pos ner", "form ner", *_DUTCH), "words", WORD_SETS
    ),
    "jnlpba": Case("entities, abstracts", read_jnlpba, "words", WORD_SETS),
    "conll2003-de, words": Case(
        "entities, news", lambda: read_parts("form ner", "form ner", *_GERMAN), "words", SPAN_SETS
    ),
    "europarl-ner-de, words": Case(
        "few entities",
        lambda: read_parts("form lemma pos chunk ner", "form ner", *_EUROPARL),
        "words",
        SPAN_SETS,
    ),
    "weibo-ner": Case(
        "few sentences, many labels", lambda: read_parts("form ner", "form ner", *_WEIBO), "words", SPAN_SETS
    ),
    "msra-ner": Case("entities, characters", read_msra, "words", ("words", "ner-zh-basic", "ner")),
    "conll2000": Case(
        "chunks with pos", lambda: read_conll2000("form pos chunk"), "ner-basic", ("ner-basic", "chunking", "ner")
    ),
    "conll2000, words": Case("chunks", lambda: read_conll2000("form chunk"), "words", ("words", "chunking", "ner")),
    "ud-en-ewt": Case("tags", lambda: read_treebank("ud-en-ewt/en_ewt-ud-"), "words", TAG_SETS),
    "ptb-sample": Case("tags", read_ptb, "words", TAG_SETS),
    "ud-zh-gsd": Case("tags", lambda: read_treebank("ud-zh-gsd/zh-ud-"), "words", TAG_SETS),
    "cws-ctb6": Case("word segmentation", read_ctb, "segmentation", ("segmentation", "segmentation-basic")),
}


def measure_model(train: Corpus, dev: Corpus, **options: Any) -> tuple[dict[str, Any], Any]:
    """Train; return the score on development data with the processor seconds of the training, and the model."""
    begun = time.process_time()
    model = tagloom.train(train, **options)
    seconds = time.process_time() - begun
    found = {"templates": model.spec.templates.name, "learner": model.spec.learner, "scheme": model.spec.scheme,
             "passes": len(model.spec.history), "dev": round(model.evaluate(dev).value, 2),
             "seconds": round(seconds, 1)}  # fmt: skip
    return found, model


def measure_case(case: Case) -> dict[str, Any]:
    """Measure the old default, today's default, and the shipped sets with today's learner."""
    train, dev, test = case.read()

    def measure_test(model: Any) -> dict[str, float]:
        return {} if test is None else {"test": round(model.evaluate(test).value, 2)}

    new, best_model = measure_model(train, dev)
    new |= measure_test(best_model)
    best, sets = new["templates"], {new["templates"]: new}
    for name in [name for name in case.sets if name != new["templates"]]:
        sets[name], model = measure_model(train, dev, templates=name, resources=RESOURCES.get(name, {}))
        if sets[name]["dev"] > sets[best]["dev"]:
            best, best_model = name, model
    sets[best] |= measure_test(best_model)
    old, model = measure_model(train, dev, templates=case.old, **OLD)
    return {"kind": case.kind, "old": {**old, **measure_test(model)}, "new": new, "sets": sets}


def build_table(result: dict[str, Any]) -> str:
    """Return the table as Markdown."""
    lines = [
        "| corpus | kind | old default | dev | test | s | default | dev | test | s | best shipped set | dev | test |",
        "|---|---|---|---:|---:|---:|---|---:|---:|---:|---|---:|---:|",
    ]
    for name in [name for name in CASES if name in result]:
        row, sets = result[name], result[name]["sets"]
        best = max(sets, key=lambda each: sets[each]["dev"])
        old, new = (
            f"{label} | {each['dev']:.2f} | {each.get('test', 0):.2f} | {each['seconds']:.1f}"
            for label, each in (
                (f"`{row['old']['templates']}`", row["old"]),
                (f"`{row['new']['templates']}`, {row['new']['learner']}", row["new"]),
            )
        )
        tail = f"`{best}` | {sets[best]['dev']:.2f} | {sets[best].get('test', 0):.2f}"
        lines.append(f"| {name} | {row['kind']} | {old} | {new} | {tail} |")
    return "\n".join(lines)


def main() -> None:
    """Measure all cases, or those whose names begin with an argument."""
    if not DATA.is_dir():
        sys.exit(f"{DATA}: no such folder; set TAGLOOM_DATA to the folder that holds the corpora")
    file = RESULTS / "defaults.json"
    result = json.loads(file.read_text("utf-8")) if file.exists() else {}
    for name, case in CASES.items():
        if len(sys.argv) == 1 or any(name.startswith(wanted) for wanted in sys.argv[1:]):
            result[name] = measure_case(case)
            file.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
            print(build_table({name: result[name]}).splitlines()[-1], flush=True)
    (RESULTS / "defaults.md").write_text(
        f"# Defaults on fourteen corpora\n\n`make bench-defaults`:\n\n{build_table(result)}\n", "utf-8"
    )


if __name__ == "__main__":
    main()
