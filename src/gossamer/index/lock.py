"""One writer at a time: a lock of the operating system that ends with its process, and the note of who holds it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gossamer.errors import IndexLockedError
from gossamer.index import files

_LOCK = "write.lock"


@contextmanager
def write_lock(folder: Path) -> Iterator[None]:
    """Hold the lock of an existing folder.

    Raises IndexLockedError naming the process that holds it.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(folder / _LOCK, timeout=0)
    with files.explained(folder):
        try:
            lock.acquire()
        except Timeout as problem:
            raise IndexLockedError(
                f"{folder} is locked by {_holder(folder)}. Wait until that build has ended, or stop it."
            ) from problem
    try:
        _note(folder, str(os.getpid()))
        yield
    finally:
        _note(folder, "")
        lock.release()


def _holder(folder: Path) -> str:
    with suppress(OSError, UnicodeDecodeError):
        pid = (folder / f"{_LOCK}.pid").read_text(encoding="utf-8").strip()
        if pid:
            return f"pid {pid}"
    return "another process"


def _note(folder: Path, pid: str) -> None:
    path = folder / f"{_LOCK}.pid"
    with suppress(OSError):
        if pid:
            path.write_text(f"{pid}\n", encoding="utf-8")
        else:
            path.unlink(missing_ok=True)
