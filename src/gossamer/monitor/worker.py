"""`python -m gossamer.monitor.worker DOCS INDEX`: build an index in a process of its own, telling progress as JSON lines.

A process, so that the screen never waits for it, and can stop it: an index survives that whole.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from gossamer.errors import GossamerError

_EVERY = 0.1


class _Teller:
    """Prints at most ten lines a second, and always the first of a stage."""

    def __init__(self) -> None:
        self._stage = ""
        self._at = 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if stage != self._stage or now - self._at >= _EVERY or (total and done == total):
            self._stage, self._at = stage, now
            _tell({"stage": stage, "done": done, "total": total})


def main(arguments: list[str]) -> int:
    """Bring the index up to date with the documents; the exit code says whether it worked."""
    from gossamer.ingestion.pipeline import sync_index

    documents, folder = arguments
    try:
        report = sync_index(documents, folder, progress=_Teller())
    except GossamerError as problem:
        _tell({"error": str(problem)})
        return 1
    skipped = [f"{item.source}: {item.reason}" for item in report.skipped]
    _tell({"report": repr(report).splitlines()[0], "skipped": skipped, "warnings": list(report.warnings)})
    return 0


def _tell(data: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(data, ensure_ascii=True) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
