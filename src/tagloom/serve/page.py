"""The page: a few files that are part of the package, and nothing from outside."""

from __future__ import annotations

import hashlib
import mimetypes
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources

from starlette.requests import Request
from starlette.responses import Response

from tagloom.serve.problems import RefusalError

INDEX = "index.html"
#: Styles that pages of annotations have, too.
_SHARED = (("tagloom.text", "annotation.css"),)
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@dataclass(frozen=True)
class Asset:
    """A file of the page, its type, and a mark that changes with its content."""

    content: bytes
    type: str
    mark: str


class Page:
    """The files of the page by name; browsers keep them as long as they do not change."""

    def __init__(self) -> None:
        self._assets = {name: _build_asset(name, content) for name, content in _read_files()}

    async def show(self, request: Request) -> Response:
        """Send the page, or one of its files."""
        name = request.path_params.get("name", INDEX)
        asset = self._assets.get(name)
        if asset is None or (name == INDEX and request.url.path != "/"):
            raise RefusalError(404, "there is no such file")
        headers = {"etag": asset.mark, "cache-control": "no-cache"}
        if name == INDEX:
            headers["content-security-policy"] = _POLICY
        if request.headers.get("if-none-match") == asset.mark:
            return Response(status_code=304, headers=headers)
        return Response(asset.content, headers={**headers, "content-type": asset.type})


def _read_files() -> Iterator[tuple[str, bytes]]:
    for file in resources.files("tagloom.serve").joinpath("page_files").iterdir():
        yield file.name, file.read_bytes()
    for package, name in _SHARED:
        yield name, resources.files(package).joinpath(name).read_bytes()


def _build_asset(name: str, content: bytes) -> Asset:
    kind = {"js": "text/javascript", "svg": "image/svg+xml"}.get(name.rpartition(".")[2]) or mimetypes.guess_type(name)[
        0
    ]
    charset = "; charset=utf-8" if kind and kind.startswith("text/") else ""
    return Asset(
        content, f"{kind or 'application/octet-stream'}{charset}", f'"{hashlib.sha256(content).hexdigest()[:20]}"'
    )
