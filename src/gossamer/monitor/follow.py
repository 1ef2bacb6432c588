"""Follow an application in another process: read the traces it writes where the marker folder is, and only there."""

from __future__ import annotations

import os
from pathlib import Path

from gossamer.errors import UsageError
from gossamer.insight.trace import MARKER, parse_trace
from gossamer.monitor.record import Record
from gossamer.monitor.recorder import record_of_trace

_MOST_AT_ONCE = 1 << 22


class Follower:
    """New traces of a marker folder since the last look; traces from before the first look are left out."""

    def __init__(self, root: str | os.PathLike[str] = ".") -> None:
        self.folder = Path(root) / MARKER
        self._read: dict[str, int] = {}
        self._seen = False
        self.unreadable = 0

    @property
    def active(self) -> bool:
        """Whether there is a marker folder."""
        return self.folder.is_dir()

    def poll(self) -> list[Record]:
        """Records of the whole lines written since the last call, in the order of the files' names."""
        if not self.active:
            self._read.clear()
            return []
        found: list[Record] = []
        for path in sorted(self.folder.glob("*.jsonl")):
            found += self._new(path)
        self._seen = True
        return found

    def _new(self, path: Path) -> list[Record]:
        """What one file has gained; a file that shrank is read from its start."""
        try:
            size = path.stat().st_size
            start = self._read.get(path.name, 0 if self._seen else size)
            start = 0 if size < start else start
            with path.open("rb") as handle:
                handle.seek(start)
                data = handle.read(_MOST_AT_ONCE)
        except OSError:
            return []
        whole = data.rfind(b"\n") + 1
        if not whole and len(data) == _MOST_AT_ONCE:
            # A line longer than any trace: step over it.
            self.unreadable += 1
            whole = len(data)
        self._read[path.name] = start + whole
        lines = data[:whole].decode("utf-8", errors="replace").split("\n")
        return [record for line in lines if line.strip() and (record := self._record(line, path)) is not None]

    def _record(self, line: str, path: Path) -> Record | None:
        try:
            return record_of_trace(parse_trace(line, path.name), f"process {path.stem}")
        except (UsageError, KeyError, TypeError, ValueError, AttributeError):
            self.unreadable += 1
            return None
