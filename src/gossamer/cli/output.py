"""How commands print: JSON documents with a version, and progress on stderr."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import typer

JSON_VERSION = 1


def print_json(kind: str, data: dict[str, Any]) -> None:
    """One JSON document on stdout: `{"gossamer": kind, "version": 1, …}`."""
    document = {"gossamer": kind, "version": JSON_VERSION, **data}
    typer.echo(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False))


class Progress:
    """Stage, count and time left on stderr: one line that rewrites itself on a terminal, else a line a stage."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._live = sys.stderr.isatty()
        self._stage = ""
        self._started = 0.0
        self._shown = 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Called by the pipelines; `total` is 0 where it is not known."""
        if self._quiet:
            return
        now = time.monotonic()
        if stage != self._stage:
            self.close()
            self._stage, self._started, self._shown = stage, now, 0.0
            if not self._live:
                typer.echo(f"{stage} …", err=True)
        if self._live and (now - self._shown > 0.1 or done == total):
            self._shown = now
            typer.echo(f"\r{self._line(done, total, now - self._started)}\x1b[K", nl=False, err=True)

    def note(self, text: str) -> None:
        """A line of its own between the stages."""
        self.close()
        if not self._quiet:
            typer.echo(text, err=True)

    def close(self) -> None:
        """End the line of the last stage."""
        if self._live and self._stage:
            typer.echo("", err=True)
        self._stage = ""

    def _line(self, done: int, total: int, seconds: float) -> str:
        if not total:
            return f"{self._stage:<10} {done}"
        left = seconds / done * (total - done) if done else 0.0
        return f"{self._stage:<10} {done}/{total} {100 * done // total}%  {left:.0f} s left"
