"""Run the server: `gossamer serve INDEX`."""

from __future__ import annotations

import importlib
import secrets
import socket
from typing import TYPE_CHECKING

from gossamer.errors import MissingExtraError, UsageError
from gossamer.server.config import ServeConfig

if TYPE_CHECKING:
    from collections.abc import Callable


def new_token() -> str:
    """A token nobody can guess."""
    return secrets.token_urlsafe(24)


def serve(config: ServeConfig, *, ready: Callable[[str], None] | None = None) -> None:
    """Serve until interrupted; `ready(address)` is called once the socket listens.

    The address holds the token behind `#`, which browsers send to nobody. Raises MissingExtraError without the extra
    `serve`, UsageError where the address is taken, and what opening the index raises.
    """
    for package in ("starlette", "uvicorn", "python_multipart"):
        try:
            importlib.import_module(package)
        except ImportError as missing:
            raise MissingExtraError(package, "serve", "`gossamer serve`") from missing
    import uvicorn

    from gossamer.server.app import create_app

    app = create_app(config)
    listening = _listen(config)
    if ready is not None:
        ready(page_address(config, listening.getsockname()[1]))
    settings = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False, lifespan="on")
    try:
        uvicorn.Server(settings).run(sockets=[listening])
    finally:
        listening.close()


def page_address(config: ServeConfig, port: int) -> str:
    """Where a browser finds the page.

    >>> page_address(ServeConfig("my_index"), 8734), page_address(ServeConfig("i", host="::", token="t" * 16), 80)
    ('http://127.0.0.1:8734/', 'http://localhost:80/#token=tttttttttttttttt')
    """
    anywhere = config.host in ("0.0.0.0", "::")
    host = "localhost" if anywhere else f"[{config.host}]" if ":" in config.host else config.host
    return f"http://{host}:{port}/{f'#token={config.token}' if config.token else ''}"


def _listen(config: ServeConfig) -> socket.socket:
    family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((config.host, config.port))
        listening.listen(128)
    except OSError as problem:
        listening.close()
        raise UsageError(
            f"Port {config.port} of {config.host} cannot be used ({problem.strerror}). Choose another with --port."
        ) from problem
    return listening
