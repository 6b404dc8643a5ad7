"""How far confidences are from the truth, before and after calibration, for several learners on one corpus.

    python bench/calibration.py eng.train eng.testb --dev eng.testa --columns "form pos chunk ner"

Without --dev, the last tenth of the training data is held out. Prints the rows of the table in docs/learners.md.
"""

from __future__ import annotations

import argparse

import numpy as np

import tagloom
from tagloom.evaluate import expected_calibration_error

LEARNERS = "averaged-perceptron,pa,margin-perceptron,adf"


def main() -> None:
    """Train, calibrate, measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train")
    parser.add_argument("test")
    parser.add_argument("--dev")
    parser.add_argument("--columns", required=True)
    parser.add_argument("--learners", default=LEARNERS)
    options = parser.parse_args()
    train, test = (tagloom.read(path, columns=options.columns) for path in (options.train, options.test))
    if options.dev is None:
        border = len(train) * 9 // 10
        train, dev = train.slice(0, border), train.slice(border, len(train))
    else:
        dev = tagloom.read(options.dev, columns=options.columns)
    templates = "ner-basic" if "pos" in options.columns.split() else "words"
    print("| learner | T | error before | after | wrong > 0.99 before | after |")
    for learner in options.learners.split(","):
        epochs = 15 if learner == "margin-perceptron" else None  # instead of up to 100
        model = tagloom.train(train, dev=dev, learner=learner, epochs=epochs, templates=templates, scheme="data")
        if model.spec.temperature is None:  # a likelihood
            model = model.calibrate(dev)
        before, after = (measure(model, test, calibrated) for calibrated in (False, True))
        cells = [f"{100 * value:.{digits}f}" for pair, digits in zip(zip(before, after), (2, 1)) for value in pair]
        print(f"| {learner} | {model.spec.temperature:.4g} | {' | '.join(cells)} |", flush=True)


def measure(model: tagloom.Tagger, test: tagloom.Corpus, calibrated: bool) -> tuple[float, float]:
    """Compute the expected calibration error, and the share of wrong labels with a confidence over 0.99."""
    labels, confidences = model.confidences(test, calibrated=calibrated)
    right = np.array(labels.texts()) == np.array(test.column(model.spec.label).texts())
    return expected_calibration_error(confidences, right), float((confidences[~right] > 0.99).mean())


if __name__ == "__main__":
    main()
