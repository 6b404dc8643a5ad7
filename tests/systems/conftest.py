"""A model file that several tests change."""

from __future__ import annotations

from pathlib import Path

import pytest

import tagloom


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with everything in it: edge features, clusters, phrase lists, categories, statistics, names."""
    folder = tmp_path_factory.mktemp("source")
    (folder / "clusters").write_text("001\ta\n010\tb\n", encoding="utf-8")
    (folder / "phrases").write_text("a b\nb\n", encoding="utf-8")
    (folder / "categories").write_text("Aa01= a ab\nBb02# b\n", encoding="utf-8")
    (folder / "raw").write_text("abcab\nbabc\ncab\n", encoding="utf-8")
    model = tagloom.train(
        [(["a", "b", "c"], ["B-X", "I-X", "O"]), (["c", "a"], ["O", "B-Y"])],
        templates="form[{-1..1}]\nbrown2[0]\ngazetteer[0]\nform[0] / edge\n/ edge\nlexicon_begin2[0]\n"
        "lexicon_backward[0]\ncategory2[0]\ncategory_cut[0]\nav_left2[0]\nav_right3[0]\nmi[0]\nsame1[0]\n",
        resources={
            "brown": folder / "clusters",
            "gazetteer": folder / "phrases",
            "lexicon": folder / "phrases",
            "category": folder / "categories",
            "statistics": folder / "raw",
        },
        learner="averaged-perceptron",
        scheme="data",
    )
    model.save(folder / "model")
    return folder / "model"
