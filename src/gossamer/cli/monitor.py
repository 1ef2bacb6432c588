"""`gossamer monitor`, which is also `gossamer` alone on a terminal."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from gossamer.cli.complete import complete_index


def monitor(
    folder: Annotated[
        str | None, typer.Argument(metavar="[INDEX]", help="An index to open.", autocompletion=complete_index)
    ] = None,
    ascii_only: Annotated[bool, typer.Option("--ascii", help="Draw with ASCII alone.")] = False,
    history: Annotated[bool, typer.Option(help="Remember what was typed for the next time.")] = True,
) -> None:
    """Ask, watch and look after indexes on a full screen: gossamer monitor my_index

    `gossamer` alone on a terminal opens it too.
    """
    from gossamer.errors import MissingExtraError, UsageError

    if not on_terminal():
        raise UsageError("The monitor needs a terminal. Ask without one: gossamer query my_index QUESTION")
    try:
        from gossamer.monitor.app import run_app
    except ModuleNotFoundError as problem:
        if (problem.name or "").split(".")[0] != "textual":
            raise
        raise MissingExtraError("textual", "monitor", "The monitor") from None
    run_app(folder, ascii_only=ascii_only or not _shows_unicode(), history=_history() if history else None)


def on_terminal() -> bool:
    """Whether someone can type and see a screen."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def _shows_unicode() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8" and os.environ.get("TERM") != "linux"


def _history() -> Path:
    """Where the system keeps the state of programs."""
    from platformdirs import user_state_path

    return user_state_path("gossamer") / "history"
