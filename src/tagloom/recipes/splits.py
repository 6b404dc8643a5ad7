"""What is trained on, and what is held out from it: for development, and for the test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tagloom.corpus import Corpus
from tagloom.recipes.dataset import Dataset

DEV, TEST = "dev", "test"


@dataclass(frozen=True)
class Split:
    """A training corpus, and corpora to apply its model to."""

    train: Corpus
    held_out: Mapping[str, Corpus]  # DEV, TEST, or both


def splits_of(dataset: Dataset, data: Path) -> tuple[Split, ...]:
    """One for development and test, where there is development data; else one for each.

    Without such data the last ``dev_share`` of the training data is held out for development, whole documents of it
    where there are any, and the model of the test learns from all.
    """
    train, test = dataset.read(data)
    if dataset.dev is not None:
        return (Split(train, {DEV: dataset.read_dev(data), TEST: test}),)
    if not dataset.dev_share:
        return (Split(train, {TEST: test}),)
    border = int(len(train) * (1 - dataset.dev_share))
    if train.has_documents:
        border = int(train.documents[train.documents.searchsorted(border)])
    return Split(train.slice(0, border), {DEV: train.slice(border, len(train))}), Split(train, {TEST: test})
