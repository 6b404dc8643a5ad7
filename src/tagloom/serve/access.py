"""Who may ask: bearer tokens, compared in constant time."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence

from tagloom.serve.problems import RefusalError

_SCHEME = b"bearer "


class Gatekeeper:
    """Knows the digests of all tokens; without tokens everybody may ask."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self._digests = [_digest(token.encode()) for token in tokens]

    @property
    def is_open(self) -> bool:
        """Whether everybody may ask."""
        return not self._digests

    def check(self, authorization: bytes | None) -> None:
        """Raise a problem unless a header field has one of the tokens.

        All digests are compared, in constant time, so that time tells neither a token nor which one it was.
        """
        if self.is_open:
            return
        if authorization is None or authorization[: len(_SCHEME)].lower() != _SCHEME:
            raise _refuse("this server needs a bearer token: send the header field Authorization: Bearer TOKEN")
        given = _digest(authorization[len(_SCHEME) :].strip())
        if not sum(hmac.compare_digest(given, each) for each in self._digests):
            raise _refuse("the bearer token is wrong")


def _digest(token: bytes) -> bytes:
    return hashlib.sha256(token).digest()


def _refuse(message: str) -> RefusalError:
    return RefusalError(401, message, {"www-authenticate": 'Bearer realm="tagloom"'})
