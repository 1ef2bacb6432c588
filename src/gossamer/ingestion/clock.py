"""Seconds per step, and progress to whoever listens."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[str, int, int], None]


class Clock:
    """Adds up the seconds of named steps and announces each to `progress(stage, done, total)`.

    >>> clock = Clock()
    >>> with clock.step("chunk"):
    ...     pass
    >>> list(clock.seconds)
    ['chunk']
    """

    def __init__(self, progress: Progress | None = None) -> None:
        self.seconds: dict[str, float] = {}
        self._progress = progress

    @contextmanager
    def step(self, name: str, total: int = 0) -> Iterator[None]:
        """Time one step; a step entered twice adds up."""
        self.tell(name, 0, total)
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start
        if total:
            self.tell(name, total, total)

    def tell(self, name: str, done: int, total: int) -> None:
        """Report progress within a step."""
        if self._progress is not None:
            self._progress(name, done, total)
