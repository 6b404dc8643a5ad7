"""tagloom ensemble, and train --system ensemble."""

from __future__ import annotations

from pathlib import Path

import tagloom as library
from tagloom.datasets import newswire
from tests.cli.outcome import Tagloom

OPTIONS = ("--columns", "form pos chunk ner head", "--label", "ner", "--learner", "sgd", "--epochs", "2")


def test_taggers_become_one_file(tagloom: Tagloom, tmp_path: Path) -> None:
    news = tmp_path / "news.conll"
    library.write(newswire(4, seed=3), news)
    for seed in (1, 2):
        assert tagloom("train", news, "-o", tmp_path / f"{seed}", "--seed", str(seed), *OPTIONS).code == 0
    models = [tmp_path / "1", tmp_path / "2"]
    result = tagloom("ensemble", *models, "-o", tmp_path / "both")
    assert result.code == 0
    assert "ensemble of 2 models" in result.err
    trained = tagloom("train", news, "-o", tmp_path / "trained", "--system", "ensemble", "--members", "2", *OPTIONS)
    assert trained.code == 0
    assert (tmp_path / "both").read_bytes() == (tmp_path / "trained").read_bytes()
    for model in ("both", "trained"):
        assert tagloom("tag", tmp_path / model, news, "--confidence").code == 0
        assert tagloom("eval", tmp_path / model, news).code == 0
        assert "sgd" in tagloom("inspect", tmp_path / model).out
    verified = tagloom("verify", tmp_path / "both").out
    assert "model, ensemble, format 10" in verified


def test_weights_become_one_tagger(tagloom: Tagloom, tmp_path: Path) -> None:
    news = tmp_path / "news.conll"
    library.write(newswire(4, seed=3), news)
    assert tagloom("train", news, "-o", tmp_path / "one", *OPTIONS).code == 0
    result = tagloom("ensemble", tmp_path / "one", tmp_path / "one", "--weights", "-o", tmp_path / "mean")
    assert result.code == 0
    assert library.load(tmp_path / "mean", system="tagger").spec.start is not None


def test_what_does_not_fit_is_one_line(tagloom: Tagloom, tmp_path: Path) -> None:
    news = tmp_path / "news.conll"
    library.write(newswire(4, seed=3), news)
    assert tagloom("train", news, "-o", tmp_path / "phrases", "--system", "phrases", *OPTIONS[:4]).code == 0
    for more in ((), ("--weights",)):
        result = tagloom("ensemble", tmp_path / "phrases", "-o", tmp_path / "both", *more)
        assert result.code == 2
        assert len(result.err.splitlines()) == 1
