"""How an index is served: where, to whom, and what a visitor may do."""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass, field

from gossamer.errors import UsageError

LOOPBACK = "127.0.0.1"
_NAMES_OF_LOOPBACK = ("localhost",)
_LEAST_TOKEN = 16


@dataclass(frozen=True, slots=True)
class ServeConfig:
    """What `serve` needs to know; `token` never appears in a repr.

    `names` are host names under which the page may be asked for besides addresses (and localhost on loopback); any
    other name in the Host header is refused, so that no foreign name can be pointed at this server. `max_upload` and
    `max_request` are bytes.

    >>> ServeConfig("my_index").is_local, ServeConfig("my_index", host="0.0.0.0", token="x" * 20).is_local
    (True, False)
    >>> ServeConfig("my_index", host="0.0.0.0")
    Traceback (most recent call last):
    gossamer.errors.UsageError: Serving on 0.0.0.0 needs a token. Pass one of at least 16 characters, or serve on 127.0.0.1.
    """

    folder: str | os.PathLike[str]
    host: str = LOOPBACK
    port: int = 8734
    token: str | None = field(default=None, repr=False)
    names: tuple[str, ...] = ()
    allow_ingest: bool = False
    max_upload: int = 32 * 1024 * 1024
    max_request: int = 1024 * 1024

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65_535:
            raise UsageError(f"port = {self.port} is not possible. Give a number from 0 to 65535; 0 takes a free one.")
        if self.token is not None and len(self.token) < _LEAST_TOKEN:
            raise UsageError(f"The token has {len(self.token)} characters. Give at least {_LEAST_TOKEN}.")
        if self.token is None and not self.is_local:
            raise UsageError(
                f"Serving on {self.host} needs a token. Pass one of at least {_LEAST_TOKEN} characters, or serve on "
                f"{LOOPBACK}."
            )
        if self.max_upload < 1 or self.max_request < 1:
            raise UsageError("The size limits must be at least 1 byte. Give a larger limit.")

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        return self.host in _NAMES_OF_LOOPBACK or is_loopback(self.host)

    def admits(self, host: str) -> bool:
        """Whether a request may name this host (the Host header without its port).

        An address cannot be pointed elsewhere by a name server, so addresses are admitted: loopback ones on loopback,
        any otherwise.

        >>> config = ServeConfig("my_index")
        >>> [config.admits(name) for name in ("localhost", "127.0.0.1", "[::1]", "192.0.2.1", "evil.example")]
        [True, True, True, False, False]
        """
        name = host.lower().removesuffix(".")
        if name in self.names or name == self.host.lower():
            return True
        if name in _NAMES_OF_LOOPBACK:
            return self.is_local
        return is_loopback(name) if self.is_local else _address(name) is not None


def is_loopback(host: str) -> bool:
    """Whether a host is an address of this machine's own.

    >>> is_loopback("127.0.0.1"), is_loopback("[::1]"), is_loopback("example.org")
    (True, True, False)
    """
    address = _address(host)
    return address is not None and address.is_loopback


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None
