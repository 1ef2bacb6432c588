"""One linear-algebra thread, where more of them reorder sums or lose time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def single_thread() -> Iterator[None]:
    """Context in which BLAS and LAPACK use one thread; threads may be in it together, the last one out restores.

    Many small eigenproblems on two busy cores took 8.6 s with two threads and 0.3 s with one.

    >>> with single_thread():
    ...     pass
    """
    _LIMIT.enter()
    try:
        yield
    finally:
        _LIMIT.leave()


class _Limit:
    """The limit belongs to the whole process, so what it was before is remembered once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._limits: Any = None

    def enter(self) -> None:
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        with self._lock:
            if not self._inside:
                self._limits = threadpool_limits(limits=1)
            self._inside += 1

    def leave(self) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._limits.restore_original_limits()


_LIMIT = _Limit()
