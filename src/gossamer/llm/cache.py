"""Replies on disk by the hash of what was asked: kept as soon as they arrive, so a killed run loses only calls in flight."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
import weakref
from pathlib import Path
from typing import Any

from gossamer.errors import LLMCacheError
from gossamer.llm.reply import Reply

_PATIENCE = 30.0
_TABLE = (
    "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, text TEXT NOT NULL, prompt_tokens INTEGER NOT NULL, "
    "completion_tokens INTEGER NOT NULL, finish TEXT NOT NULL, counted INTEGER NOT NULL) WITHOUT ROWID"
)
_FIELDS = "text, prompt_tokens, completion_tokens, finish, counted"


class ReplyCache:
    """A SQLite file of replies; several threads and processes may share it.

    Each reply is one committed transaction. The file holds hashes of what was asked, never the prompts or a key.
    Raises LLMCacheError where the file cannot be used.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, ReplyCache(Path(folder) / "replies.sqlite") as cache:
    ...     cache.put(request_key({"model": "m", "messages": []}), Reply("Pune.", 12, 3))
    ...     cache.get(request_key({"messages": [], "model": "m"}))
    Reply(text='Pune.', prompt_tokens=12, completion_tokens=3, cached=True, finish='stop', counted=True)
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._closer: weakref.finalize[Any, Any] | None = None
        self._process = 0

    def __enter__(self) -> ReplyCache:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return int(self._run("SELECT count(*) FROM replies", ())[0][0])

    def get(self, key: str) -> Reply | None:
        """The kept reply, marked as cached; None where there is none."""
        rows = self._run(f"SELECT {_FIELDS} FROM replies WHERE key = ?", (key,))
        if not rows:
            return None
        text, sent, received, finish, counted = rows[0]
        return Reply(text, sent, received, cached=True, finish=finish, counted=bool(counted))

    def put(self, key: str, reply: Reply) -> None:
        """Keep a reply; it is on disk when this returns."""
        values = (key, reply.text, reply.prompt_tokens, reply.completion_tokens, reply.finish, int(reply.counted))
        self._run("INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?, ?, ?)", values)

    def close(self) -> None:
        """Close the file; a later call opens it again."""
        with self._lock:
            if self._closer is not None and self._process == os.getpid():
                self._closer()
            self._connection = self._closer = None

    def _run(self, statement: str, values: tuple[Any, ...]) -> list[Any]:
        with self._lock:
            try:
                return self._open().execute(statement, values).fetchall()
            except sqlite3.Error as problem:
                raise LLMCacheError(
                    f"{self.path} cannot be used as a cache of replies ({problem}). Delete the file, or name another one."
                ) from problem

    def _open(self) -> sqlite3.Connection:
        """One connection a process: SQLite must not be shared with a forked child."""
        if self._connection is not None and self._process == os.getpid():
            return self._connection
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise LLMCacheError(f"{self.path.parent} cannot be made ({problem}). Name another cache file.") from problem
        connection = sqlite3.connect(self.path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
        self._closer = weakref.finalize(self, connection.close)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute(_TABLE)
        self._connection, self._process = connection, os.getpid()
        return connection

    def __repr__(self) -> str:
        return f"ReplyCache({str(self.path)!r})"


def request_key(request: dict[str, Any]) -> str:
    """SHA-256 of a request as canonical JSON.

    >>> request_key({"b": 1, "a": 2}) == request_key({"a": 2, "b": 1})
    True
    """
    canonical = json.dumps(request, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def open_cache(cache: ReplyCache | str | os.PathLike[str] | None) -> ReplyCache | None:
    """A cache from a path, an open cache as it is, None for none."""
    return cache if cache is None or isinstance(cache, ReplyCache) else ReplyCache(cache)
