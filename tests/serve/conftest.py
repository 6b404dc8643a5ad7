"""Small models of every system, and servers for them: in this process, and as processes of their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import pytest

pytest.importorskip("starlette", reason="the extra serve is not installed")
pytest.importorskip("httpx2", reason="httpx2 is not installed")

from starlette.testclient import TestClient

import tagloom
from tagloom.corpus import Corpus, from_feature_dicts
from tagloom.datasets import newswire
from tagloom.serve import Limits, Settings, create_app
from tagloom.serve.logs import EventLog
from tests.treebank import conllu


def select(corpus: Corpus, *names: str) -> Corpus:
    columns = {name: corpus.column(name) for name in names}
    return Corpus(columns, corpus.sentences, corpus.documents, corpus.has_documents, corpus.source)


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Files of small models: taggers of entities, of tags and of columns, and one of every other system."""
    folder = tmp_path_factory.mktemp("models")
    news, dev = newswire(20, seed=1), newswire(8, seed=2)
    (folder / "trees.conllu").write_text(conllu(40, 1))
    entities, tags = select(news, "form", "ner"), select(news, "form", "pos")
    items = [[{"w": word, "low": word.islower()} for word in entities.sentence(n, "form")] for n in range(40)]
    labels = [entities.sentence(n, "ner") for n in range(40)]
    options: dict[str, Any] = {"epochs": 2}
    made = {
        "ner": tagloom.train(entities, dev=select(dev, "form", "ner"), epochs=4),
        "pos": tagloom.train(tags, **options),
        "chunks": tagloom.train(select(news, "form", "pos", "chunk"), **options),
        "features": tagloom.train(from_feature_dicts(items, labels), learner="averaged-perceptron", **options),
        "phrases": tagloom.train(entities, system="phrases", cutoff=1, **options),
        "parser": tagloom.train(folder / "trees.conllu", system="parser", tag_folds=2, **options),
        "tokenizer": tagloom.train(folder / "trees.conllu", system="tokenizer", **options),
        "pipeline": tagloom.train(folder / "trees.conllu", system="pipeline", folds=2),
    }
    for name, model in made.items():
        model.save(folder / f"{name}.tagloom")
    return {name: folder / f"{name}.tagloom" for name in made}


LIMITS = Limits()


class Start(Protocol):
    """Starts a server for some models in this process."""

    def __call__(self, *names: str, limits: Limits = ..., **settings: Any) -> Any: ...


@pytest.fixture
def start(models: dict[str, Path]) -> Start:
    @contextmanager
    def begin(*names: str, limits: Limits = LIMITS, **settings: Any) -> Iterator[TestClient]:
        lines: list[bytes] = settings.pop("lines", [])
        chosen = Settings({name: models[name] for name in names or ("ner",)}, limits, **settings)
        app = create_app(chosen, log=EventLog(lines.append))
        with TestClient(app, raise_server_exceptions=False) as client:
            yield client

    return begin  # type: ignore[return-value]


@pytest.fixture(scope="session")
def client(models: dict[str, Path]) -> Iterator[TestClient]:
    """A client of a server with all models."""
    app = create_app(Settings(dict(models)), log=EventLog(lambda _: None))
    with TestClient(app, raise_server_exceptions=False) as found:
        yield found


TEXT = "Peter Miller visited Bonn on Monday. The company in Paris said nothing."
