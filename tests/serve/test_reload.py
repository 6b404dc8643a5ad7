"""Model files that change are loaded again; nobody notices but by the answers."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from tagloom.corpus.replace import replace_file
from tagloom.serve import Settings, create_app
from tagloom.serve.logs import EventLog
from tests.serve.processes import wait_for


def test_a_changed_file_is_loaded_and_a_damaged_one_is_not(models: dict[str, Path], tmp_path: Path) -> None:
    path, lines = tmp_path / "model.tagloom", list[bytes]()
    shutil.copy(models["ner"], path)
    app = create_app(Settings({"m": path}, reload_seconds=0.02), log=EventLog(lines.append))
    with TestClient(app) as client:

        def describe() -> Any:
            assert client.post("/v1/annotate", json={"text": "Bonn"}).status_code == 200
            return client.get("/v1/models").json()["models"][0]

        assert describe()["system"] == "tagger"
        replace_file(path, models["parser"].read_bytes())
        wait_for(lambda: describe()["system"] == "parser")

        replace_file(path, models["ner"].read_bytes()[:-10])
        wait_for(lambda: b'"level":"error"' in b"".join(lines))
        path.unlink()  # while a file is missing, nothing changes
        time.sleep(0.1)
        assert describe()["system"] == "parser"

        replace_file(path, models["pos"].read_bytes())
        wait_for(lambda: describe()["system"] == "tagger")
        metrics = client.get("/metrics").text
    assert 'tagloom_reloads_total{model="m",outcome="ok"} 2' in metrics
    assert 'tagloom_reloads_total{model="m",outcome="failed"} 1' in metrics
    reloads = [each for each in map(json.loads, b"".join(lines).splitlines()) if each["event"] == "reload"]
    assert [each["level"] for each in reloads] == ["info", "error", "info"]
    assert str(path) in reloads[1]["message"]
    assert reloads[1]["kept"] == "the old model serves on"


def test_without_reload_files_are_left_alone(models: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "model.tagloom"
    shutil.copy(models["ner"], path)
    app = create_app(Settings({"m": path}, reload_seconds=0), log=EventLog(lambda _: None))
    with TestClient(app) as client:
        replace_file(path, models["parser"].read_bytes())
        time.sleep(0.1)
        assert client.get("/v1/models").json()["models"][0]["system"] == "tagger"
