"""What a request is refused with: a status and one line, as JSON."""

from __future__ import annotations

from collections.abc import Mapping

#: What each status means here, for the OpenAPI document.
STATUSES: Mapping[int, str] = {
    400: "The body is not JSON.",
    401: "The bearer token is missing or wrong.",
    404: "There is no such model, or no such page.",
    405: "The page does not take this method.",
    408: "The request took too long to arrive.",
    409: "The model cannot do this: it has no such output, or reads other columns.",
    413: "The request is larger than a limit of the server.",
    415: "The content type is not application/json.",
    422: "The JSON has other fields or types than the schema.",
    431: "The header fields are too large.",
    500: "A bug in the server.",
    503: "The server has too many requests, took too long, or is not ready; ask again later.",
}


class RefusalError(Exception):
    """A request that is refused.

    Attributes:
        status: The status of the answer.
        message: What is wrong, in one line.
        headers: Further header fields of the answer.
    """

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.headers = status, message, dict(headers or {})


def refuse_excess(what: str, limit: int, found: int | None = None) -> RefusalError:
    """Build the problem of a request that is larger than a limit."""
    got = "" if found is None else f", got {found:,}"
    return RefusalError(413, f"{what}: at most {limit:,} are allowed{got}; send less at once")


def refuse_for_now(reason: str) -> RefusalError:
    """Build the problem of a request that came at the wrong time."""
    return RefusalError(503, reason, {"retry-after": "1"})
