"""Bearer tokens: who may ask for what, and where tokens are read from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tagloom.errors import ConfigError
from tagloom.serve import Limits, Settings
from tagloom.serve.settings import name_models, read_tokens

TOKENS = ("correct-horse-battery-staple", "another-token-of-some-length")


def test_requests_need_one_of_the_tokens(start: Any) -> None:
    with start(tokens=TOKENS) as client:
        for path in ("/v1/models", "/metrics"):
            answer = client.get(path)
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"].startswith("Bearer")
            assert "needs a bearer token" in answer.json()["error"]
            for wrong in ("wrong-horse-battery-staple", "", TOKENS[0][:-1], f"{TOKENS[0]}x"):
                refused = client.get(path, headers={"authorization": f"Bearer {wrong}"})
                assert refused.status_code == 401
            assert client.get(path, headers={"authorization": f"Basic {TOKENS[0]}"}).status_code == 401
            for token in TOKENS:
                assert client.get(path, headers={"authorization": f"bearer {token}"}).status_code == 200
        assert client.post("/v1/annotate", json={"text": "a"}).status_code == 401
        assert client.post("/v1/annotate", content=b"x" * 10**7).status_code == 401


def test_the_page_and_the_state_are_open(start: Any) -> None:
    with start(tokens=TOKENS) as client:
        for path in ("/", "/static/app.js", "/health", "/ready", "/openapi.json"):
            assert client.get(path).status_code == 200
        document = client.get("/openapi.json").json()
        assert document["paths"]["/v1/annotate"]["post"]["security"] == [{"token": []}]
        assert "401" in document["paths"]["/metrics"]["get"]["responses"]


def test_tokens_come_from_a_file_and_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text(f"\n{TOKENS[0]}\n\n  {TOKENS[1]}  \n")
    assert read_tokens(str(file), {}) == TOKENS
    assert read_tokens(str(file), {"TAGLOOM_SERVE_TOKEN": "a" * 16}) == ("a" * 16, *TOKENS)
    assert read_tokens(None, {}) == ()
    file.write_text("\n")
    with pytest.raises(ConfigError, match="expected one bearer token per line, found none"):
        read_tokens(str(file), {})
    file.write_text("short\n")
    with pytest.raises(ConfigError, match="16 or more ASCII characters"):
        read_tokens(str(file), {})
    with pytest.raises(ConfigError, match="cannot read bearer tokens: no such file"):
        read_tokens(str(tmp_path / "missing"), {})
    with pytest.raises(ConfigError, match="TAGLOOM_SERVE_TOKEN: a bearer token has"):
        read_tokens(None, {"TAGLOOM_SERVE_TOKEN": "with blanks in between"})


def test_settings_do_not_show_tokens() -> None:
    assert TOKENS[0] not in repr(Settings({"a": "a.tagloom"}, tokens=TOKENS))


def test_models_are_named_by_their_files(tmp_path: Path) -> None:
    odd = tmp_path / "a=b.tagloom"
    odd.touch()
    assert name_models([str(odd)]) == {"a=b": str(odd)}
    assert name_models(["x/ner.tagloom", "b=ner.tagloom"]) == {"ner": "x/ner.tagloom", "b": "ner.tagloom"}
    with pytest.raises(ConfigError, match="two models called 'ner'"):
        name_models(["a/ner.tagloom", "b/ner.tagloom"])
    with pytest.raises(ConfigError, match="expected FILE or NAME=FILE"):
        name_models(["ner="])
    with pytest.raises(ConfigError, match="write NAME=FILE"):
        Settings({"my model": "x"})
    with pytest.raises(ConfigError, match="one or more model files"):
        Settings({})


def test_limits_are_above_zero() -> None:
    with pytest.raises(ConfigError, match="limits: tokens: expected a number above 0, got 0"):
        Limits(tokens=0)
