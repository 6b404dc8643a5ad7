"""A semi-Markov CRF beside the CRF of the same features of words: F1 on eng.testa, and time.

``python -m bench.segments DATA ROW...`` trains the rows named (see ``ROWS``) on CoNLL-2003 English and scores
them on the development data, which also chooses the pass. DATA is the folder of the corpora and resources.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import tagloom

_TEMPLATES = "ner-extended"
_PLAIN = "length\nform[all]\nlower[all]\nshort_shape[all]\n"
_RATE = {"rate": 0.1}
#: Name of a row -> options of its training.
ROWS: dict[str, dict[str, Any]] = {
    "tagger sgd": {"learner": "sgd", "scheme": "BIOES", **_RATE},
    "segments sgd": {"learner": "sgd", "system": "segments", **_RATE},
    "segments sgd, no lists": {"learner": "sgd", "system": "segments", **_RATE, "segment_templates": "entities"},
    "segments sgd, phrase only": {"learner": "sgd", "system": "segments", **_RATE, "segment_templates": _PLAIN},
    "tagger averaged-perceptron": {"learner": "averaged-perceptron", "scheme": "BIOES"},
    "segments averaged-perceptron": {"learner": "averaged-perceptron", "system": "segments"},
}


def main(data: Path, names: list[str]) -> None:
    """Train and score the rows."""
    columns = "form pos chunk label"
    folder = data / "conll2003-en"
    train, dev = (tagloom.read(folder / name, columns=columns) for name in ("eng.train.xz", "eng.testa"))
    resources = {"brown": data / "resources/brown/brown-rcv1-c3200.paths.txt.xz",
                 "gazetteer": data / "resources/gazetteers"}  # fmt: skip
    for name in names:
        begun = time.process_time()
        model = tagloom.train(train, dev=dev, templates=_TEMPLATES, resources=resources, epochs=8, **ROWS[name])
        trained = time.process_time()
        score = model.evaluate(dev)
        started = time.process_time()
        model.tag_corpus(dev)
        speed = dev.token_count / (time.process_time() - started)
        print(
            f"| {name} | {score.value:.2f} | {model.spec.best_epoch} | {trained - begun:.0f} | {speed:,.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:] or list(ROWS))
