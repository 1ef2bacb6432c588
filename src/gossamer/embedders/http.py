"""JSON over HTTP with patience: retries, back-off, clear errors, and a key that is never kept or shown."""

from __future__ import annotations

import os
import random
import time
import weakref
from typing import TYPE_CHECKING, Any

from gossamer.errors import EmbeddingError
from gossamer.web import checked_url, hide, is_loopback, read_key, retry_after, shorten

if TYPE_CHECKING:
    import httpx

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
LONGEST_WAIT = 120.0


class JsonServer:
    """A server that takes and gives JSON.

    Repeats a call up to `retries` times on 408, 429, 5xx, a broken or refused connection and a timeout, waiting
    .5 · 2^i seconds (at most 30, with jitter) or what the Retry-After header asks for; a wait of over two minutes is
    not sat out. The key is read from the environment variable `api_key_env` for each call, never stored and masked in
    messages. `hint` closes the message when the server cannot be had.
    """

    def __init__(self, base_url: str, *, api_key_env: str | None, timeout: float, retries: int, hint: str) -> None:
        self.base_url = checked_url(base_url, "base_url", "api_key_env")
        self._api_key_env = api_key_env
        self._timeout = timeout
        self._retries = retries
        self._hint = hint
        self._client: httpx.Client | None = None
        self._process = 0

    def post(self, path: str, body: dict[str, Any], *, retries: int | None = None) -> Any:
        """The decoded answer to a POST of `body`.

        Raises EmbeddingError when the server fails, refuses or gives no JSON, SettingsError when the key is missing.
        """
        import httpx

        url = self.base_url + path
        headers = self._headers()
        tries = 1 + (self._retries if retries is None else retries)
        for attempt in range(tries):
            asked: float | None = None
            try:
                response = self._open_client().post(url, json=body, headers=headers)
            except httpx.RequestError as problem:
                failure = f"{type(problem).__name__}: {problem}"
            else:
                if response.is_success:
                    return self._decoded(response, url)
                failure = f"status {response.status_code}: {self._shown(response)}"
                if response.status_code not in (408, 429) and response.status_code < 500:
                    raise EmbeddingError(f"{url} refused the request with {failure}. {self._advice(response)}")
                asked = retry_after(response.headers.get("retry-after"))
            if attempt + 1 == tries:
                break
            if asked is not None and asked > LONGEST_WAIT:
                raise EmbeddingError(f"{url} asks to wait {asked:.0f} seconds ({failure}). Try again after that time.")
            pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2**attempt) * random.uniform(0.5, 1.0)
            time.sleep(pause if asked is None else asked)
        raise EmbeddingError(f"{url} failed {tries} times, last with {failure}. {self._hint}")

    def _open_client(self) -> httpx.Client:
        """One client a process: a connection must not be shared with a forked child."""
        import httpx

        if self._client is None or self._process != os.getpid():
            # No proxy leads to this machine.
            client = httpx.Client(timeout=self._timeout, trust_env=not is_loopback(self.base_url))
            weakref.finalize(self, client.close)
            self._client, self._process = client, os.getpid()
        return self._client

    def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        if self._client is not None and self._process == os.getpid():
            self._client.close()
        self._client = None

    def _key(self) -> str | None:
        return read_key(self._api_key_env, self.base_url, "api_key_env")

    def _headers(self) -> dict[str, str]:
        key = self._key()
        return {} if key is None else {"Authorization": f"Bearer {key}"}

    def _shown(self, response: httpx.Response) -> str:
        """The server's message on one line, cut, without the key."""
        return shorten(hide(response.text, self._key())) or response.reason_phrase

    def _decoded(self, response: httpx.Response, url: str) -> Any:
        try:
            return response.json()
        except ValueError as problem:
            raise EmbeddingError(
                f"{url} answered with something that is not JSON: {self._shown(response)}. Check the base URL."
            ) from problem

    def _advice(self, response: httpx.Response) -> str:
        if response.status_code in (401, 403):
            return f"Check the key in the environment variable {self._api_key_env or 'named by api_key_env'}."
        if 300 <= response.status_code < 400:
            return "Give the address it leads to as base URL."
        if response.status_code == 413:
            return "Give a smaller batch_size."
        return self._hint

    def __repr__(self) -> str:
        return f"JsonServer({self.base_url!r}, api_key_env={self._api_key_env!r})"
