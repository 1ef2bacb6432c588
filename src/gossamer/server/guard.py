"""What stands before every request: host, origin, token and size, and the headers that keep a browser in bounds."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from gossamer.server.config import ServeConfig
from gossamer.server.reply import problem_response

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
UPLOAD = "/api/documents"


class TooLargeError(Exception):
    """A request body went past its limit while it was read."""


class Guard:
    """ASGI middleware: refuses what must not come in and adds the headers of `HEADERS` to what goes out."""

    def __init__(self, app: Any, config: ServeConfig) -> None:
        self.app = app
        self.config = config

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        sending = _adding_headers(send, scope["path"])
        headers = _headers(scope)
        refused = self._refusal(scope, headers)
        if refused is not None:
            await problem_response(*refused)(scope, receive, sending)
            return
        limit = self.limit(scope["path"])
        try:
            await self.app(scope, _counting(receive, limit), sending)
        except TooLargeError:
            await problem_response(413, "UsageError", _too_large(limit))(scope, receive, sending)

    def limit(self, path: str) -> int:
        """Most bytes that the body of a request to this path may have."""
        # Multipart framing around the files is small beside them.
        return self.config.max_upload + 64 * 1024 if path == UPLOAD else self.config.max_request

    def _refusal(self, scope: Message, headers: dict[str, str]) -> tuple[int, str, str] | None:
        """Status, kind and message of the answer to a request that may not come in."""
        host = headers.get("host", "")
        if not self.config.admits(_without_port(host)):
            return (
                421,
                "UsageError",
                ("This server does not answer to that host name. Use its address, or start it with --allow-host NAME."),
            )
        if not _same_origin(headers, host):
            return 403, "UsageError", "The request comes from another site. Open the page of this server itself."
        if scope["path"].startswith("/api") and not self._has_token(headers):
            return 401, "UsageError", "The token is missing or wrong. Open the address that `gossamer serve` printed."
        length = headers.get("content-length", "0")
        limit = self.limit(scope["path"])
        if not length.isdecimal() or len(length) > 15 or int(length) > limit:
            return 413, "UsageError", _too_large(limit)
        return None

    def _has_token(self, headers: dict[str, str]) -> bool:
        if self.config.token is None:
            return True
        scheme, _, given = headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), self.config.token.encode())


def _headers(scope: Message) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}


def _without_port(host: str) -> str:
    """The name of a Host header.

    >>> _without_port("localhost:80"), _without_port("[::1]:80"), _without_port("[::1]")
    ('localhost', '[::1]', '[::1]')
    """
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdecimal() else host


def _same_origin(headers: dict[str, str], host: str) -> bool:
    """Whether a browser says that this server's own page, or nobody else, sent the request."""
    origin = headers.get("origin")
    if origin is not None and origin.partition("://")[2].lower() != host.lower():
        return False
    return (
        headers.get("sec-fetch-site", "none") in ("same-origin", "none") or headers.get("sec-fetch-mode") == "navigate"
    )


def _too_large(limit: int) -> str:
    return f"The request is larger than {limit:,} bytes. Send less at once."


def _counting(receive: Receive, limit: int) -> Receive:
    """`receive` that stops reading past the limit, whatever the request said about its length."""
    seen = 0

    async def counted() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > limit:
            raise TooLargeError
        return message

    return counted


def _adding_headers(send: Send, path: str) -> Send:
    async def adding(message: Message) -> None:
        if message["type"] == "http.response.start":
            kept = {"cache-control": "no-store"} if path.startswith("/api") else {"cache-control": "no-cache"}
            extra = [(name.encode(), value.encode()) for name, value in {**HEADERS, **kept}.items()]
            message["headers"] = [*message.get("headers", []), *extra]
        await send(message)

    return adding
