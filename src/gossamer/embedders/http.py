"""JSON over HTTP with patience: retries, back-off, clear errors, and a key that is never kept or shown."""

from __future__ import annotations

import os
import random
import time
import weakref
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from gossamer.errors import EmbeddingError, SettingsError

if TYPE_CHECKING:
    import httpx

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
LONGEST_WAIT = 120.0
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_SHOWN_CHARACTERS = 300


class JsonServer:
    """A server that takes and gives JSON.

    Repeats a call up to `retries` times on 408, 429, 5xx, a broken or refused connection and a timeout, waiting
    .5 · 2^i seconds (at most 30, with jitter) or what the Retry-After header asks for; a wait of over two minutes is
    not sat out. The key is read from the environment variable `api_key_env` for each call, never stored and masked in
    messages. `hint` closes the message when the server cannot be had.
    """

    def __init__(self, base_url: str, *, api_key_env: str | None, timeout: float, retries: int, hint: str) -> None:
        self.base_url = _checked_url(base_url)
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
                asked = _retry_after(response.headers.get("retry-after"))
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
            local = urlsplit(self.base_url).hostname in _LOOPBACK
            client = httpx.Client(timeout=self._timeout, trust_env=not local)  # no proxy leads to this machine
            weakref.finalize(self, client.close)
            self._client, self._process = client, os.getpid()
        return self._client

    def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        if self._client is not None and self._process == os.getpid():
            self._client.close()
        self._client = None

    def _key(self) -> str | None:
        if self._api_key_env is None:
            return None
        key = os.environ.get(self._api_key_env, "").strip()
        if not key:
            raise SettingsError(
                f"The environment variable {self._api_key_env} holds no key for {self.base_url}. "
                "Set it, or name another one with api_key_env."
            )
        if not (key.isascii() and key.isprintable()):
            raise SettingsError(
                f"The key in {self._api_key_env} has characters that no HTTP header can carry. Set it again."
            )
        return key

    def _headers(self) -> dict[str, str]:
        key = self._key()
        return {} if key is None else {"Authorization": f"Bearer {key}"}

    def _shown(self, response: httpx.Response) -> str:
        """The server's message on one line, cut, without the key."""
        text = response.text
        key = self._key()
        if key is not None:
            text = text.replace(key, "***")
        return " ".join(text.split())[:_SHOWN_CHARACTERS] or response.reason_phrase

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


def _checked_url(url: str) -> str:
    """`url` without a closing slash; SettingsError, which does not repeat a secret, when it cannot be used."""
    try:
        parts = urlsplit(url.strip())
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if not usable:
        raise SettingsError("base_url is no web address. Give one such as http://127.0.0.1:11434.")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise SettingsError(
            "base_url holds a user name, key or query. Give the plain address, and put a key into an environment "
            "variable that api_key_env names."
        )
    return url.strip().rstrip("/")


def _retry_after(header: str | None) -> float | None:
    """Seconds that a Retry-After header asks for, given as a number or as a date; None where it says nothing."""
    if header is None:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except ValueError:
        return None
