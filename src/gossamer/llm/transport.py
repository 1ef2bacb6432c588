"""HTTP for the client: one connection pool a process or event loop, bodies read with a limit on size and time."""

from __future__ import annotations

import asyncio
import os
import time
import weakref
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

from gossamer.errors import LLMServerError
from gossamer.llm.wire import LARGEST_REPLY, PATH, Raw
from gossamer.web import is_loopback

if TYPE_CHECKING:
    import httpx

# A server may trickle: the whole reply may take so many times the timeout.
_WHOLE = 10.0


class Transport:
    """POSTs to one server's chat call, blocking or not; nothing is opened before the first call."""

    def __init__(self, url: str, *, timeout: float, concurrency: int) -> None:
        self._url = url + PATH
        self._timeout = timeout
        self._local = is_loopback(url)
        self._connections = concurrency
        self._client: httpx.Client | None = None
        self._process = 0
        self._async: tuple[asyncio.AbstractEventLoop, httpx.AsyncClient] | None = None

    def post(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> Raw:
        """The response to a body; httpx.RequestError where the connection fails."""
        with self.stream(body, headers) as response:
            return self.read(response)

    async def apost(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> Raw:
        """The async twin of `post`."""
        async with self.astream(body, headers) as response:
            return await self.aread(response)

    @contextmanager
    def stream(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> Iterator[httpx.Response]:
        """An open response; leaving the block closes its connection, and so cancels what the server still writes."""
        with self._open().stream("POST", self._url, json=dict(body), headers=dict(headers)) as response:
            yield response

    @asynccontextmanager
    async def astream(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> AsyncIterator[httpx.Response]:
        """The async twin of `stream`."""
        async with self._aopen().stream("POST", self._url, json=dict(body), headers=dict(headers)) as response:
            yield response

    def read(self, response: httpx.Response) -> Raw:
        """The whole response."""
        limit = _Limit(self._url, self._timeout)
        pieces = [limit.pass_on(piece) for piece in response.iter_bytes()]
        return _raw(response, pieces)

    async def aread(self, response: httpx.Response) -> Raw:
        """The async twin of `read`."""
        limit = _Limit(self._url, self._timeout)
        pieces = [limit.pass_on(piece) async for piece in response.aiter_bytes()]
        return _raw(response, pieces)

    def lines(self, response: httpx.Response) -> Iterator[str]:
        """Lines of an event stream."""
        limit = _Limit(self._url, self._timeout)
        for line in response.iter_lines():
            limit.pass_on(line.encode("utf-8", "replace"))
            yield line

    async def alines(self, response: httpx.Response) -> AsyncIterator[str]:
        """The async twin of `lines`."""
        limit = _Limit(self._url, self._timeout)
        async for line in response.aiter_lines():
            limit.pass_on(line.encode("utf-8", "replace"))
            yield line

    def close(self) -> None:
        """Close the blocking connections; a later call opens new ones."""
        if self._client is not None and self._process == os.getpid():
            self._client.close()
        self._client = None

    async def aclose(self) -> None:
        """Close the connections of the running event loop, and the blocking ones."""
        self.close()
        if self._async is not None and self._async[0] is asyncio.get_running_loop():
            await self._async[1].aclose()
        self._async = None

    def _open(self) -> httpx.Client:
        """One client a process: a connection must not be shared with a forked child."""
        import httpx

        if self._client is None or self._process != os.getpid():
            client = httpx.Client(**self._options(httpx))
            weakref.finalize(self, client.close)
            self._client, self._process = client, os.getpid()
        return self._client

    def _aopen(self) -> httpx.AsyncClient:
        """One client an event loop: a connection belongs to the loop that opened it."""
        import httpx

        loop = asyncio.get_running_loop()
        if self._async is None or self._async[0] is not loop:
            self._async = loop, httpx.AsyncClient(**self._options(httpx))
        return self._async[1]

    def _options(self, httpx: Any) -> dict[str, Any]:
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=self._connections)
        # No proxy leads to this machine.
        return {"timeout": self._timeout, "trust_env": not self._local, "limits": limits}


class _Limit:
    """Lets pieces of one reply pass until they are too many or too late."""

    def __init__(self, url: str, timeout: float) -> None:
        self._url = url
        self._left = LARGEST_REPLY
        self._seconds = _WHOLE * timeout
        self._until = time.monotonic() + self._seconds

    def pass_on(self, piece: bytes) -> bytes:
        self._left -= len(piece)
        if self._left < 0:
            raise LLMServerError(
                f"{self._url} sent over {LARGEST_REPLY // 1_000_000} MB for one reply. Check the server."
            )
        if time.monotonic() > self._until:
            raise LLMServerError(
                f"{self._url} was not done with one reply after {self._seconds:g} seconds. Raise timeout."
            )
        return piece


def _raw(response: httpx.Response, pieces: list[bytes]) -> Raw:
    body = b"".join(pieces).decode(response.encoding or "utf-8", "replace")
    return Raw(response.status_code, {key.lower(): value for key, value in response.headers.items()}, body)
