"""What can stand after a command, from what is open, asked and running."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer.cli.installation import extras
from gossamer.monitor.commands import COMMANDS, Choices
from gossamer.retrieval.spread_config import RetrievalConfig

if TYPE_CHECKING:
    from gossamer.monitor.desk import Desk
    from gossamer.monitor.jobs import Jobs

_MOST = 50
_TUNE = [f"{field.name}=" for field in dataclasses.fields(RetrievalConfig)]


def choices(desk: Desk, jobs: Jobs) -> Choices:
    """Words by command."""
    numbers = [str(shown.number) for shown in desk.records[-1].passages] if desk.records else []
    return Choices(
        {
            "show": numbers,
            "why": numbers,
            "index": list(desk.opened),
            "tune": ["off", *_TUNE],
            "without": ["off"],
            "parts": ["off"],
            "config": ["speed=", "ascii="],
            "install": list(extras()),
            "kill": [str(job.number) for job in jobs.running],
            "help": [command.name for command in COMMANDS],
        },
        paths,
    )


def paths(start: str) -> Sequence[str]:
    """Files and folders that begin with a text, folders first; hidden ones only where asked for."""
    folder, name = (Path(start), "") if start.endswith("/") else (Path(start).parent, Path(start).name)
    try:
        found = sorted(folder.iterdir(), key=lambda path: (not path.is_dir(), path.name))
    except OSError:
        return []
    lead = start[: len(start) - len(name)]
    kept = [path for path in found if path.name.startswith(name) and (name.startswith(".") or path.name[0] != ".")]
    return [f"{lead}{path.name}{'/' * path.is_dir()}" for path in kept[:_MOST]]
