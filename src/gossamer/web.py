"""What every caller of a web server needs: checked addresses, keys that are never kept or shown, waiting times."""

from __future__ import annotations

import os
import time
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from gossamer.errors import SettingsError

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_SHOWN_CHARACTERS = 300
_SHORTEST_KEY = 4


def checked_url(url: str, name: str, key_name: str) -> str:
    """`url` without a closing slash; SettingsError, which does not repeat a secret, when it cannot be used.

    `name` and `key_name` are what the caller calls the address and the variable that holds its key.

    >>> checked_url("http://127.0.0.1:8080/v1/ ", "url", "key_env")
    'http://127.0.0.1:8080/v1'
    """
    try:
        parts = urlsplit(url.strip())
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if not usable:
        raise SettingsError(f"{name} is no web address. Give one such as http://127.0.0.1:11434.")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise SettingsError(
            f"{name} holds a user name, key or query. Give the plain address, and put a key into an environment "
            f"variable that {key_name} names."
        )
    return url.strip().rstrip("/")


def is_loopback(url: str) -> bool:
    """Whether an address leads to this machine.

    >>> is_loopback("http://localhost:1234/v1"), is_loopback("https://api.example.org")
    (True, False)
    """
    return urlsplit(url).hostname in _LOOPBACK


def read_key(variable: str | None, url: str, key_name: str) -> str | None:
    """The key in an environment variable, read now; None where no variable is named. SettingsError for none or a bad one."""
    if variable is None:
        return None
    key = os.environ.get(variable, "").strip()
    if not key:
        raise SettingsError(
            f"The environment variable {variable} holds no key for {url}. Set it, or name another one with {key_name}."
        )
    if not (key.isascii() and key.isprintable()):
        raise SettingsError(f"The key in {variable} has characters that no HTTP header can carry. Set it again.")
    return key


def hide(text: str, key: str | None) -> str:
    """A text without the key that it may repeat.

    >>> hide("no such key: sk-1234", "sk-1234")
    'no such key: ***'
    """
    return text.replace(key, "***") if key is not None and len(key) >= _SHORTEST_KEY else text


def shorten(text: str) -> str:
    """A server's message on one line, cut."""
    return " ".join(text.split())[:_SHOWN_CHARACTERS]


def retry_after(header: str | None) -> float | None:
    """Seconds that a Retry-After header asks for, given as a number or as a date; None where it says nothing.

    >>> retry_after("7"), retry_after("soon"), retry_after(None)
    (7.0, None, None)
    """
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        pass
    else:
        return max(0.0, seconds) if seconds < float("inf") else None
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except ValueError:
        return None
