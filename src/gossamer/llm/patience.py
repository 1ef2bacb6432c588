"""How long to wait: between tries of one call, and between calls under a rate limit."""

from __future__ import annotations

import random
import threading
import time

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
LONGEST_WAIT = 120.0
_JITTER = 0.75


def pause_after(attempt: int, asked: float | None = None) -> float:
    """Seconds to wait after try `attempt` (from 0): .5 · 2^attempt, at most 30, times .75 … 1; or what the server asks for.

    With eight retries the pauses add up to 68 … 91 seconds, so a server that is down for a minute costs only time.
    """
    if asked is not None:
        return asked
    return float(min(LONGEST_PAUSE, FIRST_PAUSE * 2**attempt) * random.uniform(_JITTER, 1.0))


class Pace:
    """Spaces calls evenly, `rate` a minute at most, over all threads; `hold` stops all of them for a while."""

    def __init__(self, rate: float | None) -> None:
        self._gap = 60.0 / rate if rate else 0.0
        self._lock = threading.Lock()
        self._next = 0.0

    def turn(self) -> float:
        """Take the next place in line: the seconds to wait before calling."""
        with self._lock:
            now = time.monotonic()
            start = max(now, self._next)
            self._next = start + self._gap if self._gap else self._next
            return start - now

    def hold(self, seconds: float) -> None:
        """No call starts before so many seconds have passed."""
        with self._lock:
            self._next = max(self._next, time.monotonic() + seconds)


def wait(seconds: float, stop: threading.Event | None = None) -> None:
    """Sleep, or until `stop` is set."""
    if seconds <= 0:
        return
    if stop is None:
        time.sleep(seconds)
    else:
        stop.wait(seconds)
