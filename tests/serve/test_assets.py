"""The page is complete, loads nothing from outside, and is not loaded twice."""

from __future__ import annotations

import re

from starlette.testclient import TestClient

from tagloom.serve.page import Page

LINKS = re.compile(r'(?:src|href)="([^"]+)"|from "\./([^"]+)"')


def test_the_page_has_a_strict_policy(client: TestClient) -> None:
    found = client.get("/")
    assert found.headers["content-type"] == "text/html; charset=utf-8"
    policy = dict(part.strip().split(" ", 1) for part in found.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert found.headers["x-content-type-options"] == "nosniff"
    assert "<script>" not in found.text
    assert " style=" not in found.text


def test_everything_that_is_referred_to_is_served(client: TestClient) -> None:
    waiting, seen = ["/"], set[str]()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        found = client.get(path)
        assert found.status_code == 200, path
        for link, module in LINKS.findall(found.text):
            if not link.startswith("#"):
                waiting.append(f"/static/{module}" if module else f"/{link}")
    assert {"/static/annotation.css", "/static/style.css", "/static/app.js", "/static/tree.js"} <= seen


def test_nothing_comes_from_outside() -> None:
    for name, asset in Page()._assets.items():
        addresses = set(re.findall(r"https?://[^\s\"')]+", asset.content.decode()))
        assert addresses <= {"http://www.w3.org/2000/svg"}, name


def test_browsers_keep_files_that_do_not_change(client: TestClient) -> None:
    found = client.get("/static/style.css")
    again = client.get("/static/style.css", headers={"if-none-match": found.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get("/static/style.css", headers={"if-none-match": '"other"'}).status_code == 200
    assert client.get("/static/index.html").status_code == 404
