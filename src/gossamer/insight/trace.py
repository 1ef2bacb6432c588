"""Traces: every spreading question as one self-contained JSON line, written and read with the standard library alone.

    {"trace": 1, "time": …, "question": …, "engine": …, "nodes": {"id": […], "energy": […], …}, "ledger": {…}, …}

`nodes` holds columns of equal length in the order of the result; `parent` is a place in them, or -1 for a seed.
"""

from __future__ import annotations

import json
import os
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gossamer.errors import SettingsError, UsageError

TRACE_VERSION = 1
MARKER = ".gossamer/traces"
"""A folder that asks for traces: where it is in the working directory, programs write theirs into it."""


@dataclass(frozen=True, slots=True)
class TraceConfig:
    """Which traces are kept: the last `size` in memory, and every one as a line of the file `path` where one is given.

    An index that is opened without a config writes `<process id>.jsonl` into the folder `.gossamer/traces` of the working
    directory where there is one; nothing where there is none. The monitor follows that folder.

    >>> TraceConfig(size=-1)
    Traceback (most recent call last):
    gossamer.errors.SettingsError: trace size = -1 is not possible. Give a whole number of 0 or more.
    """

    path: str | os.PathLike[str] | None = None
    size: int = 200

    def __post_init__(self) -> None:
        if isinstance(self.size, bool) or not isinstance(self.size, int) or self.size < 0:
            raise SettingsError(f"trace size = {self.size!r} is not possible. Give a whole number of 0 or more.")
        if self.path is not None and not isinstance(self.path, (str, os.PathLike)):
            raise SettingsError(f"trace path = {self.path!r} is not possible. Give the path of a file, or None.")


class Traces:
    """The traces of one opened index: a ring buffer, and a JSON Lines file on request. Threads may share it.

    >>> traces = Traces(TraceConfig(size=1))
    >>> traces.record({"question": "one"}); traces.record({"question": "two"})
    >>> [trace["question"] for trace in traces]
    ['two']
    """

    def __init__(self, config: TraceConfig | None = None) -> None:
        self.config = config or TraceConfig(path=_marked())
        self._kept: deque[dict[str, Any]] = deque(maxlen=self.config.size)
        self._lock = threading.Lock()

    @property
    def active(self) -> bool:
        """Whether anything is kept at all."""
        return self.config.size > 0 or self.config.path is not None

    def __len__(self) -> int:
        return len(self._kept)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The kept traces, oldest first."""
        with self._lock:
            return iter(list(self._kept))

    def record(self, trace: Mapping[str, Any]) -> None:
        """Keep a trace; one whole line is written at a time. OSError where the file cannot be written."""
        kept = {"trace": TRACE_VERSION, **trace}
        with self._lock:
            self._kept.append(kept)
            if self.config.path is not None:
                with Path(self.config.path).open("a", encoding="utf-8") as handle:
                    handle.write(trace_line(kept))


def _marked() -> Path | None:
    """The file of this process in the marker folder; None where there is no such folder."""
    return Path(MARKER).absolute() / f"{os.getpid()}.jsonl" if Path(MARKER).is_dir() else None


def trace_line(trace: Mapping[str, Any]) -> str:
    """A trace as one line of JSON."""
    return json.dumps(trace, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n"


def load_traces(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Traces of a JSON Lines file, oldest first; a last line that was cut short is left out.

    Raises UsageError where there is no such file, a line is no trace, or a trace is of another version.
    """
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as problem:
        raise UsageError(
            f"{path} cannot be read ({problem.strerror}). Name a file that TraceConfig wrote."
        ) from problem
    lines = text.split("\n")
    whole, rest = lines[:-1], lines[-1]
    found = [parse_trace(line, f"{path}, line {number}") for number, line in enumerate(whole, start=1) if line.strip()]
    if rest.strip():
        with suppress(_NotJsonError):
            found.append(parse_trace(rest, f"{path}, last line"))
    return found


class _NotJsonError(UsageError):
    """A line that is no JSON: harmless where a writer was stopped in the middle of it."""


def parse_trace(line: str, where: str) -> dict[str, Any]:
    """The trace of one line; UsageError, which names `where`, where it is none or of another version."""
    try:
        trace = json.loads(line)
    except ValueError as problem:
        raise _NotJsonError(f"{where} is no JSON ({problem}). Remove the line.") from problem
    if not isinstance(trace, dict) or "trace" not in trace:
        raise UsageError(f"{where} is no trace. Name a file that TraceConfig wrote.")
    if trace["trace"] != TRACE_VERSION:
        raise UsageError(f"{where} is a trace of version {trace['trace']!r}, not {TRACE_VERSION}. Update gossamer.")
    return trace
